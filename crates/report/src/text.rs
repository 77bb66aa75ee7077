//! The report for people: what to know about the capture first, then servers, stations
//! and the slowest transactions, then what was left out and what the figures depend on.

mod ledger;
mod places;

use crate::about::About;
use crate::escape::Escaped;
use crate::figures::{Command, Frames, Grouped, Milli, Percent, Rate, frames, frames_per_request};
use crate::table::{Column, NOTHING, Table};
use crate::time::{Human, Rfc3339};
use crate::transactions::StatusName;
use anstyle::{AnsiColor, Style};
use std::fmt::Display;
use std::io::{self, Write};
use wirewait_analysis::{
    Counts, EXACT_VALUES, Grade, ServerRow, Snapshot, StationRow, Transaction, Turnaround, Verdict,
};
use wirewait_wire::Kind;

/// How wide, and whether with colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Characters in a line. Tables that need more go on below; long words still pass it.
    pub width: usize,
    /// Whether headings and grades are coloured. Only for a terminal that wants it.
    pub colour: bool,
}

impl Look {
    /// For files and pipes: always the same, so that two reports can be compared.
    pub const FILE: Self = Self::plain(132);

    /// Without colour.
    #[must_use]
    pub const fn plain(width: usize) -> Self {
        Self {
            width,
            colour: false,
        }
    }

    pub(crate) fn heading(self, out: &mut impl Write, text: &str) -> io::Result<()> {
        writeln!(out, "{}", self.styled(Style::new().bold(), text))
    }

    fn styled(self, style: Style, text: &str) -> String {
        if self.colour {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }

    fn grade(self, grade: Grade) -> String {
        let colour = match grade {
            Grade::Good => AnsiColor::Green,
            Grade::Fair => AnsiColor::Yellow,
            Grade::Poor => AnsiColor::Red,
        };
        self.styled(colour.on_default().bold(), grade.name())
    }
}

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
    look.heading(out, &crate::verdict::sentence(&verdict))?;
    for line in crate::verdict::doubts(&verdict) {
        writeln!(out, "  {line}")?;
    }
    writeln!(out)?;
    capture(out, about, snapshot, look)?;
    protocols(out, snapshot, look)?;
    if snapshot.interfaces.len() > 1 {
        interfaces(out, about, snapshot, look)?;
    }
    ledger::ledgers(out, snapshot, look)?;
    servers(out, snapshot, look)?;
    stations(out, snapshot, look)?;
    places::places(out, snapshot, look)?;
    slowest(out, snapshot, look)?;
    excluded(out, snapshot, look)?;
    settings(out, snapshot, look)
}

/// One line of a list of names and values.
fn entry(out: &mut impl Write, name: &str, value: impl Display) -> io::Result<()> {
    writeln!(out, "  {name:<11}  {value}")
}

