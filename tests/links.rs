//! Whose time is what, over links and transports other than TCP, and where the capture lacks frames. Each traffic is
//! captured at several places; what it must give is what the stations that made it did, added up here.
//! `WIREWAIT_LINKS=FOLDER` keeps the captures.

use crate::stalls::{Did, MS, TOLERANCE, US};
use crate::support::{Analysis, analyse_frames};
use wirewait_analysis::{Grade, Phase, StallCause, Transaction};
use wirewait_judge::{Culprit, Doubt, Finding, Verdict};
use wirewait_synth::Scenario;

/// The sides of a conversation.
const C: usize = 0;
const S: usize = 1;
const SIDES: [&str; 2] = ["C>S", "S>C"];

/// SMB over NetBEUI.
const NBF: &str = "\
client C nbf 00-00-1b-00-00-01 name=WKSTA session=5
server S nbf 00-00-1b-00-00-09 name=FILESRV session=7
";

/// SMB over TCP.
const TCP: &str = "\
client C tcp 10.0.0.1:49152
server S tcp 10.0.0.9:445
";

/// SMB over NetBIOS over IPX, and over SPP of XNS.
const NBIPX: &str = "\
ethernet ii
client C nbipx 00000022.020000002201:0455
server S nbipx 00000022.020000000001:0455
";
const SPP: &str = "\
ethernet ii
client C spp 00000022.02608c000101:0bc1
server S spp 00000022.02608c000009:0bd0
";

/// NCP over IPX.
const NCP: &str = "\
ethernet ii
client C ipx 00000022.020000002201:4003
server S ipx 00000022.020000000001:0451
";

/// Where the capture is made: how far the client and the server are from it, ns.
const PLACES: [[i64; 2]; 3] = [[10 * US, 2 * MS], [2 * MS, 10 * US], [MS, MS]];

/// A scenario whose lines are said by the clocks of the stations, captured between them.
struct Play {
    stations: &'static str,
    ways: [i64; 2],
    lines: Vec<(i64, String)>,
    did: Did,
    at: i64,
    /// Each frame comes again so much later.
    mirror: Option<i64>,
}

impl Play {
    fn new(stations: &'static str, ways: [i64; 2]) -> Self {
        let mut play = Self {
            stations,
            ways,
            lines: Vec::new(),
            did: Did::default(),
            at: 1_000 * MS,
            mirror: None,
        };
        if stations == NBIPX || stations == SPP {
            // The server answers at once.
            let ns = 2 * ways[S];
            play.lines.push((0, format!("C>S connect gap=0.{ns:09}")));
        }
        play
    }

    /// The way between the stations.
    fn way(&self) -> i64 {
        self.ways[0] + self.ways[1]
    }

    /// `side` says this at `at`; when it arrives.
    fn says(&mut self, side: usize, at: i64, what: &str) -> i64 {
        let line = format!("{} {what}", SIDES[side]);
        self.lines.push((at + self.ways[side], line));
        at + self.way()
    }

    /// What was asked since `at` is over: so much was the client's and the server's.
    fn over(&mut self, span: (i64, i64), client: i64, server: i64) {
        self.did.call(span, client, server);
        self.at = span.1 + MS;
    }

    /// The sender says the first frame of a message in three; when its exchange began, and when the frame arrives.
    fn first_of_three(&mut self, sender: usize) -> (i64, i64) {
        let began = self.at;
        let mut first = began;
        if sender == S {
            first = self.says(C, began, "smb1 read-andx fid=1 offset=0 length=3500") + MS;
        }
        let message = match sender {
            S => "smb1 read-andx data=3500 | lost=2,3",
            _ => "smb1 write-andx fid=1 offset=0 data=3500 | lost=2,3",
        };
        (began, self.says(sender, first, message))
    }

    /// It says the other two at `at`, and the exchange is over, of which so much was this station's own time.
    fn rest_of_three(&mut self, sender: usize, (began, at): (i64, i64), (own, ns): (usize, i64)) {
        let mut end = self.says(sender, at, "again part=2,3 | gap=0.000001") + US;
        if sender == C {
            end = self.says(S, end + MS, "smb1 write-andx count=3500");
        }
        let shares = match own {
            C => (ns, MS),
            _ => (0, ns + MS),
        };
        self.over((began, end), shares.0, shares.1);
    }

