//! Rows of snapshots, put together under common keys.

use super::sure::{Courses, judge};
use super::{By, Confidence, Group, Key, LEVEL, Side, Sure, Values};
use std::collections::BTreeMap;
use std::sync::Arc;
use wirewait_analysis::{
    Counts, Fidelity, Grouping, LedgerOf, LedgerRow, LevelCurve, LevelRow, LoadOf, PlaceRow,
    Sample, Samples, ServerRow, Snapshot, Spread, StationRow, Times,
};
use wirewait_wire::Kind;

/// Everything of each capture.
pub(super) fn all(captures: &[&Snapshot], values: &[Values]) -> Group {
    let all = |values: &Values| BTreeMap::from([(Key::All, values.all())]);
    let courses: Vec<Courses> = values.iter().map(all).collect();
    let sides = captures.iter().enumerate().map(|(number, snapshot)| {
        let mut side = Gathered::default();
        for row in &snapshot.servers {
            side.operation(row, measures_service(row.kind));
        }
        let mut side = side.finish();
        if let Some((values, courses)) = values.get(number).zip(courses.get(number)) {
            if let Some(course) = courses.get(&Key::All) {
                side.take(values.samples(course));
            }
            side.jobs = Some(values.jobs());
        }
        if let Some(curve) = curve(snapshot) {
            (side.peak, side.peak_transactions) = (curve.peak, curve.peak_transactions);
        }
        side.elapsed_ns = row(snapshot, |of| *of == LedgerOf::Capture).map(|row| row.span_ns);
        side.busy_ns = snapshot
            .stations
            .iter()
            .map(|row| row.busy_ns)
            .reduce(u64::saturating_add);
        side.active_ns =
            row(snapshot, |of| *of == LedgerOf::Capture).map(|row| row.ledger.active());
        Some(side)
    });
    let mut all = vec![Group {
        key: Key::All,
        sides: sides.collect(),
        sure: Vec::new(),
    }];
    judge(&mut all, &courses, &ticks(captures));
    all.swap_remove(0)
}

/// The groups of all captures.
pub(super) fn groups(captures: &[&Snapshot], values: &[Values], by: By) -> Vec<Group> {
    if by == By::Load {
        return by_load(captures);
    }
    let mut table: BTreeMap<Key, Vec<Option<Gathered>>> = BTreeMap::new();
    for (number, snapshot) in captures.iter().enumerate() {
        let mut at = |key: Key, add: &mut dyn FnMut(&mut Gathered)| {
            let sides = table
                .entry(key)
                .or_insert_with(|| vec![None; captures.len()]);
            if let Some(side) = sides.get_mut(number) {
                add(side.get_or_insert_with(Gathered::default));
            }
        };
        match by {
            By::Operation => {
                for row in &snapshot.servers {
                    let key = Key::Operation {
                        protocol: row.protocol,
                        command: row.command,
                        code: row.code,
                        kind: row.kind,
                    };
                    at(key, &mut |side| side.operation(row, true));
                }
            }
            By::Kind => {
                for row in &snapshot.servers {
                    at(Key::Kind(row.kind), &mut |side| side.operation(row, true));
                }
            }
            By::Server => {
                for row in &snapshot.servers {
                    at(Key::Server(row.server), &mut |side| {
                        side.operation(row, measures_service(row.kind));
                    });
                }
                for row in &snapshot.ledgers {
                    if let LedgerOf::Server(server) = row.of {
                        at(Key::Server(server), &mut |side| side.elapsed(row));
                    }
                }
            }
            By::Client => {
                for row in &snapshot.stations {
                    at(Key::Client(row.client), &mut |side| side.station(row));
                }
                for row in &snapshot.ledgers {
                    if let LedgerOf::Client(client) = row.of {
                        at(Key::Client(client), &mut |side| side.elapsed(row));
                    }
                }
            }
            By::Share | By::File => {
                for row in &snapshot.places {
                    if let Some(key) = place(by, row) {
                        at(key, &mut |side| side.place(row));
                    }
                }
                for row in &snapshot.ledgers {
                    if let Some(key) = owner(by, &row.of) {
                        at(key, &mut |side| side.elapsed(row));
                    }
                }
            }
            // They have their figures, and no rows to gather them from.
            By::Load => {}
        }
    }
    let mut groups: Vec<Group> = table
        .into_iter()
        .map(|(key, sides)| Group {
            key,
            sides: sides
                .into_iter()
                .map(|side| side.map(Gathered::finish))
                .collect(),
            sure: Vec::new(),
        })
        // What has an account but was never asked for anything is nobody's.
        .filter(|group| {
            group
                .sides
                .iter()
                .flatten()
                .any(|side| side.counts != Default::default())
        })
        .collect();
    let courses: Vec<Courses> = values.iter().map(|values| values.by(by)).collect();
    for (number, (values, courses)) in values.iter().zip(&courses).enumerate() {
        for group in &mut groups {
            let side = group.sides.get_mut(number).and_then(Option::as_mut);
            if let (Some(side), Some(course)) = (side, courses.get(&group.key)) {
                side.take(values.samples(course));
            }
        }
    }
    judge(&mut groups, &courses, &ticks(captures));
    groups.sort_by(|a, b| {
        let waited = |group: &Group| {
            let sides = group.sides.iter().flatten();
            std::cmp::Reverse(sides.map(|side| side.response_time.total).sum::<i128>())
        };
        (waited(a), &a.key).cmp(&(waited(b), &b.key))
    });
    groups
}

