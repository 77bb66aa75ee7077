//! Millions of frames with a known mean, for measurements of speed and memory.
//!
//! Every client asks, waits for its answer, thinks, and asks again; the clients' frames are
//! interleaved by time. Frames are templates of which only the changing fields are written
//! anew, so that making them costs less than analysing them.

mod attack;
mod churn;
mod nbf;
mod ncp;
mod tcp;

pub use attack::Attack;

use crate::prng::Random;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use wirewait_wire::{Frame, LinkType, Timestamp};

/// What kind of traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// NCP over IPX in raw 802.3 frames: reads of 1024 bytes, 1 + 1 frames.
    Ncp,
    /// SMB1 READ_ANDX over TCP (ports 139 and 445): 4 KiB, 1 + 3 frames and 2 ACKs.
    SmbTcp,
    /// SMB1 READ_ANDX over NetBEUI: 2048 bytes, 1 + 2 frames and 2 RRs.
    SmbNbf,
    /// SMB2 READ over TCP port 445: 4 KiB, 1 + 3 frames and 2 ACKs.
    Smb2,
    /// SMB1 NT_CREATE_ANDX over TCP, each of a file that nobody opened before.
    Opens,
    /// A third each of [`Shape::Ncp`], [`Shape::SmbTcp`] and [`Shape::SmbNbf`].
    Mix,
    /// 30 clients as in [`Shape::Mix`], of which the truth is told; all others come and go, and
    /// nobody closes anything (see `churn.rs`).
    Churn,
    /// Traffic that attacks an analyser.
    Attack(Attack),
}

impl Shape {
    /// The shape with this name: `ncp`, `smbtcp`, `smbnbf`, `smb2`, `opens`, `mix`, `churn` or
    /// that of an [`Attack`].
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Some(match name {
            "ncp" => Self::Ncp,
            "smbtcp" => Self::SmbTcp,
            "smbnbf" => Self::SmbNbf,
            "smb2" => Self::Smb2,
            "opens" => Self::Opens,
            "mix" => Self::Mix,
            "churn" => Self::Churn,
            _ => {
                return Attack::ALL
                    .into_iter()
                    .find(|a| a.name() == name)
                    .map(Self::Attack);
            }
        })
    }
}

/// What an analyser must find in the frames that were made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Truth {
    /// Frames.
    pub frames: u64,
    /// Bytes of all frames.
    pub bytes: u64,
    /// Requests whose answer is complete.
    pub answered: u64,
    /// Requests sent, answered or not.
    pub requests: u64,
    /// Sum of the turnarounds of the answered requests, in nanoseconds.
    pub turnaround_sum: u64,
    /// The longest of them, in nanoseconds.
    pub turnaround_max: u64,
}

impl Truth {
    /// Mean turnaround in nanoseconds, rounded down; 0 if nothing was answered.
    #[must_use]
    pub fn turnaround_mean(&self) -> u64 {
        self.turnaround_sum.checked_div(self.answered).unwrap_or(0)
    }

    fn count(&mut self, turnaround: i64) {
        let turnaround = turnaround.unsigned_abs();
        self.answered += 1;
        self.turnaround_sum += turnaround;
        self.turnaround_max = self.turnaround_max.max(turnaround);
    }
}

/// A generator of frames.
#[derive(Clone, Copy, Debug)]
pub struct Bulk {
    /// The kind of traffic.
    pub shape: Shape,
    /// How many clients, at most 65,536.
    pub clients: u32,
    /// How many servers they share, at most 65,536; `None` for two, or a hundred if there are more
    /// than a thousand clients. [`Shape::Churn`] has two.
    pub servers: Option<u32>,
    /// Where the pseudo-random times begin: the same seed gives the same frames.
    pub seed: u64,
}

