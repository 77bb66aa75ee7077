//! What can be set once and for all, and which option each setting is.

/// Settings that stand together in the file.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) name: &'static str,
    /// What is said about it in the file.
    pub(super) about: &'static str,
    pub(super) holds: Holds,
}

/// What stands in a section.
#[derive(Debug)]
pub(super) enum Holds {
    /// Options of all commands that have them.
    Shared(&'static [SettingKey]),
    /// Options of the command that is called like the section.
    Own(&'static [SettingKey]),
    /// Names with values, each of which is a `NAME=VALUE` of this option.
    Named(&'static str),
}

/// A setting, which is the option of the same name, with `-` in place of `_`.
#[derive(Debug)]
pub(super) struct SettingKey {
    pub(super) name: &'static str,
    /// What it could be set to, where it is not set to anything.
    pub(super) example: Option<&'static str>,
}

impl SettingKey {
    /// The option, without its dashes.
    pub(super) fn option(&self) -> String {
        self.name.replace('_', "-")
    }
}

/// An option with a default value.
const fn key(name: &'static str) -> SettingKey {
    SettingKey {
        name,
        example: None,
    }
}

/// An option without one.
const fn unset(name: &'static str, example: &'static str) -> SettingKey {
    SettingKey {
        name,
        example: Some(example),
    }
}

pub(super) const SECTIONS: &[Section] = &[
    Section {
        name: "analysis",
        about: "Requests, responses, pauses and links.",
        holds: Holds::Shared(&[
            key("timeout"),
            key("think"),
            key("wait"),
            key("copies"),
            key("copies_identified"),
            unset("link_speed", "100M"),
            unset("duplex", "full"),
            key("private"),
        ]),
    },
    Section {
        name: "files",
        about: "What is read beside captures. A name without a leading slash is looked for \
            beside this file.",
        holds: Holds::Shared(&[
            unset("zone", "+01:00"),
            unset("last_profile", "last.csv"),
            unset("symptom_texts", "texts.toml"),
        ]),
    },
    Section {
        name: "report",
        about: "`wirewait report`.",
        holds: Holds::Own(&[key("format")]),
    },
    Section {
        name: "transactions",
        about: "`wirewait transactions`.",
        holds: Holds::Own(&[key("format")]),
    },
    Section {
        name: "compare",
        about: "`wirewait compare`.",
        holds: Holds::Own(&[key("format"), unset("by", "operation")]),
    },
    Section {
        name: "between",
        about: "`wirewait between`.",
        holds: Holds::Own(&[key("format")]),
    },
    Section {
        name: "merge",
        about: "`wirewait merge`.",
        holds: Holds::Own(&[key("format"), unset("by", "1h")]),
    },
    Section {
        name: "decode",
        about: "`wirewait decode`.",
        holds: Holds::Own(&[key("format"), key("time")]),
    },
    Section {
        name: "counters",
        about: "`wirewait counters`.",
        holds: Holds::Own(&[key("format"), key("interval"), key("max_values")]),
    },
    Section {
        name: "live",
        about: "`wirewait live`.",
        holds: Holds::Own(&[
            #[cfg(feature = "libpcap")]
            unset("interface", "eth0"),
            #[cfg(feature = "libpcap")]
            unset("filter", "not port 22"),
            #[cfg(feature = "libpcap")]
            key("snaplen"),
            #[cfg(feature = "libpcap")]
            key("buffer"),
            #[cfg(feature = "libpcap")]
            key("no_promiscuous"),
            #[cfg(feature = "libpcap")]
            key("direction"),
            #[cfg(feature = "libpcap")]
            key("immediate"),
            unset("save_size", "100M"),
            unset("save_time", "1h"),
            unset("save_files", "10"),
            unset("listen", "127.0.0.1:9464"),
            key("format"),
        ]),
    },
    Section {
        name: "screen",
        about: "Look of the screen, and memory for frames.",
        holds: Holds::Shared(&[
            unset("theme", "dark"),
            key("units"),
            key("no_mouse"),
            key("keep_frames"),
            key("ascii"),
            key("refresh"),
        ]),
    },
    Section {
        name: "keys",
        about: "Which keys do what on the screen: what a key types, or enter, esc, space, f1 and \
            the like, with ctrl- or alt- before it. No key does two things.",
        holds: Holds::Named("key"),
    },
    Section {
        name: "view",
        about: "`wirewait view`.",
        holds: Holds::Own(&[key("speed"), key("paused")]),
    },
    Section {
        name: "protocols",
        about: "`wirewait protocols`.",
        holds: Holds::Own(&[key("format")]),
    },
    Section {
        name: "limits",
        about: "What is held at most of each kind. Beyond that, what was untouched for longest \
            goes first, and the report says how many went.",
        holds: Holds::Named("limit"),
    },
    Section {
        name: "symptoms",
        about: "Thresholds of symptoms.",
        holds: Holds::Named("threshold"),
    },
];