    fn scenario(&self) -> Scenario {
        let mut lines = self.lines.clone();
        lines.sort_by_key(|(at, _)| *at);
        let mut text = format!("title made\n{}\n", self.stations);
        if let Some(ns) = self.mirror {
            text += &format!("mirror 0.{ns:09}\n");
        }
        for (at, line) in lines {
            let (s, ns) = (at / (1_000 * MS), at % (1_000 * MS));
            text += &format!("{s}.{ns:09} {line}\n");
        }
        Scenario::parse("links", &text).unwrap_or_else(|e| panic!("{e}\n{text}"))
    }

    fn analysed(&self) -> Analysis {
        analyse_frames(self.scenario().frames())
    }

    /// The truth is within the intervals of the verdict, and who is named is right.
    fn possible(&self, name: &str) -> Analysis {
        let scenario = self.kept(name);
        let found = analyse_frames(scenario.frames());
        let verdict = Verdict::on(&found.snapshot);
        let shares = self.did.shares();
        for (culprit, truth) in Culprit::ALL.into_iter().zip(shares) {
            let share = verdict.share(culprit).thousandths;
            let [low, high] = [share.low, share.high].map(|of| of as i64);
            let within = low - TOLERANCE <= truth && truth <= high + TOLERANCE;
            assert!(within, "{name}: {culprit:?} {truth} {share:?} {verdict:?}");
        }
        let most = (0..3).max_by_key(|of| shares[*of]).unwrap();
        if let Finding::Named(culprit) = verdict.finding {
            assert_eq!(culprit, Culprit::ALL[most], "{name}: {verdict:?}");
        }
        found
    }

    fn kept(&self, name: &str) -> Scenario {
        let scenario = self.scenario();
        if let Some(folder) = std::env::var_os("WIREWAIT_LINKS") {
            let file = std::path::Path::new(&folder).join(format!("{name}.pcapng"));
            std::fs::write(file, scenario.pcapng()).unwrap();
        }
        scenario
    }

    /// The verdict names this culprit, and has the truth in its intervals.
    fn judged(&self, name: &str, culprit: Culprit) -> Analysis {
        let found = self.possible(name);
        let verdict = Verdict::on(&found.snapshot);
        let finding = Finding::Named(culprit);
        assert_eq!(
            verdict.finding,
            finding,
            "{name}: {:?}\n{verdict:?}",
            self.did.shares()
        );
        found
    }
}

/// A message in three frames, of which the sender sends the second and the third only when its receiver, who said that
/// it can take nothing more, can take more.
fn not_ready(ways: [i64; 2], sender: usize, ns: i64, polls: bool) -> Play {
    let mut play = Play::new(NBF, ways);
    for _ in 0..40 {
        let (began, arrived) = play.first_of_three(sender);
        let told = play.says(1 - sender, arrived, "llc rnr");
        if polls {
            let asked = play.says(sender, told + 100 * MS, "llc rr poll");
            play.says(1 - sender, asked, "llc rnr final");
        }
        let goes_on = play.says(1 - sender, arrived + ns, "llc rr");
        play.rest_of_three(sender, (began, goes_on), (1 - sender, arrived + ns - told));
    }
    play
}

#[test]
fn a_link_whose_receiver_is_not_ready_waits_for_that_station() {
    for (sender, culprit) in [(S, Culprit::Client), (C, Culprit::Server)] {
        for (place, ways) in PLACES.into_iter().enumerate() {
            for polls in [false, true] {
                let name = format!("rnr-{sender}-{place}-{polls}");
                not_ready(ways, sender, 300 * MS, polls).judged(&name, culprit);
            }
        }
    }
}

/// The sender sends the first part of a message, and the rest so long after its receiver had that.
fn stopped(ways: [i64; 2], sender: usize, ns: i64) -> Play {
    let mut play = Play::new(NBF, ways);
    // Of the first one it is not known yet how far its sender is.
    for _ in 0..200 {
        let (began, arrived) = play.first_of_three(sender);
        let told = play.says(1 - sender, arrived, "llc rr");
        play.rest_of_three(sender, (began, told + ns), (sender, ns));
    }
    play
}

#[test]
fn who_stops_within_a_message_on_a_link_has_that_time() {
    for (sender, culprit) in [(S, Culprit::Server), (C, Culprit::Client)] {
        for (place, ways) in PLACES.into_iter().enumerate() {
            stopped(ways, sender, 300 * MS).judged(&format!("stopped-{sender}-{place}"), culprit);
        }
    }
}

