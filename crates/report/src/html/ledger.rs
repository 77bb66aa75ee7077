//! Where the time went: a bar for each, split as its ledger is.

use super::markup::Page;
use super::svg::{Across, Scale, bar, text};
use super::table;
use crate::figures::Percent;
use crate::time::Human;
use wirewait_analysis::{Ledger, LedgerOf, LedgerRow, Phase, Snapshot};

/// Bars of a kind.
const BARS: usize = 10;

/// A part so wide has its name in it, in ten-thousandths.
const NAMED: i64 = 2500;

pub(super) fn ledgers(page: &mut Page, snapshot: &Snapshot) {
    page.leaf(
        "p",
        &[("class", &"note")],
        "Each moment of a client belongs to its oldest outstanding request. A bar is active time, \
         in client-seconds: percentages are of it. Waiting by design and idle time stand beside \
         it. Servers, clients and pairs each sum to the first bar.",
    );
    let rows = &snapshot.ledgers;
    if let Some(row) = rows.iter().find(|row| row.of == LedgerOf::Capture) {
        page.within("figure", &[("data-json", &"/ledger/capture")], |page| {
            page.within("figcaption", &[], |page| summary(page, "all", &row.ledger));
            stacked(page, "ledger-all", 36, "all", &row.ledger);
            key(page, &row.ledger);
        });
    }
    let of = |wanted: fn(&LedgerOf) -> bool| -> Vec<&LedgerRow> {
        rows.iter().filter(|row| wanted(&row.of)).collect()
    };
    let servers = of(|of| matches!(of, LedgerOf::Server(_)));
    let clients = of(|of| matches!(of, LedgerOf::Client(_)));
    let pairs = of(|of| matches!(of, LedgerOf::Pair { .. }));
    bars(page, "Servers", "servers", &servers);
    bars(page, "Clients", "clients", &clients);
    // Where each client has one server, or the other way round, they say it all.
    if pairs.len() > servers.len().max(clients.len()) {
        bars(page, "Pairs", "pairs", &pairs);
    }
}

fn bars(page: &mut Page, heading: &'static str, key_of: &'static str, rows: &[&LedgerRow]) {
    if rows.is_empty() {
        return;
    }
    page.leaf("h3", &[], heading);
    page.within("ul", &[("class", &"bars")], |page| {
        for (n, row) in rows.iter().take(BARS).enumerate() {
            let name = match &row.of {
                LedgerOf::Server(server) => server.to_string(),
                LedgerOf::Client(client) => client.to_string(),
                LedgerOf::Pair { client, server } => format!("{client} at {server}"),
                LedgerOf::Capture | LedgerOf::Share { .. } | LedgerOf::File { .. } => continue,
            };
            page.line();
            page.within(
                "li",
                &[("data-json", &format_args!("/ledger/{key_of}/{n}"))],
                |page| {
                    summary(page, &name, &row.ledger);
                    stacked(
                        page,
                        &format!("ledger-{key_of}-{n}"),
                        18,
                        &name,
                        &row.ledger,
                    );
                    key(page, &row.ledger);
                },
            );
        }
    });
    table::more(page, rows.len().saturating_sub(BARS));
}

/// Whose, and how much time.
fn summary(page: &mut Page, name: &str, ledger: &Ledger) {
    page.leaf("strong", &[], name);
    page.text(format_args!(": active {}", duration(ledger.active())));
    for (phase, name) in [(Phase::Waiting, "waiting by design"), (Phase::Idle, "idle")] {
        let ns = ledger.get(phase);
        if ns > 0 {
            page.text(format_args!(", {name} {}", duration(ns)));
        }
    }
}

