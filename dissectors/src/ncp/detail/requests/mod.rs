//! The parameters of requests.

mod bindery;
mod files;
mod services;

use wirewait_wire::table::{self, CodedTable};

static TABLES: &[&[CodedTable]] = &[
    files::FILES,
    files::DIRECTORIES,
    files::NAME_SPACE,
    files::LONG_NAMES,
    files::ATTRIBUTES_AND_MIGRATION,
    bindery::BINDERY,
    bindery::QUEUES,
    bindery::CONSOLE,
    services::MESSAGES,
    services::SEMAPHORES,
    services::AFP,
    services::EXTENSIONS,
    services::SERVER,
];

/// The parameters of a request of `length` bytes.
pub(super) fn find(
    function: u8,
    subfunction: Option<u8>,
    length: u32,
) -> Option<&'static CodedTable> {
    match function {
        74 if length < 32 => Some(&files::OLD_COPY),
        74 => Some(&files::COPY),
        _ => table::find(TABLES, function, subfunction),
    }
}
