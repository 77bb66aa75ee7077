//! Bars: of a ledger, of a distribution.

use crate::context::Context;
use crate::table::{Cell, Value};
use crate::text::{put, put_right};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use wirewait_analysis::{Bucket, Ledger, Phase, STEPS_NS, Sample};
use wirewait_report::words::{Grouped, Percent, Short};

/// The letter of a part, and what it is called.
pub(crate) const fn letter(phase: Phase) -> (&'static str, &'static str) {
    match phase {
        Phase::Client => ("C", "client"),
        Phase::Request => ("Q", "request transfer"),
        Phase::Server => ("S", "server"),
        Phase::Response => ("R", "response transfer"),
        Phase::Distance => ("D", "distance"),
        Phase::Retransmission => ("X", "loss recovery"),
        Phase::Unanswered => ("U", "unanswered"),
        Phase::Waiting => ("W", "waiting by design"),
        Phase::Idle => (".", "idle"),
        Phase::Unknown => ("?", "unknown"),
    }
}

/// Cells for each part; every part above 0 gets at least one, if there are enough.
pub(super) fn cells(parts: &[u64], width: usize) -> Vec<usize> {
    let whole: u128 = parts.iter().map(|n| u128::from(*n)).sum();
    let there = parts.iter().filter(|n| **n > 0).count();
    if whole == 0 || width < there {
        return vec![0; parts.len()];
    }
    let spare = (width - there) as u128;
    let mut cells: Vec<usize> = Vec::new();
    let (mut seen, mut given) = (0u128, 0usize);
    for part in parts {
        // By the sums up to here, so that roundings do not add up.
        seen += u128::from(*part);
        let upto = usize::try_from(spare * seen / whole).unwrap_or(0);
        cells.push(upto - given + usize::from(*part > 0));
        given = upto;
    }
    cells
}

/// A line of letters, as many of each as its share of active time.
pub(crate) fn ledger(ledger: &Ledger, context: &Context<'_>, area: Rect, buffer: &mut Buffer) {
    let parts = Phase::ACTIVE.map(|phase| ledger.get(phase));
    let mut x = area.x;
    for (part, wide) in Phase::ACTIVE
        .into_iter()
        .zip(cells(&parts, usize::from(area.width)))
    {
        let text = letter(part).0.repeat(wide);
        // At most the width of the area, which is 16 bits.
        put(
            buffer,
            (x, area.y),
            wide as u16,
            &text,
            context.theme.phase(part),
        );
        x += wide as u16;
    }
}

