//! From text to an expression.

use super::own::{FieldTest, Search, SetMember};
use super::tokens::{Token, TokenKind, tokens};
use super::wireshark::{self, Datum, LAYERS, Pattern, Relation, Synonym, WireTest};
use super::{Expression, FieldNames, Filter, Literal, MOST_DEPTH, OPERATORS, Operator, Side, Test};
use std::fmt;
use std::ops::RangeInclusive;
use wirewait_wire::Registry;

/// Where an expression goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterError {
    /// Characters in front of that place.
    pub column: usize,
    /// What is wrong, or should stand there.
    pub message: String,
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.column + 1, self.message)
    }
}

impl std::error::Error for FilterError {}

pub(super) fn error<T>(column: usize, message: impl Into<String>) -> Result<T, FilterError> {
    Err(FilterError {
        column,
        message: message.into(),
    })
}

pub(super) fn parse(text: &str, registry: &Registry) -> Result<Filter, FilterError> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        end: text.chars().count(),
        fields: Vec::new(),
        registry,
    };
    let expression = parser.any(0)?;
    match parser.peek() {
        None => Ok(Filter {
            expression,
            fields: parser.fields,
            fitted: false,
        }),
        Some(TokenKind::Close) => error(parser.column(), "no ( is open here"),
        Some(_) => error(parser.column(), "and, or, or the end should stand here"),
    }
}

