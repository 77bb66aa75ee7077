//! `wirewait view`: capture files on the screen, as if it were then.

use crate::args::ViewArgs;
use crate::failure::{Failure, Verdict};
use crate::symptoms;
use crate::watch::{self, Plan, Show, Watch};
use std::io::{self, IsTerminal};
use std::sync::mpsc::channel;
use wirewait_tui::{Ended, Options, Screen};

pub(crate) fn run(args: &ViewArgs) -> Result<Verdict, Failure> {
    if !io::stdout().is_terminal() {
        return Err(Failure::Usage(
            "view: the standard output is no terminal; `wirewait report` writes the same \
             figures to a file or into a pipe"
                .to_owned(),
        ));
    }
    let plan = Plan {
        settings: args.analysis.settings(),
        thresholds: symptoms::thresholds(&args.symptoms)?,
        transactions: watch::TRANSACTIONS,
        frames: wirewait_capture::recent::DEFAULT_BYTES,
    };
    let show = Show {
        input: &args.input,
        texts: symptoms::texts(&args.symptoms)?,
        pace: args.speed.0,
        paused: args.paused,
    };
    let screen = Screen::new(Options::default());
    let (commands, orders) = channel();
    let watch = Watch::files(show, plan, orders, screen.sender())?;
    let ended = screen.run(&commands);
    drop(commands);
    let verdict = watch.join()?;
    match ended {
        Ok(Ended::Quit | Ended::Alone) => Ok(verdict),
        Err(error) => Err(Failure::writing("the terminal", &error)),
    }
}
