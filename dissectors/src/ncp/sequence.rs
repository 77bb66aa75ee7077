//! Sequence numbers of requests.

use super::BY_CONNECTION;
use wirewait_wire::Id;

/// A request that is as few behind another one was repeated, and came late.
const LATE: u8 = 16;

/// How many requests the sequence numbers leave out. A connection begins with 1, behind the 0 by which it was created, and
/// its number may be that of one before it.
pub(super) fn skipped(before: Id, next: Id) -> u32 {
    let [before, next] = [before, next].map(Id::parts);
    let connection = |(space, value): (u8, u128)| (space, value >> 8);
    if before.0 != BY_CONNECTION || connection(before) != connection(next) {
        return 0;
    }
    let [before, next] = [before, next].map(|(_, value)| value as u8);
    let further = next.wrapping_sub(before);
    if next <= 1 || further == 0 || further > u8::MAX - LATE {
        return 0;
    }
    u32::from(further - 1)
}

#[cfg(test)]
mod tests {
    use super::super::{BY_BURST, CREATION};
    use super::*;

    #[test]
    fn sequence_numbers_count_requests() {
        let id =
            |connection: u128, sequence: u128| Id::new(BY_CONNECTION, connection << 8 | sequence);
        let between = |before: u128, next: u128| skipped(id(3, before), id(3, next));
        assert_eq!(
            (between(17, 18), between(17, 19), between(17, 27)),
            (0, 1, 9)
        );
        assert_eq!(
            (between(255, 0), between(254, 2), between(250, 10)),
            (0, 3, 15)
        );
        assert_eq!(between(17, 17), 0, "asked again");
        assert_eq!((between(17, 16), between(3, 250)), (0, 0), "and late");
        assert_eq!(between(20, 3), 238, "far ahead");
        assert_eq!(
            (between(200, 0), between(200, 1)),
            (0, 0),
            "may be a new connection"
        );
        assert_eq!(skipped(id(3, 17), id(4, 19)), 0, "another connection");
        assert_eq!(skipped(Id::new(CREATION, 0x300), id(3, 9)), 0);
        let burst = |number: u128| Id::new(BY_BURST, 3 << 16 | number);
        assert_eq!(skipped(burst(17), burst(19)), 0, "numbered in another way");
    }
}
