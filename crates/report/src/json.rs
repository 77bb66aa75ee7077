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
use crate::document::{documents, of};
use crate::escape;
use crate::ladder::Ladder;
use crate::transactions::Row;
use std::io::{self, Write};
use wirewait_analysis::{Grouping, Snapshot};
use wirewait_judge::Verdict;

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
    let document: ReportDocument<'_> = of((snapshot, about, ladder));
    escape::json(&mut *out, |out| {
        serde_json::to_writer_pretty(out, &document)
    })?;
    writeln!(out)
}

documents! {
    struct ReportDocument<'a> of snapshot, about, drawn: (&'a Snapshot, &'a About, Option<&'a Ladder>) {
        /// Name and version of this form.
        schema: &'static str = SCHEMA,
        /// Who had most of the active time, and the evidence.
        verdict: verdict::Judged = of(&Verdict::on(snapshot)),
        /// What was read, and how good it is.
        capture: capture::Capture<'a> = of((about, snapshot)),
        /// What is wrong, and how it was judged.
        symptoms: symptoms::Symptoms<'a> = of((about, snapshot)),
        /// Frames that contain each protocol, by its name.
        protocols: capture::Protocols<'a> = capture::Protocols(&snapshot.protocols),
        /// What was carried on each interface.
        segment: segment::Segment<'a> = of((about, snapshot)),
        /// What frames were spent on.
        efficiency: efficiency::Efficiency,
        /// Operations of each server, by total response time.
        servers: Vec<servers::Server>,
        /// Clients, by total response time.
        stations: Vec<stations::Station>,
        /// Whether clients are served alike.
        fairness: fairness::Fairness,
        /// Service by the number of active stations, by size, over time and by routers.
        load: load::Load = of(snapshot),
        /// How turnarounds and response times are spread.
        distribution: distribution::Distributions,
        /// Where the time of clients went.
        ledger: ledger::Ledgers = of(snapshot),
        /// The shortest round trip between the capture and each station.
        round_trips: Vec<verdict::Trip>,
        /// Requests of each user.
        users: Vec<places::PlaceDocument> = places::places(snapshot, Grouping::User),
        /// Requests on each share or volume.
        shares: Vec<places::PlaceDocument> = places::places(snapshot, Grouping::Share),
        /// Requests for each file.
        files: Vec<places::PlaceDocument> = places::places(snapshot, Grouping::File),
        /// Further tables.
        statistics: Vec<statistics::Statistic<'a>>,
        /// The slowest requests that have a response, as rows of `transactions`.
        slowest: Vec<Row<'a>> = snapshot.slowest.iter().map(Row::from).collect(),
        /// Requests that were given up or cancelled without a response after as long as the slowest took, the longest first.
        unanswered: Vec<common::UnansweredDocument<'a>>,
        /// Frames of one conversation; null unless asked for.
        ladder: Option<ladder::LadderConversation<'a>> = drawn.map(of),
        /// Transactions that are left out of statistics, with the reason.
        excluded: Vec<settings::Excluded>,
        /// What the figures depend on.
        settings: settings::SettingsUsed,
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
        crate::schema::described(&schema);
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
                "unanswered",
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
