//! How addresses and times are written in a scenario.

use crate::ethernet::Mac;
use crate::ipv4::Socket;
use crate::ipx::{self, Framing};

/// The MAC address `by` further on, within the last three bytes.
pub(super) fn next_mac(mac: Mac, by: u32) -> Mac {
    let [a, b, c, d, e, f] = mac;
    let [_, d, e, f] = u32::from_be_bytes([0, d, e, f])
        .wrapping_add(by)
        .to_be_bytes();
    [a, b, c, d, e, f]
}

pub(super) fn framing_by_name(text: &str) -> Option<Framing> {
    Some(match text {
        "raw" => Framing::Raw,
        "ii" => Framing::Ethernet2,
        "llc" => Framing::Llc,
        "snap" => Framing::Snap,
        _ => return None,
    })
}

/// Hexadecimal digits as exactly `N` bytes.
pub(super) fn hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    if text.len() != 2 * N || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut out = [0; N];
    for (byte, at) in out.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(&text[at..at + 2], 16).ok()?;
    }
    Some(out)
}

/// `00000022.020000002201:4003`
pub(super) fn ipx_address(text: &str) -> Option<ipx::Address> {
    let (net, rest) = text.split_once('.')?;
    let (node, socket) = rest.split_once(':')?;
    Some(ipx::Address {
        net: u32::from_be_bytes(hex(net)?),
        node: hex(node)?,
        socket: u16::from_be_bytes(hex(socket)?),
    })
}

/// `1.13`
pub(super) fn decnet_node(text: &str) -> Option<u16> {
    let (area, number) = text.split_once('.')?;
    let area: u16 = area.parse().ok().filter(|area| (1..64).contains(area))?;
    let number: u16 = number.parse().ok().filter(|n| (1..1024).contains(n))?;
    Some(area << 10 | number)
}

/// `10.0.0.1:139`
pub(super) fn ip_socket(text: &str) -> Option<Socket> {
    let (address, port) = text.split_once(':')?;
    Some(Socket {
        address: address.parse().ok()?,
        port: port.parse().ok()?,
    })
}

/// `1999-03-01T09:00:00Z` as nanoseconds since 1970.
pub(super) fn date(text: &str) -> Option<i64> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let fields = |text: &str, by: char| -> Option<[i64; 3]> {
        let numbers: Option<Vec<i64>> = text.split(by).map(|part| part.parse().ok()).collect();
        numbers?.try_into().ok()
    };
    let [year, month, day] = fields(date, '-')?;
    let [hours, minutes, seconds] = fields(time, ':')?;
    let fields = [
        (year, 1970..=2200),
        (month, 1..=12),
        (day, 1..=31),
        (hours, 0..=23),
        (minutes, 0..=59),
        (seconds, 0..=59),
    ];
    if fields.iter().any(|(value, range)| !range.contains(value)) {
        return None;
    }
    // Days since 1970 by counting from 1 March, so that leap days come last in a year.
    let shifted = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + day_of_year - 719_468;
    Some((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_count_from_1970() {
        assert_eq!(date("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(date("1999-03-01T09:00:00Z"), Some(920_278_800_000_000_000));
        assert_eq!(date("2000-02-29T00:00:01Z"), Some(951_782_401_000_000_000));
        assert_eq!(date("1999-13-01T09:00:00Z"), None);
    }

    #[test]
    fn addresses_count_on() {
        assert_eq!(next_mac([2, 0, 0, 0, 0, 0xff], 1), [2, 0, 0, 0, 1, 0]);
        assert_eq!(next_mac([2, 0, 1, 0xff, 0xff, 0xff], 1), [2, 0, 1, 0, 0, 0]);
    }
}
