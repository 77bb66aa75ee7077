//! Clients that wait for other services between their requests to a file server, and servers that do before they respond: for a
//! name server, a log-on server. What is said of that must be what the stations did, added up here.

use crate::support::{Analysis, analyse_frames};
use std::net::Ipv4Addr;
use wirewait_analysis::{Snapshot, State, Subject};
use wirewait_judge::{Culprit, Doubt, Verdict};
use wirewait_synth::OwnedFrame;
use wirewait_synth::Scenario;
use wirewait_synth::ethernet::{self, Encapsulation};
use wirewait_synth::ipv4::{self, Segment, Socket, flag};
use wirewait_wire::{Address, Endpoint, LinkType, Timestamp};

const MS: i64 = 1_000_000;
/// Requests of the client, a response 2 ms after each.
const READS: i64 = 30;
const CLIENT: [u8; 4] = [10, 0, 0, 1];
/// Name servers, of which the first is asked first.
const NAMES: [[u8; 4]; 2] = [[10, 0, 0, 53], [10, 0, 0, 54]];
const DNS: u16 = 53;

/// NCP reads, with pauses of this number of milliseconds behind their responses.
fn reads(pause: i64) -> Vec<OwnedFrame> {
    let mut text =
        "title Reads\nclient C udp 10.0.0.1:1025\nserver S udp 10.0.0.9:524\n".to_owned();
    for n in 0..READS {
        let at = n * (pause + 2);
        let line = |at: i64, what: &str| format!("{}.{:03} {what}\n", at / 1000, at % 1000);
        text += &line(
            at,
            &format!("C>S ncp read handle=1 offset={} length=1024", n * 1024),
        );
        text += &line(at + 2, "S>C ncp reply data=1024");
    }
    Scenario::parse("reads", &text).unwrap().frames().to_vec()
}

/// When a pause begins, ms.
fn pause(n: i64, pause: i64) -> i64 {
    n * (pause + 2) + 2
}

fn socket(address: [u8; 4], port: u16) -> Socket {
    Socket {
        address: Ipv4Addr::from(address),
        port,
    }
}

/// A frame this number of milliseconds behind the first one.
fn frame(ms: i64, from: Socket, to: Socket, (protocol, data): (u8, Vec<u8>)) -> OwnedFrame {
    let header = ethernet::Header {
        destination: [2, 0, 0, 0, 0, to.address.octets()[3]],
        source: [2, 0, 0, 0, 0, from.address.octets()[3]],
        vlan: None,
    };
    // Each packet has a number of its own, and is no copy of another.
    let number = (ms % 60_000) as u16;
    let packet = ipv4::packet(from.address, to.address, protocol, number, &data);
    let bytes = ethernet::frame(&header, Encapsulation::Type(0x0800), &packet);
    let first = reads(1)[0].at;
    OwnedFrame {
        at: Timestamp::from_nanos(first.as_nanos() + ms * MS),
        link: LinkType::ETHERNET,
        interface: 0,
        wire_len: bytes.len() as u32,
        bytes,
    }
}

/// A datagram to that port of a service, or from it.
fn datagram(ms: i64, service: [u8; 4], port: u16, asks: bool) -> OwnedFrame {
    let (client, service) = (socket(CLIENT, 50_000), socket(service, port));
    let (from, to) = if asks {
        (client, service)
    } else {
        (service, client)
    };
    frame(ms, from, to, (17, ipv4::udp(from, to, b"a name")))
}

/// A segment likewise.
fn segment(ms: i64, service: [u8; 4], asks: bool, flags: u8, data: &[u8]) -> OwnedFrame {
    let (client, service) = (socket(CLIENT, 50_000), socket(service, 88));
    let (from, to) = if asks {
        (client, service)
    } else {
        (service, client)
    };
    let segment = Segment {
        sequence: 1,
        acknowledgement: 1,
        flags,
        window: 8192,
        options: &[],
        data,
    };
    frame(ms, from, to, (6, ipv4::tcp(from, to, &segment)))
}

fn analyse(mut frames: Vec<OwnedFrame>) -> Analysis {
    frames.sort_by_key(|frame| frame.at);
    analyse_frames(&frames)
}

