//! Performance Monitor's objects, and which meters show their instances.

use crate::escape::Escaped;
use std::collections::{BTreeMap, BTreeSet};
use wirewait_analysis::{
    ErrorKey, PairMeter, Readings, RequestMeter, Role, SegmentMeter, ShareMeter, StationMeter,
    Task, TransportMeter,
};
use wirewait_wire::Endpoint;

/// One object.
#[derive(Debug)]
pub(crate) struct CounterObject {
    pub(crate) name: &'static str,
    /// Number in the registry of performance counters, where it has a fixed one.
    pub(crate) index: Option<u32>,
    /// Its counters in the table.
    pub(crate) table: &'static str,
    /// The names of the sums that its counters are formed of.
    pub(crate) fields: fn() -> Vec<&'static str>,
    /// Its instances.
    rows: ObjectRows,
}

/// Which meters are its instances.
#[derive(Debug)]
enum ObjectRows {
    /// Transports of this carrier.
    Transport(&'static str),
    /// Pairs of stations on this carrier.
    Pair(&'static str),
    /// Stations that ask or are asked.
    Requests(Role),
    /// Shares, of each client.
    ClientShares,
    /// Shares, of each server.
    ServerShares,
    Stations,
    Segments,
    /// None: everything about it is inside the machine, or not counted.
    Nowhere,
}

/// What names an instance: its station, its object's place in [`OBJECTS`], its own name. The
/// segment, which is nobody's, comes first.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Instance {
    pub(crate) station: Option<Endpoint>,
    pub(crate) object: usize,
    pub(crate) name: String,
}

/// In the order in which they are shown.
pub(crate) static OBJECTS: [CounterObject; 14] = [
    object(
        "Redirector",
        Some(262),
        "redirector",
        requests,
        ObjectRows::Requests(Role::Client),
    ),
    object(
        "Server",
        Some(330),
        "server",
        requests,
        ObjectRows::Requests(Role::Server),
    ),
    object(
        "Server Work Queues",
        None,
        "work_queues",
        requests,
        ObjectRows::Requests(Role::Server),
    ),
    object(
        "SMB Client Shares",
        None,
        "client_shares",
        shares,
        ObjectRows::ClientShares,
    ),
    object(
        "SMB Server Shares",
        None,
        "server_shares",
        shares,
        ObjectRows::ServerShares,
    ),
    object(
        "NetBEUI",
        Some(492),
        "transport",
        transports,
        ObjectRows::Transport("nbf"),
    ),
    object(
        "NetBEUI Resource",
        Some(494),
        "resource",
        nothing,
        ObjectRows::Nowhere,
    ),
    object(
        "NWLink IPX",
        Some(488),
        "transport",
        transports,
        ObjectRows::Transport("ipx"),
    ),
    object(
        "NWLink NetBIOS",
        Some(398),
        "transport",
        transports,
        ObjectRows::Transport("nbipx"),
    ),
    object(
        "NWLink SPX",
        Some(490),
        "transport",
        transports,
        ObjectRows::Transport("spx"),
    ),
    object(
        "NBT Connection",
        Some(502),
        "nbt",
        pairs,
        ObjectRows::Pair("nbt"),
    ),
    object(
        "Network Interface",
        Some(510),
        "interface",
        stations,
        ObjectRows::Stations,
    ),
    object(
        "Network Segment",
        Some(1110),
        "segment",
        segments,
        ObjectRows::Segments,
    ),
    object("Browser", Some(52), "browser", nothing, ObjectRows::Nowhere),
];

/// The protocols that the redirector and the server of Windows speak.
const PROTOCOLS: [&str; 2] = ["smb1", "smb2"];

/// Sums beside those of the transports' meters: errors by what the status is called.
const TRANSPORT_EXTRA: [&str; 2] = ["x_no_listener", "x_no_resources"];
/// Likewise of requests.
const REQUEST_EXTRA: [&str; 14] = [
    "x_connects_core",
    "x_connects_lm20",
    "x_connects_lm21",
    "x_connects_nt",
    "x_failures",
    "x_writes_denied",
    "x_denied_opens",
    "x_denied_others",
    "x_logon",
    "x_system",
    "x_no_resources",
    "x_clients",
    "x_shortages",
    "x_lost_connections",
];

const DENIED: [&str; 4] = [
    "STATUS_ACCESS_DENIED",
    "STATUS_NETWORK_ACCESS_DENIED",
    "ERRDOS/ERRnoaccess",
    "ERRSRV/ERRaccess",
];
const RESOURCES: [&str; 4] = [
    "STATUS_INSUFF_SERVER_RESOURCES",
    "STATUS_INSUFFICIENT_RESOURCES",
    "ERRSRV/ERRnoresource",
    "NO RESOURCES",
];
const SYSTEM: [&str; 3] = [
    "STATUS_UNSUCCESSFUL",
    "STATUS_INTERNAL_ERROR",
    "ERRSRV/ERRerror",
];
const STANDARD: [&str; 2] = ["ERRSRV/ERRusestd", "STATUS_SMB_USE_STANDARD"];

const fn object(
    name: &'static str,
    index: Option<u32>,
    table: &'static str,
    fields: fn() -> Vec<&'static str>,
    rows: ObjectRows,
) -> CounterObject {
    CounterObject {
        name,
        index,
        table,
        fields,
        rows,
    }
}

fn transports() -> Vec<&'static str> {
    [TransportMeter::FIELDS, &TRANSPORT_EXTRA].concat()
}

