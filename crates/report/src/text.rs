//! The report for people: the verdict and what is wrong first, then where the time went and
//! what to know about the capture, then servers, stations and the slowest transactions, then
//! what was left out and what the figures depend on.

pub(crate) mod capture;
pub(crate) mod efficiency;
mod ledger;
pub(crate) mod load;
pub(crate) mod places;
pub(crate) mod reading;
pub(crate) mod segment;
pub(crate) mod servers;
mod short;
pub(crate) mod slowest;
pub(crate) mod stations;
pub(crate) mod statistics;
mod subject;
pub(crate) mod symptoms;
pub(crate) mod why;

pub use crate::look::Look;
pub use short::short;
pub use symptoms::explain;

use crate::about::About;
use crate::figures::Grouped;
use crate::table::Table;
use std::fmt::Display;
use std::io::{self, Write};
use wirewait_analysis::Snapshot;
use wirewait_judge::Verdict;

/// Writes the report.
///
/// # Errors
/// What `out` says.
pub fn report(
    out: &mut impl Write,
    about: &About,
    snapshot: &Snapshot,
    look: Look,
) -> io::Result<()> {
    let verdict = Verdict::on(snapshot);
    look.heading(out, &crate::verdict::sentence_in(&verdict, look.digits))?;
    if let Some(line) = crate::verdict::shares(&verdict, look.digits) {
        note(out, look, line)?;
    }
    if let Some(line) = crate::verdict::when(&verdict, look.digits) {
        note(out, look, line)?;
    }
    if let Some(line) = crate::verdict::by_design(&verdict, look.digits) {
        note(out, look, line)?;
    }
    if let Some(line) = crate::text::why::outside(&verdict, look.digits) {
        note(out, look, line)?;
    }
    if let Some(line) = crate::verdict::notable_position(&verdict, look.digits) {
        note(out, look, line)?;
    }
    for line in crate::verdict::doubts_in(&verdict, look.digits) {
        note(out, look, line)?;
    }
    symptoms::symptoms(out, about, snapshot, look)?;
    ledger::ledgers(out, snapshot, look)?;
    writeln!(out)?;
    capture::capture(out, about, snapshot, look)?;
    capture::protocols(out, snapshot, look)?;
    segment::segment(out, about, snapshot, look)?;
    servers::servers(out, snapshot, look)?;
    efficiency::efficiency(out, snapshot, look)?;
    stations::stations(out, snapshot, look)?;
    load::load(out, snapshot, look)?;
    places::places(out, snapshot, look)?;
    statistics::statistics(out, snapshot, look)?;
    slowest::slowest(out, snapshot, look)?;
    reading::excluded(out, snapshot, look)?;
    reading::settings(out, snapshot, look)
}

/// One line of a list of names and values.
fn entry(out: &mut impl Write, name: &str, value: impl Display) -> io::Result<()> {
    writeln!(out, "  {name:<11}  {value}")
}

/// Writes a [`note`] as `format!` makes it.
macro_rules! noted {
    ($out:expr, $look:expr, $($words:tt)+) => {
        $crate::text::note($out, $look, format_args!($($words)+))
    };
}
pub(crate) use noted;

