//! Saving while watching: pcapng files one after the other, of which the newest are kept.
//!
//! A [`Ring`] is told each frame, and now and then what time it is. It never stops the
//! watching: what goes wrong is told by [`Ring::news`], once, while saving is tried again.
//! Each file is whole by itself: interfaces are described in each, and what was lost on them
//! stands at its end.
//!
//! What is written always ends with a whole block. On a disk that is full, the end of the
//! file is cut off behind the last one. A quarter of a megabyte waits in memory for space,
//! frames beyond that are not saved; the next frame that is carries their number
//! (`epb_dropcount`), so that nobody takes the file for complete. Statistics before the first
//! frame of a file and at its end count the frames that reached the ring (`isb_usrdeliv`): who
//! reads one file sees what it misses, also behind its last frame. If there is no space for
//! them, the last frames of the file make room.

mod folder;
mod news;
mod open;
mod spool;

use crate::write::{Counts, Description, FRAME_FRAMING, PcapngWriter, STATISTICS};
use folder::Folder;
use news::RETRY_NS;
pub use news::{News, Trouble};
use open::{BUFFER, Open, RingInterface, Upto};
use spool::Spool;
use std::path::Path;
use wirewait_wire::{Frame, Timestamp};

/// When a file is full, and how many are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a file: none becomes larger, unless one frame alone is. The description of an
    /// interface that comes late is not foreseen.
    pub file_bytes: Option<u64>,
    /// From a file's first frame on, ns.
    pub file_ns: Option<i64>,
    /// Files kept. The oldest is removed before another one is begun; those that an earlier
    /// ring of the same name left there count.
    pub files: Option<usize>,
}

impl Limits {
    /// Whether everything goes into one file.
    #[must_use]
    pub const fn is_one_file(&self) -> bool {
        self.file_bytes.is_none() && self.file_ns.is_none()
    }
}

/// What was saved so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// Files begun.
    pub files: u64,
    /// Frames written, or about to be within a second.
    pub frames: u64,
    /// Frames that are missing: there was no space, or they are from before 1970.
    pub lost: u64,
    /// Files begun that were removed again, to make room for others.
    pub removed_files: u64,
    /// Frames that were in those.
    pub removed_frames: u64,
}

/// Files of frames, the newest of which are kept.
#[derive(Debug)]
pub struct Ring {
    limits: Limits,
    application: String,
    folder: Folder,
    interfaces: Vec<RingInterface>,
    began: Timestamp,
    open: Option<Open>,
    /// When it failed last, while it does.
    failed: Option<Timestamp>,
    /// What `Saved::lost` was when it began to fail.
    lost_before: u64,
    news: Option<News>,
    saved: Saved,
}

impl Ring {
    /// Begins a ring of files `path_00001_20261120170000.pcapng`, or the one file `path`
    /// where nothing in `limits` ends it; the time is that of a file's first frame, in UTC.
    /// The first file is made at once, so that a mistake is found at once.
    ///
    /// # Errors
    /// That it could not be made. No file is ever written over.
    pub fn new(
        path: &Path,
        application: &str,
        limits: Limits,
        interfaces: &[Description],
        at: Timestamp,
    ) -> Result<Self, Trouble> {
        let folder = if limits.is_one_file() {
            Folder::one(path)
        } else {
            Folder::ring(path, limits.files).map_err(|error| Trouble {
                file: path.to_owned(),
                error,
            })?
        };
        let mut ring = Self {
            limits,
            application: application.to_owned(),
            folder,
            interfaces: Vec::new(),
            began: at,
            open: None,
            failed: None,
            lost_before: 0,
            news: None,
            saved: Saved::default(),
        };
        for interface in interfaces {
            ring.know(interface.clone());
        }
        ring.begin(at)?;
        if let Some(open) = &mut ring.open
            && let Err(trouble) = open.flush(at)
        {
            open.spool.remove_if_empty();
            return Err(trouble);
        }
        Ok(ring)
    }

