//! What the tests of all dissectors ask of their fields.

use wirewait_wire::{Dissector, Facts, Field, Fields, Input, Value};

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

/// The words in which the first field with this name is shown.
pub(crate) fn shown(fields: &[Field<'_>], name: &str) -> Option<String> {
    match &fields.iter().find(|field| field.name == name)?.value {
        Value::Text(words) => Some(words.clone()),
        _ => None,
    }
}
