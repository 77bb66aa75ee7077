//! What changed in each interval, in memory that does not grow with the time.
//!
//! No format is written in the order in which readings come: csv and json have all times of a
//! counter behind each other, and the first line of pdh-csv names instances that appear hours
//! later. A second pass over the input would do for files and not for pipes. So what changed is
//! kept until the end: in memory up to a bound, beyond it in a file, run by run. A run is what
//! changed since the one before, by instance:
//!
//! - for each instance known by then the place of its part in the file, 0 if it has none;
//! - parts: how many changes, then for each the number of its time and all sums.
//!
//! All numbers have 64 bits, in the order of this machine. Nothing in the file is ever written
//! over, and of each run only its place stays in memory: 16 bytes for at least 1 MB.

use super::objects::Instance;
use super::samples::Series;
use std::cell::{RefCell, RefMut};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};

/// Sums kept in memory before they go to the file: 1 MB.
pub(super) const BATCH: usize = 1 << 17;

/// Bytes of the file that are read at a time, where one series is read after the other.
pub(super) const ROOM: usize = 1 << 16;

/// Bytes of a number in the file.
const NUMBER: usize = 8;

/// An empty file without other writers. A file without a name is gone with the program.
pub trait Scratch: Read + Write + Seek + Debug {}

impl<T: Read + Write + Seek + Debug> Scratch for T {}

/// The file, and what is in it.
#[derive(Debug)]
pub(super) struct Spool {
    /// Or why there is none, which matters only when it is needed.
    file: io::Result<RefCell<Box<dyn Scratch>>>,
    runs: Vec<Run>,
    /// Bytes in the file.
    length: u64,
    /// Sums in memory, and how many may be.
    kept: usize,
    batch: usize,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    start: u64,
    /// Instances that were known when it was written.
    instances: u64,
}

impl Spool {
    pub(super) fn new(file: io::Result<Box<dyn Scratch>>, batch: usize) -> Self {
        Self {
            file: file.map(RefCell::new),
            runs: Vec::new(),
            length: 0,
            kept: 0,
            batch,
        }
    }

    /// Counts `sums` more sums in memory.
    pub(super) fn keeps(&mut self, sums: usize) {
        self.kept += sums;
    }

    /// Writes what is in memory to the file, if it is too much.
    ///
    /// # Errors
    /// What the operating system says of the file.
    pub(super) fn spill(&mut self, all: &mut BTreeMap<Instance, Series>) -> io::Result<()> {
        if self.kept <= self.batch {
            return Ok(());
        }
        let run = Run {
            start: self.length,
            instances: all.len() as u64,
        };
        let mut places = vec![0; all.len()];
        let mut end = run.start + (all.len() * NUMBER) as u64;
        for series in all.values().filter(|series| !series.changes.is_empty()) {
            if let Some(place) = places.get_mut(series.id) {
                *place = end;
            }
            let numbers = 1 + series.changes.len() * (1 + series.latest.len());
            end += (numbers * NUMBER) as u64;
        }
        let mut file = self.file()?;
        let mut out = BufWriter::with_capacity(1 << 16, &mut *file);
        put(&mut out, &places)?;
        for series in all.values_mut() {
            // Their room, too, is given back: another instance may need it.
            let changes = std::mem::take(&mut series.changes);
            if changes.is_empty() {
                continue;
            }
            put(&mut out, &[changes.len() as u64])?;
            for (number, sums) in &changes {
                put(&mut out, &[*number])?;
                put(&mut out, sums)?;
            }
        }
        out.flush()?;
        drop(out);
        drop(file);
        self.runs.push(run);
        self.length = end;
        self.kept = 0;
        Ok(())
    }

    fn file(&self) -> io::Result<RefMut<'_, Box<dyn Scratch>>> {
        match &self.file {
            Ok(file) => Ok(file.borrow_mut()),
            Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
        }
    }

    /// Fills `bytes` from this place of the file.
    fn read(&self, place: u64, bytes: &mut [u8]) -> io::Result<()> {
        let mut file = self.file()?;
        let read = file.seek(SeekFrom::Start(place));
        read.and_then(|_| file.read_exact(bytes)).map_err(|error| {
            io::Error::new(error.kind(), format!("reading a temporary file: {error}"))
        })
    }

    fn number(&self, place: u64) -> io::Result<u64> {
        let mut bytes = [0; NUMBER];
        self.read(place, &mut bytes)?;
        Ok(u64::from_ne_bytes(bytes))
    }
}

