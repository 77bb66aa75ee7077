//! The file of a ring that is being written, and the interfaces that it describes.

use super::Trouble;
use super::spool::{self, Spool};
use crate::write::{Counts, Description, Notes, PcapngWriter};
use std::io;
use wirewait_wire::{Frame, LinkType, Timestamp};

/// Bytes that are gathered before they are written.
pub(super) const BUFFER: usize = 256 * 1024;

/// What is gathered is written after this long, ns.
const FLUSH_NS: i64 = 1_000_000_000;

/// An interface of the capture.
#[derive(Debug)]
pub(super) struct RingInterface {
    pub(super) description: Description,
    pub(super) counts: Counts,
    /// What came from it, by kind of link: an interface may come back on another one.
    pub(super) traffic: Vec<Traffic>,
}

impl RingInterface {
    pub(super) fn traffic(&mut self, link: LinkType) -> &mut Traffic {
        let known = self.traffic.iter().position(|known| known.link == link);
        let place = known.unwrap_or_else(|| {
            self.traffic.push(Traffic::of(link));
            self.traffic.len() - 1
        });
        &mut self.traffic[place]
    }

    pub(super) fn traffic_on(&self, link: LinkType) -> Traffic {
        let known = self.traffic.iter().find(|known| known.link == link);
        known.copied().unwrap_or(Traffic::of(link))
    }
}

/// Frames of one interface on one kind of link: what a file describes as an interface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traffic {
    pub(super) link: LinkType,
    /// Frames that reached the ring.
    pub(super) delivered: u64,
    /// Frames lost since the last one that was saved.
    pub(super) lost: u64,
}

impl Traffic {
    pub(super) const fn of(link: LinkType) -> Self {
        Self {
            link,
            delivered: 0,
            lost: 0,
        }
    }

    /// Frames delivered, without those that the next frame to be saved is going to note.
    pub(super) const fn settled(&self) -> u64 {
        self.delivered.saturating_sub(self.lost)
    }
}

/// Up to which frame the statistics at the end of a file count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Upto {
    /// Another file follows, in which the next frame notes what is lost now.
    NextFile,
    /// It is the last file.
    End,
}

/// The file that is being written.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) spool: Spool<std::fs::File>,
    /// Blocks that wait.
    pub(super) waiting: PcapngWriter<Vec<u8>>,
    /// Which interface of the capture each one of the file is, with its link.
    pub(super) interfaces: Vec<(u32, LinkType)>,
    pub(super) frames: u64,
    /// The earliest time that a frame had.
    pub(super) first: Timestamp,
    pub(super) flushed: Timestamp,
    /// Nothing more goes into it.
    pub(super) full: bool,
}

impl Open {
    /// Bytes it has, written or not.
    pub(super) fn bytes(&mut self) -> u64 {
        self.spool.written() + self.waiting.get_mut().len() as u64
    }

    /// Describes an interface of the capture as it is on one kind of link, and says how many
    /// of its frames came before.
    pub(super) fn describe(
        &mut self,
        number: u32,
        interface: &RingInterface,
        link: LinkType,
    ) -> io::Result<()> {
        let here = self.waiting.describe(&Description {
            link,
            ..interface.description.clone()
        })?;
        self.interfaces.push((number, link));
        let before = Counts {
            began: interface.counts.began,
            delivered: Some(interface.traffic_on(link).settled()),
            ..Counts::default()
        };
        // Only a time before 1970 is refused; there are no statistics then.
        let _ = self.waiting.statistics(here, self.flushed, before);
        Ok(())
    }

    pub(super) fn frame(&mut self, frame: &Frame<'_>, interface: &RingInterface) -> io::Result<()> {
        let wanted = (frame.interface, frame.link);
        let place = frame.interface as usize;
        let number = if self.interfaces.get(place) == Some(&wanted) {
            frame.interface
        } else {
            match self.interfaces.iter().position(|known| *known == wanted) {
                Some(number) => number as u32,
                None => {
                    // Came back on another kind of link, or late.
                    self.describe(frame.interface, interface, frame.link)?;
                    (self.interfaces.len() - 1) as u32
                }
            }
        };
        let frame = Frame {
            interface: number,
            ..*frame
        };
        let notes = Notes {
            comment: None,
            lost: interface.traffic_on(frame.link).lost,
        };
        self.waiting.noted(&frame, notes)?;
        self.frames += 1;
        Ok(())
    }

    /// Says at its end what was lost; again if frames were lost since it was said.
    pub(super) fn end(&mut self, interfaces: &[RingInterface], at: Timestamp, upto: Upto) {
        let lost = |known: &RingInterface| known.traffic.iter().any(|traffic| traffic.lost > 0);
        if std::mem::replace(&mut self.full, true)
            && !(upto == Upto::End && interfaces.iter().any(lost))
        {
            return;
        }
        self.statistics(interfaces, self.interfaces.len(), at, upto);
    }

    /// Ends the file on a disk that has no space: what waits is given up, and so are the last
    /// frames of the file where statistics have to take their place. Says how many frames are
    /// not saved because of that.
    pub(super) fn end_without_space(&mut self, interfaces: &[RingInterface], at: Timestamp) -> u64 {
        let mut unwritten = spool::frames(self.waiting.get_mut());
        let undescribed = spool::descriptions(self.waiting.get_mut());
        self.waiting.get_mut().clear();
        let described = self.interfaces.len().saturating_sub(undescribed);
        self.statistics(interfaces, described, at, Upto::End);
        if self.flush(at).is_err() {
            let wanted = self.waiting.get_mut().len() as u64;
            unwritten += self.spool.make_room(wanted);
            // What is lost stays untold if even that is refused.
            let _ = self.flush(at);
        }
        unwritten
    }

    /// What was counted on the first `described` interfaces of the file.
    pub(super) fn statistics(
        &mut self,
        interfaces: &[RingInterface],
        described: usize,
        at: Timestamp,
        upto: Upto,
    ) {
        for (here, (number, link)) in (0..).zip(self.interfaces.iter().take(described)) {
            let Some(interface) = interfaces.get(*number as usize) else {
                continue;
            };
            let traffic = interface.traffic_on(*link);
            let delivered = match upto {
                Upto::NextFile => traffic.settled(),
                Upto::End => traffic.delivered,
            };
            let mut counts = Counts {
                delivered: Some(delivered),
                ..interface.counts
            };
            // What the system counted is said once, where it came back on another link.
            let first = self
                .interfaces
                .iter()
                .position(|(known, _)| known == number);
            if first != Some(here as usize) {
                (counts.received, counts.dropped) = (None, None);
            }
            // Only a time before 1970 is refused; there are no statistics then.
            let _ = self.waiting.statistics(here, at, counts);
        }
    }

    pub(super) fn is_due(&mut self, at: Timestamp) -> bool {
        let waited = at.since(self.flushed);
        let waiting = self.waiting.get_mut().len();
        waiting >= BUFFER || waiting > 0 && !(-FLUSH_NS..FLUSH_NS).contains(&waited)
    }

    pub(super) fn flush(&mut self, at: Timestamp) -> Result<(), Trouble> {
        self.flushed = at;
        self.spool
            .write(self.waiting.get_mut())
            .map_err(|error| Trouble {
                file: self.spool.path().to_owned(),
                error,
            })
    }
}
