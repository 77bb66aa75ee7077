//! The clients: who waits how long, and whether all are served alike.

use super::figures::{Figures, spread, time};
use super::servers::{self, saturated};
use super::{View, bars, draw_table};
use crate::Command;
use crate::model::Model;
use crate::place::Place;
use crate::table::{AnyRows, Cell, Column, Head, List, RowIdentity, Value, columns_of};
use crate::text::{band, wrapped};
use crate::theme::Tone;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::cmp::Reverse;
use wirewait_analysis::recent::Of;
use wirewait_analysis::{LedgerOf, LedgerRow, STARVES_PERCENT, Snapshot, StationRow};
use wirewait_judge::Culprit;
use wirewait_report::columns::TimeColumn::{P50, P95};
use wirewait_report::columns::{ERRORS, REPEATED, REQUESTS, UNANSWERED};
use wirewait_report::words::{Percent, Short, bound_mark, fairness, marked};

/// Lines above the rows of the table.
const HEAD: u16 = 3;
/// Clients come and go: what is below the table stays where it is as long as that is no longer.
const LEAST_TABLE: u16 = 6;

pub(super) struct Clients;

/// A client with its ledger.
pub(super) struct ClientRow<'m> {
    station: &'m StationRow,
    ledger: Option<&'m LedgerRow>,
    /// Time in which anybody waited, ns.
    waited: u64,
    starves: bool,
    /// Figures of the window, if there is one.
    figures: Figures<'m>,
    retransmitted: u64,
    in_window: bool,
}

impl ClientRow<'_> {
    /// What is known of all the capture only.
    fn since_start(&self, cell: impl FnOnce() -> Cell) -> Cell {
        match self.in_window {
            true => Cell::default(),
            false => cell(),
        }
    }
}

fn columns<'m>() -> Vec<Column<ClientRow<'m>>> {
    columns_of![|r: &ClientRow<'_>, context|
        Head::left("client", 15).most(30).help("The client's station.")
            => Cell::text(r.station.client.to_string()),
        Head::right("servers", 7).rank(8).since_start().help("Servers to which the client sent requests.")
            => r.since_start(|| Cell::count(r.station.servers)),
        Head::count(REQUESTS, 8).rank(1) => Cell::count(REQUESTS.value(&r.figures.counts)),
        Head::left("response rate", 17).rank(6)
            .help("Responses in each second of the last minute, or of the window. The latest is at the right.")
            => Cell::from(Value::Course(context.course(&Of::Client(r.station.client)))).quiet(),
        Head::right("net+server", 10).rank(1).since_start()
            .help("Active time that is not the client's own: network and server, with the distance within its pauses. The longest stands first.")
            => r.since_start(|| Cell::time(Some(saturated(r.station.busy_ns))).quiet()),
        Head::right("of all", 7).rank(3).since_start().help("The client's share of that time of all clients.")
            => r.since_start(|| {
                r.ledger.map_or_else(Cell::default, |row| {
                    Value::Share(r.station.busy_ns, r.waited).into()
                })
            }),
        Head::time(P50, 7).under("response").rank(4)
            .help("Median response time, from the first frame of the request to the last frame of the response, without session set-up.")
            => r.figures.response(P50),
        Head::time(P95, 7).under("response").rank(2).help("95th percentile of the response time, without session set-up.")
            => r.figures.response(P95),
        Head::right("× mean", 6).under("response").rank(2).since_start()
            .help("The client's mean response time, divided by the mean of all clients. 2 is twice as long.")
            => r.since_start(|| relative(r)),
        Head::right("think p50", 9).rank(5).percentile().since_start()
            .help("Median think time: pauses between requests longer than half a second.")
            => r.since_start(|| time(&r.station.think_time, P50, false)),
        Head::right("retrans", 7).rank(4)
            .help("Retransmitted frames of the client's requests, in either direction.")
            => Cell::trouble(r.retransmitted, Tone::Warn),
        Head::count(REPEATED, 8).rank(4).help("Requests that the client sent more than once.")
            => Cell::trouble(REPEATED.value(&r.figures.counts), Tone::Warn),
        Head::count(ERRORS, 6).rank(5)
            => Cell::trouble(ERRORS.value(&r.figures.counts), Tone::Warn),
        Head::count(UNANSWERED, 10).rank(5)
            => Cell::trouble(UNANSWERED.value(&r.figures.counts), Tone::Bad),
        Head::right("data", 9).rank(7).help("File data transferred.")
            => Value::Bytes(r.figures.data_bytes).into(),
        spread(12) => bars::spread(&r.figures.responses()),
    ]
}

