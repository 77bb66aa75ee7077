//! The verdict in words.

use crate::figures::{Command, Grouped, Percent};
use crate::time::Human;
use wirewait_analysis::{Culprit, Doubt, ENOUGH, Verdict};

/// One sentence: who had most of the time, and the evidence.
pub(crate) fn sentence(verdict: &Verdict) -> String {
    let clients = counted(verdict.clients, "client");
    let Some(culprit) = verdict.culprit else {
        return match verdict.answered {
            0 => "No verdict: no request to a file server was answered.".to_owned(),
            n => format!("No verdict: only {} answered, too few to judge.", were(n)),
        };
    };
    let share = Percent(verdict.share, 1000);
    let active = Human(i64::try_from(verdict.active_ns).unwrap_or(i64::MAX));
    let whose = match culprit {
        Culprit::Client => "passed in the clients, between their requests",
        Culprit::Network => "passed on the way, transfers and lost frames",
        Culprit::Server => "was waiting for servers",
    };
    let mut text = format!(
        "{}: {share} of the {active} that {clients} spent at work {whose}",
        match culprit {
            Culprit::Client => "Client",
            Culprit::Network => "Network",
            Culprit::Server => "Server",
        }
    );
    if let Some((at, part)) = verdict.at {
        let of_it = Percent(part, 1000);
        text.push_str(&match culprit {
            Culprit::Client => format!("; {of_it} of that in {at}"),
            Culprit::Network => format!("; {of_it} of that to and from {at}"),
            Culprit::Server => format!("; {of_it} of that for {at}"),
        });
    }
    if let Some((protocol, name, code)) = verdict.operation {
        text.push_str(&format!(", mostly {protocol} {}", Command { name, code }));
    }
    text.push('.');
    text
}

/// What speaks against it, a sentence each.
pub(crate) fn doubts(verdict: &Verdict) -> impl Iterator<Item = String> + '_ {
    verdict.doubts.iter().map(|doubt| match doubt {
        Doubt::FewRequests(n) => {
            format!("Doubt: {} answered; a verdict takes {ENOUGH}.", were(*n))
        }
        Doubt::PoorCapture => {
            "Doubt: much is missing from the capture, see its quality below.".to_owned()
        }
        Doubt::Close(other, share) => format!(
            "Doubt: the {} had {}, nearly as much.",
            match other {
                Culprit::Client => "clients",
                Culprit::Network => "network",
                Culprit::Server => "servers",
            },
            Percent(*share, 1000)
        ),
        Doubt::CapturePoint(culprit) => format!(
            "Doubt: where the capture was made is not known; the way between there and the {0}s \
             counts as the {0}s'.",
            culprit.name()
        ),
    })
}

fn were(n: u64) -> String {
    match n {
        1 => "1 request was".to_owned(),
        n => format!("{} requests were", Grouped(n)),
    }
}

fn counted(n: u64, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        n => format!("{} {what}s", Grouped(n)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::v4;

    fn verdict(culprit: Option<Culprit>, doubts: Vec<Doubt>) -> Verdict {
        Verdict {
            culprit,
            share: 712,
            active_ns: 18_000_000_000,
            clients: 12,
            answered: if culprit.is_some() { 1024 } else { 3 },
            at: culprit.map(|_| (v4(1, None), 600)),
            operation: Some(("smb1", "READ_ANDX", 0x2e)),
            doubts,
        }
    }

    #[test]
    fn a_server_is_named_with_its_evidence() {
        assert_eq!(
            sentence(&verdict(Some(Culprit::Server), Vec::new())),
            "Server: 71.2 % of the 18.000000 s that 12 clients spent at work was waiting for \
             servers; 60.0 % of that for 10.0.0.1, mostly smb1 READ_ANDX."
        );
    }

    #[test]
    fn too_little_is_no_verdict() {
        let few = verdict(None, vec![Doubt::FewRequests(3)]);
        assert_eq!(
            sentence(&few),
            "No verdict: only 3 requests were answered, too few to judge."
        );
        let none = Verdict { answered: 0, ..few };
        assert_eq!(
            sentence(&none),
            "No verdict: no request to a file server was answered."
        );
    }

    #[test]
    fn doubts_are_sentences() {
        let close = verdict(
            Some(Culprit::Network),
            vec![
                Doubt::Close(Culprit::Client, 380),
                Doubt::CapturePoint(Culprit::Server),
            ],
        );
        let lines: Vec<String> = doubts(&close).collect();
        assert_eq!(lines[0], "Doubt: the clients had 38.0 %, nearly as much.");
        assert!(lines[1].ends_with("counts as the servers'."));
    }
}
