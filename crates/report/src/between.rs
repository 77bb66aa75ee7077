//! Two captures of the same traffic, joined.

mod json;

use crate::escape::Escaped;
use crate::figures::{Command, Grouped, Percent};
use crate::table::{Table, count};
use crate::text::{Look, note, noted};
use crate::time::Digits;
use std::io::{self, Write};
use wirewait_judge::between::{Between, BetweenOf, BetweenRow, LostFrames, Unjoined};
use wirewait_judge::{Culprit, Finding, Verdict};

pub use json::json;

/// The two captures, as they were named, and what became of them.
#[derive(Debug)]
pub struct BetweenReport<'a> {
    /// In the order in which they were named.
    pub names: [&'a str; 2],
    /// The verdict on each of them alone, in the same order.
    pub alone: [&'a Verdict; 2],
    /// The two joined.
    pub joined: &'a Between,
    /// How times are printed.
    pub digits: Digits,
}

impl BetweenReport<'_> {
    /// The names of the capture at the clients and of the one at the servers.
    fn ends(&self) -> [Escaped<'_>; 2] {
        let [first, second] = self.names.map(Escaped);
        match self.joined.first_at_clients {
            true => [first, second],
            false => [second, first],
        }
    }

    fn span(&self, ns: u64) -> String {
        self.digits.span(ns)
    }
}

/// Rows of each kind that people see; programs get all of them.
const SHOWN: usize = 10;

/// Why two captures are not joined, and what to do.
#[must_use]
pub fn unjoined(names: [&str; 2], why: Unjoined) -> String {
    let [first, second] = names.map(Escaped);
    match why {
        Unjoined::NoFrame => format!(
            "{first} and {second} have no frame in common: are they of the same traffic at the same time? \
             Behind a device that changes addresses or opens connections of its own (NAT, proxy) frames \
             are others"
        ),
        Unjoined::NoRequest => format!(
            "{first} and {second} have frames in common, but no answered request to a file server that \
             both have whole"
        ),
        Unjoined::OnePlace => format!(
            "responses take as long in {first} as in {second}: both were captured at one place; capture \
             one at the clients and one at the servers"
        ),
    }
}

/// Writes what the two tell together.
///
/// # Errors
/// What `out` says.
pub fn text(out: &mut impl Write, report: &BetweenReport<'_>, look: Look) -> io::Result<()> {
    look.heading(out, &sentence(report))?;
    writeln!(out)?;
    for line in lines(report) {
        note(out, look, line)?;
    }
    writeln!(out)?;
    parts(report).write(out, look)?;
    rows(out, report, look)?;
    writeln!(out)?;
    ways(report).write(out, look)?;
    writeln!(out)?;
    for line in READING {
        note(out, look, line)?;
    }
    Ok(())
}

/// How to read the tables, a paragraph each.
const READING: [&str; 3] = [
    "client: pauses of at most the think limit, in the capture at the clients; server: from the whole \
     request to the first frame of the response, in the capture at the servers; way: the rest of \
     what a request took at the clients, transfers and loss recovery included. None of these compares \
     stamps of two clocks.",
    "sent: frames of the end that they come from, while both captures have frames; lost between: \
     the other end does not have them; only behind: the capture at the end that they come from \
     does not have them (it missed them, they were doubled on the way, or they come from elsewhere).",
    "request way: from the first frame of the request at the client to its last at the server; response \
     way: from the first frame of the response at the server to its last at the client. Both compare \
     stamps of two clocks, by the difference above.",
];

/// Whose the active time is, and what a request took there.
fn parts(report: &BetweenReport<'_>) -> Table {
    let joined = report.joined;
    let active = joined.active_ns();
    let client = match joined.held_ns {
        0 => "client, between requests",
        _ => "client",
    };
    let mut rows = vec![
        (client, joined.client_ns, None),
        (
            "way between the captures",
            joined.way_ns,
            Some(joined.way_of_a_request),
        ),
    ];
    if joined.held_ns > 0 {
        rows.insert(1, ("  while another held a file", joined.held_ns, None));
    }
    if joined.with_losses > 0 {
        rows.push(("  with lost frames", joined.lost_ns, None));
    }
    rows.push(("server", joined.server_ns, Some(joined.turnaround)));
    if joined.unknown_ns > 0 {
        rows.push(("in one capture alone", joined.unknown_ns, None));
    }
    let each = |spread: Option<[u64; 3]>, at: usize| {
        spread.map_or_else(String::new, |spread| report.span(spread[at]))
    };
    Table::over(&rows)
        .left("active time", |(name, ..)| *name)
        .right("all", |(_, ns, _)| report.span(*ns))
        .right("share", |(_, ns, _)| Percent(*ns, active))
        .right("of a request: least", |(.., spread)| each(*spread, 0))
        .right("median", |(.., spread)| each(*spread, 1))
        .right("most", |(.., spread)| each(*spread, 2))
        .table
}

