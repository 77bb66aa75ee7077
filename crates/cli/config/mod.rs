//! What users set once and for all: the configuration file, and the environment.
//!
//! Both change what options stand at where they are not given, so a setting is read, checked
//! and explained exactly as the option is. Flags come before the environment, the environment
//! before the file, the file before what is built in. [`keys`] lists what can be set.

mod keys;
mod template;

pub(crate) use template::template;

use crate::failure::Failure;
use clap::builder::BoolishValueParser;
use clap::{Arg, ArgAction, Command, value_parser};
use keys::{Holds, Key, SECTIONS, Section};
use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};
use wirewait_report::Escaped;
use wirewait_report::config::{Config, Mistake, Part, Setting, Value};
use wirewait_tui::{Keymap, Rebinding};

/// More than a file of settings can have.
const MOST: u64 = 1 << 20;

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
        if let Some(path) = path
            && let Some(text) = read(&path, named)?
        {
            settings.read_file(command, &path, &text)?;
        }
        settings.read_environment(command, environment)?;
        Ok(settings)
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
                Holds::Named(_) => Part::Key,
                _ => Part::Value,
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
        Some((_, setting)) => Err(config.mistake(setting, Part::Value, conflict.to_string())),
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

/// Where the file usually is.
pub(crate) fn usual_path(environment: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // A relative one is to be ignored (XDG Base Directory Specification).
    let absolute = |name| {
        environment(name)
            .map(PathBuf::from)
            .filter(|p| p.is_absolute())
    };
    let folder = if cfg!(windows) {
        absolute("APPDATA")
    } else {
        absolute("XDG_CONFIG_HOME").or_else(|| absolute("HOME").map(|home| home.join(".config")))
    };
    folder.map(|folder| folder.join("wirewait").join("config.toml"))
}

/// Where settings are.
enum Place {
    Nowhere,
    Named(PathBuf),
    /// If it is there.
    Usual(Option<PathBuf>),
}

fn place(args: &[OsString], environment: impl Fn(&str) -> Option<OsString>) -> Place {
    let mut args = args.iter().skip(1).take_while(|arg| *arg != "--");
    while let Some(arg) = args.next() {
        if arg == "--no-config" {
            return Place::Nowhere;
        }
        if let Some(value) = option_value(arg, &mut args) {
            return Place::Named(value.into());
        }
    }
    match environment(VARIABLE) {
        Some(path) if path.is_empty() => Place::Usual(None),
        Some(path) => Place::Named(path.into()),
        None => Place::Usual(usual_path(environment)),
    }
}

/// The value of --config, if that is what `arg` is, with the next one where it stands there.
fn option_value<'a>(
    arg: &'a OsStr,
    next: &mut impl Iterator<Item = &'a OsString>,
) -> Option<OsString> {
    value_of(arg, &["--config", "--config-file"], next)
}

/// The value of one of these options, likewise.
fn value_of<'a>(
    arg: &'a OsStr,
    names: &[&str],
    next: &mut impl Iterator<Item = &'a OsString>,
) -> Option<OsString> {
    for name in names {
        if arg == *name {
            return next.next().cloned();
        }
        let value = arg
            .to_str()
            .and_then(|arg| arg.strip_prefix(*name)?.strip_prefix('='));
        if let Some(value) = value {
            return Some(value.into());
        }
    }
    None
}

/// The file of settings of a program with these arguments, if it is there.
pub(crate) fn file(
    args: &[OsString],
    environment: impl Fn(&str) -> Option<OsString>,
) -> Option<PathBuf> {
    let path = match place(args, environment) {
        Place::Nowhere => None,
        Place::Named(path) => Some(path),
        Place::Usual(path) => path,
    };
    path.filter(|path| path.exists())
}

/// Options of all commands without a value.
const ALONE: [&str; 3] = ["--no-config", "--no-sandbox", "--print-rights"];

