use super::super::{Bounds, Client, Ledger, Sums};
use super::*;
use crate::bounds::Hits;
use proptest::prelude::*;

const THINK: i64 = 100;
const LATER: Timestamp = Timestamp::from_nanos(i64::MAX);

fn at(ns: i64) -> Timestamp {
    Timestamp::from_nanos(ns)
}

fn outstanding(t: [i64; 4]) -> Outstanding {
    let ends = [t[1], t[1], t[2], t[3], t[3]].map(at);
    Outstanding::new(at(t[0]), ends, Outstanding::ANSWERED)
}

/// A client whose timeline is settled after each request that is closed, and what was posted.
struct Account {
    client: Client,
    sums: Sums,
}

impl Account {
    fn new() -> Self {
        Self {
            client: Client::default(),
            sums: Sums::new(),
        }
    }

    fn closed(&mut self, outstanding: &Outstanding, limit: Timestamp) {
        self.closed_behind(0, outstanding, limit);
    }

    /// A request closes before which the client had a response so much later than the capture.
    fn closed_behind(&mut self, way: u64, outstanding: &Outstanding, limit: Timestamp) {
        let mut ways = Ways::default();
        ways.client = Bounds {
            low: way,
            high: way,
        };
        self.client
            .timeline
            .closed(outstanding, SliceOwner::default(), ways);
        self.sums.waiting += 1;
        self.settle(limit);
    }

    fn settle(&mut self, limit: Timestamp) {
        self.client.settle(limit, THINK, &mut self.sums, None);
    }

    fn ledger(&self) -> Ledger {
        let (mut sums, mut sum) = (self.sums.clone(), self.client.sum);
        self.client.pending.post(&mut sums, &mut sum);
        assert_eq!(sums.total.ledger, sum.ledger);
        sum.ledger
    }
}

fn phases(account: &Account) -> Vec<(Phase, u64)> {
    Phase::ALL
        .into_iter()
        .map(|phase| (phase, account.ledger().get(phase)))
        .filter(|(_, ns)| *ns > 0)
        .collect()
}

#[test]
fn one_after_the_other() {
    let mut account = Account::new();
    account.closed(&outstanding([10, 12, 20, 25]), LATER);
    account.closed(&outstanding([30, 30, 40, 40]), LATER);
    account.closed(&outstanding([500, 500, 501, 501]), LATER);
    assert_eq!(
        phases(&account),
        [
            (Phase::Client, 5),
            (Phase::Request, 2),
            (Phase::Server, 8 + 10 + 1),
            (Phase::Response, 5),
            (Phase::Idle, 460),
        ]
    );
    assert_eq!(account.ledger().total(), 491);
    assert_eq!(account.ledger().waited(), 26);
}

/// A pause begins when the client has the response: 140 behind it, of which 45 are the way, are 95 of pause; and with 39,
/// 101, which is idle.
#[test]
fn a_response_on_its_way_is_no_pause() {
    let paused = |way| {
        let mut account = Account::new();
        account.closed(&outstanding([0, 0, 10, 10]), LATER);
        account.closed_behind(way, &outstanding([150, 150, 160, 160]), LATER);
        phases(&account)
    };
    let server = (Phase::Server, 20);
    let pause = [(Phase::Client, 95), server, (Phase::Distance, 45)];
    assert_eq!(paused(45), pause);
    assert_eq!(paused(39), [server, (Phase::Idle, 140)]);
}

/// Beyond the think limit, a way of 50 ms is the network's all the same.
#[test]
fn a_long_way_before_idle_time_is_the_networks() {
    let paused = |way: u64| {
        let mut account = Account::new();
        account.closed(&outstanding([0, 0, 10, 10]), LATER);
        let [began, ended] = [200_000_010, 200_000_020];
        let request = outstanding([began, began, ended, ended]);
        account.closed_behind(way, &request, LATER);
        let within = account.ledger().network_in_client();
        (phases(&account), within.low)
    };
    let server = (Phase::Server, 20);
    let (shared, within) = paused(50_000_000);
    let idle = [
        server,
        (Phase::Distance, 50_000_000),
        (Phase::Idle, 150_000_000),
    ];
    assert_eq!((shared.as_slice(), within), (idle.as_slice(), 50_000_000));
    let (short, within) = paused(49_999_999);
    assert_eq!(
        (short.as_slice(), within),
        ([server, (Phase::Idle, 200_000_000)].as_slice(), 0)
    );
}

