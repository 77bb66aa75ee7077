//! A ladder diagram: time runs down, an arrow for each frame between client and server.

use super::markup::Page;
use super::slowest::command;
use super::svg::{self, Across};
use super::table;
use crate::about::About;
use crate::figures::{Command, Grouped, range};
use crate::ladder::{Ladder, Rung};
use crate::table::Table;
use crate::time::{Human, Short};
use wirewait_analysis::{Deed, Transaction, Turnaround};

/// Where the lines of the two sides are.
const CLIENT: Across = Across(2600);
const SERVER: Across = Across(9300);
/// The side of the bracket that is away from the server.
const BRACKET: Across = Across(9700);
const MIDDLE: Across = Across(5950);
const WHOLE: Across = Across(Across::WHOLE);

/// Height of the names of both sides.
const TOP: i64 = 48;
/// From one frame to the next at least.
const STEP: i64 = 27;
/// A silence longer than this is cut, ns.
const SILENCE_NS: i64 = 10_000_000;
/// Room for what is written between two frames.
const WRITTEN: i64 = 38;

pub(super) fn ladder(page: &mut Page, about: &About, ladder: &Ladder) {
    let t = &ladder.transaction;
    page.leaf("p", &[], introduction(ladder));
    page.leaf(
        "p",
        &[("class", &"note")],
        "Thick arrows carry data, dotted ones only acknowledge or keep up the connection, dashed \
         ones repeat what was sent before; thin ones have no part in a request. The bracket at \
         the server is its turnaround. Distances grow with time, but a silence of more than 10 ms \
         is cut and its length written in.",
    );
    page.within("figure", &[("data-json", &"/ladder")], |page| {
        let caption = format!(
            "Conversation {} around request {}, {} {}",
            t.conversation,
            t.number,
            t.protocol,
            name(t)
        );
        page.leaf("figcaption", &[], &caption);
        let places = places(ladder);
        let height = places.last().map_or(TOP, |y| y + 16);
        let words = "the table below lists its frames";
        page.within("div", &[("class", &"ladder")], |page| {
            svg::picture(page, "ladder-plot", height, (&caption, words), |page| {
                sides(page, t, height);
                turnaround(page, ladder, &places);
                for ((n, rung), y) in ladder.rungs.iter().enumerate().zip(&places) {
                    if let Some(before) = n.checked_sub(1).and_then(|n| ladder.rungs.get(n)) {
                        between(page, before, rung, *y);
                    }
                    arrow(page, ladder, rung, *y);
                }
            });
        });
        table::numbers(page, "The frames in words", &frames(ladder));
    });
    page.leaf("p", &[], "Its frames in full, and another conversation:");
    page.leaf(
        "pre",
        &[],
        command(
            about,
            &["decode", "--transaction", &t.number.to_string(), "-d"],
        ),
    );
    let other = [
        "report",
        "--format",
        "html",
        "-o",
        "report.html",
        "--conversation",
        "N",
    ];
    page.leaf("pre", &[], command(about, &other));
}

fn name(t: &Transaction) -> String {
    let name = t.operation.name;
    Command { name, code: t.code }.to_string()
}

fn introduction(ladder: &Ladder) -> String {
    let t = &ladder.transaction;
    let mut text = match t.response_time_ns() {
        Some(ns) => format!("The request took {}", Short(ns)),
        None => "The request has no response time".to_owned(),
    };
    match t.turnaround {
        Turnaround::None => {}
        Turnaround::Exact(ns) => text.push_str(&format!(", {} of it at the server", Short(ns))),
        Turnaround::Between(low, high) => text.push_str(&format!(
            ", between {} and {} of it at the server: the response may \
             belong to either copy of the request",
            Short(low),
            Short(high)
        )),
    }
    text.push('.');
    if ladder.earlier > 0 {
        text.push_str(&format!(
            " {} earlier frames of the conversation are not shown.",
            Grouped(ladder.earlier)
        ));
    }
    let left_out: u64 = ladder.rungs.iter().map(|rung| rung.left_out).sum();
    if left_out > 0 {
        text.push_str(&format!(
            " {} frames in between are left out where the drawing says so.",
            Grouped(left_out)
        ));
    }
    text
}

