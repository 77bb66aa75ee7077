//! Plays a script: time passes, stations send, and the wire fills.

use super::carrier::{Context, Conversation, Delivery, Kind, TO_SERVER};
use super::error::{Fault, Place};
use super::station::{Settings, Side};
use super::syntax::{Message, Script, Statement, What, When};
use super::wire::Wire;
use super::words::{Options, Word, names};
use super::work::{self, Call, Floor, Job, Map, Wishes};
use super::{burst, ncp, netware, rip, smb1, smb2, xns};
use crate::OwnedFrame;
use crate::pcapng::Interface;
use crate::prng::Random;

/// More messages and rounds, or more bytes, than this are a mistake in a number: a scenario
/// is kept in memory whole. The bulk generator is for more.
const MOST_EVENTS: u64 = 1_000_000;
const MOST_BYTES: usize = 256 << 20;

/// Where several stations are named in one line, they follow each other by so much.
const NEXT_STATION: i64 = 1_000_000;

/// What a script makes.
pub(super) struct Played {
    pub(super) frames: Vec<OwnedFrame>,
    pub(super) interfaces: Vec<Interface>,
    pub(super) calls: Vec<Call>,
}

pub(super) fn play(script: &Script) -> Result<Played, Fault> {
    let settings = Settings::parse(&script.settings)?;
    let map = Map::new(&settings);
    let mut player = Player {
        random: Random::new(settings.seed),
        settings: &settings,
        map: &map,
        wire: Wire::new(settings.snaplen),
        talks: Vec::new(),
        jobs: Vec::new(),
        calls: Vec::new(),
        events: 0,
    };
    player.block(&script.statements, 0, 0)?;
    player.work()?;
    let Player { wire, calls, .. } = player;
    let seen = map.cables.iter().filter(|cable| !cable.quiet);
    let interfaces = seen.map(|cable| Interface {
        name: cable.name.clone(),
        rate: cable.rate,
    });
    Ok(Played {
        frames: wire.capture(&settings),
        interfaces: match settings.net.is_described() {
            true => interfaces.collect(),
            false => Vec::new(),
        },
        calls,
    })
}

struct Player<'a> {
    settings: &'a Settings,
    map: &'a Map,
    wire: Wire,
    random: Random,
    talks: Vec<Talk>,
    /// Stations that will work, up to the next line that is about something else.
    jobs: Vec<Job>,
    calls: Vec<Call>,
    events: u64,
}

/// A client and a server: their conversation, and what the protocols above it remember.
pub(super) struct Talk {
    pub(super) client: usize,
    pub(super) server: usize,
    pub(super) conversation: Conversation,
    ncp: ncp::NcpState,
    burst: burst::BurstState,
    smb1: smb1::Smb1State,
    smb2: smb2::Smb2State,
    xns: xns::XnsState,
}