struct Parser<'r> {
    tokens: Vec<Token>,
    at: usize,
    /// Characters of the whole.
    end: usize,
    fields: Vec<(FieldNames, bool)>,
    registry: &'r Registry,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&TokenKind> {
        self.tokens.get(self.at).map(|token| &token.kind)
    }

    fn column(&self) -> usize {
        self.tokens
            .get(self.at)
            .map_or(self.end, |token| token.column)
    }

    /// Takes the next token if it is this word, or this sign.
    fn takes(&mut self, word: &str, sign: &str) -> bool {
        let found = match self.peek() {
            Some(TokenKind::Word(typed, false)) => typed.eq_ignore_ascii_case(word),
            Some(TokenKind::Sign(typed)) => *typed == sign,
            _ => false,
        };
        self.at += usize::from(found);
        found
    }

    fn any(&mut self, depth: usize) -> Result<Expression, FilterError> {
        let mut list = vec![self.all(depth)?];
        while self.takes("or", "||") {
            list.push(self.all(depth)?);
        }
        Ok(one_of(list, Expression::Any))
    }

    fn all(&mut self, depth: usize) -> Result<Expression, FilterError> {
        let mut list = vec![self.one(depth)?];
        while self.takes("and", "&&") {
            list.push(self.one(depth)?);
        }
        Ok(one_of(list, Expression::All))
    }

    fn one(&mut self, depth: usize) -> Result<Expression, FilterError> {
        if depth > MOST_DEPTH {
            return error(
                self.column(),
                format!("more than {MOST_DEPTH} expressions within each other"),
            );
        }
        if self.takes("not", "!") {
            let inner = self.one(depth + 1)?;
            return Ok(Expression::Not(Box::new(inner)));
        }
        let column = self.column();
        if self.peek() == Some(&TokenKind::Open) {
            self.at += 1;
            let inner = self.any(depth + 1)?;
            if self.peek() != Some(&TokenKind::Close) {
                return error(
                    self.column(),
                    format!(") should stand here, for the ( in column {}", column + 1),
                );
            }
            self.at += 1;
            return Ok(inner);
        }
        self.test().map(Expression::Test)
    }

    fn test(&mut self) -> Result<Test, FilterError> {
        let column = self.column();
        let side = if self.takes("src", "") {
            Side::Source
        } else if self.takes("dst", "") {
            Side::Destination
        } else {
            Side::Either
        };
        if self.takes("port", "") {
            return self.port().map(|port| Test::Port(side, port));
        }
        if self.takes("host", "") || side != Side::Either {
            let column = self.column();
            let word = self.word("an address should stand here")?;
            return match word.parse() {
                Ok(wanted) => Ok(Test::Host(side, wanted)),
                Err(()) => error(
                    column,
                    "this is no address; write 10.0.0.1, fe80::1, 00-00-1b-12-34-56, \
                     00000022.00001b123456 (IPX network and node) or 1.13 (DECnet)",
                ),
            };
        }
        if self.takes("command", "") {
            let name = self.word("the name of a command should stand here (READ_ANDX, READ*)")?;
            return Ok(Test::Command(name));
        }
        let quoted = matches!(self.peek(), Some(TokenKind::Word(_, true)));
        let word = self.word(
            "a protocol, a field (smb2.MessageId), host, src, dst, port, command, not or ( \
             should stand here",
        )?;
        if let Some(synonym) = Synonym::called(&word).filter(|_| !quoted) {
            return self.relation(synonym).map(Test::Wireshark);
        }
        if let Some(says) = wireshark::other(&word).filter(|_| !quoted) {
            return error(column, says);
        }
        let (layer, field) = match word.split_once('.') {
            Some((layer, field)) => (layer, Some(field)),
            None => (word.as_str(), None),
        };
        let Some(layer) = self.protocol(layer) else {
            return error(
                column,
                format!("there is no protocol {layer}; `wirewait protocols` lists them"),
            );
        };
        match field {
            None => Ok(Test::Layer(layer.to_owned(), self.search()?)),
            Some(field) if field.chars().any(char::is_alphanumeric) => {
                let number = self.field(layer, field);
                self.field_test().map(|test| Test::Field(number, test))
            }
            Some(_) => error(column, format!("a field of {layer} should follow the dot")),
        }
    }

    fn protocol(&self, typed: &str) -> Option<&'static str> {
        let all = self.registry.dissectors();
        let named = all.iter().find(|d| d.name.eq_ignore_ascii_case(typed));
        let found = named.or_else(|| all.iter().find(|d| d.is_called(typed)));
        let other = || {
            LAYERS
                .iter()
                .find(|(name, _)| name.eq_ignore_ascii_case(typed))
        };
        let found = found.or_else(|| {
            let (_, ours) = other()?;
            all.iter().find(|d| d.name == *ours)
        });
        found.map(|d| d.name)
    }

    /// The place of a field in the list of those that are named.
    fn field(&mut self, layer: &str, field: &str) -> usize {
        let named = FieldNames {
            layer: layer.to_owned(),
            field: field.to_owned(),
        };
        let known = self.fields.iter().position(|(known, _)| *known == named);
        known.unwrap_or_else(|| {
            self.fields.push((named, false));
            self.fields.len() - 1
        })
    }

    /// What stands behind a field of wirewait's own.
    fn field_test(&mut self) -> Result<Option<FieldTest>, FilterError> {
        if let Some(operator) = self.operator() {
            let sign = operator.sign();
            let column = self.column();
            let (word, quoted) = self.value(format!("a value should stand behind {sign}"))?;
            let literal = literal(word, quoted);
            let equality = matches!(operator, Operator::Equal | Operator::NotEqual);
            return match literal {
                Literal::Words(word) if !equality && is_decimal(&word) => error(
                    column,
                    "fields have whole numbers; for response times: wirewait transactions FILE",
                ),
                Literal::Words(_) if !equality => {
                    error(column, format!("only numbers can be compared with {sign}"))
                }
                literal => Ok(Some(FieldTest::Compared(operator, literal))),
            };
        }
        if self.takes("in", "") {
            let set = self.set(|word, quoted, _| member(word, quoted))?;
            return Ok(Some(FieldTest::In(set)));
        }
        Ok(self.search()?.map(FieldTest::Search))
    }

    /// What is searched for in a layer or a field of wirewait's own.
    fn search(&mut self) -> Result<Option<Search>, FilterError> {
        if self.takes("contains", "") {
            let (word, quoted) = self.value("what is searched for should stand here")?;
            return Ok(Some(Search::of(word, quoted)));
        }
        if self.takes("matches", "") {
            let column = self.column();
            let word = self.word("a regular expression should stand here")?;
            return match Pattern::new(&word) {
                Ok(pattern) => Ok(Some(Search::Matches(pattern))),
                Err(says) => error(column, says),
            };
        }
        Ok(None)
    }

    /// What stands behind a field of Wireshark.
    fn relation(&mut self, synonym: &'static Synonym) -> Result<WireTest, FilterError> {
        let column = self.column();
        let from = self.at;
        let relation = if let Some(operator) = self.operator() {
            let column = self.column();
            let word = self.word("a value should stand here")?;
            match synonym.value(&word) {
                Ok((Datum::Bytes(net), Some(bits))) => match operator {
                    Operator::Equal | Operator::NotEqual => Relation::Within(operator, net, bits),
                    _ => return error(column, "networks are compared with == and != only"),
                },
                Ok((wanted, _)) => Relation::Compared(operator, wanted),
                Err(says) => return error(column, says),
            }
        } else if self.takes("in", "") {
            let set = self.set(|word, _, column| range(synonym, word, column))?;
            Relation::In(set)
        } else if self.takes("contains", "") {
            let column = self.column();
            let (word, quoted) = self.value("what is searched for should stand here")?;
            match synonym.part(&word, quoted) {
                Ok(part) => Relation::Contains(part),
                Err(says) => return error(column, says),
            }
        } else if self.takes("matches", "") {
            let column = self.column();
            let word = self.word("a regular expression should stand here")?;
            match synonym.part("", true).and_then(|_| Pattern::new(&word)) {
                Ok(pattern) => Relation::Matches(pattern),
                Err(says) => return error(column, says),
            }
        } else {
            if synonym.name == "frame" {
                return error(column, "contains or matches should stand here");
            }
            Relation::Exists
        };
        let behind = self.tokens.get(from..self.at).unwrap_or_default();
        let typed = behind.iter().map(|token| format!(" {}", token.kind));
        Ok(WireTest {
            synonym,
            relation,
            typed: typed.collect(),
        })
    }

    /// An operator, as a sign or a word.
    fn operator(&mut self) -> Option<Operator> {
        const WORDS: [(&str, Operator); 6] = [
            ("eq", Operator::Equal),
            ("ne", Operator::NotEqual),
            ("lt", Operator::Less),
            ("le", Operator::LessOrEqual),
            ("gt", Operator::Greater),
            ("ge", Operator::GreaterOrEqual),
        ];
        let found = match self.peek()? {
            TokenKind::Sign(typed) => OPERATORS.iter().find(|(sign, _)| sign == typed),
            TokenKind::Word(typed, false) => WORDS
                .iter()
                .find(|(word, _)| typed.eq_ignore_ascii_case(word)),
            _ => None,
        };
        let (_, operator) = found?;
        self.at += 1;
        Some(*operator)
    }

    /// `{1, 3..5}`; blanks do for commas, as in older versions of Wireshark.
    fn set<T>(
        &mut self,
        member: impl Fn(&str, bool, usize) -> Result<T, FilterError>,
    ) -> Result<Vec<T>, FilterError> {
        let opened = self.column();
        if self.peek() != Some(&TokenKind::Begin) {
            return error(opened, "{ should stand here: in {1, 3..5}");
        }
        self.at += 1;
        let mut members = Vec::new();
        loop {
            match self.peek() {
                Some(TokenKind::Comma) if !members.is_empty() => self.at += 1,
                Some(TokenKind::End) if !members.is_empty() => {
                    self.at += 1;
                    return Ok(members);
                }
                _ => {
                    let column = self.column();
                    let (word, quoted) =
                        self.value("a value or a range (3..5) should stand here")?;
                    members.push(member(&word, quoted, column)?);
                }
            }
        }
    }

    fn port(&mut self) -> Result<u16, FilterError> {
        let column = self.column();
        let says = "the number of a port or socket should stand here (445, 0x451)";
        let word = self.word(says)?;
        match number(&word).and_then(|number| u16::try_from(number).ok()) {
            Some(port) => Ok(port),
            None => error(column, says),
        }
    }

    /// A word, and whether it is quoted.
    fn value(&mut self, says: impl Into<String>) -> Result<(String, bool), FilterError> {
        let quoted = matches!(self.peek(), Some(TokenKind::Word(_, true)));
        Ok((self.word(says)?, quoted))
    }

    fn word(&mut self, says: impl Into<String>) -> Result<String, FilterError> {
        match self.peek() {
            Some(TokenKind::Word(word, _)) => {
                let word = word.clone();
                self.at += 1;
                Ok(word)
            }
            _ => error(self.column(), says),
        }
    }
}

