//! How often a comparison says that something differs where nothing does, and how often it finds what differs: the
//! tables of decision 0020.

#[cfg(test)]
mod tests {
    use super::super::testing::{Difference, Mix, Process, Random, Shape, compared};
    use super::super::{Basis, Comparison, Effect, LEVEL};

    /// What one comparison may tell its reader.
    const TOLD: [&str; 9] = [
        "any", "verdict", "alike", "load", "ranks", "rows", "moved", "tail", "errors",
    ];

    fn told(of: &Comparison) -> [bool; TOLD.len()] {
        let verdict = &of.verdicts[0];
        let changed = matches!(verdict.effect, Effect::Slower | Effect::Faster);
        let by_alike = matches!(verdict.basis, Basis::Operations | Basis::Succeeded);
        let equal_load = verdict.active.and_then(|active| active.equal_load);
        let all = of.all.sure[0];
        let rows = of.groups.iter().any(|group| {
            let sure = group.sure[0];
            [sure.turnaround, sure.response_time]
                .iter()
                .any(|one| sure.significant(one) == Some(true))
        });
        let mut told = [
            false,
            changed,
            changed && by_alike,
            equal_load.is_some_and(|found| found.p < LEVEL),
            all.significant(&all.response_time) == Some(true),
            rows,
            !verdict.moved.is_empty(),
            verdict.tail.is_some(),
            verdict
                .errors
                .as_ref()
                .is_some_and(|errors| errors.p < LEVEL),
        ];
        told[0] = told[1] || told[5] || told[6] || told[7] || told[8];
        told
    }

    /// How many of these pairs each is said of.
    fn counted(shape: &Shape, other: &Difference, pairs: usize) -> [usize; TOLD.len()] {
        let mut random = Random(7);
        let mut sums = [0; TOLD.len()];
        for _ in 0..pairs {
            let one = told(&compared(shape, &mut random, other));
            for (sum, one) in sums.iter_mut().zip(one) {
                *sum += usize::from(one);
            }
        }
        sums
    }

    const PROCESSES: [(&str, Process); 10] = [
        ("even", Process::Even),
        ("log-normal 0.8", Process::Wide(0.8)),
        ("Pareto 1.5", Process::Heavy(1.5)),
        ("autoregressive 0.5", Process::Drifts(0.5)),
        ("autoregressive 0.9", Process::Drifts(0.9)),
        ("autoregressive 0.98", Process::Drifts(0.98)),
        ("stretches of 10", Process::Stretches(10)),
        ("stretches of 40", Process::Stretches(40)),
        ("day", Process::Day),
        ("waits 1 %", Process::Waits(0.01)),
    ];

    fn shapes(of: Process, requests: usize) -> Vec<(&'static str, Shape)> {
        let plain = Shape::plain(of, requests);
        let mixed = Shape {
            operations: 5,
            clients: 4,
            servers: 3,
            ..plain
        };
        let drawn = Shape {
            mix: Mix::Drawn,
            ..mixed
        };
        let runs = Shape {
            mix: Mix::Runs,
            servers: 1,
            ..mixed
        };
        let rises = Shape {
            clients: 6,
            rises: true,
            ..plain
        };
        let failing = Shape {
            failing: (0.05, 1),
            ..plain
        };
        let failing_rows = Shape {
            failing: (0.05, 20),
            ..plain
        };
        vec![
            ("plain", plain),
            ("mixed", mixed),
            ("drawn", drawn),
            ("runs", runs),
            ("rises", rises),
            ("failing", failing),
            ("failing rows", failing_rows),
        ]
    }

    /// A row of a table: the process, the shape, how many requests, the difference, and the parts of the pairs, per cent.
    type Measured<'a> = (&'a str, &'a str, usize, &'a str, [f64; TOLD.len()]);

    fn table<'a>(
        requests: &[usize],
        others: &[(&'a str, Difference)],
        pairs: usize,
    ) -> Vec<Measured<'a>> {
        let mut rows = Vec::new();
        println!(
            "{:<20}{:<14}{:>6} {:<8}{}",
            "process",
            "shape",
            "n",
            "other",
            TOLD.map(|one| format!("{one:>8}")).concat()
        );
        for (process, of) in PROCESSES {
            for requests in requests {
                for (name, shape) in shapes(of, *requests) {
                    for (other, difference) in others {
                        let found = counted(&shape, difference, pairs);
                        let parts = found.map(|n| n as f64 * 100.0 / pairs as f64);
                        println!(
                            "{process:<20}{name:<14}{requests:>6} {other:<8}{}",
                            parts.map(|part| format!("{part:>8.1}")).concat()
                        );
                        rows.push((process, name, *requests, *other, parts));
                    }
                }
            }
        }
        rows
    }

    /// Of one process whose values do not follow from each other, in every shape, one of 20 comparisons at most states a
    /// difference, in whatever place.
    #[test]
    fn one_process_hardly_differs() {
        for (name, of, requests) in [
            ("even", Process::Even, 50),
            ("log-normal", Process::Wide(0.8), 50),
            ("log-normal", Process::Wide(0.8), 400),
            ("Pareto", Process::Heavy(1.5), 400),
            ("autoregressive", Process::Drifts(0.5), 400),
        ] {
            for (shape, made) in shapes(of, requests) {
                let [any, ..] = counted(&made, &Difference::NONE, 120);
                assert!(any <= 6, "{name}, {shape}, {requests}: {any} of 120");
            }
        }
    }

    /// A captured work of one operation before and of another after is no slower and no faster.
    #[test]
    fn other_operations_are_no_difference() {
        let runs = shapes(Process::Even, 20).swap_remove(3).1;
        let mut random = Random(7);
        for _ in 0..100 {
            let found = compared(&runs, &mut random, &Difference::NONE);
            let verdict = &found.verdicts[0];
            let undecided = verdict.basis == Basis::Operations && verdict.effect == Effect::TooFew;
            let none = !matches!(verdict.effect, Effect::Slower | Effect::Faster);
            assert!(
                undecided || none,
                "{:?} {:?}",
                verdict.effect,
                verdict.basis
            );
        }
    }

    /// Of 210 cases, as many as decision 0020 says have more than 5 %.
    #[test]
    #[ignore = "takes minutes, and prints the table of decision 0020"]
    fn false_alarms() {
        let rows = table(&[20, 50, 400], &[("same", Difference::NONE)], 400);
        let wrong = rows.iter().filter(|(.., parts)| parts[0] > 5.0);
        assert_eq!((rows.len(), wrong.count()), (210, 60));
    }

    /// Where nothing follows from anything, twice the time is found in each pair of 400 requests.
    #[test]
    #[ignore = "takes minutes, and prints the table of decision 0020"]
    fn power() {
        let times = [1.1, 1.25, 1.5, 2.0].map(Difference::times);
        let names = ["1.1", "1.25", "1.5", "2"];
        let others: Vec<_> = names.into_iter().zip(times).collect();
        let rows = table(&[50, 400], &others, 100);
        let plain = rows.iter().filter(|(process, shape, requests, other, _)| {
            let alone = ["even", "log-normal 0.8", "Pareto 1.5"].contains(process);
            alone && (*shape, *requests, *other) == ("plain", 400, "2")
        });
        let found: Vec<f64> = plain.map(|(.., parts)| parts[1]).collect();
        assert_eq!(found, [100.0; 3]);
    }
}
