//! What is understood, how well, and by what it was checked.

use crate::text::Look;
use serde::Serialize;
use std::io::{self, Write};
use wirewait_wire::{Dissector, Verified};

/// Writes a paragraph per protocol, in the order given.
///
/// # Errors
/// What `out` says.
pub fn text(out: &mut impl Write, dissectors: &[&Dissector], look: Look) -> io::Result<()> {
    for (n, dissector) in dissectors.iter().enumerate() {
        if n > 0 {
            writeln!(out)?;
        }
        look.heading(out, &format!("{}  {}", dissector.name, dissector.title))?;
        entry(out, look, "does", dissector.does)?;
        if !dissector.lacks.is_empty() {
            entry(out, look, "lacks", dissector.lacks)?;
        }
        entry(out, look, "checked by", &checked(dissector).join(", "))?;
    }
    Ok(())
}

/// Writes all of it as a JSON list.
///
/// # Errors
/// What `out` says.
pub fn json(out: &mut impl Write, dissectors: &[&Dissector]) -> io::Result<()> {
    let list: Vec<Protocol> = dissectors
        .iter()
        .map(|dissector| Protocol {
            name: dissector.name,
            title: dissector.title,
            does: dissector.does,
            lacks: dissector.lacks,
            verified: checked(dissector),
        })
        .collect();
    serde_json::to_writer_pretty(&mut *out, &list)?;
    writeln!(out)
}

#[derive(Serialize)]
struct Protocol {
    name: &'static str,
    title: &'static str,
    does: &'static str,
    lacks: &'static str,
    verified: Vec<&'static str>,
}

fn checked(dissector: &Dissector) -> Vec<&'static str> {
    dissector
        .verified
        .iter()
        .map(|v| Verified::name(*v))
        .collect()
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
    use wirewait_wire::{Facts, Fault, Input, Layer};

    fn dissect(_: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
        Err(Fault::Short { offset: 0 })
    }

    fn describe(_: Input<'_>, _: &mut dyn std::fmt::Write) -> std::fmt::Result {
        Ok(())
    }

    static ONE: Dissector = Dissector {
        name: "one",
        title: "Protocol One (RFC 1)",
        does: "headers and requests",
        lacks: "everything that is not a header or a request",
        verified: &[Verified::Specification, Verified::Tshark],
        claims: &[],
        dissect,
        describe,
        ..Dissector::PLAIN
    };

    static TWO: Dissector = Dissector {
        name: "two",
        title: "Protocol Two",
        lacks: "",
        verified: &[Verified::Nothing],
        ..ONE
    };

    #[test]
    fn the_list_for_people() {
        let mut out = Vec::new();
        text(&mut out, &[&ONE, &TWO], Look::plain(40)).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "one  Protocol One (RFC 1)
  does        headers and requests
  lacks       everything that is not a
              header or a request
  checked by  specification, tshark

two  Protocol Two
  does        headers and requests
  checked by  nothing independent
"
        );
    }

    #[test]
    fn the_list_for_programs() {
        let mut out = Vec::new();
        json(&mut out, &[&TWO]).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            r#"[
  {
    "name": "two",
    "title": "Protocol Two",
    "does": "headers and requests",
    "lacks": "",
    "verified": [
      "nothing independent"
    ]
  }
]
"#
        );
    }
}
