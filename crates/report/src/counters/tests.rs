use super::objects::{OBJECTS, instances};
use super::pdh::bound;
use super::samples::{Refusal, Sampler, Samples};
use super::spool::{BATCH, Scratch};
use super::table::{Form, Mark, counters, lines};
use super::{csv, json, pdh_csv, ratios, text};
use crate::samples::made;
use crate::text::Look;
use proptest::prelude::*;
use std::io::{self, Cursor};
use wirewait_analysis::{Readings, SegmentMeter, TransportMeter};
use wirewait_wire::{Endpoint, Timestamp};

const SECOND: i64 = 1_000_000_000;

/// 2026-11-20T07:00:00Z plus `ns` nanoseconds.
pub(super) fn at(ns: i64) -> Timestamp {
    Timestamp::from_parts(1_795_158_000, 0).plus(ns)
}

/// A station that has received `frames` messages of 100 bytes, and an interface.
pub(super) fn readings(frames: u64) -> Readings {
    let station = Endpoint::mac([0, 0, 0x1b, 0, 0, 1]);
    let transport = made!(TransportMeter {
        frames_in: frames,
        frame_bytes_in: frames * 100,
        packets_in: frames * 2,
        ..TransportMeter::default()
    });
    let segment = made!(SegmentMeter {
        frames: frames * 2,
        bytes: frames * 250,
        broadcast: frames,
        broadcast_bytes: frames * 50,
        ..SegmentMeter::default()
    });
    made!(Readings {
        transports: vec![((station, "nbf"), transport)],
        segments: vec![(0, segment)],
        ..Readings::default()
    })
}

/// A sampler for all formats, with this many sums in memory.
fn sampler_in(interval_ns: i64, speed: Option<u64>, batch: usize) -> Sampler {
    let file = Box::new(Cursor::new(Vec::new()));
    Sampler::new(interval_ns, speed).over_time_in(u64::MAX, Ok(file), batch)
}

fn sampler(interval_ns: i64, speed: Option<u64>) -> Sampler {
    sampler_in(interval_ns, speed, BATCH)
}

/// Three frames, at 0, 0.5 and 2.25 s; after them there are 1, 4 and 10 messages.
fn samples(speed: Option<u64>) -> Samples {
    let mut sampler = sampler(SECOND, speed);
    sampler.frame(at(0), 1, || readings(0)).unwrap();
    sampler.frame(at(SECOND / 2), 2, || readings(1)).unwrap();
    sampler
        .frame(at(SECOND * 9 / 4), 3, || readings(4))
        .unwrap();
    sampler.finish(&readings(10)).unwrap()
}

