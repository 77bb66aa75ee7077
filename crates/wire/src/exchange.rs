//! What a message of a protocol of requests and responses means.

use crate::word::Name;
use crate::{Chain, Presence};
use std::num::NonZeroU128;

/// Which end of a conversation sent a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// The one that asks for service.
    Client,
    /// The one that gives it.
    Server,
    /// The message does not say.
    #[default]
    Unknown,
}

/// By what a response is matched with its request, within one conversation.
///
/// The top byte is a name space of the dissector's choosing, so that several kinds of
/// identifier can live beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(NonZeroU128);

impl Id {
    /// `value` (its low 120 bits) in the name space `space`. The value 0 in the space
    /// 0 is the same as the greatest in the last.
    #[must_use]
    pub const fn new(space: u8, value: u128) -> Self {
        let number = (space as u128) << 120 | (value & ((1 << 120) - 1));
        match NonZeroU128::new(number) {
            Some(number) => Self(number),
            // Not 0, so that an identifier that may be missing takes no more room than one.
            None => Self(NonZeroU128::MAX),
        }
    }

    /// Its name space, and its value there.
    #[must_use]
    pub const fn parts(self) -> (u8, u128) {
        let number = self.0.get();
        ((number >> 120) as u8, number & ((1 << 120) - 1))
    }

    /// Whether the second is one more than the first, in the lower 64 bits. Never so of two that are the same.
    #[inline]
    #[must_use]
    pub const fn counts_on(before: Option<Self>, next: Option<Self>) -> bool {
        Self::low(next) == Self::low(before).wrapping_add(1)
    }

    const fn low(id: Option<Self>) -> u64 {
        match id {
            Some(id) => id.0.get() as u64,
            None => 0,
        }
    }
}

/// What class of work an operation is; statistics never mix them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Reads file data.
    Read,
    /// Writes file data.
    Write,
    /// Opens or creates a file.
    Open,
    /// Closes one.
    Close,
    /// Names, directories, attributes, volumes.
    Directory,
    /// Locks that are granted or refused at once.
    Lock,
    /// Sets up, authenticates or ends a connection, session or tree.
    Session,
    /// A transaction whose function is not one of the above (pipes, remote calls).
    Transaction,
    /// The server takes back a promise (oplock, lease) and the client confirms.
    Break,
    /// Waits by design: change notification, blocking lock, pipe wait.
    Wait,
    /// Anything else.
    #[default]
    Other,
}

impl Kind {
    /// The name used in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Open => "open",
            Self::Close => "close",
            Self::Directory => "directory",
            Self::Lock => "lock",
            Self::Session => "session",
            Self::Transaction => "transaction",
            Self::Break => "break",
            Self::Wait => "wait",
            Self::Other => "other",
        }
    }
}

/// What a message does to the things that a server keeps for its clients. Several may be
/// done in one message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effects(u16);

impl Effects {
    /// Nothing.
    pub const NONE: Self = Self(0);
    /// Agrees on how to talk.
    pub const NEGOTIATES: Self = Self(1);
    /// Begins the session of a user, or goes on beginning it.
    pub const LOGS_ON: Self = Self(1 << 1);
    /// Ends it.
    pub const LOGS_OFF: Self = Self(1 << 2);
    /// Connects to a share.
    pub const ATTACHES: Self = Self(1 << 3);
    /// Disconnects from one.
    pub const DETACHES: Self = Self(1 << 4);
    /// Begins a search that the server keeps open.
    pub const SEARCHES: Self = Self(1 << 5);
    /// Ends one.
    pub const ENDS_SEARCH: Self = Self(1 << 6);
    /// Reads or writes pages of memory, not what a program asked for.
    pub const PAGES: Self = Self(1 << 7);
    /// Calls a name, to connect to the station that owns it.
    pub const CALLS: Self = Self(1 << 8);
    /// What it opens is a pipe, or a share of pipes. A read from a pipe waits until something is
    /// written to it, however long that takes.
    pub const PIPES: Self = Self(1 << 9);
    /// Writes a remote procedure call into a pipe. The next read from it brings the result, so it
    /// lasts as long as the server works.
    pub const REMOTE_CALL: Self = Self(1 << 10);
    /// Sets up a connection or session, where none of the others says so.
    pub const SETS_UP: Self = Self(1 << 11);
    /// Asks whether the other end is there, and for nothing else. Where it never was heard, nobody
    /// is known to wait for it.
    pub const PROBES: Self = Self(1 << 12);
    /// Makes the connection one more of a session that has others (a channel of SMB 3): what they number means the same
    /// here.
    pub const BINDS: Self = Self(1 << 13);
    /// What the server promises, or takes back, is a lease. In the response to what opens a file, [`Exchange::alias`] is by
    /// what a break names it.
    pub const LEASES: Self = Self(1 << 14);

    /// Whether a connection, session or share is set up by it.
    #[must_use]
    pub const fn sets_up(self) -> bool {
        const ANY: u16 = Effects::NEGOTIATES.0
            | Effects::LOGS_ON.0
            | Effects::ATTACHES.0
            | Effects::CALLS.0
            | Effects::SETS_UP.0;
        self.0 & ANY != 0
    }

