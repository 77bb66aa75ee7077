//! The words of `docs/glossary.md`: what people read has none of the words that it replaces.
//!
//! Texts for users and doc comments are held to it everywhere.

use crate::support::{self, root};
use std::path::{Path, PathBuf};

/// Words that the glossary replaces, where a search can tell them.
const REPLACED: [&str; 22] = [
    "so many",
    "whoever",
    "who asks",
    "who was called",
    "sent again",
    "came twice",
    "time at work",
    "spent at work",
    "the way there",
    "not fetched in time",
    "what came in",
    "most comes in",
    "what is told",
    "what is kept",
    "is to hold",
    "what gave",
    "takes a right",
    "not to be told",
    "mended",
    "again and again",
    "over and over",
    "nobody else",
];

/// The replaced words in a text, without regard to capitals, each with its line from 1.
fn replaced(text: &str) -> Vec<(usize, &'static str)> {
    let mut found = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let line = line.to_lowercase();
        for word in REPLACED {
            if line.contains(word) {
                found.push((n + 1, word));
            }
        }
    }
    found
}

/// Files of a folder and its folders with this ending.
fn beneath(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default();
            if path.is_dir() && !matches!(name, "target" | ".git") {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn name(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().display().to_string()
}

fn said(path: &Path, text: &str) -> Vec<String> {
    let found = replaced(text).into_iter();
    found
        .map(|(line, word)| format!("{}:{line}: {word}", name(path)))
        .collect()
}

/// A page without what programs print in it, line by line.
fn prose(page: &str) -> String {
    let mut printed = false;
    let lines = page.lines().map(|line| {
        match line {
            "```console" => printed = true,
            "```" => printed = false,
            _ => {}
        }
        if printed { "" } else { line }
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn pages_have_none_of_the_replaced_words() {
    // Others describe the bounds in bounds.md; the glossary lists the words themselves.
    let elsewhere = ["bounds.md", "glossary.md"];
    let mut pages = support::files(&root().join("docs"));
    pages.retain(|path| {
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        name.ends_with(".md") && !elsewhere.contains(&name)
    });
    pages.extend(
        [
            "README.md",
            "CONTRIBUTING.md",
            "ARCHITECTURE.md",
            "CHANGELOG.md",
        ]
        .map(|page| root().join(page)),
    );
    pages.push(root().join("crates/report/src/symptoms/texts.toml"));
    let mut found = Vec::new();
    for page in &pages {
        found.extend(said(page, &prose(&std::fs::read_to_string(page).unwrap())));
    }
    assert!(pages.len() > 15, "{}", pages.len());
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn help_and_manual_have_none_of_the_replaced_words() {
    let manual = support::program().arg("man").output().unwrap();
    let manual = String::from_utf8(manual.stdout).unwrap();
    assert!(manual.lines().count() > 500, "{}", manual.lines().count());
    let found = replaced(&manual);
    assert!(found.is_empty(), "{found:?}");
}

/// The service sets nothing that the program does not read.
#[test]
fn variables_of_the_service_are_those_of_the_manual() {
    let manual = support::program().arg("man").output().unwrap();
    let manual = String::from_utf8(manual.stdout).unwrap().replace('\\', "");
    let mut set = 0;
    for file in ["wirewait@.service", "wirewait.default"] {
        let text = std::fs::read_to_string(root().join("packaging").join(file)).unwrap();
        for (at, _) in text.match_indices("WIREWAIT_") {
            let (name, _) = text[at..].split_once('=').unwrap();
            assert!(manual.contains(name), "{file}: {name}");
            set += 1;
        }
    }
    assert!(set >= 3, "{set}");
}

/// The code of a source file without its comments, line by line.
fn code(text: &str) -> String {
    let code = text
        .lines()
        .map(|line| match line.trim_start().starts_with("//") {
            true => "",
            false => line,
        });
    code.collect::<Vec<_>>().join("\n")
}

#[test]
fn messages_and_reports_have_none_of_the_replaced_words() {
    let mut found = Vec::new();
    let mut files = 0;
    for folder in ["crates/cli", "crates/report/src/text"] {
        for path in beneath(&root().join(folder), "rs") {
            files += 1;
            found.extend(said(&path, &code(&std::fs::read_to_string(&path).unwrap())));
        }
    }
    assert!(files > 60, "{files}");
    assert!(found.is_empty(), "{found:#?}");
}

/// None begins with "The same" either: that says nothing when it is read alone.
#[test]
fn comments_have_none_of_the_replaced_words() {
    let mut found = Vec::new();
    for folder in ["crates", "dissectors", "dev"] {
        for path in beneath(&root().join(folder), "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            for (n, line) in text.lines().enumerate() {
                let line = line.trim_start();
                let Some(comment) = line.strip_prefix("///").or(line.strip_prefix("//!")) else {
                    continue;
                };
                let alone = comment.trim_start().starts_with("The same");
                if alone || !replaced(comment).is_empty() {
                    found.push(format!("{}:{}: {}", name(&path), n + 1, comment.trim()));
                }
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// Words that texts of screen and reports do without: the glossary has one word for each thing.
const UNSHOWN: [&str; 10] = [
    "answer",
    "answers",
    "nobody",
    "at hand",
    "told of",
    "asked for",
    "anew",
    "whom",
    "not to be told",
    "sent again",
];

/// The texts in quotation marks of a source file, each with its line, without its tests.
fn texts(code: &str) -> Vec<(usize, String)> {
    let code = code
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default();
    let (mut found, mut line) = (Vec::new(), 1);
    let mut rest = code.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\n' => line += 1,
            '/' if rest.peek() == Some(&'/') => {
                while rest.peek().is_some_and(|c| *c != '\n') {
                    rest.next();
                }
            }
            // A character: '"' and '\'' begin no text.
            '\'' => {
                let mut ahead = rest.clone();
                let escaped = ahead.next() == Some('\\');
                if escaped {
                    ahead.next();
                }
                if ahead.next() == Some('\'') {
                    rest = ahead;
                }
            }
            '"' => {
                let (mut text, begin) = (String::new(), line);
                while let Some(c) = rest.next() {
                    match c {
                        '"' => break,
                        '\\' if rest.peek() == Some(&'\n') => {
                            while let Some(c) = rest.next_if(|c| c.is_whitespace()) {
                                line += usize::from(c == '\n');
                            }
                        }
                        '\\' => _ = rest.next(),
                        c => {
                            line += usize::from(c == '\n');
                            text.push(c);
                        }
                    }
                }
                found.push((begin, text));
            }
            _ => {}
        }
    }
    found
}

/// The words of `UNSHOWN` in a text.
fn unshown(text: &str) -> Vec<&'static str> {
    let words: Vec<String> = text
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    let text = format!(" {} ", words.join(" "));
    let mut all = UNSHOWN.to_vec();
    all.retain(|word| text.contains(&format!(" {word} ")));
    all
}

#[test]
fn screen_and_reports_have_one_word_for_each_thing() {
    let mut found = Vec::new();
    let mut seen = 0;
    for folder in ["tui", "report", "stats", "judge", "model"] {
        for path in beneath(&root().join("crates").join(folder).join("src"), "rs") {
            let file = name(&path);
            if file.contains("/tests") || file.contains("samples") {
                continue;
            }
            for (line, text) in texts(&std::fs::read_to_string(&path).unwrap()) {
                seen += 1;
                let words = unshown(&text);
                found.extend(words.iter().map(|word| format!("{file}:{line}: {word}")));
            }
        }
    }
    let tables = [
        "crates/report/src/symptoms/texts.toml",
        "crates/report/src/counters/table.csv",
    ];
    for file in tables {
        for (line, text) in std::fs::read_to_string(root().join(file))
            .unwrap()
            .lines()
            .enumerate()
        {
            seen += 1;
            let words = unshown(text);
            found.extend(
                words
                    .iter()
                    .map(|word| format!("{file}:{}: {word}", line + 1)),
            );
        }
    }
    assert!(seen > 4_000, "{seen}");
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn texts_of_a_source_file_are_found_with_their_lines() {
    let code = "let a = 'x'; // \"no\"\nlet q = '\"';\nlet t = \"An \\\n   answer\";\n\"b\"\n";
    let found = texts(code);
    assert_eq!(found, [(3, "An answer".to_owned()), (5, "b".to_owned())]);
    assert_eq!(unshown("An Answer, asked for"), ["answer", "asked for"]);
    assert_eq!(unshown("unanswered slow_answers answered"), [""; 0]);
}

#[test]
fn a_replaced_word_is_found_with_its_line() {
    let found = replaced("fine\nWhoever reads this\nFrames Sent Again");
    assert_eq!(found, [(2, "whoever"), (3, "sent again")]);
    let page = "so many\n```console\n$ wirewait\nso many\n```\nso many";
    assert_eq!(replaced(&prose(page)), [(1, "so many"), (6, "so many")]);
    assert_eq!(code("// so many\nlet a = 1;"), "\nlet a = 1;");
}
