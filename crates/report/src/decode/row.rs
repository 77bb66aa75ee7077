//! A frame as a row.

use super::tree::Item;
use super::{Decoder, Shown};
use crate::rows::{CellValue, Get, RowColumn, RowTable, Width, Write};
use crate::transactions::station;
use wirewait_wire::{Endpoint, Frame, Timestamp};

/// A frame in values: who sent it, what it carries, what it does in which transactions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameRow {
    number: u64,
    at: Timestamp,
    interface: u32,
    captured: usize,
    wire_len: u32,
    source: Endpoint,
    destination: Endpoint,
    /// Protocols of its layers, from the outside in.
    protocols: Vec<&'static str>,
    /// What it does in which transactions.
    roles: Vec<(u64, &'static str)>,
    /// Content in one line, safe for a terminal.
    summary: String,
}

/// The rows of decoded frames. A frame with parts of several transactions names all of them in
/// `transactions`, and what it does in each at the same place of `roles`.
#[derive(Debug)]
pub enum FrameRows {}

impl RowTable for FrameRows {
    type Row<'a> = FrameRow;
    const SCHEMA: &'static str = "wirewait.frame/1";
    const COLUMNS: &'static [RowColumn<Self>] = COLUMNS;
}

const COLUMNS: &[RowColumn<FrameRows>] = &[
    count(
        "frame",
        "Number in the capture, counted from 1.",
        Width::Large,
        |f| Some(f.number),
    ),
    RowColumn::new("time", "Time stamp, UTC.", FrameCell::Time(|f| Some(f.at))),
    count(
        "interface",
        "Number of the interface that captured it.",
        Width::Bits32,
        |f| Some(f.interface.into()),
    ),
    count(
        "captured_bytes",
        "Bytes that were captured.",
        Width::Large,
        |f| u64::try_from(f.captured).ok(),
    ),
    count(
        "wire_bytes",
        "Length on the wire, bytes.",
        Width::Bits32,
        |f| Some(f.wire_len.into()),
    ),
    text("source", "Sender, `address[:port]`.", |f, o| {
        o.show(f.source)
    }),
    text("destination", "Receiver, `address[:port]`.", |f, o| {
        o.show(f.destination)
    }),
    text(
        "source_address",
        "Address of the sender without its port.",
        |f, o| o.show(station(&f.source)),
    ),
    count(
        "source_port",
        "TCP or UDP port, IPX socket or LLC service access point of the sender, as a number.",
        Width::Bits16,
        |f| f.source.port.map(u64::from),
    )
    .or_null(),
    text(
        "destination_address",
        "Address of the receiver without its port.",
        |f, o| o.show(station(&f.destination)),
    ),
    count(
        "destination_port",
        "TCP or UDP port, IPX socket or LLC service access point of the receiver, as a number.",
        Width::Bits16,
        |f| f.destination.port.map(u64::from),
    )
    .or_null(),
    text("protocol", "Protocol of the innermost layer.", |f, o| {
        o.some(f.protocols.last())
    })
    .or_null(),
    RowColumn::new(
        "protocols",
        "Protocols of the layers, from the outside in.",
        FrameCell::Words(|f, words| words.extend(&f.protocols)),
    ),
    count(
        "transaction",
        "First of `transactions`.",
        Width::Large,
        |f| f.roles.first().map(|(number, _)| *number),
    )
    .or_null(),
    text("role", "First of `roles`.", |f, o| {
        o.some(f.roles.first().map(|(_, role)| role))
    })
    .or_null(),
    RowColumn::new(
        "transactions",
        "Transactions of which the frame carries a part.",
        FrameCell::Counts(|f, numbers| numbers.extend(f.roles.iter().map(|(number, _)| number))),
    ),
    RowColumn::new(
        "roles",
        "What the frame does in each of them: request, response, interim, ack, control, retransmitted.",
        FrameCell::Words(|f, words| words.extend(f.roles.iter().map(|(_, role)| role))),
    ),
    RowColumn::new(
        "summary",
        "Content in one line.",
        FrameCell::Name(|f, o| o.word(&f.summary)),
    ),
];

type FrameCell = CellValue<FrameRows>;

const fn text(
    name: &'static str,
    about: &'static str,
    write: Write<FrameRows>,
) -> RowColumn<FrameRows> {
    RowColumn::new(name, about, FrameCell::Text(write))
}

const fn count(
    name: &'static str,
    about: &'static str,
    width: Width,
    get: Get<FrameRows, u64>,
) -> RowColumn<FrameRows> {
    RowColumn::new(name, about, FrameCell::Count(width, get))
}

impl Decoder<'_> {
    /// The frame that was passed last as a row, if it fits the filter.
    pub fn row(&mut self, frame: &Frame<'_>) -> Option<FrameRow> {
        self.shown(frame, |decoder, shown| {
            let mut filter = decoder.filter.as_mut();
            let fits = filter.as_mut().is_none_or(|filter| filter.fits(shown));
            fits.then(|| shown.row())
        })
    }
}

impl Shown<'_> {
    fn row(&self) -> FrameRow {
        let mut summary = String::new();
        // A String takes all that is written to it.
        let _infallible = self.words(&mut summary);
        let trees = std::iter::once(&self.tree).chain(self.wholes.iter().map(|whole| &whole.tree));
        let items = trees.flat_map(|tree| &tree.items);
        FrameRow {
            number: self.number,
            at: self.frame.at,
            interface: self.frame.interface,
            captured: self.frame.bytes.len(),
            wire_len: self.frame.wire_len,
            source: self.walk.facts.from,
            destination: self.walk.facts.to,
            protocols: items
                .filter_map(|item| match item {
                    Item::Layer(layer) => Some(layer.dissector.name),
                    Item::Rest(_) => None,
                })
                .collect(),
            roles: self
                .deeds
                .iter()
                .map(|(transaction, deed)| (*transaction, deed.name()))
                .collect(),
            summary,
        }
    }
}
