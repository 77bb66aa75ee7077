//! A floor that every request of a server pays, equal for cheap and for dear operations: the mark of distance.

use crate::finding::Finding;
use crate::share::Culprit;
use wirewait_analysis::{ENOUGH, ServerRow, Snapshot};
use wirewait_wire::{Endpoint, Kind};

/// As many operations, and classes of them, make a floor.
const OPERATIONS: u64 = 4;
const KINDS: u64 = 3;
/// The shortest turnaround of each is no longer than the shortest of all by more than this part of it.
const PART: i64 = 4;
/// A processor alone makes turnarounds of less alike, ns.
const LEAST_NS: i64 = 500_000;

/// A server that is named has one from here on, ns,
const FAR_NS: i64 = 5_000_000;
/// where its transport answers in this part of that.
const NEARER: i64 = 10;

/// What to say where the server and the network cannot be told apart, or the server is named and its transport shows it near,
/// and each operation of the server that has most of that time takes as long as each other at least; that has to be half of
/// what they took or more. How many operations, and the shortest turnaround, ns; and how near it is, where it is named.
pub(crate) fn floor(
    snapshot: &Snapshot,
    finding: Finding,
    at: Option<(Endpoint, u64)>,
) -> Option<(u64, u64, Option<u64>)> {
    let two = [Culprit::Server, Culprit::Network];
    let either = |a, b| two.contains(&a) && two.contains(&b);
    let (server, _) = at?;
    let near = || {
        let mut trips = snapshot.round_trips.iter();
        let trip = trips.find(|trip| trip.station == server && trip.samples > 0)?;
        Some(trip.shortest_ns)
    };
    let near = match finding {
        Finding::Either(a, b) if either(a, b) => None,
        Finding::Named(Culprit::Server) => Some(near()?),
        _ => return None,
    };
    let rows = snapshot.servers.iter();
    let rows: Vec<&ServerRow> = rows
        .filter(|row| row.server == server && row.turnaround.n > 0 && row.kind != Kind::Wait)
        .collect();
    let shortest = || rows.iter().map(|row| row.turnaround.min);
    let (least, most) = (shortest().min()?, shortest().max()?);
    let mut kinds: Vec<Kind> = rows.iter().map(|row| row.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let n: u64 = rows.iter().map(|row| row.turnaround.n).sum();
    let took: i128 = rows.iter().map(|row| row.turnaround.total).sum();
    let dear = kinds.contains(&Kind::Read) || kinds.contains(&Kind::Write);
    let (operations, kinds) = (rows.len() as u64, kinds.len() as u64);
    let several = operations >= OPERATIONS && kinds >= KINDS && dear && n >= ENOUGH;
    let equal = least >= LEAST_NS && most <= least.saturating_add(least / PART);
    let matters = i128::from(least) * i128::from(n) * 2 >= took;
    let far = near.is_none_or(|ns| least >= FAR_NS && ns.saturating_mul(NEARER) <= least);
    let found = several && equal && matters && far;
    found.then_some((
        operations,
        least.unsigned_abs(),
        near.map(i64::unsigned_abs),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_analysis::RoundTrip;

    const MS: i64 = 1_000_000;

    /// Operations of one server, by class, number, shortest and mean turnaround.
    fn snapshot(operations: &[(Kind, u64, i64, i64)]) -> Snapshot {
        let mut snapshot = Snapshot::default();
        for (kind, n, min, mean) in operations {
            let mut row = ServerRow::default();
            (row.server, row.kind) = (station(), *kind);
            row.turnaround.n = *n;
            row.turnaround.min = *min;
            row.turnaround.total = i128::from(*mean) * i128::from(*n);
            snapshot.servers.push(row);
        }
        snapshot
    }

    fn station() -> Endpoint {
        Endpoint::mac([2, 0, 0, 0, 0, 9])
    }

    fn said(operations: &[(Kind, u64, i64, i64)]) -> Option<(u64, u64)> {
        let two = Finding::Either(Culprit::Network, Culprit::Server);
        let found = floor(&snapshot(operations), two, Some((station(), 900)));
        assert!(found.is_none_or(|(.., near)| near.is_none()));
        found.map(|(operations, ns, _)| (operations, ns))
    }

    const FAR: [(Kind, u64, i64, i64); 4] = [
        (Kind::Session, 1, 8 * MS, 8 * MS),
        (Kind::Open, 1, 9 * MS, 9 * MS),
        (Kind::Read, 100, 8 * MS, 9 * MS),
        (Kind::Write, 40, 10 * MS, 12 * MS),
    ];

    #[test]
    fn what_cheap_and_dear_operations_take_alike_is_a_floor() {
        assert_eq!(said(&FAR), Some((4, 8_000_000)));
        let other = Endpoint::mac([2, 0, 0, 0, 0, 8]);
        let two = Finding::Either(Culprit::Network, Culprit::Server);
        assert_eq!(floor(&snapshot(&FAR), two, Some((other, 900))), None);
    }

    /// Its transport answers in 0.8 ms, and each operation takes 8 at least: who answers may be another one.
    #[test]
    fn a_server_that_is_named_is_far_if_its_transport_is_near() {
        let named = |rows: &[_], shortest_ns: Option<i64>| {
            let mut snapshot = snapshot(rows);
            snapshot.round_trips.extend(shortest_ns.map(|ns| {
                let mut trip = RoundTrip::default();
                (trip.station, trip.samples, trip.shortest_ns) = (station(), 3, ns);
                trip
            }));
            let finding = Finding::Named(Culprit::Server);
            floor(&snapshot, finding, Some((station(), 900)))
        };
        let near = Some((4, 8_000_000, Some(800_000)));
        assert_eq!(named(&FAR, Some(800_000)), near);
        assert_eq!(named(&FAR, Some(800_001)), None, "as far as that");
        assert_eq!(named(&FAR, None), None, "nobody knows how far it is");
        let halved = FAR.map(|(kind, n, min, mean)| (kind, n, min / 2, mean / 2));
        assert_eq!(named(&halved, Some(1_000)), None, "4 ms may be its work");
        assert_eq!(named(&FAR[1..], Some(1_000)), None);
    }

    #[test]
    fn unlike_few_or_short_operations_have_none() {
        let with = |place: usize, row| {
            let mut rows = FAR;
            rows[place] = row;
            said(&rows)
        };
        assert_eq!(with(0, (Kind::Session, 1, MS, MS)), None, "cheap");
        assert_eq!(with(3, (Kind::Write, 40, 11 * MS, 12 * MS)), None, "dear");
        assert_eq!(
            with(0, (Kind::Read, 1, 8 * MS, 8 * MS)),
            Some((4, 8_000_000))
        );
        assert_eq!(
            with(1, (Kind::Write, 1, 8 * MS, 8 * MS)),
            Some((4, 8_000_000))
        );
        assert_eq!(
            with(2, (Kind::Read, 10, 8 * MS, 9 * MS)),
            Some((4, 8_000_000))
        );
        assert_eq!(
            with(2, (Kind::Read, 100, 8 * MS, 30 * MS)),
            None,
            "waits besides"
        );
        assert_eq!(said(&FAR[1..]), None, "three operations");
        let short = FAR.map(|(kind, n, min, mean)| (kind, n, min / 20, mean / 20));
        assert_eq!(said(&short), None);
    }
}
