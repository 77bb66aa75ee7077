//! Clients that come and go: what fills tables.
//!
//! A slot plays one client after the other, each new to the wire, at one of 4096 servers. Some
//! open a file of a new name with every request, some are never answered, of some frames are
//! missing, and all of them end where they happen to stand: no connection is ever closed, a
//! request or an answer may be half sent.

use super::{Shape, Talker, Truth, mac, talker};
use crate::prng::Random;

/// Servers that passing clients ask.
const SERVERS: u32 = 4096;
/// The longest life, frames.
const LONGEST: u64 = 60;
/// Numbers of passing clients begin here, behind those that stay.
const FIRST: u32 = 0x1_0000;
/// Numbers of passing clients, after which the first one is reused.
const NUMBERS: u32 = 0x7f_0000;

/// What does not reach the capture.
#[derive(Clone, Copy)]
enum Missing {
    Nothing,
    /// All that the server says.
    Answers,
    /// One frame in 20.
    Some,
}

/// One client after the other.
pub(super) struct Passing {
    slot: u32,
    slots: u32,
    generation: u32,
    client: Box<dyn Talker>,
    mac: [u8; 6],
    missing: Missing,
    left: u64,
    /// What is sent; what the client at hand lends does not outlive a frame that is missing.
    frame: Vec<u8>,
}

impl Passing {
    /// Slot number `slot` of `slots`.
    pub(super) fn new(slot: u32, slots: u32) -> Self {
        let mut passing = Self {
            slot,
            slots: slots.max(1),
            generation: 0,
            client: talker(Shape::Ncp, FIRST, server(FIRST)),
            mac: mac(FIRST),
            missing: Missing::Nothing,
            left: 0,
            frame: Vec::new(),
        };
        passing.be(&mut Random::new(u64::from(slot)));
        passing
    }

    /// Becomes the next client.
    fn be(&mut self, random: &mut Random) {
        let place = u64::from(self.generation) * u64::from(self.slots) + u64::from(self.slot);
        // Below NUMBERS, which is a u32.
        let number = FIRST + (place % u64::from(NUMBERS)) as u32;
        self.generation = self.generation.wrapping_add(1);
        let shape = match random.below(5) {
            0 => Shape::Ncp,
            1 => Shape::SmbTcp,
            2 => Shape::SmbNbf,
            3 => Shape::Smb2,
            _ => Shape::Opens,
        };
        self.client = talker(shape, number, server(number));
        self.mac = mac(number);
        self.missing = match random.below(4) {
            0 => Missing::Answers,
            1 => Missing::Some,
            _ => Missing::Nothing,
        };
        self.left = 1 + random.below(LONGEST);
    }
}

impl Talker for Passing {
    fn speak(&mut self, random: &mut Random, _: &mut Truth) -> (&[u8], i64) {
        // What nobody can know the truth of is not counted.
        let mut ignored = Truth::default();
        let mut waited = 0;
        loop {
            if self.left == 0 {
                self.be(random);
            }
            self.left -= 1;
            let (bytes, pause) = self.client.speak(random, &mut ignored);
            waited += pause;
            let missing = match self.missing {
                Missing::Nothing => false,
                Missing::Answers => bytes.get(6..12) != Some(&self.mac),
                Missing::Some => random.below(20) == 0,
            };
            if !missing {
                self.frame.clear();
                self.frame.extend_from_slice(bytes);
                break;
            }
        }
        (&self.frame, waited)
    }
}

fn server(client: u32) -> u32 {
    0xff_0010 + client % SERVERS
}
