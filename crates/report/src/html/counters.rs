//! Performance Monitor's counters of the segment and of each station.

use super::ROWS;
use super::markup::Page;
use super::table;
use crate::counters::Samples;
use crate::counters::text::{MARKS, STANDING, StationFigures, extent, name, stations};
use crate::time::Digits;
use askama::Template;

/// What a station counted.
struct StationPart {
    name: String,
    /// It is seen at once.
    is_segment: bool,
    objects: String,
}

#[derive(Template)]
#[template(path = "counters.html")]
struct CountersPart {
    extent: String,
    marks: &'static str,
    standing: &'static str,
    stations: Vec<StationPart>,
}

/// What an object of a station counted.
#[derive(Template)]
#[template(path = "counted.html")]
struct ObjectPart<'a> {
    name: &'a str,
    counters: String,
    zero: String,
    ratios: String,
}

/// Writes what is not zero: the segment at once, each station when it is opened.
pub(super) fn counters(page: &mut Page, samples: &Samples) {
    let Some(extent) = extent(samples, Digits::Three) else {
        return;
    };
    let (stations, more) = stations(samples, Digits::Three);
    let stations = stations.iter().map(|station| StationPart {
        name: name(station.0),
        is_segment: station.0.is_none(),
        objects: Page::part(|page| objects(page, station)),
    });
    page.template(&CountersPart {
        extent,
        marks: MARKS,
        standing: STANDING,
        stations: stations.collect(),
    });
    table::more(page, more);
}

fn objects(page: &mut Page, (station, objects): &StationFigures) {
    for shown in objects {
        let caption = format!("{}, {}", name(*station), shown.name);
        page.template(&ObjectPart {
            name: &shown.name,
            counters: Page::part(|page| table::table(page, &caption, &shown.counters, ROWS)),
            zero: shown.zero.join(", "),
            ratios: Page::part(|page| {
                if !shown.ratios.is_empty() {
                    table::table(page, &format!("{caption}, ratios"), &shown.ratios, ROWS);
                }
            }),
        });
    }
}
