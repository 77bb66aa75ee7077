//! How much of each segment was used.

use super::{Look, entry};
use crate::about::About;
use crate::escape::Escaped;
use crate::figures::{BitRate, Grouped, Percent};
use crate::table::{InCell, Table, count};
use std::io::{self, Write};
use wirewait_analysis::{
    Directions, Duplex, Flow, KnownBy, Peak, SIZES, SegmentRow, Snapshot, Volume,
};

/// Utilisation is in these.
const MILLION: u64 = 1_000_000;

/// Columns for frames by size stand under this.
const BY_SIZE: &str = "frames by size in bytes, with check sequence";

/// What a row is of: an interface, all of them, or a direction.
struct Carried<'a> {
    name: String,
    label: Option<&'a str>,
    row: &'a SegmentRow,
    flow: &'a Flow,
    /// A direction has no more than its flow.
    is_whole: bool,
    dropped: Option<u64>,
}

impl Carried<'_> {
    fn part(&self, of: Volume) -> Option<Percent> {
        (of.frames > 0).then(|| Percent(of.frames, self.row.frames()))
    }

    fn part_of_bytes(&self, of: Volume) -> Option<Percent> {
        (of.frames > 0).then_some(Percent(of.bytes, self.row.bytes.on_wire))
    }

    fn average(&self) -> Option<BitRate> {
        BitRate::of(self.flow.total.bytes, self.row.elapsed_ns()?)
    }

    fn peak(&self, n: usize) -> Option<BitRate> {
        let peak = self.flow.peaks.get(n).filter(|peak| peak.frames > 0)?;
        BitRate::of(peak.bytes, peak.width_ns)
    }

    fn used(&self, n: usize) -> Option<Percent> {
        let used = self.flow.peak_utilisation.get(n)?;
        used.map(|n| Percent(n, MILLION))
    }

    /// Empty for a direction.
    fn whole(&self, cell: Option<impl InCell>) -> String {
        match self.is_whole {
            true => cell.text(),
            false => String::new(),
        }
    }
}

/// How much was carried, by interface and together.
pub(crate) fn table(about: &About, snapshot: &Snapshot) -> Table {
    let segment = &snapshot.segment;
    let mut rows = Vec::new();
    let whole = |name: String, row| Carried {
        name,
        label: None,
        row,
        flow: &row.all,
        is_whole: true,
        dropped: None,
    };
    for (n, row) in segment.interfaces.iter().enumerate() {
        let known = about.interfaces.get(n);
        rows.push(Carried {
            label: known.and_then(|i| i.name.as_deref()),
            dropped: known.and_then(|i| i.dropped),
            ..whole(n.to_string(), row)
        });
        if let (Some(ways), Some((Duplex::Full, _))) = (&row.directions, row.duplex) {
            for (word, flow) in [("from", &ways.from), ("to", &ways.to)] {
                rows.push(Carried {
                    flow,
                    is_whole: false,
                    ..whole(format!("{n} {word} {}", ways.station), row)
                });
            }
        }
    }
    if segment.interfaces.len() > 1 {
        rows.push(whole("all".to_owned(), &segment.together));
    }
    let volume = |of: &Carried<'_>| match of.is_whole {
        true => (of.row.frames(), of.row.bytes.on_wire),
        false => (of.flow.total.frames, of.flow.total.bytes),
    };
    let used = |of: &Carried<'_>| of.flow.utilisation.map(|n| Percent(n, MILLION));
    Table::over(&rows)
        .left("interface", |of| of.name.clone())
        .rare_left("name", |of| of.label.map(|name| Escaped(name).to_string()))
        .right("frames", |of| Grouped(volume(of).0))
        .under("on the wire", "bytes", |of| Grouped(volume(of).1))
        .under("on the wire", "average", Carried::average)
        .under("on the wire", "peak 1 s", |of| of.peak(2))
        .under("on the wire", "100 ms", |of| of.peak(1))
        .under("on the wire", "10 ms", |of| of.peak(0))
        .rare_under("utilisation", "average", used)
        .rare_under("utilisation", "peak 1 s", |of| of.used(2))
        .rare_under("utilisation", "100 ms", |of| of.used(1))
        .rare_under("utilisation", "10 ms", |of| of.used(0))
        .rare_under("broadcast", "frames", |of| {
            of.whole(of.part(of.row.broadcast))
        })
        .rare_under("broadcast", "bytes", |of| {
            of.whole(of.part_of_bytes(of.row.broadcast))
        })
        .rare_under("multicast", "frames", |of| {
            of.whole(of.part(of.row.multicast))
        })
        .rare_under("multicast", "bytes", |of| {
            of.whole(of.part_of_bytes(of.row.multicast))
        })
        .rare("duplicates", |of| of.whole(count(of.row.copies.frames)))
        .rare("dropped", |of| of.whole(of.dropped.map(Grouped)))
        .table
}

