//! Who has most of the active time, as far as it can be told.

use crate::share::{Culprit, Share};

/// What the capture shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Finding {
    /// This one had more than any other can have had.
    Named(Culprit),
    /// One of these two: the capture cannot tell which. In the order of [`Culprit::ALL`].
    Either(Culprit, Culprit),
    /// Nothing: there is too little, or too much of it is unknown.
    #[default]
    None,
}

impl Finding {
    /// The name used in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Named(culprit) => culprit.name(),
            Self::Either(Culprit::Client, Culprit::Network) => "client_or_network",
            Self::Either(Culprit::Client, _) => "client_or_server",
            Self::Either(..) => "server_or_network",
            Self::None => "none",
        }
    }

    /// The one with most of the time, if it can be told.
    #[must_use]
    pub const fn culprit(self) -> Option<Culprit> {
        match self {
            Self::Named(culprit) => Some(culprit),
            Self::Either(..) | Self::None => None,
        }
    }

    /// Whether the time before requests is that of those found, too.
    #[must_use]
    pub const fn is_of_clients(self) -> bool {
        matches!(
            self,
            Self::Named(Culprit::Client) | Self::Either(Culprit::Client, _)
        )
    }

    /// Of the shares in the order of [`Culprit::ALL`].
    pub(crate) fn on(shares: &[Share; 3]) -> Self {
        let at = |culprit: Culprit| shares[culprit as usize];
        for culprit in Culprit::ALL {
            let others = Culprit::ALL.into_iter().filter(|other| *other != culprit);
            if others.map(|other| at(other).ns.high).max() < Some(at(culprit).ns.low) {
                return Self::Named(culprit);
            }
        }
        let mut ranked = Culprit::ALL;
        ranked.sort_by_key(|culprit| std::cmp::Reverse(at(*culprit).ns.high));
        let [first, second, _] = ranked;
        if first.order() < second.order() {
            Self::Either(first, second)
        } else {
            Self::Either(second, first)
        }
    }
}
