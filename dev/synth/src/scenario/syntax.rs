//! The grammar: what the lines of a scenario say, before anything is made of it.

use super::error::{Fault, Place};
use super::words::{Word, seconds, split};

/// Blocks within blocks, at most.
const DEEPEST: usize = 16;

/// A scenario as it is written.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) title: String,
    /// Lines before the first timed one: the stations and the circumstances.
    pub(super) settings: Vec<Vec<Word>>,
    pub(super) statements: Vec<Statement>,
    /// Lines behind `[answer]`.
    pub(super) answer: Vec<Vec<Word>>,
}

/// Something that happens at a time.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) when: When,
    pub(super) place: Place,
    pub(super) what: What,
}

/// A time in nanoseconds, and how much later it may be by chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct When {
    /// Counted from the statement before, not from the start of the block.
    pub(super) relative: bool,
    pub(super) nanos: i64,
    pub(super) jitter: i64,
}

#[derive(Debug)]
pub(super) enum What {
    /// A block of statements, repeated.
    Repeat {
        times: u64,
        every: When,
        /// The clock goes back to where the block began: what follows happens beside it.
        meanwhile: bool,
        body: Vec<Statement>,
    },
    /// The capturing host's clock is set: by so much later (or earlier) from now on.
    Clock(i64),
    /// A station sends.
    Send {
        from: Word,
        to: Word,
        messages: Vec<Message>,
        delivery: Vec<Word>,
    },
}

/// One message: commands chained in it, each with its options.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) protocol: Word,
    pub(super) commands: Vec<Vec<Word>>,
}

impl Script {
    pub(super) fn parse(text: &str) -> Result<Self, Fault> {
        let mut script = Self::default();
        // Open blocks, outermost first; each collects statements until its brace closes.
        let mut blocks: Vec<(Statement, Vec<Statement>)> = Vec::new();
        let mut in_answer = false;
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            if let Some(title) = line.strip_prefix("title ") {
                title.trim().clone_into(&mut script.title);
                continue;
            }
            let words = split(number, line)?;
            let Some((first, rest)) = words.split_first() else {
                continue;
            };
            if in_answer {
                script.answer.push(words);
            } else if first.text == "[answer]" {
                if let Some((open, _)) = blocks.last() {
                    return Err(open.place.fault("this block is not closed before [answer]"));
                }
                in_answer = true;
            } else if first.text == "}" {
                let (mut block, body) = blocks
                    .pop()
                    .ok_or_else(|| first.fault("no block is open here"))?;
                if let What::Repeat { body: inside, .. } = &mut block.what {
                    *inside = body;
                }
                match blocks.last_mut() {
                    Some((_, outer)) => outer.push(block),
                    None => script.statements.push(block),
                }
            } else if !starts_with_time(&first.text) {
                if !blocks.is_empty() || !script.statements.is_empty() {
                    return Err(first.expected("a time (settings come before the first one)"));
                }
                script.settings.push(words);
            } else {
                let statement = statement(first, rest)?;
                if let What::Repeat { .. } = statement.what {
                    if blocks.len() == DEEPEST {
                        let fault = format!("more than {DEEPEST} blocks in each other");
                        return Err(first.fault(fault));
                    }
                    blocks.push((statement, Vec::new()));
                } else {
                    match blocks.last_mut() {
                        Some((_, body)) => body.push(statement),
                        None => script.statements.push(statement),
                    }
                }
            }
        }
        match blocks.last() {
            Some((open, _)) => Err(open.place.fault("this block is never closed")),
            None => Ok(script),
        }
    }
}

fn starts_with_time(text: &str) -> bool {
    text.starts_with(|c: char| c == '+' || c.is_ascii_digit())
}

fn when(word: &Word) -> Result<When, Fault> {
    let (relative, text) = match word.text.strip_prefix('+') {
        Some(rest) => (true, rest),
        None => (false, word.text.as_str()),
    };
    let (base, jitter) = text.split_once('~').unwrap_or((text, "0"));
    match (seconds(base), seconds(jitter)) {
        (Some(nanos), Some(jitter)) if nanos >= 0 && jitter >= 0 => Ok(When {
            relative,
            nanos,
            jitter,
        }),
        _ => Err(word.expected("a time in seconds (0.010, +0.001, +0.001~0.0005)")),
    }
}

