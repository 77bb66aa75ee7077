//! The verdict in words.

mod doubts;
mod marks;
mod none;

use crate::escape::Escaped;
use crate::figures::{Command, Grouped, Percent, Rate, range};
use crate::time::{Digits, Rfc3339};
pub use doubts::doubts;
pub(crate) use doubts::doubts_in;
pub(crate) use marks::{MARKED, coarse_marked, is_wide};
pub use marks::{bound_mark, marked, perhaps_network};
use none::none;
use wirewait_analysis::{Bounds, Phase, RoundTrip, StallCause};
use wirewait_judge::{
    BusyTime, ByDesign, Culprit, Finding, OperationBehind, Share, StallBehind, Verdict,
};
use wirewait_wire::Endpoint;

/// Bounds that are so close are shown as one figure, in thousandths.
const CLOSE: u64 = 10;

/// A distance that is at most a thousandth of the active time is mentioned from here on, ns.
const NOTABLE_NS: u64 = 1_000_000;

/// Who had most of the active time, and the evidence.
#[must_use]
pub fn sentence(verdict: &Verdict) -> String {
    sentence_in(verdict, Digits::Three)
}

/// [`sentence`], with durations of as many digits.
pub(crate) fn sentence_in(verdict: &Verdict, digits: Digits) -> String {
    let Some(title) = title(verdict.finding) else {
        return none(verdict, digits);
    };
    let (part, ns, whose) = match verdict.finding {
        Finding::None => return none(verdict, digits),
        Finding::Named(culprit) => {
            let share = verdict.share(culprit);
            let ns = shown(culprit, within_active(share, verdict.active_ns));
            let whose = match culprit {
                Culprit::Client if verdict.stall.is_some() => "was spent in clients",
                Culprit::Client => "was spent in clients, between their requests",
                Culprit::Network => "was spent in the network (transfers, loss recovery, distance)",
                Culprit::Server => "was spent waiting for servers",
            }
            .to_owned();
            (self::share(culprit, share.thousandths), ns, whose)
        }
        Finding::Either(first, second) => {
            let whose = match (first, second) {
                (Culprit::Client, Culprit::Network) => "in clients or in the network",
                (Culprit::Client, _) => "in clients and servers",
                _ => "in servers or in the network",
            };
            let whose = match verdict.decided_at() {
                Some(_) => format!("was spent {whose}"),
                None => format!("was spent {whose}, and neither surely had more"),
            };
            let parts = [first, second].map(|one| (one, verdict.share(one)));
            let sum = |of: fn(Bounds) -> u64| -> u64 {
                parts.iter().map(|(_, share)| of(share.thousandths)).sum()
            };
            let parts_ns =
                parts.map(|(one, share)| shown(one, within_active(share, verdict.active_ns)));
            let ns = parts_ns.into_iter().fold(0, u64::saturating_add);
            let both = thousandths(ns, verdict.active_ns).min(sum(|share| share.high));
            (Percent(both, 1000).to_string(), ns, whose)
        }
    };
    let range = match verdict.finding {
        Finding::Named(culprit) => Some(verdict.share(culprit)),
        Finding::None | Finding::Either(..) => None,
    };
    let mut text = format!(
        "{title}: {part} of active time ({}) {whose}",
        of_active(ns, range, verdict, digits)
    );
    text.push('.');
    if let (Finding::Either(..), Some(end)) = (verdict.finding, verdict.decided_at()) {
        text.push_str(&format!(
            " To tell which, capture at the {}, or give both captures to `wirewait between`.",
            end.name()
        ));
    }
    if let Some(behind) = behind(verdict) {
        text.push_str(&format!(" {behind}"));
    }
    if let Some(busiest) = verdict.busiest {
        let part = Percent(busiest, 1_000_000);
        text.push_str(&match busiest > 1_000_000 {
            true => format!(
                " A link was {part} busy in a second: its speed or duplex mode (--link-speed, --duplex) cannot be right."
            ),
            false => format!(" No link was more than {part} busy in any second."),
        });
    }
    text
}

