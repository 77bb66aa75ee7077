//! `wirewait view`: capture files on the screen, as if it were then.

use crate::args::{ReportArgs, ViewArgs};
use crate::failure::{Failure, Verdict};
use crate::last_profile;
use crate::report;
use crate::signals::Signals;
use crate::symptoms;
use crate::watch::{self, Farewell, Plan, Show, Watch};
use clap::{Args, FromArgMatches};
use std::io::{self, IsTerminal};
use std::sync::mpsc::{Sender, channel};
use wirewait_tui::{Command, Ended, Options, Screen};

pub(crate) fn run(args: &ViewArgs) -> Result<Verdict, Failure> {
    if !io::stdout().is_terminal() {
        return report::run(&plain(args)?);
    }
    let plan = Plan {
        settings: args.analysis.settings(),
        thresholds: symptoms::thresholds(&args.symptoms),
        last: last_profile::read(&args.profile)?,
        transactions: watch::TRANSACTIONS,
        frames: args.screen.room(),
        refresh: args.screen.refresh(),
    };
    let show = Show {
        input: &args.input,
        texts: symptoms::texts(&args.symptoms)?,
        pace: args.speed.0,
        paused: args.paused,
    };
    let (commands, orders) = channel();
    let screen = Screen::new(Options {
        private: args.analysis.private,
        ..args.screen.options()?
    });
    let signals = Signals::catch()?;
    let watch = Watch::files(show, plan, signals, orders, screen.sender())?;
    let farewell = shown(screen, commands, watch)?;
    Ok(farewell.verdict)
}

/// Without a terminal there is no screen: the plain report has the same figures.
fn plain(args: &ViewArgs) -> Result<ReportArgs, Failure> {
    let known = ReportArgs::augment_args(clap::Command::new("report"));
    let parsed = known.try_get_matches_from(["report", "-"]);
    let report = parsed.and_then(|parsed| ReportArgs::from_arg_matches(&parsed));
    let report = report.map_err(|error| Failure::Usage(error.to_string()))?;
    Ok(ReportArgs {
        input: args.input.clone(),
        analysis: args.analysis.clone(),
        symptoms: args.symptoms.clone(),
        profile: args.profile.clone(),
        ..report
    })
}

/// Shows the screen until it is over.
pub(crate) fn shown(
    screen: Screen,
    commands: Sender<Command>,
    watch: Watch,
) -> Result<Farewell, Failure> {
    let ended = screen.run(&commands);
    drop(commands);
    let farewell = watch.join()?;
    // A terminal that is gone cannot be told anything.
    match ended {
        Ok(Ended::Quit | Ended::Alone) => Ok(farewell),
        Err(error) => Err(Failure::writing("the terminal", &error)),
    }
}