/// A message in three frames, of which the sender sends each only when the one before is acknowledged: so long after it came. What a frame
/// takes on the line, beside the ways, says `line`: the first of them, and the last.
fn one_at_a_time(
    ways: [i64; 2],
    sender: usize,
    late: impl Fn(i64) -> i64,
    [long, last]: [i64; 2],
    before: bool,
) -> Play {
    let mut play = Play::new(NBF, ways);
    for n in 0..40 {
        let began = play.at;
        let (mut at, message) = match sender {
            S => (
                play.says(C, began, "smb1 read-andx fid=1 offset=0 length=3500") + MS,
                "smb1 read-andx data=3500 | lost=2,3",
            ),
            _ => (began, "smb1 write-andx fid=1 offset=0 data=3500 | lost=2,3"),
        };
        let frames = [
            (message, long),
            ("again part=2", long),
            ("again part=3", last),
        ];
        let mut end = at;
        for (part, (what, takes)) in frames.into_iter().enumerate() {
            // The line is before the capture, or behind it.
            let [seen, arrives] = if before { [takes, 0] } else { [0, takes] };
            end = play.says(sender, at + seen, what) + arrives;
            if part < 2 {
                at = play.says(1 - sender, end + late(2 * n + part as i64), "llc rr");
            }
        }
        let own = late(2 * n) + late(2 * n + 1);
        if sender == C {
            end = play.says(S, end + MS, "smb1 write-andx count=3500");
        }
        let shares = match sender {
            S => (own, MS),
            _ => (0, own + MS),
        };
        play.over((began, end), shares.0, shares.1);
    }
    play
}

#[test]
fn a_late_acknowledgement_on_a_link_is_its_receivers_time() {
    for (sender, culprit) in [(S, Culprit::Client), (C, Culprit::Server)] {
        for (place, ways) in PLACES.into_iter().enumerate() {
            let play = one_at_a_time(ways, sender, |_| 200 * MS, [0, 0], false);
            let found = play.judged(&format!("late-{sender}-{place}"), culprit);
            let verdict = Verdict::on(&found.snapshot);
            let stall = verdict.stall.expect("it has a stall");
            assert_eq!(stall.cause, StallCause::DelayedAcknowledgement);
            assert_eq!(stall.of, culprit);
        }
    }
}

/// A line on which 1,500 bytes take 48 ms, and the shortest frames 3: the acknowledgement of each frame is as late before it, the
/// next frame behind it.
#[test]
fn a_slow_line_keeps_no_acknowledgement_on_a_link() {
    let (at_client, at_server) = ([10 * US, 3 * MS], [3 * MS, 10 * US]);
    for (sender, never) in [(S, Culprit::Client), (C, Culprit::Server)] {
        for (place, ways) in [at_client, at_server].into_iter().enumerate() {
            let before = sender != place;
            let play = one_at_a_time(ways, sender, |_| 0, [48 * MS, 22 * MS], before);
            let name = format!("slow-{sender}-{place}");
            let finding = Verdict::on(&play.possible(&name).snapshot).finding;
            assert_ne!(finding, Finding::Named(never), "{name}");
        }
    }
}

/// Acknowledgements come after 50, 110, 170 and 230 ms: no timer runs like that, and it may be the way.
#[test]
fn acknowledgements_on_a_link_that_are_unevenly_late_may_be_the_networks() {
    for (sender, culprit) in [(S, Culprit::Client), (C, Culprit::Server)] {
        for (place, ways) in PLACES.into_iter().enumerate() {
            let late = |n: i64| (50 + 60 * (n % 4)) * MS;
            let play = one_at_a_time(ways, sender, late, [0, 0], false);
            let name = format!("uneven-{sender}-{place}");
            let verdict = Verdict::on(&play.possible(&name).snapshot);
            let share = verdict.share(culprit).thousandths;
            assert!(share.low < 500 && share.high > 900, "{name}: {verdict:?}");
        }
    }
}

/// Reads of three packets, the second of which is lost on the way to the client, who asks for it after a while.
fn lost_fragments(ways: [i64; 2], wait: i64) -> Play {
    let mut play = Play::new(NCP, ways);
    // It is captured where the wire drops what is behind the capture.
    let fate = if ways[S] < ways[C] { "dropped" } else { "lost" };
    for n in 0..40 {
        let began = play.at;
        let offset = n * 4192;
        let asked = format!("burst read offset={offset} length=4192");
        let first = play.says(C, began, &asked) + MS;
        let data = format!("burst read offset={offset} data=4192 | gap=0.000001 {fate}=2");
        let arrived = play.says(S, first, &data) + 2 * US;
        let told = play.says(C, arrived + wait, "burst missing from=1400 length=1400");
        let again = format!("burst read offset={offset} data=4192 from=1400 length=1400");
        let end = play.says(S, told + 100 * US, &again);
        play.says(C, end + 10 * US, "burst acknowledge");
        play.over((began, end), 0, MS);
    }
    play
}

