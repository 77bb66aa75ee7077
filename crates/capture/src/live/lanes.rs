//! Frames of several sources, put in order of time.
//!
//! Every source keeps its own order. Between sources the earliest frame goes first, but a
//! source that is silent just now may still have an earlier one under way: the operating
//! system hands frames over in blocks. So a frame waits until every other source has shown
//! a later one, or until it has been here for [`HOLD`].

use super::batch::{BATCHES, Batch};
use std::collections::VecDeque;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};
use wirewait_wire::{Frame, Timestamp};

/// How long a frame waits for an earlier one of another source: twice as long as the
/// operating system keeps a block that is not full.
pub(super) const HOLD: Duration = Duration::from_millis(200);

/// If the stamp of a frame is later than its order of arrival allows by more than this, ns, the
/// system's clock was set back after it.
const STEP_NS: i64 = 60_000_000_000;

/// Frames of one source that have arrived.
#[derive(Debug)]
struct Lane {
    batches: VecDeque<Batch>,
    /// The next frame of the first batch.
    next: usize,
    empties: Sender<Batch>,
    /// More may come at any time.
    flowing: bool,
}

impl Lane {
    fn head(&self) -> Option<(&Batch, Frame<'_>)> {
        let batch = self.batches.front()?;
        Some((batch, batch.frame(self.next)?))
    }

    /// So much has arrived that waiting would hold the source up.
    fn is_crowded(&self) -> bool {
        self.batches.len() > BATCHES / 2
    }

    /// Gives a batch back of which the last frame was lent.
    fn recycle(&mut self) {
        while self
            .batches
            .front()
            .is_some_and(|batch| self.next >= batch.len())
        {
            self.next = 0;
            if let Some(mut batch) = self.batches.pop_front() {
                batch.clear();
                // Its source may have ended.
                let _ = self.empties.send(batch);
            }
        }
    }
}

/// All sources.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    lanes: Vec<Lane>,
    /// From which a frame was lent.
    lent: Option<usize>,
}

impl Lanes {
    /// One more source, to which its batches are given back when they were read.
    pub(super) fn add(&mut self, empties: Sender<Batch>) {
        self.lanes.push(Lane {
            batches: VecDeque::new(),
            next: 0,
            empties,
            flowing: true,
        });
    }

    /// Frames arrive.
    pub(super) fn arrive(&mut self, source: usize, batch: Batch) {
        if let Some(lane) = self.lanes.get_mut(source) {
            lane.batches.push_back(batch);
        }
    }

    /// Whether a source may have frames under way: nobody waits for one that has not.
    pub(super) fn flows(&mut self, source: usize, flowing: bool) {
        if let Some(lane) = self.lanes.get_mut(source) {
            lane.flowing = flowing;
        }
    }