fn requests() -> Vec<&'static str> {
    [RequestMeter::FIELDS, &REQUEST_EXTRA].concat()
}

fn shares() -> Vec<&'static str> {
    ShareMeter::FIELDS.to_vec()
}

fn pairs() -> Vec<&'static str> {
    PairMeter::FIELDS.to_vec()
}

fn stations() -> Vec<&'static str> {
    StationMeter::FIELDS.to_vec()
}

fn segments() -> Vec<&'static str> {
    SegmentMeter::FIELDS.to_vec()
}

fn nothing() -> Vec<&'static str> {
    Vec::new()
}

/// All instances with their sums, as the meters stand.
pub(crate) fn instances(readings: &Readings) -> BTreeMap<Instance, Vec<u64>> {
    let mut all = BTreeMap::new();
    for (number, object) in OBJECTS.iter().enumerate() {
        object.rows.read(readings, &mut |station, name, values| {
            let instance = Instance {
                station,
                object: number,
                name,
            };
            all.insert(instance, values);
        });
    }
    all
}

impl Instance {
    /// Its object.
    pub(crate) fn object(&self) -> &'static CounterObject {
        &OBJECTS[self.object]
    }

    /// Its station, as outputs name it.
    pub(crate) fn station(&self) -> String {
        match self.station {
            Some(station) => station.to_string(),
            None => "segment".to_owned(),
        }
    }
}

impl CounterObject {
    /// Whether its instances are named by shares.
    pub(crate) fn has_shares(&self) -> bool {
        matches!(
            self.rows,
            ObjectRows::ClientShares | ObjectRows::ServerShares
        )
    }
}

impl ObjectRows {
    fn read(&self, readings: &Readings, row: &mut dyn FnMut(Option<Endpoint>, String, Vec<u64>)) {
        match self {
            Self::Nowhere => {}
            Self::Transport(carrier) => {
                let of = readings
                    .transports
                    .iter()
                    .filter(|(key, _)| key.1 == *carrier);
                for ((station, _), meter) in of {
                    let mut values = meter.values();
                    let called = |status: &'static str| {
                        errors(readings, |e| {
                            e.client == *station && e.task == Task::Call && e.status == status
                        })
                    };
                    values.extend([called("NO LISTEN"), called("NO RESOURCES")]);
                    row(Some(*station), String::new(), values);
                }
            }
            Self::Pair(carrier) => {
                let of = readings.pairs.iter().filter(|(key, _)| key.2 == *carrier);
                for ((station, peer, _), meter) in of {
                    row(Some(*station), peer.to_string(), meter.values());
                }
            }
            Self::Requests(role) => {
                for (station, values) in requests_of(readings, *role) {
                    row(Some(station), String::new(), values);
                }
            }
            Self::ClientShares | Self::ServerShares => {
                let mut sums = BTreeMap::<(Endpoint, String), ShareMeter>::new();
                for ((client, server, share), meter) in &readings.shares {
                    let share = Escaped(share).to_string();
                    let key = match self {
                        Self::ClientShares if share.starts_with('\\') => (*client, share),
                        Self::ClientShares => (*client, format!("{server} {share}")),
                        _ => (*server, share),
                    };
                    sums.entry(key).or_default().add(meter);
                }
                for ((station, share), meter) in sums {
                    row(Some(station), share, meter.values());
                }
            }
            Self::Stations => {
                for (station, meter) in &readings.stations {
                    row(Some(*station), String::new(), meter.values());
                }
            }
            Self::Segments => {
                for (number, meter) in &readings.segments {
                    row(None, format!("interface {number}"), meter.values());
                }
            }
        }
    }
}

