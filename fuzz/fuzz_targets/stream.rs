//! A dialogue over TCP, its segments cut, swapped and repeated.
#![no_main]

#[path = "../checks/analyse.rs"]
mod analysis;
#[path = "../checks/dialogue.rs"]
mod dialogue;
#[path = "../checks/input.rs"]
mod input;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| dialogue::play(data));
