//! Watching on a screen.

use super::plain::{PlainWatch as Plain, summary};
use super::source::{self, Ready};
use crate::args::{LiveArgs, LiveFormat};
use crate::failure::{Failure, Verdict, say};
use crate::own::Own;
use crate::rights::Rights;
use crate::saver::Saver;
use crate::view;
use crate::watch::{self, Plan, Tap, Watch};
use std::io::{self, IsTerminal};
use std::sync::mpsc::channel;
use wirewait_report::symptoms::Texts;
use wirewait_tui::{Options, Screen};

/// Whether somebody watches, and did not ask for what only the plain way gives: an end by
/// itself, a report of some shape or to some place, a judgement.
pub(super) fn is_wanted(args: &LiveArgs) -> bool {
    let plain = args.length().is_some()
        || args.count.is_some()
        || !args.fail_if.is_empty()
        || args.format != LiveFormat::Text
        || args.symptoms.explain.is_some()
        || args.output.output.is_some()
        || args.listen.is_some();
    !plain && io::stdout().is_terminal()
}

/// Watches until the user quits, and says then what it took.
pub(super) fn run(
    args: &LiveArgs,
    ready: Ready,
    rights: &mut Rights,
    how: Plain,
    texts: Texts,
) -> Result<Verdict, Failure> {
    let plan = Plan {
        settings: how.settings,
        thresholds: how.thresholds,
        last: how.last,
        transactions: watch::TRANSACTIONS,
        frames: args.screen.room(),
        refresh: args.screen.refresh(),
    };
    let options = Options {
        private: args.analysis.private,
        ..args.screen.options()?
    };
    let live = ready.start(rights)?;
    let tap = Tap {
        saver: Saver::of(args, &live)?,
        live,
        filter: source::filter(args),
        texts,
    };
    let (commands, orders) = channel();
    let screen = Screen::new(options);
    let watch = Watch::live(tap, plan, how.signals, orders, screen.sender())?;
    let farewell = view::shown(screen, commands, watch)?;
    if let Some(live) = farewell.live {
        say(&summary(
            farewell.frames,
            live.elapsed,
            &live.interfaces,
            &Own::now(),
        ));
        live.saved.iter().for_each(|saved| say(&saved.said));
    }
    Ok(farewell.verdict)
}
