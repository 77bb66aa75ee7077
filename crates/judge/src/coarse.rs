//! What a coarse clock leaves of the shares.
//!
//! A frame is stamped up to a tick from when it was captured, so a time of `n` ticks was one between `n - 1` and
//! `n + 1`. Errors of many slices mostly cancel out, but nothing makes them: requests that follow each other in
//! the rhythm of the clock are all wrong by the same. So the bounds are those of every slice, added up.

use crate::share::{Culprit, Share, thousandths, whole};
use wirewait_analysis::{Bounds, ClockSet, ClockTick, LedgerOf, LedgerRow, Phase, Snapshot};

/// Ticks by which the way to a station may be longer: the shortest answer, and how much others vary.
const WAY: u64 = 2;

/// Shares widened by what the clock cannot show.
pub(crate) fn shares(exact: [Share; 3], snapshot: &Snapshot) -> [Share; 3] {
    let tick = &snapshot.tick;
    if tick.ns == 0 {
        return exact;
    }
    let row = whole(snapshot);
    let clients = snapshot.ledgers.iter();
    let clients = clients.filter(|row| matches!(row.of, LedgerOf::Client(_)));
    let active = Active::of((&row, snapshot.clock_set), tick, clients.count() as u64);
    let wide = [client(&row, tick), network(&row, tick), server(&row, tick)];
    let wide = Culprit::ALL.map(|of| {
        let (exact, wide) = (exact[of as usize].ns, wide[of as usize]);
        Bounds {
            low: exact.low.min(wide.low),
            high: exact.high.max(wide.high).min(active.high),
        }
    });
    Culprit::ALL.map(|of| {
        let Bounds { low, high } = wide[of as usize];
        // Nobody has what others surely have.
        let others = Culprit::ALL.into_iter().filter(|other| *other != of);
        let others: u64 = others.map(|other| wide[other as usize].low).sum();
        let high = high.min(active.high.saturating_sub(others)).max(low);
        Share {
            ns: Bounds { low, high },
            thousandths: Bounds {
                low: thousandths(low, active.high),
                high: thousandths(high, active.low).min(1000),
            },
        }
    })
}

/// The active time of a capture, ns, widened likewise.
pub(crate) fn active(snapshot: &Snapshot) -> Bounds {
    let row = whole(snapshot);
    let clients = snapshot.ledgers.iter();
    let clients = clients.filter(|row| matches!(row.of, LedgerOf::Client(_)));
    let exact = row.ledger.active();
    if snapshot.tick.ns == 0 {
        return Bounds {
            low: exact,
            high: exact,
        };
    }
    let wide = Active::of((&row, None), &snapshot.tick, clients.count() as u64);
    Bounds {
        low: wide.low,
        high: wide.high,
    }
}

/// The parts of a row's active time, ns, in the order of [`Culprit::ALL`], widened by what a clock of such
/// ticks cannot show. How often it may be wrong is counted for the capture; each request of the row has
/// four slices at most that are not the server's, and two messages.
#[must_use]
pub fn row_parts(row: &LedgerRow, tick: &ClockTick) -> [Bounds; 3] {
    let exact = Culprit::ALL.map(|of| of.of(&row.ledger));
    if tick.ns == 0 {
        return exact;
    }
    let few = |of_all: u64, each: u64| of_all.min(row.requests.saturating_mul(each));
    let mut tick = *tick;
    tick.requests = few(tick.requests, 1);
    // Several losses, and waits, may lie in one pause.
    let apart = [Phase::Retransmission, Phase::Waiting];
    if apart.into_iter().all(|phase| row.ledger.get(phase) == 0) {
        tick.slices = few(tick.slices, 4);
        tick.transfers = few(tick.transfers, 2);
    }
    tick.nearly_idle = tick.nearly_idle.min(row.ledger.get(Phase::Client));
    tick.hardly_idle = tick.hardly_idle.min(row.ledger.get(Phase::Idle));
    let wide = [client(row, &tick), network(row, &tick), server(row, &tick)];
    Culprit::ALL.map(|of| {
        let (exact, wide) = (exact[of as usize], wide[of as usize]);
        Bounds {
            low: exact.low.min(wide.low),
            high: exact.high.max(wide.high),
        }
    })
}

/// Whether the ticks are so long that idle time is no different from pauses.
pub(crate) fn hides_idle(snapshot: &Snapshot) -> bool {
    let think = u64::try_from(snapshot.settings.think_ns).unwrap_or(0);
    snapshot.tick.ns > think / ClockTick::NEARLY
}

/// Active time at least and at most, ns.
struct Active {
    low: u64,
    high: u64,
}

impl Active {
    fn of((row, silences): (&LedgerRow, Option<ClockSet>), tick: &ClockTick, clients: u64) -> Self {
        let active = row.ledger.active();
        let silences = silences.map_or(0, |set| set.unsure_ns);
        let unknown = [Phase::Waiting, Phase::Unknown, Phase::Unanswered];
        let unknown = unknown.into_iter().any(|phase| row.ledger.get(phase) > 0);
        let edges = clients + tick.idles + if unknown { tick.slices } else { 0 };
        let off = tick.ns.saturating_mul(edges);
        Self {
            low: active
                .saturating_sub(off)
                .saturating_sub(tick.nearly_idle)
                .max(1),
            high: active
                .saturating_add(off)
                .saturating_add(tick.hardly_idle)
                .saturating_add(silences),
        }
    }
}

/// Of clients: nearly all that may be idle.
fn client(row: &LedgerRow, tick: &ClockTick) -> Bounds {
    let way = row.ledger.network_in_client();
    let of = part(row.ledger.client(), (row.pauses, way), tick);
    Bounds {
        low: of.low.saturating_sub(tick.nearly_idle),
        high: of.high.saturating_add(tick.hardly_idle),
    }
}

fn server(row: &LedgerRow, tick: &ClockTick) -> Bounds {
    let way = row.ledger.network_in_server();
    part(row.ledger.server(), (row.turnarounds, way), tick)
}

/// Of a station with this number of slices, and the way to it within them.
fn part(of: Bounds, (slices, way): (u64, Bounds), tick: &ClockTick) -> Bounds {
    let off = |ticks: u64| tick.ns.saturating_mul(ticks);
    let low = of.low.saturating_sub(off(slices * (1 + WAY)));
    // The way may be shorter than was measured, by a tick of each slice.
    let high = of.high.saturating_add(off(tick.requests));
    let high = high.saturating_add(off(slices).min(way.low));
    Bounds { low, high }
}

fn network(row: &LedgerRow, tick: &ClockTick) -> Bounds {
    let off = |ticks: u64| tick.ns.saturating_mul(ticks);
    let moved = [Phase::Request, Phase::Response, Phase::Retransmission];
    let moved: u64 = moved.map(|phase| row.ledger.get(phase)).into_iter().sum();
    let mut low = moved.saturating_sub(off(tick.slices));
    let mut high = moved.saturating_add(off(tick.transfers + tick.slices));
    let ways = [
        (
            row.ledger.network_in_server(),
            row.turnarounds,
            Phase::Server,
        ),
        (row.ledger.network_in_client(), row.pauses, Phase::Client),
    ];
    for (way, slices, phase) in ways {
        low = low.saturating_add(way.low.saturating_sub(off(slices)));
        // It is no longer than what it lies in.
        let longest = row.ledger.get(phase).saturating_add(way.low);
        let longest = longest.saturating_add(off(tick.requests));
        let longer = way.high.saturating_add(off(tick.requests * WAY));
        high = high.saturating_add(longer.min(longest));
    }
    Bounds { low, high }
}
