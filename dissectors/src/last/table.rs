//! The table of byte positions: the one built in, and a user's own.

use std::sync::LazyLock;
use wirewait_wire::{Input, Layout, LayoutError};

/// Layers that a row can be of.
const LAYERS: [&str; 3] = ["eth", "last", "bmp"];

/// The kind of message that keeps a circuit up.
pub(super) const UPKEEP: &str = "upkeep";
/// Kinds of messages with an SMB in them.
pub(super) const REQUEST: &str = "request";
pub(super) const RESPONSE: &str = "response";

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
