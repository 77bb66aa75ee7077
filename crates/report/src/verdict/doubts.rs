//! What speaks against the verdict, in words.

use super::counted;
use super::none::were;
use crate::escape::Escaped;
use crate::figures::{Command, Grouped, Percent, range};
use crate::time::Digits;
use wirewait_analysis::{ClockSet, ClocksApart, ENOUGH, UnsurePauses};
use wirewait_judge::{
    Culprit, Doubt, Finding, Missing, OpenRequest, OtherServices, RefusedRequests, RegularPauses,
    Verdict,
};

/// What speaks against it, a sentence each.
pub fn doubts(verdict: &Verdict) -> impl Iterator<Item = String> + '_ {
    doubts_in(verdict, Digits::Three)
}

/// [`doubts`], with durations of as many digits.
pub(crate) fn doubts_in(verdict: &Verdict, digits: Digits) -> impl Iterator<Item = String> + '_ {
    let seconds = move |ns: u64| digits.span(ns);
    let doubts = verdict.doubts.iter();
    doubts.map(move |doubt| match doubt {
        Doubt::NoFrames => "Doubt: the capture is empty, or the chosen part of it is. Capture again while \
                            clients work, or choose another part."
            .to_owned(),
        // How few there were is what there is no verdict for.
        Doubt::FewRequests(_) if verdict.finding == Finding::None => {
            format!("Doubt: a verdict takes {ENOUGH} answered requests. Capture for longer.")
        }
        Doubt::FewRequests(n) => format!(
            "Doubt: {} answered; a verdict takes {ENOUGH}. Capture for longer.",
            were(*n)
        ),
        Doubt::Missing(what) => missing(what),
        Doubt::TwoClocks(steps) => format!(
            "Doubt: the stamps stepped {}, too often for one clock: the two directions, or two interfaces, seem to be \
             stamped by two. {BY_ONE_CLOCK}",
            counted(*steps, "time")
        ),
        Doubt::NoTime => "Doubt: no time passed between requests and responses, by their stamps. Capture \
                          again, with stamps."
            .to_owned(),
        Doubt::PoorCapture => {
            "Doubt: much is missing from the capture (its quality is poor).".to_owned()
        }
        Doubt::ClocksApart(ns) => clocks_apart(*ns, digits),
        Doubt::ClockSet(set) => clock_set(set, digits),
        Doubt::CoarseClock { ns, .. } => format!(
            "Doubt: the clock of the capture ticks every {}, so each time may be off by as much; the \
             shares allow for that.",
            seconds(*ns)
        ),
        Doubt::Unknown(part) => format!(
            "Doubt: {} of active and unknown time ({}) is unknown and counts nowhere: {}",
            Percent(*part, 1000),
            seconds(verdict.unknown_ns),
            match &verdict.unfinished {
                Some(request) => unfinished(request, digits),
                None => "responses may be missing from the capture. Capture both directions and whole frames, \
                         without loss, until the last response."
                    .to_owned(),
            }
        ),
        Doubt::Unanswered(part) => format!(
            "Doubt: {} of active time was spent on requests that were never answered; that is \
             neither client, network nor server. Where no acknowledgement of them follows, capture at the server to see \
             whether they arrive.",
            Percent(*part, 1000)
        ),
        Doubt::Close(other, share) => format!(
            "Doubt: the {} had up to {}, {}.",
            match other {
                Culprit::Client => "clients",
                Culprit::Network => "network",
                Culprit::Server => "servers",
            },
            Percent(*share, 1000),
            match verdict.finding {
                Finding::Either(..) => "and each of the two may have had less",
                _ => "nearly as much",
            }
        ),
        Doubt::GuessedRoles(n) => format!(
            "Doubt: which station asks is guessed by turn ({}): client and server may be the other way \
             round. A table with the kinds of messages tells (--last-profile).",
            counted(*n, "request")
        ),
        Doubt::GuessedOrder(n) => format!(
            "Doubt: {} came while several requests were outstanding; to which request each belongs is guessed \
             by their order, so that times of single requests may be those of others.",
            counted(*n, "encrypted response")
        ),
        Doubt::OneSample(end) => format!(
            "Doubt: the distance to the {} comes from a single round trip.",
            end.name()
        ),
        Doubt::Floor {
            operations,
            ns,
            near_ns,
        } => floor(*operations, *ns, *near_ns, digits),
        Doubt::RegularPauses(pauses) => regular(pauses, digits),
        Doubt::Refused(requests) => refused(requests),
        Doubt::OtherServices(others) => elsewhere(others, digits),
        Doubt::Timers(end, pauses) => timers(*end, pauses, digits),
    })
}

