//! A capture of any frames at any times.
#![no_main]

#[path = "../checks/analyse.rs"]
mod analysis;
#[path = "../checks/frames.rs"]
mod frames;
#[path = "../checks/input.rs"]
mod input;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (settings, frames) = frames::frames(data);
    analysis::analyse(wirewait_dissectors::registry, frames, settings);
});
