//! The short report: one screen of a terminal.

use super::symptoms::{cost_in, often_in, places, subject};
use super::why::nearest;
use super::{Look, wrapped};
use crate::about::{About, Origin};
use crate::escape::Escaped;
use crate::figures::{Command, Grouped, Percent};
use crate::table::{Column, Table};
use crate::text::shown;
use std::io::{self, Write};
use wirewait_analysis::{Grade, Ledger, LedgerOf, Phase, Snapshot, Transaction};
use wirewait_judge::{Culprit, Verdict};

/// Lines of the smallest usual terminal that `less -F` shows without waiting for a key: one of the
/// 24 is the prompt's, and it needs another one to see the end.
const LINES: usize = 22;
/// Rows of each table.
const SERVERS: usize = 2;
const SYMPTOMS: usize = 3;
const SLOWEST: usize = 5;
/// Blank lines, headings, and where to go next.
const FRAME: usize = 8;

const LEDGER: &[Column] = &[
    Column::left("of active time"),
    Column::right("active"),
    Column::right("client"),
    Column::right("network"),
    Column::right("server"),
    Column::right("(loss recovery)").rare(),
    Column::right("unanswered").rare(),
];

const SYMPTOM: &[Column] = &[
    Column::right("cost"),
    Column::left("symptom"),
    Column::left("of"),
    Column::left("frames"),
    Column::left("how often"),
];

const SLOW: &[Column] = &[
    Column::right("slowest"),
    Column::left("frames"),
    Column::left("operation"),
    Column::left("server"),
    Column::left("client"),
    Column::left("file").rare(),
];

