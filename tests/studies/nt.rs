//! "A Profile of Network Throughput" (Optimizing Windows NT, chapter 7): unbuffered reads over
//! NetBEUI, watched with Performance Monitor. The capture is made anew from its scenario;
//! every figure that the text prints comes out of `counters`.

use crate::support::root;
use serde_json::Value;
use std::sync::OnceLock;
use wirewait_analysis::{Analyzer, Settings};
use wirewait_report::counters::{Sampler, Samples, json, text};
use wirewait_report::text::Look;
use wirewait_synth::{OwnedFrame, Scenario};
use wirewait_wire::Timestamp;

const CLIENT: &str = "00-00-1b-00-00-01";
const SERVER: &str = "00-00-1b-00-00-09";

/// Record size, begin of its reads and their number, and from one read of the record to the
/// next, in seconds: as the scenario has them.
const SIZES: [(u64, f64, u64, f64); 19] = [
    (512, 1.0, 300, 0.0032),
    (1024, 3.0, 300, 0.0038),
    (2048, 6.0, 5085, 0.005_113_52),
    (4096, 34.0, 300, 0.0072),
    (8192, 38.0, 150, 0.0136),
    (12288, 42.0, 40, 0.014_013),
    (16384, 44.0, 40, 0.017_618),
    (20480, 46.0, 40, 0.021_222),
    (24576, 48.0, 40, 0.024_827),
    (28672, 50.0, 40, 0.028_431),
    (32768, 53.0, 40, 0.032_036),
    (36864, 56.0, 40, 0.035_64),
    (40960, 59.0, 40, 0.039_245),
    (45056, 62.0, 40, 0.042_849),
    (49152, 65.0, 40, 0.046_454),
    (53248, 68.0, 40, 0.050_058),
    (57344, 72.0, 40, 0.053_663),
    (61440, 76.0, 40, 0.057_267),
    (65536, 80.0, 40, 0.060_5),
];

/// From one read of 2048 bytes to the next: 195.560 a second.
const EVERY: f64 = 0.005_113_52;
/// When they begin.
const BEGIN: f64 = 6.0;

fn frames() -> &'static [OwnedFrame] {
    static SCENARIO: OnceLock<Scenario> = OnceLock::new();
    SCENARIO
        .get_or_init(|| {
            let path = root().join("captures/studies/nt-throughput.scenario");
            let text = std::fs::read_to_string(&path).unwrap();
            Scenario::parse("nt-throughput", &text).unwrap()
        })
        .frames()
}

/// What `counters --since --until --interval` works on: frames from `since` to before `until`,
/// in seconds from the first one.
fn samples(since: f64, until: f64, interval: f64) -> Samples {
    let ns = |seconds: f64| (seconds * 1e9).round() as i64;
    let start = frames()[0].at;
    let scratch = Box::new(std::io::Cursor::new(Vec::new()));
    let mut sampler = Sampler::new(ns(interval), None).over_time(u64::MAX, Ok(scratch));
    let mut analyzer = Analyzer::new(wirewait_dissectors::registry(), Settings::default());
    let inside = |at: Timestamp| at >= start.plus(ns(since)) && at < start.plus(ns(until));
    for frame in frames() {
        if inside(frame.at) {
            let number = analyzer.number() + 1;
            sampler
                .frame(frame.at, number, || analyzer.readings())
                .unwrap();
            analyzer.frame(&frame.as_frame(), &mut ());
        } else {
            analyzer.skip();
        }
    }
    analyzer.finish(&mut ());
    sampler.finish(&analyzer.readings()).unwrap()
}

fn document(samples: &Samples) -> Value {
    let mut out = Vec::new();
    json(&mut out, samples).unwrap();
    serde_json::from_slice(&out).unwrap()
}

fn counters(since: f64, until: f64, interval: f64) -> Value {
    document(&samples(since, until, interval))
}

fn instance<'a>(counters: &'a Value, station: &str, object: &str) -> &'a Value {
    let all = counters["instances"].as_array().unwrap();
    let mut found = all
        .iter()
        .filter(|row| row["station"] == station && row["object"] == object);
    let first = found.next();
    assert!(found.next().is_none(), "{station} {object}: more than one");
    first.unwrap_or_else(|| panic!("no {object} of {station}"))
}

