//! What frames and transports show of symptoms, before any request is closed.

use super::announced::Announced;
use super::course::SymptomCourse;
use super::evidence::Book;
use super::links::Links;
use super::segment::SegmentWatch;
use super::{Subject, Thresholds};
use crate::bounds::Hits;
use crate::path::Path;
use crate::world::Seen;
use crate::{Mark, Notice, Settings};
use wirewait_wire::{Endpoint, Presence, Timestamp};

/// Looks for symptoms in frames. What they cost is entered in the course of the
/// [other](super::Watch) symptoms, where there is one.
pub(crate) struct FrameWatch {
    thresholds: Thresholds,
    links: Links,
    segment: SegmentWatch,
    announced: Announced,
}

impl FrameWatch {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            thresholds: Thresholds::default(),
            links: Links::new(settings.rows),
            segment: SegmentWatch::new(settings.rows),
            announced: Announced::new(settings.rows),
        }
    }

    pub(crate) fn judge_by(&mut self, thresholds: Thresholds) {
        self.thresholds = thresholds;
    }

    /// Rows dropped because there were too many.
    pub(crate) fn evicted(&self) -> u64 {
        [
            self.links.evicted(),
            self.segment.evicted(),
            self.announced.evicted(),
        ]
        .iter()
        .sum()
    }

    /// What was lost to fixed bounds.
    pub(crate) fn hits(&self) -> Hits {
        self.links.hits
    }

    /// A frame that is no copy.
    #[inline(always)]
    pub(crate) fn seen(&mut self, seen: &Seen<'_>, mut course: Option<&mut SymptomCourse>) {
        if let Some(course) = &mut course {
            course.advance(seen.mark.at);
        }
        self.links.seen(seen, course.as_deref_mut());
        self.segment
            .seen(seen, &self.thresholds, course.as_deref_mut());
        let facts = &seen.walk.facts;
        if let Some(presence) = facts.presence {
            self.announced((facts.from, presence), seen.mark, course);
        }
    }

    /// A transport did something.
    pub(crate) fn noticed(
        &mut self,
        notice: &Notice,
        path: &Path,
        course: Option<&mut SymptomCourse>,
    ) {
        self.links.noticed(notice, path, &self.thresholds, course);
    }

    /// A station says when it will say so again.
    pub(crate) fn announced(
        &mut self,
        (station, presence): (Endpoint, Presence),
        now: Mark,
        course: Option<&mut SymptomCourse>,
    ) {
        let with = (&self.thresholds, course);
        self.announced.heard(station, presence, now, with);
    }

    /// What was gathered; `last` is when the capture ended.
    pub(super) fn books(&self, last: Option<Timestamp>, found: &mut dyn FnMut(Subject, &Book)) {
        self.links.books(found);
        self.segment.books(found);
        self.announced.books(last, &self.thresholds, found);
    }
}
