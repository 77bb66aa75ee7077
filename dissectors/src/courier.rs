//! Courier, Xerox's remote procedure calls ("Courier: The Remote Procedure Call Protocol",
//! XSIS 038112, December 1981), over SPP. Each side begins with the versions that it speaks,
//! low and high, before its first message or alone; then come calls and what they give.
//!
//! Nothing tells those two words from a message, and a return of transaction 2 or 3 begins like
//! them. Such a message is taken for whatever fits the call that is open.

use crate::parse::be16;
use crate::spp;
use std::fmt;
use wirewait_wire::{
    Claim, Dissector, Exchange, Expect, Fault, Fields, Id, Input, Kind, Operation, Part, Role,
    Side, Status, Verified,
};

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// Only the versions that the sender speaks; or a return without results, in which `high`
    /// is the transaction.
    Versions {
        /// The lowest one.
        low: u16,
        /// The highest one.
        high: u16,
    },
    /// Calls a procedure.
    Call {
        /// Number of the call.
        transaction: u16,
        /// Program; two bytes in version 2 of the protocol, four in version 3.
        program: u32,
        /// Version of the program.
        version: u16,
        /// Procedure of the program.
        procedure: u16,
    },
    /// The call was not carried out.
    Reject {
        /// Number of the call.
        transaction: u16,
        /// Why.
        reason: u16,
    },
    /// The procedure's results.
    Return {
        /// Number of the call.
        transaction: u16,
    },
    /// The procedure reports an error of its own.
    Abort {
        /// Number of the call.
        transaction: u16,
        /// The program's number for the error.
        error: u16,
    },
    /// Of another type.
    Other(u16),
}

/// A message, and where it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The versions before it.
    pub versions: Option<(u16, u16)>,
    /// What it is.
    pub message: Message,
    /// Bytes before its arguments or results, versions included.
    pub length: u32,
}

const CALL: u16 = 0;
const REJECT: u16 = 1;
const RETURN: u16 = 2;
const ABORT: u16 = 3;

impl Head {
    /// Reads the head of a message.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let versions = be16(input.bytes, 0)
            .zip(be16(input.bytes, 2))
            .filter(|(low, high)| matches!((low, high), (2, 2 | 3) | (3, 3)));
        if let Some((low, high)) = versions {
            if input.length == 4 {
                return Ok(Self {
                    versions: None,
                    message: Message::Versions { low, high },
                    length: 4,
                });
            }
            if let Ok((message, length)) = read(input, 4)
                && makes_sense(&message)
            {
                return Ok(Self {
                    versions,
                    message,
                    length,
                });
            }
        }
        let (message, length) = read(input, 0)?;
        Ok(Self {
            versions: None,
            message,
            length,
        })
    }
}

/// Whether a message may stand behind versions.
const fn makes_sense(message: &Message) -> bool {
    match *message {
        Message::Call { program, .. } => program != 0,
        Message::Other(_) | Message::Versions { .. } => false,
        _ => true,
    }
}

/// The message that begins at byte `at`, and where its arguments or results do.
fn read(input: Input<'_>, at: usize) -> Result<(Message, u32), Fault> {
    let mut at = at;
    let mut word = || {
        let offset = u32::try_from(at).unwrap_or(u32::MAX);
        at += 2;
        be16(input.bytes, at - 2)
            .filter(|_| offset + 2 <= input.length)
            .ok_or(Fault::Short { offset })
    };
    let kind = word()?;
    let message = match kind {
        CALL => {
            let transaction = word()?;
            // Programs have small numbers: the upper half of a long one is 0, which no short
            // one is.
            let program = match word()? {
                0 => word()?,
                short => short,
            };
            Message::Call {
                transaction,
                program: program.into(),
                version: word()?,
                procedure: word()?,
            }
        }
        REJECT => Message::Reject {
            transaction: word()?,
            reason: word()?,
        },
        RETURN => Message::Return {
            transaction: word()?,
        },
        ABORT => Message::Abort {
            transaction: word()?,
            error: word()?,
        },
        other => Message::Other(other),
    };
    Ok((message, u32::try_from(at).unwrap_or(u32::MAX)))
}

static PROCEDURE: Operation = Operation::new("CALL", Kind::Other, false);

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "courier",
    title: "Courier, Xerox's remote procedure calls, XSIS 038112",
    does: "versions, calls with program, version and procedure, returns, rejects and aborts, \
           paired by transaction, on connections to socket 5 wherever they are answered from",
    lacks: "arguments and results are not read; bulk data between call and return belongs to the \
            call, but its bytes are not counted; tried on made captures only",
    verified: &[Verified::Specification],
    claims: &[Claim::Exact(spp::SOCKET.key(5))],
    exchange: Some(exchange),
    describe,
    fields,
    ..Dissector::PLAIN
};

