use super::keys::SettingKey;
use super::*;
use crate::args;
use crate::command::Command as Asked;
use crate::parse;
use std::collections::BTreeSet;

/// Options that are about one run, and of no use in a file.
const OF_ONE_RUN: &[&str] = &[
    "conversation",
    "count",
    "detail",
    "duration",
    "explain",
    "fail-if",
    "files-from",
    "filter",
    "frames",
    "full",
    "interval",
    "list-interfaces",
    "no-pager",
    "no-sandbox",
    "once",
    "output",
    "parallel",
    "precise",
    "print-rights",
    "save",
    "select",
    "short",
    "show",
    "since",
    "summaries",
    "summary",
    "threads",
    "at-load",
    "peak",
    "transaction",
    "until",
    "user",
    // What the file and --print-config are asked for by.
    "config",
    "no-config",
    "help",
    "version",
];

fn set(text: &str) -> Result<Settings, String> {
    let mut settings = Settings::default();
    settings
        .read_file(&parse::command(), Path::new("/etc/site.toml"), text)
        .map(|()| settings)
        .map_err(|failure| failure.to_string())
}

fn with_environment(
    mut settings: Settings,
    variables: &[(&str, &str)],
) -> Result<Settings, String> {
    let find = |name: &str| variables.iter().find(|(known, _)| *known == name);
    settings
        .read_environment(&parse::command(), |name| find(name).map(|(_, v)| v.into()))
        .map(|()| settings)
        .map_err(|failure| failure.to_string())
}

fn asked(typed: &[&str], settings: &Settings) -> Result<Asked, String> {
    let typed = std::iter::once("wirewait").chain(typed.iter().copied());
    let parsed = parse::try_parse(typed.map(OsString::from).collect(), settings);
    parsed
        .map(|(command, _)| command)
        .map_err(|e| e.to_string())
}

