//! Two captures of the same traffic, joined.

use crate::escape::Escaped;
use crate::figures::{Grouped, Percent};
use crate::table::{Column, Table};
use crate::text::Look;
use crate::time::Digits;
use serde::Serialize;
use std::io::{self, Write};
use wirewait_judge::between::{Between, LostFrames, Unjoined};
use wirewait_judge::{Culprit, Finding};

/// The version of the JSON form.
const SCHEMA: &str = "wirewait-between/1";

/// The two captures, as they were named, and what became of them.
#[derive(Debug)]
pub struct BetweenReport<'a> {
    /// In the order in which they were named.
    pub names: [&'a str; 2],
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
    let joined = report.joined;
    look.heading(out, &sentence(report))?;
    writeln!(out)?;
    for line in lines(report) {
        crate::text::note(out, look, line)?;
    }
    const COLUMNS: &[Column] = &[
        Column::left("active time"),
        Column::right("all"),
        Column::right("share"),
        Column::right("of a request: least"),
        Column::right("median"),
        Column::right("most"),
    ];
    let mut table = Table::new(COLUMNS);
    let active = joined.active_ns();
    let mut row = |name: &str, ns: u64, each: Option<[u64; 3]>| {
        let each = each.map_or([String::new(), String::new(), String::new()], |each| {
            each.map(|ns| report.span(ns))
        });
        let [least, median, most] = each;
        let share = Percent(ns, active).to_string();
        let name = name.to_owned();
        table.row(vec![name, report.span(ns), share, least, median, most]);
    };
    row("client, between requests", joined.client_ns, None);
    row(
        "way between the captures",
        joined.way_ns,
        Some(joined.way_of_a_request),
    );
    if joined.with_losses > 0 {
        row("  with lost frames", joined.lost_ns, None);
    }
    row("server", joined.server_ns, Some(joined.turnaround));
    if joined.unknown_ns > 0 {
        row("in one capture alone", joined.unknown_ns, None);
    }
    writeln!(out)?;
    table.write(out, look)?;
    writeln!(out)?;
    const FRAMES: &[Column] = &[
        Column::left("frames"),
        Column::right("sent"),
        Column::right("lost between"),
        Column::right("share"),
        Column::right("only behind"),
        Column::left("first lost"),
    ];
    let mut table = Table::new(FRAMES);
    let [clients, servers] = report.ends();
    for (name, lost, from) in [
        ("to the servers", &joined.to_servers, &clients),
        ("to the clients", &joined.to_clients, &servers),
    ] {
        let numbers: Vec<String> = lost.first.iter().map(|n| Grouped(*n).to_string()).collect();
        let numbers = match numbers.is_empty() {
            true => String::new(),
            false => format!("{} of {from}", numbers.join(" ")),
        };
        table.row(vec![
            name.to_owned(),
            Grouped(lost.sent).to_string(),
            Grouped(lost.lost).to_string(),
            Percent(lost.lost, lost.sent).to_string(),
            Grouped(lost.unseen).to_string(),
            numbers,
        ]);
    }
    table.write(out, look)?;
    writeln!(out)?;
    for line in [
        "client: pauses of at most the think limit, in the capture at the clients; server: from the whole \
         request to the first frame of the response, in the capture at the servers; way: the rest of \
         what a request took at the clients, transfers and loss recovery included. No time compares \
         stamps of two clocks.",
        "sent: frames of the end that they come from, while both captures have frames; lost between: \
         the other end does not have them; only behind: the capture at the end that they come from \
         does not have them (it missed them, they were doubled on the way, or they come from elsewhere).",
    ] {
        crate::text::note(out, look, line.to_owned())?;
    }
    Ok(())
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
                Culprit::Client => ("Client", "in clients, between their requests"),
                Culprit::Network => ("Network", "on the way between the two captures"),
                Culprit::Server => ("Server", "at the servers"),
            };
            said(title, of(one), whose)
        }
        Finding::Either(one, two) => {
            let title = format!("{} or {}", capital(one), two.name());
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
    if let Some(clocks) = joined.clocks {
        let word = if clocks.ahead_ns < 0 {
            "behind"
        } else {
            "ahead of"
        };
        lines.push(format!(
            "The clock of {} is {} {word} that of {}, if the way takes as long in both directions. The \
             shortest way forth and back was {}; how it is shared out no frame tells: up to {} more or \
             less.",
            Escaped(report.names[1]),
            report.span(clocks.ahead_ns.unsigned_abs()),
            Escaped(report.names[0]),
            report.span(positive(clocks.shortest_round_ns)),
            report.span(positive(clocks.unsure_ns)),
        ));
    }
    if joined.only_at_clients > 0 || joined.unanswered > 0 {
        lines.push(format!(
            "Doubt: {} requests are answered in {clients} alone, and {} in none.",
            Grouped(joined.only_at_clients),
            Grouped(joined.unanswered)
        ));
    }
    if joined.left_out > 0 {
        lines.push(format!(
            "Doubt: {} frames and requests beyond the first were not looked at.",
            Grouped(joined.left_out)
        ));
    }
    if joined.idle_ns > 0 {
        lines.push(format!(
            "Pauses of {} together count as idle, and are no part of active time.",
            report.span(joined.idle_ns)
        ));
    }
    lines
}

