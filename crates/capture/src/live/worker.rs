//! The thread that captures from one interface.
//!
//! libpcap waits for frames without an end where there are none, so the thread is woken from
//! outside, each second, to read the counters and see whether the interface is still there.

use super::batch::{Abandoned, BATCH_FRAMES, Outbox};
use super::device::said;
use super::handle::Handle;
use super::{Control, Direction, LiveOptions, Note, system};
use pcap::BreakLoop;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use wirewait_wire::Timestamp;

/// An interface that went away is looked for this often.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// After a stop, frames may still be in a block that the operating system has not handed
/// over: it does so after 100 ms at the latest.
const LAST_BLOCK: Duration = Duration::from_millis(150);

/// After a stop, what was captured before is fetched, however much that is. If a clock that
/// stepped back makes all stamps look earlier than the stop, it ends all the same.
const LAST_CALL: Duration = Duration::from_secs(30);

/// Wakes the thread, if it is waiting for frames.
pub(super) type Breaker = Arc<Mutex<Option<BreakLoop>>>;

pub(super) struct Worker {
    name: String,
    number: u32,
    options: LiveOptions,
    control: Arc<Control>,
    breaker: Breaker,
    outbox: Outbox,
    /// Counters of the handle, when they were last read: they start again with every handle,
    /// and at 2^32.
    counted: [u32; 3],
    /// Frames that the handle gave.
    fetched: u64,
    looked: Instant,
}

/// Why it does not go on.
enum Halt {
    Stopped,
    /// The interface went away, or down.
    Gone(String),
}

impl From<Abandoned> for Halt {
    fn from(_: Abandoned) -> Self {
        Self::Stopped
    }
}

/// When, and by which stamp, the capture is to end.
struct Stopping {
    since: Instant,
    at: Timestamp,
}

impl Stopping {
    /// Whether all that was captured before is fetched: a frame is `past` the stop, or none has come
    /// for the time that the operating system keeps a block. Where the clock was set back, no stamp
    /// is past it.
    fn is_over(&self, past: bool, waited: bool, now: Instant) -> bool {
        let since = now.saturating_duration_since(self.since);
        past || (waited && since >= LAST_BLOCK) || since >= LAST_CALL
    }
}

impl Worker {
    pub(super) fn new(
        name: String,
        number: usize,
        options: LiveOptions,
        control: Arc<Control>,
        breaker: Breaker,
        outbox: Outbox,
    ) -> Self {
        Self {
            name,
            number: u32::try_from(number).unwrap_or(u32::MAX),
            options,
            control,
            breaker,
            outbox,
            counted: [0; 3],
            fetched: 0,
            looked: Instant::now(),
        }
    }

    /// What wakes it.
    pub(super) fn waker(control: &Arc<Control>, breaker: &Breaker) -> Box<dyn Fn() + Send> {
        let (control, breaker) = (Arc::clone(control), Arc::clone(breaker));
        Box::new(move || {
            control.woken.store(true, Ordering::Release);
            let held = breaker.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(handle) = &*held {
                handle.breakloop();
            }
        })
    }

    /// Captures until it is stopped.
    pub(super) fn run(mut self, mut handle: Handle) {
        loop {
            let mut halt = self.capture(&mut handle);
            if matches!(halt, Halt::Gone(_)) && self.fetch_rest(&mut handle).is_err() {
                halt = Halt::Stopped;
            }
            self.count(&mut handle);
            let gone = match halt {
                Halt::Gone(mut why) => {
                    if let Some(missing) = self.miss(&handle) {
                        why.push_str(&format!(
                            ", with {missing} frames in its buffer that cannot be fetched"
                        ));
                    }
                    self.outbox.tell(Note::Gone(why)).is_ok()
                }
                Halt::Stopped => false,
            };
            if !gone {
                break;
            }
            match self.reopened(handle) {
                Some(again) => handle = again,
                None => break,
            }
            let back = Note::Back(handle.link, handle.speed);
            if self.outbox.tell(back).is_err() {
                break;
            }
        }
        // Nobody may listen any more.
        let _ = self.outbox.tell(Note::Ended);
    }

