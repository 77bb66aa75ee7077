//! `wirewait live --list-interfaces`.

use super::source::cannot;
use crate::args::LiveArgs;
use crate::failure::{Failure, Verdict};
use crate::output::Output;
use std::io::Write;
use wirewait_capture::live::{Device, busiest, devices};
use wirewait_report::Escaped;

pub(super) fn run(args: &LiveArgs) -> Result<Verdict, Failure> {
    let all = devices().map_err(cannot)?;
    let preferred = busiest(&all).map(|device| device.name.as_str());
    let mut output = Output::open(&args.output, &[])?;
    let width = all.iter().map(|device| device.name.chars().count()).max();
    let width = width.unwrap_or(0);
    for device in &all {
        let mark = if preferred == Some(device.name.as_str()) {
            '*'
        } else {
            ' '
        };
        let line = format!("{mark} {:width$}  {}", Escaped(&device.name), about(device));
        output.write(|out| writeln!(out, "{}", line.trim_end()))?;
    }
    if preferred.is_some() {
        output.write(|out| {
            writeln!(
                out,
                "* is captured from when none is named with -i: of those that are up and lead \
                 somewhere it has received most"
            )
        })?;
    }
    output.finish()?;
    Ok(Verdict::Whole)
}

/// The interface to capture from when none is named.
pub(super) fn preferred() -> Result<String, Failure> {
    let all = devices().map_err(cannot)?;
    if let Some(device) = busiest(&all) {
        return Ok(device.name.clone());
    }
    let names: Vec<&str> = all.iter().map(|device| device.name.as_str()).collect();
    Err(Failure::Usage(format!(
        "no interface is up that leads out of this machine; name one with -i, there are {}",
        Escaped(&names.join(", "))
    )))
}

/// State, addresses and description.
fn about(device: &Device) -> String {
    let mut words = vec![if device.up { "up" } else { "down" }.to_owned()];
    if device.up && !device.running {
        words.push("no carrier".to_owned());
    }
    if device.loopback {
        words.push("loopback".to_owned());
    }
    if device.wireless {
        words.push("wireless".to_owned());
    }
    words.extend(device.addresses.iter().map(ToString::to_string));
    if let Some(text) = &device.description {
        words.push(Escaped(text).to_string());
    }
    words.join(", ")
}