/// Generates `frames` frames of this shape between 50 clients and two servers, handed to `out`
/// one after the other.
pub fn bulk(shape: Shape, frames: u64, seed: u64, out: &mut dyn FnMut(Frame<'_>)) -> Truth {
    let generator = Bulk {
        shape,
        clients: 50,
        servers: None,
        seed,
    };
    generator.run(frames, out)
}

/// A client with its server: one frame after the other, for ever.
trait Talker {
    /// The next frame, and how long after it the following one comes.
    fn speak(&mut self, random: &mut Random, truth: &mut Truth) -> (&[u8], i64);
}

impl Bulk {
    /// Makes the frames.
    pub fn run(&self, frames: u64, out: &mut dyn FnMut(Frame<'_>)) -> Truth {
        let mut random = Random::new(self.seed);
        let mut talkers: Vec<Box<dyn Talker>> = (0..self.clients.min(65_536))
            .map(|client| self.client(client))
            .collect();
        // Who speaks next. The client's number settles ties, so the order is always the same.
        let mut turns: BinaryHeap<Reverse<(i64, usize)>> = (0..talkers.len())
            .map(|client| Reverse((random.below(20_000_000) as i64, client)))
            .collect();
        // 1999-03-01 09:00:00 UTC.
        let start = Timestamp::from_parts(920_278_800, 0);
        let mut truth = Truth::default();
        while truth.frames < frames {
            let Some(mut turn) = turns.peek_mut() else {
                break;
            };
            let Reverse((at, client)) = *turn;
            let (bytes, pause) = talkers[client].speak(&mut random, &mut truth);
            let wire_len = bytes.len() as u32;
            truth.frames += 1;
            truth.bytes += u64::from(wire_len);
            out(Frame {
                at: start.plus(at),
                link: LinkType::ETHERNET,
                interface: 0,
                wire_len,
                bytes,
            });
            *turn = Reverse((at + pause, client));
        }
        truth
    }

    fn client(&self, number: u32) -> Box<dyn Talker> {
        let mixed = match number % 3 {
            0 => Shape::Ncp,
            1 => Shape::SmbTcp,
            _ => Shape::SmbNbf,
        };
        let servers = match (self.shape, self.servers) {
            (Shape::Churn, _) => 2,
            (_, Some(servers)) => servers.clamp(1, 65_536),
            (_, None) if self.clients <= 1000 => 2,
            (_, None) => 100,
        };
        let server = 0xff_0000 + number % servers;
        match self.shape {
            Shape::Mix => talker(mixed, number, server),
            Shape::Churn if number < STAYING => talker(mixed, number, server),
            Shape::Churn => Box::new(churn::Passing::new(
                number - STAYING,
                self.clients - STAYING,
            )),
            shape => talker(shape, number, server),
        }
    }
}

/// Clients of [`Shape::Churn`] that stay.
const STAYING: u32 = 30;

/// A client that reads, or opens, until nobody listens any more.
fn talker(shape: Shape, client: u32, server: u32) -> Box<dyn Talker> {
    use tcp::Asks;
    match shape {
        Shape::Ncp => Box::new(ncp::NcpClient::new(client, server)),
        Shape::SmbNbf => Box::new(nbf::NbfClient::new(client, server)),
        Shape::Smb2 => Box::new(tcp::TcpClient::new(client, server, Asks::Smb2Read)),
        Shape::Opens => Box::new(tcp::TcpClient::new(client, server, Asks::Smb1Open)),
        Shape::Attack(attack) => Box::new(attack::Attacker::new(attack, client)),
        Shape::SmbTcp | Shape::Mix | Shape::Churn => {
            Box::new(tcp::TcpClient::new(client, server, Asks::Smb1Read))
        }
    }
}

/// How long the server takes: mostly 0.2 to 0.8 ms, one time in a hundred 2 to 20 ms.
fn turnaround(random: &mut Random) -> i64 {
    let nanos = if random.below(100) == 0 {
        2_000_000 + random.below(18_000_000)
    } else {
        200_000 + random.below(600_000)
    };
    nanos as i64
}

/// How long the client thinks: 5 to 35 ms.
fn think(random: &mut Random) -> i64 {
    (5_000_000 + random.below(30_000_000)) as i64
}

/// A frame follows another of the same message: what 100 Mbit/s need, and a little.
const FOLLOWS: i64 = 125_000;

/// A station's address from its number; servers have numbers from 0xFF0000.
fn mac(number: u32) -> [u8; 6] {
    let [_, a, b, c] = number.to_be_bytes();
    [2, 0, 0, a, b, c]
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [Shape; 6] = [
        Shape::Ncp,
        Shape::SmbTcp,
        Shape::SmbNbf,
        Shape::Smb2,
        Shape::Opens,
        Shape::Mix,
    ];

    #[test]
    fn time_never_goes_back_and_the_counts_are_those_of_the_frames() {
        for shape in SHAPES {
            let (mut last, mut frames, mut bytes) = (i64::MIN, 0, 0);
            let truth = bulk(shape, 10_000, 7, &mut |frame| {
                assert!(frame.at.as_nanos() >= last, "{shape:?}");
                last = frame.at.as_nanos();
                frames += 1;
                bytes += u64::from(frame.wire_len);
                assert_eq!(frame.bytes.len(), frame.wire_len as usize);
            });
            assert_eq!((truth.frames, truth.bytes), (frames, bytes), "{shape:?}");
            assert_eq!(frames, 10_000);
            assert!(truth.answered > 1_000, "{shape:?}: {truth:?}");
            assert!(
                truth.requests - truth.answered <= 50,
                "{shape:?}: {truth:?}"
            );
            let mean = truth.turnaround_mean();
            assert!((400_000..900_000).contains(&mean), "{shape:?}: {mean}");
        }
    }

    #[test]
    fn a_seed_gives_the_same_frames_and_another_one_others() {
        let hash = |seed| {
            let mut hash = 0u64;
            bulk(Shape::Mix, 2_000, seed, &mut |frame| {
                for byte in frame.bytes {
                    hash = hash.wrapping_mul(31).wrapping_add(u64::from(*byte));
                }
                hash = hash.wrapping_add(frame.at.as_nanos() as u64);
            });
            hash
        };
        assert_eq!(hash(1), hash(1));
        assert_ne!(hash(1), hash(2));
    }

    #[test]
    fn in_churn_ever_new_clients_pass_by_and_the_truth_is_that_of_those_who_stay() {
        let generator = Bulk {
            shape: Shape::Churn,
            clients: 130,
            servers: None,
            seed: 3,
        };
        let mut senders = std::collections::BTreeSet::new();
        let (mut last, mut staying) = (i64::MIN, 0);
        let truth = generator.run(50_000, &mut |frame| {
            assert!(frame.at.as_nanos() >= last);
            last = frame.at.as_nanos();
            let pair = [&frame.bytes[..6], &frame.bytes[6..12]];
            if pair.iter().any(|mac| mac[3] == 0 && mac[5] < 30) {
                staying += 1;
            }
            senders.insert(pair[1].to_vec());
        });
        // 100 slots, 30 frames a life on average.
        assert!(senders.len() > 1_000, "{}", senders.len());
        assert!(staying > 5_000, "{staying}");
        assert!(
            truth.answered > staying / 8 && truth.answered < staying / 2,
            "{truth:?}"
        );
        assert!(truth.requests - truth.answered <= 30, "{truth:?}");
    }

    #[test]
    fn shapes_go_by_name() {
        assert_eq!(Shape::by_name("smbnbf"), Some(Shape::SmbNbf));
        assert_eq!(Shape::by_name("nfs"), None);
    }
}