    /// Fetches frames until something is in the way.
    fn capture(&mut self, handle: &mut Handle) -> Halt {
        let mut stopping: Option<Stopping> = None;
        loop {
            match self.fetch(handle, &mut stopping) {
                Ok(()) => {}
                Err(halt) => return halt,
            }
        }
    }

    fn fetch(&mut self, handle: &mut Handle, stopping: &mut Option<Stopping>) -> Result<(), Halt> {
        if stopping.is_none() && self.control.stop.load(Ordering::Acquire) {
            *stopping = Some(Stopping {
                since: Instant::now(),
                at: system_time(),
            });
        }
        let end = stopping.as_ref().map(|stopping| stopping.at);
        let (link, number) = (handle.link, self.number);
        let outbox = &mut self.outbox;
        let (mut abandoned, mut past, mut frames) = (false, false, 0);
        let given = &mut self.fetched;
        let fetched = handle.capture.dispatch(Some(BATCH_FRAMES), |packet| {
            *given += 1;
            let frame = Handle::frame(&packet, link, number);
            // What came after the stop is not wanted.
            past |= end.is_some_and(|end| frame.at > end);
            if !past && !abandoned {
                frames += 1;
                abandoned = outbox.push(&frame).is_err();
            }
        });
        self.control.frames.fetch_add(frames, Ordering::Relaxed);
        self.outbox.hand_over()?;
        if abandoned {
            return Err(Halt::Stopped);
        }
        let woken = self.control.woken.swap(false, Ordering::AcqRel);
        let waited = match fetched {
            Ok(count) => count == 0,
            // Being woken looks like an error, sometimes with the words of an earlier one.
            Err(_) if woken => true,
            Err(pcap::Error::TimeoutExpired) => true,
            Err(pcap::Error::PcapError(text)) if text.is_empty() => true,
            Err(error) => return Err(Halt::Gone(self.gone(handle, said(error)))),
        };
        if let Some(stopping) = stopping
            && stopping.is_over(past, waited, Instant::now())
        {
            return Err(Halt::Stopped);
        }
        if self.looked.elapsed() >= super::COUNT_EVERY {
            self.looked = Instant::now();
            self.count(handle);
            if handle.state.is_some() && !is_as_it_was(&self.name, handle) {
                return Err(Halt::Gone(self.gone(handle, String::new())));
            }
        }
        Ok(())
    }

