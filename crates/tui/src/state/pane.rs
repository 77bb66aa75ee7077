//! A place with frames.

use crate::{Command, Decoded};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// What is known at a place with frames, and which part of it has the keys.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pane {
    /// The frames, once they have come.
    pub(crate) frames: Option<Arc<Vec<Decoded>>>,
    /// The frame that was asked for, among those around it.
    pub(crate) wanted: Option<u64>,
    pub(crate) focus: Focus,
    pub(crate) branches: Branches,
    /// The first line of bytes that is shown, if the user chose.
    pub(crate) row: Option<usize>,
    /// Stretches of frames that show the same thing, in their order; one of them is open.
    pub(crate) places: Vec<RangeInclusive<u64>>,
    pub(crate) place: usize,
}

impl Pane {
    /// Of one of several places.
    pub(crate) fn at(places: Vec<RangeInclusive<u64>>, place: usize) -> Self {
        Self {
            places,
            place,
            ..Self::default()
        }
    }

    /// Whether there are others to go to.
    pub(crate) fn has_places(&self) -> bool {
        self.places.len() > 1
    }

    /// What is to be seen, in words.
    pub(crate) fn title(&self) -> String {
        let Some(range) = self.places.get(self.place) else {
            return String::new();
        };
        let frames = format!("frames {} to {}", range.start(), range.end());
        match self.has_places() {
            true => format!(
                "{frames}, place {} of {}",
                self.place + 1,
                self.places.len()
            ),
            false => frames,
        }
    }

    /// What is to be decoded.
    pub(crate) fn asks(&self) -> Vec<Command> {
        let range = self.places.get(self.place).cloned();
        range.map(Command::Decode).into_iter().collect()
    }
}

/// The part that has the keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Focus {
    #[default]
    List,
    Tree,
    Bytes,
}

impl Focus {
    pub(crate) const ALL: [Self; 3] = [Self::List, Self::Tree, Self::Bytes];

    pub(crate) fn turned(self, by: usize) -> Self {
        let at = Self::ALL.iter().position(|f| *f == self).unwrap_or(0);
        Self::ALL[(at + by) % Self::ALL.len()]
    }
}

/// Which branches are open, and which line is chosen. Both go by names, so that they stay from
/// frame to frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Branches {
    pub(crate) opened: BTreeMap<String, bool>,
    pub(crate) chosen: Option<String>,
}
