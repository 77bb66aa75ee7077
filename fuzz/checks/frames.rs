//! Frames as fuzz input: which tables, then per frame its delay, link, lengths and bytes.

use super::input::Choices;
use wirewait_analysis::Settings;
use wirewait_wire::{Frame, LinkType, Timestamp};

/// Links whose frames are worth mutating.
pub(crate) const LINKS: [u16; 16] = [
    0, 1, 6, 9, 10, 12, 14, 101, 104, 108, 113, 147, 228, 229, 276, 1,
];

const START: i64 = 1_700_000_000_000_000_000;

/// The frames of an input, and the settings to analyse them with.
pub(crate) fn frames(data: &[u8]) -> (Settings, Vec<Frame<'_>>) {
    let mut choices = Choices(data);
    let mut settings = Settings::default();
    match choices.byte() % 4 {
        0 => {
            settings.conversations = 2;
            settings.rows = 1;
            settings.slowest = 1;
        }
        1 => {
            settings.conversations = 4;
            settings.rows = 3;
            settings.slowest = 0;
            settings.timeout_ns = 1_000_000;
        }
        _ => {}
    }
    let mut at = START;
    let mut frames = Vec::new();
    while !choices.0.is_empty() {
        // A mantissa and an exponent: from nanoseconds to centuries, either way.
        let mantissa = i64::from(choices.word() as i16);
        let kind = choices.byte();
        let power = u32::from(kind >> 4);
        at = at.saturating_add(mantissa.saturating_mul(10i64.saturating_pow(power)));
        let link = LinkType(LINKS[usize::from(kind & 15)]);
        let length = choices.word();
        let beyond = u32::from(choices.byte());
        let bytes = choices.bytes(usize::from(length));
        frames.push(Frame {
            at: Timestamp::from_nanos(at),
            link,
            interface: u32::from(kind & 1),
            wire_len: bytes.len() as u32 + beyond * beyond,
            bytes,
        });
    }
    (settings, frames)
}
