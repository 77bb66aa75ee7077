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

/// Time beside the active time that may be part of it, ns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beside {
    /// Idle time that may be loss recovery.
    pub(crate) idle: u64,
    /// Silences while clients waited for a response, in which the clock may have been set.
    pub(crate) silences: u64,
}

impl Beside {
    fn of(self, culprit: Culprit) -> u64 {
        match culprit {
            Culprit::Client => 0,
            Culprit::Network => self.all(),
            Culprit::Server => self.silences,
        }
    }

    /// If it is active time, it is this one's.
    fn surely(self, culprit: Culprit) -> u64 {
        match culprit {
            Culprit::Network => self.idle,
            Culprit::Client | Culprit::Server => 0,
        }
    }

    fn all(self) -> u64 {
        self.idle.saturating_add(self.silences)
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
    /// This one's time, where so much time beside the active time may be another's.
    pub(crate) fn of(culprit: Culprit, total: &Ledger, beside: Beside) -> Self {
        let mut ns = culprit.of(total);
        let active = total.active();
        // A share of more time is less, but for the share of whom the time is.
        let own = beside.of(culprit);
        ns.high = ns.high.saturating_add(own);
        let others = beside.all() - beside.surely(culprit);
        Self {
            ns,
            thousandths: Bounds {
                low: thousandths(ns.low, active.saturating_add(others)),
                high: thousandths(ns.high, active.saturating_add(own)),
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

/// Less than this beside the active time is not mentioned, ns,
const LEAST_NS: u64 = 1_000_000_000;
/// nor less than this part of the active time, in thousandths.
const LEAST_PART: u64 = 100;

/// Whether so much time beside the active time is worth a word.
pub(crate) fn is_notable_beside(active_ns: u64, ns: u64) -> bool {
    ns >= LEAST_NS && (active_ns == 0 || thousandths(ns, active_ns) >= LEAST_PART)
}

pub(crate) fn thousandths(part: u64, whole: u64) -> u64 {
    let (part, whole) = (u128::from(part), u128::from(whole));
    u64::try_from((part * 2000 + whole).checked_div(2 * whole).unwrap_or(0)).unwrap_or(0)
}
