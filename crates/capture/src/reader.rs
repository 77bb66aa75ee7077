//! What a file format is: how it is recognised, and who finds its records.

use crate::calendar::Zone;
use crate::fault::Fault;
use crate::interfaces::Interfaces;
use crate::window::Window;
use std::io::{self, Read};
use wirewait_wire::{LinkType, Timestamp};

/// First bytes that a format may look at.
pub(crate) const HEAD: usize = 32;

/// One file format.
pub(crate) struct Format {
    /// The name its users know it by.
    pub(crate) name: &'static str,
    /// Whether a stream that starts with these bytes (up to [`HEAD`]) is of this format.
    pub(crate) matches: fn(&[u8]) -> bool,
    /// What to do with it.
    pub(crate) action: Action,
}

/// What can be done with a stream of a known format.
pub(crate) enum Action {
    /// Find its records. The zone is for formats that hold local times.
    Read(fn(Window, Zone) -> Result<Box<dyn Reader>, Fault>),
    /// Decompress it and look again.
    Unwrap(fn(Window) -> io::Result<Box<dyn Read + Send>>),
    /// Say what to do instead.
    Refuse(&'static str),
}

/// Finds the records of one file, in the order of the file.
pub(crate) trait Reader: Send {
    /// Moves to the next record; `None` at the end. After a [`Fault`] it goes on behind
    /// the damage, or says `None` where that is not possible.
    fn next(&mut self, interfaces: &mut Interfaces) -> Result<Option<Record>, Fault>;

    /// Moves to the next record and enters it, if it is at hand and nothing about it is unusual; otherwise `next` finds
    /// out what there is.
    fn usual(&mut self, _: &mut Record) -> bool {
        false
    }

    /// The captured bytes of the record that `next` or `usual` has just found.
    fn bytes(&self) -> &[u8];

    /// What the file's user should know about its content: sentences whose subject is
    /// the file.
    fn remarks(&self) -> &[String] {
        &[]
    }
}

/// A frame without its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) at: Timestamp,
    pub(crate) link: LinkType,
    /// Number in the [`Interfaces`] given to [`Reader::next`].
    pub(crate) interface: u32,
    /// At least the captured length.
    pub(crate) wire_len: u32,
}
