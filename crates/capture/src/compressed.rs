//! Compressed captures: gzip, zstd, the LZ4 frame format, xz and bzip2.
//!
//! All of them stream: a decompression bomb costs time, but never more memory than the
//! decoder's own window (gzip 32 KiB, zstd and xz at most 128 MiB, LZ4 about 8 MiB, bzip2 4 MB). It
//! costs little time either: what grows beyond all captures is refused ([`Bounded`]). Files of several
//! members or frames, as parallel compressors and `cat` make them, are read to their end.

use crate::reader::{Action, Format};
use crate::window::Window;
use bzip2::read::MultiBzDecoder;
use flate2::read::DeflateDecoder;
use flate2::{Decompress, FlushDecompress, Status};
use lz4_flex::frame::FrameDecoder;
use lzma_rust2::XzReader;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) const FORMATS: &[Format] = &[
    Format {
        name: "gzip",
        matches: |head| head.starts_with(&[0x1f, 0x8b]),
        action: Action::Unwrap(|window| {
            let (window, taken) = Metered::new(window);
            Ok(Box::new(Bounded::new("gzip", Gzip::new(window), taken)))
        }),
    },
    Format {
        name: "zstd",
        // Parallel compressors start with a skippable frame (RFC 8878, 3.1.2).
        matches: |head| {
            head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
                || matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
        },
        action: Action::Unwrap(|window| {
            let (window, taken) = Metered::new(window);
            let inner = zstd::stream::read::Decoder::new(window)?;
            Ok(Box::new(Bounded::new("zstd", inner, taken)))
        }),
    },
    Format {
        name: "LZ4",
        matches: |head| head.starts_with(&[0x04, 0x22, 0x4d, 0x18]),
        action: Action::Unwrap(|window| {
            let (window, taken) = Metered::new(window);
            Ok(Box::new(Bounded::new("LZ4", Lz4::new(window), taken)))
        }),
    },
    Format {
        name: "xz",
        matches: |head| head.starts_with(b"\xfd7zXZ\0"),
        action: Action::Unwrap(|window| {
            let (window, taken) = Metered::new(window);
            let inner = BufReader::with_capacity(1 << 16, window);
            let inner = XzReader::new_mem_limit(inner, true, XZ_MEMORY as u32);
            Ok(Box::new(Bounded::new("xz", inner, taken)))
        }),
    },
    Format {
        name: "bzip2",
        // The size of its blocks, and the mark of the first one (or of an empty file's end).
        matches: |head| matches!(head, [b'B', b'Z', b'h', b'1'..=b'9', 0x31 | 0x17, ..]),
        action: Action::Unwrap(|window| {
            let (window, taken) = Metered::new(window);
            Ok(Box::new(Bounded::new(
                "bzip2",
                MultiBzDecoder::new(window),
                taken,
            )))
        }),
    },
];

/// KiB of memory that an xz file may ask for: twice what `xz -9` needs, as for zstd.
const XZ_MEMORY: usize = 128 << 10;

/// Decompresses a stream that begins with these bytes; `None` if it is not compressed.
pub(crate) fn unwrap(head: &[u8], window: Window) -> Option<io::Result<Box<dyn Read + Send>>> {
    let format = FORMATS.iter().find(|format| (format.matches)(head))?;
    match format.action {
        Action::Unwrap(unwrap) => Some(unwrap(window)),
        Action::Read(_) | Action::Refuse(_) => None,
    }
}

/// A file of a zip archive (RFC 1951).
pub(crate) fn deflated(bytes: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
    let (window, taken) = Metered::new(Window::new(bytes, 1 << 16));
    Box::new(Bounded::new("deflate", DeflateDecoder::new(window), taken))
}

/// Most bytes that a compressed byte may expand to: gzip (1032) and LZ4 (255) cannot do more, and
/// captures stay far below.
const MOST_EXPANSION: u64 = 1100;
/// Bytes that any input may expand to, whatever its length.
const FREE: u64 = 64 << 20;

