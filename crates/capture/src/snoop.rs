//! Snoop, the capture format of Solaris (RFC 1761), and the variant of Shomiti and
//! Finisar analysers.
//!
//! The only one of the old formats that counts lost frames: see [`Snoop::lost`].

use crate::completeness::CountedLosses;
use crate::fault::Fault;
use crate::interfaces::{Interface, Interfaces, Met};
use crate::pcap::without_fcs;
use crate::raw::u32_at;
use crate::reader::{Action, Format, Reader, Record};
use crate::records::{Records, Sequence, file_header, reader, skip_in_head};
use crate::window::Window;
use wirewait_wire::{LinkType, Timestamp};

pub(crate) const FORMAT: Format = Format {
    name: "snoop",
    matches: |head| head.starts_with(MAGIC),
    action: Action::Read(|window, _| open(window)),
};

const MAGIC: &[u8] = b"snoop\0\0\0";

/// Bytes of the file header.
const FILE_HEADER: usize = 16;

/// Bytes of a record header.
const RECORD_HEADER: usize = 24;

/// Padding is up to a multiple of four bytes; so much of it is the trailer that Shomiti's
/// analysers put behind each frame.
const SHOMITI_TRAILER: u64 = 16;

fn open(mut window: Window) -> Result<Box<dyn Reader>, Fault> {
    let head = file_header(&mut window, FILE_HEADER)?;
    let (version, datalink) = (u32_at(head, 8, true), u32_at(head, 12, true));
    if !(2..=5).contains(&version) {
        return Err(Fault::unreadable(format!(
            "says it is snoop version {version}, which does not exist; it is damaged or \
             another format"
        )));
    }
    // Where there is no whole record header, there is no frame that needs to be told apart.
    let shomiti = match window.fill(FILE_HEADER + RECORD_HEADER) {
        Ok(true) => SnoopHeader::read(window.unread().get(FILE_HEADER..).unwrap_or_default())
            .padding()
            .is_some_and(|padding| padding >= SHOMITI_TRAILER),
        Ok(false) | Err(_) => false,
    };
    let link = if shomiti {
        shomiti_link(datalink)
    } else {
        link(datalink)
    };
    let link = link.ok_or_else(|| {
        Fault::unreadable(format!(
            "was captured on a link of snoop's type {datalink}, which wirewait does not \
             read; convert it with `editcap -F pcapng IN OUT` (part of Wireshark)"
        ))
    })?;
    let mut interface = Interface::new(link, 0);
    if shomiti && link == LinkType::ETHERNET {
        interface.fcs_len = 4;
    }
    skip_in_head(&mut window, FILE_HEADER as u64)?;
    Ok(reader(Snoop {
        records: Records::new(window, 0),
        interface,
        met: Met::default(),
        drops: None,
        lost: 0,
        began: 0,
    }))
}

/// Datalink types of RFC 1761, section 4, and of later systems.
const fn link(datalink: u32) -> Option<LinkType> {
    Some(match datalink {
        0 | 4 => LinkType::ETHERNET,
        2 => LinkType::TOKEN_RING,
        8 => LinkType::FDDI,
        9 | 14 => LinkType::NULL,
        // IP over Fibre Channel, ATM as SunATM frames it, IP over InfiniBand, and the
        // observability nodes of Solaris (private type 5).
        16 => LinkType(122),
        18 => LinkType(123),
        26 => LinkType(242),
        0x8000_0005 => LinkType(226),
        _ => return None,
    })
}

/// What Shomiti made of the numbers.
const fn shomiti_link(datalink: u32) -> Option<LinkType> {
    Some(match datalink {
        0 | 4 | 10 | 12 | 19 => LinkType::ETHERNET,
        2 | 11 | 13 | 14 => LinkType::TOKEN_RING,
        8 => LinkType::FDDI,
        _ => return None,
    })
}

/// A record header.
#[derive(Clone, Copy, Debug)]
struct SnoopHeader {
    wire: u32,
    captured: u32,
    /// Bytes up to the next record.
    length: u32,
    /// Frames lost between the first record of the file and this one.
    drops: u32,
    seconds: u32,
    micros: u32,
}

