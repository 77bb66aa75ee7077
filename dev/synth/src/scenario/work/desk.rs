//! A server: one queue and a number of workers.

use super::Verb;
use crate::prng::Random;
use crate::scenario::net::Service;
use std::collections::VecDeque;

#[derive(Debug)]
pub(super) struct Desk {
    pub(super) server: usize,
    pub(super) service: Service,
    /// Requests being served.
    pub(super) busy: usize,
    /// Stations that wait, each with the number of its request.
    pub(super) queue: VecDeque<(usize, u64)>,
}

impl Desk {
    pub(super) fn new(service: Service) -> Self {
        Self {
            server: service.server,
            service,
            busy: 0,
            queue: VecDeque::new(),
        }
    }

    /// The next who is served, if anyone waits and anyone is free.
    pub(super) fn take(&mut self) -> Option<(usize, u64)> {
        if self.busy >= self.service.workers {
            return None;
        }
        let next = self.queue.pop_front()?;
        self.busy += 1;
        Some(next)
    }

    /// How long a service that begins now takes.
    pub(super) fn time(&self, verb: Verb, bytes: u64, random: &mut Random) -> i64 {
        let service = &self.service;
        let cost = match verb {
            Verb::Read => service.read,
            Verb::Write => service.write,
            Verb::Open | Verb::Look => service.other,
        };
        let waiting = i64::try_from(self.queue.len()).unwrap_or(i64::MAX);
        let slow = service
            .slow
            .filter(|(from, to, _)| verb == Verb::Read && (*from..=*to).contains(&bytes))
            .map_or(0, |(_, _, nanos)| nanos);
        let jitter = match service.jitter {
            0 => 0,
            most => random.below(most + 1) as i64,
        };
        cost.of(bytes)
            .saturating_add(service.crowd.saturating_mul(waiting))
            .saturating_add(slow)
            .saturating_add(jitter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::net::{Cost, Miss};

    #[test]
    fn the_queue_and_the_size_make_it_longer() {
        let cost = Cost {
            fixed: 1_000_000,
            per_byte: 1_000_000,
        };
        let mut desk = Desk::new(Service {
            server: 0,
            read: cost,
            write: cost,
            other: Cost::default(),
            workers: 1,
            jitter: 0,
            crowd: 10_000,
            miss: Miss::default(),
            slow: Some((1450, 1550, 90_000_000)),
        });
        let mut random = Random::new(1);
        // 1 ms and 1000 times 1 us.
        assert_eq!(desk.time(Verb::Read, 1000, &mut random), 2_000_000);
        desk.queue.extend([(0, 1), (1, 1), (2, 1)]);
        assert_eq!(desk.take(), Some((0, 1)));
        assert_eq!(desk.take(), None, "one serves");
        assert_eq!(desk.time(Verb::Read, 1000, &mut random), 2_020_000);
        assert_eq!(desk.time(Verb::Read, 1500, &mut random), 92_520_000);
        assert_eq!(desk.time(Verb::Write, 1500, &mut random), 2_520_000);
        assert_eq!(desk.time(Verb::Look, 0, &mut random), 20_000);
    }
}
