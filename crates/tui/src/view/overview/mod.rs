//! The answer first: whose fault it is, where the time went, and what to look at next.

use super::plot::{self, Band};
use super::{View, bars, rule, servers};
use crate::model::{Context, Model};
use crate::place::{Place, TABS};
use crate::text::{put, width, wrapped};
use crate::theme::Tone;
use crate::{Command, Feed, spark, table};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use wirewait_analysis::recent::{Of, Tally};
use wirewait_analysis::{Grade, Ledger, LedgerOf, Snapshot};
use wirewait_judge::Verdict;
use wirewait_report::words::{self, Grouped, Percent, Short};

pub(super) struct Overview;

impl View for Overview {
    fn name(&self) -> &'static str {
        "overview"
    }

    fn title(&self, model: &Model, _: &Place) -> String {
        match model.window {
            None => "Overview".to_owned(),
            Some(_) => "Overview; since start: verdict, symptoms".to_owned(),
        }
    }

    fn opens(&self, _: &Place) -> Option<&'static str> {
        Some("servers")
    }

    fn enter(&self, model: &mut Model, _: &Place) -> Vec<Command> {
        if let Some(tab) = TABS.iter().position(|tab| tab.place == Place::Servers) {
            model.tab = tab;
            model.refresh();
        }
        Vec::new()
    }

    fn draw(&self, model: &Model, _: &Place, body: Rect, buffer: &mut Buffer) {
        let Some(feed) = &model.feed else { return };
        let panels = Panels {
            model,
            context: model.context(),
            feed,
            buffer,
            area: body,
        };
        match (body.width, body.height) {
            (_, ..16) => panels.small(),
            (110.., 28..) => panels.large(),
            _ => panels.medium(),
        }
    }
}

/// What is left of the screen, from above.
struct Panels<'a> {
    model: &'a Model,
    context: Context<'a>,
    feed: &'a Feed,
    buffer: &'a mut Buffer,
    area: Rect,
}

