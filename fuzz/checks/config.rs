//! What must hold for any text that is meant as a file of settings.

use wirewait_report::config::{Config, Setting, Value, quoted};
use wirewait_report::symptoms::threshold;

/// Reads settings, writes them, and reads them again.
///
/// # Panics
/// When a mistake points outside of the text, or settings do not come back as they went.
pub(crate) fn config(text: &str) {
    let config = match Config::read(text, "fuzz", "analysis") {
        Ok(config) => config,
        Err(mistake) => return placed(text, &mistake.to_string()),
    };
    if let Err(mistake) = config.check_sections(["analysis", "symptoms"].into_iter()) {
        placed(text, &mistake.to_string());
    }
    let mut written = String::new();
    let mut section = None;
    for setting in config.settings() {
        if section.replace(&setting.section) != Some(&setting.section) {
            written.push_str(&format!("[{}]\n", quoted(&setting.section)));
        }
        written.push_str(&format!("{} = {}\n", quoted(&setting.key), value(setting)));
        let unknown = config.unknown_key(setting, "setting", ["timeout"].into_iter());
        placed(text, &unknown.to_string());
        if let Value::Text(number) = &setting.value {
            match threshold(&setting.key, number) {
                Ok((threshold, _)) => assert_eq!(threshold.name(), setting.key),
                Err(message) => assert!(!message.is_empty()),
            }
        }
    }
    let again = Config::read(&written, "again", "analysis").expect("what was written is read");
    let [before, after] = [&config, &again].map(|config| -> Vec<_> {
        let settings = config.settings().iter();
        settings
            .map(|one| (&one.section, &one.key, &one.value))
            .collect()
    });
    assert_eq!(before, after, "{written}");
}

fn value(setting: &Setting) -> String {
    match &setting.value {
        Value::Text(text) => quoted(text),
        Value::Flag(flag) => flag.to_string(),
        Value::Texts(texts) => {
            let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
            format!("[{}]", texts.join(", "))
        }
    }
}

/// A mistake says where it is: in the text, or just behind it.
fn placed(text: &str, mistake: &str) {
    let mut parts = mistake.splitn(4, ':').skip(1);
    let mut number = || parts.next().and_then(|part| part.parse::<usize>().ok());
    let (line, column) = (number().expect("a line"), number().expect("a column"));
    assert!(
        (1..=text.matches('\n').count() + 1).contains(&line),
        "{mistake}"
    );
    let there = text.split('\n').nth(line - 1).unwrap_or("");
    assert!(
        (1..=there.chars().count() + 2).contains(&column),
        "{mistake}"
    );
    assert!(
        parts.next().is_some_and(|message| message.len() > 1),
        "{mistake}"
    );
}
