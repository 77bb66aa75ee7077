//! The network of a scenario whose stations work: cables, routers between them, and how long
//! a server takes.

use super::error::Fault;
use super::station::Settings;
use super::words::{Options, Word, duration, duration_in};
use crate::ethernet::Mac;

/// Bits per second of a cable when nothing is said.
const ETHERNET: u64 = 10_000_000;

/// Most routers on a route, by IPX: the next one discards the packet.
pub(super) const MOST_HOPS: u8 = 15;

/// Cables, routers and servers' speed.
#[derive(Clone, Debug, Default)]
pub(super) struct Net {
    /// Without any, there is one without a name.
    pub(super) segments: Vec<NetSegment>,
    pub(super) routers: Vec<Router>,
    pub(super) services: Vec<Service>,
    /// Bits per second of the cable without a name.
    link: Option<u64>,
}

/// A cable that its stations share.
#[derive(Clone, Debug)]
pub(super) struct NetSegment {
    pub(super) name: String,
    /// Bits per second.
    pub(super) rate: u64,
    /// Everyone may send at the same time.
    pub(super) full_duplex: bool,
    /// The capture does not see it.
    pub(super) quiet: bool,
    /// Its IPX network number, for routing tables.
    pub(super) net: u32,
}

/// A router between two cables.
#[derive(Clone, Debug)]
pub(super) struct Router {
    pub(super) name: String,
    /// The cables.
    pub(super) between: [usize; 2],
    /// Its address on each of them.
    pub(super) macs: [Mac; 2],
    /// How long it works at a packet; it works at one at a time.
    pub(super) forward: Cost,
    /// How much later the packet leaves, while it works at others.
    pub(super) delay: i64,
}

/// How long something takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    /// Nanoseconds.
    pub(super) fixed: i64,
    /// Picoseconds for each byte.
    pub(super) per_byte: i64,
}

impl Cost {
    /// Nanoseconds for `bytes` bytes, rounded down.
    pub(super) fn of(self, bytes: u64) -> i64 {
        let more = self
            .per_byte
            .saturating_mul(i64::try_from(bytes).unwrap_or(i64::MAX))
            / 1000;
        self.fixed.saturating_add(more)
    }

    /// `2.1ms+0.9us/byte`
    fn parse(text: &str) -> Option<Self> {
        let (fixed, per_byte) = match text.split_once('+') {
            None => (text, None),
            Some((fixed, rest)) => (fixed, Some(rest.strip_suffix("/byte")?)),
        };
        Some(Self {
            fixed: duration(fixed)?,
            per_byte: per_byte.map_or(Some(0), |text| duration_in(text, 3))?,
        })
    }
}

/// A chance of a delay, and how long that delay is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Miss {
    pub(super) chance: Chance,
    pub(super) nanos: i64,
}

impl Miss {
    /// `1/8:40ms`
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (chance, time) = text.split_once(':')?;
        Some(Self {
            chance: Chance::parse(chance)?,
            nanos: duration(time)?,
        })
    }
}

/// A probability: `times` in `of`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Chance {
    pub(super) times: u64,
    pub(super) of: u64,
}

impl Chance {
    /// `1/40`
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (times, of) = text.split_once('/')?;
        let chance = Self {
            times: times.parse().ok()?,
            of: of.parse().ok()?,
        };
        (chance.of > 0 && chance.times <= chance.of).then_some(chance)
    }
}

/// How a server serves: requests wait in one queue.
#[derive(Clone, Debug)]
pub(super) struct Service {
    /// The station.
    pub(super) server: usize,
    pub(super) read: Cost,
    pub(super) write: Cost,
    pub(super) other: Cost,
    /// Requests served at the same time.
    pub(super) workers: usize,
    /// Up to so much longer by chance.
    pub(super) jitter: u64,
    /// So much longer for each request that waits when the service begins.
    pub(super) crowd: i64,
    /// Some requests need the disc: the answer comes later, and others are served meanwhile.
    pub(super) miss: Miss,
    /// Reads of these sizes take so much longer: from, to, nanoseconds.
    pub(super) slow: Option<(u64, u64, i64)>,
}

