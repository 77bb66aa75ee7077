//! Whether a frame fits a test.

use super::own::{FieldTest, Search, SetMember};
use super::{FieldNames, Literal, Operator, Side, Test};
use crate::decode::select::plain;
use crate::decode::tree::{Item, Layer};
use crate::decode::{Shown, Tree};
use std::cmp::Ordering;
use wirewait_wire::{Endpoint, Facts, Field, Value};

/// What is looked at of a frame.
pub(super) struct Scene<'a> {
    layers: Vec<&'a Layer<'a>>,
    /// Both ends, as each layer that has addresses or ports names them.
    ends: Vec<(Endpoint, Endpoint)>,
    commands: Vec<&'static str>,
    pub(super) number: u64,
    /// Nanoseconds since the first frame.
    pub(super) since_start: i64,
    pub(super) wire_len: u32,
    pub(super) bytes: &'a [u8],
}

impl<'a> Scene<'a> {
    pub(super) fn new(shown: &'a Shown<'_>) -> Self {
        let mut scene = Self {
            layers: Vec::new(),
            ends: Vec::new(),
            commands: Vec::new(),
            number: shown.number,
            since_start: shown.clock.since_start(shown.frame.at),
            wire_len: shown.frame.wire_len,
            bytes: shown.frame.bytes,
        };
        scene.add(&shown.tree);
        for whole in &shown.wholes {
            scene.add(&whole.tree);
        }
        scene
    }

    fn add(&mut self, tree: &'a Tree<'_>) {
        for item in &tree.items {
            let Item::Layer(layer) = item else { continue };
            self.layers.push(layer);
            let mut facts = Facts::default();
            if (layer.dissector.dissect)(layer.input, &mut facts).is_ok() {
                self.ends.push((facts.from, facts.to));
            }
            self.commands(layer);
        }
    }

    /// The commands of a layer's messages; of answers that do not name theirs, that of the
    /// request.
    fn commands(&mut self, layer: &Layer<'_>) {
        let asked = layer.asked.map(|asked| asked.operation.name);
        self.commands.extend(asked);
        let Some(exchange) = layer.dissector.exchange else {
            return;
        };
        let mut input = layer.input;
        // A part is at least one byte long, and no message has more of them than this.
        for _ in 0..256 {
            let Ok(part) = exchange(input) else { break };
            if let Some(x) = part.exchange {
                self.commands.push(x.operation.name);
                let chain = x.chain.iter();
                self.commands.extend(chain.map(|operation| operation.name));
            }
            let length = part.length.max(1);
            if length >= input.length {
                break;
            }
            input = input.skip(length);
        }
    }

    /// Whether a layer has this field.
    pub(super) fn has(&self, named: &FieldNames) -> bool {
        self.fields(named).next().is_some()
    }

    fn fields(&self, named: &FieldNames) -> impl Iterator<Item = &Field<'a>> {
        let (layer, field) = (plain(&named.layer), plain(&named.field));
        self.layers
            .iter()
            .filter(move |l| plain(l.dissector.name) == layer)
            .flat_map(|l| &l.fields)
            .filter(move |f| plain(&f.name) == field)
    }
}

impl<'a> Scene<'a> {
    /// Fields of this name, of messages that do not go on in a later frame.
    pub(super) fn complete(&self, layer: &str, name: &str) -> impl Iterator<Item = &Field<'a>> {
        self.layers
            .iter()
            .filter(move |l| l.dissector.name == layer && !l.goes_on)
            .flat_map(|l| &l.fields)
            .filter(move |field| field.name == name)
    }

    /// Functions of NCP: those of requests, and those that replies answer.
    pub(super) fn functions(&self) -> Vec<u64> {
        let layers = self.layers.iter().filter(|l| l.dissector.name == "ncp");
        let complete = layers.filter(|l| !l.goes_on);
        complete
            .filter_map(|layer| match layer.asked {
                Some(asked) => asked.operation.function.map(u64::from),
                None => layer
                    .fields
                    .iter()
                    .find_map(|field| match (&*field.name, &field.value) {
                        ("Function code", Value::Decimal(n) | Value::Hex(n)) => Some(*n),
                        _ => None,
                    }),
            })
            .collect()
    }
}

