//! A frame as plain data, for callers that draw it themselves: a line, a tree, the bytes.

use super::detail::{FieldOrigin, field_text};
use super::line::Seconds;
use super::tree::{Item, Layer, Rest};
use super::{Decoder, Shown, Summary, Tree};
use crate::figures::Grouped;
use crate::time::Rfc3339;
use std::fmt::{self, Write};
use std::ops::Range;
use wirewait_analysis::Deed;
use wirewait_wire::{Frame, Timestamp};

/// A frame, decoded. Every text is safe for a terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decoded {
    /// Its number, from 1.
    pub number: u64,
    /// Its stamp.
    pub at: Option<Timestamp>,
    /// Length on the wire, bytes.
    pub wire_len: u32,
    /// Who sent it.
    pub source: String,
    /// To whom.
    pub destination: String,
    /// The innermost protocol.
    pub protocol: String,
    /// What it says, in a line.
    pub summary: String,
    /// What it did in the transaction that was asked for, or in any, as far as the frames up to
    /// it show.
    pub deeds: Vec<Deed>,
    /// Layers and fields, from the outside in.
    pub tree: Vec<TreeLine>,
    /// What was captured of it.
    pub bytes: Vec<u8>,
    /// The messages that it completes and other frames began.
    pub messages: Vec<Vec<u8>>,
}

/// A line of the tree of a frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeLine {
    /// How deep, the layers at 0.
    pub depth: u16,
    /// What it says.
    pub text: String,
    /// Whose bytes they are: 0 for the frame, n for the n-th of its messages.
    pub block: u16,
    /// The bytes that say so; empty where no byte does.
    pub bytes: Range<u32>,
}

impl Decoder<'_> {
    /// The frame that was passed last, as plain data, whether it fits the filter or not.
    pub fn plain(&mut self, frame: &Frame<'_>) -> Decoded {
        self.shown(frame, |_, shown| {
            // A String takes all that is written to it.
            let (mut line, mut tree) = (String::new(), Vec::new());
            let _infallible = shown.words(&mut line);
            let _infallible = shown.tree_lines(&mut tree);
            Decoded {
                number: shown.number,
                at: Some(frame.at),
                wire_len: frame.wire_len,
                source: shown.walk.facts.from.to_string(),
                destination: shown.walk.facts.to.to_string(),
                protocol: shown.protocol(),
                summary: line,
                deeds: match shown.role {
                    Some(role) => role.to_vec(),
                    None => {
                        let mut deeds: Vec<Deed> =
                            shown.deeds.iter().map(|(_, deed)| *deed).collect();
                        deeds.sort_unstable();
                        deeds.dedup();
                        deeds
                    }
                },
                tree,
                bytes: frame.bytes.to_vec(),
                messages: shown
                    .wholes
                    .iter()
                    .map(|whole| whole.tree.bytes.to_vec())
                    .collect(),
            }
        })
    }
}

impl Shown<'_> {
    /// The innermost protocol of the frame, or of the message that it completes.
    fn protocol(&self) -> String {
        let trees = self.wholes.iter().map(|whole| &whole.tree);
        let mut layers = [&self.tree].into_iter().chain(trees).flat_map(|tree| {
            tree.items.iter().filter_map(|item| match item {
                Item::Layer(layer) => Some(layer.dissector.name),
                Item::Rest(_) => None,
            })
        });
        let first = layers.next();
        layers.last().or(first).unwrap_or("-").to_owned()
    }

    fn tree_lines(&self, lines: &mut Vec<TreeLine>) -> fmt::Result {
        let frame = self.frame;
        let mut about = PlainLines { lines, block: 0 };
        let whole = 0..u32::try_from(frame.bytes.len()).unwrap_or(u32::MAX);
        about.add(
            0,
            whole,
            format!(
                "frame: {}, {} bytes on the wire, {} captured",
                self.number,
                Grouped(frame.wire_len.into()),
                Grouped(frame.bytes.len() as u64)
            ),
        );
        about.add(1, 0..0, format!("Time  {}", Rfc3339(frame.at)));
        let since = Seconds(self.clock.since_start(frame.at));
        about.add(1, 0..0, format!("Since the first frame  {since} s"));
        about.add(1, 0..0, format!("Interface  {}", frame.interface));
        for (transaction, deed) in &self.deeds {
            about.add(
                1,
                0..0,
                format!("Transaction {transaction}  {}", deed.name()),
            );
        }
        self.tree.plain(&mut about)?;
        for (number, whole) in (1..).zip(&self.wholes) {
            about.block = number;
            let all = 0..u32::try_from(whole.tree.bytes.len()).unwrap_or(u32::MAX);
            about.add(0, all, FieldOrigin(whole).to_string());
            whole.tree.plain(&mut about)?;
        }
        Ok(())
    }
}

/// Lines about one block of bytes.
struct PlainLines<'a> {
    lines: &'a mut Vec<TreeLine>,
    block: u16,
}

impl PlainLines<'_> {
    fn add(&mut self, depth: u16, bytes: Range<u32>, text: String) {
        self.lines.push(TreeLine {
            depth,
            text: text.trim_end().to_owned(),
            block: self.block,
            bytes,
        });
    }
}

impl Tree<'_> {
    fn plain(&self, lines: &mut PlainLines<'_>) -> fmt::Result {
        for item in &self.items {
            match item {
                Item::Layer(layer) => layer.plain(lines)?,
                Item::Rest(rest) => lines.add(0, rest.range.clone(), rest.to_string()),
            }
        }
        if let Some(stop) = self.stop {
            lines.add(0, 0..0, stop.to_string());
        }
        Ok(())
    }
}

impl Layer<'_> {
    fn plain(&self, lines: &mut PlainLines<'_>) -> fmt::Result {
        let summary = Summary(self);
        let mut text = format!("{}: ", self.dissector.name);
        write!(text, "{summary}")?;
        lines.add(0, self.described(), text);
        for field in &self.fields {
            let depth = u16::from(field.depth).saturating_add(1);
            let text = field_text(field, self.goes_on)?;
            lines.add(depth, field.start..field.end, text);
        }
        Ok(())
    }
}

impl fmt::Display for Rest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = self.range.end.saturating_sub(self.range.start);
        let unit = if length == 1 { "byte" } else { "bytes" };
        write!(f, "{}, {} {unit}", self.name, Grouped(length.into()))?;
        if !self.note.is_empty() {
            write!(f, ": {}", self.note)?;
        }
        Ok(())
    }
}
