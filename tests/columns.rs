//! Columns of field values, frame by frame, the same as tshark's.
//!
//! A theme is a group of protocols with three files in `oracle/columns`:
//!
//! - `THEME.columns`: the columns by tshark's names; written by hand.
//! - `THEME.tsv`: what tshark 4.0.17 finds: capture, column, how many frames have a value,
//!   and the `cksum` of all lines "frame, tab, values". Made by `oracle/columns.sh`.
//! - `THEME.differ`: where the two differ by their nature: capture, column (`*`: all), frames
//!   (`3,7-9`, `*`: all), and the rule that explains it. Written by hand; these values are
//!   left out on both sides.
//!
//! When a column differs, the test writes its own lines beside the build and says by which
//! command they are compared with tshark's.

use crate::support::{captures, root};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use wirewait_capture::Options;
use wirewait_wire::{Depth, Field, Fields, Frame, Source, Value, Walk};

/// A column of tshark's, and the field that should have the same values.
pub(crate) struct Column {
    /// tshark's name.
    pub(crate) theirs: &'static str,
    /// The dissectors, by name.
    pub(crate) layers: &'static [&'static str],
    /// The field's name; `Heading > Name` where others have it too, several with ` | `.
    pub(crate) ours: &'static str,
    /// The value as tshark writes it; `None` where tshark has none.
    pub(crate) form: fn(&Field<'_>) -> Option<String>,
}

/// A column of tshark's.
pub(crate) const fn column(
    theirs: &'static str,
    layers: &'static [&'static str],
    ours: &'static str,
    form: fn(&Field<'_>) -> Option<String>,
) -> Column {
    Column {
        theirs,
        layers,
        ours,
        form,
    }
}

/// The number in decimal.
pub(crate) fn decimal(field: &Field<'_>) -> Option<String> {
    number(field).map(|n| n.to_string())
}

/// The number in hexadecimal, as many digits as the bytes have.
pub(crate) fn hex(field: &Field<'_>) -> Option<String> {
    let digits = (field.end - field.start) as usize * 2;
    number(field).map(|n| format!("{n:#0width$x}", width = digits + 2))
}

/// The number in two hexadecimal digits, where it is part of a field.
pub(crate) fn hex2(field: &Field<'_>) -> Option<String> {
    number(field).map(|n| format!("{n:#04x}"))
}

/// The words shown.
pub(crate) fn words(field: &Field<'_>) -> Option<String> {
    match &field.value {
        Value::Text(text) => Some(text.clone()),
        _ => None,
    }
}

/// A MAC address.
pub(crate) fn mac(field: &Field<'_>) -> Option<String> {
    words(field).map(|text| text.replace('-', ":"))
}

/// A MAC address of a ring, each byte turned round, as on Ethernet.
pub(crate) fn mac_turned(field: &Field<'_>) -> Option<String> {
    let address = words(field)?;
    let bytes = address.split('-');
    let bytes = bytes.map(|b| u8::from_str_radix(b, 16).unwrap().reverse_bits());
    let bytes: Vec<String> = bytes.map(|b| format!("{b:02x}")).collect();
    Some(bytes.join(":"))
}

fn number(field: &Field<'_>) -> Option<u64> {
    match field.value {
        Value::Decimal(n) | Value::Hex(n) => Some(n),
        _ => None,
    }
}

