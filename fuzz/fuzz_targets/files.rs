//! Any bytes as a capture file, whole and in small pieces: no difference.
#![no_main]

#[path = "../checks/files.rs"]
mod files;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| files::check(data));
