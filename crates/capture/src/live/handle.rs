//! One opened interface: libpcap's handle, and what has to be known to open it again.

use super::device::said;
use super::{Direction, LiveError, LiveErrorKind, LiveOptions, device, system};
use crate::filter::{FilterError, vlan};
use pcap::{Active, Capture, Precision};
use wirewait_wire::{Frame, LinkType, Timestamp};

/// Only Linux is known to give nanoseconds whenever they are asked for; elsewhere libpcap
/// would have to be asked what it gives, and its binding cannot.
const NANOSECONDS: bool = cfg!(target_os = "linux");

/// Milliseconds that the operating system may wait until a block is full.
const TIMEOUT_MS: i32 = 100;

/// An interface that is captured from.
pub(super) struct Handle {
    pub(super) capture: Capture<Active>,
    pub(super) link: LinkType,
    pub(super) speed: Option<u64>,
    /// What it was when it was opened.
    pub(super) state: Option<system::State>,
}

impl Handle {
    /// Opens an interface.
    pub(super) fn open(name: &str, options: &LiveOptions) -> Result<Self, LiveError> {
        // All interfaces together have no common mode.
        let promiscuous = options.promiscuous && name != "any";
        let inactive = |promiscuous: bool| {
            Ok(Capture::from_device(name)?
                .snaplen(bounded(options.snaplen))
                .buffer_size(bounded(options.buffer))
                .promisc(promiscuous)
                .timeout(TIMEOUT_MS)
                .immediate_mode(options.immediate)
                .precision(if NANOSECONDS {
                    Precision::Nano
                } else {
                    Precision::Micro
                }))
        };
        let open = |promiscuous| inactive(promiscuous).and_then(Capture::open);
        let mut capture = match open(promiscuous) {
            // libpcap only warns here; its binding takes that for a failure.
            Err(pcap::Error::PcapError(said)) if promiscuous && said.contains("romiscuous") => {
                open(false)
            }
            other => other,
        }
        .map_err(|error| refused(name, said(error)))?;
        if !options.filter.is_empty() {
            // A tag that is still in the frame, as in one that this machine sends: see `Filter`.
            let both = vlan::also_behind_a_tag(&options.filter);
            let done = both.is_some_and(|both| capture.filter(&both, true).is_ok());
            let set = match done {
                true => Ok(()),
                false => capture.filter(&options.filter, true),
            };
            set.map_err(|error| LiveError {
                kind: LiveErrorKind::Filter,
                message: FilterError::new(&options.filter, said(error)).to_string(),
            })?;
        }
        let direction = match options.direction {
            Direction::Both => None,
            Direction::In => Some(pcap::Direction::In),
            Direction::Out => Some(pcap::Direction::Out),
        };
        if let Some(direction) = direction {
            capture.direction(direction).map_err(|error| LiveError {
                kind: LiveErrorKind::Other,
                message: format!(
                    "{name}: cannot tell frames by their direction: {}; leave the direction out",
                    said(error)
                ),
            })?;
        }
        Ok(Self {
            link: link(capture.get_datalink().0),
            speed: system::speed(name),
            state: system::state(name),
            capture,
        })
    }

    /// The frame that libpcap lends.
    pub(super) fn frame<'a>(
        packet: &'a pcap::Packet<'_>,
        link: LinkType,
        interface: u32,
    ) -> Frame<'a> {
        // Windows counts seconds in 32 bits.
        #[allow(clippy::useless_conversion)]
        let seconds = i64::from(packet.header.ts.tv_sec);
        let fraction = u32::try_from(packet.header.ts.tv_usec).unwrap_or(0);
        let nanos = if NANOSECONDS {
            fraction
        } else {
            fraction.saturating_mul(1000)
        };
        let captured = u32::try_from(packet.data.len()).unwrap_or(u32::MAX);
        Frame {
            at: Timestamp::from_parts(seconds, nanos),
            link,
            interface,
            wire_len: packet.header.len.max(captured),
            bytes: packet.data,
        }
    }
}

/// The LINKTYPE of files for libpcap's DLT: they differ where systems did not agree.
fn link(dlt: i32) -> LinkType {
    const DLT_RAW: [i32; 2] = [12, 14];
    if DLT_RAW.contains(&dlt) {
        return LinkType::RAW;
    }
    LinkType(u16::try_from(dlt).unwrap_or(u16::MAX))
}

fn bounded(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

/// Why an interface could not be opened.
fn refused(name: &str, said: String) -> LiveError {
    let there = device::devices().unwrap_or_default();
    let named = there.iter().find(|device| device.name == name);
    let lower = said.to_lowercase();
    if ["permission", "not permitted", "cap_net_raw"]
        .iter()
        .any(|word| lower.contains(word))
    {
        return LiveError {
            kind: LiveErrorKind::NoRights,
            message: format!("{name}: no permission to capture on this interface ({said})"),
        };
    }
    match named {
        None => LiveError {
            kind: LiveErrorKind::NoInterface,
            message: format!(
                "{name}: there is no such interface; there are {}",
                list(&there)
            ),
        },
        Some(device) if !device.up => LiveError {
            kind: LiveErrorKind::Down,
            message: format!(
                "{name}: the interface is down; bring it up (ip link set {name} up), then try again"
            ),
        },
        Some(_) => LiveError {
            kind: LiveErrorKind::Other,
            message: format!("{name}: cannot be opened: {said}"),
        },
    }
}

fn list(devices: &[device::Device]) -> String {
    if devices.is_empty() {
        return "none that may be seen".to_owned();
    }
    let names: Vec<&str> = devices
        .iter()
        .filter(|device| !device.is_pseudo() || device.name == "any")
        .map(|device| device.name.as_str())
        .collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_ip_has_one_number_in_files() {
        assert_eq!(link(1), LinkType::ETHERNET);
        assert_eq!(link(12), LinkType::RAW);
        assert_eq!(link(14), LinkType::RAW);
        assert_eq!(link(276), LinkType::LINUX_SLL2);
        assert_eq!(link(-1), LinkType(u16::MAX));
    }

    #[test]
    fn what_does_not_exist_is_refused_with_what_does() {
        for name in ["no-such-interface", ""] {
            let error = refused(name, "No such device exists".to_owned());
            assert_eq!(error.kind, LiveErrorKind::NoInterface);
            assert!(error.message.contains("lo"), "{error}");
        }
        let error = refused("lo", "socket: Operation not permitted".to_owned());
        assert_eq!(error.kind, LiveErrorKind::NoRights);
    }
}
