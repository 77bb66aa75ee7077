//! The columns of `transactions`. Names, types and meanings are a promise to other programs; new
//! columns are added at the end.

use super::FrameOrigin;
use crate::escape::Escaped;
use crate::figures::Command;
use crate::rows::{CellValue, Get, RowColumn, RowTable, Width, Write};
use std::fmt;
use std::sync::Arc;
use wirewait_analysis::{Extent, Place, Transaction, Turnaround};
use wirewait_wire::{Endpoint, Status};

/// A transaction, and where its first frame is, as far as that is known.
#[derive(Clone, Copy, Debug)]
pub struct ColumnEntry<'a> {
    /// The transaction.
    pub transaction: &'a Transaction,
    /// The file that holds its first frame.
    pub origin: Option<FrameOrigin<'a>>,
}

/// The rows of `transactions`: schema `schemas/transaction.schema.json`.
#[derive(Debug)]
pub enum Transactions {}

impl RowTable for Transactions {
    type Row<'a> = ColumnEntry<'a>;
    const SCHEMA: &'static str = "wirewait.transaction/1";
    const COLUMNS: &'static [RowColumn<Self>] = COLUMNS;
}

/// How many of the columns a row in a report has: all but the file of its first frame, and what follows.
pub(super) const OWN: usize = COLUMNS.len() - 3;

