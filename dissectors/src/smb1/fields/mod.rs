//! Every field of a message: header, then for each command of the chain its parameter words
//! and its bytes. MS-CIFS 2.2.3.
//!
//! What is laid out one after the other stands in tables (`request`, `response`, `trans2`);
//! what depends on lengths and offsets elsewhere is read by `bytes` and `transaction`.

mod bits;
mod bytes;
mod information;
mod params;
mod rap;
mod request;
mod response;
mod trans2;
mod transaction;

use super::andx::{Block, Blocks};
use super::{Command, Header, payload, status};
use params::*;
use wirewait_wire::Fields;

/// Reads a whole message, up to what another protocol reads.
pub(super) fn fields(f: &mut Fields<'_>) -> Option<()> {
    let input = f.input();
    header(f)?;
    let Ok(mut h) = Header::parse(input) else {
        return f.rest("Data").map(|_| ());
    };
    h.response |= is_unmarked_answer(f, h.command);
    let stop = payload::carried(&h, input).map_or(input.length, |carried| carried.0);
    let mut blocks = Blocks::new(&h, input).peekable();
    while let Some(block) = blocks.next() {
        let next = blocks.peek().map_or(stop, |next| place(next.start()));
        f.until(place(block.start()), "Padding")?;
        one(f, &h, &block, next.min(stop))?;
    }
    if stop < input.length {
        // What another protocol reads may lie behind what the byte count allows.
        f.until(stop, "Padding")?;
        return Some(());
    }
    if let Some(block) = Blocks::new(&h, input).find(|b| bytes::data_end(&h, b) > f.at()) {
        bytes::data_behind(f, &h, &block)?;
    }
    f.rest("Trailing bytes").map(|_| ())
}

/// The header. MS-CIFS 2.2.3.1.
fn header(f: &mut Fields<'_>) -> Option<()> {
    f.open("SMB header");
    f.bytes(4, "Protocol")?;
    f.means("\\xffSMB");
    let command = Command(f.u8("Command")?);
    f.hex().means(command.operation().name);
    let status = f.peek();
    // Flags2 decides what the status is, and stands behind it.
    if status.get(6).is_some_and(|high| high & 0x40 != 0) {
        let code = f.le32("Status")?;
        f.hex();
        f.means(status::ntstatus(code).name.unwrap_or("unknown"));
    } else {
        dos_status(f, status)?;
    }
    describe_present(f, &[u8("Flags").bits(bits::FLAGS)])?;
    let flags2 = f.peek();
    describe_present(f, &[le16("Flags2").bits(bits::FLAGS2)])?;
    f.le16("Process ID high")?;
    f.hex();
    security(f, flags2.first().is_some_and(|low| low & 0x14 != 0))?;
    f.le16("Reserved")?;
    for name in ["Tree ID", "Process ID", "User ID", "Multiplex ID"] {
        f.le16(name)?;
        f.hex();
    }
    f.close();
    Some(())
}

/// The status of the older form: class and code (MS-CIFS 2.2.2.4).
fn dos_status(f: &mut Fields<'_>, bytes: &[u8]) -> Option<()> {
    let class = f.u8("Error class")?;
    f.hex().means(match class {
        0 => "SUCCESS",
        1 => "ERRDOS",
        2 => "ERRSRV",
        3 => "ERRHRD",
        0xff => "ERRCMD",
        _ => "unknown",
    });
    f.u8("Reserved")?;
    f.le16("Error code")?;
    if class != 0 {
        let whole = bytes.first_chunk::<4>().map(|b| u32::from_le_bytes(*b));
        let named = whole.and_then(|code| status::dos(code).name);
        // The name of the class stands with the class.
        let code = named.map(|name| name.split('/').next_back().unwrap_or(name));
        f.hex().means(code.unwrap_or("unknown"));
    }
    Some(())
}

/// SecurityFeatures: a signature, or what connectionless transports need.
fn security(f: &mut Fields<'_>, signed: bool) -> Option<()> {
    if signed {
        f.bytes(8, "Security signature")?;
        return Some(());
    }
    f.open("Security features");
    f.le32("Key")?;
    f.hex();
    let connection = f.le16("Connection ID")?;
    f.hex();
    if connection == 0 {
        f.means("none: not a connectionless transport");
    }
    f.le16("Sequence number")?;
    f.close();
    Some(())
}

/// One command of the message, whose bytes end at `end` at the latest.
fn one(f: &mut Fields<'_>, h: &Header, b: &Block<'_>, end: u32) -> Option<()> {
    let name = b.command.operation().name;
    let side = if h.response { "response" } else { "request" };
    match name {
        "UNKNOWN" => f.open(format!("Command {:#04x} {side}", b.command.0)),
        _ => f.open(format!("{name} {side}")),
    };
    let mut count = f.u8("Word count")?;
    if is_extended_create(h, b) {
        // Windows writes 42 for the 50 words that there are (MS-SMB 2.2.4.9.2).
        f.means("50 words, in fact");
        count = 50;
    }
    if count > 0 {
        f.open("Parameter words");
        f.within(2 * u32::from(count), "Further words", |f| {
            words(f, h, b, count)
        })?;
        f.close();
    }
    // A core client may leave out an empty byte block's count, or what was sent ends here.
    if f.left() >= 2 {
        let bytes = u32::from(f.le16("Byte count")?);
        let declared = f.at().saturating_add(bytes);
        // The count has 16 bits; more data than that is found by its own length.
        let last = declared.max(bytes::data_end(h, b)).min(end);
        if last > f.at() {
            f.open("Bytes");
            let n = last - f.at();
            f.within(n, "Further bytes", |f| bytes::read(f, h, b))?;
            f.close();
        }
    }
    f.close();
    Some(())
}

fn words(f: &mut Fields<'_>, h: &Header, b: &Block<'_>, count: u8) -> Option<()> {
    if b.command.is_andx() && count >= 2 {
        let next = Command(f.u8("AndX command")?);
        f.hex().means(match next {
            Command::NONE => "none",
            next => next.operation().name,
        });
        describe_present(f, request::ANDX)?;
    }
    if transaction::has_own_words(b.command) {
        return transaction::words(f, h, b);
    }
    let list = if h.response {
        response::RESPONSES
    } else {
        request::REQUESTS
    };
    match find(&[list], b.command.0, Some(count)) {
        Some(words) => describe_present(f, words.params),
        // No dialect that is known has this form.
        None => {
            while f.left() >= 2 {
                f.le16("Word")?;
                f.hex();
            }
            Some(())
        }
    }
}

/// The extended response of NT_CREATE_ANDX under its wrong word count.
fn is_extended_create(h: &Header, b: &Block<'_>) -> bool {
    h.response
        && b.command == Command::NT_CREATE_ANDX
        && b.word_count == Some(42)
        && b.start() + 1 + 2 * 50 + 2 <= b.message.length as usize
}

/// Whether a message answers although it does not say so: it is known what was asked. An
/// oplock given back answers too, but is a request (MS-CIFS 2.2.4.32.1).
fn is_unmarked_answer(f: &Fields<'_>, command: Command) -> bool {
    f.asked().is_some_and(|asked| {
        asked.code & 0xff == u32::from(command.0)
            && asked.code != Command::LOCKING_ANDX.code(Some(2))
    })
}

fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
