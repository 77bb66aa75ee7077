//! Key `segment`.

use crate::about::About;
use serde::Serialize;
use wirewait_analysis::{InterfaceRow, Snapshot};

#[derive(Serialize)]
pub(super) struct Segment<'a> {
    interface: u32,
    name: Option<&'a str>,
    link_type: Option<u16>,
    frames: u64,
    bytes: u64,
    multicast_frames: u64,
    broadcast_frames: u64,
    dropped: Option<u64>,
}

pub(super) fn segment<'a>(about: &'a About, snapshot: &Snapshot) -> Vec<Segment<'a>> {
    (0..)
        .zip(&snapshot.interfaces)
        .map(|(number, row)| interface(about, number, row))
        .collect()
}

fn interface<'a>(about: &'a About, number: u32, row: &InterfaceRow) -> Segment<'a> {
    let known = about.interfaces.get(number as usize);
    Segment {
        interface: number,
        name: known.and_then(|interface| interface.name.as_deref()),
        link_type: known.map(|interface| interface.link_type),
        frames: row.frames,
        bytes: row.bytes,
        multicast_frames: row.multicast,
        broadcast_frames: row.broadcast,
        dropped: known.and_then(|interface| interface.dropped),
    }
}