/// How many of the first arguments say where settings are.
pub(crate) fn leading(args: &[OsString]) -> usize {
    let mut rest = args.iter();
    let mut count = 0;
    while let Some(arg) = rest.next() {
        let before = rest.len();
        let alone = ALONE.iter().any(|name| arg == name);
        if !alone
            && value_of(arg, &["--user"], &mut rest)
                .or_else(|| option_value(arg, &mut rest))
                .is_none()
        {
            break;
        }
        count += 1 + before - rest.len();
    }
    count
}

/// The text of a file; of one that is not named, if it is there.
fn read(path: &Path, named: bool) -> Result<Option<String>, Failure> {
    let name = path.display().to_string();
    let cannot =
        |error: std::io::Error| Failure::Cannot(format!("cannot read {}: {error}", Escaped(&name)));
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if !named && is_absent(error.kind()) => return Ok(None),
        // Who runs as somebody else (`sudo -u`) is often left with a home that is not theirs.
        Err(error) if !named && error.kind() == std::io::ErrorKind::PermissionDenied => {
            let name = Escaped(&name);
            crate::input::warn(&format!(
                "{name} is left out: {error}; --no-config is silent"
            ));
            return Ok(None);
        }
        Err(error) => return Err(cannot(error)),
    };
    let mut bytes = Vec::new();
    file.take(MOST + 1)
        .read_to_end(&mut bytes)
        .map_err(cannot)?;
    if bytes.len() as u64 > MOST {
        let message = format!("{} is larger than a configuration can be", Escaped(&name));
        return Err(Failure::Usage(message));
    }
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::Usage(format!("{}: byte {at} is no UTF-8", Escaped(&name)))
    })
}

const fn is_absent(kind: std::io::ErrorKind) -> bool {
    matches!(
        kind,
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
    )
}

/// A line of a section of names, as the value of its option.
fn named(setting: &Setting) -> Vec<String> {
    let value = match &setting.value {
        Value::Text(text) => text.clone(),
        Value::Flag(flag) => flag.to_string(),
        Value::Texts(texts) => texts.join(","),
    };
    vec![format!("{}={value}", setting.key)]
}

/// What an option is set to, if it is of the right type.
fn values(arg: &Arg, setting: &Setting, path: &Path) -> Result<Vec<String>, String> {
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

fn is_flag(arg: &Arg) -> bool {
    arg.get_value_parser().type_id() == TypeId::of::<bool>()
}

fn is_list(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Append)
}

/// Why an option does not take these values.
fn refusal(arg: &Arg, values: &[String]) -> Option<String> {
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

/// Settings of a command.
fn keys_of(command: &str) -> impl Iterator<Item = &'static Key> {
    SECTIONS
        .iter()
        .filter(move |section| match section.holds {
            Holds::Own(_) => section.name == command,
            _ => true,
        })
        .flat_map(keys_in)
}

fn keys_in(section: &'static Section) -> impl Iterator<Item = &'static Key> {
    match section.holds {
        Holds::Shared(keys) | Holds::Own(keys) => keys.iter(),
        Holds::Named(_) => [].iter(),
    }
}

/// The option that a setting is, of the first command that has it.
fn find<'c>(command: &'c Command, section: &Section, key: &Key) -> Option<&'c Arg> {
    let own = matches!(section.holds, Holds::Own(_)).then_some(section.name);
    find_option(command, own, &key.option())
}

fn find_option<'c>(command: &'c Command, own: Option<&str>, option: &str) -> Option<&'c Arg> {
    command
        .get_subcommands()
        .filter(|sub| own.is_none_or(|own| sub.get_name() == own))
        .find_map(|sub| long(sub, option))
}

fn option<'c>(sub: &'c Command, key: &Key) -> Option<&'c Arg> {
    long(sub, &key.option())
}

fn long<'c>(sub: &'c Command, option: &str) -> Option<&'c Arg> {
    sub.get_arguments()
        .find(|arg| arg.get_long() == Some(option))
}

#[cfg(test)]
mod tests;
