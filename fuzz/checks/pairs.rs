//! Requests with their answers, as the analysis puts them together.

use std::collections::HashMap;
use wirewait_analysis::{Analyzer, Assembled, Settings, Sink, Transaction};
use wirewait_wire::{DissectorId, Frame};

/// The heads of a request and of its answer.
pub(crate) struct Pair {
    pub(crate) reader: DissectorId,
    /// The protocol's number for what was asked.
    pub(crate) code: u32,
    pub(crate) request: Vec<u8>,
    pub(crate) response: Vec<u8>,
}

impl Pair {
    /// Those of one kind have little new to say.
    pub(crate) fn kind(&self) -> (DissectorId, u32, usize) {
        (self.reader, self.code, self.response.len() / 64)
    }
}

/// All that stand in these frames.
pub(crate) fn pairs<'a>(frames: impl Iterator<Item = Frame<'a>>) -> Vec<Pair> {
    let mut listener = Listener::default();
    let registry = wirewait_dissectors::registry();
    let mut analyzer = Analyzer::new(registry, Settings::default()).observed();
    for frame in frames {
        analyzer.frame(&frame, &mut listener);
    }
    analyzer.finish(&mut listener);
    listener.found
}

#[derive(Default)]
struct Listener {
    /// By transaction.
    asked: HashMap<u64, Vec<u8>>,
    found: Vec<Pair>,
}

impl Sink for Listener {
    fn transaction(&mut self, transaction: &Transaction) {
        self.asked.remove(&transaction.number);
    }

    fn assembled(&mut self, message: &Assembled<'_>) {
        let (Some(reader), Some((number, _)), true) =
            (message.dissector, message.deed, message.complete)
        else {
            return;
        };
        let head = message.head.bytes.to_vec();
        let Some(asked) = message.asked else {
            self.asked.insert(number, head);
            return;
        };
        if let Some(request) = self.asked.get(&number) {
            self.found.push(Pair {
                reader,
                code: asked.code,
                request: request.clone(),
                response: head,
            });
        }
    }
}
