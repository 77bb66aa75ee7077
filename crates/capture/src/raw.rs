//! Numbers as files hold them, and how large they can be.

use wirewait_wire::LinkType;

/// The most captured bytes of one frame. Larger than any link's frames, and than the
/// 64 KiB super-frames of segmentation offload; what claims more is damage.
pub const MAX_FRAME: usize = 262_144;

/// `bytes[at..at + 2]` in the given byte order; 0 where there are no such bytes.
#[inline]
pub(crate) fn u16_at(bytes: &[u8], at: usize, big_endian: bool) -> u16 {
    match bytes.get(at..).and_then(|rest| rest.first_chunk::<2>()) {
        Some(raw) if big_endian => u16::from_be_bytes(*raw),
        Some(raw) => u16::from_le_bytes(*raw),
        None => 0,
    }
}

/// `bytes[at..at + 4]` in the given byte order; 0 where there are no such bytes.
#[inline]
pub(crate) fn u32_at(bytes: &[u8], at: usize, big_endian: bool) -> u32 {
    match bytes.get(at..).and_then(|rest| rest.first_chunk::<4>()) {
        Some(raw) if big_endian => u32::from_be_bytes(*raw),
        Some(raw) => u32::from_le_bytes(*raw),
        None => 0,
    }
}

/// `bytes[at..at + 8]` in the given byte order; 0 where there are no such bytes.
#[inline]
pub(crate) fn u64_at(bytes: &[u8], at: usize, big_endian: bool) -> u64 {
    match bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        Some(raw) if big_endian => u64::from_be_bytes(*raw),
        Some(raw) => u64::from_le_bytes(*raw),
        None => 0,
    }
}

/// A link type as files hold it, made one of the LINKTYPE registry: old writers put
/// their system's DLT_RAW (12) into files, which the registry numbers 101.
pub(crate) const fn link_type(raw: u16) -> LinkType {
    match raw {
        12 => LinkType::RAW,
        other => LinkType(other),
    }
}
