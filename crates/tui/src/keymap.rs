//! Which keys are which: those that the program has, or others that the user chose.

use crate::keys::{self, BINDINGS};
use std::fmt::Write;

/// The keys of everything that keys do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap {
    /// In the order of [`BINDINGS`].
    keys: Vec<Vec<String>>,
}

/// Other keys for something that keys do, as `NAME=KEY`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rebinding {
    at: usize,
    keys: Vec<String>,
}

/// Keys that have a name; all others are called by what they write, `f1` to `f24` apart.
const NAMED: &[&str] = &[
    "enter",
    "esc",
    "backspace",
    "tab",
    "backtab",
    "space",
    "up",
    "down",
    "left",
    "right",
    "pgup",
    "pgdn",
    "home",
    "end",
    "delete",
];

/// More keys than anyone remembers.
const MOST: usize = 8;

impl Default for Keymap {
    fn default() -> Self {
        let keys = BINDINGS.iter().map(|binding| binding.keys.iter());
        Self {
            keys: keys
                .map(|keys| keys.map(|key| (*key).to_owned()).collect())
                .collect(),
        }
    }
}

impl Keymap {
    /// Gives something other keys, in place of those that it has.
    pub fn change(&mut self, rebinding: &Rebinding) {
        if let Some(keys) = self.keys.get_mut(rebinding.at) {
            keys.clone_from(&rebinding.keys);
        }
    }

    /// Why these keys cannot be, if they cannot: one of them would do two things.
    #[must_use]
    pub fn conflict(&self) -> Option<Conflict> {
        let all = BINDINGS.iter().zip(&self.keys);
        let mut seen = Vec::<(&str, &'static str)>::new();
        for (binding, keys) in all {
            for key in keys {
                if let Some((_, other)) = seen.iter().find(|(known, _)| known == key) {
                    return Some(Conflict {
                        key: keys::shown(key),
                        names: [other, binding.name],
                    });
                }
                seen.push((key, binding.name));
            }
        }
        None
    }

    /// The keys of each binding.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Vec<String>> {
        self.keys.iter()
    }

    /// The first key of this, as people read it.
    pub(crate) fn first(&self, action: keys::Action) -> String {
        let mut all = BINDINGS.iter().zip(&self.keys);
        let found = all.find(|(binding, _)| binding.action == action);
        let first = found.and_then(|(_, keys)| keys.first());
        first.map_or_else(String::new, |key| keys::shown(key))
    }

    /// Everything that keys do: its name, what it does, its keys as they are written in a file.
    pub fn all() -> impl Iterator<Item = (&'static str, &'static str, Vec<&'static str>)> {
        BINDINGS.iter().map(|binding| {
            let keys = binding.keys.iter().map(|key| match *key {
                "," => "comma",
                key => key,
            });
            (binding.name, binding.help, keys.collect())
        })
    }
}

/// A key that would do two things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    key: String,
    /// What it would do.
    pub names: [&'static str; 2],
}

impl std::fmt::Display for Conflict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [a, b] = self.names;
        let key = &self.key;
        write!(
            f,
            "{key} is the key of {a} and of {b}; give one of them another"
        )
    }
}

impl Rebinding {
    /// What they do.
    #[must_use]
    pub fn name(&self) -> &'static str {
        BINDINGS.get(self.at).map_or("", |binding| binding.name)
    }
}

impl std::str::FromStr for Rebinding {
    type Err = String;

    /// Reads `NAME=KEY`, with blanks or commas between several keys.
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, typed) = text
            .split_once('=')
            .ok_or_else(|| format!("write NAME=KEY; names are {}", names()))?;
        let at = BINDINGS.iter().position(|binding| binding.name == name);
        let at = at.ok_or_else(|| format!("there is no {name}; names are {}", names()))?;
        let mut keys = Vec::<String>::new();
        for word in typed.split([' ', ',']).filter(|word| !word.is_empty()) {
            let key = key(word).map_err(|why| format!("{name}: {why}"))?;
            if key == "ctrl-c" && name != "quit" {
                return Err(format!("{name}: Ctrl-C always quits"));
            }
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        match keys.len() {
            0 => Err(format!("{name} needs a key; a comma is written `comma`")),
            1..=MOST => Ok(Self { at, keys }),
            _ => Err(format!("{name} has more than {MOST} keys")),
        }
    }
}