/// Writes the verdict, where the time went, what is wrong, the slowest requests and where to go
/// next: at most 22 lines on a terminal of 80 columns. The columns that find no room are
/// left out; [`report`](super::report) has them.
///
/// # Errors
/// What `out` says.
pub fn short(
    out: &mut impl Write,
    about: &About,
    snapshot: &Snapshot,
    look: Look,
) -> io::Result<()> {
    let verdict = Verdict::on(snapshot);
    let head = wrapped(&crate::verdict::sentence(&verdict), "", look.width);
    let symptoms = symptoms(about, snapshot, look);
    let none = match nearest(&snapshot.symptoms, &about.texts) {
        Some(nearest) => wrapped(
            &format!("symptoms: none; nearest: {nearest}"),
            "  ",
            look.width,
        ),
        None => vec!["  symptoms: none".to_owned()],
    };
    let slowest = slowest(snapshot, look);
    let next = next(about, snapshot, look);
    let used = head.len() + FRAME + symptoms.len().max(none.len()) + slowest.len() + next.len();
    // What is left goes to notes on the verdict and to servers, in this order.
    let mut left = LINES.saturating_sub(used);
    let mut notes = Vec::new();
    for note in notes_on(&verdict, snapshot) {
        let lines = wrapped(&note, "  ", look.width);
        if lines.len() <= left {
            left -= lines.len();
            notes.extend(lines);
        }
    }
    for line in &head {
        look.heading(out, line)?;
    }
    for line in &notes {
        writeln!(out, "{line}")?;
    }
    let ledger = ledger(snapshot, left.min(SERVERS), look);
    if !ledger.is_empty() {
        writeln!(out)?;
        ledger.write_first(out, look)?;
    }
    if snapshot.capture.frames > 0 {
        writeln!(out)?;
        if symptoms.is_empty() {
            for line in &none {
                writeln!(out, "{line}")?;
            }
        } else {
            symptoms.write_first(out, look)?;
        }
    }
    if !slowest.is_empty() {
        writeln!(out)?;
        slowest.write_first(out, look)?;
    }
    writeln!(out)?;
    for line in &next {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// What to know about the verdict, the most important first.
fn notes_on(verdict: &Verdict, snapshot: &Snapshot) -> Vec<String> {
    let mut notes: Vec<String> = super::servers::lost(snapshot).into_iter().collect();
    if snapshot.capture.grade != Grade::Good
        && let Some(reason) = snapshot.capture.reasons.first()
    {
        let grade = snapshot.capture.grade.name();
        notes.push(format!("Capture quality {grade}: {}.", reason.text));
    }
    notes.extend(crate::verdict::doubts(verdict));
    notes.extend(crate::verdict::position(verdict));
    notes
}

fn ledger(snapshot: &Snapshot, servers: usize, look: Look) -> Table {
    let mut table = Table::new(LEDGER);
    let rows = |wanted: fn(&LedgerOf) -> bool| {
        let rows = snapshot.ledgers.iter();
        rows.filter(move |row| wanted(&row.of) && row.ledger.active() > 0)
    };
    let all = rows(|of| matches!(of, LedgerOf::Capture));
    let served = rows(|of| matches!(of, LedgerOf::Server(_)));
    for row in all.chain(served.take(servers)) {
        let mut cells = vec![
            match &row.of {
                LedgerOf::Server(server) => format!("server {server}"),
                _ => "all".to_owned(),
            },
            look.digits.span(row.ledger.active()),
        ];
        let parts = Culprit::ALL.map(|culprit| culprit.shown(&row.ledger));
        // Loss recovery is part of the network's.
        let apart = [Phase::Retransmission, Phase::Unanswered].map(|phase| row.ledger.get(phase));
        let shares = parts.into_iter().chain(apart);
        cells.extend(shares.map(|part| shown(share(&row.ledger, part))));
        table.row(cells);
    }
    table
}

fn share(ledger: &Ledger, part: u64) -> Option<Percent> {
    (part > 0).then(|| Percent(part, ledger.active()))
}

fn symptoms(about: &About, snapshot: &Snapshot, look: Look) -> Table {
    let mut table = Table::new(SYMPTOM);
    for symptom in snapshot.symptoms.raised().take(SYMPTOMS) {
        table.row(vec![
            cost_in(symptom, look.digits),
            about.texts.title(symptom.rule.id).to_owned(),
            subject(&symptom.subject),
            places(&symptom.hits, 1),
            often_in(symptom, look.digits),
        ]);
    }
    table
}

fn slowest(snapshot: &Snapshot, look: Look) -> Table {
    let mut table = Table::new(SLOW);
    for transaction in snapshot.slowest.iter().take(SLOWEST) {
        let command = Command {
            name: transaction.operation.name,
            code: transaction.code,
        };
        let path = transaction
            .place
            .as_ref()
            .and_then(|place| place.path.as_deref());
        table.row(vec![
            shown(
                transaction
                    .response_time_ns()
                    .map(|ns| look.digits.time(ns)),
            ),
            shown(frames(transaction).map(|(from, to)| format!("{from}>{to}"))),
            format!("{} {command}", transaction.protocol),
            transaction.server.to_string(),
            transaction.client.to_string(),
            path.map_or_else(String::new, |path| Escaped(path).to_string()),
        ]);
    }
    table
}

/// The first frame of the request and the last one of the response.
fn frames(transaction: &Transaction) -> Option<(u64, u64)> {
    let (request, response) = (transaction.request?, transaction.response?);
    Some((request.first.frame, response.last.frame))
}

/// The commands that show more.
fn next(about: &About, snapshot: &Snapshot, look: Look) -> Vec<String> {
    if snapshot.capture.frames == 0 {
        return wrapped("`wirewait -h` shows examples.", "  ", look.width);
    }
    if snapshot.slowest.is_empty() {
        let text = "No request to a file server was found; `wirewait protocols` lists the \
                    protocols.";
        return wrapped(text, "  ", look.width);
    }
    let named = match (about.origin, about.files.as_slice()) {
        (Origin::Files, [file]) if file != "-" && !file.contains([' ', '\'', '"']) => {
            Some(Escaped(file).to_string())
        }
        _ => None,
    };
    let file = named.as_deref().unwrap_or("FILE");
    if about.origin == Origin::Interfaces {
        return vec!["  next: --full (all tables), --save FILE (keep the frames)".to_owned()];
    }
    let shown = snapshot.symptoms.raised().take(SYMPTOMS).count() as u64;
    let all = snapshot.symptoms.raised().count() as u64 + snapshot.symptoms.more;
    let more = match all - shown {
        0 => String::new(),
        1 => ", 1 more symptom".to_owned(),
        n => format!(", {} more symptoms", Grouped(n)),
    };
    let mut lines = vec![format!(
        "  next: wirewait --full {file}     all tables{more}"
    )];
    if let Some((from, to)) = snapshot.slowest.first().and_then(frames) {
        let command = format!("wirewait decode {file} -F {from}-{to}");
        lines.push(format!("        {command}     the slowest request"));
    }
    let fits = |line: &String| crate::table::width(line) <= look.width;
    if !lines.iter().all(fits) {
        lines = lines
            .iter()
            .map(|line| {
                line.rsplit_once("     ")
                    .map_or(line.as_str(), |(l, _)| l)
                    .to_owned()
            })
            .collect();
    }
    lines
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

    #[test]
    fn without_a_symptom_it_says_none() {
        let mut snapshot = samples::snapshot();
        snapshot.symptoms.found.clear();
        let text = written(&snapshot, 80);
        assert!(text.contains("  symptoms: none\n"), "{text}");
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
}
