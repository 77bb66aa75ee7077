//! What `iptrace` of AIX writes.
//!
//! The format is not documented. Version 2.0 was worked out from a capture of a machine
//! on Ethernet and Token Ring; version 1.0 is the same record without its last ten bytes,
//! as tshark reads it too, but was not seen in a file of AIX. Not known: how a frame that
//! `iptrace -S` cut short is marked (its wire length is taken to be the captured one),
//! and the two bytes behind the direction flag.

use crate::fault::Fault;
use crate::interfaces::{Interface, Interfaces, Met};
use crate::raw::u32_at;
use crate::reader::{Action, Format, Reader, Record};
use crate::records::{LeftOut, Records, Sequence, file_header, reader, skip_in_head};
use crate::window::Window;
use wirewait_wire::{LinkType, Timestamp};

pub(crate) const FORMAT: Format = Format {
    name: "AIX iptrace",
    matches: |head| IptraceVersion::of(head).is_some(),
    action: Action::Read(|window, _| open(window)),
};

/// Bytes of the text that is the file header.
const MAGIC: usize = 11;

/// Bytes of a record that its length does not count: the length and the seconds.
const UNCOUNTED: usize = 8;

/// Bytes before the frame on FDDI, which align what follows its header.
const FDDI_PADDING: usize = 3;

/// The two layouts of a record header, big-endian:
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 4 | length of what follows the first 8 bytes |
/// | 4 | 4 | seconds since 1970 |
/// | 8 | 4 | unit number of the interface, in the last byte |
/// | 12 | 4 | name of the interface without the unit, ends with a NUL if shorter |
/// | 16 | 12 | description of the interface |
/// | 28 | 1 | type of the interface (`ifType` of the IANA) |
/// | 29 | 1 | direction: 0 received, 1 sent |
/// | 30 | 2 | unknown (2.0) |
/// | 32 | 4 | seconds since 1970 again (2.0) |
/// | 36 | 4 | nanoseconds (2.0) |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IptraceVersion {
    One,
    Two,
}

impl IptraceVersion {
    fn of(head: &[u8]) -> Option<Self> {
        match head.get(..MAGIC)? {
            b"iptrace 1.0" => Some(Self::One),
            b"iptrace 2.0" => Some(Self::Two),
            _ => None,
        }
    }

    /// Bytes of a record header.
    const fn header(self) -> usize {
        match self {
            Self::One => 30,
            Self::Two => 40,
        }
    }
}

fn open(mut window: Window) -> Result<Box<dyn Reader>, Fault> {
    let version = IptraceVersion::of(file_header(&mut window, MAGIC)?)
        .ok_or_else(|| Fault::unreadable("not an iptrace file"))?;
    skip_in_head(&mut window, MAGIC as u64)?;
    Ok(reader(Iptrace {
        records: Records::new(window, 0),
        version,
        met: Met::default(),
        left_out: LeftOut::default(),
    }))
}

/// Link of an interface by its `ifType`.
const fn link(kind: u8) -> Option<LinkType> {
    Some(match kind {
        6 | 7 => LinkType::ETHERNET,
        9 => LinkType::TOKEN_RING,
        15 => LinkType::FDDI,
        // X.25 and loopback, of which AIX gives the IP packets.
        4 | 24 => LinkType::RAW,
        _ => return None,
    })
}

/// The name of the interface that a record header tells of.
fn name(head: &[u8]) -> Option<String> {
    let prefix = head.get(12..16)?;
    let prefix = prefix.split(|byte| *byte == 0).next()?;
    let unit = head.get(11)?;
    (!prefix.is_empty()).then(|| format!("{}{unit}", String::from_utf8_lossy(prefix)))
}

struct Iptrace {
    records: Records,
    version: IptraceVersion,
    met: Met,
    left_out: LeftOut,
}

impl Iptrace {
    fn next(&mut self, interfaces: &mut Interfaces) -> Result<Option<Record>, Fault> {
        let size = self.version.header();
        loop {
            let Some(head) = self.records.header(size)? else {
                return Ok(None);
            };
            let length = u32_at(head, 0, true);
            let kind = head.get(28).copied().unwrap_or_default();
            let (seconds, nanos) = match self.version {
                IptraceVersion::One => (u32_at(head, 4, true), 0),
                IptraceVersion::Two => (u32_at(head, 32, true), u32_at(head, 36, true)),
            };
            let name = name(head);
            let start = self.records.offset();
            let captured = (length as usize).checked_sub(size - UNCOUNTED);
            let Some(captured) = captured else {
                return Err(Fault::damaged(
                    start,
                    format!(
                        "a record claims {length} bytes, fewer than its header has: the file \
                         is damaged from here on, the frames before were read"
                    ),
                ));
            };
            self.records.take(size, captured, 0)?;
            let Some(link) = link(kind) else {
                self.left_out.add(start, || {
                    format!("wirewait does not read interfaces of type {kind}")
                });
                continue;
            };
            if link == LinkType::FDDI {
                self.records.trim_start(FDDI_PADDING);
            }
            let mut interface = Interface::new(link, 0);
            interface.name = name;
            return Ok(Some(Record {
                at: Timestamp::from_parts(i64::from(seconds), nanos),
                link,
                interface: self.met.number(interfaces, &interface)?,
                // `Records::take` bounds the length.
                wire_len: self.records.bytes().len() as u32,
            }));
        }
    }
}

