//! The sums of one capture as a file: what they were made of, and how.
//!
//! Two JSON documents: one in the first line, which says where the sums come from
//! (`schemas/part.schema.json`), and behind it a summary as `report --summary` writes it.

use serde::{Deserialize, Serialize};
use std::hash::Hasher;
use std::io::{self, Read};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};
use twox_hash::XxHash64;
use wirewait::Summary;
use wirewait_capture::held;
use wirewait_report::summary;

/// Changes when the first line does.
const SCHEMA: &str = "wirewait-part/1";

/// How every file with a part begins.
const BEGINNING: &[u8] = b"{\"schema\":\"wirewait-part/";

/// Limit of the length of a summary, bytes. Its tables are bounded, so none of ours is longer.
const LONGEST: u64 = 1 << 30;

/// Sums of a capture, and what was said while it was analysed.
#[derive(Debug)]
pub(crate) struct CaptureSums {
    pub(crate) head: PartHead,
    pub(crate) sums: Summary,
}

/// What says whether the rest of the first line can be understood.
#[derive(Deserialize)]
struct PartForm {
    schema: String,
}

/// Where the sums in a file come from: its first line.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct PartHead {
    /// wirewait-part/1
    schema: String,
    /// XXH64 of all else, hexadecimal: against damage, not against forgery.
    digest: String,
    pub(crate) origin: PartOrigin,
    /// Paths as they were typed, which warnings repeat.
    pub(crate) named: Vec<PathText>,
    pub(crate) warnings: Vec<String>,
}

/// Where sums come from. Any difference makes other sums, or could.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct PartOrigin {
    /// The file without links; for a ring, what the names of its files have in common.
    pub(crate) capture: PathText,
    pub(crate) terms: Terms,
    pub(crate) program: ProgramStamp,
    pub(crate) files: Vec<FileStamp>,
}

/// What the user chose that figures depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct Terms {
    /// As Rust shows them: a setting that is added later cannot be forgotten here.
    pub(crate) settings: String,
    pub(crate) since: Option<String>,
    pub(crate) until: Option<String>,
    pub(crate) filter: Option<String>,
    /// Digest of what the filter was compiled to: names of hosts may stand for others later.
    pub(crate) filter_digest: Option<String>,
    /// Seconds east of UTC.
    pub(crate) zone: Option<i32>,
    /// Digest of the table by which LAST is read, if that is not the built-in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_digest: Option<String>,
}

/// Which program made the sums.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgramStamp {
    version: String,
    /// Schema of the summary behind this line.
    summary: String,
    /// Of the file of the program: two of one version may be built from different sources.
    bytes: Option<u64>,
    modified_ns: Option<i128>,
}

/// A file as it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct FileStamp {
    /// Without links.
    path: PathText,
    bytes: u64,
    /// Since 1970.
    modified_ns: i128,
}

/// A path, exactly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub(crate) enum PathText {
    Text(String),
    /// One that is not UTF-8.
    Bytes(Vec<u8>),
}

impl CaptureSums {
    /// Reads a file with a part.
    ///
    /// # Errors
    /// Why it is none, or not a whole one.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, String> {
        let (head, sums) = split(bytes)?;
        let sums = summary::read(sums).map_err(|error| error.to_string())?;
        Ok(Self { head, sums })
    }

    /// The file with these sums.
    pub(crate) fn write(
        origin: PartOrigin,
        named: Vec<PathText>,
        warnings: &[String],
        sums: &Summary,
    ) -> std::io::Result<Vec<u8>> {
        let mut document = Vec::new();
        summary::json(&mut document, sums)?;
        let mut head = PartHead {
            schema: SCHEMA.to_owned(),
            digest: String::new(),
            origin,
            named,
            warnings: warnings.to_vec(),
        };
        head.digest = head.digest_with(&document)?;
        let mut bytes = serde_json::to_vec(&head)?;
        bytes.push(b'\n');
        bytes.append(&mut document);
        Ok(bytes)
    }
}

/// The summary in a file: behind the first line of a part, or the whole of it.
///
/// # Errors
/// Why a part is not whole.
pub(crate) fn document(bytes: &[u8]) -> Result<&[u8], String> {
    match bytes.starts_with(BEGINNING) {
        true => split(bytes).map(|(_, sums)| sums),
        false => Ok(bytes),
    }
}

