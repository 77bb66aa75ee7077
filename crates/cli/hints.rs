//! What to type instead: options and syntax of other tools and commands, and files that are no captures.

mod display;

pub(crate) use display::in_capture_syntax;
#[cfg(feature = "libpcap")]
pub(crate) use display::{is_display_syntax, lacks_responses, own_name, unknown_port};

use crate::args::InputArgs;
use crate::failure::shown;
use std::io::Read;
use std::path::{Path, PathBuf};
use wirewait_capture::held;
use wirewait_report::Escaped;
use wirewait_report::config::nearest;
use wirewait_report::words::Grouped;

/// What to type instead of an option that tshark, tcpdump or another command has; `value` is the word behind it.
pub(crate) fn foreign(option: &str, value: Option<&str>, command: &str) -> Option<String> {
    let live = command == "live";
    let word = |usual: &str| -> String { value.unwrap_or(usual).to_owned() };
    let typed = match option {
        "-r" if live => format!(
            "files have a command of their own: wirewait {}",
            word("FILE")
        ),
        "-r" => format!("captures need no option: wirewait {}", word("FILE")),
        "-i" => format!("interfaces are for live: wirewait live -i {}", word("eth0")),
        "-D" => "interfaces are for live: wirewait live -D".to_owned(),
        "-w" if live => format!("to save frames: wirewait live --save {}", word("FILE")),
        "-w" => format!(
            "to save frames: wirewait live --save {0}; to write a report: -o FILE",
            word("FILE")
        ),
        "-Y" | "-R" => {
            let wanted = value.and_then(in_capture_syntax);
            let wanted = wanted.unwrap_or_else(|| "tcp port 445".to_owned());
            let option = if live { "-f" } else { "--filter" };
            format!(
                "that is Wireshark's display filter; here: {option} '{wanted}', or by field: \
                 wirewait decode FILE --show 'smb2.MessageId == 5'"
            )
        }
        "-f" => format!("for files: --filter '{}'", word("tcp port 445")),
        "-c" if live => format!("to end after N frames: --count {}", word("1000")),
        "-c" => format!(
            "to read a part: --until 60, or decode FILE -F 1-{}",
            word("1000")
        ),
        "-a" => "to end a capture: --duration 10min, --count N".to_owned(),
        "-b" => "for a ring of files: --save FILE --save-size 100M --save-files 20".to_owned(),
        "-z" => "response times are part of the report: wirewait FILE".to_owned(),
        "-n" => "names are never looked up; leave -n out".to_owned(),
        "--fail-if" => format!(
            "it belongs to report, compare and live: wirewait report FILE --fail-if '{0}'",
            value.unwrap_or("server % > 40")
        ),
        "--interval" => format!(
            "for figures over time: wirewait counters FILE --interval {0}, or wirewait live --interval {0}",
            word("10")
        ),
        "-x" | "-O" => "for fields and bytes: wirewait decode FILE -d -F 17".to_owned(),
        "-V" => "for the version: wirewait --version".to_owned(),
        "-q" | "--quiet" => "for one screen of the report: wirewait --short FILE".to_owned(),
        "--json" | "--csv" | "--html" | "--ndjson" | "--pcapng" => format!(
            "formats are named: --format {0}, or -o FILE.{0}",
            option.trim_start_matches('-')
        ),
        "--client" | "--server" | "--host" | "--ip" | "--address" => format!(
            "frames of one address: {} 'host {}'",
            if live { "-f" } else { "--filter" },
            word("10.0.0.1")
        ),
        "--command" | "--operation" | "--cmd" => format!(
            "for frames of one command: wirewait decode FILE --show 'command {}'",
            word("READ*")
        ),
        "--show" => format!(
            "it belongs to decode: wirewait decode FILE --show '{}'",
            word("command READ*")
        ),
        "--top" | "--slowest" => format!(
            "for more or fewer of the slowest requests: wirewait --full FILE --limit slowest={}",
            word("20")
        ),
        "--sort" | "--order" => {
            "requests come in the order in which they are closed; for the slowest: wirewait \
             --full FILE; to sort: wirewait transactions FILE --format csv"
                .to_owned()
        }
        "-T" | "-e" => "for programs: --format json, or wirewait transactions FILE".to_owned(),
        _ => return None,
    };
    Some(format!(
        "{option} is no option of wirewait {command}; {typed}"
    ))
}