fn put(out: &mut impl Write, numbers: &[u64]) -> io::Result<()> {
    numbers
        .iter()
        .try_for_each(|number| out.write_all(&number.to_ne_bytes()))
}

/// The changes of one series, in the order of time.
#[derive(Debug)]
struct Changes<'a> {
    spool: &'a Spool,
    series: &'a Series,
    /// The next run.
    run: usize,
    /// The next change of the present part in the file, and how many there are.
    place: u64,
    left: u64,
    /// What was read of them, the first `used` bytes of which are done with; at most `room`, or
    /// one change.
    buffer: Vec<u8>,
    used: usize,
    room: usize,
    /// The next change of those in memory.
    at: usize,
}

impl Changes<'_> {
    /// Puts the next change into `sums`. The number of its time.
    fn next(&mut self, sums: &mut Vec<u64>) -> io::Result<Option<u64>> {
        while self.used == self.buffer.len() {
            if self.left > 0 {
                self.fill()?;
            } else if let Some(run) = self.spool.runs.get(self.run) {
                self.run += 1;
                self.enter(*run)?;
            } else {
                let next = self.series.changes.get(self.at);
                self.at += 1;
                return Ok(next.map(|(number, next)| {
                    sums.clone_from(next);
                    *number
                }));
            }
        }
        let change = self.buffer.get(self.used..).unwrap_or_default();
        let mut numbers = change
            .chunks_exact(NUMBER)
            .map(|bytes| bytes.try_into().map_or(0, u64::from_ne_bytes));
        let number = numbers.next();
        sums.clear();
        sums.extend(numbers.take(self.series.latest.len()));
        self.used += self.size();
        Ok(number)
    }

    /// Bytes of a change in the file.
    fn size(&self) -> usize {
        (1 + self.series.latest.len()) * NUMBER
    }

    fn enter(&mut self, run: Run) -> io::Result<()> {
        let id = self.series.id as u64;
        if id < run.instances {
            let part = self.spool.number(run.start + id * NUMBER as u64)?;
            if part != 0 {
                self.left = self.spool.number(part)?;
                self.place = part + NUMBER as u64;
            }
        }
        Ok(())
    }

    fn fill(&mut self) -> io::Result<()> {
        let most = (self.room / self.size()).max(1);
        let changes = usize::try_from(self.left).map_or(most, |left| left.min(most));
        self.buffer.resize(changes * self.size(), 0);
        self.used = 0;
        self.spool.read(self.place, &mut self.buffer)?;
        self.place += self.buffer.len() as u64;
        self.left -= changes as u64;
        Ok(())
    }
}

/// A way through all times of one series. It stands before the first.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    changes: Changes<'a>,
    /// The number of the next time.
    number: u64,
    before: Vec<u64>,
    latest: Vec<u64>,
    /// The next change.
    next: Vec<u64>,
    at: Option<u64>,
}

impl<'a> Walk<'a> {
    /// Reads the file in pieces of about this many bytes.
    pub(super) fn new(spool: &'a Spool, series: &'a Series, room: usize) -> io::Result<Self> {
        let mut changes = Changes {
            spool,
            series,
            run: 0,
            place: 0,
            left: 0,
            buffer: Vec::new(),
            used: 0,
            room,
            at: 0,
        };
        let mut next = Vec::new();
        let at = changes.next(&mut next)?;
        Ok(Self {
            changes,
            number: 0,
            before: Vec::new(),
            latest: Vec::new(),
            next,
            at,
        })
    }

    /// Goes to the next time: its number, the sums at the time before, and those at it.
    pub(super) fn step(&mut self) -> io::Result<(u64, &[u64], &[u64])> {
        let number = self.number;
        self.number += 1;
        let changed = self.at == Some(number);
        if changed {
            std::mem::swap(&mut self.before, &mut self.latest);
            std::mem::swap(&mut self.latest, &mut self.next);
            self.at = self.changes.next(&mut self.next)?;
        }
        let before = match changed {
            true => &self.before,
            false => &self.latest,
        };
        Ok((number, before, &self.latest))
    }
}
