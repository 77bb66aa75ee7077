//! A capture that is being written into a pipe: `dumpcap -w - | wirewait live -`.

use super::batch::{Abandoned, Outbox};
use super::lanes::Lanes;
use super::{Control, Feed, Live, LiveError, LiveErrorKind, Note};
use crate::causes::unnumbered;
use crate::{Files, Options};
use std::io::{self, Read};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use wirewait_wire::{Frame, Source, SourceErrorKind};

/// Which frames of the pipe are wanted.
type FrameChoice = Box<dyn FnMut(&Frame<'_>) -> bool + Send>;

/// Reads the capture that comes through the standard input, as it comes.
///
/// # Errors
/// When the system allows no more threads.
pub fn from_stdin(
    options: &Options,
    wanted: impl FnMut(&Frame<'_>) -> bool + Send + 'static,
) -> Result<Live, LiveError> {
    from_reader("standard input", Box::new(io::stdin()), options, wanted)
}

/// Reads a capture from any stream, as it comes; `name` stands for it in messages. Only
/// frames that are `wanted` are handed on.
///
/// # Errors
/// When the system allows no more threads.
pub fn from_reader(
    name: &str,
    stream: Box<dyn Read + Send>,
    options: &Options,
    wanted: impl FnMut(&Frame<'_>) -> bool + Send + 'static,
) -> Result<Live, LiveError> {
    let (out, notes) = channel();
    let mut live = Live::new(notes, Lanes::default());
    let (outbox, back) = Outbox::new(0, out);
    live.lanes.add(back);
    let control = Arc::new(Control::default());
    live.feeds.push(Feed {
        ended: false,
        control,
        interface: 0,
        wake: None,
    });
    let (name, options) = (name.to_owned(), options.clone());
    let wanted: FrameChoice = Box::new(wanted);
    std::thread::Builder::new()
        .name("capture-pipe".to_owned())
        .spawn(move || {
            // The end is that of the pipe, or nobody listens any more.
            let _ = read(&name, stream, &options, outbox, wanted);
        })
        .map_err(|error| LiveError {
            kind: LiveErrorKind::Other,
            message: format!(
                "no thread can be started for reading: {}",
                unnumbered(&error.to_string())
            ),
        })?;
    Ok(live)
}

/// Hands on what was read before it reads more, which may take long.
struct Prompt {
    stream: Box<dyn Read + Send>,
    outbox: Arc<Mutex<Outbox>>,
}

impl Read for Prompt {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let mut outbox = self.outbox.lock().unwrap_or_else(PoisonError::into_inner);
        if outbox.hand_over().is_err() {
            return Ok(0);
        }
        drop(outbox);
        self.stream.read(room)
    }
}

fn read(
    name: &str,
    stream: Box<dyn Read + Send>,
    options: &Options,
    outbox: Outbox,
    mut wanted: FrameChoice,
) -> Result<(), Abandoned> {
    let outbox = Arc::new(Mutex::new(outbox));
    let held = || outbox.lock().unwrap_or_else(PoisonError::into_inner);
    let prompt = Box::new(Prompt {
        stream,
        outbox: Arc::clone(&outbox),
    });
    let mut files = match Files::from_reader(name, prompt, options) {
        Ok(files) => files,
        Err(error) => {
            held().tell(Note::Damage(error))?;
            return held().tell(Note::Ended);
        }
    };
    for warning in files.warnings() {
        held().tell(Note::Remark(warning.clone()))?;
    }
    // Frames of each interface.
    let mut frames: Vec<u64> = Vec::new();
    let described = |files: &Files, frames: &[u64]| {
        let counts = frames.iter().copied().chain(std::iter::repeat(0));
        let known = files.interfaces().iter().cloned();
        Note::Interfaces(known.zip(counts).collect())
    };
    loop {
        match files.next_frame() {
            Ok(Some(frame)) => {
                let number = frame.interface as usize;
                let new = number >= frames.len();
                if new {
                    // A reader numbers them without gaps.
                    frames.resize(number + 1, 0);
                }
                if wanted(&frame) {
                    frames[number] += 1;
                    held().push(&frame)?;
                }
                if new {
                    held().tell(described(&files, &frames))?;
                }
            }
            Ok(None) => break,
            Err(error) => {
                let worst = error.kind == SourceErrorKind::Unreadable;
                held().hand_over()?;
                held().tell(Note::Damage(error))?;
                if worst {
                    break;
                }
            }
        }
    }
    held().hand_over()?;
    // Their counters are complete now.
    held().tell(described(&files, &frames))?;
    held().tell(Note::Ended)
}

#[cfg(test)]
mod tests {
    use super::super::Event;
    use super::*;
    use crate::write::PcapngWriter;
    use std::io::Write;
    use std::sync::mpsc::Receiver;
    use std::time::{Duration, Instant};
    use wirewait_wire::{LinkType, Timestamp};

    /// A pipe: what is sent can be read; it ends when the sender is dropped.
    struct Pipe {
        pieces: Receiver<Vec<u8>>,
        rest: Vec<u8>,
    }

    impl Read for Pipe {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            if self.rest.is_empty() {
                self.rest = self.pieces.recv().unwrap_or_default();
            }
            let count = self.rest.len().min(room.len());
            room[..count].copy_from_slice(&self.rest[..count]);
            self.rest.drain(..count);
            Ok(count)
        }
    }

    /// A capture of `frames` frames, and where each of them ends in it.
    fn capture(frames: u8) -> (Vec<u8>, Vec<usize>) {
        let mut ends = Vec::new();
        let mut writer = PcapngWriter::new(Vec::new(), "test").unwrap();
        writer
            .interface(Some("eth7"), LinkType::ETHERNET, 0)
            .unwrap();
        let mut bytes = writer.finish().unwrap();
        for n in 0..frames {
            let mut one = PcapngWriter::new(Vec::new(), "test").unwrap();
            one.interface(Some("eth7"), LinkType::ETHERNET, 0).unwrap();
            let head = {
                let mut empty = PcapngWriter::new(Vec::new(), "test").unwrap();
                empty
                    .interface(Some("eth7"), LinkType::ETHERNET, 0)
                    .unwrap();
                empty.finish().unwrap().len()
            };
            let frame = Frame {
                at: Timestamp::from_parts(1000 + i64::from(n), 5),
                link: LinkType::ETHERNET,
                interface: 0,
                wire_len: 60,
                bytes: &[n; 60],
            };
            one.frame(&frame, None).unwrap();
            bytes.write_all(&one.finish().unwrap()[head..]).unwrap();
            ends.push(bytes.len());
        }
        (bytes, ends)
    }

    const LONG: Duration = Duration::from_secs(20);

    fn marks(live: &mut Live) -> Vec<u8> {
        let mut marks = Vec::new();
        while let Some(frame) = live.next_frame().unwrap() {
            marks.push(frame.bytes[0]);
        }
        marks
    }

    #[test]
    fn frames_come_as_they_are_written_not_when_a_buffer_is_full() {
        let (bytes, ends) = capture(3);
        let (send, pieces) = channel();
        let pipe = Box::new(Pipe {
            pieces,
            rest: Vec::new(),
        });
        let mut live = from_reader("pipe", pipe, &Options::default(), |_| true).unwrap();
        assert_eq!(live.wait(Duration::from_millis(1)), Event::Idle);
        assert_eq!(live.now(), None);
        // Two frames, and a part of the third.
        send.send(bytes[..ends[1] + 10].to_vec()).unwrap();
        assert_eq!(live.wait(LONG), Event::Frames);
        assert_eq!(marks(&mut live), [0, 1]);
        let before = Instant::now();
        assert_eq!(live.wait(Duration::from_millis(30)), Event::Idle);
        assert!(before.elapsed() >= Duration::from_millis(30));
        let now = live.now().unwrap().since(Timestamp::from_parts(1001, 5));
        assert!((30_000_000..20_000_000_000).contains(&now), "{now}");

        send.send(bytes[ends[1] + 10..].to_vec()).unwrap();
        assert_eq!(live.wait(LONG), Event::Frames);
        assert_eq!(marks(&mut live), [2]);
        drop(send);
        assert_eq!(live.wait(LONG), Event::End);
        let interfaces = live.interfaces();
        assert_eq!(interfaces.len(), 1);
        assert_eq!(interfaces[0].name.as_deref(), Some("eth7"));
        assert_eq!(interfaces[0].frames, 3);
    }

    #[test]
    fn damage_is_told_behind_what_was_good() {
        let (bytes, ends) = capture(2);
        for (cut, wanted) in [(ends[1] - 3, vec![0]), (ends[1], vec![0, 1])] {
            let stream = Box::new(io::Cursor::new(bytes[..cut].to_vec()));
            let mut live = from_reader("pipe", stream, &Options::default(), |_| true).unwrap();
            let (mut seen, mut damages) = (Vec::new(), 0);
            loop {
                match live.wait(LONG) {
                    Event::Frames => seen.extend(marks(&mut live)),
                    Event::Damage(error) => {
                        assert_eq!(error.kind, SourceErrorKind::Damaged);
                        damages += 1;
                    }
                    Event::End => break,
                    other => panic!("{other:?}"),
                }
            }
            assert_eq!(seen, wanted);
            assert_eq!(damages, usize::from(cut < ends[1]));
        }
    }

    #[test]
    fn what_is_no_capture_is_refused() {
        let stream = Box::new(io::Cursor::new(b"GET / HTTP/1.1\r\n\r\n".repeat(9)));
        let mut live = from_reader("pipe", stream, &Options::default(), |_| true).unwrap();
        let Event::Damage(error) = live.wait(LONG) else {
            panic!("it is no capture");
        };
        assert_eq!(error.kind, SourceErrorKind::Unreadable);
        assert_eq!(live.wait(LONG), Event::End);
    }

    #[test]
    fn only_wanted_frames_come_and_a_stop_does_not_wait_for_the_writer() {
        let (bytes, _) = capture(9);
        let (send, pieces) = channel();
        send.send(bytes).unwrap();
        let pipe = Box::new(Pipe {
            pieces,
            rest: Vec::new(),
        });
        let even = |frame: &Frame<'_>| frame.bytes[0].is_multiple_of(2);
        let mut live = from_reader("pipe", pipe, &Options::default(), even).unwrap();
        assert_eq!(live.wait(LONG), Event::Frames);
        live.stop();
        assert_eq!(live.wait(LONG), Event::Frames, "what came before the stop");
        assert_eq!(marks(&mut live), [0, 2, 4, 6, 8]);
        assert_eq!(live.wait(LONG), Event::End);
    }
}
