//! `wirewait --extcap-...`: live captures as sources in Wireshark, which calls each program in its
//! folder of external captures with these options ("Adding capture interfaces", Wireshark's
//! developer's guide, chapter 8).

use crate::failure::Failure;
use crate::input;
use clap::Parser;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::PathBuf;
use wirewait_capture::live::devices;
use wirewait_report::Escaped;

/// What Wireshark's names of our interfaces begin with: it has the same ones of its own.
const FRONT: &str = "wirewait-";

/// What Wireshark asks.
#[derive(Debug, Parser)]
#[command(
    name = "wirewait",
    disable_help_flag = true,
    disable_version_flag = true
)]
struct Extcap {
    #[arg(long)]
    extcap_interfaces: bool,
    /// That of Wireshark; any will do.
    #[arg(long, value_name = "VERSION")]
    extcap_version: Option<String>,
    #[arg(long, value_name = "NAME")]
    extcap_interface: Option<String>,
    #[arg(long)]
    extcap_dlts: bool,
    #[arg(long)]
    extcap_config: bool,
    #[arg(long)]
    capture: bool,
    #[arg(long, value_name = "FILTER")]
    extcap_capture_filter: Option<String>,
    #[arg(long, value_name = "PIPE")]
    fifo: Option<PathBuf>,
    /// The threshold of the configuration below.
    #[arg(long, value_name = "MS")]
    slow_ms: Option<u64>,
}

/// What is to be done for it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Print this.
    Print(String),
    /// Run the program with these arguments.
    Run(Vec<OsString>),
}

/// What Wireshark asks for, if it is Wireshark that calls.
pub(crate) fn asked(typed: &[OsString]) -> Option<Result<Asked, Failure>> {
    let of_wireshark =
        |arg: &OsString| arg.to_str().is_some_and(|arg| arg.starts_with("--extcap-"));
    typed.iter().any(of_wireshark).then(|| {
        let extcap = Extcap::try_parse_from(typed);
        extcap
            .map_err(|error| Failure::Usage(Escaped(error.to_string().trim()).to_string()))
            .and_then(answer)
    })
}

fn answer(asked: Extcap) -> Result<Asked, Failure> {
    if asked.extcap_interfaces {
        return interfaces().map(Asked::Print);
    }
    let name = asked.extcap_interface.as_deref();
    let Some(device) = name.and_then(|name| name.strip_prefix(FRONT)) else {
        return Err(Failure::Usage(format!(
            "--extcap-interface: name one that --extcap-interfaces lists: {FRONT}eth0"
        )));
    };
    if asked.extcap_dlts {
        // What frames are of is in the capture itself.
        return Ok(Asked::Print(
            "dlt {number=1}{name=EN10MB}{display=Ethernet}\n".to_owned(),
        ));
    }
    if asked.extcap_config {
        return Ok(Asked::Print(
            "arg {number=0}{call=--slow-ms}{display=Slow above}{tooltip=Requests that take longer get a \
             comment (milliseconds)}{type=unsigned}{range=0,3600000}{default=100}\n"
                .to_owned(),
        ));
    }
    if !asked.capture {
        // It asks whether the filter is right; a sentence says that it is not.
        let wrong = asked
            .extcap_capture_filter
            .as_deref()
            .map(input::compile_filter);
        let said = wrong.and_then(Result::err).map(|error| error.to_string());
        return Ok(Asked::Print(said.unwrap_or_default()));
    }
    let Some(fifo) = asked.fifo else {
        return Err(Failure::Usage(
            "--capture: --fifo names the pipe to write to".to_owned(),
        ));
    };
    let mut arguments: Vec<OsString> = ["wirewait", "live", "--format", "pcapng", "-i"]
        .map(Into::into)
        .to_vec();
    arguments.extend([device.into(), "-o".into(), fifo.into_os_string()]);
    if let Some(filter) = asked.extcap_capture_filter.filter(|text| !text.is_empty()) {
        arguments.extend(["--filter".into(), filter.into()]);
    }
    if let Some(ms) = asked.slow_ms {
        arguments.extend(["--threshold".into(), format!("slow_answer_ms={ms}").into()]);
    }
    Ok(Asked::Run(arguments))
}

fn interfaces() -> Result<String, Failure> {
    let mut text = format!(
        "extcap {{version={}}}{{display=wirewait}}\n",
        env!("CARGO_PKG_VERSION")
    );
    let all = devices().map_err(|error| Failure::Cannot(Escaped(&error.message).to_string()))?;
    for device in all.iter().filter(|device| device.up) {
        let name = Escaped(&device.name);
        // Braces end a value.
        if device.name.contains(['{', '}']) {
            continue;
        }
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "interface {{value={FRONT}{name}}}{{display=wirewait on {name}: comments on slow requests}}"
        );
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(arguments: &[&str]) -> Option<Result<Asked, Failure>> {
        let typed: Vec<OsString> = ["wirewait"]
            .iter()
            .chain(arguments)
            .map(Into::into)
            .collect();
        asked(&typed)
    }

    fn printed(arguments: &[&str]) -> String {
        match ask(arguments) {
            Some(Ok(Asked::Print(text))) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn only_wireshark_is_answered() {
        assert!(ask(&["report", "x.pcapng"]).is_none());
        assert!(ask(&["live", "-D"]).is_none());
        let text = printed(&["--extcap-interfaces", "--extcap-version=4.0"]);
        assert!(text.starts_with("extcap {version="), "{text}");
    }

    #[test]
    fn an_interface_has_a_link_type_and_one_option() {
        let of = ["--extcap-interface", "wirewait-lo"];
        let dlts = printed(&[&of[..], &["--extcap-dlts"]].concat());
        assert_eq!(dlts, "dlt {number=1}{name=EN10MB}{display=Ethernet}\n");
        let config = printed(&[&of[..], &["--extcap-config"]].concat());
        assert!(config.contains("{call=--slow-ms}") && config.lines().count() == 1);
        assert!(matches!(
            ask(&["--extcap-interface", "lo", "--extcap-dlts"]),
            Some(Err(Failure::Usage(_)))
        ));
    }

    #[test]
    fn a_filter_is_judged() {
        let of = [
            "--extcap-interface",
            "wirewait-lo",
            "--extcap-capture-filter",
        ];
        assert_eq!(printed(&[&of[..], &["tcp port 445"]].concat()), "");
        assert!(printed(&[&of[..], &["tcp prt 445"]].concat()).contains("prt"));
    }

    #[test]
    fn a_capture_is_a_live_capture_into_the_pipe() {
        let asked = ask(&[
            "--capture",
            "--extcap-interface",
            "wirewait-eth1",
            "--fifo",
            "/tmp/pipe",
            "--extcap-capture-filter",
            "port 445",
            "--slow-ms",
            "250",
        ]);
        let wanted = "wirewait live --format pcapng -i eth1 -o /tmp/pipe --filter";
        let wanted = wanted.split(' ').map(OsString::from);
        let behind = ["port 445", "--threshold", "slow_answer_ms=250"].map(OsString::from);
        match asked {
            Some(Ok(Asked::Run(run))) => assert!(run.into_iter().eq(wanted.chain(behind))),
            other => panic!("{other:?}"),
        }
        let nowhere = ask(&["--capture", "--extcap-interface", "wirewait-eth1"]);
        assert!(matches!(nowhere, Some(Err(Failure::Usage(_)))));
    }
}
