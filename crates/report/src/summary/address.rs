//! Stations, read back from how they are written.

use std::net::{Ipv4Addr, Ipv6Addr};
use wirewait_wire::{Address, Endpoint};

/// The station that is written so, and not otherwise.
pub(super) fn station(text: &str) -> Option<Endpoint> {
    let address = address(text)?;
    let net = match address {
        Address::Node { net, .. } => net,
        _ => 0,
    };
    let station = Endpoint {
        address,
        port: None,
        net,
    };
    (station.to_string() == text).then_some(station)
}

fn address(text: &str) -> Option<Address> {
    if text == "-" {
        return Some(Address::None);
    }
    if let Ok(address) = text.parse::<Ipv4Addr>() {
        return Some(Address::V4(address.octets()));
    }
    if let Ok(address) = text.parse::<Ipv6Addr>() {
        return Some(Address::V6(address.octets()));
    }
    if let Some(mac) = six(text.split('-')) {
        return Some(Address::Mac(mac));
    }
    let (front, back) = text.split_once('.')?;
    if front.len() == 8 && back.len() == 12 && back.is_ascii() {
        let pairs = (0..12).step_by(2).map(|at| &back[at..at + 2]);
        let node = six(pairs)?;
        let net = u32::from_str_radix(front, 16).ok()?;
        // Only an internal node's network tells it apart.
        if net != 0 && !matches!(node, [0, 0, 0, 0, 0, _]) {
            return None;
        }
        return Some(Address::Node { net, node });
    }
    let (area, number) = (front.parse::<u16>().ok()?, back.parse::<u16>().ok()?);
    (area < 64 && number < 1024).then_some(Address::Decnet(area << 10 | number))
}

fn six<'a>(pairs: impl Iterator<Item = &'a str>) -> Option<[u8; 6]> {
    let bytes: Option<Vec<u8>> = pairs
        .map(|pair| {
            let digits = pair.len() == 2;
            digits.then(|| u8::from_str_radix(pair, 16).ok()).flatten()
        })
        .collect();
    bytes?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_station_is_read_as_it_is_written() {
        for address in [
            Address::None,
            Address::Mac([0, 0, 0x1b, 0xff, 0, 9]),
            Address::V4([10, 0, 0, 1]),
            Address::V6([0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
            Address::Node {
                net: 0,
                node: [2, 0, 0, 0, 0x22, 1],
            },
            Address::Node {
                net: 0x22,
                node: [0, 0, 0, 0, 0, 1],
            },
            Address::Decnet(1037),
        ] {
            let net = match address {
                Address::Node { net, .. } => net,
                _ => 0,
            };
            let end = Endpoint {
                address,
                port: None,
                net,
            };
            let read = station(&end.to_string());
            assert_eq!(
                read.map(|e| (e.address, e.net)),
                Some((address, net)),
                "{end}"
            );
        }
        for text in [
            "",
            "10.0.0",
            "10.0.0.1:445",
            "0-0-0-0-0-0",
            "FE80::1",
            "64.1",
            "01.1",
            "1.+1",
            "zz-00-00-00-00-00",
        ] {
            assert_eq!(station(text), None, "{text}");
        }
    }
}
