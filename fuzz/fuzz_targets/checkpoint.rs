//! A state of the analysis that somebody forged.
#![no_main]

#[path = "../checks/checkpoint.rs"]
mod checkpoint;
#[path = "../checks/frames.rs"]
mod frames;
#[path = "../checks/input.rs"]
mod input;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    checkpoint::go_on_with(data);
});
