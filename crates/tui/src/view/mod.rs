//! What is drawn. Each view is a file of its own and a line in [`of`].

mod bars;
mod chrome;
mod clients;
mod conversations;
mod counters;
mod curve;
mod figures;
mod frames;
mod operations;
mod overlay;
mod overview;
mod plot;
mod servers;
mod statistics;
mod symptoms;
mod transaction;
mod transactions;

use crate::context::Context;
use crate::keys::Action;
use crate::model::{Model, Overlay};
use crate::place::{Place, Scope, TABS};
use crate::table::{self, AnyRows, Move, RowIdentity};
use crate::{Command, Input, text};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

pub(crate) use chrome::NUMBER_SYNTAX;
pub(crate) use overlay::help_lines;

/// The least size at which anything can be shown.
pub(crate) const LEAST: (u16, u16) = (44, 12);

/// One kind of place.
pub(crate) trait View: Sync {
    /// Its name in the names of files.
    fn name(&self) -> &'static str;

    /// What stands in the line above it, behind the names of the places above.
    fn title(&self, model: &Model, place: &Place) -> String;

    /// The rows of its table, if it has one.
    fn rows<'m>(&self, _model: &'m Model, _place: &'m Place) -> Option<Box<dyn AnyRows + 'm>> {
        None
    }

    /// Where in the body its table is.
    fn table_area(&self, _model: &Model, _place: &Place, body: Rect) -> Rect {
        body
    }

    /// Whether Left and Right scroll its columns.
    fn scrolls(&self, _model: &Model) -> bool {
        true
    }

    /// What Enter opens, in a word; `None` where it opens nothing.
    fn opens(&self, _place: &Place) -> Option<&'static str> {
        None
    }

    /// The place below the chosen row, or what has to be asked for to get there.
    fn enter(&self, _model: &mut Model, _place: &Place) -> Vec<Command> {
        Vec::new()
    }

    /// A key that means something of its own here; `None` for all others.
    fn act(&self, _model: &mut Model, _place: &Place, _action: Action) -> Option<Vec<Command>> {
        None
    }

    /// Takes a click of the mouse; `false` where it means what it always means.
    fn click(&self, _model: &mut Model, _place: &Place, _at: (u16, u16)) -> bool {
        false
    }

    /// Draws it; where it is not more than its table, that.
    fn draw(&self, model: &Model, place: &Place, body: Rect, buffer: &mut Buffer) {
        draw_table(model, place, body, buffer);
    }
}

/// The view of a place.
pub(crate) fn of(place: &Place) -> &'static dyn View {
    match place {
        Place::Overview => &overview::Overview,
        Place::Servers => &servers::Servers,
        Place::Operations(_) => &operations::Operations,
        Place::Transactions(_) => &transactions::Transactions,
        Place::Transaction(_) => &transaction::OneTransaction,
        Place::Clients => &clients::Clients,
        Place::Conversations(_) => &conversations::Conversations,
        Place::Counters => &counters::Counters,
        Place::CounterObjects => &counters::Objects,
        Place::CounterInstances(_) => &counters::Instances,
        Place::CounterKinds(..) => &counters::Kinds,
        Place::Symptoms => &symptoms::Symptoms,
        Place::Statistics => &statistics::Statistics,
        Place::Statistic(_) => &statistics::OneStatistic,
        Place::Frames(_) => &frames::Frames,
    }
}

/// What is left between the tabs and the title above, and the status and the hints below.
pub(crate) fn body(screen: Rect) -> Rect {
    text::band(
        screen,
        screen.y + 2.min(screen.height),
        screen.height.saturating_sub(4),
    )
}

/// What is said instead of a view before the first frame: nothing has a figure yet, nor a date.
fn waiting(input: &Input) -> String {
    let listed = |names: Vec<&str>| match names.is_empty() {
        true => String::new(),
        false => format!(" on {}", names.join(", ")),
    };
    match input {
        Input::Live { interfaces, .. } => {
            let names = interfaces.iter().map(|one| one.name.as_str()).collect();
            format!("Waiting for frames{} ...", listed(names))
        }
        Input::Files { ended: false, .. } => "Waiting for the first frame ...".to_owned(),
        // They have some: the user began anew behind them.
        Input::Files { span: Some(_), .. } => "No frames since the reset.".to_owned(),
        Input::Files { names, .. } => format!("No frames in {}.", names.join(", ")),
    }
}

/// The areas of a table and of what is below it: `part / of` of the body if it has `least` lines.
fn below(body: Rect, least: u16, (part, of): (u16, u16)) -> (Rect, Rect) {
    let lines = match body.height >= least {
        true => u32::from(body.height) * u32::from(part) / u32::from(of.max(1)),
        false => 0,
    };
    // No more than there are.
    let lines = u16::try_from(lines).unwrap_or(body.height).min(body.height);
    let table = Rect {
        height: body.height - lines,
        ..body
    };
    let detail = text::band(body, table.bottom(), lines);
    (table, detail)
}

