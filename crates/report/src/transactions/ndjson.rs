//! One JSON object per transaction. Names and shape are a promise to other programs.

use super::FrameOrigin;
use crate::escape::Escaped;
use crate::figures::Command;
use crate::time::Rfc3339;
use serde::{Serialize, Serializer};
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;
use wirewait_analysis::{FrameCounts, Place, Transaction, Turnaround};
use wirewait_wire::{Endpoint, Status};

pub(super) fn row(
    out: &mut impl Write,
    transaction: &Transaction,
    origin: Option<FrameOrigin<'_>>,
) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Exported::new(transaction, origin))?;
    out.write_all(b"\n")
}

/// A row of `transactions`: a transaction, its stations in parts, and the file it begins in.
///
/// Version 1 of the row schema. New fields are added at the end; the names and meanings of the
/// others stay.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Exported<'a> {
    #[serde(flatten)]
    row: Row<'a>,
    /// Address of the client without its port.
    client_address: Shown<Endpoint>,
    /// TCP or UDP port, IPX socket or LLC service access point of the client, as a number.
    client_port: Option<u16>,
    /// Address of the server without its port.
    server_address: Shown<Endpoint>,
    /// TCP or UDP port, IPX socket or LLC service access point of the server, as a number.
    server_port: Option<u16>,
    /// File that holds the first frame of the transaction; null where that is not known (a live
    /// capture, or more changes between files than are remembered).
    file: Option<String>,
    /// Number of that frame in that file, counted from 1.
    frame_in_file: Option<u64>,
}

impl<'a> Exported<'a> {
    fn new(transaction: &'a Transaction, origin: Option<FrameOrigin<'_>>) -> Self {
        Self {
            row: Row::from(transaction),
            client_address: Shown(station(&transaction.client)),
            client_port: transaction.client.port,
            server_address: Shown(station(&transaction.server)),
            server_port: transaction.server.port,
            file: origin.map(|origin| Escaped(origin.file).to_string()),
            frame_in_file: origin.map(|origin| origin.frame),
        }
    }
}

/// An endpoint without its port.
pub(super) const fn station(end: &Endpoint) -> Endpoint {
    Endpoint { port: None, ..*end }
}

/// A transaction with the names and in the order of the exports. All fields are always
/// there; durations are in nanoseconds.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Row<'a> {
    /// Protocol of the request: smb1, smb2, ncp, last, nbf, ...
    protocol: &'static str,
    /// Protocol that carried it: nbf, ipx, nbipx, nbt, tcp, udp, ...
    carrier: &'static str,
    /// Station that sent the request, `address[:port]`.
    client: Shown<Endpoint>,
    /// Station that received the request, `address[:port]`.
    server: Shown<Endpoint>,
    /// Number of the conversation in the capture.
    conversation: u64,
    /// The specification's name of the operation, such as READ_ANDX.
    command: Shown<Command>,
    /// Function code of NCP, where there is one.
    function: Option<u16>,
    /// Subfunction code of NCP, where there is one.
    subfunction: Option<u16>,
    /// Class of the operation: read, write, open, close, directory, lock, session, transaction, break, wait, other.
    kind: &'static str,
    /// answered, unanswered, orphan_response, cancelled, given_up, ...
    outcome: &'static str,
    /// The protocol's own name of the status, or its number in hexadecimal.
    status: Option<Shown<StatusName>>,
    /// Whether the operation succeeded, the same for all protocols; null without a response.
    ok: Option<bool>,
    /// Frame with the first byte of the request, counted from 1.
    request_first_frame: Option<u64>,
    /// Frame that completes the request.
    request_last_frame: Option<u64>,
    /// Frame with the first byte of the response.
    response_first_frame: Option<u64>,
    /// Frame that completes the response.
    response_last_frame: Option<u64>,
    /// Time of the first frame of the request (t1), UTC.
    request_time: Option<Rfc3339>,
    /// Server turnaround (t3 - t2), nanoseconds; null when ambiguous or unanswered.
    turnaround_ns: Option<i64>,
    /// Least and greatest turnaround, where it is ambiguous.
    turnaround_bounds_ns: Option<[i64; 2]>,
    /// Response time that the user felt (t4 - t1), nanoseconds.
    response_time_ns: Option<i64>,
    /// Request transfer (t2 - t1), nanoseconds.
    request_transfer_ns: Option<i64>,
    /// Response transfer (t4 - t3), nanoseconds.
    response_transfer_ns: Option<i64>,
    /// Number of times the request was seen; 1 is once.
    copies: u32,
    /// Interim responses.
    interims: u32,
    /// Time from the request to the first interim response, nanoseconds.
    first_interim_ns: Option<i64>,
    /// Bytes of file data that were moved.
    data_bytes: u64,
    /// Bytes of the request message.
    request_bytes: u64,
    /// Bytes of the response message.
    response_bytes: u64,
    /// Frames of the transaction, by what they did.
    frames: Frames,
    /// Routers between client and server, where they can be counted.
    hops: Option<u8>,
    /// What to bear in mind: ambiguous, mid_capture, capture_loss, snapped, out_of_order, pipelined, raw, encrypted, ...
    flags: Flags<'a>,
    /// Further operations in the same message.
    chain: Chain<'a>,
    /// Time that this request had the server to itself, nanoseconds.
    service_ns: Option<i64>,
    /// Responses seen again after the final one.
    duplicate_responses: u32,
    /// Bytes of file data that were asked for.
    asked_bytes: u64,
    /// Handle of the file, hexadecimal.
    file_handle: Option<Shown<Handle>>,
    /// Offset in the file, bytes.
    file_offset: Option<u64>,
    /// Dialect that was negotiated.
    dialect: Option<String>,
    /// Name of the user, as far as the capture shows it.
    user: Option<String>,
    /// Name of the share likewise.
    share: Option<String>,
    /// Name of the file likewise.
    path: Option<String>,
    /// Number of the transaction in the capture, as `decode --transaction` takes it.
    transaction: u64,
    /// Whether the operation can be repeated without harm.
    idempotent: bool,
}

