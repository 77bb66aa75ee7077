//! Transactions: requests and responses that may come in several messages.

use super::{Block, command};
use crate::bytes::{Put, len16};

/// What one message carries of a transaction: its parameters and its data, and from where
/// to where this message has them.
#[derive(Clone, Debug, Default)]
pub struct TransactionPart {
    /// All the parameters.
    pub parameters: Vec<u8>,
    /// All the data.
    pub data: Vec<u8>,
    /// Parameter bytes before this part.
    pub parameters_before: usize,
    /// Parameter bytes in this part.
    pub parameters_here: usize,
    /// Data bytes before this part.
    pub data_before: usize,
    /// Data bytes in this part.
    pub data_here: usize,
}

impl TransactionPart {
    /// The part with all parameters (if it is the first) and these bytes of the data.
    #[must_use]
    pub fn of(parameters: Vec<u8>, data: Vec<u8>, from: usize, length: usize) -> Self {
        let first = from == 0;
        let before = if first { 0 } else { parameters.len() };
        let data_before = from.min(data.len());
        Self {
            parameters_before: before,
            parameters_here: parameters.len() - before,
            data_before,
            data_here: length.min(data.len() - data_before),
            parameters,
            data,
        }
    }

    /// Writes count and offset, and for all but first requests displacement, of parameters
    /// and data, and puts their bytes in place. The bytes start aligned to four when they
    /// are counted from a message whose bytes begin at `at`.
    fn place(&self, block: &mut Block, at: usize, displaced: bool) {
        let pad = |bytes: &mut Vec<u8>| {
            let unaligned = (at + bytes.len()) % 4;
            bytes.zeros((4 - unaligned) % 4);
        };
        let parts = [
            (
                &self.parameters,
                self.parameters_before,
                self.parameters_here,
            ),
            (&self.data, self.data_before, self.data_here),
        ];
        for (all, before, here) in parts {
            let bytes = &all[before..before + here];
            block.words.le16(len16(bytes));
            pad(&mut block.bytes);
            block.offset_here();
            if displaced {
                block.words.le16(u16::try_from(before).unwrap_or(u16::MAX));
            }
            block.bytes.put(bytes);
        }
    }
}

/// TRANSACTION2, the first message.
#[must_use]
pub fn transaction2(function: u16, part: &TransactionPart) -> Block {
    let mut block = Block::new(command::TRANSACTION2);
    block
        .words
        .le16(len16(&part.parameters))
        .le16(len16(&part.data));
    // Most parameters, data and setup words in the answer; flags; timeout.
    block
        .words
        .le16(10)
        .le16(16644)
        .u8(0)
        .u8(0)
        .le16(0)
        .le32(0)
        .le16(0);
    // An empty name.
    block.bytes.u8(0);
    part.place(&mut block, 32 + 1 + 30 + 2, false);
    block.words.u8(1).u8(0).le16(function);
    block
}

/// TRANSACTION2_SECONDARY: more of the request.
#[must_use]
pub fn transaction2_secondary(part: &TransactionPart) -> Block {
    let mut block = Block::new(command::TRANSACTION2_SECONDARY);
    block
        .words
        .le16(len16(&part.parameters))
        .le16(len16(&part.data));
    part.place(&mut block, 32 + 1 + 18 + 2, true);
    block.words.le16(0xffff);
    block
}

/// A response to TRANSACTION2, or a part of it.
#[must_use]
pub fn transaction2_response(part: &TransactionPart) -> Block {
    let mut block = Block::new(command::TRANSACTION2);
    block
        .words
        .le16(len16(&part.parameters))
        .le16(len16(&part.data))
        .le16(0);
    part.place(&mut block, 32 + 1 + 20 + 2, true);
    block.words.u8(0).u8(0);
    block
}

/// Parameters of FIND_FIRST2 for a pattern, information level 1.
#[must_use]
pub fn find_first2(pattern: &str, most: u16) -> Vec<u8> {
    let mut out = Vec::new();
    out.le16(0x16).le16(most).le16(0).le16(1).le32(0);
    out.put(pattern.as_bytes()).u8(0);
    out
}

/// Parameters of the FIND_FIRST2 response: `entries` entries, the end of the search.
#[must_use]
pub fn find_first2_answer(entries: u16) -> Vec<u8> {
    let mut out = Vec::new();
    out.le16(0x0801).le16(entries).le16(1).le16(0).le16(0);
    out
}

/// Data of the answer: entries of information level 1, `FILE0000.TXT` and so on.
#[must_use]
pub fn entries(count: u16) -> Vec<u8> {
    let mut out = Vec::new();
    for number in 0..count {
        for _ in 0..3 {
            // Date and time, DOS form: 1 March 1999, 09:00.
            out.le16(0x2661).le16(0x4800);
        }
        let name = format!("FILE{number:04}.TXT");
        out.le32(1000).le32(1024).le16(0x20);
        out.u8(name.len() as u8).put(name.as_bytes()).u8(0);
    }
    out
}

/// Parameters of SET_PATH_INFORMATION for a name.
#[must_use]
pub fn set_path_information(level: u16, name: &str) -> Vec<u8> {
    let mut out = Vec::new();
    out.le16(level).le32(0).put(name.as_bytes()).u8(0);
    out
}

/// NT_TRANSACT NOTIFY_CHANGE: tell when something in this directory changes.
#[must_use]
pub fn notify_change(fid: u16) -> Block {
    let mut block = Block::new(command::NT_TRANSACT);
    block.words.u8(4).le16(0).le32(0).le32(0).le32(32).le32(0);
    for _ in 0..2 {
        block.words.le32(0);
        block.offset_here();
        block.words.le16(0);
    }
    // Four words of setup: filter (names), file, whole tree.
    block.words.u8(4).le16(4).le32(3).le16(fid).u8(1).u8(0);
    block
}

/// The answer: one name was added.
#[must_use]
pub fn notify_change_response(name: &str) -> Block {
    let mut parameters = Vec::new();
    let wide: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    parameters
        .le32(0)
        .le32(1)
        .le32(wide.len() as u32)
        .put(&wide);
    let length = parameters.len() as u32;
    let mut block = Block::new(command::NT_TRANSACT);
    block.words.zeros(3).le32(length).le32(0).le32(length);
    // The bytes begin at 32 + 1 + 36 + 2: one more makes a multiple of four.
    block.bytes.u8(0);
    block.offset_here();
    block.words.le16(0).le32(0).le32(0).le32(0).le32(0).u8(0);
    block.bytes.put(&parameters);
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_counts_are_those_of_the_specification() {
        let part = TransactionPart::of(vec![1; 10], vec![2; 100], 0, 60);
        assert_eq!(transaction2(1, &part).words.len(), 30);
        assert_eq!(transaction2_secondary(&part).words.len(), 18);
        assert_eq!(transaction2_response(&part).words.len(), 20);
        assert_eq!(notify_change(1).words.len(), 46);
        assert_eq!(notify_change_response("A").words.len(), 36);
    }

    #[test]
    fn later_parts_have_no_parameters_but_say_where_they_are() {
        let part = TransactionPart::of(vec![1; 10], vec![2; 100], 60, 60);
        assert_eq!((part.parameters_before, part.parameters_here), (10, 0));
        assert_eq!((part.data_before, part.data_here), (60, 40));
    }
}
