//! The comparison for programs. Names, shape and order are a promise; integers carry their
//! unit in their name.

use super::doubts::doubts;
use super::words::{group_name, rounded, sentence};
use super::{Compared, Configuration};
use crate::escape::JsonEscaping;
use crate::figures::Milli;
use crate::time::Rfc3339;
use serde::Serialize;
use serde_json::{Map, Number, Value};
use std::io::{self, Write};
use wirewait_judge::Finding;
use wirewait_judge::compare::{
    BLOCKS, Change, Confidence, FEWEST, Figure, Group, Key, LEVEL, Ratio, Side, Unit,
};

/// Changes when a name, its meaning or the shape of the document does.
pub const SCHEMA: &str = "wirewait-compare/1";

/// Writes the comparison.
///
/// # Errors
/// What `out` says.
pub fn json(out: &mut impl Write, compared: &Compared<'_>) -> io::Result<()> {
    serde_json::to_writer_pretty(JsonEscaping(&mut *out), &document(compared))?;
    writeln!(out)
}

#[derive(Serialize)]
struct ComparedDocument<'a> {
    schema: &'static str,
    by: &'static str,
    /// Nobody asked for classes, but the captures have hardly an operation in common.
    by_kind_for_want_of_common_operations: bool,
    /// The baseline first.
    configurations: Vec<ComparedCapture<'a>>,
    groups: Vec<ComparedRow<'a>>,
    test: ComparedTest,
    settings: Settings,
}

#[derive(Serialize)]
struct ComparedTest {
    name: &'static str,
    level: f64,
    fewest_values: u64,
    /// Of totals: the test of `by_bytes` and `active_time_per_request`.
    of_blocks: BlocksTest,
}

#[derive(Serialize)]
struct BlocksTest {
    name: &'static str,
    blocks: usize,
}

#[derive(Serialize)]
struct Settings {
    timeout_ns: i64,
    think_ns: i64,
}

#[derive(Serialize)]
struct ComparedCapture<'a> {
    name: &'a str,
    baseline: bool,
    files: &'a [String],
    frames: u64,
    first: Option<Rfc3339>,
    last: Option<Rfc3339>,
    grade: &'static str,
    damage: &'a [String],
    /// Null for the baseline.
    verdict: Option<ComparedVerdict>,
    #[serde(flatten)]
    cell: ComparedCell,
}

#[derive(Serialize)]
struct ComparedVerdict {
    sentence: String,
    effect: &'static str,
    /// What the effect is about.
    decided_by: &'static str,
    /// One, or the two that the captures cannot tell apart.
    culprit: Option<&'static str>,
    most_in: Option<String>,
    time_per_request: Vec<ComparedPart>,
    /// Null where there is no account of time.
    active_time_per_request: Option<ComparedTime>,
    /// Null where file data does not decide.
    by_bytes: Option<Work>,
    /// Null where lost frames do not decide.
    by_losses: Option<ByLosses>,
    doubts: Vec<String>,
}

/// Requests of which something was retransmitted, and how likely chance alone makes the difference.
#[derive(Serialize)]
struct ByLosses {
    baseline_requests: u64,
    baseline_repeated: u64,
    requests: u64,
    repeated: u64,
    p: f64,
}

/// All of the clients' active time.
#[derive(Serialize)]
struct ComparedTime {
    baseline_ns: i64,
    ns: i64,
    test: Tested,
}

/// What decides where requests are of other sizes.
#[derive(Serialize)]
struct Work {
    /// File data per active client time.
    baseline_bytes_per_second: Value,
    bytes_per_second: Value,
    test: Tested,
    time_per_megabyte: Vec<ComparedPart>,
}

#[derive(Serialize)]
struct ComparedPart {
    of: &'static str,
    baseline_ns: i64,
    ns: i64,
    /// At least, and at most.
    baseline_low_ns: i64,
    baseline_high_ns: i64,
    low_ns: i64,
    high_ns: i64,
}

#[derive(Serialize)]
struct ComparedRow<'a> {
    group: String,
    protocol: Option<&'a str>,
    kind: Option<&'static str>,
    /// In the order of `configurations`; null where the group does not occur.
    configurations: Vec<Option<ComparedCell>>,
}

