//! What is read, and how.

use crate::failure::Failure;
use engine::{Choice, Duplex, Frame, Settings, SourceError, SourceErrorKind};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;
#[cfg(feature = "libpcap")]
use wirewait_capture::filter::Filter;
use wirewait_capture::{Files, Options};
use wirewait_report::{About, Interface, Selection};

/// What Python names: a file, the files of one capture, or the bytes of one.
#[derive(FromPyObject)]
pub(crate) enum Named<'py> {
    Bytes(Bound<'py, PyBytes>),
    Path(PathBuf),
    Paths(Vec<PathBuf>),
}

/// The frames of a capture, to be read as often as needed.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    source: Source,
    options: Options,
    filter: Option<String>,
    pub(crate) settings: Settings,
}

#[derive(Clone, Debug)]
enum Source {
    Files(Vec<PathBuf>),
    Bytes(String, Arc<[u8]>),
}

/// Values that Python gives in seconds and words.
pub(crate) struct Given {
    pub(crate) filter: Option<String>,
    pub(crate) zone_offset: Option<i32>,
    pub(crate) skip_unreadable: bool,
    pub(crate) name: String,
}

impl Input {
    pub(crate) fn new(named: Named<'_>, given: Given, settings: Settings) -> Result<Self, Failure> {
        let mut options = Options::default();
        options.zone_offset = given.zone_offset;
        options.skip_unreadable = given.skip_unreadable;
        let source = match named {
            Named::Bytes(bytes) => Source::Bytes(given.name, bytes.as_bytes().into()),
            Named::Path(path) => Source::Files(vec![path]),
            Named::Paths(paths) => Source::Files(paths),
        };
        let input = Self {
            source,
            options,
            filter: given.filter,
            settings,
        };
        // Mistakes are errors here, not where rows are taken later.
        input.read()?;
        Ok(input)
    }

    /// Opens it.
    pub(crate) fn read(&self) -> Result<Files, Failure> {
        self.selection()?;
        let files = match &self.source {
            Source::Files(paths) => wirewait_capture::open(paths, &self.options),
            Source::Bytes(name, bytes) => {
                let stream = Box::new(Cursor::new(Arc::clone(bytes)));
                Files::from_reader(name.clone(), stream, &self.options)
            }
        };
        Ok(files?)
    }

    /// Which of its frames are wanted.
    pub(crate) fn selection(&self) -> Result<Wanted, Failure> {
        #[cfg(feature = "libpcap")]
        return Ok(Wanted(self.filter.as_deref().map(compile).transpose()?));
        #[cfg(not(feature = "libpcap"))]
        match self.filter {
            None => Ok(Wanted(())),
            Some(_) => Err(Failure::Usage(
                "this package was built without libpcap and knows no capture filters".to_owned(),
            )),
        }
    }

    /// What a report says of it.
    pub(crate) fn about(&self, interfaces: Vec<Interface>, damage: Vec<String>) -> About {
        About {
            files: self.names(),
            selection: Selection {
                filter: self.filter.clone(),
                ..Selection::default()
            },
            interfaces,
            damage,
            ..About::default()
        }
    }

    /// What files of columns say of themselves.
    pub(crate) fn metadata(&self) -> Vec<(&'static str, String)> {
        let mut metadata = vec![
            ("wirewait.version", env!("CARGO_PKG_VERSION").to_owned()),
            ("wirewait.files", self.names().join("\n")),
        ];
        let filter = self.filter.clone();
        metadata.extend(filter.map(|filter| ("wirewait.filter", filter)));
        metadata
    }

    fn names(&self) -> Vec<String> {
        match &self.source {
            Source::Files(paths) => paths.iter().map(|p| p.display().to_string()).collect(),
            Source::Bytes(name, _) => vec![name.clone()],
        }
    }
}

/// Frames that are wanted.
#[cfg(feature = "libpcap")]
pub(crate) struct Wanted(Option<Filter>);
/// Frames that are wanted: all.
#[cfg(not(feature = "libpcap"))]
pub(crate) struct Wanted(());

impl Wanted {
    pub(crate) fn choose(&mut self, frame: &Frame<'_>) -> Choice {
        #[cfg(feature = "libpcap")]
        if self.0.as_mut().is_some_and(|filter| !filter.matches(frame)) {
            return Choice::Skip;
        }
        #[cfg(not(feature = "libpcap"))]
        let _ = (frame, self.0);
        Choice::Take
    }
}

#[cfg(feature = "libpcap")]
pub(crate) fn compile(expression: &str) -> Result<Filter, Failure> {
    Filter::compile(expression).map_err(|error| Failure::Filter(error.to_string()))
}

/// Damage behind which reading goes on.
#[derive(Debug, Default)]
pub(crate) struct Damage(pub(crate) Vec<String>);

impl Damage {
    /// # Errors
    /// Anything worse.
    pub(crate) fn take(&mut self, error: SourceError) -> Result<(), Failure> {
        match error.kind {
            SourceErrorKind::Damaged => self.0.push(error.to_string()),
            // Nothing is read behind anything else.
            _ => return Err(error.into()),
        }
        Ok(())
    }
}

/// What a report says of the interfaces of the files.
pub(crate) fn interfaces(files: &Files) -> Vec<Interface> {
    let known = files.interfaces().iter();
    known
        .map(|known| Interface {
            name: known.name.clone(),
            link_type: known.link.0,
            dropped: known.lost(),
            not_saved: known.not_saved,
        })
        .collect()
}

/// Settings of the analysis as Python gives them.
pub(crate) struct Analysis {
    pub(crate) timeout: f64,
    pub(crate) think: f64,
    pub(crate) wait: f64,
    pub(crate) link_speed: Option<u64>,
    pub(crate) duplex: Option<String>,
    pub(crate) private: bool,
}

impl Analysis {
    pub(crate) fn settings(self) -> Result<Settings, Failure> {
        let duplex = match self.duplex.as_deref() {
            None => None,
            Some("half") => Some(Duplex::Half),
            Some("full") => Some(Duplex::Full),
            Some(_) => return Err(Failure::Usage("duplex: 'half' or 'full'".to_owned())),
        };
        if self.link_speed == Some(0) {
            return Err(Failure::Usage(
                "link_speed: bits per second, more than 0".to_owned(),
            ));
        }
        let mut settings = Settings::default();
        settings.timeout_ns = nanos("timeout", self.timeout, 1)?;
        settings.think_ns = nanos("think", self.think, 0)?;
        settings.wait_ns = nanos("wait", self.wait, 0)?;
        settings.link_speed = self.link_speed;
        settings.duplex = duplex;
        settings.private = self.private;
        Ok(settings)
    }
}

/// Seconds as nanoseconds, at least `least`.
pub(crate) fn nanos(name: &str, seconds: f64, least: i64) -> Result<i64, Failure> {
    // A hundred years: beyond it nanoseconds are not exact and no capture is as long.
    let longest = 100.0 * 366.0 * 86_400.0;
    let nanos = (seconds * 1e9).round();
    if (0.0..=longest).contains(&seconds) && nanos >= least as f64 {
        #[allow(clippy::cast_possible_truncation, reason = "within bounds")]
        return Ok(nanos as i64);
    }
    Err(Failure::Usage(format!(
        "{name}: seconds, {} 0",
        if least > 0 { "more than" } else { "not below" }
    )))
}