/// A sentence below a heading or a table, in as many lines as it needs.
pub(crate) fn note(out: &mut impl Write, look: Look, text: impl Display) -> io::Result<()> {
    for line in wrapped(&text.to_string(), "  ", look.width) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// The lines of a sentence, each at most `room` wide unless one word is wider. The first one has
/// `indent` in front, the others two blanks more.
fn wrapped(text: &str, indent: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = indent.to_owned();
    let mut empty = true;
    for word in bound_words(text) {
        let gap = usize::from(!empty);
        let wide = crate::table::width(&line) + gap + crate::table::width(&word);
        if wide > room && !empty {
            lines.push(std::mem::replace(&mut line, format!("{indent}  ")));
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(&word);
        empty = false;
    }
    lines.push(line);
    lines
}

/// The words of a text; a number and its unit are one.
fn bound_words(text: &str) -> Vec<String> {
    let number = |word: &str| {
        let word = word.trim_start_matches(['(', '≥', '≤']);
        let digits = |c: char| c.is_ascii_digit() || ".,-".contains(c);
        word.starts_with(|c: char| c.is_ascii_digit()) && word.chars().all(digits)
    };
    let unit = |word: &str| UNITS.contains(&word.trim_end_matches([',', '.', ';', ':', ')']));
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match words.last_mut() {
            // A number that ends with a comma has no unit behind it.
            Some(last) if unit(word) && number(last) && !last.ends_with([',', '.']) => {
                last.push(' ');
                last.push_str(word);
            }
            Some(last) if ["≥", "≤"].contains(&last.as_str()) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

/// What stands behind a number in the same line.
const UNITS: [&str; 16] = [
    "%", "ns", "µs", "us", "ms", "s", "B/s", "kB/s", "MB/s", "GB/s", "bit/s", "kbit/s", "Mbit/s",
    "Gbit/s", "bytes", "bytes/s",
];

/// Says how many of `all` rows, which are `what`, a table leaves out, if any.
pub(crate) fn more(
    out: &mut impl Write,
    look: Look,
    all: usize,
    table: &Table,
    what: &str,
) -> io::Result<()> {
    match all.saturating_sub(table.len()) {
        0 => Ok(()),
        n => noted!(
            out,
            look,
            "and {} more{what}; --format json has them all",
            Grouped(n as u64)
        ),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::about::{Interface, Selection};
    use crate::samples;

    pub(crate) fn about() -> About {
        About {
            selection: Selection {
                since: Some("90".to_owned()),
                ..Selection::default()
            },
            files: vec!["office.pcapng".to_owned(), "\x1b[31mred.pcap".to_owned()],
            interfaces: vec![Interface {
                name: Some("eth0".to_owned()),
                link_type: 1,
                dropped: Some(2),
                not_saved: None,
            }],
            damage: vec!["red.pcap: the file ends inside a record (at byte 1234)".to_owned()],
            ..About::default()
        }
    }

    fn written(snapshot: &Snapshot, look: Look) -> String {
        let mut out = Vec::new();
        report(&mut out, &about(), snapshot, look).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_number_keeps_its_unit() {
        let text = "It was 96.6 % of 1,024 bytes (8.53 s) and";
        for room in 1..45 {
            let lines = wrapped(text, "", room);
            for kept in ["96.6 %", "1,024 bytes", "(8.53 s)"] {
                assert!(
                    lines.iter().any(|line| line.contains(kept)),
                    "{room}: {lines:?}"
                );
            }
        }
        assert_eq!(wrapped("in 3, s", "", 5), ["in 3,", "  s"]);
    }

    #[test]
    fn the_whole_report() {
        crate::golden::check("report.txt", &written(&samples::snapshot(), Look::FILE));
    }

    #[test]
    fn a_narrow_terminal_loses_nothing() {
        let wide = written(&samples::snapshot(), Look::plain(400));
        let narrow = written(&samples::snapshot(), Look::plain(80));
        for word in wide.split_whitespace() {
            assert!(narrow.contains(word), "{word}");
        }
        let table: Vec<&str> = narrow
            .lines()
            .skip_while(|line| !line.starts_with("Server"))
            .take_while(|line| !line.starts_with("How to read"))
            .collect();
        assert!(table.len() > 20, "{narrow}");
        for line in table {
            assert!(crate::table::width(line) <= 80, "{line}");
        }
    }

    #[test]
    fn colour_only_adds_codes() {
        let plain = written(&samples::snapshot(), Look::plain(100));
        let coloured = written(
            &samples::snapshot(),
            Look {
                colour: true,
                ..Look::plain(100)
            },
        );
        assert!(!plain.contains('\x1b'), "not even from a file name");
        assert!(
            coloured.contains("\x1b[1m\x1b[33mfair\x1b[0m"),
            "{coloured:?}"
        );
        let mut stripped = String::new();
        for (n, part) in coloured.split('\x1b').enumerate() {
            let text = part.split_once('m').filter(|_| n > 0);
            stripped.push_str(text.map_or(part, |(_, text)| text));
        }
        assert_eq!(stripped, plain);
    }

    #[test]
    fn without_any_request_it_says_so() {
        let mut empty = samples::snapshot();
        empty.servers.clear();
        empty.stations.clear();
        empty.slowest.clear();
        empty.excluded.clear();
        let text = written(&empty, Look::FILE);
        assert!(
            text.contains("No request to a file server was found."),
            "{text}"
        );
        assert!(!text.contains("Stations"), "{text}");
    }
}
