//! What help says beside the options: examples, conditions, exit codes.

use crate::args::about_live;
use crate::condition::{conditions, conditions_on_one};
use crate::failure::CODES;

/// Examples for each command, as `-h` shows them.
const EXAMPLES: [(&str, &str); 11] = [
    (
        "report",
        "  wirewait report capture.pcapng                           verdict, one screen
  wirewait report --fail-if 'server % > 40' a.pcap         for scripts: exit code 4 if it holds
  wirewait report --full --filter 'host 10.0.0.8' a.pcap   all tables of one host
  wirewait report -o report.html capture.pcapng            a page with charts
  wirewait report --explain=slow_server capture.pcapng     how a symptom was judged",
    ),
    (
        "transactions",
        "  wirewait transactions capture.pcapng                     one line per request
  wirewait transactions -o requests.csv capture.pcapng     for a spreadsheet",
    ),
    (
        "compare",
        "  wirewait compare before.pcapng after.pcapng
  wirewait compare before=mon.pcap after=tue.pcap --by share
  wirewait compare a.pcap b.pcap --fail-if 'response_time > +10% significant'",
    ),
    (
        "between",
        "  wirewait between at-client.pcapng at-server.pcapng
  wirewait between desk=mon-1.pcap,mon-2.pcap room=server.pcap",
    ),
    (
        "merge",
        "  wirewait report --summary monday.json monday.pcapng
  wirewait merge monday.json tuesday.json",
    ),
    (
        "view",
        "  wirewait view capture.pcapng                all of it at once
  wirewait view --speed 10 capture.pcapng     ten times as fast as captured",
    ),
    (
        "decode",
        "  wirewait decode capture.pcapng -F 231-282               these frames, one line each
  wirewait decode capture.pcapng -F 231 -d                one frame, every field and byte
  wirewait decode capture.pcapng --show 'command READ*'   frames of one operation",
    ),
    (
        "live",
        "  wirewait live                                  the screen, on the busiest interface
  wirewait live -i eth1 -f 'tcp port 445'        one interface, SMB only
  wirewait live -i eth1 --duration 10min -o report.json
  wirewait live -i eth1 --save lan.pcapng --save-size 100M --save-files 20",
    ),
    (
        "counters",
        "  wirewait counters capture.pcapng                              counters that are not zero
  wirewait counters --interval 5s -o counters.csv capture.pcapng",
    ),
    (
        "protocols",
        "  wirewait protocols                all protocols
  wirewait protocols NetBEUI SMB    the protocols with these names",
    ),
    (
        "last-calibrate",
        "  wirewait last-calibrate cluster.pcap -o last.csv
  wirewait decode cluster.pcap -d --last-profile last.csv",
    ),
];

const START: &str = "\
Examples:
  wirewait capture.pcapng                   verdict, symptoms, slowest requests
  wirewait --full capture.pcapng            all tables
  wirewait view capture.pcapng              the same on a screen
  wirewait live -i eth1 -f 'tcp port 445'   live, SMB only
  wirewait help report                      help for a command

`wirewait FILE...` is short for `wirewait report FILE...`, and `wirewait` alone for `wirewait live`.
`-` is the standard input. Write ./report for a file that has the name of a command.

Options of all commands (see `wirewait --help`):
  --config FILE, --no-config, --print-config    configuration
  --user NAME, --no-sandbox, --print-rights     rights";

/// Adds examples and notes to a command and its subcommands.
pub(crate) fn with_notes(command: clap::Command) -> clap::Command {
    let codes = CODES.map(|(code, meaning)| format!("  {code:<3} {meaning}"));
    let codes = format!("Exit codes:\n{}", codes.join("\n"));
    let command = command
        .after_help(START)
        .after_long_help(format!("{START}\n\n{codes}"));
    command.mut_subcommands(|sub| {
        let name = sub.get_name().to_owned();
        let Some((_, examples)) = EXAMPLES.iter().find(|(known, _)| *known == name) else {
            return sub;
        };
        let examples = format!("Examples:\n{examples}");
        let more = match name.as_str() {
            "report" => format!("\n\n{}", conditions_on_one()),
            "compare" => format!("\n\n{}", conditions()),
            "live" => format!("\n\n{}", about_live()),
            _ => String::new(),
        };
        sub.after_long_help(format!("{examples}{more}"))
            .after_help(examples)
    })
}
