//! From text to an expression.

use super::wireshark::{Datum, LAYERS, Pattern, Relation, Synonym, WireTest};
use super::{
    Expression, Filter, Literal, MOST_CHARACTERS, MOST_DEPTH, Named, OPERATORS, Operator, Quoted,
    Side, Test,
};
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

fn error<T>(column: usize, message: impl Into<String>) -> Result<T, FilterError> {
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
        }),
        Some(TokenKind::Close) => error(parser.column(), "no ( is open here"),
        Some(_) => error(parser.column(), "and, or, or the end should stand here"),
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TokenKind {
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

struct Token {
    kind: TokenKind,
    column: usize,
}

const SIGNS: [&str; 3] = ["&&", "||", "!"];

fn tokens(text: &str) -> Result<Vec<Token>, FilterError> {
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

struct Parser<'r> {
    tokens: Vec<Token>,
    at: usize,
    /// Characters of the whole.
    end: usize,
    fields: Vec<(Named, bool)>,
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
            None => Ok(Test::Layer(layer.to_owned())),
            Some(field) if field.chars().any(char::is_alphanumeric) => {
                let number = self.field(layer, field);
                self.compared()
                    .map(|compared| Test::Field(number, compared))
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
        let named = Named {
            layer: layer.to_owned(),
            field: field.to_owned(),
        };
        let known = self.fields.iter().position(|(known, _)| *known == named);
        known.unwrap_or_else(|| {
            self.fields.push((named, false));
            self.fields.len() - 1
        })
    }

    fn compared(&mut self) -> Result<Option<(Operator, Literal)>, FilterError> {
        let Some(TokenKind::Sign(typed)) = self.peek() else {
            return Ok(None);
        };
        let Some((sign, operator)) = OPERATORS.iter().find(|(known, _)| known == typed) else {
            return Ok(None);
        };
        self.at += 1;
        let quoted = matches!(self.peek(), Some(TokenKind::Word(_, true)));
        let column = self.column();
        let word = self.word(format!("a value should stand behind {sign}"))?;
        let literal = match number(&word).filter(|_| !quoted) {
            Some(number) => Literal::Number(number),
            None => Literal::Words(word),
        };
        let equality = matches!(*sign, "==" | "=" | "!=");
        if !equality && matches!(literal, Literal::Words(_)) {
            return error(column, format!("only numbers can be compared with {sign}"));
        }
        Ok(Some((*operator, literal)))
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
            self.set(synonym).map(Relation::In)?
        } else if self.takes("contains", "") {
            let column = self.column();
            let quoted = matches!(self.peek(), Some(TokenKind::Word(_, true)));
            let word = self.word("what is searched for should stand here")?;
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
    fn set(
        &mut self,
        synonym: &'static Synonym,
    ) -> Result<Vec<RangeInclusive<Datum>>, FilterError> {
        let opened = self.column();
        if self.peek() != Some(&TokenKind::Begin) {
            return error(opened, "{ should stand here: in {1, 3..5}");
        }
        self.at += 1;
        let mut ranges = Vec::new();
        loop {
            match self.peek() {
                Some(TokenKind::Comma) if !ranges.is_empty() => self.at += 1,
                Some(TokenKind::End) if !ranges.is_empty() => {
                    self.at += 1;
                    return Ok(ranges);
                }
                _ => {
                    let column = self.column();
                    let word = self.word("a value or a range (3..5) should stand here")?;
                    let (low, high) = word.split_once("..").unwrap_or((&word, &word));
                    let value = |text: &str| match synonym.value(text) {
                        Ok((value, None)) => Ok(value),
                        Ok(_) => error(column, "a set has no networks; join them with or"),
                        Err(says) => error(column, says),
                    };
                    ranges.push(value(low)?..=value(high)?);
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

/// Decimal, or hexadecimal behind `0x`.
pub(super) fn number(text: &str) -> Option<u64> {
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let (digits, radix) = hex.map_or((text, 10), |digits| (digits, 16));
    let all = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    all.then(|| u64::from_str_radix(digits, radix).ok())
        .flatten()
}
