//! Appending numbers to a buffer in the byte order a field asks for.

/// Appends fields to a packet under construction.
pub(crate) trait Put {
    /// One byte.
    fn u8(&mut self, value: u8) -> &mut Self;
    /// Sixteen bits, most significant byte first.
    fn be16(&mut self, value: u16) -> &mut Self;
    /// Thirty-two bits, most significant byte first.
    fn be32(&mut self, value: u32) -> &mut Self;
    /// Sixteen bits, least significant byte first.
    fn le16(&mut self, value: u16) -> &mut Self;
    /// Thirty-two bits, least significant byte first.
    fn le32(&mut self, value: u32) -> &mut Self;
    /// Sixty-four bits, least significant byte first.
    fn le64(&mut self, value: u64) -> &mut Self;
    /// Bytes as they are.
    fn put(&mut self, bytes: &[u8]) -> &mut Self;
    /// `count` zero bytes.
    fn zeros(&mut self, count: usize) -> &mut Self;
    /// Zero bytes until the length is a multiple of `unit`.
    fn align(&mut self, unit: usize) -> &mut Self;
}

impl Put for Vec<u8> {
    fn u8(&mut self, value: u8) -> &mut Self {
        self.push(value);
        self
    }

    fn be16(&mut self, value: u16) -> &mut Self {
        self.put(&value.to_be_bytes())
    }

    fn be32(&mut self, value: u32) -> &mut Self {
        self.put(&value.to_be_bytes())
    }

    fn le16(&mut self, value: u16) -> &mut Self {
        self.put(&value.to_le_bytes())
    }

    fn le32(&mut self, value: u32) -> &mut Self {
        self.put(&value.to_le_bytes())
    }

    fn le64(&mut self, value: u64) -> &mut Self {
        self.put(&value.to_le_bytes())
    }

    fn put(&mut self, bytes: &[u8]) -> &mut Self {
        self.extend_from_slice(bytes);
        self
    }

    fn zeros(&mut self, count: usize) -> &mut Self {
        self.resize(self.len() + count, 0);
        self
    }

    fn align(&mut self, unit: usize) -> &mut Self {
        self.resize(self.len().next_multiple_of(unit), 0);
        self
    }
}

/// File contents for reads and writes: the alphabet repeated, so that no block looks like a
/// header and offsets can be told by eye.
#[must_use]
pub fn file_data(offset: u64, length: usize) -> Vec<u8> {
    (b'a'..=b'z')
        .cycle()
        .skip((offset % 26) as usize)
        .take(length)
        .collect()
}

/// A length that a 16-bit field can hold; the largest value if it cannot (SMB1's own
/// byte counts do the same for large reads).
pub(crate) fn len16(bytes: &[u8]) -> u16 {
    u16::try_from(bytes.len()).unwrap_or(u16::MAX)
}

/// A length that a 32-bit field can hold.
pub(crate) fn len32(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}
