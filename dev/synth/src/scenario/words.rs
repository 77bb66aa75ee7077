//! The words of a line, and the numbers and options among them.

use super::error::{Fault, Place};
use std::cell::Cell;

/// A word and where it stands. Quotation marks keep blanks together and are not part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) place: Place,
}

impl Word {
    /// A fault at this word.
    pub(super) fn fault(&self, message: impl Into<String>) -> Fault {
        self.place.fault(message)
    }

    /// A fault that names what was expected and what stands there.
    pub(super) fn expected(&self, what: &str) -> Fault {
        self.fault(format!("expected {what}, found `{}`", self.text))
    }
}

/// Cuts a line into words. A `#` at the start of a word begins a comment.
pub(super) fn split(line: usize, text: &str) -> Result<Vec<Word>, Fault> {
    let mut words = Vec::new();
    let mut word: Option<Word> = None;
    let mut quote: Option<Place> = None;
    for (index, c) in text.chars().enumerate() {
        let place = Place {
            line,
            column: index + 1,
        };
        if quote.is_none() && c.is_whitespace() {
            words.extend(word.take());
            continue;
        }
        if quote.is_none() && word.is_none() && c == '#' {
            break;
        }
        let current = word.get_or_insert_with(|| Word {
            text: String::new(),
            place,
        });
        match (c, quote) {
            ('"', None) => quote = Some(place),
            ('"', Some(_)) => quote = None,
            _ => current.text.push(c),
        }
    }
    if let Some(place) = quote {
        return Err(place.fault("this quotation mark has no partner"));
    }
    words.extend(word);
    Ok(words)
}

/// Seconds with up to nine decimals, as nanoseconds; a minus sign is allowed.
pub(super) fn seconds(text: &str) -> Option<i64> {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || fraction.len() > 9 || !digits(whole) || !digits(fraction) {
        return None;
    }
    let whole: i64 = whole.parse().ok()?;
    let fraction: i64 = format!("{fraction:0<9}").parse().ok()?;
    let nanos = whole.checked_mul(1_000_000_000)?.checked_add(fraction)?;
    Some(if negative { -nanos } else { nanos })
}

/// Nanoseconds from seconds as [`seconds`] reads them, or from a number with a unit: `2.1ms`,
/// `350us`, `20ns`, `3s`. Not negative.
pub(super) fn duration(text: &str) -> Option<i64> {
    duration_in(text, 0)
}

/// A [`duration`] in units of 10^-`finer` ns, for values that are multiplied afterwards.
pub(super) fn duration_in(text: &str, finer: usize) -> Option<i64> {
    let units = [("ms", 6), ("us", 3), ("ns", 0), ("s", 9), ("", 9)];
    let (number, decimals) = units
        .iter()
        .find_map(|(unit, decimals)| Some((text.strip_suffix(unit)?, decimals + finer)))?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || fraction.len() > decimals || !digits(whole) || !digits(fraction) {
        return None;
    }
    format!("{whole}{fraction:0<decimals$}").parse().ok()
}

/// Names counted from one to another: `A..O`, `WS1..WS15`. A name alone is itself.
pub(super) fn names(text: &str) -> Option<Vec<String>> {
    let Some((first, last)) = text.split_once("..") else {
        return Some(vec![text.to_owned()]);
    };
    let one = |text: &str| text.bytes().next().filter(|_| text.len() == 1);
    if let (Some(from @ b'A'..=b'Z'), Some(to @ b'A'..=b'Z')) = (one(first), one(last)) {
        return Some((from..=to).map(|c| char::from(c).to_string()).collect());
    }
    let stem = first.trim_end_matches(|c: char| c.is_ascii_digit());
    let from: u32 = first.strip_prefix(stem)?.parse().ok()?;
    let to: u32 = last.strip_prefix(stem)?.parse().ok()?;
    // More stations than one network has numbers for are a slip of the pen.
    let many = to.checked_sub(from)?;
    (many < 0x10000).then(|| (from..=to).map(|n| format!("{stem}{n}")).collect())
}

/// A number: decimal, hexadecimal behind `0x`, or in a repeated block `i`, `i*8`, `i*8+4`,
/// where `i` counts the rounds from 0.
pub(super) fn number(text: &str, round: u64) -> Option<u64> {
    let plain = |text: &str| match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    };
    let Some(rest) = text.strip_prefix('i') else {
        return plain(text);
    };
    let (factor, term) = rest.split_once('+').unwrap_or((rest, "0"));
    let factor = match factor {
        "" => 1,
        _ => plain(factor.strip_prefix('*')?)?,
    };
    round.checked_mul(factor)?.checked_add(plain(term)?)
}