/// What stations waited for that is no file server's.
fn elsewhere(others: &OtherServices, digits: Digits) -> String {
    format!(
        "Doubt: {} of the {}s' time ({}) was spent waiting for other services: {} for {}.",
        Percent(others.thousandths, 1000),
        others.of.name(),
        digits.span(others.ns),
        digits.span(others.most_ns),
        Escaped(&others.most.to_string()),
    )
}

/// Who is refused, and tries again.
fn refused(requests: &RefusedRequests) -> String {
    let RefusedRequests {
        operation,
        refused,
        of,
    } = requests;
    let command = Command {
        name: operation.command,
        code: operation.code,
    };
    format!(
        "Doubt: {} of {} {} {command} requests were refused: in the pauses between them a program may wait until another \
         one gives way.",
        Grouped(*refused),
        Grouped(*of),
        operation.protocol.to_uppercase(),
    )
}

/// What is missing where no request has a response.
fn missing(what: &Missing) -> String {
    match what {
        Missing::FileTraffic => {
            "Doubt: no frame is a request or a response of a file server. Capture at a client or at the server, without a \
             filter on ports."
                .to_owned()
        }
        Missing::Datagrams(n) => format!(
            "Doubt: no frame is a request or a response of a file server. {} UDP: SMB over QUIC (port 443) is not read, and \
             nothing of it could be without its keys. Capture SMB over TCP (port 445), at a client or at the server.",
            frames_are(*n)
        ),
        Missing::Links(n) => format!(
            "Doubt: {} of a kind of link that wirewait does not read; `wirewait decode -F 1` names it. Capture on an \
             Ethernet link, at a client or at the server.",
            frames_are(*n)
        ),
        Missing::Requests | Missing::Responses => {
            "Doubt: one direction is missing. Capture both: a mirror port has to copy what a station sends and what it \
             receives."
                .to_owned()
        }
        Missing::Rest(n) => format!(
            "Doubt: {} cut short, before what a request or a response says. Capture whole frames (tcpdump -s 0).",
            frames_are(*n)
        ),
        Missing::Together(requests, responses) => format!(
            "Doubt: {} and {} without the other: the two directions seem to be stamped by two clocks. {BY_ONE_CLOCK}",
            counted(*requests, "request"),
            counted(*responses, "response"),
        ),
        Missing::Answers(n) => format!(
            "Doubt: none of {} was answered, though both directions were captured. Capture at the server: \
             that shows whether they arrive.",
            counted(*n, "request")
        ),
    }
}

/// `1 frame is`, `2 frames are`.
fn frames_are(n: u64) -> String {
    match n {
        1 => "1 frame is".to_owned(),
        n => format!("{} frames are", Grouped(n)),
    }
}

/// That packets are in the capture twice, so far apart.
fn clocks_apart(ns: i64, digits: Digits) -> String {
    let apart = ns.unsigned_abs();
    let shown = digits.span(apart);
    match apart <= ClocksApart::COPIES_NS {
        true => format!(
            "Doubt: the same packets are in the capture twice, {shown} apart, as where a mirror port copies each frame twice. \
             Analyse it with --copies {}us, which takes the second ones for copies.",
            apart.saturating_mul(2).div_ceil(1_000)
        ),
        false => format!(
            "Doubt: the same packets are in the capture twice, {shown} apart. Join the two captures by \
             `wirewait between`; or set the later clock right and merge them again: editcap -t -{} LATER FIXED.",
            apart as f64 / 1e9
        ),
    }
}

