//! One line for every part of a message, as a protocol analyser's summary shows it:
//! `C` a command (request), `R` its response, `N` what the server sends unasked.

use super::commands::{self, BODY, PREVIOUS_FILE, command, file_at, le128, lock};
use super::transform::{Compressed, Encrypted};
use super::{ASYNC, Header, RELATED, REPLAY, RESPONSE, Wrapping, head, plain, wrapping};
use crate::parse::{le16, le32, le64};
use std::fmt::{self, Write};
use wirewait_wire::{Fault, Input};

/// Parts of one message that are shown; a line of more is of no use to anyone.
const MAX_PARTS: usize = 16;
/// Characters of a name that are shown.
const MAX_NAME: usize = 80;
/// Dialects of a NEGOTIATE that are shown; there are eight.
const MAX_DIALECTS: usize = 16;

pub(super) fn describe(input: Input<'_>, out: &mut dyn Write) -> fmt::Result {
    let mut rest = input;
    for shown in 0..MAX_PARTS {
        if shown > 0 {
            out.write_str(" | ")?;
        }
        let length = part(rest, out)?;
        if length >= rest.length {
            return Ok(());
        }
        rest = rest.skip(length);
    }
    out.write_str(" | and more")
}

/// Describes the part that begins here and says how long it is.
fn part(input: Input<'_>, out: &mut dyn Write) -> Result<u32, fmt::Error> {
    match wrapping(input) {
        Ok(Wrapping::Plain) => message(input, out),
        Ok(Wrapping::Encrypted) => encrypted(input, out),
        Ok(Wrapping::Compressed) => {
            compressed(input, out)?;
            Ok(input.length)
        }
        Err(fault) => {
            broken(fault, out)?;
            Ok(input.length)
        }
    }
}

fn encrypted(input: Input<'_>, out: &mut dyn Write) -> Result<u32, fmt::Error> {
    let e = match Encrypted::parse(input) {
        Ok(e) => e,
        Err(fault) => {
            broken(fault, out)?;
            return Ok(input.length);
        }
    };
    out.write_str("encrypted")?;
    if let Some(size) = e.size {
        write!(out, ", {size} bytes")?;
    }
    if let Some(session) = e.session {
        write!(out, ", session 0x{session:x}")?;
    }
    Ok(if e.size.is_some() {
        e.end()
    } else {
        input.length
    })
}

fn compressed(input: Input<'_>, out: &mut dyn Write) -> fmt::Result {
    const ALGORITHMS: [&str; 6] = [
        "in pieces",
        "LZNT1",
        "LZ77",
        "LZ77+Huffman",
        "pattern",
        "LZ4",
    ];
    let c = match Compressed::parse(input) {
        Ok(c) => c,
        Err(fault) => return broken(fault, out),
    };
    out.write_str("compressed")?;
    match ALGORITHMS.get(usize::from(c.algorithm)) {
        Some(name) => write!(out, " {name}")?,
        None => write!(out, " algorithm {}", c.algorithm)?,
    }
    write!(out, ", {} bytes of {}", input.length, c.original)?;
    match c.inner(input) {
        Some(inner) => {
            out.write_str(": ")?;
            message(inner, out).map(|_| ())
        }
        None => Ok(()),
    }
}

fn broken(fault: Fault, out: &mut dyn Write) -> fmt::Result {
    match fault {
        Fault::Short { .. } => out.write_str("cut off"),
        Fault::Malformed { what, .. } => out.write_str(what),
    }
}

fn message(input: Input<'_>, out: &mut dyn Write) -> Result<u32, fmt::Error> {
    let h = match Header::parse(input) {
        Ok(h) => h,
        Err(fault) => {
            broken(fault, out)?;
            return Ok(input.length);
        }
    };
    // A chain that cannot be followed still has a first part worth showing.
    let (part, fault) = match plain(input) {
        Ok((_, part)) => (part, None),
        Err(fault) => (head(input, input.length), Some(fault)),
    };
    one(&h, part, out)?;
    if let Some(fault) = fault {
        out.write_str(", ")?;
        broken(fault, out)?;
    }
    Ok(part.length)
}

