//! TRANSACTION, TRANSACTION2, NT_TRANSACT, their secondaries and IOCTL: counts, setup words,
//! and the blocks of parameters and data that these locate. MS-CIFS 2.2.4.33, 2.2.4.34,
//! 2.2.4.46, 2.2.4.47, 2.2.4.62, 2.2.4.63.

use super::super::{Command, rap as functions, transact};
use super::params::*;
use super::{Block, Header, bits, bytes as byte_block, rap, trans2};
use wirewait_wire::Fields;

/// Whether the words of a command are described here.
pub(super) const fn has_own_words(command: Command) -> bool {
    matches!(
        command,
        Command::TRANSACTION
            | Command::TRANSACTION_SECONDARY
            | Command::TRANSACTION2
            | Command::TRANSACTION2_SECONDARY
            | Command::NT_TRANSACT
            | Command::NT_TRANSACT_SECONDARY
    )
}

/// The parameter words, setup included.
pub(super) fn words(f: &mut Fields<'_>, h: &Header, b: &Block<'_>) -> Option<()> {
    let (items, setup_at): (FieldTable, Option<usize>) = match (b.command, h.response) {
        (Command::TRANSACTION | Command::TRANSACTION2, false) => (REQUEST, Some(26)),
        (Command::TRANSACTION | Command::TRANSACTION2, true) => (RESPONSE, Some(18)),
        (Command::NT_TRANSACT, false) => (NT_REQUEST, Some(35)),
        (Command::NT_TRANSACT, true) => (NT_RESPONSE, Some(35)),
        (Command::NT_TRANSACT_SECONDARY, _) => (NT_SECONDARY, None),
        _ => (SECONDARY, None),
    };
    describe_present(f, items)?;
    if b.command == Command::NT_TRANSACT && !h.response {
        if f.left() < 2 {
            return Some(());
        }
        let function = f.le16("Function")?;
        f.means(transact::request(b).operation.name);
        return match function {
            2 | 4 if setup_at.and_then(|at| b.u8(at)) == Some(4) => nt_setup(f, function),
            _ => plain_setup(f),
        };
    }
    match setup_at {
        Some(at) if b.u8(at).is_some_and(|count| count > 0) => setup(f, h, b),
        _ => Some(()),
    }
}

/// Name, parameters and data, wherever they lie.
pub(super) fn bytes(f: &mut Fields<'_>, h: &Header, b: &Block<'_>) -> Option<()> {
    if b.command == Command::TRANSACTION && !h.response {
        byte_block::string(f, "Name", h.is_unicode())?;
    }
    let [parameters, data] = located(h, b);
    // Parameters come first wherever anyone was seen to write; but nothing says so.
    if data.at < parameters.at && data.count > 0 {
        block(f, h, b, data, false)?;
        return block(f, h, b, parameters, true);
    }
    block(f, h, b, parameters, true)?;
    block(f, h, b, data, false)
}

/// A block of parameters or of data.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    count: u32,
    at: u32,
    /// It is not the first part of its kind.
    later: bool,
}

fn block(
    f: &mut Fields<'_>,
    h: &Header,
    b: &Block<'_>,
    place: Place,
    parameters: bool,
) -> Option<()> {
    let end = place.at.saturating_add(place.count);
    if place.count == 0 || place.at < f.at() || place.at > byte_block::end(f) {
        return Some(());
    }
    f.until(place.at, "Padding")?;
    if f.left() == 0 {
        // Another protocol reads it.
        return Some(());
    }
    let (heading, rest) = if parameters {
        ("Transaction parameters", "Parameters")
    } else {
        ("Transaction data", "Data")
    };
    f.open(heading);
    f.within(end.saturating_sub(f.at()).min(f.left()), rest, |f| {
        if place.later {
            return Some(());
        }
        match (parameters, h.response) {
            (true, false) => asked(f, h, b),
            (true, true) => answered(f, b),
            (false, false) => match b.command {
                Command::TRANSACTION2 => trans2::request_data(f, b, h.is_unicode()),
                _ => Some(()),
            },
            (false, true) => trans2::response_data(f, b),
        }
    })?;
    f.close();
    Some(())
}

/// The parameters of a request.
fn asked(f: &mut Fields<'_>, h: &Header, b: &Block<'_>) -> Option<()> {
    match b.command {
        Command::TRANSACTION2 => trans2::request(f, b.command, transact::setup(b), h.is_unicode()),
        Command::NT_TRANSACT => trans2::request(f, b.command, b.u16(36), h.is_unicode()),
        Command::TRANSACTION if functions::function(b).is_some() => rap::request(f),
        _ => Some(()),
    }
}

/// The parameters of a response, which says nothing of what it answers.
fn answered(f: &mut Fields<'_>, b: &Block<'_>) -> Option<()> {
    let Some(code) = f.asked().map(|asked| asked.code) else {
        f.rest("Parameters")?;
        f.means("(request not known)");
        return Some(());
    };
    match functions::of_code(code) {
        Some(function) => rap::response(f, function),
        None => trans2::response(f, b.command, code),
    }
}