#[rustfmt::skip]
const COLUMNS: &[RowColumn<Transactions>] = &[
    text("protocol", "Protocol of the request: smb1, smb2, ncp, last, nbf, ...",
        |r, o| o.word(r.transaction.protocol)),
    text("carrier", "Protocol that carried it: nbf, ipx, nbipx, nbt, tcp, udp, ...",
        |r, o| o.word(r.transaction.carrier)),
    text("client", "Station that sent the request, `address[:port]`.", |r, o| o.show(r.transaction.client)),
    text("server", "Station that received the request, `address[:port]`.", |r, o| o.show(r.transaction.server)),
    count("conversation", "Number of the conversation in the capture.",
        Width::Large, |r| Some(r.transaction.conversation)),
    text("command", "The specification's name of the operation, such as READ_ANDX.",
        |r, o| {
            let Transaction {
                operation, code, ..
            } = *r.transaction;
            let name = operation.name;
            o.show(Command { name, code })
        }),
    count("function", "Function code of NCP, where there is one.",
        Width::Bits16, |r| r.transaction.operation.function.map(u64::from)).or_null(),
    count("subfunction", "Subfunction code of NCP, where there is one.",
        Width::Bits16, |r| r.transaction.operation.subfunction.map(u64::from)).or_null(),
    text("kind",
        "Class of the operation: read, write, open, close, directory, lock, session, transaction, break, wait, other.",
        |r, o| o.word(r.transaction.kind.name())),
    text("outcome", "answered, unanswered, orphan_response, cancelled, given_up, ...",
        |r, o| o.word(r.transaction.outcome.name())),
    text("status", "The protocol's own name of the status, or its number in hexadecimal.",
        |r, o| o.some(r.transaction.status.map(StatusName))).or_null(),
    boolean("ok", "Whether the operation succeeded, the same for all protocols; null without a response.",
        |r| r.transaction.ok()).or_null(),
    count("request_first_frame", "Frame with the first byte of the request, counted from 1.",
        Width::Large, |r| r.transaction.request.map(first)).or_null(),
    count("request_last_frame", "Frame that completes the request.",
        Width::Large, |r| r.transaction.request.map(last)).or_null(),
    count("response_first_frame", "Frame with the first byte of the response.",
        Width::Large, |r| r.transaction.response.map(first)).or_null(),
    count("response_last_frame", "Frame that completes the response.",
        Width::Large, |r| r.transaction.response.map(last)).or_null(),
    RowColumn::new("request_time", "Time of the first frame of the request (t1), UTC.",
        TransactionCell::Time(|r| r.transaction.request.map(|request| request.first.at))).or_null(),
    signed("turnaround_ns", "Server turnaround (t3 - t2), nanoseconds; null when ambiguous or unanswered.",
        |r| r.transaction.turnaround.exact()),
    RowColumn::new("turnaround_bounds_ns", "Least and greatest turnaround, where it is ambiguous.",
        TransactionCell::Bounds(|r| bounds(r.transaction))).or_null(),
    signed("response_time_ns", "Response time that the user felt (t4 - t1), nanoseconds.",
        |r| r.transaction.response_time_ns()),
    signed("request_transfer_ns", "Request transfer (t2 - t1), nanoseconds.",
        |r| r.transaction.request_transfer_ns()),
    signed("response_transfer_ns", "Response transfer (t4 - t3), nanoseconds.",
        |r| r.transaction.response_transfer_ns()),
    count("copies", "Number of times the request was seen; 1 is once.",
        Width::Bits32, |r| Some(r.transaction.copies.into())),
    count("interims", "Interim responses.", Width::Bits32, |r| Some(r.transaction.interims.into())),
    signed("first_interim_ns", "Time from the request to the first interim response, nanoseconds.",
        |r| r.transaction.first_interim_ns()),
    count("data_bytes", "Bytes of file data transferred.", Width::Large, |r| Some(r.transaction.data_bytes)),
    count("request_bytes", "Bytes of the request message.", Width::Large, |r| Some(r.transaction.request_bytes)),
    count("response_bytes", "Bytes of the response message.",
        Width::Large, |r| Some(r.transaction.response_bytes)),
    RowColumn::new("frames", "Frames of the transaction, by what they did.",
        TransactionCell::Group(&[
            ("request", |r| r.transaction.frames.request),
            ("response", |r| r.transaction.frames.response),
            ("interim", |r| r.transaction.frames.interim),
            ("ack", |r| r.transaction.frames.ack),
            ("control", |r| r.transaction.frames.control),
            ("retransmitted", |r| r.transaction.frames.retransmitted),
        ])),
    count("hops", "Routers between client and server, where they can be counted.",
        Width::Bits8, |r| r.transaction.hops.map(u64::from)).or_null(),
    RowColumn::new("flags",
        "What to bear in mind: ambiguous, mid_capture, capture_loss, snapped, out_of_order, pipelined, raw, encrypted, ...",
        TransactionCell::Words(|r, words| words.extend(r.transaction.flags.names()))),
    RowColumn::new("chain", "Further operations in the same message.",
        TransactionCell::Words(|r, words| {
            words.extend(r.transaction.chain.iter().map(|op| op.name))
        })),
    signed("service_ns", "Time that this request had the server to itself, without the wait for a response that was lost before the capture, nanoseconds.",
        |r| r.transaction.service_ns),
    count("duplicate_responses", "Responses seen again after the final one.",
        Width::Bits32, |r| Some(r.transaction.duplicate_responses.into())),
    count("asked_bytes", "Bytes of file data requested.", Width::Large, |r| Some(r.transaction.asked_bytes)),
    text("file_handle", "Handle of the file, hexadecimal.",
        |r, o| o.some(r.transaction.file.map(|file| Handle(file.handle)))).or_null(),
    count("file_offset", "Offset in the file, bytes.",
        Width::Bits64, |r| r.transaction.file.and_then(|file| file.offset)).or_null(),
    name("dialect", "Dialect that was negotiated.", |r, o| o.some(named(r.transaction, |place| &place.dialect))),
    name("user", "Name of the user, as far as the capture shows it.",
        |r, o| o.some(named(r.transaction, |place| &place.user))),
    name("share", "Name of the share, as far as the capture shows it.", |r, o| o.some(named(r.transaction, |place| &place.share))),
    name("path", "Name of the file, as far as the capture shows it.", |r, o| o.some(named(r.transaction, |place| &place.path))),
    count("transaction", "Number of the transaction in the capture, as `decode --transaction` takes it.",
        Width::Large, |r| Some(r.transaction.number)),
    boolean("idempotent", "Whether the operation can be repeated without harm.",
        |r| Some(r.transaction.idempotent())),
    text("client_address", "Address of the client without its port.",
        |r, o| o.show(station(&r.transaction.client))),
    count("client_port", "TCP or UDP port, IPX socket or LLC service access point of the client, as a number.",
        Width::Bits16, |r| r.transaction.client.port.map(u64::from)).or_null(),
    text("server_address", "Address of the server without its port.",
        |r, o| o.show(station(&r.transaction.server))),
    count("server_port", "TCP or UDP port, IPX socket or LLC service access point of the server, as a number.",
        Width::Bits16, |r| r.transaction.server.port.map(u64::from)).or_null(),
    name("file",
        "File that holds the first frame of the transaction; null where that is not known (a live\ncapture, or more changes between files than are remembered).",
        |r, o| o.some(r.origin.map(|origin| Escaped(origin.file)))),
    count("frame_in_file", "Number of that frame in that file, counted from 1.",
        Width::Large, |r| r.origin.map(|origin| origin.frame)).or_null(),
    text("failed_command", "Of several operations in the same message, the one that `status` is of, if not the first.",
        |r, o| o.some(r.transaction.chain.failed().map(|operation| operation.name))).or_null(),
];

