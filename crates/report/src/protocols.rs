//! What is understood, how well, and by what it was checked.

use crate::document::{documents, of};
use crate::figures::Grouped;
use crate::table::{Table, count};
use crate::text::Look;
use std::io::{self, Write};
use wirewait_wire::{Dissector, Evidence, Verified};

/// A protocol, and what it was tried on.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    dissector: &'static Dissector,
    evidence: Evidence,
}

/// All of `dissectors` that may be meant by one of the `wanted` words: those whose name, other
/// names or title hold it, whatever its case. All, if nothing is wanted. A word that finds
/// nothing is the error.
///
/// # Errors
/// The word that finds nothing.
pub fn find<'w>(
    dissectors: &[&'static Dissector],
    evidence: &[(&str, Evidence)],
    wanted: &'w [String],
) -> Result<Vec<Known>, &'w str> {
    if let Some(nothing) = wanted
        .iter()
        .find(|word| !dissectors.iter().any(|d| mentions(d, word)))
    {
        return Err(nothing);
    }
    let meant = |d: &&&Dissector| wanted.is_empty() || wanted.iter().any(|word| mentions(d, word));
    Ok(dissectors
        .iter()
        .filter(meant)
        .map(|dissector| Known {
            dissector,
            evidence: evidence
                .iter()
                .find(|(name, _)| *name == dissector.name)
                .map(|(_, evidence)| *evidence)
                .unwrap_or_default(),
        })
        .collect())
}

fn mentions(dissector: &Dissector, word: &str) -> bool {
    let word = word.to_lowercase();
    dissector.is_called(&word)
        || [dissector.name, dissector.title]
            .iter()
            .chain(dissector.aliases)
            .any(|text| text.to_lowercase().contains(&word))
}

/// Writes a table of all, and a paragraph per protocol, in the order given.
///
/// # Errors
/// What `out` says.
pub fn text(out: &mut impl Write, known: &[Known], look: Look) -> io::Result<()> {
    let yes = |yes: bool| yes.then_some("yes");
    let table = Table::over(known)
        .left("protocol", |known| known.dissector.name)
        .left("decoded", |known| yes(known.dissector.is_decoded()))
        .left("ordered", |known| yes(known.dissector.orders))
        .left("paired", |known| yes(known.dissector.exchange.is_some()))
        .under("frames in captures", "real", |known| {
            count(known.evidence.real_frames)
        })
        .under("frames in captures", "lab", |known| {
            count(known.evidence.lab_frames)
        })
        .right("pairs as tshark", |known| count(known.evidence.pairs))
        .table;
    table.write(out, look)?;
    for known in known {
        let dissector = known.dissector;
        writeln!(out)?;
        look.heading(out, &format!("{}  {}", dissector.name, dissector.title))?;
        if !dissector.aliases.is_empty() {
            entry(out, look, "see also", &dissector.aliases.join(", "))?;
        }
        entry(out, look, "does", dissector.does)?;
        if !dissector.lacks.is_empty() {
            entry(out, look, "lacks", dissector.lacks)?;
        }
        entry(out, look, "checked by", &known.checked().join(", "))?;
    }
    Ok(())
}

/// Writes all of it as a JSON list.
///
/// # Errors
/// What `out` says.
pub fn json(out: &mut impl Write, known: &[Known]) -> io::Result<()> {
    let list: Vec<ProtocolDocument> = known.iter().map(of).collect();
    serde_json::to_writer_pretty(&mut *out, &list)?;
    writeln!(out)
}

documents! {
    struct ProtocolDocument of known: &Known
    where
        let Known { dissector, evidence } = known;
    {
        name: &'static str = dissector.name,
        title: &'static str = dissector.title,
        aliases: &'static [&'static str] = dissector.aliases,
        does: &'static str = dissector.does,
        lacks: &'static str = dissector.lacks,
        /// Its fields are described.
        decoded: bool = dissector.is_decoded(),
        /// Its data is put in order.
        ordered: bool = dissector.orders,
        /// Its responses are paired with their requests.
        paired: bool = dissector.exchange.is_some(),
        verified: Vec<&'static str> = dissector.verified.iter().map(|v| v.name()).collect(),
        /// Captures of real systems with it, and frames in them.
        real_files: u64 = evidence.real_files,
        real_frames: u64 = evidence.real_frames,
        lab_frames: u64 = evidence.lab_frames,
        /// Pairs that tshark finds too, with the same time between them.
        pairs_same_as_tshark: u64 = evidence.pairs,
    }
}

