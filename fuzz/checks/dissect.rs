//! What must hold for the layers of any frame at all.

use wirewait_report::decode::Tree;
use wirewait_wire::{
    Asked, Depth, Dissector, Exchange, Facts, Fields, Frame, Framing, Input, Registry, Span,
    StopReason, Walk,
};

/// Walks a frame to both depths, describes every layer and its fields, and hands every
/// payload to every dissector that reads messages or cuts streams.
///
/// # Panics
/// When a layer reaches beyond its frame, a dissector beyond its input, a description
/// beyond its line, or when a byte is described twice or not at all.
pub(crate) fn dissect(registry: &Registry, walk: &mut Walk, line: &mut String, frame: &Frame<'_>) {
    registry.walk(frame, Depth::Handover, walk);
    spans(walk, frame);
    if let Some(message) = walk.message {
        let dissector = registry.dissector(message.dissector);
        messages(dissector, walk.bytes(frame, message));
    }
    registry.walk(frame, Depth::Full, walk);
    spans(walk, frame);
    for span in walk.spans() {
        let dissector = registry.dissector(span.dissector);
        layer(dissector, walk.bytes(frame, *span), line);
    }
    tree(registry, walk, frame);
    let payload = walk.payload(frame);
    for dissector in registry.dissectors() {
        messages(dissector, payload);
        stream(dissector, payload.bytes);
    }
}

/// The frame as a detail pane shows it: every byte has one place.
fn tree(registry: &Registry, walk: &Walk, frame: &Frame<'_>) {
    let tree = Tree::of_frame(registry, frame, walk);
    let mut at = 0;
    for range in tree.stretches() {
        assert!(range.start == at && range.end >= at, "{tree:#?}");
        at = range.end;
    }
    assert_eq!(at as usize, frame.bytes.len(), "{tree:#?}");
}

/// One layer by itself.
pub(crate) fn layer(dissector: &Dissector, input: Input<'_>, line: &mut String) {
    let mut header = 0;
    if let Ok(layer) = (dissector.dissect)(input, &mut Facts::default()) {
        assert!(layer.header <= layer.end, "{}: {layer:?}", dissector.name);
        header = layer.header.min(input.length);
    }
    fields(dissector, input, header, None);
    line.clear();
    (dissector.describe)(input, line).expect("a string takes everything");
    assert!(
        !line.chars().any(char::is_control),
        "{}: {line:?}",
        dissector.name
    );
    messages(dissector, input);
    stream(dissector, input.bytes);
}

/// The fields of a layer: one behind the other, at least the header, nothing beyond its end.
fn fields(dissector: &Dissector, input: Input<'_>, header: u32, asked: Option<Asked>) {
    let name = dissector.name;
    let mut fields = Fields::new(input, asked);
    let _ = (dissector.fields)(&mut fields);
    let fields = fields.finish();
    let mut at = 0;
    for field in fields.iter().filter(|field| field.is_whole()) {
        assert!(field.start == at && field.end >= at, "{name}: {fields:#?}");
        at = field.end;
    }
    let captured = input.bytes.len().min(input.length as usize);
    assert!(at as usize <= captured, "{name}: {at} of {captured}");
    let described = at as usize >= captured.min(header as usize);
    assert!(described, "{name}: {at} of {header}: {fields:#?}");
}

/// Bytes as a message.
pub(crate) fn messages(dissector: &Dissector, input: Input<'_>) {
    let Some(exchange) = dissector.exchange else {
        return;
    };
    let mut input = input;
    let mut asked = None;
    // Bounded as the analysis is: a part is never empty.
    for _ in 0..64 {
        let Ok(part) = exchange(input) else { break };
        let length = part.length.min(input.length).max(1);
        names(dissector, input);
        if let Some(x) = part.exchange {
            answer(dissector, input, &x);
            if let Some(asked) = asked.replace(x) {
                answer(dissector, input, &asked);
            }
        }
        if length >= input.length {
            break;
        }
        input = input.skip(length);
    }
}

/// What a message names can be written.
fn names(dissector: &Dissector, input: Input<'_>) {
    if let Some(tell) = dissector.names {
        let mut told = 0;
        tell(input, &mut |_, text| told += text.to_string().len());
        assert!(told <= 8 * input.bytes.len() + 64, "{}", dissector.name);
    }
}

/// Bytes as the answer to a message.
pub(crate) fn answer(dissector: &Dissector, input: Input<'_>, x: &Exchange) {
    for asked in [x.asked, 0, u64::MAX] {
        let asked = Asked {
            operation: x.operation,
            code: x.code,
            asked,
            file: x.file,
        };
        if let Some(answer) = dissector.answer {
            answer(input, &asked);
        }
        fields(dissector, input, 0, Some(asked));
    }
}

/// Bytes as a piece of a stream.
pub(crate) fn stream(dissector: &Dissector, bytes: &[u8]) {
    if let Some(framing) = dissector.framing
        && let Framing::Need(n) = framing(bytes)
    {
        assert!(
            n as usize > bytes.len(),
            "{}: needs {n} bytes and was given {}",
            dissector.name,
            bytes.len()
        );
    }
    if let Some(resync) = dissector.resync
        && let Some(at) = resync(bytes)
    {
        assert!(
            at <= bytes.len(),
            "{}: a message at {at} of {}",
            dissector.name,
            bytes.len()
        );
    }
}

fn spans(walk: &Walk, frame: &Frame<'_>) {
    let length = frame
        .wire_len
        .max(u32::try_from(frame.bytes.len()).unwrap_or(u32::MAX));
    if let Some(stop) = walk.stop {
        // What is missing may be said to begin behind the end.
        let missing = stop.reason != StopReason::Malformed;
        assert!(missing || stop.offset <= length, "{stop} of {length}");
    }
    for span in walk.spans().iter().chain(&walk.message) {
        let Span {
            start,
            payload,
            end,
            ..
        } = *span;
        assert!(start <= payload && payload <= end, "{span:?} of {length}");
        assert!(walk.bytes(frame, *span).bytes.len() <= frame.bytes.len());
    }
}
