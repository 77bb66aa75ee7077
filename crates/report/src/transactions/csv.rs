//! The fields of the NDJSON rows as RFC 4180 has them.

use super::FrameOrigin;
use super::ndjson::{Handle, StatusName, bounds, named, station};
use crate::cells;
use crate::escape::Escaped;
use crate::figures::Command;
use crate::time::Rfc3339;
use std::fmt::{self, Write as _};
use std::io::{self, Write};
use wirewait_analysis::Transaction;

/// A field: its name, and how its value is written; nothing is written for null.
enum Field {
    /// A number, or a word of the program's own.
    Own(&'static str, Value),
    /// What somebody chose to call something.
    Text(&'static str, Value),
}

type Value = fn(&Transaction, &mut String) -> fmt::Result;

/// Writes a value that may be missing.
fn some<T: fmt::Display>(value: Option<T>, out: &mut String) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(out, "{value}"))
}

/// Writes names with a blank in between.
fn list(names: impl Iterator<Item = &'static str>, out: &mut String) -> fmt::Result {
    for (n, name) in names.enumerate() {
        if n > 0 {
            out.push(' ');
        }
        out.push_str(name);
    }
    Ok(())
}

const FIELDS: &[Field] = &[
    Field::Own("protocol", |t, o| o.write_str(t.protocol)),
    Field::Own("carrier", |t, o| o.write_str(t.carrier)),
    Field::Own("client", |t, o| write!(o, "{}", t.client)),
    Field::Own("server", |t, o| write!(o, "{}", t.server)),
    Field::Own("conversation", |t, o| write!(o, "{}", t.conversation)),
    Field::Own("command", |t, o| {
        let name = t.operation.name;
        write!(o, "{}", Command { name, code: t.code })
    }),
    Field::Own("function", |t, o| some(t.operation.function, o)),
    Field::Own("subfunction", |t, o| some(t.operation.subfunction, o)),
    Field::Own("kind", |t, o| o.write_str(t.kind.name())),
    Field::Own("outcome", |t, o| o.write_str(t.outcome.name())),
    Field::Own("status", |t, o| some(t.status.map(StatusName), o)),
    Field::Own("ok", |t, o| some(t.ok(), o)),
    Field::Own("request_first_frame", |t, o| {
        some(t.request.map(|r| r.first.frame), o)
    }),
    Field::Own("request_last_frame", |t, o| {
        some(t.request.map(|r| r.last.frame), o)
    }),
    Field::Own("response_first_frame", |t, o| {
        some(t.response.map(|r| r.first.frame), o)
    }),
    Field::Own("response_last_frame", |t, o| {
        some(t.response.map(|r| r.last.frame), o)
    }),
    Field::Own("request_time", |t, o| {
        some(t.request.map(|r| Rfc3339(r.first.at)), o)
    }),
    Field::Own("turnaround_ns", |t, o| some(t.turnaround.exact(), o)),
    Field::Own("turnaround_bounds_ns.low", |t, o| {
        some(bounds(t).map(|b| b[0]), o)
    }),
    Field::Own("turnaround_bounds_ns.high", |t, o| {
        some(bounds(t).map(|b| b[1]), o)
    }),
    Field::Own("response_time_ns", |t, o| some(t.response_time_ns(), o)),
    Field::Own("request_transfer_ns", |t, o| {
        some(t.request_transfer_ns(), o)
    }),
    Field::Own("response_transfer_ns", |t, o| {
        some(t.response_transfer_ns(), o)
    }),
    Field::Own("copies", |t, o| write!(o, "{}", t.copies)),
    Field::Own("interims", |t, o| write!(o, "{}", t.interims)),
    Field::Own("first_interim_ns", |t, o| some(t.first_interim_ns(), o)),
    Field::Own("data_bytes", |t, o| write!(o, "{}", t.data_bytes)),
    Field::Own("request_bytes", |t, o| write!(o, "{}", t.request_bytes)),
    Field::Own("response_bytes", |t, o| write!(o, "{}", t.response_bytes)),
    Field::Own("frames.request", |t, o| write!(o, "{}", t.frames.request)),
    Field::Own("frames.response", |t, o| write!(o, "{}", t.frames.response)),
    Field::Own("frames.interim", |t, o| write!(o, "{}", t.frames.interim)),
    Field::Own("frames.ack", |t, o| write!(o, "{}", t.frames.ack)),
    Field::Own("frames.control", |t, o| write!(o, "{}", t.frames.control)),
    Field::Own("frames.retransmitted", |t, o| {
        write!(o, "{}", t.frames.retransmitted)
    }),
    Field::Own("hops", |t, o| some(t.hops, o)),
    Field::Own("flags", |t, o| list(t.flags.names(), o)),
    Field::Own("chain", |t, o| list(t.chain.iter().map(|op| op.name), o)),
    Field::Own("service_ns", |t, o| some(t.service_ns, o)),
    Field::Own("duplicate_responses", |t, o| {
        write!(o, "{}", t.duplicate_responses)
    }),
    Field::Own("asked_bytes", |t, o| write!(o, "{}", t.asked_bytes)),
    Field::Own("file_handle", |t, o| {
        some(t.file.map(|f| Handle(f.handle)), o)
    }),
    Field::Own("file_offset", |t, o| some(t.file.and_then(|f| f.offset), o)),
    Field::Text("dialect", |t, o| some(named(t, |p| &p.dialect), o)),
    Field::Text("user", |t, o| some(named(t, |p| &p.user), o)),
    Field::Text("share", |t, o| some(named(t, |p| &p.share), o)),
    Field::Text("path", |t, o| some(named(t, |p| &p.path), o)),
    Field::Own("transaction", |t, o| write!(o, "{}", t.number)),
    Field::Own("idempotent", |t, o| write!(o, "{}", t.idempotent())),
    Field::Own("client_address", |t, o| write!(o, "{}", station(&t.client))),
    Field::Own("client_port", |t, o| some(t.client.port, o)),
    Field::Own("server_address", |t, o| write!(o, "{}", station(&t.server))),
    Field::Own("server_port", |t, o| some(t.server.port, o)),
];