/// Loss recovery divides idle time of 390 ms in two: the way of 60 ms is in the first part, and not in both.
#[test]
fn a_long_way_counts_once_in_a_divided_pause() {
    const MS: i64 = 1_000_000;
    let mut account = Account::new();
    account.closed(&outstanding([0; 4]), LATER);
    let lost = (Phase::Retransmission, at(200 * MS), at(210 * MS));
    account.client.timeline.lost(lost, SliceOwner::default());
    let request = outstanding([400 * MS; 4]);
    account.closed_behind(60_000_000, &request, LATER);
    assert_eq!(
        phases(&account),
        [
            (Phase::Distance, 60_000_000),
            (Phase::Retransmission, 10_000_000),
            (Phase::Idle, 330_000_000),
        ]
    );
}

/// Definition: with overlap each instant belongs to the oldest outstanding request.
#[test]
fn an_instant_belongs_to_the_oldest() {
    let mut account = Account::new();
    account.client.timeline.begins(at(0));
    account.client.timeline.begins(at(5));
    account.client.timeline.ends(at(5));
    account.closed(&outstanding([5, 5, 30, 60]), LATER);
    assert_eq!(phases(&account), [], "an older one is open");
    account.client.timeline.ends(at(0));
    account.closed(&outstanding([0, 10, 40, 50]), LATER);
    assert_eq!(
        phases(&account),
        [
            (Phase::Request, 10),
            (Phase::Server, 30),
            (Phase::Response, 10 + 10),
        ]
    );
}

#[test]
fn waits_by_design_count_where_nothing_else_is_outstanding() {
    let mut account = Account::new();
    account.client.timeline.waits(at(5), SliceOwner::default());
    account.closed(&outstanding([0, 0, 10, 10]), LATER);
    account.client.timeline.waited(at(5), at(300));
    account.closed(&outstanding([400, 400, 410, 410]), LATER);
    // What lies behind it is no longer than the think limit.
    assert_eq!(
        phases(&account),
        [
            (Phase::Client, 100),
            (Phase::Server, 20),
            (Phase::Waiting, 290),
        ]
    );
}

/// The client asks for something else after 50, and after 500: it was the wait only in that.
#[test]
fn a_wait_that_goes_on_takes_nothing_from_the_client() {
    let mut account = Account::new();
    account.closed(&outstanding([0, 0, 10, 10]), LATER);
    account.client.timeline.waits(at(15), SliceOwner::default());
    account.closed(&outstanding([60, 60, 70, 70]), LATER);
    assert_eq!(phases(&account), [(Phase::Client, 50), (Phase::Server, 20)]);
    account.closed(&outstanding([570, 570, 580, 580]), LATER);
    assert_eq!(
        phases(&account),
        [
            (Phase::Client, 50),
            (Phase::Server, 30),
            (Phase::Waiting, 500),
        ]
    );
}

/// A lock for which a client waits when the capture ends, or only just not any more: with the pause before it. So also where it is
/// all that there is.
#[test]
fn a_wait_behind_everything_else_counts_when_the_capture_is_over() {
    let mut account = Account::new();
    account.closed(&outstanding([0, 0, 10, 10]), LATER);
    account.client.timeline.waits(at(20), SliceOwner::default());
    account.client.timeline.waited(at(20), at(310));
    account.settle(LATER);
    assert_eq!(phases(&account), [(Phase::Server, 10)]);
    account.finish();
    assert_eq!(
        phases(&account),
        [
            (Phase::Client, 10),
            (Phase::Server, 10),
            (Phase::Waiting, 290),
        ]
    );
    let mut account = Account::new();
    account.client.timeline.waits(at(5), SliceOwner::default());
    account.client.timeline.waited(at(5), at(50));
    account.finish();
    assert_eq!(phases(&account), [(Phase::Waiting, 45)]);
}

