//! What `decode` shows: every byte in one place, messages whole, what each frame did.

use crate::hostile::everything;
use crate::support::{captures, root};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use wirewait_capture::Options;
use wirewait_dissectors::registry;
use wirewait_report::decode::{Decoder, Shape, Time};
use wirewait_report::text::Look;
use wirewait_wire::Frame;

/// Frames as JSON objects, with the traffic followed.
fn objects<'a>(frames: impl Iterator<Item = Frame<'a>>, mut each: impl FnMut(&Value)) {
    let all = registry();
    let mut decoder =
        Decoder::new(&all, Shape::Json, Time::Absolute, Look::FILE).following(registry());
    let mut out = Vec::new();
    for frame in frames {
        out.clear();
        decoder.pass(&frame);
        decoder.write(&mut out, &frame).unwrap();
        each(&serde_json::from_slice(&out).unwrap());
    }
}

fn shipped(name: &str) -> Vec<Value> {
    let path = root().join("captures").join(name);
    let mut source = wirewait_capture::open(&[path], &Options::default()).unwrap();
    let (frames, _) = crate::hostile::drain(&mut source);
    let mut all = Vec::new();
    objects(frames.iter().map(|f| f.as_frame()), |o| {
        all.push(o.clone());
    });
    all
}

/// The bytes that stand for themselves: fields that are neither headings nor bits, and what
/// no layer describes.
fn places(tree: &Value) -> Vec<(u64, u64)> {
    fn of(fields: &Value, places: &mut Vec<(u64, u64)>) {
        for field in fields.as_array().into_iter().flatten() {
            let holds = ["value", "bytes", "cut"]
                .iter()
                .any(|k| field.get(k).is_some());
            if holds && field.get("mask").is_none() {
                places.push(range(field));
            }
            if let Some(parts) = field.get("fields") {
                of(parts, places);
            }
        }
    }
    fn range(of: &Value) -> (u64, u64) {
        (of["start"].as_u64().unwrap(), of["end"].as_u64().unwrap())
    }
    let mut places = Vec::new();
    for layer in tree["layers"].as_array().unwrap() {
        of(&layer["fields"], &mut places);
    }
    places.extend(tree["rest"].as_array().unwrap().iter().map(range));
    places.retain(|(start, end)| start < end);
    places.sort_unstable();
    places
}

fn assert_each_byte_once(name: &str, tree: &Value) {
    let mut at = 0;
    for (start, end) in places(tree) {
        assert_eq!(start, at, "{name}: {tree:#}");
        at = end;
    }
    assert_eq!(
        at,
        tree["captured_bytes"].as_u64().unwrap(),
        "{name}: {tree:#}"
    );
}

/// Frames of one capture that are looked at: enough for every conversation's beginning.
const FRAMES: usize = 1500;

#[test]
fn every_byte_of_every_frame_and_message_has_one_place() {
    let (mut frames, mut messages, mut together) = (0u64, 0u64, 0u64);
    for (name, capture) in everything() {
        let some = capture.iter().take(FRAMES).map(|frame| frame.as_frame());
        objects(some, |object| {
            frames += 1;
            assert_each_byte_once(name, object);
            for message in object["messages"].as_array().unwrap() {
                messages += 1;
                assert_each_byte_once(name, message);
                let stretches = message["stretches"].as_array().unwrap();
                let sum: u64 = stretches.iter().map(|s| s["bytes"].as_u64().unwrap()).sum();
                let missing = message["omitted_stretches"] != 0
                    || stretches.iter().any(|s| s["frame"].is_null());
                together += u64::from(!missing);
                assert!(
                    missing || sum == message["length"].as_u64().unwrap(),
                    "{name}: {message:#}"
                );
            }
        });
    }
    println!("{frames} frames, {messages} messages of several, {together} of them all there");
    assert!(frames > 1000 && messages > 10 && together > 10);
}

/// A message over several frames: the one that completes it, its bytes, all of them.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Together {
    frame: u64,
    bytes: u64,
    frames: BTreeSet<u64>,
}