/// A report as it was asked for.
fn report(typed: &[&str], settings: &Settings) -> args::ReportArgs {
    match asked(&[&["report", "a.pcap"], typed].concat(), settings) {
        Ok(Asked::Report(args)) => args,
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_setting_is_an_option_with_a_default_or_an_example() {
    let command = parse::command();
    for section in SECTIONS {
        if let Holds::Named(option) = section.holds {
            assert!(find_option(&command, None, option).is_some(), "{option}");
        }
        for key in keys_in(section) {
            let arg = find(&command, section, key);
            let arg = arg.unwrap_or_else(|| {
                panic!("{}.{}: there is no such option", section.name, key.name)
            });
            assert_ne!(
                arg.get_default_values().is_empty(),
                key.example.is_none(),
                "{}.{}: a default value, or an example",
                section.name,
                key.name
            );
        }
    }
}

#[test]
fn each_option_is_a_setting_unless_it_is_about_one_run() {
    for sub in parse::command().get_subcommands() {
        let keys: BTreeSet<String> = keys_of(sub.get_name()).map(SettingKey::option).collect();
        let named = SECTIONS.iter().filter_map(|section| match section.holds {
            Holds::Named(option) => Some(option),
            _ => None,
        });
        let named: Vec<&str> = named.collect();
        for option in sub.get_arguments().filter_map(Arg::get_long) {
            assert!(
                keys.contains(option) || named.contains(&option) || OF_ONE_RUN.contains(&option),
                "--{option} of {}: a line in config/keys.rs, or in OF_ONE_RUN here",
                sub.get_name()
            );
        }
    }
}

#[test]
fn the_template_sets_nothing_and_with_its_marks_taken_away_what_holds_anyway() {
    let command = parse::command();
    let template = template(&command, &Settings::default());
    assert!(template.lines().all(|line| line.len() <= 92), "{template}");
    assert!(set(&template).unwrap().set.is_empty());
    let awake: Vec<&str> = template
        .lines()
        .map(|line| match line.strip_prefix('#') {
            Some(rest) if rest.starts_with(|c: char| c.is_ascii_alphabetic()) => rest,
            _ => line,
        })
        .collect();
    let awake = awake.join("\n");
    let settings = set(&awake).unwrap();
    let count: usize = SECTIONS
        .iter()
        .map(|section| match section.holds {
            Holds::Shared(keys) | Holds::Own(keys) => keys.len(),
            Holds::Named("limit") => crate::limits::LIMITS.len(),
            Holds::Named("key") => wirewait_tui::Keymap::all().count(),
            Holds::Named(_) => wirewait::Threshold::ALL.len(),
        })
        .sum();
    assert_eq!(settings.set.len(), count, "everything is in the template");
    // Examples apart, it says what holds anyway.
    let examples: BTreeSet<&str> = SECTIONS
        .iter()
        .flat_map(keys_in)
        .filter(|key| key.example.is_some())
        .map(|key| key.name)
        .collect();
    let is_named = |set: &SetOption| matches!(set.section.holds, Holds::Named(_));
    let (named, mut options): (Vec<SetOption>, Vec<SetOption>) =
        settings.set.into_iter().partition(is_named);
    options.retain(|set| !examples.contains(set.key));
    let options = Settings {
        set: options,
        ..Settings::default()
    };
    for typed in [
        &["report", "a"][..],
        &["transactions", "a"],
        &["compare", "a", "b"],
        &["merge", "a"],
        &["decode", "a"],
        &["counters", "a"],
        &["view", "a"],
        &["live"],
        &["protocols"],
    ] {
        let [set, not] = [&options, &Settings::default()]
            .map(|settings| format!("{:?}", asked(typed, settings).unwrap()));
        assert_eq!(set, not);
    }
    let named = Settings {
        set: named,
        ..Settings::default()
    };
    let Ok(Asked::View(shown)) = asked(&["view", "a"], &named) else {
        panic!("view is a command");
    };
    let keys = shown.screen.options().unwrap().keys;
    assert_eq!(keys, wirewait_tui::Keymap::default());
    let args = report(&[], &named);
    assert_eq!(args.analysis.settings(), wirewait::Settings::default());
    assert_eq!(
        args.symptoms.threshold.len(),
        wirewait::Threshold::ALL.len()
    );
    let thresholds = crate::symptoms::thresholds(&args.symptoms);
    assert_eq!(thresholds, wirewait::Thresholds::default());
}

#[test]
fn what_is_set_stands_in_the_template_and_comes_back() {
    let text = "[analysis]\ntimeout = \"5s\"\nlink_speed = \"16M\"\nprivate = true\n\
        [files]\nlast_profile = \"a \\\"b\\\\c\\\".csv\"\n[report]\nformat = \"json\"\n\
        [limits]\nrows = 100\nheld_bytes = \"1MiB\"\n[symptoms]\nbusy_percent = 7\n";
    let settings = set(text).unwrap();
    let printed = template(&parse::command(), &settings);
    for line in [
        "timeout = \"5s\"",
        "private = true",
        "rows = 100",
        "held_bytes = \"1MiB\"",
        "busy_percent = 7",
        "#think = \"500ms\"",
    ] {
        assert!(printed.lines().any(|one| one == line), "{line}\n{printed}");
    }
    let again = set(&printed).unwrap();
    let [before, after] = [&settings, &again].map(|s| {
        let mut all: Vec<_> = s
            .set
            .iter()
            .map(|one| (one.key, one.values.clone()))
            .collect();
        all.sort();
        all
    });
    assert_eq!(before, after);
}

#[test]
fn flags_come_before_the_environment_and_that_before_the_file() {
    let nanos = |typed: &[&str], settings: &Settings| {
        report(typed, settings).analysis.settings().timeout_ns / 1_000_000_000
    };
    let file = || set("[analysis]\ntimeout = \"5s\"\n").unwrap();
    let both = with_environment(file(), &[("WIREWAIT_TIMEOUT", "7s")]).unwrap();
    assert_eq!(nanos(&[], &Settings::default()), 60);
    assert_eq!(nanos(&[], &file()), 5);
    assert_eq!(nanos(&[], &both), 7);
    assert_eq!(nanos(&["--timeout", "9s"], &both), 9);

    let names = || set("[symptoms]\nbusy_percent = 7\nslow_answer_ms = 50\n").unwrap();
    let variables = [("WIREWAIT_THRESHOLD", "busy_percent=8, storm=1")];
    let wrong = with_environment(names(), &variables).unwrap_err();
    assert_eq!(
        wrong,
        "WIREWAIT_THRESHOLD: there is no threshold storm; `wirewait --print-config` lists all of them"
    );
    let variables = [("WIREWAIT_THRESHOLD", "busy_percent=8")];
    let both = with_environment(names(), &variables).unwrap();
    use wirewait::Threshold::{Busy, SlowAnswer};
    let stands = |typed: &[&str], settings: &Settings| {
        let thresholds = crate::symptoms::thresholds(&report(typed, settings).symptoms);
        (thresholds.get(Busy), thresholds.get(SlowAnswer))
    };
    assert_eq!(stands(&[], &names()), (7, 50));
    assert_eq!(stands(&[], &both), (8, 50));
    assert_eq!(stands(&["--threshold", "busy_percent=9"], &both), (9, 50));
}

#[test]
fn what_is_switched_on_can_be_switched_off() {
    let on = set("[analysis]\nprivate = true\n").unwrap();
    let private = |typed: &[&str], settings: &Settings| report(typed, settings).analysis.private;
    assert!(private(&[], &on));
    assert!(!private(&["--private=no"], &on));
    assert!(private(&["--private"], &Settings::default()));
    assert!(!private(&[], &Settings::default()));
    let off = with_environment(on, &[("WIREWAIT_PRIVATE", "0")]).unwrap();
    assert!(!private(&[], &off));
}

#[test]
fn a_section_of_a_command_is_for_that_command_only() {
    let settings = set("[report]\nformat = \"html\"\n[counters]\ninterval = \"5s\"\n").unwrap();
    assert_eq!(report(&[], &settings).format, args::ReportFormat::Html);
    let Ok(Asked::Transactions(rows)) = asked(&["transactions", "a"], &settings) else {
        panic!("transactions is a command");
    };
    assert_eq!(rows.format, args::RowFormat::Text);
    let variables = [("WIREWAIT_REPORT_FORMAT", "json")];
    let settings = with_environment(settings, &variables).unwrap();
    assert_eq!(report(&[], &settings).format, args::ReportFormat::Json);
}

#[test]
fn names_of_files_are_beside_the_configuration() {
    let settings = set("[files]\nlast_profile = \"last.csv\"\nsymptom_texts = \"/x/y\"\n").unwrap();
    let args = report(&[], &settings);
    assert_eq!(args.profile.last_profile, Some("/etc/last.csv".into()));
    assert_eq!(args.symptoms.symptom_texts, Some("/x/y".into()));
}

#[test]
fn mistakes_say_where_they_are_and_what_is_allowed() {
    for (text, message) in [
        (
            "[analysi]\n",
            "1:2: there is no section analysi; is analysis meant?",
        ),
        (
            "[analysis]\ntimout = 5\n",
            "2:1: there is no setting timout; is timeout meant?",
        ),
        (
            "[analysis]\ntimeout = 0\n",
            "2:11: timeout: it has to be more than 0",
        ),
        (
            "[analysis]\ncopies = \"2s\"\n",
            "2:10: copies: it cannot be more than 1s",
        ),
        (
            "[analysis]\ntimeout = true\n",
            "2:11: timeout takes a text in quotes or a number",
        ),
        (
            "[analysis]\ntimeout = [1, 2]\n",
            "2:11: timeout takes one value",
        ),
        (
            "[analysis]\nprivate = \"yes\"\n",
            "2:11: private takes true or false, without quotes",
        ),
        (
            "[analysis]\nduplex = \"both\"\n",
            "2:10: duplex: it is one of half, full",
        ),
        (
            "[report]\ninterval = 5\n",
            "2:1: there is no setting interval",
        ),
        (
            "[report]\n\n  format = 5\n",
            "3:12: format: it is one of text, json, csv, html",
        ),
        (
            "[limits]\nrows = 0\n",
            "2:1: rows takes a number from 16 to 100000000",
        ),
        (
            "[limits]\nrow = 100\n",
            "2:1: there is no limit row; names are conversations, ",
        ),
        (
            "[symptoms]\nbusy_percent = 101\n",
            "2:1: busy_percent takes a whole number from 0 to 100",
        ),
        (
            "[report]\n[thresholds]\nbusy_percent = 10\n",
            "2:2: there is no section thresholds; is symptoms meant?",
        ),
        (
            "[limit]\nrows = 100\n",
            "1:2: there is no section limit; is limits meant?",
        ),
        ("[symptoms]\nbusy = 10\n", "2:1: there is no threshold busy"),
        (
            "[keys]\nfreeze = \"ff\"\n",
            "2:1: freeze: there is no key ff; write what it types",
        ),
        (
            "[keys]\nfrieze = \"f\"\n",
            "2:1: there is no frieze; names are open, ",
        ),
        (
            "[keys]\nunits = \"U\"\nfreeze = [\"f\", \"e\"]\n",
            "3:10: e is the key of freeze and of export; give one of them another",
        ),
        (
            "[screen]\nrefresh = \"50ms\"\n",
            "2:11: refresh: write a time from 100ms to 1min",
        ),
        (
            "timeout = 5\n",
            "1:1: timeout stands in no section; a line like [analysis] goes before it",
        ),
    ] {
        let told = set(text).unwrap_err();
        let expected = format!("/etc/site.toml:{message}");
        assert!(told.starts_with(&expected), "{told}\n{expected}");
    }
    let told = set("[analysis]\ntimeout = \"soon\"\n").unwrap_err();
    assert!(
        told.contains("2:11: timeout: write a duration like 30s"),
        "{told}"
    );
    let wrong = |name, value| with_environment(Settings::default(), &[(name, value)]).unwrap_err();
    assert!(wrong("WIREWAIT_TIMEOUT", "soon").starts_with("WIREWAIT_TIMEOUT: write a duration"));
    assert_eq!(
        wrong("WIREWAIT_LIMIT", "rows"),
        "WIREWAIT_LIMIT: write NAME=N; names are \
        conversations, open_requests, conversation_requests, held_bytes, stream_bytes, rows, \
        slowest, names"
    );
}

#[test]
fn the_file_is_found_where_it_is_named_or_where_it_belongs() {
    let find = |typed: &[&str], variables: &[(&str, &str)]| {
        let args: Vec<OsString> = typed.iter().map(OsString::from).collect();
        let value = |name: &str| variables.iter().find(|(known, _)| *known == name);
        match place(&args, |name| value(name).map(|(_, value)| value.into())) {
            Place::Nowhere => "nowhere".to_owned(),
            Place::Named(path) => format!("named {}", path.display()),
            Place::Usual(path) => format!("usual {}", path.unwrap_or_default().display()),
        }
    };
    let home = ("HOME", "/home/x");
    assert_eq!(
        find(&["w"], &[home]),
        "usual /home/x/.config/wirewait/config.toml"
    );
    let xdg = ("XDG_CONFIG_HOME", "/x");
    assert_eq!(find(&["w"], &[home, xdg]), "usual /x/wirewait/config.toml");
    let relative = ("XDG_CONFIG_HOME", "x");
    let usual = "usual /home/x/.config/wirewait/config.toml";
    assert_eq!(find(&["w"], &[home, relative]), usual);
    assert_eq!(find(&["w"], &[]), "usual ");
    let variable = (VARIABLE, "/v");
    assert_eq!(find(&["w", "a"], &[home, variable]), "named /v");
    assert_eq!(find(&["w", "a"], &[home, (VARIABLE, "")]), "usual ");
    for typed in [
        &["w", "a", "--config", "/c"][..],
        &["w", "--config-file=/c", "a"],
    ] {
        assert_eq!(find(typed, &[home, variable]), "named /c");
    }
    assert_eq!(
        find(&["w", "--no-config", "a"], &[home, variable]),
        "nowhere"
    );
    assert_eq!(
        find(&["w", "a", "--", "--no-config"], &[variable]),
        "named /v"
    );
}

#[test]
fn options_of_the_configuration_stand_before_the_command_too() {
    let count = |typed: &[&str]| {
        let args: Vec<OsString> = typed.iter().map(OsString::from).collect();
        leading(&args)
    };
    assert_eq!(count(&["--config", "x", "--no-config", "report"]), 3);
    assert_eq!(count(&["--config=x", "a"]), 1);
    assert_eq!(count(&["report", "--config", "x"]), 0);
    assert_eq!(count(&["--config"]), 0);
    assert_eq!(count(&[]), 0);
}

#[test]
fn keys_can_be_changed_in_the_file_and_by_an_option() {
    let text = "[keys]\nfreeze = \"e\"\nexport = [\"space\", \"f2\"]\nscale_down = \"comma\"\n";
    let keys = |typed: &[&str], settings: &Settings| {
        let Ok(Asked::View(args)) = asked(typed, settings) else {
            panic!("view is a command");
        };
        args.screen.options().map(|options| options.keys)
    };
    let expected = |changes: &[&str]| {
        let mut keys = wirewait_tui::Keymap::default();
        for change in changes {
            keys.change(&change.parse().unwrap());
        }
        keys
    };
    let set = set(text).unwrap();
    let swapped = ["freeze=e", "export=space f2"];
    assert_eq!(keys(&["view", "a"], &set).unwrap(), expected(&swapped));
    let typed = ["view", "a", "--key", "freeze=f e"];
    let also = ["freeze=f e", "export=space f2"];
    assert_eq!(keys(&typed, &set).unwrap(), expected(&also));
    let told = keys(&["view", "a", "--key", "freeze=u"], &set).unwrap_err();
    assert!(
        told.to_string()
            .contains("u is the key of freeze and of units")
    );
    let printed = template(&parse::command(), &set);
    assert!(printed.contains("\nexport = \"space,f2\"\n"), "{printed}");
}
