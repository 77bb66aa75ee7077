use super::*;
use crate::case::Case;
use crate::parties::{Directory, Parties};
use crate::service_wait::LONGEST_NS;
use crate::symptoms::testing::{at, mark, station, transaction};
use crate::{LedgerOf, LedgerRow};
use wirewait_wire::Kind;

/// Client, server, and the time in ms from and to which the client waits for the server.
type Request = (u8, u8, i64, i64);

/// All of it the server's.
fn outstanding(from: i64, to: i64) -> Outstanding {
    let ends = [from, from, to, to, to].map(at);
    Outstanding::new(at(from), ends, Outstanding::ANSWERED)
}

/// The rows after these requests, with room for `room` of each kind.
fn rows(requests: &[Request], room: usize) -> Vec<LedgerRow> {
    let requests: Vec<(Request, u32)> = requests.iter().map(|request| (*request, 1)).collect();
    rows_of(&requests, room)
}

/// The rows after requests for operations with these numbers.
fn rows_of(requests: &[(Request, u32)], room: usize) -> Vec<LedgerRow> {
    let mut operations = Operations::new(room);
    let mut accounts = Accounts::new(&Settings::default());
    let mut directory = Directory::new(room);
    for ((client, server, from, to), code) in requests {
        let mut t = transaction(1, Kind::Read, *from, *to);
        t.code = *code;
        (t.client, t.server) = (station(*client), station(100 + *server));
        let mut parties = Parties::UNKNOWN;
        directory.meet(&t, &mut parties);
        let wait = Wait {
            case: Case {
                transaction: &t,
                parties: &parties,
            },
            began: at(*from),
            anyone: false,
            repeated: None,
        };
        accounts.begins(&wait, &crate::round_trips::RoundTrips::new(16));
        accounts.ends(
            wait,
            at(*to),
            Some(&outstanding(*from, *to)),
            (&crate::round_trips::RoundTrips::new(16), &mut operations),
        );
    }
    let before = accounts.rows(&directory, &operations).0;
    accounts.finish();
    let after = accounts.rows(&directory, &operations).0;
    assert_eq!(
        before, after,
        "what is closed is shown before it is settled"
    );
    after
}

fn of(rows: &[LedgerRow], of: LedgerOf) -> (u64, u64, u64) {
    let row = rows.iter().find(|row| row.of == of).unwrap();
    let ms = |phase| row.ledger.get(phase) / 1_000_000;
    (
        ms(Phase::Server),
        ms(Phase::Client),
        row.span_ns / 1_000_000,
    )
}

/// By hand: client 1 has server 1 from 0 to 10, 5 ms of its own, server 2 from 15 to 40 with a
/// request to server 1 from 20 to 50 behind it; client 2 has server 1 from 3 to 30.
#[test]
fn slices_of_a_client_are_rolled_up_by_their_owners() {
    let requests = [(1, 1, 0, 10), (2, 1, 3, 30), (1, 2, 15, 40), (1, 1, 20, 50)];
    let rows = rows(&requests, 10);
    let server = |n: u8| of(&rows, LedgerOf::Server(station(100 + n)));
    let client = |n: u8| of(&rows, LedgerOf::Client(station(n)));
    assert_eq!(client(1), (45, 5, 50));
    assert_eq!(client(2), (27, 0, 27));
    assert_eq!(server(1), (10 + 27 + 10, 0, 50));
    assert_eq!(server(2), (25, 5, 25), "it is asked when the gap ends");
    assert_eq!(of(&rows, LedgerOf::Capture), (72, 5, 50));
}

/// The row of an operation at a server.
fn operation(code: u32, n: u8) -> LedgerOf {
    let t = transaction(1, Kind::Read, 0, 1);
    LedgerOf::Operation {
        server: station(100 + n),
        protocol: t.protocol,
        carrier: t.carrier,
        command: t.operation.name,
        code,
        kind: Kind::Read,
    }
}