/// What the letters are, and the share of active time that each has, with the `marks` of client and
/// server; waiting by design and idle time as times behind them. Gives the lines that it took.
pub(crate) fn legend(
    (ledger, marks): (&Ledger, [&'static str; 2]),
    context: &Context<'_>,
    area: Rect,
    buffer: &mut Buffer,
) -> u16 {
    let parts = Phase::ALL.into_iter().filter(|part| ledger.get(*part) > 0);
    let values: Vec<(Phase, String)> = parts
        .map(|part| {
            let ns = ledger.get(part);
            let value = match part.is_active() {
                true => {
                    let mark = match part {
                        Phase::Client => marks[0],
                        Phase::Server => marks[1],
                        _ => "",
                    };
                    format!("{mark}{}", Percent(ns, ledger.active()))
                }
                false => Short(super::servers::saturated(ns)).to_string(),
            };
            (part, value)
        })
        .collect();
    // A letter, a blank, the words, two blanks.
    let wide = |said: &str| crate::text::width(said) as u16 + 2;
    // In a single line there is room for the letters only, and for blanks if all of them fit.
    let in_line = values.iter().map(|(_, value)| wide(value) + 2).sum::<u16>();
    let spaced = in_line <= area.width.saturating_add(2);
    let (mut x, mut y) = (area.x, area.y);
    for (part, value) in values {
        let (letter, name) = letter(part);
        let said = match area.height {
            1 if spaced => value,
            1 => value.replace(' ', ""),
            _ => format!("{name} {value}"),
        };
        let wide = wide(&said);
        if x > area.x && x + wide > area.right() {
            (x, y) = (area.x, y + 1);
        }
        if y >= area.bottom() {
            return area.height;
        }
        put(buffer, (x, y), 1, letter, context.theme.phase(part));
        put(buffer, (x + 2, y), wide - 2, &said, context.theme.plain);
        x += wide + 2;
    }
    (y + 1).saturating_sub(area.y).min(area.height)
}

/// How many values are in each step, those without any left out at both ends.
pub(crate) fn steps(sample: &Sample) -> Vec<Bucket> {
    let mut counts = [0u64; STEPS_NS.len() + 1];
    for (ns, times) in sample.values() {
        let step = STEPS_NS.partition_point(|bound| bound <= ns);
        counts[step] = counts[step].saturating_add(*times);
    }
    let used = |n: &u64| *n > 0;
    let first = counts.iter().position(used).unwrap_or(0);
    let end = counts.iter().rposition(used).map_or(0, |last| last + 1);
    (first..end)
        .map(|step| Bucket {
            from_ns: step.checked_sub(1).and_then(|i| STEPS_NS.get(i).copied()),
            below_ns: STEPS_NS.get(step).copied(),
            n: counts[step],
        })
        .collect()
}

/// The shape of how values are spread, the shortest at the left.
pub(crate) fn spread(steps: &[Bucket]) -> Cell {
    if steps.is_empty() {
        return Cell::default();
    }
    Value::Course(steps.iter().map(|step| step.n).collect()).into()
}

/// How values are spread: a line for each step.
pub(crate) fn histogram(steps: &[Bucket], context: &Context<'_>, area: Rect, buffer: &mut Buffer) {
    if steps.is_empty() {
        return;
    }
    // Neighbours share a line where there are more steps than lines.
    let height = usize::from(area.height).max(1);
    let together = steps.len().div_ceil(height);
    let lines: Vec<(Option<i64>, u64)> = steps
        .chunks(together)
        .map(|chunk| {
            let n = chunk
                .iter()
                .fold(0u64, |sum, step| sum.saturating_add(step.n));
            (chunk[0].from_ns, n)
        })
        .collect();
    let most = lines.iter().map(|(_, n)| *n).max().unwrap_or(1).max(1);
    let whole = lines
        .iter()
        .fold(0u64, |sum, (_, n)| sum.saturating_add(*n));
    let room = area.width.saturating_sub(34);
    for (y, (from, n)) in (area.y..area.bottom()).zip(&lines) {
        let label = match from {
            Some(ns) => format!("from {}", Short(*ns)),
            None => "less".to_owned(),
        };
        put_right(buffer, (area.x, y), 13, &label, context.theme.dim);
        let eighths = u128::from(*n) * u128::from(room) * 8 / u128::from(most);
        let bar = bar(u32::try_from(eighths).unwrap_or(u32::MAX), *n > 0);
        put(buffer, (area.x + 14, y), room, &bar, context.theme.plot);
        let count = format!("{} {}", Grouped(*n), Percent(*n, whole));
        let at = (area.x + 15 + room, y);
        put_right(buffer, at, 19, &count, context.theme.plain);
    }
}

/// A bar of this length in eighths of a cell; at least one if `some`.
pub(super) fn bar(eighths: u32, some: bool) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let mut bar = "█".repeat((eighths / 8) as usize);
    bar.push_str(PARTS[(eighths % 8) as usize]);
    if bar.is_empty() && some {
        bar.push('▏');
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_that_is_there_is_seen_and_the_bar_is_full() {
        assert_eq!(cells(&[1, 0, 999, 0], 10), [1, 0, 9, 0]);
        assert_eq!(cells(&[50, 50], 10), [5, 5]);
        assert_eq!(cells(&[1, 1, 1], 10).iter().sum::<usize>(), 10);
        assert_eq!(cells(&[0, 0], 10), [0, 0]);
        assert_eq!(cells(&[1, 1, 1], 2), [0, 0, 0], "no room");
        assert_eq!(cells(&[u64::MAX, u64::MAX], 4), [2, 2]);
    }

    /// As everywhere a percentage has a blank before its sign; without one where it has no room.
    #[test]
    fn a_legend_of_one_line_has_blanks_where_they_fit() {
        let split: Ledger = [(Phase::Client, 313), (Phase::Server, 687)]
            .into_iter()
            .collect();
        let model = crate::Model::default();
        let drawn = |width: u16| {
            let area = Rect::new(0, 0, width, 1);
            let mut buffer = Buffer::empty(area);
            legend((&split, [""; 2]), &model.context(), area, &mut buffer);
            let cells = buffer.content.iter().map(|cell| cell.symbol());
            cells.collect::<String>()
        };
        assert_eq!(drawn(18), "C 31.3 %  S 68.7 %");
        assert_eq!(drawn(17), "C 31.3%  S 68.7% ");
    }

    #[test]
    fn bars_count_eighths() {
        assert_eq!(bar(0, false), "");
        assert_eq!(bar(0, true), "▏");
        assert_eq!(bar(12, true), "█▌");
    }
}
