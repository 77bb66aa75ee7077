//! `wirewait man`: the manual, made from the help texts.

use crate::args::{ManArgs, RIGHTS};
use crate::config;
use crate::failure::{CODES, Failure, Verdict, shown};
use crate::output;
use crate::replacement::{Readers, Replacement};
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::io::{self, Write as _};

const FORMATS: &str = "pcap and pcapng, plain or compressed with gzip, zstd, lz4, xz or bzip2; Network \
    General Sniffer, NetXRay, Sniffer Pro, Network Monitor, LANalyzer, snoop and iptrace. The format is \
    recognised by content.";

const VARIABLES: [(&str, &str); 4] = [
    (
        config::VARIABLE,
        "Configuration file, unless --config names one; empty for none.",
    ),
    ("NO_COLOR", "Disables colour."),
    (
        "PAGER",
        "Program that pages text at a terminal: less with LESS=FRX if it is not set; cat or empty \
         for none.",
    ),
    ("XDG_CONFIG_HOME", "Folder of the configuration file."),
];

const SIGNALS: [(&str, &str); 4] = [
    (
        "SIGINT, SIGTERM, SIGQUIT, SIGHUP",
        "live, view, report, transactions and counters stop and report what was read; a report of \
         files says so, and the exit code is 3. A second signal ends them at once. With captures on \
         the standard input, SIGTERM and SIGHUP end all but live at once, and SIGINT and SIGQUIT are \
         heeded when more of it comes, or its end. report --parallel and all other \
         commands end at once and leave files as they were; with --summaries the same command goes on \
         where it was.",
    ),
    (
        "SIGHUP",
        "live --listen and live --interval without a terminal, as services: read the configuration \
         and open the file of rows (-o) again, and continue. Settings that figures depend on stay as \
         they were until the next start; they are named on the standard error. An invalid \
         configuration changes nothing.",
    ),
    (
        "SIGUSR1",
        "Report and continue: live without a screen writes the report as it stands (to the standard \
         output or to the file of -o) and the drops to the standard error; report, transactions and \
         counters write their progress to the standard error, report --parallel how many captures \
         are done.",
    ),
    (
        "SIGUSR2",
        "Write buffered frames to the file of live --save.",
    ),
];

const OUTPUT: &str = "Files of -o and --summary, exports and manual pages take their names when they \
    are complete; until then, and after a signal or with a full disk, the old file stays. Links are \
    followed; permissions and owner stay. If the folder takes no new file (a folder of root, while \
    wirewait runs as nobody), wirewait reserves room and copies the complete output into the file; \
    if even that is impossible, it writes in place, with a warning. Devices, pipes, and rows from \
    live or from the standard input are written as they come. In CSV, text that begins with =, +, \
    -, @, tab or carriage return has an apostrophe in front, so that no spreadsheet runs it as a \
    formula; numbers do not change.";

/// Writes the manual of a command line.
pub(crate) fn run(args: &ManArgs, mut command: Command) -> Result<Verdict, Failure> {
    command.build();
    let Some(folder) = &args.output else {
        let text = whole(&command).map_err(|error| Failure::writing("the manual", &error))?;
        return output::print(&text);
    };
    let pages = pages(&command).map_err(|error| Failure::writing("the manual", &error))?;
    let cannot = |path: &std::path::Path| {
        let name = shown(path);
        move |error: io::Error| Failure::writing(&name, &error)
    };
    std::fs::create_dir_all(folder).map_err(cannot(folder))?;
    for (name, text) in pages {
        let path = folder.join(name);
        let written = Replacement::new(&path, Readers::Usual).and_then(|mut page| {
            page.write_all(text.as_bytes())?;
            page.commit()
        });
        written.map_err(cannot(&path))?;
    }
    Ok(Verdict::Whole)
}

/// A page for the program and one for each command, with their names.
fn pages(command: &Command) -> io::Result<Vec<(String, String)>> {
    let mut pages = vec![("wirewait.1".to_owned(), page(command)?)];
    for sub in documented(command) {
        pages.push((format!("wirewait-{}.1", sub.get_name()), page(sub)?));
    }
    Ok(pages)
}

/// The commands that have a page: `help` shows them.
fn documented(command: &Command) -> impl Iterator<Item = &Command> {
    command
        .get_subcommands()
        .filter(|sub| sub.get_name() != "help")
}