fn counter<'a>(counters: &'a Value, station: &str, object: &str, name: &str) -> &'a Value {
    let of = instance(counters, station, object)["counters"].as_array();
    let mut of = of.unwrap().iter();
    of.find(|c| c["counter"] == name)
        .unwrap_or_else(|| panic!("{object} has no {name}"))
}

fn total(counters: &Value, station: &str, object: &str, name: &str) -> i64 {
    let found = counter(counters, station, object, name);
    found["total"].as_i64().unwrap()
}

/// Its value in the first interval.
fn rate(counters: &Value, station: &str, object: &str, name: &str) -> f64 {
    let found = counter(counters, station, object, name);
    found["values"][1].as_f64().unwrap()
}

fn ratio(counters: &Value, station: &str, object: &str, name: &str) -> f64 {
    let of = instance(counters, station, object)["ratios"].as_array();
    let found = of.unwrap().iter().find(|r| r["ratio"] == name);
    found.unwrap_or_else(|| panic!("no {name}"))["value"]
        .as_f64()
        .unwrap()
}

/// Rounded to so many digits behind the point, as the text prints it.
fn rounded(value: f64, digits: usize) -> String {
    format!("{value:.digits$}")
}

/// A window of 391 whole rounds in the middle of the reads of 2048 bytes.
fn steady() -> Value {
    let since = BEGIN + 100.0 * EVERY - 0.0001;
    counters(since, since + 391.0 * EVERY, 391.0 * EVERY)
}

#[test]
fn the_request_has_60_bytes_and_the_answer_2108() {
    let found = steady();
    let netbeui = |name| ratio(&found, CLIENT, "NetBEUI", name);
    // Printed: 59.9999, which the text takes for 60, and 2107.7, which it takes for 2048 + 60.
    let request = netbeui("frame bytes sent per frame received");
    assert!((request - 59.9999).abs() < 0.001, "{request}");
    assert_eq!(request, 60.0);
    let answer = netbeui("frame bytes received per frame received");
    assert!((answer - 2107.7).abs() < 0.5, "{answer}");
    assert_eq!(answer, 2048.0 + 60.0);
    // "One packet sent for each frame sent", two received; half an answer in each.
    assert_eq!(netbeui("packets sent per frame sent"), 1.0);
    assert_eq!(netbeui("packets received per frame received"), 2.0);
    assert_eq!(netbeui("frame bytes received per packet received"), 1054.0);
    // "Redirector: Bytes Received/sec by Packets Received/sec: 2108".
    let redirector = "bytes received per message received";
    assert_eq!(ratio(&found, CLIENT, "Redirector", redirector), 2108.0);
    // "Bytes Transmitted/sec by Context Blocks Queued/sec: 2108".
    let server = "bytes transmitted per request received";
    assert_eq!(ratio(&found, SERVER, "Server", server), 2108.0);
}

#[test]
fn rates_are_those_of_the_figures() {
    let found = steady();
    let netbeui = |name| rate(&found, CLIENT, "NetBEUI", name);
    assert_eq!(rounded(netbeui("Frames Received/sec"), 3), "195.560");
    // "System: File Read Operations/sec is nearly identical to Frames Received/sec".
    let reads = rate(&found, CLIENT, "Redirector", "File Read Operations/sec");
    assert_eq!(rounded(reads, 3), "195.560");
    let bytes = netbeui("Bytes Total/sec");
    assert_eq!(rounded(bytes, 0), rounded(195.560 * 2168.0, 0));
    // "Network Segment: Total Bytes/sec is a bit higher than NetBEUI: Total Bytes/sec": by
    // three times 14 + 4 + 14 bytes of headers for each read here.
    let object = "Network Segment";
    let segment = rate(&found, "segment", object, "Total bytes received/second");
    assert!(segment > bytes, "{segment} {bytes}");
    assert_eq!(rounded(segment - bytes, 0), rounded(195.560 * 96.0, 0));
}