fn split(bytes: &[u8]) -> Result<(PartHead, &[u8]), String> {
    let end = bytes.iter().position(|byte| *byte == b'\n');
    let (head, sums) = bytes.split_at(end.map_or(bytes.len(), |end| end + 1));
    if !head.starts_with(BEGINNING) {
        return Err("is no summary that --summaries keeps".to_owned());
    }
    let damaged = |error: serde_json::Error| format!("is damaged: {error}");
    let form: PartForm = serde_json::from_slice(head).map_err(damaged)?;
    if form.schema != SCHEMA {
        return Err(format!(
            "its schema is {:?}, and this program knows {SCHEMA:?}",
            form.schema
        ));
    }
    let head: PartHead = serde_json::from_slice(head).map_err(damaged)?;
    if head.digest_with(sums).ok().as_ref() != Some(&head.digest) {
        return Err("is damaged: its digest is not that of its content".to_owned());
    }
    Ok((head, sums))
}

impl PartHead {
    /// Of everything but the digest itself.
    fn digest_with(&self, sums: &[u8]) -> serde_json::Result<String> {
        let mut content = XxHash64::with_seed(0);
        let about = (&self.schema, &self.origin, &self.named, &self.warnings);
        content.write(&serde_json::to_vec(&about)?);
        content.write(sums);
        Ok(format!("{:016x}", content.finish()))
    }
}

impl PartOrigin {
    /// Whether sums of `other` are of this capture with these settings, even if of another time.
    pub(crate) fn is_of(&self, other: &Self) -> bool {
        self.capture == other.capture && self.terms == other.terms
    }

    /// The name of the file with its sums: the same while the capture grows or the program is
    /// replaced, so that sums that do not hold any longer make room for those that do.
    pub(crate) fn name(&self) -> String {
        /// Characters of the capture's name that are kept, for people.
        const SHOWN: usize = 80;
        let path = match &self.capture {
            PathText::Text(text) => text.clone(),
            PathText::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        };
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        let plain = |c: char| match c {
            '.' | '_' | '-' => c,
            c if c.is_ascii_alphanumeric() => c,
            _ => '_',
        };
        let shown: String = name.chars().map(plain).take(SHOWN).collect();
        let key = serde_json::to_vec(&(&self.capture, &self.terms)).unwrap_or_default();
        let key = XxHash64::oneshot(0, &key);
        format!("{}-{key:016x}{ENDING}", shown.trim_start_matches('.'))
    }
}

/// What names of files with parts end with.
pub(crate) const ENDING: &str = ".part.json";

impl ProgramStamp {
    /// Of the program that runs.
    pub(crate) fn now() -> Self {
        // Its path may lead through folders that are closed to the user it became.
        let file = match cfg!(target_os = "linux") {
            true => Path::new("/proc/self/exe").metadata(),
            false => std::env::current_exe().and_then(|path| path.metadata()),
        };
        let file = file.ok();
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            summary: summary::SCHEMA.to_owned(),
            bytes: file.as_ref().map(std::fs::Metadata::len),
            modified_ns: file.and_then(|file| file.modified().ok()).map(since_1970),
        }
    }
}

impl FileStamp {
    /// Of a file as it is now; `None` for a pipe, a device, and what is not there: nobody can
    /// say whether they are what they were.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let known = held::metadata(path).ok().filter(|known| known.is_file())?;
        Some(Self {
            path: PathText::of(&held::canonical(path)?),
            bytes: known.len(),
            modified_ns: since_1970(known.modified().ok()?),
        })
    }
}

impl PathText {
    pub(crate) fn of(path: &Path) -> Self {
        match path.to_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Bytes(path.as_os_str().as_encoded_bytes().to_vec()),
        }
    }
}

fn since_1970(at: SystemTime) -> i128 {
    let nanos = |time: std::time::Duration| i128::try_from(time.as_nanos()).unwrap_or(i128::MAX);
    match at.duration_since(UNIX_EPOCH) {
        Ok(since) => nanos(since),
        Err(before) => -nanos(before.duration()),
    }
}

/// Reads a file with a summary.
///
/// # Errors
/// What the operating system says; `InvalidData` if it is longer than a summary can be.
pub(crate) fn whole(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(LONGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LONGEST {
        let why = "is longer than a summary can be";
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use schemars::generate::SchemaSettings;

    /// `WIREWAIT_BLESS=1` writes it.
    #[test]
    fn the_published_schema_is_that_of_the_first_line() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/part.schema.json");
        let settings = SchemaSettings::draft2020_12().for_serialize();
        let mut schema = settings.into_generator().into_root_schema_for::<PartHead>();
        schema.insert("title".to_owned(), SCHEMA.into());
        let mut text = serde_json::to_string_pretty(&schema).unwrap();
        text.push('\n');
        if std::env::var_os("WIREWAIT_BLESS").is_some_and(|value| value == "1") {
            std::fs::write(&path, text).unwrap();
            return;
        }
        assert_eq!(text, std::fs::read_to_string(&path).unwrap());
    }
}
