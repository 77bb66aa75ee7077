//! Where the time went: a bar for each, split as its ledger is.

use super::markup::Page;
use super::svg::{Across, Scale, bar, text};
use super::table;
use crate::figures::{Percent, operation};
use crate::table::NOTHING;
use crate::time::Short;
use crate::verdict::{MARKED, bound_mark, coarse_marked, is_wide, perhaps_network};
use wirewait_analysis::{ClockTick, Ledger, LedgerOf, LedgerRow, Phase, Snapshot};
use wirewait_judge::Culprit;

/// Bars of a kind.
const BARS: usize = 20;

/// A part of this width has its name in it, in ten-thousandths.
const NAMED: i64 = 1500;

/// The parts of a bar: whose it is, and the phases of each, in the order in which they are drawn. Those of the
/// network have one colour, and patterns that tell them apart.
const PARTS: [(&str, Option<Culprit>, &[Phase]); 4] = [
    ("client", Some(Culprit::Client), &[Phase::Client]),
    (
        "network",
        Some(Culprit::Network),
        &[
            Phase::Request,
            Phase::Response,
            Phase::Distance,
            Phase::Retransmission,
        ],
    ),
    ("server", Some(Culprit::Server), &[Phase::Server]),
    ("unanswered", None, &[Phase::Unanswered]),
];

fn sum(ledger: &Ledger, phases: &[Phase]) -> u64 {
    let each = phases.iter().map(|phase| ledger.get(*phase));
    each.fold(0, u64::saturating_add)
}

/// The bar of the whole capture, for the beginning of the document.
pub(super) fn headline(page: &mut Page, snapshot: &Snapshot) {
    let rows = &snapshot.ledgers;
    if let Some(row) = rows.iter().find(|row| row.of == LedgerOf::Capture) {
        page.within("figure", &[("data-json", &"/ledger/capture")], |page| {
            stacked(page, "ledger-all", 36, "all", &row.ledger);
            key(page, row, &snapshot.tick);
            page.within("figcaption", &[], |page| summary(page, &row.ledger));
        });
    }
}

/// Draws the bar of one of several captures.
pub(super) fn configuration(page: &mut Page, n: usize, name: &str, snapshot: &Snapshot) {
    let rows = &snapshot.ledgers;
    page.within("figure", &[], |page| {
        page.leaf("figcaption", &[], name);
        match rows.iter().find(|row| row.of == LedgerOf::Capture) {
            Some(row) if row.ledger.active() > 0 => {
                stacked(page, &format!("ledger-{n}"), 28, name, &row.ledger);
                key(page, row, &snapshot.tick);
            }
            _ => page.leaf("p", &[("class", &"note")], "no active time"),
        }
    });
}

pub(super) fn ledgers(page: &mut Page, snapshot: &Snapshot) {
    page.leaf(
        "p",
        &[("class", &"note")],
        "Each moment of a client belongs to its oldest outstanding request. Percentages and bars \
         are of active time, in client-seconds; waiting by design, idle and unknown time are no \
         part of it. Servers, clients, pairs and operations each sum to all; what had requests outstanding \
         for longest stands first.",
    );
    let tick = &snapshot.tick;
    let wide = |row: &LedgerRow| Culprit::ALL.iter().any(|one| is_wide(*one, row, tick));
    if snapshot.ledgers.iter().any(wide) {
        page.leaf("p", &[("class", &"note")], format_args!("{MARKED}."));
        if let Some(said) = coarse_marked(tick) {
            page.leaf("p", &[("class", &"note")], format_args!("{said}."));
        }
    }
    let of = |wanted: fn(&LedgerOf) -> bool| -> Vec<&LedgerRow> {
        let rows = snapshot.ledgers.iter();
        rows.filter(|row| wanted(&row.of)).collect()
    };
    let servers = of(|of| matches!(of, LedgerOf::Server(_)));
    let clients = of(|of| matches!(of, LedgerOf::Client(_)));
    let pairs = of(|of| matches!(of, LedgerOf::Pair { .. }));
    bars(page, "Servers", "servers", (&servers, tick));
    bars(page, "Clients", "clients", (&clients, tick));
    // Where each client has one server, or the other way round, they say it all.
    if pairs.len() > servers.len().max(clients.len()) {
        bars(page, "Pairs", "pairs", (&pairs, tick));
    }
    let operations = of(|of| matches!(of, LedgerOf::Operation { .. }));
    bars(page, "Operations", "operations", (&operations, tick));
}

