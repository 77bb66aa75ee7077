//! NetBIOS names: RFC 1001 section 14 and, encoded, RFC 1002 section 4.1.

use crate::parse::malformed;
use std::borrow::Cow;
use std::fmt;
use wirewait_wire::{Fault, Fields};

/// A NetBIOS name: 15 characters and a last byte that says what goes by it (RFC 1001
/// section 14).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Name(pub [u8; 16]);

impl Name {
    /// The 16 bytes at `at`, as the carriers without encoding write them.
    #[must_use]
    pub fn plain(bytes: &[u8], at: usize) -> Option<Self> {
        let name = bytes.get(at..at.checked_add(16)?)?;
        Some(Self(name.try_into().ok()?))
    }

    /// A name at `at` in the encoding of RFC 1001 section 14.1, and where what follows it
    /// begins. A scope is skipped.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] where it is not in that encoding.
    pub fn encoded(bytes: &[u8], at: usize) -> Result<(Self, usize), Fault> {
        let place = u32::try_from(at).unwrap_or(u32::MAX);
        let rest = bytes.get(at..).unwrap_or_default();
        match rest.first() {
            None => return Err(Fault::Short { offset: place }),
            Some(32) => {}
            Some(_) => return Err(malformed(place, "name length is not 32")),
        }
        let letters = rest.get(1..33).ok_or(Fault::Short { offset: place })?;
        let mut name = [0; 16];
        for (byte, pair) in name.iter_mut().zip(letters.chunks_exact(2)) {
            match (half(pair[0]), half(pair[1])) {
                (Some(high), Some(low)) => *byte = high << 4 | low,
                _ => return Err(malformed(place, "name is not in half-ASCII letters")),
            }
        }
        let end = labels(rest, 33).map_err(|fault| match fault {
            Fault::Short { .. } => Fault::Short { offset: place },
            Fault::Malformed { what, .. } => malformed(place, what),
        })?;
        Ok((Self(name), at + end))
    }
}

/// Characters up to the padding, then the last byte: `SERVER<20>`. What cannot be printed
/// is written as `\x01`. The name that an adapter has from its address (ten zeros, then the
/// address) is written as the address.
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, a @ ..] = self.0
            && a != [0; 6]
        {
            let [a, b, c, d, e, last] = a;
            return write!(f, "{a:02x}-{b:02x}-{c:02x}-{d:02x}-{e:02x}-{last:02x}");
        }
        let characters = &self.0[..15];
        let padding = characters.iter().rev();
        let padding = padding.take_while(|c| matches!(c, b' ' | 0)).count();
        for &c in &characters[..15 - padding] {
            match c {
                b'\\' => f.write_str("\\\\")?,
                b' '..=b'~' => write!(f, "{}", char::from(c))?,
                _ => write!(f, "\\x{c:02x}")?,
            }
        }
        write!(f, "<{:02x}>", self.0[15])
    }
}

impl Name {
    /// What goes by its last byte, as Microsoft's and IBM's programs use it.
    #[must_use]
    pub const fn service(&self) -> &'static str {
        match self.0[15] {
            0x00 => "workstation",
            0x01 => "messenger or master browsers",
            0x03 => "messenger",
            0x06 => "remote access server",
            0x1b => "domain master browser",
            0x1c => "domain controllers",
            0x1d => "master browser",
            0x1e => "browser elections",
            0x1f => "network DDE",
            0x20 => "server",
            0x21 => "remote access client",
            0xbe => "Network Monitor agent",
            0xbf => "Network Monitor application",
            _ => "",
        }
    }
}

/// A name of 16 bytes.
pub(crate) fn plain_name(f: &mut Fields<'_>, field: impl Into<Cow<'static, str>>) -> Option<Name> {
    let name = Name::plain(f.bytes(16, field)?, 0)?;
    f.shown(name).means(name.service());
    Some(name)
}