fn capture(out: &mut impl Write, about: &About, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    let row = &snapshot.capture;
    look.heading(out, "Capture")?;
    for file in &about.files {
        entry(out, "file", Escaped(file))?;
    }
    for (name, text) in about.selection.named() {
        entry(
            out,
            name,
            format_args!("{} (only these frames)", Escaped(text)),
        )?;
    }
    let (total, bytes) = (Grouped(row.frames), Grouped(row.bytes));
    entry(
        out,
        "size",
        format_args!("{total} frames, {bytes} bytes on the wire"),
    )?;
    if let (Some(first), Some(last)) = (row.first, row.last) {
        let length = Human(last.since(first));
        let (first, last) = (Rfc3339(first), Rfc3339(last));
        entry(out, "time", format_args!("{first} to {last}, {length}"))?;
    }
    match about.dropped() {
        Some(0) => entry(out, "dropped", "none, as the capturing program counted")?,
        Some(n) => entry(
            out,
            "dropped",
            format_args!("{} frames, as the capturing program counted", Grouped(n)),
        )?,
        None => entry(out, "dropped", "unknown: the file does not say")?,
    }
    for sentence in &about.damage {
        entry(out, "damage", Escaped(sentence))?;
    }
    entry(out, "quality", look.grade(row.grade))?;
    for reason in &row.reasons {
        let times = Grouped(reason.count);
        entry(
            out,
            "",
            format_args!("{}: {} ({times})", remark(reason.grade), reason.text),
        )?;
    }
    let parts = &snapshot.attribution;
    for (n, (name, count)) in [
        ("transactions", frames(parts.transactions)),
        ("control", frames(parts.control)),
        ("other traffic", Milli(parts.other.saturating_mul(1000))),
        (
            "mirror-port copies",
            Milli(parts.duplicates.saturating_mul(1000)),
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let title = if n == 0 { "frames of" } else { "" };
        let share = Percent(count.0, row.frames.saturating_mul(1000));
        let count = Frames(count);
        entry(out, title, format_args!("{name} {count} ({share})"))?;
    }
    let followed = Grouped(row.conversations);
    match row.evicted {
        0 => entry(out, "followed", format_args!("conversations: {followed}")),
        n => entry(
            out,
            "followed",
            format_args!(
                "conversations: {followed}; {} of them were dropped early, as more than {} were open",
                Grouped(n),
                Grouped(snapshot.settings.conversations as u64)
            ),
        ),
    }
}

fn protocols(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    if snapshot.protocols.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    look.heading(out, "Frames that contain a protocol")?;
    let mut line = String::from(" ");
    for (name, count) in &snapshot.protocols {
        let item = format!(" {name} {}", Grouped(*count));
        if line.len() > 1 && line.len() + item.len() + 1 > look.width {
            writeln!(out, "{line}")?;
            line = String::from(" ");
        }
        if line.len() > 1 {
            line.push(' ');
        }
        line.push_str(&item);
    }
    writeln!(out, "{line}")
}

const INTERFACES: &[Column] = &[
    Column::left("interface"),
    Column::left("name"),
    Column::right("frames"),
    Column::right("bytes"),
    Column::right("multicast"),
    Column::right("broadcast"),
    Column::right("dropped"),
];

fn interfaces(
    out: &mut impl Write,
    about: &About,
    snapshot: &Snapshot,
    look: Look,
) -> io::Result<()> {
    let mut table = Table::new(INTERFACES);
    for (n, row) in snapshot.interfaces.iter().enumerate() {
        let known = about.interfaces.get(n);
        let name = known.and_then(|i| i.name.as_deref()).unwrap_or(NOTHING);
        table.row(vec![
            n.to_string(),
            Escaped(name).to_string(),
            Grouped(row.frames).to_string(),
            Grouped(row.bytes).to_string(),
            Grouped(row.multicast).to_string(),
            Grouped(row.broadcast).to_string(),
            shown(known.and_then(|i| i.dropped).map(Grouped)),
        ]);
    }
    writeln!(out)?;
    look.heading(out, "Interfaces")?;
    table.write(out, look)
}

const SERVER: &[Column] = &[
    Column::left("command"),
    Column::right("requests"),
    Column::right("answered"),
    Column::under("server turnaround", "p50"),
    Column::under("server turnaround", "p95"),
    Column::under("server turnaround", "max"),
    Column::under("server turnaround", "mean"),
    Column::under("response time", "p50"),
    Column::under("response time", "p95"),
    Column::under("response time", "max"),
    Column::under("frames per request", "data"),
    Column::under("frames per request", "acks"),
    Column::right("data bytes").rare(),
    Column::right("throughput").rare(),
    Column::right("errors").rare(),
    Column::right("unanswered").rare(),
    Column::right("one-sided").rare(),
    Column::right("repeated").rare(),
    Column::right("cancelled").rare(),
    Column::right("orphans").rare(),
];

/// What does no harm to the grade is only worth a note.
const fn remark(grade: Grade) -> &'static str {
    match grade {
        Grade::Good => "note",
        Grade::Fair | Grade::Poor => grade.name(),
    }
}

