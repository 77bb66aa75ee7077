//! Messages of SMB 1 that make up one request, or one response: the rest of a request waits for the server's go-ahead, and a
//! response may come in several messages (MS-CIFS 3.2.4.1.5, 3.3.4.1.3). Who is late with the next one has that time. Each
//! traffic is captured at both ends; what it must give is what the stations that made it did.

use crate::stalls::{
    CLIENT, ENDS, FULL, Link, MS, OPEN, SERVER, US, assert_within, captured, smb1_message, station,
};
use crate::support::analyse_frames;
use wirewait_analysis::{Snapshot, StallCause};
use wirewait_judge::{Culprit, Finding, Verdict};
use wirewait_synth::smb1::transaction::{self, TransactionPart};
use wirewait_synth::smb1::{Block, command, request, response};

/// What a server takes for the response itself.
const WORKS: i64 = MS;

/// How the rest of a request goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// TRANSACTION2, and TRANSACTION2_SECONDARY.
    Secondary,
    /// WRITE_RAW, whose server confirms at the end.
    RawThrough,
    /// WRITE_RAW, whose server's go-ahead is its response.
    RawBehind,
}

impl Way {
    const ALL: [Self; 3] = [Self::Secondary, Self::RawThrough, Self::RawBehind];
}

impl Link {
    /// A connection on which some reads and writes show the way: two full segments are acknowledged at once.
    fn known(end: usize, way: i64) -> Self {
        let mut link = Self::connected(2, end, way);
        let read = (
            request::read_andx(1, 0, 5_000),
            response::read_andx(&[7; 5_000]),
        );
        let write = (
            request::write_andx(1, 0, &[7; 5_000]),
            response::write_andx(5_000),
        );
        for (asked, told) in [read, write].into_iter().cycle().take(24) {
            let began = link.at;
            link.message += 1;
            let number = link.message as u16;
            let at = link.sends_known(CLIENT, began, &smb1_message(CLIENT, number, asked)) + WORKS;
            let end = link.sends_known(SERVER, at, &smb1_message(SERVER, number, told));
            link.over((began, end), 0, WORKS);
        }
        link
    }

    fn sends_known(&mut self, side: usize, at: i64, data: &[u8]) -> i64 {
        let Some((first, rest)) = data.split_at_checked(2 * FULL) else {
            return self.sends(side, at, data);
        };
        let sent = self.sends(side, at, first);
        self.acknowledges(1 - side, sent, OPEN);
        self.sends(side, at + 3 * US, rest)
    }

    /// A request of which the server lets the rest come only `server` later, and the client sends it `client` later.
    fn let_go_on(&mut self, way: Way, server: i64, client: i64) {
        let began = self.at;
        self.message += 1;
        let number = self.message as u16;
        let message = |side: usize, block| smb1_message(side, number, block);
        let parameters = transaction::set_path_information(1, "A");
        let part = |from| TransactionPart::of(parameters.clone(), vec![7; 6_000], from, 3_000);
        let (asked, told, rest, end) = match way {
            Way::Secondary => (
                message(CLIENT, transaction::transaction2(6, &part(0))),
                message(SERVER, response::empty(command::TRANSACTION2)),
                message(CLIENT, transaction::transaction2_secondary(&part(3_000))),
                Some(message(
                    SERVER,
                    transaction::transaction2_response(&TransactionPart::of(
                        vec![0; 2],
                        Vec::new(),
                        0,
                        0,
                    )),
                )),
            ),
            Way::RawThrough | Way::RawBehind => {
                let through = way == Way::RawThrough;
                let mut raw = 6_000_u32.to_be_bytes().to_vec();
                raw.extend([7; 6_000]);
                let end = message(SERVER, response::count(command::WRITE_COMPLETE, 6_000));
                (
                    message(CLIENT, request::write_raw(1, 0, 6_000, through, &[])),
                    message(SERVER, response::count(command::WRITE_RAW, 6_000)),
                    raw,
                    through.then_some(end),
                )
            }
        };
        let at = self.sends(CLIENT, began, &asked) + server;
        let at = self.sends(SERVER, at, &told) + client;
        let mut over = self.sends(CLIENT, at, &rest);
        let mut works = server;
        match end {
            Some(end) => {
                over = self.sends(SERVER, over + WORKS, &end);
                works += WORKS;
            }
            // Its client has what it asked for, and goes on.
            None => {
                self.acknowledges(SERVER, over, OPEN);
                over = at + 6 * US;
            }
        }
        self.over((began, over), client, works);
    }

