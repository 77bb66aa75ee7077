//! Fields that many protocols have.

use std::borrow::Cow;
use std::net::{Ipv4Addr, Ipv6Addr};
use wirewait_wire::{Endpoint, Fields};

/// A MAC address, or a node of IPX.
pub(crate) fn mac(f: &mut Fields<'_>, name: impl Into<Cow<'static, str>>) -> Option<[u8; 6]> {
    let address: [u8; 6] = f.bytes(6, name)?.try_into().ok()?;
    f.shown(Endpoint::mac(address));
    Some(address)
}

/// An IPv4 address.
pub(crate) fn v4(f: &mut Fields<'_>, name: impl Into<Cow<'static, str>>) -> Option<Ipv4Addr> {
    let address: [u8; 4] = f.bytes(4, name)?.try_into().ok()?;
    f.shown(Ipv4Addr::from(address));
    Some(address.into())
}

/// An IPv6 address.
pub(crate) fn v6(f: &mut Fields<'_>, name: impl Into<Cow<'static, str>>) -> Option<Ipv6Addr> {
    let address: [u8; 16] = f.bytes(16, name)?.try_into().ok()?;
    f.shown(Ipv6Addr::from(address));
    Some(address.into())
}

/// What three bits say of the largest frame that every bridge on the way passes on
/// (IEEE 802.1D, annex C; NetBIOS uses them too).
pub(crate) const fn largest_frame(code: u64) -> &'static str {
    match code {
        0 => "516 bytes",
        1 => "1500 bytes",
        2 => "2052 bytes",
        3 => "4472 bytes",
        4 => "8144 bytes",
        5 => "11407 bytes",
        6 => "17800 bytes",
        _ => "65535 bytes",
    }
}
