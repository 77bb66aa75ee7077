//! What keys do on the screen that is shown.

use crate::keys::{Action, BINDINGS, Binding, Where, name, shown};
use crate::model::Model;
use crate::place::{Place, TABS};
use ratatui::crossterm::event::KeyEvent;

/// What a key does here.
pub(crate) fn action(model: &Model, event: &KeyEvent) -> Option<Action> {
    let name = name(event)?;
    let screens = 1..=TABS.len();
    if let Some(digit) = name.parse::<usize>().ok().filter(|n| screens.contains(n)) {
        return Some(Action::Tab(digit - 1));
    }
    let mut all = BINDINGS.iter().zip(model.keys.iter());
    all.find(|(binding, keys)| applies(model, binding) && keys.contains(&name))
        .map(|(binding, _)| binding.action)
}

/// Why a key does nothing here.
pub(crate) fn why_not(model: &Model, event: &KeyEvent) -> Option<String> {
    let name = name(event)?;
    let help = model.keys.first(Action::Help);
    let mut all = BINDINGS.iter().zip(model.keys.iter());
    let Some((binding, _)) = all.find(|(_, keys)| keys.contains(&name)) else {
        return Some(format!(
            "{} has no meaning; {help} lists the keys",
            shown(&name)
        ));
    };
    let only = match binding.at {
        Where::Everywhere => return None,
        Where::Tables => "where there is a table",
        Where::Files => "where files are shown",
        Where::Chart => "on the chart of the counters",
        Where::Places => "at the frames of a symptom with several places",
    };
    Some(format!(
        "{} works only {only}: {}",
        shown(&name),
        binding.help
    ))
}

/// Whether a key does something on the screen that is shown.
pub(crate) fn applies(model: &Model, binding: &Binding) -> bool {
    match binding.at {
        Where::Everywhere => true,
        Where::Tables => model.has_table(),
        Where::Files => model.replays(),
        Where::Chart => model.level().place == Place::Counters,
        Where::Places => model.level().pane.has_places(),
    }
}