/// A page of its own.
fn page(command: &Command) -> io::Result<String> {
    let mut out = Vec::new();
    let man = man(command);
    man.render_title(&mut out)?;
    man.render_name_section(&mut out)?;
    man.render_synopsis_section(&mut out)?;
    man.render_description_section(&mut out)?;
    man.render_options_section(&mut out)?;
    if command.get_subcommands().next().is_some() {
        man.render_subcommands_section(&mut out)?;
    }
    notes(command, "SH", &mut out)?;
    common(command, &mut out)?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// What --help says behind the options, line by line. The program's own is said elsewhere.
fn notes(command: &Command, heading: &str, out: &mut Vec<u8>) -> io::Result<()> {
    let Some(text) = command.get_after_long_help() else {
        return Ok(());
    };
    let mut roff = Roff::new();
    roff.control(heading, ["NOTES"]);
    roff.control("nf", []);
    for line in text.to_string().lines() {
        roff.text([roman(line)]);
    }
    roff.control("fi", []);
    roff.to_writer(out)
}

/// One page of the program and all its commands.
fn whole(command: &Command) -> io::Result<String> {
    let mut out = Vec::new();
    let program = man(command);
    program.render_title(&mut out)?;
    program.render_name_section(&mut out)?;
    program.render_synopsis_section(&mut out)?;
    program.render_description_section(&mut out)?;
    program.render_options_section(&mut out)?;
    program.render_subcommands_section(&mut out)?;
    for sub in documented(command) {
        let mut roff = Roff::new();
        let title = format!("WIREWAIT {}", sub.get_name().to_uppercase());
        roff.control("SH", [title.as_str()]);
        roff.to_writer(&mut out)?;
        let mut part = Vec::new();
        let man = man(sub);
        man.render_synopsis_section(&mut part)?;
        man.render_description_section(&mut part)?;
        man.render_options_section(&mut part)?;
        let part = String::from_utf8_lossy(&part).replace("\n.SH ", "\n.SS ");
        let part = part
            .strip_prefix(".SH ")
            .map_or(part.clone(), |rest| format!(".SS {rest}"));
        out.extend(part.into_bytes());
        notes(sub, "SS", &mut out)?;
    }
    common(command, &mut out)?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}

fn man(command: &Command) -> Man {
    // Options that -h leaves out would be there without their description.
    Man::new(command.clone().mut_args(|arg| arg.hide_short_help(false)))
        .section("1")
        .manual("User commands")
}

/// What holds for all commands.
fn common(command: &Command, out: &mut Vec<u8>) -> io::Result<()> {
    let mut roff = Roff::new();
    let mut list = |title: &str, rows: &[(String, String)]| {
        roff.control("SH", [title]);
        for (name, what) in rows {
            roff.control("TP", []);
            roff.text([bold(name.as_str())]);
            roff.text([roman(what.as_str())]);
        }
    };
    let owned = |rows: &[(&str, &str)]| -> Vec<(String, String)> {
        let own = |(name, what): &(&str, &str)| ((*name).to_owned(), (*what).to_owned());
        rows.iter().map(own).collect()
    };
    let codes = CODES.map(|(code, meaning)| (code.to_string(), format!("{meaning}.")));
    list("EXIT STATUS", &codes);
    list("SIGNALS", &owned(&SIGNALS));
    let mut variables = owned(&VARIABLES);
    let set = config::environment().into_iter();
    variables.extend(set.map(|(name, option)| (name, format!("As the option {option}."))));
    list("ENVIRONMENT", &variables);
    let files = [
        (
            "$XDG_CONFIG_HOME/wirewait/config.toml",
            "The configuration, ~/.config/wirewait/config.toml \
            where XDG_CONFIG_HOME is not set. wirewait --print-config prints one that explains \
            itself. Options come before the environment, the environment before the file.",
        ),
        ("capture files", FORMATS),
        ("output", OUTPUT),
    ];
    list("FILES", &owned(&files));
    roff.control("SH", ["SECURITY"]);
    roff.text([roman(RIGHTS)]);
    roff.control("SH", ["SEE ALSO"]);
    let others = documented(command).map(|sub| format!("wirewait-{}(1)", sub.get_name()));
    let others: Vec<String> = match command.get_name() {
        "wirewait" => others.collect(),
        _ => vec!["wirewait(1)".to_owned()],
    };
    let others = others
        .into_iter()
        .chain(["tshark(1)".to_owned(), "pcap-filter(7)".to_owned()]);
    roff.text([roman(others.collect::<Vec<_>>().join(", "))]);
    roff.to_writer(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_and_a_place_in_the_whole() {
        let mut command = crate::parse::command();
        command.build();
        let pages = pages(&command).unwrap();
        let whole = whole(&command).unwrap();
        assert_eq!(pages.len(), 1 + documented(&command).count());
        for sub in documented(&command) {
            let name = sub.get_name();
            let title = format!(".SH \"WIREWAIT {}\"", name.to_uppercase());
            assert!(whole.contains(&title), "{name}");
            let page = pages
                .iter()
                .find(|(file, _)| *file == format!("wirewait-{name}.1"));
            let (_, page) = page.unwrap_or_else(|| panic!("{name}"));
            for section in ["NAME", "SYNOPSIS", "EXIT STATUS", "ENVIRONMENT", "FILES"] {
                let quoted = format!(".SH \"{section}\"\n");
                let found = page.contains(&format!(".SH {section}\n")) || page.contains(&quoted);
                assert!(found, "{name} {section}\n{page}");
            }
        }
    }

    #[test]
    fn no_option_is_without_a_description() {
        let mut command = crate::parse::command();
        command.build();
        let mut pages = pages(&command).unwrap();
        pages.push(("the whole".to_owned(), whole(&command).unwrap()));
        for (name, page) in pages {
            let lines: Vec<&str> = page.lines().collect();
            for (at, _) in lines.iter().enumerate().filter(|(_, line)| **line == ".TP") {
                let [option, what] = [at + 1, at + 2].map(|at| lines.get(at).copied());
                let described = what.is_some_and(|text| !text.is_empty() && !text.starts_with('.'));
                assert!(described, "{name}: {option:?} {what:?}");
            }
        }
    }

    #[test]
    fn compressed_captures_are_those_of_the_documentation() {
        let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/formats.md");
        let docs = std::fs::read_to_string(docs).unwrap();
        let list = |text: &str| {
            let (_, behind) = text.split_once("compressed with ").unwrap();
            behind.split_once(';').unwrap().0.to_owned()
        };
        assert_eq!(list(FORMATS), list(&docs));
    }
}