fn stacked(page: &mut Page, id: &str, height: i64, name: &str, ledger: &Ledger) {
    let active = i64::try_from(ledger.active()).unwrap_or(i64::MAX);
    let scale = Scale::exact(0, active, Across::WHOLE);
    let label = format!("{name}: phases of active time; the list below has them in words");
    page.within(
        "svg",
        &[
            ("id", &id),
            ("role", &"img"),
            ("aria-label", &label),
            ("width", &"100%"),
            ("height", &height),
        ],
        |page| {
            let mut end = 0i64;
            for phase in Phase::ACTIVE {
                let ns = ledger.get(phase);
                let from = scale.place(end);
                end = end.saturating_add(i64::try_from(ns).unwrap_or(i64::MAX));
                let width = scale.place(end) - from;
                if width == 0 {
                    continue;
                }
                let words = part(phase, ledger);
                let (x, class) = (Across(from), format!("part {}", phase.name()));
                bar(
                    page,
                    &class,
                    (x, 1),
                    (Across(width), height - 2),
                    (ns, &words),
                );
                if hatched(phase) {
                    let class = format!("over-{}", phase.name());
                    page.shape(
                        "rect",
                        &[
                            ("class", &class),
                            ("x", &x),
                            ("y", &1),
                            ("width", &Across(width)),
                            ("height", &(height - 2)),
                        ],
                    );
                }
                if width >= NAMED && height > 20 {
                    let class = format!("on on-{}", phase.name());
                    let middle = Across(from + width / 2);
                    text(
                        page,
                        &class,
                        (middle, height / 2 + 4),
                        "middle",
                        short(phase),
                    );
                }
            }
        },
    );
}

/// The parts in words, each behind the pattern it has in the bar.
fn key(page: &mut Page, ledger: &Ledger) {
    page.within("ul", &[("class", &"key")], |page| {
        for phase in Phase::ACTIVE
            .into_iter()
            .filter(|phase| ledger.get(*phase) > 0)
        {
            page.within("li", &[], |page| {
                page.within(
                    "svg",
                    &[("width", &14), ("height", &14), ("aria-hidden", &"true")],
                    |page| {
                        for class in [Some("part "), hatched(phase).then_some("over-")] {
                            let Some(class) = class else { continue };
                            let class = format!("{class}{}", phase.name());
                            page.shape(
                                "rect",
                                &[
                                    ("class", &class),
                                    ("x", &1),
                                    ("y", &1),
                                    ("width", &12),
                                    ("height", &12),
                                ],
                            );
                        }
                    },
                );
                page.text(part(phase, ledger));
            });
        }
    });
}

fn part(phase: Phase, ledger: &Ledger) -> String {
    let ns = ledger.get(phase);
    format!(
        "{} {} ({})",
        words(phase),
        duration(ns),
        Percent(ns, ledger.active())
    )
}

/// A pattern lies over the colour, so that neighbours differ without it.
const fn hatched(phase: Phase) -> bool {
    matches!(
        phase,
        Phase::Request | Phase::Response | Phase::Retransmission | Phase::Unanswered
    )
}

const fn words(phase: Phase) -> &'static str {
    match phase {
        Phase::Client => "client",
        Phase::Request => "request transfer",
        Phase::Server => "server",
        Phase::Response => "response transfer",
        Phase::Retransmission => "loss recovery",
        Phase::Unanswered => "unanswered",
        Phase::Waiting => "waiting by design",
        Phase::Idle => "idle",
    }
}

const fn short(phase: Phase) -> &'static str {
    match phase {
        Phase::Request => "request",
        Phase::Response => "response",
        phase => words(phase),
    }
}

fn duration(ns: u64) -> Human {
    Human(i64::try_from(ns).unwrap_or(i64::MAX))
}

/// The patterns that lie over colours, for the whole document.
pub(super) fn patterns(page: &mut Page) {
    page.within(
        "svg",
        &[
            ("class", &"defs"),
            ("width", &0),
            ("height", &0),
            ("aria-hidden", &"true"),
        ],
        |page| {
            page.within("defs", &[], |page| {
                super::ladder::tips(page);
                for (id, path) in [
                    ("rising", "M-2 2 2-2M0 8 8 0M6 10 10 6"),
                    ("falling", "M-2 6 2 10M0 0 8 8M6-2 10 2"),
                    ("crossed", "M0 8 8 0M0 0 8 8"),
                    ("dotted", "M3 4H5M7 0H8M0 0H1M7 8H8M0 8H1"),
                ] {
                    page.within(
                        "pattern",
                        &[
                            ("id", &id),
                            ("width", &8),
                            ("height", &8),
                            ("patternUnits", &"userSpaceOnUse"),
                        ],
                        |page| page.shape("path", &[("class", &"hatch"), ("d", &path)]),
                    );
                }
            });
        },
    );
    page.line();
}