/// Whether a terminal of this size has no room for the views.
pub(crate) fn is_too_small((width, height): (u16, u16)) -> bool {
    width < LEAST.0 || height < LEAST.1
}

/// Draws everything.
pub(crate) fn draw(model: &Model, buffer: &mut Buffer) {
    let screen = buffer.area;
    if is_too_small((screen.width, screen.height)) {
        let said = format!(
            "Too small: {} x {}; at least {} x {} is needed. {} quits.",
            screen.width,
            screen.height,
            LEAST.0,
            LEAST.1,
            model.keys.first(Action::Quit)
        );
        text::wrapped(buffer, screen, &said, model.palette.theme().plain);
        return;
    }
    chrome::tabs(model, screen, buffer);
    chrome::title(model, screen, buffer);
    let place = &model.level().place;
    let view = of(place);
    let waits = match &model.feed {
        Some(feed) if feed.snapshot.capture.frames > 0 => None,
        Some(feed) => Some(waiting(&feed.input)),
        None => Some("Waiting for data.".to_owned()),
    };
    match waits {
        None => view.draw(model, place, body(screen), buffer),
        Some(said) => {
            text::wrapped(buffer, body(screen), &said, model.palette.theme().dim);
        }
    }
    chrome::status(model, screen, buffer);
    chrome::hints(model, screen, buffer);
    if model.overlay != Overlay::None {
        overlay::draw(model, screen, buffer);
    }
}

/// Draws the table of a view where the view says.
pub(crate) fn draw_table(model: &Model, place: &Place, body: Rect, buffer: &mut Buffer) {
    let view = of(place);
    if let Some(rows) = view.rows(model, place) {
        let area = view.table_area(model, place, body);
        let state = &model.level().table;
        table::draw(rows.as_ref(), state, &model.context(), area, buffer);
    }
}

/// Opens what is chosen.
pub(crate) fn enter(model: &mut Model) -> Vec<Command> {
    let place = model.level().place.clone();
    of(&place).enter(model, &place)
}

/// Opens the transactions of what is chosen, or of the server whose operations are shown.
pub(crate) fn transactions(model: &mut Model) {
    let level = model.level();
    let scope = match (&level.place, level.table.chosen_key()) {
        (Place::Operations(server), _) => Scope::Server(*server),
        (Place::Clients, Some(RowIdentity::Station(client))) => Scope::Client(*client),
        (Place::Conversations(_), Some(RowIdentity::Number(number))) => {
            Scope::Conversation(*number)
        }
        (_, Some(RowIdentity::Station(server))) => Scope::Server(*server),
        _ => return model.say("choose a server, a client or a conversation first"),
    };
    model.open(Place::Transactions(scope));
}

/// A line across with a title in it.
fn rule(buffer: &mut Buffer, area: Rect, title: &str, context: &Context<'_>) {
    let line = "─".repeat(usize::from(area.width));
    let theme = context.theme;
    text::put(buffer, (area.x, area.y), area.width, &line, theme.line);
    let title = format!(" {title} ");
    let at = (area.x + 1, area.y);
    text::put(
        buffer,
        at,
        area.width.saturating_sub(1),
        &title,
        theme.title,
    );
}

/// The mouse: a tab, the head of a column, or a row. Gives what a hint stands for, or that the row
/// that was chosen already is to be opened.
pub(crate) fn clicked(model: &mut Model, (x, y): (u16, u16)) -> Option<Action> {
    let screen = Rect::new(0, 0, model.size.0, model.size.1);
    if y == screen.y {
        if let Some(tab) = chrome::tab_at(model, screen, x).filter(|tab| *tab < TABS.len()) {
            model.tab = tab;
            model.refresh();
        }
        return None;
    }
    if y + 1 == screen.bottom() {
        return chrome::hint_at(model, screen, x);
    }
    let place = model.level().place.clone();
    if of(&place).click(model, &place, (x, y)) {
        return None;
    }
    let area = of(&place).table_area(model, &place, body(screen));
    let rows = of(&place).rows(model, &place)?;
    let heads = table::head_lines(area, rows.as_ref());
    let page = table::page(area, rows.as_ref());
    if !area.contains((x, y).into()) {
        return None;
    }
    if y < area.y + heads {
        let state = &model.level().table;
        let column = table::column_at(rows.as_ref(), state, &model.context(), area, x);
        drop(rows);
        if let Some(column) = column {
            model.sort_by(column);
        }
        return None;
    }
    let state = &model.level().table;
    let bar = table::bar_at(rows.as_ref(), state, &model.context(), area) == Some(x);
    drop(rows);
    let row = usize::from(y - area.y - heads);
    let before = model.level().table.cursor();
    let mut again = false;
    if row < page {
        model.with_table(|table, rows, page| {
            let to = match bar {
                // As far down in all of them.
                true => row * table.order().len().saturating_sub(1) / page.saturating_sub(1).max(1),
                false => table.top() + row,
            };
            again = to == before && !bar;
            if to < table.order().len() {
                table.go(Move::To(to), rows, page);
            } else {
                again = false;
            }
        });
    }
    again.then_some(Action::Enter)
}
