//! Hand-made symptoms.

use super::{at, made, v4};
use wirewait_analysis::{Against, Mark, RULES, Sight, State, Subject, Symptom, Symptoms};

/// One of each that a report shows: raised, as a mean, without cost; withdrawn; below.
pub(crate) fn symptoms() -> Symptoms {
    let mark = |frame: u64| Mark {
        frame,
        at: at(frame as i64 * 1000),
    };
    let sight = |from: u64, to: u64, cost_ns: u64| Sight {
        from: mark(from),
        to: mark(to),
        cost_ns,
        until: mark(to).at,
    };
    let of = |id: &str, subject: Subject, state: State| {
        let rule = RULES.iter().find(|rule| rule.id == id).unwrap();
        Symptom::new(rule, subject, state)
    };
    let (client, server) = (v4(9, None), v4(1, None));
    let found = vec![
        made!(Symptom {
            hits: [sight(20, 25, 2_000_000_000), sight(30, 30, 1)]
                .into_iter()
                .collect(),
            of: Some(8),
            ..of("slow_server", Subject::Server(server), State::Raised)
        }),
        made!(Symptom {
            hits: [sight(251, 282, 150_000_000), sight(300, 310, 50_000_000)]
                .into_iter()
                .collect(),
            of: Some(28),
            words: vec![("READ", 2)],
            names: vec![("FS1<20>".into(), 2)],
            lasted_ns: 3_000_000,
            against: vec![(Against::Doubled, [sight(7, 7, 0)].into_iter().collect())],
            ..of(
                "requests_repeated",
                Subject::Pair { client, server },
                State::Raised,
            )
        }),
        made!(Symptom {
            hits: [sight(5, 5, 0)].into_iter().collect(),
            ..of("broadcast_storm", Subject::Segment, State::Raised)
        }),
        made!(Symptom {
            of: Some(20),
            against: vec![(Against::OneSided, [sight(1, 2, 0)].into_iter().collect())],
            ..of(
                "unanswered_requests",
                Subject::Server(server),
                State::Withdrawn(Against::OneSided),
            )
        }),
        made!(Symptom {
            hits: [sight(40, 41, 2_000_000)].into_iter().collect(),
            of: Some(100),
            ..of(
                "slow_answers",
                Subject::Server(server),
                State::Covered("slow_server"),
            )
        }),
    ];
    made!(Symptoms {
        found: found,
        more: 0,
        ..Symptoms::default()
    })
}