impl Known {
    fn checked(&self) -> Vec<String> {
        let Evidence {
            real_files,
            real_frames,
            lab_frames,
            pairs,
        } = self.evidence;
        let verified = self.dissector.verified.iter();
        verified
            .map(|verified| match verified {
                Verified::RealCaptures => format!(
                    "{} ({} frames in {} {})",
                    verified.name(),
                    Grouped(real_frames),
                    Grouped(real_files),
                    if real_files == 1 { "file" } else { "files" }
                ),
                Verified::Lab => format!("{} ({} frames)", verified.name(), Grouped(lab_frames)),
                Verified::Tshark if pairs > 0 => {
                    format!("{} ({} pairs the same)", verified.name(), Grouped(pairs))
                }
                _ => verified.name().to_owned(),
            })
            .collect()
    }
}

/// A name, and a text that is wrapped beside it.
fn entry(out: &mut impl Write, look: Look, name: &str, text: &str) -> io::Result<()> {
    const INDENT: usize = 14;
    let mut line = format!("  {name:<12}");
    let mut used = INDENT;
    for word in text.split_whitespace() {
        let needed = crate::table::width(word);
        if used > INDENT && used + 1 + needed > look.width {
            writeln!(out, "{line}")?;
            line = " ".repeat(INDENT);
            used = INDENT;
        }
        if used > INDENT {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        used += needed;
    }
    writeln!(out, "{}", line.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    static ONE: Dissector = Dissector {
        name: "one",
        title: "Protocol One (RFC 1)",
        aliases: &["Uno", "First Frames"],
        does: "headers and requests",
        lacks: "everything that is not a header or a request",
        verified: &[
            Verified::Specification,
            Verified::RealCaptures,
            Verified::Tshark,
        ],
        orders: true,
        fields: |f| f.u8("Kind").map(|_| ()),
        ..Dissector::PLAIN
    };

    static TWO: Dissector = Dissector {
        name: "two",
        title: "Protocol Two",
        does: "nothing",
        verified: &[Verified::Nothing],
        ..Dissector::PLAIN
    };

    const EVIDENCE: &[(&str, Evidence)] = &[(
        "one",
        Evidence {
            real_files: 3,
            real_frames: 1234,
            lab_frames: 5,
            pairs: 67,
        },
    )];

    fn found(words: &[&str]) -> Result<Vec<&'static str>, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        find(&[&ONE, &TWO], EVIDENCE, &words)
            .map(|known| known.iter().map(|k| k.dissector.name).collect())
            .map_err(str::to_owned)
    }

    #[test]
    fn protocols_are_found_by_any_of_their_names() {
        assert_eq!(found(&[]), Ok(vec!["one", "two"]));
        assert_eq!(found(&["uno"]), Ok(vec!["one"]));
        assert_eq!(found(&["firstframes"]), Ok(vec!["one"]));
        assert_eq!(found(&["rfc 1", "TWO"]), Ok(vec!["one", "two"]));
        assert_eq!(found(&["two", "three"]), Err("three".to_owned()));
    }

    #[test]
    fn the_list_for_people() {
        let mut out = Vec::new();
        let known = find(&[&ONE, &TWO], EVIDENCE, &[]).unwrap();
        text(&mut out, &known, Look::plain(80)).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "                                      frames in captures
  protocol  decoded  ordered  paired   real          lab  pairs as tshark
  one       yes      yes      -       1,234            5               67
  two       -        -        -           -            -                -

one  Protocol One (RFC 1)
  see also    Uno, First Frames
  does        headers and requests
  lacks       everything that is not a header or a request
  checked by  specification, real captures (1,234 frames in 3 files), tshark (67
              pairs the same)

two  Protocol Two
  does        nothing
  checked by  nothing independent
"
        );
    }

    #[test]
    fn the_list_for_programs() {
        let mut out = Vec::new();
        let known = find(&[&TWO], EVIDENCE, &[]).unwrap();
        json(&mut out, &known).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            r#"[
  {
    "name": "two",
    "title": "Protocol Two",
    "aliases": [],
    "does": "nothing",
    "lacks": "",
    "decoded": false,
    "ordered": false,
    "paired": false,
    "verified": [
      "nothing independent"
    ],
    "real_files": 0,
    "real_frames": 0,
    "lab_frames": 0,
    "pairs_same_as_tshark": 0
  }
]
"#
        );
    }
}
