//! The slowest transactions, and how to see their frames.

use super::markup::Page;
use super::{ROWS, table};
use crate::about::About;
use crate::text;
use crate::time::Digits;
use askama::Template;
use std::fmt::Write;
use wirewait_analysis::{Snapshot, Transaction};

#[derive(Template)]
#[template(path = "slowest.html")]
struct SlowestPart {
    table: String,
    /// A request with its frames, and the command that shows them.
    requests: Vec<(String, String)>,
}

pub(super) fn slowest(page: &mut Page, about: &About, snapshot: &Snapshot) {
    let rows = text::slowest::table(snapshot, Digits::Three);
    let requests = snapshot.longest_requests().take(ROWS).map(|(_, t)| {
        let number = t.number.to_string();
        (
            format!("#{number}, {}", frames(t)),
            command(about, &["decode", "--transaction", &number]),
        )
    });
    page.template(&SlowestPart {
        table: Page::part(|page| {
            table::table(page, "Slowest requests", &rows, ROWS);
            table::more(page, rows.len().saturating_sub(ROWS));
        }),
        requests: requests.collect(),
    });
}

/// Which frames a transaction has, from the first to the last.
pub(super) fn frames(t: &Transaction) -> String {
    let first = t.request.or(t.response).map(|extent| extent.first.frame);
    let last = t.response.or(t.request).map(|extent| extent.last.frame);
    match first.zip(last) {
        Some((first, last)) if first == last => format!("frame {first}"),
        Some((first, last)) => format!("frames {first} to {last}"),
        None => "no frames".to_owned(),
    }
}

/// The program with these arguments on the same frames of the same files.
pub(super) fn command(about: &About, arguments: &[&str]) -> String {
    let mut line = String::from("wirewait");
    for argument in arguments {
        word(&mut line, argument);
    }
    for (name, value) in about.selection.named() {
        word(&mut line, &format!("--{name}"));
        word(&mut line, value);
    }
    for file in about.files.iter().take(ROWS) {
        // What begins with a dash would be an option.
        match file.strip_prefix('-') {
            Some(_) if file != "-" => word(&mut line, &format!("./{file}")),
            _ => word(&mut line, file),
        }
    }
    if about.files.len() > ROWS {
        line.push_str(" ...");
    }
    line
}

/// Adds a word as a shell reads it.
fn word(line: &mut String, text: &str) {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,+=@%".contains(c);
    // Writing to a string does not fail.
    let _ = match text.is_empty() || !text.chars().all(plain) {
        true => write!(line, " '{}'", text.replace('\'', r"'\''")),
        false => write!(line, " {text}"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::about::Selection;

    #[test]
    fn commands_can_be_pasted_into_a_shell() {
        let about = About {
            files: ["a.pcap", "-b", "it's; rm", "-"].map(String::from).into(),
            selection: Selection {
                since: Some("90".to_owned()),
                filter: Some("host 10.0.0.1".to_owned()),
                ..Selection::default()
            },
            ..About::default()
        };
        assert_eq!(
            command(&about, &["decode", "--transaction", "12"]),
            r"wirewait decode --transaction 12 --since 90 --filter 'host 10.0.0.1' a.pcap ./-b 'it'\''s; rm' -"
        );
    }
}
