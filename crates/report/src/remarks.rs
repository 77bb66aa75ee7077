//! What is worth saying beside the frames of a capture: slow requests and their responses,
//! requests without a response, retransmissions, and the frames that symptoms point at.

use crate::escape::Escaped;
use crate::figures::Command;
use crate::symptoms::Texts;
use crate::text::symptoms::subject;
use crate::time::Short;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use wirewait_analysis::{
    Assembled, Deed, Flags, Notice, Noticed, Outcome, Sink, Snapshot, Threshold, Thresholds,
    Transaction, Turnaround,
};
use wirewait_wire::Kind;

/// Remarks that are kept at the same time; [`Remarks::left_out`] counts further ones.
const MOST: usize = 200_000;
/// Remarks on one frame; further ones are counted as well.
const PER_FRAME: usize = 8;
/// Characters of a file's name in a remark: its end tells files apart.
const NAME: usize = 200;

/// Gathers remarks beside frames, by their numbers. A [`Sink`] of an
/// [observed](wirewait_analysis::Analyzer::observed) analysis.
#[derive(Clone, Debug)]
pub struct Remarks {
    slow_ns: i64,
    frames: BTreeMap<u64, Vec<String>>,
    kept: usize,
    left_out: u64,
    /// Frames that repeat a part of a transaction that is not closed yet.
    repeats: BTreeMap<u64, Vec<u64>>,
}

impl Remarks {
    /// Calls requests slow that take longer than the threshold `slow_answer_ms`.
    #[must_use]
    pub fn new(thresholds: &Thresholds) -> Self {
        Self {
            slow_ns: thresholds.ns(Threshold::SlowAnswer),
            frames: BTreeMap::new(),
            kept: 0,
            left_out: 0,
            repeats: BTreeMap::new(),
        }
    }

    /// Adds what only the whole capture shows: its slowest requests and the frames of symptoms.
    pub fn conclude(&mut self, snapshot: &Snapshot, texts: &Texts) {
        for (transaction, frames) in std::mem::take(&mut self.repeats) {
            for frame in frames {
                self.kept = self.kept.saturating_sub(1);
                self.add(
                    frame,
                    format!("retransmission in transaction {transaction}"),
                );
            }
        }
        let quick = |t: &&Transaction| !self.is_slow(t);
        let slowest: Vec<Transaction> = snapshot.slowest.iter().filter(quick).cloned().collect();
        for transaction in &slowest {
            self.timed(transaction, "");
        }
        for symptom in snapshot.symptoms.raised() {
            let text = format!(
                "symptom \"{}\" of {}",
                texts.title(symptom.rule.id),
                subject(&symptom.subject)
            );
            for sight in symptom.hits.kept() {
                self.add(sight.from.frame, text.clone());
                if sight.to.frame != sight.from.frame {
                    self.add(sight.to.frame, text.clone());
                }
            }
        }
    }

    /// The comment on a frame, which is given once.
    pub fn take(&mut self, frame: u64) -> Option<String> {
        let mut remarks = self.frames.remove(&frame)?;
        self.kept -= remarks.len();
        remarks.dedup();
        Some(format!("wirewait: {}", remarks.join("; ")))
    }

    /// Forgets remarks on frames before this one: they have been written.
    pub fn forget_before(&mut self, frame: u64) {
        let coming = self.frames.split_off(&frame);
        let gone = std::mem::replace(&mut self.frames, coming);
        self.kept -= gone.values().map(Vec::len).sum::<usize>();
    }