fn servers(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    if snapshot.servers.is_empty() {
        writeln!(out)?;
        return writeln!(
            out,
            "No request to a file server was found. `wirewait protocols` lists what is understood."
        );
    }
    // Rows of one server stand together; those of one protocol on one carrier are put so.
    let same = |a: &ServerRow, b: &ServerRow| {
        (a.server, a.protocol, a.carrier) == (b.server, b.protocol, b.carrier)
    };
    for of_server in snapshot.servers.chunk_by(|a, b| a.server == b.server) {
        for (n, first) in of_server.iter().enumerate() {
            if of_server[..n].iter().any(|earlier| same(earlier, first)) {
                continue;
            }
            let mut table = Table::new(SERVER);
            for row in of_server[n..].iter().filter(|row| same(row, first)) {
                table.row(server_row(row));
            }
            writeln!(out)?;
            let title = format!(
                "Server {}, {} over {}",
                first.server, first.protocol, first.carrier
            );
            look.heading(out, &title)?;
            table.write(out, look)?;
        }
    }
    Ok(())
}

fn server_row(row: &ServerRow) -> Vec<String> {
    let command = Command {
        name: row.command,
        code: row.code,
    };
    let turnaround = |value| shown((row.turnaround.n > 0).then_some(Human(value)));
    let response = |value| shown((row.response_time.n > 0).then_some(Human(value)));
    let (data, acks) = frames_per_request(&row.frames, &row.counts);
    let counts = &row.counts;
    let mut cells = vec![
        match row.kind {
            Kind::Wait => format!("{command} (wait)"),
            _ => command.to_string(),
        },
        Grouped(counts.requests).to_string(),
        Grouped(counts.answered).to_string(),
        turnaround(row.turnaround.p50),
        turnaround(row.turnaround.p95),
        turnaround(row.turnaround.max),
        shown(row.turnaround.mean().map(Human)),
        response(row.response_time.p50),
        response(row.response_time.p95),
        response(row.response_time.max),
        shown(data),
        shown(acks),
        count(row.data_bytes),
        shown(row.throughput.map(Rate)),
    ];
    cells.extend(trouble(counts));
    cells
}

/// What went wrong, under the columns errors to orphans.
fn trouble(counts: &Counts) -> [String; 6] {
    [
        counts.failures,
        counts.unanswered,
        counts.one_sided,
        counts.repeated,
        counts.cancelled,
        counts.orphan_responses,
    ]
    .map(count)
}

const STATION: &[Column] = &[
    Column::left("client"),
    Column::right("servers"),
    Column::right("requests"),
    Column::under("response time", "mean"),
    Column::under("response time", "± sd"),
    Column::under("response time", "min"),
    Column::under("response time", "p95"),
    Column::under("response time", "max"),
    Column::right("relative"),
    Column::right("busy"),
    Column::right("client work"),
    Column::under("think time", "total"),
    Column::under("think time", "times"),
    Column::right("data bytes").rare(),
    Column::right("re-sent frames").rare(),
    Column::right("errors").rare(),
    Column::right("unanswered").rare(),
    Column::right("one-sided").rare(),
    Column::right("repeated").rare(),
    Column::right("cancelled").rare(),
    Column::right("orphans").rare(),
];

fn stations(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    let mut table = Table::new(STATION);
    for row in &snapshot.stations {
        table.row(station_row(row));
    }
    if table.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    look.heading(out, "Stations")?;
    table.write(out, look)
}

fn station_row(row: &StationRow) -> Vec<String> {
    let times = &row.response_time;
    let response = |value| shown((times.n > 0).then_some(Human(value)));
    let duration = |ns: u64| Human(i64::try_from(ns).unwrap_or(i64::MAX));
    let mut cells = vec![
        row.client.to_string(),
        Grouped(row.servers).to_string(),
        Grouped(row.counts.requests).to_string(),
        shown(times.mean().map(Human)),
        shown(row.deviation.map(duration)),
        response(times.min),
        response(times.p95),
        response(times.max),
        // Millionths to thousandths.
        shown(row.normalised_mean.and_then(|n| Milli::ratio(n, 1_000_000))),
        duration(row.busy_ns).to_string(),
        duration(row.client_ns).to_string(),
        duration(row.think_ns).to_string(),
        count(row.thinks),
        count(row.data_bytes),
        count(row.retransmitted),
    ];
    cells.extend(trouble(&row.counts));
    cells
}