#[derive(Serialize)]
struct ComparedCell {
    figures: Map<String, Value>,
    /// Against the baseline, in per cent; null where one of the two is missing or the
    /// baseline is 0. Empty for the baseline.
    change_percent: Map<String, Value>,
    response_time_test: Option<Tested>,
    turnaround_test: Option<Tested>,
}

#[derive(Serialize)]
struct Tested {
    baseline_values: u64,
    values: u64,
    /// Null where there are too few values.
    p: Option<f64>,
    /// How likely a value is greater than one of the baseline.
    greater: Option<f64>,
    significant: Option<bool>,
}

fn document<'a>(compared: &'a Compared<'_>) -> ComparedDocument<'a> {
    let comparison = compared.comparison;
    let settings = compared.settings();
    ComparedDocument {
        schema: SCHEMA,
        by: comparison.by.name(),
        by_kind_for_want_of_common_operations: comparison.fell_back,
        configurations: (0..)
            .zip(compared.configurations)
            .map(|(place, one)| capture(compared, place, one))
            .collect(),
        groups: comparison.groups.iter().map(row).collect(),
        test: ComparedTest {
            name: "Mann-Whitney U, two-sided, normal approximation corrected for ties and continuity",
            level: LEVEL,
            fewest_values: FEWEST,
            of_blocks: BlocksTest {
                name: "permutations of successive blocks of both captures, two-sided, exact",
                blocks: BLOCKS,
            },
        },
        settings: Settings {
            timeout_ns: settings.timeout_ns,
            think_ns: settings.think_ns,
        },
    }
}

fn capture<'a>(
    compared: &Compared<'_>,
    place: usize,
    one: &'a Configuration,
) -> ComparedCapture<'a> {
    let row = &one.snapshot.capture;
    let all = &compared.comparison.all;
    ComparedCapture {
        name: &one.name,
        baseline: place == 0,
        files: &one.about.files,
        frames: row.frames,
        first: row.first.map(Rfc3339),
        last: row.last.map(Rfc3339),
        grade: row.grade.name(),
        damage: &one.about.damage,
        verdict: place
            .checked_sub(1)
            .and_then(|number| judged(compared, number)),
        cell: cell(all, place).unwrap_or_else(|| blank(all, place)),
    }
}

fn judged(compared: &Compared<'_>, number: usize) -> Option<ComparedVerdict> {
    let verdict = compared.comparison.verdicts.get(number)?;
    let parts = |parts: &[wirewait_judge::compare::Part], scale: u128| {
        let ns = |ratio: Ratio| i64::try_from(ratio.scaled(scale)).unwrap_or(i64::MAX);
        let part = |part: &wirewait_judge::compare::Part| ComparedPart {
            of: part.culprit.name(),
            baseline_ns: ns(part.base),
            ns: ns(part.other),
            baseline_low_ns: ns(part.base_bounds[0]),
            baseline_high_ns: ns(part.base_bounds[1]),
            low_ns: ns(part.other_bounds[0]),
            high_ns: ns(part.other_bounds[1]),
        };
        parts.iter().map(part).collect()
    };
    let work = verdict.work.as_ref();
    let ns = |ratio: Ratio| i64::try_from(ratio.scaled(1)).unwrap_or(i64::MAX);
    Some(ComparedVerdict {
        sentence: sentence(compared, number),
        effect: verdict.effect.name(),
        decided_by: verdict.basis.name(),
        culprit: Some(verdict.finding)
            .filter(|finding| *finding != Finding::None)
            .map(Finding::name),
        most_in: verdict.most.as_ref().map(super::words::key_name),
        time_per_request: parts(&verdict.parts, 1),
        active_time_per_request: verdict.active.map(|active| ComparedTime {
            baseline_ns: ns(active.base),
            ns: ns(active.other),
            test: tested(&active.confidence, LEVEL),
        }),
        by_bytes: work.map(|work| Work {
            baseline_bytes_per_second: self::number(Figure::ActiveThroughput, work.base),
            bytes_per_second: self::number(Figure::ActiveThroughput, work.other),
            test: tested(&work.confidence, LEVEL),
            time_per_megabyte: parts(&work.parts, 1_000_000),
        }),
        by_losses: verdict.losses.map(|losses| ByLosses {
            baseline_requests: losses.base.answered,
            baseline_repeated: losses.base.repeated,
            requests: losses.other.answered,
            repeated: losses.other.repeated,
            p: rounded(losses.p),
        }),
        doubts: doubts(compared, number),
    })
}

