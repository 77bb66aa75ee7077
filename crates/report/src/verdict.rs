//! The verdict in words.

use crate::figures::{Command, Grouped, Percent};
use crate::time::Human;
use wirewait_analysis::{ENOUGH, RoundTrip};
use wirewait_judge::{Culprit, Doubt, Verdict};

/// One sentence: who had most of the time, and the evidence.
#[must_use]
pub fn sentence(verdict: &Verdict) -> String {
    let clients = counted(verdict.clients, "client");
    let Some(culprit) = verdict.culprit else {
        return match verdict.answered {
            0 if verdict.doubts.contains(&Doubt::NoFrames) => {
                "No verdict: there is not one frame.".to_owned()
            }
            0 => "No verdict: no request to a file server was answered.".to_owned(),
            n => format!("No verdict: only {} answered, too few to judge.", were(n)),
        };
    };
    let share = Percent(verdict.share, 1000);
    let active = Human(i64::try_from(verdict.active_ns).unwrap_or(i64::MAX));
    let whose = match culprit {
        Culprit::Client => "passed in the clients, between their requests",
        Culprit::Network => "passed on the way: transfers, lost frames, round trips",
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
        let of_it = match part {
            1000 => "all".to_owned(),
            part => Percent(part, 1000).to_string(),
        };
        text.push_str(&match culprit {
            Culprit::Client => format!("; {of_it} of that in {at}"),
            Culprit::Network => format!("; {of_it} of that to and from {at}"),
            Culprit::Server => format!("; {of_it} of that for {at}"),
        });
    }
    if let Some((protocol, name, code)) = verdict.operation {
        text.push_str(&format!(", mostly {protocol} {}", Command { name, code }));
    }
    if let Some(busiest) = verdict.busiest {
        text.push_str(&format!(
            "; the segment was never above {} busy in a second",
            Percent(busiest, 1_000_000)
        ));
    }
    text.push('.');
    text
}

/// What it takes for the network's though the ledgers have it elsewhere.
#[must_use]
pub fn position(verdict: &Verdict) -> Option<String> {
    let way = &verdict.on_the_way;
    let ends: Vec<(&str, &RoundTrip, u64, &str)> = [
        ("server", &way.server, way.in_turnarounds_ns, "turnarounds"),
        ("client", &way.client, way.in_pauses_ns, "clients' pauses"),
    ]
    .into_iter()
    .filter_map(|(who, trip, ns, within)| Some((who, trip.as_ref()?, ns, within)))
    .filter(|(_, _, ns, _)| *ns > 0)
    .collect();
    let listed = |items: Vec<String>| items.join(" and ");
    let far = listed(
        ends.iter()
            .map(|(who, trip, ..)| {
                format!(
                    "{} from {who} {} (frames {} to {})",
                    Human(trip.shortest_ns),
                    trip.station,
                    trip.asked,
                    trip.answered
                )
            })
            .collect(),
    );
    let counted = listed(
        ends.iter()
            .map(|(_, _, ns, within)| {
                let time = Human(i64::try_from(*ns).unwrap_or(i64::MAX));
                format!("{time} within the {within}")
            })
            .collect(),
    );
    (!ends.is_empty()).then(|| {
        format!(
            "Captured {far}, there and back; such round trips count as the network's: {counted}."
        )
    })
}

/// What speaks against it, a sentence each.
pub fn doubts(verdict: &Verdict) -> impl Iterator<Item = String> + '_ {
    verdict.doubts.iter().map(|doubt| match doubt {
        Doubt::NoFrames => {
            "Doubt: the capture is empty, or nothing of it is in the part that was chosen."
                .to_owned()
        }
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
            "Doubt: how far from the {0}s the capture was made is not known for a fifth of that \
             time or more; the way there counts as the {0}s'.",
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
    use wirewait_judge::OnTheWay;

    fn verdict(culprit: Option<Culprit>, doubts: Vec<Doubt>) -> Verdict {
        Verdict {
            culprit,
            share: 712,
            active_ns: 18_000_000_000,
            clients: 12,
            answered: if culprit.is_some() { 1024 } else { 3 },
            at: culprit.map(|_| (v4(1, None), 600)),
            operation: Some(("smb1", "READ_ANDX", 0x2e)),
            busiest: culprit.map(|_| 91_000),
            on_the_way: OnTheWay::default(),
            doubts,
        }
    }

    #[test]
    fn a_server_is_named_with_its_evidence() {
        assert_eq!(
            sentence(&verdict(Some(Culprit::Server), Vec::new())),
            "Server: 71.2 % of the 18.000000 s that 12 clients spent at work was waiting for \
             servers; 60.0 % of that for 10.0.0.1, mostly smb1 READ_ANDX; the segment was never \
             above 9.1 % busy in a second."
        );
    }

    #[test]
    fn where_it_was_captured_is_said_with_its_frames() {
        let mut seen = verdict(Some(Culprit::Network), Vec::new());
        assert_eq!(position(&seen), None);
        seen.on_the_way = OnTheWay {
            server: Some(RoundTrip {
                station: v4(1, None),
                samples: 2,
                shortest_ns: 5_000_000,
                asked: 3,
                answered: 4,
            }),
            client: None,
            in_turnarounds_ns: 2_000_000_000,
            in_pauses_ns: 0,
        };
        assert_eq!(
            position(&seen).unwrap(),
            "Captured 5.000 ms from server 10.0.0.1 (frames 3 to 4), there and back; such round \
             trips count as the network's: 2.000000 s within the turnarounds."
        );
    }

    #[test]
    fn too_little_is_no_verdict() {
        let few = verdict(None, vec![Doubt::FewRequests(3)]);
        assert_eq!(
            sentence(&few),
            "No verdict: only 3 requests were answered, too few to judge."
        );
        let empty = Verdict {
            answered: 0,
            doubts: vec![Doubt::NoFrames],
            ..few.clone()
        };
        assert_eq!(sentence(&empty), "No verdict: there is not one frame.");
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
