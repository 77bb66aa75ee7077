//! Writers for pcap and pcapng. The same calls give the same bytes, on every machine.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use wirewait_wire::{Frame, LinkType, Timestamp};

/// Creates a file for frames, which must not exist yet. On Unix only its owner can read it, because
/// frames may hold private data.
///
/// # Errors
/// What the operating system says.
pub fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// How fine the times of a pcap file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Microseconds; what every reader knows. Finer times are rounded down.
    Micros,
    /// Nanoseconds, under a magic number of its own.
    Nanos,
}

impl Precision {
    const fn magic(self) -> u32 {
        match self {
            Self::Micros => 0xa1b2_c3d4,
            Self::Nanos => 0xa1b2_3c4d,
        }
    }

    const fn nanos(self) -> i64 {
        match self {
            Self::Micros => 1000,
            Self::Nanos => 1,
        }
    }
}

/// Writes a pcap file, version 2.4, little-endian.
#[derive(Debug)]
pub struct PcapWriter<W> {
    out: W,
    link: LinkType,
    precision: Precision,
}

impl<W: Write> PcapWriter<W> {
    /// Starts a file of frames of one kind of link, of which at most `snaplen` bytes
    /// each were captured.
    ///
    /// # Errors
    /// What `out` says.
    pub fn new(mut out: W, link: LinkType, precision: Precision, snaplen: u32) -> io::Result<Self> {
        let mut header = Bytes::default();
        header.u32(precision.magic());
        header.u16(2).u16(4);
        header.u32(0).u32(0).u32(snaplen).u32(u32::from(link.0));
        out.write_all(&header.0)?;
        Ok(Self {
            out,
            link,
            precision,
        })
    }

    /// Writes a frame.
    ///
    /// # Errors
    /// What `out` says; a frame of another link, or one before 1970 or after 2106, which
    /// the format cannot hold.
    pub fn frame(&mut self, frame: &Frame<'_>) -> io::Result<()> {
        if frame.link != self.link {
            return Err(refused("a pcap file holds frames of one link type only"));
        }
        let nanos = frame.at.as_nanos();
        let seconds = u32::try_from(nanos.div_euclid(1_000_000_000))
            .map_err(|_| refused("a pcap file holds times from 1970 to 2106 only"))?;
        let fraction = nanos.rem_euclid(1_000_000_000) / self.precision.nanos();
        let mut header = Bytes::default();
        // Less than a second, so it fits.
        header.u32(seconds).u32(fraction as u32);
        header.u32(length(frame.bytes)?).u32(frame.wire_len);
        self.out.write_all(&header.0)?;
        self.out.write_all(frame.bytes)
    }

    /// Flushes and gives `out` back.
    ///
    /// # Errors
    /// What `out` says.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}

/// An interface, as a pcapng file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// What it is called.
    pub name: Option<String>,
    /// The kind of link it is on.
    pub link: LinkType,
    /// The most bytes kept of a frame; 0 is no limit.
    pub snaplen: u32,
    /// Bits per second of the link, if they are known.
    pub speed: Option<u64>,
}

impl Description {
    /// An interface of which only the kind of link is known.
    #[must_use]
    pub const fn of(link: LinkType) -> Self {
        Self {
            name: None,
            link,
            snaplen: 0,
            speed: None,
        }
    }
}

/// What a capturing program counted on one interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// When it began to count. The files of one ring have this in common, which is how a
    /// reader knows not to add them up.
    pub began: Option<Timestamp>,
    /// Frames received.
    pub received: Option<u64>,
    /// Frames lost by the interface or the operating system.
    pub dropped: Option<u64>,
    /// Frames that reached the capturing program, saved or not (`isb_usrdeliv`). Written
    /// before the first frame of a file and again at its end, it tells how many are missing.
    pub delivered: Option<u64>,
}

/// What is said beside a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notes<'a> {
    /// A comment for the reader of the file.
    pub comment: Option<&'a str>,
    /// Frames of its interface that are missing before it.
    pub lost: u64,
}