/// Where parameters and data lie, by the words.
fn located(h: &Header, b: &Block<'_>) -> [Place; 2] {
    let short = |at: [usize; 3]| Place {
        count: b.u16(at[0]).unwrap_or(0).into(),
        at: b.u16(at[1]).unwrap_or(0).into(),
        later: at[2] != 0 && b.u16(at[2]).is_some_and(|n| n > 0),
    };
    let long = |at: [usize; 3]| Place {
        count: b.u32(at[0]).unwrap_or(0),
        at: b.u32(at[1]).unwrap_or(0),
        later: at[2] != 0 && b.u32(at[2]).is_some_and(|n| n > 0),
    };
    // Count, offset, displacement; no displacement in a first message.
    match (b.command, h.response) {
        (Command::TRANSACTION | Command::TRANSACTION2, false) => {
            [short([18, 20, 0]), short([22, 24, 0])]
        }
        (Command::TRANSACTION | Command::TRANSACTION2, true) => {
            [short([6, 8, 10]), short([12, 14, 16])]
        }
        (Command::NT_TRANSACT, false) => [long([19, 23, 0]), long([27, 31, 0])],
        (Command::NT_TRANSACT, true) => [long([11, 15, 19]), long([23, 27, 31])],
        (Command::NT_TRANSACT_SECONDARY, _) => [
            Place {
                later: true,
                ..long([11, 15, 0])
            },
            Place {
                later: true,
                ..long([23, 27, 0])
            },
        ],
        (Command::IOCTL, false) => [short([20, 22, 0]), short([24, 26, 0])],
        (Command::IOCTL, true) => [short([4, 6, 8]), short([10, 12, 14])],
        _ => [
            Place {
                later: true,
                ..short([4, 6, 0])
            },
            Place {
                later: true,
                ..short([10, 12, 0])
            },
        ],
    }
}

/// The setup words of TRANSACTION and TRANSACTION2, and of any response.
fn setup(f: &mut Fields<'_>, h: &Header, b: &Block<'_>) -> Option<()> {
    // Some senders count fewer words than there are setup words.
    if h.response || f.left() < 2 {
        return plain_setup(f);
    }
    let name = transact::request(b).operation.name;
    if b.command == Command::TRANSACTION2 {
        f.le16("Subcommand")?;
        f.hex().means(name);
    } else if transact::is_mailslot(b) {
        f.le16("Mailslot opcode")?;
        f.means(name);
        describe_present(
            f,
            &[le16("Priority"), le16("Class").hex().codes(MAILSLOT_CLASS)],
        )?;
    } else {
        f.le16("Subcommand")?;
        f.hex().means(name);
        if f.left() >= 2 {
            // A call by name has no file yet (MS-CIFS 2.2.5.11).
            let second = match transact::setup(b) {
                Some(0x53 | 0x54) => "Priority",
                _ => "FID",
            };
            f.le16(second)?;
            f.hex();
        }
    }
    plain_setup(f)
}

/// FSCTL or IOCTL; change notification (MS-CIFS 2.2.7.2, 2.2.7.4).
fn nt_setup(f: &mut Fields<'_>, function: u16) -> Option<()> {
    match function {
        2 => describe_present(f, NT_IOCTL),
        _ => describe_present(f, NT_NOTIFY_CHANGE),
    }
}

const NT_IOCTL: FieldTable = &[
    le32("Function code").hex(),
    FID,
    u8("Is FSCTL"),
    u8("Is flags"),
];

const NT_NOTIFY_CHANGE: FieldTable = &[
    le32("Completion filter").flags(bits::COMPLETION_FILTER),
    FID,
    u8("Watch tree"),
    reserved(1),
];

/// MS-CIFS 2.2.5.12.
const MAILSLOT_CLASS: ValueNames = &[(1, "reliable"), (2, "unreliable")];

fn plain_setup(f: &mut Fields<'_>) -> Option<()> {
    while f.left() >= 2 {
        f.le16("Setup")?;
        f.hex();
    }
    Some(())
}

const REQUEST: FieldTable = &[
    le16("Total parameter count"),
    le16("Total data count"),
    le16("Max parameter count"),
    le16("Max data count"),
    u8("Max setup count"),
    reserved(1),
    le16("Flags").flags(bits::TRANSACTION_FLAGS),
    TIMEOUT,
    reserved(2),
    le16("Parameter count"),
    le16("Parameter offset"),
    le16("Data count"),
    le16("Data offset"),
    u8("Setup count"),
    reserved(1),
];

const RESPONSE: FieldTable = &[
    le16("Total parameter count"),
    le16("Total data count"),
    reserved(2),
    le16("Parameter count"),
    le16("Parameter offset"),
    le16("Parameter displacement"),
    le16("Data count"),
    le16("Data offset"),
    le16("Data displacement"),
    u8("Setup count"),
    reserved(1),
];

/// TRANSACTION2_SECONDARY alone has a FID.
const SECONDARY: FieldTable = &[
    le16("Total parameter count"),
    le16("Total data count"),
    le16("Parameter count"),
    le16("Parameter offset"),
    le16("Parameter displacement"),
    le16("Data count"),
    le16("Data offset"),
    le16("Data displacement"),
    FID,
];

const NT_REQUEST: FieldTable = &[
    u8("Max setup count"),
    reserved(2),
    le32("Total parameter count"),
    le32("Total data count"),
    le32("Max parameter count"),
    le32("Max data count"),
    le32("Parameter count"),
    le32("Parameter offset"),
    le32("Data count"),
    le32("Data offset"),
    u8("Setup count"),
];

const NT_RESPONSE: FieldTable = &[
    reserved(3),
    le32("Total parameter count"),
    le32("Total data count"),
    le32("Parameter count"),
    le32("Parameter offset"),
    le32("Parameter displacement"),
    le32("Data count"),
    le32("Data offset"),
    le32("Data displacement"),
    u8("Setup count"),
];

const NT_SECONDARY: FieldTable = &[
    reserved(3),
    le32("Total parameter count"),
    le32("Total data count"),
    le32("Parameter count"),
    le32("Parameter offset"),
    le32("Parameter displacement"),
    le32("Data count"),
    le32("Data offset"),
    le32("Data displacement"),
    reserved(1),
];