fn relative(row: &ClientRow<'_>) -> Cell {
    let Some(millionths) = row.station.normalised_mean else {
        return Cell::default();
    };
    let cell = Cell::from(Value::Milli((millionths + 500) / 1000));
    match row.starves {
        true => cell.toned(Tone::Bad),
        false if millionths >= STARVES_PERCENT * 10_000 => cell.toned(Tone::Warn),
        false => cell,
    }
}

fn ledger<'m>(snapshot: &'m Snapshot, row: &StationRow) -> Option<&'m LedgerRow> {
    let of = LedgerOf::Client(row.client);
    snapshot.ledgers.iter().find(|row| row.of == of)
}

/// All clients.
pub(super) fn list(model: &Model) -> Option<List<ClientRow<'_>>> {
    let feed = model.feed.as_ref()?;
    let snapshot = &feed.snapshot;
    let waits = snapshot.stations.iter().map(|station| station.busy_ns);
    let waited = waits.fold(0, u64::saturating_add);
    let starving = &snapshot.fairness.starving;
    let context = model.context();
    let window = model.window.map(|_| context.window(&feed.recent));
    let mut tallies = window.map(|window| window.rows(|of| matches!(of, Of::Client(_))));
    let mut longest: Vec<&StationRow> = snapshot.stations.iter().collect();
    longest.sort_by_key(|station| Reverse(station.busy_ns));
    let rows = longest.into_iter().map(|station| {
        let tally = tallies.as_mut().map(|tallies| {
            let tally = tallies.remove(&Of::Client(station.client));
            tally.unwrap_or_default()
        });
        ClientRow {
            station,
            ledger: ledger(snapshot, station),
            waited,
            starves: starving.iter().any(|s| s.client == station.client),
            in_window: tally.is_some(),
            retransmitted: match &tally {
                Some(tally) => tally.retransmitted,
                None => station.retransmitted,
            },
            figures: tally.map_or_else(|| station.into(), Figures::from),
        }
    });
    Some(List {
        columns: columns(),
        rows: rows.collect(),
        key: |row: &ClientRow<'_>| RowIdentity::Station(row.station.client),
        sorted: Some(("net+server", true)),
        empty: "No client has sent a request to a file server yet.",
    })
}

impl View for Clients {
    fn name(&self) -> &'static str {
        "clients"
    }

    fn title(&self, model: &Model, _: &Place) -> String {
        match model.window {
            None => "Clients".to_owned(),
            Some(_) => {
                "Clients; their ledgers and whether all are served alike: since start".to_owned()
            }
        }
    }

    fn rows<'m>(&self, model: &'m Model, _: &'m Place) -> Option<Box<dyn AnyRows + 'm>> {
        Some(Box::new(list(model)?))
    }

    fn table_area(&self, model: &Model, _: &Place, body: Rect) -> Rect {
        split(model, body).0
    }

    fn opens(&self, _: &Place) -> Option<&'static str> {
        Some("conversations")
    }

    fn enter(&self, model: &mut Model, _: &Place) -> Vec<Command> {
        if let Some(RowIdentity::Station(client)) = model.level().table.chosen_key().cloned() {
            model.open(Place::Conversations(Some(client)));
        }
        Vec::new()
    }

    fn draw(&self, model: &Model, place: &Place, body: Rect, buffer: &mut Buffer) {
        draw_table(model, place, body, buffer);
        let Some(feed) = &model.feed else {
            return;
        };
        let chosen = match model.level().table.chosen_key() {
            Some(RowIdentity::Station(client)) => {
                let mut all = feed.snapshot.stations.iter();
                all.find(|row| row.client == *client)
            }
            _ => None,
        };
        detail(model, &feed.snapshot, chosen, split(model, body).1, buffer);
    }
}

