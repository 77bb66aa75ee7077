//! What is done beside the analysis, so that it never waits: frames are looked up and decoded,
//! saved, and what is shown is written to files. Each errand has a thread of its own.

mod decode;
mod hunt;
mod save;
mod stock;

use super::study::Study;
use crate::args::InputArgs;
use crate::failure::{Failure, shown};
use crate::replacement::{Readers, Replacement};
use crate::rights;
use std::io::{ErrorKind, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use stock::Stock;
use wirewait::{Endpoint, Timestamp, Transaction};
use wirewait_capture::unnumbered;
use wirewait_capture::write::Description;
use wirewait_report::Escaped;
use wirewait_tui::Message;

/// Frames in front of those that are wanted that are looked at to understand them, where the
/// capture is not at hand from its beginning.
const LEAD: u64 = 20_000;

/// Names that are tried for an export until one is free.
const NAMES: u32 = 100;

/// Which frames are to be decoded.
#[derive(Clone, Debug)]
pub(super) enum Job {
    /// Those with these numbers.
    Frames(RangeInclusive<u64>),
    /// Those of a transaction.
    Transaction(Box<Transaction>),
    /// Those of the transaction with this number, wherever in the files it is.
    Number(u64),
}

impl Job {
    /// The first frame that is needed, and the last.
    fn span(&self) -> (u64, u64) {
        match self {
            Self::Frames(numbers) => (*numbers.start(), *numbers.end()),
            Self::Transaction(t) => span(t),
            Self::Number(_) => (1, u64::MAX),
        }
    }
}

/// Which frames are to be saved.
#[derive(Clone, Debug)]
pub(super) enum Pick {
    /// Those of a transaction.
    Transaction(Box<Transaction>),
    /// Those between a client and a server.
    Conversation(Endpoint, Endpoint),
    /// Those from this number to that.
    Frames(u64, u64),
    /// Those from this moment to that.
    Between(Timestamp, Timestamp),
}

/// The first frame of a transaction, and the last that brought anything new.
fn span(t: &Transaction) -> (u64, u64) {
    let extents = [t.request, t.response].into_iter().flatten();
    let frames = extents.flat_map(|extent| [extent.first.frame, extent.last.frame]);
    let frames = frames.chain(t.raw_end.map(|mark| mark.frame));
    let (first, last) = (frames.clone().min(), frames.max());
    (first.unwrap_or(1), last.unwrap_or(1))
}

/// Runs errands, and brings the replies.
pub(super) struct Errands {
    /// The files, if they can be read again.
    files: Option<InputArgs>,
    out: Sender<Option<Message>>,
    replies: Receiver<Option<Message>>,
    /// Errands under way.
    pending: usize,
    /// Number of the latest decoding: earlier ones are given up.
    latest: Arc<AtomicU64>,
}

impl Errands {
    /// `files` are those that can be read again.
    pub(super) fn new(files: Option<InputArgs>) -> Self {
        let (out, replies) = channel();
        Self {
            files,
            out,
            replies,
            pending: 0,
            latest: Arc::default(),
        }
    }

    /// Whether the capture can be read from its beginning, so that a transaction can be found by
    /// its number alone.
    pub(super) fn reads_again(&self) -> bool {
        self.files.is_some()
    }

    /// Whether replies will come.
    pub(super) fn are_out(&self) -> bool {
        self.pending > 0
    }

    /// A reply that has come.
    pub(super) fn reply(&mut self) -> Option<Message> {
        while let Ok(reply) = self.replies.try_recv() {
            self.pending = self.pending.saturating_sub(1);
            if reply.is_some() {
                return reply;
            }
        }
        None
    }

    /// Decodes frames. What was to be decoded before is not wanted any more.
    pub(super) fn decode(&mut self, job: Job, study: &Study) {
        let number = self.latest.fetch_add(1, Ordering::Relaxed) + 1;
        let (first, last) = job.span();
        let stock = self.stock(first, last, study);
        let (plan, begun) = (study.plan().clone(), study.first());
        let latest = Arc::clone(&self.latest);
        self.run(move || {
            let is_wanted = || latest.load(Ordering::Relaxed) == number;
            let decoded = decode::decode(&job, &stock, begun, &plan, &is_wanted);
            let reply = decoded.map_or_else(failed, |frames| Message::Decoded(Arc::new(frames)));
            is_wanted().then_some(reply)
        });
    }

    /// Saves frames.
    pub(super) fn save(
        &mut self,
        pick: Pick,
        path: PathBuf,
        interfaces: Vec<Description>,
        study: &Study,
    ) {
        let (first, last) = match &pick {
            Pick::Transaction(t) => span(t),
            // Wherever they are.
            Pick::Frames(first, last) => (*first, *last),
            Pick::Conversation(..) | Pick::Between(..) => (1, study.number()),
        };
        let stock = self.stock(first, last, study);
        let plan = study.plan().clone();
        self.run(move || {
            let saved = save::save(&pick, &path, &stock, &interfaces, &plan);
            Some(saved.map_or_else(failed, Message::Said))
        });
    }

    /// Writes what is shown to a file.
    pub(super) fn export(&mut self, path: PathBuf, content: String) {
        self.run(move || {
            let written = write(&path, content.as_bytes());
            let said = |path: PathBuf| Message::Said(format!("written to {}", shown(&path)));
            Some(written.map_or_else(failed, said))
        });
    }

    /// Where to take frames from: memory if it has them and what is before them, otherwise the
    /// files.
    fn stock(&self, first: u64, last: u64, study: &Study) -> Stock {
        let first = first.saturating_sub(LEAD).max(1);
        let kept = study.frames.kept().first;
        match &self.files {
            Some(files) if kept.is_none_or(|(oldest, _)| oldest > first) => {
                Stock::Files(Box::new(files.clone()))
            }
            // Acknowledgements may follow behind the last frame.
            _ => Stock::copy(&study.frames, first..=last.saturating_add(LEAD)),
        }
    }

    fn run(&mut self, errand: impl FnOnce() -> Option<Message> + Send + 'static) {
        let out = self.out.clone();
        let thread = std::thread::Builder::new().name("errand".to_owned());
        let begun = thread.spawn(move || {
            // Nobody waits for it after the end.
            let _ = out.send(errand());
        });
        let reply = match begun {
            Ok(_) => None,
            Err(error) => Some(Message::Failed(format!(
                "no thread can be started: {}",
                unnumbered(&error.to_string())
            ))),
        };
        self.pending += 1;
        if reply.is_some() {
            let _ = self.out.send(reply);
        }
    }
}

fn failed(failure: Failure) -> Message {
    Message::Failed(Escaped(&failure.to_string()).to_string())
}

/// Writes a new file, and says what it is called: nothing is ever written over.
fn write(path: &Path, content: &[u8]) -> Result<PathBuf, Failure> {
    for number in 1..=NAMES {
        let path = numbered(path, number);
        if path.symlink_metadata().is_ok() {
            continue;
        }
        let written = Replacement::new(&path, Readers::Usual).and_then(|mut file| {
            file.write_all(content)?;
            file.commit_anew()
        });
        return match written {
            Ok(()) => Ok(path),
            // Somebody else was faster.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
            Err(error) => Err(Failure::writing(&shown(&path), &error).with(rights::hint(&error))),
        };
    }
    Err(Failure::Cannot(format!(
        "{} and {NAMES} names like it are taken; move them away",
        shown(path)
    )))
}

/// `a.csv`, `a-2.csv`, `a-3.csv`.
fn numbered(path: &Path, number: u32) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_over() {
        let folder = std::env::temp_dir().join(format!("wirewait-export-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("servers.csv");
        let written = [b"1", b"2", b"3"].map(|text| write(&path, text).unwrap());
        let names = ["servers.csv", "servers-2.csv", "servers-3.csv"];
        assert_eq!(written, names.map(|name| folder.join(name)));
        assert_eq!(std::fs::read(&written[0]).unwrap(), b"1");
        assert_eq!(std::fs::read(&written[2]).unwrap(), b"3");
        let nowhere = folder.join("no/such/folder.csv");
        let failure = write(&nowhere, b"").unwrap_err().to_string();
        assert!(
            failure.contains("no/such/folder.csv: No such file"),
            "{failure}"
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