type Of = RowColumn<Transactions>;

/// With the table named: rustc cannot infer it for functions of borrowed rows.
type TransactionCell = CellValue<Transactions>;

const fn text(name: &'static str, about: &'static str, write: Write<Transactions>) -> Of {
    RowColumn::new(name, about, TransactionCell::Text(write))
}

/// What somebody chose to call something is not always known.
const fn name(name: &'static str, about: &'static str, write: Write<Transactions>) -> Of {
    RowColumn::new(name, about, TransactionCell::Name(write)).or_null()
}

const fn count(
    name: &'static str,
    about: &'static str,
    width: Width,
    get: Get<Transactions, u64>,
) -> Of {
    RowColumn::new(name, about, TransactionCell::Count(width, get))
}

/// A duration, which not every transaction has.
const fn signed(name: &'static str, about: &'static str, get: Get<Transactions, i64>) -> Of {
    RowColumn::new(name, about, TransactionCell::Signed(get)).or_null()
}

const fn boolean(name: &'static str, about: &'static str, get: Get<Transactions, bool>) -> Of {
    RowColumn::new(name, about, TransactionCell::Boolean(get))
}

const fn first(extent: Extent) -> u64 {
    extent.first.frame
}

const fn last(extent: Extent) -> u64 {
    extent.last.frame
}

/// An endpoint without its port.
pub(crate) const fn station(end: &Endpoint) -> Endpoint {
    Endpoint { port: None, ..*end }
}

/// Between what an ambiguous turnaround lies.
pub(crate) fn bounds(t: &Transaction) -> Option<[i64; 2]> {
    match t.turnaround {
        Turnaround::Between(low, high) => Some([low, high]),
        Turnaround::None | Turnaround::Exact(_) => None,
    }
}

/// A name of the place where it happened, harmless to a terminal.
pub(super) fn named(t: &Transaction, name: fn(&Place) -> &Option<Arc<str>>) -> Option<Escaped<'_>> {
    name(t.place.as_ref()?).as_deref().map(Escaped)
}

/// The name of a status, or its number where it has none.
#[derive(Clone, Copy, Debug)]
pub struct StatusName(pub Status);

impl fmt::Display for StatusName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.name {
            Some(name) => f.write_str(name),
            None => write!(f, "0x{:08X}", self.0.code),
        }
    }
}

/// A status for people: `ok` where all was done, whatever its protocol calls that.
fn status(status: Status) -> String {
    match (status.ok, status.code) {
        (true, 0) => "ok".to_owned(),
        _ => StatusName(status).to_string(),
    }
}

/// How a transaction ended, and which of its operations did where that is not the first.
#[must_use]
pub fn ended(t: &Transaction) -> Option<String> {
    let status = status(t.status?);
    Some(match t.chain.failed() {
        Some(failed) => format!("{status} of {}", failed.name),
        None => status,
    })
}

/// A file handle in hexadecimal, as JSON numbers do not go that far.
struct Handle(u128);

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}
