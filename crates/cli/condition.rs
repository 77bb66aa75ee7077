//! The conditions of `--fail-if`, as they are typed.

use wirewait::Culprit;
use wirewait::compare::{Against, Condition, Figure, Ratio, Relation, ShareLimit, Unit};

/// A condition on one capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CaptureCondition {
    /// On a figure, as `compare` has them, without a baseline.
    Figure(Condition),
    /// On a share of the active time.
    Share(ShareLimit),
}

/// What `compare --help` says about conditions.
pub(crate) fn conditions() -> String {
    CONDITIONS.replacen("{figures}", &figures(), 1)
}

/// What `report --help` says about them.
pub(crate) fn conditions_on_one() -> String {
    ON_ONE.replacen("{figures}", &figures(), 1)
}

/// The names of the figures, in lines below each other.
fn figures() -> String {
    let mut figures = vec![String::new()];
    for figure in Figure::ALL {
        let last = figures.last().map_or(0, String::len);
        if last + figure.name().len() > FIGURES_WIDTH {
            figures.push(String::new());
        }
        if let Some(line) = figures.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(figure.name());
            line.push(',');
        }
    }
    let figures = figures.join("\n           ");
    figures.trim_end_matches(',').to_owned()
}

/// Characters of the lines that name the figures.
const FIGURES_WIDTH: usize = 85;

const CONDITIONS: &str = "\
Conditions (--fail-if):
  FIGURE [of GROUP] > LIMIT [significant]      also >=, <, <=

  FIGURE   {figures}
           (response_time and turnaround alone are their means; mean, p50, p95, p99 and max alone
           are those of response_time; resp.p95 and turn.p95 are short for response_time.p95 and
           turnaround.p95; throughput is that while data moves)
  GROUP    a row of the comparison, by its name: of smb1 READ_ANDX; without it, all requests.
           Without --by also an operation, kind, server, client, share or file
  LIMIT    +10%, -10%, 10%: the change against the baseline (from 0 any growth is more)
           50ms, 1.5s, 20us: a time; 300kB/s, 1.2MB/s, 64KiB/s: a rate; 4KiB; or a number
  significant   only if the rank test finds the difference of that time significant

  'response_time > +10%', 'p95 of ncp READ > 50ms', 'throughput < -20%', 'unanswered > 0',
  'turnaround > +5% significant'

What cannot be judged counts as held, because a figure or a group is missing, or because there are
too few requests for the rank test: a capture without requests does not pass.";

const ON_ONE: &str = "\
Conditions (--fail-if):
  server % > LIMIT             also network %, client %; also >=, <, <=
  FIGURE [of GROUP] > LIMIT

  server %   the server's share of active time, in per cent. Where it is an interval, all of it
           has to fulfil the condition; if only part of it does, a message says so
  FIGURE   {figures}
           (response_time and turnaround alone are their means; mean, p50, p95, p99 and max alone
           are those of response_time; resp.p95 and turn.p95 are short for response_time.p95 and
           turnaround.p95; throughput is that while data moves)
  GROUP    an operation, kind, server, client, share or file, by its name: of smb2 READ;
           without it, all requests
  LIMIT    50ms, 1.5s, 20us: a time; 300kB/s, 1.2MB/s, 64KiB/s: a rate; 4KiB; or a number

  'server % > 40', 'resp.p95 > 3ms', 'p99 of smb2 READ > 50ms', 'unanswered > 0'

What cannot be judged counts as held, with a message of its own: a figure or a group is missing, or
there is no verdict (shares). A capture without requests does not pass.";

/// A mistake, and at which character.
struct Mistake(usize, String);

/// Reads a condition on a comparison.
pub(crate) fn parse(text: &str) -> Result<Condition, String> {
    read(text, "").map_err(|mistake| mistake.within(text))
}

