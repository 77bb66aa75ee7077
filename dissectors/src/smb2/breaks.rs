//! Oplocks and leases that the server takes back, and the client's word that it gave them up.

use super::Header;
use super::commands::{BODY, COMMANDS, command, folded, le128, space};
use crate::parse::{le16, le32};
use wirewait_wire::{Effects, Exchange, File, Id, Input, Kind, Operation, Role, Side};

/// The server asks for a lease back (2.2.23.2).
static LEASE_BREAK: Operation = Operation::new("LEASE_BREAK", Kind::Break, false);
/// The client's requests that say it gave up an oplock or a lease (2.2.24). They are not of
/// kind `Break`, because here the server is waited for, not the client.
static OPLOCK_BREAK_ACKNOWLEDGMENT: Operation =
    Operation::new("OPLOCK_BREAK_ACKNOWLEDGMENT", Kind::Lock, false);
static LEASE_BREAK_ACKNOWLEDGMENT: Operation =
    Operation::new("LEASE_BREAK_ACKNOWLEDGMENT", Kind::Lock, false);

/// What is taken back, where the capture cut off the body: the length of the message tells an oplock from a lease.
pub(super) const CUT: Id = Id::new(space::BREAK_CUT, 0);
/// Bytes of a header with the notification of a lease break (2.2.23.2), and with its acknowledgment (2.2.24.2).
const LEASE_BREAK_LENGTH: u32 = Header::LENGTH + 44;
const LEASE_ACKNOWLEDGMENT_LENGTH: u32 = Header::LENGTH + 36;
/// Where the file or the key of a break ends.
const END: usize = 88;

/// The server takes back an oplock or a lease (2.2.23). When it waits for the client's
/// word, the message is a request. From level II to none it does not wait, but the message
/// does not say from which level; such a break then stays unanswered.
pub(super) fn notified(part: Input<'_>) -> Exchange {
    const ACK_REQUIRED: u32 = 1;
    let bytes = part.bytes;
    let break_of = |role, operation| {
        Exchange::new(role, Side::Server, operation, command::OPLOCK_BREAK.into())
    };
    let oplock = &COMMANDS[command::OPLOCK_BREAK as usize];
    match (le16(bytes, BODY), le128(bytes, 72)) {
        (Some(44), Some(key)) => {
            let waits = le32(bytes, 68).is_some_and(|flags| flags & ACK_REQUIRED != 0);
            let role = if waits { Role::Request } else { Role::Notice };
            let mut ex = break_of(role, &LEASE_BREAK);
            ex.effects = Effects::LEASES;
            ex.id = Some(folded(space::LEASE, key));
            ex
        }
        (Some(24), Some(handle)) => {
            let mut ex = break_of(Role::Request, oplock);
            ex.id = Some(folded(space::OPLOCK, handle));
            ex.file = Some(File {
                handle,
                offset: None,
            });
            ex
        }
        // The next acknowledgment of the connection answers it.
        _ if is_cut(part) => {
            let lease = part.length == LEASE_BREAK_LENGTH;
            let flags = le32(bytes, 68).filter(|_| lease);
            let role = match flags.is_none_or(|flags| flags & ACK_REQUIRED != 0) {
                true => Role::Request,
                false => Role::Notice,
            };
            let mut ex = break_of(role, if lease { &LEASE_BREAK } else { oplock });
            ex.effects = if lease {
                Effects::LEASES
            } else {
                Effects::NONE
            };
            ex.id = Some(CUT);
            ex
        }
        (Some(44), None) => break_of(Role::Notice, &LEASE_BREAK),
        _ => break_of(Role::Notice, oplock),
    }
}

/// Says which of the two acknowledgments (or responses to them) this is, and which break
/// it is about.
pub(super) fn acknowledgment(ex: &mut Exchange, part: Input<'_>) -> Option<Id> {
    let bytes = part.bytes;
    let cut = is_cut(part);
    let lease = match le16(bytes, BODY) {
        None if cut => part.length == LEASE_ACKNOWLEDGMENT_LENGTH,
        structure => structure == Some(36),
    };
    (ex.operation, ex.file) = if lease {
        (&LEASE_BREAK_ACKNOWLEDGMENT, None)
    } else {
        (&OPLOCK_BREAK_ACKNOWLEDGMENT, ex.file)
    };
    let space = if lease { space::LEASE } else { space::OPLOCK };
    let of = le128(bytes, 72).map(|of| folded(space, of));
    of.or(cut.then_some(CUT))
}

/// Whether the capture, and not the sender, cut off what a break is about.
fn is_cut(part: Input<'_>) -> bool {
    part.bytes.len() < END && usize::try_from(part.length).is_ok_and(|length| length >= END)
}
