//! Conversations that are over, in whose place the next ones are put: a flood opens one with
//! each frame, and nothing is to be allocated while as many begin as end.

use super::{Beginning, Conversation, FEW, Recent};
use crate::flow::Flow;
use crate::pairing::Opens;
use crate::stream::ByteStream;
use crate::windows::Offers;
use std::cell::RefCell;
use std::collections::VecDeque;

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
        let vacant = self.0.borrow_mut().pop();
        match vacant {
            Some(mut conversation) => {
                let room = Room::of(&mut conversation);
                *conversation = Conversation::within(room, beginning, observed);
                conversation
            }
            None => Box::new(Conversation::within(Room::default(), beginning, observed)),
        }
    }

    /// Keeps one that is over. It holds nothing back and has nothing open.
    pub(crate) fn keep(&self, over: Box<Conversation>) {
        let mut kept = self.0.borrow_mut();
        if kept.len() < Self::MOST {
            kept.push(over);
        }
    }
}

/// What a conversation leaves behind: room with nothing in it.
#[derive(Default)]
pub(super) struct Room {
    pub(super) streams: Option<Box<[ByteStream; 2]>>,
    pub(super) flow: Option<Box<Flow>>,
    pub(super) offers: Option<Box<Offers>>,
    pub(super) recent: [VecDeque<Recent>; 2],
    pub(super) open: Opens,
}

impl Room {
    fn of(over: &mut Conversation) -> Self {
        let [a, b] = &mut over.recent;
        let recent = [a, b].map(|recent| {
            // How large it is decides how long it remembers: as large as for the first few.
            let mut recent = std::mem::take(recent);
            recent.clear();
            recent.shrink_to(FEW);
            recent
        });
        Self {
            streams: over.streams.take(),
            flow: over.flow.take(),
            offers: over.offers.take(),
            recent,
            open: over.pairing.leave(),
        }
    }
}
