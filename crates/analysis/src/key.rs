//! What tells conversations apart.

use std::hash::{Hash, Hasher};
use wirewait_wire::Endpoint;

/// What tells conversations apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConversationKey {
    /// All of it in numbers, made once: a key is compared and hashed more often than made.
    identity: [u128; 3],
    ends: [Endpoint; 2],
}

impl ConversationKey {
    /// The key, and which of its sides `from` is. `kind` is a link or transport of its own
    /// kind; two kinds may use the same addresses.
    pub(crate) fn new(
        (from, to): (Endpoint, Endpoint),
        session: Option<(u16, u16)>,
        kind: u16,
    ) -> (Self, usize) {
        // 0 stands for no session, so numbers count from 1.
        let numbered = |n: Option<u16>| n.map_or(0, |n| u128::from(n) + 1);
        let mine = (from.identity(), numbered(session.map(|s| s.0)));
        let yours = (to.identity(), numbered(session.map(|s| s.1)));
        let side = usize::from(mine > yours);
        let ((a, a_session), (b, b_session), ends) = match side {
            0 => (mine, yours, [from, to]),
            _ => (yours, mine, [to, from]),
        };
        // 35 bits of each end beside its address, 17 of each session, 16 of the kind.
        let rest = u128::from(a.rest())
            | u128::from(b.rest()) << 36
            | a_session << 72
            | b_session << 90
            | u128::from(kind) << 108;
        let identity = [a.address(), b.address(), rest];
        (Self { identity, ends }, side)
    }

    /// What it is compared by, for tables that do not ask for the ends.
    pub(crate) const fn identity(&self) -> [u128; 3] {
        self.identity
    }

    pub(crate) fn ends(&self) -> [Endpoint; 2] {
        self.ends
    }
}

impl PartialEq for ConversationKey {
    fn eq(&self, other: &Self) -> bool {
        self.identity == other.identity
    }
}

impl Eq for ConversationKey {}

impl Hash for ConversationKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for number in self.identity {
            state.write_u128(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions_are_one_conversation_and_all_else_tells_apart() {
        let a = Endpoint::mac([1; 6]).with_port(0xf0);
        let b = Endpoint::mac([2; 6]).with_port(0xf0);
        let key = |from, to, session, kind| ConversationKey::new((from, to), session, kind);
        let (one, side) = key(a, b, Some((5, 7)), 3);
        assert_eq!(key(b, a, Some((7, 5)), 3), (one, 1 - side));
        assert_eq!(one.ends(), [a, b]);
        for (other, _) in [
            key(a, b, Some((7, 5)), 3),
            key(a, b, None, 3),
            key(a, b, Some((5, 7)), 4),
            key(a, b.with_port(0xe0), Some((5, 7)), 3),
            key(a, a, Some((5, 7)), 3),
        ] {
            assert_ne!(one, other);
        }
        assert_ne!(key(a, b, None, 3).0, key(a, b, Some((0, 0)), 3).0);
        let (_, low) = key(a, a, Some((5, 7)), 3);
        assert_ne!(
            key(a, a, Some((7, 5)), 3).1,
            low,
            "sides differ by session alone"
        );
    }
}