/// How often the client waited for which service by this rule, and for how long, ms.
fn waits(snapshot: &Snapshot, rule: &str) -> Vec<(Endpoint, u64, u64)> {
    let found = snapshot.symptoms.found.iter();
    let found = found.filter(|symptom| symptom.rule.id == rule);
    let found = found.map(|symptom| {
        let Subject::Pair { client, server } = symptom.subject else {
            panic!("{:?}", symptom.subject);
        };
        assert_eq!(client, Endpoint::at(Address::V4(CLIENT)));
        (server, symptom.hits.count, symptom.hits.cost_ns / MS as u64)
    });
    found.collect()
}

fn service(address: [u8; 4], port: u16) -> Endpoint {
    Endpoint::at(Address::V4(address)).with_port(port)
}

/// In each pause of 100 ms, a name is asked for after 5 ms and known after 95.
#[test]
fn a_client_that_waits_for_names_is_said_to() {
    let mut frames = reads(100);
    for n in 0..READS - 1 {
        let at = pause(n, 100);
        frames.push(datagram(at + 5, NAMES[0], DNS, true));
        frames.push(datagram(at + 95, NAMES[0], DNS, false));
    }
    let snapshot = analyse(frames).snapshot;
    let (asked, ns) = ((READS - 1) as u64, (READS - 1) as u64 * 90);
    let names = service(NAMES[0], DNS);
    assert_eq!(waits(&snapshot, "service_waits"), [(names, asked, ns)]);
    assert_eq!(waits(&snapshot, "long_service_waits"), []);
    let symptom = snapshot.symptoms.raised().next().unwrap();
    assert_eq!(
        (symptom.rule.id, symptom.state),
        ("service_waits", State::Raised)
    );
    let sight = symptom.hits.kept().next().unwrap();
    assert_eq!((sight.from.frame, sight.to.frame), (3, 4));
    let verdict = Verdict::on(&snapshot);
    assert!(verdict.finding.is_of_clients());
    let mut doubts = verdict.doubts.iter();
    let said = doubts.find_map(|doubt| match doubt {
        Doubt::OtherServices(others) => {
            Some((others.ns / MS as u64, others.thousandths, others.most))
        }
        _ => None,
    });
    assert_eq!(said, Some((ns, 900, names)));
}

/// Every fifth pause of 400 ms, the first name server is silent for 300 ms, and the second one takes 20.
#[test]
fn a_service_that_does_not_respond_was_waited_for_until_another_one_is_asked() {
    let mut frames = reads(400);
    for n in 0..READS - 1 {
        let at = pause(n, 400);
        frames.push(datagram(at + 5, NAMES[0], DNS, true));
        match n % 5 {
            4 => {
                frames.push(datagram(at + 305, NAMES[1], DNS, true));
                frames.push(datagram(at + 325, NAMES[1], DNS, false));
            }
            _ => frames.push(datagram(at + 15, NAMES[0], DNS, false)),
        }
    }
    let snapshot = analyse(frames).snapshot;
    let found = waits(&snapshot, "service_waits");
    let first = (service(NAMES[0], DNS), 29, 24 * 10 + 5 * 300);
    assert_eq!(found, [first, (service(NAMES[1], DNS), 5, 100)]);
}

/// A log-on server refuses the first connection after 5 ms, and opens the next one after 1.6 s: of 3 s, which are no
/// active time.
#[test]
fn connections_to_other_services_are_waits_and_long_ones_are_beside_the_active_time() {
    let at = pause(READS - 1, 10);
    let mut frames = reads(10);
    let mut later = reads(10);
    for frame in &mut later {
        frame.at = frame.at.plus((at + 3000) * MS);
    }
    frames.extend(later);
    frames.push(segment(at + 100, NAMES[1], true, flag::SYN, b""));
    frames.push(segment(
        at + 105,
        NAMES[1],
        false,
        flag::RST | flag::ACK,
        b"",
    ));
    frames.push(segment(at + 1200, NAMES[1], true, flag::SYN, b""));
    frames.push(segment(
        at + 2800,
        NAMES[1],
        false,
        flag::SYN | flag::ACK,
        b"",
    ));
    // Data asks, and an acknowledgement answers nothing.
    frames.push(segment(at + 2801, NAMES[1], true, flag::ACK, b"a ticket"));
    frames.push(segment(at + 2802, NAMES[1], false, flag::ACK, b""));
    frames.push(segment(
        at + 2901,
        NAMES[1],
        false,
        flag::ACK,
        b"of an hour",
    ));
    let snapshot = analyse(frames).snapshot;
    let kerberos = service(NAMES[1], 88);
    let found = waits(&snapshot, "long_service_waits");
    assert_eq!(found, [(kerberos, 3, 5 + 1600 + 100)]);
    assert_eq!(waits(&snapshot, "service_waits"), []);
    let verdict = Verdict::on(&snapshot);
    assert_eq!(
        verdict.outside.map(|of| of.rule),
        Some("long_service_waits")
    );
}