/// Reads a condition on one capture.
pub(crate) fn limit(text: &str) -> Result<CaptureCondition, String> {
    if let Some(share) = share_limit(text) {
        let share = share.map_err(|mistake| mistake.within(text))?;
        return Ok(CaptureCondition::Share(share));
    }
    let condition = read(text, SHARES).map_err(|mistake| mistake.within(text))?;
    match condition.against {
        Against::Value(_) if !condition.significant => Ok(CaptureCondition::Figure(condition)),
        _ => Err("one capture has no baseline; write a limit like 'p99 > 50ms'".to_owned()),
    }
}

/// The shares that are named where a word is unknown.
const SHARES: &str = "client %, network %, server %, ";

/// Whose share this is, as the screen and the tables call it.
fn share(name: &str) -> Option<Culprit> {
    let whose = name.trim().strip_suffix('%')?.trim_end();
    let mut all = Culprit::ALL.into_iter();
    all.find(|culprit| culprit.name().eq_ignore_ascii_case(whose))
}

/// A condition on a share; `None` where it is on something else.
fn share_limit(text: &str) -> Option<Result<ShareLimit, Mistake>> {
    let (left, relation, behind) = sides(text).ok()?;
    if let Some((name, group)) = left.split_once(" of ") {
        share(name)?;
        let at = left.len() - group.len();
        let what = "a share is of the whole capture; leave the group out, or choose its frames with --filter";
        return Some(Err(Mistake(at, what.to_owned())));
    }
    let culprit = share(left)?;
    let right = text.get(behind..).unwrap_or_default();
    let at = behind + (right.len() - right.trim_start().len());
    let number = right.trim().trim_end_matches('%').trim_end();
    let limit = decimal(number).filter(|limit| limit.part <= limit.of.saturating_mul(100));
    let mistake = || {
        let typed = right.trim();
        Mistake(
            at,
            format!("a share is 0 to 100 per cent, such as 40; found `{typed}`"),
        )
    };
    Some(limit.ok_or_else(mistake).map(|limit| ShareLimit {
        text: text.trim().to_owned(),
        culprit,
        relation,
        limit,
    }))
}

impl Mistake {
    /// The message on it, where this was typed.
    fn within(self, text: &str) -> String {
        let Self(at, what) = self;
        let before = text.get(..at).unwrap_or(text).chars().count();
        format!("column {}: {what}", before + 1)
    }
}

/// What stands in front of the sign, the sign, and where the limit begins.
fn sides(text: &str) -> Result<(&str, Relation, usize), Mistake> {
    let sign = text.find(['<', '>', '=']).ok_or_else(|| {
        let end = text.trim_end().len();
        Mistake(
            end,
            "a comparison is missing here: >, >=, < or <=".to_owned(),
        )
    })?;
    let rest = &text[sign..];
    let (relation, length) = [
        (">=", Relation::AtLeast),
        ("<=", Relation::AtMost),
        (">", Relation::Above),
        ("<", Relation::Below),
    ]
    .into_iter()
    .find_map(|(sign, relation)| rest.starts_with(sign).then_some((relation, sign.len())))
    .ok_or_else(|| Mistake(sign, "write >, >=, < or <=".to_owned()))?;

    Ok((&text[..sign], relation, sign + length))
}

/// Reads a condition on a figure. These are other words that there are.
fn read(text: &str, others: &str) -> Result<Condition, Mistake> {
    let (left, relation, behind) = sides(text)?;
    let (name, group) = match left.split_once(" of ") {
        Some((name, group)) => (name, Some(group.trim())),
        None => (left, None),
    };
    let at = name.len() - name.trim_start().len();
    let figure = figure(name.trim()).ok_or_else(|| Mistake(at, unknown(name.trim(), others)))?;
    if group == Some("") {
        return Err(Mistake(
            left.len(),
            "the name of a group is missing here".to_owned(),
        ));
    }

    let right = &text[behind..];
    let start = behind + (right.len() - right.trim_start().len());
    let (limit, significant) = match right.trim().strip_suffix("significant") {
        Some(limit) => (limit.trim_end(), true),
        None => (right.trim(), false),
    };
    if significant && !Condition::can_be_significant(figure) {
        return Err(Mistake(
            start + limit.len(),
            format!(
                "only turnaround and response time are tested, not {}",
                figure.name()
            ),
        ));
    }
    Ok(Condition {
        text: text.trim().to_owned(),
        figure,
        group: group.map(str::to_owned),
        relation,
        against: against(figure, limit, start)?,
        significant,
    })
}

