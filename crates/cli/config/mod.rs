//! What users set once and for all: the configuration file, and the environment.
//!
//! Both change what options stand at where they are not given, so a setting is read, checked
//! and explained exactly as the option is. Flags come before the environment, the environment
//! before the file, the file before what is built in. [`keys`] lists what can be set.

mod keys;
mod location;
mod options;
mod template;

pub(crate) use location::{file, leading, usual_path};
pub(crate) use template::template;

use crate::failure::Failure;
use clap::builder::BoolishValueParser;
use clap::{Arg, ArgAction, Command, value_parser};
use keys::{Holds, SECTIONS, Section};
use location::{FileText, Place, place, read};
use options::{
    find, find_option, is_flag, is_list, keys_in, keys_of, long, named, option, refusal, values,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use wirewait_report::Escaped;
use wirewait_report::config::{Config, Mistake, SettingPart, nearest};
use wirewait_tui::{Keymap, Rebinding};

/// The variable that names the file; empty for none.
pub(crate) const VARIABLE: &str = "WIREWAIT_CONFIG";

/// Options that say where settings are, and take their values: all commands have them.
pub(crate) fn with_options(command: Command) -> Command {
    let command = command
        .arg(
            Arg::new("config")
                .long("config")
                .alias("config-file")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .global(true)
                .help("Configuration file, instead of the user's own (--print-config prints one)")
                .hide_short_help(true)
                .help_heading("Configuration"),
        )
        .arg(
            Arg::new("no-config")
                .long("no-config")
                .action(ArgAction::SetTrue)
                .conflicts_with("config")
                .global(true)
                .help("Ignore the configuration file and the environment")
                .hide_short_help(true)
                .help_heading("Configuration"),
        );
    command.mut_subcommands(|sub| {
        let flags: Vec<String> = keys_of(sub.get_name())
            .filter_map(|key| option(&sub, key))
            .filter(|arg| matches!(arg.get_action(), ArgAction::SetTrue))
            .map(|arg| arg.get_id().to_string())
            .collect();
        // So that what the file switches on can be switched off.
        flags.into_iter().fold(sub, |sub, flag| {
            sub.mut_arg(flag, |arg| {
                arg.action(ArgAction::Set)
                    .num_args(0..=1)
                    .require_equals(true)
                    .value_name("YES|NO")
                    .value_parser(BoolishValueParser::new())
                    .default_missing_value("true")
                    .default_value("false")
                    .hide_default_value(true)
                    .hide_possible_values(true)
            })
        })
    })
}

/// What the file and the environment set, checked.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    /// In the order in which they take effect: the last one holds.
    set: Vec<SetOption>,
    /// The user's own file may not be read: why, in words.
    denied: Option<String>,
    /// A file was there.
    found: bool,
}

#[derive(Debug)]
struct SetOption {
    section: &'static Section,
    /// Of a section of names, the option's.
    key: &'static str,
    values: Vec<String>,
}