/// The command that a word stands for, which is none: its beginning, or what it is called elsewhere; or
/// one that is spelled much alike.
pub(crate) fn meant<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    const ELSEWHERE: [(&str, &[&str]); 6] = [
        (
            "report",
            &[
                "analyse", "analyze", "diagnose", "slowest", "srt", "stats", "summary", "symptoms",
                "verdict",
            ],
        ),
        ("transactions", &["list", "requests", "rows"]),
        ("compare", &["diff"]),
        ("decode", &["dump", "frames", "print", "show"]),
        ("live", &["capture", "monitor", "watch"]),
        ("view", &["open", "replay"]),
    ];
    let known: Vec<&str> = known.collect();
    let begun = |command: &&&str| word.len() > 2 && command.starts_with(word);
    let other = || {
        let (command, _) = ELSEWHERE.iter().find(|(_, words)| words.contains(&word))?;
        known.iter().find(|known| *known == command)
    };
    let found = known.iter().find(begun).or_else(other);
    found.copied().or_else(|| nearest(word, known.into_iter()))
}

/// What a file is that is no capture, and what to type instead; `None` if that cannot be told.
pub(crate) fn instead_of(path: &Path) -> Option<String> {
    let name = path.display().to_string();
    let shown = Escaped(&name);
    let url = ["http://", "https://", "ftp://", "smb://"];
    if url.iter().any(|scheme| name.starts_with(scheme)) && !path.exists() {
        return Some(format!(
            "{shown}: wirewait does not download; type: curl -sSL '{shown}' | wirewait -"
        ));
    }
    let mut head = [0; 512];
    let read = held::open(path).ok()?.read(&mut head).ok()?;
    if path
        .extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("etl"))
    {
        return Some(format!(
            "{shown}: an event trace of Windows (netsh trace, pktmon), not a capture; type: etl2pcapng {shown} out.pcapng \
             (or, on Windows: pktmon etl2pcap {shown})"
        ));
    }
    kind(head.get(..read)?).map(|(what, instead)| {
        let instead = instead.replace("FILE", &shown.to_string());
        format!("{shown}: {what}, not a capture; {instead}")
    })
}

/// What to say where none of the files that were found is a capture.
pub(crate) fn no_capture(input: &InputArgs) -> String {
    const NAMED: usize = 3;
    let place = match input.places.as_slice() {
        [place] if place.is_dir() => format!("{}: no capture in this folder", shown(place)),
        [place] => format!("{}: no capture among its files", shown(place)),
        _ => "no capture among the files".to_owned(),
    };
    let count = input.files.len();
    let name = |file: &PathBuf| {
        let folder = input.places.iter().find(|place| file.starts_with(place));
        let short = folder.and_then(|folder| file.strip_prefix(folder).ok());
        shown(short.unwrap_or(file))
    };
    let mut names: Vec<String> = input.files.iter().take(NAMED).map(name).collect();
    if count > NAMED {
        names.push(format!("{} more", Grouped((count - NAMED) as u64)));
    }
    format!(
        "{place}; {} looked at, none is a capture that can be read: {}; to see why one is not: \
         wirewait FILE",
        match count {
            1 => "1 file was".to_owned(),
            count => format!("{} files were", Grouped(count as u64)),
        },
        names.join(", ")
    )
}

