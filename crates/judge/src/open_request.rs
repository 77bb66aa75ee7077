//! The request that most of the unknown time is of.

use std::sync::Arc;
use wirewait_analysis::Snapshot;
use wirewait_wire::Endpoint;

/// A request that had no response when the capture ended, and that at least half of the unknown time is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenRequest {
    /// Its protocol.
    pub protocol: &'static str,
    /// The specification's name of the operation.
    pub command: &'static str,
    /// The protocol's number for it.
    pub code: u32,
    /// Who waits.
    pub client: Endpoint,
    /// For whom.
    pub server: Endpoint,
    /// The file, if known.
    pub path: Option<Arc<str>>,
    /// Its first frame.
    pub frame: u64,
    /// From then to the last frame of the capture, ns.
    pub open_ns: u64,
    /// The server's transport had acknowledged all of it in a frame of its own.
    pub arrived: bool,
}

impl OpenRequest {
    pub(crate) fn behind(snapshot: &Snapshot, unknown_ns: u64) -> Option<Self> {
        let open = snapshot.unfinished.as_ref()?;
        let open_ns = u64::try_from(open.open_ns).unwrap_or(0);
        let most = unknown_ns > 0 && open_ns.saturating_mul(2) >= unknown_ns;
        let t = Some(&open.request).filter(|_| most)?;
        let path = t.place.as_ref().and_then(|place| place.path.clone());
        Some(Self {
            protocol: t.protocol,
            command: t.operation.name,
            code: t.code,
            client: t.client,
            server: t.server,
            path,
            frame: t.request?.first.frame,
            open_ns,
            arrived: open.arrived,
        })
    }
}