fn ticks(captures: &[&Snapshot]) -> Vec<u64> {
    captures.iter().map(|one| one.tick.ns).collect()
}

/// The numbers of active stations, each where it was steady, the fewest first. Their times are not
/// tested: the curves keep no single values.
fn by_load(captures: &[&Snapshot]) -> Vec<Group> {
    let mut table: BTreeMap<(u32, u32), Vec<Option<Side>>> = BTreeMap::new();
    for (number, snapshot) in captures.iter().enumerate() {
        let levels = curve(snapshot).into_iter().flat_map(|curve| &curve.levels);
        let steady = levels.filter(|row| row.stations > 0 && row.steady.ns > 0);
        for row in steady {
            let sides = table.entry((row.stations, row.stations_to));
            let sides = sides.or_insert_with(|| vec![None; captures.len()]);
            if let Some(side) = sides.get_mut(number) {
                *side = Some(level(row));
            }
        }
    }
    let none = Sure {
        turnaround: Confidence::TooFew(0, 0),
        response_time: Confidence::TooFew(0, 0),
        level: LEVEL,
        failures: None,
    };
    let groups = table.into_iter().map(|((from, to), sides)| Group {
        key: Key::Stations { from, to },
        sides,
        sure: vec![none; captures.len().saturating_sub(1)],
    });
    groups.collect()
}

fn level(row: &LevelRow) -> Side {
    let steady = &row.steady;
    let turnaround = &steady.turnaround;
    let moving = &steady.moved.response_time;
    Side {
        counts: Counts {
            requests: steady.answered,
            answered: steady.answered,
            ..Counts::default()
        },
        turnaround: Times {
            n: turnaround.n,
            min: turnaround.min,
            max: turnaround.max,
            total: turnaround.total,
            ..Times::default()
        },
        response_time: steady.response_time,
        data_bytes: steady.data_bytes,
        moving_bytes: steady.moved.data_bytes,
        moving_ns: moving.total,
        elapsed_ns: Some(steady.ns),
        of_load: true,
        ..Side::default()
    }
}

/// The load curve of a capture as a whole.
fn curve(snapshot: &Snapshot) -> Option<&LevelCurve> {
    let mut curves = snapshot.load.levels.iter();
    curves.find(|curve| curve.of == LoadOf::Capture)
}

/// Whether some capture has so little in common with the baseline that most of its requests,
/// or of the baseline's, have no counterpart.
pub(super) fn foreign(operations: &[Group], captures: usize) -> bool {
    let requests = |side: Option<&Side>| side.map_or(0, |side| side.counts.requests);
    (0..captures.saturating_sub(1)).any(|number| {
        let sum =
            |of: &dyn Fn(&Group) -> u64| operations.iter().map(of).fold(0, u64::saturating_add);
        let common = |group: &&Group| group.base().is_some() && group.other(number).is_some();
        let base = sum(&|group| requests(group.base()));
        let other = sum(&|group| requests(group.other(number)));
        let shared: (u64, u64) = operations
            .iter()
            .filter(common)
            .fold((0, 0), |sums, group| {
                (
                    sums.0 + requests(group.base()),
                    sums.1 + requests(group.other(number)),
                )
            });
        base > 0 && other > 0 && (shared.0 < base - shared.0 || shared.1 < other - shared.1)
    })
}

/// Statistics over several operations leave out what is no measure of service.
pub(super) fn measures_service(kind: Kind) -> bool {
    !matches!(kind, Kind::Wait | Kind::Session | Kind::Break)
}

fn row(snapshot: &Snapshot, wanted: impl Fn(&LedgerOf) -> bool) -> Option<&LedgerRow> {
    snapshot.ledgers.iter().find(|row| wanted(&row.of))
}

fn place(by: By, row: &PlaceRow) -> Option<Key> {
    match (by, row.by) {
        (By::Share, Grouping::Share) => Some(Key::Share(bare(&row.name))),
        (By::File, Grouping::File) => Some(Key::File {
            share: row.share.as_deref().map(bare),
            path: path(&row.name),
        }),
        _ => None,
    }
}

fn owner(by: By, of: &LedgerOf) -> Option<Key> {
    match (by, of) {
        (By::Share, LedgerOf::Share { share, .. }) => Some(Key::Share(bare(share))),
        (By::File, LedgerOf::File { share, path, .. }) => Some(Key::File {
            share: share.as_deref().map(bare),
            path: self::path(path),
        }),
        _ => None,
    }
}