    /// Another interface of the capture, which has the next number.
    pub fn interface(&mut self, description: Description) {
        let number = self.know(description);
        if let Some(open) = &mut self.open {
            let interface = self.interfaces.get(number as usize);
            // It cannot be described by blocks that are too long: its frames are lost, and
            // counted.
            let _ = interface.map(|known| open.describe(number, known, known.description.link));
        }
    }

    /// What was counted on an interface up to now, since the beginning of the ring.
    pub fn counted(&mut self, interface: u32, received: u64, dropped: u64) {
        if let Some(interface) = self.interfaces.get_mut(interface as usize) {
            interface.counts.received = Some(received);
            interface.counts.dropped = Some(dropped);
        }
    }

    /// Saves a frame.
    pub fn frame(&mut self, frame: &Frame<'_>) {
        while self.interfaces.len() <= frame.interface as usize
            && self.interfaces.len() < crate::interfaces::MAX_INTERFACES
        {
            self.know(Description::of(frame.link));
        }
        let kept = self.is_ready(frame.at) && self.keep(frame);
        if kept {
            self.saved.frames += 1;
            self.folder.count();
        } else {
            self.saved.lost += 1;
        }
        if let Some(interface) = self.interfaces.get_mut(frame.interface as usize) {
            let traffic = interface.traffic(frame.link);
            traffic.delivered += 1;
            traffic.lost = if kept { 0 } else { traffic.lost + 1 };
        }
        self.flush_if_due(frame.at);
    }

    /// Tells the time where no frame comes: once a second is enough.
    pub fn advance(&mut self, at: Timestamp) {
        if self.is_ready(at) {
            self.end_if_over(at);
        }
        self.flush_if_due(at);
    }

    /// Writes what waits into the file at once, for programs that read it meanwhile.
    pub fn flush(&mut self, at: Timestamp) {
        let Some(open) = &mut self.open else { return };
        if self.failed.is_none()
            && let Err(trouble) = open.flush(at)
        {
            self.fail(at, trouble);
        }
    }

    /// What has happened since it was asked last: the latest, if several things have.
    pub const fn news(&mut self) -> Option<News> {
        self.news.take()
    }

    /// What was saved so far.
    #[must_use]
    pub const fn saved(&self) -> Saved {
        Saved {
            removed_files: self.folder.removed_files,
            removed_frames: self.folder.removed_frames,
            ..self.saved
        }
    }

    /// Bytes of the file that is being written, those included that wait; 0 while there is none.
    pub fn file_bytes(&mut self) -> u64 {
        self.open.as_mut().map_or(0, Open::bytes)
    }

    /// The file that is being written, or was last.
    #[must_use]
    pub fn file(&self) -> &Path {
        self.folder.newest()
    }

    /// Ends the last file. Says what was saved, and what kept the rest from it: a full disk is
    /// tried once more.
    pub fn finish(mut self, at: Timestamp) -> (Saved, Option<Trouble>) {
        let Some(mut open) = self.open.take() else {
            return (self.saved(), None);
        };
        open.end(&self.interfaces, at, Upto::End);
        let trouble = open.flush(at).err();
        if trouble.is_some() {
            let unwritten = open.end_without_space(&self.interfaces, at);
            self.saved.frames = self.saved.frames.saturating_sub(unwritten);
            self.saved.lost += unwritten;
        }
        open.spool.remove_if_empty();
        (self.saved(), trouble)
    }

    fn know(&mut self, description: Description) -> u32 {
        self.interfaces.push(RingInterface {
            description,
            counts: Counts {
                began: Some(self.began),
                ..Counts::default()
            },
            traffic: Vec::new(),
        });
        // At most `MAX_INTERFACES`.
        (self.interfaces.len() - 1) as u32
    }

