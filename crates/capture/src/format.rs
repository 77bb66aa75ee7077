//! What a stream is, decided by its first bytes.
//!
//! [`FORMATS`] is the whole knowledge: to read one more format, write a file with a
//! [`Reader`] and a [`Format`], and add its `mod` and its line here.

use crate::calendar::Zone;
use crate::fault::Fault;
use crate::interfaces::Interfaces;
use crate::reader::{Action, Format, HEAD, Reader, Record};
use crate::window::Window;
use crate::{
    compressed, foreign, iptrace, lanalyzer, netmon, netxray, ngsniffer, pcap, pcapng, snoop,
};
use std::io::Read;

/// All formats, strong magics first. Checked in this order.
const FORMATS: &[&[Format]] = &[
    &[pcap::FORMAT, pcapng::FORMAT],
    &[
        ngsniffer::FORMAT,
        netxray::FORMAT,
        netmon::FORMAT,
        snoop::FORMAT,
        iptrace::FORMAT,
    ],
    compressed::FORMATS,
    foreign::FORMATS,
    &[lanalyzer::FORMAT],
];

/// Wrappers within wrappers that are followed (a gzip of a zstd is a mistake; a deeper
/// nest is an attack).
const MAX_NEST: usize = 2;

/// Finds out what `source` is and gives the reader for it.
pub(crate) fn recognise(
    source: Box<dyn Read + Send>,
    capacity: usize,
    zone: Zone,
) -> Result<Box<dyn Reader>, Fault> {
    let mut window = Window::new(source, capacity);
    let mut wrapped_in: Option<&str> = None;
    for _ in 0..=MAX_NEST {
        // An error after some bytes is met again by the reader, who can say more.
        if let Err(error) = window.fill(HEAD)
            && window.unread().is_empty()
        {
            return Err(Fault::unreadable(match wrapped_in {
                None => format!("cannot be read: {error}"),
                Some(_) => format!("{error}; get a whole copy of it"),
            }));
        }
        let head = window.unread();
        let head = head.get(..HEAD).unwrap_or(head);
        let Some(format) = FORMATS
            .iter()
            .copied()
            .flatten()
            .find(|f| (f.matches)(head))
        else {
            return Err(unknown(head));
        };
        match format.action {
            Action::Read(open) => {
                let reader = open(window, zone);
                return match wrapped_in {
                    None => reader,
                    Some(_) => reader
                        .map(|reader| Box::new(Unpacked(reader)) as Box<dyn Reader>)
                        .map_err(Fault::of_unpacked),
                };
            }
            Action::Unwrap(unwrap) => {
                let inner = unwrap(window).map_err(|error| {
                    Fault::unreadable(format!(
                        "cannot be decompressed as {}: {error}",
                        format.name
                    ))
                })?;
                window = Window::new(inner, capacity);
                wrapped_in = Some(format.name);
            }
            Action::Refuse(advice) => {
                return Err(Fault::unreadable(format!(
                    "is in {} format, which wirewait does not read; {advice}",
                    format.name
                )));
            }
        }
    }
    Err(Fault::unreadable(format!(
        "is compressed more than {MAX_NEST} times over; decompress it first"
    )))
}

/// What is wrong in a compressed file stands somewhere in its unpacked bytes, which may be far more
/// than it has.
struct Unpacked(Box<dyn Reader>);

impl Reader for Unpacked {
    fn next(&mut self, interfaces: &mut Interfaces) -> Result<Option<Record>, Fault> {
        self.0.next(interfaces).map_err(Fault::of_unpacked)
    }

    #[inline]
    fn usual(&mut self, record: &mut Record) -> bool {
        self.0.usual(record)
    }

    #[inline]
    fn bytes(&self) -> &[u8] {
        self.0.bytes()
    }

    fn remarks(&self) -> &[String] {
        self.0.remarks()
    }
}