/// Who had most of the time, as a verdict begins; `None` where there is none.
#[must_use]
pub const fn title(finding: Finding) -> Option<&'static str> {
    Some(match finding {
        Finding::None => return None,
        Finding::Named(Culprit::Client) => "Client",
        Finding::Named(Culprit::Network) => "Network",
        Finding::Named(Culprit::Server) => "Server",
        Finding::Either(Culprit::Client, Culprit::Network) => "Client or network",
        Finding::Either(Culprit::Client, _) => "Client or server",
        Finding::Either(..) => "Server or network",
    })
}

/// For what transfers or turnarounds stood still.
fn stalled(stall: &StallBehind) -> String {
    let whose = stall.of.name();
    match stall.cause {
        StallCause::ClosedWindow => format!("with a {whose}'s receive window closed"),
        StallCause::DelayedAcknowledgement => {
            format!("waiting for a {whose}'s delayed acknowledgements")
        }
        StallCause::Stopped => format!("with a {whose} stopped in the middle of a message"),
        StallCause::GoAhead => format!("waiting for a {whose} to let requests go on"),
        StallCause::Rest => format!("waiting for a {whose} to send the rest of requests"),
        _ => {
            let what = match stall.lease {
                Some(true) => "lease",
                Some(false) => "oplock",
                None => "oplock or lease",
            };
            let holder = stall.holder.map(|holder| format!(", {holder},"));
            let holder = holder.unwrap_or_default();
            format!("waiting for another client{holder} to give its {what} back")
        }
    }
}

/// What has most of the time of those found.
fn behind(verdict: &Verdict) -> Option<String> {
    let clients = is_of_clients(verdict);
    let part = |thousandths: u64| Percent(thousandths, 1000);
    // Stalls lie within requests.
    let within = if verdict.stall.is_some() {
        "in or "
    } else {
        ""
    };
    let mut parts = Vec::new();
    if let Some((phase, thousandths)) = verdict.phase {
        let phase = match phase {
            Phase::Request => "request transfer",
            Phase::Response => "response transfer",
            Phase::Retransmission => "loss recovery",
            _ => "distance",
        };
        parts.push((part(thousandths), phase.to_owned()));
    }
    if let Some(stall) = &verdict.stall {
        parts.push((part(stall.thousandths), stalled(stall)));
    }
    let (at, operation) = notable(verdict);
    if let Some((at, thousandths)) = at {
        let whose = match verdict.finding {
            _ if clients => "in",
            Finding::Named(Culprit::Network) => "to and from",
            _ => "for",
        };
        parts.push((part(thousandths), format!("{whose} {at}")));
    }
    if let Some(operation) = operation {
        let command = Command {
            name: operation.command,
            code: operation.code,
        };
        let protocol = operation.protocol.to_uppercase();
        let whose = match clients {
            true => format!("{within}before {protocol} {command}"),
            false => {
                let rate = verdict.bytes_per_second.map(Rate);
                let rate = rate.map_or_else(String::new, |rate| format!(" (at {rate})"));
                format!("for {protocol} {command} there{rate}")
            }
        };
        parts.push((part(operation.thousandths), whose));
    }
    if let Some(file) = &verdict.file {
        let which = match &*file.path {
            // Followed by a full stop it would read as a name.
            "\\" => "the root folder".to_owned(),
            path => format!("file {}", Escaped(path)),
        };
        let whose = match clients {
            true => format!("{within}before requests for {which}"),
            false => format!("for {which}"),
        };
        parts.push((part(file.thousandths), whose));
    }
    parts.extend(narrower(verdict));
    let station = if clients { "client" } else { "server" };
    let evenly = verdict.at.is_some() && at.is_none();
    Some(match (listed(parts, "was "), evenly) {
        (None, false) => return None,
        (None, true) => format!("No {station} had a tenth of that time."),
        (Some(parts), false) => format!("Of that time, {parts}."),
        (Some(parts), true) => format!("Of that time, {parts}; no {station} had a tenth of it."),
    })
}

/// From this part of the time of those found on a station or an operation explains something, in thousandths.
const NAMED: u64 = 100;

/// The station and the operation with most of the time of those found, if that is enough to name them. The operation is that
/// at the station, where clients are not found.
#[must_use]
pub fn notable(verdict: &Verdict) -> (Option<(Endpoint, u64)>, Option<OperationBehind>) {
    let at = verdict.at.filter(|(_, part)| *part >= NAMED);
    let there = is_of_clients(verdict) || at.is_some();
    let operation = verdict.operation;
    let operation = operation.filter(|of| there && of.thousandths >= NAMED);
    (at, operation)
}