/// The text's window begins and ends anywhere: 390.471 packets to 195.560 frames are 1.9967,
/// not 2, and 1053.46 bytes to a packet are not 1054. A window that begins between the two
/// packets of an answer gives such figures: of n answers it has 2 n - 1 packets, and
/// 2108 n - 1482 bytes. The printed ones are not all of one window: 2107.7 / 1.9967 is
/// 1055.6, not 1053.46.
#[test]
fn a_window_that_cuts_an_answer_has_the_odd_figures() {
    let window = |n: u32| {
        let since = BEGIN + 10.0 * EVERY + 0.0024;
        let until = BEGIN + (10.0 + f64::from(n)) * EVERY - 0.0001;
        counters(since, until, 1.0)
    };
    let netbeui = |found: &Value, name| ratio(found, CLIENT, "NetBEUI", name);
    // 605 / 303.
    let found = window(303);
    assert_eq!(
        total(&found, CLIENT, "NetBEUI", "Packets Received/sec"),
        605
    );
    assert_eq!(total(&found, CLIENT, "NetBEUI", "Frames Received/sec"), 303);
    let packets = netbeui(&found, "packets received per frame received");
    assert_eq!(rounded(packets, 4), "1.9967");
    // (2108 * 397 - 1482) / 793.
    let found = window(397);
    let bytes = netbeui(&found, "frame bytes received per packet received");
    assert_eq!(rounded(bytes, 2), "1053.46");
    // (2108 * 4940 - 1482) / 4940.
    let found = window(4940);
    let bytes = netbeui(&found, "frame bytes received per frame received");
    assert_eq!(rounded(bytes, 1), "2107.7");
}

#[test]
fn throughput_climbs_with_the_record_size() {
    // Of each size apart: frames of NetBEUI, so requests and answers, in bytes per second.
    let curve: Vec<(u64, f64)> = SIZES
        .iter()
        .map(|(size, begin, rounds, every)| {
            let length = *rounds as f64 * every;
            let found = counters(begin - 0.0001, begin - 0.0001 + length, length);
            (*size, rate(&found, CLIENT, "NetBEUI", "Bytes Total/sec"))
        })
        .collect();
    for pair in curve.windows(2) {
        assert!(pair[1].1 > pair[0].1, "{pair:?}");
    }
    let of = |size| curve.iter().find(|(s, _)| *s == size).unwrap().1;
    // Nearly linear: twice the record is 1.3 to 2 times the throughput.
    for size in [512, 1024, 2048] {
        let step = of(size * 2) / of(size);
        assert!((1.3..2.0).contains(&step), "{size}: {step}");
    }
    // "At 8192 bytes we get just little more throughput than at 4096".
    let little = of(8192) / of(4096);
    assert!((1.0..1.1).contains(&little), "{little}");
    // "With 3-page transfers we get a significant jump".
    let jump = of(12288) / of(8192);
    assert!(jump > 1.3, "{jump}");
}

#[test]
fn reads_and_large_reads_are_told_apart() {
    let found = counters(0.0, 1000.0, 1.0);
    let redirector = |name| total(&found, CLIENT, "Redirector", name);
    let rounds = |sizes: &[u64]| -> i64 {
        let of = SIZES.iter().filter(|(size, ..)| sizes.contains(size));
        of.map(|(_, _, rounds, _)| *rounds as i64).sum()
    };
    // 8192 bytes are two reads of 4096, 64 KiB two of 32 KiB.
    let small: Vec<u64> = vec![512, 1024, 2048, 4096, 8192, 8192];
    let plain = rounds(&small) + rounds(&[8192]);
    let large = rounds(&SIZES.map(|s| s.0)[5..]) + rounds(&[65536]);
    assert_eq!(redirector("Read Packets/sec"), plain + large);
    assert_eq!(redirector("Reads Large/sec"), large);
    // The buffer is 4356 bytes: 512 and 1024 are less than a quarter of it.
    assert_eq!(redirector("Read Packets Small/sec"), rounds(&[512, 1024]));
    let bytes: u64 = SIZES.iter().map(|(size, _, rounds, _)| size * rounds).sum();
    assert_eq!(redirector("Read Bytes Network/sec"), bytes as i64);
    assert_eq!(redirector("Reads Denied/sec"), 0);
    assert_eq!(redirector("Connects Windows NT"), 1);
    assert_eq!(total(&found, SERVER, "Server", "Files Opened Total"), 1);
    assert_eq!(total(&found, SERVER, "Server", "Files Open"), 0);
}

