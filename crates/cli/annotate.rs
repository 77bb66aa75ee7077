//! `wirewait report --format pcapng`: the capture, with comments on the frames that matter.

use crate::args::ReportArgs;
use crate::failure::{Failure, Verdict};
use crate::input::{Analysis, Input, warn};
use crate::judged;
use crate::output::Output;
use crate::symptoms;
use std::io;
use wirewait::{Choice, Frame, Layout, LinkType, Timestamp};
use wirewait_capture::write::{Counts, Description, PcapngWriter};
use wirewait_report::remarks::Remarks;
use wirewait_report::words::{Grouped, sentence};

/// What is written into the file as the program that made it.
const APPLICATION: &str = concat!("wirewait ", env!("CARGO_PKG_VERSION"));

/// Reads the capture twice: what a request took is known only at its response.
pub(crate) fn run(args: &ReportArgs, last: Option<Layout>) -> Result<Verdict, Failure> {
    let texts = symptoms::texts(&args.symptoms)?;
    let mut input = Input::open(&args.input)?;
    input.thresholds = symptoms::thresholds(&args.symptoms);
    input.last = last;
    input.threads = args.threads.count();
    input.heed_signals(&args.input)?;
    let mut remarks = Remarks::new(&input.thresholds);
    let analysis = input.analyse_observed(args.analysis.settings(), &mut remarks)?;
    remarks.conclude(&analysis.snapshot, &texts);
    if remarks.left_out() > 0 {
        warn(&format!(
            "{} remarks found no room and are left out; --since and --until choose a part of the \
             capture",
            Grouped(remarks.left_out())
        ));
    }
    let verdict = sentence(&wirewait::Verdict::on(&analysis.snapshot));
    let output = Output::open(&args.output, &args.input.files)?;
    let mut copy = Copy::begin(output, &verdict, &analysis)?;
    let mut number = 0;
    // All frames, whatever was analysed: their numbers are those of the reports.
    Input::open_first(&args.input)?.each_frame(|_, frame| {
        number += 1;
        copy.frame(frame, remarks.take(number).as_deref())?;
        Ok(Choice::Take)
    })?;
    copy.finish(&analysis)?;
    let (about, otherwise) = (analysis.about(&args.input), analysis.verdict());
    let snapshot = &analysis.snapshot;
    Ok(judged::ended(&args.fail_if, &about, snapshot, otherwise))
}

/// The capture as it is written once more.
struct Copy {
    writer: PcapngWriter<Output>,
    interfaces: Vec<Written>,
}

/// An interface in the output: its number in the input, and what was written of it.
struct Written {
    of: u32,
    link: LinkType,
    frames: u64,
    times: Option<(Timestamp, Timestamp)>,
}

impl Copy {
    fn begin(output: Output, verdict: &str, analysis: &Analysis) -> Result<Self, Failure> {
        let name = output.name().to_owned();
        let writer = PcapngWriter::commented(output, APPLICATION, Some(verdict))
            .map_err(|error| Failure::writing(&name, &error))?;
        let mut copy = Self {
            writer,
            interfaces: Vec::new(),
        };
        for (of, known) in (0..).zip(&analysis.interfaces) {
            copy.describe(
                of,
                &Description {
                    name: known.name.clone(),
                    link: known.link,
                    snaplen: known.snaplen,
                    speed: known.speed,
                },
            )?;
        }
        Ok(copy)
    }

    fn describe(&mut self, of: u32, described: &Description) -> Result<(), Failure> {
        let written = self.writer.describe(described);
        self.written(written)?;
        self.interfaces.push(Written {
            of,
            link: described.link,
            frames: 0,
            times: None,
        });
        Ok(())
    }

    fn frame(&mut self, frame: &Frame<'_>, comment: Option<&str>) -> Result<(), Failure> {
        let is_it = |one: &Written| (one.of, one.link) == (frame.interface, frame.link);
        let usual = self.interfaces.get(frame.interface as usize);
        let place = match usual.filter(|one| is_it(one)) {
            Some(_) => frame.interface as usize,
            None => match self.interfaces.iter().position(is_it) {
                Some(place) => place,
                // Behind what was analysed.
                None => {
                    self.describe(frame.interface, &Description::of(frame.link))?;
                    self.interfaces.len() - 1
                }
            },
        };
        if let Some(one) = self.interfaces.get_mut(place) {
            one.frames += 1;
            let (first, last) = one.times.unwrap_or((frame.at, frame.at));
            one.times = Some((first.min(frame.at), last.max(frame.at)));
        }
        let interface = u32::try_from(place).unwrap_or(u32::MAX);
        let frame = Frame {
            interface,
            ..*frame
        };
        let written = self.writer.frame(&frame, comment);
        self.written(written)
    }

    /// Writes what the capturing program counted, and puts the file in its place.
    fn finish(mut self, analysis: &Analysis) -> Result<(), Failure> {
        let times = self.interfaces.iter().filter_map(|one| one.times);
        let latest = times.map(|(_, latest)| latest).max();
        for (number, known) in (0..).zip(&analysis.interfaces) {
            let one = self.interfaces.get(number as usize);
            let first = one.and_then(|one| one.times).map(|(first, _)| first);
            let frames = one.map_or(0, |one| one.frames);
            let delivered = known
                .not_saved
                .map(|missing| frames.saturating_add(missing));
            let counts = Counts {
                // Before the first frame: all that were delivered are to be counted.
                began: first.filter(|_| delivered.is_some()).map(before),
                received: known.received,
                dropped: known.lost(),
                delivered,
            };
            let said = counts.received.or(counts.dropped).or(counts.delivered);
            if let Some(at) = latest.filter(|_| said.is_some()) {
                let written = self.writer.statistics(number, at, counts);
                self.written(written)?;
            }
        }
        let name = self.writer.get_mut().name().to_owned();
        let output = self.writer.finish();
        output
            .map_err(|error| Failure::writing(&name, &error))?
            .finish()
    }

    fn written<T>(&mut self, result: io::Result<T>) -> Result<T, Failure> {
        result.map_err(|error| self.writer.get_mut().failed(&error))
    }
}

fn before(at: Timestamp) -> Timestamp {
    Timestamp::from_nanos(at.as_nanos().saturating_sub(1).max(0))
}
