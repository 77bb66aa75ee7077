//! What tells conversations apart.

use wirewait_wire::Endpoint;

/// What tells conversations apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ConversationKey {
    ends: [Endpoint; 2],
    sessions: Option<[u16; 2]>,
    /// A link or transport of its own kind; two kinds may use the same addresses.
    kind: u16,
}

impl ConversationKey {
    /// The key, and which of its sides `from` is.
    pub(crate) fn new(
        (from, to): (Endpoint, Endpoint),
        session: Option<(u16, u16)>,
        kind: u16,
    ) -> (Self, usize) {
        let side = usize::from((from, session.map(|s| s.0)) > (to, session.map(|s| s.1)));
        let order = |a, b| if side == 0 { [a, b] } else { [b, a] };
        let ends = if side == 0 { [from, to] } else { [to, from] };
        (
            Self {
                ends,
                sessions: session.map(|(a, b)| order(a, b)),
                kind,
            },
            side,
        )
    }

    pub(crate) fn ends(&self) -> [Endpoint; 2] {
        self.ends
    }
}
