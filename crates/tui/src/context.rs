//! What drawing depends on.

use crate::theme::Theme;
use crate::units::Units;
use std::hash::{BuildHasher, RandomState};
use wirewait_analysis::recent::{History, Of, Window};
use wirewait_report::words::Short;
use wirewait_wire::Timestamp;

/// What everything that is drawn depends on, beside its figures.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    pub(crate) theme: &'static Theme,
    pub(crate) units: Units,
    /// Frames that were lost on their way here.
    pub(crate) drops: u64,
    /// The first frame's time.
    pub(crate) first: Option<Timestamp>,
    pub(crate) secret: Option<&'a RandomState>,
    /// The last minutes.
    pub(crate) recent: Option<&'a History>,
    pub(crate) window: Option<u32>,
}

/// Seconds in the line over time of a row.
const COURSE: u32 = 60;

impl Context<'_> {
    /// The seconds that figures of the last minutes are of.
    pub(crate) fn window<'h>(&self, recent: &'h History) -> Window<'h> {
        recent.last(self.window.unwrap_or(u32::MAX))
    }

    /// Answers in each of the last seconds.
    pub(crate) fn course(&self, of: &Of) -> Vec<u64> {
        let Some(recent) = self.recent else {
            return Vec::new();
        };
        let window = recent.last(self.window.unwrap_or(COURSE));
        let each = window.each(of);
        each.map(|tally| tally.map_or(0, |tally| tally.counts.answered))
            .collect()
    }

    /// A name that the user may want hidden: the same name is hidden as the same number.
    pub(crate) fn name(&self, kind: &str, name: &str) -> String {
        match self.secret {
            None => name.to_owned(),
            Some(secret) => format!("{kind}-{:06x}", secret.hash_one(name) & 0xff_ffff),
        }
    }
}

/// How long a window of the last `seconds` is: no longer than what the capture has.
pub(crate) fn of_last(window: &Window<'_>, seconds: u32) -> String {
    match window.seconds() < seconds {
        true => Short(window.elapsed_ns()).to_string(),
        false => format!("{seconds} s"),
    }
}
