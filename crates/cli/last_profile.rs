//! A user's own table of where the fields of DEC LAST stand.

use crate::args::ProfileArgs;
use crate::failure::Failure;
use std::io::Read;
use wirewait::{Layout, Registry, last, registry};
use wirewait_capture::{cannot_open, held};
use wirewait_report::Escaped;

/// More than a table can have; the reader of tables says so.
const MOST: u64 = 1 << 20;

/// Reads the table, if one is given.
pub(crate) fn read(args: &ProfileArgs) -> Result<Option<Layout>, Failure> {
    let Some(path) = &args.last_profile else {
        return Ok(None);
    };
    let name = path.display().to_string();
    let cannot = |error: std::io::Error| {
        Failure::Cannot(format!("{}: {}", Escaped(&name), cannot_open(&error)))
    };
    let file = held::open(path).map_err(cannot)?;
    let mut bytes = Vec::new();
    file.take(MOST).read_to_end(&mut bytes).map_err(cannot)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::Cannot(format!("{}: byte {at} is no UTF-8", Escaped(&name)))
    })?;
    last::profile(&name, &text)
        .map(Some)
        .map_err(|error| Failure::Cannot(Escaped(&error.to_string()).to_string()))
}

/// All protocols, with LAST by this table if one is given.
pub(crate) fn protocols(layout: Option<&Layout>) -> Registry {
    let mut registry = registry();
    if let Some(layout) = layout {
        registry.set_layout("last", layout.clone());
    }
    registry
}
