//! The answer: the verdict, what speaks against it, the bar, and what to try first.

use super::shares::{Shares, Words, clients};
use crate::Feed;
use crate::context::{Context, of_last};
use crate::model::Model;
use crate::text::{self, put};
use crate::theme::Tone;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::sync::Arc;
use wirewait_analysis::Grade;
use wirewait_judge::{Culprit, Finding, Verdict};
use wirewait_report::words::{self, Command, Grouped, Percent, Short};

/// A line of it.
pub(super) enum HeadLine {
    Head(String),
    Said(Tone, String),
    /// What it is, and the rest.
    Named(&'static str, String),
    Bar(Shares),
    Legend(Words),
}

/// The verdict: the sentence where it fits into two lines, otherwise who had most of the time, where, and, if there is room for
/// that, on which share and for which client.
fn headline(verdict: &Verdict, since: &str, (width, roomy): (usize, bool)) -> Vec<String> {
    let sentence = format!("{since}{}", words::sentence(verdict));
    let lines = text::lines(&sentence, width);
    // As the bar below has it.
    let part = |one: Culprit| match one {
        Culprit::Network => verdict.share(one).ns.low,
        Culprit::Client | Culprit::Server => verdict.share(one).ns.high,
    };
    let Some(name) = words::title(verdict.finding).filter(|_| lines.len() > 2) else {
        return lines;
    };
    let share = match verdict.finding {
        Finding::None => return lines,
        Finding::Named(one) => words::share(one, verdict.share(one).thousandths),
        Finding::Either(one, other) => {
            Percent(part(one).saturating_add(part(other)), verdict.active_ns).to_string()
        }
    };
    let active = i64::try_from(verdict.active_ns).unwrap_or(i64::MAX);
    let mut short = vec![format!(
        "{since}{name}: {share} of {} active{}",
        Short(active),
        if width < 60 { "" } else { " time" }
    )];
    short.extend(text::lines(&most(verdict), width));
    let narrowed = words::narrowed(verdict).filter(|_| roomy);
    short.extend(
        narrowed
            .into_iter()
            .flat_map(|text| text::lines(&text, width)),
    );
    short
}

/// The station and the operation with most of the time: those of a server and there, or of a client and, whichever it is
/// of, that behind pauses.
fn most(verdict: &Verdict) -> String {
    let clients = words::is_of_clients(verdict);
    let (at, operation) = words::notable(verdict);
    let part = |thousandths: u64| Percent(thousandths, 1000);
    let station = at.map(|(at, thousandths)| match clients {
        true => format!("{} in {at}", part(thousandths)),
        false => at.to_string(),
    });
    let operation = operation.map(|of| {
        let (name, code) = (of.command, of.code);
        let command = format!("{} {}", of.protocol.to_uppercase(), Command { name, code });
        match clients {
            true => format!("{} before {command}", part(of.thousandths)),
            false => command,
        }
    });
    let parts: Vec<String> = station.into_iter().chain(operation).collect();
    parts.join(", ")
}

/// The verdict, with the names that the user wants hidden as elsewhere on the screen.
fn judged(feed: &Feed, context: &Context<'_>) -> Verdict {
    let mut verdict = Verdict::on(&feed.snapshot);
    if context.secret.is_some() {
        let hide = |kind: &str, name: &mut Arc<str>| *name = context.name(kind, name).into();
        if let Some(file) = &mut verdict.file {
            hide("file", &mut file.path);
            file.share.iter_mut().for_each(|share| hide("share", share));
        }
        if let Some(tree) = &mut verdict.tree {
            hide("share", &mut tree.share);
        }
        if let Some(open) = &mut verdict.unfinished {
            open.path.iter_mut().for_each(|path| hide("file", path));
        }
    }
    verdict
}

/// All of it, in lines of this width; fewer where there are few.
pub(super) fn lines(model: &Model, feed: &Feed, width: u16, height: u16) -> Vec<HeadLine> {
    let context = model.context();
    let verdict = judged(feed, &context);
    let wide = usize::from(width);
    let since = match model.window {
        Some(_) => "Since start: ",
        None => "",
    };
    let roomy = height >= 18;
    let mut all: Vec<HeadLine> = headline(&verdict, since, (wide, roomy))
        .into_iter()
        .map(HeadLine::Head)
        .collect();
    let said = |all: &mut Vec<HeadLine>, tone: Tone, text: &str| {
        all.extend(
            text::lines(text, wide)
                .into_iter()
                .map(|line| HeadLine::Said(tone, line)),
        );
    };
    for damage in feed.about.damage.iter().take(usize::from(roomy)) {
        said(&mut all, Tone::Bad, &format!("Damaged: {damage}"));
    }
    let doubts = words::doubts(&verdict).count();
    let shown = match height {
        ..18 => 0,
        18..26 if width < 60 => 1,
        18..26 => 2,
        _ => 3,
    };
    for (n, doubt) in words::doubts(&verdict).take(shown).enumerate() {
        let more = doubts - shown.min(doubts);
        let doubt = match more > 0 && n + 1 == shown {
            true => format!("{doubt} {more} more: wirewait report --full"),
            false => doubt,
        };
        if roomy {
            said(&mut all, Tone::Warn, &doubt);
        }
    }
    let capture = &feed.snapshot.capture;
    if roomy && capture.grade != Grade::Good {
        let why = capture.reasons.iter().filter(|r| r.grade == capture.grade);
        let why: Vec<&str> = why.map(|r| r.text).collect();
        let text = format!("Quality {}: {}.", capture.grade.name(), why.join("; "));
        let lines = text::lines(&text, wide);
        let more = lines.len() > 2;
        let shown = lines.into_iter().take(2).enumerate();
        all.extend(shown.map(|(n, line)| match n == 1 && more {
            true => HeadLine::Said(Tone::Warn, format!("{line} …")),
            false => HeadLine::Said(Tone::Warn, line),
        }));
    }
    let (shares, base) = match model.window {
        None => {
            let shares = Shares::on(&feed.snapshot);
            (
                shares,
                format!("active time ({})", clients(verdict.clients)),
            )
        }
        Some(seconds) => {
            let window = context.window(&feed.recent);
            let ledger = feed.ledgers.between(window.begins(), window.ends());
            let base = format!("active time in the last {}", of_last(&window, seconds));
            (Shares::lately(ledger, &feed.snapshot.tick), base)
        }
    };
    let base = match width {
        ..60 => "active",
        _ => &base,
    };
    if shares.active() > 0 {
        all.push(HeadLine::Bar(shares));
        all.extend(
            shares
                .legend(base, &context, width)
                .into_iter()
                .map(HeadLine::Legend),
        );
    }
    let symptoms = &feed.snapshot.symptoms;
    if symptoms.raised().next().is_none() && feed.snapshot.capture.frames > 0 {
        let quiet = match symptoms.found.len() {
            0 => String::new(),
            n => format!("; {} not raised (key 6)", Grouped(n as u64)),
        };
        let beside = words::beside_none(symptoms, &feed.about.texts);
        let said = format!("No symptom{quiet}{beside}");
        all.extend(
            text::lines(&said, wide)
                .into_iter()
                .take(3)
                .map(|line| HeadLine::Said(Tone::Good, line)),
        );
    }
    if let Some((symptom, action)) = first_action(feed).filter(|_| roomy) {
        let room = wide.saturating_sub(11);
        let action = format!("{action} ({symptom})");
        for (n, line) in text::lines(&action, room).into_iter().enumerate() {
            all.push(HeadLine::Named(if n == 0 { "Try first" } else { "" }, line));
        }
    }
    all
}

/// What to try first: the first action of what costs most, if that is worth it.
fn first_action(feed: &Feed) -> Option<(String, String)> {
    let texts = &feed.about.texts;
    let symptom = wirewait_judge::foremost(&feed.snapshot)?;
    let action = texts.of(symptom.rule.id)?.actions.first()?.clone();
    let title = texts.title(symptom.rule.id).to_lowercase();
    Some((
        format!("{title}, {}", words::subject(&symptom.subject)),
        action,
    ))
}

/// Draws a line of it.
pub(super) fn draw(line: &HeadLine, context: &Context<'_>, area: Rect, buffer: &mut Buffer) {
    let theme = context.theme;
    let at = (area.x, area.y);
    match line {
        HeadLine::Head(text) => put(buffer, at, area.width, text, theme.head),
        HeadLine::Said(tone, text) => put(buffer, at, area.width, text, theme.tone(*tone)),
        HeadLine::Named(name, text) => {
            put(buffer, at, 10, name, theme.title);
            let room = area.width.saturating_sub(11);
            put(buffer, (area.x + 11, area.y), room, text, theme.plain);
        }
        HeadLine::Bar(shares) => shares.draw(context, area, buffer),
        HeadLine::Legend(words) => {
            for (x, letter, said) in words {
                let mut x = area.x + x;
                if let Some((letter, style)) = letter {
                    put(buffer, (x, area.y), 1, letter, *style);
                    x += 2;
                }
                let room = area.right().saturating_sub(x);
                put(buffer, (x, area.y), room, said, theme.plain);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::replayed;
    use wirewait_judge::ShareBehind;
    use wirewait_wire::{Address, Endpoint};

    #[test]
    fn the_share_and_the_client_that_waited_are_said_where_there_is_room() {
        let mut verdict = Verdict::on(&replayed().snapshot);
        let client = Endpoint {
            address: Address::V4([10, 99, 0, 12]),
            ..Endpoint::default()
        };
        let share = r"\\10.99.0.1\slow".into();
        verdict.tree = Some(ShareBehind {
            share,
            thousandths: 961,
        });
        verdict.waited = Some((client, 964));
        let at = |width, roomy| headline(&verdict, "", (width, roomy));
        let lines = at(80, true);
        let said = r"Of that, 96.1 % on share \\10.99.0.1\slow and 96.4 % for client 10.99.0.12.";
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert_eq!(lines[2], said);
        assert_eq!(at(80, false).len(), 2);
        let narrow = at(44, true);
        assert_eq!(narrow[2..].join(" "), said);
        assert!(
            narrow.iter().all(|line| text::width(line) <= 44),
            "{narrow:?}"
        );
        let whole = at(400, false).join(" ");
        assert!(whole.contains(&said[9..]), "{whole}");
    }
}