    /// A response in these parts, each complete and acknowledged when the next one comes so long behind that.
    fn in_parts_of(&mut self, asked: Block, parts: &[(Block, i64)]) {
        let began = self.at;
        self.message += 1;
        let number = self.message as u16;
        let mut at = self.sends(CLIENT, began, &smb1_message(CLIENT, number, asked)) + WORKS;
        let (mut end, mut server) = (at, WORKS);
        for (block, pause) in parts {
            let part = smb1_message(SERVER, number, block.clone());
            end = self.sends(SERVER, at + pause, &part);
            server += pause;
            let told = self.acknowledges(CLIENT, end, OPEN);
            if *pause == 0 {
                at = end - self.ways[0] - self.ways[1] + 20 * US;
            } else {
                at = told;
            }
        }
        self.over((began, end), 0, server);
    }
}

/// A server that lets requests go on late, or a client that goes on late, has that time, and is said to have it for that.
#[test]
fn who_is_late_with_the_go_ahead_or_the_rest_has_that_time() {
    for (whose, way, end, far) in all() {
        // Over a long way, how long the data that comes behind it takes may be part of a response, too.
        if (way, whose) == (Way::RawBehind, SERVER) && far > MS {
            continue;
        }
        let (culprit, _) = station(whose);
        let (server, client) = match whose {
            SERVER => (80 * MS, 100 * US),
            _ => (100 * US, 80 * MS),
        };
        let mut link = Link::known(end, far);
        (0..40).for_each(|_| link.let_go_on(way, server, client));
        let (frames, did) = captured(vec![link]);
        let name = format!("{way:?}-{whose}-{end}-{far}");
        let verdict = Verdict::on(&analyse_frames(&frames).snapshot);
        let finding = Finding::Named(culprit);
        assert_eq!(verdict.finding, finding, "{name}: {verdict:?}");
        assert_within(&name, &verdict, &did);
        // A go-ahead that is the response itself is late as a response.
        if (way, whose) == (Way::RawBehind, SERVER) {
            continue;
        }
        let stall = verdict.stall.unwrap_or_else(|| panic!("{name}: no stall"));
        let cause = match whose {
            SERVER => StallCause::GoAhead,
            _ => StallCause::Rest,
        };
        assert_eq!((stall.cause, stall.of), (cause, culprit), "{name}");
        assert!(stall.thousandths > 900, "{name}: {stall:?}");
    }
}

/// Of frames that are cut off behind 96 bytes, the length of the message tells what the words would.
#[test]
fn who_is_late_is_known_from_the_beginnings_of_frames() {
    for (whose, way) in ENDS
        .into_iter()
        .flat_map(|whose| Way::ALL.map(|way| (whose, way)))
    {
        let (server, client) = match whose {
            SERVER => (80 * MS, 100 * US),
            _ => (100 * US, 80 * MS),
        };
        let mut link = Link::known(CLIENT, 100 * US);
        (0..40).for_each(|_| link.let_go_on(way, server, client));
        let (whole, did) = captured(vec![link]);
        let mut frames = whole.clone();
        frames.iter_mut().for_each(|frame| frame.bytes.truncate(96));
        let name = format!("{way:?}-{whose}");
        let [whole, cut] = [&whole, &frames].map(|frames| analyse_frames(frames).snapshot);
        let rows = |snapshot: &Snapshot| {
            let rows = snapshot.servers.iter();
            let rows = rows.map(|row| {
                let counts = (row.counts.answered, row.counts.unanswered);
                // Which transaction it is is cut off.
                (counts, row.data_bytes)
            });
            rows.collect::<Vec<_>>()
        };
        assert_eq!(rows(&cut), rows(&whole), "{name}");
        let verdict = Verdict::on(&cut);
        assert_eq!(
            verdict.finding,
            Finding::Named(station(whose).0),
            "{name}: {verdict:?}"
        );
        assert_within(&name, &verdict, &did);
    }
}

