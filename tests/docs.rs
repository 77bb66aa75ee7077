//! README and docs: every command in them runs and prints what stands below it, every command line
//! that cannot run here is one that the program accepts, and every link leads somewhere.
//!
//! - A `console` block has commands (`$ wirewait ...`) and their output. `WIREWAIT_BLESS=1` writes
//!   the output anew.
//! - A `sh` block has commands that need rights, a terminal or time: the program only reads them.

use crate::support::{self, root};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// README and the pages of the site.
fn pages() -> Vec<PathBuf> {
    let docs = support::files(&root().join("docs"));
    let mut pages = vec![root().join("README.md")];
    pages.extend(
        docs.into_iter()
            .filter(|path| path.extension().is_some_and(|e| e == "md")),
    );
    pages
}

fn name(page: &Path) -> String {
    page.strip_prefix(root()).unwrap().display().to_string()
}

/// A folder in which the commands of the pages run: captures are beneath it as in the project.
fn workplace() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("docs");
    support::shared_folder(&folder);
    let link = folder.join("captures");
    #[cfg(unix)]
    if !link.exists() {
        let _ = std::os::unix::fs::symlink(root().join("captures"), &link);
    }
    folder
}

/// What a command line prints. Whether it succeeds is part of what the page shows.
fn run(line: &str, folder: &Path) -> String {
    let program = support::program();
    let place = Path::new(program.get_program()).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    shell
        .args(["-c", line])
        .current_dir(folder)
        .stdin(Stdio::null());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.env("PATH", format!("{}:{path}", place.display()));
    let output = shell.output().unwrap();
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    text
}

/// The page with the output of each of its commands, and how many there are.
fn made(page: &str, run: impl Fn(&str) -> String) -> (String, usize) {
    let mut made = String::new();
    let mut inside = false;
    let mut commands = 0;
    for line in page.lines() {
        match (inside, line) {
            (false, "```console") => inside = true,
            (true, "```") => inside = false,
            (true, command) => {
                if let Some(command) = command.strip_prefix("$ ") {
                    commands += 1;
                    let output = run(command);
                    let _ = writeln!(made, "$ {command}\n{}", output.trim_end());
                }
                continue;
            }
            _ => {}
        }
        let _ = writeln!(made, "{line}");
    }
    (made, commands)
}

#[test]
fn every_command_prints_what_the_page_shows() {
    let folder = workplace();
    // What an earlier run of this test left there would be found.
    let _ = std::fs::remove_dir_all(folder.join("sums"));
    let mut commands = 0;
    let mut stale = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        let (made, count) = made(&text, |line| run(line, &folder));
        commands += count;
        if made == text {
            continue;
        }
        if std::env::var_os("WIREWAIT_BLESS").is_some_and(|v| v == "1") {
            std::fs::write(&page, made).unwrap();
            continue;
        }
        let differ = text.lines().zip(made.lines()).find(|(old, new)| old != new);
        stale.push(format!("{}: {differ:?}", name(&page)));
    }
    assert!(commands > 20, "{commands} commands");
    assert!(
        stale.is_empty(),
        "WIREWAIT_BLESS=1 writes them anew: {stale:#?}"
    );
}

#[test]
fn a_page_that_shows_something_else_is_found() {
    let page = "text\n```console\n$ wirewait -V\nold\n```\nmore\n";
    let (made, commands) = made(page, |line| format!("output of {line}\n"));
    assert_eq!(commands, 1);
    assert_eq!(
        made,
        "text\n```console\n$ wirewait -V\noutput of wirewait -V\n```\nmore\n"
    );
}

/// The command lines of `sh` blocks that run the program, without what follows in a pipe.
fn shown(page: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        match line {
            "```sh" => inside = true,
            "```" => inside = false,
            line if inside => {
                let line = line.split(" #").next().unwrap_or_default();
                for part in line.split(" | ") {
                    let part = part.trim().trim_start_matches("sudo ");
                    if part == "wirewait" || part.starts_with("wirewait ") {
                        lines.push(part.to_owned());
                    }
                }
            }
            _ => {}
        }
    }
    lines
}

#[test]
fn every_other_command_is_accepted() {
    let folder = workplace();
    let accepted = |line: &str| run(&format!("{line} --help"), &folder).contains("Usage: wirewait");
    let refused = |line: &str| run(&format!("{line} --help"), &folder).contains("error:");
    let mut lines = 0;
    for page in pages() {
        for line in shown(&std::fs::read_to_string(&page).unwrap()) {
            lines += 1;
            let page = name(&page);
            assert!(accepted(&line) && !refused(&line), "{page}: {line}");
        }
    }
    assert!(lines > 10, "{lines} lines");
    assert!(
        refused("wirewait live --no-such-option"),
        "the check cannot fail"
    );
}

#[test]
fn every_link_leads_somewhere() {
    let mut links = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for rest in text.split("](").skip(1) {
            let target = rest.split(')').next().unwrap_or_default();
            let target = target.split('#').next().unwrap_or_default();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            links += 1;
            let path = page.parent().unwrap().join(target);
            assert!(path.exists(), "{}: {target}", name(&page));
        }
    }
    assert!(links > 30, "{links} links");
}

#[test]
fn the_readme_is_short_and_every_page_is_in_the_contents() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    assert!(
        readme.lines().count() < 150,
        "{} lines",
        readme.lines().count()
    );
    let contents = std::fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    for page in support::files(&root().join("docs")) {
        let file = page.file_name().unwrap().to_str().unwrap();
        if file.ends_with(".md") && file != "SUMMARY.md" {
            assert!(contents.contains(&format!("]({file})")), "{file}");
        }
    }
    for page in support::files(&root().join("docs/decisions")) {
        let file = page.file_name().unwrap().to_str().unwrap();
        let listed = contents.contains(&format!("](decisions/{file})"));
        assert!(listed || !file.ends_with(".md"), "decisions/{file}");
    }
}
