//! Each limit, and fixed bounds, hit by a small capture: the report counts it, names it, and blames
//! nobody.

use super::LIMITS;
use std::collections::BTreeMap;
use wirewait::{
    Analyzer, Counts, Driver, Frame, LinkType, Settings, Snapshot, Timestamp, registry,
};
use wirewait_analysis::LedgerOf;
use wirewait_report::{About, json, text};
use wirewait_synth::ethernet::{self, Encapsulation};
use wirewait_synth::ipv4::{self, Segment, Socket, flag};
use wirewait_synth::smb1::{self, Block, Header, NT_STATUS, REPLY, request, response};

/// Frames between clients and one server of SMB1 on port 445, a microsecond apart.
#[derive(Default)]
struct Wire {
    frames: Vec<(Timestamp, Vec<u8>)>,
    /// The next sequence numbers of each client and of the server towards it.
    next: BTreeMap<u32, [u32; 2]>,
    now: i64,
}

fn server() -> Socket {
    Socket {
        address: [192, 168, 0, 1].into(),
        port: 445,
    }
}

fn client(number: u32) -> Socket {
    let [_, b, c, d] = number.to_be_bytes();
    Socket {
        address: [10, b, c, d].into(),
        port: 1025,
    }
}

fn message(mid: u16, reply: bool, block: Block) -> Vec<u8> {
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
    fn segment(&mut self, number: u32, reply: bool, sequence: u32, data: &[u8]) {
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

    fn say(&mut self, number: u32, reply: bool, data: &[u8]) {
        let side = usize::from(reply);
        let sequence = self.next.entry(number).or_insert([1, 1])[side];
        self.segment(number, reply, sequence, data);
        if let Some(next) = self.next.get_mut(&number) {
            next[side] += data.len() as u32;
        }
    }

    fn ask(&mut self, number: u32, mid: u16) {
        self.say(
            number,
            false,
            &message(mid, false, request::read_andx(1, 0, 64)),
        );
    }

    fn answer(&mut self, number: u32, mid: u16) {
        self.say(
            number,
            true,
            &message(mid, true, response::read_andx(&[7; 64])),
        );
    }

    fn pause(&mut self, ns: i64) {
        self.now += ns;
    }

    fn analysed(&self, settings: Settings) -> Snapshot {
        self.analysed_on(settings, |_| 0)
    }

    /// Each frame on an interface that depends on its place.
    fn analysed_on(&self, settings: Settings, interface: fn(usize) -> u32) -> Snapshot {
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

/// This number of requests of one client, and then all responses.
fn outstanding(requests: u16) -> Wire {
    let mut wire = Wire::default();
    for mid in 1..=requests {
        wire.ask(1, mid);
    }
    wire.pause(1_000_000_000);
    for mid in 1..=requests {
        wire.answer(1, mid);
    }
    wire
}

/// 398 requests behind one that is lost on the wire and retransmitted; all are answered.
fn lost_and_sent_again() -> Wire {
    let mut wire = Wire::default();
    wire.ask(1, 1);
    wire.answer(1, 1);
    let lost = message(2, false, request::read_andx(1, 0, 64));
    let at = wire.next[&1][0];
    if let Some(next) = wire.next.get_mut(&1) {
        next[0] += lost.len() as u32;
    }
    for mid in 3..=400 {
        wire.ask(1, mid);
    }
    wire.pause(100_000_000);
    wire.segment(1, false, at, &lost);
    for mid in 2..=400 {
        wire.answer(1, mid);
    }
    wire
}

/// A request of each of many clients, twice, each answered at once.
fn clients(many: u32) -> Wire {
    let mut wire = Wire::default();
    for mid in 1..=2 {
        for number in 1..=many {
            wire.ask(number, mid);
            wire.answer(number, mid);
        }
    }
    wire
}

/// Many clients ask, and all are answered afterwards.
fn clients_at_once(many: u32) -> Wire {
    let mut wire = Wire::default();
    for number in 1..=many {
        wire.ask(number, 1);
    }
    for number in 1..=many {
        wire.answer(number, 1);
    }
    wire
}

/// As many files are opened and read.
fn files(many: u16) -> Wire {
    let mut wire = Wire::default();
    for fid in 1..=many {
        let open = request::nt_create_andx(&format!("\\file {fid}"), false);
        wire.say(1, false, &message(fid, false, open));
        let opened = response::nt_create_andx(fid, 4096, 0);
        wire.say(1, true, &message(fid, true, opened));
    }
    wire
}

fn sum(snapshot: &Snapshot) -> Counts {
    let mut sum = Counts::default();
    for row in &snapshot.servers {
        sum.requests += row.counts.requests;
        sum.answered += row.counts.answered;
        sum.unanswered += row.counts.unanswered;
        sum.one_sided += row.counts.one_sided;
        sum.given_up += row.counts.given_up;
        sum.responses_given_up += row.counts.responses_given_up;
        sum.forgotten += row.counts.forgotten;
        sum.orphan_responses += row.counts.orphan_responses;
    }
    sum
}

/// Text and JSON.
fn written(snapshot: &Snapshot) -> (String, String) {
    let (mut plain, mut data) = (Vec::new(), Vec::new());
    let about = About::default();
    text::report(&mut plain, &about, snapshot, text::Look::plain(400)).unwrap();
    json::report(&mut data, &about, snapshot).unwrap();
    (
        String::from_utf8(plain).unwrap(),
        String::from_utf8(data).unwrap(),
    )
}

#[test]
fn each_limit_that_is_hit_is_named_and_blamed_on_nobody() {
    for limit in &LIMITS {
        let name = limit.name;
        // The reason that names it, what hits it, and how low it has to be for that.
        let (reason, wire, value) = match name {
            "conversations" => ("evicted", clients_at_once(60), 16),
            "open_requests" => (name, outstanding(100), 16),
            "conversation_requests" => (name, outstanding(100), 10),
            "held_bytes" => (name, lost_and_sent_again(), 64 << 10),
            "stream_bytes" => (name, lost_and_sent_again(), 4 << 10),
            "rows" => ("rows_evicted", clients(60), 16),
            "names" => ("names_evicted", files(60), 16),
            // A choice of the longest, not a loss.
            "slowest" => {
                let mut settings = Settings::default();
                settings.slowest = 3;
                assert_eq!(clients(10).analysed(settings).slowest.len(), 3);
                continue;
            }
            other => panic!("{other} has no capture that hits it"),
        };
        let whole = wire.analysed(Settings::default());
        let of = |snapshot: &Snapshot, reason: &str| {
            let found = snapshot.capture.reasons.iter().find(|r| r.name == reason);
            found.map_or(0, |r| r.count)
        };
        let all = sum(&whole);
        assert_eq!(of(&whole, reason), 0, "{name} is not hit by default");
        assert_eq!(
            (
                all.answered,
                all.unanswered,
                all.orphan_responses,
                all.given_up
            ),
            (all.requests, 0, 0, 0),
            "{name}, by default"
        );
        assert_eq!(of(&whole, "gaps"), 0, "{name}, by default");

        let mut settings = Settings::default();
        *(limit.of)(&mut settings) = value;
        let found = wire.analysed(settings);
        let hits = of(&found, reason);
        assert!(hits > 0, "{name} is hit");
        // No figure depends on names.
        let good = found.capture.grade.name() == "good";
        assert_eq!(good, name == "names", "{name}");
        let counts = sum(&found);
        assert_eq!(counts.unanswered, 0, "{name}: {counts:?}");
        assert_eq!(counts.orphan_responses, 0, "{name}: {counts:?}");
        assert_eq!(of(&found, "gaps"), 0, "{name}: the capture has everything");
        match name {
            "conversations" => {
                assert!(counts.given_up > 0 && counts.given_up <= hits, "{counts:?}");
                assert_eq!(counts.requests - counts.given_up, counts.answered);
                assert_eq!(counts.responses_given_up, counts.given_up, "{counts:?}");
            }
            "open_requests" | "conversation_requests" => {
                assert_eq!(counts.given_up, hits, "{name}");
                assert_eq!(counts.requests, 100, "{name}");
                assert_eq!(counts.responses_given_up, counts.given_up, "{name}");
                assert_eq!(counts.answered, 100 - hits, "{name}");
            }
            "held_bytes" | "stream_bytes" => {
                // The lost one counts neither as a request nor as sent for the first time.
                assert_eq!(counts.responses_given_up, 1, "{name}: {counts:?}");
                assert_eq!(counts.answered, counts.requests, "{name}: {counts:?}");
                assert_eq!(counts.requests, 399, "{name}");
            }
            "rows" => {
                let forgotten: u64 = found.stations.iter().map(|r| r.counts.forgotten).sum();
                assert!(forgotten > 0, "those who came back say what they lost");
            }
            _ => {}
        }
        let (plain, data) = written(&found);
        let reasons = found.capture.reasons.iter();
        let words = reasons.filter(|r| r.name == reason).map(|r| r.text);
        for words in words {
            assert!(words.contains(&format!("limit {name}")), "{name}: {words}");
            let flat = plain.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(flat.contains(words), "{name}: {plain}");
        }
        assert!(data.contains(&format!("\"{reason}\"")), "{name}: {data}");
        if counts.lost_to_limits() > 0 {
            assert!(plain.contains("lost to limits"), "{name}: {plain}");
            assert!(data.contains("\"given_up\""), "{name}: {data}");
            assert!(data.contains("given up because of a limit"), "{name}");
        }
    }
}

/// As many reads of a file, each 1 MiB behind the one before, and the first of them once more.
fn reads(many: u16) -> Wire {
    let mut wire = Wire::default();
    for mid in (1..=many).chain([1]) {
        let offset = u32::from(mid) << 20;
        let read = request::read_andx(1, offset, 64);
        wire.say(1, false, &message(mid, false, read));
        wire.answer(1, mid);
    }
    wire
}

/// Requests of which the first is not answered.
fn unanswered(requests: u16) -> Wire {
    let mut wire = Wire::default();
    for mid in 1..=requests {
        wire.ask(1, mid);
    }
    for mid in 2..=requests {
        wire.answer(1, mid);
    }
    wire
}

/// The clock is set back by a minute as many times.
fn steps_back(times: u16) -> Wire {
    let mut wire = Wire::default();
    for mid in 1..=times + 1 {
        wire.ask(1, mid);
        wire.answer(1, mid);
        wire.pause(-60_000_000_000);
    }
    wire
}

/// An offer of as many dialects, of which the first is taken.
fn offer(dialects: usize) -> Wire {
    let mut wire = Wire::default();
    let dialects: Vec<String> = (1..=dialects).map(|n| format!("DIALECT {n}")).collect();
    let dialects: Vec<&str> = dialects.iter().map(String::as_str).collect();
    wire.say(1, false, &message(1, false, request::negotiate(&dialects)));
    wire.say(1, true, &message(1, true, response::negotiate(0)));
    wire
}

/// Fixed bounds, hit by frames, as the report shows them: name, how often, grade.
#[test]
fn fixed_bounds_that_are_hit_are_named() {
    let settings = Settings::default();
    // Beside the bound: what else is wrong with that capture.
    for (name, times, grade, also, found) in [
        (
            "interfaces",
            3,
            "fair",
            "",
            clients(3).analysed_on(settings, |n| if n < 3 { 300 } else { 0 }),
        ),
        (
            "old_clock_steps",
            2,
            "fair",
            "clock_steps",
            steps_back(7).analysed(settings),
        ),
        (
            "waiting_requests",
            1,
            "fair",
            "",
            unanswered(300).analysed(settings),
        ),
        ("ranges", 1, "good", "", reads(32).analysed(settings)),
        (
            "file_stretches",
            3,
            "good",
            "ranges",
            reads(34).analysed(settings),
        ),
        ("dialects", 8, "good", "", offer(40).analysed(settings)),
        (
            "sightings",
            4,
            "good",
            "rows_evicted",
            clients_at_once(4100).analysed(settings),
        ),
    ] {
        let (plain, data) = written(&found);
        let data: serde_json::Value = serde_json::from_str(&data).unwrap();
        let quality = &data["capture"]["quality"];
        let reasons = quality["reasons"].as_array().unwrap();
        // These frames begin within conversations.
        let of_interest = reasons.iter().filter(|r| r["name"] != "mid_capture");
        let mut names: Vec<&str> = of_interest.map(|r| r["name"].as_str().unwrap()).collect();
        names.retain(|named| *named != also);
        assert_eq!(names, [name]);
        let reason = reasons
            .iter()
            .find(|reason| reason["name"] == name)
            .unwrap();
        assert_eq!(
            (&reason["count"], &reason["grade"]),
            (&times.into(), &grade.into()),
            "{name}"
        );
        let words = reason["text"].as_str().unwrap();
        let flat = plain.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(words), "{name}: {plain}");
        if also.is_empty() {
            assert_eq!(quality["grade"], grade, "{name}");
        }
    }
}

/// A server that answers 300 requests of 30 clients in a second, in which as many requests come
/// from ever new stations that nobody answers.
fn flood(half_open: u32) -> Wire {
    let mut wire = Wire::default();
    let each = half_open / 300;
    let mut stranger = 0x10_0000;
    for n in 0..300 {
        let mid = 1 + (n / 30) as u16;
        wire.ask(1 + n % 30, mid);
        for _ in 0..each {
            stranger += 1;
            wire.ask(stranger, 1);
        }
        wire.answer(1 + n % 30, mid);
        let taken = i64::from(each + 2) * 1_000;
        wire.pause(1_000_000_000 / 300 - taken);
    }
    wire
}

/// What was answered, as the row of the server's operation and those of its clients say it.
fn answered(snapshot: &Snapshot) -> (Counts, u64) {
    let counts = sum(snapshot);
    let clients = snapshot.stations.iter();
    (counts, clients.map(|row| row.counts.answered).sum())
}

#[test]
fn a_flood_takes_nothing_from_those_who_are_answered() {
    let (counts, of_clients) = answered(&flood(40_000).analysed(Settings::default()));
    assert_eq!(counts.answered, 300, "{counts:?}");
    assert_eq!(of_clients, 300);
    assert_eq!(counts.unanswered, 0, "{counts:?}");
}

#[test]
fn what_a_flood_takes_is_said_on_the_row() {
    let mut settings = Settings::default();
    settings.conversations = 16;
    settings.rows = 16;
    settings.open_requests = 16;
    let found = flood(4_000).analysed(settings);
    let (counts, _) = answered(&found);
    assert!(counts.answered < 300, "{counts:?}");
    assert!(counts.lost_to_limits() > 0, "{counts:?}");
    let seen = counts.requests + counts.responses_given_up + counts.forgotten;
    assert!(seen >= 300, "{counts:?}");
    let (plain, _) = written(&found);
    assert!(plain.contains("lost to limits"), "{plain}");
}

/// What is counted for the server because its clients are gone stands in its row.
#[test]
fn a_flood_makes_no_second_row_of_a_server() {
    let mut settings = Settings::default();
    settings.rows = 16;
    let found = flood(4_000).analysed(settings);
    let servers: Vec<_> = found.efficiency.rows.iter().map(|row| row.server).collect();
    assert_eq!(servers.len(), 1, "{servers:?}");
    assert!(
        servers.iter().flatten().all(|server| server.port.is_none()),
        "{servers:?}"
    );
}

/// Rows of the stations and ledgers of the thirty clients that are answered.
fn of_those_at_work(snapshot: &Snapshot) -> Vec<String> {
    let at_work = |client: &dyn std::fmt::Display| client.to_string().starts_with("10.0.0.");
    let stations = snapshot.stations.iter().filter(|row| at_work(&row.client));
    let ledgers = snapshot.ledgers.iter().filter(|row| match &row.of {
        LedgerOf::Client(client) | LedgerOf::Pair { client, .. } => at_work(client),
        _ => false,
    });
    let mut told: Vec<String> = stations
        .map(|row| format!("{row:?}"))
        .chain(ledgers.map(|row| format!("{row:?}")))
        .collect();
    told.sort();
    told
}

/// Those who come while strangers crowd all tables are entered when they are answered, as if they
/// had been from the beginning.
#[test]
fn clients_answered_in_a_flood_have_the_rows_of_one_without_it() {
    let flooded = flood(40_000);
    let mut alone = Wire::default();
    let strangers = flooded.frames.iter().filter(|(_, frame)| {
        // The addresses of the IPv4 header: those at work are 10.0.0.x.
        let from_work = |at: usize| frame[at..at + 3] == [10, 0, 0];
        from_work(26) || from_work(30)
    });
    alone.frames = strangers.cloned().collect();
    assert_eq!(alone.frames.len(), 600);
    let (flooded, alone) = (
        flooded.analysed(Settings::default()),
        alone.analysed(Settings::default()),
    );
    let told = of_those_at_work(&alone);
    assert!(told.len() >= 60, "{}", told.len());
    assert_eq!(of_those_at_work(&flooded), told);
    // Nobody is lost: the row of the server has every request.
    assert_eq!(sum(&flooded).requests, 300 + 300 * 133);
}

/// Sixty-four strangers take all conversations there are; then a client asks, `more` strangers
/// after it, and it is answered.
fn asked_in_a_crowd(more: u32) -> Wire {
    let mut wire = Wire::default();
    for stranger in 0..64 {
        wire.ask(0x10_0000 + stranger, 1);
    }
    wire.ask(1, 7);
    for stranger in 64..64 + more {
        wire.ask(0x10_0000 + stranger, 1);
    }
    wire.pause(5_000_000);
    wire.answer(1, 7);
    wire
}

/// While all conversations are strangers', half as many wait for a second frame: its request is
/// the first thing that a conversation knows which begins with the response.
#[test]
fn a_request_waits_outside_until_it_is_answered() {
    let mut settings = Settings::default();
    settings.conversations = 64;
    let of_client = |more: u32, settings: Settings| {
        let found = asked_in_a_crowd(more).analysed(settings);
        assert_eq!(sum(&found).requests, u64::from(64 + more) + 1);
        let rows = found.stations.iter();
        let row = rows
            .clone()
            .find(|row| row.client.to_string() == "10.0.0.1");
        let row = row.expect("who is answered has a row");
        (format!("{row:?}"), row.counts.answered)
    };
    // Thirty-one others find room beside it.
    for more in [0, 1, 31] {
        let roomy = of_client(more, Settings::default());
        assert_eq!(roomy.1, 1);
        assert_eq!(of_client(more, settings), roomy, "{more} more");
    }
}

/// Who is pushed out has its request given up, and its response says so.
#[test]
fn a_request_that_was_pushed_out_is_given_up() {
    let mut settings = Settings::default();
    settings.conversations = 64;
    let found = asked_in_a_crowd(40).analysed(settings);
    let counts = sum(&found);
    assert_eq!((counts.requests, counts.answered), (105, 0), "{counts:?}");
    // Nine had no room among the thirty-two who wait, the client among them; with its
    // response a conversation began, in the place of a stranger's.
    assert_eq!(counts.given_up, 10, "{counts:?}");
    assert_eq!(counts.responses_given_up, 1, "{counts:?}");
    assert_eq!(found.capture.evicted, 10);
}