impl Player<'_> {
    /// Plays statements whose times count from `start`; gives the time of the last one.
    fn block(&mut self, body: &[Statement], start: i64, round: u64) -> Result<i64, Fault> {
        let mut now = start;
        for statement in body {
            let place = statement.place;
            let at = self.time(statement.when, start, now);
            if at < now {
                return Err(place.fault("this is earlier than the line before it"));
            }
            now = match &statement.what {
                What::Clock(step) => {
                    self.wire.set_clock(at, *step);
                    at
                }
                What::Repeat {
                    times,
                    every,
                    meanwhile,
                    body,
                } => {
                    let end = self.repeat(*times, *every, body, at, place)?;
                    if *meanwhile { at } else { end }
                }
                What::Send {
                    from,
                    to,
                    messages,
                    delivery,
                } => {
                    self.send(from, to, messages, delivery, Moment { at, round, place })?;
                    at
                }
            };
        }
        Ok(now)
    }

    fn time(&mut self, when: When, start: i64, now: i64) -> i64 {
        let from = if when.relative { now } else { start };
        let jitter = self
            .random
            .below(u64::try_from(when.jitter).unwrap_or(0) + 1);
        from.saturating_add(when.nanos)
            .saturating_add(i64::try_from(jitter).unwrap_or(0))
    }

    fn repeat(
        &mut self,
        times: u64,
        every: When,
        body: &[Statement],
        start: i64,
        place: Place,
    ) -> Result<i64, Fault> {
        let mut begin = start;
        let mut end = start;
        for round in 0..times {
            self.count(place)?;
            end = self.block(body, begin, round)?;
            begin = self.time(every, begin, begin);
        }
        Ok(end)
    }

    /// Counts a message or a round, and stops what has no end in sight.
    fn count(&mut self, place: Place) -> Result<(), Fault> {
        self.events += 1;
        if self.events > MOST_EVENTS || self.wire.bytes() > MOST_BYTES {
            return Err(place.fault(format!(
                "too much for a scenario (more than {MOST_EVENTS} messages and rounds, or than \
                 {MOST_BYTES} bytes)"
            )));
        }
        Ok(())
    }

    fn send(
        &mut self,
        from: &Word,
        to: &Word,
        messages: &[Message],
        delivery: &[Word],
        moment: Moment,
    ) -> Result<(), Fault> {
        let Moment { at, round, place } = moment;
        self.count(place)?;
        let Some(first) = messages.first() else {
            return Err(place.fault("nothing is said"));
        };
        let bare = first.commands.first().map_or(&[][..], Vec::as_slice);
        let stations = names(&from.text)
            .ok_or_else(|| from.expected("a station, or several as A..O or WS1..WS15"))?;
        if first.protocol.text == "work" {
            let options = Options::new(bare, first.protocol.place, round);
            return self.engage(&stations, from.place, to, &options, moment);
        }
        self.work()?;
        if first.protocol.text == "rip" {
            let options = Options::new(bare, first.protocol.place, round);
            return rip::tell(
                self.settings,
                self.map,
                &mut self.wire,
                from,
                to,
                &options,
                at,
            );
        }
        if stations.len() > 1 {
            for (station, number) in stations.into_iter().zip(0..) {
                let from = Word {
                    text: station,
                    place: from.place,
                };
                let at = at.saturating_add(NEXT_STATION.saturating_mul(number));
                self.send(&from, to, messages, delivery, Moment { at, ..moment })?;
            }
            return Ok(());
        }
        let delivery_options = Options::new(delivery, place, round);
        let delivery = Delivery::new(&delivery_options)?;
        let (talk, direction) = self.talk(from, to)?;
        let talk = &mut self.talks[talk];
        // A line shows what passes on the sender's own cable.
        let sender = [talk.client, talk.server][direction];
        let cable = self.settings.stations[sender]
            .on
            .first()
            .copied()
            .unwrap_or(0);
        self.wire.tune(self.map.interfaces[cable]);
        let mut context = Context {
            settings: &self.map.views[cable],
            wire: &mut self.wire,
            place,
        };
        let (verb, words) = match first.commands.first().and_then(|words| words.split_first()) {
            Some((verb, words)) => (verb, words),
            None => (&first.protocol, &[][..]),
        };
        let conversation = &mut talk.conversation;
        let all = |words: &[Word]| Options::new(words, place, round);
        match first.protocol.text.as_str() {
            "again" => {
                let options = all(bare);
                let parts = options.list("part")?;
                options.done()?;
                return conversation.again(&mut context, direction, at, parts, &delivery);
            }
            "connect" => return conversation.connect(&mut context, at, &all(bare)),
            "finish" => return conversation.finish(&mut context, direction, at, &all(bare)),
            // What a program sends is a message.
            "spx" | "spp" | "last" | "nsp" if verb.text == "data" => {}
            "xns" if verb.text != "error" => {}
            protocol @ ("tcp" | "llc" | "nbf" | "nbipx" | "spx" | "spp" | "xns" | "last"
            | "nsp") => {
                if words.is_empty() && verb.text == protocol {
                    return Err(first
                        .protocol
                        .fault("this needs a verb (tcp ack, llc rr, ...)"));
                }
                let protocol = &first.protocol;
                return conversation.upkeep(
                    &mut context,
                    direction,
                    at,
                    protocol,
                    verb,
                    &all(words),
                );
            }
            _ => {}
        }
        let bytes = messages
            .iter()
            .map(|message| talk.message(direction, message, round))
            .collect::<Result<Vec<_>, Fault>>()?;
        talk.conversation
            .send(&mut context, direction, at, bytes.concat(), &delivery)
    }

    /// Stations begin to work at a server.
    fn engage(
        &mut self,
        stations: &[String],
        place: Place,
        server: &Word,
        options: &Options,
        moment: Moment,
    ) -> Result<(), Fault> {
        let mut read: Option<(Wishes, work::Shift)> = None;
        for (number, station) in stations.iter().enumerate() {
            let from = Word {
                text: station.clone(),
                place,
            };
            let (talk, direction) = self.talk(&from, server)?;
            if direction != TO_SERVER {
                return Err(place.fault("clients work at servers, not the other way around"));
            }
            let (wishes, shift) = match &read {
                Some(read) => read,
                None => {
                    let ipx = self.talks[talk].conversation.kind() == Kind::Ipx;
                    read.insert(Wishes::parse(options, ipx)?)
                }
            };
            let (from, until) = shift.of(moment.at, number, stations.len());
            self.jobs.push(Job {
                place: moment.place,
                talk,
                file: u32::try_from(number + 1).unwrap_or(1),
                from,
                until,
                count: shift.count,
                wishes: wishes.clone(),
            });
        }
        Ok(())
    }

    /// Plays the work that is engaged, to its end.
    fn work(&mut self) -> Result<(), Fault> {
        if self.jobs.is_empty() {
            return Ok(());
        }
        let floor = Floor {
            settings: self.settings,
            map: self.map,
            wire: &mut self.wire,
            random: &mut self.random,
            talks: &mut self.talks,
        };
        let calls = work::play(floor, std::mem::take(&mut self.jobs))?;
        self.calls.extend(calls);
        Ok(())
    }

    /// The conversation between two stations, and the direction in it.
    fn talk(&mut self, from: &Word, to: &Word) -> Result<(usize, usize), Fault> {
        let a = self.settings.find(&from.text, from.place)?;
        let b = self.settings.find(&to.text, to.place)?;
        let side = |index: usize| self.settings.stations[index].side;
        let (client, server, direction) = match (side(a), side(b)) {
            (Side::Client, Side::Server) => (a, b, TO_SERVER),
            (Side::Server, Side::Client) => (b, a, 1 - TO_SERVER),
            _ => return Err(from.fault("one must be a client and the other a server")),
        };
        let known = self
            .talks
            .iter()
            .position(|talk| (talk.client, talk.server) == (client, server));
        if let Some(known) = known {
            return Ok((known, direction));
        }
        let number = u16::try_from(self.talks.len() + 1).unwrap_or(u16::MAX);
        let burst = burst::BurstState::new(number);
        self.talks.push(Talk {
            client,
            server,
            conversation: Conversation::new(self.settings, client, server, from.place)?,
            ncp: ncp::NcpState::new(number, burst.identifiers()),
            burst,
            smb1: smb1::Smb1State::new(number),
            smb2: smb2::Smb2State::new(number),
            xns: xns::XnsState::new(number),
        });
        Ok((self.talks.len() - 1, direction))
    }
}