/// The share, and the client that waited, with their parts of the time of those found: where no file is named.
fn narrower(verdict: &Verdict) -> Vec<(Percent, String)> {
    let part = |thousandths: u64| Percent(thousandths, 1000);
    let before = match (is_of_clients(verdict), &verdict.stall) {
        (false, _) => "",
        (true, None) => "before requests ",
        (true, Some(_)) => "in or before requests ",
    };
    let share = verdict.tree.as_ref().map(|tree| {
        let whose = format!("{before}on share {}", Escaped(&tree.share));
        (part(tree.thousandths), whose)
    });
    let client = verdict.waited;
    let client =
        client.map(|(client, thousandths)| (part(thousandths), format!("for client {client}")));
    share.into_iter().chain(client).collect()
}

/// What narrows the time of those found down to a share or a client, where the whole [`sentence`] finds no room.
#[must_use]
pub fn narrowed(verdict: &Verdict) -> Option<String> {
    Some(format!("Of that, {}.", listed(narrower(verdict), "")?))
}

/// Whether the time before requests is that of those found, too: a station is a client then.
#[must_use]
pub fn is_of_clients(verdict: &Verdict) -> bool {
    verdict.finding.is_of_clients()
}

/// Parts with what they are of; this word stands behind the first percentage.
fn listed(parts: Vec<(Percent, String)>, word: &str) -> Option<String> {
    let parts = parts.into_iter().enumerate();
    let mut parts: Vec<String> = parts
        .map(|(n, (share, whose))| match n {
            0 => format!("{share} {word}{whose}"),
            _ => format!("{share} {whose}"),
        })
        .collect();
    let last = parts.pop()?;
    Some(match parts.is_empty() {
        true => last,
        false => format!("{} and {last}", parts.join(", ")),
    })
}

/// The share of each party, in one line.
#[must_use]
pub(crate) fn shares(verdict: &Verdict, digits: Digits) -> Option<String> {
    let part = |culprit: Culprit| {
        let share = self::share(culprit, verdict.share(culprit).thousandths);
        format!("{} {share}", culprit.name())
    };
    (verdict.active_ns > 0).then(|| {
        format!(
            "Of active time ({}): {}.",
            digits.span(verdict.active_ns),
            Culprit::ALL.map(part).join(", ")
        )
    })
}

/// From this part on it is as good as all of it, in thousandths.
const ALL: u64 = 995;

/// Waits by design, where they are worth a word: for what, and whose. A client that waits for a lock stands still; one that
/// waits for a notification does not.
#[must_use]
pub(crate) fn by_design(verdict: &Verdict, digits: Digits) -> Option<String> {
    let ByDesign {
        ns,
        operation,
        told,
        client,
    } = verdict
        .by_design
        .filter(|waits| waits.operation.is_some_and(|of| is_lock(of.command)))?;
    let mut text = format!("Waits by design, in no share: {}", digits.span(ns));
    let part = |thousandths: u64| Percent(thousandths, 1000);
    if let Some(of) = operation {
        let (name, code) = (of.command, of.code);
        let command = format!("{} {}", of.protocol.to_uppercase(), Command { name, code });
        text.push_str(&match of.thousandths {
            ALL.. => format!(" of {command}"),
            thousandths => format!(", {} of {command}", part(thousandths)),
        });
        if told && is_lock(of.command) {
            text.push_str(" (another holds the lock)");
        }
    }
    if let Some((client, thousandths)) = client {
        let whole = operation.is_none_or(|of| of.thousandths >= ALL);
        text.push_str(&match (thousandths, whole) {
            (ALL.., true) => format!(" by {client}"),
            (ALL.., false) => format!(", all by {client}"),
            _ => format!(", {} by {client}", part(thousandths)),
        });
    }
    text.push('.');
    Some(text)
}

/// A length of whole hours is said in hours.
const HOUR_NS: i64 = 3_600_000_000_000;