/// The name of a file, with or without a separator in front.
pub(super) fn path(name: &str) -> Arc<str> {
    let bare = name.trim_start_matches(['\\', '/']);
    lower(if bare.is_empty() { name } else { bare })
}

/// The name of a share without that of its server.
pub(super) fn bare(share: &str) -> Arc<str> {
    let name = share.rsplit('\\').find(|part| !part.is_empty());
    lower(name.unwrap_or(share))
}

/// File servers take upper and lower case for the same.
fn lower(name: &str) -> Arc<str> {
    name.to_lowercase().into()
}

impl Side {
    /// Takes the values themselves in place of what rows keep of them, where that is more.
    fn take(&mut self, samples: Samples) {
        let Samples {
            turnaround,
            response_time,
        } = samples;
        let own = &mut self.samples;
        for (times, kept, values) in [
            (&mut self.turnaround, &mut own.turnaround, turnaround),
            (
                &mut self.response_time,
                &mut own.response_time,
                response_time,
            ),
        ] {
            let whole = values.fidelity() == Fidelity::Exact && values.n() == times.n;
            let better = kept.fidelity() == Fidelity::Drawn && values.n() > kept.n();
            if whole || better {
                *times = values.times(&spread(times));
                *kept = values;
            }
        }
    }
}

/// A side on its way: sums, and values from which the percentiles follow.
#[derive(Clone, Debug, Default)]
struct Gathered {
    side: Side,
    turnaround: Spread,
    response_time: Spread,
}

impl Gathered {
    fn operation(&mut self, row: &ServerRow, timed: bool) {
        let side = &mut self.side;
        side.counts.merge(&row.counts);
        side.frames.merge(&row.frames);
        side.data_bytes = side.data_bytes.saturating_add(row.data_bytes);
        side.moving_bytes = side.moving_bytes.saturating_add(row.moving_bytes);
        side.moving_ns = side.moving_ns.saturating_add(row.moving_ns);
        if timed {
            self.turnaround.merge(&spread(&row.turnaround));
            self.response_time.merge(&spread(&row.response_time));
            self.side.samples.merge(&row.samples);
        }
    }

    fn station(&mut self, row: &StationRow) {
        let side = &mut self.side;
        side.counts.merge(&row.counts);
        side.frames.merge(&row.frames);
        side.data_bytes = side.data_bytes.saturating_add(row.data_bytes);
        side.moving_bytes = side.moving_bytes.saturating_add(row.moving_bytes);
        side.moving_ns = side.moving_ns.saturating_add(row.moving_ns);
        side.busy_ns = Some(side.busy_ns.unwrap_or(0).saturating_add(row.busy_ns));
        self.turnaround.merge(&spread(&row.turnaround));
        self.response_time.merge(&spread(&row.response_time));
        self.side.samples.merge(&row.samples);
    }

    fn place(&mut self, row: &PlaceRow) {
        let side = &mut self.side;
        side.counts.merge(&row.counts);
        side.frames.merge(&row.frames);
        let moved = row.read_bytes.saturating_add(row.written_bytes);
        side.data_bytes = side.data_bytes.saturating_add(moved);
        side.moving_bytes = side.moving_bytes.saturating_add(row.moving_bytes);
        side.moving_ns = side.moving_ns.saturating_add(row.moving_ns);
        self.turnaround.merge(&row.turnaround);
        self.response_time.merge(&row.response_time);
        self.side.samples.merge(&row.samples);
    }

    /// Adds times of a ledger. A share on several servers was in use at least as long as on the
    /// one with the longest span.
    fn elapsed(&mut self, row: &LedgerRow) {
        let elapsed = row.span_ns;
        self.side.elapsed_ns = Some(self.side.elapsed_ns.map_or(elapsed, |ns| ns.max(elapsed)));
        let active = self.side.active_ns.unwrap_or(0);
        self.side.active_ns = Some(active.saturating_add(row.ledger.active()));
    }

    fn finish(self) -> Side {
        let times = |sample: &Sample, exact: &Spread| sample.times(exact);
        Side {
            turnaround: times(&self.side.samples.turnaround, &self.turnaround),
            response_time: times(&self.side.samples.response_time, &self.response_time),
            ..self.side
        }
    }
}

fn spread(times: &Times) -> Spread {
    Spread {
        n: times.n,
        min: times.min,
        max: times.max,
        total: times.total,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_known_without_its_server_and_in_any_case() {
        assert_eq!(&*bare(r"\\FS1\DATA"), "data");
        assert_eq!(&*bare("SYS"), "sys");
        assert_eq!(&*bare(r"\\"), r"\\");
        assert_eq!(&*bare(""), "");
        assert_eq!(&*path(r"\Pay.XLS"), "pay.xls");
        assert_eq!(&*path(r"pay\june.xls"), r"pay\june.xls");
        assert_eq!(&*path(r"\"), r"\");
    }
}