impl Settings {
    /// What is set for a program with these arguments.
    pub(crate) fn read(
        command: &Command,
        args: &[OsString],
        environment: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, Failure> {
        let mut settings = Self::default();
        let (path, named) = match place(args, &environment) {
            Place::Nowhere => return Ok(settings),
            Place::Named(path) => (Some(path), true),
            Place::Usual(path) => (path, false),
        };
        if let Some(path) = path {
            match read(&path, named)? {
                FileText::Whole(text) => {
                    settings.found = true;
                    settings.read_file(command, &path, &text)?;
                }
                FileText::Absent => {}
                FileText::Denied(why) => settings.denied = Some(why),
            }
        }
        settings.read_environment(command, environment)?;
        Ok(settings)
    }

    /// Why the user's own file was left out, if it may not be read.
    pub(crate) fn denied(&self) -> Option<&str> {
        self.denied.as_deref()
    }

    /// Whether a file was there, and read.
    pub(crate) fn has_file(&self) -> bool {
        self.found
    }

    /// Names of the settings of a command that differ from another one's, in order.
    pub(crate) fn changed(&self, other: &Self, command: &str) -> Vec<String> {
        let (ours, theirs) = (self.by_name(command), other.by_name(command));
        let names: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
        let changed = names
            .into_iter()
            .filter(|name| ours.get(*name) != theirs.get(*name));
        changed.cloned().collect()
    }

    /// What holds for a command, by section and name.
    fn by_name(&self, command: &str) -> BTreeMap<String, Vec<String>> {
        let mut all = BTreeMap::new();
        for set in &self.set {
            let section = set.section.name;
            match set.section.holds {
                Holds::Own(_) if section != command => {}
                Holds::Named(_) => {
                    for (name, value) in set.values.iter().filter_map(|set| set.split_once('=')) {
                        all.insert(format!("{section}.{name}"), vec![value.to_owned()]);
                    }
                }
                _ => {
                    all.insert(format!("{section}.{}", set.key), set.values.clone());
                }
            }
        }
        all
    }

    /// What stands in a file.
    fn read_file(&mut self, command: &Command, path: &Path, text: &str) -> Result<(), Failure> {
        let usage = |mistake: Mistake| Failure::Usage(Escaped(&mistake.to_string()).to_string());
        let name = path.display().to_string();
        let config = Config::read(text, &name, "analysis").map_err(usage)?;
        for section in SECTIONS {
            // What stands there may be taken for its name.
            let Holds::Named(key) = section.holds else {
                continue;
            };
            for taken in [key.to_owned(), format!("{key}s")] {
                let message = format!("there is no section {taken}; is {} meant?", section.name);
                let wrong = config.section_mistake(&taken, message);
                if let Some(wrong) = wrong.filter(|_| taken != section.name) {
                    return Err(usage(wrong));
                }
            }
        }
        config
            .check_sections(SECTIONS.iter().map(|section| section.name))
            .map_err(usage)?;
        for setting in config.settings() {
            // All sections are known.
            let Some(section) = SECTIONS.iter().find(|one| one.name == setting.section) else {
                continue;
            };
            let (key, values) = match &section.holds {
                Holds::Named(key) => (*key, Ok(named(setting))),
                Holds::Shared(keys) | Holds::Own(keys) => {
                    let known = keys.iter().find(|key| key.name == setting.key);
                    let arg = known.and_then(|key| find(command, section, key));
                    let (Some(key), Some(arg)) = (known, arg) else {
                        let names = keys.iter().map(|key| key.name);
                        return Err(usage(config.unknown_key(setting, "setting", names)));
                    };
                    (key.name, values(arg, setting, path))
                }
            };
            let part = match section.holds {
                Holds::Named(_) => SettingPart::Key,
                _ => SettingPart::Value,
            };
            let checked = values.and_then(|values| {
                let arg = match &section.holds {
                    Holds::Named(key) => find_option(command, None, key),
                    _ => keys_in(section)
                        .find(|one| one.name == key)
                        .and_then(|key| find(command, section, key)),
                };
                match arg.and_then(|arg| refusal(arg, &values)) {
                    Some(refusal) => Err(match &section.holds {
                        Holds::Named(_) => refusal,
                        _ => format!("{key}: {refusal}"),
                    }),
                    None => Ok(values),
                }
            });
            let values =
                checked.map_err(|message| usage(config.mistake(setting, part, message)))?;
            self.set.push(SetOption {
                section,
                key,
                values,
            });
        }
        check_keys(&config).map_err(usage)
    }

    fn read_environment(
        &mut self,
        command: &Command,
        environment: impl Fn(&str) -> Option<OsString>,
    ) -> Result<(), Failure> {
        for (variable, section, key) in variables() {
            let Some(value) = environment(&variable) else {
                continue;
            };
            let option = key.replace('_', "-");
            let own = matches!(section.holds, Holds::Own(_)).then_some(section.name);
            let Some(arg) = find_option(command, own, &option) else {
                continue;
            };
            let wrong = |message: &str| Failure::Usage(format!("{variable}: {}", Escaped(message)));
            let value = value.into_string().map_err(|_| wrong("it is no UTF-8"))?;
            let values = if matches!(arg.get_action(), ArgAction::Append) {
                let parts = value.split(',').map(str::trim);
                parts
                    .filter(|part| !part.is_empty())
                    .map(str::to_owned)
                    .collect()
            } else {
                vec![value]
            };
            if let Some(refusal) = refusal(arg, &values) {
                return Err(wrong(&refusal));
            }
            self.set.push(SetOption {
                section,
                key,
                values,
            });
        }
        Ok(())
    }

    /// Lets options stand at what is set.
    pub(crate) fn defaults(&self, command: Command) -> Command {
        command.mut_subcommands(|mut sub| {
            for set in &self.set {
                let own = matches!(set.section.holds, Holds::Own(_));
                if matches!(set.section.holds, Holds::Named(_))
                    || own && sub.get_name() != set.section.name
                {
                    continue;
                }
                let option = set.key.replace('_', "-");
                let id = long(&sub, &option).map(|arg| arg.get_id().to_string());
                if let Some(id) = id {
                    sub = sub.mut_arg(id, |arg| {
                        let arg = arg.required(false).hide_default_value(false);
                        arg.default_values(set.values.clone())
                    });
                }
            }
            sub
        })
    }

    /// Puts options of names before what was typed behind the command, so that what was typed
    /// is set behind them.
    pub(crate) fn named(&self, command: &Command, args: &mut Vec<OsString>, behind: usize) {
        let sub = args.get(behind).and_then(|name| {
            let mut all = command.get_subcommands();
            all.find(|sub| name == sub.get_name())
        });
        let Some(sub) = sub else { return };
        let mut at = behind + 1;
        for set in &self.set {
            if matches!(set.section.holds, Holds::Named(_)) && long(sub, set.key).is_some() {
                for value in &set.values {
                    args.insert(at, format!("--{}={value}", set.key).into());
                    at += 1;
                }
            }
        }
    }

    /// What a setting is set to, or what names are.
    fn values<'s>(&'s self, section: &Section, key: &str) -> impl Iterator<Item = &'s SetOption> {
        let (section, key) = (section.name, key.to_owned());
        let fits = move |set: &&SetOption| set.section.name == section && set.key == key;
        self.set.iter().filter(fits)
    }
}

