//! Which frames are shown: a small language of protocols, addresses, commands and fields.
//!
//! ```text
//! expression := all { "or" all }
//! all        := one { "and" one }
//! one        := "not" one | "(" expression ")" | test
//! test       := PROTOCOL [ SEARCH ]             the frame has a layer of it
//!             | PROTOCOL.FIELD                  ... with this field
//!             | PROTOCOL.FIELD OPERATOR VALUE   == != < <= > >=, or eq ne lt le gt ge
//!             | PROTOCOL.FIELD SET
//!             | PROTOCOL.FIELD SEARCH
//!             | [ "src" | "dst" ] [ "host" ] ADDRESS
//!             | [ "src" | "dst" ] "port" NUMBER
//!             | "command" NAME
//!             | FIELD                           a field of Wireshark (`ip.addr`, `smb2.cmd`)
//!             | FIELD OPERATOR VALUE
//!             | FIELD SET
//!             | FIELD SEARCH
//! SET        := "in" "{" VALUE [".." VALUE] { "," ... } "}"
//! SEARCH     := "contains" VALUE | "matches" REGULAR EXPRESSION
//! ```
//!
//! Names of protocols and fields are compared without case, blanks and punctuation. `*` and
//! `?` in a value or a command stand for any characters and any one. `&&`, `||` and `!` do
//! for the words.

mod address;
mod own;
mod parse;
mod test;
mod tokens;
mod wireshark;

use super::Shown;
use address::AddressPattern;
use own::{FieldTest, Search};
use std::fmt;
use test::Scene;
use wireshark::WireTest;
use wirewait_wire::Registry;

pub use parse::FilterError;

/// Characters of an expression at most.
const MOST_CHARACTERS: usize = 4096;
/// Expressions within each other at most.
const MOST_DEPTH: usize = 64;

/// An expression that a frame fits or does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    expression: Expression,
    /// The fields that it names, each with whether a frame had it.
    fields: Vec<(FieldNames, bool)>,
    /// A frame fitted.
    fitted: bool,
}

impl Filter {
    /// Reads an expression. `registry` knows the names of the protocols.
    ///
    /// # Errors
    /// Where the expression goes wrong, and what should stand there.
    pub fn parse(text: &str, registry: &Registry) -> Result<Self, FilterError> {
        parse::parse(text, registry)
    }

    /// Fields that are named in the expression and that no frame had, for people.
    pub fn missing(&self) -> impl Iterator<Item = String> + '_ {
        let missing = self.fields.iter().filter(|(_, seen)| !seen);
        missing.map(|(named, _)| named.plain())
    }

    /// Whether any of the frames that were looked at fits.
    #[must_use]
    pub fn has_fitted(&self) -> bool {
        self.fitted
    }

    /// Whether a frame is to be shown.
    pub(super) fn fits(&mut self, shown: &Shown<'_>) -> bool {
        let scene = Scene::new(shown);
        for (named, seen) in &mut self.fields {
            *seen = *seen || scene.has(named);
        }
        let fits = self.expression.fits(&scene, &self.fields);
        self.fitted |= fits;
        fits
    }
}

/// As it can be typed again.
impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.expression.write(&self.fields, None, f)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Expression {
    Any(Vec<Expression>),
    All(Vec<Expression>),
    Not(Box<Expression>),
    Test(Test),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    /// A layer of this protocol, and what its bytes must have in them.
    Layer(String, Option<Search>),
    /// A field, by its place in the list, and what it must be.
    Field(usize, Option<FieldTest>),
    Host(Side, AddressPattern),
    Port(Side, u16),
    Command(String),
    /// A field by the name that Wireshark has for it.
    Wireshark(WireTest),
}

/// A field by the names of its protocol and its own; both as they were typed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FieldNames {
    layer: String,
    field: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

const OPERATORS: [(&str, Operator); 7] = [
    ("==", Operator::Equal),
    ("!=", Operator::NotEqual),
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("=", Operator::Equal),
    ("<", Operator::Less),
    (">", Operator::Greater),
];

impl Operator {
    fn sign(self) -> &'static str {
        OPERATORS
            .iter()
            .find(|(_, operator)| *operator == self)
            .map_or("", |(sign, _)| sign)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Literal {
    Number(u64),
    Words(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Either,
    Source,
    Destination,
}

impl Side {
    fn word(self) -> &'static str {
        match self {
            Self::Either => "",
            Self::Source => "src ",
            Self::Destination => "dst ",
        }
    }
}

impl Expression {
    fn fits(&self, scene: &Scene<'_>, fields: &[(FieldNames, bool)]) -> bool {
        match self {
            Self::Any(list) => list.iter().any(|e| e.fits(scene, fields)),
            Self::All(list) => list.iter().all(|e| e.fits(scene, fields)),
            Self::Not(inner) => !inner.fits(scene, fields),
            Self::Test(test) => test.fits(scene, fields),
        }
    }

    /// With marks only where it would be read otherwise without them, so that it is no deeper
    /// than it was typed. `within` is what it is a part of.
    fn write(
        &self,
        fields: &[(FieldNames, bool)],
        within: Option<&Self>,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        let (list, between) = match self {
            Self::Any(list) => (list, " or "),
            Self::All(list) => (list, " and "),
            Self::Not(inner) => {
                f.write_str("not ")?;
                return inner.write(fields, Some(self), f);
            }
            Self::Test(test) => return test.write(fields, f),
        };
        let bare = match within {
            None => true,
            Some(Self::Any(_)) => matches!(self, Self::All(_)),
            Some(_) => false,
        };
        let [open, close] = if bare { ["", ""] } else { ["(", ")"] };
        f.write_str(open)?;
        for (n, expression) in list.iter().enumerate() {
            if n > 0 {
                f.write_str(between)?;
            }
            expression.write(fields, Some(self), f)?;
        }
        f.write_str(close)
    }
}

impl Test {
    fn write(&self, fields: &[(FieldNames, bool)], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Layer(name, None) => f.write_str(name),
            Self::Layer(name, Some(search)) => write!(f, "{name} {search}"),
            Self::Field(field, test) => {
                if let Some((named, _)) = fields.get(*field) {
                    write!(f, "{named}")?;
                }
                match test {
                    None => Ok(()),
                    Some(test) => write!(f, " {test}"),
                }
            }
            Self::Host(side, address) => write!(f, "{}host {address}", side.word()),
            Self::Port(side, port) => write!(f, "{}port {port}", side.word()),
            Self::Command(name) => write!(f, "command {}", Quoted(name)),
            Self::Wireshark(test) => write!(f, "{test}"),
        }
    }
}

impl FieldNames {
    /// For people.
    fn plain(&self) -> String {
        format!("{}.{}", self.layer, self.field)
    }
}

/// Quoted as a whole, so that it is not read as a field of Wireshark (`tcp.port`).
impl fmt::Display for FieldNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Quoted(&self.plain()))
    }
}

/// Words between quotation marks, with those in them behind a backslash.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for c in self.0.chars() {
            if matches!(c, '"' | '\\') {
                f.write_str("\\")?;
            }
            write!(f, "{c}")?;
        }
        f.write_str("\"")
    }
}

#[cfg(test)]
mod tests;