fn unknown(head: &[u8]) -> Fault {
    if head.is_empty() {
        return Fault::empty(
            "the file is empty (0 bytes); nothing was captured, or the capture has not \
             been flushed yet",
        );
    }
    let shown: Vec<String> = head.iter().take(8).map(|b| format!("{b:02x}")).collect();
    let shown = shown.join(" ");
    if head.len() < 4 {
        return Fault::empty(format!(
            "the file ends inside its first 4 bytes ({shown}), too few for a capture"
        ));
    }
    Fault::unreadable(format!(
        "not a capture file wirewait knows: first bytes {shown}; if Wireshark opens it, \
         convert it with `editcap -F pcap IN OUT`"
    ))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::fault::Severity;
    use crate::interfaces::Interfaces;
    use crate::raw::MAX_FRAME;
    use std::io;

    /// A `Read` that gives at most `chunk` bytes at a time.
    pub(crate) struct Chunks {
        bytes: Vec<u8>,
        at: usize,
        chunk: usize,
    }

    impl Chunks {
        pub(crate) fn new(bytes: &[u8], chunk: usize) -> Self {
            Self {
                bytes: bytes.to_vec(),
                at: 0,
                chunk,
            }
        }
    }

    impl Read for Chunks {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let count = self.chunk.min(out.len()).min(self.bytes.len() - self.at);
            out[..count].copy_from_slice(&self.bytes[self.at..self.at + count]);
            self.at += count;
            Ok(count)
        }
    }

    /// One frame as tests compare it.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub(crate) struct Seen {
        pub(crate) nanos: i64,
        pub(crate) link: u16,
        pub(crate) interface: u32,
        pub(crate) wire_len: u32,
        pub(crate) bytes: Vec<u8>,
    }

    /// All frames of a stream and the fault that ended it.
    pub(crate) fn read_all(
        source: impl Read + Send + 'static,
        capacity: usize,
    ) -> (Vec<Seen>, Interfaces, Option<Fault>) {
        let mut interfaces = Interfaces::default();
        let mut seen = Vec::new();
        let mut reader = match recognise(Box::new(source), capacity, Zone::default()) {
            Ok(reader) => reader,
            Err(fault) => return (seen, interfaces, Some(fault)),
        };
        loop {
            match reader.next(&mut interfaces) {
                Ok(Some(record)) => seen.push(Seen {
                    nanos: record.at.as_nanos(),
                    link: record.link.0,
                    interface: record.interface,
                    wire_len: record.wire_len,
                    bytes: reader.bytes().to_vec(),
                }),
                Ok(None) => return (seen, interfaces, None),
                Err(fault) => {
                    assert_eq!(reader.next(&mut interfaces), Ok(None), "{fault:?}");
                    return (seen, interfaces, Some(fault));
                }
            }
        }
    }

    /// As [`read_all`], but only counts.
    pub(crate) fn count_all(source: impl Read + Send + 'static) -> (usize, Option<Fault>) {
        let mut interfaces = Interfaces::default();
        let mut reader = recognise(Box::new(source), 1 << 16, Zone::default()).unwrap();
        let mut frames = 0;
        loop {
            match reader.next(&mut interfaces) {
                Ok(Some(_)) => frames += 1,
                Ok(None) => return (frames, None),
                Err(fault) => return (frames, Some(fault)),
            }
        }
    }

    /// As [`read_all`], where no fault is expected.
    pub(crate) fn read_good(bytes: &[u8]) -> (Vec<Seen>, Interfaces) {
        let (seen, interfaces, fault) = read_all(Chunks::new(bytes, usize::MAX), 4096);
        assert_eq!(fault, None);
        (seen, interfaces)
    }

    /// Reading gives the same whatever pieces the bytes arrive in.
    pub(crate) fn assert_chunking_does_not_matter(bytes: &[u8]) {
        let (whole, _, whole_fault) = read_all(Chunks::new(bytes, usize::MAX), 1 << 20);
        for chunk in [1, 7, 24, 777] {
            for capacity in [64, 4096] {
                let (seen, _, fault) = read_all(Chunks::new(bytes, chunk), capacity);
                assert_eq!(seen, whole, "pieces of {chunk}, window of {capacity}");
                assert_eq!(fault, whole_fault, "pieces of {chunk}");
            }
        }
    }

    /// Cut off anywhere behind `header` bytes, a file gives its first frames as they are
    /// and says where it breaks off; it ends well only between records.
    pub(crate) fn assert_cut_anywhere(file: &[u8], header: usize) {
        let (whole, _) = read_good(file);
        let (mut known, mut last_good) = (0, None);
        for cut in 0..file.len() {
            let (seen, _, fault) = read_all(Chunks::new(&file[..cut], 1000), 4096);
            if cut < header {
                let fault = fault.unwrap_or_else(|| panic!("no fault at {cut}"));
                assert_ne!(fault.severity, Severity::Damaged, "at {cut}: {fault:?}");
                continue;
            }
            assert_eq!(seen, whole[..seen.len()], "at {cut}");
            assert!(seen.len() >= known, "at {cut}");
            known = seen.len();
            let Some(fault) = fault else {
                assert_ne!(last_good, cut.checked_sub(1), "two ends at {cut}");
                last_good = Some(cut);
                continue;
            };
            assert_eq!(fault.severity, Severity::Damaged, "at {cut}");
            assert!(
                fault.offset.is_some_and(|offset| offset <= cut as u64),
                "at {cut}: {fault:?}"
            );
        }
    }

    fn message(bytes: &[u8]) -> (Severity, String) {
        let (seen, _, fault) = read_all(Chunks::new(bytes, usize::MAX), 4096);
        assert_eq!(seen, []);
        let fault = fault.expect("not a capture");
        (fault.severity, fault.message)
    }

    #[test]
    fn says_what_it_is_not() {
        let (severity, text) = message(b"hello, world");
        assert_eq!(severity, Severity::Unreadable);
        assert!(
            text.contains("first bytes 68 65 6c 6c 6f 2c 20 77"),
            "{text}"
        );
        assert_eq!(message(b"").0, Severity::Empty);
        assert_eq!(message(&[0xd4, 0xc3]).0, Severity::Empty);
    }

    /// xorshift64*: the same damage on every run.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, bound: usize) -> usize {
            self.0 ^= self.0 >> 12;
            self.0 ^= self.0 << 25;
            self.0 ^= self.0 >> 27;
            (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
        }
    }

    /// A machine that went down leaves zeros where the end of a file was to be written.
    #[test]
    fn zeros_are_damage_and_no_frames() {
        let (pcap, pcapng) = (crate::pcap::tests::sample(), crate::pcapng::tests::sample());
        let mut samples = vec![("pcap", pcap), ("pcapng", pcapng)];
        samples.extend(
            [("iptrace", crate::iptrace::tests::samples())].map(|(n, s)| (n, s[0].clone())),
        );
        for (name, list) in [
            ("ngsniffer", crate::ngsniffer::tests::samples()),
            ("netxray", crate::netxray::tests::samples()),
            ("netmon", crate::netmon::tests::samples()),
            ("lanalyzer", crate::lanalyzer::tests::samples()),
            ("snoop", crate::snoop::tests::samples()),
        ] {
            samples.extend(list.into_iter().map(|bytes| (name, bytes)));
        }
        for (name, sample) in samples {
            let (whole, _, _) = read_all(Chunks::new(&sample, 1000), 4096);
            for written in 0..sample.len() {
                let mut bytes = sample[..written].to_vec();
                bytes.resize(sample.len() + 5000, 0);
                let (seen, _, fault) = read_all(Chunks::new(&bytes, 1000), 4096);
                let what = format!("{name}, {written} of {}: {fault:?}", sample.len());
                // The record that is torn may become one that is empty.
                assert!(seen.len() <= whole.len(), "{} frames, {what}", seen.len());
                let intact = seen.iter().zip(&whole).filter(|(a, b)| a == b).count();
                // One that is circular has two ends.
                let torn = if name == "netxray" { 2 } else { 1 };
                assert!(seen.len() <= intact + torn, "{} frames, {what}", seen.len());
                // A header or a table may say where the file ends, and a mark in it.
                let ends_well = ["netxray", "netmon", "ngsniffer"].contains(&name);
                assert!(fault.is_some() || ends_well, "{what}");
            }
        }
    }

    #[test]
    fn hostile_bytes_do_no_harm() {
        let (pcap, pcapng) = (crate::pcap::tests::sample(), crate::pcapng::tests::sample());
        let mut samples = vec![pcap, pcapng];
        samples.extend(crate::compressed::tests::samples());
        samples.extend(crate::ngsniffer::tests::samples());
        samples.extend(crate::netxray::tests::samples());
        samples.extend(crate::netmon::tests::samples());
        samples.extend(crate::lanalyzer::tests::samples());
        samples.extend(crate::snoop::tests::samples());
        samples.extend(crate::iptrace::tests::samples());
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
        const EDGES: [u8; 6] = [0, 1, 0x7f, 0x80, 0xfe, 0xff];
        for round in 0..4_000 {
            for sample in &samples {
                let mut bytes = sample.clone();
                for _ in 0..=dice.below(6) {
                    let at = dice.below(bytes.len());
                    bytes[at] = match dice.below(3) {
                        0 => EDGES[dice.below(EDGES.len())],
                        1 => bytes[at] ^ 1 << dice.below(8),
                        _ => dice.below(256) as u8,
                    };
                }
                if round % 4 == 0 {
                    bytes.truncate(dice.below(bytes.len()));
                }
                let (seen, interfaces, _) = read_all(Chunks::new(&bytes, 777), 64);
                for frame in seen {
                    assert!(frame.bytes.len() <= MAX_FRAME);
                    assert!(frame.wire_len as usize >= frame.bytes.len());
                    assert!((frame.interface as usize) < interfaces.list().len());
                }
            }
        }
    }
}
