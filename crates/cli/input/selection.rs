//! Which frames of a capture are wanted.

use super::ports::Ports;
#[cfg(feature = "libpcap")]
use super::warnings::warn;
use crate::args::InputArgs;
use crate::failure::Failure;
#[cfg(feature = "libpcap")]
use crate::hints;
use crate::signals::Signals;
use crate::when::Moment;
#[cfg(feature = "libpcap")]
use std::sync::OnceLock;
use wirewait::{Choice, Frame, Timestamp};
#[cfg(feature = "libpcap")]
use wirewait_capture::filter::{Filter, FilterError};
#[cfg(feature = "libpcap")]
use wirewait_report::Escaped;

/// Number of consecutive frames after `--until` that end the reading. One frame with a wrong time
/// does not.
const SURELY_PAST: u32 = 1000;

/// Which frames are wanted.
#[derive(Debug)]
pub(crate) struct Selection {
    since: Option<Moment>,
    until: Option<Moment>,
    pub(crate) passed: Passed,
    pub(super) signals: Option<Signals>,
    /// A signal ended it.
    pub(super) interrupted: bool,
    /// TCP ports of frames that were wanted.
    pub(super) ports: Ports,
    #[cfg(feature = "libpcap")]
    filter: Option<Filter>,
}

/// What went by.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Passed {
    /// Time of the first frame.
    start: Option<Timestamp>,
    /// The latest time of a frame.
    pub(crate) latest: Option<Timestamp>,
    /// Frames in a row behind the end.
    past: u32,
}

impl Passed {
    /// Whether everything that was wanted has gone by.
    pub(crate) fn is_over(&self) -> bool {
        self.past >= SURELY_PAST
    }
}

impl Selection {
    pub(crate) fn new(args: &InputArgs) -> Result<Self, Failure> {
        Ok(Self {
            since: args.select.since,
            until: args.select.until,
            passed: Passed::default(),
            signals: None,
            interrupted: false,
            ports: Ports::default(),
            #[cfg(feature = "libpcap")]
            filter: args
                .select
                .filter
                .as_deref()
                .map(compile_filter)
                .transpose()?,
        })
    }

    /// Whether this frame, the next one of the capture, is wanted.
    // Part of the loop over frames.
    #[inline]
    pub(crate) fn choose(&mut self, frame: &Frame<'_>) -> Choice {
        if self.signals.as_ref().is_some_and(Signals::stop) {
            self.interrupted = true;
            return Choice::Stop;
        }
        let passed = &mut self.passed;
        passed.latest = Some(
            passed
                .latest
                .map_or(frame.at, |latest| latest.max(frame.at)),
        );
        let start = *passed.start.get_or_insert(frame.at);
        if self.since.is_some() || self.until.is_some() {
            let choice = self.choose_by_time(frame.at, start);
            if choice != Choice::Take {
                return choice;
            }
        }
        #[cfg(feature = "libpcap")]
        if self
            .filter
            .as_mut()
            .is_some_and(|filter| !filter.matches(frame))
        {
            return Choice::Skip;
        }
        self.ports.frame(frame);
        Choice::Take
    }

    /// Whether a frame of this time is wanted, in a capture that begins at `start`.
    #[inline(never)]
    fn choose_by_time(&mut self, at: Timestamp, start: Timestamp) -> Choice {
        let passed = &mut self.passed;
        if self
            .until
            .is_some_and(|until| at >= until.in_capture(start))
        {
            passed.past = passed.past.saturating_add(1);
            return if passed.is_over() {
                Choice::Stop
            } else {
                Choice::Skip
            };
        }
        passed.past = 0;
        if self.since.is_some_and(|since| at < since.in_capture(start)) {
            return Choice::Skip;
        }
        Choice::Take
    }

    /// Tells about links on which the filter could not work.
    pub(super) fn warn(&self) {
        #[cfg(feature = "libpcap")]
        for (link, why) in self.filter.iter().flat_map(Filter::useless_on) {
            warn(&format!(
                "--filter cannot match on link type {}, its frames were left out: {why}",
                link.0
            ));
        }
        #[cfg(feature = "libpcap")]
        if let Some(hint) = self.filter.as_ref().and_then(Filter::hint) {
            warn(&format!("--filter: {hint}"));
        }
        #[cfg(feature = "libpcap")]
        if let Some(ours) = self
            .filter
            .as_ref()
            .map(Filter::expression)
            .and_then(hints::lacks_responses)
        {
            warn(&format!(
                "--filter: 'netbeui' leaves out the acknowledgements of LLC, which are responses; with them: '{ours}'"
            ));
        }
    }
}

