//! How much of each segment was used.

use super::{Look, count, entry, shown};
use crate::about::About;
use crate::escape::Escaped;
use crate::figures::{BitRate, Grouped, Percent};
use crate::table::{Column, NOTHING, Table};
use std::io::{self, Write};
use wirewait_analysis::{
    Directions, Duplex, Flow, KnownBy, Peak, SIZES, SegmentRow, Snapshot, Volume,
};

const COLUMNS: &[Column] = &[
    Column::left("interface"),
    Column::left("name").rare(),
    Column::right("frames"),
    Column::right("bytes"),
    Column::under("on the wire", "average"),
    Column::under("on the wire", "peak 1 s"),
    Column::under("on the wire", "100 ms"),
    Column::under("on the wire", "10 ms"),
    Column::under("utilisation", "average").rare(),
    Column::under("utilisation", "peak 1 s").rare(),
    Column::under("utilisation", "100 ms").rare(),
    Column::under("utilisation", "10 ms").rare(),
    Column::under("broadcast", "frames").rare(),
    Column::under("broadcast", "bytes").rare(),
    Column::under("multicast", "frames").rare(),
    Column::under("multicast", "bytes").rare(),
    Column::right("copies").rare(),
    Column::right("dropped").rare(),
];

const SIZES_OF: &[Column] = &[
    Column::left("interface"),
    Column::under("frames by size in bytes, with check sequence", "<=64"),
    Column::under("frames by size in bytes, with check sequence", "65-127"),
    Column::under("frames by size in bytes, with check sequence", "128-255"),
    Column::under("frames by size in bytes, with check sequence", "256-511"),
    Column::under("frames by size in bytes, with check sequence", "512-1023"),
    Column::under("frames by size in bytes, with check sequence", "1024-1518"),
    Column::under("frames by size in bytes, with check sequence", "longer"),
];

// A column for each size, behind the name.
const _: () = assert!(SIZES_OF.len() == SIZES.len() + 2);

/// Utilisation is in these.
const MILLION: u64 = 1_000_000;

/// How much was carried, by interface and together.
pub(crate) fn table(about: &About, snapshot: &Snapshot) -> Table {
    let mut table = Table::new(COLUMNS);
    for (n, row) in snapshot.segment.interfaces.iter().enumerate() {
        let known = about.interfaces.get(n);
        let name = known.and_then(|i| i.name.as_deref()).unwrap_or(NOTHING);
        let dropped = known.and_then(|i| i.dropped);
        table.row(load(n.to_string(), name, row, dropped));
        if let (Some(ways), Some((Duplex::Full, _))) = (&row.directions, row.duplex) {
            table.row(way(format!("{n} from {}", ways.station), row, &ways.from));
            table.row(way(format!("{n} to {}", ways.station), row, &ways.to));
        }
    }
    if snapshot.segment.interfaces.len() > 1 {
        let all = &snapshot.segment.together;
        table.row(load("all".to_owned(), NOTHING, all, None));
    }
    table
}

/// Frames by size, likewise.
pub(crate) fn sizes(snapshot: &Snapshot) -> Table {
    let mut table = Table::new(SIZES_OF);
    let segment = &snapshot.segment;
    for (n, row) in segment.interfaces.iter().enumerate() {
        table.row(by_size(n.to_string(), row));
    }
    if segment.interfaces.len() > 1 {
        table.row(by_size("all".to_owned(), &segment.together));
    }
    table
}

pub(super) fn segment(
    out: &mut impl Write,
    about: &About,
    snapshot: &Snapshot,
    look: Look,
) -> io::Result<()> {
    if snapshot.segment.together.captured.frames == 0 {
        return Ok(());
    }
    writeln!(out)?;
    look.heading(out, "Segment")?;
    table(about, snapshot).write(out, look)?;
    writeln!(out)?;
    sizes(snapshot).write(out, look)?;
    writeln!(out)?;
    for (name, value) in remarks(&snapshot.segment.interfaces) {
        entry(out, &name, value)?;
    }
    Ok(())
}

fn load(interface: String, name: &str, row: &SegmentRow, dropped: Option<u64>) -> Vec<String> {
    let frames = row.frames();
    let part = |of: Volume| {
        [
            shown((of.frames > 0).then_some(Percent(of.frames, frames))),
            shown((of.frames > 0).then_some(Percent(of.bytes, row.bytes.on_wire))),
        ]
    };
    let mut cells = vec![
        interface,
        Escaped(name).to_string(),
        Grouped(frames).to_string(),
        Grouped(row.bytes.on_wire).to_string(),
    ];
    cells.extend(flow(row, &row.all));
    cells.extend(part(row.broadcast));
    cells.extend(part(row.multicast));
    cells.push(count(row.copies.frames));
    cells.push(shown(dropped.map(Grouped)));
    cells
}

/// One direction.
fn way(name: String, row: &SegmentRow, of: &Flow) -> Vec<String> {
    let mut cells = vec![
        name,
        NOTHING.to_owned(),
        Grouped(of.total.frames).to_string(),
        Grouped(of.total.bytes).to_string(),
    ];
    cells.extend(flow(row, of));
    cells
}