/// How far down each frame is.
fn places(ladder: &Ladder) -> Vec<i64> {
    let mut y = TOP + STEP;
    let asked = ladder.transaction.request.map(|request| request.last.frame);
    let mut places = Vec::new();
    for (n, rung) in ladder.rungs.iter().enumerate() {
        if let Some(before) = n.checked_sub(1).and_then(|n| ladder.rungs.get(n)) {
            y += STEP + room(before, rung);
            if asked == Some(before.frame) {
                // What is written at the bracket.
                y += 20;
            }
        }
        places.push(y);
    }
    places
}

/// Room between two frames beside what each takes.
fn room(before: &Rung, rung: &Rung) -> i64 {
    let gap = rung.at.since(before.at);
    match gap {
        _ if rung.left_out > 0 => WRITTEN,
        ..100_000 => 0,
        100_000..1_000_000 => 7,
        1_000_000..=SILENCE_NS => 14,
        _ => WRITTEN,
    }
}

fn sides(page: &mut Page, t: &Transaction, height: i64) {
    svg::text(
        page,
        "halo",
        (Across(0), 14),
        "start",
        format_args!("client {}", t.client),
    );
    svg::text(
        page,
        "halo",
        (WHOLE, 32),
        "end",
        format_args!("server {}", t.server),
    );
    for x in [CLIENT, SERVER] {
        svg::line(page, "lifeline", (x, TOP - 8), (x, height));
    }
}

/// The bracket from the end of the request to the beginning of the answer.
fn turnaround(page: &mut Page, ladder: &Ladder, places: &[i64]) {
    let t = &ladder.transaction;
    let place = |frame: u64| {
        let at = ladder.rungs.iter().position(|rung| rung.frame == frame)?;
        places.get(at).copied()
    };
    let (Some(request), Some(response)) = (t.request, t.response) else {
        return;
    };
    let ends = place(request.last.frame).zip(place(response.first.frame));
    let Some((top, floor)) = ends.filter(|(top, floor)| top < floor) else {
        return;
    };
    let (time, value) = match t.turnaround {
        Turnaround::None => return,
        Turnaround::Exact(ns) => (Short(ns).to_string(), ns),
        Turnaround::Between(low, high) => {
            let [from, to] = [low, high].map(|ns| Short(ns).to_string());
            (range(&from, &to), high)
        }
    };
    page.within("g", &[("data-n", &value)], |page| {
        svg::line(page, "bracket", (SERVER, top), (BRACKET, top));
        svg::line(page, "bracket", (BRACKET, top), (BRACKET, floor));
        svg::line(page, "bracket", (BRACKET, floor), (SERVER, floor));
        let words = format!("turnaround {time}");
        svg::text(page, "halo strong", (Across(9200), top + 18), "end", words);
    });
}

/// What is written between two frames: a silence, or what is left out.
fn between(page: &mut Page, before: &Rung, rung: &Rung, y: i64) {
    let gap = rung.at.since(before.at);
    let words = match rung.left_out {
        0 if gap > SILENCE_NS => format!("{} without a frame", Short(gap)),
        0 => return,
        n => format!("{} frames left out, {}", Grouped(n), Short(gap)),
    };
    let middle = y - STEP - WRITTEN / 2 + 12;
    for x in [CLIENT, SERVER] {
        for shift in [0, 5] {
            let (left, right) = (Across(x.0 - 120), Across(x.0 + 120));
            svg::line(
                page,
                "cut",
                (left, middle + shift),
                (right, middle + shift - 4),
            );
        }
    }
    svg::text(page, "halo quiet", (MIDDLE, middle + 4), "middle", words);
}

