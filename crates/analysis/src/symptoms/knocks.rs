//! Attempts to connect that nobody answered, over all connections of a client at a server.

use super::evidence::{Sight, Sights};
use crate::Mark;

/// An attempt that was not answered: how often the connection was asked for, from when to when, and at which port.
#[derive(Clone, Copy, Debug)]
pub(super) struct Knock {
    pub(super) tries: u32,
    pub(super) first: Mark,
    pub(super) last: Mark,
    pub(super) port: Option<u16>,
}

/// Those of a client at a server since that answered last.
#[derive(Debug, Default)]
pub(super) struct Knocks {
    /// How often it asked in all of them.
    tries: u64,
    /// Attempts that are too few so far.
    pending: Sights,
}

/// When a server answered last, and where it opened a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Answering {
    pub(super) frame: u64,
    pub(super) port: Option<u16>,
}

impl Knock {
    /// What the client waited in vain.
    fn sight(&self) -> Sight {
        let waited = self.last.at.since(self.first.at);
        Sight::between(self.first, self.last).costing(waited)
    }

    /// Whether it is one of several that count together. One that is not repeated may have been answered where the capture has one
    /// direction; who opens another port, or answers since, is not silent.
    fn counts(&self, answering: Answering) -> bool {
        let elsewhere = answering.port.is_some() && answering.port != self.port;
        self.tries > 1 && !elsewhere && answering.frame < self.first.frame
    }
}

impl Knocks {
    /// Another one. Those to tell of, once the client asked more than `limit` times: others before it, and this one.
    pub(super) fn another(
        &mut self,
        knock: &Knock,
        answering: Answering,
        limit: u64,
    ) -> Option<(Sights, Sight)> {
        let tries = u64::from(knock.tries);
        let counts = knock.counts(answering);
        if counts {
            self.tries = self.tries.saturating_add(tries);
        }
        if tries > limit || counts && self.tries > limit {
            return Some((std::mem::take(&mut self.pending), knock.sight()));
        }
        if counts {
            self.pending.add(&knock.sight(), 1);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symptoms::testing::mark;

    /// Ten attempts of three requests each at port 139: nothing is wrong where 445 is open, as who knocks at both takes that.
    #[test]
    fn who_opens_another_port_is_not_silent() {
        let told = |port| {
            let answering = Answering { frame: 1, port };
            let mut knocks = Knocks::default();
            let attempts = (1..=10).filter_map(|n| {
                let knock = Knock {
                    tries: 3,
                    first: mark(n * 10, 0),
                    last: mark(n * 10 + 2, 3000),
                    port: Some(139),
                };
                knocks.another(&knock, answering, 3)
            });
            attempts.map(|(before, _)| before.count + 1).sum::<u64>()
        };
        assert_eq!(told(Some(445)), 0);
        assert_eq!(told(Some(139)), 10);
        assert_eq!(told(None), 10);
    }
}
