//! The table of byte positions: the one built in, and a user's own.

use std::sync::LazyLock;
use wirewait_wire::{
    Confidence, Id, Input, Layout, LayoutError, LayoutRow, Placed, PlacedKind, Values,
};

/// Layers that a row can be of.
const LAYERS: [&str; 3] = ["eth", "last", "bmp"];

/// The kind of message that keeps a circuit up.
pub(super) const UPKEEP: &str = "upkeep";
/// Kinds of messages with an SMB in them.
pub(super) const REQUEST: &str = "request";
pub(super) const RESPONSE: &str = "response";

/// What a row has to be at least for requests and responses to be matched by it.
const SURE: Confidence = Confidence::DocumentedUnchecked;

/// The identifier that copies of a request keep.
const TRANSACTION: &str = "transaction";
/// The one that is another in each copy, and where the client puts its request: those together.
const SEQUENCE: &str = "sequence";
const SLOT: &str = "slot";

/// Name spaces of these identifiers, apart from those of SMB in the same conversation.
const BY_TRANSACTION: u8 = 0xf0;
const BY_SEQUENCE: u8 = 0xf1;

/// The table that is built in, as a file of the same form.
pub const BUILT_IN: &str = include_str!("table.csv");

/// The layout that [`BUILT_IN`] describes.
static TABLE: LazyLock<Layout> = LazyLock::new(|| {
    // A test reads it; without it nothing would be shown, and all be measured.
    Layout::parse("built-in table", BUILT_IN).unwrap_or(Layout::EMPTY)
});

/// The built-in table, read.
pub(super) fn built_in() -> &'static Layout {
    &TABLE
}

/// Reads a user's table. `file` is what errors call it.
///
/// # Errors
/// The first mistake, with its line and column.
pub fn profile(file: &str, text: &str) -> Result<Layout, LayoutError> {
    let layout = Layout::parse(file, text)?;
    match layout
        .rows()
        .iter()
        .find(|row| !LAYERS.contains(&row.layer.as_ref()))
    {
        None => Ok(layout),
        Some(row) => Err(LayoutError {
            file: file.to_owned(),
            line: row.line,
            column: 1,
            message: format!("layer: `{}`: expected eth, last or bmp", row.layer),
        }),
    }
}

/// Bytes of the message by its length word; `None` where the word cannot be that.
pub(super) fn length(input: Input<'_>) -> Option<u32> {
    let row = TABLE.row("any", "length")?;
    let (_, header, _) = row.place()?;
    let length = u32::try_from(row.number(input)?).ok()?;
    (header..=input.length).contains(&length).then_some(length)
}

/// Where the transport's own bytes begin, behind the length word.
pub(super) fn behind_length() -> u32 {
    let row = TABLE.row("any", "length");
    row.and_then(|row| row.place()).map_or(0, |(_, end, _)| end)
}

/// Whether the message only keeps a circuit up.
pub(super) fn is_upkeep(pdu: Input<'_>) -> bool {
    TABLE.message(pdu, None) == Some(UPKEEP)
}

/// The name of the node that sent an upkeep message.
pub(super) fn node_name(pdu: Input<'_>) -> Option<String> {
    let (from, to, _) = TABLE.row(UPKEEP, "node_name")?.place()?;
    let length = TABLE.row(UPKEEP, "name_length")?.number(pdu)?;
    let name = pdu.bytes.get(from as usize..to as usize)?;
    let name = name.get(..usize::try_from(length).ok()?)?;
    Some(name.iter().map(|b| char::from(*b)).collect())
}

/// What the sure rows of `layout` say of a message; `hint` is what the SMB in it is.
pub(super) fn placed(layout: &Layout, pdu: Input<'_>, hint: PlacedKind) -> Placed {
    let kind = match hint {
        PlacedKind::Unknown => kind(layout, pdu),
        known => known,
    };
    if kind == PlacedKind::Neither {
        return Placed {
            kind,
            ..Placed::default()
        };
    }
    let number = |field| row(layout, kind, field)?.number(pdu);
    let space =
        |space, high: u64, low: u64| Some(Id::new(space, u128::from(high) << 64 | u128::from(low)));
    let transaction = number(TRANSACTION).and_then(|number| space(BY_TRANSACTION, 0, number));
    let lasting = transaction.is_some();
    let id =
        transaction.or_else(|| space(BY_SEQUENCE, number(SLOT).unwrap_or(0), number(SEQUENCE)?));
    Placed { kind, id, lasting }
}

/// The kind that all sure rows with values agree on, if it is but one.
fn kind(layout: &Layout, pdu: Input<'_>) -> PlacedKind {
    let mut found: Option<&str> = None;
    for row in layout.rows().iter().filter(|row| !row.is_for_any()) {
        let kind = row.message.as_str();
        if found == Some(kind) || !is_of(layout, pdu, kind) {
            continue;
        }
        if found.is_some() {
            return PlacedKind::Unknown;
        }
        found = Some(kind);
    }
    match found {
        None => PlacedKind::Unknown,
        Some(REQUEST) => PlacedKind::Request,
        Some(RESPONSE) => PlacedKind::Response,
        Some(_) => PlacedKind::Neither,
    }
}

/// Whether there are sure rows with values for this kind, and the message has them all.
fn is_of(layout: &Layout, pdu: Input<'_>, kind: &str) -> bool {
    let rows = layout.rows().iter();
    let own = rows.filter(|row| row.message == kind && is_sure(row) && row.values != Values::Any);
    let mut own = own.peekable();
    own.peek().is_some() && own.all(|row| row.fits(pdu) == Some(true))
}

/// The row by which a field of the transport is read in messages of this kind. It has to stand in
/// requests and in responses; where the kind is not known, at the same place.
fn row<'a>(layout: &'a Layout, kind: PlacedKind, field: &str) -> Option<&'a LayoutRow> {
    let of = |kind| {
        let row = layout.row(kind, field);
        row.or_else(|| layout.row(LayoutRow::ANY, field))
            .filter(|row| is_sure(row))
    };
    let (asks, says) = (of(REQUEST)?, of(RESPONSE)?);
    match kind {
        PlacedKind::Request => Some(asks),
        PlacedKind::Response => Some(says),
        _ => (asks.place() == says.place()).then_some(asks),
    }
}

fn is_sure(row: &LayoutRow) -> bool {
    row.layer != LAYERS[0] && row.confidence >= SURE && row.place().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_wire::Confidence;

    #[test]
    fn the_built_in_table_is_read_by_the_reader_of_files() {
        let layout = profile("table.csv", BUILT_IN).unwrap();
        assert_eq!(layout.rows().len(), 21);
        assert_eq!(&layout, built_in());
        let surely = |confidence| {
            let rows = layout.rows().iter();
            rows.filter(|row| row.confidence == confidence).count()
        };
        assert_eq!(surely(Confidence::Verified), 2);
        assert_eq!(surely(Confidence::CaptureConfirmed), 6);
        assert_eq!(surely(Confidence::ExistsOnly), 10);
    }

    #[test]
    fn layers_that_are_none() {
        let fault = profile(
            "t",
            "last, any, x, 0, 8, le, -, assumed, s\nlats, any, y, 9, 8, le, -, assumed, s",
        );
        assert_eq!(
            fault.unwrap_err().to_string(),
            "t:2:1: layer: `lats`: expected eth, last or bmp"
        );
    }
}