    /// Fetches what was on the wire before the interface went away: the operating system hands
    /// its last block over as it would have done, 100 ms after its first frame at the latest.
    /// Until then libpcap only says again that the interface is gone.
    fn fetch_rest(&mut self, handle: &mut Handle) -> Result<(), Abandoned> {
        let (link, number) = (handle.link, self.number);
        let since = Instant::now();
        loop {
            let (mut abandoned, mut frames) = (false, 0);
            let outbox = &mut self.outbox;
            let fetched = handle.capture.dispatch(Some(BATCH_FRAMES), |packet| {
                frames += 1;
                if !abandoned {
                    let frame = Handle::frame(&packet, link, number);
                    abandoned = outbox.push(&frame).is_err();
                }
            });
            self.fetched += frames;
            self.control.frames.fetch_add(frames, Ordering::Relaxed);
            self.outbox.hand_over()?;
            if abandoned {
                return Err(Abandoned);
            }
            if !matches!(fetched, Ok(count) if count > 0) {
                if since.elapsed() >= LAST_BLOCK {
                    return Ok(());
                }
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }

    /// Counts as dropped what the operating system received on an interface that is gone and
    /// never gave. It counts frames that are not captured, too, where they are chosen by a
    /// filter or by their direction: then that cannot be told.
    fn miss(&mut self, handle: &Handle) -> Option<u64> {
        let everything = self.options.filter.is_empty()
            && self.options.direction == Direction::Both
            && handle.state.is_some();
        let is = system::state(&self.name).map(|is| is.index);
        if !everything || is == handle.state.map(|was| was.index) {
            return None;
        }
        let [received, dropped, _] = self.counted;
        // The counter has 32 bits, so the difference has.
        let given = dropped.wrapping_add(self.fetched as u32);
        let missing = u64::from(
            received
                .wrapping_sub(given)
                .cast_signed()
                .max(0)
                .cast_unsigned(),
        );
        self.control.dropped.fetch_add(missing, Ordering::Relaxed);
        (missing > 0).then_some(missing)
    }

    /// Why frames do not come any more.
    fn gone(&self, handle: &Handle, said: String) -> String {
        match (handle.state, system::state(&self.name)) {
            (Some(_), None) => "the interface is gone".to_owned(),
            (Some(was), Some(is)) if was.index != is.index => {
                "the interface was replaced by another of that name".to_owned()
            }
            (Some(_), Some(is)) if !is.up => "the interface went down".to_owned(),
            _ => format!("capturing stopped: {said}"),
        }
    }

    /// Waits until the interface is back; `None` if it is not wanted any more.
    fn reopened(&mut self, handle: Handle) -> Option<Handle> {
        let known = handle.state;
        let mut kept = Some(handle);
        loop {
            let since = Instant::now();
            while since.elapsed() < LOOK_AGAIN {
                if self.control.stop.load(Ordering::Acquire) {
                    return None;
                }
                std::thread::sleep(Duration::from_millis(50));
            }
            // One that only was down goes on with the same handle, which takes no rights.
            if let Some(handle) = kept.take_if(|handle| is_as_it_was(&self.name, handle)) {
                return Some(handle);
            }
            let is = system::state(&self.name);
            if known.is_some() && is.is_none_or(|is| !is.up) {
                continue;
            }
            // Its buffer is not needed twice.
            kept = None;
            if let Ok(mut again) = Handle::open(&self.name, &self.options) {
                (self.counted, self.fetched) = ([0; 3], 0);
                let mut breaker = self.breaker.lock().unwrap_or_else(PoisonError::into_inner);
                *breaker = Some(again.capture.breakloop_handle());
                return Some(again);
            }
        }
    }

    /// Adds up what the operating system counted.
    fn count(&mut self, handle: &mut Handle) {
        let Ok(stat) = handle.capture.stats() else {
            return;
        };
        let read = [stat.received, stat.dropped, stat.if_dropped];
        let sums: [&AtomicU64; 3] = [
            &self.control.received,
            &self.control.dropped,
            &self.control.dropped_by_interface,
        ];
        for ((sum, now), before) in sums.into_iter().zip(read).zip(self.counted) {
            sum.fetch_add(u64::from(now.wrapping_sub(before)), Ordering::Relaxed);
        }
        self.counted = read;
    }
}

/// Whether the interface is the one that was opened, and up.
fn is_as_it_was(name: &str, handle: &Handle) -> bool {
    let Some(was) = handle.state else {
        return false;
    };
    system::state(name).is_some_and(|is| is.index == was.index && is.up)
}

/// The moment, as frames are stamped.
fn system_time() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp::from_nanos(i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_set_while_it_stops_does_not_keep_it_going() {
        let since = Instant::now();
        let stopping = Stopping {
            since,
            at: Timestamp::from_parts(1_700_000_000, 0),
        };
        let over = |past, waited, ms| {
            let now = since + Duration::from_millis(ms);
            stopping.is_over(past, waited, now)
        };
        // Ahead: a frame is past the stop at once. On a silent wire the last block is waited for.
        assert!(over(true, false, 0));
        assert!(!over(false, true, 149) && over(false, true, 150));
        // Back, on a busy wire: no stamp is past it, and it ends all the same.
        assert!(!over(false, false, 29_999) && over(false, false, 30_000));
    }
}
