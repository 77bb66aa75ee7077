//! The whole report as one JSON document, for programs. Names, shape and order are a
//! promise; integers carry their unit in their name (`_ns`, `_bytes`).

mod capture;
mod common;
mod distribution;
mod efficiency;
mod fairness;
mod ladder;
mod ledger;
mod load;
mod places;
mod segment;
mod servers;
mod settings;
mod stations;
mod statistics;
mod symptoms;
mod verdict;

use crate::about::About;
use crate::escape::JsonEscaping;
use crate::ladder::Ladder;
use crate::transactions::Row;
use serde::Serialize;
use std::io::{self, Write};
use wirewait_analysis::{Grouping, Snapshot};

/// Changes when a name, its meaning or the shape of the document does.
pub const SCHEMA: &str = "wirewait-report/1";

/// Writes the report.
///
/// # Errors
/// What `out` says.
pub fn report(out: &mut impl Write, about: &About, snapshot: &Snapshot) -> io::Result<()> {
    report_with(out, about, snapshot, None)
}

/// Writes the report with the frames of a conversation.
///
/// # Errors
/// What `out` says.
pub fn report_with(
    out: &mut impl Write,
    about: &About,
    snapshot: &Snapshot,
    ladder: Option<&Ladder>,
) -> io::Result<()> {
    serde_json::to_writer_pretty(JsonEscaping(&mut *out), &document(about, snapshot, ladder))?;
    writeln!(out)
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ReportDocument<'a> {
    schema: &'static str,
    verdict: verdict::Judged,
    capture: capture::Capture<'a>,
    symptoms: symptoms::Symptoms<'a>,
    protocols: capture::Protocols<'a>,
    segment: segment::Segment<'a>,
    efficiency: efficiency::Efficiency,
    servers: Vec<servers::Server>,
    stations: Vec<stations::Station>,
    fairness: fairness::Fairness,
    load: load::Load,
    distribution: distribution::Distributions,
    ledger: ledger::Ledgers,
    round_trips: Vec<verdict::Trip>,
    users: Vec<places::PlaceDocument>,
    shares: Vec<places::PlaceDocument>,
    files: Vec<places::PlaceDocument>,
    statistics: Vec<statistics::Statistic<'a>>,
    slowest: Vec<Row<'a>>,
    ladder: Option<ladder::LadderConversation<'a>>,
    excluded: Vec<settings::Excluded>,
    settings: settings::SettingsUsed,
}

fn document<'a>(
    about: &'a About,
    snapshot: &'a Snapshot,
    drawn: Option<&'a Ladder>,
) -> ReportDocument<'a> {
    ReportDocument {
        schema: SCHEMA,
        verdict: verdict::judged(snapshot),
        capture: capture::capture(about, snapshot),
        symptoms: symptoms::symptoms(about, snapshot),
        protocols: capture::protocols(snapshot),
        segment: segment::segment(about, snapshot),
        efficiency: efficiency::efficiency(snapshot),
        servers: snapshot.servers.iter().map(servers::server).collect(),
        stations: snapshot.stations.iter().map(stations::station).collect(),
        fairness: fairness::fairness(snapshot),
        load: load::load(snapshot),
        distribution: distribution::distributions(&snapshot.distribution),
        ledger: ledger::ledgers(snapshot),
        round_trips: snapshot
            .round_trips
            .iter()
            .map(verdict::Trip::from)
            .collect(),
        users: places::places(snapshot, Grouping::User),
        shares: places::places(snapshot, Grouping::Share),
        files: places::places(snapshot, Grouping::File),
        statistics: statistics::statistics(snapshot),
        slowest: snapshot.slowest.iter().map(Row::from).collect(),
        ladder: drawn.map(ladder::ladder),
        excluded: settings::excluded(snapshot),
        settings: settings::SettingsUsed::from(&snapshot.settings),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use crate::text::tests::about;

    fn written(about: &About, snapshot: &Snapshot) -> String {
        let mut out = Vec::new();
        report(&mut out, about, snapshot).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_whole_document() {
        let text = written(&about(), &samples::snapshot());
        crate::golden::check("report.json", &text);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["schema"], SCHEMA);
    }

    /// The published schema is that of the types which the document is written from.
    #[test]
    fn the_published_schema_is_that_of_the_document() {
        let schema = crate::schema::of::<ReportDocument<'_>>(SCHEMA);
        crate::schema::check("report.schema.json", &schema);
    }

    #[test]
    fn the_sections_stand_in_a_fixed_order() {
        let text = written(&about(), &samples::snapshot());
        let sections: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("  \""))
            .filter_map(|line| line.split('"').nth(1))
            .collect();
        assert_eq!(
            sections,
            [
                "schema",
                "verdict",
                "capture",
                "symptoms",
                "protocols",
                "segment",
                "efficiency",
                "servers",
                "stations",
                "fairness",
                "load",
                "distribution",
                "ledger",
                "round_trips",
                "users",
                "shares",
                "files",
                "statistics",
                "slowest",
                "ladder",
                "excluded",
                "settings"
            ]
        );
    }

    #[test]
    fn an_empty_capture_is_a_document_too() {
        let mut empty = samples::snapshot();
        empty.capture.first = None;
        empty.capture.last = None;
        empty.capture.reasons.clear();
        empty.protocols.clear();
        empty.segment = wirewait_analysis::Segment::default();
        empty.servers.clear();
        empty.stations.clear();
        empty.slowest.clear();
        empty.excluded.clear();
        let value: serde_json::Value =
            serde_json::from_str(&written(&About::default(), &empty)).unwrap();
        assert!(value["capture"]["first"].is_null());
        assert!(value["capture"]["duration_ns"].is_null());
        assert!(value["capture"]["dropped"].is_null());
        assert_eq!(value["servers"].as_array().unwrap().len(), 0);
        assert_eq!(value["protocols"].as_object().unwrap().len(), 0);
    }
}
