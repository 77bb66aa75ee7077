//! What carries one thing at a time: cables and routers.

use crate::scenario::net::{Cost, NetSegment};

/// Preamble and check sequence, which captures leave out, and the gap behind a frame.
const PREAMBLE: u64 = 8;
const CHECK: u64 = 4;
const GAP: u64 = 12;

/// A cable in use.
#[derive(Debug)]
pub(super) struct Cable {
    rate: u64,
    full_duplex: bool,
    /// When it is free again, for each who sends (one for all where they share it).
    free: Vec<(usize, i64)>,
}

impl Cable {
    pub(super) fn new(segment: &NetSegment) -> Self {
        Self {
            rate: segment.rate,
            full_duplex: segment.full_duplex,
            free: Vec::new(),
        }
    }

    /// Sends a frame as soon as the cable is free. Gives the moment its last bit passes,
    /// which is the stamp that a capture gives it.
    pub(super) fn send(&mut self, now: i64, sender: usize, bytes: usize) -> i64 {
        let key = if self.full_duplex { sender } else { 0 };
        let known = self.free.iter().position(|(known, _)| *known == key);
        let index = known.unwrap_or_else(|| {
            self.free.push((key, i64::MIN));
            self.free.len() - 1
        });
        let begin = now.max(self.free[index].1);
        let last_bit = begin.saturating_add(self.time(PREAMBLE + bytes as u64 + CHECK));
        self.free[index].1 = last_bit.saturating_add(self.time(GAP));
        last_bit
    }

    /// Nanoseconds that `bytes` bytes take.
    fn time(&self, bytes: u64) -> i64 {
        // The slowest rate is 1000 bit/s and a frame has 1530 bytes: far below 2^63.
        (bytes * 8 * 1_000_000_000 / self.rate) as i64
    }
}

/// A router at work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Forwarder {
    pub(super) cost: Cost,
    pub(super) delay: i64,
    free: i64,
}

impl Forwarder {
    pub(super) const fn new(cost: Cost, delay: i64) -> Self {
        Self {
            cost,
            delay,
            free: i64::MIN,
        }
    }

    /// Takes a packet that has arrived; gives the moment when it wants to go on.
    pub(super) fn take(&mut self, now: i64, bytes: usize) -> i64 {
        let begin = now.max(self.free);
        self.free = begin.saturating_add(self.cost.of(bytes as u64));
        self.free.saturating_add(self.delay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ethernet(full_duplex: bool) -> Cable {
        Cable::new(&NetSegment {
            name: String::new(),
            rate: 10_000_000,
            full_duplex,
            quiet: false,
            net: 0,
        })
    }

    #[test]
    fn a_frame_of_sixty_bytes_occupies_ten_megabit_for_67_us() {
        let mut cable = ethernet(false);
        // 8 + 60 + 4 bytes are 57.6 us; with the gap of 9.6 us the next can follow.
        assert_eq!(cable.send(0, 1, 60), 57_600);
        assert_eq!(cable.send(0, 2, 60), 67_200 + 57_600);
        assert_eq!(cable.send(1_000_000, 1, 60), 1_057_600);
    }

    #[test]
    fn with_full_duplex_each_has_a_cable_of_its_own() {
        let mut cable = ethernet(true);
        assert_eq!(cable.send(0, 1, 60), 57_600);
        assert_eq!(cable.send(0, 2, 60), 57_600);
        assert_eq!(cable.send(0, 2, 60), 124_800);
    }

    #[test]
    fn a_router_works_at_one_packet_at_a_time_and_delays_many() {
        let cost = Cost {
            fixed: 100,
            per_byte: 1000,
        };
        let mut router = Forwarder::new(cost, 1000);
        assert_eq!(router.take(0, 50), 1150);
        assert_eq!(router.take(0, 50), 1300);
    }
}
