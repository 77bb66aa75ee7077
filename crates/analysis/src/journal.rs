//! Closed transactions on their way into the statistics.
//!
//! Nearly every transaction is like the one before it in its conversation: the same operation
//! of the same client at the same server, in the same place. Each would be added to the same
//! dozen rows: those of the operation, the client, the server, the user, the share, the file,
//! the capture. So they are entered on a page, a line each, and the page as a whole goes on as
//! a [group](Group): when it is full, when its room is needed, and before anyone looks. What is
//! added up comes to the same in whichever order it is added.

use crate::Transaction;
use crate::case::Case;
use crate::efficiency::{Accesses, Payer, Spent};
use crate::parties::Parties;
use crate::table::TablePlace;
use wirewait_model::records::{Group, GroupKey, Line, LineTimes};

/// Pages that are open at once.
const PAGES: usize = 1 << PAGES_BITS;
const PAGES_BITS: u32 = 8;

/// No conversation has this number.
const SEVERAL: u64 = 0;

/// The open pages, each where its heading is looked for.
pub(crate) struct Journal {
    pages: Vec<JournalPage>,
    entered: u64,
}

/// What all transactions on a page have in common beside the [`GroupKey`].
#[derive(Clone, Copy)]
pub(crate) struct Heading {
    conversation: u64,
    pub(crate) parties: Parties,
    /// Whose account of frames they are on.
    pub(crate) payer: Payer,
    /// The operation, in the directory.
    pub(crate) at: TablePlace,
}

/// Transactions that count in the same rows.
#[derive(Default)]
pub(crate) struct JournalPage {
    of: Option<(Heading, Group)>,
    /// Transactions entered since it was posted.
    entered: u64,
    pub(crate) spent: Spent,
}

impl Journal {
    pub(crate) fn new() -> Self {
        Self {
            pages: std::iter::repeat_with(JournalPage::default)
                .take(PAGES)
                .collect(),
            entered: 0,
        }
    }

    /// Where the page of a transaction is, or would be.
    pub(crate) fn place(case: Case<'_>) -> usize {
        let t = case.transaction;
        // Neighbours lie far apart: conversations of one operation hardly ever meet.
        const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;
        let operation = u64::from(t.code)
            .wrapping_mul(8)
            .wrapping_add(t.kind as u64);
        let key = operation
            .wrapping_mul(SCATTER)
            .rotate_left(32)
            .wrapping_add(conversation(case));
        (key.wrapping_mul(SCATTER) >> (u64::BITS - PAGES_BITS)) as usize
    }

    /// What stands there.
    pub(crate) fn page(&self, place: usize) -> &JournalPage {
        &self.pages[place % PAGES]
    }

    /// All places at which something may stand.
    pub(crate) fn places() -> impl Iterator<Item = usize> {
        0..PAGES
    }

    /// What stands there and is not posted yet.
    pub(crate) fn under_way(&mut self, place: usize) -> Option<(&Heading, &mut Group, &Spent)> {
        let page = &mut self.pages[place % PAGES];
        let (heading, group) = page.of.as_mut()?;
        add_up(group);
        (page.entered > 0).then_some((&*heading, group, &page.spent))
    }

    /// Begins a page in place of one that was posted.
    pub(crate) fn begin(&mut self, place: usize, heading: Heading, key: GroupKey) {
        let page = &mut self.pages[place % PAGES];
        match &mut page.of {
            Some((before, group)) => {
                *before = heading;
                group.key = key;
            }
            None => page.of = Some((heading, Group::new(key))),
        }
    }

    /// The page was posted, and may go on.
    pub(crate) fn posted(&mut self, place: usize) {
        let page = &mut self.pages[place % PAGES];
        if let Some((_, group)) = &mut page.of {
            group.clear();
        }
        page.entered = 0;
        page.spent = Spent::default();
    }

    /// Enters a transaction on a page that has its heading; whether the page is full now.
    pub(crate) fn enter(
        &mut self,
        place: usize,
        (t, took): (&Transaction, Option<&LineTimes>),
        access: &Accesses,
    ) -> bool {
        let page = &mut self.pages[place % PAGES];
        let Some((_, group)) = &mut page.of else {
            return false;
        };
        enter(group, (t, took), self.entered);
        page.entered += 1;
        page.spent.enter(t, access);
        self.entered += 1;
        group.lines.len() >= Group::MOST
    }
}

