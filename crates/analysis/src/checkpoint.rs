//! The whole state of an analysis in bytes, so that a capture can be worked through in parts.
//!
//! Nothing is closed at the seam: a request that is open in one part is answered in the next,
//! and the figures are those of the whole to the last digit. What is written is
//! a header of fixed form, then all of it in the order of the fields:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | [`MAGIC`] |
//! | 4 | [`SCHEMA`], the lowest byte first |
//! | 8 | how many bytes follow the checksum |
//! | 4 | their CRC-32 |
//!
//! Only who wrote it can read it back: the same sources, the same dissectors, the same
//! settings. Anything else is refused and says why.

use crate::analyzer::State;
use crate::names::Known;
use crate::state::Sharing;
use crate::{Analyzer, Settings, Threshold, Thresholds};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::fmt;
use wirewait_wire::{Claim, Registry, word};

/// What a checkpoint begins with. The last byte ends a text on old systems.
const MAGIC: [u8; 8] = *b"WWSTATE\x1a";
/// The form of everything behind the magic.
const SCHEMA: u32 = 1;
const HEADER: usize = 24;

/// The program that wrote it.
const PROGRAM: &str = env!("CARGO_PKG_VERSION");
/// The sources it was made of.
const SOURCES: &str = env!("WIREWAIT_STATE");

/// Why a checkpoint was not read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It is something else.
    Foreign,
    /// It is of a form that is not known here.
    Schema(u32),
    /// It does not end where it says.
    Cut,
    /// It is not as it was written.
    Damaged,
    /// Another version of the program wrote it, this one.
    Program(String),
    /// It was written with other dissectors.
    Protocols,
    /// It was written with other settings: how they stood, and how they stand now.
    Settings {
        /// With its value then.
        then: String,
        /// With its value now.
        now: String,
    },
    /// What it holds does not fit together.
    Unreadable(String),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign => f.write_str("this is no checkpoint"),
            Self::Schema(schema) => write!(
                f,
                "the checkpoint is of form {schema}, and this program knows form {SCHEMA}"
            ),
            Self::Cut => f.write_str("the checkpoint is cut off or has something behind it"),
            Self::Damaged => f.write_str("the checkpoint is damaged: its checksum is another one"),
            Self::Program(by) => write!(
                f,
                "the checkpoint was made by wirewait {by}, and this is {}",
                program()
            ),
            Self::Protocols => {
                f.write_str("the checkpoint was made with other protocols than are known here")
            }
            Self::Settings { then, now } => write!(
                f,
                "the checkpoint was made with other settings: {then} then, {now} now"
            ),
            Self::Unreadable(why) => {
                write!(f, "what the checkpoint holds does not fit together: {why}")
            }
        }
    }
}

impl std::error::Error for Refused {}

/// What says whether the state can be read back.
#[derive(Serialize, Deserialize)]
struct Head {
    program: String,
    protocols: u32,
    settings: Settings,
    thresholds: Thresholds,
}

impl Analyzer {
    /// Bytes in front of what a checkpoint holds.
    pub const CHECKPOINT_HEAD: usize = HEADER;

    /// Whether a file that begins with these bytes may be a checkpoint: whoever was given
    /// another one by mistake need not read all of it. The first [`Analyzer::CHECKPOINT_HEAD`]
    /// bytes hold length and checksum, by which one is told from another.
    #[must_use]
    pub fn begins_checkpoint(head: &[u8]) -> bool {
        head.starts_with(&MAGIC)
    }

    /// Everything that is known so far, to [go on](Analyzer::resume) from another time. Nothing
    /// is closed. `beside` is what whoever keeps it wants to find again with it. If an
    /// [intake](Analyzer::intake) looked at frames, it has to be
    /// [taken back](Analyzer::take_back) before.
    #[must_use]
    pub fn checkpoint(&self, beside: &[u8]) -> Vec<u8> {
        let head = Head {
            program: program(),
            protocols: protocols(&self.common.registry),
            settings: self.common.settings,
            thresholds: *self.state.books.watch.thresholds(),
        };
        let mut bytes = vec![0; HEADER];
        let sharing = Sharing::begin();
        let names = self.common.names.borrow();
        let all = (head, beside, &*names, &self.state);
        // A vector takes everything, and so does the format: nothing in there is of a length
        // that is not known.
        bytes = postcard::to_extend(&all, bytes).unwrap_or_default();
        drop(sharing);
        seal(&mut bytes);
        bytes
    }