/// What begins like this, and what to type instead.
fn kind(head: &[u8]) -> Option<(&'static str, &'static str)> {
    let archives: [(&[u8], &str, &str); 3] = [
        (
            b"7z\xbc\xaf\x27\x1c",
            "a 7z archive",
            "type: 7z e -so FILE | wirewait -",
        ),
        (
            b"Rar!",
            "a RAR archive",
            "type: unrar p -inul FILE | wirewait -",
        ),
        (b"\x7fELF", "a program", "name a capture file"),
    ];
    let archive = archives.iter().find(|(magic, ..)| head.starts_with(magic));
    if let Some((_, what, instead)) = archive {
        return Some((what, instead));
    }
    // pcapng begins with line ends.
    if head.starts_with(b"\n\r\r\n") {
        return None;
    }
    let text = head.contains(&b'\n')
        && head
            .iter()
            .all(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~' | 0x80..));
    if !text {
        return None;
    }
    let json = head.trim_ascii_start().starts_with(b"{");
    let ours = head.windows(8).any(|part| part == b"\"schema\"");
    Some(match (json, ours) {
        (true, true) => (
            "JSON that wirewait wrote",
            "sums of `report --summary` are added up with: wirewait merge FILE",
        ),
        (true, false) => ("JSON", "name a capture file"),
        (false, _) => (
            "a text file",
            "a hex dump becomes a capture with: text2pcap FILE out.pcap",
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_their_beginning() {
        let what = |head: &[u8]| kind(head).map(|(what, _)| what);
        assert_eq!(what(b"Rar!rest"), Some("a RAR archive"));
        assert_eq!(what(b"hello\n"), Some("a text file"));
        assert_eq!(what(b"{\n \"schema\": 1"), Some("JSON that wirewait wrote"));
        assert_eq!(what(b"{\"a\": 1}\n"), Some("JSON"));
        assert_eq!(what(b"\x42\x01\x02\x03\x04"), None);
        assert_eq!(what(b"\n\r\r\n"), None, "the beginning of pcapng");
        assert_eq!(what(b""), None);
    }

    #[test]
    fn words_that_stand_for_commands() {
        let known = ["report", "transactions", "decode", "live", "help"];
        let meant = |word: &str| meant(word, known.into_iter());
        for (word, command) in [
            ("trans", Some("transactions")),
            ("show", Some("decode")),
            ("summary", Some("report")),
            ("symptoms", Some("report")),
            ("reprot", Some("report")),
            ("li", None),
            // A command that is not there.
            ("diff", None),
            ("zebra", None),
        ] {
            assert_eq!(meant(word), command, "{word}");
        }
    }

    #[test]
    fn options_of_other_tools() {
        let typed = foreign("-Y", Some("tcp.port == 139"), "report").unwrap();
        assert!(typed.contains("--filter 'tcp port 139'"), "{typed}");
        assert!(
            foreign("-r", Some("a.pcap"), "report")
                .unwrap()
                .ends_with("wirewait a.pcap")
        );
        assert_eq!(foreign("-Q", None, "report"), None);
        for (option, value, instead) in [
            ("--client", Some("10.0.0.7"), "--filter 'host 10.0.0.7'"),
            ("--top", Some("3"), "--limit slowest=3"),
            ("--command", None, "decode FILE --show 'command READ*'"),
            (
                "--show",
                Some("dst port 445"),
                "decode FILE --show 'dst port 445'",
            ),
            ("--sort", Some("time"), "transactions FILE --format csv"),
        ] {
            let typed = foreign(option, value, "transactions").unwrap();
            assert!(typed.ends_with(instead), "{typed}");
        }
        let typed = foreign("--fail-if", Some("p95 > 1s"), "transactions").unwrap();
        assert!(
            typed.contains("wirewait report FILE --fail-if 'p95 > 1s'"),
            "{typed}"
        );
        let typed = foreign("--interval", Some("5"), "report").unwrap();
        assert!(typed.contains("counters FILE --interval 5"), "{typed}");
    }
}