fn statement(time: &Word, rest: &[Word]) -> Result<Statement, Fault> {
    let when = when(time)?;
    let place = time.place;
    let Some((verb, rest)) = rest.split_first() else {
        return Err(time.fault("nothing happens at this time"));
    };
    let what =
        match verb.text.as_str() {
            "repeat" => repeat(verb, rest, false)?,
            "meanwhile" => match rest.split_first() {
                Some((verb, rest)) if verb.text == "repeat" => repeat(verb, rest, true)?,
                _ => return Err(verb.fault("expected `meanwhile repeat COUNT every SECONDS {`")),
            },
            "clock" => match rest {
                [step] => What::Clock(seconds(&step.text).ok_or_else(|| {
                    step.expected("seconds by which the clock is set (-2.000, 0.5)")
                })?),
                _ => return Err(verb.fault("expected `clock SECONDS`")),
            },
            _ => send(verb, rest)?,
        };
    Ok(Statement { when, place, what })
}

fn repeat(verb: &Word, rest: &[Word], meanwhile: bool) -> Result<What, Fault> {
    match rest {
        [times, every, period, brace] if every.text == "every" && brace.text == "{" => {
            Ok(What::Repeat {
                times: times
                    .text
                    .parse()
                    .map_err(|_| times.expected("how many times"))?,
                every: when(period)?,
                meanwhile,
                body: Vec::new(),
            })
        }
        _ => Err(verb.fault("expected `repeat COUNT every SECONDS {`")),
    }
}

fn send(verb: &Word, rest: &[Word]) -> Result<What, Fault> {
    let Some((from, to)) = verb.text.split_once('>') else {
        return Err(verb.expected("`repeat`, `meanwhile`, `clock`, or who sends to whom (`C>S`)"));
    };
    let part = |text: &str, skip: usize| Word {
        text: text.to_owned(),
        place: Place {
            line: verb.place.line,
            column: verb.place.column + skip,
        },
    };
    let (from, to) = (part(from, 0), part(to, from.chars().count() + 1));
    let bar = rest.iter().position(|word| word.text == "|");
    let (said, delivery) = match bar {
        Some(at) => (&rest[..at], rest[at + 1..].to_vec()),
        None => (rest, Vec::new()),
    };
    let messages = said
        .split(|word| word.text == "&")
        .map(|words| {
            let (protocol, words) = words
                .split_first()
                .ok_or_else(|| verb.fault("a message is missing here"))?;
            let commands = words
                .split(|word| word.text == "+")
                .map(<[Word]>::to_vec)
                .collect();
            Ok(Message {
                protocol: protocol.clone(),
                commands,
            })
        })
        .collect::<Result<_, Fault>>()?;
    Ok(What::Send {
        from,
        to,
        messages,
        delivery,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_statements() {
        let script = Script::parse(
            "title A test  \n\
             client C ipx 1.2:3 # who\n\
             0.5 C>S smb2 create name=x + close related & smb2 echo | gap=0.1\n\
             +0.001~0.002 repeat 3 every 0.1 {\n\
             0 clock -1\n\
             }\n\
             [answer]\n\
             transactions 3 kind=read\n",
        )
        .unwrap();
        assert_eq!(script.title, "A test");
        assert_eq!(script.settings.len(), 1);
        assert_eq!(script.answer[0][1].text, "3");
        let What::Send {
            messages, delivery, ..
        } = &script.statements[0].what
        else {
            panic!("a message")
        };
        assert_eq!(messages[0].commands.len(), 2);
        assert_eq!(messages[1].commands[0][0].text, "echo");
        assert_eq!(delivery[0].text, "gap=0.1");
        let block = &script.statements[1];
        assert!(block.when.relative);
        assert_eq!(block.when.jitter, 2_000_000);
        let What::Repeat { times, body, .. } = &block.what else {
            panic!("a block")
        };
        assert_eq!(*times, 3);
        assert!(matches!(body[0].what, What::Clock(-1_000_000_000)));
    }

    #[test]
    fn faults_point_at_the_word() {
        for (text, line, column) in [
            ("0.1x C>S ncp\n", 1, 1),
            ("\n0.1 CS ncp", 2, 5),
            ("0.1 repeat many every 1 {", 1, 12),
            ("0.1 repeat 2 every 1 {\n", 1, 1),
            ("0.1 repeat 2 every 1 {\n[answer]", 1, 1),
            ("}", 1, 1),
            ("0.1 C>S ncp read &", 1, 5),
            ("0.1 C>S ncp read\nclient X ipx 1", 2, 1),
            ("0.1", 1, 1),
            (&"0 repeat 1 every 1 {\n".repeat(17), 17, 1),
        ] {
            let fault = Script::parse(text).unwrap_err();
            assert_eq!(
                (fault.place.line, fault.place.column),
                (line, column),
                "{text}"
            );
        }
    }
}
