//! When the first and the last frame of the files were captured, for the scrubber. They are
//! read through for it, in a thread beside.

use crate::args::InputArgs;
use crate::input::{self, Selection};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use wirewait::{Choice, Source, SourceErrorKind, Timestamp};
use wirewait_capture::open;

/// Frames read between looks at whether it is still wanted.
const STEP: u64 = 4096;

/// A reading of the files that is interested in nothing but time.
#[derive(Debug)]
pub(super) struct Survey {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    /// Nobody wants to know any more.
    over: AtomicBool,
    span: OnceLock<Option<(Timestamp, Timestamp)>>,
}

impl Survey {
    /// Begins it.
    pub(super) fn begin(args: &InputArgs) -> Self {
        let shared = Arc::new(Shared::default());
        let (args, theirs) = (args.clone(), Arc::clone(&shared));
        // Without the thread the scrubber has no end, and everything else works.
        let _ = std::thread::Builder::new()
            .name("survey".to_owned())
            .spawn(move || {
                let found = read(&args, &theirs.over);
                let _ = theirs.span.set(found);
            });
        Self { shared }
    }

    /// The first and the last time; not known until all was read.
    pub(super) fn span(&self) -> Option<(Timestamp, Timestamp)> {
        *self.shared.span.get()?
    }
}

impl Drop for Survey {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::Relaxed);
    }
}

fn read(args: &InputArgs, over: &AtomicBool) -> Option<(Timestamp, Timestamp)> {
    // What is wrong with them is said by the replay.
    let mut files = open(&args.files, &input::options(args)).ok()?;
    let mut selection = Selection::new(args).ok()?;
    let mut span: Option<(Timestamp, Timestamp)> = None;
    let mut number = 0_u64;
    loop {
        number += 1;
        if number.is_multiple_of(STEP) && over.load(Ordering::Relaxed) {
            return None;
        }
        match files.next_frame() {
            Ok(Some(frame)) => match selection.choose(&frame) {
                Choice::Take => {
                    let (first, last) = span.unwrap_or((frame.at, frame.at));
                    span = Some((first.min(frame.at), last.max(frame.at)));
                }
                Choice::Skip => {}
                Choice::Stop => return span,
            },
            Ok(None) => return span,
            Err(error) if error.kind == SourceErrorKind::Damaged => {}
            Err(_) => return span,
        }
    }
}
