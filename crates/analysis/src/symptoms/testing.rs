//! Transactions by hand. Times are in milliseconds; request N is frame 2N - 1, its answer
//! frame 2N.

use super::{FrameWatch, State, Symptom, Symptoms, Threshold, Watch};
use crate::account::Outstanding;
use crate::case::{Case, Wait};
use crate::parties::{Directory, Parties};
use crate::table::TablePlace;
use crate::world::CutOff;
use crate::{
    Extent, Flags, FrameCounts, Mark, Notice, Noticed, Outcome, Settings, Transaction, Turnaround,
    WHOLE_FRAME,
};
use std::collections::BTreeMap;
use wirewait_wire::{Chain, Endpoint, Kind, Operation, Status, Timestamp};

static OPERATIONS: [Operation; 9] = {
    const fn operation(name: &'static str, kind: Kind) -> Operation {
        Operation::new(name, kind, false)
    }
    [
        operation("READ", Kind::Read),
        operation("WRITE", Kind::Write),
        operation("OPEN", Kind::Open),
        operation("CLOSE", Kind::Close),
        operation("LOG ON", Kind::Session),
        operation("WAIT", Kind::Wait),
        operation("BREAK", Kind::Break),
        operation("CALL", Kind::Transaction),
        operation("LOCK", Kind::Lock),
    ]
};

pub(crate) fn at(ms: i64) -> Timestamp {
    Timestamp::from_nanos(ms * 1_000_000)
}

pub(crate) fn mark(frame: u64, ms: i64) -> Mark {
    Mark { frame, at: at(ms) }
}

