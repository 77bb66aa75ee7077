//! Symptoms: what is known to be wrong with file service, looked for while frames and
//! transactions go by, and judged when the figures are asked for.
//!
//! A rule says of whom something is counted, of what it is a share, and from where on it is
//! a symptom. What looks like it but has another reason (a wait by design, a capture of one
//! direction) is counted against it: where only both together cross the threshold it is
//! withdrawn, and says why. Each has a cost, the time that somebody lost by it, and the
//! frames that show it.

mod announced;
mod answers;
mod clients;
mod course;
mod evidence;
mod files;
mod frames;
mod links;
mod page;
mod repeats;
mod rhythm;
mod rows;
mod rule;
mod segment;
mod sessions;
mod thresholds;

#[cfg(test)]
pub(crate) mod testing;

use crate::account::Outstanding;
use crate::bounds::{Bound, Hits};
use crate::case::{Case, Wait};
use crate::column::Column;
use crate::parties::Directory;
use crate::stalls::GivenBack;
use crate::table::TablePlace;
use crate::{Flags, Mark, Notice, Noticed, Outcome, ServerRow, Transaction};
use clients::Breaks;
use evidence::Book;
use files::Files;
use page::{Page, Whom};
use std::collections::{BTreeMap, VecDeque};
use wirewait_wire::{Address, Endpoint, Kind, Timestamp};

pub(crate) use frames::FrameWatch;

pub use course::{Losses, Lost, SymptomCourse};
pub use evidence::{Against, Base, Sight, Sights};
pub use rule::{Limit, Rule, Severity, State, Subject, Symptom, Whose};
pub use thresholds::{Threshold, Thresholds};

/// All rules. A new one is a line here, and the function that gathers for it.
pub static RULES: &[&Rule] = &[
    &answers::SERVER_BUSY,
    &answers::SLOW_ANSWERS,
    &answers::SLOW_SERVER,
    &answers::UNANSWERED,
    &answers::NO_RESPONSE,
    &answers::ONE_WAY,
    &answers::DENIED,
    &repeats::REQUEST_REPEATED,
    &repeats::TOO_MANY_REPEATS,
    &repeats::NOT_RESPONDING,
    &repeats::IMPATIENT,
    &repeats::ANSWER_RESENT,
    &repeats::TOO_MANY_RESENT,
    &repeats::OVERTAKEN,
    &files::LOOP,
    &files::OVERLAP,
    &files::SMALL_READS,
    &files::SLOW_TRANSFER,
    &files::RAW_DENIED,
    &sessions::LOGON_REFUSED,
    &sessions::SLOW_CONNECT,
    &sessions::NO_CONNECT,
    &sessions::LOOKUPS,
    &sessions::ABSENT_NAMES,
    &sessions::ABANDONED,
    &clients::BREAK_WAIT,
    &clients::SLOW_BREAK,
    &clients::QUEUEING,
    &clients::FLUCTUATION,
    &rhythm::REGULAR,
    &clients::STARVING,
    &links::ACK_WAIT,
    &links::LATE_ACKS,
    &links::RECEIVER_BUSY,
    &links::FROZEN_WINDOW,
    &links::REJECTS,
    &links::POLL_UNANSWERED,
    &links::NOT_ACKNOWLEDGED,
    &links::TIMED_OUT,
    &links::NOT_CONNECTED,
    &links::REFUSED,
    &links::LATE_CONNECT,
    &segment::STORM,
    &segment::GROUP_MESSAGES,
    &segment::DUPLICATE_ADDRESS,
    &segment::ILLEGAL_SOURCE,
    &announced::MISSED,
];

/// Those that are found in sums when they are asked for: no moment is one at which they cost
/// something.
static UNDATED: &[&Rule] = &[&clients::FLUCTUATION, &rhythm::REGULAR, &clients::STARVING];

/// Requests of a pair that are remembered from the retransmission of their response until they are
/// closed. One beyond counts once more among all requests.
const RESENT: usize = 256;
/// Requests of a pair that are remembered while somebody waits for them.
const WAITING: usize = 256;
/// Questions to a name service that are remembered until they are closed.
const LOOKUPS: usize = 256;

/// Judgements that are kept; those that cost most.
const KEPT: usize = 1000;

