//! One JSON object per transaction. Names and shape are a promise to other programs.

use crate::escape::Escaped;
use crate::figures::Command;
use crate::time::Rfc3339;
use serde::{Serialize, Serializer};
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;
use wirewait_analysis::{FrameCounts, Place, Transaction, Turnaround};
use wirewait_wire::Status;

pub(super) fn row(out: &mut impl Write, transaction: &Transaction) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Row::from(transaction))?;
    out.write_all(b"\n")
}

/// A transaction with the names and in the order of the exports. All fields are always
/// there; durations are in nanoseconds.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Row<'a> {
    protocol: &'static str,
    carrier: &'static str,
    client: Shown<wirewait_wire::Endpoint>,
    server: Shown<wirewait_wire::Endpoint>,
    conversation: u64,
    command: Shown<Command>,
    function: Option<u16>,
    subfunction: Option<u16>,
    kind: &'static str,
    outcome: &'static str,
    status: Option<Shown<StatusName>>,
    ok: Option<bool>,
    request_first_frame: Option<u64>,
    request_last_frame: Option<u64>,
    response_first_frame: Option<u64>,
    response_last_frame: Option<u64>,
    request_time: Option<Rfc3339>,
    turnaround_ns: Option<i64>,
    turnaround_bounds_ns: Option<[i64; 2]>,
    response_time_ns: Option<i64>,
    request_transfer_ns: Option<i64>,
    response_transfer_ns: Option<i64>,
    copies: u32,
    interims: u32,
    first_interim_ns: Option<i64>,
    data_bytes: u64,
    request_bytes: u64,
    response_bytes: u64,
    frames: Frames,
    hops: Option<u8>,
    flags: Flags<'a>,
    chain: Chain<'a>,
    service_ns: Option<i64>,
    duplicate_responses: u32,
    asked_bytes: u64,
    file_handle: Option<Shown<Handle>>,
    file_offset: Option<u64>,
    dialect: Option<String>,
    user: Option<String>,
    share: Option<String>,
    path: Option<String>,
    transaction: u64,
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
                r#""dialect":null,"user":"anna","share":"\\\\FS1\\DATA","path":"\\pay\\x1b.xls","transaction":12,"idempotent":false}"#,
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
        assert_eq!(names[0].len(), 43);
    }
}
