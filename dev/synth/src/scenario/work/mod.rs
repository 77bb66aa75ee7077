//! Stations at work: they request records repeatedly, wait for a server that others use
//! too, on cables that carry one frame at a time. The frames and their times follow from
//! that, event by event; chance is seeded.
//!
//! Hand computation: a server that is never idle answers one piece in each service time, so
//! the throughput is piece / service time. One that always waits for its clients sees
//! N pieces in the time that one piece takes on its way around. What each program measured
//! is kept beside the frames ([`Call`]).

mod cable;
mod desk;
mod flight;
mod map;
mod run;
mod speech;
mod worker;

pub(super) use map::Map;
pub(super) use run::{Floor, play};

use super::error::{Fault, Place};
use super::net::{Chance, Miss};
use super::words::{Options, duration};
use wirewait_wire::Timestamp;

/// What the program of a station measured of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The station.
    pub station: String,
    /// `read`, `write`, `look`, or `open` for all that comes before the first record.
    pub verb: &'static str,
    /// The record of the station it belongs to, counted from 0.
    pub record: u64,
    /// Bytes of file data that were moved.
    pub bytes: u64,
    /// Stamp of the first frame that asks, on the station's own cable.
    pub asked: Timestamp,
    /// Stamp of the last frame of the answer there; `None` if none came.
    pub answered: Option<Timestamp>,
    /// How often it was asked.
    pub copies: u32,
    /// How often the server said that it is at it.
    pub interims: u32,
    /// The answer was an error.
    pub failed: bool,
}

/// What one station does: a `work` line.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) place: Place,
    /// The conversation with its server.
    pub(super) talk: usize,
    /// Number among the stations of its line; files are told apart by it.
    pub(super) file: u32,
    /// The first request, and when no new record is begun any more.
    pub(super) from: i64,
    pub(super) until: Option<i64>,
    /// Records at most.
    pub(super) count: Option<u64>,
    pub(super) wishes: Wishes,
}

/// The options of a `work` line.
#[derive(Clone, Debug)]
pub(super) struct Wishes {
    /// The file that it opens first, if it does.
    pub(super) open: Option<String>,
    pub(super) by: By,
    pub(super) ops: Vec<Op>,
    /// Most bytes of file data in one request.
    pub(super) piece: u64,
    /// Every record begins at offset 0.
    pub(super) overlaid: bool,
    /// Between an answer and the next request.
    pub(super) turn: i64,
    /// Between records, and up to so much more by chance.
    pub(super) think: (i64, u64),
    /// Between the frames of a message.
    pub(super) pace: i64,
    /// Frames that may be on their way before they are acknowledged.
    pub(super) window: Option<usize>,
    /// The end of each message is acknowledged by a frame of its own.
    pub(super) acks: bool,
    /// Asked again after this.
    pub(super) timeout: Option<i64>,
    /// So often altogether.
    pub(super) tries: u32,
    /// How often a request does not reach the server.
    pub(super) lost: Chance,
    /// How often the server answers with an error.
    pub(super) failed: Chance,
    /// Instead of the server's own.
    pub(super) miss: Option<Miss>,
}

/// In which words data is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    Ncp,
    Burst,
    /// READ and WRITE.
    Core,
    /// READ_ANDX and WRITE_ANDX.
    Andx,
    /// READ_RAW; writes are WRITE.
    Raw,
}

/// What a record is, and how often among others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Op {
    pub(super) verb: Verb,
    pub(super) bytes: u64,
    pub(super) weight: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Open,
    Read,
    Write,
    Look,
}

impl Verb {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Read => "read",
            Self::Write => "write",
            Self::Look => "look",
        }
    }
}

/// When the stations of a line come and go.
pub(super) struct Shift {
    pub(super) length: Option<i64>,
    pub(super) ramp: i64,
    pub(super) every: i64,
    pub(super) leave: i64,
    pub(super) count: Option<u64>,
}

impl Shift {
    /// When station `number` of `many` begins, and when it begins nothing more.
    pub(super) fn of(&self, at: i64, number: usize, many: usize) -> (i64, Option<i64>) {
        let (number, gaps) = (number as i64, many.saturating_sub(1).max(1) as i64);
        let ramp = self.ramp.saturating_mul(number) / gaps;
        let from = at
            .saturating_add(ramp)
            .saturating_add(self.every.saturating_mul(number));
        let last = at.saturating_add(self.length.unwrap_or(0));
        // The first to come is the first to go, and the last goes at the end.
        let until = last
            .saturating_sub(self.ramp)
            .saturating_add(ramp)
            .saturating_sub(self.leave.saturating_mul(gaps - number));
        (from, self.length.map(|_| until))
    }
}

