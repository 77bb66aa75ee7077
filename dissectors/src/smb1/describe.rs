//! One line for one message: who speaks, the commands, and what there is to know of them.
//!
//! Identifiers are hexadecimal, offsets and lengths decimal.

use super::andx::{Block, Blocks};
use super::names::begins_with_format;
use super::{Command, Header, transact};
use std::fmt::{self, Write};
use wirewait_wire::{Expect, Input, Part, Parts, Role, Side};

/// Characters of a name that are shown.
const SHOWN: usize = 80;

/// Dialects that are shown; there are some twenty in all.
const DIALECTS: usize = 24;

pub(super) fn describe(input: Input<'_>, out: &mut dyn Write) -> fmt::Result {
    let (
        Ok(h),
        Ok(Part {
            exchange: Some(x), ..
        }),
    ) = (Header::parse(input), super::exchange(input))
    else {
        return out.write_str("cut off");
    };
    out.write_str(match (x.sender, x.role) {
        (Side::Server, Role::Request) => "S ",
        (Side::Server, _) => "R ",
        _ => "C ",
    })?;
    let opening = h.command.opening();
    // The continuations are named by their own codes.
    let operation = if opening == h.command {
        x.operation
    } else {
        h.command.operation()
    };
    out.write_str(operation.name)?;
    if operation.name == "UNKNOWN" {
        write!(out, " {:#04x}", h.command.0)?;
    } else if x.code & 1 << 31 != 0 && std::ptr::eq(operation, opening.operation()) {
        write!(out, " subfunction {:#x}", (x.code >> 8) & 0xffff)?;
    }
    for follower in x.chain.iter() {
        write!(out, " + {}", follower.name)?;
    }
    if x.chain.more > 0 {
        write!(out, " + {} more", x.chain.more)?;
    }
    if let Some(status) = x.status.filter(|s| s.code != 0) {
        match status.name {
            Some(name) => write!(out, " {name}")?,
            None => write!(out, " status {:#010x}", status.code)?,
        }
    }
    if x.role == Role::Interim && x.status.is_some_and(|s| s.ok) {
        out.write_str(" go ahead")?;
    }
    if let Some(file) = x.file {
        write!(out, " fid={:x}", file.handle)?;
        if let Some(offset) = file.offset {
            write!(out, " off={offset}")?;
        }
    }
    match x.sender {
        Side::Server if x.data > 0 => write!(out, " {} bytes", x.data)?,
        Side::Client if x.asked > 0 => write!(out, " len={}", x.asked)?,
        _ => {}
    }
    match x.expect {
        Expect::GoAhead { rest, .. } if rest > 0 => write!(out, ", {rest} to follow raw")?,
        Expect::Times(times) => write!(out, " times={times}")?,
        _ => {}
    }
    match x.parts {
        Parts::Counted { got, of } if got != of => write!(
            out,
            " parameters {} of {} data {} of {}",
            got[0], of[0], got[1], of[1]
        )?,
        Parts::Masked { mask, .. } => write!(out, " mask={mask:08x}")?,
        _ => {}
    }
    for block in Blocks::new(&h, input) {
        if h.response {
            answered(&block, out)?;
        } else {
            asked(&h, &block, out)?;
        }
    }
    identifiers(&h, out)
}

fn identifiers(h: &Header, out: &mut dyn Write) -> fmt::Result {
    let Some(tid) = h.tid else {
        return Ok(());
    };
    write!(out, " (tid {tid:x}")?;
    for (name, value) in [
        ("pid", h.pid),
        ("uid", h.uid.map(u32::from)),
        ("mid", h.mid.map(u32::from)),
    ] {
        if let Some(value) = value {
            write!(out, " {name} {value:x}")?;
        }
    }
    out.write_char(')')
}

/// What a request says beyond numbers: names, dialects, locks.
fn asked(h: &Header, b: &Block<'_>, out: &mut dyn Write) -> fmt::Result {
    let wide = h.is_unicode();
    match b.command {
        Command::NEGOTIATE => dialects(b.bytes(), out),
        Command::LOCKING_ANDX => {
            if let (Some(unlocks), Some(locks)) = (b.u16(12), b.u16(14)) {
                write!(out, " unlocks={unlocks} locks={locks}")?;
            }
            match b.u32(8) {
                Some(timeout) if timeout != 0 => write!(out, " timeout={timeout}"),
                _ => Ok(()),
            }
        }
        Command::TRANSACTION => name(b, b.bytes_at(), wide, out),
        Command::TRANSACTION2 => match transact::path_at(b) {
            Some(at) => name(b, at, wide, out),
            None => Ok(()),
        },
        Command::TREE_CONNECT_ANDX => match b.u16(6) {
            Some(password) => name(b, b.bytes_at() + usize::from(password), wide, out),
            None => Ok(()),
        },
        Command::OPEN_ANDX | Command::NT_CREATE_ANDX => name(b, b.bytes_at(), wide, out),
        command if begins_with_format(command) && b.bytes().first() == Some(&4) => {
            name(b, b.bytes_at() + 1, wide, out)
        }
        _ => Ok(()),
    }
}