    /// Frames that have a comment.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.frames.len()
    }

    /// Remarks that found no room.
    #[must_use]
    pub const fn left_out(&self) -> u64 {
        self.left_out
    }

    fn has_room(&mut self, frame: u64) -> bool {
        // Of a part of the capture that is not here.
        if frame == 0 {
            return false;
        }
        let room = self.kept < MOST;
        self.left_out += u64::from(!room);
        self.kept += usize::from(room);
        room
    }

    fn add(&mut self, frame: u64, remark: String) {
        let full = |remarks: &Vec<String>| remarks.len() >= PER_FRAME;
        if self.frames.get(&frame).is_some_and(full) {
            self.left_out += 1;
        } else if self.has_room(frame) {
            self.frames.entry(frame).or_default().push(remark);
        }
    }

    fn is_slow(&self, t: &Transaction) -> bool {
        let turnaround = match t.turnaround {
            Turnaround::None => 0,
            Turnaround::Exact(ns) | Turnaround::Between(ns, _) => ns,
        };
        let longest = t.response_time_ns().unwrap_or(0).max(turnaround);
        longest > self.slow_ns && !matches!(t.kind, Kind::Wait | Kind::Break | Kind::Session)
    }

    /// Remarks on a request and its response.
    fn timed(&mut self, t: &Transaction, slow: &str) {
        let (Some(request), Some(response)) = (t.request, t.response) else {
            return;
        };
        let (command, took) = (command(t), took(t));
        let (from, to) = (request.first.frame, response.last.frame);
        let file = file(t).map_or_else(String::new, |name| format!(", file {name}"));
        self.add(
            from,
            format!("{slow}{command}: {took}, response in frame {to}{file}"),
        );
        if to != from {
            self.add(
                to,
                format!("response to the {slow}{command} of frame {from}: {took}"),
            );
        }
    }

    fn repeated(&mut self, frame: u64, transaction: u64) {
        let latest = self
            .repeats
            .get(&transaction)
            .and_then(|frames| frames.last());
        if latest != Some(&frame) && self.has_room(frame) {
            self.repeats.entry(transaction).or_default().push(frame);
        }
    }
}

impl Sink for Remarks {
    fn transaction(&mut self, t: &Transaction) {
        if let Some(frames) = self.repeats.remove(&t.number) {
            let request = t.request.map(|request| request.first.frame);
            let of = request.map_or_else(String::new, |frame| format!(" of frame {frame}"));
            let text = format!("retransmission in the {}{of}", command(t));
            for frame in frames {
                self.kept = self.kept.saturating_sub(1);
                self.add(frame, text.clone());
            }
        }
        let excused = [
            Flags::ONE_SIDED,
            Flags::OPEN_AT_END,
            Flags::CAPTURE_LOSS,
            Flags::LIMITED,
        ];
        match (t.outcome, t.request) {
            (Outcome::Answered, _) if self.is_slow(t) => self.timed(t, "slow "),
            (Outcome::Unanswered, Some(request))
                if !excused.iter().any(|flag| t.flags.contains(*flag))
                    && !matches!(t.kind, Kind::Wait | Kind::Break) =>
            {
                let text = format!("no response to this {}", command(t));
                self.add(request.first.frame, text);
            }
            _ => {}
        }
    }

    fn noticed(&mut self, notice: &Notice) {
        let text = match notice.what {
            Noticed::Resent { after_ns: None } => "retransmission".to_owned(),
            Noticed::Resent { after_ns: Some(ns) } => {
                format!("retransmission, {} after the data was last sent", Short(ns))
            }
            Noticed::Overtaken { late_ns } => {
                format!("arrives {} behind later data: reordered", Short(late_ns))
            }
            Noticed::Rejected => "asks for lost data again".to_owned(),
            Noticed::Refused { .. } => "connection refused".to_owned(),
            Noticed::NotAnswered { tries, .. } => {
                format!("no response to {tries} attempts to connect")
            }
            Noticed::Died { tries, silent_ns } => format!(
                "the other side is silent: {tries} attempts in {} without a response",
                Short(silent_ns)
            ),
            _ => return,
        };
        self.add(notice.mark.frame, text);
    }

    fn assembled(&mut self, message: &Assembled<'_>) {
        if let Some((transaction, Deed::Retransmitted)) = message.deed {
            for stretch in message.stretches {
                self.repeated(stretch.frame, transaction);
            }
        }
    }

    fn did(&mut self, frame: u64, transaction: u64, deed: Deed) {
        if deed == Deed::Retransmitted {
            self.repeated(frame, transaction);
        }
    }
}

/// `smb2 READ`.
fn command(t: &Transaction) -> String {
    let command = Command {
        name: t.operation.name,
        code: t.code,
    };
    format!("{} {command}", t.protocol)
}

/// `response time 250 ms, server turnaround 249 ms`.
fn took(t: &Transaction) -> String {
    let mut text = match t.response_time_ns() {
        Some(ns) => format!("response time {}", Short(ns)),
        None => "response time unknown".to_owned(),
    };
    // Writing to a string does not fail.
    let _ = match t.turnaround {
        Turnaround::None => Ok(()),
        Turnaround::Exact(ns) => write!(text, ", server turnaround {}", Short(ns)),
        Turnaround::Between(low, high) => {
            write!(
                text,
                ", server turnaround {} to {}",
                Short(low),
                Short(high)
            )
        }
    };
    text
}

