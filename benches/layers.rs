//! What each stage costs, in memory, per frame: dissecting, and the whole analysis.
//! `cargo bench --bench layers`; for whole files see `side-by-side.sh`.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use wirewait_analysis::{Analyzer, Settings};
use wirewait_synth::{OwnedFrame, Shape, bulk};
use wirewait_wire::{Depth, Walk};

/// Enough for every client to ask many times; small enough for the cache to matter little.
const FRAMES: u64 = 20_000;
const SHAPES: [&str; 5] = ["ncp", "smbtcp", "smbnbf", "smb2", "mix"];

fn frames(shape: &str) -> Vec<OwnedFrame> {
    let shape = Shape::by_name(shape).expect("the names above are those of shapes");
    let mut frames = Vec::new();
    bulk(shape, FRAMES, 1, &mut |frame| {
        frames.push(OwnedFrame {
            at: frame.at,
            link: frame.link,
            interface: frame.interface,
            wire_len: frame.wire_len,
            bytes: frame.bytes.to_vec(),
        });
    });
    frames
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

fn analyse(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("analyse");
    group.throughput(Throughput::Elements(FRAMES));
    for shape in SHAPES {
        let frames = frames(shape);
        group.bench_function(BenchmarkId::from_parameter(shape), |bencher| {
            bencher.iter(|| {
                let mut analyzer =
                    Analyzer::new(wirewait_dissectors::registry(), Settings::default());
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

criterion_group!(benches, dissect, analyse);
criterion_main!(benches);
