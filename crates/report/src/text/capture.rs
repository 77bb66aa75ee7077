//! What to know about the capture.

use super::{Look, entry};
use crate::about::About;
use crate::escape::Escaped;
use crate::figures::{Frames, Grouped, Milli, Percent, frames};
use crate::time::{Human, Rfc3339};
use std::io::{self, Write};
use wirewait_analysis::{Grade, Snapshot};

pub(super) fn capture(
    out: &mut impl Write,
    about: &About,
    snapshot: &Snapshot,
    look: Look,
) -> io::Result<()> {
    let row = &snapshot.capture;
    look.heading(out, "Capture")?;
    for file in &about.files {
        entry(out, "file", Escaped(file))?;
    }
    for (name, text) in about.selection.named() {
        entry(
            out,
            name,
            format_args!("{} (only these frames)", Escaped(text)),
        )?;
    }
    let (total, bytes) = (Grouped(row.frames), Grouped(row.bytes));
    entry(
        out,
        "size",
        format_args!("{total} frames, {bytes} bytes on the wire"),
    )?;
    if let (Some(first), Some(last)) = (row.first, row.last) {
        let length = Human(last.since(first));
        let (first, last) = (Rfc3339(first), Rfc3339(last));
        entry(out, "time", format_args!("{first} to {last}, {length}"))?;
    }
    match about.dropped() {
        Some(0) => entry(out, "dropped", "none, as the capturing program counted")?,
        Some(n) => entry(
            out,
            "dropped",
            format_args!("{} frames, as the capturing program counted", Grouped(n)),
        )?,
        None => entry(out, "dropped", "unknown: the file does not say")?,
    }
    for sentence in &about.damage {
        entry(out, "damage", Escaped(sentence))?;
    }
    entry(out, "quality", look.grade(row.grade))?;
    for reason in &row.reasons {
        let times = Grouped(reason.count);
        entry(
            out,
            "",
            format_args!("{}: {} ({times})", remark(reason.grade), reason.text),
        )?;
    }
    let parts = &snapshot.attribution;
    for (n, (name, count)) in [
        ("transactions", frames(parts.transactions)),
        ("control", frames(parts.control)),
        ("other traffic", Milli(parts.other.saturating_mul(1000))),
        (
            "mirror-port copies",
            Milli(parts.duplicates.saturating_mul(1000)),
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let title = if n == 0 { "frames of" } else { "" };
        let share = Percent(count.0, row.frames.saturating_mul(1000));
        let count = Frames(count);
        entry(out, title, format_args!("{name} {count} ({share})"))?;
    }
    let followed = Grouped(row.conversations);
    match row.evicted {
        0 => entry(out, "followed", format_args!("conversations: {followed}")),
        n => entry(
            out,
            "followed",
            format_args!(
                "conversations: {followed}; {} of them were dropped early, as more than {} were open",
                Grouped(n),
                Grouped(snapshot.settings.conversations as u64)
            ),
        ),
    }
}

pub(super) fn protocols(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    if snapshot.protocols.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    look.heading(out, "Frames that contain a protocol")?;
    let mut line = String::from(" ");
    for (name, count) in &snapshot.protocols {
        let item = format!(" {name} {}", Grouped(*count));
        if line.len() > 1 && line.len() + item.len() + 1 > look.width {
            writeln!(out, "{line}")?;
            line = String::from(" ");
        }
        if line.len() > 1 {
            line.push(' ');
        }
        line.push_str(&item);
    }
    writeln!(out, "{line}")
}

/// What does no harm to the grade is only worth a note.
const fn remark(grade: Grade) -> &'static str {
    match grade {
        Grade::Good => "note",
        Grade::Fair | Grade::Poor => grade.name(),
    }
}