/// The end of the file's name.
fn file(t: &Transaction) -> Option<String> {
    let path = t.place.as_ref()?.path.as_deref()?;
    let path = Escaped(path).to_string();
    let skipped = path.chars().count().saturating_sub(NAME);
    let end: String = path.chars().skip(skipped).collect();
    Some(if skipped > 0 {
        format!("...{end}")
    } else {
        end
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn resent(frame: u64, after_ns: Option<i64>) -> Notice {
        let (client, server) = (samples::v4(1, Some(1025)), samples::v4(9, Some(445)));
        let what = Noticed::Resent { after_ns };
        let mut resent = Notice::new(samples::mark(frame, 0), client, server, what);
        (resent.carrier, resent.conversation, resent.bytes) = ("tcp", Some(1), 100);
        resent
    }

    fn remarks(slow_ms: u64) -> Remarks {
        let mut thresholds = Thresholds::default();
        thresholds.set(Threshold::SlowAnswer, slow_ms);
        Remarks::new(&thresholds)
    }

    #[test]
    fn a_request_is_slow_above_the_threshold_only() {
        let transaction = samples::answered();
        let (request, response) = (transaction.request.unwrap(), transaction.response.unwrap());
        let took = transaction.response_time_ns().unwrap();
        // The threshold is in whole milliseconds.
        let below = u64::try_from(took / 1_000_000).unwrap();
        let mut slow = remarks(below);
        slow.transaction(&transaction);
        let from = slow.take(request.first.frame).unwrap();
        assert!(from.starts_with("wirewait: slow "), "{from}");
        assert!(from.contains(&format!("response in frame {}", response.last.frame)));
        let to = slow.take(response.last.frame).unwrap();
        assert!(
            to.contains(&format!("of frame {}", request.first.frame)),
            "{to}"
        );
        assert_eq!((slow.take(request.first.frame), slow.kept), (None, 0));
        let mut quick = remarks(below + 1);
        quick.transaction(&transaction);
        assert_eq!(quick.frames(), 0);
    }

    #[test]
    fn a_capture_that_ends_is_no_reason_to_miss_a_response() {
        let mut transaction = samples::unanswered();
        transaction.flags = Flags::default();
        let frame = transaction.request.unwrap().first.frame;
        let mut all = remarks(100);
        all.transaction(&transaction);
        assert!(
            all.take(frame)
                .unwrap()
                .starts_with("wirewait: no response to this ")
        );
        transaction.flags = Flags::OPEN_AT_END;
        all.transaction(&transaction);
        assert_eq!(all.take(frame), None);
    }

    #[test]
    fn a_repeated_part_names_its_request_once_that_is_known() {
        let transaction = samples::answered();
        let request = transaction.request.unwrap().first.frame;
        let mut all = remarks(1_000_000);
        all.did(7000, transaction.number, Deed::Retransmitted);
        all.did(7000, transaction.number, Deed::Retransmitted);
        all.did(7001, transaction.number, Deed::Ack);
        assert_eq!(all.take(7000), None);
        all.transaction(&transaction);
        let said = all.take(7000).unwrap();
        assert!(
            said.starts_with("wirewait: retransmission in the "),
            "{said}"
        );
        assert!(said.ends_with(&format!(" of frame {request}")), "{said}");
        assert_eq!((all.take(7001), all.kept), (None, 0));
    }

    #[test]
    fn remarks_are_bounded_and_what_is_left_out_is_counted() {
        let mut all = remarks(100);
        for n in 0..PER_FRAME as i64 + 3 {
            all.noticed(&resent(1, Some(n * 1_000_000)));
        }
        assert_eq!((all.frames(), all.left_out()), (1, 3));
        for frame in 0..MOST as u64 {
            all.noticed(&resent(frame + 2, None));
        }
        assert_eq!(all.left_out(), 3 + PER_FRAME as u64);
        all.forget_before(MOST as u64 - 10);
        assert_eq!((all.kept, all.frames()), (4, 4));
        assert_eq!(
            all.take(MOST as u64 - 10).unwrap(),
            "wirewait: retransmission"
        );
        // What was captured is not told: there is no frame to write it on.
        all.noticed(&resent(0, None));
        assert_eq!(all.take(0), None);
    }
}
