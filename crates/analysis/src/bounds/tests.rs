use super::*;
use crate::account::Accounts;
use crate::clock::Clock;
use crate::efficiency::Spending;
use crate::meters::Meters;
use crate::names::KnownNames;
use crate::round_trips::TripQuestions;
use crate::routing::Routing;
use crate::segment::Segments;
use crate::summary::Conversations;
use crate::symptoms::Watch;
use crate::{Analyzer, Settings};
use wirewait_wire::{
    Claim, Dissector, Endpoint, Exchange, Facts, Fault, Frame, Id, Input, Kind, LINK, Layer,
    LinkType, Next, Operation, Part, Parts, Registry, Role, Side, Table, Timestamp,
};

/// What its owner counts when more comes than it has room for, and how often it is hit by that.
fn overrun(bound: Bound) -> (Hits, u64) {
    match bound {
        Bound::AccountQueue => (Accounts::overrun_queue(), 3),
        Bound::AccountWaits => (Accounts::overrun_waits(), 2 + 3),
        Bound::Stalls => (Accounts::overrun_stalls(), 2),
        // What statistics lose is tested where they are.
        Bound::LoadStretches | Bound::LoadWaiting => {
            let mut hits = Hits::default();
            hits.hit(bound);
            (hits, 1)
        }
        Bound::Routes => (Routing::overrun_routes(), 2),
        Bound::Interfaces => (Segments::overrun(), 2),
        Bound::Ports => (Meters::overrun(), 2),
        Bound::Steps => (Clock::overrun(), 2),
        Bound::Pieces => (pieces(), 1),
        Bound::Resent => (Watch::overrun_resent(), 2),
        Bound::Waiting => (Watch::overrun_waiting(), 2),
        Bound::Lookups => (Watch::overrun_lookups(), 2),
        Bound::Breaks => (Watch::overrun_breaks(), 1),
        Bound::LateAcks => (Watch::overrun_late(), 2),
        Bound::Ranges => (Watch::overrun_ranges(), 2),
        Bound::Stretches => (Spending::overrun(), 2),
        Bound::Questions => (TripQuestions::overrun(), 2),
        Bound::Openers => (Analyzer::overrun_openers(), 1),
        Bound::Services => (Accounts::overrun_elsewhere(), 2),
        Bound::Calls => (Analyzer::overrun_calls(), 1),
        Bound::Asking => (Analyzer::overrun_asking(), 1),
        Bound::Ended => (Analyzer::overrun_ended(), 1),
        Bound::Dialects => (KnownNames::overrun(), 2),
        Bound::Sightings => {
            let mut hits = Hits::default();
            hits.add(bound, Conversations::overrun());
            (hits, 2)
        }
    }
}

#[test]
fn each_bound_that_is_overrun_counts_what_it_lost() {
    for (n, (bound, name, ..)) in BOUNDS.iter().enumerate() {
        assert_eq!(*bound as usize, n, "{name} stands in its order");
        assert_eq!(bound.name(), *name);
        let (hits, times) = overrun(*bound);
        assert_eq!(hits.named(name), times, "{name}");
        let others = BOUNDS.iter().filter(|(other, ..)| other != bound);
        let others: Vec<_> = others
            .filter(|(_, other, ..)| hits.named(other) > 0)
            .collect();
        assert!(others.is_empty(), "{name}: {others:?}");
    }
}

/// The page on limits, or the one on fixed bounds, names each of them.
#[test]
fn the_pages_have_the_mark_of_each_bound() {
    let page = concat!(
        include_str!("../../../../docs/limits.md"),
        include_str!("../../../../docs/bounds.md"),
    );
    let rows: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with("| `"))
        .collect();
    for (_, name, _, grade) in &BOUNDS {
        let mark = format!("`{name}`");
        let mut marked = rows
            .iter()
            .filter(|row| row.contains(&format!("Counted as {mark}")));
        let row = marked.next().unwrap_or_else(|| panic!("no row has {mark}"));
        let detail = row.contains(&format!("Counted as {mark}, a detail"));
        assert_eq!(detail, *grade == DETAIL, "{row}");
    }
}

/// Hits of all who count are one number in the end, and none is lost on the way.
#[test]
fn hits_of_several_owners_add_up() {
    let mut one = Hits::default();
    one.hit(Bound::Ports);
    one.add(Bound::Sightings, u64::MAX);
    let sum = one.and(&one);
    assert_eq!((sum.named("ports"), sum.named("sightings")), (2, u64::MAX));
    assert_eq!((sum.named("ranges"), sum.named("rows_evicted")), (0, 0));
}

const MESSAGE: Table = Table::new("pieces.message");

static LINK_LAYER: Dissector = Dissector {
    name: "pieces_link",
    claims: &[Claim::Exact(LINK.key(147))],
    carrier: Some("pieces_link"),
    dissect: |input, facts| {
        facts.from = Endpoint::mac([2, 0, 0, 0, 0, 1]);
        facts.to = Endpoint::mac([2, 0, 0, 0, 0, 9]);
        Ok(Layer {
            header: 0,
            end: input.length,
            next: Next::one(MESSAGE.any()),
        })
    },
    ..Dissector::PLAIN
};

static PIECES: Dissector = Dissector {
    name: "pieces",
    claims: &[Claim::Exact(MESSAGE.any())],
    dissect: whole,
    exchange: Some(exchange),
    ..Dissector::PLAIN
};

fn whole(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    Ok(Layer {
        header: 0,
        end: input.length,
        next: Next::NONE,
    })
}

/// A part of 10 bytes of a request of 4,000, at the first byte times 20.
fn exchange(input: Input<'_>) -> Result<Part, Fault> {
    static WRITE: Operation = Operation::new("WRITE", Kind::Write, false);
    let at = u32::from(input.bytes[0]) * 20;
    let mut x = Exchange::new(Role::Request, Side::Client, &WRITE, 1);
    x.id = Some(Id::new(1, 1));
    x.parts = Parts::Ranged {
        at,
        length: 10,
        of: 4000,
    };
    Ok(Part {
        exchange: Some(x),
        length: input.length,
    })
}

/// A request comes in three pieces more than are kept apart.
fn pieces() -> Hits {
    static ALL: [&Dissector; 2] = [&LINK_LAYER, &PIECES];
    let mut analyzer = Analyzer::new(Registry::new(&ALL).unwrap(), Settings::default());
    for n in 0..32 + 3 {
        let frame = Frame {
            at: Timestamp::from_nanos(i64::from(n) * 1_000_000),
            link: LinkType(147),
            interface: 0,
            wire_len: 60,
            bytes: &[n],
        };
        analyzer.frame(&frame, &mut ());
    }
    let mut hits = Hits::default();
    for reason in analyzer.snapshot(crate::Figures::default()).capture.reasons {
        let row = BOUNDS.iter().find(|(_, name, ..)| *name == reason.name);
        if let Some((bound, ..)) = row {
            assert_eq!(reason.grade, FIGURE);
            hits.add(*bound, reason.count);
        }
    }
    hits
}