/// Compares all captures of a theme; answers how many values were compared.
pub(crate) fn same_as_tshark(theme: &str, columns: &[Column]) -> u64 {
    let Some(folder) = captures(&format!("fields of {theme}")) else {
        return 0;
    };
    let oracle = root().join("tests/oracle/columns");
    let occurrences = occurrences(&oracle.join(format!("{theme}.columns")));
    let named: BTreeSet<&str> = columns.iter().map(|c| c.theirs).collect();
    let known: BTreeSet<&str> = occurrences.keys().map(String::as_str).collect();
    assert_eq!(named, known, "{theme}: columns here and in {theme}.columns");
    let differ = Differ::read(&oracle.join(format!("{theme}.differ")));
    let table = std::fs::read_to_string(oracle.join(format!("{theme}.tsv"))).unwrap();
    let mut theirs: BTreeMap<&str, HashMap<&str, (u64, u32)>> = BTreeMap::new();
    for line in table.lines() {
        let [capture, column, values, sum] = split(line);
        theirs
            .entry(capture)
            .or_default()
            .insert(column, (values.parse().unwrap(), sum.parse().unwrap()));
    }
    let mut compared = 0;
    let mut left_out: BTreeMap<String, u64> = BTreeMap::new();
    let mut wrong = String::new();
    let mut unread = Vec::new();
    for (capture, theirs) in &theirs {
        if !is_read(&folder.join(capture)) {
            unread.push(*capture);
            continue;
        }
        let ours = read(&folder.join(capture), columns, &occurrences);
        for (column, lines) in columns.iter().zip(ours) {
            let mut text = String::new();
            let mut values = 0;
            for (frame, value) in lines {
                match differ.rule(capture, column.theirs, frame) {
                    Some(rule) => *left_out.entry(rule.to_owned()).or_default() += 1,
                    None => {
                        values += 1;
                        writeln!(text, "{frame}\t{value}").unwrap();
                    }
                }
            }
            let (expected, sum) = theirs.get(column.theirs).copied().unwrap_or((0, 0));
            compared += values;
            if values != expected || (values > 0 && cksum(text.as_bytes()) != sum) {
                let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!(
                    "{}.{}",
                    capture.replace('/', "__"),
                    column.theirs
                ));
                std::fs::write(&file, text).unwrap();
                writeln!(
                    wrong,
                    "{capture} {}: {values} values, tshark has {expected}\n  \
                     diff <(tests/oracle/columns.sh {theme} {} {capture} {}) {}",
                    column.theirs,
                    folder.display(),
                    column.theirs,
                    file.display()
                )
                .unwrap();
            }
        }
    }
    println!(
        "{theme}: {compared} values of {} fields in {} captures are tshark's",
        columns.len(),
        theirs.len() - unread.len()
    );
    println!("  in formats that are not read: {}", unread.join(", "));
    for (rule, n) in &left_out {
        println!("  {n} left out: {rule}");
    }
    assert!(wrong.is_empty(), "{theme}: fields differ:\n{wrong}");
    compared
}

/// Whether the file is in a format that is read.
pub(crate) fn is_read(path: &Path) -> bool {
    match wirewait_capture::open(&[path.to_owned()], &Options::default()) {
        Ok(_) => true,
        Err(error) => {
            let error = error.to_string();
            assert!(
                error.contains("does not read") || error.contains("not a capture file"),
                "{error}"
            );
            false
        }
    }
}

