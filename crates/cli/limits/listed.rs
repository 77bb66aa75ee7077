//! `docs/limits.md` lists every limit and `docs/bounds.md` every fixed bound, with its value.

use super::LIMITS;
use std::fs;
use std::path::{Path, PathBuf};

/// Constants that bound nothing: sizes of headers, shares, thresholds.
const NO_BOUNDS: &[&str] = &[
    "crates/analysis/src/bounds.rs COUNT",
    "crates/report/src/html/table.rs LONG",
    "crates/report/src/table/paths.rs LEAST",
    "crates/report/src/compare/tables.rs BEFORE_RESULT",
    "crates/cli/condition.rs FIGURES_WIDTH",
    "crates/analysis/src/conversation/recent.rs FEW",
    "crates/judge/src/between/drift.rs FEW",
    "crates/analysis/src/symptoms/rhythm.rs LEVELS",
    "crates/capture/src/pcap.rs ZEROS",
    "crates/capture/src/pcapng.rs INTERFACE_FIELDS",
    "crates/capture/src/pcapng.rs STATISTICS_FIELDS",
    "crates/model/src/distribution.rs BUCKETS",
    "crates/model/src/distribution.rs HALF",
    "crates/model/src/distribution.rs NUMBERS",
    "crates/model/src/distribution.rs PAGE",
    "crates/analysis/src/flow.rs FIRST",
    "crates/analysis/src/account/timeline.rs SETTLED",
    "crates/stats/src/sizes/anomalies.rs BREAKS_ONE_OF",
    "crates/model/src/load/sizes.rs ENOUGH_SIZES",
    "crates/stats/src/load/dips.rs AROUND",
    "crates/stats/src/load/dips.rs ENOUGH_AROUND",
    "crates/stats/src/load/dips.rs SHORTEST",
    "crates/analysis/src/symptoms/clients.rs OTHERS",
    "crates/analysis/src/symptoms/evidence.rs COUNT",
    "crates/capture/src/archive.rs BLOCK",
    "crates/capture/src/files.rs SMALL_WINDOW",
    "crates/capture/src/filter/vlan.rs TAG",
    "crates/capture/src/reader.rs HEAD",
    "crates/capture/src/iptrace.rs FDDI_PADDING",
    "crates/capture/src/iptrace.rs MAGIC",
    "crates/capture/src/iptrace.rs UNCOUNTED",
    "crates/capture/src/lanalyzer.rs DESCRIPTOR",
    "crates/capture/src/lanalyzer.rs RECORD_HEADER",
    "crates/capture/src/lanalyzer.rs SUMMARY_BODY",
    "crates/capture/src/netmon.rs ENTRY",
    "crates/capture/src/netmon.rs FILE_HEADER",
    "crates/capture/src/netxray.rs FILE_HEADER",
    "crates/capture/src/ngsniffer.rs FRAME2_FIELDS",
    "crates/capture/src/ngsniffer.rs FRAME6_FIELDS",
    "crates/capture/src/ngsniffer.rs RECORD_HEADER",
    "crates/capture/src/ngsniffer.rs VERSION_BODY",
    "crates/capture/src/pcap.rs FILE_HEADER",
    "crates/capture/src/pcapng.rs BLOCK_FRAME",
    "crates/capture/src/pcapng.rs ENHANCED_DATA",
    "crates/capture/src/pcapng.rs MIN_SECTION_HEADER",
    "crates/capture/src/pcapng.rs SIMPLE_DATA",
    "crates/capture/src/recent.rs HEADER",
    "crates/capture/src/snoop.rs FILE_HEADER",
    "crates/capture/src/snoop.rs RECORD_HEADER",
    "crates/capture/src/ring/spool.rs TAIL",
    "crates/capture/src/window.rs MIN_WINDOW",
    "crates/cli/config/template.rs WIDTH",
    "crates/cli/watch/errands/stock.rs BESIDE",
    "crates/report/src/cells.rs ROOM",
    "crates/report/src/counters/spool.rs NUMBER",
    "crates/report/src/decode/detail.rs NAME",
    "crates/report/src/html/distribution.rs ROOM",
    "crates/report/src/html/table.rs LONGEST",
    "crates/report/src/html/table.rs NAME",
    "crates/report/src/html/table.rs ROOM",
    "crates/report/src/html/load.rs SIZES",
    "crates/report/src/protocols.rs INDENT",
    "crates/report/src/summary/lines.rs DEEPEST",
    "crates/report/src/text/load/sizes.rs ENOUGH",
    "crates/report/src/time.rs LEN",
    "crates/report/src/transactions/columns.rs OWN",
    "dissectors/src/last/calibrate/mod.rs SURE",
    "dissectors/src/last/locate.rs WORD_COUNT",
    "dissectors/src/ncp/names.rs CREATOR_SPACE",
    "dissectors/src/ncp/names.rs INFORMATION",
    "dissectors/src/ncp/names.rs NAME",
    "dissectors/src/ncp/path.rs SEARCHED_SPACE",
    "dissectors/src/parse.rs N",
    "dissectors/src/smb2/breaks.rs END",
    "dissectors/src/smb2/commands.rs BODY",
    "dissectors/src/smb2/fields/mod.rs BODY",
    "dissectors/src/smb2/fields/negotiate.rs TO_DIALECTS",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The cells of a row, without their backticks.
fn cells(row: &str) -> Vec<String> {
    let row = row.trim().trim_matches('|').replace("\\|", "\u{1}");
    let cells = row.split('|').map(|cell| cell.trim().trim_matches('`'));
    cells.map(str::to_owned).collect()
}

/// The rows of all tables of a page, their headings and rules apart.
fn rows(page: &str) -> Vec<Vec<String>> {
    let page = fs::read_to_string(root().join(page)).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    rows.map(cells).collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The constants of a source, tests apart, that count something: their names and values.
fn constants(source: &str) -> Vec<(&str, &str)> {
    let tested = source.find("mod tests {");
    let code = &source[..tested.unwrap_or(source.len())];
    let mut found = Vec::new();
    for line in code.lines().filter(|line| line.contains("const ")) {
        let (before, rest) = line.split_once("const ").unwrap_or_default();
        let declares = before.trim().is_empty() || before.trim().starts_with("pub");
        if let Some((name, value)) = rest.split_once(": usize = ").filter(|_| declares)
            && let Some((value, _)) = value.split_once(';')
        {
            found.push((name, value));
        }
    }
    found
}

#[test]
fn the_page_has_every_limit_and_its_default() {
    let rows = rows("docs/limits.md");
    let limits = rows.iter().filter(|row| row.len() == 6);
    let named: Vec<_> = limits
        .map(|row| (row[0].clone(), row[1].clone(), row[2].clone()))
        .collect();
    let known: Vec<_> = LIMITS
        .iter()
        .map(|limit| {
            let default = limit.default_value().to_string();
            (limit.name.to_owned(), default, limit.meaning.to_owned())
        })
        .collect();
    assert_eq!(named, known);
}

#[test]
fn the_page_has_every_fixed_bound_and_its_value() {
    let rows = rows("docs/bounds.md");
    let mut listed: Vec<(String, String)> = Vec::new();
    for row in rows.iter().filter(|row| row.len() == 5) {
        listed.push((format!("{} {}", row[0], row[1]), row[2].clone()));
    }
    let mut files = Vec::new();
    // All of the product; `synth` makes frames and takes none.
    for folder in [
        "crates/model/src",
        "crates/analysis/src",
        "crates/stats/src",
        "crates/capture/src",
        "crates/cli",
        "crates/judge/src",
        "crates/wirewait/src",
        "crates/report/src",
        "crates/rows/src",
        "crates/tui/src",
        "crates/wire/src",
        "dissectors/src",
    ] {
        sources(&root().join(folder), &mut files);
    }
    let mut seen = Vec::new();
    for file in files {
        let path = file
            .strip_prefix(root())
            .unwrap()
            .to_string_lossy()
            .replace('\\', "/");
        let tests = path.contains("/tests") || path.starts_with("crates/cli/limits/");
        if tests || path.ends_with("testing.rs") {
            continue;
        }
        let source = fs::read_to_string(&file).unwrap();
        for (name, value) in constants(&source) {
            let bound = format!("{path} {name}");
            let row = listed.iter().find(|(known, _)| *known == bound);
            let known = row.map(|(_, value)| value.as_str());
            let apart = NO_BOUNDS.contains(&bound.as_str());
            assert!(
                known == Some(value) || apart,
                "{bound} is {value}; docs/bounds.md says {known:?}"
            );
            seen.push(bound);
        }
    }
    for (bound, _) in &listed {
        assert!(
            seen.contains(bound),
            "docs/bounds.md has {bound}, which is gone"
        );
    }
    for bound in NO_BOUNDS {
        assert!(seen.iter().any(|seen| seen == bound), "{bound} is gone");
    }
    assert!(listed.len() > 130, "{}", listed.len());
}
