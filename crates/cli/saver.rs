//! Saves what is captured while it is watched.

use crate::args::LiveArgs;
use crate::failure::{Failure, shown};
use std::path::Path;
#[cfg(unix)]
use std::sync::{Arc, atomic::AtomicBool};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use wirewait::{Frame, Timestamp};
use wirewait_capture::live::Live;
use wirewait_capture::ring::{Limits, News, Ring, Saved};
use wirewait_capture::write::Description;
use wirewait_report::Escaped;
use wirewait_report::words::Grouped;

/// The ring is told what was counted this often.
const COUNT: Duration = Duration::from_secs(1);

/// What is written into the files as the program that made them.
const APPLICATION: &str = concat!("wirewait ", env!("CARGO_PKG_VERSION"));

/// A ring of files, and what it has to know now and then.
#[derive(Debug)]
pub(crate) struct Saver {
    ring: Ring,
    looked: Instant,
    /// Bytes of the file under way.
    bytes: u64,
    /// Why nothing is saved at the moment.
    trouble: Option<String>,
}

/// What was saved.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    /// In words.
    pub(crate) said: String,
    /// All frames were.
    pub(crate) whole: bool,
}

impl Saver {
    /// Begins to save, if the user asked for it.
    pub(crate) fn of(args: &LiveArgs, live: &Live) -> Result<Option<Self>, Failure> {
        let Some(path) = &args.save else {
            return Ok(None);
        };
        if args.save_files.is_some() && args.save_size.is_none() && args.save_time.is_none() {
            return Err(Failure::Usage(
                "--save-files: say by --save-size or --save-time when a file is full".to_owned(),
            ));
        }
        let limits = Limits {
            file_bytes: args.save_size.map(|size| size.bytes),
            file_ns: args.save_time.map(|time| time.nanos),
            files: args.save_files,
        };
        // What comes through a pipe was cut by whoever made it, if at all.
        #[cfg(feature = "libpcap")]
        let snaplen = if args.source.is_none() {
            args.snaplen
        } else {
            0
        };
        #[cfg(not(feature = "libpcap"))]
        let snaplen = 0;
        Self::begin(path, limits, live, snaplen).map(Some)
    }

    fn begin(path: &Path, limits: Limits, live: &Live, snaplen: u32) -> Result<Self, Failure> {
        survive_full_files()?;
        let described: Vec<Description> = live
            .interfaces()
            .into_iter()
            .map(|known| Description {
                name: known.name,
                speed: known.speed,
                snaplen,
                ..Description::of(known.link)
            })
            .collect();
        let ring = Ring::new(path, APPLICATION, limits, &described, system_time())
            .map_err(|trouble| Failure::Cannot(Escaped(&trouble.to_string()).to_string()))?;
        Ok(Self {
            ring,
            looked: Instant::now(),
            bytes: 0,
            trouble: None,
        })
    }

    /// Saves a frame.
    pub(crate) fn frame(&mut self, frame: &Frame<'_>) {
        self.ring.frame(frame);
    }

    /// Passes on the time and what was counted. Says what the user should know.
    pub(crate) fn look(&mut self, live: &Live) -> Option<String> {
        if self.looked.elapsed() >= COUNT {
            self.looked = Instant::now();
            self.bytes = self.ring.file_bytes();
            self.count(live);
            if let Some(now) = live.now() {
                self.ring.advance(now);
            }
        }
        let news = self.ring.news()?;
        match &news {
            News::Stopped(trouble) => self.trouble = Some(trouble.to_string()),
            News::Resumed { .. } => self.trouble = None,
            _ => {}
        }
        Some(news.to_string())
    }

    /// Writes out what waits, and says how much the file has now; of trouble [`Saver::look`] tells.
    pub(crate) fn flush(&mut self, live: &Live) -> String {
        self.ring.flush(live.now().unwrap_or_else(system_time));
        let saved = self.ring.saved();
        let file = shown(self.ring.file());
        format!(
            "{} frames saved, written out to {file}",
            Grouped(saved.frames)
        )
    }

    fn count(&mut self, live: &Live) {
        for (number, known) in (0..).zip(live.interfaces()) {
            if let (Some(received), Some(lost)) = (known.received, known.lost()) {
                self.ring.counted(number, received, lost);
            }
        }
    }

    /// What the screen shows of it.
    pub(crate) fn saving(&self) -> wirewait_tui::Saving {
        wirewait_tui::Saving {
            file: Escaped(&self.ring.file().display().to_string()).to_string(),
            files: self.ring.saved().files,
            bytes: self.bytes,
            trouble: self.trouble.clone(),
        }
    }

    /// Ends the last file, and says what was saved.
    pub(crate) fn finish(mut self, live: &Live) -> Ended {
        self.count(live);
        let file = self.ring.file().display().to_string();
        let (saved, trouble) = self.ring.finish(live.now().unwrap_or_else(system_time));
        let mut said = told(&saved, &file);
        if saved.lost > 0 {
            said.push_str(&format!("; {} could not be saved", Grouped(saved.lost)));
        }
        let whole = saved.lost == 0 && trouble.is_none();
        if let Some(trouble) = trouble {
            said.push_str(&format!("; {trouble}"));
        }
        Ended {
            said: Escaped(&said).to_string(),
            whole,
        }
    }
}

/// How many frames are in how many files, and which of them are there yet.
fn told(saved: &Saved, file: &str) -> String {
    let frames = Grouped(saved.frames);
    if saved.files < 2 {
        return format!("{frames} frames saved, the last file is {file}");
    }
    let kept = match saved.removed_files {
        0 => String::new(),
        removed => format!(
            ", of which the newest {} are kept ({} frames)",
            Grouped(saved.files.saturating_sub(removed)),
            Grouped(saved.frames.saturating_sub(saved.removed_frames))
        ),
    };
    let files = Grouped(saved.files);
    format!("{frames} frames saved in {files} files{kept}; the last file is {file}")
}

/// A file that reaches the size it may have (`ulimit -f`) is as full as a disk: the signal that
/// says so does not end the program, and writing fails.
#[cfg(unix)]
fn survive_full_files() -> Result<(), Failure> {
    let noted = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, noted)
        .map(drop)
        .map_err(|error| Failure::Cannot(format!("signals cannot be caught: {error}")))
}

#[cfg(not(unix))]
fn survive_full_files() -> Result<(), Failure> {
    Ok(())
}

/// The moment, as frames are stamped.
pub(crate) fn system_time() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp::from_nanos(i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_files_that_are_gone_are_not_among_those_kept() {
        let mut saved = Saved {
            files: 1,
            frames: 2702,
            ..Saved::default()
        };
        let said = told(&saved, "lan.pcapng");
        assert_eq!(said, "2,702 frames saved, the last file is lan.pcapng");
        saved.files = 12;
        let said = told(&saved, "l_12");
        assert_eq!(
            said,
            "2,702 frames saved in 12 files; the last file is l_12"
        );
        (saved.removed_files, saved.removed_frames) = (9, 2000);
        assert_eq!(
            told(&saved, "l_12"),
            "2,702 frames saved in 12 files, of which the newest 3 are kept (702 frames); the last file is \
             l_12"
        );
    }
}