/// What a row says of where the transaction begins.
const ORIGIN: [&str; 2] = ["file", "frame_in_file"];

pub(super) fn header(out: &mut impl Write) -> io::Result<()> {
    for (n, Field::Own(name, _) | Field::Text(name, _)) in FIELDS.iter().enumerate() {
        if n > 0 {
            out.write_all(b",")?;
        }
        out.write_all(name.as_bytes())?;
    }
    for name in ORIGIN {
        write!(out, ",{name}")?;
    }
    out.write_all(b"\r\n")
}

pub(super) fn row(
    out: &mut impl Write,
    scratch: &mut String,
    transaction: &Transaction,
    origin: Option<FrameOrigin<'_>>,
) -> io::Result<()> {
    for (n, field) in FIELDS.iter().enumerate() {
        if n > 0 {
            out.write_all(b",")?;
        }
        scratch.clear();
        let (Field::Own(_, value) | Field::Text(_, value)) = field;
        value(transaction, scratch).map_err(io::Error::other)?;
        match field {
            Field::Own(..) => cells::number(out, scratch)?,
            Field::Text(..) => cells::text(out, scratch)?,
        }
    }
    out.write_all(b",")?;
    if let Some(origin) = origin {
        scratch.clear();
        write!(scratch, "{}", Escaped(origin.file)).map_err(io::Error::other)?;
        cells::text(out, scratch)?;
    }
    out.write_all(b",")?;
    if let Some(origin) = origin {
        write!(out, "{}", origin.frame)?;
    }
    out.write_all(b"\r\n")
}

#[cfg(test)]
mod tests {
    use crate::samples;
    use crate::transactions::{Format, written};
    use wirewait_wire::{Kind, Operation};

    #[test]
    fn all_rows() {
        let text = written(Format::Csv, &samples::all());
        let expected = [
            "protocol,carrier,client,server,conversation,command,function,subfunction,kind,\
             outcome,status,ok,request_first_frame,request_last_frame,response_first_frame,\
             response_last_frame,request_time,turnaround_ns,turnaround_bounds_ns.low,\
             turnaround_bounds_ns.high,response_time_ns,request_transfer_ns,\
             response_transfer_ns,copies,interims,first_interim_ns,data_bytes,request_bytes,\
             response_bytes,frames.request,frames.response,frames.interim,frames.ack,\
             frames.control,frames.retransmitted,hops,flags,chain,service_ns,\
             duplicate_responses,asked_bytes,file_handle,file_offset,dialect,user,\
             share,path,transaction,idempotent,client_address,client_port,server_address,\
             server_port,file,frame_in_file",
            "smb1,nbt,10.0.0.9:1025,10.0.0.1:139,3,READ_ANDX,,,read,answered,STATUS_SUCCESS,\
             true,17,18,20,23,2024-02-29T12:34:56.000000000Z,1000000,,,1510000,10000,500000,\
             1,0,,4096,63,4159,2,3,0,1,0,0,,raw,CLOSE,1000000,0,4096,0x4001,8192,,anna,\\\\FS1\\DATA,\\pay\\x1b.xls,12,false,10.0.0.9,1025,10.0.0.1,139,a.pcap,17",
            "ncp,ipx,00000022.00001b010203:4003,00000001.000000000001:0451,4,UNKNOWN_0x5709,\
             87,9,other,answered,0x000000FE,false,17,18,20,23,\
             2024-02-29T12:34:56.000000000Z,,10000,1000000,1510000,10000,500000,2,1,500000,\
             0,63,4159,2,3,0,1,0,0,2,ambiguous,,,1,4096,,,,,,,13,false,\
             00000022.00001b010203,16387,00000001.000000000001,1105,a.pcap,17",
            "smb1,nbt,10.0.0.9:1025,10.0.0.1:139,3,READ_ANDX,,,read,unanswered,,,17,18,,,\
             2024-02-29T12:34:56.000000000Z,,,,,10000,,1,0,,0,63,0,1,0,0,0,0,0,,,,,0,4096,,,,,,,14,true,10.0.0.9,1025,10.0.0.1,139,a.pcap,17",
            "smb1,nbt,10.0.0.9:1025,10.0.0.1:139,3,READ_ANDX,,,read,orphan_response,\
             STATUS_SUCCESS,true,,,20,23,,,,,,,500000,0,0,,4096,0,4159,2,3,0,1,0,0,,\
             mid_capture,CLOSE,1000000,0,4096,0x4001,8192,,anna,\\\\FS1\\DATA,\
             \\pay\\x1b.xls,15,false,10.0.0.9,1025,10.0.0.1,139,a.pcap,17",
            "",
        ];
        assert_eq!(text, expected.join("\r\n"));
    }

    #[test]
    fn separators_and_quotes_are_quoted() {
        static ODD: Operation = Operation {
            name: "SAY \"HI\", TWICE",
            kind: Kind::Other,
            idempotent: true,
            function: None,
            subfunction: None,
        };
        let mut odd = samples::answered();
        odd.operation = &ODD;
        let text = written(Format::Csv, &[odd]);
        assert!(
            text.contains(",\"SAY \"\"HI\"\", TWICE\",,,read,"),
            "{text}"
        );
    }
}