/// Everything that was looked for and seen at least once.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Symptoms {
    /// What the thresholds stood at.
    pub thresholds: Thresholds,
    /// Raised ones first, by cost; then those that were withdrawn, and those below their
    /// thresholds.
    pub found: Vec<Symptom>,
    /// Further ones that did not find room.
    pub more: u64,
}

impl Symptoms {
    /// Those that are symptoms, the most expensive first.
    pub fn raised(&self) -> impl Iterator<Item = &Symptom> {
        self.found.iter().filter(|s| s.state == State::Raised)
    }
}

/// What a look at a transaction finds, for one rule.
enum WatcherLook {
    For(Sight),
    Against(Against, Sight),
}

/// A rule that is decided transaction by transaction.
struct Watcher {
    rule: &'static Rule,
    look: fn(&Transaction, &Thresholds) -> Option<WatcherLook>,
    /// What to remember of each: its operation, or how it ended.
    word: fn(&Transaction) -> Option<&'static str>,
}

/// Asked once and answered once, with success and without a word in between, by a server that
/// did nothing else: as nearly all are.
fn is_ordinary(t: &Transaction) -> bool {
    t.outcome == Outcome::Answered
        && t.copies == 1
        && t.first_interim.is_none()
        && t.status
            .is_none_or(|status| !status.failure && (status.ok || t.kind != Kind::Lock))
        && !t.flags.contains(Flags::PIPELINED)
        && !matches!(t.kind, Kind::Session | Kind::Break)
}

fn operation(t: &Transaction) -> Option<&'static str> {
    Some(t.operation.name).filter(|name| !name.is_empty())
}

fn status(t: &Transaction) -> Option<&'static str> {
    t.status.and_then(|status| status.name)
}

/// Those that find nothing in what [is ordinary](is_ordinary).
static WATCHERS: &[&[Watcher]] = &[
    answers::WATCHERS,
    repeats::WATCHERS,
    sessions::WATCHERS,
    clients::WATCHERS,
];

/// One client at one server.
#[derive(Debug, Default)]
struct PairEvidence {
    book: Book,
    silence: answers::Silence,
    /// The capture missed what one of them said.
    missed: bool,
    /// Requests that somebody waits for, and when the next one behind each was asked.
    waiting: VecDeque<(u64, Option<Timestamp>)>,
    /// Two of them were outstanding at once: what they cost may be the same moments.
    overlaps: bool,
    /// Requests without a response that nobody waits for any more, and are not closed: for how long somebody did,
    /// ns, and until when.
    given_up: VecDeque<(u64, i64, Timestamp)>,
    /// Some of them are forgotten, and which of those somebody waited for last.
    crowded: bool,
    forgotten: Option<u64>,
    /// Open requests whose response was retransmitted: they are counted already.
    resent: VecDeque<u64>,
    reads: clients::Mean,
    /// Of those with late responses.
    rhythm: Option<Box<rhythm::Rhythm>>,
}

/// Looks for symptoms in requests.
pub(crate) struct Watch {
    thresholds: Thresholds,
    pairs: Column<PairEvidence>,
    breaks: Breaks,
    files: Files,
    /// The transaction whose wait ended last, how long it was, and when that was.
    ended: Option<(u64, i64, Timestamp)>,
    /// Name requests that any server may answer, until they are closed; from the first to the last
    /// copy of each, ns.
    lookups: VecDeque<(u64, i64)>,
    /// Cost of symptoms by the second, for live views.
    course: Option<Box<SymptomCourse>>,
    hits: Hits,
}

