//! Pauses beyond the think limit that are as long as each other: a program waits for a timer, and no person thinks.

use std::cmp::Reverse;
use wirewait_analysis::{LedgerOf, Phase, Snapshot, StationRow};
use wirewait_wire::Endpoint;

/// Fewer show nothing.
const LEAST: u64 = 16;
/// All but a tenth are between the shortest and this part of it more.
const PART: i64 = 10;

/// Pauses of a client, which are idle time since each is longer than the think limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegularPauses {
    /// The client.
    pub client: Endpoint,
    /// How many there are.
    pub count: u64,
    /// All of them together, ns.
    pub ns: u64,
    /// The shortest, ns.
    pub shortest_ns: u64,
    /// Nine tenths of them are no longer, ns.
    pub most_ns: u64,
}

impl RegularPauses {
    /// Those of the client that has most of them, where they are as much as half of the active time.
    pub(crate) fn of(snapshot: &Snapshot, active_ns: u64) -> Option<Self> {
        let all = snapshot.stations.iter().filter_map(Self::in_row);
        let most = all.max_by_key(|pauses| (pauses.ns, Reverse(pauses.client)));
        let most = most.filter(|pauses| pauses.ns.saturating_mul(2) >= active_ns);
        most.filter(|pauses| pauses.are_idle(snapshot))
    }

    /// Whether they are idle time, by the account of time: the response before a pause may have come so late that most of that is
    /// the network's.
    fn are_idle(&self, snapshot: &Snapshot) -> bool {
        let of = LedgerOf::Client(self.client);
        let row = snapshot.ledgers.iter().find(|row| row.of == of);
        let idle = row.map_or(0, |row| row.ledger.get(Phase::Idle));
        u128::from(idle) * 10 >= u128::from(self.ns) * 9
    }

    fn in_row(row: &StationRow) -> Option<Self> {
        let times = &row.think_time;
        let alike = times.p90 <= times.min.saturating_add(times.min / PART);
        let ns = |ns: i64| u64::try_from(ns).unwrap_or(0);
        (times.n >= LEAST && alike).then_some(Self {
            client: row.client,
            count: times.n,
            ns: row.think_ns,
            shortest_ns: ns(times.min),
            most_ns: ns(times.p90),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_analysis::{Ledger, LedgerRow};

    const MS: i64 = 1_000_000;

    fn row(last: u8, n: u64, [min, p90]: [i64; 2]) -> StationRow {
        let mut row = StationRow::default();
        row.client = Endpoint::mac([2, 0, 0, 0, 0, last]);
        row.think_ns = n * min.unsigned_abs();
        let times = &mut row.think_time;
        (times.n, times.min, times.p90) = (n, min, p90);
        row
    }

    /// What the account has of a client that is in `row`: so much idle time.
    fn idle(row: &StationRow, ns: u64) -> LedgerRow {
        let mut idle = LedgerRow::default();
        idle.of = LedgerOf::Client(row.client);
        idle.ledger = Ledger::from_iter([(Phase::Idle, ns)]);
        idle
    }

    fn found(rows: &[StationRow], active_ms: u64) -> Option<(Endpoint, u64)> {
        let mut snapshot = Snapshot::default();
        snapshot.stations = rows.to_vec();
        snapshot.ledgers = rows.iter().map(|row| idle(row, row.think_ns)).collect();
        let found = RegularPauses::of(&snapshot, active_ms * 1_000_000)?;
        assert_eq!(found.shortest_ns, 600_000_000);
        Some((found.client, found.ns / 1_000_000))
    }

    #[test]
    fn a_timer_makes_pauses_alike() {
        let timer = row(1, 16, [600 * MS, 660 * MS]);
        let more = row(2, 17, [600 * MS, 612 * MS]);
        assert_eq!(
            found(std::slice::from_ref(&timer), 100),
            Some((timer.client, 9_600))
        );
        assert_eq!(
            found(&[timer.clone(), more.clone()], 100),
            Some((more.client, 10_200))
        );
        // Half of 19.2 s, and less.
        assert_eq!(
            found(std::slice::from_ref(&timer), 19_200),
            Some((timer.client, 9_600))
        );
        assert_eq!(found(&[timer], 19_201), None);
    }

    #[test]
    fn who_thinks_does_not_pause_alike() {
        let person = row(1, 16, [600 * MS, 661 * MS]);
        let few = row(1, 15, [600 * MS, 601 * MS]);
        assert_eq!(found(&[person], 100), None);
        assert_eq!(found(&[few], 100), None);
    }

    /// Responses come 840 ms after they were sent, and 16 pauses of 851 ms behind them are hardly idle.
    #[test]
    fn what_is_on_the_way_does_not_pause() {
        let late = row(1, 16, [851 * MS, 852 * MS]);
        let mut snapshot = Snapshot::default();
        snapshot.stations = vec![late.clone()];
        let mut with = |ns| {
            snapshot.ledgers = vec![idle(&late, ns)];
            RegularPauses::of(&snapshot, 1_000).is_some()
        };
        assert!(with(12_254_400_000), "nine tenths of 13.616 s");
        assert!(!with(12_254_399_999));
        snapshot.ledgers.clear();
        assert_eq!(RegularPauses::of(&snapshot, 1_000), None);
    }
}
