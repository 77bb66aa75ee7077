//! Pauses that count as idle in one of two captures, and as time of the clients in the other: they are a
//! little longer than the think limit in one, and a little shorter in the other. Then the active time of
//! the two is not of the same things.

use super::blame;
use super::conclusion::beyond;
use super::{MATERIAL, Ratio};
use wirewait_analysis::{Phase, Snapshot};

/// Whether most of the difference of the active time, for each of what `of` counts, is of pauses that the
/// other capture has as idle time.
pub(super) fn moved(
    captures: &[&Snapshot],
    number: usize,
    of: impl Fn(usize) -> Option<u64>,
) -> bool {
    let each = |place: usize| {
        let ledger = blame::total(captures.get(place)?);
        let n = u128::from(of(place)?);
        let active = Ratio::new(u128::from(ledger.active()), n)?;
        let of = |phase: Phase| ledger.get(phase) as f64 / n as f64;
        Some((active, of(Phase::Client), of(Phase::Idle)))
    };
    let (Some(base), Some(other)) = (each(0), each(number + 1)) else {
        return false;
    };
    let active = other.0.number() - base.0.number();
    let (client, idle) = (other.1 - base.1, other.2 - base.2);
    let of_clients = client * active > 0.0 && client.abs() * 2.0 >= active.abs();
    let is_idle_there = client * idle < 0.0 && idle.abs() * 2.0 >= client.abs();
    beyond(base.0.change(other.0), MATERIAL) && of_clients && is_idle_there
}
