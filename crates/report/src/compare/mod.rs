//! Several captures against one of them: in words and tables, as JSON, as CSV.

mod condition;
mod csv;
pub(crate) mod doubts;
mod further;
mod headline;
mod json;
pub(crate) mod tables;
pub(crate) mod text;
pub(crate) mod words;

pub use condition::{ShareSentence, held, share_sentence};
pub use csv::csv;
pub use json::{SCHEMA, json};
pub use text::text;
pub use words::group_name;

use crate::about::About;
use crate::time::Digits;
use wirewait_analysis::{Settings, Snapshot};
use wirewait_judge::compare::{AtLoad, Comparison};

/// One capture of a comparison.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// What it is called in tables and sentences.
    pub name: String,
    /// Its files and what was wrong with them.
    pub about: About,
    /// Its figures.
    pub snapshot: Snapshot,
}

/// A comparison and what was compared: the baseline first.
#[derive(Clone, Copy, Debug)]
pub struct Compared<'a> {
    /// The captures.
    pub configurations: &'a [Configuration],
    /// What came out.
    pub comparison: &'a Comparison,
    /// The user asked for groups of a certain kind: they are shown for each capture.
    pub groups_wanted: bool,
    /// The load at which they are compared first.
    pub at: Option<AtLoad>,
    /// How many digits durations have in words and tables.
    pub digits: Digits,
}

