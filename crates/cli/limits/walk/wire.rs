//! Frames of SMB1 between clients and a server.

use std::collections::BTreeMap;
use wirewait::{Analyzer, Driver, Frame, LinkType, Settings, Snapshot, Timestamp, registry};
use wirewait_synth::ethernet::{self, Encapsulation};
use wirewait_synth::ipv4::{self, Segment, Socket, flag};
use wirewait_synth::smb1::{self, Block, Header, NT_STATUS, REPLY, request, response};

/// Frames between clients and one server of SMB1 on port 445, a microsecond apart.
#[derive(Default)]
pub(super) struct Wire {
    pub(super) frames: Vec<(Timestamp, Vec<u8>)>,
    /// The next sequence numbers of each client and of the server towards it.
    pub(super) next: BTreeMap<u32, [u32; 2]>,
    pub(super) now: i64,
}

pub(super) fn server() -> Socket {
    Socket {
        address: [192, 168, 0, 1].into(),
        port: 445,
    }
}

pub(super) fn client(number: u32) -> Socket {
    let [_, b, c, d] = number.to_be_bytes();
    Socket {
        address: [10, b, c, d].into(),
        port: 1025,
    }
}

pub(super) fn message(mid: u16, reply: bool, block: Block) -> Vec<u8> {
    let header = Header {
        status: 0,
        flags: if reply { REPLY } else { 0 },
        flags2: NT_STATUS,
        connectionless: (0, 0),
        tid: 1,
        pid: 1,
        uid: 1,
        mid,
    };
    let message = smb1::message(&header, &[block]);
    [&(message.len() as u32).to_be_bytes()[..], &message].concat()
}

impl Wire {
    /// Data of a client, or of the server towards it, at this sequence number.
    pub(super) fn segment(&mut self, number: u32, reply: bool, sequence: u32, data: &[u8]) {
        let (from, to) = match reply {
            true => (server(), client(number)),
            false => (client(number), server()),
        };
        let [own, other] = self.next.get(&number).copied().unwrap_or([1, 1]);
        let segment = Segment {
            sequence,
            acknowledgement: if reply { own } else { other },
            flags: flag::ACK | flag::PSH,
            window: 0xffff,
            options: &[],
            data,
        };
        let id = self.frames.len() as u16;
        let packet = ipv4::packet(
            from.address,
            to.address,
            ipv4::TCP,
            id,
            &ipv4::tcp(from, to, &segment),
        );
        let mac = |reply: bool| [2, 0, 0, 0, 0, if reply { 0xff } else { 1 }];
        let header = ethernet::Header {
            destination: mac(!reply),
            source: mac(reply),
            vlan: None,
        };
        let frame = ethernet::frame(&header, Encapsulation::Type(0x0800), &packet);
        self.now += 1_000;
        let at = Timestamp::from_nanos(1_700_000_000_000_000_000 + self.now);
        self.frames.push((at, frame));
    }

    pub(super) fn say(&mut self, number: u32, reply: bool, data: &[u8]) {
        let side = usize::from(reply);
        let sequence = self.next.entry(number).or_insert([1, 1])[side];
        self.segment(number, reply, sequence, data);
        if let Some(next) = self.next.get_mut(&number) {
            next[side] += data.len() as u32;
        }
    }

    pub(super) fn ask(&mut self, number: u32, mid: u16) {
        self.say(
            number,
            false,
            &message(mid, false, request::read_andx(1, 0, 64)),
        );
    }

    pub(super) fn answer(&mut self, number: u32, mid: u16) {
        self.say(
            number,
            true,
            &message(mid, true, response::read_andx(&[7; 64])),
        );
    }

    pub(super) fn pause(&mut self, ns: i64) {
        self.now += ns;
    }

    pub(super) fn analysed(&self, settings: Settings) -> Snapshot {
        self.analysed_on(settings, |_| 0)
    }

    /// Each frame on an interface that depends on its place.
    pub(super) fn analysed_on(&self, settings: Settings, interface: fn(usize) -> u32) -> Snapshot {
        let mut driver = Driver::new(Analyzer::new(registry(), settings));
        for (n, (at, bytes)) in self.frames.iter().enumerate() {
            let frame = Frame {
                at: *at,
                link: LinkType::ETHERNET,
                interface: interface(n),
                wire_len: bytes.len() as u32,
                bytes,
            };
            driver.frame(&frame, &mut ());
        }
        driver.finish(&mut ());
        driver.snapshot()
    }
}