/// When most of the active time was, if that was a short time.
#[must_use]
pub(crate) fn when(verdict: &Verdict, digits: Digits) -> Option<String> {
    let BusyTime {
        from,
        to,
        thousandths,
        of_ns,
    } = verdict.when?;
    let length = |ns: i64| match ns {
        HOUR_NS.. if ns % HOUR_NS == 0 => format!("{} h", Grouped((ns / HOUR_NS).unsigned_abs())),
        _ => digits.span(ns.unsigned_abs()),
    };
    Some(format!(
        "Of active time, {} was in {} of {}: --since {} --until {}.",
        Percent(thousandths, 1000),
        length(to.since(from)),
        length(of_ns),
        Rfc3339(from).short(),
        Rfc3339(to).short(),
    ))
}

/// Whether a command that waits by design takes a lock, by the name that its specification gives it (`LOCK`,
/// `LOCKING_ANDX`).
fn is_lock(command: &str) -> bool {
    let mut words = command.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| {
        ["LOCK", "LOCKING"]
            .iter()
            .any(|name| word.eq_ignore_ascii_case(name))
    })
}

/// How far from the stations the capture was made, and what that is of their time.
#[must_use]
pub fn position(verdict: &Verdict) -> Option<String> {
    position_of(verdict, Digits::Three, |_| true)
}

/// The part of it that people are shown: less than a millisecond that is less than a thousandth of the active
/// time, too, decides nothing.
pub(crate) fn notable_position(verdict: &Verdict, digits: Digits) -> Option<String> {
    position_of(verdict, digits, |ns| {
        let small = ns.high < NOTABLE_NS && ns.high.saturating_mul(1000) < verdict.active_ns;
        !small
    })
}

/// Of the ends whose distance is wanted.
fn position_of(
    verdict: &Verdict,
    digits: Digits,
    is_wanted: impl Fn(Bounds) -> bool,
) -> Option<String> {
    let way = &verdict.on_the_way;
    let ends: Vec<(&str, &RoundTrip, Bounds, &str)> = [
        ("server", &way.server, way.in_turnarounds, "turnarounds"),
        ("client", &way.client, way.in_pauses, "clients' pauses"),
    ]
    .into_iter()
    .filter_map(|(who, trip, ns, within)| Some((who, trip.as_ref()?, ns, within)))
    .filter(|(_, _, ns, _)| ns.low > 0 && is_wanted(*ns))
    .collect();
    let listed = |items: Vec<String>| items.join(" and ");
    let far = listed(
        ends.iter()
            .map(|(who, trip, ..)| {
                format!(
                    "{} from {who} {} (round trip, frames {} to {})",
                    digits.time(trip.shortest_ns),
                    trip.station,
                    trip.asked,
                    trip.answered
                )
            })
            .collect(),
    );
    let counted = listed(
        ends.iter()
            .map(|(_, _, ns, within)| {
                let (low, high) = (digits.span(ns.low), digits.span(ns.high));
                match low == high {
                    true => format!("{low} within the {within}"),
                    false => format!("{} within the {within}", range(&low, &high)),
                }
            })
            .collect(),
    );
    (!ends.is_empty())
        .then(|| format!("Captured {far}; that distance counts as network: {counted}."))
}

/// A part of active time, as tables show it, or its bounds: `45.8 to 48.9 %`.
#[must_use]
pub fn share(culprit: Culprit, of: Bounds) -> String {
    if of.high - of.low < CLOSE {
        return Percent(shown(culprit, of), 1000).to_string();
    }
    let [low, high] = [of.low, of.high].map(|part| Percent(part, 1000).to_string());
    range(&low, &high)
}

/// The one of two bounds that tables show, where they are close: the network has what is proved.
const fn shown(culprit: Culprit, of: Bounds) -> u64 {
    match culprit {
        Culprit::Network => of.low,
        Culprit::Client | Culprit::Server => of.high,
    }
}

/// So much of the active time; from and to where its part is shown so.
fn of_active(ns: u64, shown: Option<Share>, verdict: &Verdict, digits: Digits) -> String {
    let seconds = |ns: u64| digits.span(ns);
    let whole = seconds(verdict.active_ns);
    let wide = shown.filter(|share| share.thousandths.high - share.thousandths.low >= CLOSE);
    let part = wide.map_or_else(
        || seconds(ns),
        |share| {
            let Bounds { low, high } = within_active(share, verdict.active_ns);
            let [low, high] = [low, high].map(seconds);
            range(&low, &high)
        },
    );
    format!("{part} of {whole}, {}", counted(verdict.clients, "client"))
}

