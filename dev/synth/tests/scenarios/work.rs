//! Stations at work: what their programs measured is what a hand computes from the lines.

use wirewait_synth::Scenario;
use wirewait_synth::scenario::Call;

fn scenario(text: &str) -> Scenario {
    let text = format!("title Work\n{text}");
    Scenario::parse("work.scenario", &text).unwrap_or_else(|error| panic!("{error}"))
}

fn response(call: &Call) -> i64 {
    call.answered.unwrap().as_nanos() - call.asked.as_nanos()
}

/// From the first request's frame to the last answer's, ns.
fn elapsed(calls: &[Call]) -> i64 {
    let first = calls.iter().map(|call| call.asked.as_nanos()).min();
    let last = calls.iter().map(|call| call.answered.unwrap().as_nanos());
    last.max().unwrap() - first.unwrap()
}

const IPX: &str = "link 10M\n\
                   client A..O ipx 00000011.00001b020001:4003\n\
                   server FS ipx 00000011.00001b0200fe:0451\n";

#[test]
fn one_station_waits_for_the_server_and_the_cable() {
    let scenario = scenario(&format!(
        "{IPX}service FS read=2ms+1us/byte\n\
         0 A>FS work ops=read:3000 piece=1000 count=2 turn=0.3ms think=5ms\n"
    ));
    let calls = scenario.calls();
    assert_eq!(calls.len(), 6);
    assert_eq!(scenario.frames().len(), 12);
    // The answer is 14 + 30 + 8 + 2 + 1000 = 1054 bytes; 12 more are 1066 at 0.8 us each.
    let expected = 2_000_000 + 1_000_000 + 1066 * 800;
    for call in calls {
        assert_eq!(response(call), expected);
        assert_eq!((call.verb, call.bytes, call.copies), ("read", 1000, 1));
    }
    // From an answer's last bit to the next request's: the gap of 9.6 us is over by then;
    // the request is 64 bytes, 76 * 0.8 us. Between records 5 ms more.
    let pause =
        |a: usize, b: usize| calls[b].asked.as_nanos() - calls[a].answered.unwrap().as_nanos();
    assert_eq!(pause(0, 1), 300_000 + 60_800);
    assert_eq!(pause(2, 3), 5_300_000 + 60_800);
    assert_eq!((calls[2].record, calls[3].record), (0, 1));
}

#[test]
fn a_server_that_is_never_idle_answers_one_in_each_service_time() {
    let scenario = scenario(&format!(
        "{IPX}service FS read=4ms\n0 A..O>FS work ops=read:750 count=20\n"
    ));
    let calls = scenario.calls();
    assert_eq!(calls.len(), 15 * 20);
    // All but the first request's way there and the last answer's way back is service.
    let served = 300 * 4_000_000;
    let answer = (54 + 750 + 12) * 800;
    assert_eq!(elapsed(calls), served + answer);
    // Each waits for all fifteen: fourteen others and itself, and between its answer and its
    // next request nobody else comes in between.
    let late = &calls[150];
    assert!((response(late) - 15 * 4_000_000).abs() < 1_000_000);
}

#[test]
fn two_workers_do_twice_as_much() {
    let run = |workers: usize| {
        let scenario = scenario(&format!(
            "{IPX}service FS read=4ms workers={workers}\n0 A..D>FS work ops=read:512 count=50\n"
        ));
        elapsed(scenario.calls())
    };
    assert!((run(1) - 2 * run(2)).abs() < 6_000_000);
}

#[test]
fn a_bridge_adds_its_time_and_a_hop_and_both_sides_can_be_captured() {
    let scenario = scenario(
        "segment NEAR 10M\nsegment FAR 10M\n\
         router R NEAR FAR forward=0.4ms+1us/byte delay=1ms\n\
         client A ipx 00000011.00001b020001:4003 on=NEAR\n\
         server FS ipx 00000012.00001b0200fe:0451 on=FAR\n\
         service FS read=2ms\n\
         0 A>FS work ops=read:512 count=1\n",
    );
    let frames = scenario.frames();
    let at = |frame: usize| frames[frame].at.as_nanos() - frames[0].at.as_nanos();
    // Request of 64 bytes: 0.4 ms, 64 us, 1 ms, and 76 * 0.8 us on the other cable.
    assert_eq!(at(1), 400_000 + 64_000 + 1_000_000 + 60_800);
    // Answer of 566 bytes after 2 ms, and back.
    assert_eq!(at(2) - at(1), 2_000_000 + 578 * 800);
    assert_eq!(at(3) - at(2), 400_000 + 566_000 + 1_000_000 + 578 * 800);
    let seen: Vec<_> = frames
        .iter()
        .map(|frame| {
            (
                frame.interface,
                frame.bytes[18],
                frame.bytes[5],
                frame.bytes[11],
            )
        })
        .collect();
    // Interface, transport control, last bytes of the addresses: the router has one each side.
    assert_eq!(
        seen,
        [(0, 0, 1, 1), (1, 1, 0xfe, 2), (1, 0, 2, 0xfe), (0, 1, 1, 1)]
    );
}