impl Sequence for Iptrace {
    fn record(&mut self, interfaces: &mut Interfaces) -> Result<Option<Record>, Fault> {
        let end = self.next(interfaces);
        self.left_out.told(end)
    }

    fn bytes(&self) -> &[u8] {
        self.records.bytes()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::format::tests::{
        Chunks, Seen, assert_chunking_does_not_matter, assert_cut_anywhere, read_all, read_good,
    };

    /// Records of (interface, unit, type, nanoseconds, bytes).
    type Row<'a> = (&'a [u8; 4], u8, u8, u32, &'a [u8]);

    fn file(version: IptraceVersion, records: &[Row<'_>]) -> Vec<u8> {
        let mut out = match version {
            IptraceVersion::One => b"iptrace 1.0".to_vec(),
            IptraceVersion::Two => b"iptrace 2.0".to_vec(),
        };
        for (prefix, unit, kind, nanos, bytes) in records {
            let length = bytes.len() + version.header() - UNCOUNTED;
            out.extend((length as u32).to_be_bytes());
            out.extend(SECONDS.to_be_bytes());
            out.extend([0, 0, 0, *unit]);
            out.extend(*prefix);
            out.extend(b"if_xx: ns_al");
            out.extend([*kind, 1]);
            if version == IptraceVersion::Two {
                out.extend([0, 0]);
                out.extend((SECONDS + 1).to_be_bytes());
                out.extend(nanos.to_be_bytes());
            }
            out.extend(*bytes);
        }
        out
    }

    const SECONDS: u32 = 915_145_488;
    const FOUR: [Row<'_>; 4] = [
        (b"en\0\0", 0, 6, 5, b"an Ethernet frame"),
        (b"tr\0\0", 1, 9, 6, b"a Token Ring frame"),
        (b"fi\0\0", 0, 15, 7, b"...an FDDI frame"),
        (b"en\0\0", 0, 6, 999_999_999, b"and another"),
    ];

    /// Good files, to be damaged.
    pub(crate) fn samples() -> Vec<Vec<u8>> {
        vec![
            file(IptraceVersion::One, &FOUR),
            file(IptraceVersion::Two, &FOUR),
        ]
    }

    fn seen(seconds: u32, nanos: i64, link: u16, interface: u32, bytes: &[u8]) -> Seen {
        Seen {
            nanos: i64::from(seconds) * 1_000_000_000 + nanos,
            link,
            interface,
            wire_len: bytes.len() as u32,
            bytes: bytes.to_vec(),
        }
    }

    #[test]
    fn records_of_several_interfaces() {
        for (version, seconds, unit) in [
            (IptraceVersion::One, SECONDS, 0),
            (IptraceVersion::Two, SECONDS + 1, 1),
        ] {
            let file = file(version, &FOUR);
            let (frames, interfaces) = read_good(&file);
            assert_eq!(
                frames,
                [
                    seen(seconds, 5 * unit, 1, 0, b"an Ethernet frame"),
                    seen(seconds, 6 * unit, 6, 1, b"a Token Ring frame"),
                    seen(seconds, 7 * unit, 10, 2, b"an FDDI frame"),
                    seen(seconds, 999_999_999 * unit, 1, 0, b"and another"),
                ]
            );
            let names: Vec<_> = interfaces
                .list()
                .iter()
                .map(|i| i.name.as_deref())
                .collect();
            assert_eq!(names, [Some("en0"), Some("tr1"), Some("fi0")]);
            assert_chunking_does_not_matter(&file);
            assert_cut_anywhere(&file, MAGIC);
        }
    }

    #[test]
    fn interfaces_of_unknown_types_are_told() {
        let mut records = FOUR.to_vec();
        records.insert(1, (b"ib\0\0", 0, 199, 0, b"InfiniBand"));
        records.push((b"ib\0\0", 0, 199, 0, b"InfiniBand"));
        let bytes = file(IptraceVersion::Two, &records);
        let (frames, _, fault) = read_all(Chunks::new(&bytes, 100), 4096);
        assert_eq!(frames.len(), 4);
        let fault = fault.unwrap();
        assert_eq!(fault.offset, Some((MAGIC + 40 + FOUR[0].4.len()) as u64));
        assert!(
            fault.message.contains("2 frames were left out"),
            "{fault:?}"
        );
        assert!(fault.message.contains("type 199"), "{fault:?}");
    }

    #[test]
    fn a_record_shorter_than_its_header_ends_the_file() {
        for version in [IptraceVersion::One, IptraceVersion::Two] {
            let mut bytes = file(version, &FOUR);
            let second = MAGIC + version.header() + FOUR[0].4.len();
            let short = (version.header() - UNCOUNTED - 1) as u32;
            bytes[second..second + 4].copy_from_slice(&short.to_be_bytes());
            let (frames, _, fault) = read_all(Chunks::new(&bytes, 100), 4096);
            assert_eq!(frames.len(), 1);
            assert_eq!(fault.unwrap().offset, Some(second as u64));
        }
    }

    #[test]
    fn a_frame_shorter_than_its_padding_is_empty() {
        let bytes = file(IptraceVersion::Two, &[(b"fi\0\0", 0, 15, 0, b"ab")]);
        let (frames, _) = read_good(&bytes);
        assert_eq!(frames, [seen(SECONDS + 1, 0, 10, 0, b"")]);
    }
}