    /// Whether a frame may be written; what failed is tried again if it is time to.
    fn is_ready(&mut self, at: Timestamp) -> bool {
        let Some(failed) = self.failed else {
            return true;
        };
        // Also where the clock was set back: nobody knows for how long.
        if (-RETRY_NS..RETRY_NS).contains(&at.since(failed)) {
            return false;
        }
        let tried = match &mut self.open {
            Some(open) => open.flush(at),
            None => self.begin(at),
        };
        match tried {
            Ok(()) => {
                self.failed = None;
                // Its end was all that it waited for.
                self.open.take_if(|open| open.full);
                self.news = Some(News::Resumed {
                    file: self.folder.newest().to_owned(),
                    lost: self.saved.lost - self.lost_before,
                });
                true
            }
            Err(_) => {
                self.failed = Some(at);
                false
            }
        }
    }

    /// Puts a frame into the file it belongs in.
    fn keep(&mut self, frame: &Frame<'_>) -> bool {
        self.end_if_over(frame.at);
        let block = u64::from(FRAME_FRAMING) + frame.bytes.len().next_multiple_of(4) as u64;
        // With room for `epb_dropcount`.
        self.end_if_larger_than(frame.at, block + 16);
        if self.failed.is_some() {
            return false;
        }
        if self.open.is_none()
            && let Err(trouble) = self.begin(frame.at)
        {
            self.fail(frame.at, trouble);
            return false;
        }
        let (Some(open), Some(interface)) = (
            &mut self.open,
            self.interfaces.get(frame.interface as usize),
        ) else {
            return false;
        };
        open.frame(frame, interface).is_ok()
    }

    /// Ends the file if it is so old.
    fn end_if_over(&mut self, at: Timestamp) {
        if let (Some(open), Some(most)) = (&mut self.open, self.limits.file_ns) {
            // A clock that was set back begins it anew.
            open.first = open.first.min(at);
            if open.frames > 0 && at.since(open.first) >= most {
                self.end(at);
            }
        }
    }

    /// Ends the file if there is no room in it for so much, and for its end.
    fn end_if_larger_than(&mut self, at: Timestamp, block: u64) {
        if let (Some(open), Some(most)) = (&mut self.open, self.limits.file_bytes) {
            let end = STATISTICS * open.interfaces.len() as u64;
            if open.frames > 0 && open.bytes() + block + end > most {
                self.end(at);
            }
        }
    }

    fn end(&mut self, at: Timestamp) {
        if let Some(mut open) = self.open.take() {
            open.end(&self.interfaces, at, Upto::NextFile);
            if let Err(trouble) = open.flush(at) {
                self.open = Some(open);
                self.fail(at, trouble);
            }
        }
    }

    /// Makes the next file.
    fn begin(&mut self, at: Timestamp) -> Result<(), Trouble> {
        if let Err(trouble) = self.folder.make_room() {
            self.news = Some(News::NotRemoved(trouble));
        }
        let file = self.folder.next(at)?;
        let path = self.folder.newest().to_owned();
        let refused = |error| Trouble {
            file: path.clone(),
            error,
        };
        let waiting = Vec::with_capacity(2 * BUFFER);
        let mut open = Open {
            waiting: PcapngWriter::new(waiting, &self.application).map_err(refused)?,
            spool: Spool::new(file, path.clone()),
            interfaces: Vec::new(),
            frames: 0,
            first: at,
            flushed: at,
            full: false,
        };
        for (number, interface) in (0..).zip(&self.interfaces) {
            open.describe(number, interface, interface.description.link)
                .map_err(refused)?;
        }
        self.open = Some(open);
        self.saved.files += 1;
        Ok(())
    }

    fn flush_if_due(&mut self, at: Timestamp) {
        let Some(open) = &mut self.open else { return };
        if self.failed.is_some() || !open.is_due(at) {
            return;
        }
        if let Err(trouble) = open.flush(at) {
            self.fail(at, trouble);
        }
    }

    fn fail(&mut self, at: Timestamp, trouble: Trouble) {
        if self.failed.replace(at).is_none() {
            self.lost_before = self.saved.lost;
            self.news = Some(News::Stopped(trouble));
        }
    }
}
