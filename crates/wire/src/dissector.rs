//! The shape of a dissector: plain data and plain functions, no state.

use crate::{
    Announces, Answered, Asked, Claim, Facts, Fields, Id, Layout, Medium, Names, Next, Part,
    Placed, Steady,
};
use std::fmt;

/// What a dissector is given: the bytes at hand, and how many there really were.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The bytes that were captured (or gathered so far).
    pub bytes: &'a [u8],
    /// How many bytes the sender sent here; at least `bytes.len()`.
    pub length: u32,
}

impl<'a> Input<'a> {
    /// Bytes of which nothing was cut off.
    #[must_use]
    pub fn whole(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            length: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
        }
    }

    /// The input without its first `n` bytes.
    #[must_use]
    pub fn skip(self, n: u32) -> Self {
        Self {
            bytes: self.bytes.get(n as usize..).unwrap_or_default(),
            length: self.length.saturating_sub(n),
        }
    }
}

/// Why a dissector could not go on. Offsets count from the start of its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Fewer bytes are there than the header needs. Whether the capture or the sender cut
    /// them off is decided by the walk, which knows both lengths.
    Short {
        /// Where the missing field begins.
        offset: u32,
    },
    /// A value that the specification does not allow.
    Malformed {
        /// Where it stands.
        offset: u32,
        /// The field, as the specification names it, and what is wrong with it.
        what: &'static str,
    },
}

/// One layer, read.
#[derive(Clone, Copy, Debug)]
pub struct Layer {
    /// Bytes of header; the payload begins behind it.
    pub header: u32,
    /// Where the PDU ends by its own account, counted from its start; `length` of the
    /// input where it has no length of its own. What lies behind it is padding.
    pub end: u32,
    /// What the payload goes by.
    pub next: Next,
}

impl Layer {
    /// A header over all that is behind it: it does not say where the PDU ends.
    #[inline]
    #[must_use]
    pub const fn over(input: Input<'_>, header: u32, next: Next) -> Self {
        Self {
            header,
            end: input.length,
            next,
        }
    }
}

/// Finds the first plausible start of a message in bytes from the middle of a stream.
pub type Resync = fn(&[u8]) -> Option<usize>;

/// What a framer finds at the place where a message should begin in a byte stream.
#[derive(Clone, Copy, Debug)]
pub enum Framing {
    /// Bytes needed from here on to decide (more than were given).
    Need(u32),
    /// A message of `header` bytes of framing and `length` more, which go by `next`.
    Message {
        /// Bytes of the framing header.
        header: u32,
        /// Bytes of the message behind it.
        length: u32,
        /// What the message goes by.
        next: Next,
    },
    /// No message begins here.
    Lost,
}

/// By what a dissector has been checked, for `wirewait protocols`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verified {
    /// Bytes from the specification or a published description of the format.
    Specification,
    /// Captures of real systems.
    RealCaptures,
    /// Lab captures of real servers and clients with known answers.
    Lab,
    /// Field by field or pair by pair against tshark.
    Tshark,
    /// Nothing independent.
    Nothing,
}

impl Verified {
    /// The words shown to users.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Specification => "specification",
            Self::RealCaptures => "real captures",
            Self::Lab => "lab captures",
            Self::Tshark => "tshark",
            Self::Nothing => "nothing independent",
        }
    }
}

/// How much a dissector was tried on, counted by a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Capture files of real systems in which a layer of it was read.
    pub real_files: u64,
    /// Frames in them with a layer of it.
    pub real_frames: u64,
    /// Frames with a layer of it in lab captures with known answers.
    pub lab_frames: u64,
    /// Requests with their answers that tshark finds too, with the same time between them.
    pub pairs: u64,
}

/// What a router changes in a header in which it is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Routed {
    /// The byte that counts routers.
    pub counter: usize,
    /// It counts those that were passed, and not those that may still be.
    pub up: bool,
    /// The bits of the first bytes that stay the same on the way; all those behind them do.
    pub stays: [u8; 16],
}

