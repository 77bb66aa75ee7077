//! The files of one capture, as one sequence of frames in time order.

mod waiting;

use crate::calendar::Zone;
use crate::fault::{Fault, Severity};
use crate::input::Input;
use crate::interfaces::{Interface, Interfaces};
use crate::origins::{Origins, Tracker};
use crate::stream::Stream;
use std::collections::{BinaryHeap, VecDeque};
use std::fmt;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering as Memory};
use waiting::Waiting;
pub use waiting::is_skipped;
use wirewait_wire::{Frame, Source, SourceError};

/// How far time stamps may step back where a capture was cut into files: a file begins
/// only when all others are this much (nanoseconds) past its first frame, or at their
/// end. So a cut there is not taken for two captures that run side by side.
pub const STEP_BACK: i64 = 1_000_000;

/// The buffer for the first look into a file, and for files that many others overlap.
const SMALL_WINDOW: usize = 1 << 16;

/// Files open at the same time that get a buffer of full size.
const FULL_WINDOWS: usize = 8;

/// How to read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Bytes asked of a file at once, at most 1 MiB.
    pub window: usize,
    /// Seconds east of UTC of the time zone in which the capture was made: some formats
    /// hold local times and no zone. `None` when it is not known; their times are then
    /// taken as UTC, and a [warning](Files::warnings) says so.
    pub zone_offset: Option<i32>,
    /// Skip files that cannot be read or are no captures, as long as another one is: each is
    /// damage of the capture, reported before its first frame.
    pub skip_unreadable: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            window: 1 << 18,
            zone_offset: None,
            skip_unreadable: false,
        }
    }
}

/// How much of the input has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes read so far, compressed where the file is.
    pub bytes_read: u64,
    /// Bytes of all files together; `None` when one is a pipe.
    pub bytes_total: Option<u64>,
}

/// Opens the files of one capture; the path `-` is the standard input.
///
/// The order of `paths` only counts between files whose first frames have the same time.
/// A file named twice is read once. Of several files, most are only looked into here,
/// and opened again when it is their turn.
///
/// # Errors
/// When a file cannot be opened, or is not a capture. A file too short to hold a frame
/// is only a [warning](Files::warnings) as long as another one can be read, unless files that are no
/// captures are skipped.
pub fn open(paths: &[PathBuf], options: &Options) -> Result<Files, SourceError> {
    let inputs = paths.iter().map(|path| Input::Path(path.clone())).collect();
    Files::build(inputs, options)
}

/// The frames of a capture: a [`Source`].
///
/// Several files are merged by time. Within a file its own order is kept: a frame whose
/// stamp steps back stays where it is.
pub struct Files {
    /// Files that have not begun, by the time of their first frame.
    waiting: VecDeque<Waiting>,
    /// Files under way, each with its next frame read.
    heads: BinaryHeap<Stream>,
    /// The file that lent the last frame: its next one has not been read yet.
    front: Option<Stream>,
    /// It is alone, and of what comes behind its frame nothing is known: until something else than its next usual frame
    /// was looked for.
    steady: bool,
    interfaces: Interfaces,
    warnings: Vec<SourceError>,
    /// Files that were skipped, the first one last, until they are reported.
    skipped: Vec<SourceError>,
    bytes_read: Arc<AtomicU64>,
    bytes_total: Option<u64>,
    window: usize,
    zone: Zone,
    /// Notes which file each frame came from, if that is wanted.
    tracker: Option<Tracker>,
}

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Files")
            .field("front", &self.front.as_ref().map(|stream| &stream.name))
            .field("under_way", &self.heads.len())
            .field("waiting", &self.waiting.len())
            .field("interfaces", &self.interfaces.list())
            .finish_non_exhaustive()
    }
}

impl Files {
    /// Reads a capture from any stream; `name` stands for it in messages.
    ///
    /// # Errors
    /// As [`open`].
    pub fn from_reader(
        name: impl Into<String>,
        stream: Box<dyn Read + Send>,
        options: &Options,
    ) -> Result<Self, SourceError> {
        Self::from_readers(vec![(name.into(), stream)], options)
    }