fn exchange(input: Input<'_>) -> Result<Part, Fault> {
    let head = Head::parse(input)?;
    let id = |transaction: u16| Some(Id::new(0, transaction.into()));
    let response = |transaction, status| Exchange {
        id: id(transaction),
        // The versions before it may have been the head of a return.
        alias: head.versions.and_then(|(_, high)| id(high)),
        status: Some(status),
        ..Exchange::new(Role::Response, Side::Server, &PROCEDURE, 0)
    };
    let exchange = match head.message {
        Message::Versions { high, .. } => Some(Exchange {
            id: id(high),
            // If it answers nothing, it asks for nothing.
            expect: Expect::Nothing,
            status: Some(RETURNED),
            ..Exchange::new(Role::Either, Side::Unknown, &PROCEDURE, 0)
        }),
        Message::Call {
            transaction,
            program,
            procedure,
            ..
        } => Some(Exchange {
            id: id(transaction),
            ..Exchange::new(
                Role::Request,
                Side::Client,
                &PROCEDURE,
                program << 16 | u32::from(procedure),
            )
        }),
        Message::Return { transaction } => Some(response(transaction, RETURNED)),
        Message::Reject {
            transaction,
            reason,
        } => Some(response(transaction, failed(reason, reason_name(reason)))),
        Message::Abort { transaction, error } => Some(response(transaction, failed(error, None))),
        Message::Other(_) => None,
    };
    Ok(Part {
        exchange,
        length: input.length,
    })
}

const RETURNED: Status = Status {
    code: 0,
    name: None,
    ok: true,
    failure: false,
};

fn failed(code: u16, name: Option<&'static str>) -> Status {
    Status {
        code: code.into(),
        name,
        ok: false,
        failure: true,
    }
}

