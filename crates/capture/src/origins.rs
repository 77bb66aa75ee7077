//! Which frame of which file each frame of a capture is.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Stretches of frames from one file that are remembered. Files that follow each other need one
/// each; captures that ran side by side need one wherever their frames alternate.
const RUNS: usize = 1 << 16;

/// A handle on the origins of a capture's frames, to be asked while another owner reads the files.
#[derive(Clone, Debug, Default)]
pub struct Origins(Arc<Mutex<Runs>>);

#[derive(Debug, Default)]
struct Runs {
    /// In the order of their frames.
    runs: VecDeque<FrameRun>,
}

/// Frames that follow each other in one file and in the capture.
#[derive(Clone, Debug)]
struct FrameRun {
    /// Number of the first of them in the capture, counted from 1.
    first: u64,
    /// Its number in the file, counted from 1.
    place: u64,
    file: Arc<str>,
}

impl Origins {
    /// The file of this frame of the capture, and its number there; both are counted from 1.
    /// `None` if the frame was not read yet, or so long ago that it is forgotten (at most 65,536
    /// changes from one file to another are remembered).
    #[must_use]
    pub fn of(&self, frame: u64) -> Option<(Arc<str>, u64)> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let behind = known.runs.partition_point(|run| run.first <= frame);
        let run = known.runs.get(behind.checked_sub(1)?)?;
        Some((Arc::clone(&run.file), run.place + (frame - run.first)))
    }

    fn begin(&self, run: FrameRun) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.runs.len() >= RUNS {
            known.runs.pop_front();
        }
        known.runs.push_back(run);
    }
}

/// Notes the origin of each frame that is lent.
#[derive(Debug)]
pub(crate) struct Tracker {
    origins: Origins,
    /// Frames lent so far.
    number: u64,
    /// Order of the file that the last one came from, and its number there.
    last: Option<(usize, u64)>,
}

impl Tracker {
    pub(crate) fn new() -> (Self, Origins) {
        let origins = Origins::default();
        let tracker = Self {
            origins: origins.clone(),
            number: 0,
            last: None,
        };
        (tracker, origins)
    }

    /// The next frame of the capture is frame `place` of the file with this order and name.
    #[inline]
    pub(crate) fn lent(&mut self, order: usize, place: u64, name: &str) {
        self.number += 1;
        if self.last != Some((order, place - 1)) {
            self.origins.begin(FrameRun {
                first: self.number,
                place,
                file: name.into(),
            });
        }
        self.last = Some((order, place));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_found_in_its_file() {
        let (mut tracker, origins) = Tracker::new();
        assert_eq!(origins.of(1), None);
        for (order, place) in [(0, 1), (0, 2), (1, 1), (0, 3), (1, 2), (1, 3)] {
            tracker.lent(order, place, ["a", "b"][order]);
        }
        let found: Vec<(String, u64)> = (1..=6)
            .filter_map(|frame| origins.of(frame))
            .map(|(file, place)| (file.to_string(), place))
            .collect();
        let expected = [("a", 1), ("a", 2), ("b", 1), ("a", 3), ("b", 2), ("b", 3)];
        assert!(
            found
                .iter()
                .map(|(file, place)| (file.as_str(), *place))
                .eq(expected),
            "{found:?}"
        );
        assert_eq!(origins.of(0), None);
    }

    #[test]
    fn the_oldest_stretches_are_forgotten() {
        let (mut tracker, origins) = Tracker::new();
        for round in 1..=RUNS as u64 {
            tracker.lent(0, round, "a");
            tracker.lent(1, round, "b");
        }
        assert_eq!(origins.of(RUNS as u64), None);
        let (file, place) = origins.of(RUNS as u64 + 1).unwrap();
        assert_eq!((&*file, place), ("a", RUNS as u64 / 2 + 1));
    }
}
