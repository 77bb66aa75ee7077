//! A table of byte positions, and a PDU to show by it: a user's file is read, or refused with a
//! place in it; what was read can be written and read again, and shows every byte once.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wirewait_dissectors::last;
use wirewait_wire::{Fields, Input, Layout};

fuzz_target!(|data: &[u8]| {
    let Some((&n, rest)) = data.split_first() else {
        return;
    };
    let (pdu, text) = rest.split_at(usize::from(n).min(rest.len()));
    let text = String::from_utf8_lossy(text);
    let layout = match last::profile("fuzz", &text) {
        Ok(layout) => layout,
        Err(error) => {
            assert!(error.line <= text.lines().count(), "{error}");
            assert!(!error.message.is_empty());
            return;
        }
    };
    let written = layout.to_string();
    let again = Layout::parse("again", &written).expect("what was written is read");
    assert_eq!(again.to_string(), written);
    let input = Input::whole(pdu);
    let message = layout.message(input, Some("request"));
    let mut fields = Fields::new(input, None);
    let _ = layout.fields(&mut fields, input, &["last", "bmp"], message, input.length);
    let mut at = 0;
    for field in fields.finish().iter().filter(|field| field.is_whole()) {
        assert_eq!(field.start, at);
        at = field.end;
    }
    assert!(at <= input.length);
});
