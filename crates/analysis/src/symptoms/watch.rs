//! Looks for symptoms in requests, while they go by.

use super::clients::Breaks;
use super::course::SymptomCourse;
use super::evidence::{Against, Base, Book, Sight};
use super::files::Files;
use super::page::{Page, Whom};
use super::pair::{PairEvidence, WAITING, between};
use super::services::ServiceEvidence;
use super::watchers::{WatcherLook, Witness, is_ordinary};
use super::{Threshold, Thresholds, answers, clients, is_group, is_request, repeats, sessions};
use crate::account::Outstanding;
use crate::bounds::{Bound, Hits};
use crate::case::{Case, NewWait, Wait};
use crate::column::Column;
use crate::stalls::GivenBack;
use crate::table::TablePlace;
use crate::world::CutOff;
use crate::{Flags, Mark, Notice, Noticed, Outcome, Transaction};
use std::collections::VecDeque;
use wirewait_model::records::LineTimes;
use wirewait_wire::{Address, Endpoint, Kind, Timestamp};

/// Transactions whose response waited as a whole for an acknowledgement that are remembered until they are closed.
pub(super) const HELD: usize = 256;
/// Questions to a name service that are remembered until they are closed.
pub(super) const LOOKUPS: usize = 256;

/// Looks for symptoms in requests.
pub(crate) struct Watch {
    pub(super) thresholds: Thresholds,
    pub(super) pairs: Column<PairEvidence>,
    breaks: Breaks,
    pub(super) files: Files,
    /// The transaction whose wait ended last, how long it was, and when that was.
    ended: Option<(u64, i64, Timestamp)>,
    /// Until when the transaction waited that is closed now, if that was until the capture ended.
    open_until: Option<Timestamp>,
    /// Name requests that any server may answer, until they are closed; from the first to the last
    /// copy of each, ns.
    lookups: VecDeque<(u64, i64)>,
    /// How long the response whose wait ends next waited as a whole for an acknowledgement, ns.
    held_ns: i64,
    /// Transactions whose response did, and how long, until they are closed.
    held: VecDeque<(u64, i64)>,
    /// Waits of stations for other services.
    pub(super) services: ServiceEvidence,
    /// Cost of symptoms by the second, for live views.
    pub(super) course: Option<Box<SymptomCourse>>,
    hits: Hits,
}

impl Watch {
    /// Rows of at most this number of clients at services.
    pub(crate) fn new(rows: usize) -> Self {
        Self {
            thresholds: Thresholds::default(),
            pairs: Column::new(),
            breaks: Breaks::default(),
            files: Files::new(),
            ended: None,
            open_until: None,
            lookups: VecDeque::new(),
            held_ns: 0,
            held: VecDeque::new(),
            services: ServiceEvidence::new(rows),
            course: None,
            hits: Hits::NONE,
        }
    }

    /// Keeps the cost of symptoms in the last `seconds`.
    pub(crate) fn keep_course(&mut self, seconds: u32) {
        self.course = Some(Box::new(SymptomCourse::new(seconds)));
    }

    /// What was lost in them, with transfers that go on.
    pub(crate) fn course(&self) -> SymptomCourse {
        let mut course = self.course.as_deref().cloned().unwrap_or_default();
        if self.course.is_some() {
            let course = Some(&mut course);
            self.files.open(&self.thresholds, course, &mut |_, _| {});
        }
        course
    }

    pub(crate) fn judge_by(&mut self, thresholds: Thresholds) {
        self.thresholds = thresholds;
    }

    /// What was lost in the last seconds, where that is kept.
    #[inline]
    pub(crate) fn course_mut(&mut self) -> Option<&mut SymptomCourse> {
        self.course.as_deref_mut()
    }

    /// Whether that is kept.
    pub(crate) fn keeps_course(&self) -> bool {
        self.course.is_some()
    }

    /// Rows dropped because there were too many.
    pub(crate) fn evicted(&self) -> u64 {
        self.services.evicted()
    }

    /// What was lost to fixed bounds.
    pub(crate) fn hits(&self) -> Hits {
        let others = [&self.breaks.hits, &self.files.hits];
        others.into_iter().fold(self.hits, Hits::and)
    }

    /// The capture missed what one of this pair sent.
    pub(crate) fn missed(&mut self, pair: TablePlace) {
        self.pairs.of(pair).missed = true;
    }