/// Counts the compressed bytes.
struct Metered {
    inner: Window,
    taken: Arc<AtomicU64>,
}

impl Metered {
    fn new(inner: Window) -> (Self, Arc<AtomicU64>) {
        let taken = Arc::<AtomicU64>::default();
        let metered = Self {
            inner,
            taken: Arc::clone(&taken),
        };
        (metered, taken)
    }
}

impl Read for Metered {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(out)?;
        self.taken.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Refuses what grows too much, and says in its errors which decompression failed.
struct Bounded<R> {
    name: &'static str,
    inner: R,
    taken: Arc<AtomicU64>,
    given: u64,
}

impl<R> Bounded<R> {
    const fn new(name: &'static str, inner: R, taken: Arc<AtomicU64>) -> Self {
        Self {
            name,
            inner,
            taken,
            given: 0,
        }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let taken = self.taken.load(Ordering::Relaxed);
        if self.given > FREE.max(taken.saturating_mul(MOST_EXPANSION)) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!(
                    "the {} data grows more than {MOST_EXPANSION}-fold, as no capture does: \
                     unpack it yourself if it is one",
                    self.name
                ),
            ));
        }
        let count = self.inner.read(out).map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => error,
            io::ErrorKind::UnexpectedEof => io::Error::new(
                error.kind(),
                format!("the {} data ends too early", self.name),
            ),
            kind => io::Error::new(kind, format!("the {} data is damaged ({error})", self.name)),
        })?;
        self.given = self.given.saturating_add(count as u64);
        Ok(count)
    }
}

/// Gzip members one after the other.
///
/// The ready-made reader of `flate2` throws away what a call had decompressed when it then
/// meets damage: hundreds of frames, with a large buffer. Here they come out first.
struct Gzip {
    inner: BufReader<Metered>,
    decoder: Decompress,
    /// Damage that was met behind bytes that had to come out first.
    damage: Option<io::Error>,
    ended: bool,
}

impl Gzip {
    /// Windows of 2^15 bytes, the largest that gzip may use (RFC 1951, section 2).
    const WINDOW_BITS: u8 = 15;

    fn new(window: Metered) -> Self {
        Self {
            inner: BufReader::with_capacity(1 << 16, window),
            decoder: Decompress::new_gzip(Self::WINDOW_BITS),
            damage: None,
            ended: false,
        }
    }

    /// Behind a member: another one may follow; anything else is left alone, as gzip does.
    fn next_member(&mut self) -> io::Result<()> {
        self.ended = !self.inner.fill_buf()?.starts_with(&[0x1f]);
        self.decoder = Decompress::new_gzip(Self::WINDOW_BITS);
        Ok(())
    }
}

impl Read for Gzip {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if let Some(damage) = self.damage.take() {
            self.ended = true;
            return Err(damage);
        }
        while !self.ended && !out.is_empty() {
            let input = self.inner.fill_buf()?;
            if input.is_empty() {
                self.ended = true;
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let (taken, given) = (self.decoder.total_in(), self.decoder.total_out());
            let result = self.decoder.decompress(input, out, FlushDecompress::None);
            let taken = self.decoder.total_in() - taken;
            let given = self.decoder.total_out() - given;
            // Both are bounded by the lengths of slices.
            self.inner.consume(usize::try_from(taken).unwrap_or(0));
            let given = usize::try_from(given).unwrap_or(0);
            match result {
                Ok(Status::StreamEnd) => self.next_member()?,
                Ok(Status::Ok | Status::BufError) => {}
                Err(error) => {
                    let error = io::Error::new(io::ErrorKind::InvalidData, error);
                    if given == 0 {
                        self.ended = true;
                        return Err(error);
                    }
                    self.damage = Some(error);
                }
            }
            if given > 0 {
                return Ok(given);
            }
        }
        Ok(0)
    }
}

