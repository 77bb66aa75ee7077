//! What half-open connections take from those who are answered, and what waits outside.

use super::wire::Wire;
use super::{sum, written};
use wirewait::{Counts, Settings, Snapshot};
use wirewait_analysis::LedgerOf;

/// A server that answers 300 requests of 30 clients in a second, in which as many requests come
/// from ever new stations that nobody answers.
fn flood(half_open: u32) -> Wire {
    let mut wire = Wire::default();
    let each = half_open / 300;
    let mut stranger = 0x10_0000;
    for n in 0..300 {
        let mid = 1 + (n / 30) as u16;
        wire.ask(1 + n % 30, mid);
        for _ in 0..each {
            stranger += 1;
            wire.ask(stranger, 1);
        }
        wire.answer(1 + n % 30, mid);
        let taken = i64::from(each + 2) * 1_000;
        wire.pause(1_000_000_000 / 300 - taken);
    }
    wire
}

/// What was answered, as the row of the server's operation and those of its clients say it.
fn answered(snapshot: &Snapshot) -> (Counts, u64) {
    let counts = sum(snapshot);
    let clients = snapshot.stations.iter();
    (counts, clients.map(|row| row.counts.answered).sum())
}

#[test]
fn a_flood_takes_nothing_from_those_who_are_answered() {
    let (counts, of_clients) = answered(&flood(40_000).analysed(Settings::default()));
    assert_eq!(counts.answered, 300, "{counts:?}");
    assert_eq!(of_clients, 300);
    assert_eq!(counts.unanswered, 0, "{counts:?}");
}

#[test]
fn what_a_flood_takes_is_said_on_the_row() {
    let mut settings = Settings::default();
    settings.conversations = 16;
    settings.rows = 16;
    settings.open_requests = 16;
    let found = flood(4_000).analysed(settings);
    let (counts, _) = answered(&found);
    assert!(counts.answered < 300, "{counts:?}");
    assert!(counts.lost_to_limits() > 0, "{counts:?}");
    let seen = counts.requests + counts.responses_given_up + counts.forgotten;
    assert!(seen >= 300, "{counts:?}");
    let (plain, _) = written(&found);
    assert!(plain.contains("lost to limits"), "{plain}");
}

/// What is counted for the server because its clients are gone stands in its row.
#[test]
fn a_flood_makes_no_second_row_of_a_server() {
    let mut settings = Settings::default();
    settings.rows = 16;
    let found = flood(4_000).analysed(settings);
    let servers: Vec<_> = found.efficiency.rows.iter().map(|row| row.server).collect();
    assert_eq!(servers.len(), 1, "{servers:?}");
    assert!(
        servers.iter().flatten().all(|server| server.port.is_none()),
        "{servers:?}"
    );
}

/// Rows of the stations and ledgers of the thirty clients that are answered.
fn of_those_at_work(snapshot: &Snapshot) -> Vec<String> {
    let at_work = |client: &dyn std::fmt::Display| client.to_string().starts_with("10.0.0.");
    let stations = snapshot.stations.iter().filter(|row| at_work(&row.client));
    let ledgers = snapshot.ledgers.iter().filter(|row| match &row.of {
        LedgerOf::Client(client) | LedgerOf::Pair { client, .. } => at_work(client),
        _ => false,
    });
    let mut told: Vec<String> = stations
        .map(|row| format!("{row:?}"))
        .chain(ledgers.map(|row| format!("{row:?}")))
        .collect();
    told.sort();
    told
}

/// Those who come while strangers crowd all tables are entered when they are answered, as if they
/// had been from the beginning.
#[test]
fn clients_answered_in_a_flood_have_the_rows_of_one_without_it() {
    let flooded = flood(40_000);
    let mut alone = Wire::default();
    let strangers = flooded.frames.iter().filter(|(_, frame)| {
        // The addresses of the IPv4 header: those at work are 10.0.0.x.
        let from_work = |at: usize| frame[at..at + 3] == [10, 0, 0];
        from_work(26) || from_work(30)
    });
    alone.frames = strangers.cloned().collect();
    assert_eq!(alone.frames.len(), 600);
    let (flooded, alone) = (
        flooded.analysed(Settings::default()),
        alone.analysed(Settings::default()),
    );
    let told = of_those_at_work(&alone);
    assert!(told.len() >= 60, "{}", told.len());
    assert_eq!(of_those_at_work(&flooded), told);
    // Nobody is lost: the row of the server has every request.
    assert_eq!(sum(&flooded).requests, 300 + 300 * 133);
}

/// Sixty-four strangers take all conversations there are; then a client asks, `more` strangers
/// after it, and it is answered.
fn asked_in_a_crowd(more: u32) -> Wire {
    let mut wire = Wire::default();
    for stranger in 0..64 {
        wire.ask(0x10_0000 + stranger, 1);
    }
    wire.ask(1, 7);
    for stranger in 64..64 + more {
        wire.ask(0x10_0000 + stranger, 1);
    }
    wire.pause(5_000_000);
    wire.answer(1, 7);
    wire
}

/// While all conversations are strangers', half as many wait for a second frame: its request is
/// the first thing that a conversation knows which begins with the response.
#[test]
fn a_request_waits_outside_until_it_is_answered() {
    let mut settings = Settings::default();
    settings.conversations = 64;
    let of_client = |more: u32, settings: Settings| {
        let found = asked_in_a_crowd(more).analysed(settings);
        assert_eq!(sum(&found).requests, u64::from(64 + more) + 1);
        let rows = found.stations.iter();
        let row = rows
            .clone()
            .find(|row| row.client.to_string() == "10.0.0.1");
        let row = row.expect("who is answered has a row");
        (format!("{row:?}"), row.counts.answered)
    };
    // Thirty-one others find room beside it.
    for more in [0, 1, 31] {
        let roomy = of_client(more, Settings::default());
        assert_eq!(roomy.1, 1);
        assert_eq!(of_client(more, settings), roomy, "{more} more");
    }
}

/// Who is pushed out has its request given up, and its response says so.
#[test]
fn a_request_that_was_pushed_out_is_given_up() {
    let mut settings = Settings::default();
    settings.conversations = 64;
    let found = asked_in_a_crowd(40).analysed(settings);
    let counts = sum(&found);
    assert_eq!((counts.requests, counts.answered), (105, 0), "{counts:?}");
    // Nine had no room among the thirty-two who wait, the client among them; with its
    // response a conversation began, in the place of a stranger's.
    assert_eq!(counts.given_up, 10, "{counts:?}");
    assert_eq!(counts.responses_given_up, 1, "{counts:?}");
    assert_eq!(found.capture.evicted, 10);
}