fn arrow(page: &mut Page, ladder: &Ladder, rung: &Rung, y: i64) {
    let class = class(&rung.deeds);
    let (from, to) = match rung.from_client {
        true => (CLIENT, SERVER),
        false => (SERVER, CLIENT),
    };
    let since = ladder.since_begin(rung);
    page.within("g", &[("data-n", &since)], |page| {
        page.leaf("title", &[], &rung.words);
        svg::text(page, "tick", (Across(0), y + 4), "start", Short(since));
        page.shape(
            "line",
            &[
                ("class", &class),
                ("x1", &from),
                ("y1", &y),
                ("x2", &to),
                ("y2", &y),
                ("marker-end", &format_args!("url(#tip-{class})")),
            ],
        );
        let (does, bytes) = (
            does(&rung.deeds, &ladder.transaction),
            Grouped(rung.bytes.into()),
        );
        page.within(
            "text",
            &[
                ("class", &"halo"),
                ("x", &MIDDLE),
                ("y", &(y - 6)),
                ("text-anchor", &"middle"),
            ],
            |page| {
                page.text(format_args!("{}: {does}, {bytes} B", rung.frame));
                let mine = |deed: &(u64, Deed)| deed.0 == ladder.transaction.number;
                if rung.deeds.iter().any(mine) {
                    let name = name(&ladder.transaction);
                    page.leaf("tspan", &[("class", &"roomy")], format_args!(" ({name})"));
                }
            },
        );
    });
}

/// How the arrow of a frame looks.
fn class(deeds: &[(u64, Deed)]) -> &'static str {
    let any = |wanted: &[Deed]| deeds.iter().any(|(_, deed)| wanted.contains(deed));
    match () {
        () if any(&[Deed::Request, Deed::Response, Deed::Interim]) => "data",
        () if any(&[Deed::Retransmitted]) => "again",
        () if any(&[Deed::Ack, Deed::Control]) => "ack",
        () => "apart",
    }
}

/// What a frame does, in words.
fn does(deeds: &[(u64, Deed)], of: &Transaction) -> String {
    let mut words: Vec<String> = Vec::new();
    for (transaction, deed) in deeds.iter().take(3) {
        let deed = match deed {
            Deed::Interim => "interim response",
            Deed::Retransmitted => "retransmitted",
            deed => deed.name(),
        };
        words.push(match transaction {
            n if *n == of.number => deed.to_owned(),
            n => format!("{deed} of #{n}"),
        });
    }
    match deeds.len() {
        0 => "other".to_owned(),
        4.. => words.join(" + ") + " + more",
        _ => words.join(" + "),
    }
}

fn frames(ladder: &Ladder) -> Table {
    Table::over(&ladder.rungs)
        .right("frame", |rung| rung.frame.to_string())
        .right("since the request", |rung| Human(ladder.since_begin(rung)))
        .left(
            "from",
            |rung| if rung.from_client { "client" } else { "server" },
        )
        .left("does", |rung| does(&rung.deeds, &ladder.transaction))
        .right("bytes", |rung| Grouped(rung.bytes.into()))
        .left("summary", |rung| rung.words.clone())
        .table
}

/// The tips of the arrows, for the whole document.
pub(super) fn tips(page: &mut Page) {
    for (id, class, path) in [
        ("tip-data", "head", "M0 0 10 5 0 10z"),
        ("tip-again", "head again", "M0 0 10 5 0 10z"),
        ("tip-ack", "head ack", "M1 1 9 5 1 9"),
        ("tip-apart", "head apart", "M1 1 9 5 1 9"),
    ] {
        page.within(
            "marker",
            &[
                ("id", &id),
                ("viewBox", &"0 0 10 10"),
                ("refX", &9),
                ("refY", &5),
                ("markerWidth", &10),
                ("markerHeight", &10),
                ("markerUnits", &"userSpaceOnUse"),
                ("orient", &"auto"),
            ],
            |page| page.shape("path", &[("class", &class), ("d", &path)]),
        );
    }
}
