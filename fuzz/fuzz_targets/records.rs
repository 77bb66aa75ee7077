//! Records in any order, with any numbers.
#![no_main]

#[path = "../checks/input.rs"]
mod input;
#[path = "../checks/records.rs"]
mod records;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| records::check(data));
