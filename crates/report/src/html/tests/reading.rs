//! Reads pages back.

use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// The tags of a document, with their attributes; fails where it is not well formed.
pub(super) fn tags(html: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut tags = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut rest = html.strip_prefix("<!DOCTYPE html>\n").unwrap();
    while let Some(start) = rest.find('<') {
        let (text, tag) = rest.split_at(start);
        let in_style = open.last().is_some_and(|name| name == "style");
        if open.last().is_some_and(|name| name == "script") {
            let (_, after) = rest.split_once("</script>").unwrap();
            rest = after;
            open.pop();
            continue;
        }
        assert!(in_style || !text.contains('>'), "{text}");
        let end = tag.find('>').unwrap();
        let inner = &tag[1..end];
        rest = &tag[end + 1..];
        if let Some(name) = inner.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
            continue;
        }
        let empty = inner.strip_suffix('/');
        let inner = empty.unwrap_or(inner);
        let (name, mut attributes) = inner.split_once(' ').unwrap_or((inner, ""));
        let mut found = Vec::new();
        while let Some((key, value)) = attributes.split_once("=\"") {
            let (value, after) = value.split_once('"').unwrap();
            found.push((key.trim().to_owned(), value.to_owned()));
            attributes = after;
        }
        assert_eq!(attributes.trim(), "", "{inner}");
        if empty.is_none() && !["meta", "br", "input", "wbr"].contains(&name) {
            open.push(name.to_owned());
        }
        tags.push((name.to_owned(), found));
    }
    assert!(open.is_empty(), "{open:?}");
    tags
}

/// Numbers below a place in a JSON document.
fn numbers(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Number(n) => {
            found.insert(n.to_string());
        }
        Value::Array(all) => all.iter().for_each(|value| numbers(value, found)),
        Value::Object(all) => all.values().for_each(|value| numbers(value, found)),
        _ => {}
    }
}

/// Checks that what plots show is in the JSON report, at the place that they name.
pub(super) fn check_figures(html: &str, json: &Value) -> usize {
    let mut checked = 0;
    // No element that names a place encloses another.
    for part in html.split("data-json=\"").skip(1) {
        let (place, part) = part.split_once('"').unwrap();
        let there = json.pointer(place).unwrap_or_else(|| panic!("{place}"));
        let mut known = BTreeSet::new();
        numbers(there, &mut known);
        for attribute in ["data-n=\"", "data-of=\""] {
            for mark in part.split(attribute).skip(1) {
                let (value, _) = mark.split_once('"').unwrap();
                assert!(known.contains(value), "{value} is not in {place}");
                checked += 1;
            }
        }
    }
    checked
}

/// The digest as Content-Security-Policy wants it.
pub(super) fn base64_digest(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let mut base64 = String::new();
    for three in digest.chunks(3) {
        let bits = three
            .iter()
            .fold(0u32, |bits, byte| bits << 8 | u32::from(*byte));
        let bits = bits << (8 * (3 - three.len()));
        for n in 0..4 {
            let six = (bits >> (18 - 6 * n) & 63) as usize;
            let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
            base64.push(if n <= three.len() {
                letters[six] as char
            } else {
                '='
            });
        }
    }
    base64
}