impl Watch {
    pub(crate) fn new() -> Self {
        Self {
            thresholds: Thresholds::default(),
            pairs: Column::new(),
            breaks: Breaks::default(),
            files: Files::new(),
            ended: None,
            lookups: VecDeque::new(),
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
    pub(crate) fn begins(&mut self, wait: Wait<'_>) {
        let Some(pair) = self.pairs.still(wait.case.parties.pair) else {
            return;
        };
        let waiting = &mut pair.waiting;
        if let Some((_, next)) = waiting.back_mut() {
            next.get_or_insert(wait.began);
            pair.overlaps = true;
        }
        if waiting.len() >= WAITING {
            waiting.pop_front();
            pair.crowded = true;
        }
        waiting.push_back((wait.case.transaction.number, None));
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
        if wait.anyone && t.kind == Kind::Session {
            self.asked_for(number, wait.repeated.map_or(0, |at| at.since(wait.began)));
        }
        let mut pair = self.pairs.still(parties.pair);
        let next = pair.as_mut().and_then(|pair| pair.waits_no_longer(number));
        // Whoever asks for the next thing has given this one up, or waits for both.
        let end = next.map_or(at, |next| next.clamp(wait.began, at.max(wait.began)));
        let ended = (number, end.since(wait.began), end);
        self.ended = Some(ended);
        if t.response.is_none()
            && !wait.anyone
            && let Some(pair) = &mut pair
        {
            pair.gives_up(ended, &mut self.hits);
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

    /// A transaction is closed.
    pub(crate) fn closed(&mut self, case: Case<'_>) {
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
        let given_back = self.breaks.closed(case, thresholds);
        let behind_ns = given_back.map_or(0, |given| given.ns());
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
            page: &mut page,
        };
        witness.look(answers::OF_ANY);
        if !is_ordinary(t) {
            // What its client asked next is not known.
            if t.outcome == Outcome::Unanswered && *forgotten == Some(t.number) {
                self.hits.hit(Bound::Waiting);
            }
            witness.look_on();
        }
        if let Some(given) = given_back.filter(|_| behind_ns >= thresholds.ns(Threshold::BreakWait))
        {
            let sight = Sight::between(given.from, given.to).costing(behind_ns);
            page.hit(&clients::BREAK_WAIT, &sight);
        }
        // Repetitions count when they are noticed.
        let data = [t.frames.request, t.frames.response];
        page.count(Base::Frames, data.into_iter().map(u64::from).sum());
        silence.closed(t, &mut page, thresholds);
        reads.closed(t);
        self.files.closed(case, thresholds, &mut page);
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

    /// Judges all that was gathered. `rows` are the figures by server and operation, `varied` is how much longer
    /// the ways to servers were than the shortest, and `last` is when the capture ended.
    pub(crate) fn judge(
        &self,
        frames: &FrameWatch,
        directory: &Directory,
        (rows, varied): (&[ServerRow], &BTreeMap<Endpoint, u64>),
        last: Option<Timestamp>,
    ) -> Symptoms {
        let mut found = Vec::new();
        let mut judge = |subject: Subject, book: &Book, whose: Whose| {
            let rules = book.rules().filter(|rule| rule.whose == whose);
            found.extend(
                rules.filter_map(|rule| rule::judge(rule, subject, book, &self.thresholds)),
            );
        };
        let mut open: BTreeMap<(Endpoint, Endpoint), Book> = BTreeMap::new();
        self.files
            .open(&self.thresholds, None, &mut |between, book| {
                open.entry(between).or_default().join(book);
            });
        let mut servers: BTreeMap<Endpoint, Book> = BTreeMap::new();
        let mut clients: BTreeMap<Endpoint, Book> = BTreeMap::new();
        let known = |(place, pair)| Some((directory.pair(place)?, pair));
        for ((client, server), pair) in self.pairs.iter().filter_map(known) {
            let mut book = pair.book.clone();
            if pair.missed {
                answers::doubt(&mut book);
            }
            if let Some(further) = open.get(&(client, server)) {
                book.join(further);
            }
            if book.of(Base::Work) == 0 {
                // A client that was refused got in nowhere else.
                book.uphold(&sessions::LOGON_REFUSED, Against::OtherDoor);
            }
            judge(Subject::Pair { client, server }, &book, Whose::Pair);
            servers.entry(server).or_default().join(&book);
            clients.entry(client).or_default().join(&book);
        }
        for (server, book) in &servers {
            judge(Subject::Server(*server), book, Whose::Server);
        }
        for (client, book) in &clients {
            judge(Subject::Client(*client), book, Whose::Client);
        }
        let mut own: BTreeMap<Subject, Book> = BTreeMap::new();
        let mut gather = |subject: Subject, book: &Book| own.entry(subject).or_default().join(book);
        frames.books(last, &mut gather);
        let pairs = self.pairs.iter().filter_map(known);
        let pairs = pairs.map(|(ends, pair)| (ends, pair.reads));
        clients::starving(pairs, &self.thresholds, &mut gather);
        let pairs = self.pairs.iter().filter_map(known);
        let pairs =
            pairs.filter_map(|(ends, pair)| Some((ends, (pair.rhythm.as_deref()?, &pair.book))));
        rhythm::regular(pairs, &self.thresholds, &mut gather);
        clients::fluctuating((rows, varied), &servers, &self.thresholds, &mut gather);
        for (subject, book) in &own {
            judge(*subject, book, Whose::Own);
        }
        cover(&mut found);
        found.sort_by_cached_key(Symptom::rank);
        let more = found.len().saturating_sub(KEPT) as u64;
        found.truncate(KEPT);
        Symptoms {
            thresholds: self.thresholds,
            found,
            more,
        }
    }
}

/// What watchers see of one transaction, and where they write it down.
struct Witness<'a, 'b> {
    t: &'a Transaction,
    thresholds: &'a Thresholds,
    /// How long somebody waited for it, and until when, if the wait ended just now.
    waited: Option<(i64, Timestamp)>,
    /// How long it waited for another client to give something back, ns.
    behind_ns: i64,
    page: &'a mut Page<'b>,
}

impl Witness<'_, '_> {
    // Part of what each transaction goes through: which ones look is known there.
    #[inline(always)]
    fn look(&mut self, watchers: &[Watcher]) {
        let t = self.t;
        for watcher in watchers {
            let rule = watcher.rule;
            // By reference: to copy what was written just now would wait until it is stored.
            match &(watcher.look)(t, self.thresholds) {
                None => {}
                Some(WatcherLook::For(sight)) if self.behind_ns > 0 && answers::is_server(rule) => {
                    self.behind(watcher, sight);
                }
                Some(WatcherLook::For(sight)) => {
                    let given_up = self.waited.filter(|_| t.outcome == Outcome::Unanswered);
                    match given_up {
                        Some((ns, until)) => {
                            self.page.hit(rule, &sight.costing(ns).until(until));
                        }
                        None => self.page.hit(rule, sight),
                    }
                    if let Some(word) = (watcher.word)(t) {
                        self.page.word(rule, word);
                    }
                }
                Some(WatcherLook::Against(why, sight)) => self.page.oppose(rule, *why, sight),
            }
        }
    }
}

impl Witness<'_, '_> {
    /// All that look only at what is not [ordinary](is_ordinary).
    #[inline(never)]
    fn look_on(&mut self) {
        WATCHERS.iter().for_each(|watchers| self.look(watchers));
    }

    /// What the server seems to have taken for a transaction contains what a client took to give something back.
    #[cold]
    fn behind(&mut self, watcher: &Watcher, sight: &Sight) {
        let behind = self.behind_ns.unsigned_abs();
        let rest = sight.cost_ns.saturating_sub(behind);
        let least = match std::ptr::eq(watcher.rule, &answers::SERVER_BUSY) {
            true => self.thresholds.ns(Threshold::BusyLeast).unsigned_abs(),
            false => 1,
        };
        if rest < least {
            self.page.oppose(watcher.rule, Against::Break, sight);
            return;
        }
        let own = Sight {
            cost_ns: rest,
            ..*sight
        };
        self.page.hit(watcher.rule, &own);
        if let Some(word) = (watcher.word)(self.t) {
            self.page.word(watcher.rule, word);
        }
    }
}

impl PairEvidence {
    /// Nobody waits for this request any more. When the next one began since, if one did.
    fn waits_no_longer(&mut self, number: u64) -> Option<Timestamp> {
        let waiting = &mut self.waiting;
        let found = match waiting.front() {
            Some((oldest, _)) if *oldest == number => waiting.pop_front(),
            _ => {
                let known = waiting.iter().position(|(other, _)| *other == number);
                if known.is_none() && self.crowded {
                    self.forgotten = Some(number);
                }
                known.and_then(|place| waiting.remove(place))
            }
        };
        found.and_then(|(_, next)| next)
    }

    /// Nobody waits any more for a request without a response.
    #[cold]
    fn gives_up(&mut self, ended: (u64, i64, Timestamp), hits: &mut Hits) {
        if self.given_up.len() >= WAITING {
            hits.hit(Bound::Waiting);
            self.given_up.pop_front();
        }
        self.given_up.push_back(ended);
    }

    fn page<'a>(
        &'a mut self,
        (client, server): (&'a Endpoint, &'a Endpoint),
        course: Option<&'a mut SymptomCourse>,
    ) -> Page<'a> {
        Page {
            book: &mut self.book,
            of: Whom::Pair { client, server },
            course,
        }
    }

    /// The response to an open request was retransmitted, perhaps not for the first time. First
    /// evidence counts the request now, and not again when it is closed.
    fn answer_resent(
        &mut self,
        t: &Transaction,
        look: &WatcherLook,
        course: Option<&mut SymptomCourse>,
        hits: &mut Hits,
    ) {
        let again = self.resent.contains(&t.number);
        if !again && matches!(look, WatcherLook::For(_)) {
            if self.resent.len() >= RESENT {
                hits.hit(Bound::Resent);
                self.resent.pop_front();
            }
            self.resent.push_back(t.number);
            self.book.count(Base::Requests, 1);
        }
        let mut page = self.page(between(t), course);
        match look {
            WatcherLook::For(sight) if again => page.goes_on(&repeats::ANSWER_RESENT, sight),
            _ => page.look(&repeats::ANSWER_RESENT, look),
        }
    }
}

fn between(t: &Transaction) -> (&Endpoint, &Endpoint) {
    (&t.client, &t.server)
}

/// What a graver symptom of the same subject says already is not said twice.
fn cover(found: &mut [Symptom]) {
    let graver: Vec<(&'static Rule, Subject)> = found
        .iter()
        .filter(|s| s.state == State::Raised && !s.rule.covers.is_empty())
        .map(|s| (s.rule, s.subject))
        .collect();
    for symptom in found.iter_mut().filter(|s| s.state == State::Raised) {
        let by = graver.iter().find(|(rule, subject)| {
            *subject == symptom.subject && rule.covers.contains(&symptom.rule.id)
        });
        if let Some((rule, _)) = by {
            symptom.state = State::Covered(rule.id);
        }
    }
}

/// Whether it is one of [`Base::Requests`].
fn is_request(t: &Transaction) -> bool {
    !matches!(t.kind, Kind::Wait | Kind::Break)
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
    }
    if t.kind == Kind::Read && t.flags.contains(Flags::RAW) {
        book.count(Base::Raw, 1);
    }
    own
}

/// Whether an address stands for several stations.
pub(super) fn is_group(end: &Endpoint) -> bool {
    match end.address {
        Address::None | Address::Decnet(_) => false,
        Address::Mac(mac) => mac[0] & 1 != 0,
        Address::V4(address) => address[0] >= 224,
        Address::V6(address) => address[0] == 0xff,
        Address::Node { node, .. } => node == [0xff; 6],
    }
}

/// Whether it may stand for all stations of a network: how large that is no frame tells.
fn may_be_group(end: &Endpoint) -> bool {
    matches!(end.address, Address::V4([_, _, _, 255]))
}

#[cfg(test)]
mod tests {
    use super::testing::{failed, mark, transaction};
    use super::*;
    use crate::Turnaround;

    /// All that a watcher looks at, each by itself and two at a time.
    fn changes() -> Vec<fn(&mut Transaction)> {
        vec![
            |_| {},
            |t| t.copies = 9,
            |t| t.first_interim = Some(mark(1, 1)),
            |t| t.status = failed("DENIED"),
            |t| t.flags.set(Flags::PIPELINED),
            |t| t.flags.set(Flags::CAPTURE_LOSS),
            |t| t.flags.set(Flags::ENCRYPTED),
            |t| t.duplicate_responses = 2,
            |t| t.turnaround = Turnaround::Between(1, 5_000_000_000),
            |t| t.outcome = Outcome::Cancelled,
            |t| (t.outcome, t.response) = (Outcome::Unanswered, None),
        ]
    }

    #[test]
    fn in_what_is_ordinary_only_those_that_look_at_times_find_something() {
        let thresholds = Thresholds::default();
        let kinds = [
            Kind::Read,
            Kind::Write,
            Kind::Open,
            Kind::Close,
            Kind::Session,
            Kind::Wait,
            Kind::Break,
            Kind::Transaction,
        ];
        let (mut ordinary, mut found) = (0, 0);
        for kind in kinds {
            for one in changes() {
                for other in changes() {
                    let mut t = transaction(1, kind, 10, 9000);
                    one(&mut t);
                    other(&mut t);
                    let quiet = is_ordinary(&t);
                    ordinary += u32::from(quiet);
                    for watcher in WATCHERS.iter().copied().flatten() {
                        let look = (watcher.look)(&t, &thresholds);
                        found += u32::from(look.is_some());
                        let id = watcher.rule.id;
                        assert!(look.is_none() || !quiet, "{id}: {t:?}");
                    }
                }
            }
        }
        assert!(ordinary > 10 && found > 10);
    }
}
