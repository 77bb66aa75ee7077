use super::*;
use crate::counters::tests::{at, readings};
use crate::counters::{Sampler, json};
use proptest::prelude::*;
use std::io::Cursor;

const SECOND: i64 = 1_000_000_000;

fn pick(chart: &Chart, object: &str, counter: &str) -> Pick {
    let listed = chart.listed();
    let of = listed
        .iter()
        .find(|listed| listed.object == object)
        .unwrap();
    of.instances[0].pick(counter).unwrap()
}

/// As for the samples of a whole capture: frames at 0, 0.5 and 2.25 s; after each there are so
/// many messages.
fn live() -> Live {
    let mut live = Live::new(SECOND, None);
    live.advance(at(0), || readings(0));
    live.advance(at(SECOND / 2), || readings(1));
    live.advance(at(SECOND * 9 / 4), || readings(4));
    live
}

#[test]
fn a_line_has_what_performance_monitor_said_below_its_chart() {
    let mut live = live();
    live.finish(&readings(10));
    let chart = live.chart();
    let received = pick(&chart, "NetBEUI", "Frames Received/sec");
    let line = chart.line(&received);
    // 4 in the first second, none in the second, 6 in the third, of which there is a quarter: 10 in 2.25 s.
    assert_eq!(line.values, [None, Some(4.0), Some(0.0), Some(6.0)]);
    assert_eq!(
        (line.last, line.min, line.max),
        (Some(6.0), Some(0.0), Some(6.0))
    );
    assert_eq!(line.average, Some(10.0 / 2.25));
    assert_eq!(chart.elapsed_ns(), SECOND * 9 / 4);
    let kind = received.kind().unwrap();
    assert_eq!((kind.mark, kind.scale, kind.counted), ("exact", 0.1, true));
    let times: Vec<_> = chart.times().collect();
    assert_eq!(times, [0, 1, 2, 3].map(|s| at(s * SECOND)));
}

/// A capture shorter than an interval: its rates are by the time that it has.
#[test]
fn no_rate_is_below_the_mean_of_a_short_capture() {
    let mut live = Live::new(SECOND, None);
    live.advance(at(0), || readings(0));
    live.advance(at(SECOND / 20), || readings(10));
    live.finish(&readings(10));
    let chart = live.chart();
    let line = chart.line(&pick(&chart, "NetBEUI", "Frames Received/sec"));
    assert_eq!(line.values, [None, Some(200.0)]);
    assert_eq!((line.last, line.average), (Some(200.0), Some(200.0)));
    assert_eq!((line.min, line.max), (Some(200.0), Some(200.0)));
}

#[test]
fn what_only_the_machine_knows_has_no_line() {
    let chart = live().chart();
    let hidden = pick(&chart, "NetBEUI", "Failures Adapter");
    assert_eq!(hidden.kind().unwrap().mark, "host-internal");
    assert_eq!(chart.line(&hidden), Line::default());
    let listed = chart.listed();
    let resource = listed
        .iter()
        .find(|l| l.object == "NetBEUI Resource")
        .unwrap();
    assert!(resource.instances.is_empty() && resource.counters.iter().all(|c| !c.counted));
    assert_eq!(listed[0].instances, [], "nobody has asked anything");
}

#[test]
fn old_samples_go_and_the_rates_stay_right() {
    let mut live = Live::new(SECOND, None);
    for second in 0..=400u64 {
        let now = at(second as i64 * SECOND);
        // Three frames a second, from the 200th second on five.
        let frames = second * 3 + second.saturating_sub(200) * 2;
        live.advance(now, || readings(frames));
    }
    let chart = live.chart();
    assert_eq!(chart.times().len(), SAMPLES + 1);
    let line = chart.line(&pick(&chart, "NetBEUI", "Frames Received/sec"));
    assert_eq!(line.values.len(), SAMPLES + 1);
    assert_eq!(line.values[..2], [None, Some(3.0)]);
    assert_eq!(
        (line.min, line.max, line.last),
        (Some(3.0), Some(5.0), Some(5.0))
    );
    // 100 s of three, 200 of five.
    assert_eq!(line.average, Some(1300.0 / 300.0));
    assert!(live.kept <= (SAMPLES + 2) * 400, "{}", live.kept);
}