/// Figures go by their names; the mean may be said, and response time may be left out.
fn figure(name: &str) -> Option<Figure> {
    let named = |name: &str| Figure::ALL.into_iter().find(|figure| figure.name() == name);
    // As the screen's filter takes them.
    let long = [("resp", "response_time"), ("turn", "turnaround")].into_iter();
    let name = &long
        .filter_map(|(short, long)| Some((name.strip_prefix(short)?, long)))
        .find(|(rest, _)| rest.is_empty() || rest.starts_with('.'))
        .map_or_else(|| name.to_owned(), |(rest, long)| format!("{long}{rest}"));
    let full = match name.as_str() {
        "mean" => "response_time".to_owned(),
        "p50" | "p95" | "p99" | "max" => format!("response_time.{name}"),
        "turnaround.mean" | "response_time.mean" => name.replace(".mean", ""),
        "acks" => "acks_per_request".to_owned(),
        "frames" => "frames_per_request".to_owned(),
        _ => name.to_owned(),
    };
    named(&full)
}

fn unknown(name: &str, others: &str) -> String {
    if others.is_empty() && share(name).is_some() {
        return format!(
            "`{name}` is a share of one capture: wirewait report FILE --fail-if '{name} > 40'"
        );
    }
    if name.is_empty() {
        return "a figure is missing here, such as response_time".to_owned();
    }
    let names: Vec<&str> = Figure::ALL.iter().map(|figure| figure.name()).collect();
    format!(
        "`{name}` is no figure; there are {others}{}",
        names.join(", ")
    )
}

/// The limit, which begins at this byte.
fn against(figure: Figure, text: &str, at: usize) -> Result<Against, Mistake> {
    if text.is_empty() {
        return Err(Mistake(
            at,
            "a limit is missing here, such as +10% or 50ms".to_owned(),
        ));
    }
    if let Some(percent) = text.strip_suffix('%') {
        let percent = percent.trim_end();
        let (sign, digits) = match percent.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, percent.strip_prefix('+').unwrap_or(percent)),
        };
        // A per cent is 10,000 millionths.
        let millionths = decimal(digits)
            .and_then(|n| i64::try_from(n.part.checked_mul(10_000)? / n.of).ok())
            .ok_or_else(|| Mistake(at, format!("`{percent}` is no number")))?;
        if sign * millionths < -1_000_000 {
            return Err(Mistake(
                at,
                format!("{text}: nothing falls by more than 100%"),
            ));
        }
        return Ok(Against::Baseline(sign * millionths));
    }
    if text.starts_with(['+', '-']) {
        return Err(Mistake(
            at,
            format!("a change is in per cent: {text}%; a limit for the value has no sign"),
        ));
    }
    let digits = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number = decimal(number).ok_or_else(|| {
        Mistake(
            at,
            format!("expected a limit such as +10% or 50ms, found `{text}`"),
        )
    })?;
    let unit = unit.trim();
    let (many, of) = units(figure)
        .iter()
        .find(|(name, ..)| *name == unit)
        .map(|(_, many, of)| (*many, *of))
        .ok_or_else(|| {
            let names: Vec<&str> = units(figure).iter().map(|(name, ..)| *name).collect();
            let said = match names.as_slice() {
                [""] => format!("{} is a number without a unit", figure.name()),
                names => format!(
                    "{} takes {} or %",
                    figure.name(),
                    names.join(", ").trim_start_matches(", ")
                ),
            };
            let found = match unit {
                "" => "nothing".to_owned(),
                unit => format!("`{unit}`"),
            };
            Mistake(at + digits, format!("{said}, found {found}"))
        })?;
    let ratio = || {
        Some(Ratio {
            part: number.part.checked_mul(many)?,
            of: number.of.checked_mul(of)?,
        })
    };
    ratio()
        .map(Against::Value)
        .ok_or_else(|| Mistake(at, format!("`{text}` is too large")))
}