impl Test {
    pub(super) fn fits(&self, scene: &Scene<'_>, fields: &[(FieldNames, bool)]) -> bool {
        match self {
            Self::Layer(name, search) => {
                let mut layers = scene.layers.iter().filter(|l| l.dissector.name == name);
                layers.any(|layer| {
                    let search = search.as_ref();
                    search.is_none_or(|search| search.is_in(layer.input.bytes))
                })
            }
            Self::Field(number, test) => {
                let Some((named, _)) = fields.get(*number) else {
                    return false;
                };
                let mut found = scene.fields(named);
                match test {
                    None => found.next().is_some(),
                    // None of them is: what "is not" means to whoever types it.
                    Some(FieldTest::Compared(Operator::NotEqual, wanted)) => {
                        scene.has(named) && !found.any(|f| is(f, Operator::Equal, wanted))
                    }
                    Some(FieldTest::Compared(operator, wanted)) => {
                        found.any(|f| is(f, *operator, wanted))
                    }
                    Some(FieldTest::In(set)) => {
                        found.any(|f| set.iter().any(|member| is_one(f, member)))
                    }
                    Some(FieldTest::Search(search)) => found.any(|f| has(f, search)),
                }
            }
            Self::Host(side, wanted) => scene
                .ends
                .iter()
                .any(|ends| side.any(ends, |end| wanted.is(end))),
            Self::Port(side, port) => {
                let is = |end: &Endpoint| end.port == Some(*port);
                scene.ends.iter().any(|ends| side.any(ends, is))
            }
            Self::Command(wanted) => scene.commands.iter().any(|name| alike(wanted, name)),
            Self::Wireshark(test) => test.synonym.holds(&test.relation, scene),
        }
    }
}

impl Side {
    fn any(self, (from, to): &(Endpoint, Endpoint), is: impl Fn(&Endpoint) -> bool) -> bool {
        match self {
            Self::Either => is(from) || is(to),
            Self::Source => is(from),
            Self::Destination => is(to),
        }
    }
}

fn number(field: &Field<'_>) -> Option<u64> {
    match field.value {
        Value::Decimal(number) | Value::Hex(number) => Some(number),
        _ => None,
    }
}

fn is_one(field: &Field<'_>, member: &SetMember) -> bool {
    match member {
        SetMember::One(wanted) => is(field, Operator::Equal, wanted),
        SetMember::Range(low, high) => number(field).is_some_and(|n| (*low..=*high).contains(&n)),
    }
}

/// Whether the field's words, its bytes or its meaning have this in them.
fn has(field: &Field<'_>, search: &Search) -> bool {
    let shown = match &field.value {
        Value::Text(words) => search.is_in_text(words),
        Value::Bytes(bytes) => search.is_in(bytes),
        _ => false,
    };
    shown || (!field.meaning.is_empty() && search.is_in_text(&field.meaning))
}

fn is(field: &Field<'_>, operator: Operator, wanted: &Literal) -> bool {
    match (number(field), wanted) {
        (Some(number), Literal::Number(wanted)) => holds(number.cmp(wanted), operator),
        (_, Literal::Number(wanted)) => {
            operator == Operator::Equal && reads(field, &wanted.to_string())
        }
        (_, Literal::Words(wanted)) => operator == Operator::Equal && reads(field, wanted),
    }
}

pub(super) fn holds(ordering: Ordering, operator: Operator) -> bool {
    match operator {
        Operator::Equal => ordering.is_eq(),
        Operator::NotEqual => ordering.is_ne(),
        Operator::Less => ordering.is_lt(),
        Operator::LessOrEqual => ordering.is_le(),
        Operator::Greater => ordering.is_gt(),
        Operator::GreaterOrEqual => ordering.is_ge(),
    }
}

/// Whether the field's words, its meaning or its bytes in hexadecimal are these.
fn reads(field: &Field<'_>, wanted: &str) -> bool {
    let shown = match &field.value {
        Value::Text(words) => alike(wanted, words),
        Value::Bytes(bytes) => {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            alike(wanted, &hex)
        }
        _ => false,
    };
    shown || (!field.meaning.is_empty() && alike(wanted, &field.meaning))
}

/// Compares without case, blanks and punctuation, `*` and `?` in `pattern` apart.
fn alike(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = simple(pattern, true).collect();
    let name: Vec<char> = simple(name, false).collect();
    let (mut p, mut n) = (0, 0);
    // Where to go on when what follows the last `*` does not fit.
    let mut retry: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                retry = Some((p + 1, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match retry {
                Some((after, from)) => {
                    (p, n) = (after, from + 1);
                    retry = Some((after, n));
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(p).all(|c| *c == '*')
}

fn simple(text: &str, pattern: bool) -> impl Iterator<Item = char> + '_ {
    text.chars()
        .filter(move |c| c.is_alphanumeric() || (pattern && matches!(c, '*' | '?')))
        .flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_as_people_type_them() {
        for (pattern, name) in [
            ("read_andx", "READ_ANDX"),
            ("READ*", "READ FROM A FILE"),
            ("read from a file", "READ_FROM_A_FILE"),
            ("*andx", "READ_ANDX"),
            ("*a*a*", "READ_ANDX"),
            ("r??d*", "READ"),
            ("*", ""),
            ("02-00-0A-00-00-01", "02:00:0a:00:00:01"),
        ] {
            assert!(alike(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("READ", "READ_ANDX"),
            ("r?d", "READ"),
            ("*b", "READ"),
            ("", "A"),
        ] {
            assert!(!alike(pattern, name), "{pattern} {name}");
        }
    }
}