    /// Whether all of `other` are done.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// These and `other`.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// An operation of a protocol, by the name its specification gives it.
#[derive(Debug, PartialEq, Eq)]
pub struct Operation {
    /// The specification's name (`READ_ANDX`, `READ FROM A FILE`).
    pub name: Name,
    /// Its class of work.
    pub kind: Kind,
    /// Whether doing it twice leaves what doing it once leaves.
    pub idempotent: bool,
    /// Function number, where the protocol has them (NCP).
    pub function: Option<u16>,
    /// Subfunction number likewise.
    pub subfunction: Option<u16>,
}

impl Operation {
    /// One without numbers of functions.
    #[must_use]
    pub const fn new(name: Name, kind: Kind, idempotent: bool) -> Self {
        Self {
            name,
            kind,
            idempotent,
            function: None,
            subfunction: None,
        }
    }
}

/// How an operation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Status {
    /// The number on the wire.
    pub code: u32,
    /// Its name in the specification, if known.
    pub name: Option<Name>,
    /// The operation did what was asked (0, or a warning that carries a result).
    pub ok: bool,
    /// It failed in a way that is not normal control flow. "No more files", "name not
    /// found" or "end of file" are not ok, and no failures either.
    pub failure: bool,
}

impl Status {
    /// What was asked for was done; nothing more is said.
    pub const DONE: Self = Self {
        code: 0,
        name: None,
        ok: true,
        failure: false,
    };
}

/// What part a message plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Asks for something.
    Request,
    /// Carries more of a request that is under way, under its identifier.
    More,
    /// Answers.
    Response,
    /// Asks or answers, and does not say which: it answers if the other side asked under its
    /// identifier.
    Either,
    /// Says that the answer will follow, or that the rest of the request may be sent.
    Interim,
    /// Takes a request back; never answered itself. `id` names that request.
    Cancel,
    /// Acknowledges what came of the exchange that `id` names, and is no part of it.
    Ack,
    /// Serves the exchange that `id` names without moving it on: lists what has not
    /// arrived of it, gives it up.
    Upkeep,
    /// Reports that the request that `id` names could not be delivered, so that it gets no response.
    /// Without an `id` it is the only one that waits.
    Refusal,
    /// Needs no answer and is none (mailslots, messages).
    Notice,
    /// Asks whether the other end is there, whose transport answers by itself and at once;
    /// [`Exchange::number`] comes back with the answer. Nobody waits for it.
    Probe,
    /// The answer to a [`Role::Probe`].
    Alive,
    /// It cannot be told: a response if something waits for one, otherwise a request
    /// ([`crate::Turn`]).
    Turn,
}

/// What a request is answered with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Expect {
    /// One response (of one or more parts).
    #[default]
    Response,
    /// None at all.
    Nothing,
    /// This many responses under the same identifier.
    Times(u16),
    /// A message without any header, as long as the data (SMB1 READ_RAW).
    Headerless,
    /// A go-ahead; then the client sends a message without header of `rest` bytes; then,
    /// if `confirmed`, the response follows (SMB1 WRITE_RAW). Else the go-ahead is itself the response.
    GoAhead {
        /// Bytes that the headerless message will have.
        rest: u32,
        /// Whether a response follows them; `None` where that was not captured.
        confirmed: Option<bool>,
    },
}

/// How much of a request or response one message is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Parts {
    /// All of it.
    #[default]
    Whole,
    /// So much of so much, in two independent counts (parameters and data). Totals may
    /// shrink from part to part: the smallest ever seen holds.
    Counted {
        /// What this message brings.
        got: [u32; 2],
        /// What is to come altogether, as this message says.
        of: [u32; 2],
    },
    /// These parts of a set. In a request, `last` closes the set; a response that does not
    /// cover the whole set is an interim one (SMB1 WRITE_MPX).
    Masked {
        /// The parts, one bit each.
        mask: u32,
        /// No more will follow.
        last: bool,
    },
    /// Some of the message's bytes (NCP packet burst). The message is whole when all were seen,
    /// in whatever order; bytes that were seen before are a repetition. Only the part that
    /// begins the message need say what is done or how it ended. Any other belongs, under
    /// its identifier, to the side that sent the beginning: `role` counts only where
    /// nothing is open.
    Ranged {
        /// Where they begin in the message.
        at: u32,
        /// How many this message brings.
        length: u32,
        /// How many there are altogether.
        of: u32,
    },
}

/// The file that an operation concerns, as the wire names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct File {
    /// The handle (FID, FileId, NetWare handle), as a number within the conversation.
    pub handle: u128,
    /// Offset in the file in bytes, for reads and writes.
    pub offset: Option<u64>,
}

impl File {
    /// The handle that stands for the file of the part before it in the same message.
    pub const PREVIOUS: u128 = u128::MAX;
}