impl Wishes {
    /// Reads the options; `ipx` stations speak NCP unless they say otherwise.
    pub(super) fn parse(options: &Options, ipx: bool) -> Result<(Self, Shift), Fault> {
        let by = match (options.text("by")?, ipx) {
            (None | Some("ncp"), true) => By::Ncp,
            (Some("burst"), true) => By::Burst,
            (None | Some("core"), false) => By::Core,
            (Some("andx"), false) => By::Andx,
            (Some("raw"), false) => By::Raw,
            (_, true) => return Err(options.fault("by", "is ncp or burst between ipx stations")),
            (_, false) => {
                return Err(options.fault("by", "is core, andx or raw where SMB is spoken"));
            }
        };
        let chance = |key: &str| match options.text(key)? {
            None => Ok(Chance::default()),
            Some(text) => {
                Chance::parse(text).ok_or_else(|| options.fault(key, "needs a chance such as 1/40"))
            }
        };
        let ops = options
            .text("ops")?
            .ok_or_else(|| options.place.fault("`ops` is missing: ops=read:1024"))?
            .split(',')
            .map(Op::parse)
            .collect::<Option<Vec<Op>>>()
            .ok_or_else(|| {
                options.fault(
                    "ops",
                    "needs read:BYTES, write:BYTES or look, each with *WEIGHT if not alone",
                )
            })?;
        let think = match options.text("think")? {
            None => (0, 0),
            Some(text) => {
                let (base, more) = text.split_once('~').unwrap_or((text, "0"));
                match (duration(base), duration(more)) {
                    (Some(base), Some(more)) => (base, more.unsigned_abs()),
                    _ => return Err(options.fault("think", "needs a time: 20ms, or 20ms~5ms")),
                }
            }
        };
        let miss = match options.text("miss")? {
            None => None,
            Some(text) => Some(
                Miss::parse(text)
                    .ok_or_else(|| options.fault("miss", "needs a chance and a time: 1/8:40ms"))?,
            ),
        };
        let optional = |key: &str| -> Result<Option<i64>, Fault> {
            Ok(match options.has(key) {
                true => Some(options.duration(key, 0)?),
                false => None,
            })
        };
        let wishes = Self {
            open: options.text("open")?.map(str::to_owned),
            by,
            ops,
            piece: options.or::<u64>("piece", u64::from(u32::MAX))?.max(1),
            overlaid: options.flag("overlaid")?,
            turn: options.duration("turn", 0)?,
            think,
            pace: options.duration("pace", 0)?,
            window: options
                .maybe::<u32>("window")?
                .map(|window| window.max(1) as usize),
            acks: options.flag("acks")?,
            timeout: optional("timeout")?.filter(|timeout| *timeout > 0),
            tries: options.or("tries", 5)?,
            lost: chance("lost")?,
            failed: chance("failed")?,
            miss,
        };
        let shift = Shift {
            length: optional("for")?,
            ramp: options.duration("ramp", 0)?,
            every: options.duration("every", 0)?,
            leave: options.duration("leave", 0)?,
            count: options.maybe("count")?,
        };
        if shift.length.is_none() && shift.count.is_none() {
            return Err(options
                .place
                .fault("this never ends: say `for=SECONDS` or `count=RECORDS`"));
        }
        if wishes.lost.times > 0 && wishes.timeout.is_none() {
            return Err(options.fault("lost", "needs `timeout=`: who is not heard must ask again"));
        }
        options.done()?;
        Ok((wishes, shift))
    }
}

impl Op {
    /// `read:4096*3`, `look`
    fn parse(text: &str) -> Option<Self> {
        let (what, weight) = text.split_once('*').unwrap_or((text, "1"));
        let (verb, bytes) = what.split_once(':').unwrap_or((what, "0"));
        let bytes: u64 = bytes.parse().ok()?;
        let verb = match verb {
            "read" if bytes > 0 => Verb::Read,
            "write" if bytes > 0 => Verb::Write,
            "look" => Verb::Look,
            _ => return None,
        };
        let weight = weight.parse().ok().filter(|weight| *weight > 0)?;
        // A record is no file.
        (bytes <= 1 << 24 && weight < 1 << 32).then_some(Self {
            verb,
            bytes,
            weight,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stations_come_and_go_along_the_ramps() {
        let shift = Shift {
            length: Some(100),
            ramp: 20,
            every: 0,
            leave: 0,
            count: None,
        };
        assert_eq!(shift.of(1000, 0, 3), (1000, Some(1080)));
        assert_eq!(shift.of(1000, 1, 3), (1010, Some(1090)));
        assert_eq!(shift.of(1000, 2, 3), (1020, Some(1100)));
        assert_eq!(shift.of(1000, 0, 1), (1000, Some(1080)));
    }

    #[test]
    fn records_have_weights() {
        let op = Op::parse("read:4096*3").unwrap();
        assert_eq!((op.verb, op.bytes, op.weight), (Verb::Read, 4096, 3));
        assert_eq!(Op::parse("look").unwrap().weight, 1);
        assert_eq!(Op::parse("read"), None);
        assert_eq!(Op::parse("write:0"), None);
        assert_eq!(Op::parse("read:1*0"), None);
    }
}