#[test]
fn fragments_of_a_burst_that_the_client_asks_for_again_are_loss_recovery() {
    for (place, ways) in PLACES.into_iter().take(2).enumerate() {
        let play = lost_fragments(ways, 50 * MS);
        play.judged(&format!("burst-{place}"), Culprit::Network);
    }
}

/// Reads that take the server 30 ms, of which the capture lacks every fourth request, or that and its response.
fn missed(stations: &'static str, ways: [i64; 2], responses: bool) -> Play {
    let mut play = Play::new(stations, ways);
    let [asks, answers, acks] = match stations {
        TCP => [
            "smb2 read file=1 offset=0 length=500",
            "smb2 read data=500",
            "tcp ack",
        ],
        _ => [
            "smb1 read-andx fid=1 offset=0 length=500",
            "smb1 read-andx data=500",
            "llc rr",
        ],
    };
    for n in 0..80 {
        let began = play.at;
        let missed = n % 4 == 3;
        let works = if n % 8 == 0 { MS / 2 } else { 30 * MS };
        let fate = |missed: bool| if missed { " | missed" } else { "" };
        let at = play.says(C, began, &format!("{asks}{}", fate(missed)));
        let message = format!("{answers}{}", fate(missed && responses));
        let end = play.says(S, at + works, &message);
        play.says(C, end, acks);
        if !missed {
            play.over((began, end), 0, works);
        } else if !responses {
            play.did.unknown_until(end);
            play.at = end + 5 * MS;
        } else {
            // The next request is the first that is known of.
            play.at = end + 5 * MS;
            play.did.unknown_until(play.at);
        }
    }
    play
}

#[test]
fn time_of_which_the_capture_lacks_the_request_is_not_the_clients() {
    for (stations, name) in [(TCP, "tcp"), (NBF, "nbf")] {
        // Of the way to a request behind an unknown one nothing is known, either.
        let ways = PLACES.map(|ways| ways.map(|ns| ns / 20));
        for (place, ways) in ways.into_iter().enumerate() {
            for responses in [false, true] {
                let play = missed(stations, ways, responses);
                play.judged(
                    &format!("missed-{name}-{place}-{responses}"),
                    Culprit::Server,
                );
            }
        }
    }
}

/// Reads of which one in twenty is lost, the request or the response, before the capture where that is at the receiver. Its
/// sender sends it again by a timer, and may ask before that what came.
fn lost_on_link(stations: &'static str, ways: [i64; 2], sender: usize, asks: bool) -> Play {
    const TIMER: i64 = 410 * MS;
    let mut play = Play::new(stations, ways);
    let upkeep = if stations == SPP { "spp" } else { "nbipx" };
    let fate = if ways[sender] < ways[1 - sender] {
        "dropped"
    } else {
        "lost"
    };
    for n in 0..240 {
        let began = play.at;
        let lost = n % 20 == 19;
        let mut send = |side: usize, at: i64, what: &str| {
            if !lost || side != sender {
                return play.says(side, at, what);
            }
            play.says(side, at, &format!("{what} | {fate}"));
            let mut at = at + TIMER;
            if asks {
                let asked = play.says(side, at, &format!("{upkeep} probe"));
                at = play.says(1 - side, asked, &format!("{upkeep} ack")) + MS;
            }
            play.says(side, at, "again")
        };
        let arrived = send(C, began, "smb1 read fid=1 offset=0 length=300");
        let end = send(S, arrived + 2 * MS, "smb1 read data=300");
        play.says(C, end, &format!("{upkeep} ack"));
        play.over((began, end), 0, 2 * MS);
        play.at = end + 2 * MS;
    }
    play
}

/// What shows that it was sent is booked; without that, the intervals have it.
#[test]
fn what_is_lost_on_a_link_without_polls_is_nobodys_own_time() {
    for (stations, name) in [(NBIPX, "nbipx"), (SPP, "spp")] {
        for (place, ways) in PLACES.into_iter().enumerate() {
            for sender in [C, S] {
                let asks = |asks| lost_on_link(stations, ways, sender, asks);
                let name = format!("lost-{name}-{place}-{sender}");
                asks(true).judged(&format!("{name}-asks"), Culprit::Network);
                let _ = asks(false).possible(&name);
            }
        }
    }
}