impl SnoopHeader {
    fn read(bytes: &[u8]) -> Self {
        let field = |at| u32_at(bytes, at, true);
        Self {
            wire: field(0),
            captured: field(4),
            length: field(8),
            drops: field(12),
            seconds: field(16),
            micros: field(20),
        }
    }

    /// Bytes between the frame and the next record.
    fn padding(&self) -> Option<u64> {
        u64::from(self.length).checked_sub(RECORD_HEADER as u64 + u64::from(self.captured))
    }
}

struct Snoop {
    records: Records,
    interface: Interface,
    met: Met,
    /// The count of lost frames in the last record.
    drops: Option<u32>,
    /// By how much it has grown in this file.
    lost: u64,
    /// Time of the first frame, which tells files apart.
    began: u64,
}

impl Snoop {
    /// Takes in the count of lost frames. Only its growth is a loss in this file: what was
    /// cut out of a longer file starts with the losses before it.
    fn count(&mut self, interfaces: &mut Interfaces, number: u32, header: &SnoopHeader) {
        let before = match self.drops.replace(header.drops) {
            Some(before) if before == header.drops => return,
            Some(before) => before,
            None => {
                self.began = u64::from(header.seconds) << 32 | u64::from(header.micros);
                header.drops
            }
        };
        let grown = header.drops.saturating_sub(before);
        self.lost = self.lost.saturating_add(u64::from(grown));
        interfaces.count(
            number,
            CountedLosses {
                began: Some(self.began),
                received: None,
                dropped: Some(self.lost),
                ..CountedLosses::default()
            },
        );
    }
}

impl Sequence for Snoop {
    fn record(&mut self, interfaces: &mut Interfaces) -> Result<Option<Record>, Fault> {
        let number = self.met.number(interfaces, &self.interface)?;
        let Some(head) = self.records.header(RECORD_HEADER)? else {
            return Ok(None);
        };
        let header = SnoopHeader::read(head);
        let start = self.records.offset();
        let Some(padding) = header.padding() else {
            return Err(Fault::damaged(
                start,
                format!(
                    "a record of {} bytes claims a frame of {}: the file is damaged from here \
                     on, the frames before were read",
                    header.length, header.captured
                ),
            ));
        };
        self.records
            .take(RECORD_HEADER, header.captured as usize, padding)?;
        self.count(interfaces, number, &header);
        let wire = interfaces.wire_len(number, header.captured, header.wire);
        let (kept, wire) = without_fcs(header.captured, wire, self.interface.fcs_len);
        self.records.truncate(kept as usize);
        Ok(Some(Record {
            at: Timestamp::from_nanos(
                i64::from(header.seconds) * 1_000_000_000 + i64::from(header.micros) * 1000,
            ),
            link: self.interface.link,
            interface: number,
            wire_len: wire,
        }))
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

    /// Records of (wire length, drops, microseconds, bytes), with `trailer` behind each.
    fn file(datalink: u32, records: &[(u32, u32, u32, &[u8])], trailer: usize) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(2_u32.to_be_bytes());
        out.extend(datalink.to_be_bytes());
        for (wire, drops, micros, bytes) in records {
            let padded = bytes.len().next_multiple_of(4) + trailer;
            let length = (RECORD_HEADER + padded) as u32;
            for field in [*wire, bytes.len() as u32, length, *drops, SECONDS, *micros] {
                out.extend(field.to_be_bytes());
            }
            out.extend(*bytes);
            out.resize(out.len() + padded - bytes.len(), 0x55);
        }
        out
    }

    const SECONDS: u32 = 900_000_000;
    const THREE: [(u32, u32, u32, &[u8]); 3] = [
        (60, 3, 0, b"the first frame"),
        (4, 3, 1, b"next"),
        (1500, 8, 999_999, b"third"),
    ];

    fn seen(micros: i64, link: u16, wire_len: u32, bytes: &[u8]) -> Seen {
        Seen {
            nanos: i64::from(SECONDS) * 1_000_000_000 + micros * 1000,
            link,
            interface: 0,
            wire_len,
            bytes: bytes.to_vec(),
        }
    }