/// LZ4 frames one after the other.
///
/// The decoder of `lz4_flex` takes the end of its input inside a frame for the end of
/// the frame. Here that is an error: a cut-off copy has to be told from a whole one.
struct Lz4 {
    /// `None` only after an error.
    decoder: Option<FrameDecoder<Noticed>>,
}

/// Notices that a reader came to the end of its input.
struct Noticed {
    inner: BufReader<Metered>,
    ended: bool,
}

impl Read for Noticed {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(out)?;
        self.ended |= count == 0 && !out.is_empty();
        Ok(count)
    }
}

impl Lz4 {
    fn new(window: Metered) -> Self {
        Self {
            decoder: Some(FrameDecoder::new(Noticed {
                inner: BufReader::with_capacity(1 << 16, window),
                ended: false,
            })),
        }
    }
}

impl Read for Lz4 {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while let Some(decoder) = &mut self.decoder {
            let count = decoder.read(out)?;
            if count > 0 || out.is_empty() {
                return Ok(count);
            }
            let Some(decoder) = self.decoder.take() else {
                break;
            };
            let mut source = decoder.into_inner();
            if source.ended {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if source.inner.fill_buf()?.is_empty() {
                break;
            }
            // A decoder of its own for each frame: its buffers fit one frame's settings.
            self.decoder = Some(FrameDecoder::new(source));
        }
        Ok(0)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::FREE;
    use crate::fault::{Fault, Severity};
    use crate::format::tests::{Chunks, Seen, count_all, read_all, read_good};
    use crate::write::{PcapWriter, Precision};
    use std::io::Write;
    use wirewait_wire::{Frame, LinkType, Timestamp};

    const FRAMES: u32 = 200;

    fn capture() -> Vec<u8> {
        let mut writer =
            PcapWriter::new(Vec::new(), LinkType::ETHERNET, Precision::Nanos, 65_535).unwrap();
        for i in 0..FRAMES {
            let bytes: Vec<u8> = (0..i).map(|j| (i * j) as u8).collect();
            writer
                .frame(&Frame {
                    at: Timestamp::from_parts(1_700_000_000, i),
                    link: LinkType::ETHERNET,
                    interface: 0,
                    wire_len: 300,
                    bytes: &bytes,
                })
                .unwrap();
        }
        writer.finish().unwrap()
    }

    pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        zstd::stream::encode_all(bytes, 1).unwrap()
    }