fn one(h: &Header, part: Input<'_>, out: &mut dyn Write) -> fmt::Result {
    let ex = commands::exchange(h, part);
    let unasked = h.has(RESPONSE) && h.message == Some(Header::UNSOLICITED);
    let letter = match (unasked, h.has(RESPONSE)) {
        (true, _) => 'N',
        (_, true) => 'R',
        _ => 'C',
    };
    write!(out, "{letter} {}", ex.operation.name)?;
    match ex.operation.name {
        "UNKNOWN" => write!(out, " 0x{:02x}", h.command)?,
        "IOCTL" if ex.code != u32::from(h.command) => write!(out, " 0x{:08x}", ex.code)?,
        _ => {}
    }
    match h.message {
        _ if unasked => {}
        Some(0) if h.command == command::CANCEL && h.has(ASYNC) => {}
        Some(message) => write!(out, " mid={message}")?,
        None => return out.write_str(", cut off"),
    }
    if let Some(id) = h.async_id {
        write!(out, " aid=0x{id:x}")?;
    }
    if let Some(status) = ex.status.filter(|s| s.code != 0) {
        match status.name {
            Some(name) => write!(out, " {name}")?,
            None => write!(out, " status 0x{:08x}", status.code)?,
        }
    }
    if h.has(RESPONSE) && !unasked {
        response(h, part.bytes, out)?;
        write!(out, " credits {}", h.credits)?;
    } else if unasked {
        notification(part.bytes, out)?;
    } else {
        request(h, part.bytes, out)?;
        write!(out, " credits {}/{}", h.credit_charge, h.credits)?;
    }
    if h.has(RELATED) {
        out.write_str(" related")?;
    }
    if h.has(REPLAY) {
        out.write_str(" replay")?;
    }
    Ok(())
}

/// The fields of a request (2.2.3 to 2.2.39), as far as they are at hand.
fn request(h: &Header, b: &[u8], out: &mut dyn Write) -> fmt::Result {
    if h.command == command::OPLOCK_BREAK {
        return broken_promise(b, out);
    }
    if let Some(handle) = file_at(h.command).and_then(|at| le128(b, at)) {
        file(handle, out)?;
    }
    match h.command {
        command::NEGOTIATE => {
            let count = usize::from(le16(b, 66).unwrap_or_default());
            out.write_str(" dialects")?;
            for n in 0..count.min(MAX_DIALECTS) {
                let Some(dialect) = le16(b, 100 + 2 * n) else {
                    break;
                };
                out.write_char(if n == 0 { ' ' } else { ',' })?;
                self::dialect(dialect, out)?;
            }
            if count > MAX_DIALECTS {
                write!(out, " of {count}")?;
            }
            Ok(())
        }
        command::SESSION_SETUP => {
            if b.get(66).is_some_and(|flags| flags & 1 != 0) {
                out.write_str(" binding")?;
            }
            match le64(b, 80) {
                Some(previous) if previous != 0 => write!(out, " previous=0x{previous:x}"),
                _ => Ok(()),
            }
        }
        command::TREE_CONNECT => named(b, le16(b, 68), le16(b, 70), out),
        command::CREATE => {
            const DISPOSITIONS: [&str; 6] = [
                "supersede",
                "open",
                "create",
                "open_if",
                "overwrite",
                "overwrite_if",
            ];
            named(b, le16(b, 108), le16(b, 110), out)?;
            match le32(b, 100).and_then(|d| DISPOSITIONS.get(d as usize)) {
                Some(disposition) => write!(out, " {disposition}"),
                None => Ok(()),
            }
        }
        command::READ | command::WRITE => {
            number(" off=", le64(b, 72), out)?;
            number(" len=", le32(b, 68), out)
        }
        command::LOCK => {
            number(" off=", le64(b, 88), out)?;
            number(" len=", le64(b, 96), out)?;
            if let Some(flags) = le32(b, 104) {
                out.write_str(match flags & 0x07 {
                    lock::SHARED => " shared",
                    lock::EXCLUSIVE => " exclusive",
                    4 => " unlock",
                    _ => " flags?",
                })?;
                if flags & lock::FAIL_IMMEDIATELY != 0 {
                    out.write_str(" now or never")?;
                }
            }
            match le16(b, 66) {
                Some(count) if count > 1 => write!(out, " and {} more", count - 1),
                _ => Ok(()),
            }
        }
        command::IOCTL => {
            number(" in=", le32(b, 92), out)?;
            number(" max=", le32(b, 108), out)
        }
        command::QUERY_DIRECTORY => {
            number(" class=", b.get(66), out)?;
            named(b, le16(b, 88), le16(b, 90), out)
        }
        command::CHANGE_NOTIFY => {
            if le16(b, 66).is_some_and(|flags| flags & 1 != 0) {
                out.write_str(" tree")?;
            }
            match le32(b, 88) {
                Some(filter) => write!(out, " filter=0x{filter:x}"),
                None => Ok(()),
            }
        }
        command::QUERY_INFO | command::SET_INFO => {
            number(" type=", b.get(66), out)?;
            number(" class=", b.get(67), out)
        }
        _ => Ok(()),
    }
}

