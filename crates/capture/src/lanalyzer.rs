//! Novell's LANalyzer (`.tr1`): records of a type, a length and a body, little-endian.
//!
//! Packets count half microseconds from the start of the trace, whose date and time to
//! the second are in the summary record. Some programs count from midnight instead, so
//! that only the differences of the times are sure: a remark says so.

use crate::calendar::{Civil, Zone};
use crate::fault::Fault;
use crate::interfaces::{Interface, Interfaces, Met};
use crate::raw::{u16_at, u32_at};
use crate::reader::{Action, Format, Reader, Record};
use crate::records::{Records, Sequence, file_header, reader, skip_in_head};
use crate::window::Window;
use wirewait_wire::{LinkType, Timestamp};

/// A weak magic, to be tried after the others.
pub(crate) const FORMAT: Format = Format {
    name: "Novell LANalyzer",
    // Record type 0x1001 or 0x1007, a text of plausible length, a small version.
    matches: |head| matches!(head, [1 | 7, 0x10, 4..=0xff, 0, 0..=9, 0..=99, ..]),
    action: Action::Read(open),
};

/// Type and length of the body.
const RECORD_HEADER: usize = 4;

/// Record types.
const SUMMARY: u16 = 0x1002;
const PACKET: u16 = 0x1005;

/// Bytes of a summary's body that are used.
const SUMMARY_BODY: usize = 190;

/// Bytes in front of the frame in a packet's body.
const DESCRIPTOR: usize = 32;

/// Nanoseconds.
const TICK: i64 = 500;

fn open(mut window: Window, zone: Zone) -> Result<Box<dyn Reader>, Fault> {
    loop {
        let head = file_header(&mut window, RECORD_HEADER)?;
        let (kind, length) = (u16_at(head, 0, false), u16_at(head, 2, false));
        if kind == PACKET || kind == SUMMARY && usize::from(length) < SUMMARY_BODY {
            return Err(Fault::unreadable(
                "looks like a LANalyzer file, but has no summary record before its packets; \
                 it is damaged or another format",
            ));
        }
        if kind == SUMMARY {
            let head = file_header(&mut window, RECORD_HEADER + SUMMARY_BODY)?;
            let body = head.get(RECORD_HEADER..).unwrap_or_default();
            let (link, begun) = summary(body)?;
            skip_in_head(&mut window, RECORD_HEADER as u64 + u64::from(length))?;
            let mut remarks = zone.remarks(begun);
            remarks.push(
                "is a LANalyzer file, whose times are sure only as differences: when it was \
                 begun is taken from its summary, to the second"
                    .to_owned(),
            );
            return Ok(reader(Lanalyzer {
                records: Records::new(window, 0),
                interface: Interface::new(link, 0),
                met: Met::default(),
                begun: zone.nanos(begun),
                remarks,
            }));
        }
        skip_in_head(&mut window, RECORD_HEADER as u64 + u64::from(length))?;
    }
}

/// The link and the start of the trace.
fn summary(body: &[u8]) -> Result<(LinkType, Civil), Fault> {
    let byte = |at: usize| body.get(at).copied().map_or(0, u16::from);
    let link = match u16_at(body, 188, false) {
        226 => LinkType::ETHERNET,
        227 => LinkType::TOKEN_RING,
        other => {
            return Err(Fault::unreadable(format!(
                "was captured with a board of LANalyzer's type {other}; wirewait reads those \
                 of Ethernet (226) and Token Ring (227)"
            )));
        }
    };
    let begun = Civil {
        year: u16_at(body, 2, false),
        month: byte(1),
        day: byte(0),
        hour: byte(10),
        minute: byte(9),
        second: byte(8),
    };
    Ok((link, begun))
}

struct Lanalyzer {
    records: Records,
    interface: Interface,
    met: Met,
    /// Nanoseconds since 1970.
    begun: i64,
    remarks: Vec<String>,
}

impl Sequence for Lanalyzer {
    fn record(&mut self, interfaces: &mut Interfaces) -> Result<Option<Record>, Fault> {
        let number = self.met.number(interfaces, &self.interface)?;
        loop {
            let Some(head) = self.records.header(RECORD_HEADER)? else {
                return Ok(None);
            };
            let (kind, length) = (u16_at(head, 0, false), u16_at(head, 2, false));
            if kind != PACKET {
                self.records
                    .pass(RECORD_HEADER as u64 + u64::from(length))?;
                continue;
            }
            let start = self.records.offset();
            let header = RECORD_HEADER + DESCRIPTOR;
            let Some(head) = self.records.header(header)? else {
                return Ok(None);
            };
            let field = |at| u16_at(head, RECORD_HEADER + at, false);
            let (on_wire, captured) = (field(4), field(6));
            let ticks =
                i64::from(u32_at(head, RECORD_HEADER + 8, false)) | i64::from(field(12)) << 32;
            // The length on the wire counts the frame check sequence, which is not stored.
            let wire = match on_wire.checked_sub(4) {
                Some(wire) if wire >= captured => wire,
                _ => on_wire,
            };
            let padding = usize::from(length).checked_sub(DESCRIPTOR + usize::from(captured));
            let Some(padding) = padding else {
                return Err(Fault::damaged(
                    start,
                    format!(
                        "a record of {length} bytes claims a frame of {captured}: the file is \
                         damaged from here on, the frames before were read"
                    ),
                ));
            };
            self.records
                .take(header, usize::from(captured), padding as u64)?;
            return Ok(Some(Record {
                // 48 bits of 500 ns are less than five years.
                at: Timestamp::from_nanos(self.begun).plus(ticks * TICK),
                link: self.interface.link,
                interface: number,
                wire_len: interfaces.wire_len(number, captured.into(), wire.into()),
            }));
        }
    }

