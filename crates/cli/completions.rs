//! `wirewait completions`: the command line, for shells that complete it.

use crate::args::CompletionsArgs;
use crate::failure::{Failure, Verdict};
use crate::output::Output;
use clap::Command;
use clap_complete::Shell;
use std::io::Write;

pub(crate) fn run(args: &CompletionsArgs, command: Command) -> Result<Verdict, Failure> {
    let text = script(args.shell, command);
    let mut output = Output::open(&args.output, &[])?;
    output.write(|out| out.write_all(&text))?;
    output.finish()?;
    Ok(Verdict::Whole)
}

fn script(shell: Shell, command: Command) -> Vec<u8> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut with_report(command), "wirewait", &mut text);
    text
}

/// `wirewait FILE` is a report: without a command its options are completed, too. Shells complete files
/// anyway.
fn with_report(command: Command) -> Command {
    let Some(report) = command.find_subcommand("report") else {
        return command;
    };
    let known = |wanted: &clap::Arg| {
        let mut own = command.get_arguments();
        own.any(|arg| arg.get_id() == wanted.get_id())
    };
    let options = report.get_arguments();
    let further: Vec<_> = options
        .filter(|arg| !arg.is_positional() && !known(arg))
        .cloned()
        .collect();
    command.args(further)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What bash offers for the last of these words.
    fn offered(words: &[&str]) -> Option<String> {
        let script = String::from_utf8(script(Shell::Bash, crate::parse::command())).unwrap();
        let (last, typed) = (words.len() - 1, words.join(" "));
        let asked = format!(
            "{script}\nCOMP_WORDS=({typed}); COMP_CWORD={last}\n\
             _wirewait wirewait {} {}\necho \"${{COMPREPLY[@]}}\"",
            words[last],
            words[last - 1]
        );
        let output = std::process::Command::new("bash")
            .args(["-c", &asked])
            .output();
        Some(
            String::from_utf8(output.ok()?.stdout)
                .unwrap()
                .trim()
                .to_owned(),
        )
    }

    #[test]
    fn options_of_a_report_are_completed_without_its_name() {
        for words in [
            &["wirewait", "--sho"][..],
            &["wirewait", "capture.pcapng", "--sho"],
            &["wirewait", "report", "--sho"],
        ] {
            match offered(words) {
                Some(offered) => assert_eq!(offered, "--short", "{words:?}"),
                None => eprintln!("SKIPPED: there is no bash"),
            }
        }
    }

    #[test]
    fn every_shell_knows_the_options_of_a_report_without_its_name() {
        for shell in [Shell::Zsh, Shell::Fish, Shell::Elvish, Shell::PowerShell] {
            let text = String::from_utf8(script(shell, crate::parse::command())).unwrap();
            let before = |text: &str| text.matches("explain").count();
            // In the part of the program, of report and of live.
            assert!(before(&text) >= 3, "{shell}");
        }
    }
}