/// A protocol: where it plugs in, how its header is read, what its messages mean.
#[derive(Debug)]
pub struct Dissector {
    /// Short lower-case name, used in every output (`smb1`, `ncp`).
    pub name: &'static str,
    /// Its name in full, with the specification.
    pub title: &'static str,
    /// Other names under which people look for it (`NetBEUI`).
    pub aliases: &'static [&'static str],
    /// What is understood of it, in a few words for `wirewait protocols`.
    pub does: &'static str,
    /// What is not, in plain words; empty if nothing.
    pub lacks: &'static str,
    /// By what it has been checked.
    pub verified: &'static [Verified],
    /// The payloads that it asks to be given.
    pub claims: &'static [Claim],
    /// Its payload can be another protocol's, so its header is read before anything is
    /// made of its own messages (NBF). Protocols at the end of the line leave this false.
    pub conveys: bool,
    /// Its header is a tag that a link puts into frames and takes out again, from the two bytes before it on: a frame is the same
    /// without it.
    pub tag: bool,
    /// It numbers its data, so that it is put in order before anything is made of it.
    pub orders: bool,
    /// What transactions name as their carrier when this is the innermost layer below them
    /// that has a name to give (`tcp`, `nbt`, `ipx`, `nbf`).
    pub carrier: Option<&'static str>,
    /// What its frames cost on the wire, if it is a link of which that is known.
    pub medium: Option<Medium>,
    /// Reads the header and adds to the facts.
    pub dissect: fn(Input<'_>, &mut Facts) -> Result<Layer, Fault>,
    /// Reads a header that is like an earlier one, if that can be faster.
    pub steady: Option<Steady>,
    /// What routers change in its header, if they are counted there at a fixed place.
    pub routed: Option<&'static Routed>,
    /// Cuts a byte stream into messages, for protocols that frame themselves in one.
    pub framing: Option<fn(&[u8]) -> Framing>,
    /// Finds the first plausible start of a message in bytes from the middle of a stream, or of a
    /// part in bytes from the middle of a message.
    pub resync: Option<Resync>,
    /// Says what the part of a message that begins here means, for protocols of requests
    /// and responses.
    pub exchange: Option<fn(Input<'_>) -> Result<Part, Fault>>,
    /// The length of the part that begins here, as `exchange` gives it for the same bytes, where
    /// that can be told without reading what the part means; all of the input where `exchange`
    /// fails. Asked of messages that go on in later segments.
    pub part: Option<fn(Input<'_>) -> u32>,
    /// How many of the first bytes of the message that begins here are read, where these show that it does not take
    /// all: behind them is data that is nobody's concern. Asked of messages that go on in later segments, and none
    /// where they are not its own.
    pub head: Option<fn(Input<'_>) -> Option<u32>>,
    /// Reads a message as an answer although it does not say that it is one: some servers do
    /// not mark theirs. Used where the side that serves sends what looks like a request, under
    /// the identifier of one that it has not answered yet.
    pub unmarked: Option<fn(Input<'_>) -> Result<Part, Fault>>,
    /// No two requests of a connection have the same identifier (SMB2).
    pub unique_ids: bool,
    /// How many requests of a [lane](crate::Exchange::lane) came between two whose identifiers these are and that follow
    /// each other in the capture, where identifiers count requests. Not asked where they [count on](crate::Id::counts_on):
    /// then there were none.
    pub skipped: Option<fn(Id, Id) -> u32>,
    /// Says what a message whose ends take turns is, by the table in force: the user's, or with
    /// `None` its own.
    pub placed: Option<fn(Input<'_>, Option<&Layout>) -> Placed>,
    /// How much data the sender of this segment takes in one, where it opens a stream and says so.
    pub largest_segment: Option<fn(Input<'_>) -> Option<u16>>,
    /// Reads a response in the light of its request.
    pub answer: Option<fn(Input<'_>, &Asked) -> Answered>,
    /// Tells the names in a part of a message whose exchange says that it has some.
    pub names: Option<fn(Input<'_>, Names<'_>)>,
    /// Tells the name of what a response opened, where its request named nothing, and only that says how to read it.
    pub opened: Option<fn(Input<'_>, &Asked, Names<'_>)>,
    /// Tells of the ways and servers that a PDU announces.
    pub announces: Option<Announces>,
    /// One line that says what this PDU is, without the protocol's name.
    pub describe: fn(Input<'_>, &mut dyn fmt::Write) -> fmt::Result,
    /// Every field of the header, or of the whole PDU where it carries no other protocol;
    /// `None` once the bytes end too early.
    pub fields: fn(&mut Fields<'_>) -> Option<()>,
}

impl Dissector {
    /// What most protocols are not: they end the walk, cut no byte stream, have no requests
    /// and responses. To be completed with `..Dissector::PLAIN`.
    pub const PLAIN: Self = Self {
        name: "",
        title: "",
        aliases: &[],
        does: "",
        lacks: "",
        verified: &[],
        claims: &[],
        conveys: false,
        tag: false,
        orders: false,
        carrier: None,
        medium: None,
        dissect: |input, _| Ok(Layer::over(input, 0, Next::NONE)),
        steady: None,
        routed: None,
        framing: None,
        resync: None,
        exchange: None,
        part: None,
        head: None,
        unmarked: None,
        unique_ids: false,
        skipped: None,
        placed: None,
        largest_segment: None,
        answer: None,
        names: None,
        opened: None,
        announces: None,
        describe: |input, out| write!(out, "{} bytes", input.length),
        fields: plain_fields,
    };

    /// Whether its fields are described.
    #[must_use]
    pub fn is_decoded(&self) -> bool {
        !std::ptr::fn_addr_eq(
            self.fields,
            plain_fields as fn(&mut Fields<'_>) -> Option<()>,
        )
    }

    /// Whether people who look for this name may mean it: case, blanks and punctuation do not
    /// count.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        let same = |known: &&str| plain(known).eq(plain(name));
        same(&self.name) || self.aliases.iter().any(same)
    }
}

fn plain_fields(f: &mut Fields<'_>) -> Option<()> {
    f.rest("Data").map(|_| ())
}

fn plain(name: &str) -> impl Iterator<Item = char> + '_ {
    let counts = name.chars().filter(|c| c.is_alphanumeric());
    counts.flat_map(char::to_lowercase)
}

/// Why a walk ended before the innermost layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The capture kept too little of the frame.
    Snapped,
    /// The sender sent less than its own length fields say.
    Truncated,
    /// A value that cannot be.
    Malformed,
}

/// Where and why a walk ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Why.
    pub reason: StopReason,
    /// The layer that could not be read to its end.
    pub layer: &'static str,
    /// Where in the frame.
    pub offset: u32,
    /// What is missing or wrong.
    pub what: &'static str,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self.reason {
            StopReason::Snapped => "cut off by the capture",
            StopReason::Truncated => "cut off by the sender",
            StopReason::Malformed => "malformed",
        };
        write!(f, "{}: {reason} at byte {}", self.layer, self.offset)?;
        if !self.what.is_empty() {
            write!(f, " ({})", self.what)?;
        }
        Ok(())
    }
}