#[test]
fn sixteen_routers_are_one_too_many() {
    let mut text = String::new();
    for cable in 0..17 {
        text += &format!("segment N{cable} 10M\n");
    }
    for router in 0..16 {
        text += &format!("router R{router} N{router} N{} forward=1ms\n", router + 1);
    }
    text += "client FAR ipx 00000010.00001b020001:4003 on=N0\n\
             client NEAR ipx 00000011.00001b020002:4003 on=N1\n\
             server FS ipx 00000020.00001b0200fe:0451 on=N16\n\
             service FS read=1ms\n\
             0 FAR>FS work ops=read:1 count=1 timeout=1s tries=2\n\
             0 NEAR>FS work ops=read:1 count=1\n";
    let scenario = scenario(&text);
    let calls = scenario.calls();
    let answered: Vec<_> = calls
        .iter()
        .map(|call| (call.station.as_str(), call.answered.is_some(), call.copies))
        .collect();
    assert_eq!(answered, [("NEAR", true, 1), ("FAR", false, 2)]);
    assert_eq!(
        scenario.frames().iter().map(|frame| frame.bytes[18]).max(),
        Some(15)
    );
}

#[test]
fn what_is_lost_is_asked_again_and_a_busy_server_says_so() {
    let lost = scenario(&format!(
        "{IPX}service FS read=1ms\n\
         0 A>FS work ops=read:512 count=200 turn=0.1ms timeout=0.5s lost=1/10\n"
    ));
    let calls = lost.calls();
    let again: Vec<_> = calls.iter().filter(|call| call.copies > 1).collect();
    // 200 of which one in ten is lost: chance is seeded, so the number is always the same.
    assert!((10..=30).contains(&again.len()), "{}", again.len());
    for call in &again {
        // One time-out for each copy but the last, then 1 ms and the answer of 566 bytes.
        let waited = i64::from(call.copies - 1) * 500_000_000;
        assert_eq!(response(call), waited + 1_000_000 + 578 * 800);
    }
    assert_eq!(
        lost.frames().len(),
        400 + again
            .iter()
            .map(|call| call.copies as usize - 1)
            .sum::<usize>()
    );

    let busy = scenario(&format!(
        "{IPX}service FS read=90ms\n0 A>FS work ops=read:512 count=1 timeout=40ms\n"
    ));
    // Asked at 0, 40 and 80 ms; told to wait twice.
    let call = &busy.calls()[0];
    assert_eq!((call.copies, call.interims), (3, 2));
    assert_eq!(busy.frames().len(), 3 + 2 + 1);
}

#[test]
fn windows_make_the_sender_wait_for_acknowledgements() {
    let scenario = scenario(
        "link 10M\n\
         client A nbf 00-00-1b-00-00-01\n\
         server FS nbf 00-00-1b-00-00-fe\n\
         service FS read=1ms\n\
         0 A>FS work ops=read:12000 by=andx count=3 window=2 acks\n",
    );
    // 12000 bytes and the header of SMB are nine frames of 1482 bytes at most: acknowledged
    // after 2, 4, 6, 8 and at the end; the request, and its acknowledgement.
    assert_eq!(scenario.frames().len(), 3 * (2 + 9 + 5));
}

#[test]
fn records_errors_and_times_come_from_the_seed() {
    let text = |seed: u64| {
        format!(
            "{IPX}seed {seed}\nservice FS read=2ms write=8ms jitter=1ms crowd=0.1ms miss=1/8:20ms\n\
             0 A..O>FS work ops=read:1000*3,write:500*1,look*1 for=2 ramp=0.5 think=1ms~2ms failed=1/20\n"
        )
    };
    let (a, b, c) = (scenario(&text(1)), scenario(&text(1)), scenario(&text(2)));
    assert_eq!(a.pcapng(), b.pcapng());
    assert_ne!(a.pcapng(), c.pcapng());
    let calls = a.calls();
    let share = |wanted: &dyn Fn(&Call) -> bool| {
        calls.iter().filter(|call| wanted(call)).count() as f64 / calls.len() as f64
    };
    assert!(calls.len() > 300, "{}", calls.len());
    assert!((0.5..0.7).contains(&share(&|call| call.verb == "read")));
    assert!((0.02..0.09).contains(&share(&|call| call.failed)));
    // The ramps: A begins at once and ends first, O begins half a second later.
    let first = |name: &str| {
        let call = calls.iter().find(|call| call.station == name).unwrap();
        call.asked.as_nanos() - calls[0].asked.as_nanos()
    };
    assert!(first("A").abs() < 1_000_000);
    assert!((first("O") - 500_000_000).abs() < 2_000_000);
}