/// The table, and what is below it: of few clients it has the lines that the table leaves.
fn split(model: &Model, body: Rect) -> (Rect, Rect) {
    let (table, detail) = servers::split(body);
    if detail.height == 0 {
        return (table, detail);
    }
    let clients = model
        .feed
        .as_ref()
        .map_or(0, |feed| feed.snapshot.stations.len());
    let needed = u16::try_from(clients)
        .unwrap_or(u16::MAX)
        .saturating_add(HEAD);
    let table = Rect {
        height: table.height.min(needed.max(LEAST_TABLE)),
        ..table
    };
    let below = body.height - table.height;
    (table, band(body, table.bottom(), below))
}

/// Where the time of the chosen one went, and whether all are served alike.
fn detail(
    model: &Model,
    snapshot: &Snapshot,
    chosen: Option<&StationRow>,
    area: Rect,
    buffer: &mut Buffer,
) {
    if area.height < 3 {
        return;
    }
    let context = model.context();
    let mut y = area.y;
    if let Some(row) = chosen {
        super::rule(
            buffer,
            area,
            &format!("Where the time of {} went", row.client),
            &context,
        );
        y += 1;
        let known = ledger(snapshot, row);
        if let Some(known) = known.filter(|row| row.ledger.total() > 0) {
            let ledger = known.ledger;
            let line = band(area, y, 1);
            bars::ledger(&ledger, &context, line, buffer);
            let below = band(area, y + 1, area.bottom().saturating_sub(y + 1).min(2));
            let marks = [Culprit::Client, Culprit::Server];
            let marks = marks.map(|one| bound_mark(one, known, &snapshot.tick));
            y += 1 + bars::legend((&ledger, marks), &context, below, buffer);
            let waited = row.busy_ns;
            let text = format!(
                "network and server {} of {} active ({}), server {}; {} {} to think",
                Short(saturated(waited)),
                Short(saturated(ledger.active())),
                Percent(waited, ledger.active()),
                marked(Culprit::Server, known, &snapshot.tick).unwrap_or_default(),
                row.thinks,
                if row.thinks == 1 { "pause" } else { "pauses" },
            );
            let rest = band(area, y, area.bottom().saturating_sub(y).min(2));
            y += wrapped(buffer, rest, &text, context.theme.plain);
        }
        // What is said below needs six lines; the rest shows how its times are spread.
        let room = area.bottom().saturating_sub(y + 6);
        if room >= 4 && row.response_time.n > 0 {
            let title = band(area, y, 1);
            super::rule(buffer, title, "Response times", &context);
            let below = band(area, y + 1, room - 1);
            bars::histogram(
                &bars::steps(&row.samples.response_time),
                &context,
                below,
                buffer,
            );
            y += room;
        }
    }
    let below = band(area, y, area.bottom().saturating_sub(y));
    if below.height < 2 {
        return;
    }
    super::rule(buffer, below, "Fairness between clients", &context);
    let mut y = y + 1;
    let sentences = fairness(&snapshot.fairness);
    if sentences.is_empty() {
        let said = "Not enough data: fairness needs two clients with enough response times.";
        let rest = band(area, y, area.bottom() - y);
        wrapped(buffer, rest, said, context.theme.dim);
    }
    for sentence in sentences {
        let rest = band(area, y, area.bottom().saturating_sub(y));
        let style = match sentence.starts_with("unfair:") {
            true => context.theme.bad,
            false => context.theme.plain,
        };
        y += wrapped(buffer, rest, &sentence, style);
    }
}