    /// The next frame, if it is its turn at this moment.
    pub(super) fn next(&mut self, now: Instant) -> Option<Frame<'_>> {
        if let Some(lane) = self.lent.take().and_then(|lent| self.lanes.get_mut(lent)) {
            lane.recycle();
        }
        let source = self.ready(now)?;
        let lane = self.lanes.get_mut(source)?;
        let number = lane.next;
        lane.next += 1;
        self.lent = Some(source);
        lane.batches.front()?.frame(number)
    }

    /// Whether there is a frame whose turn it is.
    pub(super) fn has_next(&mut self, now: Instant) -> bool {
        if let Some(lane) = self.lent.take().and_then(|lent| self.lanes.get_mut(lent)) {
            lane.recycle();
        }
        self.ready(now).is_some()
    }

    /// When the first frame has waited long enough; `None` if there is none.
    pub(super) fn due(&self) -> Option<Instant> {
        self.lanes
            .iter()
            .filter_map(|lane| Some(lane.head()?.0.arrived()? + HOLD))
            .min()
    }

    /// Whether nothing has arrived that was not lent.
    pub(super) fn is_empty(&self) -> bool {
        self.lanes.iter().all(|lane| lane.head().is_none())
    }

    fn ready(&self, now: Instant) -> Option<usize> {
        if let [lane] = self.lanes.as_slice() {
            return lane.head().map(|_| 0);
        }
        let (at, source, lane, batch) = self
            .lanes
            .iter()
            .enumerate()
            .filter_map(|(source, lane)| {
                let (batch, frame) = lane.head()?;
                Some((frame.at, source, lane, batch))
            })
            .min_by_key(|(at, source, ..)| (*at, *source))?;
        if let Some(before) = self.before_a_step(at, batch) {
            return Some(before);
        }
        let all_shown = || {
            self.lanes
                .iter()
                .all(|lane| !lane.flowing || lane.head().is_some())
        };
        let waited = || batch.arrived().is_none_or(|arrived| now >= arrived + HOLD);
        (all_shown() || lane.is_crowded() || waited()).then_some(source)
    }

    /// A source whose next frame came before the clock stepped back, while another is beyond that
    /// already: by their stamps it would have to wait for as long as the step was.
    fn before_a_step(&self, at: Timestamp, batch: &Batch) -> Option<usize> {
        let heads = self.lanes.iter().enumerate();
        heads
            .filter_map(|(source, lane)| {
                let (other, frame) = lane.head()?;
                let arrived = other.arrived()?;
                let before = arrived + HOLD <= batch.arrived()?;
                let later = frame.at.since(at) >= STEP_NS;
                (before && later).then_some((arrived, source))
            })
            .min()
            .map(|(_, source)| source)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Note;
    use super::super::batch::Outbox;
    use super::*;
    use std::sync::mpsc::{Receiver, channel};
    use wirewait_wire::LinkType;

    struct Rig {
        lanes: Lanes,
        outboxes: Vec<Outbox>,
        notes: Receiver<(usize, Note)>,
    }

    impl Rig {
        fn new(sources: usize) -> Self {
            let (out, notes) = channel();
            let mut lanes = Lanes::default();
            let outboxes = (0..sources)
                .map(|source| {
                    let (outbox, back) = Outbox::new(source, out.clone());
                    lanes.add(back);
                    outbox
                })
                .collect();
            Self {
                lanes,
                outboxes,
                notes,
            }
        }

        /// Frames of a source, stamped so, arrive together.
        fn arrive(&mut self, source: usize, stamps: &[i64]) {
            for at in stamps {
                let frame = Frame {
                    at: Timestamp::from_nanos(*at),
                    link: LinkType::ETHERNET,
                    interface: source as u32,
                    wire_len: 60,
                    bytes: &at.to_be_bytes(),
                };
                self.outboxes[source].push(&frame).unwrap();
            }
            self.outboxes[source].hand_over().unwrap();
            while let Ok((source, note)) = self.notes.try_recv() {
                match note {
                    Note::Frames(batch) => self.lanes.arrive(source, batch),
                    other => panic!("{other:?}"),
                }
            }
        }

        fn lent(&mut self, now: Instant) -> Vec<(u32, i64)> {
            let mut seen = Vec::new();
            while let Some(frame) = self.lanes.next(now) {
                assert_eq!(frame.bytes, frame.at.as_nanos().to_be_bytes());
                seen.push((frame.interface, frame.at.as_nanos()));
            }
            seen
        }
    }

    #[test]
    fn one_source_does_not_wait() {
        let mut rig = Rig::new(1);
        rig.arrive(0, &[1, 2]);
        rig.arrive(0, &[3]);
        let now = Instant::now();
        assert_eq!(rig.lent(now), [(0, 1), (0, 2), (0, 3)]);
        assert!(rig.lanes.is_empty() && !rig.lanes.has_next(now));
    }

    #[test]
    fn the_earliest_goes_first_as_soon_as_all_have_shown_one() {
        let mut rig = Rig::new(2);
        rig.arrive(0, &[10, 20, 30]);
        let now = Instant::now();
        assert_eq!(rig.lent(now), [], "the other may have an earlier one");
        rig.arrive(1, &[15, 25]);
        assert_eq!(rig.lent(now), [(0, 10), (1, 15), (0, 20), (1, 25)]);
        assert!(!rig.lanes.is_empty(), "30 waits");
        let due = rig.lanes.due().unwrap();
        assert!(due > now && due <= Instant::now() + HOLD);
        assert_eq!(rig.lent(due), [(0, 30)]);
    }

    #[test]
    fn nobody_waits_for_a_source_that_is_gone() {
        let mut rig = Rig::new(2);
        rig.lanes.flows(1, false);
        rig.arrive(0, &[1, 2]);
        let now = Instant::now();
        assert_eq!(rig.lent(now), [(0, 1), (0, 2)]);
        rig.lanes.flows(1, true);
        rig.arrive(0, &[3]);
        assert_eq!(rig.lent(now), []);
        rig.arrive(1, &[4]);
        assert_eq!(rig.lent(now), [(0, 3)]);
    }

    #[test]
    fn a_source_keeps_its_order_when_its_clock_steps_back() {
        let mut rig = Rig::new(2);
        rig.arrive(0, &[100, 7, 8]);
        rig.arrive(1, &[50, 200]);
        assert_eq!(
            rig.lent(Instant::now() + HOLD),
            [(1, 50), (0, 100), (0, 7), (0, 8), (1, 200)]
        );
    }

    const SECOND: i64 = 1_000_000_000;
    const HOUR: i64 = 3600 * SECOND;

    /// The second source is beyond the step first, and never silent: what the first had captured
    /// before is not kept back for an hour, and neither is what follows it.
    #[test]
    fn a_clock_that_is_set_back_holds_nobody_up() {
        let mut rig = Rig::new(2);
        rig.arrive(0, &[HOUR + 10]);
        rig.arrive(1, &[HOUR + 5, 20, 30]);
        let lent = rig.lent(Instant::now());
        assert_eq!(lent, [(1, HOUR + 5), (1, 20), (1, 30)]);
        std::thread::sleep(HOLD);
        rig.arrive(1, &[40, 50]);
        rig.arrive(0, &[25, 45]);
        let lent = rig.lent(Instant::now());
        assert_eq!(lent, [(0, HOUR + 10), (0, 25), (1, 40), (0, 45)]);
        assert_eq!(rig.lent(Instant::now() + HOLD), [(1, 50)]);
    }

    #[test]
    fn a_clock_that_is_set_forward_holds_nobody_up() {
        let mut rig = Rig::new(2);
        rig.arrive(0, &[10, HOUR + 20]);
        rig.arrive(1, &[15, HOUR + 25]);
        let now = Instant::now();
        assert_eq!(rig.lent(now), [(0, 10), (1, 15), (0, HOUR + 20)]);
        assert_eq!(rig.lent(now + HOLD), [(1, HOUR + 25)]);
    }

    /// Where the reader is behind, stamps rule, in whatever order the batches came.
    #[test]
    fn a_source_that_was_held_up_is_still_put_in_order() {
        let mut rig = Rig::new(2);
        rig.arrive(1, &[59 * SECOND]);
        rig.arrive(0, &[1, 2]);
        let lent = rig.lent(Instant::now() + HOLD);
        assert_eq!(lent, [(0, 1), (0, 2), (1, 59 * SECOND)]);
    }

    #[test]
    fn a_crowded_source_is_not_held_up() {
        let mut rig = Rig::new(2);
        // One more is being filled.
        for at in 0..BATCHES as i64 - 1 {
            rig.arrive(0, &[at]);
        }
        let lent = rig.lent(Instant::now());
        assert_eq!(lent.len(), BATCHES / 2 - 1, "down to what may wait");
        assert!(lent.iter().map(|(_, at)| *at).eq(0..BATCHES as i64 / 2 - 1));
    }

    #[test]
    fn what_is_under_way_is_bounded_and_given_back() {
        let mut rig = Rig::new(1);
        let mut outbox = rig.outboxes.pop().unwrap();
        let notes = std::mem::replace(&mut rig.notes, channel().1);
        let sender = std::thread::spawn(move || {
            for at in 0..10 * BATCHES as i64 {
                let frame = Frame {
                    at: Timestamp::from_nanos(at),
                    link: LinkType::ETHERNET,
                    interface: 0,
                    wire_len: 60,
                    bytes: &at.to_be_bytes(),
                };
                outbox.push(&frame).unwrap();
                outbox.hand_over().unwrap();
            }
        });
        let mut seen = Vec::new();
        while seen.len() < 10 * BATCHES {
            // Nothing is lost while nobody reads for a moment, and not all of it is made.
            std::thread::sleep(Duration::from_millis(20));
            let mut waiting = 0;
            while let Ok((source, Note::Frames(batch))) = notes.try_recv() {
                waiting += 1;
                rig.lanes.arrive(source, batch);
            }
            assert!(waiting <= BATCHES, "{waiting} under way");
            seen.extend(rig.lent(Instant::now()));
            rig.lanes.has_next(Instant::now());
        }
        sender.join().unwrap();
        assert!(seen.iter().map(|(_, at)| *at).eq(0..10 * BATCHES as i64));
    }

    #[test]
    fn who_sends_to_nobody_is_told() {
        let rig = Rig::new(1);
        let Rig {
            lanes,
            mut outboxes,
            notes,
        } = rig;
        drop((lanes, notes));
        let frame = Frame {
            at: Timestamp::default(),
            link: LinkType::ETHERNET,
            interface: 0,
            wire_len: 60,
            bytes: &[0; 60],
        };
        let outbox = &mut outboxes[0];
        outbox.push(&frame).unwrap();
        assert!(outbox.hand_over().is_err());
    }
}