impl Net {
    /// A setting that is about the network; `false` if it is not.
    pub(super) fn line(
        &mut self,
        settings: &Settings,
        first: &Word,
        rest: &[Word],
    ) -> Result<bool, Fault> {
        match first.text.as_str() {
            "link" => match rest {
                [word] => self.link = Some(rate(word)?),
                _ => return Err(first.fault("expected `link RATE`, such as `link 10M`")),
            },
            "segment" => self.segment(first, rest)?,
            "router" => self.router(first, rest)?,
            "service" => self.service(settings, first, rest)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The cable with this name.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.segments
            .iter()
            .position(|segment| segment.name == name)
    }

    /// Whether anything is said of cables, so that the capture describes its interfaces.
    pub(super) fn is_described(&self) -> bool {
        self.link.is_some() || !self.segments.is_empty()
    }

    /// The cables; one where none has been described.
    pub(super) fn cables(&self) -> Vec<NetSegment> {
        if !self.segments.is_empty() {
            return self.segments.clone();
        }
        vec![NetSegment {
            name: "ethernet".to_owned(),
            rate: self.link.unwrap_or(ETHERNET),
            full_duplex: false,
            quiet: false,
            net: 0,
        }]
    }

    fn segment(&mut self, first: &Word, rest: &[Word]) -> Result<(), Fault> {
        let [name, speed, options @ ..] = rest else {
            return Err(first.fault("expected `segment NAME RATE`, such as `segment LAN1 10M`"));
        };
        if self.find(&name.text).is_some() {
            return Err(name.fault(format!("segment `{}` is there already", name.text)));
        }
        let options = Options::new(options, first.place, 0);
        let net = match options.text("net")? {
            None => 0,
            Some(text) => u32::from_str_radix(text, 16)
                .map_err(|_| options.fault("net", "needs hexadecimal digits"))?,
        };
        self.segments.push(NetSegment {
            name: name.text.clone(),
            rate: rate(speed)?,
            full_duplex: options.flag("full")?,
            quiet: options.flag("quiet")?,
            net,
        });
        options.done()
    }

    fn router(&mut self, first: &Word, rest: &[Word]) -> Result<(), Fault> {
        let [name, one, other, options @ ..] = rest else {
            return Err(first.fault("expected `router NAME SEGMENT SEGMENT forward=TIME`"));
        };
        let cable = |word: &Word| {
            self.find(&word.text)
                .ok_or_else(|| word.fault(format!("no segment `{}` has been named", word.text)))
        };
        let between = [cable(one)?, cable(other)?];
        let options = Options::new(options, first.place, 0);
        let number = u8::try_from(self.routers.len() + 1).unwrap_or(u8::MAX);
        // Locally administered addresses, one for each side.
        let mac = |side: u8| [0x02, 0, 0xb0, 0, number, side];
        self.routers.push(Router {
            name: name.text.clone(),
            between,
            macs: [mac(1), mac(2)],
            forward: cost(&options, "forward", Cost::default())?,
            delay: options.duration("delay", 0)?,
        });
        options.done()
    }

    fn service(&mut self, settings: &Settings, first: &Word, rest: &[Word]) -> Result<(), Fault> {
        let [name, options @ ..] = rest else {
            return Err(first.fault("expected `service SERVER read=TIME`"));
        };
        let server = settings.find(&name.text, name.place)?;
        let options = Options::new(options, first.place, 0);
        let read = cost(&options, "read", Cost::default())?;
        let slow = match options.text("slow")? {
            None => None,
            Some(text) => Some(sizes_and_time(text).ok_or_else(|| {
                options.fault("slow", "needs sizes and a time, such as 1450-1550:90ms")
            })?),
        };
        let miss = match options.text("miss")? {
            None => Miss::default(),
            Some(text) => Miss::parse(text)
                .ok_or_else(|| options.fault("miss", "needs a chance and a time: 1/8:40ms"))?,
        };
        let service = Service {
            server,
            read,
            write: cost(&options, "write", read)?,
            other: cost(
                &options,
                "other",
                Cost {
                    per_byte: 0,
                    ..read
                },
            )?,
            workers: options.or::<u32>("workers", 1)? as usize,
            jitter: options.duration("jitter", 0)?.unsigned_abs(),
            crowd: options.duration("crowd", 0)?,
            miss,
            slow,
        };
        if service.workers == 0 {
            return Err(options.fault("workers", "must be at least 1"));
        }
        options.done()?;
        self.services.push(service);
        Ok(())
    }
}

fn cost(options: &Options, key: &str, default: Cost) -> Result<Cost, Fault> {
    match options.text(key)? {
        None => Ok(default),
        Some(text) => Cost::parse(text)
            .ok_or_else(|| options.fault(key, "needs a time such as 2.1ms or 2.1ms+0.9us/byte")),
    }
}

/// `1450-1550:90ms`
fn sizes_and_time(text: &str) -> Option<(u64, u64, i64)> {
    let (sizes, time) = text.split_once(':')?;
    let (from, to) = sizes.split_once('-')?;
    Some((from.parse().ok()?, to.parse().ok()?, duration(time)?))
}

/// `10M`, `100M`, `2M`, `64k`
fn rate(word: &Word) -> Result<u64, Fault> {
    let (number, unit) = match word.text.as_bytes().last() {
        Some(b'k') => (&word.text[..word.text.len() - 1], 1_000),
        Some(b'M') => (&word.text[..word.text.len() - 1], 1_000_000),
        _ => (word.text.as_str(), 1),
    };
    number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(unit))
        // Slower than this, one frame takes longer than a capture.
        .filter(|rate| (1_000..=100_000_000_000).contains(rate))
        .ok_or_else(|| word.expected("bits per second (10M, 100M, 64k)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_is_a_time_and_a_time_for_each_byte() {
        let cost = Cost::parse("2.1ms+0.9us/byte").unwrap();
        // 2.1 ms + 1000 * 0.9 us = 3 ms.
        assert_eq!(cost.of(1000), 3_000_000);
        // 3 * 0.4 ns, rounded down.
        assert_eq!(Cost::parse("0+0.4ns/byte").unwrap().of(3), 1);
        assert_eq!(Cost::parse("0.9us/byte"), None);
        assert_eq!(Cost::parse("1ms+1ms"), None);
    }

    #[test]
    fn chances_are_not_above_one() {
        assert_eq!(Chance::parse("1/40"), Some(Chance { times: 1, of: 40 }));
        assert_eq!(Chance::parse("2/1"), None);
        assert_eq!(Chance::parse("0/0"), None);
        assert!(Miss::parse("1/8:40ms").is_some_and(|miss| miss.nanos == 40_000_000));
    }
}
