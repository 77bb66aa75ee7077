//! A configuration file that explains itself.

use super::keys::{Holds, SECTIONS, Section, SettingKey};
use super::{Settings, find, is_flag, is_list, usual_path};
use crate::limits::LIMITS;
use clap::{Arg, Command};
use std::any::TypeId;
use std::fmt::Write;
use wirewait::Threshold;
use wirewait_report::config::quoted;
use wirewait_tui::Keymap;

/// Longer lines are broken.
const WIDTH: usize = 90;

const HEAD: &str = "\
Configuration of wirewait: what options stand at where they are not given. Options come before \
the environment (WIREWAIT_TIMEOUT=30s; `wirewait man` lists the variables), the environment \
before this file. Where it belongs, and what else may be read in its place (--config):";

const FOOT: &str = "\
A line that begins with # followed by a name is not set, and shows what holds without it, or an \
example where nothing does: take the # away to set it.";

/// All settings with what they are for. What is set now stands there as it is, the rest behind
/// a `#`.
pub(crate) fn template(command: &Command, now: &Settings) -> String {
    let mut out = String::new();
    comment(&mut out, HEAD);
    let usual = usual_path(|name| (name == "HOME").then(|| "/~".into()));
    let usual = usual.map_or_else(String::new, |path| path.display().to_string());
    comment(&mut out, usual.trim_start_matches('/'));
    out.push_str("#\n");
    comment(&mut out, FOOT);
    for section in SECTIONS {
        let _ = writeln!(out);
        comment(&mut out, section.about);
        let _ = writeln!(out, "[{}]", section.name);
        match &section.holds {
            Holds::Shared(keys) | Holds::Own(keys) => {
                for key in *keys {
                    if let Some(arg) = find(command, section, key) {
                        setting(&mut out, section, key, arg, now);
                    }
                }
            }
            Holds::Named("limit") => {
                let entries = LIMITS.iter().map(|limit| {
                    (
                        limit.name,
                        limit.meaning.to_owned(),
                        limit.default_value().to_string(),
                    )
                });
                names(&mut out, section, "limit", entries, now);
            }
            Holds::Named("key") => {
                let entries = Keymap::all().map(|(name, help, keys)| {
                    let keys: Vec<String> = keys.iter().map(|key| quoted(key)).collect();
                    let keys = match keys.as_slice() {
                        [key] => key.clone(),
                        keys => format!("[{}]", keys.join(", ")),
                    };
                    (name, help.to_owned(), keys)
                });
                names(&mut out, section, "key", entries, now);
            }
            Holds::Named(option) => {
                let entries = Threshold::ALL.iter().map(|threshold| {
                    let meaning = threshold.meaning().trim().to_owned();
                    (
                        threshold.name(),
                        meaning,
                        threshold.default_value().to_string(),
                    )
                });
                names(&mut out, section, option, entries, now);
            }
        }
    }
    out
}

/// One setting of a section of options.
fn setting(out: &mut String, section: &Section, key: &SettingKey, arg: &Arg, now: &Settings) {
    let help = arg.get_long_help().or(arg.get_help());
    let mut help = help.map(ToString::to_string).unwrap_or_default();
    let possible = arg.get_possible_values();
    if !possible.is_empty() && !is_flag(arg) {
        let names: Vec<&str> = possible.iter().map(|value| value.get_name()).collect();
        let _ = write!(help, ": {}", names.join(", "));
    }
    let _ = writeln!(out);
    comment(out, &help);
    let set = now.values(section, key.name).last();
    let values: Vec<String> = match (set, key.example) {
        (Some(set), _) => set.values.clone(),
        (None, Some(example)) => vec![example.to_owned()],
        (None, None) => {
            let values = arg.get_default_values().iter();
            values
                .map(|value| value.to_string_lossy().into_owned())
                .collect()
        }
    };
    let mark = if set.is_some() { "" } else { "#" };
    let _ = writeln!(out, "{mark}{} = {}", key.name, value(arg, &values));
}

/// A section of names.
fn names<'e>(
    out: &mut String,
    section: &Section,
    option: &str,
    entries: impl Iterator<Item = (&'e str, String, String)>,
    now: &Settings,
) {
    for (name, meaning, default) in entries {
        let _ = writeln!(out);
        comment(out, &meaning);
        let set = now
            .values(section, option)
            .flat_map(|set| &set.values)
            .filter_map(|value| value.split_once('=').filter(|(set, _)| *set == name))
            .last();
        let _ = match set {
            Some((_, value)) if value.bytes().all(|b| b.is_ascii_digit()) => {
                writeln!(out, "{name} = {value}")
            }
            Some((_, value)) => writeln!(out, "{name} = {}", quoted(value)),
            None => writeln!(out, "#{name} = {default}"),
        };
    }
}

fn value(arg: &Arg, values: &[String]) -> String {
    let kind = arg.get_value_parser().type_id();
    let bare = is_flag(arg)
        || [
            TypeId::of::<u64>(),
            TypeId::of::<u32>(),
            TypeId::of::<usize>(),
        ]
        .iter()
        .any(|number| kind == *number);
    let one = |value: &String| if bare { value.clone() } else { quoted(value) };
    let all: Vec<String> = values.iter().map(one).collect();
    match all.as_slice() {
        [value] if !is_list(arg) => value.clone(),
        values => format!("[{}]", values.join(", ")),
    }
}

/// Lines behind a `#` and a blank.
fn comment(out: &mut String, text: &str) {
    let mut line = String::from("#");
    for word in text.split_whitespace() {
        if line.len() > 1 && line.len() + 1 + word.len() > WIDTH {
            let _ = writeln!(out, "{line}");
            line.truncate(1);
        }
        line.push(' ');
        line.push_str(word);
    }
    let _ = writeln!(out, "{line}");
}
