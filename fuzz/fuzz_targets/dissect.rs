//! One frame of any kind: two bytes of link type, one that says how much of it the capture
//! cut off, and its bytes.
#![no_main]

#[path = "../checks/dissect.rs"]
mod layers;

use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;
use wirewait_wire::{Frame, LinkType, Registry, Timestamp, Walk};

thread_local! {
    static STATE: RefCell<(Registry, Walk, String)> = RefCell::new((
        wirewait_dissectors::registry(),
        Walk::default(),
        String::new(),
    ));
}

fuzz_target!(|data: &[u8]| {
    let [low, high, cut, bytes @ ..] = data else {
        return;
    };
    let frame = Frame {
        at: Timestamp::default(),
        link: LinkType(u16::from_le_bytes([*low, *high])),
        interface: 0,
        wire_len: bytes.len() as u32 + u32::from(*cut) * u32::from(*cut),
        bytes,
    };
    STATE.with_borrow_mut(|(registry, walk, line)| layers::dissect(registry, walk, line, &frame));
});