impl Account {
    fn finish(&mut self) {
        let Self { client, sums } = self;
        let (timeline, mut posting) = client.posting(sums, None);
        timeline.finish(THINK, &mut posting);
    }

    /// A wait by design began, for which there was room.
    fn waits(&mut self, began: Timestamp) {
        let Self { client, sums } = self;
        if client.timeline.waits(began, SliceOwner::default()) {
            let mut posting = Posting {
                sums,
                course: None,
                pending: &mut client.pending,
                client: &mut client.sum,
                ways: Ways::default(),
            };
            assert!(client.timeline.makes_room(THINK, &mut posting));
        }
    }
}

/// A client that polls a pipe, while another wait goes on: each wait of 50 is over 10 before the next one begins, as
/// often as that is. What it asked for just before is not settled yet.
#[test]
fn waits_that_go_for_others_keep_their_time() {
    let mut account = Account::new();
    account.waits(at(5));
    account.closed(&outstanding([0, 0, 10, 10]), at(10));
    let polls = 4 * WAITS as i64;
    for n in 0..polls {
        let began = at(20 + 60 * n);
        account.waits(began);
        account.client.timeline.waited(began, at(70 + 60 * n));
    }
    let begin = 20 + 60 * polls;
    account.closed(&outstanding([begin, begin, begin + 10, begin + 10]), LATER);
    let polls = polls as u64;
    assert_eq!(
        phases(&account),
        [
            (Phase::Client, 10 * (polls + 1)),
            (Phase::Server, 20),
            (Phase::Waiting, 50 * polls),
        ]
    );
}

/// While a request is open all the time, all of it is that one's.
#[test]
fn waits_that_go_while_a_request_is_open_have_none_of_its_time() {
    let mut account = Account::new();
    account.client.timeline.begins(at(30));
    let polls = 4 * WAITS as i64;
    for n in 0..polls {
        let began = at(20 + 60 * n);
        account.waits(began);
        account.client.timeline.waited(began, at(70 + 60 * n));
    }
    let end = 60 * polls;
    account.client.timeline.ends(at(30));
    account.closed(&outstanding([30, 30, end, end]), LATER);
    assert_eq!(phases(&account), [(Phase::Server, end as u64 - 30)]);
}

/// A client asks whether its server is there, 60 behind its last request: the next one comes `later` behind that.
fn probed(later: i64) -> Vec<(Phase, u64)> {
    let mut account = Account::new();
    let settled = at(1_000_000);
    account.closed(&outstanding([0, 0, 10, 10]), settled);
    let probe = outstanding([70, 70, 72, 72]).probing(true);
    account.closed(&probe, at(80));
    let next = 72 + later;
    account.closed(&outstanding([next, next, next + 10, next + 10]), settled);
    phases(&account)
}

#[test]
fn a_request_that_only_asks_whether_the_other_end_is_there_divides_no_pause() {
    let server = (Phase::Server, 22);
    assert_eq!(probed(40), [(Phase::Client, 100), server]);
    assert_eq!(probed(60), [server, (Phase::Idle, 120)]);
    let mut account = Account::new();
    account.closed(&outstanding([0, 0, 10, 10]), at(1_000_000));
    account.closed(&outstanding([70, 70, 72, 72]).probing(true), at(80));
    let waits = [(Phase::Server, 10)];
    assert_eq!(phases(&account), waits, "what follows is not known yet");
    account.settle(at(72 + THINK));
    assert_eq!(phases(&account), waits);
    account.settle(at(73 + THINK));
    assert_eq!(phases(&account), [(Phase::Server, 12), (Phase::Idle, 60)]);
}

#[test]
fn what_is_sent_again_after_its_end_is_no_pause_of_the_client() {
    let mut account = Account::new();
    account.closed(&outstanding([0, 0, 10, 10]), LATER);
    account.client.timeline.lost(
        (Phase::Retransmission, at(10), at(250)),
        SliceOwner::default(),
    );
    account
        .client
        .timeline
        .waits(at(200), SliceOwner::default());
    account.closed(&outstanding([300, 300, 310, 310]), LATER);
    assert_eq!(
        phases(&account),
        [
            (Phase::Client, 50),
            (Phase::Server, 20),
            (Phase::Retransmission, 240),
        ]
    );
}