    /// Data between two stations was retransmitted, or overtaken: `pairs` are that of the sender as client, and
    /// as server, as far as there are such.
    #[cold]
    pub(crate) fn noticed(&mut self, pairs: [TablePlace; 2], notice: &Notice) {
        let (from, to) = (&notice.from, &notice.to);
        let known = pairs.map(|pair| self.pairs.known(pair).is_some());
        let (pair, ends) = match known {
            [true, _] => (pairs[0], (from, to)),
            [false, true] => (pairs[1], (to, from)),
            [false, false] => return,
        };
        let Some(pair) = self.pairs.known(pair) else {
            return;
        };
        let mut page = pair.page(ends, self.course.as_deref_mut());
        match notice.what {
            Noticed::Resent { after_ns } => repeats::resent(&mut page, notice.mark, after_ns),
            _ => page.hit(&repeats::OVERTAKEN, &Sight::at(notice.mark)),
        }
    }

    /// Somebody waits for a request.
    #[inline(always)]
    pub(crate) fn begins(&mut self, wait: &impl NewWait) {
        let Some(pair) = self.pairs.still(wait.places().pair) else {
            return;
        };
        let waiting = &mut pair.waiting;
        if let Some((_, next)) = waiting.back_mut() {
            next.get_or_insert(wait.began());
            pair.overlaps = true;
        }
        if waiting.len() >= WAITING {
            waiting.pop_front();
            pair.crowded = true;
        }
        waiting.push_back((wait.number(), None));
    }

    /// Nobody waits for this request any more.
    pub(crate) fn ends(
        &mut self,
        wait: Wait<'_>,
        at: Timestamp,
        outstanding: Option<&Outstanding>,
    ) {
        let Case {
            transaction: t,
            parties,
        } = wait.case;
        let number = t.number;
        if self.held_ns > 0 {
            self.keeps_held(number);
        }
        if wait.anyone && t.kind == Kind::Session {
            self.asked_for(number, wait.repeated.map_or(0, |at| at.since(wait.began)));
        }
        let mut pair = self.pairs.still(parties.pair);
        let next = pair.as_mut().and_then(|pair| pair.waits_no_longer(number));
        if t.response.is_none() {
            // A client that asks for the next thing has given this one up, or waits for both.
            let end = next.map_or(at, |next| next.clamp(wait.began, at.max(wait.began)));
            let ended = (number, end.since(wait.began), end);
            self.ended = Some(ended);
            if let (false, Some(pair)) = (wait.anyone, &mut pair) {
                pair.gives_up(ended, &mut self.hits);
            }
        }
        let (Some(outstanding), false) = (outstanding, wait.anyone) else {
            return;
        };
        if let (Some(look), Some(pair)) = (repeats::lost(t, outstanding), pair) {
            pair.answer_resent(t, &look, self.course.as_deref_mut(), &mut self.hits);
        }
    }

    /// The response was retransmitted after it was complete, or the request before it was seen.
    pub(crate) fn lost(&mut self, wait: Wait<'_>, at: Timestamp) {
        let pair = self.pairs.still(wait.case.parties.pair);
        if let (Some(look), Some(pair)) = (repeats::lost_behind(wait, at), pair) {
            let t = wait.case.transaction;
            pair.answer_resent(t, &look, self.course.as_deref_mut(), &mut self.hits);
        }
    }

    /// The client aborted the connection at `at` while it waited for a response.
    #[cold]
    pub(crate) fn abandoned(&mut self, wait: Wait<'_>, at: Mark) {
        let Case {
            transaction: t,
            parties,
        } = wait.case;
        let Some(sight) = sessions::abandoned(wait, at, &self.thresholds) else {
            return;
        };
        if let Some(pair) = self.pairs.still(parties.pair) {
            let mut page = pair.page(between(t), self.course.as_deref_mut());
            page.hit(&sessions::ABANDONED, &sight);
            page.word(&sessions::ABANDONED, t.operation.name);
        }
    }

    /// The server reset the connection at `at`, which its client used.
    #[cold]
    pub(crate) fn cut_off(&mut self, wait: Wait<'_>, at: Mark, cut: CutOff) {
        let Case {
            transaction: t,
            parties,
        } = wait.case;
        let Some(look) = sessions::cut_off(wait, at, cut, &self.thresholds) else {
            return;
        };
        if let Some(pair) = self.pairs.still(parties.pair) {
            let mut page = pair.page(between(t), self.course.as_deref_mut());
            page.look(&sessions::RESET, &look);
            if let WatcherLook::For(_) = look {
                page.word(&sessions::RESET, t.operation.name);
            }
        }
    }