/// A client waits for this since `began`, ms.
fn waits(case: Case<'_>, began: i64) -> Wait<'_> {
    Wait {
        case,
        began: at(began),
        anyone: false,
        repeated: None,
    }
}

pub(crate) fn station(n: u8) -> Endpoint {
    Endpoint::mac([2, 0, 0, 0, 0, n])
}

fn extent(frame: u64, ms: i64) -> Extent {
    Extent {
        first: mark(frame, ms),
        last: mark(frame, ms),
    }
}

/// Client 1 asks server 9 at `asked` and is answered at `answered`.
pub(crate) fn transaction(number: u64, kind: Kind, asked: i64, answered: i64) -> Transaction {
    let turnaround = (answered - asked) * 1_000_000;
    Transaction {
        number,
        protocol: "toy",
        carrier: "toy_link",
        client: station(1),
        server: station(9),
        conversation: 1,
        operation: OPERATIONS.iter().find(|o| o.kind == kind).unwrap(),
        code: 1,
        chain: Chain::default(),
        kind,
        outcome: Outcome::Answered,
        status: None,
        request: Some(extent(number * 2 - 1, asked)),
        response: Some(extent(number * 2, answered)),
        raw_end: None,
        lost_until: None,
        turnaround: Turnaround::Exact(turnaround),
        service_ns: Some(turnaround),
        interims: 0,
        interim_bytes: 0,
        first_interim: None,
        copies: 1,
        duplicate_responses: 0,
        asked_bytes: 0,
        data_bytes: 0,
        request_bytes: 0,
        response_bytes: 0,
        response_head_bytes: 0,
        frames: FrameCounts {
            request: 1,
            response: 1,
            ..FrameCounts::default()
        },
        share: 2 * WHOLE_FRAME,
        file: None,
        place: None,
        effects: wirewait_wire::Effects::NONE,
        buffer: None,
        hops: None,
        flags: Flags::default(),
        everyone: false,
        sought: None,
    }
}

pub(crate) fn unanswered(number: u64, kind: Kind, asked: i64) -> Transaction {
    Transaction {
        outcome: Outcome::Unanswered,
        response: None,
        turnaround: Turnaround::None,
        service_ns: None,
        ..transaction(number, kind, asked, asked)
    }
}

pub(super) fn failed(name: &'static str) -> Option<Status> {
    Some(Status {
        code: 1,
        name: Some(name),
        ok: false,
        failure: true,
    })
}

/// Something that looks for symptoms, and numbers what it is fed.
pub(super) struct Bench {
    pub(super) watch: Watch,
    pub(super) frames: FrameWatch,
    pub(super) directory: Directory,
    pub(super) next: u64,
    pub(super) last: i64,
    /// When a request that ends was repeated last.
    pub(super) repeated: Option<i64>,
}

impl Bench {
    pub(super) fn new() -> Self {
        Self {
            watch: Watch::new(Settings::default().rows),
            frames: FrameWatch::new(&Settings::default()),
            directory: Directory::new(Settings::default().rows),
            next: 1,
            last: 0,
            repeated: None,
        }
    }

    /// As many good reads of 1 ms, one behind the other.
    pub(super) fn good(&mut self, times: u64) {
        for _ in 0..times {
            self.one(Kind::Read, 1, |_| ());
        }
    }

    /// A request 1 ms after the last answer, answered `ms` later.
    pub(super) fn one(&mut self, kind: Kind, ms: i64, change: impl FnOnce(&mut Transaction)) {
        let asked = self.last + 1;
        let mut t = transaction(self.next, kind, asked, asked + ms);
        change(&mut t);
        self.close(t);
        self.last = asked + ms;
    }

    /// A request that is given up after `ms`.
    pub(super) fn lost(&mut self, kind: Kind, ms: i64, change: impl FnOnce(&mut Transaction)) {
        let asked = self.last + 1;
        let mut t = unanswered(self.next, kind, asked);
        change(&mut t);
        self.begins(&t, asked, false);
        self.ends(&t, asked, (false, asked + ms), None);
        self.close(t);
        self.last = asked + ms;
    }

    /// Its response, complete at `began`, was retransmitted at `again`, ms.
    pub(super) fn lost_behind(&mut self, t: &Transaction, began: i64, again: i64) {
        self.about(t, |watch, case| watch.lost(waits(case, began), at(again)));
    }

    /// Its server resets the connection at `end`, that long after `began`.
    pub(super) fn cut_off(&mut self, t: &Transaction, (began, end): (i64, i64), cut: CutOff) {
        self.about(t, |watch, case| {
            watch.cut_off(waits(case, began), mark(t.number * 2, end), cut);
        });
    }

    pub(super) fn close(&mut self, t: Transaction) {
        self.closed(&t);
        self.next += 1;
    }

    pub(super) fn closed(&mut self, t: &Transaction) {
        if t.kind == Kind::Break {
            self.about(t, Watch::gave_back);
        }
        self.about(t, |watch, case| watch.closed(case, t.took().as_ref()));
    }

    /// A client waits for it, or for anyone to answer it.
    pub(super) fn begins(&mut self, t: &Transaction, began: i64, anyone: bool) {
        self.about(t, |watch, case| {
            watch.begins(&Wait {
                case,
                began: at(began),
                anyone,
                repeated: None,
            });
        });
    }

    /// It no longer does, since then.
    pub(super) fn ends(
        &mut self,
        t: &Transaction,
        began: i64,
        (anyone, end): (bool, i64),
        outstanding: Option<&Outstanding>,
    ) {
        let repeated = self.repeated.map(at);
        self.about(t, |watch, case| {
            let wait = Wait {
                case,
                began: at(began),
                anyone,
                repeated,
            };
            watch.ends(wait, at(end), outstanding);
        });
    }

    /// Tells something of this transaction.
    pub(super) fn about(&mut self, t: &Transaction, tell: impl FnOnce(&mut Watch, Case<'_>)) {
        let mut parties = Parties::UNKNOWN;
        self.directory.meet(t, &mut parties);
        let case = Case {
            transaction: t,
            parties: &parties,
        };
        tell(&mut self.watch, case);
    }

    pub(super) fn noticed(&mut self, notice: &Notice) {
        let nowhere = crate::path::Path::default();
        let (from, to) = (notice.from, notice.to);
        let pairs = [(from, to), (to, from)].map(|(client, server)| {
            let pair = self.directory.known_pair(client, server);
            pair.unwrap_or(TablePlace::NOWHERE)
        });
        if matches!(
            notice.what,
            Noticed::Resent { .. } | Noticed::Overtaken { .. } | Noticed::OvertakenBehind
        ) {
            self.watch.noticed(pairs, notice);
        }
        self.frames
            .noticed(notice, &nowhere, self.watch.course_mut());
    }

    pub(super) fn judge(&self) -> Symptoms {
        let last = Some(at(self.last));
        self.watch
            .judge(&self.frames, &self.directory, (&[], &BTreeMap::new()), last)
    }

    /// How the rule was judged, of whomever; `None` if it was not seen.
    pub(super) fn state(&self, id: &str) -> Option<State> {
        self.found(id).map(|s| s.state)
    }

    pub(super) fn found(&self, id: &str) -> Option<Symptom> {
        self.judge().found.into_iter().find(|s| s.rule.id == id)
    }

    pub(super) fn set(&mut self, threshold: Threshold, value: u64) {
        let mut thresholds = self.judge().thresholds;
        thresholds.set(threshold, value);
        self.frames.judge_by(thresholds);
        self.watch.judge_by(thresholds);
    }

    pub(super) fn raised(&self) -> Vec<&'static str> {
        self.judge().raised().map(|s| s.rule.id).collect()
    }
}