/// By hand: client 1 asks server 1 for 7 from 0 to 10, has 5 ms of its own, asks it for 8 from 15 to 40
/// and for 7 from 20 to 50; the last 10 ms of that are its own. Client 2 asks server 2 for 7 meanwhile.
#[test]
fn slices_belong_to_the_operation_of_their_request() {
    let requests = [
        ((1, 1, 0, 10), 7),
        ((2, 2, 5, 45), 7),
        ((1, 1, 15, 40), 8),
        ((1, 1, 20, 50), 7),
    ];
    let rows = rows_of(&requests, 10);
    assert_eq!(of(&rows, operation(7, 1)), (20, 0, 50));
    assert_eq!(of(&rows, operation(8, 1)), (25, 5, 25));
    assert_eq!(of(&rows, operation(7, 2)), (40, 0, 40));
    let of_operations = rows
        .iter()
        .filter(|row| matches!(row.of, LedgerOf::Operation { .. }));
    let requests: Vec<u64> = of_operations.map(|row| row.requests).collect();
    assert_eq!(requests, [1, 1, 2], "by time waited");
}

/// Room for one: what the operation before it had is nobody's, and the total keeps it.
#[test]
fn an_operation_that_is_dropped_takes_its_time_along() {
    let rows = rows_of(&[((1, 1, 0, 10), 7), ((1, 1, 15, 40), 8)], 1);
    assert!(rows.iter().all(|row| row.of != operation(7, 1)));
    assert_eq!(of(&rows, operation(8, 1)), (25, 5, 25));
    assert_eq!(of(&rows, LedgerOf::Capture), (35, 5, 40));
}

#[test]
fn every_kind_of_row_sums_to_the_total() {
    let requests: Vec<(Request, u32)> = (0..400u32)
        .map(|n| {
            let (client, server) = ((n % 7) as u8, (n * 5 % 3) as u8);
            let from = i64::from(n) * 3 + i64::from(n % 4) * 900;
            let request = (client, server, from, from + i64::from(n * 13 % 40));
            (request, n * 7 % 11)
        })
        .collect();
    let rows = rows_of(&requests, 100);
    let sum = |wanted: fn(&LedgerOf) -> bool| {
        let mut sum = Ledger::default();
        for row in rows.iter().filter(|row| wanted(&row.of)) {
            sum.merge(&row.ledger);
        }
        sum
    };
    let total = sum(|of| matches!(of, LedgerOf::Capture));
    assert!(total.get(Phase::Client) > 0 && total.get(Phase::Idle) > 0);
    assert_eq!(sum(|of| matches!(of, LedgerOf::Client(_))), total);
    assert_eq!(sum(|of| matches!(of, LedgerOf::Server(_))), total);
    assert_eq!(sum(|of| matches!(of, LedgerOf::Pair { .. })), total);
    assert_eq!(sum(|of| matches!(of, LedgerOf::Operation { .. })), total);
    let requests =
        |row: &LedgerRow| matches!(row.of, LedgerOf::Operation { .. }).then_some(row.requests);
    assert_eq!(rows.iter().filter_map(requests).sum::<u64>(), 400);
    assert_eq!(rows[0].requests, 400);
}

/// Room for one pair and two stations: the second server takes the first one's place.
#[test]
fn a_client_keeps_the_time_of_a_server_that_is_forgotten() {
    let rows = rows(&[(1, 1, 0, 10), (1, 2, 20, 30), (1, 2, 35, 50)], 1);
    assert_eq!(of(&rows, LedgerOf::Client(station(1))), (35, 15, 50));
    assert_eq!(of(&rows, LedgerOf::Capture), (35, 15, 50));
    assert_eq!(of(&rows, LedgerOf::Server(station(102))), (25, 15, 30));
}

