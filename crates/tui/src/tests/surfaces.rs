//! Equal things have equal percentages on all surfaces: text, HTML, JSON and the screen, of every
//! capture that is shipped. What a percentage must be, and the mark of one whose other bound is far,
//! is worked out here from the nanoseconds of the JSON report.

use super::{model, replayed, shown};
use crate::Feed;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use wirewait::{Choice, Engine, Progress, Settings};
use wirewait_analysis::Snapshot;
use wirewait_report::{About, html, json, text};

/// Captures of a few requests have no active time.
const LEAST: usize = 40;

fn captures(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            captures(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "pcapng") {
            found.push(path);
        }
    }
    found.sort();
}

fn analysed(file: PathBuf) -> Snapshot {
    let options = wirewait_capture::Options::default();
    let source = wirewait_capture::open(&[file], &options).unwrap();
    let mut engine = Engine::new(source, Settings::default());
    while engine.step_watching(|_, _| Choice::Take, &mut ()).unwrap() != Progress::End {}
    engine.finish_metered(&mut ()).0
}

/// One decimal, half of it rounded up.
fn percent(part: u64, whole: u64) -> String {
    let (part, whole) = (u128::from(part), u128::from(whole));
    let tenths = (part * 2000 + whole) / (2 * whole);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// Client, network, server and all of the active time of a row of the JSON report, ns.
struct Parts {
    client: u64,
    network: u64,
    server: u64,
    active: u64,
    /// How far the other bounds of client, network and server are.
    apart: [u64; 3],
}

impl Parts {
    fn of(row: &Value) -> Self {
        let ns = |name: &str| row[name].as_u64().unwrap();
        let network = [
            "request_transfer_ns",
            "response_transfer_ns",
            "retransmission_ns",
            "distance_ns",
        ];
        let apart = |name: &str| {
            let end = |end: &str| row[name][end].as_u64().unwrap();
            end("high") - end("low")
        };
        let [clients, servers] = ["network_in_client_ns", "network_in_server_ns"].map(apart);
        Self {
            apart: [clients, clients + servers, servers],
            client: ns("client_ns"),
            network: network.iter().map(|name| ns(name)).sum(),
            server: ns("server_ns"),
            active: ns("active_ns"),
        }
    }

    fn percents(&self) -> [String; 3] {
        [self.client, self.network, self.server].map(|ns| percent(ns, self.active))
    }

    /// With the mark of those whose other bound is 15 points away or more.
    fn marked(&self) -> [String; 3] {
        let marks = ["\u{2264} ", "\u{2265} ", "\u{2264} "];
        let mut shares = self.percents();
        for ((share, mark), apart) in shares.iter_mut().zip(marks).zip(self.apart) {
            if u128::from(apart) * 100 >= u128::from(self.active) * 15 {
                share.insert_str(0, mark);
            }
        }
        shares
    }
}

/// The cells of a line of a table.
fn cells(line: &str) -> Vec<&str> {
    let cells = line.trim().split("  ").map(str::trim);
    cells.filter(|cell| !cell.is_empty()).collect()
}

/// The shares of each row of the table of time in the text.
fn table(report: &str) -> BTreeMap<String, [String; 3]> {
    let lines = report
        .lines()
        .skip_while(|line| *line != "Where the time went");
    let mut lines = lines.skip(1);
    let head = cells(lines.next().unwrap());
    let places = ["client %", "network %", "server %"]
        .map(|title| head.iter().position(|cell| *cell == title).unwrap());
    lines
        .map(cells)
        .take_while(|row| row.len() > places[2])
        .map(|row| (row[0].to_owned(), places.map(|at| row[at].to_owned())))
        .collect()
}

/// The shares in the cells of a row of the HTML page's tables of time, by the names of their
/// columns.
fn html_row(page: &str, pointer: &str) -> BTreeMap<String, String> {
    let at = page.find(&format!("data-json=\"{pointer}\"")).unwrap();
    let titles = page[..at].rsplit_once("<thead>").unwrap().1;
    let (titles, _) = titles.split_once("</thead>").unwrap();
    let inside = |cell: &str| {
        let (_, rest) = cell.split_once('>').unwrap();
        rest.split('<').next().unwrap().to_owned()
    };
    let titles = titles.split("<th").skip(1).map(inside);
    let (row, _) = page[at..].split_once("</tr>").unwrap();
    // The first is the row's name.
    let cells = row.split("<td").skip(1).map(inside);
    titles.skip(1).zip(cells).collect()
}

/// What the key of the whole capture's bar says behind a name: `server 12.8 s (71.2 %)`.
fn key<'h>(page: &'h str, name: &str) -> Option<&'h str> {
    let (_, rest) = page.split_once("<ul class=\"key\">")?;
    let (key, _) = rest.split_once("</ul>")?;
    let (_, rest) = key.split_once(&format!(">{name} "))?;
    let (_, rest) = rest.split_once('(')?;
    Some(rest.split_once(')')?.0)
}

