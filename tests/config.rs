//! The configuration file, completions and the manual, as a user meets them.

use crate::support::{program, root};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const DEMO: &str = "captures/demo.pcapng";

/// A program that finds nothing of whoever runs the tests.
fn wirewait(home: &Path) -> Command {
    let mut command = program();
    command
        .current_dir(root())
        .stdin(Stdio::null())
        .env("XDG_CONFIG_HOME", home);
    command
}

fn run(command: &mut Command) -> (String, String, i32) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(stdout), text(stderr), status.code().unwrap())
}

fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(folder.join("wirewait")).unwrap();
    folder
}

/// What a program that may be missing says of a file.
fn judged(program: &str, arguments: &[&str], file: &Path) -> Option<(bool, String)> {
    match Command::new(program).args(arguments).arg(file).output() {
        Ok(output) => {
            let told = [output.stdout, output.stderr].concat();
            let told = String::from_utf8_lossy(&told).into_owned();
            Some((output.status.success(), told))
        }
        Err(_) => {
            eprintln!(
                "SKIPPED: {program} is missing, it did not judge {}",
                file.display()
            );
            None
        }
    }
}

#[test]
fn a_file_where_it_belongs_holds_until_something_else_is_said() {
    let home = folder("config-usual");
    let file = home.join("wirewait/config.toml");
    let text = "[report]\nformat = \"csv\"\n[symptoms]\nslow_answer_ms = 5000\n";
    std::fs::write(&file, text).unwrap();
    let begins = |command: &mut Command, text: &str| {
        let (out, errors, code) = run(command.arg(DEMO));
        assert_eq!(code, 0, "{errors}");
        assert!(out.starts_with(text), "{out}");
        out
    };
    let csv = begins(&mut wirewait(&home), "section,object,figure,unit,value");
    assert!(csv.contains("thresholds.slow_answer_ms,ms,5000"), "{csv}");
    begins(wirewait(&home).args(["--format", "json"]), "{");
    begins(wirewait(&home).env("WIREWAIT_REPORT_FORMAT", "json"), "{");
    let csv = begins(
        wirewait(&home).args(["--threshold", "slow_answer_ms=7"]),
        "section",
    );
    assert!(csv.contains("thresholds.slow_answer_ms,ms,7"), "{csv}");
    let plain = begins(wirewait(&home).arg("--no-config"), "");
    assert!(!plain.starts_with("section"));
    let other = home.join("other.toml");
    std::fs::write(&other, "[report]\nformat = \"json\"\n").unwrap();
    begins(wirewait(&home).arg("--config").arg(&other), "{");
    begins(wirewait(&home).env("WIREWAIT_CONFIG", &other), "{");
}

#[test]
fn a_mistake_ends_the_program_with_its_place_but_not_the_help() {
    let home = folder("config-wrong");
    let file = home.join("wirewait/config.toml");
    std::fs::write(&file, "# ours\n[analysis]\ntimeout = \"soon\"\n").unwrap();
    let (out, errors, code) = run(wirewait(&home).arg(DEMO));
    assert_eq!((out.as_str(), code), ("", 2));
    let place = format!(
        "wirewait: {}:3:11: timeout: write a duration",
        file.display()
    );
    assert!(errors.starts_with(&place), "{errors}");
    for well in ["--help", "man", "--version"] {
        assert_eq!(run(wirewait(&home).arg(well)).2, 0, "{well}");
    }
    let (_, errors, code) =
        run(wirewait(&home)
            .env("WIREWAIT_DUPLEX", "x")
            .args(["--config", "/dev/null", DEMO]));
    assert_eq!(
        (errors.as_str(), code),
        ("wirewait: WIREWAIT_DUPLEX: it is one of half, full\n", 2)
    );
    let (_, errors, code) = run(wirewait(&home).args(["--config", "none.toml", DEMO]));
    assert_eq!(code, 1);
    assert!(
        errors.starts_with("wirewait: none.toml: cannot be opened: "),
        "{errors}"
    );
}

#[test]
fn what_is_printed_as_a_configuration_is_one() {
    let home = folder("config-printed");
    let (template, errors, code) = run(wirewait(&home).arg("--print-config"));
    assert_eq!((errors.as_str(), code), ("", 0));
    let file = home.join("wirewait/config.toml");
    std::fs::write(&file, &template).unwrap();
    assert_eq!(run(wirewait(&home).arg("--print-config")).0, template);
    let bare = run(wirewait(&home).args(["--no-config", DEMO]));
    assert_eq!(run(wirewait(&home).arg(DEMO)), bare);
}

#[test]
fn completions_and_manual_know_every_command() {
    let home = folder("config-manual");
    let (help, _, _) = run(wirewait(&home).arg("--help"));
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        // It shows the pages of the others.
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.contains(&"report") && commands.len() >= 10);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = home.join(shell);
        let (_, errors, code) = run(wirewait(&home)
            .args(["completions", shell, "-o"])
            .arg(&script));
        assert_eq!((errors.as_str(), code), ("", 0));
        let text = std::fs::read_to_string(&script).unwrap();
        for command in &commands {
            assert!(text.contains(command), "{command} for {shell}");
        }
        // PowerShell and elvish can only run a script.
        if ["bash", "zsh", "fish"].contains(&shell)
            && let Some((fine, told)) = judged(shell, &["-n"], &script)
        {
            assert!(fine, "{told}");
        }
    }
    let pages = home.join("man1");
    let (_, errors, code) = run(wirewait(&home).args(["man", "--output"]).arg(&pages));
    assert_eq!((errors.as_str(), code), ("", 0));
    let whole = home.join("whole.1");
    std::fs::write(&whole, run(wirewait(&home).arg("man")).0).unwrap();
    let named = commands
        .iter()
        .map(|name| pages.join(format!("wirewait-{name}.1")));
    for page in named.chain([pages.join("wirewait.1"), whole.clone()]) {
        assert!(page.exists(), "{}", page.display());
        if let Some((fine, told)) = judged("mandoc", &["-Tlint", "-Wwarning"], &page) {
            assert!(fine && told.is_empty(), "{told}");
        }
        if let Some((fine, told)) = judged("groff", &["-man", "-ww", "-z", "-K", "utf8"], &page) {
            assert!(fine && told.is_empty(), "{told}");
        }
    }
    if let Some((fine, shown)) = judged("groff", &["-man", "-Tascii", "-P-cbou"], &whole) {
        assert!(fine);
        for command in &commands {
            let title = format!("WIREWAIT {}", command.to_uppercase());
            assert!(shown.contains(&title), "{title}\n{shown}");
        }
        for word in [
            "EXIT STATUS",
            "WIREWAIT_LINK_SPEED",
            "FIGURE [of GROUP] > LIMIT",
        ] {
            assert!(shown.contains(word), "{word}\n{shown}");
        }
    }
}