/// The options of one message: `key=value`, and bare words that are simply set.
#[derive(Debug)]
pub(super) struct Options {
    items: Vec<Item>,
    round: u64,
    /// Where they belong: faults about something missing point here.
    pub(super) place: Place,
}

#[derive(Debug)]
struct Item {
    key: String,
    value: Option<String>,
    place: Place,
    used: Cell<bool>,
}

impl Options {
    /// Reads `words` as options; `round` is the value of `i`, and stands for `{i}` in texts.
    pub(super) fn new(words: &[Word], place: Place, round: u64) -> Self {
        let items = words
            .iter()
            .map(|word| {
                let (key, value) = match word.text.split_once('=') {
                    Some((key, value)) => (key, Some(value.replace("{i}", &round.to_string()))),
                    None => (word.text.as_str(), None),
                };
                Item {
                    key: key.to_owned(),
                    value,
                    place: word.place,
                    used: Cell::new(false),
                }
            })
            .collect();
        Self {
            items,
            round,
            place,
        }
    }

    fn find(&self, key: &str) -> Option<&Item> {
        let item = self.items.iter().find(|item| item.key == key)?;
        item.used.set(true);
        Some(item)
    }

    /// Whether the bare word is there.
    pub(super) fn flag(&self, key: &str) -> Result<bool, Fault> {
        match self.find(key) {
            None => Ok(false),
            Some(item) if item.value.is_none() => Ok(true),
            Some(item) => Err(item.place.fault(format!("`{key}` takes no value"))),
        }
    }

    /// Whether the key is there at all, with or without a value.
    pub(super) fn has(&self, key: &str) -> bool {
        self.items.iter().any(|item| item.key == key)
    }

    /// The text of an option.
    pub(super) fn text(&self, key: &str) -> Result<Option<&str>, Fault> {
        match self.find(key) {
            None => Ok(None),
            Some(item) => match &item.value {
                Some(value) => Ok(Some(value)),
                None => Err(item
                    .place
                    .fault(format!("`{key}` needs a value: {key}=..."))),
            },
        }
    }

    /// The number of an option, which must fit its field.
    pub(super) fn maybe<T: TryFrom<u64>>(&self, key: &str) -> Result<Option<T>, Fault> {
        let Some(text) = self.text(key)? else {
            return Ok(None);
        };
        let fault = |what: &str| {
            let place = self.find(key).map_or(self.place, |item| item.place);
            place.fault(format!("{key}={text}: {what}"))
        };
        let value = number(text, self.round).ok_or_else(|| {
            fault("not a number (decimal, 0x and hexadecimal, or i*FACTOR+TERM in a block)")
        })?;
        T::try_from(value)
            .map(Some)
            .map_err(|_| fault("too large for this field"))
    }

    /// The number of an option, or what stands for it when it is not there.
    pub(super) fn or<T: TryFrom<u64>>(&self, key: &str, default: T) -> Result<T, Fault> {
        Ok(self.maybe(key)?.unwrap_or(default))
    }

    /// A number of bytes of data, which must fit a message (its length has 24 bits).
    pub(super) fn bytes(&self, key: &str, default: u32) -> Result<usize, Fault> {
        let bytes = self.or(key, default)?;
        if bytes > 0x00ff_0000 {
            return Err(self
                .place
                .fault(format!("{key}={bytes}: too much for one message")));
        }
        Ok(bytes as usize)
    }

    /// Seconds as nanoseconds, or the default.
    pub(super) fn seconds(&self, key: &str, default: i64) -> Result<i64, Fault> {
        let Some(text) = self.text(key)? else {
            return Ok(default);
        };
        seconds(text).filter(|nanos| *nanos >= 0).ok_or_else(|| {
            let place = self.find(key).map_or(self.place, |item| item.place);
            place.fault(format!("{key}={text}: not a number of seconds"))
        })
    }

    /// A time with or without a unit, or the default.
    pub(super) fn duration(&self, key: &str, default: i64) -> Result<i64, Fault> {
        match self.text(key)? {
            None => Ok(default),
            Some(text) => duration(text)
                .ok_or_else(|| self.fault(key, "needs a time such as 0.010, 2.5ms or 300us")),
        }
    }

