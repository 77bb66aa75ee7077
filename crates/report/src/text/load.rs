//! The load: by active stations, by size of request, over time, by routers.

pub(crate) mod levels;
pub(crate) mod over_time;
pub(crate) mod routers;
pub(crate) mod sizes;

use super::Look;
use std::io::{self, Write};
use wirewait_analysis::Snapshot;

/// Writes what there is of it.
pub(super) fn load(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    levels::levels(out, snapshot, look)?;
    sizes::sizes(out, snapshot, look)?;
    over_time::dips(out, snapshot, look)?;
    routers::hops(out, snapshot, look)?;
    routers::transits(out, snapshot, look)?;
    routers::routes(out, snapshot, look)?;
    routers::services(out, snapshot, look)
}