    /// Goes on where [`Analyzer::checkpoint`] was asked for, with what was kept beside it.
    ///
    /// A checksum finds damage, not malice. Of a state that was forged with a checksum that is
    /// right, those numbers are judged by which places are found, by which is divided, and up to
    /// which tables grow; there is no more memory to it than the settings and its own length
    /// allow. Not judged is whether what it counts can be: its figures may be anything, and sums
    /// of forged counts may overflow, which ends a program that was built with overflow checks.
    ///
    /// # Errors
    /// Why that cannot be.
    pub fn resume(
        registry: Registry,
        settings: Settings,
        thresholds: Thresholds,
        bytes: &[u8],
    ) -> Result<(Self, Vec<u8>), Refused> {
        let rest = open(bytes)?;
        let (head, rest) = postcard::take_from_bytes::<Head>(rest).map_err(unreadable)?;
        if head.program != program() {
            return Err(Refused::Program(head.program));
        }
        if head.protocols != protocols(&registry) {
            return Err(Refused::Protocols);
        }
        same_settings(&head.settings, &settings)?;
        same_thresholds(&head.thresholds, &thresholds)?;
        // The names that the dissectors have are those that are read back.
        for dissector in registry.dissectors() {
            word::know(dissector.name);
            dissector.carrier.into_iter().for_each(word::know);
        }
        type Rest = (Vec<u8>, Known, State);
        let sharing = Sharing::reading(most_places(&settings));
        let (rest, more) = postcard::take_from_bytes::<Rest>(rest).map_err(unreadable)?;
        drop(sharing);
        let (beside, names, state) = rest;
        if !more.is_empty() {
            return Err(Refused::Unreadable("it is longer than its state".into()));
        }
        let mut analyzer = Self::new(registry, settings);
        analyzer.common.names = RefCell::new(names);
        analyzer.state = state;
        Ok((analyzer, beside))
    }
}

/// Writes the header over the room that was left for it.
fn seal(bytes: &mut [u8]) {
    let Some((header, rest)) = bytes.split_at_mut_checked(HEADER) else {
        return;
    };
    let parts = MAGIC
        .into_iter()
        .chain(SCHEMA.to_le_bytes())
        .chain((rest.len() as u64).to_le_bytes())
        .chain(crc32fast::hash(rest).to_le_bytes());
    for (place, byte) in header.iter_mut().zip(parts) {
        *place = byte;
    }
}

/// What is behind the header, if it is as it was written.
fn open(bytes: &[u8]) -> Result<&[u8], Refused> {
    let rest = bytes.strip_prefix(&MAGIC).ok_or(Refused::Foreign)?;
    let (schema, rest) = rest.split_first_chunk::<4>().ok_or(Refused::Cut)?;
    let schema = u32::from_le_bytes(*schema);
    if schema != SCHEMA {
        return Err(Refused::Schema(schema));
    }
    let (length, rest) = rest.split_first_chunk::<8>().ok_or(Refused::Cut)?;
    let (checksum, rest) = rest.split_first_chunk::<4>().ok_or(Refused::Cut)?;
    if u64::from_le_bytes(*length) != rest.len() as u64 {
        return Err(Refused::Cut);
    }
    if u32::from_le_bytes(*checksum) != crc32fast::hash(rest) {
        return Err(Refused::Damaged);
    }
    Ok(rest)
}

/// No table has more, whether its capacity is a setting or not.
fn most_places(settings: &Settings) -> usize {
    const OWN: usize = 4096;
    let Settings {
        conversations,
        rows,
        names,
        ..
    } = *settings;
    // Of ways there are two to a row; of rows that were dropped eight are remembered.
    let rows = rows.saturating_mul(4);
    let most = conversations.max(rows).max(names).saturating_mul(2);
    most.max(OWN)
}

fn program() -> String {
    format!("{PROGRAM} ({SOURCES})")
}

/// Tells dissectors apart as far as the state refers to them: by their numbers and by what
/// leads to them.
fn protocols(registry: &Registry) -> u32 {
    let mut digest = crc32fast::Hasher::new();
    let mut add = |bytes: &[u8]| {
        digest.update(&(bytes.len() as u64).to_le_bytes());
        digest.update(bytes);
    };
    for dissector in registry.dissectors() {
        add(dissector.name.as_bytes());
        add(dissector.carrier.unwrap_or_default().as_bytes());
        for claim in dissector.claims {
            match claim {
                Claim::Exact(key) => {
                    add(key.table().name().as_bytes());
                    add(&key.value().to_le_bytes());
                }
                Claim::Signature(table, bytes) => {
                    add(table.name().as_bytes());
                    add(bytes);
                }
                Claim::Probe(table, _) => add(table.name().as_bytes()),
            }
        }
    }
    digest.finalize()
}

/// Both as they are written for programmers: the one place where all of them have their names.
fn same_settings(then: &Settings, now: &Settings) -> Result<(), Refused> {
    let fields = |settings: &Settings| {
        let text = format!("{settings:?}");
        let inside = text
            .trim_start_matches("Settings { ")
            .trim_end_matches(" }");
        inside.split(", ").map(str::to_owned).collect::<Vec<_>>()
    };
    let other = |(then, now): &(String, String)| then != now;
    match fields(then).into_iter().zip(fields(now)).find(other) {
        Some((then, now)) => Err(Refused::Settings { then, now }),
        None => Ok(()),
    }
}

fn same_thresholds(then: &Thresholds, now: &Thresholds) -> Result<(), Refused> {
    for threshold in Threshold::ALL {
        let of = |thresholds: &Thresholds| {
            format!("{} = {}", threshold.name(), thresholds.get(*threshold))
        };
        if of(then) != of(now) {
            return Err(Refused::Settings {
                then: of(then),
                now: of(now),
            });
        }
    }
    Ok(())
}

fn unreadable(error: postcard::Error) -> Refused {
    Refused::Unreadable(error.to_string())
}
