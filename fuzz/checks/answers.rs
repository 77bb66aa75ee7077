//! What must hold for any two messages, the second read as the answer to the first.

use super::layers::{answer, layer};
use wirewait_wire::{Dissector, Input};

/// Reads both, and the second in the light of the first.
///
/// # Panics
/// As for one frame.
pub(crate) fn answers(dissector: &Dissector, request: &[u8], response: &[u8]) {
    let mut line = String::new();
    let whole = |bytes| Input {
        bytes,
        length: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
    };
    let [request, response] = [request, response].map(whole);
    for input in [request, response] {
        layer(dissector, input, &mut line);
    }
    let asked = dissector.exchange.and_then(|read| read(request).ok());
    if let Some(x) = asked.and_then(|part| part.exchange) {
        answer(dissector, response, &x);
    }
}