/// When, in which round of a block, and where in the file.
#[derive(Clone, Copy)]
struct Moment {
    at: i64,
    round: u64,
    place: Place,
}

impl Talk {
    /// The bytes of one message, with the framing that its carrier asks for. Only a burst
    /// is several packets.
    pub(super) fn message(
        &mut self,
        direction: usize,
        message: &Message,
        round: u64,
    ) -> Result<Vec<Vec<u8>>, Fault> {
        let protocol = &message.protocol;
        let mut commands = Vec::new();
        for words in &message.commands {
            let (verb, options) = words
                .split_first()
                .ok_or_else(|| protocol.fault("a command is missing here"))?;
            commands.push((verb, Options::new(options, verb.place, round)));
        }
        let request = direction == TO_SERVER;
        let kind = self.conversation.kind();
        let own = matches!(protocol.text.as_str(), "pep" | "xns" | "nbp");
        if matches!(kind, Kind::Idp | Kind::Nbp) && !own {
            return Err(protocol.expected("pep or xns between idp stations, nbp between nbp ones"));
        }
        match protocol.text.as_str() {
            "ncp" => {
                let [(verb, options)] = commands.as_slice() else {
                    return Err(protocol.fault("ncp has one command in a message"));
                };
                let packet = if request {
                    self.ncp.request(verb, options)?
                } else {
                    self.ncp.reply(verb, options)?
                };
                Ok(vec![match (kind, request) {
                    (Kind::Tcp, true) => crate::ncp::request_over_tcp(&packet, 65535),
                    (Kind::Tcp, false) => crate::ncp::reply_over_tcp(&packet),
                    _ => packet,
                }])
            }
            "burst" => match commands.as_slice() {
                [(verb, options)] if kind == Kind::Ipx => {
                    self.burst.packets(request, verb, options)
                }
                _ => Err(protocol.fault("expected `burst VERB`, between ipx stations")),
            },
            "netware" => match commands.as_slice() {
                [(verb, options)] if kind == Kind::Ipx => {
                    Ok(vec![netware::message(verb, options)?])
                }
                _ => Err(protocol.fault("expected `netware VERB`, between ipx stations")),
            },
            "smb1" => {
                let bytes = self.smb1.message(request, &commands)?;
                Ok(vec![session_message(kind, bytes)])
            }
            "smb2" => {
                let bytes = self.smb2.message(request, &commands)?;
                Ok(vec![session_message(kind, bytes)])
            }
            "nbt" => match commands.as_slice() {
                [(verb, options)] if verb.text == "keepalive" && kind == Kind::Tcp => {
                    options.done()?;
                    Ok(vec![vec![0x85, 0, 0, 0]])
                }
                _ => Err(protocol.fault("expected `nbt keepalive`, between tcp stations")),
            },
            carrier @ ("spx" | "spp" | "last" | "nsp") => match commands.as_slice() {
                [(_, options)]
                    if matches!(
                        (carrier, kind),
                        ("spx", Kind::Spx)
                            | ("spp", Kind::Spp)
                            | ("last", Kind::Last)
                            | ("nsp", Kind::Nsp)
                    ) =>
                {
                    let length = options.bytes("length", 0)?;
                    options.done()?;
                    Ok(vec![crate::file_data(0, length)])
                }
                _ => Err(protocol.fault(format!(
                    "expected `{carrier} data`, between stations that speak it"
                ))),
            },
            "pep" => match commands.as_slice() {
                [(verb, options)] if kind == Kind::Idp => Ok(vec![self.xns.pep(verb, options)?]),
                _ => Err(protocol.fault("expected `pep VERB`, between idp stations")),
            },
            "courier" => match commands.as_slice() {
                [(verb, options)] if kind == Kind::Spp => {
                    Ok(vec![self.xns.courier(verb, options)?])
                }
                _ => Err(protocol.fault("expected `courier VERB`, between spp stations")),
            },
            "xns" => match commands.as_slice() {
                [(verb, options)] if kind == Kind::Idp => {
                    Ok(vec![self.xns.datagram(verb, options)?])
                }
                _ => Err(protocol.fault("expected `xns VERB`, between idp stations")),
            },
            "nbp" => match commands.as_slice() {
                [(verb, options)] if kind == Kind::Nbp => Ok(vec![xns::nbp(verb, options)?]),
                _ => Err(protocol.fault("expected `nbp VERB`, between nbp stations")),
            },
            _ => Err(protocol.expected(
                "ncp, burst, netware, smb1, smb2, nbt, tcp, llc, nbf, nbipx, spx, spp, pep, courier, \
                 xns, nbp, last, nsp, connect, finish, again, work or rip",
            )),
        }
    }
}

/// In TCP's stream a session message follows four bytes: its type and its length.
fn session_message(kind: Kind, message: Vec<u8>) -> Vec<u8> {
    if kind != Kind::Tcp {
        return message;
    }
    let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
    [&length.to_be_bytes()[..], &message].concat()
}
