//! A slow line on which a server's responses to several clients follow each other.
//!
//! What a client waits for while the line carries others' responses is a queue on the line, or the server works at
//! its request meanwhile: no frame tells which.

use super::ns;
use crate::Transaction;
use crate::table::TablePlace;
use wirewait_wire::Timestamp;

/// What follows at the pace of a line comes as late as its bytes take, give or take this part of it.
const EVENLY: u64 = 8;

/// Since when a server's responses follow each other as fast as the line lets them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SharedLine {
    /// Whom it answered last; `None` before it answered anyone.
    client: Option<TablePlace>,
    /// It answered several.
    several: bool,
    since: Timestamp,
    /// The first frame of its latest response, and the latest frame of all.
    first: Timestamp,
    until: Timestamp,
    /// Bytes of the messages since the first frame of `since`, which is not counted.
    bytes: u64,
}

impl SharedLine {
    /// One more request of this client was answered. Whether the server answers others as well.
    #[inline]
    pub(super) fn is_shared(&mut self, client: TablePlace) -> bool {
        self.several || self.is_another(client)
    }

    fn is_another(&mut self, client: TablePlace) -> bool {
        self.several = self.client.is_some_and(|known| known != client);
        self.client = Some(client);
        self.several
    }

    /// How long this request of the client may have waited for others' responses, ns, on a line that takes so long for as
    /// many bytes; for none of them where nothing shows how long.
    #[cold]
    #[inline(never)]
    pub(super) fn answered(
        &mut self,
        t: &Transaction,
        client: TablePlace,
        takes: impl Fn(u64) -> u64,
    ) -> u64 {
        let (Some(request), Some(response)) = (t.request, t.response) else {
            return 0;
        };
        let before = *self;
        let (first, last) = (response.first.at, response.last.at);
        let behind_first = t.response_bytes.saturating_sub(t.response_head_bytes);
        self.client = Some(client);
        (self.since, self.first, self.until) = (first, first, last);
        self.bytes = behind_first;
        let frame = takes(t.response_head_bytes);
        let near = frame.saturating_add(frame / EVENLY);
        let follows = before.first <= first && ns(first.since(before.until)) <= near;
        if frame == 0 || !follows {
            return 0;
        }
        // What was on the line since then took as long as that takes.
        let bytes = before.bytes.saturating_add(t.response_head_bytes);
        let took = ns(first.max(before.until).since(before.since));
        let line = takes(bytes);
        if took.abs_diff(line) > line / EVENLY {
            return 0;
        }
        (self.since, self.until) = (before.since, last.max(before.until));
        self.bytes = bytes.saturating_add(behind_first);
        match before.client == Some(client) {
            true => 0,
            false => ns(first.since(before.since.max(request.last.at))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Generation;
    use crate::{Extent, Mark};

    /// 2 us a byte: 3 ms for a frame of 1,500.
    fn line(bytes: u64) -> u64 {
        bytes * 2_000
    }

    /// A client asked then, and was answered in frames of 1,500 bytes from then to then, us. How much of that may be
    /// others' responses, us.
    fn answered(
        shared: &mut SharedLine,
        client: u32,
        [asked, first, last]: [i64; 3],
        bytes: u64,
        takes: fn(u64) -> u64,
    ) -> u64 {
        let extent = |first: i64, last: i64| {
            let mark = |us: i64| Mark {
                frame: 0,
                at: Timestamp::from_nanos(us * 1_000),
            };
            Some(Extent {
                first: mark(first),
                last: mark(last),
            })
        };
        let t = Transaction {
            request: extent(asked, asked),
            response: extent(first, last),
            response_bytes: bytes,
            response_head_bytes: 1_500,
            ..Transaction::default()
        };
        let client = TablePlace::at(client, Generation::MIN);
        match shared.is_shared(client) {
            true => shared.answered(&t, client, takes) / 1_000,
            false => 0,
        }
    }

    /// Three clients ask for 6,000 bytes, each again when it has them: 12 ms on the line. From the third response on, each
    /// waits behind those of both others.
    #[test]
    fn a_request_may_wait_behind_responses_to_others() {
        let mut shared = SharedLine::default();
        let mut one = |client, times| answered(&mut shared, client, times, 6_000, line);
        assert_eq!(one(1, [0, 5_000, 14_000]), 0, "one alone");
        assert_eq!(one(2, [1_000, 17_000, 26_000]), 0, "another one");
        assert_eq!(one(3, [2_000, 29_000, 38_000]), 12_000);
        assert_eq!(one(1, [15_000, 41_000, 50_000]), 24_000, "since 17 ms");
        assert_eq!(one(2, [27_000, 53_000, 62_000]), 26_000, "all of it");
        // Its own response before is its own way, which the slice behind it has anyway.
        assert_eq!(one(2, [28_000, 65_000, 74_000]), 0);
        assert_eq!(one(1, [51_000, 77_000, 86_000]), 26_000);
        // The line had nothing to carry for 5 ms: the server was busy.
        assert_eq!(one(3, [39_000, 94_000, 103_000]), 0);
        assert_eq!(one(1, [87_000, 106_000, 115_000]), 12_000);
    }

    /// A server that takes 3 ms for each request, one after the other, on a line of which nothing shows that it is slow; on one
    /// that takes 120 us for a frame; and clients with a line each, so that their responses come twice as fast as one
    /// would let them.
    #[test]
    fn a_busy_server_is_no_line() {
        let hedged = |takes: fn(u64) -> u64, step: i64, length: i64| -> u64 {
            let mut shared = SharedLine::default();
            let ends = (0..40_i64).map(|n| (n, 10_000 + n * step));
            let all = ends.map(|(n, end)| {
                let times = [end - 2 * step, end - length, end];
                answered(&mut shared, n as u32 % 3, times, 6_000, takes)
            });
            all.sum()
        };
        assert_eq!(hedged(|_| 0, 12_000, 9_000), 0);
        assert_eq!(hedged(|bytes| bytes * 80, 3_000, 360), 0);
        assert_eq!(hedged(line, 6_000, 9_000), 0);
        assert!(hedged(line, 12_000, 9_000) > 0);
    }
}
