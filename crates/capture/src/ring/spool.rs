//! A file that ends with a whole block, even if the disk is full.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// What is written to: a file, or what tests put in its place.
pub(super) trait Target: Write {
    /// Takes away what is behind the first `length` bytes, and goes on there.
    fn cut(&mut self, length: u64) -> io::Result<()>;
}

impl Target for File {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)?;
        self.seek(SeekFrom::Start(length)).map(drop)
    }
}

/// The file.
#[derive(Debug)]
pub(super) struct Spool<T> {
    target: T,
    path: PathBuf,
    /// Bytes in it, all of whole blocks.
    written: u64,
    /// Bytes of a block behind them that could not be cut off.
    torn: bool,
    /// Where the last blocks begin, if they are frames: what may be taken away again.
    tail: VecDeque<u64>,
}

/// Blocks of frames at the end of the file whose places are remembered.
const TAIL: usize = 64;

impl<T: Target> Spool<T> {
    pub(super) const fn new(target: T, path: PathBuf) -> Self {
        Self {
            target,
            path,
            written: 0,
            torn: false,
            tail: VecDeque::new(),
        }
    }

    pub(super) const fn written(&self) -> u64 {
        self.written
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes what is in `blocks`, whole blocks all, and takes away what was written.
    pub(super) fn write(&mut self, blocks: &mut Vec<u8>) -> io::Result<()> {
        if self.torn {
            self.target.cut(self.written)?;
            self.torn = false;
        }
        let (done, result) = self.write_some(blocks);
        let whole = whole(blocks, done);
        self.remember(&blocks[..whole]);
        self.written += whole as u64;
        blocks.drain(..whole);
        if done > whole {
            self.torn = self.target.cut(self.written).is_err();
        }
        result
    }

    /// Takes frames away from the end of the file until `wanted` bytes are free there: on a disk
    /// that is full these are all that can be written. Says how many frames that were.
    pub(super) fn make_room(&mut self, wanted: u64) -> u64 {
        let mut taken = 0;
        let mut end = self.written;
        while self.written - end < wanted {
            let Some(start) = self.tail.pop_back() else {
                break;
            };
            end = start;
            taken += 1;
        }
        if self.target.cut(end).is_err() {
            self.torn = true;
        }
        self.written = end;
        taken
    }

    /// Remembers where the last frames begin.
    fn remember(&mut self, blocks: &[u8]) {
        let starts = std::iter::once(0).chain(ends(blocks));
        for start in starts.take_while(|start| *start < blocks.len()) {
            if blocks.get(start..).and_then(<[u8]>::first_chunk) != Some(&ENHANCED_PACKET) {
                self.tail.clear();
                continue;
            }
            if self.tail.len() >= TAIL {
                self.tail.pop_front();
            }
            self.tail.push_back(self.written + start as u64);
        }
    }

    /// Leaves no file behind that has nothing in it: nobody could read it.
    pub(super) fn remove_if_empty(&self) {
        if self.written == 0 {
            // It is in nobody's way.
            let _ = std::fs::remove_file(&self.path);
        }
    }

    /// As much as goes, and why it was not all.
    fn write_some(&mut self, bytes: &[u8]) -> (usize, io::Result<()>) {
        let mut done = 0;
        while let Some(rest) = bytes.get(done..).filter(|rest| !rest.is_empty()) {
            match self.target.write(rest) {
                Ok(0) => return (done, Err(io::ErrorKind::WriteZero.into())),
                Ok(count) => done += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return (done, Err(error)),
            }
        }
        (done, Ok(()))
    }
}

/// The length of the whole blocks among the first `most` bytes.
fn whole(blocks: &[u8], most: usize) -> usize {
    ends(blocks)
        .take_while(|end| *end <= most)
        .last()
        .unwrap_or(0)
}

/// How many of the blocks are frames.
pub(super) fn frames(blocks: &[u8]) -> u64 {
    count(blocks, ENHANCED_PACKET) as u64
}

/// How many of the blocks describe interfaces.
pub(super) fn descriptions(blocks: &[u8]) -> usize {
    count(blocks, INTERFACE_DESCRIPTION)
}

fn count(blocks: &[u8], wanted: [u8; 4]) -> usize {
    let starts = std::iter::once(0).chain(ends(blocks));
    let kinds = starts.filter_map(|at| blocks.get(at..)?.first_chunk());
    kinds.filter(|kind| **kind == wanted).count()
}

const INTERFACE_DESCRIPTION: [u8; 4] = 1_u32.to_le_bytes();
const ENHANCED_PACKET: [u8; 4] = 6_u32.to_le_bytes();

/// Where each block ends: it begins with its type and its length.
fn ends(blocks: &[u8]) -> impl Iterator<Item = usize> {
    let next = |at: &usize| {
        let length = blocks.get(at + 4..)?.first_chunk()?;
        at.checked_add(u32::from_le_bytes(*length) as usize)
            .filter(|next| next > at)
    };
    std::iter::successors(Some(0), next).skip(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk with so much space.
    struct Disk {
        bytes: Vec<u8>,
        space: usize,
        cuts: bool,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let room = self.space.saturating_sub(self.bytes.len());
            if room == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            // Never all at once.
            let count = bytes.len().min(room).min(7);
            self.bytes.extend(&bytes[..count]);
            Ok(count)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Target for Disk {
        fn cut(&mut self, length: u64) -> io::Result<()> {
            if !self.cuts {
                return Err(io::ErrorKind::Other.into());
            }
            self.bytes.truncate(length as usize);
            Ok(())
        }
    }

    fn block(length: u32, fill: u8) -> Vec<u8> {
        let mut block = vec![fill; length as usize];
        block[4..8].copy_from_slice(&length.to_le_bytes());
        block
    }

    #[test]
    fn a_full_disk_has_whole_blocks_and_nothing_is_lost_when_there_is_space_again() {
        let all = [block(12, 1), block(40, 2), block(16, 3)].concat();
        for space in 0..all.len() {
            let kept = [68, 52, 12, 0].into_iter().find(|end| *end <= space);
            for cuts in [true, false] {
                let bytes = Vec::new();
                let mut spool = Spool::new(Disk { bytes, space, cuts }, PathBuf::new());
                let mut waiting = all.clone();
                let error = spool.write(&mut waiting).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::StorageFull);
                assert_eq!(Some(spool.written() as usize), kept);
                assert_eq!(waiting, all[kept.unwrap()..]);
                let there = if cuts { kept.unwrap() } else { space };
                assert_eq!(spool.target.bytes, all[..there]);
                // A second time, without space, changes nothing.
                assert!(spool.write(&mut waiting).is_err());
                assert_eq!(waiting, all[kept.unwrap()..]);
                spool.target.space = 1000;
                spool.target.cuts = true;
                spool.write(&mut waiting).unwrap();
                assert_eq!(spool.target.bytes, all, "{space}");
                assert!(waiting.is_empty());
                assert_eq!(spool.written(), all.len() as u64);
            }
        }
    }
}