/// Units of a figure: name, size in what it is counted in, and the nanoseconds of a rate (else 1).
fn units(figure: Figure) -> &'static [(&'static str, u128, u128)] {
    const SECOND: u128 = 1_000_000_000;
    match figure.unit() {
        Unit::Count | Unit::PerRequest => &[("", 1, 1)],
        Unit::Rate => &[("", 1, SECOND), ("/s", 1, SECOND)],
        Unit::Nanoseconds => &[
            ("ns", 1, 1),
            ("us", 1_000, 1),
            ("µs", 1_000, 1),
            ("ms", 1_000_000, 1),
            ("s", SECOND, 1),
            ("min", 60 * SECOND, 1),
        ],
        Unit::Bytes => &[
            ("", 1, 1),
            ("B", 1, 1),
            ("kB", 1_000, 1),
            ("MB", 1_000_000, 1),
            ("GB", 1_000_000_000, 1),
            ("KiB", 1 << 10, 1),
            ("MiB", 1 << 20, 1),
            ("GiB", 1 << 30, 1),
        ],
        Unit::ByteRate => &[
            ("B/s", 1, SECOND),
            ("kB/s", 1_000, SECOND),
            ("MB/s", 1_000_000, SECOND),
            ("GB/s", 1_000_000_000, SECOND),
            ("KiB/s", 1 << 10, SECOND),
            ("MiB/s", 1 << 20, SECOND),
        ],
    }
}

