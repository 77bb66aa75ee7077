//! Whether two captures are of the same traffic, made at two places: the same requests of the same
//! stations at the same moments. What differs then is where the capture was made.

use super::group::measures_service;
use wirewait_analysis::Transaction;
use wirewait_wire::{Endpoint, Timestamp};

/// Requests of a capture, its first, that are looked for in another.
const LOOKED_FOR: usize = 4096;
/// In thousandths: of the requests that must be there in both, and at the same moment.
const IN_BOTH: u64 = 900;
const AT_THE_SAME_TIME: u64 = 800;
/// Thousandths by which the time from the first request to the last answer may differ.
const LONGER: i64 = 20;
/// Moments differ by so much, ns, without a distance.
const JITTER_NS: i64 = 1_000_000;

/// The first requests of a capture.
#[derive(Debug, Default)]
pub(super) struct FirstRequests {
    requests: Vec<SeenRequest>,
}

/// By what it is known again, then its moments; requests that are alike follow each other in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SeenRequest {
    of: (Endpoint, Endpoint, u32, [u64; 3]),
    begin: Timestamp,
    end: Timestamp,
}

impl FirstRequests {
    pub(super) fn transaction(&mut self, t: &Transaction) {
        if self.requests.len() >= LOOKED_FOR || !measures_service(t.kind) {
            return;
        }
        let (Some(request), Some(took)) = (t.request, t.took()) else {
            return;
        };
        let begin = request.first.at;
        self.requests.push(SeenRequest {
            of: (
                t.client,
                t.server,
                t.code,
                [t.request_bytes, t.response_bytes, t.data_bytes],
            ),
            begin,
            end: begin.plus(took.response_ns),
        });
    }

    /// Whether the other is of the same traffic.
    pub(super) fn is_that_of(&self, other: &Self) -> bool {
        let (Some(a), Some(b)) = (self.span(), other.span()) else {
            return false;
        };
        let longest = a.max(b);
        if a.abs_diff(b) > longest.unsigned_abs() / 1000 * LONGER.unsigned_abs() {
            return false;
        }
        let pairs = self.pairs(other);
        let all = self.requests.len().max(other.requests.len());
        if (pairs.len() as u64) * 1000 < all as u64 * IN_BOTH {
            return false;
        }
        let mut begins: Vec<i64> = pairs.iter().map(|(a, b)| b.begin.since(a.begin)).collect();
        begins.sort_unstable();
        let Some(clocks) = begins.get(begins.len() / 2).copied() else {
            return false;
        };
        // Stamps that agree to the nanosecond, with other times for the same requests, are made.
        let made = begins.iter().all(|ns| *ns == 0);
        let same = |(a, b): &(SeenRequest, SeenRequest)| a.end == b.end;
        if made && !pairs.iter().all(same) || clocks.unsigned_abs() > longest.unsigned_abs() / 2 {
            return false;
        }
        let far = |(a, b): &(SeenRequest, SeenRequest)| {
            i128::from(b.end.since(b.begin)) - i128::from(a.end.since(a.begin))
        };
        let far = pairs.iter().map(far).sum::<i128>().abs() / pairs.len().max(1) as i128;
        let within = i64::try_from(far).unwrap_or(i64::MAX).max(JITTER_NS);
        let near = begins.iter().filter(|ns| (*ns - clocks).abs() <= within);
        near.count() as u64 * 1000 >= begins.len() as u64 * AT_THE_SAME_TIME
    }

    fn span(&self) -> Option<i64> {
        let first = self.requests.iter().map(|one| one.begin).min()?;
        let last = self.requests.iter().map(|one| one.end).max()?;
        Some(last.since(first))
    }

    /// The first of each kind with the first of the same kind, and so on.
    fn pairs(&self, other: &Self) -> Vec<(SeenRequest, SeenRequest)> {
        let [a, b] = [self, other].map(|seen| {
            let mut sorted = seen.requests.clone();
            sorted.sort_unstable();
            sorted
        });
        let (mut a, mut b) = (a.into_iter().peekable(), b.into_iter().peekable());
        let mut pairs = Vec::new();
        while let (Some(one), Some(two)) = (a.peek().copied(), b.peek().copied()) {
            match one.of.cmp(&two.of) {
                std::cmp::Ordering::Less => drop(a.next()),
                std::cmp::Ordering::Greater => drop(b.next()),
                std::cmp::Ordering::Equal => {
                    pairs.push((one, two));
                    a.next();
                    b.next();
                }
            }
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Requests that begin at these moments, µs, and take so long.
    fn seen(requests: impl Iterator<Item = (i64, i64)>) -> FirstRequests {
        let us = |n: i64| Timestamp::from_nanos(n * 1000);
        let one = |(begin, took): (i64, i64)| SeenRequest {
            of: (Endpoint::default(), Endpoint::default(), 1, [0; 3]),
            begin: us(begin),
            end: us(begin + took),
        };
        FirstRequests {
            requests: requests.map(one).collect(),
        }
    }

    fn every(ms: i64, shift: i64, took: i64) -> FirstRequests {
        seen((0..100).map(move |n| (n * ms * 1000 + shift + n % 7, took)))
    }

    #[test]
    fn the_same_requests_at_the_same_moments_are_the_same_traffic() {
        let client = every(8, 0, 5_300);
        assert!(client.is_that_of(&every(8, 100, 200)));
        // By another clock.
        assert!(client.is_that_of(&every(8, 300_000, 200)));
        assert!(client.is_that_of(&client));
    }

    #[test]
    fn another_run_is_not() {
        let base = every(8, 0, 5_300);
        // The same work in more time; on another day; half of it; by stamps that nothing measured.
        assert!(!base.is_that_of(&every(9, 0, 5_300)));
        assert!(!base.is_that_of(&every(8, 86_400_000_000, 200)));
        assert!(!base.is_that_of(&seen((0..50).map(|n| (n * 8000, 200)))));
        assert!(!base.is_that_of(&every(8, 0, 200)));
        // As long in all, and at other moments.
        let other = seen((0..100).map(|n| (n * n * 80, 200)));
        assert!(!base.is_that_of(&other));
        assert!(!base.is_that_of(&FirstRequests::default()));
    }
}