/// Reads that take the server 20 ms; between two, nobody does anything for 800 ms but ask whether the other end is there.
fn idle(ways: [i64; 2], echo: bool) -> Play {
    let mut play = Play::new(TCP, ways);
    for n in 0..40 {
        let began = play.at;
        let works = if n % 8 == 0 { MS / 2 } else { 20 * MS };
        let arrived = play.says(C, began, "smb1 read fid=1 offset=0 length=500");
        let end = play.says(S, arrived + works, "smb1 read data=500");
        play.says(C, end, "tcp ack");
        play.over((began, end), 0, works);
        if n == 39 {
            // What follows the last one is not known.
        } else if echo {
            let asked = play.says(C, end + 400 * MS, "smb1 echo data=4");
            let there = play.says(S, asked, "smb1 echo data=4");
            play.says(C, there, "tcp ack");
        } else {
            let asked = play.says(S, end + 400 * MS, "tcp keepalive");
            play.says(C, asked, "tcp ack");
        }
        play.at = end + 800 * MS;
    }
    play
}

#[test]
fn an_idle_pause_is_one_whoever_asks_whether_the_other_end_is_there() {
    // Ways within idle time are not known.
    let ways = PLACES.map(|ways| ways.map(|ns| ns / 200));
    for (place, ways) in ways.into_iter().enumerate() {
        for echo in [false, true] {
            let play = idle(ways, echo);
            let found = play.judged(&format!("idle-{place}-{echo}"), Culprit::Server);
            let client = found.snapshot.ledgers[0].ledger.get(Phase::Client);
            assert_eq!(client, 0, "{place} {echo}");
        }
    }
}

/// Reads that a mirror port delivers twice, the copies this much later.
fn mirrored(stations: &'static str, later: i64) -> Play {
    let mut play = Play::new(stations, PLACES[1]);
    play.mirror = Some(later);
    let [asks, answers] = match stations {
        TCP => ["smb2 read file=1 offset=0 length=500", "smb2 read data=500"],
        _ => ["ncp read handle=1 offset=0 length=500", "ncp reply"],
    };
    for n in 0..40 {
        let began = play.at;
        // The copy of the request comes behind the response, or before it.
        let works = if n % 2 == 0 { MS } else { 10 * MS };
        let arrived = play.says(C, began, asks);
        let end = play.says(S, arrived + works, answers);
        play.over((began, end), 0, works);
    }
    play
}

/// How many frames of this quality there are.
fn counted(found: &Analysis, name: &str) -> u64 {
    let mut reasons = found.snapshot.capture.reasons.iter();
    reasons
        .find(|reason| reason.name == name)
        .map_or(0, |reason| reason.count)
}

/// By the identification of their packets; IPX has none.
#[test]
fn copies_that_come_milliseconds_later_are_copies() {
    let once = mirrored(TCP, 5 * US).analysed();
    for later in [2 * MS, 20 * MS] {
        let found = mirrored(TCP, later).analysed();
        assert_eq!(counted(&found, "duplicates"), 80, "{later}");
        assert_eq!(counted(&found, "retransmitted"), 0, "{later}");
        let [once, found] = [&once, &found].map(|of| Verdict::on(&of.snapshot));
        assert_eq!(once.shares, found.shares, "{later}");
    }
    assert_eq!(counted(&mirrored(NCP, 2 * MS).analysed(), "duplicates"), 0);
}

/// Encrypted reads, two at a time if so, which are answered in another order than they were asked in.
fn encrypted(together: bool) -> Play {
    let mut play = Play::new(TCP, PLACES[1]);
    for _ in 0..40 {
        let began = play.at;
        let first = play.says(C, began, "smb2 encrypted bytes=117");
        if together {
            play.says(C, began + US, "smb2 encrypted bytes=117");
            play.says(S, first + 2 * MS, "smb2 encrypted bytes=1104");
        }
        let end = play.says(S, first + 20 * MS, "smb2 encrypted bytes=1104");
        play.over((began, end), 0, 20 * MS);
    }
    play
}