#[test]
fn memory_is_bounded_by_forgetting_early() {
    let mut live = Live::new(SECOND, None);
    live.most = 1000;
    for second in 0..100 {
        live.advance(at(second * SECOND), || readings(second as u64));
    }
    let chart = live.chart();
    let kept = chart.times().len() as u64;
    assert!((3..50).contains(&kept), "{kept}");
    assert_eq!(kept + chart.missed(), 100);
    assert!(live.kept < 2000, "{}", live.kept);
    let line = chart.line(&pick(&chart, "NetBEUI", "Frames Received/sec"));
    assert_eq!(
        (line.min, line.max, line.average),
        (Some(1.0), Some(1.0), Some(1.0))
    );
}

#[test]
fn a_long_silence_and_a_clock_that_steps_begin_anew() {
    for step in [
        SECOND * 100_000,
        -SECOND * 100_000,
        i64::MIN / 4,
        i64::MAX / 4,
    ] {
        let mut live = live();
        live.advance(at(0).plus(step), || readings(5));
        live.advance(at(0).plus(step).plus(SECOND), || readings(7));
        let chart = live.chart();
        let line = chart.line(&pick(&chart, "NetBEUI", "Frames Received/sec"));
        assert_eq!(line.values, [None, Some(2.0)], "{step}");
    }
    let mut live = live();
    live.advance(at(SECOND), || {
        panic!("a small step is no end of an interval")
    });
}

#[test]
fn without_anything_there_are_no_lines() {
    let mut live = Live::new(0, None);
    live.finish(&readings(1));
    let chart = live.chart();
    assert_eq!(chart.times().len(), 0);
    assert!(
        chart
            .listed()
            .iter()
            .all(|listed| listed.instances.is_empty())
    );
}

proptest! {
    /// The chart says what `counters` says. Of less than an interval, it says what that says of the mean.
    #[test]
    fn values_are_those_of_the_samples(gaps in prop::collection::vec(0i64..4_000_000_000, 1..40)) {
        let mut live = Live::new(SECOND, Some(10_000_000));
        let mut sampler = Sampler::new(SECOND, Some(10_000_000))
            .over_time(u64::MAX, Ok(Box::new(Cursor::new(Vec::new()))));
        let mut now = 0;
        for (n, gap) in (0u64..).zip(&gaps) {
            now += gap;
            live.advance(at(now), || readings(n * n));
            sampler.frame(at(now), n + 1, || readings(n * n)).unwrap();
        }
        let end = readings(5000);
        live.finish(&end);
        let samples = sampler.finish(&end).unwrap();
        let mut document = Vec::new();
        json(&mut document, &samples).unwrap();
        let document: serde_json::Value = serde_json::from_slice(&document).unwrap();
        let chart = live.chart();
        for listed in chart.listed() {
            for place in &listed.instances {
                let rows = document["instances"].as_array().unwrap();
                let row = rows.iter().find(|row| row["object"] == listed.object).unwrap();
                for counter in row["counters"].as_array().unwrap() {
                    let pick = place.pick(counter["counter"].as_str().unwrap()).unwrap();
                    let values = counter["values"].as_array().unwrap();
                    let values: Vec<_> = values.iter().map(serde_json::Value::as_f64).collect();
                    let line = chart.line(&pick);
                    if chart.times().len() > 2 || !pick.counter().unwrap().form.is_rate() {
                        prop_assert_eq!(line.values, values);
                    } else {
                        prop_assert_eq!(line.values.last().copied().flatten(), line.average);
                    }
                }
            }
        }
    }
}
