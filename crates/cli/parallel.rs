//! `wirewait report --parallel`: captures that have nothing to do with each other, several at
//! a time, and their sums.

use crate::args::{InputArgs, ListFormat, ReportArgs, ReportFormat};
use crate::failure::{Failure, Verdict, say};
use crate::input::{Input, holding_warnings, warn};
use crate::merge;
use crate::signals::Signals;
use crate::summaries::{Summaries, Sums, Worked};
use crate::symptoms;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};
use wirewait::{Layout, Settings, Summary, Thresholds};
use wirewait_capture::held;
use wirewait_report::words::Grouped;

/// How soon a signal is noticed while no capture is ready.
const PATIENCE: Duration = Duration::from_millis(100);

pub(crate) fn run(
    args: &ReportArgs,
    workers: u16,
    last: Option<&Layout>,
) -> Result<Verdict, Failure> {
    let chains: Vec<_> = chains(&args.input.files).into_iter().collect();
    let settings = args.analysis.settings();
    let thresholds = symptoms::thresholds(&args.symptoms);
    let summaries = Summaries::of(args, last)?;
    let signals = Signals::catch_questions()?;
    let begun = Instant::now();
    let next = AtomicUsize::new(0);
    let mut done = Done::default();
    thread::scope(|scope| {
        let workers = usize::from(workers).min(chains.len());
        let (ready, finished) = sync_channel(workers);
        for _ in 0..workers {
            let (ready, chains, summaries, next) = (ready.clone(), &chains, &summaries, &next);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some((capture, files)) = chains.get(number) else {
                        break;
                    };
                    let input = InputArgs {
                        files: files.clone(),
                        // Each says of itself why it is none.
                        places: Vec::new(),
                        ..args.input.clone()
                    };
                    let analyse = || holding_warnings(|| work(&input, settings, thresholds, last));
                    let worked = match summaries {
                        Some(summaries) => summaries.around((capture, files), analyse),
                        None => analyse(),
                    };
                    if worked.0.is_err() {
                        // There will be no sum: the others need not begin.
                        next.store(chains.len(), Ordering::Relaxed);
                    }
                    if ready.send((number, worked)).is_err() {
                        break;
                    }
                }
            });
        }
        // Only the workers have it now: it ends with the last of them.
        drop(ready);
        loop {
            match finished.recv_timeout(PATIENCE) {
                Ok((number, worked)) => done.take(number, worked),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if signals.report() {
                say(&format!(
                    "{} of {} captures in {:.1} s",
                    Grouped(done.taken),
                    Grouped(chains.len() as u64),
                    begun.elapsed().as_secs_f64()
                ));
            }
        }
    });
    if let Some(failure) = done.failure {
        return Err(failure);
    }
    if !done.any {
        return Err(Failure::Cannot(
            "none of the files is a capture that can be read".to_owned(),
        ));
    }
    let kept = summaries.map_or(Verdict::Whole, |summaries| summaries.finish());
    let format = match args.format {
        ReportFormat::Json => ListFormat::Json,
        _ => ListFormat::Text,
    };
    merge::print(
        &args.output,
        args.text.precise.digits(),
        &args.input.files,
        format,
        &done.sum,
    )?;
    if let Some(path) = &args.summary {
        merge::write(path, &args.input.files, &done.sum)?;
    }
    Ok(match done.damaged {
        true => Verdict::Damaged,
        false => kept,
    })
}

/// Captures that were worked through.
#[derive(Default)]
struct Done {
    /// How many there are, in any order.
    taken: u64,
    /// How many were said all of, in their order.
    said: usize,
    /// Their sums.
    sum: Summary,
    /// One of them has sums.
    any: bool,
    /// One of them could not be read as a whole.
    damaged: bool,
    /// The first that could not be read at all.
    failure: Option<Failure>,
    /// Those behind one that is still worked through, by their numbers, with their warnings.
    waiting: BTreeMap<usize, Worked>,
}

impl Done {
    /// Reports in the order of the captures, whichever is ready first. After one that failed
    /// nothing is reported: whether it was begun is a matter of chance.
    fn take(&mut self, number: usize, worked: Worked) {
        self.taken += 1;
        self.waiting.insert(number, worked);
        while let Some((worked, warnings)) = self.waiting.remove(&self.said) {
            self.said += 1;
            if self.failure.is_some() {
                continue;
            }
            warnings.iter().for_each(|warning| warn(warning));
            match worked {
                Ok((sums, verdict)) => {
                    self.any |= sums.is_some();
                    self.sum.merge(&sums.unwrap_or_default());
                    self.damaged |= verdict != Verdict::Whole;
                }
                Err(failure) => self.failure = Some(failure),
            }
        }
    }
}

fn work(
    input: &InputArgs,
    settings: Settings,
    thresholds: Thresholds,
    last: Option<&Layout>,
) -> Result<Sums, Failure> {
    let mut opened = match Input::open(input) {
        Err(Failure::Cannot(why)) if input.gathered => {
            warn(&format!("{why}; it is skipped"));
            return Ok((None, Verdict::Damaged));
        }
        opened => opened?,
    };
    opened.thresholds = thresholds;
    opened.last = last.cloned();
    let analysis = opened.analyse(settings, &mut (), true, |()| Ok(()))?;
    Ok((Some(Summary::of(&analysis.snapshot)), analysis.verdict()))
}

/// Files that are one capture, together, by what their names have in common. A file named twice is
/// one file.
fn chains(files: &[PathBuf]) -> BTreeMap<PathBuf, Vec<PathBuf>> {
    let mut chains: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for file in files {
        // What cannot be resolved is reported when it is opened.
        let whole = held::canonical(file).unwrap_or_else(|| file.clone());
        let chain = chains.entry(chain(&whole)).or_default();
        if !chain.contains(file) {
            chain.push(file.clone());
        }
    }
    chains
}

/// What the files of a ring have in common: all but `_00001_20260101120000`.
fn chain(file: &Path) -> PathBuf {
    let name = file.file_name().and_then(|name| name.to_str());
    let ring = name.and_then(|name| {
        let (stem, ending) = name.split_at(name.find('.').unwrap_or(name.len()));
        let (front, stamp) = stem.rsplit_once('_')?;
        let (front, number) = front.rsplit_once('_')?;
        let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        let ours = stamp.len() == 14 && number.len() >= 5 && digits(stamp) && digits(number);
        ours.then(|| file.with_file_name(format!("{front}_{ending}")))
    });
    ring.unwrap_or_else(|| file.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_ring_are_one_capture_and_others_are_their_own() {
        let names = [
            "/x/a_00002_20260101130000.pcapng",
            "/x/b_00001_20260101120000.pcapng",
            "/x/a_00001_20260101120000.pcapng",
            "/x/a_00003_20260101140000.pcapng.gz",
            "/y/a_00001_20260101120000.pcapng",
            "/x/a_1_20260101120000.pcapng",
            "/x/plain.pcap",
            "/x/plain.pcap",
        ];
        let files: Vec<PathBuf> = names.iter().map(PathBuf::from).collect();
        let mut sizes: Vec<usize> = chains(&files).values().map(Vec::len).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [1, 1, 1, 1, 1, 2]);
        assert_eq!(
            chain(&files[0]),
            chain(&files[2]),
            "whatever its number and time"
        );
    }
}