impl Heading {
    pub(crate) fn new(case: Case<'_>, payer: Payer, at: TablePlace) -> Self {
        Self {
            conversation: conversation(case),
            parties: *case.parties,
            payer,
            at,
        }
    }

    /// What groups have in common that stand under it.
    pub(crate) fn key(&self, t: &Transaction) -> Option<GroupKey> {
        let parties = &self.parties;
        let labels = parties.named.map_or([None; 3], |named| named.labels);
        Some(GroupKey {
            client: parties.client.id(),
            server: parties.server.id(),
            pair: parties.pair.id(),
            at: self.at.id()?,
            labels: labels.map(|label| label?.id()),
            client_end: t.client,
            server_end: t.server,
            protocol: t.protocol,
            carrier: t.carrier,
            operation: t.operation,
            code: t.code,
            kind: t.kind,
            hops: t.hops,
            several: self.conversation == SEVERAL,
        })
    }
}

/// The conversation of a heading. Those of clients of whom nothing is kept, and who were never
/// answered, share theirs: a flood of them is posted page by page, too.
fn conversation(case: Case<'_>) -> u64 {
    match is_of_passer_by(case) {
        true => SEVERAL,
        false => case.transaction.conversation,
    }
}

/// Whether nothing is kept of the client, who was never answered.
pub(crate) fn is_of_passer_by(case: Case<'_>) -> bool {
    case.parties.client.is_nowhere() && case.transaction.response.is_none()
}

impl JournalPage {
    /// The heading, if this transaction belongs under it.
    pub(crate) fn heading_of(&self, case: Case<'_>, payer: Payer) -> Option<&Heading> {
        let (heading, group) = self.of.as_ref()?;
        let (t, key) = (case.transaction, &group.key);
        // Of several clients: of the same server, on the same carrier.
        let is_at = || {
            heading.parties.server == case.parties.server
                && key.server_end == t.server
                && key.carrier == t.carrier
        };
        let same = heading.conversation == conversation(case)
            && (!key.several || is_at())
            && key.code == t.code
            && key.kind == t.kind
            && (std::ptr::eq(key.operation, t.operation) || key.operation == t.operation)
            && (std::ptr::eq(key.protocol, t.protocol) || key.protocol == t.protocol)
            && key.hops == t.hops
            && heading.payer == payer
            && heading.parties.are(case.parties);
        same.then_some(heading)
    }
}

/// Adds up what its lines tell.
fn add_up(group: &mut Group) {
    (group.data_bytes, group.untimed_bytes, group.moving_ns) = (0, 0, 0);
    for line in &group.lines {
        group.data_bytes = group.data_bytes.saturating_add(line.data_bytes);
        match &line.times {
            Some(took) if line.data_bytes > 0 => group.moving_ns += i128::from(took.response_ns),
            Some(_) => {}
            None => group.untimed_bytes = group.untimed_bytes.saturating_add(line.data_bytes),
        }
    }
}

fn enter(group: &mut Group, (t, took): (&Transaction, Option<&LineTimes>), order: u64) {
    t.count_in(&mut group.counts);
    t.count_frames_in(&mut group.frames);
    t.exclude_in(&mut group.excluded);
    group.retransmitted += u64::from(t.frames.retransmitted);
    if let (Some(_), Some(request), Some(response)) = (took, t.request, t.response) {
        let (first, last) = (request.first.at, response.last.at);
        let (from, to) = group.span.unwrap_or((first, last));
        // Clocks may step back within one of them.
        let from = from.min(first).min(response.first.at);
        group.span = Some((from, to.max(last).max(request.last.at)));
    }
    group.lines.push(Line {
        number: t.number,
        order,
        request_bytes: t.request_bytes,
        asked_bytes: t.asked_bytes,
        data_bytes: t.data_bytes,
        times: took.copied(),
        outcome: t.outcome,
        flags: t.flags,
    });
}
