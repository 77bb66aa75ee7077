//! The answer first: whose fault it is, where the time went, and what to look at next.

use super::{View, bars};
use crate::model::Model;
use crate::place::Place;
use crate::spark;
use crate::text::{put, wrapped};
use crate::theme::Tone;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use wirewait_analysis::{LedgerOf, Snapshot, Verdict};
use wirewait_report::words::{self, Grouped, Percent, Short};

pub(super) struct Overview;

impl View for Overview {
    fn name(&self) -> &'static str {
        "overview"
    }

    fn title(&self, _: &Model, _: &Place) -> String {
        "Overview".to_owned()
    }

    fn draw(&self, model: &Model, _: &Place, body: Rect, buffer: &mut Buffer) {
        let Some(feed) = &model.feed else { return };
        let snapshot = &feed.snapshot;
        let mut left = Panels {
            model,
            buffer,
            area: body,
        };
        left.verdict(snapshot);
        left.ledger(snapshot);
        left.segment(snapshot);
        left.times(snapshot);
        left.servers();
        left.symptoms(feed);
        left.protocols(snapshot);
    }
}

/// What is left of the screen, from above.
struct Panels<'a> {
    model: &'a Model,
    buffer: &'a mut Buffer,
    area: Rect,
}

impl Panels<'_> {
    fn take(&mut self, lines: u16) {
        let lines = lines.min(self.area.height);
        self.area.y += lines;
        self.area.height -= lines;
    }

    fn line(&mut self, name: &str, tone: Tone, text: &str) {
        if self.area.height == 0 {
            return;
        }
        let theme = self.model.palette.theme();
        let (x, y, width) = (self.area.x, self.area.y, self.area.width);
        put(self.buffer, (x, y), 12, name, false, theme.title);
        put(
            self.buffer,
            (x + 12, y),
            width.saturating_sub(12),
            text,
            false,
            theme.tone(tone),
        );
        self.take(1);
    }

    /// A blank line where there is room for such.
    fn space(&mut self) {
        if self.model.size.1 >= 22 {
            self.take(1);
        }
    }

    fn verdict(&mut self, snapshot: &Snapshot) {
        let verdict = Verdict::on(snapshot);
        let theme = self.model.palette.theme();
        let most = match self.model.size.1 {
            ..16 => 3,
            16..30 => 4,
            _ => 8,
        };
        let area = Rect {
            height: self.area.height.min(most),
            ..self.area
        };
        let sentence = words::sentence(&verdict);
        let used = wrapped(self.buffer, area, &sentence, theme.head);
        self.take(used);
        for doubt in words::doubts(&verdict).take(usize::from(most / 4)) {
            let area = Rect {
                height: self.area.height.min(2),
                ..self.area
            };
            let used = wrapped(self.buffer, area, &doubt, theme.warn);
            self.take(used);
        }
        self.space();
    }

    fn ledger(&mut self, snapshot: &Snapshot) {
        let row = snapshot
            .ledgers
            .iter()
            .find(|row| row.of == LedgerOf::Capture);
        let Some(row) = row.filter(|row| row.ledger.elapsed() > 0) else {
            return;
        };
        let context = self.model.context();
        bars::ledger(&row.ledger, &context, self.area, self.buffer);
        self.take(1);
        let most = if self.model.size.1 < 16 { 2 } else { 4 };
        let area = Rect {
            height: self.area.height.min(most),
            ..self.area
        };
        let used = bars::legend(&row.ledger, &context, area, self.buffer);
        self.take(used);
        self.space();
    }

    fn segment(&mut self, snapshot: &Snapshot) {
        let together = &snapshot.segment.together;
        let units = self.model.units;
        let mut text = together
            .rate()
            .map_or_else(|| "-".to_owned(), |n| units.rate(n));
        if let Some(busiest) = snapshot.segment.busiest(1_000_000_000) {
            let used = Percent(busiest.utilisation, 1_000_000);
            text.push_str(&format!(", busiest second {used}"));
        }
        text.push_str(&format!(", {} frames", Grouped(together.frames())));
        let room = usize::from(self.area.width).saturating_sub(14 + text.chars().count());
        let course: Vec<u64> = together.course.buckets.iter().map(|b| b.bytes).collect();
        let width = room.min(60);
        if width >= 8 {
            let shown = spark::squeezed(&course, width);
            text = format!("{}  {text}", spark::line(&shown, shown.len().min(width)));
        }
        self.line("segment", Tone::Plain, &text);
    }

    fn times(&mut self, snapshot: &Snapshot) {
        // All servers together are the sum of their rows only while there is one.
        for total in self.model.servers.iter().take(1) {
            let times = &total.turnaround;
            if times.n == 0 {
                continue;
            }
            let mut text = format!(
                "p50 {}  p95 {}  p99 {}  at {}",
                Short(times.p50),
                Short(times.p95),
                Short(times.p99),
                total.server
            );
            let drops = self.model.drops().unwrap_or(0);
            let tone = if drops > 0 {
                text.push_str(&format!("  ({} frames dropped!)", Grouped(drops)));
                Tone::Bad
            } else {
                Tone::Plain
            };
            self.line("turnaround", tone, &text);
        }
        let reasons = &snapshot.capture.reasons;
        let grade = snapshot.capture.grade;
        if grade != wirewait_analysis::Grade::Good {
            let why: Vec<&str> = reasons
                .iter()
                .filter(|r| r.grade == grade)
                .map(|r| r.text)
                .collect();
            let text = format!("{}: {}", grade.name(), why.join("; "));
            self.line("quality", Tone::Warn, &text);
        }
        self.space();
    }

    fn servers(&mut self) {
        let servers = self.model.servers.clone();
        let fits = usize::from(self.area.height / 3).clamp(1, 8);
        for (n, total) in servers.iter().take(fits).enumerate() {
            let times = &total.response_time;
            let mut text = format!(
                "{:<29} {:>9} requests",
                total.server.to_string(),
                Grouped(total.counts.requests).to_string()
            );
            if times.n > 0 {
                text.push_str(&format!("  p95 {}", Short(times.p95)));
            }
            self.line(if n == 0 { "servers" } else { "" }, Tone::Plain, &text);
        }
        self.space();
    }

    fn symptoms(&mut self, feed: &crate::Feed) {
        let fits = usize::from(self.area.height.saturating_sub(2)).clamp(1, 8);
        let symptoms = &feed.snapshot.symptoms;
        if symptoms.raised().next().is_none() {
            self.line("symptoms", Tone::Good, "none");
        }
        for (n, symptom) in symptoms.raised().take(fits).enumerate() {
            let text = format!(
                "{:>9}  {}, {} {}",
                match symptom.hits.cost_ns {
                    0 => "-".to_owned(),
                    ns => Short(i64::try_from(ns).unwrap_or(i64::MAX)).to_string(),
                },
                feed.about.texts.title(symptom.rule.id),
                words::subject(&symptom.subject),
                words::often(symptom)
            );
            self.line(if n == 0 { "symptoms" } else { "" }, Tone::Warn, &text);
        }
        self.space();
    }

    fn protocols(&mut self, snapshot: &Snapshot) {
        let frames = snapshot.capture.frames;
        let named: Vec<String> = snapshot
            .protocols
            .iter()
            .map(|(name, n)| format!("{name} {}", Percent(*n, frames)))
            .collect();
        self.line("frames of", Tone::Plain, &named.join("  "));
    }
}
