//! Why there is no verdict.

use crate::figures::Grouped;
use crate::time::Digits;
use wirewait_analysis::{ClocksApart, ENOUGH};
use wirewait_judge::{Doubt, Missing, Verdict};

/// Why there is no verdict.
pub(super) fn none(verdict: &Verdict, digits: Digits) -> String {
    let has = |wanted: fn(&Doubt) -> bool| verdict.doubts.iter().any(wanted);
    if has(|doubt| matches!(doubt, Doubt::NoFrames)) {
        return "No verdict: the capture has no frames.".to_owned();
    }
    if has(|doubt| matches!(doubt, Doubt::TwoClocks(_))) {
        return "No verdict: the frames were stamped by clocks that differ.".to_owned();
    }
    if has(
        |doubt| matches!(doubt, Doubt::ClocksApart(ns) if ns.unsigned_abs() <= ClocksApart::COPIES_NS),
    ) {
        return "No verdict: frames are in the capture twice.".to_owned();
    }
    if has(|doubt| matches!(doubt, Doubt::ClocksApart(_))) {
        return "No verdict: the capture was put together of two whose clocks differ.".to_owned();
    }
    let missing = verdict.doubts.iter().find_map(|doubt| match doubt {
        Doubt::Missing(missing) => Some(*missing),
        _ => None,
    });
    let lacks = match missing {
        Some(Missing::FileTraffic | Missing::Datagrams(_)) => {
            Some("has no requests to file servers")
        }
        Some(Missing::Links(_)) => Some("has no requests to file servers that can be read"),
        Some(Missing::Requests) => Some("has responses of file servers and no requests"),
        Some(Missing::Responses) => Some("has requests to file servers and no responses"),
        Some(Missing::Rest(_)) => Some("has only the beginnings of its frames"),
        Some(Missing::Together(..)) if verdict.answered > 0 => {
            return "No verdict: requests and responses are in the capture, and many responses come when no request \
                    waits for them."
                .to_owned();
        }
        Some(Missing::Together(..)) => {
            return "No verdict: requests and responses are in the capture, and no response comes when its request \
                    waits for it."
                .to_owned();
        }
        Some(Missing::Answers(_)) | None => None,
    };
    if let Some(lacks) = lacks {
        return format!("No verdict: the capture {lacks}.");
    }
    match verdict.answered {
        0 => return "No verdict: no request to a file server was answered.".to_owned(),
        n if n < ENOUGH => {
            return format!("No verdict: only {} answered, too few to judge.", were(n));
        }
        _ => {}
    }
    if let Some(Doubt::CoarseClock { ns, turned: true }) = verdict
        .doubts
        .iter()
        .find(|doubt| matches!(doubt, Doubt::CoarseClock { .. }))
        && verdict.active_ns > 0
    {
        return format!(
            "No verdict: the clock of the capture ticks every {}, and that alone could turn it. \
             Capture with a clock that is finer than the times of the requests.",
            digits.span(*ns)
        );
    }
    match verdict.active_ns {
        0 => "No verdict: the capture has no active time.".to_owned(),
        _ if has(|doubt| matches!(doubt, Doubt::Unknown(part) if *part > 333)) => {
            let why = match verdict.unfinished {
                Some(_) => "a request had no response when the capture ended, and ",
                None => "",
            };
            format!("No verdict: {why}too much of the time is unknown.")
        }
        _ => "No verdict: most of active time was spent on requests without a response.".to_owned(),
    }
}

pub(super) fn were(n: u64) -> String {
    match n {
        1 => "1 request was".to_owned(),
        n => format!("{} requests were", Grouped(n)),
    }
}