impl Panels<'_> {
    /// What matters most, in eight lines.
    fn small(mut self) {
        self.verdict(3, 0);
        self.ledger(1);
        let times = self.times([""; 3], 2);
        self.line("turnaround", self.tone(), &times);
        let carried = self.carried();
        self.line("segment", Tone::Plain, &carried);
        self.symptoms(1);
    }

    /// 80 by 24 and thereabouts.
    fn medium(mut self) {
        self.verdict(3, 1);
        self.ledger(2);
        let spare = self.area.height.saturating_sub(12);
        self.charts(4 + spare / 3);
        let servers = (self.area.height / 2).saturating_sub(1);
        self.servers(servers);
        let since = self.since_start(" since start");
        self.heading(&format!("Symptoms{since}, by what they cost"));
        let left = self.area.height.saturating_sub(1);
        self.symptoms(left.max(1));
        self.take_down_to(1);
        self.protocols(1);
    }

    fn large(mut self) {
        self.verdict(4, 3);
        self.ledger(2);
        let height = self.area.height / 3;
        self.charts(height);
        let servers = (self.model.servers.len() as u16 + 3).min(self.area.height / 2);
        self.servers(servers);
        let since = self.since_start(" since start");
        self.heading(&format!("Symptoms{since}, by what they cost"));
        let left = self.area.height.saturating_sub(4);
        self.symptoms(left);
        self.heading(&format!("Frames that contain a protocol{since}"));
        self.protocols(3);
    }

    fn take(&mut self, lines: u16) -> Rect {
        let taken = Rect {
            height: lines.min(self.area.height),
            ..self.area
        };
        self.area.y += taken.height;
        self.area.height -= taken.height;
        taken
    }

    fn take_down_to(&mut self, lines: u16) {
        self.take(self.area.height.saturating_sub(lines));
    }

    fn heading(&mut self, title: &str) {
        let area = self.take(1);
        rule(self.buffer, area, title, &self.context);
    }

    fn line(&mut self, name: &str, tone: Tone, text: &str) {
        let area = self.take(1);
        if area.is_empty() {
            return;
        }
        let theme = self.context.theme;
        put(self.buffer, (area.x, area.y), 11, name, false, theme.title);
        let room = area.width.saturating_sub(11);
        put(
            self.buffer,
            (area.x + 11, area.y),
            room,
            text,
            false,
            theme.tone(tone),
        );
    }

    fn tone(&self) -> Tone {
        match self.context.drops {
            0 => Tone::Plain,
            _ => Tone::Bad,
        }
    }

    fn verdict(&mut self, most: u16, doubts: usize) {
        let verdict = Verdict::on(&self.feed.snapshot);
        let theme = self.context.theme;
        let height = self.area.height.min(most);
        let area = Rect {
            height,
            ..self.area
        };
        let since = self.since_start("Since start: ");
        let sentence = format!("{since}{}", words::sentence(&verdict));
        let used = wrapped(self.buffer, area, &sentence, theme.head);
        self.take(used);
        for doubt in words::doubts(&verdict).take(doubts) {
            let height = self.area.height.min(most / 2).max(1);
            let area = Rect {
                height,
                ..self.area
            };
            let used = wrapped(self.buffer, area, &doubt, theme.warn);
            self.take(used);
        }
        let capture = &self.feed.snapshot.capture;
        if doubts > 0 && capture.grade != Grade::Good {
            let why = capture.reasons.iter().filter(|r| r.grade == capture.grade);
            let why: Vec<&str> = why.map(|r| r.text).collect();
            let text = format!("Quality {}: {}.", capture.grade.name(), why.join("; "));
            let area = self.take(1);
            put(
                self.buffer,
                (area.x, area.y),
                area.width,
                &text,
                false,
                theme.warn,
            );
        }
    }

    /// Where the time went: in the window, as far as it is settled, or in all of the capture.
    fn time(&self) -> Option<Ledger> {
        if self.model.window.is_some() {
            let window = self.context.window(&self.feed.recent);
            let (from, to) = (window.begins(), window.ends());
            return Some(self.feed.ledgers.between(from, to));
        }
        let rows = &self.feed.snapshot.ledgers;
        let row = rows.iter().find(|row| row.of == LedgerOf::Capture);
        row.map(|row| row.ledger)
    }

    /// What is of all the capture says so where other things are not.
    fn since_start(&self, said: &'static str) -> &'static str {
        match self.model.window {
            None => "",
            Some(_) => said,
        }
    }

    fn ledger(&mut self, lines: u16) {
        let Some(ledger) = self.time().filter(|ledger| ledger.total() > 0) else {
            return;
        };
        let line = self.take(1);
        bars::ledger(&ledger, &self.context, line, self.buffer);
        let height = self.area.height.min(lines);
        let area = Rect {
            height,
            ..self.area
        };
        let used = bars::legend(&ledger, &self.context, area, self.buffer);
        self.take(used);
    }

    /// The first percentiles of the server turnaround of all, in words, each behind its mark.
    fn times(&self, marks: [&str; 3], shown: usize) -> String {
        let window = self.context.window(&self.feed.recent);
        let times = window.tally(&Of::All).turnaround.times();
        if times.n == 0 {
            return "no answers".to_owned();
        }
        let drops = if self.context.drops > 0 { "!" } else { "" };
        let all = [("p50", times.p50), ("p95", times.p95), ("p99", times.p99)];
        let said = all
            .iter()
            .zip(marks)
            .map(|((name, ns), mark)| format!("{mark}{name}{drops} {}", Short(*ns)));
        said.take(shown).collect::<Vec<_>>().join(" ")
    }

    /// What the segment carried, in words.
    fn carried(&self) -> String {
        let window = self.context.window(&self.feed.recent);
        let captured = window.captured(None);
        let rate = window
            .per_second(captured.on_wire)
            .map(|milli| milli / 1000);
        let mut text = rate.map_or_else(|| "-".to_owned(), |n| self.context.units.rate(n));
        if let Some(busy) = busy(&self.feed.snapshot) {
            text.push_str(&format!(", busiest second {busy}"));
        }
        text
    }

    fn charts(&mut self, lines: u16) {
        let area = self.take(lines);
        if area.height < 3 {
            return;
        }
        // Three percentiles in words take more room than a rate.
        let half = area.width * if area.width < 110 { 13 } else { 10 } / 20;
        let left = Rect {
            width: half - 1,
            ..area
        };
        let right = Rect {
            x: area.x + half + 1,
            width: area.width - half - 1,
            ..area
        };
        let below = |area: Rect| Rect {
            y: area.y + 1,
            height: area.height - 1,
            ..area
        };
        let seconds = self.context.seconds(&self.feed.recent);
        let plotted = usize::from(left.width).saturating_sub(8).max(1);
        let times = self.times(plot::SHADES, 3);
        let room = usize::from(left.width).saturating_sub(4);
        let titles = [
            format!("Server turnaround, last {seconds} s: {times}"),
            format!("Turnaround {times}"),
            format!("Server {times}"),
        ];
        let title = titles.iter().find(|title| width(title) <= room);
        let title = title.unwrap_or(&times).clone();
        rule(self.buffer, left, &title, &self.context);
        let bands = self.bands(plotted);
        plot::bands(&bands, &self.context, below(left), self.buffer);
        let mut title = format!("Segment, last {seconds} s: {}", self.carried());
        if width(&title) + 4 > usize::from(right.width) {
            title = title.replacen(&format!(", last {seconds} s"), "", 1);
        }
        rule(self.buffer, right, &title, &self.context);
        let window = self.context.window(&self.feed.recent);
        let course: Vec<u64> = window.captured_each(None).map(|c| c.on_wire).collect();
        let shown = spark::squeezed(&course, usize::from(right.width).saturating_sub(12).max(1));
        let highest = shown.iter().copied().max().unwrap_or(0);
        let top = self.context.units.rate(highest);
        plot::bars(&shown, &top, &self.context, below(right), self.buffer);
    }

    /// Percentiles of the turnaround over time, in so many steps at most.
    fn bands(&self, steps: usize) -> Vec<Band> {
        let window = self.context.window(&self.feed.recent);
        let each: Vec<Option<&Tally>> = window.each(&Of::All).collect();
        let together = each.len().div_ceil(steps).max(1);
        each.chunks(together)
            .map(|seconds| {
                let mut sum = Tally::default();
                seconds.iter().flatten().for_each(|one| sum.merge(one));
                let times = sum.turnaround.times();
                (times.n > 0).then_some([times.p50, times.p95, times.p99])
            })
            .collect()
    }

    fn servers(&mut self, lines: u16) {
        let all = self.model.servers.len();
        self.heading(&match all {
            1 => "1 server".to_owned(),
            _ => format!("{} servers", Grouped(all as u64)),
        });
        let area = self.take(lines.saturating_sub(1));
        let rows = servers::list(self.model);
        table::preview(&rows, &self.context, area, self.buffer);
    }

    fn symptoms(&mut self, lines: u16) {
        let symptoms = &self.feed.snapshot.symptoms;
        if symptoms.raised().next().is_none() {
            return self.line("no symptom", Tone::Good, "");
        }
        for symptom in symptoms.raised().take(lines.into()) {
            let cost = match symptom.hits.cost_ns {
                0 => "-".to_owned(),
                ns => Short(servers::saturated(ns)).to_string(),
            };
            let text = format!(
                "{}, {} {}",
                self.feed.about.texts.title(symptom.rule.id),
                words::subject(&symptom.subject),
                words::often(symptom)
            );
            let area = self.take(1);
            if area.is_empty() {
                return;
            }
            let theme = self.context.theme;
            put(self.buffer, (area.x, area.y), 9, &cost, true, theme.warn);
            let room = area.width.saturating_sub(11);
            put(
                self.buffer,
                (area.x + 11, area.y),
                room,
                &text,
                false,
                theme.plain,
            );
        }
    }

    fn protocols(&mut self, lines: u16) {
        let snapshot = &self.feed.snapshot;
        let frames = snapshot.capture.frames;
        let named: Vec<String> = snapshot
            .protocols
            .iter()
            .map(|(name, n)| {
                format!(
                    "{name} {}",
                    Percent(*n, frames).to_string().replace(' ', "")
                )
            })
            .collect();
        let area = self.take(lines);
        wrapped(self.buffer, area, &named.join("  "), self.context.theme.dim);
    }
}

/// How much of the link the busiest second took, where its speed is known.
fn busy(snapshot: &Snapshot) -> Option<String> {
    let busiest = snapshot.segment.busiest(1_000_000_000)?;
    Some(Percent(busiest.utilisation, 1_000_000).to_string())
}
