//! The interfaces, where there are several.

use super::{Look, shown};
use crate::about::About;
use crate::escape::Escaped;
use crate::figures::Grouped;
use crate::table::{Column, NOTHING, Table};
use std::io::{self, Write};
use wirewait_analysis::Snapshot;

const INTERFACES: &[Column] = &[
    Column::left("interface"),
    Column::left("name"),
    Column::right("frames"),
    Column::right("bytes"),
    Column::right("multicast"),
    Column::right("broadcast"),
    Column::right("dropped"),
];

/// All interfaces.
pub(crate) fn table(about: &About, snapshot: &Snapshot) -> Table {
    let mut table = Table::new(INTERFACES);
    for (n, row) in snapshot.interfaces.iter().enumerate() {
        let known = about.interfaces.get(n);
        let name = known.and_then(|i| i.name.as_deref()).unwrap_or(NOTHING);
        table.row(vec![
            n.to_string(),
            Escaped(name).to_string(),
            Grouped(row.frames).to_string(),
            Grouped(row.bytes).to_string(),
            Grouped(row.multicast).to_string(),
            Grouped(row.broadcast).to_string(),
            shown(known.and_then(|i| i.dropped).map(Grouped)),
        ]);
    }
    table
}

pub(super) fn interfaces(
    out: &mut impl Write,
    about: &About,
    snapshot: &Snapshot,
    look: Look,
) -> io::Result<()> {
    writeln!(out)?;
    look.heading(out, "Interfaces")?;
    table(about, snapshot).write(out, look)
}