/// What a key is called in the table of keys.
fn key(word: &str) -> Result<String, String> {
    let lower = word.to_lowercase();
    let (before, plain) = match (lower.strip_prefix("ctrl-"), lower.strip_prefix("alt-")) {
        (Some(_), _) => ("ctrl-", &word[5..]),
        (_, Some(_)) => ("alt-", &word[4..]),
        _ => ("", word),
    };
    let mut letters = plain.chars();
    let single = letters.next().filter(|_| letters.next().is_none());
    let named = plain.to_lowercase();
    let function = named.strip_prefix('f').and_then(|n| n.parse::<u8>().ok());
    let name = match (single, named.as_str()) {
        (Some('1'..='9'), _) if before.is_empty() => {
            return Err("digits open screens".to_owned());
        }
        (Some(c), _) if c.is_control() || c.is_whitespace() => None,
        // With Ctrl, a terminal tells no capitals from others.
        (Some(c), _) if before == "ctrl-" => Some(c.to_lowercase().to_string()),
        (Some(c), _) => Some(c.to_string()),
        (None, "comma") => Some(",".to_owned()),
        (None, "equals") => Some("=".to_owned()),
        (None, name) if NAMED.contains(&name) => Some(name.to_owned()),
        (None, name) if function.is_some_and(|n| (1..=24).contains(&n)) => Some(name.to_owned()),
        _ => None,
    };
    name.map(|name| format!("{before}{name}")).ok_or_else(|| {
        format!(
            "there is no key {word}; write what it types, comma, f1, or one of {}, with ctrl- or \
             alt- before it",
            NAMED.join(", ")
        )
    })
}

fn names() -> String {
    let mut names = String::new();
    for binding in BINDINGS {
        let comma = if names.is_empty() { "" } else { ", " };
        let _ = write!(names, "{comma}{}", binding.name);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keymap(changes: &[&str]) -> Keymap {
        let mut keymap = Keymap::default();
        for change in changes {
            keymap.change(&change.parse().unwrap());
        }
        keymap
    }

    #[test]
    fn keys_are_called_by_what_they_type_or_by_name() {
        let keys = |text: &str| text.parse::<Rebinding>().map(|found| found.keys);
        assert_eq!(keys("freeze=f F5, f").unwrap(), ["f", "f5"]);
        assert_eq!(
            keys("freeze=Ctrl-X alt-Q SPACE").unwrap(),
            ["ctrl-x", "alt-Q", "space"]
        );
        assert_eq!(keys("scale_down=comma").unwrap(), [","]);
        assert_eq!(keys("scale_fit==").unwrap(), ["="]);
        assert_eq!(keys("help=é").unwrap(), ["é"]);
        for (text, said) in [
            ("freeze", "write NAME=KEY; names are open, transactions, "),
            ("frieze=f", "there is no frieze; names are open"),
            ("freeze=,", "freeze needs a key; a comma is written `comma`"),
            (
                "freeze=ff",
                "freeze: there is no key ff; write what it types",
            ),
            ("freeze=f0", "freeze: there is no key f0"),
            ("freeze=3", "freeze: digits open screens"),
            ("freeze=ctrl-c", "freeze: Ctrl-C always quits"),
            ("freeze=a b c d e f g h i", "freeze has more than 8 keys"),
        ] {
            let told = keys(text).unwrap_err();
            assert!(told.starts_with(said), "{told}");
        }
    }

    #[test]
    fn no_key_does_two_things() {
        assert_eq!(keymap(&[]).conflict(), None);
        let conflict = keymap(&["freeze=e"]).conflict().unwrap();
        assert_eq!(conflict.names, ["freeze", "export"]);
        assert_eq!(
            conflict.to_string(),
            "e is the key of freeze and of export; give one of them another"
        );
        assert_eq!(keymap(&["freeze=e", "export=space"]).conflict(), None);
    }
}
