//! What marks a part of active time that is one of a wide interval.

use crate::figures::Percent;
use crate::time::Digits;
use wirewait_analysis::{Bounds, ClockTick, Ledger, LedgerRow};
use wirewait_judge::{Culprit, row_parts};

/// From here on, in thousandths of the active time, an interval is wide.
const WIDE: u64 = 150;

/// Whether the bounds of this part of a row's active time are far apart: what may be the network's, or what
/// a coarse clock cannot show.
#[must_use]
pub(crate) fn is_wide(culprit: Culprit, row: &LedgerRow, tick: &ClockTick) -> bool {
    !bound_mark(culprit, row, tick).is_empty()
}

/// How much of this one's time may be the network's, ns; 0 where that is not much of the active time.
#[must_use]
pub fn perhaps_network(culprit: Culprit, ledger: &Ledger) -> u64 {
    let Bounds { low, high } = culprit.of(ledger);
    let apart = high.saturating_sub(low);
    let wide = u128::from(apart) * 1000 >= u128::from(ledger.active()) * u128::from(WIDE);
    match culprit {
        Culprit::Client | Culprit::Server if wide => apart,
        _ => 0,
    }
}

/// What stands before a part of the active time that is one of a wide interval, on every surface: the
/// network has at least what is shown, clients and servers have at most that; about that where the clock
/// alone makes it wide.
#[must_use]
pub fn bound_mark(culprit: Culprit, row: &LedgerRow, tick: &ClockTick) -> &'static str {
    let active = u128::from(row.ledger.active());
    if active == 0 {
        return "";
    }
    let apart = |of: Bounds| u128::from(of.high - of.low);
    let wide = |ns: u128| ns * 1000 >= active * u128::from(WIDE);
    let known = apart(culprit.of(&row.ledger));
    let seen = match tick.ns {
        0 => known,
        _ => apart(row_parts(row, tick)[culprit as usize]),
    };
    // Where neither is wide alone, the clock is the reason, too.
    let coarse = wide(seen) && (!wide(known) || wide(seen - known.min(seen)));
    match culprit {
        _ if coarse => "~ ",
        _ if !wide(known) => "",
        Culprit::Network => "\u{2265} ",
        Culprit::Client | Culprit::Server => "\u{2264} ",
    }
}

/// A part of the active time as tables show it, marked where it is one of a wide interval.
#[must_use]
pub fn marked(culprit: Culprit, row: &LedgerRow, tick: &ClockTick) -> Option<String> {
    let active = row.ledger.active();
    let percent = Percent(culprit.shown(&row.ledger), active);
    (active > 0).then(|| format!("{}{percent}", bound_mark(culprit, row, tick)))
}

/// What the marks mean, below tables that have them.
pub(crate) const MARKED: &str = "\u{2264} and \u{2265}: some of the client's or the server's time may \
                                 be the network's, 15 % of active time or more";

/// What the mark of a coarse clock means, below tables that have it.
#[must_use]
pub(crate) fn coarse_marked(tick: &ClockTick) -> Option<String> {
    (tick.ns > 0).then(|| {
        format!(
            "~: the clock of the capture ticks every {}; that alone leaves 15 % of active time or more open",
            Digits::Three.span(tick.period_ns)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::made;
    use wirewait_analysis::Phase;

    /// Of 100 ns, 60 are the client's, of which this may be the way to it; ten requests.
    fn row(way: u64) -> LedgerRow {
        let times = [
            (Phase::Client, 60),
            (Phase::Request, 5),
            (Phase::Server, 35),
        ];
        let way = Bounds { low: 0, high: way };
        made!(LedgerRow {
            ledger: Ledger::from_iter(times).with_network(Bounds::default(), way),
            requests: 10,
            turnarounds: 10,
            pauses: 10,
        })
    }

    #[test]
    fn one_bound_of_a_wide_interval_is_marked_in_tables() {
        let fine = ClockTick::default();
        let of = |way| Culprit::ALL.map(|culprit| marked(culprit, &row(way), &fine).unwrap());
        assert_eq!(of(14), ["60.0 %", "5.0 %", "35.0 %"]);
        assert_eq!(of(15), ["\u{2264} 60.0 %", "\u{2265} 5.0 %", "35.0 %"]);
        assert_eq!(marked(Culprit::Client, &LedgerRow::default(), &fine), None);
        let perhaps = |way| Culprit::ALL.map(|one| perhaps_network(one, &row(way).ledger));
        assert_eq!((perhaps(14), perhaps(15)), ([0; 3], [15, 0, 0]));
    }

    /// The ten turnarounds, each a tick of 1 ns longer or shorter, with a way of two ticks: 35 - 30 to
    /// 35 + 10. A slice of another request of the capture is no slice of the row.
    #[test]
    fn a_share_that_the_clock_alone_makes_wide_is_marked_in_tables() {
        let tick = |requests| {
            made!(ClockTick {
                ns: 1,
                requests: requests,
            })
        };
        let of = |tick| Culprit::ALL.map(|culprit| marked(culprit, &row(0), &tick).unwrap());
        assert_eq!(of(tick(1000)), ["~ 60.0 %", "~ 5.0 %", "~ 35.0 %"]);
        let at = |requests: u64| row_parts(&row(0), &tick(requests))[Culprit::Server as usize];
        assert_eq!(at(10), Bounds { low: 5, high: 45 });
        assert_eq!(at(1000), at(10));
        let mut fine = tick(10);
        fine.ns = 0;
        assert_eq!(of(fine), ["60.0 %", "5.0 %", "35.0 %"]);
    }
}