/// What a response says beyond numbers.
fn answered(b: &Block<'_>, out: &mut dyn Write) -> fmt::Result {
    match (b.command, b.u16(0)) {
        (Command::NEGOTIATE, Some(0xffff)) => out.write_str(" no dialect"),
        (Command::NEGOTIATE, Some(index)) => write!(out, " dialect={index}"),
        (Command::ECHO, Some(number)) => write!(out, " number={number}"),
        _ => Ok(()),
    }
}

/// The dialects of a NEGOTIATE: each 02 and a string (MS-CIFS 2.2.4.52.1).
fn dialects(bytes: &[u8], out: &mut dyn Write) -> fmt::Result {
    let mut separator = " ";
    for (n, entry) in bytes.split(|b| *b == 0).enumerate() {
        let Some((2, dialect)) = entry.split_first() else {
            break;
        };
        out.write_str(separator)?;
        if n == DIALECTS {
            return out.write_str("...");
        }
        out.write_char('"')?;
        text(dialect.iter().map(|b| oem(*b)), out)?;
        out.write_char('"')?;
        separator = ", ";
    }
    Ok(())
}

/// The string at `at` of the message, up to its terminator, in quotes; nothing if it is
/// empty or was cut off. UTF-16 begins at an even place of the message.
fn name(b: &Block<'_>, at: usize, wide: bool, out: &mut dyn Write) -> fmt::Result {
    let at = if wide { at.next_multiple_of(2) } else { at };
    let bytes = b.message.bytes.get(at..).unwrap_or_default();
    let empty = if wide {
        bytes.len() < 2 || bytes.starts_with(&[0, 0])
    } else {
        bytes.first().is_none_or(|b| *b == 0)
    };
    if empty {
        return Ok(());
    }
    out.write_str(" \"")?;
    if wide {
        let units = bytes
            .chunks_exact(2)
            .map(|c| u16::from_le_bytes([c[0], c[1]]))
            .take_while(|unit| *unit != 0);
        text(
            char::decode_utf16(units).map(|c| c.map_err(|e| e.unpaired_surrogate().into())),
            out,
        )?;
    } else {
        text(bytes.iter().take_while(|b| **b != 0).map(|b| oem(*b)), out)?;
    }
    out.write_char('"')
}

/// A byte of the client's code page, which the message does not name: only ASCII is sure.
fn oem(byte: u8) -> Result<char, u32> {
    if byte.is_ascii() {
        Ok(char::from(byte))
    } else {
        Err(byte.into())
    }
}