/// Rates and utilisation, the longest peak first.
fn flow(row: &SegmentRow, of: &Flow) -> Vec<String> {
    let average = row
        .elapsed_ns()
        .and_then(|ns| BitRate::of(of.total.bytes, ns));
    let used = |millionths: Option<u64>| shown(millionths.map(|n| Percent(n, MILLION)));
    let rate = |peak: &Peak| {
        let some = (peak.frames > 0).then(|| BitRate::of(peak.bytes, peak.width_ns));
        shown(some.flatten())
    };
    let rates = of.peaks.iter().rev().map(rate);
    let busy = of.peak_utilisation.iter().rev().copied().map(used);
    [shown(average)]
        .into_iter()
        .chain(rates)
        .chain([used(of.utilisation)])
        .chain(busy)
        .collect()
}

fn by_size(name: String, row: &SegmentRow) -> Vec<String> {
    let sizes = row.sizes.iter().map(|n| match n {
        0 => NOTHING.to_owned(),
        n => format!("{} ({})", Grouped(*n), Percent(*n, row.frames())),
    });
    [name].into_iter().chain(sizes).collect()
}

/// What the figures of each interface rest on, by name; nothing for what goes on from the line
/// before.
pub(crate) fn remarks(rows: &[SegmentRow]) -> Vec<(String, String)> {
    let mut remarks = Vec::new();
    for (n, row) in rows.iter().enumerate().filter(|(_, row)| row.frames() > 0) {
        let mut title = match rows {
            [_] => "link".to_owned(),
            _ => format!("link {n}"),
        };
        for sentence in [speed(row), duplex(row), spacing(row), oversize(row)]
            .into_iter()
            .flatten()
        {
            remarks.push((std::mem::take(&mut title), sentence));
        }
    }
    remarks.push((
        "bytes".to_owned(),
        "with padding, check sequence, preamble and gap (variant C), without copies; peaks begin at \
         whole 10 ms, 100 ms, s"
            .to_owned(),
    ));
    if rows.iter().any(is_short) {
        remarks.push((
            String::new(),
            "a peak is below its average where the capture does not fill what the peak is taken over: \
             the average is over the time between the first frame and the end of the last"
                .to_owned(),
        ));
    }
    remarks
}

/// Whether a peak is below its average, as a capture that is shorter may have it.
fn is_short(row: &SegmentRow) -> bool {
    let ns = row.elapsed_ns().map_or(0, i128::from);
    let flows = [&row.all].into_iter().chain(
        row.directions
            .iter()
            .flat_map(|ways| [&ways.from, &ways.to]),
    );
    let below = |of: &Flow, peak: &Peak| {
        let (in_peak, in_all) = (i128::from(peak.bytes), i128::from(of.total.bytes));
        peak.frames > 0 && in_peak * ns < in_all * i128::from(peak.width_ns)
    };
    let any = |of: &Flow| of.peaks.iter().any(|peak| below(of, peak));
    ns > 0 && flows.into_iter().any(any)
}

fn speed(row: &SegmentRow) -> Option<String> {
    Some(match (row.speed, row.speed_at_least) {
        _ if row.bare > 0 => {
            "utilisation n/a: what surrounds frames of this kind of link is not known; bytes are \
             those of the capture"
                .to_owned()
        }
        (Some((speed, by)), _) => format!(
            "{}, as {}; utilisation is by captured good frames",
            BitRate(speed),
            match by {
                KnownBy::Given => "given by --link-speed",
                KnownBy::Capture | KnownBy::Assumed => "the capture says",
            }
        ),
        (None, Some(least)) => format!(
            "utilisation n/a: the speed is not known (at least {}, as the busiest 10 ms show); \
             --link-speed 10M tells it",
            BitRate(least)
        ),
        (None, None) => {
            "utilisation n/a: the speed is not known; --link-speed 10M tells it".to_owned()
        }
    })
}

fn duplex(row: &SegmentRow) -> Option<String> {
    // Without a speed nothing depends on it.
    row.speed?;
    let (duplex, by) = row.duplex?;
    let by = match by {
        KnownBy::Given => "given by --duplex",
        KnownBy::Capture => "as frames of both directions overlap",
        KnownBy::Assumed => "assumed",
    };
    Some(match (duplex, &row.directions) {
        (Duplex::Half, Some(_)) if by == "assumed" => format!(
            "half duplex, {by}: both directions count together; with --duplex full each has its own"
        ),
        (Duplex::Half, _) => format!("half duplex, {by}: all frames count together"),
        (Duplex::Full, Some(Directions { station, .. })) => format!(
            "full duplex, {by}: the directions are those from and to {station}, which all frames \
             to one station concern"
        ),
        (Duplex::Full, None) => format!(
            "full duplex, {by}; utilisation n/a: more than one station at either end, so the \
             direction of a frame cannot be told"
        ),
    })
}

fn spacing(row: &SegmentRow) -> Option<String> {
    let found = row.spacing.filter(|found| found.too_close > 0)?;
    Some(format!(
        "{} of {} frames ({}) are closer than the link allows: stamped late, or of several links; \
         a peak of 10 ms may be too high",
        Grouped(found.too_close),
        Grouped(found.pairs),
        Percent(found.too_close, found.pairs)
    ))
}

fn oversize(row: &SegmentRow) -> Option<String> {
    (row.oversize > 0).then(|| {
        format!(
            "{} frames are longer than the link carries: on the wire they were {}, with a few more \
             bytes",
            Grouped(row.oversize),
            Grouped(row.oversize_on_wire)
        )
    })
}