    fn three() -> [Seen; 3] {
        [
            seen(0, 1, 60, b"the first frame"),
            seen(1, 1, 4, b"next"),
            seen(999_999, 1, 1500, b"third"),
        ]
    }

    /// Good files, to be damaged.
    pub(crate) fn samples() -> Vec<Vec<u8>> {
        vec![file(4, &THREE, 0), file(10, &THREE, 16)]
    }

    #[test]
    fn records_and_the_growth_of_the_losses() {
        let file = file(4, &THREE, 0);
        let (frames, interfaces) = read_good(&file);
        assert_eq!(frames, three());
        assert_eq!(interfaces.list()[0].dropped, Some(5), "3 were lost before");
        assert_chunking_does_not_matter(&file);
        assert_cut_anywhere(&file, FILE_HEADER);
    }

    #[test]
    fn losses_of_two_files_add_up_and_a_count_that_falls_is_none() {
        let records = [
            (4, 0, 0, &b"next"[..]),
            (4, 7, 1, b"next"),
            (4, 2, 2, b"next"),
            (4, 3, 3, b"next"),
        ];
        let mut interfaces = Interfaces::default();
        for bytes in [file(4, &records, 0), file(4, &records[1..], 0)] {
            let window = Window::new(Box::new(Chunks::new(&bytes, 100)), 4096);
            let mut reader = open(window).unwrap();
            while reader.next(&mut interfaces).unwrap().is_some() {}
        }
        assert_eq!(interfaces.list()[0].dropped, Some(8 + 1));
    }

    #[test]
    fn the_datalinks_of_the_document() {
        for (datalink, link) in [(0, 1), (2, 6), (4, 1), (8, 10), (9, 0), (26, 242)] {
            let (frames, _) = read_good(&file(datalink, &THREE, 0));
            assert_eq!(frames[0].link, link);
        }
        let fault = read_all(Chunks::new(&file(3, &THREE, 0), 100), 4096).2;
        assert!(fault.unwrap().message.contains("type 3"));
    }

    #[test]
    fn shomiti_frames_have_a_trailer_and_on_ethernet_a_checksum() {
        let records = [(64, 0, 0, &b"the first frame and its FCS."[..])];
        let (frames, interfaces) = read_good(&file(10, &records, 16));
        assert_eq!(frames, [seen(0, 1, 60, b"the first frame and its FCS.")]);
        assert_eq!(interfaces.list()[0].fcs_len, 4);

        let whole = [(28, 0, 0, &b"the first frame and its FCS."[..])];
        let (frames, _) = read_good(&file(12, &whole, 16));
        assert_eq!(frames, [seen(0, 1, 24, b"the first frame and its ")]);

        let (frames, _) = read_good(&file(13, &whole, 16));
        assert_eq!(
            frames,
            [seen(0, 6, 28, b"the first frame and its FCS.")],
            "Token Ring, whole"
        );
        let fault = read_all(Chunks::new(&file(18, &whole, 16), 100), 4096).2;
        assert!(fault.unwrap().message.contains("type 18"));
    }

    #[test]
    fn lengths_that_cannot_be_end_the_file() {
        let good = file(4, &THREE, 0);
        let second = FILE_HEADER + RECORD_HEADER + 16;
        for (field, value) in [(4, 5_u32), (4, u32::MAX), (8, 27), (8, 0)] {
            let mut bytes = good.clone();
            bytes[second + field..second + field + 4].copy_from_slice(&value.to_be_bytes());
            let (frames, _, fault) = read_all(Chunks::new(&bytes, 100), 4096);
            assert_eq!(frames, three()[..1]);
            assert_eq!(fault.unwrap().offset, Some(second as u64));
        }
        let mut version = good;
        version[11] = 9;
        let fault = read_all(Chunks::new(&version, 100), 4096).2.unwrap();
        assert!(fault.message.contains("version 9"), "{fault:?}");
    }
}