    fn lz4(bytes: &[u8]) -> Vec<u8> {
        let info = lz4_flex::frame::FrameInfo::new().content_checksum(true);
        let mut encoder = lz4_flex::frame::FrameEncoder::with_frame_info(info, Vec::new());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    pub(crate) fn xz(bytes: &[u8]) -> Vec<u8> {
        let options = lzma_rust2::XzOptions::with_preset(1);
        let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    pub(crate) fn bzip2(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    type Compress = fn(&[u8]) -> Vec<u8>;
    const ALL: [(&str, Compress); 5] = [
        ("gzip", gzip),
        ("zstd", zstd),
        ("LZ4", lz4),
        ("xz", xz),
        ("bzip2", bzip2),
    ];

    /// Good files, to be damaged.
    pub(crate) fn samples() -> impl Iterator<Item = Vec<u8>> {
        let pcapng = crate::pcapng::tests::sample();
        ALL.map(|(_, compress)| compress(&pcapng)).into_iter()
    }

    fn plain() -> Vec<Seen> {
        read_good(&capture()).0
    }

    #[test]
    fn reads_the_same_frames() {
        for (name, compress) in ALL {
            let packed = compress(&capture());
            for chunk in [1, 7, 24, 777, usize::MAX] {
                let (frames, _, fault) = read_all(Chunks::new(&packed, chunk), 4096);
                assert_eq!(fault, None, "{name}");
                assert_eq!(frames, plain(), "{name}");
            }
        }
    }

    #[test]
    fn reads_all_members_of_a_file() {
        let capture = capture();
        for (name, compress) in ALL {
            let (a, b) = capture.split_at(5000);
            let packed = [compress(a), compress(b"").clone(), compress(b)].concat();
            assert_eq!(read_good(&packed).0, plain(), "{name}");
        }
        let behind_skippable = [
            &[0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9],
            &zstd(&capture)[..],
        ];
        assert_eq!(read_good(&behind_skippable.concat()).0, plain());
    }

    #[test]
    fn two_layers_are_read_and_three_refused() {
        let twice = gzip(&zstd(&capture()));
        assert_eq!(read_good(&twice).0, plain());
        let thrice = lz4(&twice);
        let fault = read_all(Chunks::new(&thrice, 1000), 4096).2.unwrap();
        assert_eq!(fault.severity, Severity::Unreadable);
        assert!(fault.message.contains("more than 2 times"), "{fault:?}");
    }

    #[test]
    fn a_cut_file_gives_its_first_frames_and_says_so() {
        let plain = plain();
        for (name, compress) in ALL {
            let packed = compress(&capture());
            for cut in (1..packed.len()).step_by(97).chain([packed.len() - 1]) {
                let (frames, _, fault) = read_all(Chunks::new(&packed[..cut], 4096), 4096);
                let fault: Fault = fault.unwrap_or_else(|| panic!("{name} cut at {cut}"));
                assert_eq!(frames, plain[..frames.len()], "{name} cut at {cut}");
                if !frames.is_empty() {
                    assert_eq!(fault.severity, Severity::Damaged);
                    assert!(fault.message.contains(name), "{fault:?}");
                    let says = "; position in the unpacked data";
                    assert!(fault.message.ends_with(says), "{fault:?}");
                }
            }
        }
    }

    #[test]
    fn damage_is_found() {
        for (name, compress) in ALL {
            let mut packed = compress(&capture());
            let middle = packed.len() / 2;
            packed[middle..middle + 8].fill(0xff);
            let (frames, _, fault) = read_all(Chunks::new(&packed, 4096), 4096);
            assert!(fault.is_some(), "{name} after {} frames", frames.len());
        }
    }

    #[test]
    fn what_grows_beyond_all_captures_is_refused() {
        // A file header and the largest frames, all of zeros and at the same time.
        const FRAMES: usize = 600;
        const RECORD: usize = 16 + crate::MAX_FRAME;
        let mut bomb = capture();
        bomb.truncate(24);
        let mut record = vec![0; RECORD];
        for at in [8, 12] {
            record[at..at + 4].copy_from_slice(&(crate::MAX_FRAME as u32).to_le_bytes());
        }
        bomb.extend(record.repeat(FRAMES));
        for (name, compress) in ALL {
            let packed = compress(&bomb);
            let (frames, fault) = count_all(Chunks::new(&packed, usize::MAX));
            if ["gzip", "LZ4"].contains(&name) {
                assert_eq!((frames, fault), (FRAMES, None), "{name}");
                continue;
            }
            let fault = fault.unwrap();
            assert!(fault.message.contains("more than 1100-fold"), "{fault:?}");
            assert_eq!(fault.severity, Severity::Damaged);
            let free = FREE as usize / RECORD;
            assert!((free - 1..free + 10).contains(&frames), "{frames} frames");
        }
    }

    #[test]
    fn what_is_inside_is_named() {
        let fault = read_all(Chunks::new(&gzip(b"ObserverPktBuffer ....."), 4096), 4096)
            .2
            .unwrap();
        assert!(fault.message.contains("Observer"), "{fault:?}");
        let empty = read_all(Chunks::new(&gzip(b""), 4096), 4096).2.unwrap();
        assert_eq!(empty.severity, Severity::Empty);
    }
}
