//! Saves frames as a pcapng file.

use super::Pick;
use super::hunt::{self, SoughtTransaction};
use super::stock::{Next, Stock};
use crate::failure::{Failure, shown};
use crate::rights;
use crate::watch::Plan;
use std::collections::BTreeSet;
use std::path::Path;
use wirewait::{Depth, Endpoint, Frame, Registry, Timestamp, Walk};
use wirewait_capture::ring::{Limits, News, Ring};
use wirewait_capture::write::Description;
use wirewait_report::words::{Grouped, Short};

/// Saves what is wanted of the stock, and says how much that was.
pub(super) fn save(
    pick: &Pick,
    path: &Path,
    stock: &Stock,
    interfaces: &[Description],
    plan: &Plan,
) -> Result<String, Failure> {
    let mut sieve = Sieve::new(pick, stock, plan)?;
    let mut ring: Option<Ring> = None;
    let mut failed = None;
    let (mut first, mut last) = (None, Timestamp::default());
    stock.each(|number, frame, taken| {
        if !taken || !sieve.wants(number, frame) {
            return sieve.next(number);
        }
        last = frame.at;
        first.get_or_insert(last);
        let open = match &mut ring {
            Some(open) => open,
            None => match Ring::new(path, APPLICATION, Limits::default(), interfaces, last) {
                Ok(begun) => ring.insert(begun),
                Err(trouble) => {
                    failed = Some(format!("{trouble}{}", rights::hint(&trouble.error)));
                    return Next::Enough;
                }
            },
        };
        open.frame(frame);
        if let Some(News::Stopped(trouble)) = open.news() {
            failed = Some(trouble.to_string());
            return Next::Enough;
        }
        sieve.next(number)
    })?;
    let saved = ring.map(|ring| ring.finish(last));
    if let Some((_, Some(trouble))) = &saved {
        failed.get_or_insert(trouble.to_string());
    }
    match (saved, failed) {
        (Some((saved, _)), Some(why)) => Err(Failure::Cannot(format!(
            "{why}; frames that were saved: {}",
            saved.frames
        ))),
        (None, Some(why)) => Err(Failure::Cannot(why)),
        (None, None) => Err(Failure::Cannot(
            "nothing was saved: none of these frames is in memory any more".to_owned(),
        )),
        (Some((saved, _)), None) => Ok(format!(
            "saved {} {} in {} to {}",
            Grouped(saved.frames),
            if saved.frames == 1 { "frame" } else { "frames" },
            Short(last.since(first.unwrap_or(last))),
            shown(path)
        )),
    }
}

const APPLICATION: &str = concat!("wirewait ", env!("CARGO_PKG_VERSION"));

/// Lets the wanted frames through.
struct Sieve<'a> {
    pick: &'a Pick,
    /// Of a transaction: its frames.
    numbers: BTreeSet<u64>,
    registry: Registry,
    walk: Walk,
}

impl<'a> Sieve<'a> {
    fn new(pick: &'a Pick, stock: &Stock, plan: &Plan) -> Result<Self, Failure> {
        let numbers = match pick {
            Pick::Transaction(t) => {
                hunt::frames_of(SoughtTransaction::of(t), stock, plan, &|| true)?
            }
            _ => BTreeSet::new(),
        };
        Ok(Self {
            pick,
            numbers,
            registry: plan.registry(),
            walk: Walk::default(),
        })
    }

    fn wants(&mut self, number: u64, frame: &Frame<'_>) -> bool {
        match self.pick {
            Pick::Transaction(_) => self.numbers.contains(&number),
            Pick::Frames(first, last) => (*first..=*last).contains(&number),
            Pick::Between(from, to) => (*from..=*to).contains(&frame.at),
            Pick::Conversation(client, server) => {
                // As deep as conversations are told apart.
                self.registry.walk(frame, Depth::Handover, &mut self.walk);
                let ends = (self.walk.facts.from, self.walk.facts.to);
                let (client, server): (Endpoint, Endpoint) = (*client, *server);
                ends == (client, server) || ends == (server, client)
            }
        }
    }

    /// Whether there may be more behind this frame.
    fn next(&self, number: u64) -> Next {
        let last = self.numbers.last();
        match self.pick {
            Pick::Frames(_, last) if number >= *last => Next::Enough,
            Pick::Transaction(_) if last.is_none_or(|last| number >= *last) => Next::Enough,
            _ => Next::More,
        }
    }
}