    fn bytes(&self) -> &[u8] {
        self.records.bytes()
    }

    fn remarks(&self) -> &[String] {
        &self.remarks
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::fault::Severity;
    use crate::format::tests::{
        Chunks, Seen, assert_chunking_does_not_matter, assert_cut_anywhere, read_all, read_good,
    };

    fn record(kind: u16, body: &[u8]) -> Vec<u8> {
        let mut out = kind.to_le_bytes().to_vec();
        out.extend((body.len() as u16).to_le_bytes());
        out.extend(body);
        out
    }

    fn head(kind: u16, board: u16) -> Vec<u8> {
        let mut summary = [0; 210];
        // 24 December 1993, closed a day later, begun at 11:36:05.
        summary[..16]
            .copy_from_slice(&[24, 12, 0xc9, 7, 25, 12, 0xc9, 7, 5, 36, 11, 5, 0, 0, 6, 36]);
        summary[188..190].copy_from_slice(&board.to_le_bytes());
        [
            record(kind, b"\x01\x05Trace Display Trace File"),
            record(0x1006, b"channels"),
            record(SUMMARY, &summary),
        ]
        .concat()
    }

    fn packet(ticks: u64, on_wire: u16, bytes: &[u8]) -> Vec<u8> {
        let mut body = vec![1, 0, 0, 0];
        body.extend(on_wire.to_le_bytes());
        body.extend((bytes.len() as u16).to_le_bytes());
        body.extend(&ticks.to_le_bytes()[..6]);
        body.resize(DESCRIPTOR, 0x77);
        body.extend(bytes);
        record(PACKET, &body)
    }

    fn file(board: u16) -> Vec<u8> {
        [
            head(0x1001, board),
            packet(0, 64, b"the first frame"),
            record(0x1009, b"cyclic"),
            packet(3, 8, b"next"),
            packet(1 << 32, 5, b"third"),
        ]
        .concat()
    }

    const BEGUN: i64 = (756_691_200 + 11 * 3600 + 36 * 60 + 5) * 1_000_000_000;

    fn seen(nanos: i64, link: u16, wire_len: u32, bytes: &[u8]) -> Seen {
        Seen {
            nanos: BEGUN + nanos,
            link,
            interface: 0,
            wire_len,
            bytes: bytes.to_vec(),
        }
    }

    /// Good files, to be damaged.
    pub(crate) fn samples() -> Vec<Vec<u8>> {
        vec![file(226)]
    }

    #[test]
    fn packets_behind_a_summary() {
        for (board, link) in [(226, 1), (227, 6)] {
            assert_eq!(
                read_good(&file(board)).0,
                [
                    seen(0, link, 60, b"the first frame"),
                    seen(1500, link, 4, b"next"),
                    seen(2_147_483_648_000, link, 5, b"third"),
                ]
            );
        }
        assert_chunking_does_not_matter(&file(226));
        assert_cut_anywhere(&file(226), head(0x1001, 226).len());
        let cyclic = [head(0x1007, 226), packet(0, 8, b"next")].concat();
        assert_eq!(read_good(&cyclic).0, [seen(0, 1, 4, b"next")]);
    }

    #[test]
    fn its_times_are_remarked() {
        for (offset, count) in [(None, 2), (Some(0), 1)] {
            let window = Window::new(Box::new(Chunks::new(&file(226), 100)), 4096);
            let reader = open(window, Zone { offset }).unwrap();
            assert_eq!(reader.remarks().len(), count);
        }
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let fault = read_all(Chunks::new(&head(0x1001, 5), 100), 4096)
            .2
            .unwrap();
        assert_eq!(fault.severity, Severity::Unreadable);
        assert!(fault.message.contains("type 5"), "{fault:?}");

        let without = [record(0x1001, b"\x01\x05Trace"), packet(0, 8, b"next")].concat();
        let fault = read_all(Chunks::new(&without, 100), 4096).2.unwrap();
        assert_eq!(fault.severity, Severity::Unreadable);
        assert!(fault.message.contains("summary"), "{fault:?}");

        let mut larger = file(226);
        let at = head(0x1001, 226).len();
        larger[at + RECORD_HEADER + 6] += 1;
        let (frames, _, fault) = read_all(Chunks::new(&larger, 100), 4096);
        assert_eq!(frames, []);
        assert_eq!(fault.unwrap().offset, Some(at as u64));
    }
}
