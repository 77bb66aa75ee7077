//! Where the time went: a bar for each, split as its ledger is.

use super::markup::Page;
use super::svg::{Across, Scale, bar, text};
use super::table;
use crate::figures::Percent;
use crate::table::NOTHING;
use crate::time::Short;
use wirewait_analysis::{Ledger, LedgerOf, LedgerRow, Phase, Snapshot};

/// Bars of a kind.
const BARS: usize = 20;

/// A part of this width has its name in it, in ten-thousandths.
const NAMED: i64 = 2500;

/// The bar of the whole capture, for the beginning of the document.
pub(super) fn headline(page: &mut Page, snapshot: &Snapshot) {
    let rows = &snapshot.ledgers;
    if let Some(row) = rows.iter().find(|row| row.of == LedgerOf::Capture) {
        page.within("figure", &[("data-json", &"/ledger/capture")], |page| {
            stacked(page, "ledger-all", 36, "all", &row.ledger);
            key(page, &row.ledger);
            page.within("figcaption", &[], |page| summary(page, &row.ledger));
        });
    }
}

pub(super) fn ledgers(page: &mut Page, snapshot: &Snapshot) {
    page.leaf(
        "p",
        &[("class", &"note")],
        "Each moment of a client belongs to its oldest outstanding request. Percentages and bars \
         are of active time, in client-seconds; waiting by design, idle and unknown time are no \
         part of it. Servers, clients and pairs each sum to all.",
    );
    let of = |wanted: fn(&LedgerOf) -> bool| -> Vec<&LedgerRow> {
        let rows = snapshot.ledgers.iter();
        rows.filter(|row| wanted(&row.of)).collect()
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
    let shown = rows.iter().take(BARS);
    let used = |phase: &Phase| shown.clone().any(|row| row.ledger.get(*phase) > 0);
    let active: Vec<Phase> = Phase::ACTIVE.into_iter().filter(used).collect();
    let apart: Vec<Phase> = [Phase::Waiting, Phase::Idle, Phase::Unknown]
        .into_iter()
        .filter(used)
        .collect();
    page.leaf("h3", &[], heading);
    table::region(page, heading, |page| {
        page.within("thead", &[], |page| {
            page.within("tr", &[], |page| {
                page.leaf("th", &[("scope", &"col"), ("class", &"t")], "of");
                for title in ["active", "% of active"] {
                    page.leaf("th", &[("scope", &"col"), ("class", &"n")], title);
                }
                for phase in active.iter().chain(&apart) {
                    let class = [("scope", &"col" as _), ("class", &"n roomy" as _)];
                    page.leaf("th", &class, words(*phase));
                }
            });
        });
        page.within("tbody", &[], |page| {
            for (n, row) in shown.clone().enumerate() {
                page.line();
                page.within(
                    "tr",
                    &[("data-json", &format_args!("/ledger/{key_of}/{n}"))],
                    |page| {
                        let name = name(&row.of);
                        page.leaf("th", &[("scope", &"row"), ("class", &"t")], &name);
                        page.leaf("td", &[("class", &"n")], duration(row.ledger.active()));
                        page.within("td", &[("class", &"split")], |page| {
                            let id = format!("ledger-{key_of}-{n}");
                            stacked(page, &id, 20, &name, &row.ledger);
                        });
                        for phase in &active {
                            let cell = match row.ledger.get(*phase) {
                                0 => NOTHING.to_owned(),
                                _ => part(*phase, &row.ledger),
                            };
                            page.leaf("td", &[("class", &"n roomy")], cell);
                        }
                        for phase in &apart {
                            let cell = match row.ledger.get(*phase) {
                                0 => NOTHING.to_owned(),
                                ns => duration(ns).to_string(),
                            };
                            page.leaf("td", &[("class", &"n roomy")], cell);
                        }
                    },
                );
            }
        });
    });
    table::more(page, rows.len().saturating_sub(BARS));
}

fn name(of: &LedgerOf) -> String {
    match of {
        LedgerOf::Capture => "all".to_owned(),
        LedgerOf::Server(station) | LedgerOf::Client(station) => station.to_string(),
        LedgerOf::Pair { client, server } => format!("{client} at {server}"),
        LedgerOf::Share { share, .. } => share.to_string(),
        LedgerOf::File { path, .. } => path.to_string(),
    }
}

/// How much time the bar stands for, and what is no part of it.
fn summary(page: &mut Page, ledger: &Ledger) {
    page.text(format_args!(
        "The bar is active time, {} of all clients together",
        duration(ledger.active())
    ));
    for (phase, name) in [
        (Phase::Waiting, "waiting by design"),
        (Phase::Idle, "idle"),
        (Phase::Unknown, "unknown"),
    ] {
        let ns = ledger.get(phase);
        if ns > 0 {
            page.text(format_args!("; {name} {}", duration(ns)));
        }
    }
    page.text(".");
}

fn stacked(page: &mut Page, id: &str, height: i64, name: &str, ledger: &Ledger) {
    let active = i64::try_from(ledger.active()).unwrap_or(i64::MAX);
    let scale = Scale::exact(0, active, Across::WHOLE);
    let label = format!("{name}: phases of active time");
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
                let words = format!("{} {}", words(phase), part(phase, ledger));
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
                page.text(format_args!("{} {}", words(phase), part(phase, ledger)));
            });
        }
    });
}

fn part(phase: Phase, ledger: &Ledger) -> String {
    let ns = ledger.get(phase);
    format!("{} ({})", duration(ns), Percent(ns, ledger.active()))
}

/// A pattern lies over the colour, so that neighbours differ without it.
const fn hatched(phase: Phase) -> bool {
    matches!(
        phase,
        Phase::Request
            | Phase::Response
            | Phase::Distance
            | Phase::Retransmission
            | Phase::Unanswered
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
        Phase::Distance => "distance",
        Phase::Unknown => "unknown",
    }
}

const fn short(phase: Phase) -> &'static str {
    match phase {
        Phase::Request => "request",
        Phase::Response => "response",
        phase => words(phase),
    }
}

fn duration(ns: u64) -> Short {
    Short(i64::try_from(ns).unwrap_or(i64::MAX))
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
