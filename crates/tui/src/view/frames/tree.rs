//! The fields of a frame as a tree that opens and closes.

use crate::TreeLine;
use crate::context::Context;
use crate::state::Branches;
use crate::table::scrollbar;
use crate::text::put;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// A line that is visible.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) of: &'a TreeLine,
    /// The names of the lines that it lies in, and its own.
    path: String,
    branch: Branch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Branch {
    Leaf,
    Open,
    Closed,
}

/// Branches that are remembered; beyond that all are as they were at first.
const REMEMBERED: usize = 1000;

impl Branches {
    /// The lines that are visible. Of what the user has not opened or closed, the innermost
    /// layer is open.
    pub(super) fn lines<'a>(&self, tree: &'a [TreeLine]) -> Vec<Line<'a>> {
        let has_children = |at: usize| {
            let next = tree.get(at + 1);
            next.is_some_and(|next| next.depth > tree[at].depth)
        };
        let innermost = (0..tree.len()).rfind(|at| tree[*at].depth == 0 && has_children(*at));
        let mut lines = Vec::new();
        let mut above: Vec<(u16, String)> = Vec::new();
        let mut closed: Option<u16> = None;
        for (at, of) in tree.iter().enumerate() {
            if closed.is_some_and(|depth| of.depth > depth) {
                continue;
            }
            closed = None;
            while above.last().is_some_and(|(depth, _)| *depth >= of.depth) {
                above.pop();
            }
            let parent = above.last().map_or("", |(_, path)| path.as_str());
            let path = format!("{parent}/{}", name(of));
            let branch = if !has_children(at) {
                Branch::Leaf
            } else if self
                .opened
                .get(&path)
                .copied()
                .unwrap_or(Some(at) == innermost)
            {
                Branch::Open
            } else {
                closed = Some(of.depth);
                Branch::Closed
            };
            above.push((of.depth, path.clone()));
            lines.push(Line { of, path, branch });
        }
        lines
    }

    /// The chosen line; the innermost layer until somebody chooses.
    pub(super) fn cursor(&self, lines: &[Line<'_>]) -> usize {
        let chosen = self.chosen.as_deref().and_then(|path| {
            // Where this frame has no such line, the closest one that it lies in.
            let mut path = path;
            loop {
                let found = lines.iter().position(|line| line.path == path);
                if found.is_some() {
                    return found;
                }
                path = path.rsplit_once('/').map(|(above, _)| above)?;
            }
        });
        chosen.unwrap_or_else(|| {
            let layer = |line: &Line<'_>| line.of.depth == 0 && line.branch == Branch::Open;
            lines.iter().rposition(layer).unwrap_or(0)
        })
    }

    pub(super) fn go(&mut self, lines: &[Line<'_>], to: impl FnOnce(usize) -> usize) {
        let to = to(self.cursor(lines)).min(lines.len().saturating_sub(1));
        self.chosen = lines.get(to).map(|line| line.path.clone());
    }

    /// Opens or closes the chosen line.
    pub(super) fn turn(&mut self, lines: &[Line<'_>]) {
        let chosen = lines.get(self.cursor(lines));
        if let Some(line) = chosen.filter(|line| line.branch != Branch::Leaf) {
            self.set(line, line.branch == Branch::Closed);
        }
    }

    /// Opens the chosen line, or goes to the first one in it.
    pub(super) fn open(&mut self, lines: &[Line<'_>]) {
        let at = self.cursor(lines);
        match lines.get(at) {
            Some(line) if line.branch == Branch::Closed => self.set(line, true),
            Some(line) if line.branch == Branch::Open => self.go(lines, |at| at + 1),
            _ => {}
        }
    }

    /// Closes the chosen line, or goes to the one that it lies in.
    pub(super) fn close(&mut self, lines: &[Line<'_>]) {
        let at = self.cursor(lines);
        match lines.get(at) {
            Some(line) if line.branch == Branch::Open => self.set(line, false),
            Some(line) => {
                let above = line.path.rsplit_once('/').map(|(above, _)| above);
                let found = lines.iter().position(|l| Some(l.path.as_str()) == above);
                self.go(lines, |at| found.unwrap_or(at));
            }
            None => {}
        }
    }

    fn set(&mut self, line: &Line<'_>, open: bool) {
        if self.opened.len() >= REMEMBERED {
            self.opened.clear();
        }
        self.opened.insert(line.path.clone(), open);
        self.chosen = Some(line.path.clone());
    }
}

/// What a line is called, without its value.
fn name(line: &TreeLine) -> String {
    let text = line.text.as_str();
    let name = match line.depth {
        0 => text.split([':', ',']).next(),
        // Bits stand before the name: they change with the value.
        _ => text.split("  ").find(|part| {
            let bits = part
                .chars()
                .all(|c| matches!(c, '.' | '0' | '1' | '?' | ' '));
            !bits && !part.is_empty()
        }),
    };
    // A slash would be taken for the end of a name.
    name.unwrap_or_default().replace('/', "\\")
}

pub(super) fn draw(
    lines: &[Line<'_>],
    cursor: usize,
    focused: bool,
    context: &Context<'_>,
    area: Rect,
    buffer: &mut Buffer,
) {
    let page = usize::from(area.height);
    let top = top(cursor, page, lines.len());
    let bar = lines.len() > page && area.width > 8;
    let width = area.width - u16::from(bar);
    let visible = (area.y..area.bottom()).zip(lines.iter().enumerate().skip(top));
    for (y, (at, line)) in visible {
        let mark = match line.branch {
            Branch::Leaf => "  ",
            Branch::Open => "▾ ",
            Branch::Closed => "▸ ",
        };
        let indent = " ".repeat(usize::from(line.of.depth) * 2);
        let text = format!("{indent}{mark}{}", line.of.text);
        let style = match (at == cursor, focused, line.of.depth) {
            (true, true, _) => context.theme.chosen,
            (true, false, _) => context.theme.key,
            (false, _, 0) => context.theme.title,
            _ => context.theme.plain,
        };
        put(buffer, (area.x, y), width, &text, style);
        if at == cursor && focused {
            buffer.set_style(Rect::new(area.x, y, width, 1), style);
        }
    }
    if bar {
        let track = Rect {
            x: area.right() - 1,
            width: 1,
            ..area
        };
        scrollbar(buffer, track, (top, page, lines.len()), context);
    }
}

/// The first visible line: the chosen one stands in the middle, where there is something above
/// and below.
fn top(cursor: usize, page: usize, length: usize) -> usize {
    cursor
        .saturating_sub(page / 2)
        .min(length.saturating_sub(page))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> Vec<TreeLine> {
        [
            (0, "ethernet: a to b"),
            (1, "Type  0x0800"),
            (0, "ip: 1 to 2"),
            (1, "Flags  0x40"),
            (2, "01.. ....  More"),
            (1, "Length  9"),
            (0, "Padding, 2 bytes"),
        ]
        .map(|(depth, text)| TreeLine {
            depth,
            text: text.to_owned(),
            ..TreeLine::default()
        })
        .into()
    }

    fn shown<'a>(branches: &Branches, tree: &'a [TreeLine]) -> Vec<&'a str> {
        let lines = branches.lines(tree);
        lines.iter().map(|line| line.of.text.as_str()).collect()
    }

    #[test]
    fn the_innermost_layer_is_open_until_somebody_closes_it() {
        let tree = tree();
        let mut branches = Branches::default();
        let first = [
            "ethernet: a to b",
            "ip: 1 to 2",
            "Flags  0x40",
            "Length  9",
            "Padding, 2 bytes",
        ];
        assert_eq!(shown(&branches, &tree), first);
        assert_eq!(branches.cursor(&branches.lines(&tree)), 1);
        branches.open(&branches.lines(&tree));
        let lines = branches.lines(&tree);
        assert_eq!(lines[branches.cursor(&lines)].of.text, "Flags  0x40");
        let mut other = branches.clone();
        other.open(&lines);
        assert_eq!(shown(&other, &tree).len(), 6, "its bits are there");
        other.close(&other.lines(&tree));
        other.close(&other.lines(&tree));
        other.close(&other.lines(&tree));
        assert_eq!(
            shown(&other, &tree),
            ["ethernet: a to b", "ip: 1 to 2", "Padding, 2 bytes"]
        );
    }

    #[test]
    fn what_was_chosen_stays_chosen_in_the_next_frame() {
        let tree = tree();
        let mut branches = Branches::default();
        branches.go(&branches.lines(&tree), |_| 3);
        let mut next = tree.clone();
        next.remove(1);
        next[0].text = "token ring: x".into();
        next[4].text = "Length  77".into();
        let lines = branches.lines(&next);
        assert_eq!(lines[branches.cursor(&lines)].of.text, "Length  77");
        // Without that field, its layer.
        next.remove(4);
        let lines = branches.lines(&next);
        assert_eq!(lines[branches.cursor(&lines)].of.text, "ip: 1 to 2");
        assert_eq!(branches.cursor(&branches.lines(&[])), 0);
    }

    #[test]
    fn bits_are_no_name() {
        let line = |text: &str| {
            name(&TreeLine {
                depth: 1,
                text: text.to_owned(),
                ..TreeLine::default()
            })
        };
        assert_eq!(line("01.. ....  More  set"), "More");
        assert_eq!(line("Name/Type  x"), "Name\\Type");
    }
}
