//! Files before they begin: found, looked into, and opened when it is their turn.

use super::{FULL_WINDOWS, Files, SMALL_WINDOW};
use crate::archive::{self, ArchivedFile};
use crate::fault::{Fault, Severity};
use crate::format;
use crate::held;
use crate::input::{Counted, Input, is_stdin};
use crate::interfaces::Interfaces;
use crate::opening::open_file;
use crate::stream::Stream;
use std::collections::HashSet;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;
use wirewait_wire::{SourceError, SourceErrorKind};

/// A file that has not begun.
pub(super) struct Waiting {
    /// Place among the files, once they are sorted.
    pub(super) order: usize,
    /// Nanoseconds of its first frame.
    pub(super) first: i64,
    pub(super) origin: Origin,
}

impl Waiting {
    pub(super) fn name(&self) -> &str {
        match &self.origin {
            Origin::Again(name, _) => name,
            Origin::Ready(stream) => &stream.name,
        }
    }
}

pub(super) enum Origin {
    /// To be opened again, with its name.
    Again(String, Again),
    /// Open, as it cannot be opened again.
    Ready(Stream),
}

/// How a file is opened again.
pub(super) enum Again {
    Path(PathBuf),
    Part(ArchivedFile),
}

/// What the message about a skipped file ends with.
const SKIPPED: &str = "; it is skipped";

/// Whether an error is that a file was skipped ([`Options::skip_unreadable`](crate::Options::skip_unreadable)).
#[must_use]
pub fn is_skipped(error: &SourceError) -> bool {
    error.message.ends_with(SKIPPED)
}

impl Files {
    /// Remembers a file that is left out.
    pub(super) fn skip(&mut self, mut error: SourceError, unusable: &mut Option<SourceError>) {
        unusable.get_or_insert(error.clone());
        error.kind = SourceErrorKind::Damaged;
        error.message.push_str(SKIPPED);
        self.skipped.push(error);
    }

    /// Puts their files in the place of archives.
    pub(super) fn unpacked(
        &mut self,
        inputs: Vec<Input>,
        skip: bool,
        unusable: &mut Option<SourceError>,
    ) -> Result<Vec<Input>, SourceError> {
        let mut files = Vec::with_capacity(inputs.len());
        for input in inputs {
            let listed = match &input {
                Input::Path(path) if !is_stdin(path) => archive::list(path),
                _ => Ok(None),
            };
            match listed {
                Ok(None) => files.push(input),
                Ok(Some(listing)) => {
                    for error in listing.errors {
                        self.skip(error, unusable);
                    }
                    files.extend(listing.parts.into_iter().map(Input::Part));
                }
                // Looking into it finds it again.
                Err(_) if skip => files.push(input),
                Err(fault) => return Err(fault.named(&input.name())),
            }
        }
        Ok(files)
    }

    /// Which of two files came first cannot be known if they begin with one time stamp.
    pub(super) fn warn_of_equal_beginnings(&mut self, waiting: &[Waiting]) {
        let mut pairs = waiting.windows(2);
        let equal = pairs.find(|pair| pair[0].first == pair[1].first && pair[0].first > i64::MIN);
        let Some([one, other]) = equal else {
            return;
        };
        let said = format!(
            "begins with the same time stamp as {}: which of them was first cannot be known; \
             the order in which they are named counts",
            one.name()
        );
        self.warnings
            .push(Fault::unreadable(said).named(other.name()));
    }

    pub(super) fn without_repeats(&mut self, inputs: Vec<Input>) -> Vec<Input> {
        let mut known = HashSet::new();
        let mut kept = Vec::with_capacity(inputs.len());
        for input in inputs {
            let same = match &input {
                Input::Path(path) if is_stdin(path) => Some(path.clone()),
                // What cannot be resolved is reported when it is opened.
                Input::Path(path) => held::canonical(path),
                Input::Part(_) | Input::Stream(..) => None,
            };
            if same.is_some_and(|path| !known.insert(path)) {
                self.warnings.push(
                    Fault::unreadable("is named more than once; it is read once")
                        .named(&input.name()),
                );
            } else {
                kept.push(input);
            }
        }
        kept
    }

