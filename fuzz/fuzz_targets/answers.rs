//! A request and its answer: two bytes of who reads them, two of how long the request is, and
//! both.
#![no_main]

#[path = "../checks/answers.rs"]
mod check;
#[path = "../checks/dissect.rs"]
mod layers;

use libfuzzer_sys::fuzz_target;
use wirewait_wire::Registry;

thread_local! {
    static REGISTRY: Registry = wirewait_dissectors::registry();
}

fuzz_target!(|data: &[u8]| {
    let [low, high, short, long, rest @ ..] = data else {
        return;
    };
    let length = usize::from(u16::from_le_bytes([*short, *long]));
    let (request, response) = rest.split_at(length.min(rest.len()));
    REGISTRY.with(|registry| {
        let all = registry.dissectors();
        let reader = all[usize::from(u16::from_le_bytes([*low, *high])) % all.len()];
        check::answers(reader, request, response);
    });
});
