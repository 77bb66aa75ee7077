//! What a client asks, and what it is answered.

use super::{LabCarrier, LabCase};
use crate::bytes::file_data;
use crate::ncp::{self, Id};
use crate::smb1::{self, Block, NT_STATUS, REPLY, request, response};

/// A request and its answer.
pub(super) struct Step {
    pub(super) request: Vec<u8>,
    pub(super) response: Vec<u8>,
    /// What a server says to the request repeated while it works at it.
    pub(super) interim: Vec<u8>,
    /// The file that is read.
    pub(super) reads: Option<usize>,
}

const FILES: [&str; 2] = ["EVEN.BIN", "ODD.BIN"];
const FILE: u32 = 1 << 19;
/// ERRSRV/ERRworking, as DOS codes stand in the header.
const WORKING: u32 = 0x0011_0002;
/// NCP function 72, read from a file.
const READ: u8 = 72;

/// All of them, from the connection to its end.
pub(super) fn steps(case: &LabCase, client: usize) -> Vec<Step> {
    match case.carrier {
        LabCarrier::NcpIpx | LabCarrier::NcpUdp => ncp_steps(case, client),
        _ => smb_steps(case, client),
    }
}

/// Where a read begins: files are read from the front, and again.
fn offset(n: u64, size: u16) -> u32 {
    ((n / 2 * u64::from(size)) % u64::from(FILE)) as u32
}

fn ncp_steps(case: &LabCase, client: usize) -> Vec<Step> {
    let connection = client as u16 + 1;
    let mut all: Vec<Step> = Vec::new();
    let mut step = |function: u8, body: &[u8], answer: &[u8], reads: Option<usize>| {
        let create = all.is_empty();
        let mut id = Id {
            sequence: all.len() as u8,
            connection,
            task: 2,
        };
        let asked = Id {
            connection: if create {
                ncp::NO_CONNECTION
            } else {
                connection
            },
            ..id
        };
        let request = match function {
            0 if create => ncp::bare_request(ncp::CREATE, asked),
            0 => ncp::bare_request(ncp::DESTROY, asked),
            _ => ncp::request(asked, function, body),
        };
        if create {
            id.sequence = 0;
        }
        all.push(Step {
            request,
            response: ncp::reply(ncp::REPLY, id, 0, 0, answer),
            interim: ncp::reply(ncp::BEING_PROCESSED, id, 0, 0, &[]),
            reads,
        });
    };
    step(0, &[], &[], None);
    step(33, &case.size.to_be_bytes(), &case.size.to_be_bytes(), None);
    for (file, name) in FILES.iter().enumerate() {
        let opened = ncp::open_reply(file as u32 + 1, name, FILE);
        step(76, &ncp::open(name), &opened, None);
    }
    for n in 0..case.reads {
        let (file, offset) = ((n % 2) as usize, offset(n, case.size));
        let data = file_data(offset.into(), case.size.into());
        let ask = ncp::read(file as u32 + 1, offset, case.size);
        step(READ, &ask, &ncp::read_reply(offset, &data), Some(file));
    }
    for file in 1..=FILES.len() as u32 {
        step(66, &ncp::close(file), &[], None);
    }
    step(0, &[], &[], None);
    all
}

fn smb_steps(case: &LabCase, client: usize) -> Vec<Step> {
    let (pid, id) = (0x1000 + client as u16, 0x0800 + client as u16);
    let mut all: Vec<Step> = Vec::new();
    let mut step = |ask: Block, answer: Block, reads: Option<usize>| {
        let number = all.len() as u16 + 1;
        let logged_on = number > 2;
        // Directly over IPX a connection number and a sequence number stand in the header.
        let connectionless = match case.carrier {
            LabCarrier::SmbIpx => (client as u16 + 1, number),
            _ => (0, 0),
        };
        let header = smb1::Header {
            status: 0,
            flags: 0x18,
            flags2: NT_STATUS | 1,
            connectionless,
            tid: if number > 3 { id } else { 0 },
            pid,
            uid: if logged_on { id } else { 0 },
            mid: number,
        };
        let answered = smb1::Header {
            flags: header.flags | REPLY,
            tid: if number > 2 { id } else { 0 },
            uid: if number > 1 { id } else { 0 },
            ..header
        };
        let working = smb1::Header {
            status: WORKING,
            flags2: 1,
            ..answered
        };
        let nothing = response::empty(ask.command);
        all.push(Step {
            request: smb1::message(&header, &[ask]),
            response: smb1::message(&answered, &[answer]),
            interim: smb1::message(&working, &[nothing]),
            reads,
        });
    };
    let dialect = request::DIALECTS.len() as u16 - 1;
    step(
        request::negotiate(&request::DIALECTS),
        response::negotiate(dialect),
        None,
    );
    let user = format!("USER{client}");
    step(
        request::session_setup_andx(&user),
        response::session_setup_andx(),
        None,
    );
    step(
        request::tree_connect_andx("\\\\SERVER\\LAB"),
        response::tree_connect_andx("A:"),
        None,
    );
    for (file, name) in FILES.iter().enumerate() {
        let opened = response::open_andx(file as u16 + 1, FILE, 0);
        step(request::open_andx(&format!("\\{name}")), opened, None);
    }
    for n in 0..case.reads {
        let (file, offset) = ((n % 2) as usize, offset(n, case.size));
        let data = file_data(offset.into(), case.size.into());
        let ask = request::read_andx(file as u16 + 1, offset, case.size);
        step(ask, response::read_andx(&data), Some(file));
    }
    for file in 1..=FILES.len() as u16 {
        let closed = response::empty(smb1::command::CLOSE);
        step(request::close(file), closed, None);
    }
    all
}
