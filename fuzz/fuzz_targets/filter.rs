//! Any text as a filter of `decode`.
#![no_main]

#[path = "../checks/filter.rs"]
mod filters;

use libfuzzer_sys::fuzz_target;
use wirewait_wire::Registry;

thread_local! {
    static REGISTRY: Registry = wirewait_dissectors::registry();
}

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        REGISTRY.with(|registry| filters::filter(registry, text));
    }
});
