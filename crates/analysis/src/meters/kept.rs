//! What a server keeps for a client, by conversation: it goes with the connection.

use crate::case::Case;
use crate::table::TablePlace;
use wirewait_wire::word::Name;
use wirewait_wire::{Effects, Kind};

/// Shares on which one conversation has open files, or to which it is connected, that are
/// remembered. Further ones stay counted when the connection ends without closing them.
const MOUNTS: usize = 16;

/// What a transaction, or the end of a connection, does to what a server keeps. Nothing is ended
/// that did not begin in the capture.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Change {
    /// Files opened and sessions ended in good order, whether they began in the capture or not.
    pub(super) opened: u64,
    pub(super) logged_off: u64,
    pub(super) logs_on: u64,
    pub(super) logs_off: u64,
    pub(super) opens: u64,
    pub(super) closes: u64,
    pub(super) searches: u64,
    pub(super) ends_search: u64,
    pub(super) attaches: u64,
    pub(super) detaches: u64,
}

/// State of one conversation.
#[derive(Debug)]
pub(super) struct Kept {
    client: TablePlace,
    server: TablePlace,
    protocol: Name,
    sessions: u64,
    open: u64,
    searches: u64,
    /// A client at a share: files open, connections.
    mounts: Vec<(TablePlace, u64, u64)>,
    /// The frame that gave oplocks back, and how many.
    given_back: (u64, u32),
    over: bool,
}

/// What the end of a connection leaves to be taken back.
pub(super) struct Left {
    pub(super) client: TablePlace,
    pub(super) server: TablePlace,
    pub(super) protocol: Name,
    pub(super) change: Change,
    /// A client at a share: files open, connections.
    pub(super) mounts: Vec<(TablePlace, u64, u64)>,
}

impl Default for Kept {
    fn default() -> Self {
        Self {
            client: TablePlace::NOWHERE,
            server: TablePlace::NOWHERE,
            protocol: "",
            sessions: 0,
            open: 0,
            searches: 0,
            mounts: Vec::new(),
            given_back: (0, 0),
            over: false,
        }
    }
}

impl Kept {
    /// Whose it is.
    pub(super) fn belongs_to(&mut self, case: Case<'_>) {
        (self.client, self.server) = (case.parties.client, case.parties.server);
        self.protocol = case.transaction.protocol;
    }

    pub(super) fn ends(&self) -> [TablePlace; 2] {
        [self.client, self.server]
    }

    pub(super) fn protocol(&self) -> Name {
        self.protocol
    }

    /// The connection has ended.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// A frame answers a break.
    pub(super) fn gives_back(&mut self, frame: u64) {
        let before = match self.given_back {
            (known, n) if known == frame => n,
            _ => 0,
        };
        self.given_back = (frame, before + 1);
    }

    /// Whether the request that this frame completes was counted as the answer to a break.
    pub(super) fn gave_back_in(&mut self, frame: u64) -> bool {
        match &mut self.given_back {
            (known, n @ 1..) if *known == frame => {
                *n -= 1;
                true
            }
            _ => false,
        }
    }

    /// An answer: what was asked was done, or not.
    pub(super) fn change(&mut self, case: Case<'_>, done: bool) -> Change {
        let t = case.transaction;
        if !done {
            return Change::default();
        }
        let effect = |effect| u64::from(t.effects.has(effect));
        // A round of a session set-up that is not the last one is not ok, and no failure.
        let whole = u64::from(t.status.is_none_or(|s| s.code == 0));
        let opened = u64::from(t.kind == Kind::Open);
        let happened = Change {
            opened,
            logged_off: effect(Effects::LOGS_OFF),
            ..Change::default()
        };
        if self.over {
            return happened;
        }
        let mut change = Change {
            logs_on: effect(Effects::LOGS_ON) * whole,
            opens: opened,
            searches: effect(Effects::SEARCHES),
            attaches: effect(Effects::ATTACHES),
            ..happened
        };
        let ends = |held: &mut u64, begun: u64, ended: u64| {
            *held += begun;
            let ended = ended.min(*held);
            *held -= ended;
            ended
        };
        let closed = u64::from(t.kind == Kind::Close);
        change.logs_off = ends(&mut self.sessions, change.logs_on, change.logged_off);
        change.closes = ends(&mut self.open, change.opens, closed);
        let ended = effect(Effects::ENDS_SEARCH);
        change.ends_search = ends(&mut self.searches, change.searches, ended);
        let mount = case.parties.named.and_then(|named| named.mount);
        change.detaches = effect(Effects::DETACHES);
        if let Some((_, open, attached)) = mount.and_then(|mount| self.mount(mount)) {
            *open = (*open + change.opens).saturating_sub(change.closes);
            change.detaches = ends(attached, change.attaches, change.detaches);
        }
        change
    }

    /// The connection ends.
    pub(super) fn end(&mut self) -> Left {
        self.over = true;
        Left {
            client: self.client,
            server: self.server,
            protocol: self.protocol,
            change: Change {
                logs_off: std::mem::take(&mut self.sessions),
                closes: std::mem::take(&mut self.open),
                ends_search: std::mem::take(&mut self.searches),
                ..Change::default()
            },
            mounts: std::mem::take(&mut self.mounts),
        }
    }

    fn mount(&mut self, mount: TablePlace) -> Option<&mut (TablePlace, u64, u64)> {
        let at = self.mounts.iter().position(|(known, ..)| *known == mount);
        let at = match at {
            Some(at) => at,
            None if self.mounts.len() < MOUNTS => {
                self.mounts.push((mount, 0, 0));
                self.mounts.len() - 1
            }
            None => return None,
        };
        self.mounts.get_mut(at)
    }
}