/// Writes the tables by client, server and operation.
fn rows(out: &mut impl Write, report: &BetweenReport<'_>, look: Look) -> io::Result<()> {
    let joined = report.joined;
    let kinds: [RowKind; 3] = [
        ("client", |of| matches!(of, BetweenOf::Client(_))),
        ("server", |of| matches!(of, BetweenOf::Server(_))),
        ("operation", |of| matches!(of, BetweenOf::Operation { .. })),
    ];
    for (title, wanted) in kinds {
        let rows: Vec<&BetweenRow> = joined.rows.iter().filter(|row| wanted(&row.of)).collect();
        if rows.is_empty() {
            continue;
        }
        writeln!(out)?;
        let first = &rows[..SHOWN.min(rows.len())];
        rows_of(title, report, first).write(out, look)?;
        let more = rows.len().saturating_sub(SHOWN);
        if more > 0 {
            let more = Grouped(more as u64);
            noted!(out, look, "and {more} more; --format json has them all")?;
        }
    }
    Ok(())
}

/// Frames by direction, and which were lost between the two.
fn ways(report: &BetweenReport<'_>) -> Table {
    let joined = report.joined;
    let [clients, servers] = report.ends();
    let rows = [
        ("to the servers", &joined.to_servers, &clients),
        ("to the clients", &joined.to_clients, &servers),
    ];
    let first = |lost: &LostFrames, from: &Escaped<'_>| {
        let numbers: Vec<String> = lost.first.iter().map(|n| Grouped(*n).to_string()).collect();
        match numbers.is_empty() {
            true => String::new(),
            false => format!("{} of {from}", numbers.join(" ")),
        }
    };
    Table::over(&rows)
        .left("frames", |(name, ..)| *name)
        .right("sent", |(_, lost, _)| Grouped(lost.sent))
        .right("lost between", |(_, lost, _)| Grouped(lost.lost))
        .right("share", |(_, lost, _)| Percent(lost.lost, lost.sent))
        .right("only behind", |(_, lost, _)| Grouped(lost.unseen))
        .left("first lost", |(_, lost, from)| first(lost, from))
        .table
}

