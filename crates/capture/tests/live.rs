//! Live capture on this machine's loopback interface. Needs the right to capture; where it is
//! missing, the test says so.

#![cfg(feature = "libpcap")]

use std::net::UdpSocket;
use std::time::{Duration, Instant};
use wirewait_capture::filter::Filter;
use wirewait_capture::live::{self, Event, Live, LiveErrorKind, LiveOptions};
use wirewait_wire::{Frame, LinkType, Source, Timestamp};

/// Captures what goes to this port; `None`, with a loud word, where nobody may.
fn start(port: u16, change: impl FnOnce(&mut LiveOptions)) -> Option<Live> {
    let mut options = LiveOptions::default();
    options.filter = format!("udp dst port {port}");
    options.buffer = 4 << 20;
    change(&mut options);
    match live::open(&["lo".to_owned()], &options) {
        Ok(opened) => Some(opened.start().unwrap()),
        Err(error) if error.kind == LiveErrorKind::NoRights => {
            assert!(
                std::env::var_os("WIREWAIT_REQUIRE_LIVE").is_none(),
                "live capture is required: {error}"
            );
            eprintln!("SKIPPED: live capture: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// The last bytes of all frames until the end.
fn drain(live: &mut Live) -> Vec<u32> {
    let mut seen = Vec::new();
    let since = Instant::now();
    loop {
        assert!(since.elapsed() < Duration::from_secs(60), "it does not end");
        match live.wait(Duration::from_millis(50)) {
            Event::Frames => {
                while let Some(frame) = live.next_frame().unwrap() {
                    let tail = frame.bytes.last_chunk::<4>().unwrap();
                    seen.push(u32::from_be_bytes(*tail));
                }
            }
            Event::Idle => {}
            Event::End => return seen,
            other => panic!("{other:?}"),
        }
    }
}

/// Two sockets, and the port of the one that receives.
fn sockets() -> (UdpSocket, UdpSocket, u16) {
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    let timeout = Some(Duration::from_secs(20));
    receiver.set_read_timeout(timeout).unwrap();
    let port = receiver.local_addr().unwrap().port();
    let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
    sender.connect(("127.0.0.1", port)).unwrap();
    (sender, receiver, port)
}

/// Sends a frame, and waits until it was on the wire: a busy system delivers later than it sends.
fn pass((sender, receiver): (&UdpSocket, &UdpSocket), number: u32) {
    sender.send(&number.to_be_bytes()).unwrap();
    let mut bytes = [0; 4];
    receiver.recv(&mut bytes).unwrap();
    assert_eq!(u32::from_be_bytes(bytes), number);
}

#[test]
fn every_frame_until_the_stop_comes_and_is_counted() {
    let (sender, receiver, port) = sockets();
    let Some(mut live) = start(port, |_| {}) else {
        return;
    };
    assert_eq!(live.wait(Duration::from_millis(10)), Event::Idle);
    for number in 0..5000 {
        pass((&sender, &receiver), number);
    }
    // The last ones are in a block that the operating system has not handed over yet.
    live.stop();
    let seen = drain(&mut live);
    assert!(seen.iter().copied().eq(0..5000), "{} of 5000", seen.len());
    let interface = &live.interfaces()[0];
    assert_eq!(interface.name.as_deref(), Some("lo"));
    assert_eq!(interface.frames, seen.len() as u64);
    // Loopback frames pass twice, once on their way out; libpcap leaves that one out.
    assert_eq!(interface.received, Some(2 * seen.len() as u64));
    assert_eq!(interface.lost(), Some(0));
    assert_eq!(live.lost(), Some(0));
}

#[test]
fn a_silent_interface_can_be_stopped_and_counters_come_all_the_same() {
    let (sender, receiver, port) = sockets();
    let Some(mut live) = start(port, |_| {}) else {
        return;
    };
    pass((&sender, &receiver), 1);
    let since = Instant::now();
    while live.interfaces()[0].received == Some(0) {
        assert!(since.elapsed() < Duration::from_secs(20));
        live.wait(Duration::from_millis(50));
    }
    let since = Instant::now();
    live.stop();
    assert_eq!(drain(&mut live), [1]);
    assert!(since.elapsed() < Duration::from_secs(5));
}

#[test]
fn what_was_not_fetched_in_time_is_counted() {
    // Nobody reads: what finds no room at the receiver was on the wire all the same.
    let (sender, _receiver, port) = sockets();
    let small = |options: &mut LiveOptions| options.buffer = 1 << 18;
    let Some(mut live) = start(port, small) else {
        return;
    };
    // More than all batches and the buffer can hold, and nobody takes any.
    let sent = 400_000;
    for number in 0..sent {
        sender.send(&u32::to_be_bytes(number)).unwrap();
    }
    live.stop();
    let seen = drain(&mut live).len() as u64;
    let interface = &live.interfaces()[0];
    let dropped = interface.dropped.unwrap();
    assert!(dropped > 0, "all {seen} frames fitted");
    let received = interface.received.unwrap();
    assert_eq!(interface.frames, seen);
    // Each passes twice, and may be dropped either time.
    assert_eq!(received, 2 * u64::from(sent));
    assert!(seen + dropped <= received);
}

#[test]
fn what_cannot_be_opened_is_told() {
    let names = ["no-such-if".to_owned()];
    let error = live::open(&names, &LiveOptions::default()).unwrap_err();
    assert_eq!(error.kind, LiveErrorKind::NoInterface);
    assert!(error.message.contains("no-such-if") && error.message.contains("lo"));
    let error = live::open(&[], &LiveOptions::default()).unwrap_err();
    assert_eq!(error.kind, LiveErrorKind::NoInterface);

    let mut options = LiveOptions::default();
    options.filter = "tcp prot 445".to_owned();
    let error = live::open(&["lo".to_owned()], &options).unwrap_err();
    if error.kind != LiveErrorKind::NoRights {
        assert_eq!(error.kind, LiveErrorKind::Filter);
        assert!(error.message.ends_with("\n      ^~~~"), "{error}");
    }
}

/// Runs `ip` with these arguments; whether it worked.
fn ip(arguments: &str) -> bool {
    let output = std::process::Command::new("ip")
        .args(arguments.split(' '))
        .output();
    output.is_ok_and(|output| output.status.success())
}

/// A network namespace, which is taken away when the test is over.
struct Namespace(String);

impl Namespace {
    fn new() -> Option<Self> {
        let name = format!("wirewait-{}", std::process::id());
        if ip(&format!("netns add {name}")) {
            return Some(Self(name));
        }
        assert!(
            std::env::var_os("WIREWAIT_REQUIRE_LIVE").is_none(),
            "live capture is required, and no network namespace can be made"
        );
        eprintln!("SKIPPED: live capture: no right to make a network namespace");
        None
    }

    /// Runs this test program there, for one test.
    fn run(&self, test: &str) {
        let program = std::env::current_exe().unwrap();
        let output = std::process::Command::new("ip")
            .args(["netns", "exec", &self.0])
            .arg(program)
            .args(["--exact", test, "--nocapture"])
            .env(INSIDE, "1")
            .output()
            .unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(output.status.success(), "{said}");
        assert!(said.contains("1 passed"), "{said}");
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        ip(&format!("netns del {}", self.0));
    }
}

/// Set where the test program runs in a network namespace of its own.
const INSIDE: &str = "WIREWAIT_TEST_NAMESPACE";

/// What an interface received in the last 100 ms before it was taken away is captured.
#[test]
fn the_last_frames_of_an_interface_that_is_deleted_come() {
    if std::env::var_os(INSIDE).is_none() {
        if let Some(namespace) = Namespace::new() {
            namespace.run("the_last_frames_of_an_interface_that_is_deleted_come");
        }
        return;
    }
    assert!(ip("link add near type veth peer name far"));
    assert!(ip("link set near up") && ip("link set far up"));
    let opened = live::open(&["near".to_owned()], &LiveOptions::default());
    let mut live = opened.unwrap().start().unwrap();
    let mut far = pcap::Capture::from_device("far").unwrap().open().unwrap();
    // The operating system hands over what came in 100 ms: the last frames are in a block that
    // is not full when the interface goes.
    const SENT: u32 = 200;
    for number in 0..SENT {
        let mut frame = vec![0xff; 12];
        frame.extend(EXPERIMENTAL);
        frame.resize(60, 0);
        frame.extend(number.to_be_bytes());
        far.sendpacket(frame).unwrap();
    }
    assert!(ip("link del near"));
    let (mut seen, mut gone) = (Vec::new(), false);
    let since = Instant::now();
    loop {
        assert!(
            since.elapsed() < Duration::from_secs(20),
            "it is not noticed"
        );
        match live.wait(Duration::from_millis(500)) {
            Event::Frames => {
                while let Some(frame) = live.next_frame().unwrap() {
                    if frame.bytes[12..14] == EXPERIMENTAL {
                        let tail = frame.bytes.last_chunk::<4>().unwrap();
                        seen.push(u32::from_be_bytes(*tail));
                    }
                }
            }
            Event::Interface(change) => {
                assert_eq!(change.gone.as_deref(), Some("the interface is gone"));
                gone = true;
            }
            Event::Idle if gone => break,
            Event::Idle => {}
            other => panic!("{other:?}"),
        }
    }
    assert!(seen.iter().copied().eq(0..SENT), "{} of {SENT}", seen.len());
    let interface = &live.interfaces()[0];
    assert_eq!(interface.received, Some(interface.frames));
    assert_eq!(interface.lost(), Some(0));
}

/// A TCP segment to this port, behind these VLAN tags (IEEE 802.1Q, 802.1ad).
fn segment(tags: &[[u8; 4]], port: u16) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];
    frame.extend(tags.iter().flatten());
    frame.extend([0x08, 0x00]);
    // IPv4 of 40 bytes, protocol 6, 10.0.0.1 to 10.0.0.2.
    frame.extend([0x45, 0, 0, 40, 0, 1, 0x40, 0, 64, 6, 0, 0]);
    frame.extend([10, 0, 0, 1, 10, 0, 0, 2]);
    frame.extend([0xc0, 0]);
    frame.extend(port.to_be_bytes());
    frame.extend([0, 0, 0, 1, 0, 0, 0, 1, 0x50, 0x10, 16, 0, 0, 0, 0, 0]);
    frame
}

/// Frames with a VLAN tag pass a filter that does not speak of VLANs, live as in files.
#[test]
fn a_filter_finds_tagged_frames_live_as_in_files() {
    if std::env::var_os(INSIDE).is_none() {
        if let Some(namespace) = Namespace::new() {
            namespace.run("a_filter_finds_tagged_frames_live_as_in_files");
        }
        return;
    }
    assert!(ip("link add near type veth peer name far"));
    assert!(ip("link set near up") && ip("link set far up"));
    const TAG: [u8; 4] = [0x81, 0x00, 0x00, 100];
    let frames = [
        segment(&[], 445),
        segment(&[TAG], 445),
        segment(&[], 80),
        segment(&[TAG], 80),
        segment(&[TAG, TAG], 445),
    ];
    for (expression, wanted) in [
        ("tcp port 445", [true, true, false, false, false]),
        ("vlan and tcp port 445", [false, true, false, false, false]),
    ] {
        let mut filter = Filter::compile(expression).unwrap();
        let in_files = frames.each_ref().map(|bytes| {
            let frame = Frame {
                at: Timestamp::from_nanos(0),
                link: LinkType::ETHERNET,
                interface: 0,
                wire_len: bytes.len() as u32,
                bytes,
            };
            filter.matches(&frame)
        });
        assert_eq!(in_files, wanted, "{expression}");
        let mut options = LiveOptions::default();
        options.filter = expression.to_owned();
        let opened = live::open(&["near".to_owned()], &options);
        let mut live = opened.unwrap().start().unwrap();
        let mut far = pcap::Capture::from_device("far").unwrap().open().unwrap();
        for frame in &frames {
            far.sendpacket(frame.as_slice()).unwrap();
        }
        // One that passes tells that all others have been here.
        far.sendpacket(frames[1].as_slice()).unwrap();
        let mut seen = Vec::new();
        let since = Instant::now();
        let sent = wanted.iter().filter(|passes| **passes).count() + 1;
        while seen.len() < sent {
            assert!(since.elapsed() < Duration::from_secs(20), "{seen:?}");
            if live.wait(Duration::from_millis(50)) == Event::Frames {
                while let Some(frame) = live.next_frame().unwrap() {
                    seen.push(frame.bytes.to_vec());
                }
            }
        }
        seen.pop();
        let passed = frames.iter().zip(wanted).filter(|(_, passes)| *passes);
        let passed: Vec<Vec<u8>> = passed.map(|(frame, _)| frame.clone()).collect();
        assert_eq!(seen, passed, "{expression}");
    }
}

/// The type of local experiments (IEEE 802).
const EXPERIMENTAL: [u8; 2] = [0x88, 0xb5];