fn written(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn values(samples: &Samples, object: &str, counter: &str) -> Vec<Option<f64>> {
    let document = written(|out| json(out, samples));
    let document: serde_json::Value = serde_json::from_str(&document).unwrap();
    let rows = document["instances"].as_array().unwrap().iter();
    let mut rows = rows.filter(|row| row["object"] == object);
    let row = rows.next().unwrap();
    let mut of = row["counters"].as_array().unwrap().iter();
    let found = of.find(|c| c["counter"] == counter).unwrap();
    let values = found["values"].as_array().unwrap().iter();
    values.map(serde_json::Value::as_f64).collect()
}

/// As many counters as the help of NT 3.5 and NT 4 lists for each object.
#[test]
fn the_table_is_whole() {
    assert_eq!(counters().len(), lines(), "every line is a counter");
    assert_eq!(ratios::ratios().len(), ratios::lines());
    let count = |table| counters().iter().filter(|c| c.table == table).count();
    for (table, n) in [
        ("transport", 39),
        ("resource", 3),
        ("redirector", 37),
        ("server", 25),
        ("work_queues", 17),
        ("segment", 7),
        ("interface", 17),
        ("nbt", 3),
        ("browser", 20),
        ("client_shares", 21),
    ] {
        assert_eq!(count(table), n, "{table}");
    }
}

#[test]
fn every_counter_finds_its_sums_or_says_why_it_has_none() {
    for object in &OBJECTS {
        let fields = (object.fields)();
        for counter in counters().iter().filter(|c| c.table == object.table) {
            let hidden = matches!(counter.mark, Mark::HostInternal | Mark::NotCounted);
            let bound = counter.bind(&fields);
            assert_eq!(bound.is_none(), hidden, "{} {}", object.name, counter.name);
            assert!(counter.scale.parse::<f64>().is_ok_and(|scale| scale > 0.0));
            if matches!(counter.mark, Mark::Derived | Mark::Approximated) {
                assert!(!counter.how.is_empty(), "{}: how?", counter.name);
            }
            // Two readings make a rate, and its name says so.
            let says = counter.name.contains("/sec") || counter.name.contains("sec/");
            let segment = object.table == "segment";
            if says && !segment && !hidden {
                assert!(counter.form.is_rate(), "{}", counter.name);
            }
        }
        for ratio in ratios::ratios().iter().filter(|r| r.table == object.table) {
            let ones = vec![1; fields.len()];
            assert!(ratio.form(&fields, &ones).is_some() || ratio.name.contains(" - "));
        }
    }
}

/// Messages: 1 when the first interval ends at 1 s (what the frame at 0.5 s brought is seen
/// with the reading before the next frame), 4 at its real end. The meters are read when the
/// first frame behind the end of an interval comes.
#[test]
fn rates_are_differences_by_time() {
    let found = samples(None);
    // The frame at 2.25 s finds 4 messages at the end of the first interval; the second
    // passes without a frame; at the end there are 10.
    let frames = values(&found, "NetBEUI", "Frames Received/sec");
    assert_eq!(frames, [None, Some(4.0), Some(0.0), Some(6.0)]);
    let bytes = values(&found, "NetBEUI", "Bytes Total/sec");
    assert_eq!(bytes, [None, Some(400.0), Some(0.0), Some(600.0)]);
    // A share of nothing is none: 50 of 250 bytes are broadcast, where there are any.
    let broadcast = values(&found, "Network Segment", "% Broadcast Frames");
    assert_eq!(broadcast, [None, Some(20.0), None, Some(20.0)]);
    let open = values(&found, "NetBEUI", "Connections Open");
    assert_eq!(open, [Some(0.0); 4]);
}

#[test]
fn utilisation_needs_a_speed() {
    let name = "% Network utilization";
    let unknown = values(&samples(None), "Network Segment", name);
    assert_eq!(unknown, [None; 4]);
    // In the first interval 8 frames of 1000 bytes together, 24 more each on the wire:
    // 1192 * 8 bits of 95 360 are 10 %.
    let known = values(&samples(Some(95_360)), "Network Segment", name);
    assert_eq!(known[1], Some(10.0));
}

#[test]
fn pdh_csv_is_as_windows_writes_it() {
    let found = written(|out| pdh_csv(out, &samples(None)));
    let lines: Vec<&str> = found.split("\r\n").collect();
    assert_eq!(lines.len(), 6, "a header, four samples, and the end");
    assert_eq!(lines[5], "");
    assert!(lines[0].starts_with(r#""(PDH-CSV 4.0) (UTC)(0)","\\segment\"#));
    let path = r#""\\00-00-1b-00-00-01\NetBEUI\Frames Received/sec""#;
    let columns: Vec<&str> = lines[0].split("\",\"").collect();
    assert!(lines[0].contains(path), "{}", lines[0]);
    assert!(lines[1].starts_with("\"11/20/2026 07:00:00.000\",\" \""));
    assert!(lines[4].starts_with("\"11/20/2026 07:00:03.000\",\""));
    for line in &lines[1..5] {
        assert_eq!(line.split("\",\"").count(), columns.len(), "{line}");
    }
}

#[test]
fn csv_has_a_row_for_each_time_and_counter() {
    let found = written(|out| csv(out, &samples(None)));
    let row = "2026-11-20T07:00:01.000000000Z,00-00-1b-00-00-01,NetBEUI,,Frames Received/sec,464,\
               counter,0.1,exact,4";
    assert!(found.lines().any(|line| line == row), "{found}");
    let header = found.lines().next().unwrap();
    let cells = header.split(',').count();
    assert!(found.lines().all(|line| line.split(',').count() == cells));
}

#[test]
fn text_says_what_is_not_zero_and_what_is() {
    let found = written(|out| text(out, &samples(None), Look::FILE));
    assert!(found.contains("Frames Received/sec"), "{found}");
    assert!(found.contains("zero: "), "{found}");
    assert!(found.contains("Failures Link"), "{found}");
    assert!(found.contains("frame bytes received per frame received"));
    assert!(found.contains("100  bytes    1,000  10"), "{found}");
    assert!(found.contains("Host-internal"), "{found}");
    assert!(!found.contains("NaN") && !found.contains("inf"), "{found}");
}

#[test]
fn without_frames_there_is_nothing_and_no_harm() {
    let none = || sampler(SECOND, None).finish(&Readings::default());
    let none = none().unwrap();
    assert!(written(|out| text(out, &none, Look::FILE)).contains("No frames"));
    assert_eq!(
        written(|out| pdh_csv(out, &none)),
        "\"(PDH-CSV 4.0) (UTC)(0)\"\r\n"
    );
    let document: serde_json::Value =
        serde_json::from_str(&written(|out| json(out, &none))).unwrap();
    assert_eq!(document["times"].as_array().unwrap().len(), 0);
}

#[test]
fn one_frame_has_counts_and_no_mean() {
    let mut sampler = sampler(SECOND, None);
    sampler.frame(at(0), 1, || readings(0)).unwrap();
    let found = sampler.finish(&readings(1)).unwrap();
    let shown = written(|out| text(out, &found, Look::FILE));
    assert!(shown.contains("Frames Received/sec"), "{shown}");
    assert!(!shown.contains("NaN") && !shown.contains("inf"), "{shown}");
}

/// Frames at these seconds, each with as many messages as came before.
fn at_seconds(seconds: &[i64]) -> Samples {
    let mut sampler = sampler(SECOND, None);
    for (n, second) in (0..).zip(seconds) {
        sampler
            .frame(at(second * SECOND), n + 1, || readings(n))
            .unwrap();
    }
    sampler.finish(&readings(seconds.len() as u64)).unwrap()
}

#[test]
fn a_stray_stamp_is_named_and_what_would_do_instead() {
    let day = 86_400;
    // One is 26 years ahead, as a broken clock stamps it.
    let found = at_seconds(&[0, 1, 26 * 365 * day, 2, 3]);
    assert!(found.at_most(u64::MAX).is_ok());
    let refused = found.at_most(1_000_000).unwrap_err();
    let Refusal::Values { leap, times, .. } = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(times, 26 * 365 * 86_400 + 2, "a second each");
    let leap = leap.unwrap();
    assert_eq!((leap.frame, leap.alone), (3, true));
    let said = refused.to_string();
    assert!(
        said.starts_with("frame 3 is stamped 25.9 years after the frames before it; "),
        "{said}"
    );
    assert!(
        said.contains("--until 2026-11-20T07:00:03.000000001Z"),
        "{said}"
    );
    assert!(said.contains("--max-values"), "{said}");
    assert_eq!(found.stray(), Some(leap));
    // The interval that it names does.
    let interval = said.split("--interval (").nth(1).unwrap();
    let seconds: i64 = interval.split('s').next().unwrap().parse().unwrap();
    let mut sampler = sampler(seconds * SECOND, None);
    for (n, second) in (0..).zip([0, 1, 26 * 365 * day, 2, 3]) {
        let frame = sampler.frame(at(second * SECOND), n + 1, || readings(n));
        frame.unwrap();
    }
    let found = sampler.finish(&readings(5)).unwrap();
    assert!(found.at_most(1_000_000).is_ok());
}

#[test]
fn a_long_capture_has_no_stray_stamp() {
    // A pause of a week, and a clock that is a little unsteady.
    let found = at_seconds(&[0, 1, 604_800, 604_799, 604_801]);
    assert_eq!(found.stray(), None);
    let said = found.at_most(1000).unwrap_err().to_string();
    assert!(
        said.starts_with("frame 3 is stamped 6.9 days after"),
        "{said}"
    );
    let even: Vec<i64> = (0..2000).collect();
    let said = at_seconds(&even).at_most(1000).unwrap_err().to_string();
    assert!(said.starts_with("2001 times make "), "{said}");
}

/// The shortcut that leaves quiet times out finds what looking at all of them finds.
#[test]
fn the_highest_value_is_that_of_all_times() {
    for seconds in [&[0][..], &[0, 1, 2, 9, 9, 30], &[0, 7, 8], &[0, 0, 0, 1]] {
        let found = at_seconds(seconds);
        for (instance, series) in &found.series {
            for (n, bound) in bound(instance).iter().enumerate() {
                let mut all = found.over_time(series, 0).unwrap();
                let mut most: Option<f64> = None;
                while let Some(value) = all.step().unwrap() {
                    if let Some(value) = value(bound) {
                        most = Some(most.map_or(value, |most| most.max(value)));
                    }
                }
                let name = bound.counter.name;
                assert_eq!(series.highest(n), most, "{name} {seconds:?}");
            }
        }
    }
}

/// A station that appears with each of the first frames, and is quiet whenever its number says so.
fn come_and_go(frames: u64) -> Readings {
    let mut all = readings(frames);
    for n in 0..frames.min(4) {
        let station = Endpoint::mac([0, 0, 0x1b, 0, 1, 4 - n as u8]);
        let transport = made!(TransportMeter {
            frames_in: frames / (n + 1),
            ..TransportMeter::default()
        });
        all.transports.push(((station, "nbf"), transport));
    }
    all
}

fn formats() -> [fn(&Samples) -> String; 3] {
    [
        |samples| written(|out| csv(out, samples)),
        |samples| written(|out| pdh_csv(out, samples)),
        |samples| written(|out| json(out, samples)),
    ]
}

fn coming_and_going(mut sampler: Sampler, gaps: &[i64]) -> Result<Samples, Refusal> {
    let mut now = 0;
    for (n, gap) in gaps.iter().enumerate() {
        now += gap;
        sampler.frame(at(now), n as u64 + 1, || come_and_go(n as u64))?;
    }
    sampler.finish(&come_and_go(gaps.len() as u64))
}

/// A disk with room for this many bytes.
#[derive(Debug)]
struct Small(Cursor<Vec<u8>>, u64);

impl io::Read for Small {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes)
    }
}

impl io::Seek for Small {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

impl io::Write for Small {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.position() + bytes.len() as u64 > self.1 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_an_error_and_a_missing_one_only_where_it_is_needed() {
    let gaps = [SECOND; 40];
    let small = || Ok(Box::new(Small(Cursor::new(Vec::new()), 10_000)) as Box<dyn Scratch>);
    let none = || Err(io::Error::new(io::ErrorKind::NotFound, "no such folder"));
    let sampler = || Sampler::new(SECOND, None);
    let full = coming_and_going(sampler().over_time_in(u64::MAX, small(), 100), &gaps);
    let said = full.unwrap_err().to_string();
    assert_eq!(said, "cannot write to a temporary file: no storage space");
    let none_there = coming_and_going(sampler().over_time_in(u64::MAX, none(), 100), &gaps);
    let said = none_there.unwrap_err().to_string();
    assert_eq!(said, "cannot write to a temporary file: no such folder");
    for file in [small(), none()] {
        let found = coming_and_going(sampler().over_time(u64::MAX, file), &gaps).unwrap();
        let whole = coming_and_going(sampler_in(SECOND, None, 0), &gaps).unwrap();
        assert_eq!(formats().map(|f| f(&found)), formats().map(|f| f(&whole)));
    }
    // What will be refused is not written to the disk.
    let refused = coming_and_going(sampler().over_time_in(500, small(), 100), &gaps);
    assert!(matches!(refused, Err(Refusal::Values { most: 500, .. })));
    // Without values over time there are none.
    let ends = coming_and_going(sampler(), &gaps).unwrap();
    assert!(csv(&mut Vec::new(), &ends).is_err());
    assert!(written(|out| text(out, &ends, Look::FILE)).contains("Frames Received/sec"));
}

#[test]
fn a_file_that_was_cut_is_an_error() {
    let name = std::env::temp_dir().join(format!("wirewait-spool-{}", std::process::id()));
    let mut options = std::fs::OpenOptions::new();
    let file = options.read(true).write(true).create_new(true);
    let file = file.open(&name).unwrap();
    std::fs::remove_file(&name).unwrap();
    let handle = file.try_clone().unwrap();
    let sampler = Sampler::new(SECOND, None).over_time_in(u64::MAX, Ok(Box::new(file)), 100);
    let found = coming_and_going(sampler, &[SECOND; 40]).unwrap();
    let length = handle.metadata().unwrap().len();
    handle.set_len(length - 8).unwrap();
    for written in [
        csv(&mut Vec::new(), &found),
        pdh_csv(&mut Vec::new(), &found),
        json(&mut Vec::new(), &found),
    ] {
        let said = written.unwrap_err().to_string();
        assert!(said.starts_with("reading a temporary file: "), "{said}");
    }
}

#[test]
fn a_clock_that_steps_back_stays_in_its_interval() {
    let mut sampler = sampler(SECOND, None);
    sampler.frame(at(0), 1, || readings(0)).unwrap();
    sampler.frame(at(-5 * SECOND), 2, || readings(1)).unwrap();
    sampler.frame(at(SECOND), 3, || readings(2)).unwrap();
    let found = sampler.finish(&readings(3)).unwrap();
    let frames = values(&found, "NetBEUI", "Frames Received/sec");
    assert_eq!(frames, [None, Some(2.0), Some(1.0)]);
}

#[test]
fn host_internal_counters_are_in_no_instance() {
    for instance in instances(&readings(3)).keys() {
        let object = instance.object();
        let hidden = counters().iter().filter(|c| {
            c.table == object.table && matches!(c.mark, Mark::HostInternal | Mark::NotCounted)
        });
        for counter in hidden {
            assert!(counter.bind(&(object.fields)()).is_none());
        }
    }
    let named = |form: Form| counters().iter().any(|c| c.form == form);
    assert!(named(Form::Average) && named(Form::Utilisation));
}

proptest! {
    /// Rates times intervals are the whole, whenever the frames come.
    #[test]
    fn intervals_sum_to_the_whole(gaps in prop::collection::vec(0i64..4_000_000_000, 1..40)) {
        let mut sampler = sampler(SECOND, None);
        let mut now = 0;
        for (n, gap) in gaps.iter().enumerate() {
            now += gap;
            sampler.frame(at(now), n as u64 + 1, || readings(n as u64)).unwrap();
        }
        let whole = gaps.len() as f64;
        let found = sampler.finish(&readings(gaps.len() as u64)).unwrap();
        let frames = values(&found, "NetBEUI", "Frames Received/sec");
        let sum: f64 = frames.iter().flatten().sum();
        prop_assert!((sum - whole).abs() < 1e-6, "{sum} {whole}");
    }
}

proptest! {
    // Every case writes six documents.
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// However little fits memory, and in however small pieces the rest is read, the same comes
    /// out.
    #[test]
    fn what_went_to_the_file_comes_back(
        gaps in prop::collection::vec(0i64..4_000_000_000, 1..16),
        batch in 0usize..1000,
    ) {
        let memory = coming_and_going(sampler(SECOND, Some(1_000_000)), &gaps).unwrap();
        let file = sampler_in(SECOND, Some(1_000_000), batch);
        let file = coming_and_going(file, &gaps).unwrap();
        for format in formats() {
            prop_assert_eq!(format(&memory), format(&file));
        }
    }
}