/// A number with up to six decimals.
fn decimal(text: &str) -> Option<Ratio> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) || fraction.len() > 6 {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let millionths: u64 = format!("{fraction:0<6}").parse().ok()?;
    Some(Ratio {
        part: u128::from(whole) * 1_000_000 + u128::from(millionths),
        of: 1_000_000,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The help and the message about an unknown figure have one source.
    #[test]
    fn the_help_names_every_figure() {
        for help in [conditions(), conditions_on_one()] {
            for figure in Figure::ALL {
                assert!(help.contains(figure.name()), "{}", figure.name());
            }
            // A line that is longer is broken again.
            assert!(help.lines().all(|line| line.len() <= 100), "{help}");
        }
    }

    #[test]
    fn conditions_are_read() {
        let one = parse(" response_time > +10% ").unwrap();
        assert_eq!(one.figure, Figure::ResponseTime);
        assert_eq!(one.relation, Relation::Above);
        assert_eq!(one.against, Against::Baseline(100_000));
        assert_eq!((one.group, one.significant), (None, false));
        assert_eq!(one.text, "response_time > +10%");

        let one = parse("p95 of smb1 READ_ANDX>=50.5ms").unwrap();
        assert_eq!(one.figure, Figure::ResponseTimeP95);
        assert_eq!(one.group.as_deref(), Some("smb1 READ_ANDX"));
        assert_eq!(one.relation, Relation::AtLeast);
        let Against::Value(limit) = one.against else {
            panic!("a value")
        };
        assert_eq!(limit.scaled(1), 50_500_000);

        let one = parse("turnaround.mean < -2.5% significant").unwrap();
        assert_eq!(one.figure, Figure::Turnaround);
        assert_eq!(one.against, Against::Baseline(-25_000));
        assert!(one.significant);

        let rate = parse("wall_throughput < 39 kB/s").unwrap();
        let Against::Value(limit) = rate.against else {
            panic!("a value")
        };
        assert_eq!(limit.scaled(1_000_000_000), 39_000);
        assert_eq!(parse("unanswered > 0").unwrap().figure, Figure::Unanswered);
    }

    #[test]
    fn every_figure_can_be_named() {
        for figure in Figure::ALL {
            let text = format!("{} > 5%", figure.name());
            assert_eq!(parse(&text).unwrap().figure, figure);
        }
    }

    #[test]
    fn the_words_of_the_screen_are_known() {
        for (short, figure) in [
            ("resp.p95", Figure::ResponseTimeP95),
            ("resp", Figure::ResponseTime),
            ("turn.max", Figure::TurnaroundMax),
        ] {
            assert_eq!(parse(&format!("{short} > 3ms")).unwrap().figure, figure);
        }
        assert!(parse("response > 3ms").is_err());
    }

    #[test]
    fn a_share_is_a_condition_on_one_capture() {
        for (text, culprit, relation, limit) in [
            (
                " server % > 40 ",
                Culprit::Server,
                Relation::Above,
                40_000_000,
            ),
            (
                "Client%<=12.5%",
                Culprit::Client,
                Relation::AtMost,
                12_500_000,
            ),
            (
                "network % >= 100",
                Culprit::Network,
                Relation::AtLeast,
                100_000_000,
            ),
        ] {
            let CaptureCondition::Share(share) = limit_of(text) else {
                panic!("{text}")
            };
            assert_eq!((share.culprit, share.relation), (culprit, relation));
            assert_eq!(share.limit.scaled(1_000_000), limit);
            assert_eq!(share.text, text.trim());
        }
        let CaptureCondition::Figure(figure) = limit_of("resp.p95 of smb2 READ > 3ms") else {
            panic!("a figure")
        };
        assert_eq!(figure.figure, Figure::ResponseTimeP95);
        for (text, said) in [
            ("server % > 101", "column 12: a share is 0 to 100 per cent"),
            ("server % > 40ms", "found `40ms`"),
            (
                "server % of 10.0.0.8 > 40",
                "column 13: a share is of the whole capture",
            ),
            ("server % >", "column 11: a share is"),
            (
                "server > 40",
                "column 1: `server` is no figure; there are client %, network %, server %, ",
            ),
            ("p95 > +10%", "one capture has no baseline"),
            ("p95 > 1ms significant", "one capture has no baseline"),
        ] {
            let mistake = limit(text).unwrap_err();
            assert!(mistake.contains(said), "{text}: {mistake}");
        }
        let mistake = parse("server % > 40").unwrap_err();
        assert!(
            mistake.contains("wirewait report FILE --fail-if 'server % > 40'"),
            "{mistake}"
        );
    }

    fn limit_of(text: &str) -> CaptureCondition {
        limit(text).unwrap_or_else(|mistake| panic!("{text}: {mistake}"))
    }

    #[test]
    fn mistakes_are_told_with_their_column() {
        for (text, column, word) in [
            ("", 1, "comparison is missing"),
            ("response_time", 14, "comparison is missing"),
            ("respons_time > 1%", 1, "`respons_time` is no figure"),
            ("  > 1%", 3, "figure is missing"),
            ("p95 = 1ms", 5, "write >"),
            ("p95 of  > 1ms", 9, "name of a group"),
            ("p95 >", 6, "limit is missing"),
            ("p95 > soon", 7, "found `soon`"),
            ("p95 > +5ms", 7, "per cent"),
            ("p95 > 5", 8, "takes ns, us"),
            ("p95 > 5 kB/s", 8, "found `kB/s`"),
            ("errors > 5ms", 11, "without a unit"),
            ("errors > 5% significant", 12, "are tested, not errors"),
            ("µ > 5%", 1, "no figure"),
            ("p95 > x%", 7, "`x` is no number"),
            ("p95 > 1.1234567ms", 7, "expected a limit"),
            ("p95 > 99999999999999999999ms", 7, "expected a limit"),
        ] {
            let mistake = parse(text).unwrap_err();
            assert!(
                mistake.starts_with(&format!("column {column}: ")),
                "{text}: {mistake}"
            );
            assert!(mistake.contains(word), "{text}: {mistake}");
        }
    }
}
