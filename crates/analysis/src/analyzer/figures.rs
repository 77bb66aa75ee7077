//! What is known so far, put together for those who show it.

use super::{Analyzer, AnalyzerState};
use crate::{
    CaptureRow, ClockSet, Fairness, Figures, Grade, LedgerCourse, Load, Readings, Snapshot,
    SymptomCourse,
};
use std::sync::Arc;

impl Analyzer {
    /// What the meters of all stations show at this moment. They are read as messages and
    /// frames come, not when transactions close, so that they can be read at any time.
    #[must_use]
    pub fn readings(&self) -> Readings {
        let books = &self.state.books;
        let meters = books.meters.as_ref();
        meters.map_or_else(Readings::default, |meters| Readings {
            elapsed_ns: i64::try_from(self.state.clock.elapsed_ns()).ok(),
            ..meters.readings(&books.directory)
        })
    }

    /// All figures as they stand, with those that [statistics](Analyzer::recording) made of the
    /// records. What is still open is not in them.
    #[must_use]
    pub fn snapshot(&mut self, figures: Figures) -> Snapshot {
        self.state.books.post();
        let ticks = self.state.clock.ticks;
        let apart = self.state.duplicates.clocks_apart();
        self.state.books.quality.clocks_apart = apart.map_or(0, |apart| apart.packets);
        self.state.books.quality.coarse_clock = if ticks.ns() > 0 { ticks.same } else { 0 };
        let AnalyzerState {
            books,
            segments,
            clock,
            numbered,
            unclaimed,
            services,
            calls,
            connections,
            ..
        } = &self.state;
        let names = self.common.names.borrow();
        let (directory, accounting) = (&books.directory, &books.accounting);
        let Figures {
            servers,
            mut stations,
            places,
            distribution,
            hops,
            levels,
            sizes,
            timeline,
            dips,
            excluded,
            losses,
            statistics,
        } = figures;
        let hits = clock.hits.and(&segments.hits);
        let hits = hits
            .and(&unclaimed.hits)
            .and(&services.hits)
            .and(&names.hits);
        let hits = hits.and(&calls.hits).and(&connections.hits);
        let segment = segments.found();
        let offloaded = segment.together.oversize;
        let reasons = books.reasons(*numbered, names.evicted, offloaded, &hits, &losses);
        let mut load = Load {
            levels,
            sizes,
            timeline,
            dips,
            hops,
            ..Load::default()
        };
        books.routing.write(&mut load);
        let (ledgers, stalls) = accounting.ledgers(directory);
        let unsure = accounting.accounts.unsure();
        crate::account::give(&ledgers, &mut stations);
        let trips = accounting.round_trips.rows();
        let varied = crate::account::varied(&ledgers, &trips);
        let (slowest, unanswered) = books.slowest.kept();
        Snapshot {
            capture: CaptureRow {
                frames: books.frames(),
                bytes: segments.captured_bytes(),
                first: clock.first(),
                last: clock.last(),
                elapsed_ns: clock.elapsed_ns(),
                grade: reasons.iter().map(|r| r.grade).max().unwrap_or(Grade::Good),
                reasons,
                conversations: *numbered,
                evicted: books.quality.evicted,
            },
            protocols: self
                .common
                .registry
                .dissectors()
                .iter()
                .zip(books.protocols.frames())
                .filter(|(_, frames)| *frames > 0)
                .map(|(d, frames)| (d.name, frames))
                .collect(),
            efficiency: books.spending.found(&accounting.spending),
            segment,
            fairness: Fairness::among(&stations),
            stations,
            places,
            distribution,
            ledgers,
            clocks_apart: apart,
            clock_set: clock.set.map(|set| ClockSet {
                unsure_ns: unsure.silences.ns,
                ..set
            }),
            tick: accounting.accounts.ticked((ticks.ns(), ticks.period_ns())),
            unsure_pauses: unsure.pauses,
            unsure_idle: unsure.idle,
            unsure_turnarounds: unsure.turnarounds,
            stalls,
            load,
            symptoms: accounting.watch.judge(
                &books.watch,
                directory,
                (&servers, &varied),
                clock.last(),
            ),
            round_trips: trips,
            servers,
            slowest,
            unanswered,
            unfinished: books.unfinished.found(clock.last()),
            statistics,
            attribution: books.attribution,
            seen: Arc::clone(&books.seen),
            excluded,
            settings: self.common.settings,
        }
    }

    /// Where the time went, second by second, as far as it is settled; empty unless it is
    /// [kept](Analyzer::keeping_course).
    #[must_use]
    pub fn ledger_course(&self) -> LedgerCourse {
        let course = self.state.books.accounting.accounts.course();
        course.cloned().unwrap_or_default()
    }

    /// What symptoms cost, second by second; empty unless it is
    /// [kept](Analyzer::keeping_course).
    #[must_use]
    pub fn symptom_course(&self) -> SymptomCourse {
        self.state.books.accounting.watch.course()
    }
}
