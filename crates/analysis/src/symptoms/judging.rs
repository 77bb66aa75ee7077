//! What was gathered, judged.

use super::evidence::{Against, Base, Book};
use super::rule::{self, Rule, State, Subject, Symptom, Whose};
use super::watch::Watch;
use super::{FrameWatch, Symptoms, answers, clients, rhythm, sessions};
use crate::ServerRow;
use crate::parties::Directory;
use std::collections::BTreeMap;
use wirewait_wire::{Endpoint, Timestamp};

/// Judgements that are kept; those that cost most.
const KEPT: usize = 1000;

impl Watch {
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
                open.entry(between).or_default().join_of_client(book);
            });
        let mut servers: BTreeMap<Endpoint, Book> = BTreeMap::new();
        let mut clients: BTreeMap<Endpoint, Book> = BTreeMap::new();
        let known = |(place, pair)| Some((directory.pair(place)?, pair));
        let mut unreadable = 0;
        for ((client, server), pair) in self.pairs.iter().filter_map(known) {
            let mut book = pair.book.clone();
            unreadable += book.of(Base::Unreadable);
            if pair.missed {
                answers::doubt(&mut book);
            }
            if let Some(further) = open.get(&(client, server)) {
                book.join_of_client(further);
            }
            if book.of(Base::Work) == 0 {
                // A client that was refused got in nowhere else.
                book.uphold(&sessions::LOGON_REFUSED, Against::OtherDoor);
            }
            judge(Subject::Pair { client, server }, &book, Whose::Pair);
            servers.entry(server).or_default().join(&book);
            clients.entry(client).or_default().join_of_client(&book);
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
        for ((client, server), book) in self.services.books() {
            let (client, server) = (*client, *server);
            gather(Subject::Pair { client, server }, book);
        }
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
            unreadable,
        }
    }
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