/// "Notice the throughput matches the client side (it had better!)".
#[test]
fn the_server_sees_what_the_client_sees() {
    let found = counters(0.0, 1000.0, 1.0);
    let mirrored = [
        ("Frames Received/sec", "Frames Sent/sec"),
        ("Frame Bytes Received/sec", "Frame Bytes Sent/sec"),
        ("Disconnects Local", "Disconnects Remote"),
        ("Frame Bytes/sec", "Frame Bytes/sec"),
        ("Frames/sec", "Frames/sec"),
    ];
    for (a, b) in mirrored {
        for (mine, yours) in [(a, b), (b, a)] {
            assert_eq!(
                counter(&found, CLIENT, "NetBEUI", mine)["values"],
                counter(&found, SERVER, "NetBEUI", yours)["values"],
                "{mine} and {yours}"
            );
        }
    }
    for (mine, yours) in [
        ("Bytes Received/sec", "Bytes Transmitted/sec"),
        ("Bytes Transmitted/sec", "Bytes Received/sec"),
        ("Bytes Total/sec", "Bytes Total/sec"),
    ] {
        assert_eq!(
            counter(&found, CLIENT, "Redirector", mine)["values"],
            counter(&found, SERVER, "Server", yours)["values"],
            "{mine} and {yours}"
        );
    }
}

#[test]
fn failures_are_there_and_zero() {
    let found = counters(0.0, 1000.0, 1.0);
    for name in [
        "Connection Session Timeouts",
        "Connections Canceled",
        "Connections With Retries",
        "Expirations Ack",
        "Expirations Response",
        "Failures Link",
        "Failures No Listen",
        "Failures Not Found",
        "Failures Resource Remote",
        "Frame Bytes Re-Sent/sec",
        "Frame Bytes Rejected/sec",
        "Frames Re-Sent/sec",
        "Frames Rejected/sec",
    ] {
        assert_eq!(total(&found, CLIENT, "NetBEUI", name), 0, "{name}");
        assert_eq!(total(&found, SERVER, "NetBEUI", name), 0, "{name}");
    }
    let mut shown = Vec::new();
    text(&mut shown, &samples(0.0, 1000.0, 1.0), Look::FILE).unwrap();
    let shown = String::from_utf8(shown).unwrap();
    assert!(shown.contains("Failures Link,"), "{shown}");
    assert!(shown.contains("Processor and Process"), "{shown}");
}

#[test]
fn what_is_host_internal_never_has_a_value() {
    let found = counters(BEGIN, BEGIN + 1.0, 1.0);
    let mut hidden = 0;
    for object in found["objects"].as_array().unwrap() {
        for counter in object["counters"].as_array().unwrap() {
            if counter["mark"] != "host-internal" {
                continue;
            }
            hidden += 1;
            for row in found["instances"].as_array().unwrap() {
                let of = row["object"] == object["object"];
                let mut values = row["counters"].as_array().unwrap().iter();
                let has = values.any(|c| c["counter"] == counter["counter"]);
                assert!(!(of && has), "{} {}", object["object"], counter["counter"]);
            }
        }
    }
    assert!(hidden > 30, "only {hidden}");
    let names = found.to_string();
    assert!(names.contains("Context Blocks Queued/sec"), "it is listed");
}

#[test]
fn intervals_sum_to_totals() {
    let found = counters(0.0, 1000.0, 0.25);
    let mut summed = 0;
    for row in found["instances"].as_array().unwrap() {
        for counter in row["counters"].as_array().unwrap() {
            let name = counter["counter"].as_str().unwrap();
            let (Some(total), true) = (counter["total"].as_i64(), name.contains("/sec")) else {
                continue;
            };
            let values = counter["values"].as_array().unwrap().iter();
            let sum: f64 = values.filter_map(Value::as_f64).map(|v| v * 0.25).sum();
            assert!((sum - total as f64).abs() < 0.01, "{name}: {sum} {total}");
            summed += 1;
        }
    }
    assert!(summed > 100, "only {summed}");
}
