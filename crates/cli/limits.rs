//! What the analysis holds at most of each kind, set by name.

use crate::size::Size;
use wirewait::Settings;

/// Something of which a limited number is held.
#[derive(Debug)]
pub(crate) struct Limit {
    /// As it is typed.
    pub(crate) name: &'static str,
    /// What is limited.
    pub(crate) meaning: &'static str,
    least: usize,
    most: usize,
    of: fn(&mut Settings) -> &mut usize,
}

pub(crate) const LIMITS: [Limit; 8] = [
    Limit {
        name: "conversations",
        meaning: "Conversations followed at once",
        least: 16,
        most: 100_000_000,
        of: |settings| &mut settings.conversations,
    },
    Limit {
        name: "open_requests",
        meaning: "Requests without a response yet, of all conversations together",
        least: 16,
        most: 100_000_000,
        of: |settings| &mut settings.open_requests,
    },
    Limit {
        name: "conversation_requests",
        meaning: "Requests without a response yet in one conversation",
        least: 1,
        most: 100_000_000,
        of: |settings| &mut settings.conversation_requests,
    },
    Limit {
        name: "held_bytes",
        meaning: "Bytes of memory for segments that wait for a missing one, of all streams together",
        least: 64 << 10,
        most: 64 << 30,
        of: |settings| &mut settings.held_bytes,
    },
    Limit {
        name: "stream_bytes",
        meaning: "Bytes of memory for segments that wait for a missing one, in one direction",
        least: 1 << 10,
        most: 64 << 30,
        of: |settings| &mut settings.stream_bytes,
    },
    Limit {
        name: "rows",
        meaning: "Rows of figures: servers with their operations, stations",
        least: 16,
        most: 100_000_000,
        of: |settings| &mut settings.rows,
    },
    Limit {
        name: "slowest",
        meaning: "Slowest transactions shown",
        least: 1,
        most: 10_000,
        of: |settings| &mut settings.slowest,
    },
    Limit {
        name: "names",
        meaning: "Names of users, shares and files",
        least: 16,
        most: 100_000_000,
        of: |settings| &mut settings.names,
    },
];

/// One of them, set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Set {
    limit: &'static Limit,
    value: usize,
}

/// Rows that there are however many conversations are followed.
const FEWEST_ROWS: usize = 2000;

/// Sets all of these. Conversations and rows share the memory: where more conversations are followed
/// than by default, and nothing is said of rows, each takes the room of four fifths of a row.
pub(crate) fn apply(sets: &[Set], settings: &mut Settings) {
    let usual = Settings::default();
    for set in sets {
        *(set.limit.of)(settings) = set.value;
    }
    if !sets.iter().any(|set| set.limit.name == "rows") {
        let more = settings.conversations.saturating_sub(usual.conversations);
        let rows = usual.rows.saturating_sub(more.saturating_mul(4) / 5);
        settings.rows = rows.max(FEWEST_ROWS);
    }
}

impl Limit {
    /// What it is where nothing is set.
    pub(crate) fn default_value(&self) -> usize {
        *(self.of)(&mut Settings::default())
    }
}

/// Reads `NAME=N`.
pub(crate) fn parse(text: &str) -> Result<Set, String> {
    let names = || LIMITS.iter().map(|limit| limit.name).collect::<Vec<_>>();
    let Some((name, value)) = text.split_once('=') else {
        return Err(format!("write NAME=N; names are {}", names().join(", ")));
    };
    let limit = LIMITS.iter().find(|limit| limit.name == name);
    let limit = limit
        .ok_or_else(|| format!("there is no limit {name}; names are {}", names().join(", ")))?;
    let range = limit.least..=limit.most;
    value
        .parse::<Size>()
        .ok()
        .and_then(|size| usize::try_from(size.bytes).ok())
        .filter(|value| range.contains(value))
        .map(|value| Set { limit, value })
        .ok_or_else(|| {
            format!(
                "{name} takes a number from {} to {}",
                range.start(),
                range.end()
            )
        })
}

#[cfg(test)]
mod listed;
#[cfg(test)]
mod walk;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_set_by_their_names() {
        let mut settings = Settings::default();
        for (text, value) in [("rows=16", 16), ("names=1000", 1000), ("slowest=3", 3)] {
            apply(&[parse(text).unwrap()], &mut settings);
            assert!([settings.rows, settings.names, settings.slowest].contains(&value));
        }
        apply(&[parse("held_bytes=1MiB").unwrap()], &mut settings);
        assert_eq!(settings.held_bytes, 1 << 20);
        assert_eq!(settings.conversations, Settings::default().conversations);
        for limit in &LIMITS {
            let default = limit.default_value();
            assert!(
                (limit.least..=limit.most).contains(&default),
                "{}",
                limit.name
            );
        }
    }

    #[test]
    fn more_conversations_leave_room_for_fewer_rows() {
        let rows = |texts: &[&str]| {
            let sets: Vec<Set> = texts.iter().map(|text| parse(text).unwrap()).collect();
            let mut settings = Settings::default();
            apply(&sets, &mut settings);
            settings.rows
        };
        assert_eq!(rows(&[]), 5200);
        assert_eq!(rows(&["conversations=5000"]), 5200);
        assert_eq!(rows(&["conversations=17000"]), 4400);
        assert_eq!(rows(&["conversations=20000"]), 2000);
        assert_eq!(rows(&["conversations=100000000"]), 2000);
        // Who says how many has them.
        assert_eq!(rows(&["rows=9000", "conversations=20000"]), 9000);
    }

    #[test]
    fn what_cannot_be_is_told() {
        let wrong = |text: &str| parse(text).unwrap_err();
        assert!(wrong("rows").starts_with("write NAME=N; names are conversations, "));
        assert!(wrong("row=5").starts_with("there is no limit row; names are conversations, "));
        let range = "rows takes a number from 16 to 100000000";
        for value in ["0", "15", "100000001", "", "many", "-1"] {
            assert_eq!(wrong(&format!("rows={value}")), range);
        }
    }
}
