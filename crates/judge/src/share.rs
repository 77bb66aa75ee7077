//! Who can have the time, and how much of it.

use wirewait_analysis::{Bounds, Ledger, LedgerOf, LedgerRow, Snapshot};

/// Who can have the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Culprit {
    /// The clients, between their requests.
    Client,
    /// Transfers, loss recovery, and the way between the capture and the stations.
    Network,
    /// The servers.
    Server,
}

impl Culprit {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 3] = [Self::Client, Self::Network, Self::Server];

    /// The name used in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Network => "network",
            Self::Server => "server",
        }
    }

    /// Its time in a ledger.
    #[must_use]
    pub fn of(self, ledger: &Ledger) -> Bounds {
        match self {
            Self::Client => ledger.client(),
            Self::Network => ledger.network(),
            Self::Server => ledger.server(),
        }
    }

    /// Its time where the network has no more than is proved, as tables show it. Without the
    /// unanswered requests, the three sum to the active time.
    #[must_use]
    pub fn shown(self, ledger: &Ledger) -> u64 {
        match self {
            Self::Network => self.of(ledger).low,
            Self::Client | Self::Server => self.of(ledger).high,
        }
    }
}

impl Culprit {
    pub(crate) const fn order(self) -> usize {
        self as usize
    }
}

/// A part of the active time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Client-nanoseconds.
    pub ns: Bounds,
    /// Thousandths of the active time.
    pub thousandths: Bounds,
}

impl Share {
    /// This one's time, where so much idle time beside the active time may be the network's.
    pub(crate) fn of(culprit: Culprit, total: &Ledger, idle: u64) -> Self {
        let mut ns = culprit.of(total);
        let active = total.active();
        let most = active.saturating_add(idle);
        // A share of more time is less, but for the share of whom the time is.
        let (of_least, of_most) = match culprit {
            Culprit::Network => (active, most),
            Culprit::Client | Culprit::Server => (most, active),
        };
        if culprit == Culprit::Network {
            ns.high = ns.high.saturating_add(idle);
        }
        Self {
            ns,
            thousandths: Bounds {
                low: thousandths(ns.low, of_least),
                high: thousandths(ns.high, of_most),
            },
        }
    }
}

pub(crate) fn total(snapshot: &Snapshot) -> Ledger {
    whole(snapshot).ledger
}

/// The row of the capture.
pub(crate) fn whole(snapshot: &Snapshot) -> LedgerRow {
    let mut rows = snapshot.ledgers.iter();
    let row = rows.find(|row| row.of == LedgerOf::Capture);
    row.cloned().unwrap_or_default()
}

pub(crate) fn thousandths(part: u64, whole: u64) -> u64 {
    let (part, whole) = (u128::from(part), u128::from(whole));
    u64::try_from((part * 2000 + whole).checked_div(2 * whole).unwrap_or(0)).unwrap_or(0)
}
