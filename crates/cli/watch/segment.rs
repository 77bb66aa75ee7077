//! The wire, as it is now: what comes from interfaces, or through a pipe as it is captured.

use super::origin::Turn;
use super::study::Study;
use crate::input::live_interface;
use crate::saver::{Ended, Saver};
use std::time::{Duration, Instant};
use wirewait::{Source, SourceErrorKind, Timestamp};
use wirewait_capture::live::{Event, Live, LiveInterface as Captured};
use wirewait_report::symptoms::Texts;
use wirewait_report::{About, Selection};
use wirewait_tui::{Input, LiveInterface};

/// Frames taken in before one looks around.
const STEP: u32 = 2048;

/// How long it waits for frames: commands wait as long.
const WAIT: Duration = Duration::from_millis(50);

/// What is captured from, and what of it is kept.
#[derive(Debug)]
pub(crate) struct Tap {
    pub(crate) live: Live,
    pub(crate) filter: Option<String>,
    pub(crate) texts: Texts,
    /// All frames are saved by it.
    pub(crate) saver: Option<Saver>,
}

/// Frames on their way from the wire through the analysis.
pub(super) struct Segment {
    tap: Tap,
    begun: Instant,
    ended: bool,
    damage: Vec<String>,
    news: Vec<String>,
}

/// What it was in the end.
#[derive(Debug)]
pub(crate) struct SegmentFarewell {
    pub(crate) interfaces: Vec<Captured>,
    pub(crate) elapsed: Duration,
    pub(crate) damaged: bool,
    /// What was saved, in words.
    pub(crate) saved: Option<Ended>,
}

impl Segment {
    pub(super) fn new(tap: Tap) -> Self {
        Self {
            tap,
            begun: Instant::now(),
            ended: false,
            damage: Vec::new(),
            news: Vec::new(),
        }
    }

    /// Takes in what has come. Waits a little if nothing has.
    pub(super) fn step(&mut self, study: &mut Study) -> Turn {
        for _ in 0..STEP {
            match self.tap.live.next_frame() {
                Ok(Some(frame)) => {
                    let interface = frame.interface;
                    if let Some(saver) = &mut self.tap.saver {
                        saver.frame(&frame);
                    }
                    study.frame(&frame);
                    study.meet(interface, &self.tap.live);
                }
                Ok(None) => {
                    study.losses(&self.tap.live);
                    return self.wait(study);
                }
                Err(error) => self.damaged(error.to_string()),
            }
        }
        study.losses(&self.tap.live);
        self.save();
        Turn::Busy
    }

    fn wait(&mut self, study: &mut Study) -> Turn {
        if self.ended {
            return Turn::Idle;
        }
        let event = self.tap.live.wait(WAIT);
        self.save();
        match event {
            Event::Frames => return Turn::Busy,
            Event::Idle => {
                if let Some(now) = self.tap.live.now() {
                    study.advance(now);
                }
            }
            Event::Interface(change) => self.news.push(change.to_string()),
            Event::Remark(remark) => self.news.push(remark.to_string()),
            Event::Damage(error) => {
                self.damaged(error.to_string());
                if error.kind != SourceErrorKind::Damaged {
                    self.end(study);
                }
            }
            Event::End => {
                self.news.push("no more frames will come".to_owned());
                self.end(study);
            }
        }
        Turn::Waited
    }

    fn damaged(&mut self, what: String) {
        self.news.push(what.clone());
        self.damage.push(what);
    }

    fn end(&mut self, study: &mut Study) {
        self.ended = true;
        study.finish();
    }

    /// Hears what there is to say of the saving.
    fn save(&mut self) {
        let Tap { saver, live, .. } = &mut self.tap;
        let saver = saver.as_mut();
        self.news.extend(saver.and_then(|saver| saver.look(live)));
    }

    /// Writes out what waits to be saved, if it is saved, and says so.
    pub(super) fn flush(&mut self) -> Option<String> {
        let Tap { saver, live, .. } = &mut self.tap;
        saver.as_mut().map(|saver| saver.flush(live))
    }

    /// How late it is.
    pub(super) fn now(&self) -> Option<Timestamp> {
        self.tap.live.now()
    }

    /// What the screen is told of it.
    pub(super) fn input(&self) -> Input {
        let interfaces = self.tap.live.interfaces();
        Input::Live {
            interfaces: interfaces.into_iter().map(shown).collect(),
            filter: self.tap.filter.clone(),
            saving: self.tap.saver.as_ref().map(Saver::saving),
        }
    }

    /// What a report would say of it.
    pub(super) fn about(&self) -> About {
        let interfaces = self.tap.live.interfaces();
        About {
            origin: match self.tap.live.is_pipe() {
                true => wirewait_report::Origin::Files,
                false => wirewait_report::Origin::Interfaces,
            },
            files: interfaces.iter().filter_map(|i| i.name.clone()).collect(),
            selection: Selection {
                filter: self.tap.filter.clone(),
                ..Selection::default()
            },
            interfaces: interfaces.iter().map(live_interface).collect(),
            damage: self.damage.clone(),
            texts: self.tap.texts.clone(),
            ..About::default()
        }
    }

    /// What happened since it was asked.
    pub(super) fn news(&mut self) -> Vec<String> {
        std::mem::take(&mut self.news)
    }

    /// Whether time passes: before the first frame nobody knows how late it is.
    pub(super) fn is_moving(&self) -> bool {
        !self.ended && self.tap.live.now().is_some()
    }

    /// Ends the capture and the file that is being written.
    pub(super) fn finish(mut self) -> SegmentFarewell {
        self.tap.live.stop();
        let saved = self.tap.saver.map(|saver| saver.finish(&self.tap.live));
        let kept = saved.as_ref().is_none_or(|saved| saved.whole);
        SegmentFarewell {
            interfaces: self.tap.live.interfaces(),
            elapsed: self.begun.elapsed(),
            damaged: !self.damage.is_empty() || !kept,
            saved,
        }
    }
}

fn shown(known: Captured) -> LiveInterface {
    LiveInterface {
        name: known.name.unwrap_or_else(|| "the capture".to_owned()),
        speed: known.speed,
        up: known.present,
        received: known.received.unwrap_or(0),
        dropped: known.dropped.unwrap_or(0),
        dropped_by_interface: known.dropped_by_interface.unwrap_or(0),
    }
}