    /// Reads the parts of a capture from streams, all of which stay open.
    ///
    /// # Errors
    /// As [`open`].
    pub fn from_readers(
        streams: Vec<(String, Box<dyn Read + Send>)>,
        options: &Options,
    ) -> Result<Self, SourceError> {
        let inputs = streams
            .into_iter()
            .map(|(name, stream)| Input::Stream(name, stream))
            .collect();
        Self::build(inputs, options)
    }

    /// The interfaces met so far, by the number that `Frame::interface` has. Their
    /// counters are complete at the end.
    #[must_use]
    pub fn interfaces(&self) -> &[Interface] {
        self.interfaces.list()
    }

    /// What was wrong, but not wrong enough to stop, when the files were opened; and what
    /// a file does not say that its user should know (the time zone of its times).
    #[must_use]
    pub fn warnings(&self) -> &[SourceError] {
        &self.warnings
    }

    /// How far reading is.
    #[must_use]
    pub fn progress(&self) -> Progress {
        Progress {
            bytes_read: self.bytes_read.load(Memory::Relaxed),
            bytes_total: self.bytes_total,
        }
    }

    /// From now on remembers which frame of which file each frame is. To be called before the
    /// first frame is read; costs nothing otherwise.
    pub fn track(&mut self) -> Origins {
        let (tracker, origins) = Tracker::new();
        self.tracker = Some(tracker);
        origins
    }

    /// The frame that the file in front is at.
    #[inline]
    fn lend(&mut self) -> Option<Frame<'_>> {
        let front = self.front.as_ref()?;
        if let Some(tracker) = &mut self.tracker {
            note(tracker, front);
        }
        Some(front.frame())
    }

    fn build(inputs: Vec<Input>, options: &Options) -> Result<Self, SourceError> {
        let mut files = Self {
            waiting: VecDeque::new(),
            heads: BinaryHeap::new(),
            front: None,
            steady: false,
            interfaces: Interfaces::default(),
            warnings: Vec::new(),
            skipped: Vec::new(),
            bytes_read: Arc::new(AtomicU64::new(0)),
            bytes_total: Some(0),
            window: options.window,
            zone: Zone {
                offset: options.zone_offset,
            },
            tracker: None,
        };
        let inputs = files.without_repeats(inputs);
        let mut unusable = None;
        let inputs = files.unpacked(inputs, options.skip_unreadable, &mut unusable)?;
        let alone = inputs.len() == 1;
        let mut waiting = Vec::with_capacity(inputs.len());
        for (order, input) in inputs.into_iter().enumerate() {
            let name = input.name();
            let skip = options.skip_unreadable || matches!(input, Input::Part(_));
            match files.look_into(order, input, alone) {
                Ok(found) => waiting.push(found),
                Err(fault) if fault.severity == Severity::Empty && !skip => {
                    let error = fault.named(&name);
                    unusable.get_or_insert(error.clone());
                    files.warnings.push(error);
                }
                Err(fault) if skip => files.skip(fault.named(&name), &mut unusable),
                Err(fault) => return Err(fault.named(&name)),
            }
        }
        if waiting.is_empty() {
            return Err(unusable
                .unwrap_or_else(|| Fault::unreadable("no capture file was named").named("input")));
        }
        files.skipped.reverse();
        // Stable: files that begin at the same time stay in the order given.
        waiting.sort_by_key(|file| file.first);
        for (order, file) in waiting.iter_mut().enumerate() {
            file.order = order;
        }
        files.warn_of_equal_beginnings(&waiting);
        files.waiting = waiting.into();
        Ok(files)
    }

    /// Whether the first waiting file has to begin before a frame with this key is lent: all
    /// others are past its first frame, and none of them ends where it begins.
    fn is_due(&mut self, lowest: Option<i64>) -> bool {
        let Some(first) = self.waiting.front().map(|file| file.first) else {
            return false;
        };
        let Some(lowest) = lowest else {
            return true;
        };
        if lowest < first {
            return false;
        }
        let limit = first.saturating_add(STEP_BACK);
        if let Some(front) = &mut self.front
            && !front.passes(limit, &mut self.interfaces)
        {
            return false;
        }
        let known = |stream: &Stream| stream.is_known_up_to(limit);
        if !self.heads.iter().all(known) {
            let mut heads = std::mem::take(&mut self.heads).into_vec();
            for stream in &mut heads {
                stream.passes(limit, &mut self.interfaces);
            }
            self.heads = heads.into();
        }
        self.heads.iter().all(|stream| stream.horizon() > limit)
    }
}

