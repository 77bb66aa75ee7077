//! SIGHUP: a probe reads its configuration again, and opens the file of its rows again.
//!
//! What a figure depends on stays as it is until the next start: a count by two thresholds would be
//! one by neither, tables have their sizes, and interfaces and outputs were opened with rights that
//! are given up.

use crate::args::LiveArgs;
use crate::config;
use crate::failure::Failure;
use crate::symptoms;
use std::ffi::OsString;
use wirewait_report::symptoms::Texts;

/// Settings that can change while frames are captured.
const CHANGEABLE: &[&str] = &["files.symptom_texts"];

/// Reads the arguments of the program and its configuration again.
pub(crate) type Again = fn(&[OsString]) -> Result<(config::Settings, LiveArgs), Failure>;

/// The configuration that the program was started with.
pub(super) struct Reload {
    typed: Vec<OsString>,
    settings: config::Settings,
    again: Again,
}

/// What it is now.
pub(super) struct Reloaded {
    pub(super) texts: Texts,
    /// In words.
    pub(super) said: String,
}

impl Reload {
    /// Remembers the configuration that holds.
    pub(super) fn new(again: Again) -> Result<Self, Failure> {
        let typed: Vec<OsString> = std::env::args_os().collect();
        let (settings, _) = again(&typed)?;
        Ok(Self {
            typed,
            settings,
            again,
        })
    }

    /// Reads the configuration again.
    ///
    /// # Errors
    /// What is wrong with it: nothing has changed then.
    pub(super) fn read(&mut self) -> Result<Reloaded, Failure> {
        let (settings, args) = (self.again)(&self.typed)?;
        // Rights that were given up since the start are no change of the configuration.
        let denied = settings
            .denied()
            .filter(|_| self.settings.denied().is_none());
        if let Some(why) = denied.filter(|_| self.settings.has_file()) {
            return Err(Failure::Cannot(why.to_owned()));
        }
        let texts = symptoms::texts(&args.symptoms)?;
        let kept: Vec<String> = settings
            .changed(&self.settings, "live")
            .into_iter()
            .filter(|name| !CHANGEABLE.contains(&name.as_str()))
            .collect();
        let said = match kept.is_empty() {
            true if denied.is_some() => "no configuration file was there at the start; if there is one now, the rights that \
                                         are left do not permit to look for it"
                .to_owned(),
            true => "the configuration was read again".to_owned(),
            false => format!(
                "the configuration was read again; until the next start these stay as they were: {}",
                kept.join(", ")
            ),
        };
        Ok(Reloaded { texts, said })
    }
}