/// A name in the encoding of RFC 1001, or where in the PDU it stands already (RFC 883,
/// "Domain names"). The fields go on behind one that is neither.
pub(crate) fn encoded_name(f: &mut Fields<'_>, field: &'static str) -> Option<()> {
    let bytes = f.peek();
    if let [0xc0..=0xff, ..] = bytes {
        let place = usize::from(f.be16(field)? & 0x3fff);
        f.hex();
        match Name::encoded(f.input().bytes, place) {
            Ok((name, _)) => f.means(format_args!("{name}, as at byte {place}")),
            Err(_) => f.means("leads to no name"),
        };
        return Some(());
    }
    match Name::encoded(bytes, 0) {
        Ok((name, length)) => {
            f.bytes(u32::try_from(length).unwrap_or(u32::MAX), field)?;
            f.shown(name).means(name.service());
        }
        // Labels all the same: what follows them can be found.
        Err(Fault::Malformed { .. }) => {
            let length = labels(bytes, 0).unwrap_or(bytes.len());
            f.bytes(u32::try_from(length).unwrap_or(u32::MAX), field)?;
            f.means("not an encoded name");
        }
        Err(Fault::Short { .. }) => {
            f.bytes(f.left(), field)?;
            return None;
        }
    }
    Some(())
}

/// Where the labels end that go on at `end`, the zero behind them included.
fn labels(bytes: &[u8], mut end: usize) -> Result<usize, Fault> {
    loop {
        match bytes.get(end) {
            None => return Err(Fault::Short { offset: 0 }),
            Some(0) => return Ok(end + 1),
            // RFC 883: a label has at most 63 characters, a name at most 255.
            Some(&label @ 1..=63) if end < 255 => end += 1 + usize::from(label),
            Some(_) => return Err(malformed(0, "scope")),
        }
    }
}

/// The four bits behind a letter of RFC 1001 section 14.1.
fn half(letter: u8) -> Option<u8> {
    matches!(letter, b'A'..=b'P').then(|| letter - b'A')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_are_decoded_and_made_printable() {
        // RFC 1001 section 14.1: "FRED" with blanks, last byte a blank too.
        let encoded = b"\x20EGFCEFEECACACACACACACACACACACACA\x00rest";
        let (name, end) = Name::encoded(encoded, 0).unwrap();
        assert_eq!((name.to_string().as_str(), end), ("FRED<20>", 34));
        let name = Name(*b"\x01\x02__MSBROWSE__\x02\x01");
        assert_eq!(name.to_string(), "\\x01\\x02__MSBROWSE__\\x02<01>");
        let name = Name(*b"MARTIN ROSENAU \x03");
        assert_eq!(name.to_string(), "MARTIN ROSENAU<03>");
        let name = Name(*b"*\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
        assert_eq!(name.to_string(), "*<00>");
        let name = Name(*b"\0\0\0\0\0\0\0\0\0\0\x00\x00\x1b\x12\x34\x56");
        assert_eq!(name.to_string(), "00-00-1b-12-34-56");
    }

    #[test]
    fn a_scope_is_skipped_and_what_is_no_name_refused() {
        let mut bytes = b"\x20EGFCEFEECACACACACACACACACACACACA\x07NETBIOS\x03COM\x00".to_vec();
        assert_eq!(Name::encoded(&bytes, 0).unwrap().1, bytes.len());
        for n in 0..bytes.len() {
            let cut = Name::encoded(&bytes[..n], 0);
            assert_eq!(cut, Err(Fault::Short { offset: 0 }), "{n}");
        }
        bytes[33] = 0xc0;
        assert!(matches!(
            Name::encoded(&bytes, 0),
            Err(Fault::Malformed { .. })
        ));
        bytes[5] = b'Q';
        assert!(matches!(
            Name::encoded(&bytes, 0),
            Err(Fault::Malformed { .. })
        ));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(
            bytes in proptest::collection::vec(any::<u8>(), 0..80),
        ) {
            let _ = Name::encoded(&bytes, 3);
        }
    }
}