/// Several, or the only one.
fn one_of(mut list: Vec<Expression>, join: fn(Vec<Expression>) -> Expression) -> Expression {
    match list.pop() {
        Some(only) if list.is_empty() => only,
        Some(last) => {
            list.push(last);
            join(list)
        }
        None => join(list),
    }
}

fn literal(word: String, quoted: bool) -> Literal {
    match number(&word).filter(|_| !quoted) {
        Some(number) => Literal::Number(number),
        None => Literal::Words(word),
    }
}

/// A part of a set for a field of wirewait's own.
fn member(word: &str, quoted: bool) -> Result<SetMember, FilterError> {
    let range = word.split_once("..").filter(|_| !quoted);
    let ends = range.and_then(|(low, high)| Some((number(low)?, number(high)?)));
    Ok(match ends {
        Some((low, high)) => SetMember::Range(low, high),
        None => SetMember::One(literal(word.to_owned(), quoted)),
    })
}

/// A part of a set for a field of Wireshark.
fn range(
    synonym: &Synonym,
    word: &str,
    column: usize,
) -> Result<RangeInclusive<Datum>, FilterError> {
    let (low, high) = word.split_once("..").unwrap_or((word, word));
    let value = |text: &str| match synonym.value(text) {
        Ok((value, None)) => Ok(value),
        Ok(_) => error(column, "a set has no networks; join them with or"),
        Err(says) => error(column, says),
    };
    Ok(value(low)?..=value(high)?)
}

/// Digits with a point among them.
fn is_decimal(word: &str) -> bool {
    let parts = word.split_once('.');
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    parts.is_some_and(|(whole, part)| digits(whole) && digits(part) && whole.len() + part.len() > 0)
}

/// Decimal, or hexadecimal behind `0x`.
pub(super) fn number(text: &str) -> Option<u64> {
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let (digits, radix) = hex.map_or((text, 10), |digits| (digits, 16));
    let all = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    all.then(|| u64::from_str_radix(digits, radix).ok())
        .flatten()
}
