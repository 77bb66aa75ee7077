//! The short report: one screen of a terminal.

use super::ledger::name;
use super::slowest::{TimedRequest, command, path, without_response};
use super::subject::subject_within;
use super::symptoms::{by_rule, cost_in, often_in, places};
use super::why::beside_none;
use super::{Look, wrapped};
use crate::about::{About, Origin};
use crate::escape::Escaped;
use crate::figures::{Grouped, Percent};
use crate::table::{Table, width};
use crate::verdict::{is_wide, marked};
use std::fmt::Write as _;
use std::io::{self, Write};
use wirewait_analysis::{Grade, LedgerOf, LedgerRow, Phase, Snapshot, Symptom, Transaction};
use wirewait_judge::{Culprit, Verdict};

/// Lines of the smallest usual terminal that `less -F` shows without waiting for a key: one of the
/// 24 is the prompt's, and it needs another one to see the end.
const LINES: usize = 22;
/// Rows of each table.
const SERVERS: usize = 2;
const SYMPTOMS: usize = 3;
const SLOWEST: usize = 5;

/// Writes the verdict with its doubts, where the time went, what is wrong, the slowest requests and
/// where to go next: at most 22 lines on a terminal of 80 columns, unless the doubts need more. The
/// columns that find no room are left out; [`report`](super::report) has them.
///
/// # Errors
/// What `out` says.
pub fn short(
    out: &mut impl Write,
    about: &About,
    snapshot: &Snapshot,
    look: Look,
) -> io::Result<()> {
    let report = ShortReport::lay_out(about, snapshot, &Verdict::on(snapshot), look);
    for line in &report.head {
        look.heading(out, line)?;
    }
    for line in &report.notes {
        writeln!(out, "{line}")?;
    }
    if !report.ledger.is_empty() {
        writeln!(out)?;
        report.ledger.write_first(out, look)?;
    }
    if !report.none.is_empty() {
        writeln!(out)?;
    }
    for line in &report.none {
        writeln!(out, "{line}")?;
    }
    for table in [&report.symptoms, &report.slowest] {
        if !table.is_empty() {
            writeln!(out)?;
            table.write_first(out, look)?;
        }
    }
    writeln!(out)?;
    for line in &report.next {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// What finds room.
struct ShortReport {
    head: Vec<String>,
    notes: Vec<String>,
    ledger: Table,
    symptoms: Table,
    /// Instead of symptoms.
    none: Vec<String>,
    slowest: Table,
    next: Vec<String>,
}

impl ShortReport {
    /// The verdict and its doubts stand whole. Where they leave too little room, requests go first,
    /// then all symptoms but one: the last lines say how many more there are.
    fn lay_out(about: &About, snapshot: &Snapshot, verdict: &Verdict, look: Look) -> Self {
        let notes = Notes::on(verdict, snapshot, look);
        let mut report = Self {
            head: wrapped(
                &crate::verdict::sentence_in(verdict, look.digits),
                "",
                look.width,
            ),
            notes: notes.filling(0),
            ledger: ledger(snapshot, 0, look),
            symptoms: symptoms(about, snapshot, SYMPTOMS, look),
            none: none(about, snapshot, look),
            slowest: slowest(snapshot, SLOWEST, look),
            next: next(about, snapshot, SYMPTOMS, look),
        };
        while report.lines() > LINES {
            let (requests, found) = (report.slowest.len(), report.symptoms.len());
            if requests > 0 {
                report.slowest = slowest(snapshot, requests - 1, look);
            } else if found > 1 {
                report.symptoms = symptoms(about, snapshot, found - 1, look);
                report.next = next(about, snapshot, found - 1, look);
            } else {
                break;
            }
        }
        // What is left goes to the other notes and to servers, in this order.
        report.notes = notes.filling(LINES.saturating_sub(report.lines()));
        let left = LINES.saturating_sub(report.lines());
        report.ledger = ledger(snapshot, left.min(SERVERS), look);
        report
    }

    /// How many there are, with a blank one in front of each part.
    fn lines(&self) -> usize {
        let headed = |table: &Table| match table.is_empty() {
            true => 0,
            false => 2 + table.len(),
        };
        let none = self.none.len() + usize::from(!self.none.is_empty());
        let tables = [&self.ledger, &self.symptoms, &self.slowest].map(headed);
        let tables: usize = tables.into_iter().sum();
        self.head.len() + self.notes.len() + tables + none + 1 + self.next.len()
    }
}

/// What to know about the verdict, the most important first.
struct Notes(Vec<Note>);

struct Note {
    lines: Vec<String>,
    /// It must not be left out: it speaks against the verdict, or clients stood still in time that it is not about.
    stays: bool,
}

impl Notes {
    fn on(verdict: &Verdict, snapshot: &Snapshot, look: Look) -> Self {
        let mut on_capture: Vec<String> = super::servers::lost(snapshot).into_iter().collect();
        if snapshot.capture.grade != Grade::Good
            && let Some(reason) = snapshot.capture.reasons.first()
        {
            let grade = snapshot.capture.grade.name();
            on_capture.push(format!("Capture quality {grade}: {}.", reason.text));
        }
        let note = |text: String, stays| Note {
            lines: wrapped(&text, "  ", look.width),
            stays,
        };
        let on_capture = on_capture.into_iter().map(|text| note(text, false));
        let doubts = crate::verdict::doubts_in(verdict, look.digits).map(|text| note(text, true));
        let by_design = crate::verdict::by_design(verdict, look.digits);
        let outside = crate::text::why::outside(verdict, look.digits);
        let by_design = by_design.into_iter().chain(outside);
        let by_design = by_design.map(|text| note(text, true));
        let position = crate::verdict::notable_position(verdict, look.digits);
        let position = position.map(|text| note(text, false));
        let when = crate::verdict::when(verdict, look.digits);
        let when = when.map(|text| note(text, false));
        let about_time = by_design.chain(when).chain(position);
        Self(on_capture.chain(doubts).chain(about_time).collect())
    }

    /// Those that stay, and of the others those that fit into `room` more lines.
    fn filling(&self, mut room: usize) -> Vec<String> {
        let mut lines = Vec::new();
        for note in &self.0 {
            if !note.stays {
                if note.lines.len() > room {
                    continue;
                }
                room -= note.lines.len();
            }
            lines.extend_from_slice(&note.lines);
        }
        lines
    }
}

/// What is said where no symptom was found; nothing where one was, or without any frame.
fn none(about: &About, snapshot: &Snapshot, look: Look) -> Vec<String> {
    if snapshot.capture.frames == 0 || snapshot.symptoms.raised().next().is_some() {
        return Vec::new();
    }
    let beside = beside_none(&snapshot.symptoms, &about.texts);
    wrapped(&format!("symptoms: none{beside}"), "  ", look.width)
}

fn ledger(snapshot: &Snapshot, servers: usize, look: Look) -> Table {
    let rows = |wanted: fn(&LedgerOf) -> bool| {
        let rows = snapshot.ledgers.iter();
        rows.filter(move |row| wanted(&row.of) && row.ledger.active() > 0)
    };
    let all = rows(|of| matches!(of, LedgerOf::Capture));
    let served = rows(|of| matches!(of, LedgerOf::Server(_)));
    let rows: Vec<&LedgerRow> = all.chain(served.take(servers)).collect();
    let tick = &snapshot.tick;
    let of = |row: &LedgerRow, culprit: Culprit| {
        let some = culprit.shown(&row.ledger) > 0 || is_wide(culprit, row, tick);
        marked(culprit, row, tick).filter(|_| some)
    };
    let phase = |row: &LedgerRow, phase| {
        let part = row.ledger.get(phase);
        (part > 0).then(|| Percent(part, row.ledger.active()))
    };
    Table::over(&rows)
        .left("of active time", |row| name(&row.of))
        .right("active", |row| look.digits.span(row.ledger.active()))
        .right("client", |row| of(row, Culprit::Client))
        .right("network", |row| of(row, Culprit::Network))
        .right("server", |row| of(row, Culprit::Server))
        // Loss recovery is part of the network's.
        .rare("(loss recovery)", |row| phase(row, Phase::Retransmission))
        .rare("unanswered", |row| phase(row, Phase::Unanswered))
        .table
}

/// The costliest of each kind. A symptom says nothing without its subject, which is shortened rather than left out.
fn symptoms(about: &About, snapshot: &Snapshot, most: usize, look: Look) -> Table {
    let kinds = by_rule(&snapshot.symptoms);
    let rows: Vec<&Symptom> = kinds.iter().take(most).map(|kind| kind[0]).collect();
    let further = |symptom: &Symptom| {
        let kind = kinds.iter().find(|kind| kind[0].rule.id == symptom.rule.id);
        match kind.map_or(0, |kind| kind.len().saturating_sub(1)) {
            0 => String::new(),
            n => format!(" and {} more", Grouped(n as u64)),
        }
    };
    let title = |symptom: &Symptom| about.texts.title(symptom.rule.id).to_owned();
    let cost = |symptom: &Symptom| cost_in(symptom, look.digits);
    let widest = |text: &dyn Fn(&Symptom) -> String, heading: &str| {
        let texts = rows.iter().map(|symptom| width(&text(symptom)));
        texts.fold(width(heading), usize::max)
    };
    // An indent and two gaps of two blanks each.
    let taken = 6 + widest(&cost, "cost") + widest(&title, "symptom");
    let room = look.width.saturating_sub(taken);
    let of = |symptom: &Symptom| {
        let further = further(symptom);
        let room = room.saturating_sub(width(&further));
        format!("{}{further}", subject_within(&symptom.subject, room))
    };
    let table = Table::over(&rows).right("cost", |symptom| cost(symptom));
    if widest(&of, "of") > room {
        let both = |symptom: &&Symptom| format!("{}: {}", title(symptom), of(symptom));
        return table.left("symptom", both).table;
    }
    table
        .left("symptom", |symptom| title(symptom))
        .left("of", |symptom| of(symptom))
        .left("frames", |symptom| places(&symptom.hits, 1))
        .left("how often", |symptom| often_in(symptom, look.digits))
        .table
}

fn slowest(snapshot: &Snapshot, most: usize, look: Look) -> Table {
    let digits = look.digits;
    let rows: Vec<TimedRequest<'_>> = snapshot.longest_requests().take(most).collect();
    Table::over(&rows)
        .right("slowest", |(ns, _)| digits.time(*ns))
        .left("frames", |(_, t)| match frames(t) {
            Some((from, to)) => Some(format!("{from}>{to}")),
            None => t
                .request
                .map(|request| format!("{}>{}", request.first.frame, without_response(t))),
        })
        .left("operation", |(_, t)| command(t))
        .left("server", |(_, t)| t.server.to_string())
        .left("client", |(_, t)| t.client.to_string())
        .rare_path("file", |(_, t)| path(t))
        .table
}

/// The first frame of the request and the last one of the response.
fn frames(transaction: &Transaction) -> Option<(u64, u64)> {
    let (request, response) = (transaction.request?, transaction.response?);
    Some((request.first.frame, response.last.frame))
}

/// This command on the same frames of the same files, as far as they can be named.
pub(super) fn on_files(about: &About, command: &str) -> String {
    let mut command = command.to_owned();
    if about.origin != Origin::Interfaces {
        for (option, text) in about.selection.named() {
            let text = quoted(text).unwrap_or_else(|| "TEXT".to_owned());
            let _ = write!(command, " --{option} {text}");
        }
    }
    format!(
        "{command} {}",
        named_file(about).as_deref().unwrap_or("FILE")
    )
}

/// The file, if it is one with a name that can be shown.
fn named_file(about: &About) -> Option<String> {
    match (about.origin, about.files.as_slice()) {
        // A name that begins like an option is one of a file behind the folder alone.
        (Origin::Files, [file]) if file.starts_with('-') && file != "-" => {
            quoted(&format!("./{file}"))
        }
        (Origin::Files, [file]) if file != "-" => quoted(file),
        _ => None,
    }
}

/// The commands that show more, and how many kinds of symptoms there are beside the `listed` ones.
fn next(about: &About, snapshot: &Snapshot, listed: usize, look: Look) -> Vec<String> {
    if snapshot.capture.frames == 0 {
        return wrapped("`wirewait -h` shows examples.", "  ", look.width);
    }
    let kinds = by_rule(&snapshot.symptoms).len();
    let kinds = match kinds.saturating_sub(listed) {
        0 => None,
        1 => Some("1 more kind of symptom".to_owned()),
        n => Some(format!("{n} more kinds of symptoms")),
    };
    // Those that found no room in the analysis.
    let evicted = match snapshot.symptoms.more {
        0 => None,
        1 => Some("1 symptom left out".to_owned()),
        n => Some(format!("{} symptoms left out", Grouped(n))),
    };
    let more: Vec<String> = kinds.into_iter().chain(evicted).collect();
    let more = (!more.is_empty()).then(|| more.join(", "));
    let tables = match &more {
        Some(more) => format!("all tables, {more}"),
        None => "all tables".to_owned(),
    };
    let named = named_file(about);
    let file = named.as_deref().unwrap_or("FILE");
    let is_live = about.origin == Origin::Interfaces;
    let full = match is_live {
        true => "--full".to_owned(),
        false => on_files(about, "wirewait --full"),
    };
    let asked = snapshot.servers.iter().any(|row| row.counts.requests > 0);
    if snapshot.longest_requests().next().is_none() && !asked && !is_live {
        let text = "No request to a file server was found; `wirewait protocols` lists the \
                    protocols.";
        let mut lines = wrapped(text, "  ", look.width);
        lines.extend(more.map(|more| format!("  {more}: {full}")));
        return lines;
    }
    if is_live {
        let text = format!("next: {full} ({tables}), --save FILE (keep the frames)");
        return wrapped(&text, "  ", look.width);
    }
    let mut commands = vec![(full, tables)];
    let slowest = snapshot.longest_requests().next().map(|(_, t)| t);
    let of_slowest = match slowest.and_then(frames) {
        Some((from, to)) => Some(format!("{from}-{to}")),
        None => slowest
            .and_then(|t| t.request)
            .map(|request| request.first.frame.to_string()),
    };
    if let Some(frames) = of_slowest {
        let decode = format!("wirewait decode {file} -F {frames}");
        commands.push((decode, "the slowest request".to_owned()));
    }
    let first = |n| if n == 0 { "  next: " } else { "        " };
    let lines = commands.iter().enumerate();
    let lines = lines.map(|(n, (command, shows))| format!("{}{command}     {shows}", first(n)));
    let lines: Vec<String> = lines.collect();
    if lines
        .iter()
        .all(|line| crate::table::width(line) <= look.width)
    {
        return lines;
    }
    // The commands say what they show. How many symptoms there are, they do not.
    let mut lines = Vec::new();
    for (n, (command, _)) in commands.iter().enumerate() {
        lines.push(format!("{}{command}", first(n)));
        if n == 0 {
            lines.extend(more.iter().map(|more| format!("          ({more})")));
        }
    }
    lines
}

/// As a shell reads it back, if all of it can be shown.
fn quoted(text: &str) -> Option<String> {
    let plain = |c: char| c.is_alphanumeric() || "/._-+:,=@%".contains(c);
    let shown = Escaped(text).to_string();
    (shown == text).then(|| match !text.is_empty() && text.chars().all(plain) {
        true => shown,
        false => format!("'{}'", text.replace('\'', r"'\''")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn written(snapshot: &Snapshot, width: usize) -> String {
        let about = crate::text::tests::about();
        let mut out = Vec::new();
        short(&mut out, &about, snapshot, Look::plain(width)).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn one_screen() {
        crate::golden::check("short.txt", &written(&samples::snapshot(), 80));
    }

    #[test]
    fn it_fits_a_terminal_of_24_lines() {
        let text = written(&samples::snapshot(), 80);
        assert!(text.lines().count() <= LINES, "{text}");
        for line in text.lines() {
            assert!(crate::table::width(line) <= 80, "{line}");
        }
    }

    /// Three rows of one title are told apart by their subjects, however narrow the terminal is.
    #[test]
    fn a_symptom_has_its_subject_at_every_width() {
        for width in [40, 60, 80, 132] {
            let text = written(&samples::snapshot(), width);
            assert!(text.contains("10.0.0.9 at 10.0.0.1"), "{width}:\n{text}");
        }
    }

    /// 30 of the costliest kind leave room for the others, which --full lists, too.
    #[test]
    fn each_kind_of_symptom_has_a_row() {
        let mut snapshot = samples::snapshot();
        let kinds = by_rule(&snapshot.symptoms).len();
        assert_eq!(kinds, 3);
        let first = snapshot.symptoms.found[0].clone();
        let more = std::iter::repeat_n(first, 29);
        snapshot.symptoms.found.splice(0..0, more);
        let text = written(&snapshot, 132);
        assert_eq!(text.matches(" and 29 more").count(), 1, "{text}");
        assert!(!text.contains("more kind"), "{text}");
        let about = crate::text::tests::about();
        let mut full = Vec::new();
        crate::text::report(&mut full, &about, &snapshot, Look::FILE).unwrap();
        let full = String::from_utf8(full).unwrap();
        for kind in by_rule(&snapshot.symptoms) {
            let title = about.texts.title(kind[0].rule.id);
            assert!(text.contains(title) && full.contains(title), "{title}");
        }
    }

    #[test]
    fn without_a_symptom_it_says_none() {
        let mut snapshot = samples::snapshot();
        snapshot.symptoms.found.clear();
        let text = written(&snapshot, 80);
        assert!(text.contains("  symptoms: none\n"), "{text}");
    }

    #[test]
    fn what_is_not_judged_is_said_where_no_symptom_is() {
        let mut snapshot = samples::snapshot();
        snapshot.symptoms.found.clear();
        snapshot.symptoms.unreadable = 1200;
        let said = "response times of 1,200 encrypted requests are not judged (what they ask is not readable)";
        let text = written(&snapshot, 132);
        assert!(
            text.contains(&format!("  symptoms: none; {said}\n")),
            "{text}"
        );
        let about = crate::text::tests::about();
        let mut full = Vec::new();
        crate::text::report(&mut full, &about, &snapshot, Look::FILE).unwrap();
        let full = String::from_utf8(full).unwrap();
        assert!(
            full.contains(&format!("\nSymptoms: none\n  {said}\n")),
            "{full}"
        );
        let mut explained = Vec::new();
        crate::text::explain(&mut explained, &about, &snapshot, None, Look::FILE).unwrap();
        let explained = String::from_utf8(explained).unwrap();
        assert!(
            explained.contains(&format!("Not judged: {said}.\n")),
            "{explained}"
        );
    }

    /// It stands where its time belongs, with what there is of it; its frame is the one to look at.
    #[test]
    fn a_request_that_is_open_at_the_end_is_among_the_slowest() {
        let table = |open_ns: i64| {
            let mut snapshot = samples::snapshot();
            snapshot.unfinished = Some(samples::unfinished(open_ns));
            let text = written(&snapshot, 100);
            let lines = text.lines().skip_while(|line| !line.contains("slowest"));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        let open = samples::unfinished(0).request.request.unwrap().first.frame;
        let long = table(7_100_000_000);
        assert!(long[1].starts_with("   7.10 s"), "{long:?}");
        let said = format!("{open}>no response yet");
        assert!(long[1].contains(&said), "{long:?}");
        let decode = |lines: &[String], frames: &str| {
            let command = format!("-F {frames} ");
            lines.iter().any(|line| line.contains(&command))
        };
        assert!(decode(&long, &open.to_string()), "{long:?}");
        let short = table(1_000);
        assert!(short[2].contains(&said), "{short:?}");
        assert!(!decode(&short, &open.to_string()), "{short:?}");
    }

    /// The frame to look at is that of the request which was given up, not of one that was answered.
    #[test]
    fn a_request_that_was_given_up_is_the_slowest() {
        let mut snapshot = samples::snapshot();
        let request = samples::unanswered();
        let frame = request.request.unwrap().first.frame;
        let given_up = wirewait_analysis::UnansweredRequest::new(request, 60_000_000_000);
        snapshot.unanswered = vec![given_up];
        let text = written(&snapshot, 100);
        assert!(
            text.contains(&format!("60.0 s  {frame}>no response  ")),
            "{text}"
        );
        assert!(text.contains(&format!("-F {frame} ")), "{text}");
    }

    #[test]
    fn long_waits_for_locks_are_said() {
        let mut snapshot = samples::snapshot();
        let short = written(&snapshot, 80);
        assert!(!short.contains("by design"), "{short}");
        for row in &mut snapshot.ledgers {
            let waits = [(Phase::Waiting, 5_000_000_000)].into_iter().collect();
            row.ledger.merge(&waits);
        }
        let text = written(&snapshot, 80);
        assert!(!text.contains("by design"), "for notifications: {text}");
        for row in &mut snapshot.ledgers {
            if let LedgerOf::Operation { command, .. } = &mut row.of {
                *command = "LOCK";
            }
        }
        let text = written(&snapshot, 80);
        assert!(
            text.contains("\n  Waits by design, in no share: "),
            "{text}"
        );
        assert!(text.lines().count() <= LINES, "{text}");
    }

    #[test]
    fn an_empty_capture_has_no_tables() {
        let mut snapshot = samples::snapshot();
        snapshot.capture.frames = 0;
        snapshot.ledgers.clear();
        snapshot.slowest.clear();
        let text = written(&snapshot, 80);
        assert!(!text.contains("symptoms"), "{text}");
        assert!(text.contains("wirewait -h"), "{text}");
    }

    /// The rows of requests and of symptoms, and all lines, where there are `doubts` of one line each.
    fn beside(doubts: usize) -> (usize, usize, usize) {
        let mut snapshot = samples::snapshot();
        snapshot.slowest = vec![samples::answered(); SLOWEST];
        let mut verdict = Verdict::on(&snapshot);
        verdict.doubts = vec![wirewait_judge::Doubt::FewRequests(2); doubts];
        let about = crate::text::tests::about();
        let report = ShortReport::lay_out(&about, &snapshot, &verdict, Look::plain(80));
        let shown = report.notes.iter().filter(|note| note.contains("Doubt"));
        assert_eq!(shown.count(), doubts);
        (report.slowest.len(), report.symptoms.len(), report.lines())
    }

    /// Without a doubt there are 1 line of the verdict, 3 of the ledger, 5 of symptoms, 7 of requests
    /// and 3 of commands; the table of one request takes 3 lines.
    #[test]
    fn requests_and_then_symptoms_make_room_for_doubts() {
        assert_eq!(beside(0).0, SLOWEST);
        assert_eq!(beside(3), (5, 3, 22));
        assert_eq!(beside(4), (4, 3, 22));
        assert_eq!(beside(7), (1, 3, 22));
        assert_eq!(beside(8), (0, 3, 22));
        assert_eq!(beside(10), (0, 3, 22));
        assert_eq!(beside(12), (0, 1, 22));
        // They are never left out.
        assert_eq!(beside(14), (0, 1, 24));
    }

    /// The commands do not fit beside what they show: the number of symptoms has a line of its own.
    #[test]
    fn what_is_left_out_is_counted_at_every_width() {
        let mut snapshot = samples::snapshot();
        snapshot.symptoms.more = 1200;
        for width in [40, 60, 80, 132] {
            let text = written(&snapshot, width);
            let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(said.contains("1,200 symptoms left out"), "{width}:\n{text}");
        }
        snapshot.slowest.clear();
        let text = written(&snapshot, 80);
        assert!(!text.contains("No request"), "there are requests: {text}");
        snapshot.servers.clear();
        let text = written(&snapshot, 80);
        assert!(
            text.contains("  1,200 symptoms left out: wirewait --full --since 90 FILE\n"),
            "{text}"
        );
    }
}
