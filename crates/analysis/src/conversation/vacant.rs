//! Conversations that are over, in whose place the next ones are put: a flood opens one with
//! each frame, and nothing is to be allocated while as many begin as end.

use super::{Beginning, Conversation};
use std::cell::RefCell;

/// Those that are [over](Conversation::finish).
#[derive(Default)]
#[expect(
    clippy::vec_box,
    reason = "they stay where they are when they go back into a table"
)]
pub(crate) struct Vacant(RefCell<Vec<Box<Conversation>>>);

impl Vacant {
    /// Kept at most.
    const MOST: usize = 64;

    /// A conversation that begins.
    pub(crate) fn next(&self, beginning: &Beginning, observed: bool) -> Box<Conversation> {
        let mut conversation = self.0.borrow_mut().pop().unwrap_or_default();
        conversation.begin(beginning, observed);
        conversation
    }

    /// Keeps one that is over. It holds nothing back and has nothing open.
    pub(crate) fn keep(&self, over: Box<Conversation>) {
        let mut kept = self.0.borrow_mut();
        if kept.len() < Self::MOST {
            kept.push(over);
        }
    }
}