fn positive(ns: i64) -> u64 {
    u64::try_from(ns).unwrap_or(0)
}

/// Writes the same as JSON.
///
/// # Errors
/// What `out` says.
pub fn json(out: &mut impl Write, report: &BetweenReport<'_>) -> io::Result<()> {
    let joined = report.joined;
    let [at_clients, at_servers] = match joined.first_at_clients {
        true => report.names,
        false => [report.names[1], report.names[0]],
    };
    let document = BetweenDocument {
        schema: SCHEMA,
        sentence: sentence(report),
        culprit: joined.finding.name(),
        captures: report.names,
        at_clients,
        at_servers,
        same_frames: joined.same_frames,
        requests: joined.requests,
        clients: joined.clients,
        only_at_clients: joined.only_at_clients,
        unanswered: joined.unanswered,
        active_ns: joined.active_ns(),
        client_ns: joined.client_ns,
        way_ns: joined.way_ns,
        server_ns: joined.server_ns,
        unknown_ns: joined.unknown_ns,
        idle_ns: joined.idle_ns,
        way_with_lost_frames_ns: joined.lost_ns,
        requests_with_lost_frames: joined.with_losses,
        way_of_a_request_ns: Spread::of(joined.way_of_a_request),
        turnaround_ns: Spread::of(joined.turnaround),
        clock: joined.clocks.map(|clocks| BetweenClock {
            second_ahead_ns: clocks.ahead_ns,
            unsure_ns: clocks.unsure_ns,
            shortest_round_trip_ns: clocks.shortest_round_ns,
        }),
        to_servers: Lost::of(&joined.to_servers),
        to_clients: Lost::of(&joined.to_clients),
        left_out: joined.left_out,
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

#[derive(Serialize)]
struct BetweenDocument<'a> {
    schema: &'static str,
    sentence: String,
    culprit: &'static str,
    captures: [&'a str; 2],
    at_clients: &'a str,
    at_servers: &'a str,
    same_frames: u64,
    requests: u64,
    clients: u64,
    only_at_clients: u64,
    unanswered: u64,
    active_ns: u64,
    client_ns: u64,
    way_ns: u64,
    server_ns: u64,
    unknown_ns: u64,
    idle_ns: u64,
    way_with_lost_frames_ns: u64,
    requests_with_lost_frames: u64,
    way_of_a_request_ns: Spread,
    turnaround_ns: Spread,
    clock: Option<BetweenClock>,
    to_servers: Lost<'a>,
    to_clients: Lost<'a>,
    left_out: u64,
}

#[derive(Serialize)]
struct Spread {
    least: u64,
    median: u64,
    most: u64,
}

impl Spread {
    fn of([least, median, most]: [u64; 3]) -> Self {
        Self {
            least,
            median,
            most,
        }
    }
}

#[derive(Serialize)]
struct BetweenClock {
    second_ahead_ns: i64,
    unsure_ns: i64,
    shortest_round_trip_ns: i64,
}

#[derive(Serialize)]
struct Lost<'a> {
    sent: u64,
    lost: u64,
    first_lost_frames: &'a [u64],
    only_behind: u64,
}

impl<'a> Lost<'a> {
    fn of(lost: &'a LostFrames) -> Self {
        Self {
            sent: lost.sent,
            lost: lost.lost,
            first_lost_frames: &lost.first,
            only_behind: lost.unseen,
        }
    }
}
