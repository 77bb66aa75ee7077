//! Records that the pairing would never make, in any order.

#[path = "../../../fuzz/checks/input.rs"]
mod input;
#[path = "../../../fuzz/checks/records.rs"]
mod records;

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_records(data in prop::collection::vec(any::<u8>(), 0..4096)) {
        records::check(&data);
    }
}