/// Every frame of a capture with its layers, as far as the file can be read.
pub(crate) fn each_frame(path: &Path, mut see: impl FnMut(u64, &Frame<'_>, &Walk)) {
    let registry = wirewait_dissectors::registry();
    let paths = [path.to_owned()];
    let mut source = wirewait_capture::open(&paths, &Options::default())
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut walk = Walk::default();
    let mut number = 0;
    while let Ok(Some(frame)) = source.next_frame() {
        number += 1;
        registry.walk(&frame, Depth::Full, &mut walk);
        see(number, &frame, &walk);
    }
}

/// For each column, the frames that have it, with all values of the frame.
fn read(
    path: &Path,
    columns: &[Column],
    occurrences: &BTreeMap<String, Occurrence>,
) -> Vec<Vec<(u64, String)>> {
    let mut found = vec![Vec::new(); columns.len()];
    let dissectors = wirewait_dissectors::ALL;
    each_frame(path, |number, frame, walk| {
        let mut values = vec![Vec::new(); columns.len()];
        for span in walk.spans() {
            let dissector = dissectors[usize::from(span.dissector.0)];
            if !columns.iter().any(|c| c.layers.contains(&dissector.name)) {
                continue;
            }
            let mut fields = Fields::new(walk.bytes(frame, *span), None);
            let _ = (dissector.fields)(&mut fields);
            let fields = fields.finish();
            let headings = headings(&fields);
            for (column, values) in columns.iter().zip(&mut values) {
                if column.layers.contains(&dissector.name) {
                    let named = fields.iter().zip(&headings);
                    let named = named.filter(|(f, heading)| is_named(f, heading, column.ours));
                    values.extend(named.filter_map(|(f, _)| (column.form)(f)));
                }
            }
        }
        for ((column, mut values), found) in columns.iter().zip(values).zip(&mut found) {
            if occurrences[column.theirs] == Occurrence::First {
                values.truncate(1);
            }
            if !values.is_empty() {
                found.push((number, values.join(",")));
            }
        }
    });
    found
}

/// For each field, the name of what it is part of; empty for the outermost.
fn headings<'f>(fields: &'f [Field<'_>]) -> Vec<&'f str> {
    let mut open: Vec<&str> = Vec::new();
    let step = |field: &'f Field<'_>| {
        open.truncate(usize::from(field.depth));
        let heading = open.last().copied().unwrap_or_default();
        open.push(&field.name);
        heading
    };
    fields.iter().map(step).collect()
}

fn is_named(field: &Field<'_>, heading: &str, ours: &str) -> bool {
    ours.split(" | ").any(|one| match one.split_once(" > ") {
        Some((above, name)) => heading == above && field.name == name,
        None => field.name == one,
    })
}

/// Which of several values in a frame count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Occurrence {
    First,
    All,
}

fn occurrences(path: &Path) -> BTreeMap<String, Occurrence> {
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let mut cells = line.split('\t');
            let (name, occurrence) = (cells.next().unwrap(), cells.next());
            let occurrence = match occurrence {
                Some("f") => Occurrence::First,
                Some("a") => Occurrence::All,
                _ => panic!("{name}: first or all?"),
            };
            (name.to_owned(), occurrence)
        })
        .collect()
}

/// Where tshark's values and ours differ for a known reason.
struct Differ {
    lines: Vec<(String, String, String, String)>,
}

impl Differ {
    fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let lines = lines.map(|line| {
            let [capture, column, frames, rule] = split(line);
            (
                capture.to_owned(),
                column.to_owned(),
                frames.to_owned(),
                rule.to_owned(),
            )
        });
        Self {
            lines: lines.collect(),
        }
    }

    fn rule(&self, capture: &str, column: &str, frame: u64) -> Option<&str> {
        let fits = |pattern: &str, value: &str| pattern == "*" || pattern == value;
        self.lines
            .iter()
            .find(|(c, n, frames, _)| {
                c == capture && fits(n, column) && (frames == "*" || among(frames, frame))
            })
            .map(|line| line.3.as_str())
    }
}

fn among(frames: &str, frame: u64) -> bool {
    frames.split(',').any(|part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        (first.parse().unwrap()..=last.parse().unwrap()).contains(&frame)
    })
}

fn split<const N: usize>(line: &str) -> [&str; N] {
    let cells: Vec<&str> = line.split('\t').collect();
    cells
        .try_into()
        .unwrap_or_else(|_| panic!("{N} cells: {line}"))
}

/// The sum that POSIX `cksum` prints.
fn cksum(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut n = 0;
        while n < 256 {
            let mut crc = (n as u32) << 24;
            let mut bit = 0;
            while bit < 8 {
                let carry = crc >> 31;
                crc = (crc << 1) ^ (carry * 0x04c1_1db7);
                bit += 1;
            }
            table[n] = crc;
            n += 1;
        }
        table
    };
    let step = |crc: u32, byte: u8| (crc << 8) ^ TABLE[(crc >> 24) as usize ^ usize::from(byte)];
    let mut crc = bytes.iter().copied().fold(0, step);
    let mut length = bytes.len();
    while length > 0 {
        crc = step(crc, length as u8);
        length >>= 8;
    }
    !crc
}

#[test]
fn the_sum_is_that_of_posix() {
    // `printf 123456789 | cksum`
    assert_eq!(cksum(b"123456789"), 930_766_865);
}