/// All clients together have so much room, and each has some of its own.
#[test]
fn the_queue_is_bounded() {
    for (others, room) in [(0, TOGETHER), (TOGETHER, QUEUE)] {
        let mut account = Account::new();
        account.sums.waiting = others;
        account.client.timeline.begins(at(0));
        for n in 1..=2 * room as i64 {
            account.closed(
                &outstanding([n * 10, n * 10, n * 10 + 5, n * 10 + 5]),
                LATER,
            );
        }
        assert_eq!(account.client.timeline.waiting(), room);
        assert_eq!(account.sums.waiting, others + room);
        assert_eq!(account.ledger().get(Phase::Server), room as u64 * 5);
        account.client.timeline.ends(at(0));
        account.settle(LATER);
        assert_eq!(account.sums.waiting, others, "nothing waits any more");
    }
}

/// The definition, instant by instant.
fn by_hand(passages: &[[i64; 4]]) -> [u64; 10] {
    let mut sums = [0; 10];
    let first = passages.iter().map(|t| t[0]).min().unwrap_or(0);
    let last = passages.iter().map(|t| t[3]).max().unwrap_or(0);
    let oldest = |now: i64| {
        let mut found: Option<&[i64; 4]> = None;
        for t in passages.iter().filter(|t| t[0] <= now && now < t[3]) {
            if found.is_none_or(|f| t[0] < f[0]) {
                found = Some(t);
            }
        }
        found
    };
    let mut now = first;
    while now < last {
        let phase = match oldest(now) {
            Some(t) if now < t[1] => Phase::Request,
            Some(t) if now < t[2] => Phase::Server,
            Some(_) => Phase::Response,
            None => {
                let next = passages.iter().map(|t| t[0]).filter(|t| *t > now).min();
                let next = next.unwrap_or(last);
                let phase = if next - now <= THINK {
                    Phase::Client
                } else {
                    Phase::Idle
                };
                sums[phase as usize] += (next - now) as u64;
                now = next;
                continue;
            }
        };
        sums[phase as usize] += 1;
        now += 1;
    }
    sums
}

proptest! {
    /// Random conversations with pipelining, closed in the order of their ends: the sum
    /// is the elapsed time, and every part is what the definition says.
    #[test]
    fn parts_sum_to_the_elapsed_time(
        raw in proptest::collection::vec((0i64..2000, 0i64..60, 0i64..300, 0i64..80), 1..40)
    ) {
        let mut passages: Vec<[i64; 4]> = raw
            .iter()
            .map(|(t1, a, b, c)| [*t1, t1 + a, t1 + a + b, t1 + a + b + c])
            .collect();
        // Two with one beginning have no oldest.
        passages.sort_unstable();
        passages.dedup_by_key(|t| t[0]);
        let mut events: Vec<(i64, bool, [i64; 4])> = passages
            .iter()
            .flat_map(|t| [(t[0], false, *t), (t[3], true, *t)])
            .collect();
        events.sort_by_key(|(when, ends, t)| (*when, *ends, t[0]));
        let mut account = Account::new();
        for (when, ends, t) in events {
            if ends {
                account.client.timeline.ends(at(t[0]));
                account.closed(&outstanding(t), at(when));
            } else {
                account.client.timeline.begins(at(t[0]));
            }
        }
        account.settle(LATER);
        let last = passages.iter().map(|t| t[3]).max().unwrap_or(0);
        prop_assert_eq!(account.ledger().total(), (last - passages[0][0]) as u64);
        prop_assert_eq!(Phase::ALL.map(|phase| account.ledger().get(phase)), by_hand(&passages));
    }
}

impl super::super::Accounts {
    /// Three requests more than may wait behind the one that is open: all that there is room for.
    pub(crate) fn overrun_queue() -> Hits {
        let mut account = Account::new();
        account.client.timeline.begins(at(0));
        for n in 1..=TOGETHER as i64 + 3 {
            let begin = n * 10;
            let closed = outstanding([begin, begin + 1, begin + 2, begin + 3]);
            account.closed(&closed, LATER);
        }
        account.sums.hits
    }
}
