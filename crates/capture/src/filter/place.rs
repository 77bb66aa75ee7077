//! At which word an expression stops making sense. libpcap does not tell, so it is asked
//! again, with more and more words of it: the first that nothing can follow is the place.

use std::ops::Range;

/// What can complete the beginning of an expression, one or the other.
const ENDINGS: [&str; 9] = [
    "",
    " 1",
    " tcp",
    " 10.0.0.1",
    " 0:0:0:0:0:1",
    " port 1",
    " = 1",
    " 1 = 1",
    " tcp-ack != 0",
];

/// Longer expressions are not tried word by word.
const MOST_WORDS: usize = 100;

/// The bytes of the expression at which the trouble is that `message` is about; those behind
/// its end if something is missing there. `compile` says what libpcap says about an expression.
pub(super) fn place(
    expression: &str,
    message: &str,
    compile: impl Fn(&str) -> Result<(), String>,
) -> Option<Range<usize>> {
    let words = words(expression);
    if !is_syntax(message) {
        return words
            .into_iter()
            .find(|word| is_named(message, &expression[word.clone()]));
    }
    if words.len() > MOST_WORDS {
        return None;
    }
    let cannot_go_on = |end: usize| {
        let begun = &expression[..end];
        let closing = closing(begun);
        !ENDINGS.iter().any(|ending| {
            let whole = format!("{begun}{ending}{closing}");
            match compile(&whole) {
                Ok(()) => true,
                Err(said) => !is_syntax(&said),
            }
        })
    };
    let end = expression.trim_end().len();
    Some(
        words
            .into_iter()
            .find(|word| cannot_go_on(word.end))
            .unwrap_or(end..end),
    )
}

fn is_syntax(message: &str) -> bool {
    message.contains("syntax error")
}

/// Whether a message is about this word: it has it in quotes, or it is a number in it.
fn is_named(message: &str, word: &str) -> bool {
    let number = word.bytes().all(|byte| byte.is_ascii_digit());
    message.contains(&format!("'{word}'"))
        || (number && message.split(' ').any(|said| said == word))
}

/// What closes the brackets and parentheses that are open.
fn closing(begun: &str) -> String {
    let mut open = Vec::new();
    for letter in begun.chars() {
        match letter {
            '(' => open.push(")"),
            '[' => open.push("] = 1"),
            ')' | ']' => {
                open.pop();
            }
            _ => {}
        }
    }
    open.into_iter().rev().collect()
}

/// Names, numbers and addresses; and signs, one by one or in pairs.
fn words(expression: &str) -> Vec<Range<usize>> {
    const PAIRS: [&str; 8] = ["&&", "||", "<=", ">=", "!=", "==", "<<", ">>"];
    let in_name = |letter: char| letter.is_alphanumeric() || "._:-/\\".contains(letter);
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(letter) = expression[at..].chars().next() {
        let rest = &expression[at..];
        let length = if letter.is_whitespace() {
            at += letter.len_utf8();
            continue;
        } else if in_name(letter) {
            rest.find(|letter| !in_name(letter)).unwrap_or(rest.len())
        } else if PAIRS.iter().any(|pair| rest.starts_with(pair)) {
            2
        } else {
            letter.len_utf8()
        };
        words.push(at..at + length);
        at += length;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::super::{FilterError, compile};
    use wirewait_wire::LinkType;

    /// The word that is pointed at; nothing for the end.
    fn pointed(expression: &str) -> Option<String> {
        let message = compile(expression, LinkType::ETHERNET).unwrap_err();
        let error = FilterError::new(expression, message);
        error.at.map(|at| expression[at].to_owned())
    }

    #[test]
    fn the_word_that_does_not_fit_is_pointed_at() {
        for (expression, word) in [
            ("tcp prot 445", "prot"),
            ("tcp port 445 and and udp", "and"),
            ("tcp port 445 & udp", "&"),
            ("len > x", "x"),
            ("tcp @ 4", "@"),
            ("(tcp port 445", ""),
            ("tcp port", ""),
            ("ip[5", ""),
            ("host 10.0.0.1 or (udp port 137 or) and tcp", ")"),
            ("port 99999", "99999"),
            ("vlan 5000", "5000"),
            ("tcp port 445 or port nosuchport", "nosuchport"),
        ] {
            assert_eq!(pointed(expression).as_deref(), Some(word), "{expression}");
        }
    }

    #[test]
    fn the_error_shows_the_place() {
        let error = FilterError::new(
            "tcp prot 445",
            compile("tcp prot 445", LinkType::ETHERNET).unwrap_err(),
        );
        let text = error.to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1..], ["  tcp prot 445", "      ^~~~"], "{text}");

        let error = FilterError::new("é port", "syntax error".to_owned());
        let text = error.to_string();
        assert_eq!(text.lines().last().unwrap(), "  ^", "{text}");
    }
}