/// The bounds that the sentence gives for this name: `client 1.7 to 3.6 %`.
fn bounds(line: &str, name: &str) -> [String; 2] {
    let (_, rest) = line.split_once(&format!("{name} ")).unwrap();
    let (numbers, _) = rest.split_once(" %").unwrap();
    let (low, high) = numbers.split_once(" to ").unwrap_or((numbers, numbers));
    [low, high].map(|number| format!("{number} %"))
}

/// The parts of a bar: for each its class, its nanoseconds and its percentage.
fn bar<'h>(page: &'h str, pointer: &str) -> Vec<(&'h str, u64, &'h str)> {
    let (_, rest) = page
        .split_once(&format!("data-json=\"{pointer}\""))
        .unwrap();
    let (svg, _) = rest.split_once("</svg>").unwrap();
    let rects = svg.split("<rect class=\"part ").skip(1);
    rects
        .map(|rect| {
            let (class, rest) = rect.split_once('"').unwrap();
            let (_, rest) = rest.split_once("data-n=\"").unwrap();
            let (ns, rest) = rest.split_once('"').unwrap();
            let (_, rest) = rest.split_once(" (").unwrap();
            let (share, _) = rest.split_once(')').unwrap();
            (class, ns.parse().unwrap(), share)
        })
        .collect()
}

fn screen(snapshot: Snapshot) -> String {
    let feed = Feed {
        snapshot: Arc::new(snapshot),
        ..replayed()
    };
    shown(&model(feed, 160, 50))
}

/// A number with commas between its thousands, at the end or the beginning of this text.
fn grouped(text: &str, at_end: bool) -> Option<u64> {
    let is_of_it = |c: &char| c.is_ascii_digit() || *c == ',';
    let digits: String = match at_end {
        true => {
            let back: Vec<char> = text.chars().rev().take_while(is_of_it).collect();
            back.into_iter().rev().collect()
        }
        false => text.chars().take_while(is_of_it).collect(),
    };
    digits.replace(',', "").parse().ok()
}

/// Each `3 of 1,200 (0.3 %)` that a surface shows has the share of its own numbers. How many there are.
fn shares_of_counts(shown: &str, of: &str) -> usize {
    let mut checked = 0;
    for (at, _) in shown.match_indices(" of ") {
        let (before, behind) = (&shown[..at], &shown[at + 4..]);
        let numbers = grouped(before, true).zip(grouped(behind, false));
        let share = behind
            .split_once(" (")
            .filter(|(number, _)| number.chars().all(|c| c.is_ascii_digit() || c == ','))
            .and_then(|(_, rest)| rest.split_once(" %)"));
        let (Some((part, whole @ 1..)), Some((share, _))) = (numbers, share) else {
            continue;
        };
        assert_eq!(
            format!("{share} %"),
            percent(part, whole),
            "{of}: {part} of {whole}"
        );
        checked += 1;
    }
    checked
}

/// The first sentence is the same in text, HTML and JSON, and its shares are those of the JSON report.
fn sentences(report: &str, page: &str, verdict: &Value, of: &str) {
    let sentence = verdict["sentence"].as_str().unwrap();
    assert_eq!(report.lines().next(), Some(sentence), "{of}");
    let (_, shown) = page.split_once("class=\"verdict\">").unwrap();
    let (shown, _) = shown.split_once('<').unwrap();
    let plain = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&#34;", "\""),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ];
    let shown = plain
        .iter()
        .fold(shown.to_owned(), |text, (mark, c)| text.replace(mark, c));
    assert_eq!(shown, sentence, "{of}");
    for share in [
        "at_share",
        "command_share",
        "file_share",
        "phase_share",
        "stall_share",
    ] {
        let Some(part) = verdict[share].as_f64() else {
            continue;
        };
        let said = percent((part * 1000.0).round() as u64, 1000);
        assert!(
            sentence.contains(&said),
            "{of}: no {share} of {said}: {sentence}"
        );
    }
}

