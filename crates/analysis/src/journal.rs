//! Closed transactions on their way into the statistics.
//!
//! Nearly every transaction is like the one before it in its conversation: the same operation
//! of the same client at the same server, in the same place. Each would be added to the same
//! dozen rows: those of the operation, the client, the server, the user, the share, the file,
//! the capture. So they are entered on a page, a line each, and the page as a whole is posted
//! to those rows: when it is full, when its room is needed, and before anyone looks. What is
//! added up comes to the same in whichever order it is added.

use crate::efficiency::{Accesses, Payer, Spent};
use crate::figures::{clean_turnaround, timed};
use crate::parties::Parties;
use crate::table::Place;
use crate::world::Case;
use crate::{Counts, FrameSums, Transaction};
use wirewait_model::distribution::Batch;
use wirewait_wire::word::Name;
use wirewait_wire::{Endpoint, Kind, Operation, Timestamp};

/// Pages that are open at once.
const PAGES: usize = 1 << PAGES_BITS;
const PAGES_BITS: u32 = 8;
/// Lines of a page: transactions with a response time. Others are only counted.
const LINES: usize = Batch::MOST;

/// No conversation has this number.
const SEVERAL: u64 = 0;

/// The open pages, each where its heading is looked for.
pub(crate) struct Journal {
    pages: Vec<Page>,
    entered: u64,
}

/// What all transactions on a page have in common.
#[derive(Clone, Copy)]
pub(crate) struct Heading {
    conversation: u64,
    pub(crate) protocol: Name,
    pub(crate) carrier: Name,
    pub(crate) server: Endpoint,
    pub(crate) client: Endpoint,
    pub(crate) operation: &'static Operation,
    pub(crate) code: u32,
    pub(crate) kind: Kind,
    pub(crate) hops: Option<u8>,
    pub(crate) parties: Parties,
    /// Whose account of frames they are on.
    pub(crate) payer: Payer,
    /// The row of the operation.
    pub(crate) row: Place,
    /// The curve of response times over sizes, where they count in one.
    pub(crate) curve: Option<Place>,
}

/// What one transaction took.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    /// Its number, and how many were entered before.
    pub(crate) number: u64,
    pub(crate) order: u64,
    pub(crate) asked_bytes: u64,
    pub(crate) data_bytes: u64,
    pub(crate) first_frame: u64,
    pub(crate) last_frame: u64,
    pub(crate) response_ns: i64,
    pub(crate) turnaround_ns: Option<i64>,
    pub(crate) request_transfer_ns: i64,
    pub(crate) response_transfer_ns: i64,
}

/// Transactions that count in the same rows.
#[derive(Default)]
pub(crate) struct Page {
    heading: Option<Heading>,
    /// Transactions entered since it was posted.
    entered: u64,
    pub(crate) lines: Vec<Line>,
    pub(crate) counts: Counts,
    pub(crate) frames: FrameSums,
    pub(crate) retransmitted: u64,
    pub(crate) data_bytes: u64,
    /// Response time of those that moved data.
    pub(crate) moving_ns: i128,
    /// From the first frame of those with a line to the last.
    pub(crate) span: Option<(Timestamp, Timestamp)>,
    pub(crate) spent: Spent,
}

/// The times on a page, as they are posted.
#[derive(Default)]
pub(crate) struct Columns {
    pub(crate) response_time: Batch,
    pub(crate) turnaround: Batch,
    pub(crate) request_transfer: Batch,
    pub(crate) response_transfer: Batch,
}

