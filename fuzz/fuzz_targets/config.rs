//! Any text as a configuration file.
#![no_main]

#[path = "../checks/config.rs"]
mod configs;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        configs::config(text);
    }
});