    /// A fault about the value of an option.
    pub(super) fn fault(&self, key: &str, what: &str) -> Fault {
        let place = self.find(key).map_or(self.place, |item| item.place);
        place.fault(format!("`{key}` {what}"))
    }

    /// Numbers between commas; `None` if the key is not there, an empty list if it has no
    /// value.
    pub(super) fn list(&self, key: &str) -> Result<Option<Vec<usize>>, Fault> {
        let Some(item) = self.find(key) else {
            return Ok(None);
        };
        let Some(value) = &item.value else {
            return Ok(Some(Vec::new()));
        };
        value
            .split(',')
            .map(|text| text.parse().ok())
            .collect::<Option<Vec<usize>>>()
            .map(Some)
            .ok_or_else(|| {
                item.place
                    .fault(format!("`{key}` needs numbers between commas"))
            })
    }

    /// A fault if an option was never asked for: it is misspelt or does not belong here.
    pub(super) fn done(&self) -> Result<(), Fault> {
        match self.items.iter().find(|item| !item.used.get()) {
            None => Ok(()),
            Some(item) => Err(item
                .place
                .fault(format!("`{}` is not an option here", item.key))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_columns_and_quotes_hold_together() {
        let words = split(3, "0.1 C>S  name=\"A B\" # gone").unwrap();
        let texts: Vec<_> = words.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(texts, ["0.1", "C>S", "name=A B"]);
        assert_eq!(
            words[2].place,
            Place {
                line: 3,
                column: 10
            }
        );
        let fault = split(1, "x \"y").unwrap_err();
        assert_eq!(fault.place.column, 3);
    }

    #[test]
    fn a_name_may_count_the_rounds() {
        let words = split(1, "name=TREE{i}.DAT offset=i*8").unwrap();
        let place = Place { line: 1, column: 1 };
        let options = Options::new(&words, place, 50);
        assert_eq!(options.text("name").unwrap(), Some("TREE50.DAT"));
        assert_eq!(options.maybe::<u64>("offset").unwrap(), Some(400));
    }

    #[test]
    fn seconds_are_exact() {
        assert_eq!(seconds("0.010"), Some(10_000_000));
        assert_eq!(seconds("-2"), Some(-2_000_000_000));
        assert_eq!(seconds("1.000000001"), Some(1_000_000_001));
        assert_eq!(seconds("1.0000000001"), None);
        assert_eq!(seconds(".5"), None);
        assert_eq!(seconds("99999999999"), None);
    }

    #[test]
    fn durations_have_units_and_ranges_of_names_are_counted() {
        assert_eq!(duration("2.1ms"), Some(2_100_000));
        assert_eq!(duration("0.010"), Some(10_000_000));
        assert_eq!(duration("350us"), Some(350_000));
        assert_eq!(duration("1.5ns"), None);
        assert_eq!(duration_in("0.4ns", 3), Some(400));
        assert_eq!(duration("-1ms"), None);
        assert_eq!(names("A..C").unwrap(), ["A", "B", "C"]);
        assert_eq!(names("WS9..WS11").unwrap(), ["WS9", "WS10", "WS11"]);
        assert_eq!(names("FS").unwrap(), ["FS"]);
        assert_eq!(names("WS9..PC11"), None);
        assert_eq!(names("WS9..WS2"), None);
    }

    #[test]
    fn numbers_can_count_the_rounds() {
        assert_eq!(number("0x10", 0), Some(16));
        assert_eq!(number("i*1024+8", 2), Some(2056));
        assert_eq!(number("i", 7), Some(7));
        assert_eq!(number("i/2", 7), None);
        assert_eq!(number("i*99999999999999999999", 7), None);
    }

    #[test]
    fn options_that_nobody_asked_for_are_faults() {
        let words = split(1, "offset=4 lenght=8 final").unwrap();
        let options = Options::new(&words, words[0].place, 0);
        assert_eq!(options.maybe::<u32>("offset"), Ok(Some(4)));
        assert_eq!(options.flag("final"), Ok(true));
        let fault = options.done().unwrap_err();
        assert_eq!(fault.place.column, 10);
        assert!(fault.message.contains("lenght"));
    }

    #[test]
    fn a_number_must_fit_its_field() {
        let words = split(1, "offset=70000").unwrap();
        let options = Options::new(&words, words[0].place, 0);
        assert!(options.maybe::<u16>("offset").is_err());
    }
}