    /// A transaction is closed, which took so long if it was answered.
    pub(crate) fn closed(&mut self, case: Case<'_>, took: Option<&LineTimes>) {
        let Case {
            transaction: t,
            parties,
        } = case;
        // Who is asked at such an address may be everyone; who answered from there is one.
        let asked_all =
            t.response.is_none() && (t.everyone || is_group(&t.server) || may_be_group(&t.server));
        let lookup = self.lookup(t);
        if let (Some(repeated_ns), true, None) = (lookup, t.everyone, t.response) {
            if !parties.pair.is_nowhere() || self.course.is_some() {
                let pair = self.pairs.of(parties.pair);
                let mut page = pair.page(between(t), self.course.as_deref_mut());
                sessions::absent(t, repeated_ns, &mut page);
            }
            return;
        }
        if t.outcome == Outcome::OrphanResponse || asked_all {
            return;
        }
        if self.services.has_recent() {
            self.server_waited(t);
        }
        let thresholds = &self.thresholds;
        if parties.pair.is_nowhere() && self.course.is_none() {
            // Nobody reads what would be noted of it.
            if lookup.is_none() {
                self.breaks.closed(case, thresholds);
            }
            return;
        }
        let pair = self.pairs.of(parties.pair);
        let PairEvidence {
            book,
            silence,
            reads,
            resent,
            forgotten,
            rhythm,
            overlaps,
            given_up,
            ..
        } = pair;
        let (client, server) = between(t);
        let mut page = Page {
            book,
            of: Whom::Pair { client, server },
            course: self.course.as_deref_mut(),
        };
        if let Some(repeated_ns) = lookup {
            sessions::lookup(t, repeated_ns, &mut page);
            return;
        }
        let given_ns = self.breaks.closed(case, thresholds);
        // Or for an acknowledgement.
        let mut held_ns = 0;
        if !self.held.is_empty()
            && let Some(at) = self.held.iter().position(|(number, _)| *number == t.number)
        {
            held_ns = self.held.remove(at).map_or(0, |(_, ns)| ns);
        }
        let behind_ns = given_ns.max(held_ns);
        let mut counted = None;
        if !resent.is_empty() {
            counted = resent.iter().position(|number| *number == t.number);
        }
        match counted.and_then(|at| resent.remove(at)) {
            Some(_) => {}
            None => page.count(Base::Requests, u64::from(is_request(t))),
        }
        if let Some(own) = count(page.book, t, thresholds)
            && let Some(sight) = answers::turnaround(t)
        {
            // The server only waited as well.
            let own = own.saturating_sub(behind_ns).max(0);
            let sight = sight.costing(own);
            match *overlaps {
                true => page.hit(&answers::SLOW_SERVER, &sight),
                false => page.hit_one_by_one(&answers::SLOW_SERVER, &sight),
            }
            if own >= thresholds.ns(Threshold::FluctuationLeast) {
                let rhythm = rhythm.get_or_insert_default();
                rhythm.late(
                    (page.book.of(Base::Timed), own),
                    t.operation,
                    &sight,
                    *overlaps,
                );
            } else if let Some(rhythm) = rhythm {
                rhythm.in_time(t.operation);
            }
        }
        let mut waited = self.ended.filter(|(number, ..)| *number == t.number);
        if !given_up.is_empty() {
            let known = given_up.iter().position(|(number, ..)| *number == t.number);
            waited = known.and_then(|at| given_up.remove(at)).or(waited);
        }
        let mut witness = Witness {
            t,
            thresholds,
            waited: waited.map(|(_, ns, until)| (ns, until)),
            behind_ns,
            behind: match held_ns > given_ns {
                true => Against::Acknowledgement,
                false => Against::Break,
            },
            page: &mut page,
        };
        witness.look(answers::OF_ANY);
        let mut behind_break = given_ns > 0;
        if !is_ordinary(t) {
            // What its client asked next is not known.
            if t.outcome == Outcome::Unanswered && *forgotten == Some(t.number) {
                self.hits.hit(Bound::Waiting);
            }
            if t.flags.contains(Flags::OPEN_AT_END) {
                behind_break = true;
                self.open_until = witness.waited.map(|(_, end)| end);
            }
            if t.kind != Kind::Break || !self.breaks.is_told(t) {
                witness.look_on();
            }
        }
        // Repetitions count when they are noticed.
        let data = [t.frames.request, t.frames.response];
        page.count(Base::Frames, data.into_iter().map(u64::from).sum());
        silence.closed(t, &mut page, thresholds);
        if let Some(took) = took {
            reads.closed(t, took);
        }
        self.files.closed(case, thresholds, &mut page);
        if behind_break {
            self.waited_for_break(case);
        }
    }

