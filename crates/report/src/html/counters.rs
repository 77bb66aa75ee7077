//! Performance Monitor's counters of the segment and of each station.

use super::ROWS;
use super::markup::Page;
use super::table;
use crate::counters::Samples;
use crate::counters::text::{MARKS, StationFigures, extent, name, stations};
use crate::time::Digits;

/// Writes what is not zero: the segment at once, each station when it is opened.
pub(super) fn counters(page: &mut Page, samples: &Samples) {
    let Some(extent) = extent(samples, Digits::Three) else {
        return;
    };
    page.leaf("p", &[("class", &"note")], format_args!("{extent} {MARKS}"));
    let (stations, more) = stations(samples, Digits::Three);
    for station in &stations {
        let title = name(station.0);
        match station.0 {
            None => {
                page.leaf("h3", &[], &title);
                objects(page, &title, station);
            }
            Some(_) => page.within("details", &[], |page| {
                page.leaf("summary", &[], &title);
                objects(page, &title, station);
            }),
        }
    }
    table::more(page, more);
}

fn objects(page: &mut Page, of: &str, (_, objects): &StationFigures) {
    for shown in objects {
        page.leaf("h4", &[], &shown.name);
        let caption = format!("{of}, {}", shown.name);
        table::table(page, &caption, &shown.counters, ROWS);
        if !shown.zero.is_empty() {
            let zero = shown.zero.join(", ");
            page.leaf("p", &[("class", &"note")], format_args!("Zero: {zero}."));
        }
        if !shown.ratios.is_empty() {
            table::table(page, &format!("{caption}, ratios"), &shown.ratios, ROWS);
        }
    }
}