/// Requests that wait for an older one of their client take up no room once that client is gone.
#[test]
fn who_leaves_gives_back_the_room_of_what_waits() {
    let mut accounts = Accounts::new(&Settings::default());
    let mut directory = Directory::new(2);
    let mut operations = Operations::new(2);
    let mut wait = |client: u8, from: i64, to: Option<i64>| {
        let mut t = transaction(1, Kind::Read, from, from + 1);
        t.client = station(client);
        let mut parties = Parties::UNKNOWN;
        directory.meet(&t, &mut parties);
        let case = Case {
            transaction: &t,
            parties: &parties,
        };
        let wait = Wait {
            case,
            began: at(from),
            anyone: false,
            repeated: None,
        };
        accounts.begins(&wait, &crate::round_trips::RoundTrips::new(16));
        if let Some(to) = to {
            accounts.ends(
                wait,
                at(to),
                Some(&outstanding(from, to)),
                (&crate::round_trips::RoundTrips::new(16), &mut operations),
            );
        }
        accounts.sums.waiting
    };
    assert_eq!(wait(1, 0, None), 0, "it stays open");
    assert_eq!((wait(1, 10, Some(20)), wait(1, 30, Some(40))), (1, 2));
    assert_eq!(wait(2, 50, Some(60)), 1, "only its own waits");
}

impl Accounts {
    /// Two waits by design more than are remembered, and three losses.
    /// A request is over with two stalls more than are remembered.
    pub(crate) fn overrun_stalls() -> Hits {
        let mut accounts = Accounts::new(&Settings::default());
        let mut operations = Operations::new(16);
        let mut directory = Directory::new(16);
        let t = transaction(1, Kind::Read, 0, 1);
        let mut parties = Parties::UNKNOWN;
        directory.meet(&t, &mut parties);
        let case = Case {
            transaction: &t,
            parties: &parties,
        };
        let wait = Wait {
            case,
            began: at(0),
            anyone: false,
            repeated: None,
        };
        let trips = crate::round_trips::RoundTrips::new(16);
        accounts.begins(&wait, &trips);
        for _ in 0..stalls::STALLS + 2 {
            accounts.stalled(&Stall {
                from: at(0),
                to: at(1),
                cause: crate::StallCause::ClosedWindow,
                server: false,
                unsure: false,
                lacked_ns: 0,
                on_link: None,
                waited: false,
                whole: false,
                lease: false,
                steady: 0,
            });
        }
        let done = Outstanding::new(at(0), [at(1); 5], Outstanding::ANSWERED);
        accounts.ends(wait, at(1), Some(&done), (&trips, &mut operations));
        accounts.hits()
    }

    /// A client waits for two more services in a minute than are remembered; what is older than that counts for nothing.
    pub(crate) fn overrun_elsewhere() -> Hits {
        let mut accounts = Accounts::new(&Settings::default());
        let mut directory = Directory::new(16);
        let t = transaction(1, Kind::Read, 0, 1);
        let mut parties = Parties::UNKNOWN;
        directory.meet(&t, &mut parties);
        accounts.client(parties.client);
        let waits = |ms| ServiceWait {
            client: t.client,
            service: t.server.with_port(53),
            from: mark(1, ms),
            to: mark(2, ms + 5),
        };
        let long = LONGEST_NS / 1_000_000;
        for n in 0..timeline::ELSEWHERE as i64 {
            accounts.waited_elsewhere(parties.client, waits(n));
        }
        for n in 0..timeline::ELSEWHERE as i64 + 2 {
            accounts.waited_elsewhere(parties.client, waits(long + 1000 + n));
        }
        accounts.hits()
    }

    pub(crate) fn overrun_waits() -> Hits {
        let mut accounts = Accounts::new(&Settings::default());
        let mut directory = Directory::new(16);
        let mut operations = Operations::new(16);
        let t = transaction(1, Kind::Wait, 0, 1);
        let mut parties = Parties::UNKNOWN;
        directory.meet(&t, &mut parties);
        let case = Case {
            transaction: &t,
            parties: &parties,
        };
        let wait = |ms| Wait {
            case,
            began: at(ms),
            anyone: false,
            repeated: None,
        };
        for n in 0..timeline::WAITS as i64 + 2 {
            accounts.waits(wait(n), &mut operations);
        }
        for n in 0..timeline::WAITS as i64 + 3 {
            accounts.lost(wait(10 * n), at(10 * n + 5), &mut operations);
        }
        accounts.hits()
    }
}