/// Frames by size, likewise.
pub(crate) fn sizes(snapshot: &Snapshot) -> Table {
    let segment = &snapshot.segment;
    let interfaces = segment.interfaces.iter().enumerate();
    let mut rows: Vec<_> = interfaces.map(|(n, row)| (n.to_string(), row)).collect();
    if rows.len() > 1 {
        rows.push(("all".to_owned(), &segment.together));
    }
    let of = |row: &SegmentRow, n: usize| {
        let frames = row.sizes.get(n).copied().filter(|frames| *frames > 0)?;
        let share = Percent(frames, row.frames());
        Some(format!("{} ({share})", Grouped(frames)))
    };
    const { assert!(SIZES.len() == 6) };
    Table::over(&rows)
        .left("interface", |(name, _)| name.clone())
        .under(BY_SIZE, "<=64", |(_, row)| of(row, 0))
        .under(BY_SIZE, "65-127", |(_, row)| of(row, 1))
        .under(BY_SIZE, "128-255", |(_, row)| of(row, 2))
        .under(BY_SIZE, "256-511", |(_, row)| of(row, 3))
        .under(BY_SIZE, "512-1023", |(_, row)| of(row, 4))
        .under(BY_SIZE, "1024-1518", |(_, row)| of(row, 5))
        .under(BY_SIZE, "longer", |(_, row)| of(row, 6))
        .table
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
    table(about, snapshot).headed(out, look, "Segment")?;
    writeln!(out)?;
    sizes(snapshot).write(out, look)?;
    writeln!(out)?;
    for (name, value) in remarks(&snapshot.segment.interfaces) {
        entry(out, &name, value)?;
    }
    Ok(())
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
        "with padding, check sequence, preamble and gap (variant C), without duplicates; peaks begin at \
         whole 10 ms, 100 ms, 1 s"
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
            "utilisation n/a: the link speed is not known (at least {} in one direction, as the busiest 10 ms show); \
             set it: --link-speed {}",
            BitRate(least),
            no_slower_than(least)
        ),
        (None, None) => {
            "utilisation n/a: the link speed is not known; set it: --link-speed 10M".to_owned()
        }
    })
}

/// The slowest usual speed of a link of which that much is proved, as the option takes it.
fn no_slower_than(bits_per_second: u64) -> String {
    const MEGABITS: [u64; 8] = [10, 100, 1_000, 2_500, 10_000, 25_000, 40_000, 100_000];
    let fast = |mbit: &u64| mbit.saturating_mul(1_000_000) >= bits_per_second;
    match MEGABITS.into_iter().find(fast) {
        Some(mbit) if mbit < 1_000 => format!("{mbit}M"),
        Some(2_500) => "2.5G".to_owned(),
        Some(mbit) => format!("{}G", mbit / 1_000),
        None => format!("{}G", bits_per_second.div_ceil(1_000_000_000)),
    }
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
            "{} longer than the link carries: on the wire {} {}, with a few more bytes",
            match row.oversize {
                1 => "1 frame is".to_owned(),
                n => format!("{} frames are", Grouped(n)),
            },
            if row.oversize == 1 {
                "it was"
            } else {
                "they were"
            },
            Grouped(row.oversize_on_wire)
        )
    })
}