    /// This transaction waited for what the server took back, or may have, until the capture ended. If who holds it did not
    /// acknowledge it until the server gave up, or the capture ended, that is said of the holder.
    #[cold]
    #[inline(never)]
    fn waited_for_break(&mut self, case: Case<'_>) {
        let open_until = self.open_until.take();
        let given_back = self.breaks.awaited(case);
        if let Some(given) = &given_back
            && given.of.ns() >= self.thresholds.ns(Threshold::BreakWait)
        {
            let t = case.transaction;
            let pair = self.pairs.of(case.parties.pair);
            let mut page = pair.page(between(t), self.course.as_deref_mut());
            let sight = Sight::between(given.of.from, given.of.to).costing(given.of.ns());
            page.hit(&clients::BREAK_WAIT, &sight);
            page.word(&clients::BREAK_WAIT, given.word);
        }
        let given_up = given_back.filter(|given| given.in_vain);
        let at_end = |end| self.breaks.awaited_at_end(case, end, &self.thresholds);
        let Some(late) = given_up.or_else(|| open_until.and_then(at_end)) else {
            return;
        };
        if !self.breaks.tells(&late) {
            return;
        }
        if let Some(pair) = self.pairs.still(late.pair) {
            let ends = (&late.holder, &late.of.server);
            let mut page = pair.page(ends, self.course.as_deref_mut());
            page.hit(&clients::SLOW_BREAK, &Sight::at(late.of.from));
            page.word(&clients::SLOW_BREAK, late.word);
        }
    }

    /// The response whose wait ends next waited as a whole for an acknowledgement for so long, ns.
    #[cold]
    pub(crate) fn held(&mut self, ns: u64) {
        self.held_ns = self.held_ns.max(i64::try_from(ns).unwrap_or(i64::MAX));
    }

    /// This transaction is that response's.
    #[cold]
    fn keeps_held(&mut self, number: u64) {
        if self.held.len() >= HELD {
            self.hits.hit(Bound::Stalls);
            self.held.pop_front();
        }
        self.held
            .push_back((number, std::mem::take(&mut self.held_ns)));
    }

    /// A name request was repeated for so long, ns. Where it was refused in between, its waits come one by one.
    fn asked_for(&mut self, number: u64, repeated_ns: i64) {
        if let Some((_, known)) = self.lookups.iter_mut().find(|(known, _)| *known == number) {
            *known = known.saturating_add(repeated_ns);
            return;
        }
        if self.lookups.len() >= LOOKUPS {
            self.hits.hit(Bound::Lookups);
            self.lookups.pop_front();
        }
        self.lookups.push_back((number, repeated_ns));
    }

    /// For how long it was repeated, ns, if it is a name request that any server may answer; forgets
    /// it.
    fn lookup(&mut self, t: &Transaction) -> Option<i64> {
        if self.lookups.is_empty() {
            return None;
        }
        let known = self
            .lookups
            .iter()
            .position(|(number, _)| *number == t.number);
        let (_, repeated_ns) = self.lookups.remove(known?)?;
        Some(repeated_ns)
    }

    /// A server wants a promise back.
    #[cold]
    pub(crate) fn took_back(&mut self, case: Case<'_>) {
        self.breaks.took_back(case);
    }

    /// A client gave a promise back.
    #[cold]
    pub(crate) fn gave_back(&mut self, case: Case<'_>) {
        self.breaks.gave_back(case);
    }

    /// For which of them this transaction waited.
    #[inline]
    pub(crate) fn awaited(&self, case: Case<'_>) -> Option<GivenBack> {
        self.breaks.awaited(case)
    }
}

/// Counts of what else a transaction is one; its own turnaround, ns.
fn count(book: &mut Book, t: &Transaction, thresholds: &Thresholds) -> Option<i64> {
    if !is_request(t) || t.kind == Kind::Session {
        return None;
    }
    book.count(Base::Work, 1);
    let own = answers::own_at_least(t, thresholds);
    if own.is_some() {
        book.count(Base::Timed, 1);
        book.count(Base::Queued, u64::from(t.flags.contains(Flags::PIPELINED)));
    } else if answers::guessed(t) {
        book.count(Base::Unreadable, u64::from(t.response.is_some()));
    }
    match t.kind {
        Kind::Open => book.count(Base::Opens, u64::from(t.outcome == Outcome::Answered)),
        Kind::Read if t.flags.contains(Flags::RAW) => book.count(Base::Raw, 1),
        _ => {}
    }
    own
}

/// Whether it may stand for all stations of a network: how large that is no frame tells.
fn may_be_group(end: &Endpoint) -> bool {
    matches!(end.address, Address::V4([_, _, _, 255]))
}
