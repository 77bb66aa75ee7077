//! What the lengths of frames add to the ways within the slices of a request.

use super::super::server::SHORT;
use super::super::{AHEAD, Distance, Longer, Most, is_single, ns};
use super::EVENLY;
use super::pairs::FIRST;
use crate::Transaction;
use crate::account::ceiling::{BOTH_SHORTEST, Ceiling, most_on_line};

/// Bytes of a response, and of those the ones in its first frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) bytes: u64,
    pub(super) head: u64,
}

impl Sizes {
    /// Bytes on the line, and of those the ones in the last frame.
    pub(super) fn on_line(&self, of: impl Fn(u64) -> u64) -> (u64, u64) {
        let head = self.head.max(1);
        let before = self.bytes.saturating_sub(1) / head;
        let last = of(self.bytes.saturating_sub(before * head));
        (before * of(head) + last, last)
    }

    /// Those in the last frame.
    pub(super) fn last(&self, of: impl Fn(u64) -> u64) -> u64 {
        self.on_line(of).1
    }
}

/// What was asked and answered, and answered before that: mostly the same again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lengths {
    pub(super) request: u64,
    pub(super) response: Sizes,
    pub(super) before: Sizes,
}

impl Lengths {
    /// What the last of several frames of the response before, and the request, take at most, ns.
    pub(super) fn last(&self, client: &Distance) -> u64 {
        let Sizes { bytes, head } = self.before;
        if bytes <= head || client.heard.is_none() {
            return u64::MAX;
        }
        client.longer(self.before.last(most_on_line) + most_on_line(self.request))
    }
}

/// What the lengths of frames add to the ways within the slices of a request.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LongerWays {
    /// Of these lengths, by the evidence of then.
    pub(super) of: Lengths,
    pub(super) news: u64,
    /// The shortest turnaround, gap and transfer of these lengths that is known already, ns.
    pub(super) known: [u64; 3],
    pub(super) server: Longer,
    pub(super) client: Longer,
    /// The shortest gap that says something, ns, and the shortest of all.
    pub(super) gaps: [u64; 2],
    /// What the last of several frames of the response before, and this request, take at most, ns.
    pub(super) last: u64,
    /// What all frames of the response before take at most, ns; 0 of one.
    pub(super) queued: u64,
    /// How long responses, and requests, wait for an acknowledgement of what was before them, ns.
    pub(super) waits: [u64; 2],
    /// The request has several frames, and the capture was not made where they are sent.
    pub(super) several: bool,
    /// What all of its frames take at most, ns; 0 of one.
    pub(super) asked: u64,
}

/// Bytes on the line at most of a message in frames of Ethernet.
pub(super) fn all_on_line(bytes: u64) -> u64 {
    let frames = bytes / FIRST;
    bytes + frames * most_on_line(0) + most_on_line(0)
}

/// What the lengths of the response before this request, and of the request, add to the way within the gap.
pub(super) fn to_client(
    t: &Transaction,
    before: Sizes,
    (client, [rode, alone]): (&Distance, [&Ceiling; 2]),
    gaps: &Ceiling,
) -> Longer {
    let bytes = before.bytes + t.request_bytes;
    let most = Most::of(rode, bytes + AHEAD).and(Most::of(gaps, bytes));
    let most = most.and(Most::of(alone, bytes + AHEAD));
    // Who acknowledges data at once does so when long frames have come.
    if client.heard.is_some() {
        // But what is one frame may be acknowledged with the next request alone: on a slow line it takes longer than a shorter
        // one, as the shortest gap had.
        let more = match before.bytes <= before.head {
            true => {
                let shortest = rode.shorter(gaps).bytes;
                let pace = u64::from(client.line.pace);
                let longer = before.bytes.saturating_sub(shortest);
                let ns = longer.saturating_mul(pace) / 1_024;
                ns.saturating_add(ns / EVENLY)
            }
            false => 0,
        };
        let here = most.least.saturating_add(more);
        return Longer {
            most: Most { here, ..most },
            more,
            bytes: client.line.bytes,
            proved: 0,
        };
    }
    let line = before.on_line(most_on_line).0 + AHEAD - BOTH_SHORTEST;
    let mut more = client.longer(line + most_on_line(t.request_bytes));
    // Frames behind the first one come no faster than the line lets them. How much of all is in the first, nobody
    // says.
    if let Some(request) = t.request.filter(|_| !is_single(t.request)) {
        let took = ns(request.last.at.since(request.first.at)).saturating_mul(SHORT);
        more = more.min(client.longer(line + most_on_line(0)).saturating_add(took));
    }
    Longer {
        most,
        more,
        proved: 0,
        bytes: client.line.bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::measured;
    use super::super::super::{DataThere, LineEvidence};
    use super::*;
    use wirewait_wire::Timestamp;

    /// A client acknowledges data of several frames by itself, evenly: 2 us a byte. Its shortest pause, 1 ms, was behind a
    /// response of 100 bytes: one of 1,124 in a frame takes 1,024 bytes longer, 2,048 us, and an eighth. In several frames, its own
    /// acknowledgements say how long it took.
    #[test]
    fn one_frame_takes_longer_than_a_shorter_one() {
        let longer = |pace, bytes, head| {
            let heard = DataThere {
                at: Timestamp::from_nanos(0),
                frame: 1,
                left: 0,
                pace: 0,
                late: false,
            };
            let client = Distance {
                heard: Some(heard),
                line: LineEvidence {
                    pace,
                    ..LineEvidence::default()
                },
                ..measured(8, 200_000, 200_000)
            };
            let mut rode = Ceiling::NONE;
            rode.took(100, 1_000_000);
            let of = Transaction::default();
            let longer = to_client(
                &of,
                Sizes { bytes, head },
                (&client, [&rode, &Ceiling::NONE]),
                &Ceiling::NONE,
            );
            (longer.more, longer.most.here)
        };
        assert_eq!(longer(2_048_000, 1_124, 1_124), (2_304_000, 3_304_000));
        assert_eq!(longer(2_048_000, 100, 100), (0, 1_000_000));
        assert_eq!(longer(2_048_000, 4_000, 1_460), (0, 1_000_000));
        assert_eq!(longer(0, 1_124, 1_124), (0, 1_000_000), "no slow line");
    }
}