/// Writes a pcapng file of one section, little-endian, with times in nanoseconds.
#[derive(Debug)]
pub struct PcapngWriter<W> {
    out: W,
    /// Link of each interface described so far.
    links: Vec<LinkType>,
}

impl<W: Write> PcapngWriter<W> {
    /// Starts a file, written by the program `application`.
    ///
    /// # Errors
    /// What `out` says; an `application` of more than 65,535 bytes.
    pub fn new(out: W, application: &str) -> io::Result<Self> {
        Self::commented(out, application, None)
    }

    /// [`PcapngWriter::new`], with a comment on the whole file.
    ///
    /// # Errors
    /// What `out` says; an `application` or a comment of more than 65,535 bytes.
    pub fn commented(out: W, application: &str, comment: Option<&str>) -> io::Result<Self> {
        let mut writer = Self {
            out,
            links: Vec::new(),
        };
        let mut body = Bytes::default();
        body.u32(0x1a2b_3c4d).u16(1).u16(0);
        // The length of the section is not known in advance.
        body.u64(u64::MAX);
        if let Some(comment) = comment {
            body.option(1, comment.as_bytes())?;
        }
        body.option(4, application.as_bytes())?;
        body.end_of_options();
        writer.block(0x0a0d_0d0a, &body.0)?;
        Ok(writer)
    }

    /// Describes an interface and says its number, counted from 0. `snaplen` 0 is no
    /// limit.
    ///
    /// # Errors
    /// What `out` says; a `name` of more than 65,535 bytes.
    pub fn interface(
        &mut self,
        name: Option<&str>,
        link: LinkType,
        snaplen: u32,
    ) -> io::Result<u32> {
        self.describe(&Description {
            name: name.map(str::to_owned),
            snaplen,
            ..Description::of(link)
        })
    }

    /// Describes an interface and says its number, counted from 0.
    ///
    /// # Errors
    /// What `out` says; a name of more than 65,535 bytes.
    pub fn describe(&mut self, interface: &Description) -> io::Result<u32> {
        let number = u32::try_from(self.links.len())
            .map_err(|_| refused("there are too many interfaces"))?;
        let mut body = Bytes::default();
        body.u16(interface.link.0).u16(0).u32(interface.snaplen);
        if let Some(name) = &interface.name {
            body.option(2, name.as_bytes())?;
        }
        if let Some(speed) = interface.speed {
            body.option(8, &speed.to_le_bytes())?;
        }
        body.option(9, &[9])?;
        body.end_of_options();
        self.block(1, &body.0)?;
        self.links.push(interface.link);
        Ok(number)
    }

    /// Writes a frame of an interface that has been described, with a comment if wanted.
    ///
    /// # Errors
    /// As [`PcapngWriter::noted`].
    pub fn frame(&mut self, frame: &Frame<'_>, comment: Option<&str>) -> io::Result<()> {
        self.noted(frame, Notes { comment, lost: 0 })
    }

    /// Writes a frame of an interface that has been described, and what is said beside it.
    /// Memory is only asked for where something is said.
    ///
    /// # Errors
    /// What `out` says; an interface that has not been described or has another link;
    /// a time before 1970.
    pub fn noted(&mut self, frame: &Frame<'_>, notes: Notes<'_>) -> io::Result<()> {
        if self.links.get(frame.interface as usize) != Some(&frame.link) {
            return Err(refused(
                "the frame's interface was not described with its link type",
            ));
        }
        let mut options = Bytes::default();
        if let Some(comment) = notes.comment {
            options.option(1, comment.as_bytes())?;
        }
        if notes.lost > 0 {
            options.option(4, &notes.lost.to_le_bytes())?;
        }
        if !options.0.is_empty() {
            options.end_of_options();
        }
        let captured = length(frame.bytes)?;
        let [upper, lower] = time(frame.at)?;
        let padding = captured.next_multiple_of(4) - captured;
        let total = length(&options.0)?
            .checked_add(captured)
            .and_then(|sum| sum.checked_add(padding)?.checked_add(FRAME_FRAMING))
            .ok_or_else(too_long)?;
        let mut header = [0; FRAME_FRAMING as usize - 4];
        let fields = [
            6,
            total,
            frame.interface,
            upper,
            lower,
            captured,
            frame.wire_len,
        ];
        for (place, field) in header.chunks_exact_mut(4).zip(fields) {
            place.copy_from_slice(&field.to_le_bytes());
        }
        self.out.write_all(&header)?;
        self.out.write_all(frame.bytes)?;
        self.out.write_all(&[0; 3][..padding as usize])?;
        self.out.write_all(&options.0)?;
        self.out.write_all(&total.to_le_bytes())
    }