impl Compared<'_> {
    /// What the capture at this place is called, the baseline's being 0.
    pub(crate) fn name(&self, place: usize) -> String {
        self.configurations
            .get(place)
            .map_or_else(String::new, |one| crate::Escaped(&one.name).to_string())
    }

    /// All captures were analysed with the same settings.
    fn settings(&self) -> Settings {
        self.configurations
            .first()
            .map_or_else(Settings::default, |one| one.snapshot.settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use crate::text::Look;
    use wirewait_analysis::{Samples, Times};
    use wirewait_judge::compare::{Against, By, Condition, Figure, Ratio, Relation};

    /// A capture whose reads took 1 to 30 ms, each so much more.
    fn capture(name: &str, more_ms: i64) -> Configuration {
        let mut snapshot = samples::snapshot();
        let values: Vec<i64> = (1..=30).map(|ms| (ms + more_ms) * 1_000_000).collect();
        let total = values.iter().map(|ns| i128::from(*ns)).sum();
        let row = &mut snapshot.servers[0];
        row.counts.requests = 31;
        row.counts.answered = 30;
        row.response_time = Times {
            n: 30,
            min: values[0],
            max: values[29],
            total,
            ..Times::default()
        };
        row.turnaround = row.response_time;
        row.samples = Samples {
            turnaround: values.iter().copied().collect(),
            response_time: values.iter().copied().collect(),
        };
        Configuration {
            name: name.to_owned(),
            about: About::default(),
            snapshot,
        }
    }

    fn with<T>(
        configurations: &[Configuration],
        by: Option<By>,
        show: impl FnOnce(&Compared<'_>) -> T,
    ) -> T {
        let snapshots: Vec<&Snapshot> = configurations.iter().map(|one| &one.snapshot).collect();
        let comparison = Comparison::of(&snapshots, by);
        show(&Compared {
            configurations,
            comparison: &comparison,
            groups_wanted: by.is_some(),
            at: None,
            digits: Digits::Three,
        })
    }

    fn written(
        configurations: &[Configuration],
        by: Option<By>,
        write: impl FnOnce(&mut Vec<u8>, &Compared<'_>) -> std::io::Result<()>,
    ) -> String {
        let mut out = Vec::new();
        with(configurations, by, |compared| write(&mut out, compared)).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// Means 15.5 and 25.5 ms: 64.5 % more.
    fn two() -> [Configuration; 2] {
        [capture("before", 0), capture("aft\x1ber", 10)]
    }

    fn three() -> [Configuration; 3] {
        [
            capture("before", 0),
            capture("after", 10),
            capture("again", 1),
        ]
    }

    #[test]
    fn two_captures_in_words() {
        let text = written(&two(), None, |out, c| super::text(out, c, Look::FILE));
        crate::golden::check("compare.txt", &text);
    }

    #[test]
    fn several_captures_are_rows_of_a_table() {
        let text = written(&three(), None, |out, c| super::text(out, c, Look::FILE));
        crate::golden::check("compare-several.txt", &text);
        let by = written(&three(), Some(By::Kind), |out, c| {
            super::text(out, c, Look::FILE)
        });
        assert_eq!(by.matches("By kind: ").count(), 2, "{by}");
        // By load all of them stand in one, those of one load beside each other.
        let by = written(&three(), Some(By::Load), |out, c| {
            super::text(out, c, Look::FILE)
        });
        let rows: Vec<&str> = by
            .lines()
            .skip_while(|line| !line.starts_with("By load, the baseline (before) first"))
            .take_while(|line| !line.is_empty())
            .filter(|line| line.contains(" station"))
            .map(|line| line.trim_start())
            .collect();
        let names = ["before", "after", "again"];
        assert!(rows.len() > 3, "{by} {rows:?}");
        assert_eq!(by.matches("By load").count(), 1, "{by}");
        for three in rows.chunks(3) {
            let load = &three[0][..three[0].find("before").unwrap()];
            for (row, name) in three.iter().zip(names) {
                assert!(row.starts_with(&format!("{load}{name}")), "{row}");
            }
        }
    }

    #[test]
    fn what_is_asked_of_one_load_is_said_to_programs() {
        let said = |at: Option<AtLoad>| {
            let configurations = two();
            let snapshots: Vec<&Snapshot> =
                configurations.iter().map(|one| &one.snapshot).collect();
            let comparison = Comparison::of(&snapshots, Some(By::Load));
            let compared = Compared {
                configurations: &configurations,
                comparison: &comparison,
                groups_wanted: true,
                at,
                digits: Digits::Three,
            };
            let mut out = Vec::new();
            super::json(&mut out, &compared).unwrap();
            let document: serde_json::Value = serde_json::from_slice(&out).unwrap();
            document["configurations"][1]["verdict"]["at_load_sentence"].clone()
        };
        assert!(said(None).is_null());
        for (at, begins) in [
            (AtLoad::Stations(2), "With 2 stations active "),
            (
                AtLoad::Stations(999),
                "Cannot tell: in before 999 stations ",
            ),
        ] {
            let said = said(Some(at));
            assert!(said.as_str().unwrap().starts_with(begins), "{said}");
        }
    }

    #[test]
    fn for_programs() {
        let json = written(&two(), None, super::json);
        serde_json::from_str::<serde_json::Value>(&json).unwrap();
        crate::golden::check("compare.json", &json);
        crate::golden::check("compare.csv", &written(&two(), None, super::csv));
    }

    #[test]
    fn identical_captures_are_no_change() {
        let same = [capture("one", 0), capture("two", 0)];
        let text = written(&same, None, |out, c| super::text(out, c, Look::FILE));
        assert!(
            text.starts_with("No change: a request took 15.5 ms in two, 15.5 ms in one (p = 1).\n"),
            "{text}"
        );
    }

    /// All but one of 30 requests are faster than each of the baseline, and that one decides the mean.
    #[test]
    fn a_row_whose_mean_goes_the_other_way_says_so() {
        let with = |name: &str, values: Vec<i64>| {
            let mut one = capture(name, 0);
            let row = &mut one.snapshot.servers[0];
            row.response_time.total = values.iter().map(|ns| i128::from(*ns)).sum();
            row.samples.response_time = values.into_iter().collect();
            one
        };
        let base = with("base", (100..130).collect());
        let other = (0..30).map(|n| if n == 7 { 90_000 } else { n });
        let csv = written(&[base, with("other", other.collect())], None, super::csv);
        assert!(csv.contains("\"mostly faster, p < 0.0001\""), "{csv}");
    }

    #[test]
    fn captures_without_requests_say_so() {
        let mut none = capture("none", 0);
        none.snapshot.servers.clear();
        none.snapshot.stations.clear();
        none.snapshot.ledgers.clear();
        let none = || none.clone();
        for (pair, sentence) in [
            (
                [capture("some", 0), none()],
                "Nothing to compare between none and some: none has no answered request to a file \
                 server.\n",
            ),
            (
                [none(), capture("some", 0)],
                "Nothing to compare between some and none: none has no answered request to a file \
                 server.\n",
            ),
            (
                [none(), none()],
                "Nothing to compare between none and none: neither has an answered request to a \
                 file server.\n",
            ),
        ] {
            let text = written(&pair, None, |out, c| super::text(out, c, Look::FILE));
            assert!(text.starts_with(sentence), "{text}");
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
            let json = written(&pair, None, super::json);
            assert!(!json.contains("NaN"), "{json}");
        }
    }

    /// Mean 15.5 to 25.5 ms is 64.516 %.
    #[test]
    fn conditions_are_judged_for_each_capture() {
        let condition = |group: Option<&str>, figure, against| Condition {
            text: "it".to_owned(),
            figure,
            group: group.map(str::to_owned),
            relation: Relation::Above,
            against,
            significant: true,
        };
        let said =
            |condition: &Condition| with(&three(), None, |compared| held(compared, &[], condition));
        let percent = |millionths| Against::Baseline(millionths);
        assert_eq!(
            said(&condition(None, Figure::ResponseTime, percent(645_161))),
            ["it holds for after: response_time is 25.500 ms, 15.500 ms in before (64.5 % slower)"]
        );
        let more = condition(None, Figure::ResponseTime, percent(645_162));
        assert_eq!(said(&more), [""; 0]);
        // Slower, but only by chance.
        let any = condition(Some("SMB1 read_andx"), Figure::ResponseTime, percent(0));
        let [slower] = said(&any).try_into().unwrap();
        assert!(
            slower.contains("response_time of SMB1 read_andx"),
            "{slower}"
        );
        let wall = Against::Value(Ratio { part: 1, of: 1 });
        let none = said(&condition(None, Figure::WallThroughput, wall));
        assert_eq!(none, [""; 0], "a byte in a nanosecond");
    }

    #[test]
    fn the_group_of_a_condition_is_found_by_whatever_rows_have_it() {
        let two = [capture("before", 0), capture("after", 10)];
        let said = |group: &str, by: Option<By>| {
            let condition = Condition {
                text: "it".to_owned(),
                figure: Figure::ResponseTime,
                group: Some(group.to_owned()),
                relation: Relation::Above,
                against: Against::Baseline(0),
                significant: false,
            };
            let said = with(&two, by, |compared| held(compared, &[], &condition));
            said.join("\n")
        };
        assert!(said("read", None).starts_with("it holds for after: response_time of read is"));
        // Rows that were chosen stay; what has the group is said.
        let chosen = said("smb1 READ_ANDX", Some(By::Kind));
        let says = "nothing is called smb1 READ_ANDX when compared by kind; type --by operation";
        assert!(chosen.ends_with(says), "{chosen}");
        let unknown = said("smb1 LOCK", None);
        assert!(
            unknown.contains("nothing is called smb1 LOCK (looked for by operation, kind"),
            "{unknown}"
        );
        assert!(
            unknown.contains("rows by operation are smb1 READ_ANDX"),
            "{unknown}"
        );
        assert!(
            unknown.ends_with("for other rows type --by share"),
            "{unknown}"
        );
        let unknown = said("smb1 LOCK", Some(By::Kind));
        assert!(
            unknown.contains("when compared by kind; rows are "),
            "{unknown}"
        );
    }
}
