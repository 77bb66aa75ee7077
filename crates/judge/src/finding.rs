//! Who has most of the active time, as far as it can be told.

use crate::share::{Culprit, Share};
use wirewait_analysis::Bounds;

/// Who may have this part more than another is no third one beside two.
const CLEARLY: u64 = 16;

/// What the capture shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Finding {
    /// This one had more than any other can have had.
    Named(Culprit),
    /// One of these two: the capture cannot tell which. In the order of [`Culprit::ALL`].
    Either(Culprit, Culprit),
    /// Nothing: there is too little, or too much of it is unknown, or each of the three may have most.
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
        let [first, second, third] = ranked;
        if may_have_most(at(third).ns, [at(first).ns, at(second).ns]) {
            return Self::None;
        }
        if first.order() < second.order() {
            Self::Either(first, second)
        } else {
            Self::Either(second, first)
        }
    }
}

/// Whether who has the least at most may have more than both others: what he has not is theirs, and one of them has half
/// of that at least.
fn may_have_most(third: Bounds, others: [Bounds; 2]) -> bool {
    let middle = |of: Bounds| of.low.saturating_add(of.high) / 2;
    let all = others
        .map(middle)
        .into_iter()
        .fold(middle(third), u64::saturating_add);
    let half = all.saturating_sub(third.high) / 2;
    let least = others.map(|of| of.low).into_iter().fold(half, u64::max);
    third.high > least.saturating_add(least / CLEARLY)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of client, network and server, in thousandths.
    fn on(bounds: [(u64, u64); 3]) -> &'static str {
        let share = |(low, high)| Share {
            ns: Bounds { low, high },
            thousandths: Bounds { low, high },
        };
        let [client, network, server] = bounds.map(share);
        let mut shares = [Share::default(); 3];
        shares[Culprit::Client as usize] = client;
        shares[Culprit::Network as usize] = network;
        shares[Culprit::Server as usize] = server;
        Finding::on(&shares).name()
    }

    #[test]
    fn one_is_named_who_has_more_than_others_can_have() {
        assert_eq!(on([(0, 200), (100, 300), (301, 400)]), "server");
        assert_eq!(on([(0, 200), (100, 300), (300, 400)]), "server_or_network");
    }

    /// The server has 442 at least: whoever has most of the rest, it is not sure that this is more. Where it has 300, one
    /// of the others has 350 at least.
    #[test]
    fn nobody_is_named_where_each_may_have_most() {
        assert_eq!(on([(0, 506), (50, 558), (442, 444)]), "none");
        assert_eq!(on([(64, 447), (253, 636), (300, 300)]), "client_or_network");
        assert_eq!(on([(0, 900), (100, 1_000), (0, 150)]), "client_or_network");
    }
}
