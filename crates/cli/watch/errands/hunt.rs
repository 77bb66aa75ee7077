//! Finds the frames of a transaction that is over: the analysis is done once more, over all of
//! the capture or its latest part, and says what each frame did.

use super::stock::{Next, Stock};
use crate::failure::Failure;
use crate::watch::Plan;
use std::collections::{BTreeSet, HashMap};
use wirewait::{Analyzer, Assembled, Deed, Endpoint, Sink, Transaction};

/// The numbers of the frames of a transaction, as far as they are in stock.
pub(super) fn frames_of(
    wanted: SoughtTransaction,
    stock: &Stock,
    plan: &Plan,
    is_wanted: &dyn Fn() -> bool,
) -> Result<BTreeSet<u64>, Failure> {
    let mut hunt = Hunt {
        wanted,
        begun: HashMap::new(),
        found: None,
    };
    let mut analyzer = Analyzer::new(plan.registry(), plan.settings).observed();
    let mut last = 0;
    stock.each(|number, frame, taken| {
        // Numbers are those of the capture, wherever the stock begins.
        analyzer.skip_all(number.saturating_sub(last + 1));
        last = number;
        match taken {
            true => analyzer.frame(frame, &mut hunt),
            false => analyzer.skip(),
        }
        match hunt.found.is_some() || !is_wanted() {
            true => Next::Enough,
            false => Next::More,
        }
    })?;
    if hunt.found.is_none() {
        analyzer.finish(&mut hunt);
    }
    Ok(hunt.found.unwrap_or_default())
}

/// By what a transaction is known again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SoughtTransaction {
    /// By itself: its number may be another one where the analysis began elsewhere.
    Known {
        client: Endpoint,
        server: Endpoint,
        code: u32,
        /// The first frame, and the last of the request or, without one, of the response.
        frames: Option<(u64, u64)>,
    },
    /// By its number, where the analysis begins with the capture.
    Number(u64),
}

impl SoughtTransaction {
    pub(super) fn of(t: &Transaction) -> Self {
        let extent = t.request.or(t.response);
        Self::Known {
            client: t.client,
            server: t.server,
            code: t.code,
            frames: extent.map(|extent| (extent.first.frame, extent.last.frame)),
        }
    }

    fn is(&self, t: &Transaction) -> bool {
        match self {
            Self::Number(number) => t.number == *number,
            known @ Self::Known { .. } => Self::of(t) == *known,
        }
    }
}

struct Hunt {
    wanted: SoughtTransaction,
    /// Frames of the transactions that are not over.
    begun: HashMap<u64, BTreeSet<u64>>,
    found: Option<BTreeSet<u64>>,
}

impl Hunt {
    fn note(&mut self, frame: u64, transaction: u64) {
        // Frames have numbers from 1 on; of what lies before the stock nothing is known.
        if frame > 0 {
            self.begun.entry(transaction).or_default().insert(frame);
        }
    }
}

impl Sink for Hunt {
    fn transaction(&mut self, transaction: &Transaction) {
        let frames = self.begun.remove(&transaction.number).unwrap_or_default();
        if self.found.is_none() && self.wanted.is(transaction) {
            self.found = Some(frames);
        }
    }

    fn assembled(&mut self, message: &Assembled<'_>) {
        if let Some((number, _)) = message.deed {
            for stretch in message.stretches {
                self.note(stretch.frame, number);
            }
        }
    }

    fn did(&mut self, frame: u64, transaction: u64, _: Deed) {
        self.note(frame, transaction);
    }
}