impl<'a> From<&'a Transaction> for Row<'a> {
    fn from(t: &'a Transaction) -> Self {
        Self {
            protocol: t.protocol,
            carrier: t.carrier,
            client: Shown(t.client),
            server: Shown(t.server),
            conversation: t.conversation,
            command: Shown(Command {
                name: t.operation.name,
                code: t.code,
            }),
            function: t.operation.function,
            subfunction: t.operation.subfunction,
            kind: t.kind.name(),
            outcome: t.outcome.name(),
            status: t.status.map(|status| Shown(StatusName(status))),
            ok: t.ok(),
            request_first_frame: t.request.map(|r| r.first.frame),
            request_last_frame: t.request.map(|r| r.last.frame),
            response_first_frame: t.response.map(|r| r.first.frame),
            response_last_frame: t.response.map(|r| r.last.frame),
            request_time: t.request.map(|r| Rfc3339(r.first.at)),
            turnaround_ns: t.turnaround.exact(),
            turnaround_bounds_ns: bounds(t),
            response_time_ns: t.response_time_ns(),
            request_transfer_ns: t.request_transfer_ns(),
            response_transfer_ns: t.response_transfer_ns(),
            copies: t.copies,
            interims: t.interims,
            first_interim_ns: t.first_interim_ns(),
            data_bytes: t.data_bytes,
            request_bytes: t.request_bytes,
            response_bytes: t.response_bytes,
            frames: Frames::from(t.frames),
            hops: t.hops,
            flags: Flags(t),
            chain: Chain(t),
            service_ns: t.service_ns,
            duplicate_responses: t.duplicate_responses,
            asked_bytes: t.asked_bytes,
            file_handle: t.file.map(|file| Shown(Handle(file.handle))),
            file_offset: t.file.and_then(|file| file.offset),
            dialect: named(t, |place| &place.dialect),
            user: named(t, |place| &place.user),
            share: named(t, |place| &place.share),
            path: named(t, |place| &place.path),
            transaction: t.number,
            idempotent: t.idempotent(),
        }
    }
}

/// A name of the place where it happened, harmless to a terminal.
pub(super) fn named(t: &Transaction, name: fn(&Place) -> &Option<Arc<str>>) -> Option<String> {
    let name = name(t.place.as_ref()?).as_deref()?;
    Some(Escaped(name).to_string())
}

/// Between what an ambiguous turnaround lies.
pub(crate) fn bounds(t: &Transaction) -> Option<[i64; 2]> {
    match t.turnaround {
        Turnaround::Between(low, high) => Some([low, high]),
        Turnaround::None | Turnaround::Exact(_) => None,
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Frames {
    request: u32,
    response: u32,
    interim: u32,
    ack: u32,
    control: u32,
    retransmitted: u32,
}

impl From<FrameCounts> for Frames {
    fn from(n: FrameCounts) -> Self {
        Self {
            request: n.request,
            response: n.response,
            interim: n.interim,
            ack: n.ack,
            control: n.control,
            retransmitted: n.retransmitted,
        }
    }
}

/// Written as a string, by way of its `Display`.
struct Shown<T>(T);

impl<T: fmt::Display> Serialize for Shown<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

#[cfg(test)]
crate::schema::written_as!(for<T> = Shown<T>, String);

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

/// A file handle in hexadecimal, as JSON numbers do not go that far.
pub(super) struct Handle(pub(super) u128);

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

struct Flags<'a>(&'a Transaction);

#[cfg(test)]
crate::schema::written_as!(for<'a> = Flags<'a>, Vec<String>);

impl Serialize for Flags<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.flags.names())
    }
}