/// A capture filter. Its names of hosts are looked up the first time, on all common links: later
/// there is no network.
#[cfg(feature = "libpcap")]
pub(crate) fn compile_filter(expression: &str) -> Result<Filter, Failure> {
    static COMPILED: OnceLock<(String, Filter)> = OnceLock::new();
    if let Some((_, filter)) = COMPILED.get().filter(|(known, _)| known == expression) {
        return Ok(filter.clone());
    }
    let mut filter = Filter::compile(expression).map_err(|error| refused(expression, &error))?;
    filter.prepare();
    let _ = COMPILED.set((expression.to_owned(), filter.clone()));
    Ok(filter)
}

/// Refuses Wireshark's syntax, before anything that is named beside the filter is opened.
#[cfg(feature = "libpcap")]
pub(crate) fn check_syntax(expression: &str) -> Result<(), Failure> {
    if !hints::is_display_syntax(expression) {
        return Ok(());
    }
    match Filter::compile(expression) {
        Ok(_) => Ok(()),
        Err(error) => Err(refused(expression, &error)),
    }
}

/// Says what to write instead of Wireshark's syntax; of other mistakes, what libpcap says.
#[cfg(feature = "libpcap")]
fn refused(expression: &str, error: &FilterError) -> Failure {
    if let Some((word, ours)) = hints::unknown_port(expression) {
        return Failure::Usage(format!(
            "the filter '{}' cannot be used: '{}' is no name of a port; here: port {ours} (pcap-filter syntax)",
            Escaped(expression),
            Escaped(&word)
        ));
    }
    if !hints::is_display_syntax(expression) {
        return Failure::Usage(error.to_string());
    }
    let ours = hints::in_capture_syntax(expression).filter(|ours| Filter::compile(ours).is_ok());
    if let Some((word, ours)) = hints::own_name(expression).zip(ours.as_ref()) {
        return Failure::Usage(format!(
            "the filter '{}' cannot be used: capture filters do not know '{word}'; here: {ours} (pcap-filter syntax)",
            Escaped(expression)
        ));
    }
    let instead = ours.unwrap_or_else(|| "tcp port 445".to_owned());
    Failure::Usage(format!(
        "the filter '{}' is Wireshark's display syntax; here: {} (pcap-filter syntax); for fields: \
         wirewait decode FILE --show 'smb2.MessageId == 5'",
        Escaped(expression),
        Escaped(&instead)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait::LinkType;

    fn selection(since: Option<&str>, until: Option<&str>) -> Selection {
        Selection {
            since: since.map(|text| text.parse().unwrap()),
            until: until.map(|text| text.parse().unwrap()),
            passed: Passed::default(),
            #[cfg(feature = "libpcap")]
            filter: None,
            signals: None,
            interrupted: false,
            ports: Ports::default(),
        }
    }

    fn choose(selection: &mut Selection, seconds: i64) -> Choice {
        selection.choose(&Frame {
            at: Timestamp::from_parts(seconds, 0),
            link: LinkType::ETHERNET,
            interface: 0,
            wire_len: 60,
            bytes: &[0; 60],
        })
    }

    #[test]
    fn a_window_holds_its_beginning_but_not_its_end() {
        let mut window = selection(Some("2"), Some("4"));
        let chosen: Vec<Choice> = (100..106).map(|s| choose(&mut window, s)).collect();
        use Choice::{Skip, Take};
        assert_eq!(chosen, [Skip, Skip, Take, Take, Skip, Skip]);
    }

    #[test]
    fn reading_ends_when_the_window_is_surely_past() {
        let mut window = selection(None, Some("10"));
        assert_eq!(choose(&mut window, 0), Choice::Take);
        for _ in 0..SURELY_PAST - 1 {
            assert_eq!(choose(&mut window, 50), Choice::Skip);
        }
        assert_eq!(choose(&mut window, 5), Choice::Take, "the clock was wrong");
        for _ in 0..SURELY_PAST - 1 {
            assert_eq!(choose(&mut window, 50), Choice::Skip);
        }
        assert_eq!(choose(&mut window, 50), Choice::Stop);
    }

    #[cfg(feature = "libpcap")]
    #[test]
    fn a_filter_leaves_frames_out() {
        let mut narrow = selection(None, None);
        narrow.filter = Some(Filter::compile("ether proto 0x0800").unwrap());
        assert_eq!(choose(&mut narrow, 0), Choice::Skip);
        narrow.filter = Some(Filter::compile("less 60").unwrap());
        assert_eq!(choose(&mut narrow, 0), Choice::Take);
    }
}
