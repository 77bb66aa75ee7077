//! What the tests of all dissectors ask of their fields and lines.

use std::fmt;
use wirewait_wire::{Dissector, Facts, Fault, Field, Fields, Input, Value};

/// The fields of a PDU, after checking that each byte from its start stands in exactly one
/// of them, that they reach at least to the end of the header, and that no prefix of the
/// PDU breaks either.
pub(crate) fn fields<'a>(dissector: &Dissector, input: Input<'a>) -> Vec<Field<'a>> {
    for n in 0..input.bytes.len() {
        let prefix = Input {
            bytes: &input.bytes[..n],
            ..input
        };
        checked(dissector, prefix);
    }
    checked(dissector, input)
}

fn checked<'a>(dissector: &Dissector, input: Input<'a>) -> Vec<Field<'a>> {
    let mut fields = Fields::new(input, None);
    let _ = (dissector.fields)(&mut fields);
    let fields = fields.finish();
    let mut at = 0;
    for field in fields.iter().filter(|field| field.is_whole()) {
        assert_eq!(field.start, at, "{}: {fields:#?}", dissector.name);
        assert!(field.end >= field.start, "{}: {field:?}", dissector.name);
        at = field.end;
    }
    assert!(at as usize <= input.bytes.len(), "{}", dissector.name);
    if let Ok(layer) = (dissector.dissect)(input, &mut Facts::default()) {
        let header = layer.header.min(layer.end).min(input.length);
        let captured = (header as usize).min(input.bytes.len());
        assert!(
            at as usize >= captured,
            "{}: {at} of {header} bytes of header described: {fields:#?}",
            dissector.name
        );
    }
    fields
}

/// The words of the first field with this name.
pub(crate) fn text(fields: &[Field<'_>], name: &str) -> Option<String> {
    let field = fields.iter().find(|field| field.name == name)?;
    match &field.value {
        Value::Text(text) => Some(text.clone()),
        _ => None,
    }
}

/// The number of the first field with this name.
pub(crate) fn number(fields: &[Field<'_>], name: &str) -> Option<u64> {
    let field = fields.iter().find(|field| field.name == name)?;
    match field.value {
        Value::Decimal(number) | Value::Hex(number) => Some(number),
        _ => None,
    }
}

/// What every dissector must stand, whatever the bytes are and however many were cut
/// off. For the tests of all link and network layers.
pub(crate) fn stands(dissector: &Dissector, bytes: &[u8], cut: u32) {
    let length = u32::try_from(bytes.len()).unwrap() + cut;
    let input = Input { bytes, length };
    let mut facts = Facts::default();
    if let Ok(layer) = (dissector.dissect)(input, &mut facts) {
        assert!(layer.header <= layer.end, "the payload lies inside");
    }
    let line = described(dissector.describe, input);
    assert!(!line.is_empty() && !line.contains('\n'), "{line:?}");
    if let Some(exchange) = dissector.exchange
        && let Ok(part) = exchange(input)
    {
        assert!(part.length > 0 || length == 0, "the analysis must get on");
    }
}

/// A header that is cut anywhere is short, never malformed: the rest was sent.
pub(crate) fn short_when_cut(dissector: &Dissector, header: &[u8]) {
    for n in 0..header.len() {
        let input = Input {
            bytes: &header[..n],
            length: 1500,
        };
        let got = (dissector.dissect)(input, &mut Facts::default());
        assert!(
            matches!(got, Err(Fault::Short { .. })),
            "{n} bytes: {got:?}"
        );
    }
}

/// The one line that a dissector makes of these bytes.
pub(crate) fn line(dissector: &Dissector, bytes: &[u8]) -> String {
    described(dissector.describe, Input::whole(bytes))
}

/// The line that a function makes of this input.
pub(crate) fn described(describe: Describe, input: Input<'_>) -> String {
    let mut line = String::new();
    describe(input, &mut line).unwrap();
    line
}

type Describe = fn(Input<'_>, &mut dyn fmt::Write) -> fmt::Result;