struct Chain<'a>(&'a Transaction);

#[cfg(test)]
crate::schema::written_as!(for<'a> = Chain<'a>, Vec<String>);

impl Serialize for Chain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.chain.iter().map(|operation| operation.name))
    }
}

#[cfg(test)]
mod tests {
    use crate::samples;
    use crate::transactions::{Format, written};

    #[test]
    fn an_answered_read() {
        assert_eq!(
            written(Format::Ndjson, &[samples::answered()]),
            concat!(
                r#"{"protocol":"smb1","carrier":"nbt","client":"10.0.0.9:1025","#,
                r#""server":"10.0.0.1:139","conversation":3,"command":"READ_ANDX","#,
                r#""function":null,"subfunction":null,"kind":"read","outcome":"answered","#,
                r#""status":"STATUS_SUCCESS","ok":true,"request_first_frame":17,"#,
                r#""request_last_frame":18,"response_first_frame":20,"#,
                r#""response_last_frame":23,"#,
                r#""request_time":"2024-02-29T12:34:56.000000000Z","#,
                r#""turnaround_ns":1000000,"turnaround_bounds_ns":null,"#,
                r#""response_time_ns":1510000,"request_transfer_ns":10000,"#,
                r#""response_transfer_ns":500000,"copies":1,"interims":0,"#,
                r#""first_interim_ns":null,"data_bytes":4096,"request_bytes":63,"#,
                r#""response_bytes":4159,"frames":{"request":2,"response":3,"interim":0,"#,
                r#""ack":1,"control":0,"retransmitted":0},"hops":null,"flags":["raw"],"#,
                r#""chain":["CLOSE"],"service_ns":1000000,"duplicate_responses":0,"#,
                r#""asked_bytes":4096,"file_handle":"0x4001","file_offset":8192,"#,
                r#""dialect":null,"user":"anna","share":"\\\\FS1\\DATA","path":"\\pay\\x1b.xls","transaction":12,"idempotent":false,"#,
                r#""client_address":"10.0.0.9","client_port":1025,"server_address":"10.0.0.1","#,
                r#""server_port":139,"file":"a.pcap","frame_in_file":17}"#,
                "\n"
            )
        );
    }

    #[test]
    fn an_ambiguous_unknown_request() {
        let text = written(Format::Ndjson, &[samples::ambiguous()]);
        for part in [
            r#""client":"00000022.00001b010203:4003","server":"00000001.000000000001:0451""#,
            r#""command":"UNKNOWN_0x5709","function":87,"subfunction":9"#,
            r#""status":"0x000000FE","ok":false"#,
            r#""turnaround_ns":null,"turnaround_bounds_ns":[10000,1000000]"#,
            r#""copies":2,"interims":1,"first_interim_ns":500000"#,
            r#""hops":2,"flags":["ambiguous"],"chain":[],"service_ns":null"#,
            r#""file_handle":null,"file_offset":null"#,
            r#""dialect":null,"user":null,"share":null,"path":null"#,
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn what_is_not_there_is_null() {
        let text = written(Format::Ndjson, &[samples::unanswered(), samples::orphan()]);
        let (unanswered, orphan) = text.split_once('\n').unwrap();
        for part in [
            r#""outcome":"unanswered","status":null,"ok":null,"request_first_frame":17"#,
            r#""response_first_frame":null,"response_last_frame":null"#,
            r#""turnaround_ns":null,"turnaround_bounds_ns":null,"response_time_ns":null"#,
            r#""flags":[]"#,
        ] {
            assert!(unanswered.contains(part), "{part}\n{unanswered}");
        }
        for part in [
            r#""outcome":"orphan_response""#,
            r#""request_first_frame":null,"request_last_frame":null"#,
            r#""request_time":null"#,
            r#""response_transfer_ns":500000"#,
            r#""flags":["mid_capture"]"#,
        ] {
            assert!(orphan.contains(part), "{part}\n{orphan}");
        }
    }

    #[test]
    fn every_line_is_an_object_with_the_same_names() {
        let text = written(Format::Ndjson, &samples::all());
        let mut names = Vec::new();
        for line in text.lines() {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            names.push(
                value
                    .as_object()
                    .unwrap()
                    .keys()
                    .cloned()
                    .collect::<Vec<_>>(),
            );
        }
        assert_eq!(names.len(), 4);
        assert!(names.windows(2).all(|pair| pair[0] == pair[1]));
        assert_eq!(names[0].len(), 49);
    }

    #[test]
    fn rows_are_as_their_schema_says() {
        let title = "Row of wirewait transactions, version 1";
        let schema = crate::schema::of::<super::Exported<'_>>(title);
        crate::schema::check("transaction.schema.json", &schema);
    }
}
