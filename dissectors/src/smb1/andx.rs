//! The blocks of a message: WordCount, words, ByteCount, bytes; and the AndX chain that
//! strings several of them together under one header. MS-CIFS 2.2.3.2 to 2.2.3.4.

use super::{Command, Header};
use crate::parse::{le16, le32};
use wirewait_wire::Input;

/// One command of a message, as far as it was captured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block<'a> {
    /// What it asks for or answers.
    pub(super) command: Command,
    /// Number of words; `None` when the capture cut it off.
    pub(super) word_count: Option<u8>,
    /// The whole message, from the 0xFF byte of the header: offsets in words count from
    /// there.
    pub(super) message: Input<'a>,
    words: &'a [u8],
    start: usize,
}

impl<'a> Block<'a> {
    fn new(command: Command, start: usize, message: Input<'a>) -> Self {
        let word_count = match message.bytes.get(start) {
            Some(count) => Some(*count),
            // Not captured, but there is only room for the two counts, both 0.
            None if message.length as usize == start + 3 => Some(0),
            None => None,
        };
        let words = message.bytes.get(start + 1..).unwrap_or_default();
        let declared = 2 * usize::from(word_count.unwrap_or(0));
        Self {
            command,
            word_count,
            message,
            words: words.get(..declared).unwrap_or(words),
            start,
        }
    }

    /// Where it begins, from the start of the message.
    pub(super) fn start(&self) -> usize {
        self.start
    }

    /// The byte `at` bytes into the words.
    pub(super) fn u8(&self, at: usize) -> Option<u8> {
        self.words.get(at).copied()
    }

    /// The 16 bits `at` bytes into the words.
    pub(super) fn u16(&self, at: usize) -> Option<u16> {
        le16(self.words, at)
    }

    /// The 32 bits `at` bytes into the words.
    pub(super) fn u32(&self, at: usize) -> Option<u32> {
        le32(self.words, at)
    }

    /// Whether the message has at least this many words, captured or not.
    pub(super) fn has_words(&self, count: u8) -> bool {
        self.word_count.is_some_and(|has| has >= count)
    }

    /// Where the bytes begin, from the start of the message.
    pub(super) fn bytes_at(&self) -> usize {
        self.start + 3 + 2 * usize::from(self.word_count.unwrap_or(0))
    }

    /// How many bytes come behind the words of the last block of a message that was cut off, by its length, if those do not say it;
    /// 0 where it was not cut off.
    pub(super) fn cut_bytes(&self) -> u32 {
        let Input { bytes, length } = self.message;
        let chained = self.command.is_andx() && self.u8(0) != Some(Command::NONE.0);
        let cut = bytes.len() < length as usize && self.word_count.is_some();
        match cut && !chained {
            true => length.saturating_sub(self.bytes_at() as u32),
            false => 0,
        }
    }

    /// The bytes, as far as they were captured. ByteCount is not asked: it has 16 bits and
    /// is wrong in large reads and writes.
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.message
            .bytes
            .get(self.bytes_at()..)
            .unwrap_or_default()
    }
}

/// The blocks of a message in their order.
#[derive(Clone, Debug)]
pub(super) struct Blocks<'a> {
    message: Input<'a>,
    next: Option<(Command, usize)>,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(header: &Header, message: Input<'a>) -> Self {
        Self {
            message,
            next: Some((header.command, Header::LENGTH as usize)),
        }
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Block<'a>;

    fn next(&mut self) -> Option<Block<'a>> {
        let (command, start) = self.next.take()?;
        let block = Block::new(command, start, self.message);
        if command.is_andx() {
            self.next = follower(&block);
        }
        Some(block)
    }
}

/// The block that an AndX block points to. It must lie behind this one's words and inside
/// the message, so a chain ends after as many steps as it has bytes at worst.
fn follower(block: &Block<'_>) -> Option<(Command, usize)> {
    let command = Command(block.u8(0)?);
    let start = usize::from(block.u16(2)?);
    let inside = start >= block.bytes_at() && start < block.message.length as usize;
    (command != Command::NONE && inside).then_some((command, start))
}

#[cfg(test)]
mod tests {
    use super::super::tests::message;
    use super::*;

    /// OPEN_ANDX (15 words) whose chain goes on at `next` with `command`.
    fn open_andx(command: u8, next: u16) -> Vec<u8> {
        let mut words = vec![0u8; 30];
        words[0] = command;
        words[2..4].copy_from_slice(&next.to_le_bytes());
        message(0x2d, 0, &words, b"X\0")
    }

    fn commands(bytes: &[u8]) -> Vec<u8> {
        let input = Input::whole(bytes);
        let header = Header::parse(input).unwrap();
        Blocks::new(&header, input).map(|b| b.command.0).collect()
    }

    #[test]
    fn a_chain_is_followed_to_its_end() {
        let mut m = open_andx(0x2e, 68);
        assert_eq!(m.len(), 67);
        m.push(0); // to an even place, as clients do
        m.extend([10, 0x04, 0, 92, 0]); // READ_ANDX, then CLOSE at 92
        m.extend([0; 16]);
        m.extend([0, 0, 0]);
        m.extend([3, 1, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(commands(&m), [0x2d, 0x2e, 0x04]);
    }

    #[test]
    fn offsets_that_lead_back_or_out_end_the_chain() {
        assert_eq!(commands(&open_andx(0x2d, 32)), [0x2d], "itself");
        assert_eq!(commands(&open_andx(0x2e, 40)), [0x2d], "own words");
        assert_eq!(commands(&open_andx(0x2e, 67)), [0x2d], "behind the end");
        assert_eq!(commands(&open_andx(0xff, 65)), [0x2d], "no further command");
        assert_eq!(commands(&open_andx(0x2e, 65)), [0x2d, 0x2e]);
    }

    #[test]
    fn a_block_behind_the_cut_is_named_and_empty() {
        let whole = open_andx(0x2e, 65);
        let cut = Input {
            bytes: &whole[..40],
            length: 200,
        };
        let header = Header::parse(cut).unwrap();
        let blocks: Vec<_> = Blocks::new(&header, cut).collect();
        assert_eq!(blocks.len(), 2);
        assert_eq!((blocks[1].command.0, blocks[1].word_count), (0x2e, None));
        assert_eq!(blocks[0].u16(30), None, "behind the words");
        assert_eq!(blocks[0].u16(8), None, "behind the cut");
    }

    #[test]
    fn an_empty_block_is_known_by_its_length_alone() {
        let cut = Input {
            bytes: &message(0x32, 0, &[], &[])[..26],
            length: 35,
        };
        let header = Header::parse(cut).unwrap();
        assert_eq!(
            Blocks::new(&header, cut).next().unwrap().word_count,
            Some(0)
        );
    }
}
