//! The first look at a frame, before anybody keeps anything of what it says: its layers, and
//! whether it was captured before, or its packet on another side of a router. It depends on
//! frames alone, so that it may be taken ahead of the rest, on a thread of its own.

use crate::Settings;
use crate::by_template::ByTemplate;
use crate::duplicates::{Before, Duplicates};
use crate::segment::Segments;
use std::sync::Arc;
use wirewait_wire::{Frame, KnownWalks, Registry, Repeat, Templates, Walk};

/// Looks at the frames of a capture, in their order.
pub struct Intake {
    registry: Arc<Registry>,
    settings: Settings,
    templates: Templates,
    /// The templates of which the analysis has a whole walk.
    told: ByTemplate<()>,
    pub(crate) duplicates: Duplicates,
    /// How full the segments are, where that is counted here.
    pub(crate) segments: Option<Segments>,
}

/// What was seen of a frame. Used again for further frames, so that looking allocates nothing. It is handed from
/// processor to processor: of a frame like an earlier one it is a few lines of their caches.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// What is its own in the walk of a frame whose template was told before.
    repeat: Option<Repeat>,
    /// The walk of any other one.
    whole: Option<Box<Walk>>,
    pub(crate) before: Before,
    /// Its bytes on the wire, and whether it is known what frames cost there, where it is counted already.
    pub(crate) counted: Option<(u64, bool)>,
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
            templates: Templates::default(),
            told: ByTemplate::new(()),
            duplicates,
            segments: None,
        }
    }

    /// Looks at the next frame.
    pub fn look(&mut self, frame: &Frame<'_>, look: &mut Look) {
        let walk = self.registry.walk_by(&mut self.templates, frame);
        look.before = self.duplicates.look(frame, walk, &self.settings);
        let segments = self.segments.as_mut();
        look.counted = segments.map(|segments| {
            let twice = look.before.is_twice(frame);
            segments.frame(frame, walk, twice, &self.registry)
        });
        look.repeat = walk
            .repeat()
            .filter(|repeat| self.told.get(repeat.template()).is_some());
        if look.repeat.is_none() {
            look.whole.get_or_insert_default().copy(walk);
            if let Some(template) = walk.template {
                self.told.set(template, ());
            }
        }
    }

    /// Sets the link speed of this interface that the capture states, bit/s, where this
    /// [counts](crate::Analyzer::intake_counting).
    pub fn link_speed(&mut self, interface: u32, bits_per_second: u64) {
        if let Some(segments) = &mut self.segments {
            segments.speed(interface, bits_per_second);
        }
    }
}

impl Look {
    /// The walk of the frame, by those that the analysis knows.
    #[inline]
    pub(crate) fn walk<'a>(
        &'a self,
        known: &'a mut KnownWalks,
        frame: &Frame<'_>,
        registry: &Registry,
    ) -> &'a Walk {
        match (&self.repeat, &self.whole) {
            (Some(repeat), _) => known.again(repeat, registry, frame),
            (None, Some(walk)) => {
                known.keep(walk);
                walk
            }
            (None, None) => known.anew(registry, frame),
        }
    }
}
