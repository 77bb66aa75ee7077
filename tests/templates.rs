//! Walks by templates are the walks in full, of every frame: as captured, cut, and changed. So are those that another
//! thread makes of what is their own.

use crate::hostile::distinct;
use crate::support::all_captures;
use wirewait_capture::Options;
use wirewait_dissectors::registry;
use wirewait_synth::{OwnedFrame, Random};
use wirewait_wire::{Depth, Frame, KnownWalks, Registry, Source, TemplateId, Templates, Walk};

/// Compares both walks of frames, and counts those that fitted a template.
struct Both {
    registry: Registry,
    templates: Templates,
    full: Walk,
    /// The templates whose walks are known elsewhere, by their slots.
    told: Vec<Option<TemplateId>>,
    known: KnownWalks,
    frames: u64,
    fitted: u64,
    repeated: u64,
}

impl Both {
    fn new() -> Self {
        Self {
            registry: registry(),
            templates: Templates::default(),
            full: Walk::default(),
            told: vec![None; Templates::SLOTS],
            known: KnownWalks::default(),
            frames: 0,
            fitted: 0,
            repeated: 0,
        }
    }

    fn compare(&mut self, what: &str, frame: &Frame<'_>) {
        let Self {
            registry,
            templates,
            full,
            told,
            known,
            ..
        } = self;
        registry.walk(frame, Depth::Handover, full);
        let short = registry.walk_by(templates, frame);
        self.frames += 1;
        self.fitted += u64::from(short.template.is_some());
        let shown = |walk: &Walk| {
            (
                (walk.facts, walk.facts.from.net, walk.facts.to.net),
                (walk.stop, walk.next, walk.message, walk.neighbours),
                (walk.counted, walk.carrier, walk.packet_start, walk.unread),
                walk.carries_pieces(),
            )
        };
        let repeat = short.repeat();
        let again = match repeat.filter(|of| told[of.template().slot()] == Some(of.template())) {
            Some(repeat) => {
                self.repeated += 1;
                known.again(&repeat, registry, frame)
            }
            None => {
                known.keep(short);
                if let Some(template) = short.template {
                    told[template.slot()] = Some(template);
                }
                short
            }
        };
        assert_eq!(again.template, short.template);
        for (how, walk) in [("by a template", short), ("made again", again)] {
            assert!(
                walk.spans() == full.spans()
                    && walk.nested() == full.nested()
                    && walk.carriers() == full.carriers()
                    && shown(walk) == shown(full),
                "{what}, frame {}: {:?}\n{how}: {walk:?}\nin full: {full:?}",
                self.frames,
                &frame.bytes[..frame.bytes.len().min(80)]
            );
        }
    }
}

const FOLDERS: [&str; 6] = ["real", "derived", "lab", "formats", "pcapng", "found"];

#[test]
fn walks_by_templates_are_those_in_full() {
    let (mut frames, mut fitted, mut repeated) = (0, 0, 0);
    for path in all_captures("templates", &FOLDERS, 5 << 20) {
        let Ok(mut source) =
            wirewait_capture::open(std::slice::from_ref(&path), &Options::default())
        else {
            continue;
        };
        let mut both = Both::new();
        let name = path.display().to_string();
        let mut damages = 0;
        while damages < 100 {
            match source.next_frame() {
                Ok(Some(frame)) => both.compare(&name, &frame),
                Ok(None) => break,
                Err(_) => damages += 1,
            }
        }
        frames += both.frames;
        fitted += both.fitted;
        repeated += both.repeated;
    }
    assert!(frames > 10_000, "{frames} frames");
    assert!(
        fitted > frames / 3,
        "{fitted} of {frames} frames fitted a template"
    );
    assert!(repeated > frames / 4, "{repeated} of {frames} repeated");
}

/// Frames of each kind, whose templates are known, with bytes of their headers changed, cut, and
/// of another length on the wire.
#[test]
fn changed_frames_do_not_mislead_templates() {
    let mut kinds: Vec<OwnedFrame> = Vec::new();
    distinct(|frame, rare| {
        if rare && kinds.len() < 6000 {
            kinds.push(frame.clone());
        }
    });
    let mut random = Random::new(7);
    let mut both = Both::new();
    for kind in &kinds {
        // The second one makes the template.
        for _ in 0..3 {
            both.compare("as captured", &kind.as_frame());
        }
        for _ in 0..40 {
            let mut changed = kind.clone();
            let head = changed.bytes.len().min(70);
            for _ in 0..=random.below(2) {
                if head > 0 {
                    let at = random.below(head as u64) as usize;
                    changed.bytes[at] ^= 1 << random.below(8);
                    if random.below(4) == 0 {
                        changed.bytes[at] = random.below(256) as u8;
                    }
                }
            }
            match random.below(6) {
                0 => {
                    let length = random.below(changed.bytes.len() as u64 + 1) as usize;
                    changed.bytes.truncate(length);
                }
                1 => changed.wire_len = random.below(2000) as u32,
                _ => {}
            }
            both.compare("changed", &changed.as_frame());
        }
    }
    assert!(kinds.len() > 500, "{} kinds", kinds.len());
    assert!(both.fitted > both.frames / 10, "{} fitted", both.fitted);
}