/// The time of a share, ns, beside its part of the active time: where that may be longer or shorter than it seems (idle time
/// that may be loss recovery, a coarse clock), the parts are of another time than this.
fn within_active(share: Share, active_ns: u64) -> Bounds {
    let of_part = |ns: u64, part: u64| {
        let whole = u128::from(active_ns) * u128::from(part) / 1000;
        let alike = thousandths(ns, active_ns).abs_diff(part) <= 1;
        if alike {
            ns
        } else {
            u64::try_from(whole).unwrap_or(ns)
        }
    };
    let Share { ns, thousandths } = share;
    Bounds {
        low: of_part(ns.low, thousandths.low),
        high: of_part(ns.high, thousandths.high),
    }
}

fn thousandths(part: u64, whole: u64) -> u64 {
    let (part, whole) = (u128::from(part), u128::from(whole));
    u64::try_from((part * 2000 + whole).checked_div(2 * whole).unwrap_or(0)).unwrap_or(0)
}

fn counted(n: u64, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        n => format!("{} {what}s", Grouped(n)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{made, v4};
    use wirewait_judge::{
        Doubt, FileBehind, OnTheWay, OtherServices, RefusedRequests, Share, ShareBehind,
    };
    use wirewait_wire::Timestamp;

    /// Of 18 s: 2.16 s client, 3.02 to 3.56 s network, 12.3 to 12.8 s server.
    pub(super) fn verdict(finding: Finding, doubts: Vec<Doubt>) -> Verdict {
        let share = |low, high| Share {
            ns: Bounds {
                low: low * 18_000_000,
                high: high * 18_000_000,
            },
            thousandths: Bounds { low, high },
        };
        let some = finding != Finding::None;
        made!(Verdict {
            finding: finding,
            shares: [share(120, 120), share(168, 198), share(682, 712)],
            active_ns: 18_000_000_000,
            unknown_ns: 0,
            clients: 12,
            answered: if some { 1024 } else { 3 },
            at: some.then(|| (v4(1, None), 600)),
            operation: some.then_some(OperationBehind {
                protocol: "smb1",
                command: "READ_ANDX",
                code: 0x2e,
                thousandths: 480,
            }),
            busiest: some.then_some(91_000),
            on_the_way: OnTheWay::default(),
            doubts: doubts,
        })
    }

    /// Tables show what is proved of the network, and the rest with the others.
    /// Silences of 2.01 s may be active time, too: by 2.69 s and these, 936 thousandths are at most the network's.
    #[test]
    fn times_are_parts_of_the_active_time_beside_them() {
        let share = Share {
            ns: Bounds {
                low: 2070,
                high: 4220,
            },
            thousandths: Bounds {
                low: 769,
                high: 936,
            },
        };
        let Bounds { low, high } = within_active(share, 2690);
        assert_eq!((low, high), (2070, 2517));
    }

    #[test]
    fn close_bounds_are_shown_as_tables_show_them() {
        let close = Bounds { low: 1, high: 9 };
        let said = Culprit::ALL.map(|culprit| share(culprit, close));
        assert_eq!(said, ["0.9 %", "0.1 %", "0.9 %"]);
        let wide = Bounds { low: 1, high: 11 };
        assert_eq!(share(Culprit::Server, wide), "0.1 to 1.1 %");
    }

    #[test]
    fn a_server_is_named_with_its_evidence() {
        let seen = verdict(Finding::Named(Culprit::Server), Vec::new());
        assert_eq!(
            sentence(&seen),
            "Server: 68.2 to 71.2 % of active time (12.3 to 12.8 s of 18.0 s, 12 clients) was spent \
             waiting for servers. Of that time, 60.0 % was for 10.0.0.1 and 48.0 % for SMB1 READ_ANDX \
             there. No link was more than 9.1 % busy in any second."
        );
        assert_eq!(
            shares(&seen, Digits::Three).unwrap(),
            "Of active time (18.0 s): client 12.0 %, network 16.8 to 19.8 %, server 68.2 to 71.2 %."
        );
    }

    /// 16.8 and 71.2 of 100.
    #[test]
    fn two_that_overlap_are_named_together_with_the_capture_that_decides() {
        let either = Finding::Either(Culprit::Network, Culprit::Server);
        let with = |turnarounds, pauses, idle| {
            let mut seen = verdict(either, Vec::new());
            let up_to = |high| Bounds { low: 0, high };
            seen.on_the_way.in_turnarounds = up_to(turnarounds);
            (seen.on_the_way.in_pauses, seen.on_the_way.in_idle) = (up_to(pauses), up_to(idle));
            sentence(&seen)
        };
        let text = with(2, 1, 0);
        assert!(
            text.starts_with(
                "Server or network: 88.0 % of active time (15.8 s of 18.0 s, 12 clients) was \
                 spent in servers or in the network. To tell which, capture at the server, or \
                 give both captures to `wirewait between`. Of that time, 60.0 % was for 10.0.0.1 and"
            ),
            "{text}"
        );
        // What is open lies with the clients.
        let asks =
            |text: String, end| text.contains(&format!("To tell which, capture at the {end}, or"));
        assert!(asks(with(1, 2, 0), "client"));
        assert!(asks(with(2, 1, 2), "client"), "idle time is theirs");
        assert!(with(1, 1, 0).contains("in servers or in the network, and neither surely had"));
    }

    #[test]
    fn what_is_behind_the_network_and_the_client_is_said() {
        let mut seen = verdict(Finding::Named(Culprit::Network), Vec::new());
        seen.phase = Some((Phase::Retransmission, 713));
        seen.file = Some(FileBehind {
            share: None,
            path: "SYS:A\\B".into(),
            thousandths: 120,
        });
        let text = sentence(&seen);
        let said = "Of that time, 71.3 % was loss recovery, 60.0 % to and from 10.0.0.1, 48.0 % for SMB1 \
                    READ_ANDX there and 12.0 % for file SYS:A\\B.";
        assert!(text.contains(said), "{text}");
        seen.finding = Finding::Named(Culprit::Client);
        (seen.phase, seen.file) = (None, None);
        let text = sentence(&seen);
        let said = "Of that time, 60.0 % was in 10.0.0.1 and 48.0 % before SMB1 READ_ANDX.";
        assert!(text.contains(said), "{text}");
        seen.tree = Some(ShareBehind {
            share: "slow".into(),
            thousandths: 971,
        });
        let text = sentence(&seen);
        assert!(
            text.contains("and 97.1 % before requests on share slow."),
            "{text}"
        );
        seen.finding = Finding::Named(Culprit::Server);
        seen.waited = Some((v4(12, None), 980));
        let text = sentence(&seen);
        let said = "48.0 % for SMB1 READ_ANDX there, 97.1 % on share slow and 98.0 % for client 10.0.0.12.";
        assert!(text.contains(said), "{text}");
        let said = "Of that, 97.1 % on share slow and 98.0 % for client 10.0.0.12.";
        assert_eq!(narrowed(&seen).unwrap(), said);
        (seen.at, seen.operation, seen.tree, seen.waited) = (None, None, None, None);
        assert!(!sentence(&seen).contains("Of that time"));
        assert_eq!(narrowed(&seen), None);
    }

    #[test]
    fn what_has_less_than_a_tenth_explains_nothing() {
        let mut seen = verdict(Finding::Named(Culprit::Client), Vec::new());
        seen.at = Some((v4(1, None), 99));
        let said = "Of that time, 48.0 % was before SMB1 READ_ANDX; no client had a tenth of it.";
        assert!(sentence(&seen).contains(said), "{}", sentence(&seen));
        seen.finding = Finding::Named(Culprit::Server);
        let said = " No server had a tenth of that time.";
        assert!(sentence(&seen).contains(said), "{}", sentence(&seen));
        seen.at = Some((v4(1, None), 100));
        assert!(sentence(&seen).contains("Of that time, 10.0 % was for 10.0.0.1 and 48.0 %"));
    }

    #[test]
    fn requests_that_are_refused_are_a_doubt() {
        let operation = OperationBehind {
            protocol: "smb2",
            command: "LOCK",
            code: 10,
            thousandths: 990,
        };
        let refused = RefusedRequests {
            operation,
            refused: 1_200,
            of: 1_201,
        };
        let seen = verdict(
            Finding::Named(Culprit::Client),
            vec![Doubt::Refused(refused)],
        );
        let said = "Doubt: 1,200 of 1,201 SMB2 LOCK requests were refused: in the pauses between them a program may wait until \
                    another one gives way.";
        assert_eq!(doubts(&seen).collect::<Vec<_>>(), [said]);
    }

    #[test]
    fn waits_for_other_services_are_a_doubt() {
        let others = OtherServices {
            of: Culprit::Client,
            ns: 9_804_000_000,
            thousandths: 982,
            most: v4(53, Some(53)),
            most_ns: 9_500_000_000,
        };
        let seen = verdict(
            Finding::Named(Culprit::Client),
            vec![Doubt::OtherServices(others)],
        );
        let said = "Doubt: 98.2 % of the clients' time (9.80 s) was spent waiting for other services: 9.50 s for 10.0.0.53:53.";
        assert_eq!(doubts(&seen).collect::<Vec<_>>(), [said]);
    }

    #[test]
    fn waits_for_locks_are_said() {
        let said = |command, of_operation, of_client| {
            let mut seen = verdict(Finding::Named(Culprit::Server), Vec::new());
            let operation = OperationBehind {
                protocol: "smb2",
                command,
                code: 10,
                thousandths: of_operation,
            };
            seen.by_design = Some(ByDesign {
                ns: 12_400_000_000,
                told: of_client != 999,
                operation: Some(operation).filter(|of| of.thousandths > 0),
                client: Some((v4(12, None), of_client)).filter(|(_, part)| *part > 0),
            });
            by_design(&seen, Digits::Three).unwrap_or_default()
        };
        assert_eq!(
            said("LOCK", 1000, 998),
            "Waits by design, in no share: 12.4 s of SMB2 LOCK (another holds the lock) by 10.0.0.12."
        );
        assert_eq!(
            said("LOCK", 610, 1000),
            "Waits by design, in no share: 12.4 s, 61.0 % of SMB2 LOCK (another holds the lock), all by 10.0.0.12."
        );
        assert_eq!(
            said("LOCK", 1000, 700),
            "Waits by design, in no share: 12.4 s of SMB2 LOCK (another holds the lock), 70.0 % by 10.0.0.12."
        );
        assert_eq!(
            said("LOCK", 1000, 999),
            "Waits by design, in no share: 12.4 s of SMB2 LOCK by 10.0.0.12.",
            "only its time says that it had to wait"
        );
        // Nobody stands still for a notification.
        assert_eq!(said("CHANGE_NOTIFY", 1000, 1000), "");
        assert_eq!(said("LOCK", 0, 1000), "", "less than half");
        assert!(is_lock("LOCKING_ANDX") && is_lock("Lock File") && !is_lock("READ BLOCK"));
        let without = verdict(Finding::None, Vec::new());
        assert_eq!(by_design(&without, Digits::Three), None);
    }

    #[test]
    fn when_most_of_the_time_was_is_said_with_the_options_that_look_at_it() {
        let said = |seconds: i64, of: i64| {
            let mut seen = verdict(Finding::Named(Culprit::Server), Vec::new());
            let from = Timestamp::from_parts(1_700_032_400, 0);
            seen.when = Some(BusyTime {
                from,
                to: from.plus(seconds * 1_000_000_000),
                thousandths: 901,
                of_ns: of * 1_000_000_000,
            });
            when(&seen, Digits::Three).unwrap()
        };
        assert_eq!(
            said(3_600, 86_400),
            "Of active time, 90.1 % was in 1 h of 24 h: --since 2023-11-15T07:13:20Z --until 2023-11-15T08:13:20Z."
        );
        let short = said(10, 5_400);
        assert!(short.contains(" was in 10.0 s of 5,400 s: "), "{short}");
        let none = verdict(Finding::Named(Culprit::Server), Vec::new());
        assert_eq!(when(&none, Digits::Three), None);
    }

    #[test]
    fn what_a_transfer_stood_still_for_is_said() {
        let said = |of: Culprit, cause: StallCause| {
            let mut seen = verdict(Finding::Named(of), Vec::new());
            seen.stall = Some(StallBehind {
                cause,
                of,
                thousandths: 988,
                whole_ns: 6_000_000_000,
                lease: Some(true),
                holder: Some(v4(7, None)),
            });
            sentence(&seen)
        };
        let text = said(Culprit::Client, StallCause::ClosedWindow);
        let words = "was spent in clients. Of that time, 98.8 % was with a client's receive window closed, \
                     60.0 % in 10.0.0.1 and 48.0 % in or before SMB1 READ_ANDX.";
        assert!(text.contains(words), "{text}");
        let text = said(Culprit::Server, StallCause::DelayedAcknowledgement);
        let words = "waiting for servers. Of that time, 98.8 % was waiting for a server's delayed acknowledgements, \
                     60.0 % for 10.0.0.1 and 48.0 % for SMB1 READ_ANDX there.";
        assert!(text.contains(words), "{text}");
        let text = said(Culprit::Server, StallCause::Stopped);
        let words = "98.8 % was with a server stopped in the middle of a message,";
        assert!(text.contains(words), "{text}");
        let text = said(Culprit::Client, StallCause::Break);
        let words = "98.8 % was waiting for another client, 10.0.0.7, to give its lease back,";
        assert!(text.contains(words), "{text}");
    }

    #[test]
    fn where_it_was_captured_is_said_with_its_frames() {
        let mut seen = verdict(Finding::Named(Culprit::Network), Vec::new());
        assert_eq!(position(&seen), None);
        seen.on_the_way = made!(OnTheWay {
            server: Some(made!(RoundTrip {
                station: v4(1, None),
                samples: 2,
                shortest_ns: 5_000_000,
                asked: 3,
                answered: 4,
            })),
            client: None,
            in_turnarounds: Bounds {
                low: 2_000_000_000,
                high: 2_500_000_000,
            },
            in_pauses: Bounds::default(),
        });
        assert_eq!(
            position(&seen).unwrap(),
            "Captured 5.00 ms from server 10.0.0.1 (round trip, frames 3 to 4); that distance \
             counts as network: 2.00 to 2.50 s within the turnarounds."
        );
    }

    /// Of 18 s: a thousandth is 18 ms.
    #[test]
    fn a_distance_that_decides_nothing_is_not_shown() {
        let mut seen = verdict(Finding::Named(Culprit::Server), Vec::new());
        let trip = made!(RoundTrip {
            station: v4(1, None),
            samples: 30,
            shortest_ns: 6_000,
            asked: 42,
            answered: 43,
        });
        let mut shown = |server: u64, client: u64, active: u64| {
            seen.active_ns = active;
            let up_to = |high| Bounds { low: 6_000, high };
            seen.on_the_way = made!(OnTheWay {
                server: Some(trip),
                client: Some(trip),
                in_turnarounds: up_to(server),
                in_pauses: up_to(client),
            });
            let all = position(&seen).unwrap();
            assert!(
                all.contains("turnarounds") && all.contains("pauses"),
                "{all}"
            );
            let text = notable_position(&seen, Digits::Three).unwrap_or_default();
            ["turnarounds", "pauses"].map(|word| text.contains(word))
        };
        let second = 1_000_000_000;
        assert_eq!(shown(999_999, 1_000_000, 18 * second), [false, true]);
        assert_eq!(shown(20_000_000, 999_999, 18 * second), [true, false]);
        assert_eq!(shown(999_999, 999_999, 18 * second), [false, false]);
        // Little, and much of what there is: 0.5 ms of 0.5 s are a thousandth.
        assert_eq!(shown(500_000, 499_999, second / 2), [true, false]);
    }

    #[test]
    fn too_little_is_no_verdict() {
        let few = verdict(Finding::None, vec![Doubt::FewRequests(3)]);
        assert_eq!(
            sentence(&few),
            "No verdict: only 3 requests were answered, too few to judge."
        );
        let empty = made!(Verdict {
            answered: 0,
            doubts: vec![Doubt::NoFrames],
            ..few.clone()
        });
        assert_eq!(sentence(&empty), "No verdict: the capture has no frames.");
        let none = made!(Verdict { answered: 0, ..few });
        assert_eq!(
            sentence(&none),
            "No verdict: no request to a file server was answered."
        );
    }
}