    /// Opens an input and finds the time of its first frame, by which files are sorted;
    /// of an input that is `alone` only its format is wanted.
    pub(super) fn look_into(
        &mut self,
        order: usize,
        input: Input,
        alone: bool,
    ) -> Result<Waiting, Fault> {
        let name = input.name();
        let counted = matches!(input, Input::Part(_));
        let (source, size, again) = match input {
            Input::Stream(_, stream) => (stream, None, None),
            Input::Path(path) if is_stdin(&path) => {
                (Box::new(io::stdin()) as Box<dyn Read + Send>, None, None)
            }
            Input::Part(part) => {
                // Those that are opened again are counted then.
                let source = match alone {
                    true => part.open(|source| self.counted(source))?,
                    false => part.open(|source| source)?,
                };
                let size = Some(part.length);
                let again = (!alone).then_some(Again::Part(part));
                (source, size, again)
            }
            Input::Path(path) => {
                let file = open_file(&path)?;
                // A pipe given by its path can be read only once.
                let size = file
                    .metadata()
                    .ok()
                    .filter(std::fs::Metadata::is_file)
                    .map(|metadata| metadata.len());
                let again = size.is_some() && !alone;
                (
                    Box::new(file) as Box<dyn Read + Send>,
                    size,
                    again.then_some(Again::Path(path)),
                )
            }
        };
        self.bytes_total = self
            .bytes_total
            .zip(size)
            .and_then(|(sum, size)| sum.checked_add(size));
        let (source, window) = if again.is_some() {
            (source, SMALL_WINDOW.min(self.window))
        } else if counted {
            (source, self.window)
        } else {
            (self.counted(source), self.window)
        };
        let reader = format::recognise(source, window, self.zone)?;
        for remark in reader.remarks() {
            self.warnings
                .push(Fault::unreadable(remark.clone()).named(&name));
        }
        let mut stream = Stream::new(order, name, reader);
        if alone {
            return Ok(Waiting {
                order,
                first: i64::MIN,
                origin: Origin::Ready(stream),
            });
        }
        let mut scratch = Interfaces::default();
        // The interfaces of a stream that goes on from here have to be kept.
        let interfaces = match again {
            Some(_) => &mut scratch,
            None => &mut self.interfaces,
        };
        let begun = stream.advance(interfaces);
        // A file without a frame comes first: what else it says holds for the capture,
        // and its damage is reported before the frames of the others.
        let first = match begun {
            Ok(true) => stream.key,
            Ok(false) | Err(_) => i64::MIN,
        };
        if begun == Ok(false) {
            self.warnings
                .push(Fault::unreadable("holds no frames").named(&stream.name));
        }
        let origin = match again {
            Some(again) => Origin::Again(stream.name, again),
            None => {
                stream.primed = Some(begun);
                Origin::Ready(stream)
            }
        };
        Ok(Waiting {
            order,
            first,
            origin,
        })
    }

    fn counted(&self, source: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
        Box::new(Counted {
            source,
            bytes: Arc::clone(&self.bytes_read),
        })
    }

    /// Makes the first waiting file a stream.
    pub(super) fn begin(&self, waiting: Waiting) -> Result<Stream, SourceError> {
        let order = waiting.order;
        match waiting.origin {
            Origin::Ready(mut stream) => {
                stream.order = order;
                Ok(stream)
            }
            Origin::Again(name, again) => {
                let window = if self.heads.len() < FULL_WINDOWS {
                    self.window
                } else {
                    SMALL_WINDOW.min(self.window)
                };
                let gone = |fault: Fault| {
                    let message = format!(
                        "{}; it could be read before, its frames are missing now",
                        fault.message
                    );
                    Fault {
                        severity: Severity::Damaged,
                        message,
                        ..fault
                    }
                    .named(&name)
                };
                let source = match again {
                    Again::Path(path) => open_file(&path).map(|file| self.counted(Box::new(file))),
                    Again::Part(part) => part.open(|source| self.counted(source)),
                };
                let reader = source
                    .and_then(|source| format::recognise(source, window, self.zone))
                    .map_err(gone)?;
                Ok(Stream::new(order, name, reader))
            }
        }
    }
}
