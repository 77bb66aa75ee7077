//! Sums by time: summaries that begin in the same interval are added up.

use super::document::Document;
use super::text::{Timed, table, timed};
use crate::document::{documents, of};
use crate::escape;
use crate::figures::Grouped;
use crate::text::{Look, noted};
use crate::time::{Human, Rfc3339};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use wirewait_analysis::Summary;
use wirewait_wire::Timestamp;

/// Changes when a name, its meaning or the shape of the document does.
const SCHEMA: &str = "wirewait-buckets/1";

/// Summaries by the interval in which they begin. Intervals are multiples of their length since
/// 1970, UTC: of 1 h, those of the clock.
#[derive(Clone, Debug)]
pub struct Buckets {
    length_ns: i64,
    /// By the beginning of the interval; `None` without frames.
    sums: BTreeMap<Option<Timestamp>, Summary>,
    longer: u64,
}

impl Buckets {
    /// No summary yet, in intervals of this many nanoseconds (at least 1).
    #[must_use]
    pub fn new(length_ns: i64) -> Self {
        Self {
            length_ns: length_ns.max(1),
            sums: BTreeMap::new(),
            longer: 0,
        }
    }

    /// Adds a summary to the interval in which it begins.
    pub fn add(&mut self, summary: &Summary) {
        let start = summary.first.map(|first| self.start(first));
        let end = summary.last.map(|last| self.start(last));
        self.longer += u64::from(start != end);
        self.sums.entry(start).or_default().merge(summary);
    }

    /// Summaries that end in a later interval than they begin.
    #[must_use]
    pub fn longer(&self) -> u64 {
        self.longer
    }

    fn start(&self, at: Timestamp) -> Timestamp {
        let ns = at.as_nanos();
        Timestamp::from_nanos(ns.saturating_sub(ns.rem_euclid(self.length_ns)))
    }

    /// Writes a table of all servers and one for each server, an interval in a row.
    ///
    /// # Errors
    /// What `out` says.
    pub fn text(&self, out: &mut impl Write, look: Look) -> io::Result<()> {
        let length = Length(self.length_ns);
        look.heading(out, &format!("Sums by {length} of the UTC clock"))?;
        let parts = self.sums.values().map(|sum| sum.parts);
        let parts = parts.fold(0_u64, u64::saturating_add);
        let (parts, intervals) = (Grouped(parts), Grouped(self.sums.len() as u64));
        noted!(
            out,
            look,
            "analyses: {parts}, intervals with some: {intervals}"
        )?;
        let mut servers: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (start, sum) in &self.sums {
            let start = start.map_or("no frames".to_owned(), |at| Rfc3339(at).to_string());
            for total in sum.totals() {
                servers
                    .entry(total.server)
                    .or_default()
                    .push((start.clone(), total));
            }
        }
        for (server, totals) in servers {
            let rows = totals.iter().map(|(start, total)| Timed {
                of: start.clone(),
                ..Timed::from(total)
            });
            let (heading, rows) = (format!("Server {server}"), rows.collect::<Vec<_>>());
            table(out, look, &heading, rows.len(), timed(&rows, look.digits))?;
        }
        Ok(())
    }

    /// Writes the document: a summary for each interval, in order.
    ///
    /// # Errors
    /// What `out` says.
    pub fn json(&self, out: &mut impl Write) -> io::Result<()> {
        let document: BucketSeries = of(self);
        escape::json(&mut *out, |out| serde_json::to_writer(out, &document))?;
        writeln!(out)
    }
}

/// A length as people type it, where it is one of whole hours or minutes.
struct Length(i64);

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MINUTE: i64 = 60_000_000_000;
        const HOUR: i64 = 60 * MINUTE;
        match self.0 {
            ns if ns % HOUR == 0 => write!(f, "{} h", ns / HOUR),
            ns if ns % MINUTE == 0 => write!(f, "{} min", ns / MINUTE),
            ns => write!(f, "{}", Human(ns)),
        }
    }
}

documents! {
    /// Sums by time.
    struct BucketSeries of buckets: &Buckets {
        schema: &'static str = SCHEMA,
        /// Length of an interval.
        length_ns: i64,
        /// Intervals in which a summary begins, in order.
        buckets: Vec<Bucket> = buckets.sums.iter().map(of).collect(),
    }

    struct Bucket of start, sum: (&Option<Timestamp>, &Summary) {
        /// Beginning of the interval, UTC; null for summaries without frames.
        start: Option<Rfc3339> = start.map(Rfc3339),
        /// The sum of the summaries that begin in it, which can be added to others.
        summary: Document = of(sum),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000_000_000;

    fn part(first: i64, last: i64) -> Summary {
        Summary {
            parts: 1,
            frames: 10,
            first: Some(Timestamp::from_nanos(first)),
            last: Some(Timestamp::from_nanos(last)),
            ..Summary::default()
        }
    }

    #[test]
    fn summaries_count_where_they_begin() {
        let mut buckets = Buckets::new(HOUR);
        buckets.add(&part(5 * HOUR, 5 * HOUR + 1));
        buckets.add(&part(6 * HOUR - 1, 6 * HOUR));
        buckets.add(&part(7 * HOUR + 3, 7 * HOUR + 9));
        buckets.add(&part(-1, -1));
        buckets.add(&Summary {
            parts: 1,
            ..Summary::default()
        });
        assert_eq!(buckets.longer(), 1);
        let found = buckets.sums.iter();
        let found: Vec<_> = found
            .map(|(start, sum)| (start.map(|at| at.as_nanos()), sum.parts, sum.frames))
            .collect();
        let expected = [
            (None, 1, 0),
            (Some(-HOUR), 1, 10),
            (Some(5 * HOUR), 2, 20),
            (Some(7 * HOUR), 1, 10),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn each_interval_is_a_summary_of_its_own() {
        let mut buckets = Buckets::new(HOUR);
        buckets.add(&part(5 * HOUR, 5 * HOUR + 1));
        let mut text = Vec::new();
        buckets.json(&mut text).unwrap();
        let value: serde_json::Value = serde_json::from_slice(&text).unwrap();
        let bucket = &value["buckets"][0];
        assert_eq!(bucket["start"], "1970-01-01T05:00:00.000000000Z");
        let summary = serde_json::to_vec(&bucket["summary"]).unwrap();
        let read = super::super::read(&summary).unwrap();
        assert_eq!(read, part(5 * HOUR, 5 * HOUR + 1));
    }

    #[test]
    fn the_published_schema_is_that_of_the_document() {
        let schema = crate::schema::of::<BucketSeries>(SCHEMA);
        crate::schema::check("buckets.schema.json", &schema);
    }
}