/// Before each response, 40 ms after its request, the server waits 30 ms for a log-on server; then 13 ms for something else, until after
/// the response.
#[test]
fn a_server_that_waits_for_a_log_on_server_is_said_to() {
    let mut text =
        "title Reads\nclient C udp 10.0.0.1:1025\nserver S udp 10.0.0.9:524\n".to_owned();
    let mut asked = Vec::new();
    for n in 0..READS {
        let at = n * 50;
        let line = |at: i64, what: &str| format!("{}.{:03} {what}\n", at / 1000, at % 1000);
        text += &line(
            at,
            &format!("C>S ncp read handle=1 offset={} length=1024", n * 1024),
        );
        text += &line(at + 40, "S>C ncp reply data=1024");
        // The first request makes the server known.
        if n > 0 {
            let (server, service) = (socket([10, 0, 0, 9], 50_000), socket(NAMES[0], 88));
            let data = || (17, ipv4::udp(server, service, b"a ticket"));
            asked.push(frame(at + 5, server, service, data()));
            asked.push(frame(
                at + 35,
                service,
                server,
                (17, ipv4::udp(service, server, b"here")),
            ));
            asked.push(frame(at + 36, server, service, data()));
            asked.push(frame(
                at + 49,
                service,
                server,
                (17, ipv4::udp(service, server, b"here")),
            ));
        }
    }
    asked.extend(Scenario::parse("reads", &text).unwrap().frames().to_vec());
    let snapshot = analyse(asked).snapshot;
    let found = snapshot.symptoms.found.iter();
    let mut found = found.filter(|symptom| symptom.rule.id == "server_waits");
    let waits = found.next().unwrap();
    let (server, kerberos) = (
        Endpoint::at(Address::V4([10, 0, 0, 9])),
        service(NAMES[0], 88),
    );
    let ends = Subject::Pair {
        client: server,
        server: kerberos,
    };
    let (count, ns) = ((READS - 1) as u64, (READS - 1) as u64 * 30 * MS as u64);
    assert_eq!(
        (waits.subject, waits.hits.count, waits.hits.cost_ns),
        (ends, count, ns)
    );
    assert!(found.next().is_none());
    let verdict = Verdict::on(&snapshot);
    let mut doubts = verdict.doubts.iter();
    let said = doubts.find_map(|doubt| match doubt {
        Doubt::OtherServices(others) => Some((others.of, others.ns, others.most)),
        _ => None,
    });
    assert_eq!(said, Some((Culprit::Server, ns, kerberos)));
}

/// What was asked for while a file server was asked, what comes after the next request, who rests and looks at something else, and
/// who reports and is never answered.
#[test]
fn what_goes_on_beside_is_no_wait() {
    let none = |frames: Vec<OwnedFrame>| {
        let snapshot = analyse(frames).snapshot;
        assert_eq!(waits(&snapshot, "service_waits"), []);
        assert_eq!(waits(&snapshot, "long_service_waits"), []);
    };
    let mut beside = reads(100);
    let mut behind = reads(100);
    let mut reports = reads(100);
    let mut rests = reads(5_000);
    for n in 0..READS - 1 {
        let at = pause(n, 100);
        beside.push(datagram(at - 1, NAMES[0], DNS, true));
        beside.push(datagram(at + 99, NAMES[0], DNS, false));
        behind.push(datagram(at + 1, NAMES[0], DNS, true));
        behind.push(datagram(at + 101, NAMES[0], DNS, false));
        reports.push(datagram(at + 1, NAMES[n as usize % 2], 514, true));
        let at = pause(n, 5_000);
        rests.push(datagram(at + 100, NAMES[0], 443, true));
        rests.push(datagram(at + 600, NAMES[0], 443, false));
    }
    none(beside);
    none(behind);
    none(reports);
    none(rests);
}
