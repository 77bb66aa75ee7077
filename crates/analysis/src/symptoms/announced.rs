//! Stations that say how often they announce themselves, and do not.

use super::course::SymptomCourse;
use super::evidence::{Against, Book, Sight};
use super::page::{Page, Whom};
use super::rows::Rows;
use super::rule::{Limit, Rule, Severity, Subject, Whose};
use super::{Threshold, Thresholds};
use crate::Mark;
use wirewait_wire::word::Name;
use wirewait_wire::{Endpoint, Presence, Timestamp};

pub(super) static MISSED: Rule = Rule {
    id: "missed_announcements",
    severity: Severity::Symptom,
    whose: Whose::Own,
    counts: "announcements that a station promised and did not send",
    limit: Limit::Beyond(Threshold::Missed),
    costly: false,
    covers: &[],
};

#[derive(Debug, Default)]
struct HeardServer {
    latest: Option<(Mark, u32)>,
    book: Book,
}

pub(super) struct Announced {
    stations: Rows<(Endpoint, Name), HeardServer>,
}

/// How long a station that says so may be silent, ns.
fn patience(again_ms: u32, thresholds: &Thresholds) -> i64 {
    let periods = i64::try_from(thresholds.get(Threshold::Missed)).unwrap_or(i64::MAX);
    (i64::from(again_ms) * 1_000_000).saturating_mul(periods)
}

impl Announced {
    pub(super) fn new(rows: usize) -> Self {
        Self {
            stations: Rows::new(rows),
        }
    }

    pub(super) fn evicted(&self) -> u64 {
        self.stations.evicted()
    }

    pub(super) fn heard(
        &mut self,
        station: Endpoint,
        a: Presence,
        now: Mark,
        (thresholds, course): (&Thresholds, Option<&mut SymptomCourse>),
    ) {
        let key = (station.station(), a.what);
        let heard = self.stations.of(&key);
        if let Some((mark, again_ms)) = heard.latest
            && again_ms > 0
            && now.at.since(mark.at) > patience(again_ms, thresholds)
        {
            let mut page = Page {
                book: &mut heard.book,
                of: Whom::Own(Subject::Station(station.station())),
                course,
            };
            page.hit(&MISSED, &Sight::between(mark, now));
            page.word(&MISSED, a.what);
        }
        heard.latest = Some((now, a.again_ms));
    }

    /// With those that are silent at the end of the capture.
    pub(super) fn books(
        &self,
        last: Option<Timestamp>,
        thresholds: &Thresholds,
        found: &mut dyn FnMut(Subject, &Book),
    ) {
        for ((station, what), heard) in self.stations.iter() {
            let mut book = heard.book.clone();
            if let Some(((mark, again_ms), end)) = heard.latest.zip(last)
                && again_ms > 0
                && end.since(mark.at) > patience(again_ms, thresholds)
            {
                // Whether it is still there nobody can tell.
                book.oppose(&MISSED, Against::SwitchedOff, &Sight::at(mark));
                book.cell(&MISSED).word(what, 1);
            }
            found(Subject::Station(*station), &book);
        }
    }
}

#[cfg(test)]
mod tests;
