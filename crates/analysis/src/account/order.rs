//! Who waited behind whom at a server.
//!
//! A server that works at requests in the order in which they come answers none that came later before one that
//! waits. So the shortest turnaround of a client that always waits behind others says nothing of how far the server is
//! from this client; what others overtake is on a longer way, or takes the server longer.

use crate::Transaction;
use wirewait_wire::Timestamp;

/// When the latest of the requests that a server answered was complete, and when it answered last.
#[derive(Clone, Copy, Default)]
pub(super) struct ServerOrder {
    asked: Timestamp,
    answered: Timestamp,
}

/// What a request shows of how far its client is from the server, beside those of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waited {
    /// Nothing: it may have waited behind others.
    Queued,
    /// The server answered no other one while it was outstanding.
    Alone,
    /// Others that came later were answered before: it waited behind none.
    Overtaken,
}

impl ServerOrder {
    /// This request was answered.
    #[inline]
    pub(super) fn answers(&mut self, t: &Transaction) -> Waited {
        let (Some(request), Some(response)) = (t.request, t.response) else {
            return Waited::Queued;
        };
        let (asked, answered) = (request.last.at, response.first.at);
        let waited = match (self.asked > asked, self.answered > asked) {
            (true, _) => Waited::Overtaken,
            (_, true) => Waited::Queued,
            _ => Waited::Alone,
        };
        self.asked = self.asked.max(asked);
        self.answered = self.answered.max(answered);
        waited
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symptoms::testing::transaction;
    use wirewait_wire::Kind;

    use Waited::{Alone, Overtaken, Queued};

    /// Asked and answered then, in ms.
    fn waited(requests: &[(i64, i64)]) -> Vec<Waited> {
        let mut order = ServerOrder::default();
        requests
            .iter()
            .map(|(asked, answered)| order.answers(&transaction(1, Kind::Read, *asked, *answered)))
            .collect()
    }

    #[test]
    fn what_is_answered_in_the_order_of_the_requests_may_have_waited() {
        assert_eq!(waited(&[(0, 8), (10, 18)]), [Alone, Alone], "one by one");
        // Three at once, of a server that takes 8 ms for each.
        assert_eq!(
            waited(&[(0, 8), (2, 16), (4, 24), (9, 32)]),
            [Alone, Queued, Queued, Queued]
        );
    }

    /// One takes 40 ms. Others that come later are answered long before.
    #[test]
    fn what_others_overtake_did_not_wait() {
        assert_eq!(
            waited(&[(1, 2), (5, 6), (0, 40), (41, 42)]),
            [Alone, Alone, Overtaken, Alone]
        );
    }
}
