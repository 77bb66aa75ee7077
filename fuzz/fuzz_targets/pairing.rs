//! A capture of the toy protocol, whose bytes say directly what the analysis is told.
#![no_main]

#[path = "../checks/analyse.rs"]
mod analysis;
#[path = "../checks/frames.rs"]
mod frames;
#[path = "../checks/input.rs"]
mod input;
#[path = "../../crates/analysis/tests/toy/mod.rs"]
mod toy;

use libfuzzer_sys::fuzz_target;
use wirewait_wire::LinkType;

fuzz_target!(|data: &[u8]| {
    let (settings, mut frames) = frames::frames(data);
    for frame in &mut frames {
        frame.link = LinkType(toy::LINK_TYPE);
    }
    analysis::analyse(toy::registry, frames, settings);
});