/// `oracle/reassembled/table.tsv` holds what tshark 4.0.17 puts together (`refresh.sh` makes
/// it): bytes and frames of each message over TCP that came in several segments.
#[test]
fn messages_are_put_together_as_by_tshark() {
    let Some(captures) = captures("messages put together as by tshark") else {
        return;
    };
    let table = std::fs::read_to_string(root().join("tests/oracle/reassembled/table.tsv")).unwrap();
    let mut theirs: BTreeMap<&str, Vec<Together>> = BTreeMap::new();
    for line in table.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let frames = fields[3].split(',').map(|n| n.parse().unwrap());
        theirs.entry(fields[0]).or_default().push(Together {
            frame: fields[1].parse().unwrap(),
            bytes: fields[2].parse().unwrap(),
            frames: frames.collect(),
        });
    }
    let mut compared = 0;
    for (capture, messages) in theirs {
        let path = captures.join(capture);
        let mut source = wirewait_capture::open(&[path], &Options::default()).unwrap();
        let (frames, _) = crate::hostile::drain(&mut source);
        let mut ours = BTreeSet::new();
        objects(frames.iter().map(|f| f.as_frame()), |object| {
            for message in object["messages"].as_array().unwrap() {
                let stretches = message["stretches"].as_array().unwrap().iter();
                let frames: BTreeSet<u64> = stretches.filter_map(|s| s["frame"].as_u64()).collect();
                let number = |value: &Value| value.as_u64().unwrap();
                ours.insert(Together {
                    frame: number(&object["frame"]),
                    bytes: number(&message["length"]),
                    frames,
                });
            }
        });
        for message in messages {
            compared += 1;
            assert!(ours.contains(&message), "{capture}: {message:?}");
        }
    }
    println!("{compared} messages of several segments are those of tshark");
    assert!(compared > 700, "{compared}");
}

/// (frame, bytes) of the stretches of the only message that this frame completes.
fn stretches(object: &Value) -> Vec<(u64, u64)> {
    let messages = object["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 1, "{object:#}");
    let stretches = messages[0]["stretches"].as_array().unwrap();
    let number = |value: &Value| value.as_u64().unwrap();
    stretches
        .iter()
        .map(|s| (number(&s["frame"]), number(&s["bytes"])))
        .collect()
}

#[test]
fn a_message_in_several_segments_is_whole_in_the_last() {
    // Its four bytes of framing are cut after two; the answer's after three.
    let frames = shipped("tcp/split-header.pcapng");
    assert_eq!(stretches(&frames[4]), [(4, 2), (5, 115)]);
    let message = &frames[4]["messages"][0];
    assert_eq!(message["length"], 117);
    let layers: Vec<&str> = message["layers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|layer| layer["protocol"].as_str().unwrap())
        .collect();
    assert_eq!(layers, ["direct_tcp", "smb2"]);
    assert_eq!(stretches(&frames[7]), [(6, 3), (7, 1), (8, 580)]);
    assert_eq!(
        frames[7]["rest"][0]["note"],
        "message of smb2, bytes 4-583 of 584"
    );
    assert_eq!(frames[3]["messages"], serde_json::json!([]));
    assert_eq!(
        frames[4]["transactions"],
        serde_json::json!([{"transaction": 1, "part": "request"}])
    );
}

#[test]
fn a_message_in_several_frames_of_a_link_is_whole_in_the_last() {
    let frames = shipped("nbf/write.pcapng");
    assert_eq!(stretches(&frames[13]), [(11, 1482), (12, 1482), (14, 84)]);
    // The first one shows what it has of the message.
    let first = frames[10]["layers"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&first["protocol"], &first["goes_on"]),
        (&"smb1".into(), &true.into())
    );
    let frames = shipped("nbipx/in-packets.pcapng");
    assert_eq!(stretches(&frames[6]), [(4, 1452), (5, 1452), (7, 144)]);
    // One packet came before the one it follows: the message ends with the later one.
    assert_eq!(stretches(&frames[11]), [(9, 1452), (12, 1452), (10, 144)]);
}
