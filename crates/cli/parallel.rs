//! `wirewait report --parallel`: captures that have nothing to do with each other, several at
//! a time, and their sums.

use crate::args::{InputArgs, ListFormat, ReportArgs, ReportFormat};
use crate::failure::{Failure, Verdict};
use crate::input::{Input, holding_warnings, warn};
use crate::merge;
use crate::symptoms;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use wirewait::{Settings, Summary, Thresholds};
use wirewait_capture::held;

pub(crate) fn run(args: &ReportArgs, workers: u16) -> Result<Verdict, Failure> {
    let chains = chains(&args.input.files);
    let settings = args.analysis.settings();
    let thresholds = symptoms::thresholds(&args.symptoms);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Done::default());
    thread::scope(|scope| {
        for _ in 0..usize::from(workers).min(chains.len()) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(chain) = chains.get(number) else {
                        break;
                    };
                    let input = InputArgs {
                        files: chain.clone(),
                        ..args.input.clone()
                    };
                    let (worked, warnings) =
                        holding_warnings(|| work(&input, settings, thresholds));
                    if worked.is_err() {
                        // There will be no sum: the others need not begin.
                        next.store(chains.len(), Ordering::Relaxed);
                    }
                    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    done.take(number, worked, warnings);
                }
            });
        }
    });
    let mut sum = Summary::default();
    let mut verdict = Verdict::Whole;
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut any = false;
    for worked in done.told {
        let (summary, of_chain) = worked?;
        any |= summary.is_some();
        sum.merge(&summary.unwrap_or_default());
        if of_chain != Verdict::Whole {
            verdict = of_chain;
        }
    }
    if !any {
        return Err(Failure::Cannot(
            "none of the files is a capture that can be read".to_owned(),
        ));
    }
    let format = match args.format {
        ReportFormat::Json => ListFormat::Json,
        _ => ListFormat::Text,
    };
    merge::print(
        &args.output,
        args.text.precise.digits(),
        &args.input.files,
        format,
        &sum,
    )?;
    if let Some(path) = &args.summary {
        merge::write(path, &args.input.files, &sum)?;
    }
    Ok(verdict)
}

/// The sums of one capture, and whether all of it could be read; no sums if it was skipped.
type Worked = Result<(Option<Summary>, Verdict), Failure>;

/// Captures that were worked through.
#[derive(Default)]
struct Done {
    /// Of which all was said, in their order.
    told: Vec<Worked>,
    /// Those behind one that is still worked through, by their numbers, with their warnings.
    waiting: BTreeMap<usize, (Worked, Vec<String>)>,
}

impl Done {
    /// Reports in the order of the captures, whichever is ready first. After one that failed
    /// nothing is reported: whether it was begun is a matter of chance.
    fn take(&mut self, number: usize, worked: Worked, warnings: Vec<String>) {
        self.waiting.insert(number, (worked, warnings));
        while let Some((worked, warnings)) = self.waiting.remove(&self.told.len()) {
            if !self.told.iter().any(Result::is_err) {
                warnings.iter().for_each(|warning| warn(warning));
            }
            self.told.push(worked);
        }
    }
}

fn work(input: &InputArgs, settings: Settings, thresholds: Thresholds) -> Worked {
    let mut opened = match Input::open(input) {
        Err(Failure::Cannot(why)) if input.gathered => {
            warn(&format!("{why}; it is skipped"));
            return Ok((None, Verdict::Damaged));
        }
        opened => opened?,
    };
    opened.thresholds = thresholds;
    let analysis = opened.analyse(settings, &mut (), true, |()| Ok(()))?;
    Ok((Some(Summary::of(&analysis.snapshot)), analysis.verdict()))
}

/// Files that are one capture, together. A file named twice is one file.
fn chains(files: &[PathBuf]) -> Vec<Vec<PathBuf>> {
    let mut chains: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for file in files {
        // What cannot be resolved is reported when it is opened.
        let whole = held::canonical(file).unwrap_or_else(|| file.clone());
        let chain = chains.entry(chain(&whole)).or_default();
        if !chain.contains(file) {
            chain.push(file.clone());
        }
    }
    chains.into_values().collect()
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
        let mut sizes: Vec<usize> = chains(&files).iter().map(Vec::len).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [1, 1, 1, 1, 1, 2]);
        assert_eq!(
            chain(&files[0]),
            chain(&files[2]),
            "whatever its number and time"
        );
    }
}
