//! Long messages that are as slow as the receiver's window makes them.
//!
//! No more is on its way than the window (RFC 9293, 3.8.6), and what is acknowledged was sent a round trip before. So
//! the byte that comes `n` windows behind the first of a message comes `n` round trips later at least, wherever
//! that is captured.

use crate::message::Message;
use crate::windows::Offers;
use crate::world::{Between, Event, Events};
use crate::{Notice, Noticed};

/// A message in fewer frames is not looked at: most windows take it whole.
pub(super) const FRAMES: u32 = 16;
/// The window has this part of a message's time at least, in tenths.
const MOST: i64 = 8;
/// What it says to take longer than the message took, by more than this part of it, was another round trip.
const LONGER: i64 = 8;
/// Shorter messages are over before anyone waits, ns.
const LEAST_NS: i64 = 10_000_000;

/// Tells if this message of `side` was no faster than the window of the other side allowed.
#[cold]
#[inline(never)]
pub(super) fn watch(
    side: usize,
    message: &Message<'_>,
    offers: Option<&Offers>,
    between: &Between,
    events: &mut impl Events,
) {
    let Some((window, round_trip_ns)) = offers.and_then(|offers| offers.largest(1 - side)) else {
        return;
    };
    let (from, to) = message.range;
    let extent = message.tally.extent;
    let Some(took) = extent.first.until(extent.last).filter(|ns| *ns >= LEAST_NS) else {
        return;
    };
    let bytes = to.saturating_sub(from);
    let Some(least_ns) = least(bytes, window, round_trip_ns) else {
        return;
    };
    let most = took.saturating_add(took / LONGER);
    if least_ns.saturating_mul(10) < took.saturating_mul(MOST) || least_ns > most {
        return;
    }
    events.tell(Event::Notice(&Notice {
        mark: extent.last,
        from: between.ends[side],
        to: between.ends[1 - side],
        carrier: between.carrier,
        conversation: Some(between.conversation),
        bytes,
        what: Noticed::FilledWindow {
            first: extent.first,
            window,
            round_trip_ns,
            least_ns: least_ns.min(took),
        },
    }));
}

/// How long this number of bytes takes at least, ns.
fn least(bytes: u64, window: u64, round_trip_ns: i64) -> Option<i64> {
    let windows = bytes.checked_sub(1)?.checked_div(window)?;
    i64::try_from(windows).ok()?.checked_mul(round_trip_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_window_behind_the_first_takes_a_round_trip() {
        assert_eq!(least(1_000, 1_000, 40), Some(0));
        assert_eq!(least(1_001, 1_000, 40), Some(40));
        assert_eq!(least(3_000, 1_000, 40), Some(80));
        assert_eq!(least(0, 1_000, 40), None);
        assert_eq!(least(5, 0, 40), None);
        assert_eq!(least(u64::MAX, 1, i64::MAX), None);
    }
}
