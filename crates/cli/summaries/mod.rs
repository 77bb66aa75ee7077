//! `report --summaries`: the sums of each capture are kept in a folder as soon as they are known,
//! and a run that finds them there does not analyse the capture again. So a long run goes on where
//! an earlier one ended, however it ended.
//!
//! Kept are the sums of captures that were read as a whole. What was damaged or skipped is tried
//! again each time: whether the file is at fault or the moment (a network drive, a right) cannot be
//! told later.

mod part;

pub(crate) use part::{ENDING, document, whole};

use crate::args::ReportArgs;
use crate::failure::{Failure, Verdict, say, shown};
#[cfg(feature = "libpcap")]
use crate::input::compile_filter;
use crate::input::warn;
use crate::replacement::{Readers, Replacement};
use part::{CaptureSums, FileStamp, PartOrigin, PathText, ProgramStamp, Terms};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use twox_hash::XxHash64;
use wirewait::{Layout, Summary};
use wirewait_report::words::Grouped;

/// What came of a capture, and what was said.
pub(crate) type Worked = (Result<Sums, Failure>, Vec<String>);

/// The sums of a capture, or none if it was skipped, and whether all of it was read.
pub(crate) type Sums = (Option<Summary>, Verdict);

/// A folder with the sums of captures.
#[derive(Debug)]
pub(crate) struct Summaries {
    folder: PathBuf,
    terms: Terms,
    program: ProgramStamp,
    tally: Mutex<ResumeTally>,
}

/// How many captures there were. What is no capture is not counted: it was warned of.
#[derive(Clone, Copy, Debug, Default)]
struct ResumeTally {
    /// Whose sums were in the folder.
    taken: u64,
    /// Those that were analysed.
    analysed: u64,
    /// Those of them whose sums could not be written.
    failed: u64,
}

/// What is in the folder under the name of a capture.
#[derive(Debug)]
enum StoredSums {
    Sums(Box<CaptureSums>),
    Nothing,
    /// Sums of the capture, of other files or made by another program.
    Outdated,
    /// Something else, and why.
    Unusable(String),
}

impl Summaries {
    /// The folder that the user named.
    pub(crate) fn of(args: &ReportArgs, last: Option<&Layout>) -> Result<Option<Self>, Failure> {
        let Some(folder) = args.summaries.clone() else {
            return Ok(None);
        };
        Ok(Some(Self {
            folder,
            terms: terms(args, last)?,
            program: ProgramStamp::now(),
            tally: Mutex::default(),
        }))
    }

    /// Takes the sums of this capture out of the folder, or has it analysed and keeps its sums.
    pub(crate) fn around(
        &self,
        (capture, files): (&Path, &[PathBuf]),
        analyse: impl FnOnce() -> Worked,
    ) -> Worked {
        let Some(origin) = self.origin(capture, files) else {
            let worked = analyse();
            self.count(|tally| tally.analysed += u64::from(has_sums(&worked.0)));
            return worked;
        };
        let named: Vec<PathText> = files.iter().map(|path| PathText::of(path)).collect();
        let place = self.folder.join(origin.name());
        let mut said = Vec::new();
        let kept = look(&place, &origin, &named);
        match kept {
            StoredSums::Sums(part) => {
                self.count(|tally| tally.taken += 1);
                return (Ok((Some(part.sums), Verdict::Whole)), part.head.warnings);
            }
            StoredSums::Unusable(ref why) => said.push(format!(
                "{}: {why}; the capture is analysed again",
                shown(&place)
            )),
            StoredSums::Nothing | StoredSums::Outdated => {}
        }
        let (worked, warnings) = analyse();
        self.count(|tally| tally.analysed += u64::from(has_sums(&worked)));
        // A file that changed meanwhile may have been read half old and half new.
        if let Ok((Some(sums), Verdict::Whole)) = &worked
            && self.origin(capture, files).as_ref() == Some(&origin)
        {
            let written = CaptureSums::write(origin, named, &warnings, sums)
                .and_then(|bytes| keep(&place, &bytes, !matches!(kept, StoredSums::Nothing)));
            if let Err(error) = written {
                self.failed(&error);
            }
        }
        said.extend(warnings);
        (worked, said)
    }

    /// Says how many captures were not analysed again. Whether all sums could be kept.
    pub(crate) fn finish(&self) -> Verdict {
        let tally = *self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = match tally.failed {
            0 => String::new(),
            n => format!(", of which the sums could not be kept: {}", Grouped(n)),
        };
        say(&format!(
            "{}: captures whose sums were there: {}, analysed: {}{failed}",
            shown(&self.folder),
            Grouped(tally.taken),
            Grouped(tally.analysed),
        ));
        match tally.failed {
            0 => Verdict::Whole,
            _ => Verdict::Damaged,
        }
    }