/// No key does two things, which no line alone shows.
fn check_keys(config: &Config) -> Result<(), Mistake> {
    let mut keys = Keymap::default();
    let mut changes = Vec::new();
    for setting in config.settings().iter().filter(|s| s.section == "keys") {
        // What cannot be read was refused.
        for change in named(setting).iter().flat_map(|text| text.parse()) {
            let change: Rebinding = change;
            keys.change(&change);
            changes.push((change.name(), setting));
        }
    }
    let Some(conflict) = keys.conflict() else {
        return Ok(());
    };
    let mut lines = changes.iter().rev();
    match lines.find(|(name, _)| conflict.names.contains(name)) {
        Some((_, setting)) => {
            Err(config.mistake(setting, SettingPart::Value, conflict.to_string()))
        }
        None => Ok(()),
    }
}

/// All variables of the environment that set something: which, and what.
fn variables() -> impl Iterator<Item = (String, &'static Section, &'static str)> {
    SECTIONS.iter().flat_map(|section| {
        let prefix = match section.holds {
            Holds::Own(_) => format!("{}_", section.name),
            _ => String::new(),
        };
        let named = match section.holds {
            Holds::Named(key) => Some(key),
            _ => None,
        };
        let keys = keys_in(section).map(|key| key.name).chain(named);
        keys.map(move |key| {
            let name = format!("wirewait_{prefix}{key}").to_uppercase();
            (name, section, key)
        })
    })
}

/// Warnings about variables of the environment that set nothing, and are called nearly as one that does.
pub(crate) fn mistyped(
    args: &[OsString],
    environment: impl Iterator<Item = (OsString, OsString)>,
) -> Vec<String> {
    const FRONT: &str = "WIREWAIT_";
    if matches!(place(args, |_: &str| None), Place::Nowhere) {
        return Vec::new();
    }
    let known: Vec<String> = variables()
        .map(|(name, ..)| name)
        .chain([VARIABLE.to_owned()])
        .collect();
    let mut set: Vec<String> = environment
        .filter_map(|(name, _)| name.into_string().ok())
        .filter(|name| name.starts_with(FRONT) && !known.contains(name))
        .collect();
    set.sort_unstable();
    let own = |name: &str| name.strip_prefix(FRONT).map(str::to_owned);
    let names: Vec<String> = known.iter().filter_map(|name| own(name)).collect();
    set.iter()
        .filter_map(|name| {
            let own = own(name)?;
            let near = nearest(&own, names.iter().map(String::as_str));
            // What all commands have is set for all of them.
            let of_all = |known: &&String| own.ends_with(&format!("_{known}"));
            let near = near.or_else(|| names.iter().find(of_all).map(String::as_str))?;
            Some(format!(
                "{} sets nothing; did you mean {FRONT}{near}?",
                Escaped(name)
            ))
        })
        .collect()
}

/// All variables of the environment that are read, with what they set.
pub(crate) fn environment() -> Vec<(String, String)> {
    let own = |section: &Section| match section.holds {
        Holds::Own(_) => format!(" of {}", section.name),
        Holds::Named(_) => ", several between commas".to_owned(),
        Holds::Shared(_) => String::new(),
    };
    variables()
        .map(|(name, section, key)| (name, format!("--{}{}", key.replace('_', "-"), own(section))))
        .collect()
}

#[cfg(test)]
mod tests;
