//! The vocabulary of wirewait.
//!
//! A [`Frame`] comes from a [`Source`]. The [`Registry`] walks its layers: each
//! [`Dissector`] reads one header, says which [`Key`]s its payload goes by, and
//! writes down what the layer *means* in neutral [`Facts`]: who talks to whom, how
//! the data is ordered, what is acknowledged. A protocol of requests and responses
//! says what a message means in an [`Exchange`]. Nothing above this crate needs to
//! know a protocol by name, and nothing in it does I/O or asks for the time.

#![forbid(unsafe_code)]

mod announcement;
mod calendar;
mod chain;
mod claim;
mod dissector;
mod endpoint;
mod exchange;
mod facts;
mod field;
mod frame;
mod layout;
mod medium;
mod naming;
mod registry;
mod source;
mod stop;
pub mod table;
mod template;
mod time;
mod walk;
pub mod word;

pub use announcement::{Announcement, Announces};
pub use calendar::{DosDate, DosTime, FileTime, LocalSeconds, civil};
pub use chain::Chain;
pub use claim::{Claim, Key, Next, Table};
pub use dissector::{
    Dissector, Evidence, Fault, Framing, Input, Layer, Resync, Routed, Stop, StopReason, Verified,
};
pub use endpoint::{Address, Endpoint, Identity};
pub use exchange::{
    Answered, Asked, Effects, Exchange, Expect, File, Id, Kind, Operation, Part, Parts, Role, Side,
    Status,
};
pub use facts::{
    Carries, Cast, Connection, Facts, Numbered, NumberedKind, Order, Placed, PlacedKind, Presence,
    Probe, Scaling, Segment, SegmentStamps, Session, Step, Stream, Turn,
};
pub use field::{Field, Fields, Value};
pub use frame::{Frame, LINK, LinkType, OwnedFrame};
pub use layout::{Confidence, Layout, LayoutError, LayoutRow, Listed, Values};
pub use medium::Medium;
pub use naming::{Names, Naming, Text};
pub use registry::{Conflict, DissectorId, Registry};
pub use source::{Source, SourceError, SourceErrorKind};
pub use table::Form;
pub use template::{Deciding, KnownWalks, Repeat, Steady, TemplateId, Templates};
pub use time::Timestamp;
pub use walk::{Depth, MAX_LAYERS, Span, Walk};