fn row(group: &Group) -> ComparedRow<'_> {
    let (protocol, kind) = match &group.key {
        Key::Operation { protocol, kind, .. } => (Some(*protocol), Some(kind.name())),
        Key::Kind(kind) => (None, Some(kind.name())),
        _ => (None, None),
    };
    ComparedRow {
        group: group_name(group),
        protocol,
        kind,
        configurations: (0..group.sides.len())
            .map(|place| cell(group, place))
            .collect(),
    }
}

fn cell(group: &Group, place: usize) -> Option<ComparedCell> {
    group.sides.get(place)?.as_ref()?;
    Some(blank(group, place))
}

fn blank(group: &Group, place: usize) -> ComparedCell {
    let side = group.sides.get(place).and_then(Option::as_ref);
    let number = place.checked_sub(1);
    let sure = number.and_then(|number| group.sure.get(number));
    ComparedCell {
        figures: Figure::ALL
            .iter()
            .map(|figure| named(*figure, side))
            .collect(),
        change_percent: number.map_or_else(Map::new, |number| {
            Figure::ALL
                .iter()
                .map(|figure| {
                    let change = match group.change(number, *figure) {
                        Some(Change::Thousandths(n)) => Number::from_f64(n as f64 / 10.0),
                        Some(Change::FromNothing) | None => None,
                    };
                    (plain(*figure), change.map_or(Value::Null, Value::Number))
                })
                .collect()
        }),
        response_time_test: sure.map(|sure| tested(&sure.response_time, sure.level)),
        turnaround_test: sure.map(|sure| tested(&sure.turnaround, sure.level)),
    }
}

fn tested(confidence: &Confidence, level: f64) -> Tested {
    match confidence {
        Confidence::TooFew(a, b) => Tested {
            baseline_values: *a,
            values: *b,
            p: None,
            greater: None,
            significant: None,
        },
        Confidence::Blocks(test) => Tested {
            baseline_values: BLOCKS as u64,
            values: BLOCKS as u64,
            p: Some(rounded(test.p)),
            greater: None,
            significant: Some(test.p < level),
        },
        Confidence::Tested(test) => Tested {
            baseline_values: test.n.0,
            values: test.n.1,
            p: Some(rounded(test.p)),
            greater: Some(test.greater()),
            significant: Some(test.p < level),
        },
    }
}

fn named(figure: Figure, side: Option<&Side>) -> (String, Value) {
    let value = side.and_then(|side| figure.of(side));
    (
        column(figure),
        value.map_or(Value::Null, |value| number(figure, value)),
    )
}

/// A figure's name without a dot.
pub(super) fn plain(figure: Figure) -> String {
    figure.name().replace('.', "_")
}

/// Its name with its unit.
pub(super) fn column(figure: Figure) -> String {
    let unit = match figure.unit() {
        Unit::Nanoseconds => "_ns",
        Unit::ByteRate => "_bytes_per_second",
        Unit::Count | Unit::Bytes | Unit::Rate | Unit::PerRequest => "",
    };
    format!("{}{unit}", plain(figure))
}

/// A value in that unit: an integer but for ratios.
pub(super) fn number(figure: Figure, value: Ratio) -> Value {
    let scaled = |scale: u128| u64::try_from(value.scaled(scale)).unwrap_or(u64::MAX);
    let thousandths =
        |n: u64| Number::from_f64(Milli(n).number()).map_or(Value::Null, Value::Number);
    match figure.unit() {
        Unit::Count | Unit::Bytes | Unit::Nanoseconds => Value::from(scaled(1)),
        Unit::ByteRate => Value::from(scaled(1_000_000_000)),
        Unit::Rate => thousandths(scaled(1_000_000_000_000)),
        Unit::PerRequest => thousandths(scaled(1000)),
    }
}