/// What a kind of rows is called, and which they are.
type RowKind = (&'static str, fn(&BetweenOf) -> bool);

fn rows_of(title: &'static str, report: &BetweenReport<'_>, rows: &[&BetweenRow]) -> Table {
    let share = |row: &BetweenRow, ns: u64| {
        let active = row.active_ns();
        (active > 0).then_some(Percent(ns, active))
    };
    let alone = |row: &BetweenRow| share(row, row.unknown_ns).filter(|_| row.unknown_ns > 0);
    let way = |times: Option<[i64; 3]>, at: usize| times.map(|ns| report.digits.time(ns[at]));
    let server =
        |row: &BetweenRow, at: usize| (row.requests > 0).then(|| report.span(row.turnaround[at]));
    Table::over(rows)
        .left(title, |row| name(&row.of))
        .right("active", |row| report.span(row.active_ns()))
        .under("% of active", "client", |row| share(row, row.client_ns))
        .under("% of active", "way", |row| share(row, row.way_ns))
        .under("% of active", "server", |row| share(row, row.server_ns))
        .rare("in one alone", |row| alone(row))
        .right("requests", |row| Grouped(row.requests))
        .rare("with losses", |row| count(row.with_losses))
        .rare_under("request way", "median", |row| way(row.request_way, 1))
        .rare_under("request way", "most", |row| way(row.request_way, 2))
        .under("at the server", "median", |row| server(row, 1))
        .under("at the server", "most", |row| server(row, 2))
        .rare_under("response way", "median", |row| way(row.response_way, 1))
        .rare_under("response way", "most", |row| way(row.response_way, 2))
        .table
}

fn name(of: &BetweenOf) -> String {
    match *of {
        BetweenOf::Client(station) | BetweenOf::Server(station) => station.to_string(),
        BetweenOf::Operation {
            server,
            protocol,
            command: name,
            code,
        } => format!("{protocol} {} at {server}", Command { name, code }),
    }
}

/// Who had most of the time.
fn sentence(report: &BetweenReport<'_>) -> String {
    let joined = report.joined;
    let active = joined.active_ns();
    let of = |culprit: Culprit| match culprit {
        Culprit::Client => joined.client_ns,
        Culprit::Network => joined.way_ns,
        Culprit::Server => joined.server_ns,
    };
    let said = |title: &str, ns: u64, whose: &str| {
        format!(
            "{title}: {} of active time ({} of {}, {}) was spent {whose}.",
            Percent(ns, active),
            report.span(ns),
            report.span(active),
            match joined.clients {
                1 => "1 client".to_owned(),
                n => format!("{} clients", Grouped(n)),
            }
        )
    };
    match joined.finding {
        Finding::Named(one) => {
            let (title, whose) = match one {
                Culprit::Client if joined.held_ns > 0 => ("Client", "in clients"),
                Culprit::Client => ("Client", "in clients, between their requests"),
                Culprit::Network => ("Network", "on the way between the two captures"),
                Culprit::Server => ("Server", "at the servers"),
            };
            said(title, of(one), whose)
        }
        Finding::Either(one, two) => {
            let title = found(joined.finding);
            let whose = "by these two, and neither surely had more";
            said(&title, of(one).saturating_add(of(two)), whose)
        }
        Finding::None => format!(
            "No verdict: {} answered requests are in both captures, and {} of active time is of requests \
             in one alone.",
            Grouped(joined.requests),
            Percent(joined.unknown_ns, active)
        ),
    }
}

/// Who is named.
fn found(finding: Finding) -> String {
    match finding {
        Finding::Named(one) => capital(one).to_owned(),
        Finding::Either(one, two) => format!("{} or {}", capital(one), two.name()),
        Finding::None => "No verdict".to_owned(),
    }
}

fn capital(of: Culprit) -> &'static str {
    match of {
        Culprit::Client => "Client",
        Culprit::Network => "Network",
        Culprit::Server => "Server",
    }
}

/// What was joined, and how sure that is.
fn lines(report: &BetweenReport<'_>) -> Vec<String> {
    let joined = report.joined;
    let [clients, servers] = report.ends();
    let mut lines = vec![format!(
        "{clients} was captured nearer to the clients, {servers} nearer to the servers: {} frames and {} \
         answered requests are in both.",
        Grouped(joined.same_frames),
        Grouped(joined.requests)
    )];
    lines.extend(alone(report));
    lines.extend(clocks(report));
    lines.extend(combined(report));
    if joined.held_ns > 0 {
        lines.push(format!(
            "Of the clients' time, {} was in requests that waited until another client gave an oplock or a lease back, as \
             {servers} has it.",
            report.span(joined.held_ns)
        ));
    }
    lines.extend(not_shared_out(report));
    if joined.idle_ns > 0 {
        lines.push(format!(
            "Pauses of {} together count as idle, and are no part of active time.",
            report.span(joined.idle_ns)
        ));
    }
    if joined.waiting_ns > 0 {
        lines.push(format!(
            "For {} clients had nothing outstanding but waits by design (change notifications, locks, pipe reads): they \
             are no part of active time.",
            report.span(joined.waiting_ns)
        ));
    }
    lines
}

/// What each capture says alone.
fn alone(report: &BetweenReport<'_>) -> Vec<String> {
    let joined = report.joined;
    let mut lines = Vec::new();
    for (name, verdict) in report.names.iter().zip(report.alone) {
        let name = Escaped(name);
        let said = match crate::verdict::shares(verdict, Digits::Three) {
            _ if verdict.finding == Finding::None => crate::verdict::sentence(verdict),
            Some(shares) => format!("{}. {shares}", found(verdict.finding)),
            None => found(verdict.finding),
        };
        lines.push(format!("{name} alone: {said}"));
    }
    let differs = |verdict: &&Verdict| {
        let both = [verdict.finding, joined.finding];
        both.iter().all(|one| matches!(one, Finding::Named(_))) && both[0] != both[1]
    };
    if report.alone.iter().any(differs) {
        lines.push(
            "Where one alone says another thing, both together are right: they have both ends."
                .to_owned(),
        );
    }
    lines
}