const SLOWEST: &[Column] = &[
    Column::right("#"),
    Column::right("response time"),
    Column::right("turnaround"),
    Column::under("frames", "request"),
    Column::under("frames", "response"),
    Column::left("client"),
    Column::left("server"),
    Column::left("command"),
    Column::left("status"),
    Column::left("file").rare(),
    Column::left("remarks").rare(),
];

fn slowest(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    let mut table = Table::new(SLOWEST);
    for transaction in &snapshot.slowest {
        table.row(slow_row(transaction));
    }
    if table.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    look.heading(out, "Slowest")?;
    table.write(out, look)
}

fn slow_row(t: &Transaction) -> Vec<String> {
    let numbers = |extent: wirewait_analysis::Extent| {
        let (first, last) = (extent.first.frame, extent.last.frame);
        if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        }
    };
    let command = Command {
        name: t.operation.name,
        code: t.code,
    };
    let remarks: Vec<&str> = t.flags.names().collect();
    vec![
        t.number.to_string(),
        shown(t.response_time_ns().map(Human)),
        match t.turnaround {
            Turnaround::None => NOTHING.to_owned(),
            Turnaround::Exact(ns) => Human(ns).to_string(),
            Turnaround::Between(low, high) => format!("{}..{}", Human(low), Human(high)),
        },
        shown(t.request.map(numbers)),
        shown(t.response.map(numbers)),
        t.client.to_string(),
        t.server.to_string(),
        format!("{} {command}", t.protocol),
        shown(t.status.map(StatusName)),
        t.place
            .as_ref()
            .and_then(|place| place.path.as_deref())
            .map_or_else(String::new, |path| Escaped(path).to_string()),
        remarks.join(" "),
    ]
}

const EXCLUDED: &[Column] = &[
    Column::left("from"),
    Column::left("reason"),
    Column::right("transactions"),
];

fn excluded(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    let mut table = Table::new(EXCLUDED);
    for row in &snapshot.excluded {
        table.row(vec![
            row.from.to_owned(),
            row.reason.to_owned(),
            Grouped(row.count).to_string(),
        ]);
    }
    if table.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    look.heading(out, "Left out of statistics")?;
    table.write(out, look)
}

fn settings(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    let settings = &snapshot.settings;
    writeln!(out)?;
    look.heading(out, "How to read the figures")?;
    entry(
        out,
        "turnaround",
        "from the complete request to the first frame of the answer",
    )?;
    entry(
        out,
        "response",
        "from the first frame of the request to the last frame of the answer",
    )?;
    entry(
        out,
        "percentiles",
        format_args!(
            "nearest rank; exact up to {EXACT_VALUES} values, then from buckets 0.8 % wide"
        ),
    )?;
    entry(
        out,
        "point",
        "where the capture was made is unknown: turnaround holds the network between there and the server",
    )?;
    entry(
        out,
        "time-out",
        format_args!(
            "a request is unanswered after {}",
            Human(settings.timeout_ns)
        ),
    )?;
    entry(
        out,
        "think time",
        format_args!(
            "a pause of more than {}; a shorter one is client work",
            Human(settings.think_ns)
        ),
    )?;
    entry(
        out,
        "(wait)",
        "waits by design, as for a change of a directory or for a lock",
    )?;
    entry(
        out,
        "copies",
        format_args!(
            "identical frames within {} ({} for packets with an identification) are one",
            Human(settings.duplicate_ns),
            Human(settings.duplicate_id_ns)
        ),
    )
}

/// A value, or a dash where there is none.
fn shown(value: Option<impl Display>) -> String {
    value.map_or_else(|| NOTHING.to_owned(), |value| value.to_string())
}

/// A count of something that should be rare: nothing stands out from a dash.
fn count(n: u64) -> String {
    shown((n > 0).then_some(Grouped(n)))
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
            }],
            damage: vec!["red.pcap: the file ends inside a record (at byte 1234)".to_owned()],
        }
    }

    fn written(snapshot: &Snapshot, look: Look) -> String {
        let mut out = Vec::new();
        report(&mut out, &about(), snapshot, look).unwrap();
        String::from_utf8(out).unwrap()
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
                width: 100,
                colour: true,
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
