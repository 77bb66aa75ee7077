//! What is captured from: opened with the rights that takes, and then without them.

use crate::args::LiveArgs;
use crate::failure::Failure;
#[cfg(feature = "libpcap")]
use crate::input;
use crate::input::warn;
use crate::rights::{self, Rights};
use std::io::{self, IsTerminal};
use wirewait::Frame;
use wirewait_capture::Options;
use wirewait_capture::live::{self, Live, LiveError, LiveErrorKind};
use wirewait_report::Escaped;

/// Opened, and not captured from yet.
pub(super) enum Ready {
    /// A capture from another program.
    Pipe(Live),
    /// Interfaces, and how they are called.
    #[cfg(feature = "libpcap")]
    Interfaces(live::Opened, String),
}

/// Opens what the user asked for, and starts what serves metrics. From here on the program has no
/// right that it does not need.
pub(super) fn open(
    args: &LiveArgs,
    rights: &mut Rights,
    serve: Option<impl FnOnce() + Send + 'static>,
) -> Result<Ready, Failure> {
    if args.source.is_some() {
        if let Some(serve) = serve {
            rights.start_listener(serve)?;
        }
        // The thread that reads inherits what this one has.
        rights.give_up_all()?;
        return pipe(args);
    }
    #[cfg(feature = "libpcap")]
    return {
        let ready = interfaces(args, rights)?;
        if let Some(serve) = serve {
            rights.start_listener(serve)?;
        }
        Ok(ready)
    };
    #[cfg(not(feature = "libpcap"))]
    Err(Failure::Usage(
        "this program was built without libpcap and captures from no interface; \
         `dumpcap -w - | wirewait live -` lets another one do it"
            .to_owned(),
    ))
}

/// The capture filter that the user asked for.
pub(super) fn filter(args: &LiveArgs) -> Option<String> {
    #[cfg(feature = "libpcap")]
    return args.filter.clone();
    #[cfg(not(feature = "libpcap"))]
    {
        let _ = args;
        None
    }
}

/// Says what may have kept frames from matching.
pub(super) fn nothing_matched(filter: &str) {
    let filter = Escaped(filter);
    warn(&format!(
        "no frame matched the filter '{filter}', which looks behind one VLAN tag only: \
         'vlan and vlan and ({filter})' matches behind two"
    ));
}

impl Ready {
    /// What is captured from, in words.
    pub(super) fn what(&self) -> String {
        match self {
            Self::Pipe(_) => "reading a capture from the standard input".to_owned(),
            #[cfg(feature = "libpcap")]
            Self::Interfaces(_, names) => format!("capturing on {}", Escaped(names)),
        }
    }

    pub(super) fn start(self, rights: &mut Rights) -> Result<Live, Failure> {
        // Those of a pipe are given up already.
        #[cfg(not(feature = "libpcap"))]
        let _ = rights;
        match self {
            Self::Pipe(live) => Ok(live),
            #[cfg(feature = "libpcap")]
            Self::Interfaces(opened, _) => {
                let live = opened.start().map_err(cannot)?;
                // The threads that capture have what they need.
                rights.give_up_all()?;
                Ok(live)
            }
        }
    }
}

fn pipe(args: &LiveArgs) -> Result<Ready, Failure> {
    if io::stdin().is_terminal() {
        return Err(Failure::Usage(
            "-: the standard input is a terminal; pipe a capture into it".to_owned(),
        ));
    }
    #[cfg(feature = "libpcap")]
    let mut filter = args
        .filter
        .as_deref()
        .map(input::compile_filter)
        .transpose()?;
    #[cfg(feature = "libpcap")]
    let wanted =
        move |frame: &Frame<'_>| filter.as_mut().is_none_or(|filter| filter.matches(frame));
    #[cfg(not(feature = "libpcap"))]
    let wanted = |_: &Frame<'_>| true;
    let mut options = Options::default();
    options.zone_offset = args.zone.map(|zone| zone.seconds_east);
    let live = live::from_stdin(&options, wanted).map_err(cannot)?;
    Ok(Ready::Pipe(live))
}

#[cfg(feature = "libpcap")]
fn interfaces(args: &LiveArgs, rights: &mut Rights) -> Result<Ready, Failure> {
    use crate::args::Way;
    use wirewait_capture::live::{Direction, LiveOptions};

    if let Some(filter) = &args.filter {
        input::check_syntax(filter)?;
    }
    let mut options = LiveOptions::default();
    options.filter = args.filter.clone().unwrap_or_default();
    options.snaplen = args.snaplen;
    options.buffer = args.buffer.bytes;
    options.promiscuous = !args.no_promiscuous;
    options.immediate = args.immediate;
    options.direction = match args.direction {
        Way::Both => Direction::Both,
        Way::In => Direction::In,
        Way::Out => Direction::Out,
    };
    let (names, said) = if args.interface.is_empty() {
        let name = super::list::preferred()?;
        let said = format!("{name} (it has received most; -D lists all)");
        (vec![name], said)
    } else {
        (args.interface.clone(), args.interface.join(", "))
    };
    let opened = live::open(&names, &options).map_err(|error| cannot_on(error, &args.interface))?;
    rights.keep_only_reopening()?;
    Ok(Ready::Interfaces(opened, said))
}

/// Why it cannot be, and what to do.
pub(super) fn cannot(error: LiveError) -> Failure {
    cannot_on(error, &[])
}

/// As [`cannot`], of interfaces that the user named.
fn cannot_on(error: LiveError, named: &[String]) -> Failure {
    let text: String = error
        .message
        .lines()
        .map(|line| Escaped(line).to_string())
        .collect::<Vec<_>>()
        .join("\n");
    match error.kind {
        LiveErrorKind::Filter => Failure::Usage(text),
        LiveErrorKind::NoRights => Failure::Cannot(format!("{text}\n{}", rights::advice(named))),
        _ => Failure::Cannot(text),
    }
}