/// How the two clocks stand to each other.
fn clocks(report: &BetweenReport<'_>) -> Vec<String> {
    let joined = report.joined;
    let mut lines = Vec::new();
    if let Some(clocks) = joined.clocks {
        let word = if clocks.ahead_ns < 0 {
            "behind"
        } else {
            "ahead of"
        };
        let names = [1, 0].map(|at| Escaped(report.names[at]));
        let [at_first, drift] = match clocks.drift_ppb {
            0 => [String::new(), String::new()],
            ppb => [
                " at the first frame that both have".to_owned(),
                format!(
                    " The clocks drift: that of {} {} {} ppm, which is allowed for.",
                    names[0],
                    if ppb < 0 { "loses" } else { "gains" },
                    ppm(ppb),
                ),
            ],
        };
        lines.push(format!(
            "The clock of {} is {} {word} that of {}{at_first}, if the way takes as long in both directions. The \
             shortest way forth and back was {}; how it is shared out no frame tells: up to {} more or \
             less.{drift}",
            names[0],
            report.span(clocks.ahead_ns.unsigned_abs()),
            names[1],
            report.span(positive(clocks.shortest_round_ns)),
            report.span(positive(clocks.unsure_ns)),
        ));
    }
    if joined.clocks_moved_ns > 0 {
        lines.push(format!(
            "Doubt: the clocks moved against each other by at least {} while both captures ran: one was set, or \
             they drift unevenly. Neither their difference nor the time of each way is shown.",
            report.span(joined.clocks_moved_ns)
        ));
    }
    lines
}

/// Parts per million, to a hundredth.
fn ppm(ppb: i64) -> String {
    let hundredths = ppb.unsigned_abs().saturating_add(5) / 10;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// Frames that offload put together, if there are some.
fn combined(report: &BetweenReport<'_>) -> Option<String> {
    let joined = report.joined;
    let frames = joined
        .to_servers
        .combined
        .saturating_add(joined.to_clients.combined);
    let were = match frames {
        0 => return None,
        1 => "1 frame was".to_owned(),
        n => format!("{} frames were", Grouped(n)),
    };
    Some(format!(
        "{were} longer than any on the wire, as offload combines segments at the capturing station. On these connections \
         frames sent and lost are counted by their bytes. To capture frames as they are on the wire: ethtool -K IFACE tso off \
         gso off gro off."
    ))
}

/// What only one capture has, or has no response.
fn not_shared_out(report: &BetweenReport<'_>) -> Vec<String> {
    let joined = report.joined;
    let [clients, _] = report.ends();
    let mut lines = Vec::new();
    let were = |n: u64| match n {
        1 => "1 request was".to_owned(),
        n => format!("{} requests were", Grouped(n)),
    };
    if joined.only_at_clients > 0 {
        let its = match joined.only_at_clients {
            1 => "its",
            _ => "their",
        };
        lines.push(format!(
            "Doubt: {} answered in {clients} alone: {its} time ({}) is not shared out.",
            were(joined.only_at_clients),
            report.span(joined.unknown_ns)
        ));
    }
    if joined.unanswered > 0 {
        let vain = &joined.in_vain;
        let mut line = format!(
            "Doubt: {} not answered in {clients}.",
            were(joined.unanswered)
        );
        if vain.server_ns > 0 || vain.way_ns > 0 || vain.unknown_ns > 0 {
            line.push_str(&format!(
                " Of the wait for {}, {} counts as the server's, which had the request; {} as the way's, where it \
                 or its response was lost; of {} it is not known.",
                if joined.unanswered == 1 { "it" } else { "them" },
                report.span(vain.server_ns),
                report.span(vain.way_ns),
                report.span(vain.unknown_ns),
            ));
        }
        lines.push(line);
    }
    if joined.left_out > 0 {
        lines.push(format!(
            "Doubt: {} frames and requests beyond the first were not looked at.",
            Grouped(joined.left_out)
        ));
    }
    lines
}

fn positive(ns: i64) -> u64 {
    u64::try_from(ns).unwrap_or(0)
}