/// The fields of a response, which has them only when its body is not that of an error.
fn response(h: &Header, b: &[u8], out: &mut dyn Write) -> fmt::Result {
    const SUCCESS: u32 = 0;
    const BUFFER_OVERFLOW: u32 = 0x8000_0005;
    match (h.command, le16(b, BODY)) {
        (command::NEGOTIATE, Some(65)) => {
            if let Some(chosen) = le16(b, 68) {
                out.write_str(" dialect ")?;
                dialect(chosen, out)?;
            }
            number(" maxread=", le32(b, 96), out)?;
            number(" maxwrite=", le32(b, 100), out)
        }
        (command::SESSION_SETUP, Some(9)) if h.status == SUCCESS => {
            if let Some(session) = h.session {
                write!(out, " session 0x{session:x}")?;
            }
            let flags = le16(b, 66).unwrap_or_default();
            for (bit, word) in [(1, " guest"), (2, " null"), (4, " encrypted")] {
                if flags & bit != 0 {
                    out.write_str(word)?;
                }
            }
            Ok(())
        }
        (command::TREE_CONNECT, Some(16)) => {
            out.write_str(match b.get(66) {
                Some(1) => " disk",
                Some(2) => " pipe",
                Some(3) => " print",
                _ => "",
            })?;
            number(" tid=", h.tree, out)
        }
        (command::CREATE, Some(89)) => {
            if let Some(handle) = le128(b, 128) {
                file(handle, out)?;
            }
            number(" size=", le64(b, 112), out)
        }
        (command::READ | command::WRITE, Some(17)) => number(" len=", le32(b, 68), out),
        // The body of an error has the same size as these (2.2.2).
        (command::QUERY_DIRECTORY | command::CHANGE_NOTIFY | command::QUERY_INFO, Some(9))
            if matches!(h.status, SUCCESS | BUFFER_OVERFLOW) =>
        {
            number(" len=", le32(b, 68), out)
        }
        (command::IOCTL, Some(49)) => number(" len=", le32(b, 100), out),
        (command::OPLOCK_BREAK, Some(24 | 36)) => broken_promise(b, out),
        _ => Ok(()),
    }
}

/// What the server sends unasked.
fn notification(b: &[u8], out: &mut dyn Write) -> fmt::Result {
    if le16(b, BODY) != Some(44) {
        return broken_promise(b, out);
    }
    key(b, out)?;
    match (le32(b, 88), le32(b, 92)) {
        (Some(from), Some(to)) => {
            out.write_char(' ')?;
            lease(from, out)?;
            out.write_str(" to ")?;
            lease(to, out)
        }
        _ => Ok(()),
    }
}

