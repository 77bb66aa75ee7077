//! Frames behind silences, for a program with a loop of its own.

use crate::Driver;
use crate::silence::{Held, Silence};
use wirewait_wire::{Frame, Timestamp};

/// Holds frames behind a silence back until the stations' clocks tell whether the clock of the capture was set
/// there: 256 at most, and a few where no clock shows. An [`Engine`](crate::Engine) does so by itself.
#[derive(Default)]
pub struct Holding {
    silence: Silence,
    held: Option<Held>,
}

impl std::fmt::Debug for Holding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Holding").finish_non_exhaustive()
    }
}

impl Holding {
    /// The next frame of the source. `each` analyses it with [`Driver::frame`], and those that were held back before
    /// it, now or later.
    pub fn frame(
        &mut self,
        frame: &Frame<'_>,
        driver: &mut Driver,
        each: &mut dyn FnMut(&Frame<'_>, &mut Driver),
    ) {
        let known = self.held.is_some();
        if !known && !self.ends_silence(frame.at, driver) {
            each(frame, driver);
            return;
        }
        let held = self.held.get_or_insert_default();
        if !self.silence.look(frame, held) {
            self.release(driver, each);
        }
    }

    fn ends_silence(&mut self, at: Timestamp, driver: &Driver) -> bool {
        self.silence.may_end(at) && self.silence.is_behind(at, driver.latest())
    }

    /// Hands on what is held back: nothing more comes for now.
    pub fn release(&mut self, driver: &mut Driver, each: &mut dyn FnMut(&Frame<'_>, &mut Driver)) {
        let Some(held) = self.held.take() else {
            return;
        };
        let mut place = 0;
        while let Some((frame, behind)) = held.at(place) {
            place += 1;
            if let Some(behind) = behind {
                driver.behind(&behind, frame.at);
            }
            each(&frame, driver);
            driver.was_behind_silence();
        }
    }

    /// A frame of the source was left out with [`Driver::skip`], when nothing was held back.
    pub fn skipped(&mut self, at: Timestamp, driver: &Driver) {
        self.silence.skipped(driver.number(), at);
    }
}