/// That no operation is short, and, where it is so, that the transport of the server is.
fn floor(operations: u64, ns: u64, near_ns: Option<u64>, digits: Digits) -> String {
    let (each, least) = (counted(operations, "operation"), digits.span(ns));
    match near_ns.map(|ns| digits.span(ns)) {
        Some(near) => format!(
            "Doubt: each of {each} there took {least} at least, cheap ones as well as dear ones, though its transport \
             responds in {near}: another station may respond in its place (a WAN optimiser or a proxy), with the network \
             behind it."
        ),
        None => format!(
            "Doubt: each of {each} there took {least} at least, cheap ones as well as dear ones: that is the mark of \
             distance, and speaks for the network."
        ),
    }
}

/// That pauses of these stations may be the recovery of what was lost before the capture.
fn timers(end: Culprit, pauses: &UnsurePauses, digits: Digits) -> String {
    let (pause, lost) = match end {
        Culprit::Server => (
            "turnaround",
            "loss recovery: a request or a response was lost and retransmitted",
        ),
        Culprit::Client | Culprit::Network => (
            "pause",
            "requests that were lost before the capture and retransmitted 200 ms or more later",
        ),
    };
    let together = if pauses.count == 1 { "" } else { " together" };
    format!(
        "Doubt: {} ({}{together}) may be {lost}. To tell, capture at the {}, or give both captures to \
         `wirewait between`.",
        counted(pauses.count, pause),
        digits.span(pauses.ns),
        end.name()
    )
}

/// The steps of a think limit that is advised, ns.
const LIMIT_NS: u64 = 100_000_000;

/// That idle time looks like a timer, and how to count it.
fn regular(pauses: &RegularPauses, digits: Digits) -> String {
    let limit = pauses.most_ns / LIMIT_NS + 1;
    let shortest = digits.span(pauses.shortest_ns);
    let most = digits.span(pauses.most_ns);
    format!(
        "Doubt: {} paused {}, mostly for {} ({} together). That is idle time and in no share, as each is longer than the think \
         limit; but pauses so alike are a timer's, and its program may keep somebody waiting. With --think {}ms they are the \
         client's.",
        pauses.client,
        counted(pauses.count, "time"),
        match shortest == most {
            true => shortest,
            false => range(&shortest, &most),
        },
        digits.span(pauses.ns),
        limit.saturating_mul(LIMIT_NS / 1_000_000)
    )
}

/// What to do about two clocks.
const BY_ONE_CLOCK: &str = "Capture both by one clock, or shift the frames of one by the difference (editcap -t) and join \
                            them (mergecap).";

/// That the clock was set, where, and what to do.
fn clock_set(set: &ClockSet, digits: Digits) -> String {
    let by = digits.span(set.ns.unsigned_abs());
    let back = if set.ns < 0 { "back" } else { "forward" };
    let was = if set.proved {
        "was"
    } else {
        "seems to have been"
    };
    let more = match set.times {
        ..=1 => String::new(),
        n => format!(" (and {} more)", counted(n - 1, "time")),
    };
    let counts = match set.unsure_ns {
        0 => "What passed meanwhile is not known and counts nowhere.".to_owned(),
        ns => format!(
            "A timer should have run out meanwhile, and did not. The shares allow for both: that it was set, and that \
             clients waited {} for server or network.",
            digits.span(ns)
        ),
    };
    format!(
        "Doubt: the clock of the capture {was} set {back} by about {by} before frame {}{more}. {counts} \
         Capture while the clock is not set, or judge each part alone.",
        set.frame
    )
}

/// A time-out is advised for requests that are open for longer, ns.
const LONG_NS: u64 = 1_000_000_000;