impl Journal {
    pub(crate) fn new() -> Self {
        Self {
            pages: std::iter::repeat_with(Page::default).take(PAGES).collect(),
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
    pub(crate) fn page(&self, place: usize) -> &Page {
        &self.pages[place % PAGES]
    }

    /// All places at which something may stand.
    pub(crate) fn places() -> impl Iterator<Item = usize> {
        0..PAGES
    }

    /// What stands there and is not posted yet.
    pub(crate) fn under_way(&self, place: usize) -> Option<(&Heading, &Page)> {
        let page = &self.pages[place % PAGES];
        let heading = page.heading.as_ref()?;
        (page.entered > 0).then_some((heading, page))
    }

    /// Begins a page in place of one that was posted.
    pub(crate) fn begin(&mut self, place: usize, heading: Heading) {
        let page = &mut self.pages[place % PAGES];
        page.heading = Some(heading);
    }

    /// The page was posted, and may go on.
    pub(crate) fn posted(&mut self, place: usize) {
        let page = &mut self.pages[place % PAGES];
        let mut lines = std::mem::take(&mut page.lines);
        lines.clear();
        *page = Page {
            heading: page.heading,
            lines,
            ..Page::default()
        };
    }

    /// Enters a transaction on a page that has its heading; whether the page is full now.
    pub(crate) fn enter(&mut self, place: usize, t: &Transaction, access: &Accesses) -> bool {
        let page = &mut self.pages[place % PAGES];
        page.enter(t, self.entered);
        page.spent.enter(t, access);
        self.entered += 1;
        page.lines.len() >= LINES
    }
}

impl Columns {
    /// Those of this page.
    pub(crate) fn fill(&mut self, page: &Page) {
        let Self {
            response_time,
            turnaround,
            request_transfer,
            response_transfer,
        } = self;
        let lines = || page.lines.iter();
        response_time.fill(lines().map(|line| line.response_ns));
        turnaround.fill(lines().filter_map(|line| line.turnaround_ns));
        request_transfer.fill(lines().map(|line| line.request_transfer_ns));
        response_transfer.fill(lines().map(|line| line.response_transfer_ns));
    }
}

impl Heading {
    pub(crate) fn new(case: Case<'_>, payer: Payer, row: Place, curve: Option<Place>) -> Self {
        let t = case.transaction;
        Self {
            conversation: conversation(case),
            protocol: t.protocol,
            carrier: t.carrier,
            server: t.server,
            client: t.client,
            operation: t.operation,
            code: t.code,
            kind: t.kind,
            hops: t.hops,
            parties: *case.parties,
            payer,
            row,
            curve,
        }
    }

    /// Whether transactions of several clients stand under it, of whom nothing is kept.
    pub(crate) fn of_several(&self) -> bool {
        self.conversation == SEVERAL
    }

    /// Whether it is of the same server, on the same carrier.
    fn is_at(&self, case: Case<'_>) -> bool {
        let t = case.transaction;
        self.parties.server == case.parties.server
            && self.server == t.server
            && self.carrier == t.carrier
    }

    /// The same with these parties.
    pub(crate) fn among(self, parties: Parties) -> Self {
        Self { parties, ..self }
    }

    /// Whether a transaction counts in the same rows.
    fn is_of(&self, case: Case<'_>, payer: Payer) -> bool {
        let t = case.transaction;
        self.conversation == conversation(case)
            && (!self.of_several() || self.is_at(case))
            && self.code == t.code
            && self.kind == t.kind
            && (std::ptr::eq(self.operation, t.operation) || self.operation == t.operation)
            && (std::ptr::eq(self.protocol, t.protocol) || self.protocol == t.protocol)
            && self.hops == t.hops
            && self.payer == payer
            && self.parties.are(case.parties)
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
    case.parties.client == Place::NOWHERE && case.transaction.response.is_none()
}

impl Page {
    /// The heading, if this transaction belongs under it.
    pub(crate) fn heading_of(&self, case: Case<'_>, payer: Payer) -> Option<&Heading> {
        let heading = self.heading.as_ref()?;
        heading.is_of(case, payer).then_some(heading)
    }

    fn enter(&mut self, t: &Transaction, order: u64) {
        self.entered += 1;
        self.counts.add(t);
        self.frames.add(t);
        self.retransmitted += u64::from(t.frames.retransmitted);
        self.data_bytes = self.data_bytes.saturating_add(t.data_bytes);
        let (Some(response_ns), Some(times)) = (timed(t), t.times()) else {
            return;
        };
        let (Some(request), Some(response)) = (t.request, t.response) else {
            return;
        };
        if t.data_bytes > 0 {
            self.moving_ns += i128::from(response_ns);
        }
        let (first, last) = (request.first.at, response.last.at);
        let (from, to) = self.span.unwrap_or((first, last));
        // Clocks may step back within one of them.
        let from = from.min(first).min(response.first.at);
        self.span = Some((from, to.max(last).max(request.last.at)));
        self.lines.push(Line {
            number: t.number,
            order,
            asked_bytes: t.asked_bytes,
            data_bytes: t.data_bytes,
            first_frame: request.first.frame,
            last_frame: response.last.frame,
            response_ns,
            turnaround_ns: clean_turnaround(t),
            request_transfer_ns: times.request_transfer,
            response_transfer_ns: times.response_transfer,
        });
    }
}
