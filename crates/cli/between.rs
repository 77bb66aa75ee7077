//! `wirewait between`: two captures of the same traffic, one at each end.

use crate::args::{BetweenArgs, ListFormat, NamedCapture};
use crate::failure::{Failure, Verdict};
use crate::input::{Input, is_stdin};
use crate::last_profile;
use crate::output::Output;
use std::path::PathBuf;
use wirewait::between::{Between, FramesSeen, RequestsSeen};
use wirewait::{Depth, Frame, Layout, Registry, Sink, Transaction, Walk};
use wirewait_report::between::{BetweenReport, json, text, unjoined};

pub(crate) fn run(args: &BetweenArgs) -> Result<Verdict, Failure> {
    let wanted = [&args.first, &args.second];
    let all_files: Vec<PathBuf> = wanted.iter().flat_map(|one| one.files.clone()).collect();
    if all_files.iter().filter(|file| is_stdin(file)).count() > 1 {
        return Err(Failure::Usage(
            "-: the standard input can be one capture only".to_owned(),
        ));
    }
    let last = last_profile::read(&args.profile)?;
    let (first, damaged) = place(args, &args.first, last.as_ref())?;
    let (second, also) = place(args, &args.second, last.as_ref())?;
    let names = wanted.map(|one| one.name.as_str());
    let think_ns = args.analysis.settings().think_ns;
    let joined = Between::of((&first.0, &first.1), (&second.0, &second.1), think_ns)
        .map_err(|why| Failure::Cannot(unjoined(names, why)))?;
    let report = BetweenReport {
        names,
        alone: [&first.2, &second.2],
        joined: &joined,
        digits: args.precise.digits(),
    };
    let mut output = Output::open(&args.output, &all_files)?;
    let look = output.look();
    output.write(|out| match args.format {
        ListFormat::Text => text(out, &report, look),
        ListFormat::Json => json(out, &report),
    })?;
    output.finish()?;
    Ok(match damaged || also {
        true => Verdict::Damaged,
        false => Verdict::Whole,
    })
}

/// What one capture has, and whether it is damaged.
fn place(
    args: &BetweenArgs,
    one: &NamedCapture,
    last: Option<&Layout>,
) -> Result<((FramesSeen, RequestsSeen, wirewait::Verdict), bool), Failure> {
    let input = one.input(&args.select);
    let mut opened = Input::open(&input)?;
    opened.last = last.cloned();
    let captured = Captured {
        frames: FramesSeen::default(),
        registry: wirewait::registry(),
        walk: Walk::default(),
    };
    let mut seen = (captured, RequestsSeen::default());
    let settings = args.analysis.settings();
    let analysis = opened.analyse(settings, &mut seen, false, |_| Ok(()))?;
    let damaged = analysis.verdict() == Verdict::Damaged;
    let alone = wirewait::Verdict::on(&analysis.snapshot);
    let (Captured { frames, .. }, requests) = seen;
    Ok(((frames, requests, alone), damaged))
}

/// Takes the frames of a capture, but for those that were captured before.
struct Captured {
    frames: FramesSeen,
    registry: Registry,
    walk: Walk,
}

impl Sink for Captured {
    fn transaction(&mut self, _: &Transaction) {}

    fn captured(&mut self, frame: &Frame<'_>, on_wire: u64) {
        let Self {
            frames,
            registry,
            walk,
        } = self;
        registry.walk(frame, Depth::Handover, walk);
        frames.frame(frame, walk, registry, on_wire == 0);
    }
}