    /// Writes what the capturing program counted on an interface up to `at`.
    ///
    /// # Errors
    /// What `out` says; an interface that has not been described; a time before 1970.
    pub fn statistics(&mut self, interface: u32, at: Timestamp, counts: Counts) -> io::Result<()> {
        if self.links.len() <= interface as usize {
            return Err(refused("the interface was not described"));
        }
        let mut body = Bytes::default();
        body.u32(interface).time(at)?;
        if let Some(began) = counts.began {
            let mut value = Bytes::default();
            value.time(began)?;
            body.option(2, &value.0)?;
        }
        for (code, value) in [
            (4, counts.received),
            (5, counts.dropped),
            (8, counts.delivered),
        ] {
            if let Some(value) = value {
                body.option(code, &value.to_le_bytes())?;
            }
        }
        body.end_of_options();
        self.block(5, &body.0)
    }

    /// Flushes and gives `out` back.
    ///
    /// # Errors
    /// What `out` says.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    /// Where the bytes go; between two calls, these are whole blocks.
    pub const fn get_mut(&mut self) -> &mut W {
        &mut self.out
    }

    fn block(&mut self, kind: u32, body: &[u8]) -> io::Result<()> {
        let total = length(body)?.checked_add(12).ok_or_else(too_long)?;
        self.out.write_all(&kind.to_le_bytes())?;
        self.out.write_all(&total.to_le_bytes())?;
        self.out.write_all(body)?;
        self.out.write_all(&total.to_le_bytes())
    }
}

/// Bytes of an enhanced packet block that are none of its frame and options.
pub(crate) const FRAME_FRAMING: u32 = 32;

/// Bytes of an interface statistics block that says everything there is in [`Counts`].
pub(crate) const STATISTICS: u64 = 76;

/// Little-endian bytes.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn u16(&mut self, value: u16) -> &mut Self {
        self.0.extend(value.to_le_bytes());
        self
    }

    fn u32(&mut self, value: u32) -> &mut Self {
        self.0.extend(value.to_le_bytes());
        self
    }

    fn u64(&mut self, value: u64) -> &mut Self {
        self.0.extend(value.to_le_bytes());
        self
    }

    /// The upper half first, whatever the byte order.
    fn time(&mut self, at: Timestamp) -> io::Result<&mut Self> {
        let [upper, lower] = time(at)?;
        Ok(self.u32(upper).u32(lower))
    }

    /// `bytes`, filled up with zeros to a multiple of four.
    fn padded(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend(bytes);
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        self
    }

    fn option(&mut self, code: u16, value: &[u8]) -> io::Result<&mut Self> {
        let length = u16::try_from(value.len())
            .map_err(|_| refused("a pcapng option has at most 65535 bytes"))?;
        Ok(self.u16(code).u16(length).padded(value))
    }

    fn end_of_options(&mut self) -> &mut Self {
        self.u16(0).u16(0)
    }
}

/// A time in two halves, the upper one first.
fn time(at: Timestamp) -> io::Result<[u32; 2]> {
    let nanos =
        u64::try_from(at.as_nanos()).map_err(|_| refused("times before 1970 cannot be written"))?;
    Ok([(nanos >> 32) as u32, nanos as u32])
}

