//! The first look at a frame, before anybody keeps anything of what it says: its layers, and
//! whether it was captured before, or its packet on another side of a router. It depends on
//! frames alone, so that it may be taken ahead of the rest, on a thread of its own.

use crate::Settings;
use crate::duplicates::{Before, Duplicates};
use std::sync::Arc;
use wirewait_wire::{Depth, Frame, Registry, Walk};

/// Looks at the frames of a capture, in their order.
pub struct Intake {
    registry: Arc<Registry>,
    settings: Settings,
    pub(crate) duplicates: Duplicates,
}

/// What was seen of a frame. Used again for further frames, so that looking allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Look {
    pub(crate) walk: Walk,
    pub(crate) before: Before,
}

impl std::fmt::Debug for Intake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Intake").finish_non_exhaustive()
    }
}

impl Intake {
    pub(crate) fn new(registry: Arc<Registry>, settings: Settings, duplicates: Duplicates) -> Self {
        Self {
            registry,
            settings,
            duplicates,
        }
    }

    /// Looks at the next frame.
    pub fn look(&mut self, frame: &Frame<'_>, look: &mut Look) {
        look.at(frame, &self.registry, &mut self.duplicates, &self.settings);
    }
}

impl Look {
    /// Looks at the next frame.
    pub(crate) fn at(
        &mut self,
        frame: &Frame<'_>,
        registry: &Registry,
        duplicates: &mut Duplicates,
        settings: &Settings,
    ) {
        registry.walk(frame, Depth::Handover, &mut self.walk);
        self.before = duplicates.look(frame, &self.walk, settings);
    }
}
