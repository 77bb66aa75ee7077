//! Key `symptoms`.

use crate::about::About;
use crate::document::{documents, of};
use crate::symptoms::Entry;
use crate::time::Rfc3339;
use std::collections::BTreeMap;
use std::sync::Arc;
use wirewait_analysis::{
    Limit, Sight, Sights, Snapshot, State, Subject, Symptom, Threshold, Thresholds, WindowLimit,
};

documents! {
    /// What is wrong, raised ones first, by cost, those outside the active time last; with those that were withdrawn or stay below
    /// their thresholds.
    pub(super) struct Symptoms<'a> of about, snapshot: (&'a About, &Snapshot)
    where
        let all = &snapshot.symptoms;
        let said = |id: &'static str| Some((id, of(about.texts.of(id)?)));
    {
        /// How many are raised.
        raised: u64 = all.raised().count() as u64,
        /// All of them, with what opposes them.
        found: Vec<One> = all.found.iter().map(|symptom| of((symptom, &all.thresholds))).collect(),
        /// Further ones that did not find room.
        more: u64 = all.more,
        /// Encrypted requests whose response times are not judged: they may be waits by design, and what they ask is not readable.
        unreadable: u64 = all.unreadable,
        /// What all thresholds stood at; units are in their names.
        thresholds: BTreeMap<&'static str, u64> =
            Threshold::ALL.iter().map(|t| (t.name(), all.thresholds.get(*t))).collect(),
        /// What is said about those that were found.
        texts: BTreeMap<&'static str, Said<'a>> =
            all.found.iter().filter_map(|symptom| said(symptom.rule.id)).collect(),
    }

    struct Said<'a> of entry: &'a Entry {
        /// Its title.
        title: &'a str,
        /// What it is, in a sentence.
        description: &'a str,
        /// Possible causes.
        causes: &'a [String],
        /// What to try.
        actions: &'a [String],
    }

    struct One of symptom, thresholds: (&Symptom, &Thresholds)
    where
        let rule = symptom.rule;
        let base = rule.limit.base();
        let is_mean = matches!(rule.limit, Limit::Mean { .. });
        let hits = &symptom.hits;
    {
        /// Name of the rule.
        id: &'static str = rule.id,
        /// `symptom` or `diagnosis`.
        severity: &'static str = rule.severity.name(),
        /// `raised`, `withdrawn`, `covered`, `below` or `too_few`.
        state: &'static str = symptom.state.name(),
        /// Why it was withdrawn, or what says it already.
        reason: Option<&'static str> = match symptom.state {
            State::Withdrawn(why) => Some(why.name()),
            State::Covered(by) => Some(by),
            State::Raised | State::Below | State::TooFew => None,
        },
        /// Whom it concerns.
        subject: Whom,
        /// Time that clients lost by it, ns; 0 where that is not known.
        cost_ns: u64 = hits.cost_ns,
        /// Whether the cost is no part of the active time: name lookups, connections that are not open yet.
        outside_active_time: bool = rule.outside_active_time(),
        /// What is counted, in words.
        counts: &'static str = rule.counts,
        /// How often.
        count: u64 = hits.count,
        /// Of how many, where it is judged by a share or a mean.
        of: Option<u64>,
        /// What those are, in words.
        of_what: Option<&'static str> = base.map(|(base, _)| base.text()),
        /// `count / of`; null where it is no share or `of` is 0.
        share: Option<f64> = symptom
            .of
            .filter(|of| *of > 0 && !is_mean)
            .map(|of| hits.count as f64 / of as f64),
        /// What each cost, added up, by `of`, where that is what is judged.
        mean_ns: Option<u64> =
            symptom.of.filter(|_| is_mean).and_then(|of| hits.total_ns.checked_div(of)),
        /// Name of the threshold that decides.
        threshold: &'static str = rule.limit.threshold().name(),
        /// Its value, in the unit that its name ends with.
        threshold_value: u64 = thresholds.get(rule.limit.threshold()),
        /// How many of `of` there have to be.
        minimum: Option<u64> = base.map(|(_, minimum)| thresholds.get(minimum)),
        /// Where it was seen.
        evidence: Evidence = of(hits),
        /// What the events were mostly, with their counts.
        words: Vec<Word>,
        /// Names that were looked for.
        names: Vec<SoughtName>,
        /// How long it lasted together, where that is no cost; null where nothing is known.
        lasted_ns: Option<u64> = (symptom.lasted_ns > 0).then_some(symptom.lasted_ns),
        /// After how many requests it happens each time; null where it is not regular.
        every: Option<u64>,
        /// How fast the transfer that cost most was, where slow transfers are counted.
        bytes_per_second: Option<u64>,
        /// The receive window that limits transfers most, where that is counted.
        window: Option<LimitingWindow> = symptom.window.as_ref().map(of),
        /// What speaks against it.
        against: Vec<Against>,
    }

    /// Whom it concerns; what does not apply is null.
    struct Whom of subject: &Subject
    where
        let (client, server, station, ends) = match subject {
            Subject::Segment => (None, None, None, None),
            Subject::Server(end) => (None, Some(end), None, None),
            Subject::Client(end) => (Some(end), None, None, None),
            Subject::Station(end) => (None, None, Some(end), None),
            Subject::Pair { client, server } => (Some(client), Some(server), None, None),
            Subject::Conversation(a, b) => (None, None, None, Some([a, b])),
        };
    {
        /// `segment`, `server`, `client`, `station`, `pair` or `conversation`.
        kind: &'static str = subject.kind(),
        /// The client of a pair or alone.
        client: Option<String> = client.map(of),
        /// The server of a pair or alone.
        server: Option<String> = server.map(of),
        /// The station.
        station: Option<String> = station.map(of),
        /// The two ends of a conversation.
        ends: Option<[String; 2]> = ends.map(|ends| ends.map(of)),
    }

    struct Evidence of sights: &Sights {
        /// Frame of the first event.
        first_frame: Option<u64> = sights.first.map(|mark| mark.frame),
        /// Its stamp.
        first: Option<Rfc3339> = sights.first.map(|mark| Rfc3339(mark.at)),
        /// Frame of the last event.
        last_frame: Option<u64> = sights.last.map(|mark| mark.frame),
        /// Its stamp.
        last: Option<Rfc3339> = sights.last.map(|mark| Rfc3339(mark.at)),
        /// The most expensive ones.
        frames: Vec<SymptomFrames> = sights.kept().map(of).collect(),
    }

    struct SymptomFrames of sight: &Sight {
        /// First frame.
        from_frame: u64 = sight.from.frame,
        /// Last frame.
        to_frame: u64 = sight.to.frame,
        /// What it cost, ns.
        cost_ns: u64,
    }

    struct Word of found: &(&'static str, u64) {
        /// What it was.
        word: &'static str = found.0,
        /// How often.
        count: u64 = found.1,
    }

    struct LimitingWindow of window: &WindowLimit {
        /// The station that offered it.
        receiver: String = of(&window.receiver),
        /// The largest that it offered, bytes.
        window_bytes: u64 = window.bytes,
        /// How long a round trip took as the connection was opened, ns.
        round_trip_ns: u64,
        /// The most that one connection can carry over this distance, bytes per second.
        most_bytes_per_second: u64 = window.bytes_per_second(),
    }

    struct SoughtName of sought: &(Arc<str>, u64) {
        /// The name.
        name: String = of(&sought.0),
        /// How often it was looked for.
        count: u64 = sought.1,
    }

    struct Against of found: &(wirewait_analysis::Against, Sights)
    where
        let (why, sights) = found;
    {
        /// Name of the reason.
        reason: &'static str = why.name(),
        /// The reason in words.
        text: &'static str = why.text(),
        /// How often.
        count: u64 = sights.count,
        /// Where it was seen.
        evidence: Evidence = of(sights),
    }
}