const fn reason_name(reason: u16) -> Option<&'static str> {
    Some(match reason {
        0 => "no such program",
        1 => "no such version",
        2 => "no such procedure",
        3 => "invalid arguments",
        _ => return None,
    })
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let Ok(head) = Head::parse(input) else {
        return out.write_str("cut off");
    };
    if let Some((low, high)) = head.versions {
        write!(out, "versions {low} to {high}, ")?;
    }
    match head.message {
        Message::Versions { low, high } => {
            return write!(out, "versions {low} to {high}, or an empty return");
        }
        Message::Call {
            transaction,
            program,
            version,
            procedure,
        } => write!(
            out,
            "CALL {transaction}, program {program} version {version}, procedure {procedure}"
        )?,
        Message::Reject {
            transaction,
            reason,
        } => {
            write!(out, "REJECT {transaction}, ")?;
            match reason_name(reason) {
                Some(name) => out.write_str(name)?,
                None => write!(out, "reason {reason}")?,
            }
        }
        Message::Return { transaction } => write!(out, "RETURN {transaction}")?,
        Message::Abort { transaction, error } => write!(out, "ABORT {transaction}, error {error}")?,
        Message::Other(kind) => write!(out, "type {kind}")?,
    }
    write!(out, ", {} bytes", input.length.saturating_sub(head.length))
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let head = Head::parse(f.input()).ok();
    let alone = matches!(head.map(|h| h.message), Some(Message::Versions { .. }));
    if alone || head.is_some_and(|h| h.versions.is_some()) {
        f.be16("Lowest version")?;
        f.be16("Highest version")?;
        if alone {
            f.means("or the transaction of an empty return");
            return Some(());
        }
    }
    let kind = f.be16("Message type")?;
    f.means(match kind {
        CALL => "call",
        REJECT => "reject",
        RETURN => "return",
        ABORT => "abort",
        _ => "",
    });
    if kind > ABORT {
        f.rest("Data")?;
        return Some(());
    }
    f.be16("Transaction")?;
    match kind {
        CALL => {
            if f.peek().starts_with(&[0, 0]) {
                f.be32("Program")?;
            } else {
                f.be16("Program")?;
            }
            f.be16("Program version")?;
            f.be16("Procedure")?;
            f.rest("Arguments")?;
        }
        REJECT => {
            let reason = f.be16("Reason")?;
            f.means(reason_name(reason).unwrap_or_default());
            f.rest("Data")?;
        }
        RETURN => {
            f.rest("Results")?;
        }
        _ => {
            f.be16("Error")?;
            f.rest("Arguments")?;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line};
    use proptest::prelude::*;

    fn bytes(words: &[u16]) -> Vec<u8> {
        words.iter().flat_map(|w| w.to_be_bytes()).collect()
    }

    fn part(words: &[u16]) -> Option<Exchange> {
        exchange(Input::whole(&bytes(words))).unwrap().exchange
    }

    /// A call of procedure 7 of program 10 version 5, transaction 9, with one argument.
    const LONG: [u16; 7] = [0, 9, 0, 10, 5, 7, 0xaaaa];
    /// That call of procedure 7 in version 2 of the protocol.
    const SHORT: [u16; 6] = [0, 9, 10, 5, 7, 0xaaaa];

    #[test]
    fn calls_of_both_versions_read_alike() {
        let text = "CALL 9, program 10 version 5, procedure 7, 2 bytes";
        for call in [&LONG[..], &SHORT[..]] {
            assert_eq!(line(&DISSECTOR, &bytes(call)), text);
            let x = part(call).unwrap();
            assert_eq!((x.role, x.sender), (Role::Request, Side::Client));
            assert_eq!((x.id, x.code), (Some(Id::new(0, 9)), 10 << 16 | 7));
        }
    }

    #[test]
    fn versions_may_come_before_the_first_message() {
        let first = [&[2, 3], &LONG[..]].concat();
        assert_eq!(
            line(&DISSECTOR, &bytes(&first)),
            "versions 2 to 3, CALL 9, program 10 version 5, procedure 7, 2 bytes"
        );
        assert_eq!(part(&first).unwrap().id, Some(Id::new(0, 9)));
        let answer = [3, 3, 2, 9, 1, 1];
        let x = part(&answer).unwrap();
        assert_eq!((x.role, x.id), (Role::Response, Some(Id::new(0, 9))));
        assert_eq!(x.alias, Some(Id::new(0, 3)), "or it aborts transaction 3");
    }

    #[test]
    fn versions_alone_answer_only_if_something_was_asked() {
        let x = part(&[2, 3]).unwrap();
        assert_eq!((x.role, x.expect), (Role::Either, Expect::Nothing));
        assert_eq!(x.id, Some(Id::new(0, 3)));
        assert_eq!(
            line(&DISSECTOR, &bytes(&[2, 3])),
            "versions 2 to 3, or an empty return"
        );
    }

    #[test]
    fn what_a_call_gives() {
        let of = |words: &[u16]| {
            let x = part(words).unwrap();
            let status = x.status.unwrap();
            (x.role, x.id, status.ok, status.code, status.name)
        };
        let id = Some(Id::new(0, 9));
        assert_eq!(of(&[2, 9, 7]), (Role::Response, id, true, 0, None));
        assert_eq!(
            of(&[1, 9, 2]),
            (Role::Response, id, false, 2, Some("no such procedure"))
        );
        assert_eq!(of(&[3, 9, 77]), (Role::Response, id, false, 77, None));
        assert!(part(&[8, 9]).is_none());
        // Transaction 2 returns results that are no message.
        assert_eq!(of(&[2, 2, 900]).1, Some(Id::new(0, 2)));
        assert_eq!(
            line(&DISSECTOR, &bytes(&[1, 9, 1, 3, 5])),
            "REJECT 9, no such version, 4 bytes"
        );
        assert_eq!(
            line(&DISSECTOR, &bytes(&[3, 9, 77])),
            "ABORT 9, error 77, 0 bytes"
        );
    }

    #[test]
    fn every_strict_prefix_of_a_head_is_short() {
        let whole = bytes(&LONG);
        for n in 0..12 {
            let cut = Input {
                bytes: &whole[..n],
                length: 14,
            };
            assert!(matches!(exchange(cut), Err(Fault::Short { .. })), "{n}");
        }
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_head(
            words in prop::collection::vec(0u16..5, 0..4),
            rest in prop::collection::vec(any::<u8>(), 0..12),
        ) {
            let bytes = [bytes(&words), rest].concat();
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            let number = |name: &str| testing::number(&fields, name);
            if let Ok(head) = Head::parse(Input::whole(&bytes)) {
                prop_assert_eq!(fields.iter().map(|f| f.end as usize).max(), Some(bytes.len()));
                match head.message {
                    Message::Versions { low, high } => {
                        prop_assert_eq!(number("Lowest version"), Some(low.into()));
                        prop_assert_eq!(number("Highest version"), Some(high.into()));
                    }
                    Message::Call { transaction, program, version, procedure } => {
                        prop_assert_eq!(number("Transaction"), Some(transaction.into()));
                        prop_assert_eq!(number("Program"), Some(program.into()));
                        prop_assert_eq!(number("Program version"), Some(version.into()));
                        prop_assert_eq!(number("Procedure"), Some(procedure.into()));
                    }
                    Message::Reject { transaction, reason: code } => {
                        prop_assert_eq!(number("Transaction"), Some(transaction.into()));
                        prop_assert_eq!(number("Reason"), Some(code.into()));
                    }
                    Message::Abort { transaction, error: code } => {
                        prop_assert_eq!(number("Transaction"), Some(transaction.into()));
                        prop_assert_eq!(number("Error"), Some(code.into()));
                    }
                    Message::Return { transaction } => {
                        prop_assert_eq!(number("Transaction"), Some(transaction.into()));
                    }
                    Message::Other(kind) => {
                        prop_assert_eq!(number("Message type"), Some(kind.into()));
                    }
                }
            }
        }
    }
}