#[test]
fn which_encrypted_response_answers_which_request_is_doubted_where_that_is_guessed() {
    for together in [false, true] {
        let found = encrypted(together).analysed();
        let guessed = if together { 40 } else { 0 };
        assert_eq!(counted(&found, "guessed_order"), guessed);
        let doubts = Verdict::on(&found.snapshot).doubts;
        assert_eq!(
            doubts.contains(&Doubt::GuessedOrder(40)),
            together,
            "{doubts:?}"
        );
        let grade = if together { Grade::Fair } else { Grade::Good };
        assert_eq!(found.snapshot.capture.grade, grade);
    }
}

/// Encrypted requests of this length, and what comes for each of them: how much later, and how long; then the client works.
fn sealed(bytes: u32, responses: &[(i64, u32)], works: i64) -> Play {
    let mut play = Play::new(TCP, PLACES[1]);
    for _ in 0..40 {
        let began = play.at;
        let asked = play.says(C, began, &format!("smb2 encrypted bytes={bytes}"));
        let mut end = asked;
        let mut took = 0;
        for (later, bytes) in responses {
            took = later * MS;
            end = play.says(S, asked + took, &format!("smb2 encrypted bytes={bytes}"));
        }
        play.over((began, end), 0, took);
        play.at += works;
    }
    play
}

/// STATUS_PENDING comes in 73 bytes, and so does an error. What the server sends behind it, before the client asks for
/// anything else, is the response.
#[test]
fn a_short_encrypted_response_is_an_interim_one_if_the_server_goes_on() {
    let play = sealed(113, &[(1, 73), (30, 16_464)], 0);
    let found = play.judged("sealed-pending", Culprit::Server);
    assert_eq!(found.transactions.len(), 40);
    for t in &found.transactions {
        assert_eq!((t.interims, t.frames.interim), (1, 1));
        assert_eq!(t.turnaround.exact(), Some(30 * MS + 2 * play.ways[S]));
    }
    // An error after it, of the same length.
    let twice = sealed_server(&[(1, 73), (30, 73)]);
    assert!(twice.iter().all(|t| t.interims == 1), "{twice:?}");
    // The client goes on: that was the response.
    let play = sealed(113, &[(1, 73)], 29 * MS);
    let found = play.possible("sealed-error");
    for t in &found.transactions {
        assert_eq!((t.interims, t.frames.response), (0, 1));
        assert_eq!(t.turnaround.exact(), Some(MS + 2 * play.ways[S]));
    }
    assert_eq!(found.transactions.len(), 40);
    // Who waits for changes of a folder waits by design.
    let found = sealed(96, &[(1, 73), (400, 104)], 0).analysed();
    let verdict = Verdict::on(&found.snapshot);
    let server = verdict.share(Culprit::Server).thousandths;
    assert!(server.high < 200, "{verdict:?}");
}

fn sealed_server(responses: &[(i64, u32)]) -> Vec<Transaction> {
    let play = sealed(113, responses, 0);
    play.judged("sealed-error-behind", Culprit::Server)
        .transactions
}

/// Of two responses under way the first is missing while the second is there, and comes half a second later: 499 ms
/// of that are loss recovery.
#[test]
fn a_frame_that_later_ones_of_its_link_overtake_by_a_timer_was_lost() {
    for stations in [NBF, NBIPX, SPP] {
        let mut text = format!("title made\n{stations}0.000 C>S connect gap=0.001\n");
        for round in 0..20 {
            let lines = [
                (0, "C>S smb1 read-andx mid=2 fid=1 offset=0 length=64"),
                (1, "C>S smb1 read-andx mid=3 fid=1 offset=64 length=64"),
                (2, "S>C smb1 read-andx mid=2 data=64"),
                (3, "S>C smb1 read-andx mid=3 data=64"),
            ];
            for (ms, line) in lines {
                text += &format!("{}.{:03} {line}\n", 1 + round, ms);
            }
        }
        let scenario = Scenario::parse("overtaken", &text).unwrap();
        let mut frames = scenario.frames().to_vec();
        let began = frames[0].at;
        for frame in &mut frames {
            let ms = frame.at.since(began) / MS;
            if ms >= 1_000 && ms % 1_000 == 2 {
                frame.at = frame.at.plus(500 * MS);
            }
        }
        frames.sort_by_key(|frame| frame.at);
        let found = analyse_frames(&frames);
        let all = &found.snapshot.ledgers[0].ledger;
        let lost = all.get(Phase::Retransmission) as i64 / MS;
        assert_eq!(lost, 20 * 499, "{stations}: {all:?}");
    }
}
