//! Words and signs of an expression.

use super::parse::{FilterError, error};
use super::{MOST_CHARACTERS, OPERATORS, Quoted};
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Open,
    Close,
    /// A sign of [`OPERATORS`], `&&`, `||` or `!`.
    Sign(&'static str),
    /// `{` and `}` around a set, and `,` in it.
    Begin,
    End,
    Comma,
    /// A word, and whether it was quoted.
    Word(String, bool),
}

/// As it can be typed again.
impl fmt::Display for TokenKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open => f.write_str("("),
            Self::Close => f.write_str(")"),
            Self::Begin => f.write_str("{"),
            Self::End => f.write_str("}"),
            Self::Comma => f.write_str(","),
            Self::Sign(sign) => f.write_str(sign),
            Self::Word(word, true) => write!(f, "{}", Quoted(word)),
            Self::Word(word, false) => f.write_str(word),
        }
    }
}

pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) column: usize,
}

const SIGNS: [&str; 3] = ["&&", "||", "!"];

/// The tokens of an expression.
///
/// # Errors
/// The first place that is no token.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, FilterError> {
    let characters: Vec<char> = text.chars().collect();
    if characters.len() > MOST_CHARACTERS {
        return error(
            MOST_CHARACTERS,
            format!("the expression is longer than {MOST_CHARACTERS} characters"),
        );
    }
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut in_set = false;
    while let Some(c) = characters.get(at) {
        let column = at;
        let rest = characters.get(at..).unwrap_or_default();
        let sign = OPERATORS
            .iter()
            .map(|(sign, _)| *sign)
            .chain(SIGNS)
            .find(|sign| rest.starts_with(&sign.chars().collect::<Vec<_>>()));
        let kind = match c {
            c if c.is_whitespace() => {
                at += 1;
                continue;
            }
            '(' => {
                at += 1;
                TokenKind::Open
            }
            ')' => {
                at += 1;
                TokenKind::Close
            }
            '{' | '}' => {
                at += 1;
                in_set = *c == '{';
                if in_set {
                    TokenKind::Begin
                } else {
                    TokenKind::End
                }
            }
            ',' if in_set => {
                at += 1;
                TokenKind::Comma
            }
            _ if sign.is_some() => {
                let sign = sign.unwrap_or_default();
                at += sign.len();
                TokenKind::Sign(sign)
            }
            _ => {
                let (word, quoted, end) = word(&characters, at, in_set)?;
                at = end;
                TokenKind::Word(word, quoted)
            }
        };
        tokens.push(Token { kind, column });
    }
    Ok(tokens)
}

/// A word, parts of which may be quoted; whether all of it is; and where it ends.
fn word(
    characters: &[char],
    start: usize,
    in_set: bool,
) -> Result<(String, bool, usize), FilterError> {
    let (mut word, mut at) = (String::new(), start);
    let quoted = characters.get(start) == Some(&'"');
    while let Some(c) = characters.get(at) {
        match c {
            '"' => {
                let opened = at;
                at += 1;
                loop {
                    match characters.get(at) {
                        None => return error(opened, "this quotation mark is not closed"),
                        Some('"') => break,
                        Some('\\') => {
                            at += 1;
                            word.extend(characters.get(at));
                        }
                        Some(c) => word.push(*c),
                    }
                    at += 1;
                }
                at += 1;
            }
            c if c.is_whitespace() || "()=!<>&|{}".contains(*c) => break,
            ',' if in_set => break,
            c => {
                word.push(*c);
                at += 1;
            }
        }
    }
    if at == start {
        // A single & or |.
        return error(start, "nothing begins with this character");
    }
    Ok((word, quoted, at))
}
