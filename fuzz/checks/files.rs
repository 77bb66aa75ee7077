//! What must hold for any bytes that are said to be a capture file.

use std::io::{self, Read};
use wirewait_capture::{Files, MAX_FRAME, Options};
use wirewait_wire::Source;

/// Gives at most so many bytes at a time.
pub(crate) struct Pieces {
    pub(crate) bytes: io::Cursor<Vec<u8>>,
    pub(crate) size: usize,
}

impl Read for Pieces {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = out.len().min(self.size);
        self.bytes.read(&mut out[..n])
    }
}

/// Opens and reads bytes.
///
/// # Panics
/// When a frame cannot be one, or when pieces of another size give something else.
pub(crate) fn check(data: &[u8]) {
    let whole = read(data, data.len().max(1));
    let pieces = read(data, 7);
    // Where a decompressor finds damage depends on how much it is given.
    let compressed = matches!(
        data,
        [0x1f, 0x8b, ..]
            | [0x28, 0xb5, 0x2f, 0xfd, ..]
            | [0x04, 0x22, 0x4d, 0x18, ..]
            | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]
    );
    if !compressed {
        assert_eq!(pieces, whole);
    }
}

/// Everything that is read from them, in words.
fn read(data: &[u8], size: usize) -> Vec<String> {
    let pieces = Pieces {
        bytes: io::Cursor::new(data.to_vec()),
        size,
    };
    let mut log = Vec::new();
    let mut source = match Files::from_reader("input", Box::new(pieces), &Options::default()) {
        Ok(source) => source,
        Err(error) => return vec![error.to_string()],
    };
    loop {
        assert!(
            log.len() <= data.len() * 1100 + 16,
            "more than can be there"
        );
        match source.next_frame() {
            Ok(Some(frame)) => {
                assert!(frame.bytes.len() <= MAX_FRAME);
                assert!(frame.wire_len as usize >= frame.bytes.len());
                log.push(format!("{frame:?}"));
            }
            Ok(None) => break,
            Err(error) => log.push(error.to_string()),
        }
    }
    for interface in source.interfaces() {
        log.push(format!("{interface:?}"));
    }
    log
}