fn length(bytes: &[u8]) -> io::Result<u32> {
    u32::try_from(bytes.len()).map_err(|_| too_long())
}

fn too_long() -> io::Error {
    refused("the frame is too long")
}

fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tests::read_good;

    fn frame(nanos: i64, interface: u32, link: LinkType, bytes: &[u8]) -> Frame<'_> {
        Frame {
            at: Timestamp::from_nanos(nanos),
            link,
            interface,
            wire_len: 100,
            bytes,
        }
    }

    const AT: i64 = 1_700_000_000_123_456_789;

    #[test]
    fn pcap_is_read_back() {
        for (precision, nanos) in [(Precision::Micros, AT - 789), (Precision::Nanos, AT)] {
            let mut writer = PcapWriter::new(Vec::new(), LinkType::RAW, precision, 96).unwrap();
            writer.frame(&frame(AT, 0, LinkType::RAW, b"abc")).unwrap();
            writer.frame(&frame(0, 0, LinkType::RAW, b"")).unwrap();
            assert!(writer.frame(&frame(-1, 0, LinkType::RAW, b"abc")).is_err());
            assert!(writer.frame(&frame(AT, 0, LinkType::PPP, b"abc")).is_err());
            let file = writer.finish().unwrap();
            assert_eq!(file.len(), 24 + 16 + 3 + 16);
            // An empty frame at 1970 behind a dated one looks like an unwritten end; it
            // has a wire length, though.
            let (frames, interfaces) = read_good(&file);
            assert_eq!(frames.len(), 2);
            assert_eq!(frames[0].nanos, nanos);
            assert_eq!(frames[0].bytes, b"abc");
            assert_eq!(frames[0].wire_len, 100);
            assert_eq!(interfaces.list()[0].snaplen, 96);
        }
    }

    #[test]
    fn pcapng_is_read_back() {
        let mut writer = PcapngWriter::new(Vec::new(), "wirewait").unwrap();
        assert_eq!(
            writer
                .interface(Some("eth0"), LinkType::ETHERNET, 96)
                .unwrap(),
            0
        );
        assert_eq!(writer.interface(None, LinkType::RAW, 0).unwrap(), 1);
        writer
            .frame(&frame(AT, 1, LinkType::RAW, b"abcde"), Some("slow: 1.2 s"))
            .unwrap();
        writer
            .frame(&frame(AT + 1, 0, LinkType::ETHERNET, b"f"), None)
            .unwrap();
        assert!(
            writer
                .frame(&frame(AT, 0, LinkType::RAW, b""), None)
                .is_err()
        );
        assert!(
            writer
                .frame(&frame(AT, 2, LinkType::RAW, b""), None)
                .is_err()
        );
        writer
            .statistics(
                0,
                Timestamp::from_nanos(AT),
                Counts {
                    began: Some(Timestamp::from_nanos(AT - 1)),
                    received: Some(5),
                    dropped: Some(2),
                    delivered: Some(4),
                },
            )
            .unwrap();
        assert!(
            writer
                .statistics(2, Timestamp::from_nanos(AT), Counts::default())
                .is_err()
        );
        let file = writer.finish().unwrap();
        let (frames, interfaces) = read_good(&file);
        let got: Vec<_> = frames
            .iter()
            .map(|f| (f.nanos, f.interface, f.link, f.bytes.as_slice()))
            .collect();
        assert_eq!(got, [(AT, 1, 101, &b"abcde"[..]), (AT + 1, 0, 1, b"f")]);
        let eth0 = &interfaces.list()[0];
        assert_eq!(eth0.name.as_deref(), Some("eth0"));
        assert_eq!((eth0.received, eth0.dropped), (Some(5), Some(2)));
        // Counting began 1 ns before the first of its frames: of four, one is there.
        assert_eq!(eth0.not_saved, Some(3));
        assert_eq!(interfaces.list()[1].name, None);
    }
}