/// A request that is so long without a response when the capture ends is what to look at. Whether its server has it is
/// as much as a capture can tell: what it was doing shows only when it answers.
fn unfinished(open: &OpenRequest, digits: Digits) -> String {
    let path = open.path.as_deref();
    let file = path.map_or_else(String::new, |path| format!(" for file {}", Escaped(path)));
    let command = Command {
        name: open.command,
        code: open.code,
    };
    let arrived = match open.arrived {
        true => "the server's transport had acknowledged it",
        false => "whether the server received it, the capture does not show",
    };
    let next = match open.arrived && open.open_ns >= LONG_NS {
        true => {
            "Capture until it is answered; a --timeout below that counts such time as the server's."
        }
        false => "Capture until the last response.",
    };
    format!(
        "{} {command}{file} of {} at {} (frame {}) was open for {} when the capture ended, without a response; \
         {arrived}. {next}",
        open.protocol.to_uppercase(),
        open.client,
        open.server,
        open.frame,
        digits.span(open.open_ns),
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::verdict;
    use super::*;
    use crate::samples::{made, v4};
    use wirewait_analysis::UnsurePauses;
    use wirewait_judge::Finding;

    #[test]
    fn doubts_are_sentences() {
        let pauses = made!(UnsurePauses {
            count: 30,
            ns: 6_210_000_000,
        });
        let doubts: Vec<String> = doubts(&verdict(
            Finding::Named(Culprit::Network),
            vec![
                Doubt::Close(Culprit::Client, 380),
                Doubt::OneSample(Culprit::Server),
                Doubt::Timers(Culprit::Client, pauses),
                Doubt::Floor {
                    operations: 4,
                    ns: 8_000_000,
                    near_ns: None,
                },
            ],
        ))
        .collect();
        assert_eq!(
            doubts[0],
            "Doubt: the clients had up to 38.0 %, nearly as much."
        );
        assert_eq!(
            doubts[1],
            "Doubt: the distance to the server comes from a single round trip."
        );
        assert_eq!(
            doubts[3],
            "Doubt: each of 4 operations there took 8.00 ms at least, cheap ones as well as dear ones: that is the mark of \
             distance, and speaks for the network."
        );
        assert_eq!(
            doubts[2],
            "Doubt: 30 pauses (6.21 s together) may be requests that were lost before the capture \
             and retransmitted 200 ms or more later. To tell, capture at the client, or give both captures \
             to `wirewait between`."
        );
    }

    /// Whether its server has it, and what to do about that.
    #[test]
    fn a_request_that_most_of_the_unknown_time_is_of_is_named() {
        let said = |arrived: bool, open_ns: u64| {
            let mut of = verdict(Finding::None, vec![Doubt::Unknown(490)]);
            (of.unknown_ns, of.answered) = (7_000_000_000, 500);
            of.unfinished = Some(OpenRequest {
                protocol: "smb2",
                command: "READ",
                code: 8,
                client: v4(11, Some(1025)),
                server: v4(1, Some(445)),
                path: Some("f3.bin".into()),
                frame: 2155,
                open_ns,
                arrived,
            });
            let doubt = doubts(&of).next().unwrap();
            (super::super::sentence(&of), doubt)
        };
        let (why, doubt) = said(true, 7_100_000_000);
        assert_eq!(
            why,
            "No verdict: a request had no response when the capture ended, and too much of the time is unknown."
        );
        assert_eq!(
            doubt,
            "Doubt: 49.0 % of active and unknown time (7.00 s) is unknown and counts nowhere: SMB2 READ for file f3.bin of \
             10.0.0.11:1025 at 10.0.0.1:445 (frame 2155) was open for 7.10 s when the capture ended, without a response; \
             the server's transport had acknowledged it. Capture until it is answered; a --timeout below that counts such \
             time as the server's."
        );
        let (_, lost) = said(false, 7_100_000_000);
        let end = "whether the server received it, the capture does not show. Capture until the last response.";
        assert!(lost.ends_with(end), "{lost}");
        let (_, short) = said(true, 42_000_000);
        let end = "had acknowledged it. Capture until the last response.";
        assert!(short.ends_with(end), "{short}");
    }

    #[test]
    fn a_third_may_have_had_more_than_each_of_two() {
        let finding = Finding::Either(Culprit::Client, Culprit::Network);
        let verdict = verdict(finding, vec![Doubt::Close(Culprit::Server, 444)]);
        let said: Vec<String> = doubts(&verdict).collect();
        let expected =
            "Doubt: the servers had up to 44.4 %, and each of the two may have had less.";
        assert_eq!(said, [expected]);
    }
}
