//! The fields of NDS requests and replies inside function 104/2.

use super::super::nds;
use super::params::*;
use wirewait_wire::table::{describe, find};
use wirewait_wire::{Fields, field_tables};

/// Describes a request behind the subfunction: the head of the fragment; where the request
/// begins, the verb and the parameters that every request with it begins with.
pub(super) fn request(f: &mut Fields<'_>) -> Option<()> {
    let handle = f.le32("Fragment handle")?;
    f.hex();
    if handle != nds::FIRST {
        f.means("of a request that began before");
        return f.rest("Fragment").map(|_| ());
    }
    f.means("a request begins");
    describe(
        f,
        &[
            lo_long("Maximum fragment size"),
            lo_long("Message size"),
            lo_long("Fragment flags").hex(),
        ],
    )?;
    let verb = f.le32("Verb")?;
    f.means(nds::find(verb).map_or("not known", |operation| operation.name));
    f.le32("Reply buffer size")?;
    f.open("Request");
    let layout = u8::try_from(verb)
        .ok()
        .and_then(|verb| find(&[VERBS], verb, None));
    match layout {
        // A request that is shorter than its verb asks for is left whole.
        Some(layout) if f.left() >= layout.length() => describe(f, layout.params)?,
        _ => {}
    }
    f.rest("Parameters")?;
    f.close();
    Some(())
}

/// Describes a reply behind the connection status; `begins` if it answers the first fragment
/// of a request.
pub(super) fn reply(f: &mut Fields<'_>, begins: bool) -> Option<()> {
    let has_result = begins && nds::result(f.input().bytes).is_some();
    describe(
        f,
        &[lo_long("Fragment size"), lo_long("Fragment handle").hex()],
    )?;
    if has_result {
        let result = f.le32("Result")?;
        let status = nds::status(result);
        f.hex().means(format_args!(
            "{}, {}",
            result.cast_signed(),
            status.name.unwrap_or("not known")
        ));
    }
    f.rest("Fragment").map(|_| ())
}

const VERSION: Param = lo_long("Version");
const FLAGS: Param = lo_long("Request flags").hex();
const ITERATION: Param = lo_long("Iteration handle").hex();
const ENTRY: Param = lo_long("Entry ID").hex();

/// What stands at a fixed place in the parameters of a verb.
static VERBS: &[CodedTable] = field_tables! {
    1 => [VERSION, FLAGS];
    2 => [VERSION];
    3 => [VERSION, FLAGS, ITERATION, ENTRY, lo_long("Information type"), lo_long("All attributes"), lo_long("Attribute count")];
    4 | 19 | 57 | 59 => [VERSION, ENTRY];
    5 => [VERSION, FLAGS, ITERATION, lo_long("Parent entry ID").hex(), lo_long("Return information").hex()];
    6 => [
        VERSION, FLAGS, ITERATION, lo_long("Base entry ID").hex(), lo_long("Scope"),
        lo_long("Entries to search"), lo_long("Information types").hex(),
        lo_long("Return information").hex(),
    ];
    7 => [VERSION, FLAGS, ITERATION, lo_long("Parent entry ID").hex()];
    9 => [VERSION, FLAGS, ITERATION, ENTRY, lo_long("Change count")];
    27 => [VERSION, lo_long("Stream flags").hex(), ENTRY];
    50 => [VERSION, ITERATION];
};
