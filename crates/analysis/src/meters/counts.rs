//! What is counted of requests: by station, and by share.

use super::kept::Change;
use super::meter;
use crate::Transaction;
use wirewait_wire::Kind;

meter! {
    /// One station as client or as server of one protocol. "In" is what it received, "out"
    /// what it sent. A message is counted when it is complete.
    RequestMeter {
        /// Bytes of messages received, framing headers included.
        bytes_in,
        /// Bytes of messages sent.
        bytes_out,
        /// Messages received; an answer in parts is one.
        messages_in,
        /// Messages sent.
        messages_out,
        /// Requests.
        requests,
        /// Requests that are not answered yet.
        outstanding,
        /// Requests given up without an answer.
        unanswered,
        /// Reads.
        reads,
        /// File data read, bytes.
        read_bytes,
        /// Of that, what page faults wanted.
        paging_read_bytes,
        /// Reads of less than a quarter of the agreed buffer.
        reads_small,
        /// Reads of more than twice the agreed buffer.
        reads_large,
        /// Reads that did not begin where the last one on the handle ended.
        reads_random,
        /// Raw reads that were answered with nothing.
        reads_denied,
        /// Writes.
        writes,
        /// File data written, bytes.
        written_bytes,
        /// Of that, changed pages of memory.
        paging_written_bytes,
        /// Writes of less than a quarter of the agreed buffer.
        writes_small,
        /// Writes of more than twice the agreed buffer.
        writes_large,
        /// Writes that did not begin where the last one on the handle ended.
        writes_random,
        /// Requests that neither read nor write.
        others,
        /// Sessions begun in this capture and not ended, by themselves or with their connection.
        sessions,
        /// Sessions ended in good order.
        logged_off,
        /// Files opened.
        opened,
        /// Files opened in this capture and not closed, by themselves or with their connection.
        open,
        /// Searches begun and not ended likewise.
        searches,
        /// Sum of response times of reads, ns.
        read_ns,
        /// Sum of response times of writes, ns.
        write_ns,
        /// Sum of response times of all requests but those that wait by design, ns.
        all_ns,
    }
}

meter! {
    /// One client on one share.
    ShareMeter {
        /// Reads.
        reads,
        /// File data read, bytes.
        read_bytes,
        /// From request to answer, of reads, ns.
        read_ns,
        /// Writes.
        writes,
        /// File data written, bytes.
        written_bytes,
        /// From request to answer, of writes, ns.
        write_ns,
        /// Requests that neither read nor write.
        others,
        /// Bytes of messages to the server.
        bytes_up,
        /// Bytes of messages from the server.
        bytes_down,
        /// Requests that are not answered yet.
        outstanding,
        /// Reads and writes that are not answered yet.
        data_outstanding,
        /// Files opened in this capture and not closed, by themselves or with their connection.
        open,
        /// Connections to the share made in this capture and not ended likewise.
        attached,
    }
}

/// What is asked, for both ends.
pub(super) struct Question {
    /// Bytes and messages that are not counted yet.
    pub(super) bytes: u64,
    pub(super) messages: u64,
    pub(super) transfer: Option<Transfer>,
    pub(super) small: u64,
    pub(super) large: u64,
    pub(super) random: u64,
}

/// What is answered, likewise.
pub(super) struct Answer<'a> {
    pub(super) t: &'a Transaction,
    pub(super) transfer: Option<Transfer>,
    /// What was asked was done.
    pub(super) done: bool,
    pub(super) ns: u64,
    /// Of the data, what page faults wanted.
    pub(super) paged: u64,
    pub(super) denied: u64,
    pub(super) change: Change,
}

impl RequestMeter {
    #[inline]
    pub(super) fn asked(&mut self, question: &Question) {
        self.requests += 1;
        self.outstanding += 1;
        match question.transfer {
            Some(Transfer::Read) => {
                self.reads += 1;
                self.reads_small += question.small;
                self.reads_large += question.large;
                self.reads_random += question.random;
            }
            Some(Transfer::Write) => {
                self.writes += 1;
                self.writes_small += question.small;
                self.writes_large += question.large;
                self.writes_random += question.random;
            }
            None => self.others += 1,
        }
    }

    #[inline]
    pub(super) fn answered(&mut self, answer: &Answer<'_>) {
        let t = answer.t;
        let add = |sum: &mut u64, n: u64| *sum = sum.saturating_add(n);
        self.outstanding = self.outstanding.saturating_sub(1);
        match answer.transfer {
            Some(Transfer::Read) => {
                add(&mut self.read_bytes, t.data_bytes);
                add(&mut self.paging_read_bytes, answer.paged);
                self.reads_denied += answer.denied;
                add(&mut self.read_ns, answer.ns);
            }
            Some(Transfer::Write) => {
                if answer.done {
                    add(&mut self.written_bytes, t.data_bytes);
                    add(&mut self.paging_written_bytes, answer.paged);
                }
                add(&mut self.write_ns, answer.ns);
            }
            None => {}
        }
        if t.kind != Kind::Wait {
            add(&mut self.all_ns, answer.ns);
        }
        self.changed(&answer.change);
    }

    pub(super) fn changed(&mut self, change: &Change) {
        self.logged_off += change.logged_off;
        self.opened += change.opened;
        self.sessions = (self.sessions + change.logs_on).saturating_sub(change.logs_off);
        self.open = (self.open + change.opens).saturating_sub(change.closes);
        self.searches = (self.searches + change.searches).saturating_sub(change.ends_search);
    }
}

#[derive(Clone, Copy)]
pub(super) enum Transfer {
    Read,
    Write,
}

pub(super) fn transfer(t: &Transaction) -> Option<Transfer> {
    match t.work() {
        Kind::Read => Some(Transfer::Read),
        Kind::Write => Some(Transfer::Write),
        _ => None,
    }
}
