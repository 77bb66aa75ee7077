//! `wirewait live --format pcapng`: the frames as they come, with comments on those that matter.

use super::plain::Stream;
use crate::failure::Failure;
use crate::output::Output;
use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};
use wirewait::{Frame, LinkType, Notice, Sink, Thresholds, Timestamp, Transaction};
use wirewait_capture::live::Live;
use wirewait_capture::write::{Description, PcapngWriter};
use wirewait_report::remarks::Remarks;

/// What is written into the file as the program that made it.
const APPLICATION: &str = concat!("wirewait ", env!("CARGO_PKG_VERSION"));

/// Frames wait this long: what they are part of is known only when it is over.
const DELAY: Duration = Duration::from_secs(1);
/// Bytes of frames that wait; where more come, the oldest waits no longer.
const WAITING_BYTES: usize = 16 << 20;

/// Writes each frame when it has waited for what is to be said of it.
pub(super) struct Annotated {
    writer: PcapngWriter<Output>,
    /// Interfaces of the capture and their links, by their numbers in the output.
    interfaces: Vec<(u32, LinkType)>,
    remarks: Remarks,
    /// Number of the latest frame.
    number: u64,
    waiting: VecDeque<Waiting>,
    bytes: usize,
    failure: Option<Failure>,
}

/// A frame that waits.
struct Waiting {
    since: Instant,
    number: u64,
    at: Timestamp,
    link: LinkType,
    interface: u32,
    wire_len: u32,
    bytes: Box<[u8]>,
}

impl Waiting {
    /// What it takes in memory.
    fn size(&self) -> usize {
        self.bytes.len() + size_of::<Self>()
    }
}

impl Annotated {
    pub(super) fn begin(
        output: Output,
        live: &Live,
        thresholds: &Thresholds,
    ) -> Result<Self, Failure> {
        let name = output.name().to_owned();
        let writer = PcapngWriter::new(output, APPLICATION);
        let mut annotated = Self {
            writer: writer.map_err(|error| Failure::writing(&name, &error))?,
            interfaces: Vec::new(),
            remarks: Remarks::new(thresholds),
            number: 0,
            waiting: VecDeque::new(),
            bytes: 0,
            failure: None,
        };
        for (number, known) in (0..).zip(live.interfaces()) {
            let described = Description {
                name: known.name,
                speed: known.speed,
                ..Description::of(known.link)
            };
            let written = annotated.writer.describe(&described);
            annotated.check(written)?;
            annotated.interfaces.push((number, known.link));
        }
        Ok(annotated)
    }

    /// Hands on all frames. Gives where they were written to.
    pub(super) fn into_output(mut self) -> Result<Output, Failure> {
        self.release(Duration::ZERO);
        self.hand_on()?;
        let name = self.writer.get_mut().name().to_owned();
        let output = self.writer.finish();
        output.map_err(|error| Failure::writing(&name, &error))
    }

    /// Writes the frames that have waited so long, and those that there is no room for.
    fn release(&mut self, long: Duration) {
        let now = Instant::now();
        while let Some(first) = self.waiting.front()
            && (self.bytes > WAITING_BYTES || now.duration_since(first.since) >= long)
            && let Some(first) = self.waiting.pop_front()
        {
            self.bytes -= first.size();
            let written = self.write(&first);
            if self.failure.is_none() {
                self.failure = self.check(written).err();
            }
        }
    }

    fn write(&mut self, frame: &Waiting) -> io::Result<()> {
        let wanted = (frame.interface, frame.link);
        let known = self.interfaces.iter().position(|one| *one == wanted);
        let interface = match known {
            Some(place) => u32::try_from(place).unwrap_or(u32::MAX),
            None => {
                let number = self.writer.describe(&Description::of(frame.link))?;
                self.interfaces.push(wanted);
                number
            }
        };
        let comment = self.remarks.take(frame.number);
        // Earlier frames are written.
        self.remarks.forget_before(frame.number);
        let frame = Frame {
            at: frame.at,
            link: frame.link,
            interface,
            wire_len: frame.wire_len,
            bytes: &frame.bytes,
        };
        self.writer.frame(&frame, comment.as_deref())
    }

    fn check<T>(&mut self, result: io::Result<T>) -> Result<T, Failure> {
        result.map_err(|error| self.writer.get_mut().failed(&error))
    }
}

impl Stream for Annotated {
    /// Hands on what has waited long enough.
    fn hand_on(&mut self) -> Result<(), Failure> {
        self.release(DELAY);
        self.failure.take().map_or(Ok(()), Err)?;
        self.writer.get_mut().flush()
    }
}

impl Sink for Annotated {
    fn transaction(&mut self, transaction: &Transaction) {
        self.remarks.transaction(transaction);
    }

    fn noticed(&mut self, notice: &Notice) {
        self.remarks.noticed(notice);
    }

    fn captured(&mut self, frame: &Frame<'_>, _: u64) {
        self.number += 1;
        let waiting = Waiting {
            since: Instant::now(),
            number: self.number,
            at: frame.at,
            link: frame.link,
            interface: frame.interface,
            wire_len: frame.wire_len,
            bytes: frame.bytes.into(),
        };
        self.bytes += waiting.size();
        self.waiting.push_back(waiting);
        if self.bytes > WAITING_BYTES {
            self.release(DELAY);
        }
    }
}
