//! The interfaces of this machine.

use super::{LiveError, LiveErrorKind, system};
use std::net::IpAddr;

/// An interface that frames can be captured from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Device {
    /// Its name.
    pub name: String,
    /// What the system says about it.
    pub description: Option<String>,
    /// Its addresses.
    pub addresses: Vec<IpAddr>,
    /// It is switched on.
    pub up: bool,
    /// It has a carrier.
    pub running: bool,
    /// It leads to this machine itself.
    pub loopback: bool,
    /// It is a radio.
    pub wireless: bool,
    /// Bytes it has received since it is there, if the system says.
    pub received_bytes: Option<u64>,
}

/// All interfaces, as the system orders them. Needs no rights.
///
/// # Errors
/// When the system does not tell.
pub fn devices() -> Result<Vec<Device>, LiveError> {
    let listed = pcap::Device::list().map_err(|error| LiveError {
        kind: LiveErrorKind::Other,
        message: format!("the interfaces cannot be listed: {}", said(error)),
    })?;
    Ok(listed
        .into_iter()
        .map(|device| Device {
            up: device.flags.is_up(),
            running: device.flags.is_running(),
            loopback: device.flags.is_loopback(),
            wireless: device.flags.is_wireless(),
            addresses: device.addresses.iter().map(|known| known.addr).collect(),
            received_bytes: system::received_bytes(&device.name),
            description: device.desc.filter(|text| !text.is_empty()),
            name: device.name,
        })
        .collect())
}

/// The one to capture from when nobody says which: it is switched on, has a carrier, leads
/// somewhere else, and has received most so far, as the port behind a mirror has.
#[must_use]
pub fn busiest(devices: &[Device]) -> Option<&Device> {
    devices
        .iter()
        .filter(|device| device.up && device.running && !device.loopback)
        .filter(|device| !device.is_pseudo())
        // Of equals the first, as the system puts it.
        .rev()
        .max_by_key(|device| device.received_bytes)
}

impl Device {
    /// Whether libpcap makes it up: all interfaces together, or no network at all.
    pub(super) fn is_pseudo(&self) -> bool {
        const NAMES: [&str; 6] = ["any", "nflog", "nfqueue", "dbus", "bluetooth", "usbmon"];
        NAMES.iter().any(|name| self.name.starts_with(name))
    }
}

/// What libpcap says, without the name of its binding's error in front.
pub(super) fn said(error: pcap::Error) -> String {
    match error {
        pcap::Error::PcapError(text) => text,
        pcap::Error::InvalidInputString => "there is a zero byte in it".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(name: &str, received_bytes: Option<u64>) -> Device {
        Device {
            name: name.to_owned(),
            up: true,
            running: true,
            received_bytes,
            ..Device::default()
        }
    }

    #[test]
    fn the_busiest_is_chosen_among_those_that_lead_somewhere() {
        let mut all = vec![
            device("eth0", Some(5)),
            device("eth1", Some(70)),
            device("eth2", Some(900)),
            device("any", None),
            device("usbmon0", None),
            device("lo", Some(1000)),
        ];
        all[2].running = false;
        all[5].loopback = true;
        assert_eq!(busiest(&all).unwrap().name, "eth1");
        all[1].up = false;
        assert_eq!(busiest(&all).unwrap().name, "eth0");
        assert_eq!(busiest(&all[2..]), None);
        assert_eq!(busiest(&[]), None);
    }

    #[test]
    fn of_equals_the_first_is_chosen() {
        let all = [device("en0", None), device("en1", None)];
        assert_eq!(busiest(&all).unwrap().name, "en0");
    }

    #[test]
    fn the_loopback_interface_is_listed() {
        let all = devices().unwrap();
        assert!(all.iter().any(|device| device.loopback), "{all:?}");
    }
}