/// What one message means for pairing and statistics.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// What part it plays.
    pub role: Role,
    /// Who sent it.
    pub sender: Side,
    /// By what it is matched; `None` when the capture cut the identifiers off (then the
    /// oldest open request for the same operation is taken) or when there are none to see
    /// (`opaque`).
    pub id: Option<Id>,
    /// A second identifier to try when nothing is open under the first. In the response to what opens a file with a
    /// [lease](Effects::LEASES), the identifier of a break of that.
    pub alias: Option<Id>,
    /// The protocol's command, where responses repeat it: requests with one identifier are told
    /// apart by it, and no other is answered.
    pub command: Option<u8>,
    /// The message also answers the other side's request with this identifier, if one is
    /// open (an oplock break acknowledged, or made moot by closing the file).
    pub answers: Option<Id>,
    /// A queue in which only one request at a time can be outstanding: a new one ends the
    /// one before (an NCP connection).
    pub lane: Option<Id>,
    /// Below this protocol nothing repeats lost messages: a request with an identifier that
    /// is still open is that request retransmitted, not a new one that reuses it.
    pub repeats: bool,
    /// Numbers the requests of a connection where nothing below repeats what is lost: two
    /// requests with one number are one, even answered; with two numbers they are two, though
    /// they share an identifier. Of a probe, what its answer brings back. Means nothing elsewhere.
    pub number: Option<u16>,
    /// Any station may answer, so the conversation is the client's alone (name queries).
    pub anyone: bool,
    /// It says itself that it goes to all stations. Some send a copy of it to single ones, too: they
    /// are asked no more than the others.
    pub everyone: bool,
    /// Only length and direction can be read (encrypted): matched by turn.
    pub opaque: bool,
    /// Of an opaque response: it is as short as one that says only that the server works on the request, and may be that.
    pub brief: bool,
    /// What is done.
    pub operation: &'static Operation,
    /// The protocol's number for it; tells operations without a name apart.
    pub code: u32,
    /// Further operations in the same message.
    pub chain: Chain,
    /// If an interim answer comes, the wait is by design (a blocking lock).
    pub may_wait: bool,
    /// How it ended, in responses.
    pub status: Option<Status>,
    /// Bytes of file data asked for or announced, in requests.
    pub asked: u64,
    /// Bytes of file data in this message, without headers and padding.
    pub data: u64,
    /// The file concerned.
    pub file: Option<File>,
    /// The log-on (UID, SessionId), where the wire numbers it; what a name of a user is
    /// remembered by.
    pub session: Option<Id>,
    /// The share (TID, TreeId) likewise.
    pub tree: Option<Id>,
    /// There are names in this part: [`crate::Dissector::names`] tells them.
    pub names: bool,
    /// Which of the dialects that the request offered the response chose, counted from 0.
    pub choice: Option<u16>,
    /// What it does to what the server keeps; of a response, what the request did not show.
    pub effects: Effects,
    /// In the answer to a negotiation: bytes of the largest message, or of the largest read,
    /// that was agreed on.
    pub buffer: Option<u32>,
    /// How much of the request or response this message is.
    pub parts: Parts,
    /// What the request is answered with.
    pub expect: Expect,
    /// What the sender announces.
    pub presence: Option<Presence>,
}

impl Exchange {
    /// A message with this role, sender and operation, and the plain case for all else.
    #[must_use]
    pub const fn new(role: Role, sender: Side, operation: &'static Operation, code: u32) -> Self {
        Self {
            role,
            sender,
            id: None,
            alias: None,
            command: None,
            answers: None,
            lane: None,
            repeats: false,
            number: None,
            anyone: false,
            everyone: false,
            opaque: false,
            brief: false,
            operation,
            code,
            chain: Chain::NONE,
            may_wait: false,
            status: None,
            asked: 0,
            data: 0,
            file: None,
            session: None,
            tree: None,
            names: false,
            choice: None,
            effects: Effects::NONE,
            buffer: None,
            parts: Parts::Whole,
            expect: Expect::Response,
            presence: None,
        }
    }
}

/// One part of a message: an exchange and how far it reaches.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// What it means; `None` for upkeep that is neither request nor response.
    pub exchange: Option<Exchange>,
    /// Bytes of this part, from its own start. When less than what is left of the
    /// message, another part follows (an SMB2 compound).
    pub length: u32,
}

/// The request that a response answers, handed back to the dissector so that it can read
/// a response that does not say what it answers (NCP).
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// What was asked for.
    pub operation: &'static Operation,
    /// The protocol's number for it.
    pub code: u32,
    /// Bytes asked for.
    pub asked: u64,
    /// The file concerned.
    pub file: Option<File>,
}

/// What a response says once its request is known.
#[derive(Clone, Copy, Debug, Default)]
pub struct Answered {
    /// How it ended; `None` leaves what the response itself said.
    pub status: Option<Status>,
    /// Bytes of file data in the response, or accepted by it.
    pub data: u64,
    /// The file that was opened.
    pub file: Option<File>,
    /// What was done, where request and response only tell together (by their lengths, if
    /// they are encrypted); `None` leaves what the request said.
    pub operation: Option<&'static Operation>,
}
