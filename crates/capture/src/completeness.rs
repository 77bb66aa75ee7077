//! Whether a pcapng section holds all frames that its capturing program received.
//!
//! Interface statistics count from the beginning of the capture. The files of a ring go on
//! counting, so the statistics of a later file say nothing about that file alone: frames
//! are only missed where the count at the section's beginning is known. Either statistics
//! before the first frame state it, or the section's first frame follows so closely on the
//! beginning of the count that no earlier file was filled.

use wirewait_wire::Timestamp;

/// A first frame within this time of the beginning of the count is taken for the first
/// frame of the capture, nanoseconds.
const AT_THE_START: i64 = 1_000_000_000;

/// The counters of an interface statistics block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CountedLosses {
    /// When counting began (any unit): equal for the files of one ring.
    pub(crate) began: Option<u64>,
    /// `isb_ifrecv`.
    pub(crate) received: Option<u64>,
    /// `isb_ifdrop` and `isb_osdrop`: different frames.
    pub(crate) dropped: Option<u64>,
    /// `isb_filteraccept`, without `isb_osdrop`.
    pub(crate) accepted: Option<u64>,
    /// `isb_usrdeliv`.
    pub(crate) delivered: Option<u64>,
}

/// The frames and the statistics of one interface in one section.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    frames: u64,
    first: Option<Timestamp>,
    /// Frames noted as lost beside single frames.
    noted: u64,
    /// A capture filter stood between the interface and the program.
    filtered: bool,
    /// What had been delivered before the first frame.
    base: Option<u64>,
    /// The latest statistics, and when their count began. Some writers give that in
    /// microseconds whatever the resolution of the interface is (dumpcap): both readings.
    counted: Option<(CountedLosses, [Option<Timestamp>; 2])>,
}

/// Frames that were delivered to the capturing program and are not in the section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shortfall {
    pub(crate) frames: u64,
    /// Of these, the frames that are also noted beside single frames: they are no drops of
    /// the interface or the operating system.
    pub(crate) noted: u64,
}

impl Tally {
    pub(crate) const fn new(filtered: bool) -> Self {
        Self {
            frames: 0,
            first: None,
            noted: 0,
            filtered,
            base: None,
            counted: None,
        }
    }

    /// A frame; `noted` frames are said to be lost before it.
    pub(crate) fn frame(&mut self, at: Option<Timestamp>, noted: u64) {
        self.frames += 1;
        self.noted = self.noted.saturating_add(noted);
        if self.first.is_none() {
            self.first = at;
        }
    }

    /// Statistics, and the two readings of when their count began.
    pub(crate) fn count(&mut self, counted: CountedLosses, began: [Option<Timestamp>; 2]) {
        let says = counted.received.or(counted.accepted).or(counted.delivered);
        if says.is_none() {
            return;
        }
        if self.frames == 0 && self.base.is_none() && counted.delivered.is_some() {
            self.base = counted.delivered;
            return;
        }
        self.counted = Some((counted, began));
    }

    /// What is missing, at the end of the section; `None` where nobody can say.
    pub(crate) fn shortfall(&self) -> Option<Shortfall> {
        let (counted, began) = self.counted?;
        let base = match self.base {
            Some(base) => base,
            None if self.begins_the_capture(began) => 0,
            None => return None,
        };
        if let Some(delivered) = counted.delivered {
            let frames = delivered.saturating_sub(base).saturating_sub(self.frames);
            return Some(Shortfall {
                frames,
                noted: frames.min(self.noted),
            });
        }
        let delivered = match (counted.accepted, counted.received) {
            (Some(accepted), _) => accepted,
            // What the interface received does not say what a filter let through.
            (None, Some(_)) if self.filtered => return None,
            (None, Some(received)) => {
                let dropped = counted.dropped.unwrap_or(0).max(self.noted);
                received.saturating_sub(dropped)
            }
            (None, None) => return None,
        };
        // dumpcap before version 4 counts each frame twice when it captures with threads.
        if delivered == self.frames.saturating_mul(2) {
            return None;
        }
        Some(Shortfall {
            frames: delivered.saturating_sub(self.frames),
            noted: 0,
        })
    }

