//! The comparison for programs. Names, shape and order are a promise; integers carry their
//! unit in their name.

use super::doubts::doubts;
use super::words::{at_load, group_name, rounded, sentence};
use super::{Compared, Configuration};
use crate::document::{documents, of};
use crate::escape;
use crate::figures::Milli;
use crate::time::Rfc3339;
use serde_json::{Map, Number, Value};
use std::io::{self, Write};
use wirewait_judge::Finding;
use wirewait_judge::compare::{
    ActiveTime, BLOCKS, Change, Conclusion, Confidence, CulpritTime, EqualLoad, ErrorChange,
    FEWEST, Figure, Group, Key, LEVEL, Losses, Moved, Ratio, Side, Tail, Unit,
};

/// Changes when a name, its meaning or the shape of the document does.
pub const SCHEMA: &str = "wirewait-compare/1";

/// Writes the comparison.
///
/// # Errors
/// What `out` says.
pub fn json(out: &mut impl Write, compared: &Compared<'_>) -> io::Result<()> {
    let document: ComparedDocument<'_> = of(compared);
    escape::json(&mut *out, |out| {
        serde_json::to_writer_pretty(out, &document)
    })?;
    writeln!(out)
}

documents! {
    struct ComparedDocument<'a> of compared: &'a Compared<'_>
    where
        let comparison = compared.comparison;
        let configurations = compared.configurations.iter().enumerate();
    {
        schema: &'static str = SCHEMA,
        by: &'static str = comparison.by.name(),
        /// Nobody asked for classes, but the captures have hardly an operation in common.
        by_kind_for_want_of_common_operations: bool = comparison.fell_back,
        /// The baseline first.
        configurations: Vec<ComparedCapture<'a>> =
            configurations.map(|(place, one)| of((one, compared, place))).collect(),
        groups: Vec<ComparedRow<'a>> = of(&comparison.groups),
        test: ComparedTest = of(()),
        settings: Settings = of(&compared.settings()),
    }

    struct ComparedTest of _nothing: () {
        name: &'static str =
            "Mann-Whitney U, two-sided, normal approximation corrected for ties and continuity, no surer than Welch's t \
             of the mean ranks of successive blocks",
        level: f64 = LEVEL,
        fewest_values: u64 = FEWEST,
        /// Blocks of each capture whose mean ranks are compared.
        rank_blocks: usize = BLOCKS,
        /// Of totals: the test of `by_bytes` and `active_time_per_request`.
        of_blocks: BlocksTest = of(()),
    }

    struct BlocksTest of _nothing: () {
        name: &'static str = "permutations of successive blocks of both captures, two-sided, exact",
        blocks: usize = BLOCKS,
    }

    struct Settings of settings: &wirewait_analysis::Settings {
        timeout_ns: i64,
        think_ns: i64,
    }

    struct ComparedCapture<'a> of one, compared, place: (&'a Configuration, &Compared<'_>, usize)
    where
        let row = &one.snapshot.capture;
        let all = &compared.comparison.all;
    {
        name: &'a str,
        baseline: bool = place == 0,
        files: &'a [String] = &one.about.files,
        frames: u64 = row.frames,
        first: Option<Rfc3339> = of(&row.first),
        last: Option<Rfc3339> = of(&row.last),
        grade: &'static str = row.grade.name(),
        damage: &'a [String] = &one.about.damage,
        /// Null for the baseline.
        verdict: Option<ComparedVerdict> = place.checked_sub(1).and_then(|number| {
            Some(of((compared.comparison.verdicts.get(number)?, compared, number)))
        }),
        #[serde(flatten)]
        cell: ComparedCell = of((all, place)),
    }

    struct ComparedVerdict of verdict, compared, number: (&Conclusion, &Compared<'_>, usize)
    where
        let finding = verdict.finding;
    {
        sentence: String = sentence(compared, number),
        /// What is said of the load that was asked for (`--at-load`, `--peak`); else null.
        at_load_sentence: Option<String> = compared.at.map(|at| at_load(compared, number, at)),
        effect: &'static str = verdict.effect.name(),
        /// What the effect is about.
        decided_by: &'static str = verdict.basis.name(),
        /// One, or the two that the captures cannot tell apart.
        culprit: Option<&'static str> = (finding != Finding::None).then(|| finding.name()),
        most_in: Option<String> = verdict.most.as_ref().map(super::words::key_name),
        time_per_request: Vec<ComparedPart> = parts(&verdict.parts, 1),
        /// Null where there is no account of time.
        active_time_per_request: Option<ComparedTime> = of(&verdict.active),
        /// Null where file data does not decide.
        by_bytes: Option<Work> = of(&verdict.work),
        /// What response times are within equal load, where another load alone changed them; else null.
        by_load: Option<WithinLoad> = of(&verdict.by_load),
        /// Pauses that are idle time in one of the two captures alone make most of the difference of the
        /// active time, which does not decide then.
        pauses_moved: bool = verdict.pauses_moved,
        /// Null where lost frames do not decide.
        by_losses: Option<ByLosses> = of(&verdict.losses),
        /// Null where as many requests fail as in the baseline.
        errors: Option<ErrorsChanged> = of(&verdict.errors),
        /// Requests of each operation against those of the same one, where another mix made the mean request
        /// longer or shorter; else null.
        by_operations: Option<Alike> = of(&verdict.alike),
        /// Rows of tables that changed where all together did not.
        moved: Vec<MovedRow> = verdict.moved.iter().map(of).collect(),
        /// Long waits that the rest does not show; else null.
        tail: Option<LongWaits> = of(&verdict.tail),
        doubts: Vec<String> = doubts(compared, number),
    }

    struct ErrorsChanged of errors: &ErrorChange {
        baseline_answered: u64 = errors.base.answered,
        baseline_failed: u64 = errors.base.failed,
        answered: u64 = errors.other.answered,
        failed: u64 = errors.other.failed,
        p: f64 = rounded(errors.p),
        most_in: Option<String> = errors.most.as_ref().map(super::words::key_name),
        /// Whether requests that succeeded decide alone.
        decides: bool = errors.decides(),
        /// Null where too few succeeded in both.
        succeeded: Option<Alike> = of(&errors.succeeded),
    }

    /// Mean response times, if both captures had each operation as often.
    struct Alike of alike: &wirewait_judge::compare::Alike {
        operations: usize,
        baseline_requests: u64 = alike.requests.0,
        requests: u64 = alike.requests.1,
        baseline_response_time_ns: i64 = nanoseconds(alike.base, 1),
        response_time_ns: i64 = nanoseconds(alike.other, 1),
        change_percent: Value = percent(Some(alike.change())),
        p: f64 = rounded(alike.p),
    }

    struct MovedRow of moved: &Moved {
        by: &'static str = moved.by.name(),
        group: String = super::words::key_name(&moved.key),
        baseline_response_time_ns: i64 = nanoseconds(moved.base, 1),
        response_time_ns: i64 = nanoseconds(moved.other, 1),
        change_percent: Value = percent(Some(moved.change())),
        p: f64 = rounded(moved.p),
    }

    /// Requests that take longer than twice what 95 % take at the most in the capture where that is less.
    struct LongWaits of tail: &Tail {
        group: String = super::words::key_name(&tail.key),
        above_ns: i64,
        baseline_requests: u64 = tail.base.0,
        baseline_longer: u64 = tail.base.1,
        requests: u64 = tail.other.0,
        longer: u64 = tail.other.1,
        baseline_p99_ns: i64 = tail.p99_ns.0,
        p99_ns: i64 = tail.p99_ns.1,
        baseline_longest_ns: i64 = tail.longest_ns.0,
        longest_ns: i64 = tail.longest_ns.1,
        p: f64 = rounded(tail.p),
    }

    /// Requests of which something was retransmitted, and how likely chance alone makes the difference.
    struct ByLosses of losses: &Losses {
        baseline_requests: u64 = losses.base.answered,
        baseline_repeated: u64 = losses.base.repeated,
        requests: u64 = losses.other.answered,
        repeated: u64 = losses.other.repeated,
        p: f64 = rounded(losses.p),
    }

    /// All of the clients' active time.
    struct ComparedTime of active: &ActiveTime {
        baseline_ns: i64 = nanoseconds(active.base, 1),
        ns: i64 = nanoseconds(active.other, 1),
        test: Tested = of((&active.confidence, LEVEL)),
        /// Null where the load is the same all the time, or no other one is in both captures.
        within_equal_load: Option<WithinLoad> = of(&active.equal_load),
    }

    /// What decides where both captures pass through the same numbers of active stations.
    struct WithinLoad of found: &EqualLoad {
        from_stations: u32 = found.stations.0,
        to_stations: u32 = found.stations.1,
        /// Numbers of stations, or ranges of them, that are compared apart.
        loads: usize,
        /// How much longer the same work takes, in per cent.
        time_change_percent: Value = percent(Some(found.slower())),
        p: f64 = rounded(found.p),
    }

    /// What decides where requests are of other sizes.
    struct Work of work: &wirewait_judge::compare::Work {
        /// File data per active client time.
        baseline_bytes_per_second: Value = number(Figure::ActiveThroughput, work.base),
        bytes_per_second: Value = number(Figure::ActiveThroughput, work.other),
        test: Tested = of((&work.confidence, LEVEL)),
        /// As in `active_time_per_request`.
        within_equal_load: Option<WithinLoad> = of(&work.equal_load),
        time_per_megabyte: Vec<ComparedPart> = parts(&work.parts, 1_000_000),
    }

    struct ComparedPart of part, scale: (&CulpritTime, u128)
    where
        let ns = |ratio| nanoseconds(ratio, scale);
    {
        of: &'static str = part.culprit.name(),
        /// One bound of the part, so that the three sum to the active time: the least of the network's, the most of the
        /// clients' and the servers'. The text shows both bounds.
        baseline_ns: i64 = ns(part.base),
        /// As `baseline_ns`, in this capture.
        ns: i64 = ns(part.other),
        /// The baseline's part is at least this.
        baseline_low_ns: i64 = ns(part.base_bounds[0]),
        /// The baseline's part is at most this.
        baseline_high_ns: i64 = ns(part.base_bounds[1]),
        /// The part in this capture is at least this.
        low_ns: i64 = ns(part.other_bounds[0]),
        /// The part in this capture is at most this.
        high_ns: i64 = ns(part.other_bounds[1]),
    }

    struct ComparedRow<'a> of group: &'a Group
    where
        let (protocol, kind) = match &group.key {
            Key::Operation { protocol, kind, .. } => (Some(*protocol), Some(kind.name())),
            Key::Kind(kind) => (None, Some(kind.name())),
            _ => (None, None),
        };
        let sides = group.sides.iter().enumerate();
    {
        group: String = group_name(group),
        protocol: Option<&'a str> = protocol,
        kind: Option<&'static str> = kind,
        /// In the order of `configurations`; null where the group does not occur.
        configurations: Vec<Option<ComparedCell>> =
            sides.map(|(place, side)| side.as_ref().map(|_| of((group, place)))).collect(),
    }

    struct ComparedCell of group, place: (&Group, usize)
    where
        let side = group.sides.get(place).and_then(Option::as_ref);
        let before = place.checked_sub(1);
        let sure = before.and_then(|number| group.sure.get(number));
        let figures = Figure::ALL.iter();
    {
        figures: Map<String, Value> = figures.clone().map(|figure| named(*figure, side)).collect(),
        /// Against the baseline, in per cent; null where one of the two is missing or the
        /// baseline is 0. Empty for the baseline.
        change_percent: Map<String, Value> = before.map_or_else(Map::new, |number| {
            figures.map(|figure| (plain(*figure), percent(group.change(number, *figure)))).collect()
        }),
        response_time_test: Option<Tested> = sure.map(|sure| of((&sure.response_time, sure.level))),
        turnaround_test: Option<Tested> = sure.map(|sure| of((&sure.turnaround, sure.level))),
    }

    struct Tested of confidence, level: (&Confidence, f64)
    where
        let (n, p, greater) = match confidence {
            Confidence::TooFew(a, b) => ((*a, *b), None, None),
            Confidence::Coarse(_) => ((0, 0), None, None),
            Confidence::Blocks(test) => ((test.blocks as u64, test.blocks as u64), Some(test.p), None),
            Confidence::Tested(test) => (test.n, Some(test.p), Some(test.greater())),
        };
    {
        baseline_values: u64 = n.0,
        values: u64 = n.1,
        /// Null where there are too few values.
        p: Option<f64> = p.map(rounded),
        /// What the test of single values says, as if none depended on the ones before it; null where there is no
        /// such test.
        p_if_independent: Option<f64> = match confidence {
            Confidence::Tested(test) => Some(rounded(test.p_if_independent)),
            _ => None,
        },
        /// By a clock that ticks so rarely no single time can be compared: its tick; else null.
        clock_tick_ns: Option<u64> = match confidence {
            Confidence::Coarse(tick_ns) => Some(*tick_ns),
            _ => None,
        },
        /// How likely a value is greater than one of the baseline.
        greater: Option<f64> = greater,
        significant: Option<bool> = p.map(|p| p < level),
    }
}

fn parts(parts: &[CulpritTime], scale: u128) -> Vec<ComparedPart> {
    parts.iter().map(|part| of((part, scale))).collect()
}

fn nanoseconds(ratio: Ratio, scale: u128) -> i64 {
    i64::try_from(ratio.scaled(scale)).unwrap_or(i64::MAX)
}

fn percent(change: Option<Change>) -> Value {
    let change = match change {
        Some(Change::Thousandths(n)) => Number::from_f64(n as f64 / 10.0),
        Some(Change::FromNothing) | None => None,
    };
    change.map_or(Value::Null, Value::Number)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_the_published_one() {
        let schema = crate::schema::of::<ComparedDocument<'_>>(SCHEMA);
        crate::schema::check("compare.schema.json", &schema);
    }
}