/// What each station asked or was asked in the protocols of Windows, with what is counted by
/// the names of statuses and dialects.
fn requests_of(readings: &Readings, role: Role) -> BTreeMap<Endpoint, Vec<u64>> {
    let mut sums = BTreeMap::<Endpoint, RequestMeter>::new();
    for ((station, side, protocol), meter) in &readings.requests {
        if *side == role && PROTOCOLS.contains(protocol) {
            sums.entry(*station).or_default().add(meter);
        }
    }
    let of = |(station, meter): (Endpoint, RequestMeter)| {
        let mine = |e: &ErrorKey| {
            let end = match role {
                Role::Client => e.client,
                Role::Server => e.server,
            };
            end == station && PROTOCOLS.contains(&e.protocol)
        };
        let count = |which: &dyn Fn(&ErrorKey) -> bool| errors(readings, |e| mine(e) && which(e));
        let connects = |class: Dialect| -> u64 {
            let of = readings.dialects.iter();
            of.filter(|((client, name), _)| *client == station && dialect(name) == class)
                .map(|(_, n)| n)
                .sum()
        };
        let transports = |field: fn(&TransportMeter) -> u64| -> u64 {
            let of = readings.transports.iter();
            of.filter(|((end, _), _)| *end == station)
                .map(|(_, meter)| field(meter))
                .sum()
        };
        let clients = readings.clients.iter();
        let clients = clients.filter(|(server, _, protocol)| {
            role == Role::Server && *server == station && PROTOCOLS.contains(protocol)
        });
        let clients: BTreeSet<Endpoint> = clients.map(|(_, client, _)| *client).collect();
        let extra: [u64; REQUEST_EXTRA.len()] = [
            connects(Dialect::Core),
            connects(Dialect::LanMan20),
            connects(Dialect::LanMan21),
            connects(Dialect::Nt),
            count(&|e| e.failure),
            count(&|e| e.task == Task::Write && STANDARD.contains(&e.status)),
            count(&|e| e.task == Task::Open && DENIED.contains(&e.status)),
            count(&|e| !matches!(e.task, Task::Open | Task::LogOn) && DENIED.contains(&e.status)),
            count(&|e| e.task == Task::LogOn && e.failure),
            count(&|e| SYSTEM.contains(&e.status)),
            count(&|e| RESOURCES.contains(&e.status)),
            clients.len() as u64,
            transports(|meter| meter.rejected.max(meter.busy)),
            transports(|meter| meter.aborted),
        ];
        let mut values = meter.values();
        values.extend(extra);
        (station, values)
    };
    sums.into_iter().map(of).collect()
}

fn errors(readings: &Readings, which: impl Fn(&ErrorKey) -> bool) -> u64 {
    let of = readings.errors.iter().filter(|(key, _)| which(key));
    of.map(|(_, n)| n).sum()
}

/// The classes of servers that the redirector told apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Core,
    LanMan20,
    LanMan21,
    Nt,
}

/// By the dialect's name on the wire; what came after NT counts as NT.
fn dialect(name: &str) -> Dialect {
    match name {
        "PC NETWORK PROGRAM 1.0"
        | "PCLAN1.0"
        | "MICROSOFT NETWORKS 1.03"
        | "XENIX CORE"
        | "MICROSOFT NETWORKS 3.0" => Dialect::Core,
        "LANMAN1.0" | "LM1.2X002" | "DOS LM1.2X002" | "LANMAN1.2" => Dialect::LanMan20,
        "LANMAN2.1" | "DOS LANMAN2.1" => Dialect::LanMan21,
        _ => Dialect::Nt,
    }
}