/// Where both are prompt, what takes the time is the way: 30 ms each.
#[test]
fn a_go_ahead_from_afar_is_the_networks_time() {
    for way in Way::ALL {
        for end in ENDS {
            // What nobody confirms ends with its client's own frame: the pause behind it contains no way, and where the capture
            // was made at the server the account takes it for one that does.
            if (way, end) == (Way::RawBehind, SERVER) {
                continue;
            }
            let mut link = Link::known(end, 30 * MS);
            (0..40).for_each(|_| link.let_go_on(way, 100 * US, 100 * US));
            let (frames, did) = captured(vec![link]);
            let name = format!("{way:?}-{end}");
            let verdict = Verdict::on(&analyse_frames(&frames).snapshot);
            let finding = Finding::Named(Culprit::Network);
            assert_eq!(verdict.finding, finding, "{name}: {verdict:?}");
            assert_within(&name, &verdict, &did);
        }
    }
}

/// A response in several messages, in the middle of which the server stops: a search, a multiplexed read, an echo that is
/// to come several times.
#[test]
fn a_server_that_stops_between_the_messages_of_a_response_has_that_time() {
    let search = |n: usize| {
        let parameters = transaction::find_first2_answer(100);
        let part = TransactionPart::of(parameters, vec![7; 12_000], n * 4_000, 4_000);
        transaction::transaction2_response(&part)
    };
    let asks_search = transaction::transaction2(
        1,
        &TransactionPart::of(transaction::find_first2("*", 100), Vec::new(), 0, 0),
    );
    let mpx = |n: usize| response::read_mpx(n as u32 * 1_000, 4_000, &[7; 1_000]);
    let echo = |n: usize| response::echo(n as u16 + 1, b"?");
    let parts = |of: &dyn Fn(usize) -> Block, count: usize, pause: usize| {
        let pause = |n| if n == pause { 300 * MS } else { 0 };
        (0..count).map(|n| (of(n), pause(n))).collect::<Vec<_>>()
    };
    let cases = [
        ("search", asks_search.clone(), parts(&search, 3, 1)),
        ("search, last", asks_search, parts(&search, 3, 2)),
        ("read", request::read_mpx(1, 0, 4_000), parts(&mpx, 4, 2)),
        (
            "read, last",
            request::read_mpx(1, 0, 4_000),
            parts(&mpx, 4, 3),
        ),
        ("echo", request::echo(4, b"?"), parts(&echo, 4, 2)),
    ];
    for (name, asked, parts) in cases {
        for (end, far) in ENDS
            .into_iter()
            .flat_map(|end| [(end, 100 * US), (end, 5 * MS)])
        {
            let mut link = Link::known(end, far);
            (0..40).for_each(|_| link.in_parts_of(asked.clone(), &parts));
            let (frames, did) = captured(vec![link]);
            let name = format!("{name}-{end}-{far}");
            let verdict = Verdict::on(&analyse_frames(&frames).snapshot);
            let finding = Finding::Named(Culprit::Server);
            assert_eq!(verdict.finding, finding, "{name}: {verdict:?}");
            assert_within(&name, &verdict, &did);
            let stall = verdict.stall.unwrap_or_else(|| panic!("{name}: no stall"));
            assert_eq!(stall.cause, StallCause::Stopped, "{name}");
        }
    }
}

/// A program that writes one segment each 50 ms, of which all is acknowledged: at its end of the line nothing else takes so long.
/// At the other end a slow line would look alike.
#[test]
fn a_sender_that_stops_behind_each_segment_has_that_time_where_it_is_captured() {
    for sender in ENDS {
        let (culprit, _) = station(sender);
        for (end, far) in ENDS
            .into_iter()
            .flat_map(|end| [(end, 100 * US), (end, MS)])
        {
            let mut link = Link::new(2, end, far);
            (0..40).for_each(|_| link.steadily(sender, 6_000, 50 * MS));
            let (frames, did) = captured(vec![link]);
            let name = format!("steady-{sender}-{end}-{far}");
            let found = analyse_frames(&frames).snapshot;
            let verdict = Verdict::on(&found);
            let sum = found.stalls.of(sender == SERVER, StallCause::Stopped);
            if end == sender {
                let finding = Finding::Named(culprit);
                assert_eq!(verdict.finding, finding, "{name}: {verdict:?}");
                assert_within(&name, &verdict, &did);
                assert_eq!(sum.count, 40, "{name}: {sum:?}");
            } else {
                assert_eq!(sum.count, 0, "{name}: {sum:?}");
            }
        }
    }
}

fn all() -> impl Iterator<Item = (usize, Way, usize, i64)> {
    ENDS.into_iter().flat_map(|whose| {
        Way::ALL.into_iter().flat_map(move |way| {
            let fars = [100 * US, 5 * MS].into_iter();
            fars.flat_map(move |far| ENDS.map(|end| (whose, way, end, far)))
        })
    })
}