impl Source for Files {
    fn bytes_read(&self) -> u64 {
        self.progress().bytes_read
    }

    fn link_speed(&self, interface: u32) -> Option<u64> {
        self.interfaces.list().get(interface as usize)?.speed
    }

    fn lost(&self) -> Option<u64> {
        self.interfaces
            .list()
            .iter()
            .filter_map(Interface::lost)
            .reduce(u64::saturating_add)
    }

    fn not_saved(&self) -> Option<u64> {
        self.interfaces
            .list()
            .iter()
            .filter_map(|interface| interface.not_saved)
            .reduce(u64::saturating_add)
    }

    // Part of the loop over frames, of which there are several.
    #[inline(always)]
    fn next_frame(&mut self) -> Result<Option<Frame<'_>>, SourceError> {
        // Nearly always the file in front is alone, and goes on. Its frame is lent in one place, however it got there:
        // two that come together here would do so through memory.
        if !self.steady || !self.front.as_mut().is_some_and(Stream::goes_on) {
            self.move_on()?;
        }
        Ok(self.lend())
    }
}

impl Files {
    /// Whether no other file is under way or waits, and nothing is to be reported.
    #[inline]
    fn is_alone(&self) -> bool {
        self.skipped.is_empty() && self.heads.is_empty() && self.waiting.is_empty()
    }

    /// Moves to the next frame of all files.
    #[inline(never)]
    fn move_on(&mut self) -> Result<(), SourceError> {
        let moved = self.move_all();
        let front = self.front.as_ref();
        self.steady = self.is_alone() && front.is_some_and(|front| !front.is_ahead());
        moved
    }

    fn move_all(&mut self) -> Result<(), SourceError> {
        if let Some(skipped) = self.skipped.pop() {
            return Err(skipped);
        }
        if let Some(front) = &mut self.front {
            match front.advance(&mut self.interfaces) {
                Ok(true) => {}
                Ok(false) => self.front = None,
                Err(fault) => return Err(fault.named(&front.name)),
            }
        }
        if self.heads.is_empty() && self.waiting.is_empty() {
            return Ok(());
        }
        loop {
            let lowest = match (&self.front, self.heads.peek()) {
                (Some(front), Some(head)) => Some(front.key.min(head.key)),
                (Some(one), None) | (None, Some(one)) => Some(one.key),
                (None, None) => None,
            };
            if !self.is_due(lowest) {
                break;
            }
            self.heads.extend(self.front.take());
            let Some(file) = self.waiting.pop_front() else {
                break;
            };
            // Stays in front even when its first frame cannot be read: the next call
            // then finds out what is behind the damage.
            let front = self.front.insert(self.begin(file)?);
            match front.advance(&mut self.interfaces) {
                Ok(true) => {}
                Ok(false) => self.front = None,
                Err(fault) => return Err(fault.named(&front.name)),
            }
        }
        // The heap's greatest is the earliest.
        if self
            .heads
            .peek()
            .is_some_and(|head| self.front.as_ref().is_none_or(|front| head > front))
        {
            let head = self.heads.pop();
            self.heads.extend(self.front.take());
            self.front = head;
        }
        Ok(())
    }
}