/// Characters as they are, what cannot be printed as a number, and an end.
fn text(characters: impl Iterator<Item = Result<char, u32>>, out: &mut dyn Write) -> fmt::Result {
    for (n, character) in characters.enumerate() {
        match character {
            _ if n == SHOWN => return out.write_str("..."),
            Ok(c @ ('\\' | '\'')) => out.write_char(c)?,
            Ok(c) => write!(out, "{}", c.escape_debug())?,
            Err(code) => write!(out, "\\x{code:02x}")?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{message, with_status, words};
    use super::*;
    use crate::testing::described;

    const IDS: &str = "(tid 1 pid 4c1 uid 64 mid 17)";

    fn line(m: &[u8]) -> String {
        described(describe, Input::whole(m))
    }

    #[test]
    fn reads_and_writes_show_file_offset_and_length() {
        let m = message(
            0x2e,
            0,
            &words([0xff, 0, 0x4007, 61440, 0, 4096, 0, 0, 0, 0]),
            &[],
        );
        assert_eq!(
            line(&m),
            format!("C READ_ANDX fid=4007 off=61440 len=4096 {IDS}")
        );
        let w = words([0xff, 0, 0, 0, 0, 3, 59, 0, 0, 0, 0, 0]);
        let m = message(0x2e, 0x80, &w, &[0; 3]);
        assert_eq!(line(&m), format!("R READ_ANDX 3 bytes {IDS}"));
        let w = words([7, 4096, 0, 0, 0, 0, 0, 1, 0, 0, 0, 59]);
        assert_eq!(
            line(&message(0x1d, 0, &w, &[])),
            format!("C WRITE_RAW fid=7 off=0 len=4096, 4096 to follow raw {IDS}")
        );
        assert_eq!(
            line(&message(0x1d, 0x80, &words([0xffff]), &[])),
            format!("R WRITE_RAW go ahead {IDS}")
        );
        assert_eq!(
            line(&message(0x20, 0x80, &words([4096]), &[])),
            format!("R WRITE_COMPLETE 4096 bytes {IDS}")
        );
    }

    #[test]
    fn names_are_shown_in_either_encoding() {
        let m = message(0x02, 0, &words([0x42, 6]), b"\x04\\AUTOEXEC.BAT\0");
        assert_eq!(line(&m), format!("C OPEN \"\\AUTOEXEC.BAT\" {IDS}"));
        let path: Vec<u8> = std::iter::once(0)
            .chain("\\Büro's\0".encode_utf16().flat_map(u16::to_le_bytes))
            .collect();
        let mut w = vec![0; 48];
        w[0] = 0xff;
        let m = with_status(message(0xa2, 0, &w, &path), 0, 0x8000);
        assert_eq!(line(&m), format!("C NT_CREATE_ANDX \"\\Büro's\" {IDS}"));
    }

    #[test]
    fn what_cannot_be_printed_is_escaped_and_what_is_long_is_cut() {
        let m = message(0x06, 0, &words([0]), b"\x04a\x1b[2J\x84\n\0");
        assert_eq!(
            line(&m),
            format!("C DELETE \"a\\u{{1b}}[2J\\x84\\n\" {IDS}")
        );
        let m = message(
            0x06,
            0,
            &words([0]),
            &[[4].as_slice(), &[b'x'; 200]].concat(),
        );
        assert_eq!(
            line(&m),
            format!("C DELETE \"{}...\" {IDS}", "x".repeat(80))
        );
    }

    #[test]
    fn statuses_are_named_or_numbered() {
        let m = message(0xa2, 0x80, &[], &[]);
        assert_eq!(
            line(&with_status(m.clone(), 0xc000_0034, 0x4000)),
            format!("R NT_CREATE_ANDX STATUS_OBJECT_NAME_NOT_FOUND {IDS}")
        );
        assert_eq!(
            line(&with_status(m, 0x0999_0001, 0)),
            format!("R NT_CREATE_ANDX status 0x09990001 {IDS}")
        );
    }

    #[test]
    fn negotiations_show_dialects() {
        let m = message(
            0x72,
            0,
            &[],
            b"\x02PC NETWORK PROGRAM 1.0\0\x02NT LM 0.12\0",
        );
        assert_eq!(
            line(&m),
            format!("C NEGOTIATE \"PC NETWORK PROGRAM 1.0\", \"NT LM 0.12\" {IDS}")
        );
        let m = message(0x72, 0x80, &words([1]), &[]);
        assert_eq!(line(&m), format!("R NEGOTIATE dialect=1 {IDS}"));
        let m = message(0x72, 0x80, &words([0xffff]), &[]);
        assert_eq!(line(&m), format!("R NEGOTIATE no dialect {IDS}"));
    }

    #[test]
    fn the_rest_says_what_it_is() {
        assert_eq!(
            line(&message(0x62, 0, &[], &[])),
            format!("C UNKNOWN 0x62 {IDS}")
        );
        assert_eq!(
            line(&message(
                0x33,
                0,
                &words([4, 500, 0, 0, 0, 400, 53, 100, 7]),
                &[]
            )),
            format!("C TRANSACTION2_SECONDARY parameters 0 of 4 data 400 of 500 {IDS}")
        );
        let mut m = message(0x24, 0, &words([0xff, 0, 7, 2, 0, 0, 0, 0]), &[]);
        m[26..28].fill(0xff);
        m[30..32].fill(0xff);
        assert_eq!(
            line(&m),
            "S OPLOCK_BREAK fid=7 unlocks=0 locks=0 (tid 1 pid ffff uid 64 mid ffff)"
        );
        assert_eq!(line(&m[..20]), "cut off");
        let input = Input {
            bytes: &m[..26],
            length: 51,
        };
        assert_eq!(described(describe, input), "C LOCKING_ANDX (tid 1)");
    }
}