    fn begins_the_capture(&self, began: [Option<Timestamp>; 2]) -> bool {
        self.first.is_some_and(|first| {
            began
                .into_iter()
                .flatten()
                .any(|began| (0..=AT_THE_START).contains(&first.since(began)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGAN: Timestamp = Timestamp::from_nanos(1_700_000_000_000_000_000);

    fn tally(frames: u64, after: i64, counted: CountedLosses) -> Tally {
        let mut tally = Tally::new(false);
        for n in 0..frames {
            tally.frame(Some(BEGAN.plus(after + n as i64)), 0);
        }
        tally.count(counted, [Some(BEGAN), None]);
        tally
    }

    fn missing(tally: &Tally) -> Option<u64> {
        tally.shortfall().map(|shortfall| shortfall.frames)
    }

    const NOTHING: CountedLosses = CountedLosses {
        began: Some(1),
        received: None,
        dropped: None,
        accepted: None,
        delivered: None,
    };

    #[test]
    fn what_was_received_and_neither_dropped_nor_saved_is_missing() {
        for (received, dropped, frames, wanted) in [
            (2002, Some(0), 535, Some(1467)),
            (2002, None, 535, Some(1467)),
            (2002, Some(1400), 535, Some(67)),
            // Some writers do not count dropped frames as received.
            (535, Some(1000), 535, Some(0)),
            (535, Some(0), 535, Some(0)),
            // dumpcap 2 with threads.
            (440, Some(0), 220, None),
        ] {
            let counted = CountedLosses {
                received: Some(received),
                dropped,
                ..NOTHING
            };
            assert_eq!(missing(&tally(frames, 450_000_000, counted)), wanted);
        }
    }

    #[test]
    fn the_closest_counter_is_taken() {
        // Received 100, one dropped by the interface; a filter took 60, the system lost 10
        // of them, and 45 reached the program: 5 were still in the system's buffer.
        let mut counted = CountedLosses {
            received: Some(100),
            dropped: Some(11),
            accepted: Some(50),
            delivered: Some(45),
            ..NOTHING
        };
        assert_eq!(missing(&tally(40, 0, counted)), Some(5));
        counted.delivered = None;
        assert_eq!(missing(&tally(40, 0, counted)), Some(10));
        counted.accepted = None;
        assert_eq!(missing(&tally(40, 0, counted)), Some(49));
        let mut filtered = Tally::new(true);
        filtered.frame(Some(BEGAN), 0);
        filtered.count(counted, [Some(BEGAN), None]);
        assert_eq!(missing(&filtered), None);
        assert_eq!(missing(&tally(40, 0, NOTHING)), None, "nothing is counted");
    }

    #[test]
    fn the_count_of_earlier_files_is_not_missing_here() {
        let counted = CountedLosses {
            delivered: Some(900),
            ..NOTHING
        };
        assert_eq!(missing(&tally(100, 0, counted)), Some(800));
        assert_eq!(missing(&tally(100, AT_THE_START, counted)), Some(800));
        assert_eq!(missing(&tally(100, AT_THE_START + 1, counted)), None);
        assert_eq!(missing(&tally(100, -1, counted)), None);
        assert_eq!(missing(&tally(0, 0, counted)), None);
        // Nothing was saved at all.
        let mut empty = tally(
            0,
            0,
            CountedLosses {
                delivered: Some(0),
                ..NOTHING
            },
        );
        empty.count(counted, [Some(BEGAN), None]);
        assert_eq!(missing(&empty), Some(900));

        // The count at the beginning of the file is known.
        for (base, wanted) in [(800, Some(0)), (700, Some(100)), (950, Some(0))] {
            let mut later = Tally::new(false);
            let begin = CountedLosses {
                delivered: Some(base),
                ..NOTHING
            };
            later.count(begin, [Some(BEGAN), None]);
            for n in 0..100 {
                later.frame(Some(BEGAN.plus(3_600_000_000_000 + n)), 0);
            }
            assert_eq!(missing(&later), None, "it was not ended");
            later.count(counted, [Some(BEGAN), None]);
            assert_eq!(missing(&later), wanted, "{base}");
        }
    }

    #[test]
    fn what_is_noted_beside_a_frame_is_not_missing_twice() {
        let counted = |delivered, received| CountedLosses {
            delivered,
            received,
            ..NOTHING
        };
        // Ten were not saved for want of space, then one was, and nobody counted drops.
        let mut tally = Tally::new(false);
        tally.frame(Some(BEGAN), 0);
        tally.frame(Some(BEGAN), 10);
        tally.count(counted(Some(12), None), [Some(BEGAN), None]);
        let shortfall = tally.shortfall().unwrap();
        assert_eq!((shortfall.frames, shortfall.noted), (10, 10));
        // The operating system dropped ten, as is noted beside a frame only.
        let mut tally = Tally::new(false);
        tally.frame(Some(BEGAN), 10);
        tally.count(counted(None, Some(11)), [Some(BEGAN), None]);
        let shortfall = tally.shortfall().unwrap();
        assert_eq!((shortfall.frames, shortfall.noted), (0, 0));
    }
}
