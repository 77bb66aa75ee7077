//! What makes a symptom: a rule, and how it judges what was gathered.

use super::evidence::{Against, Base, Book, Cell, Sights};
use super::window_limit::WindowLimit;
use super::{OUTSIDE, UNDATED};
use super::{Threshold, Thresholds};
use std::sync::Arc;
use wirewait_wire::Endpoint;

/// How grave it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Something crossed a threshold.
    Symptom,
    /// Something is wrong, gravely or repeatedly.
    Diagnosis,
}

impl Severity {
    /// The name used in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Symptom => "symptom",
            Self::Diagnosis => "diagnosis",
        }
    }
}

/// Whose figures a rule judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// A server, with all its clients together.
    Server,
    /// A client, with all its servers together.
    Client,
    /// One client at one server.
    Pair,
    /// Whatever the rule itself names.
    Own,
}

/// What a symptom concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Subject {
    /// All that was captured.
    Segment,
    /// A server.
    Server(Endpoint),
    /// A client.
    Client(Endpoint),
    /// A station, whatever it does.
    Station(Endpoint),
    /// A client at a server.
    Pair {
        /// The client.
        client: Endpoint,
        /// The server.
        server: Endpoint,
    },
    /// The two ends of a connection.
    Conversation(Endpoint, Endpoint),
}

impl Subject {
    /// The name of its kind used in every output.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Segment => "segment",
            Self::Server(_) => "server",
            Self::Client(_) => "client",
            Self::Station(_) => "station",
            Self::Pair { .. } => "pair",
            Self::Conversation(..) => "conversation",
        }
    }
}

/// When events become a symptom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// At least this number of events.
    Count(Threshold),
    /// At least this share, if there are enough events and enough of `of`.
    Share {
        /// Of what.
        of: Base,
        /// The share.
        percent: Threshold,
        /// How many of `of` there have to be.
        minimum: Threshold,
        /// How many events there have to be.
        least: Threshold,
    },
    /// At least this mean cost, if there are enough of `of`.
    Mean {
        /// Of what.
        of: Base,
        /// The mean, a threshold in milliseconds.
        at: Threshold,
        /// How many there have to be.
        minimum: Threshold,
    },
    /// The rule counts only what is beyond this already: once is enough.
    Beyond(Threshold),
}

impl Limit {
    /// The threshold that decides.
    #[must_use]
    pub const fn threshold(&self) -> Threshold {
        match self {
            Self::Count(threshold) | Self::Beyond(threshold) => *threshold,
            Self::Share { percent, .. } => *percent,
            Self::Mean { at, .. } => *at,
        }
    }

    /// Of what it is a share or a mean, and how many of those there have to be.
    #[must_use]
    pub const fn base(&self) -> Option<(Base, Threshold)> {
        match self {
            Self::Share { of, minimum, .. } | Self::Mean { of, minimum, .. } => {
                Some((*of, *minimum))
            }
            Self::Count(_) | Self::Beyond(_) => None,
        }
    }

    /// Whether `events` that cost `cost_ns` together cross it, with a base of `of`.
    fn crossed(&self, events: u64, cost_ns: u64, of: u64, t: &Thresholds) -> bool {
        match *self {
            Self::Count(least) => events >= t.get(least).max(1),
            Self::Beyond(_) => events > 0,
            Self::Share {
                percent,
                minimum,
                least,
                ..
            } => {
                events >= t.get(least).max(1)
                    && of >= t.get(minimum)
                    && events.saturating_mul(100) >= of.saturating_mul(t.get(percent))
            }
            Self::Mean { at, minimum, .. } => {
                let all = u128::from(t.get(at)) * 1_000_000 * u128::from(of);
                of >= t.get(minimum).max(1) && u128::from(cost_ns) >= all
            }
        }
    }

    /// Whether there is enough to judge at all.
    fn enough(&self, of: u64, t: &Thresholds) -> bool {
        self.base()
            .is_none_or(|(_, minimum)| of >= t.get(minimum).max(1))
    }
}

/// A symptom that may be found.
#[derive(Debug)]
#[non_exhaustive]
pub struct Rule {
    /// Its name in every output, and in the file of texts.
    pub id: &'static str,
    /// How grave it is.
    pub severity: Severity,
    /// Whose figures it judges.
    pub whose: Whose,
    /// What is counted: "answers that took longer".
    pub counts: &'static str,
    /// From where on it is a symptom.
    pub limit: Limit,
    /// It is one all the same where it cost [`Threshold::NotableCost`].
    pub costly: bool,
    /// What is not said as well of the same subject where this is.
    pub covers: &'static [&'static str],
}

impl Rule {
    /// Whether it is known when each of its costs fell, as [`SymptomCourse`] has them; what is
    /// found in sums is of all the capture.
    ///
    /// [`SymptomCourse`]: super::SymptomCourse
    #[must_use]
    pub fn dated(&self) -> bool {
        !UNDATED.iter().any(|rule| std::ptr::eq(*rule, self))
    }

    /// Whether its costs are no part of the active time: name lookups and connections that are not open yet.
    #[must_use]
    pub fn outside_active_time(&self) -> bool {
        OUTSIDE.iter().any(|rule| std::ptr::eq(*rule, self))
    }
}

/// How it was judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is one.
    Raised,
    /// It would be one, were it not for this.
    Withdrawn(Against),
    /// A graver one says it already.
    Covered(&'static str),
    /// It happened, but too seldom.
    Below,
    /// There is too little to judge.
    TooFew,
}

