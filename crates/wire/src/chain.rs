//! Several operations in one message.

use crate::Operation;

/// Up to four operations that follow the first one in the same message (SMB1 AndX).
#[derive(Clone, Copy, Debug, Default)]
pub struct Chain {
    followers: [Option<&'static Operation>; 4],
    /// How many more there were than there is room for.
    pub more: u8,
    /// Which of them failed, counted from 1; 0 if none did.
    failed: u8,
}

impl Chain {
    /// Nothing follows the first one.
    pub(crate) const NONE: Self = Self {
        followers: [None; 4],
        more: 0,
        failed: 0,
    };

    /// Adds one; counts it in `more` when the four places are taken.
    pub fn push(&mut self, operation: &'static Operation) {
        match self.followers.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some(operation),
            None => self.more = self.more.saturating_add(1),
        }
    }

    /// Whether the message has more than one.
    #[inline]
    #[must_use]
    pub const fn is_several(&self) -> bool {
        self.followers[0].is_some()
    }

    /// The response, an error, has those of `answered`: a server does none behind the one that fails, and that is
    /// the last that it answers (MS-CIFS 2.2.3.4).
    pub fn failed_at_last_of(&mut self, answered: &Self) {
        let ours = self.followers.iter().flatten().zip(&answered.followers);
        let same = ours.take_while(|(own, other)| other.is_some_and(|of| of.name == own.name));
        let count = same.count();
        let all = answered.iter().count();
        if count == all && answered.more == 0 {
            // There are four at most.
            self.failed = u8::try_from(count).unwrap_or(0);
        }
    }

    /// The one that failed; `None` if the first operation of the message did, or none.
    #[must_use]
    pub fn failed(&self) -> Option<&'static Operation> {
        let place = usize::from(self.failed).checked_sub(1)?;
        *self.followers.get(place)?
    }

    /// The operations, in the order of the message.
    pub fn iter(&self) -> impl Iterator<Item = &'static Operation> + '_ {
        self.followers.iter().flatten().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::Chain;
    use crate::{Kind, Operation};

    #[test]
    fn the_last_that_is_answered_failed() {
        static SHARE: Operation = Operation::new("SHARE", Kind::Session, false);
        static OPEN: Operation = Operation::new("OPEN", Kind::Open, false);
        let chain = |of: &[&'static Operation]| {
            let mut chain = Chain::default();
            of.iter().for_each(|one| chain.push(one));
            chain
        };
        let failed = |answered: &Chain| {
            let mut asked = chain(&[&SHARE, &OPEN]);
            asked.failed_at_last_of(answered);
            asked.failed().map(|operation| operation.name)
        };
        assert_eq!(failed(&chain(&[])), None, "the first of the message");
        assert_eq!(failed(&chain(&[&SHARE])), Some("SHARE"));
        assert_eq!(failed(&chain(&[&SHARE, &OPEN])), Some("OPEN"));
        assert_eq!(failed(&chain(&[&OPEN])), None, "of another message");
        assert_eq!(chain(&[&SHARE]).failed(), None);
    }
}