/// Notes where the frame came from that the file is at.
#[cold]
#[inline(never)]
fn note(tracker: &mut Tracker, front: &Stream) {
    tracker.lent(front.order, front.place, &front.name);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tests::Chunks;
    use crate::write::{PcapWriter, PcapngWriter, Precision};
    use wirewait_wire::{LinkType, SourceErrorKind, Timestamp};

    const MS: i64 = 1_000_000;
    const DAY: i64 = 1_700_000_000_000 * MS;

    /// A frame of a test: nanoseconds into the day, and what tells it from the others.
    type Mark = (i64, u32);

    fn frame(nanos: i64, interface: u32, bytes: &[u8]) -> Frame<'_> {
        Frame {
            at: Timestamp::from_nanos(DAY + nanos),
            link: LinkType::ETHERNET,
            interface,
            wire_len: 100,
            bytes,
        }
    }

    fn pcap(marks: &[Mark]) -> Vec<u8> {
        let mut writer =
            PcapWriter::new(Vec::new(), LinkType::ETHERNET, Precision::Nanos, 96).unwrap();
        for (nanos, mark) in marks {
            writer
                .frame(&frame(*nanos, 0, &mark.to_be_bytes()))
                .unwrap();
        }
        writer.finish().unwrap()
    }

    /// A capture of three interfaces, which the marks use in turn.
    fn pcapng(marks: &[Mark]) -> Vec<u8> {
        let mut writer = PcapngWriter::new(Vec::new(), "test").unwrap();
        for name in [Some("eth0"), None, None] {
            writer.interface(name, LinkType::ETHERNET, 96).unwrap();
        }
        for (nanos, mark) in marks {
            let bytes = mark.to_be_bytes();
            writer
                .frame(&frame(*nanos, mark % 3, &bytes), None)
                .unwrap();
        }
        writer.finish().unwrap()
    }

    fn files(parts: &[Vec<u8>]) -> Result<Files, SourceError> {
        let streams = parts
            .iter()
            .enumerate()
            .map(|(i, bytes)| {
                let stream: Box<dyn Read + Send> = Box::new(Chunks::new(bytes, 1000));
                (format!("part{i}"), stream)
            })
            .collect();
        Files::from_readers(streams, &Options::default())
    }

    /// Marks with their interfaces, and the errors met on the way.
    fn read(files: &mut Files) -> (Vec<(i64, u32, u32)>, Vec<SourceError>) {
        let (mut seen, mut errors) = (Vec::new(), Vec::new());
        loop {
            match files.next_frame() {
                Ok(Some(frame)) => seen.push((
                    frame.at.as_nanos() - DAY,
                    u32::from_be_bytes(frame.bytes.try_into().unwrap()),
                    frame.interface,
                )),
                Ok(None) => break,
                Err(error) => errors.push(error),
            }
        }
        assert!(files.next_frame().unwrap().is_none(), "the end is the end");
        (seen, errors)
    }

    fn marks(parts: &[Vec<u8>]) -> Vec<u32> {
        let (seen, errors) = read(&mut files(parts).unwrap());
        assert_eq!(errors, []);
        seen.into_iter().map(|(_, mark, _)| mark).collect()
    }

    /// A directory of its own, removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir()
                .join(format!("wirewait-capture-{}-{name}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
            let path = self.0.join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            // A leftover in the temporary folder is no reason to fail.
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn captures_side_by_side_are_merged_by_time_and_ties_by_place_and_order() {
        // Both have a second frame at 10 ms; at 30 ms, it is the third of one, the fourth of the
        // other.
        let a = pcap(&[(0, 1), (10 * MS, 3), (20 * MS, 5), (30 * MS, 9)]);
        let b = pcap(&[(5 * MS, 2), (10 * MS, 4), (30 * MS, 8)]);
        let c = pcap(&[(25 * MS, 6), (26 * MS, 7)]);
        assert_eq!(
            marks(&[c.clone(), b.clone(), a.clone()]),
            [1, 2, 3, 4, 5, 6, 7, 8, 9]
        );
        assert_eq!(marks(&[a, b, c]), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }

    #[test]
    fn a_capture_dealt_out_in_turn_is_put_together_as_it_was() {
        // Stamps in steps of 100 us, each of which several frames have, as a coarse clock
        // gives them.
        for equal in [1, 2, 5, 7] {
            let all: Vec<Mark> = (0..400_u32)
                .map(|i| (i64::from((i + 1) / equal) * MS / 10, i))
                .collect();
            for hands in [2, 3, 8] {
                let parts: Vec<Vec<u8>> = (0..hands)
                    .map(|hand| {
                        let dealt = all.iter().skip(hand).step_by(hands);
                        pcap(&dealt.copied().collect::<Vec<_>>())
                    })
                    .collect();
                let mut merged = files(&parts).unwrap();
                // Where two begin at the same time, the order in which they are named counts.
                let known = all[..hands].windows(2).all(|pair| pair[0].0 < pair[1].0);
                assert_eq!(merged.warnings().is_empty(), known, "{hands} of {equal}");
                let (seen, errors) = read(&mut merged);
                assert_eq!(errors, []);
                let seen: Vec<u32> = seen.iter().map(|seen| seen.1).collect();
                assert!(
                    seen.iter().copied().eq(0..400),
                    "{hands} of {equal}: {seen:?}"
                );
            }
        }
    }

    /// With another file that has not begun, all goes the long way.
    #[test]
    fn a_file_alone_is_read_as_it_is_among_others() {
        let all: Vec<Mark> = (0..60_u32)
            .map(|i| (i64::from(i / 2) * MS - i64::from(i % 3), i))
            .collect();
        let later = pcap(&[(1_000 * MS, 99)]);
        for cut in 0..20 {
            let mut alone = pcap(&all);
            alone.truncate(alone.len() - cut);
            let (among, errors) = read(&mut files(&[alone.clone(), later.clone()]).unwrap());
            let (seen, same) = read(&mut files(&[alone]).unwrap());
            assert_eq!(seen, among[..among.len() - 1], "{cut} bytes less");
            assert_eq!(same.len(), errors.len());
            assert_eq!(seen.len(), 60 - usize::from(cut > 0));
        }
    }

    #[test]
    fn what_is_read_ahead_is_not_lost_where_there_is_damage() {
        let a = pcap(&[(0, 1), (MS / 2, 2), (MS, 3), (5 * MS, 6)]);
        let mut b = pcap(&[(MS / 4, 4), (MS / 3, 5), (MS / 2, 99)]);
        b.truncate(b.len() - 1);
        let mut both = files(&[b, a]).unwrap();
        let (seen, errors) = read(&mut both);
        let mut marks: Vec<u32> = seen.iter().map(|seen| seen.1).collect();
        marks.sort_unstable();
        assert_eq!(marks, [1, 2, 3, 4, 5, 6]);
        assert_eq!(errors.len(), 1);
    }

    #[test]
    fn a_step_back_inside_a_file_stays_where_it_is() {
        let a = pcap(&[(10 * MS, 1), (2 * MS, 2), (11 * MS, 3), (40 * MS, 6)]);
        let b = pcap(&[(20 * MS, 4), (12 * MS, 5)]);
        assert_eq!(marks(&[b, a]), [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn a_cut_anywhere_changes_nothing() {
        // Stamps that often repeat and sometimes step back, by less than a millisecond.
        let all: Vec<Mark> = (0..60_u32)
            .map(|i| {
                let step = i64::from(i / 3) * 2 * MS;
                (step - if i % 5 == 4 { MS / 2 } else { 0 }, i)
            })
            .collect();
        for write in [pcap as fn(&[Mark]) -> Vec<u8>, pcapng] {
            let (whole, _) = read(&mut files(&[write(&all)]).unwrap());
            assert_eq!(whole.len(), all.len());
            for first in 0..=all.len() {
                for length in [7, 20] {
                    let second = (first + length).min(all.len());
                    let parts = [
                        write(&all[..first]),
                        write(&all[first..second]),
                        write(&all[second..]),
                    ];
                    let mut cut = files(&parts).unwrap();
                    assert_eq!(read(&mut cut), (whole.clone(), vec![]), "{first} {second}");
                }
            }
        }
    }

    #[test]
    fn the_order_in_which_parts_are_named_does_not_matter() {
        let all: Vec<Mark> = (0..50).map(|i| (i64::from(i) * MS, i)).collect();
        let parts: Vec<Vec<u8>> = all.chunks(7).map(pcapng).collect();
        let backwards: Vec<Vec<u8>> = parts.iter().rev().cloned().collect();
        let forth = read(&mut files(&parts).unwrap());
        assert_eq!(forth, read(&mut files(&backwards).unwrap()));
        assert_eq!(forth.0.len(), 50);
        let mut merged = files(&parts).unwrap();
        read(&mut merged);
        assert_eq!(merged.interfaces().len(), 3);
    }

    #[test]
    fn damage_in_one_file_leaves_the_others_whole() {
        let mut a = pcap(&[(0, 1), (10 * MS, 2), (20 * MS, 99)]);
        a.truncate(a.len() - 1);
        let b = pcap(&[(5 * MS, 3), (30 * MS, 4)]);
        let mut both = files(&[a, b]).unwrap();
        let (seen, errors) = read(&mut both);
        let marks: Vec<u32> = seen.iter().map(|seen| seen.1).collect();
        assert_eq!(marks, [1, 3, 2, 4]);
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].kind, SourceErrorKind::Damaged);
        assert_eq!(errors[0].name, "part0");
        assert_eq!(errors[0].offset, Some(24 + 2 * 20));
    }

    #[test]
    fn damage_before_the_first_frame_is_told_once() {
        let folder = Folder::new("first");
        let bad = folder.file("bad", &pcap(&[(0, 1)])[..30]);
        let good = folder.file("good", &pcap(&[(0, 2), (1, 3)]));
        for paths in [[bad.clone(), good.clone()], [good, bad]] {
            let (seen, errors) = read(&mut open(&paths, &Options::default()).unwrap());
            assert_eq!(seen.len(), 2);
            assert_eq!(errors.len(), 1, "{errors:?}");
        }
    }

    #[test]
    fn files_without_frames() {
        let (empty, header, good) = (vec![], pcap(&[]), pcap(&[(0, 1)]));
        let error = files(std::slice::from_ref(&empty)).unwrap_err();
        assert_eq!(error.kind, SourceErrorKind::Unreadable);
        assert!(
            error.to_string().contains("part0: the file is empty"),
            "{error}"
        );
        assert!(files(&[empty.clone(), empty.clone()]).is_err());

        let mut alone = files(std::slice::from_ref(&header)).unwrap();
        assert_eq!(alone.warnings(), []);
        assert_eq!(read(&mut alone), (vec![], vec![]));

        let mut mixed = files(&[empty, header, good]).unwrap();
        let warned: Vec<&str> = mixed.warnings().iter().map(|w| w.name.as_str()).collect();
        assert_eq!(warned, ["part0", "part1"]);
        assert_eq!(read(&mut mixed).0.len(), 1);
        assert!(files(&[]).is_err());
    }

    #[test]
    fn a_file_that_is_no_capture_is_an_error_with_its_name() {
        let error = files(&[pcap(&[(0, 1)]), b"GIF89a and so on".to_vec()]).unwrap_err();
        assert_eq!(error.name, "part1");
        assert_eq!(error.kind, SourceErrorKind::Unreadable);

        let folder = Folder::new("no-capture");
        let error = open(&[folder.0.join("missing")], &Options::default()).unwrap_err();
        assert!(error.message.contains("cannot be opened"), "{error}");
        let error = open(std::slice::from_ref(&folder.0), &Options::default()).unwrap_err();
        assert!(error.message.contains("is a directory"), "{error}");
    }

    #[test]
    fn what_is_no_capture_is_skipped_if_that_is_wanted() {
        let folder = Folder::new("skip");
        let mut paths = vec![
            folder.file("text", b"GIF89a and so on"),
            folder.0.join("missing"),
            folder.file("nothing", b""),
            folder.file("short", b"abc"),
            folder.file("one", &pcap(&[(0, 1)])),
            folder.file("two", &pcap(&[(MS, 2)])),
        ];
        let options = Options {
            skip_unreadable: true,
            ..Options::default()
        };
        let (seen, errors) = read(&mut open(&paths, &options).unwrap());
        assert_eq!(seen.len(), 2);
        let told: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(errors.len(), 4, "{told:?}");
        assert!(told[0].contains("text: not a capture file"), "{told:?}");
        assert!(told[1].contains("missing: cannot be opened"), "{told:?}");
        assert!(told[2].contains("nothing: the file is empty"), "{told:?}");
        assert!(
            told[3].contains("short: the file ends inside its first 4 bytes"),
            "{told:?}"
        );
        let skipped = |error: &SourceError| error.message.ends_with("; it is skipped");
        assert!(errors.iter().all(skipped), "{told:?}");
        assert!(errors.iter().all(|e| e.kind == SourceErrorKind::Damaged));
        // Nothing is left.
        paths.truncate(4);
        let error = open(&paths, &options).unwrap_err();
        assert_eq!(error.kind, SourceErrorKind::Unreadable);
    }

    #[test]
    fn files_are_opened_again_when_it_is_their_turn() {
        let folder = Folder::new("ring");
        let paths: Vec<PathBuf> = (0..30)
            .map(|i| {
                // Names say nothing about the order.
                let name = format!("ring{:02}", (i * 7) % 30);
                let from = i64::from(i) * 100;
                folder.file(&name, &pcap(&[(from * MS, i), ((from + 50) * MS, i + 100)]))
            })
            .collect();
        let mut sorted = paths.clone();
        sorted.sort();
        let total: u64 = sorted.len() as u64 * (24 + 2 * 20);
        let mut ring = open(&sorted, &Options::default()).unwrap();
        assert_eq!(
            ring.progress(),
            Progress {
                bytes_read: 0,
                bytes_total: Some(total)
            }
        );
        let (seen, errors) = read(&mut ring);
        assert_eq!(errors, []);
        let wanted: Vec<u32> = (0..30).flat_map(|i| [i, i + 100]).collect();
        assert_eq!(seen.iter().map(|s| s.1).collect::<Vec<_>>(), wanted);
        assert_eq!(ring.progress().bytes_read, total);

        // A ring that goes round while it is read.
        let mut ring = open(&sorted, &Options::default()).unwrap();
        std::fs::remove_file(&paths[3]).unwrap();
        std::fs::write(&paths[4], b"").unwrap();
        let (seen, errors) = read(&mut ring);
        assert_eq!(seen.len(), 56);
        let names: Vec<String> = errors.iter().map(|e| e.name.clone()).collect();
        assert_eq!(
            names,
            [
                paths[3].display().to_string(),
                paths[4].display().to_string()
            ]
        );
        assert!(errors.iter().all(|e| e.kind == SourceErrorKind::Damaged));
    }

    #[test]
    fn a_file_named_twice_is_read_once() {
        let folder = Folder::new("twice");
        let path = folder.file("one", &pcap(&[(0, 1), (MS, 2)]));
        let again = folder.0.join(".").join("one");
        let mut twice = open(&[path, again], &Options::default()).unwrap();
        assert_eq!(twice.warnings().len(), 1);
        assert_eq!(read(&mut twice).0.len(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_read_once_and_merged_with_a_file() {
        let folder = Folder::new("pipe");
        let file = folder.file("file", &pcap(&[(5 * MS, 2), (20 * MS, 4)]));
        let pipe = folder.0.join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let bytes = pcapng(&[(0, 0), (10 * MS, 3)]);
        for paths in [vec![pipe.clone()], vec![file, pipe.clone()]] {
            let (pipe, bytes) = (pipe.clone(), bytes.clone());
            let writer = std::thread::spawn(move || std::fs::write(pipe, bytes));
            let mut files = open(&paths, &Options::default()).unwrap();
            assert_eq!(files.progress().bytes_total, None);
            let (seen, errors) = read(&mut files);
            writer.join().unwrap().unwrap();
            assert_eq!(errors, []);
            let marks: Vec<u32> = seen.iter().map(|seen| seen.1).collect();
            let wanted: &[u32] = if paths.len() == 1 {
                &[0, 3]
            } else {
                &[0, 2, 3, 4]
            };
            assert_eq!(marks, wanted);
        }
    }

    #[test]
    fn bytes_of_a_pipe_have_no_total() {
        let bytes = pcap(&[(0, 1)]);
        let mut one = files(std::slice::from_ref(&bytes)).unwrap();
        read(&mut one);
        assert_eq!(
            one.progress(),
            Progress {
                bytes_read: bytes.len() as u64,
                bytes_total: None
            }
        );
    }
}