fn bars(
    page: &mut Page,
    heading: &'static str,
    key_of: &'static str,
    (rows, tick): (&[&LedgerRow], &ClockTick),
) {
    if rows.is_empty() {
        return;
    }
    let shown = rows.iter().take(BARS);
    let used = |phases: &[Phase]| shown.clone().any(|row| sum(&row.ledger, phases) > 0);
    let bounded =
        |whose: Option<Culprit>| shown.clone().any(|row| !mark(whose, row, tick).is_empty());
    let parts = PARTS
        .iter()
        .filter(|(_, whose, phases)| used(phases) || bounded(*whose));
    let lost = used(&[Phase::Retransmission]);
    let apart: Vec<Phase> = [Phase::Waiting, Phase::Idle, Phase::Unknown]
        .into_iter()
        .filter(|phase| used(&[*phase]))
        .collect();
    page.leaf("h3", &[], heading);
    table::region(page, heading, |page| {
        page.within("thead", &[], |page| {
            page.within("tr", &[], |page| {
                page.leaf("th", &[("scope", &"col"), ("class", &"t")], "of");
                for title in ["active", "% of active"] {
                    page.leaf("th", &[("scope", &"col"), ("class", &"n")], title);
                }
                let class = [("scope", &"col" as _), ("class", &"n roomy" as _)];
                for (part, ..) in parts.clone() {
                    page.leaf("th", &class, part);
                    if *part == "network" && lost {
                        page.leaf("th", &class, "(loss recovery)");
                    }
                }
                for phase in &apart {
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
                        let mut cell = |whose: Option<Culprit>, phases: &[Phase]| {
                            let mark = mark(whose, row, tick);
                            let cell = match sum(&row.ledger, phases) {
                                0 if mark.is_empty() => NOTHING.to_owned(),
                                ns => part_of(mark, ns, &row.ledger),
                            };
                            page.leaf("td", &[("class", &"n roomy")], cell);
                        };
                        for (part, whose, phases) in parts.clone() {
                            cell(*whose, phases);
                            if *part == "network" && lost {
                                cell(None, &[Phase::Retransmission]);
                            }
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
        LedgerOf::Operation { server, .. } => {
            let operation = of.operation().as_ref().map(operation);
            format!("{} at {server}", operation.unwrap_or_default())
        }
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
            for (name, whose, phases) in PARTS {
                let (begin, began) = (scale.place(end), end);
                for phase in phases {
                    let ns = ledger.get(*phase);
                    let from = scale.place(end);
                    end = end.saturating_add(i64::try_from(ns).unwrap_or(i64::MAX));
                    let width = scale.place(end) - from;
                    if width > 0 {
                        section(page, *phase, ledger, (Across(from), Across(width)), height);
                    }
                }
                let perhaps = whose.map_or(0, |whose| perhaps_network(whose, ledger));
                let perhaps = i64::try_from(perhaps).unwrap_or(i64::MAX);
                if perhaps > 0 {
                    // Beside the network's part.
                    let (from, to) = match whose {
                        Some(Culprit::Client) => (end.saturating_sub(perhaps).max(began), end),
                        _ => (began, began.saturating_add(perhaps).min(end)),
                    };
                    let (from, to) = (scale.place(from), scale.place(to));
                    over(page, "perhaps", (Across(from), Across(to - from)), height);
                }
                let width = scale.place(end) - begin;
                if width >= NAMED && height > 20 {
                    let class = format!("on on-{name}");
                    let middle = (Across(begin + width / 2), height / 2 + 4);
                    text(page, &class, middle, "middle", name);
                }
            }
        },
    );
}

/// The part of a bar that is one phase.
fn section(
    page: &mut Page,
    phase: Phase,
    ledger: &Ledger,
    (x, width): (Across, Across),
    height: i64,
) {
    let ns = ledger.get(phase);
    let words = format!("{} {}", words(phase), part(ns, ledger));
    let class = format!("part {}", phase.name());
    bar(page, &class, (x, 1), (width, height - 2), (ns, &words));
    if hatched(phase) {
        over(page, phase.name(), (x, width), height);
    }
}

/// A pattern over a part of a bar.
fn over(page: &mut Page, what: &str, (x, width): (Across, Across), height: i64) {
    let class = format!("over-{what}");
    page.shape(
        "rect",
        &[
            ("class", &class),
            ("x", &x),
            ("y", &1),
            ("width", &width),
            ("height", &(height - 2)),
        ],
    );
}

/// The parts in words, each behind the colour and patterns that it has in the bar.
fn key(page: &mut Page, row: &LedgerRow, tick: &ClockTick) {
    let ledger = &row.ledger;
    page.within("ul", &[("class", &"key")], |page| {
        let there = |whose, phases| sum(ledger, phases) > 0 || !mark(whose, row, tick).is_empty();
        for (name, whose, phases) in PARTS
            .iter()
            .filter(|(_, whose, phases)| there(*whose, phases))
        {
            page.within("li", &[], |page| {
                let there = || phases.iter().filter(|phase| ledger.get(**phase) > 0);
                there().for_each(|phase| swatch(page, *phase));
                let all = sum(ledger, phases);
                let said = part_of(mark(*whose, row, tick), all, ledger);
                page.text(format_args!("{name} {said}"));
                let perhaps = whose.map_or(0, |whose| perhaps_network(whose, ledger));
                if perhaps > 0 {
                    let part = part(perhaps, ledger);
                    page.text(format_args!("; hatched: {part} may be the network's"));
                }
                if phases.len() > 1 && all > 0 {
                    let each: Vec<String> = there()
                        .map(|phase| {
                            format!("{} {}", words(*phase), part(ledger.get(*phase), ledger))
                        })
                        .collect();
                    page.text(format_args!(": {}", each.join(", ")));
                }
            });
        }
    });
}

fn swatch(page: &mut Page, phase: Phase) {
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
}

fn part(ns: u64, ledger: &Ledger) -> String {
    part_of("", ns, ledger)
}

/// The mark of a wide interval.
fn mark(whose: Option<Culprit>, row: &LedgerRow, tick: &ClockTick) -> &'static str {
    whose.map_or("", |culprit| bound_mark(culprit, row, tick))
}

fn part_of(mark: &str, ns: u64, ledger: &Ledger) -> String {
    format!("{} ({mark}{})", duration(ns), Percent(ns, ledger.active()))
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
