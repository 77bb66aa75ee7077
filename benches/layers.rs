//! What each stage costs, in memory, per frame: reading, dissecting, the first look, and the whole
//! analysis; and what a report of it costs.
//! `cargo bench --bench layers`; for whole files see `side-by-side.sh`.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::io::Cursor;
use wirewait::Driver;
use wirewait_analysis::{Analyzer, Look, Settings};
use wirewait_capture::write::{PcapWriter, Precision};
use wirewait_capture::{Files, Options};
use wirewait_report::{About, json};
use wirewait_synth::{OwnedFrame, Shape, bulk};
use wirewait_wire::{Depth, LinkType, Source, Walk};

/// Enough for every client to ask many times; small enough for the cache to matter little.
const FRAMES: u64 = 20_000;
const SHAPES: [&str; 5] = ["ncp", "smbtcp", "smbnbf", "smb2", "mix"];

fn frames(shape: &str) -> Vec<OwnedFrame> {
    let shape = Shape::by_name(shape).expect("the names above are those of shapes");
    let mut frames = Vec::new();
    bulk(shape, FRAMES, 1, &mut |frame| {
        frames.push(OwnedFrame::from(&frame));
    });
    frames
}

fn read(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("read");
    group.throughput(Throughput::Elements(FRAMES));
    for shape in SHAPES {
        let mut writer = PcapWriter::new(Vec::new(), LinkType::ETHERNET, Precision::Nanos, 65535)
            .expect("memory takes everything");
        for frame in frames(shape) {
            writer.frame(&frame.as_frame()).expect("it does");
        }
        let file = writer.finish().expect("it does");
        group.bench_function(BenchmarkId::from_parameter(shape), |bencher| {
            bencher.iter(|| {
                let stream = Box::new(Cursor::new(file.clone()));
                let mut source = Files::from_reader("memory", stream, &Options::default())
                    .expect("it was written just now");
                while let Ok(Some(frame)) = source.next_frame() {
                    black_box(frame);
                }
            });
        });
    }
    group.finish();
}

fn dissect(criterion: &mut Criterion) {
    let registry = wirewait_dissectors::registry();
    let mut group = criterion.benchmark_group("dissect");
    group.throughput(Throughput::Elements(FRAMES));
    for shape in SHAPES {
        let frames = frames(shape);
        group.bench_function(BenchmarkId::from_parameter(shape), |bencher| {
            let mut walk = Walk::default();
            bencher.iter(|| {
                for frame in &frames {
                    registry.walk(&frame.as_frame(), Depth::Handover, &mut walk);
                    black_box(&walk);
                }
            });
        });
    }
    group.finish();
}

fn look(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("look");
    group.throughput(Throughput::Elements(FRAMES));
    for shape in SHAPES {
        let frames = frames(shape);
        group.bench_function(BenchmarkId::from_parameter(shape), |bencher| {
            let analyzer = Analyzer::new(wirewait_dissectors::registry(), Settings::default());
            let mut look = Look::default();
            bencher.iter(|| {
                let mut intake = analyzer.intake();
                for frame in &frames {
                    intake.look(&frame.as_frame(), &mut look);
                    black_box(&look);
                }
            });
        });
    }
    group.finish();
}

fn analyse(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("analyse");
    group.throughput(Throughput::Elements(FRAMES));
    for shape in SHAPES {
        let frames = frames(shape);
        group.bench_function(BenchmarkId::from_parameter(shape), |bencher| {
            bencher.iter(|| {
                let analyzer = Analyzer::new(wirewait_dissectors::registry(), Settings::default());
                let mut analyzer = Driver::new(analyzer);
                for frame in &frames {
                    analyzer.frame(&frame.as_frame(), &mut ());
                }
                analyzer.finish(&mut ());
                black_box(analyzer.snapshot())
            });
        });
    }
    group.finish();
}

fn report(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("report");
    for shape in SHAPES {
        let analyzer = Analyzer::new(wirewait_dissectors::registry(), Settings::default());
        let mut analyzer = Driver::new(analyzer);
        for frame in frames(shape) {
            analyzer.frame(&frame.as_frame(), &mut ());
        }
        analyzer.finish(&mut ());
        let about = About::default();
        group.bench_function(BenchmarkId::from_parameter(shape), |bencher| {
            bencher.iter(|| {
                let mut out = Vec::new();
                json::report(&mut out, &about, &analyzer.snapshot()).expect("memory takes it");
                out
            });
        });
    }
    group.finish();
}

criterion_group!(benches, read, dissect, look, analyse, report);
criterion_main!(benches);