#[test]
fn equal_things_have_equal_shares() {
    let mut files = Vec::new();
    captures(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../captures"),
        &mut files,
    );
    let (mut checked, mut marked, mut keys, mut rows_of_html) = (0, 0, 0, 0);
    let mut counted = [0; 3];
    for file in files {
        let name = file.display().to_string();
        let snapshot = analysed(file);
        let about = About::default();
        let (mut report, mut page, mut document) = (Vec::new(), Vec::new(), Vec::new());
        text::report(&mut report, &about, &snapshot, text::Look::FILE).unwrap();
        let absent = html::Further {
            conversation: html::Conversation::Absent(""),
            counters: html::Metered::Absent(""),
        };
        html::report(&mut page, &about, &snapshot, absent).unwrap();
        json::report(&mut document, &about, &snapshot).unwrap();
        let report = String::from_utf8(report).unwrap();
        let page = String::from_utf8(page).unwrap();
        let document: Value = serde_json::from_slice(&document).unwrap();
        let ledger = &document["ledger"];
        if ledger["capture"]["active_ns"].as_u64().unwrap_or(0) == 0 {
            continue;
        }
        checked += 1;
        let all = Parts::of(&ledger["capture"]);
        let expected = all.percents();

        // The sentence, the verdict's numbers and the screen: what is proved of the network, and
        // the others with what may be the network's.
        if let Some(line) = report
            .lines()
            .find(|line| line.trim_start().starts_with("Of active time"))
        {
            let said = ["client", "network", "server"].map(|name| bounds(line, name));
            let [[_, client], [network, _], [_, server]] = said;
            assert_eq!([client, network, server], expected, "{name}: {line}");
        }
        let shares = &document["verdict"]["shares"];
        for (part, end, expected) in [
            ("client", "high_per_mille", &expected[0]),
            ("network", "low_per_mille", &expected[1]),
            ("server", "high_per_mille", &expected[2]),
        ] {
            let thousandths = shares[part][end].as_u64().unwrap();
            assert_eq!(&percent(thousandths, 1000), expected, "{name}: {part}");
        }
        sentences(&report, &page, &document["verdict"], &name);
        let seen = screen(snapshot);
        for (count, shown) in counted.iter_mut().zip([&report, &page, &seen]) {
            *count += shares_of_counts(shown, &name);
        }
        for (part, share) in ["client", "network", "server"].iter().zip(&all.marked()) {
            let said = format!("{part} {share}");
            assert!(seen.contains(&said), "{name}: no {said} in\n{seen}");
            marked += usize::from(!share.starts_with(|c: char| c.is_ascii_digit()));
            if let Some(said) = key(&page, part) {
                assert_eq!(said, share, "{name}: key of {part} in the HTML");
                keys += 1;
            }
        }

        // The rows of text and HTML.
        let rows = table(&report);
        let mut compared = 0;
        for (kind, title) in [
            ("capture", ""),
            ("servers", "server"),
            ("clients", "client"),
        ] {
            let list = match &ledger[kind] {
                Value::Array(list) => list.clone(),
                row => vec![row.clone()],
            };
            for (n, row) in list.iter().enumerate() {
                let parts = Parts::of(row);
                if parts.active == 0 {
                    continue;
                }
                let (of, pointer) = match kind {
                    "capture" => ("all".to_owned(), "/ledger/capture".to_owned()),
                    _ => {
                        let station = row[title].as_str().unwrap();
                        (format!("{title} {station}"), format!("/ledger/{kind}/{n}"))
                    }
                };
                if let Some(said) = rows.get(&of) {
                    assert_eq!(*said, parts.marked(), "{name}: {of} in the text");
                    compared += 1;
                }
                if !page.contains(&format!("data-json=\"{pointer}\"")) {
                    // Not among those that are shown.
                    continue;
                }
                if kind != "capture" {
                    let cells = html_row(&page, &pointer);
                    let names = ["client", "network", "server"].into_iter();
                    for (part, share) in names.zip(parts.marked()) {
                        let Some(cell) = cells.get(part).filter(|cell| *cell != "-") else {
                            assert!(share.starts_with("0.0"), "{name}: no {part} of {of}");
                            continue;
                        };
                        let said = format!("({share})");
                        assert!(cell.ends_with(&said), "{name}: {cell}, not {said} of {of}");
                        rows_of_html += 1;
                    }
                }
                for (class, ns, share) in bar(&page, &pointer) {
                    let known = row[format!("{class}_ns")].as_u64();
                    assert_eq!(Some(ns), known, "{name}: {class} of {of} in the HTML");
                    assert_eq!(share, percent(ns, parts.active), "{name}: {class} of {of}");
                }
            }
        }
        assert!(compared > 1, "{name}: {rows:?}");

        // The stations' own columns are those of the account.
        for station in document["stations"].as_array().unwrap() {
            let client = &station["client"];
            let rows = ledger["clients"].as_array().unwrap();
            let row = rows.iter().find(|row| row["client"] == *client);
            let parts = row.map(Parts::of);
            let known = parts.map_or((0, 0), |p| (p.client, p.active - p.client));
            let ns = |name: &str| station[name].as_u64().unwrap();
            assert_eq!((ns("client_ns"), ns("busy_ns")), known, "{name}: {client}");
        }
    }
    assert!(checked >= LEAST, "only {checked} captures");
    assert!(
        counted.iter().all(|count| *count > 10),
        "{counted:?} shares of counts"
    );
    assert!(
        marked > 10 && keys > 2 * checked && rows_of_html > 2 * checked,
        "{marked} marks, {keys} keys, {rows_of_html} rows in {checked} captures"
    );
}