    /// What the sums of a capture would come from now; `None` if that cannot be told.
    fn origin(&self, capture: &Path, files: &[PathBuf]) -> Option<PartOrigin> {
        let files = files.iter().map(|path| FileStamp::of(path));
        Some(PartOrigin {
            capture: PathText::of(capture),
            terms: self.terms.clone(),
            program: self.program.clone(),
            files: files.collect::<Option<_>>()?,
        })
    }

    /// Says it at once, and once: the others will fail for the same reason.
    fn failed(&self, error: &io::Error) {
        let mut first = false;
        self.count(|tally| {
            first = tally.failed == 0;
            tally.failed += 1;
        });
        if first {
            let advice = match error.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free some space",
                _ => "name a folder that can be written",
            };
            warn(&format!(
                "the sums of captures cannot be kept in {}: {error}; {advice}: captures whose sums \
                 are not kept are analysed again by the next run",
                shown(&self.folder)
            ));
        }
    }

    fn count(&self, count: impl FnOnce(&mut ResumeTally)) {
        count(&mut self.tally.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Whether a file is one that an earlier run kept in this folder.
pub(crate) fn is_kept_in(folder: &Path, file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str());
    let parent = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    name.is_some_and(|name| name.ends_with(ENDING))
        && parent
            .canonicalize()
            .is_ok_and(|parent| folder.canonicalize().is_ok_and(|folder| folder == parent))
}

fn has_sums(worked: &Result<Sums, Failure>) -> bool {
    matches!(worked, Ok((Some(_), _)))
}

fn terms(args: &ReportArgs, last: Option<&Layout>) -> Result<Terms, Failure> {
    let select = &args.input.select;
    #[cfg(feature = "libpcap")]
    let (filter, compiled) = (
        select.filter.clone(),
        select.filter.as_deref().map(compile_filter).transpose()?,
    );
    #[cfg(not(feature = "libpcap"))]
    let (filter, compiled) = (None, None::<()>);
    let digest = |text: String| format!("{:016x}", XxHash64::oneshot(0, text.as_bytes()));
    Ok(Terms {
        settings: format!("{:?}", args.analysis.settings()),
        since: select.since.as_ref().map(ToString::to_string),
        until: select.until.as_ref().map(ToString::to_string),
        filter,
        filter_digest: compiled.map(|filter| digest(format!("{filter:?}"))),
        zone: select.zone.map(|zone| zone.seconds_east),
        last_digest: last.map(|layout| digest(layout.to_string())),
    })
}

fn look(place: &Path, wanted: &PartOrigin, named: &[PathText]) -> StoredSums {
    match place.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => return StoredSums::Nothing,
        Err(error) => return StoredSums::Unusable(format!("cannot be read: {error}")),
        Ok(known) if !known.is_file() => return StoredSums::Unusable("is no file".to_owned()),
        Ok(_) => {}
    }
    let bytes = match File::open(place).and_then(whole) {
        // Another run replaces it at this moment.
        Err(error) if error.kind() == ErrorKind::NotFound => return StoredSums::Nothing,
        Err(error) => return StoredSums::Unusable(format!("cannot be read: {error}")),
        Ok(bytes) => bytes,
    };
    match CaptureSums::read(&bytes) {
        Err(why) => StoredSums::Unusable(why),
        Ok(part) if !part.head.origin.is_of(wanted) => StoredSums::Unusable(
            "holds the sums of another capture, or of other settings".to_owned(),
        ),
        // Warnings name files as they were typed; sums do not.
        Ok(part) if part.head.origin != *wanted => StoredSums::Outdated,
        Ok(part) if !part.head.warnings.is_empty() && part.head.named != named => {
            StoredSums::Outdated
        }
        Ok(part) => StoredSums::Sums(Box::new(part)),
    }
}

/// Writes a file that takes its name when it is complete and on the disk.
fn keep(place: &Path, bytes: &[u8], anything_there: bool) -> io::Result<()> {
    // What is there is worth nothing. Without it the new file is never written in its place.
    if anything_there {
        match fs::remove_file(place) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    let mut file = Replacement::new(place, Readers::Usual)?;
    file.write_all(bytes)?;
    match file.commit_anew() {
        // Another run was faster.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        done => done,
    }
}
