//! NCP over IPX: one request, one reply.

use super::{Talker, Truth, mac, think, turnaround};
use crate::bytes::file_data;
use crate::ethernet::Header;
use crate::ipx::{self, Address, Framing, NCP_SOCKET, TYPE_NCP};
use crate::ncp::{self, Id};
use crate::prng::Random;

/// Where the sequence number stands: 14 bytes of Ethernet, 30 of IPX, 2 of packet type.
const SEQUENCE: usize = 46;
/// Where the file offset of a read request stands.
const OFFSET: usize = 58;
/// Bytes in a read.
const LENGTH: u16 = 1024;

pub(super) struct NcpClient {
    request: Vec<u8>,
    reply: Vec<u8>,
    sequence: u8,
    offset: u32,
    /// Turnaround of the request that is under way.
    waiting: Option<i64>,
}

impl NcpClient {
    pub(super) fn new(number: u32, server: u32) -> Self {
        let id = Id {
            sequence: 0,
            connection: (number % 0xfffe) as u16 + 1,
            task: 2,
        };
        let address = |number: u32, socket| Address {
            net: 0x22,
            node: mac(number),
            socket,
        };
        let client = address(number, 0x4003);
        let server = address(server, NCP_SOCKET);
        let frame = |from: &Address, to: &Address, packet: &[u8]| {
            let header = Header {
                destination: to.node,
                source: from.node,
                vlan: None,
            };
            let packet = ipx::packet(from, to, TYPE_NCP, 0, packet);
            ipx::frame(&header, Framing::Raw, &packet)
        };
        let request = ncp::request(id, 72, &ncp::read(number, 0, LENGTH));
        let data = file_data(0, LENGTH.into());
        let reply = ncp::reply(ncp::REPLY, id, 0, 0, &ncp::read_reply(0, &data));
        Self {
            request: frame(&client, &server, &request),
            reply: frame(&server, &client, &reply),
            sequence: 0,
            offset: 0,
            waiting: None,
        }
    }
}

impl Talker for NcpClient {
    fn speak(&mut self, random: &mut Random, truth: &mut Truth) -> (&[u8], i64) {
        if let Some(waited) = self.waiting.take() {
            truth.count(waited);
            self.reply[SEQUENCE] = self.sequence;
            self.sequence = self.sequence.wrapping_add(1);
            return (&self.reply, think(random));
        }
        truth.requests += 1;
        self.request[SEQUENCE] = self.sequence;
        self.request[OFFSET..OFFSET + 4].copy_from_slice(&self.offset.to_be_bytes());
        self.offset = self.offset.wrapping_add(LENGTH.into());
        let turnaround = turnaround(random);
        self.waiting = Some(turnaround);
        (&self.request, turnaround)
    }
}