/// An oplock break in any direction, and the client's word on a lease and its response.
fn broken_promise(b: &[u8], out: &mut dyn Write) -> fmt::Result {
    match le16(b, BODY) {
        Some(24) => {
            if let Some(handle) = le128(b, 72) {
                file(handle, out)?;
            }
            match b.get(66) {
                Some(0) => out.write_str(" to none"),
                Some(1) => out.write_str(" to level II"),
                Some(8) => out.write_str(" to exclusive"),
                Some(other) => write!(out, " to level 0x{other:x}"),
                None => Ok(()),
            }
        }
        Some(36) => {
            key(b, out)?;
            match le32(b, 88) {
                Some(state) => {
                    out.write_str(" to ")?;
                    lease(state, out)
                }
                None => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

fn key(b: &[u8], out: &mut dyn Write) -> fmt::Result {
    match le128(b, 72) {
        Some(key) => write!(out, " key={key:x}"),
        None => Ok(()),
    }
}

/// What a lease allows (2.2.13.2.8): read, handle and write caching.
fn lease(state: u32, out: &mut dyn Write) -> fmt::Result {
    if state & 7 == 0 {
        return out.write_str("none");
    }
    for (bit, letter) in [(1, 'R'), (2, 'H'), (4, 'W')] {
        if state & bit != 0 {
            out.write_char(letter)?;
        }
    }
    Ok(())
}

/// A FileId: its persistent and its volatile half (2.2.14.1).
fn file(handle: u128, out: &mut dyn Write) -> fmt::Result {
    match handle {
        PREVIOUS_FILE => out.write_str(" file=~"),
        _ => write!(out, " file={:x}:{:x}", handle as u64, handle >> 64),
    }
}

fn dialect(code: u16, out: &mut dyn Write) -> fmt::Result {
    match code {
        0x0202 => out.write_str("2.0.2"),
        0x0210 => out.write_str("2.1"),
        0x0300 => out.write_str("3.0"),
        0x0302 => out.write_str("3.0.2"),
        0x0311 => out.write_str("3.1.1"),
        0x02ff => out.write_str("2.???"),
        other => write!(out, "0x{other:04x}"),
    }
}

fn number(label: &str, value: Option<impl fmt::Display>, out: &mut dyn Write) -> fmt::Result {
    match value {
        Some(value) => write!(out, "{label}{value}"),
        None => Ok(()),
    }
}

/// A name in UTF-16 at a place that the body gives.
fn named(b: &[u8], offset: Option<u16>, length: Option<u16>, out: &mut dyn Write) -> fmt::Result {
    let (Some(offset), Some(length)) = (offset, length) else {
        return Ok(());
    };
    let (start, length) = (usize::from(offset), usize::from(length));
    let there = b.get(start..).unwrap_or_default();
    let name = there.get(..length).unwrap_or(there);
    let units = name
        .chunks_exact(2)
        .map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    out.write_str(" \"")?;
    let mut characters = char::decode_utf16(units);
    for character in characters.by_ref().take(MAX_NAME) {
        match character {
            Ok(c) if is_printable(c) => out.write_char(c)?,
            Ok(c) => write!(out, "{}", c.escape_unicode())?,
            Err(lone) => write!(out, "\\u{{{:x}}}", lone.unpaired_surrogate())?,
        }
    }
    let cut = characters.next().is_some() || name.len() < length;
    out.write_str(if cut { "\"..." } else { "\"" })
}

/// Whether a character can be shown as it is: it moves no cursor, turns no text around and
/// does not end the quotation.
fn is_printable(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '"' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        && !matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::super::testing::{CREATE_READ_CLOSE, compound, hex, message, with};
    use super::*;
    use crate::testing::described;

    fn line(m: &[u8]) -> String {
        described(describe, Input::whole(m))
    }

    fn create(name: &str) -> Vec<u8> {
        let units: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let mut m = message(5, 0, 4, &[0; 56]);
        m = with(m, 100, &[1]);
        m = with(m, 108, &120u16.to_le_bytes());
        m = with(m, 110, &u16::try_from(units.len()).unwrap().to_le_bytes());
        m.extend(units);
        m
    }

    #[test]
    fn every_part_of_a_compound_is_shown() {
        assert_eq!(
            line(&hex(CREATE_READ_CLOSE)),
            "C CREATE mid=4 \"data4m.bin\" open credits 1/1 | \
             C READ mid=5 file=~ off=0 len=4096 credits 1/1 related | \
             C CLOSE mid=6 file=~ credits 1/1 related"
        );
    }

    #[test]
    fn a_long_compound_is_not_shown_to_its_end() {
        let echo = message(0x0d, 0, 1, &[4, 0, 0, 0, 0, 0, 0, 0]);
        let shown = line(&compound(&vec![echo; 40]));
        assert_eq!(shown.matches("ECHO").count(), MAX_PARTS);
        assert!(shown.ends_with(" | and more"), "{shown}");
    }

    #[test]
    fn responses_show_their_status() {
        let m = with(message(5, RESPONSE, 4, &[9, 0]), 8, &[0x34, 0, 0, 0xc0]);
        assert_eq!(
            line(&m),
            "R CREATE mid=4 STATUS_OBJECT_NAME_NOT_FOUND credits 31"
        );
        let m = with(message(5, RESPONSE, 4, &[9, 0]), 8, &[0xad, 0xde, 0, 0xe0]);
        assert_eq!(line(&m), "R CREATE mid=4 status 0xe000dead credits 31");
    }

    #[test]
    fn names_cannot_disturb_the_terminal() {
        assert_eq!(
            line(&create("a\u{1b}[2J\"\u{202e}\r\n")),
            "C CREATE mid=4 \"a\\u{1b}[2J\\u{22}\\u{202e}\\u{d}\\u{a}\" open credits 1/31"
        );
        let mut lone = create("x");
        let at = lone.len() - 2;
        lone[at..].copy_from_slice(&[0x00, 0xd8]);
        assert!(line(&lone).contains("\"\\u{d800}\""));
    }

    #[test]
    fn long_and_cut_off_names_are_marked() {
        let shown = line(&create(&"n".repeat(200)));
        assert!(shown.contains(&format!("\"{}\"...", "n".repeat(MAX_NAME))));
        let m = create("letter.doc");
        let cut = Input {
            bytes: &m[..130],
            length: 140,
        };
        let out = described(describe, cut);
        assert!(out.contains("\"lette\"..."), "{out}");
    }

    #[test]
    fn breaks_are_shown_with_what_is_left() {
        let mut m = message(0x12, RESPONSE, u64::MAX, &[0; 44]);
        m = with(m, 64, &[44]);
        m = with(m, 72, &[0x0b; 16]);
        m = with(m, 88, &[7, 0, 0, 0, 3]);
        assert_eq!(
            line(&m),
            "N LEASE_BREAK key=b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b RHW to RH"
        );
        let mut m = message(0x12, 0, 8, &[0; 24]);
        m = with(m, 64, &[24, 0, 1]);
        m = with(m, 72, &[5]);
        assert_eq!(
            line(&m),
            "C OPLOCK_BREAK_ACKNOWLEDGMENT mid=8 file=5:0 to level II credits 1/31"
        );
    }

    #[test]
    fn wrapped_messages_say_so() {
        let mut m = Vec::from(*b"\xfdSMB");
        m.resize(52 + 212, 0);
        m = with(m, 36, &212u32.to_le_bytes());
        m = with(m, 44, &[0xa5]);
        assert_eq!(line(&m), "encrypted, 212 bytes, session 0xa5");
        m.truncate(100);
        assert_eq!(line(&m), "encrypted, 212 bytes, session 0xa5");

        let inner = message(0x0d, 0, 3, &[4, 0, 0, 0]);
        let mut m = Vec::from(*b"\xfcSMB");
        m.extend([40, 0, 0, 0, 1, 0, 0, 0, 68, 0, 0, 0]);
        m.extend(inner);
        assert_eq!(
            line(&m),
            "compressed LZNT1, 84 bytes of 108: C ECHO mid=3 credits 1/31"
        );
    }

    #[test]
    fn what_is_broken_says_so() {
        assert_eq!(line(b"\xfeSM"), "cut off");
        assert_eq!(line(b"\xfeSMB\x40\0"), "cut off");
        assert_eq!(line(b"SMB? no."), "ProtocolId is not that of SMB 2");
        let m = with(message(0x0d, 0, 3, &[4, 0, 0, 0]), 20, &[9]);
        assert_eq!(
            line(&m),
            "C ECHO mid=3 credits 1/31, NextCommand points into the header"
        );
    }

    #[test]
    fn a_part_that_is_not_at_hand_is_cut_off() {
        let m = hex(CREATE_READ_CLOSE);
        let cut = Input {
            bytes: &m[..0x90],
            length: u32::try_from(m.len()).unwrap(),
        };
        assert_eq!(
            described(describe, cut),
            "C CREATE mid=4 \"data4m.bin\" open credits 1/1 | cut off"
        );
    }
}