impl State {
    /// The name used in every output.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Raised => "raised",
            Self::Withdrawn(_) => "withdrawn",
            Self::Covered(_) => "covered",
            Self::Below => "below",
            Self::TooFew => "too_few",
        }
    }

    const fn rank(&self) -> u8 {
        match self {
            Self::Raised => 0,
            Self::Withdrawn(_) => 1,
            Self::Covered(_) => 2,
            Self::Below => 3,
            Self::TooFew => 4,
        }
    }
}

/// A rule, applied to a subject.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Symptom {
    /// The rule.
    pub rule: &'static Rule,
    /// Whom it concerns.
    pub subject: Subject,
    /// How it was judged.
    pub state: State,
    /// What speaks for it: how often, what it cost, where.
    pub hits: Sights,
    /// Of how many, where it is a share or a mean.
    pub of: Option<u64>,
    /// What looked like it and is none, by reason, the most frequent first.
    pub against: Vec<(Against, Sights)>,
    /// What was done or answered, the most frequent first.
    pub words: Vec<(&'static str, u64)>,
    /// Names that were looked for, the most frequent first. Further ones are in `hits` alone.
    pub names: Vec<(Arc<str>, u64)>,
    /// How long it lasted together, where that is no cost, ns.
    pub lasted_ns: u64,
    /// It happens to every one with this number, where it is regular.
    pub every: Option<u64>,
    /// How fast the transfer that cost most was, bytes per second; `None` where it is not about transfers.
    pub bytes_per_second: Option<u64>,
    /// The receive window that limits transfers most; `None` where it is not about those.
    pub window: Option<WindowLimit>,
}

impl Symptom {
    /// One without evidence.
    #[must_use]
    pub fn new(rule: &'static Rule, subject: Subject, state: State) -> Self {
        Self {
            rule,
            subject,
            state,
            hits: Sights::default(),
            of: None,
            against: Vec::new(),
            words: Vec::new(),
            names: Vec::new(),
            lasted_ns: 0,
            every: None,
            bytes_per_second: None,
            window: None,
        }
    }

    /// By what symptoms are ranked: raised before withdrawn, within the active time before outside, then by cost.
    pub(super) fn rank(&self) -> impl Ord + use<> {
        (
            self.state.rank(),
            self.rule.outside_active_time(),
            std::cmp::Reverse((self.hits.cost_ns, self.rule.severity, self.hits.count)),
            self.rule.id,
            self.subject,
        )
    }
}

/// Judges what a book holds for a rule; `None` where it holds nothing.
pub(super) fn judge(
    rule: &'static Rule,
    subject: Subject,
    book: &Book,
    thresholds: &Thresholds,
) -> Option<Symptom> {
    let cell = book.known(rule)?;
    let of = rule.limit.base().map(|(base, _)| book.of(base));
    let Cell {
        hits,
        mut against,
        mut words,
        mut names,
        lasted_ns,
        every,
        window,
    } = cell.clone();
    against.sort_by_key(|(why, sights)| (std::cmp::Reverse(sights.count), *why));
    words.sort_by_key(|(word, times)| (std::cmp::Reverse(*times), *word));
    names.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let notable = thresholds.get(Threshold::NotableCost) * 1_000_000;
    let crossed = |events: u64, cost: u64, of: u64| {
        rule.limit.crossed(events, cost, of, thresholds)
            || rule.costly && events > 0 && cost >= notable
    };
    let n = of.unwrap_or(0);
    let doubtful: u64 = against.iter().map(|(_, sights)| sights.count).sum();
    // A mean is of what each of them took.
    let judged = |sights: &Sights| match rule.limit {
        Limit::Mean { .. } => sights.total_ns,
        _ => sights.cost_ns,
    };
    let cost: u64 = against.iter().map(|(_, sights)| judged(sights)).sum();
    let own = judged(&hits);
    // More than half of the mean, where the others alone would not cross it.
    let others = own.saturating_sub(hits.most_ns());
    let single = matches!(rule.limit, Limit::Mean { .. })
        && hits.count > 1
        && others < hits.most_ns()
        && !crossed(hits.count, others, n);
    let state = if crossed(hits.count, own, n) {
        match single {
            true => State::Withdrawn(Against::Single),
            false => State::Raised,
        }
    } else if let Some((why, _)) = against.first()
        && crossed(hits.count + doubtful, own.saturating_add(cost), n)
    {
        State::Withdrawn(*why)
    } else if rule.limit.enough(n, thresholds) {
        State::Below
    } else {
        State::TooFew
    };
    let bytes_per_second = rate(rule, &hits, thresholds);
    Some(Symptom {
        rule,
        subject,
        state,
        hits,
        of,
        against,
        words,
        names,
        lasted_ns,
        every,
        bytes_per_second,
        window,
    })
}

/// How fast the transfer that cost most was: what is no cost is the time that it may take at the threshold.
fn rate(rule: &Rule, hits: &Sights, thresholds: &Thresholds) -> Option<u64> {
    let Limit::Beyond(floor @ Threshold::SlowTransfer) = rule.limit else {
        return None;
    };
    let slowest = hits.most()?;
    let lasted = u64::try_from(slowest.from.until(slowest.to)?).ok()?;
    let allowed = u128::from(lasted.saturating_sub(slowest.cost_ns));
    let rate = (u128::from(thresholds.get(floor)) * allowed).checked_div(lasted.into())?;
    u64::try_from(rate).ok()
}
