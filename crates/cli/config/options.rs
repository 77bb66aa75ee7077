//! The options that settings are, and what they take.

use super::keys::{Holds, SECTIONS, Section, SettingKey};
use clap::{Arg, ArgAction, Command};
use std::any::TypeId;
use std::error::Error;
use std::path::{Path, PathBuf};
use wirewait_report::config::{Setting, Value};

/// Settings of a command.
pub(super) fn keys_of(command: &str) -> impl Iterator<Item = &'static SettingKey> {
    SECTIONS
        .iter()
        .filter(move |section| match section.holds {
            Holds::Own(_) => section.name == command,
            _ => true,
        })
        .flat_map(keys_in)
}

pub(super) fn keys_in(section: &'static Section) -> impl Iterator<Item = &'static SettingKey> {
    match section.holds {
        Holds::Shared(keys) | Holds::Own(keys) => keys.iter(),
        Holds::Named(_) => [].iter(),
    }
}

/// The option that a setting is, of the first command that has it.
pub(super) fn find<'c>(
    command: &'c Command,
    section: &Section,
    key: &SettingKey,
) -> Option<&'c Arg> {
    let own = matches!(section.holds, Holds::Own(_)).then_some(section.name);
    find_option(command, own, &key.option())
}

pub(super) fn find_option<'c>(
    command: &'c Command,
    own: Option<&str>,
    option: &str,
) -> Option<&'c Arg> {
    command
        .get_subcommands()
        .filter(|sub| own.is_none_or(|own| sub.get_name() == own))
        .find_map(|sub| long(sub, option))
}

pub(super) fn option<'c>(sub: &'c Command, key: &SettingKey) -> Option<&'c Arg> {
    long(sub, &key.option())
}

pub(super) fn long<'c>(sub: &'c Command, option: &str) -> Option<&'c Arg> {
    sub.get_arguments()
        .find(|arg| arg.get_long() == Some(option))
}

/// A line of a section of names, as the value of its option.
pub(super) fn named(setting: &Setting) -> Vec<String> {
    let value = match &setting.value {
        Value::Text(text) => text.clone(),
        Value::Flag(flag) => flag.to_string(),
        Value::Texts(texts) => texts.join(","),
    };
    vec![format!("{}={value}", setting.key)]
}

/// What an option is set to, if it is of the right type.
pub(super) fn values(arg: &Arg, setting: &Setting, path: &Path) -> Result<Vec<String>, String> {
    let key = &setting.key;
    let beside = |text: &String| {
        let folder = path.parent().unwrap_or(Path::new(""));
        let path = folder.join(text);
        path.to_str().map_or_else(|| text.clone(), str::to_owned)
    };
    let is_path = arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
    match &setting.value {
        Value::Flag(flag) if is_flag(arg) => Ok(vec![flag.to_string()]),
        _ if is_flag(arg) => Err(format!("{key} takes true or false, without quotes")),
        Value::Texts(texts) if is_list(arg) => Ok(texts.clone()),
        Value::Texts(_) => Err(format!("{key} takes one value")),
        Value::Text(text) if is_path => Ok(vec![beside(text)]),
        Value::Text(text) => Ok(vec![text.clone()]),
        Value::Flag(_) => Err(format!("{key} takes a text in quotes or a number")),
    }
}

pub(super) fn is_flag(arg: &Arg) -> bool {
    arg.get_value_parser().type_id() == TypeId::of::<bool>()
}

pub(super) fn is_list(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Append)
}

/// Why an option does not take these values.
pub(super) fn refusal(arg: &Arg, values: &[String]) -> Option<String> {
    let probe = Arg::new("value")
        .long("value")
        .action(arg.get_action().clone())
        .value_parser(arg.get_value_parser().clone());
    let typed = values.iter().map(|value| format!("--value={value}"));
    let probe = Command::new("probe").no_binary_name(true).arg(probe);
    let error = probe.try_get_matches_from(typed).err()?;
    if let Some(source) = error.source() {
        return Some(source.to_string());
    }
    let possible: Vec<String> = arg
        .get_possible_values()
        .iter()
        .map(|value| value.get_name().to_owned())
        .collect();
    Some(match possible.as_slice() {
        [] => error.kind().to_string(),
        names => format!("it is one of {}", names.join(", ")),
    })
}
