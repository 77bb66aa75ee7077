//! What stations asked and answered.

use super::counts::{Answer, Question, RequestMeter, ShareMeter, Transfer, transfer};
use super::kept::{Change, Kept};
use super::{Readings, row, sorted};
use crate::case::Case;
use crate::column::Column;
use crate::parties::Directory;
use crate::position::Position;
use crate::table::Table;
use crate::world::Growth;
use crate::{Flags, Outcome, Transaction};
use std::sync::Arc;
use wirewait_wire::word::Name;
use wirewait_wire::{Effects, Endpoint, Kind};

/// On which side of requests a station stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// It asks.
    Client,
    /// It is asked.
    Server,
}

/// What was being done when something went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Task {
    /// A name was called.
    Call,
    /// A session was set up.
    LogOn,
    /// A file was opened.
    Open,
    /// Data was read.
    Read,
    /// Data was written.
    Write,
    /// Anything else.
    Other,
}

/// Whose errors, of which kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct ErrorKey {
    /// The server's station.
    pub server: Endpoint,
    /// The client's station.
    pub client: Endpoint,
    /// The protocol.
    pub protocol: Name,
    /// What was being done.
    pub task: Task,
    /// The specification's name of the status; empty if it has none.
    pub status: Name,
    /// Not a normal end of what was asked, such as the end of a list.
    pub failure: bool,
}

/// Client, server and the name of the share.
pub type ShareKey = (Endpoint, Endpoint, Arc<str>);

/// Of one station, by protocol: there are few.
type MeterRow = Vec<(Name, RequestMeter)>;

pub(super) struct Requests {
    /// As client, and as server.
    rows: [Column<MeterRow>; 2],
    errors: Table<ErrorKey, u64>,
    dialects: Table<(Endpoint, Arc<str>), u64>,
    shares: Column<ShareMeter>,
    /// What was agreed on, by conversation.
    buffers: Table<u64, u32>,
    /// What the server keeps, by conversation.
    kept: Table<u64, Kept>,
    /// Of reads and of writes.
    handles: Column<[Position; 2]>,
}

impl Requests {
    pub(super) fn new(rows: usize) -> Self {
        Self {
            rows: [Column::new(), Column::new()],
            errors: Table::new(rows),
            dialects: Table::new(rows),
            shares: Column::new(),
            buffers: Table::new(rows),
            kept: Table::new(rows),
            handles: Column::new(),
        }
    }

    /// A request is complete.
    pub(super) fn asked(&mut self, case: Case<'_>, evicted: &mut u64) {
        let t = case.transaction;
        if is_break(t) {
            // The server asks, and nobody but its other clients waits for the answer.
            self.sent_by_server(case, t.request_bytes, 1);
            return;
        }
        let question = self.asked_by_client(case, evicted);
        let [_, server] = self.ends(case);
        server.bytes_in = server.bytes_in.saturating_add(question.bytes);
        server.messages_in += question.messages;
        server.asked(&question);
    }

    /// The client's side of a request, and what was asked.
    pub(super) fn asked_by_client(&mut self, case: Case<'_>, evicted: &mut u64) -> Question {
        let t = case.transaction;
        let kept = self.kept(case, evicted);
        let told = t
            .request
            .is_some_and(|asked| kept.gave_back_in(asked.last.frame));
        let transfer = transfer(t);
        let random = self.is_random(case, transfer);
        let buffer = transfer.and_then(|_| self.buffer(t));
        let asked = t.asked_bytes;
        let small = buffer.is_some_and(|buffer| asked * 4 < buffer);
        let large = buffer.is_some_and(|buffer| asked > buffer * 2);
        let question = Question {
            // What gives an oplock back was counted as the answer that it is.
            bytes: if told { 0 } else { t.request_bytes },
            messages: u64::from(!told),
            transfer,
            small: u64::from(small),
            large: u64::from(large),
            random: u64::from(random),
        };
        let [client, _] = self.ends(case);
        client.bytes_out = client.bytes_out.saturating_add(question.bytes);
        client.messages_out += question.messages;
        client.asked(&question);
        if let Some(share) = self.share(case) {
            share.bytes_up = share.bytes_up.saturating_add(question.bytes);
            share.outstanding += 1;
            share.data_outstanding += u64::from(transfer.is_some());
            match transfer {
                Some(Transfer::Read) => share.reads += 1,
                Some(Transfer::Write) => share.writes += 1,
                None => share.others += 1,
            }
        }
        question
    }

    pub(super) fn answered(&mut self, case: Case<'_>, evicted: &mut u64) {
        let t = case.transaction;
        let transfer = transfer(t);
        let asked = t.outcome != Outcome::OrphanResponse;
        if is_break(t) {
            self.gave_back(case, evicted);
            return;
        }
        let done = t.ok() != Some(false);
        let effect = |effect| done && t.effects.has(effect);
        let pages = t.effects.has(Effects::PAGES);
        let ns = t.response_time_ns().map_or(0, i64::unsigned_abs);
        let denied = t.flags.contains(Flags::RAW) && t.data_bytes == 0 && t.asked_bytes > 0;
        let bytes = t.response_bytes.saturating_add(t.interim_bytes);
        self.sent_by_server(case, bytes, 1 + u64::from(t.interims));
        if !asked {
            return;
        }
        // Most do nothing to what the server keeps.
        let keeps = t.effects != Effects::NONE || matches!(t.kind, Kind::Open | Kind::Close);
        let change = match keeps {
            true => self.kept(case, evicted).change(case, done),
            false => Change::default(),
        };
        let answer = Answer {
            t,
            transfer,
            done,
            ns,
            paged: if pages { t.data_bytes } else { 0 },
            denied: u64::from(denied),
            change,
        };
        for end in self.ends(case) {
            end.answered(&answer);
        }
        if let Some(transfer) = transfer {
            self.got(case, transfer);
        }
        if let (Kind::Close, Some(handle)) = (t.kind, case.parties.handle()) {
            self.handles.take(handle);
        }
        if let (true, Some(buffer)) = (done, t.buffer) {
            *row(&mut self.buffers, &t.conversation, evicted) = buffer;
        }
        if effect(Effects::NEGOTIATES)
            && let Some(dialect) = t.place.as_ref().and_then(|place| place.dialect.clone())
        {
            *row(&mut self.dialects, &(t.client.station(), dialect), evicted) += 1;
        }
        self.count_error(t, evicted);
        if let Some(share) = self.share(case) {
            share.outstanding = share.outstanding.saturating_sub(1);
            match transfer {
                Some(Transfer::Read) => {
                    share.read_bytes = share.read_bytes.saturating_add(t.data_bytes);
                    share.read_ns = share.read_ns.saturating_add(ns);
                }
                Some(Transfer::Write) => {
                    share.written_bytes =
                        share
                            .written_bytes
                            .saturating_add(if done { t.data_bytes } else { 0 });
                    share.write_ns = share.write_ns.saturating_add(ns);
                }
                None => {}
            }
            if transfer.is_some() {
                share.data_outstanding = share.data_outstanding.saturating_sub(1);
            }
            share.open = (share.open + change.opens).saturating_sub(change.closes);
            share.attached = (share.attached + change.attaches).saturating_sub(change.detaches);
        }
    }

    /// A connection is over, and what the server kept for it.
    pub(super) fn ended(&mut self, conversation: u64) {
        let place = self.kept.find(&conversation);
        let Some(kept) = place.and_then(|place| self.kept.get_mut(place)) else {
            return;
        };
        let left = kept.end();
        let [clients, servers] = &mut self.rows;
        for (rows, station) in [(clients, left.client), (servers, left.server)] {
            if let Some(row) = rows.known(station) {
                of_protocol(row, left.protocol).changed(&left.change);
            }
        }
        for (mount, open, attached) in left.mounts {
            if let Some(share) = self.shares.known(mount) {
                share.open = share.open.saturating_sub(open);
                share.attached = share.attached.saturating_sub(attached);
            }
        }
    }

    /// A request that was counted goes on or is taken back, or its answer goes on.
    pub(super) fn grows(&mut self, case: Case<'_>, growth: Growth) {
        let Growth {
            asks,
            messages,
            bytes,
            data,
        } = growth;
        if !asks {
            self.sent_by_server(case, bytes, messages);
            for end in self.ends(case) {
                end.read_bytes = end.read_bytes.saturating_add(data);
            }
            if let Some(share) = self.share(case) {
                share.read_bytes = share.read_bytes.saturating_add(data);
            }
            return;
        }
        let [client, server] = self.ends(case);
        client.bytes_out = client.bytes_out.saturating_add(bytes);
        client.messages_out += messages;
        server.bytes_in = server.bytes_in.saturating_add(bytes);
        server.messages_in += messages;
        if let Some(share) = self.share(case) {
            share.bytes_up = share.bytes_up.saturating_add(bytes);
        }
    }

    /// The server sent so much to the client.
    fn sent_by_server(&mut self, case: Case<'_>, bytes: u64, messages: u64) {
        let [client, server] = self.ends(case);
        client.bytes_in = client.bytes_in.saturating_add(bytes);
        client.messages_in += messages;
        server.bytes_out = server.bytes_out.saturating_add(bytes);
        server.messages_out += messages;
        if let Some(share) = self.share(case) {
            share.bytes_down = share.bytes_down.saturating_add(bytes);
        }
    }

    /// The client gives an oplock back that the server asked for. If it does so by a request that
    /// is answered, that one follows and is not counted again.
    fn gave_back(&mut self, case: Case<'_>, evicted: &mut u64) {
        let t = case.transaction;
        if let Some(response) = t.response {
            self.kept(case, evicted).gives_back(response.last.frame);
        }
        let [client, server] = self.ends(case);
        client.bytes_out = client.bytes_out.saturating_add(t.response_bytes);
        client.messages_out += 1;
        server.bytes_in = server.bytes_in.saturating_add(t.response_bytes);
        server.messages_in += 1;
        if let Some(share) = self.share(case) {
            share.bytes_up = share.bytes_up.saturating_add(t.response_bytes);
        }
    }

    /// Whether nobody answered in the time that there was.
    pub(super) fn is_missed(t: &Transaction) -> bool {
        t.is_unanswered() && t.response.is_none()
    }

    /// What was not answered keeps nobody waiting any more.
    pub(super) fn closed(&mut self, case: Case<'_>) {
        let t = case.transaction;
        let given_up = !matches!(t.outcome, Outcome::Answered | Outcome::OrphanResponse)
            && t.response.is_none();
        if !given_up || is_break(t) {
            return;
        }
        // Somebody said that the answer would take long.
        self.sent_by_server(case, t.interim_bytes, u64::from(t.interims));
        // What the capture was too short for is not given up by anyone.
        let missed = Self::is_missed(t);
        for m in self.ends(case) {
            m.outstanding = m.outstanding.saturating_sub(1);
            m.unanswered += u64::from(missed);
        }
        let data = transfer(t).is_some();
        if let Some(share) = self.share(case) {
            share.outstanding = share.outstanding.saturating_sub(1);
            if data {
                share.data_outstanding = share.data_outstanding.saturating_sub(1);
            }
        }
    }

    pub(super) fn read(&self, directory: &Directory, readings: &mut Readings) {
        for (rows, role) in self.rows.iter().zip([Role::Client, Role::Server]) {
            for (place, row) in rows.iter() {
                let station = directory.station(place);
                let meters = station.into_iter().flat_map(|station| {
                    let key = move |protocol: Name| (station, role, protocol);
                    row.iter()
                        .map(move |(protocol, m)| (key(*protocol), m.clone()))
                });
                readings.requests.extend(meters);
            }
        }
        readings.requests.sort_by(|a, b| a.0.cmp(&b.0));
        readings.errors = sorted(&self.errors);
        readings.dialects = sorted(&self.dialects);
        let shares = self.shares.iter();
        readings.shares = shares
            .filter_map(|(mount, meter)| {
                let (client, share) = directory.mount(mount)?;
                let key = (client, share.server, Arc::clone(&share.name));
                Some((key, meter.clone()))
            })
            .collect();
        readings.shares.sort_by(|a, b| a.0.cmp(&b.0));
        let live = self.kept.iter().filter(|(_, kept)| !kept.is_over());
        let clients = live.filter_map(|(_, kept)| {
            let [client, server] = kept.ends().map(|end| directory.station(end));
            Some((server?, client?, kept.protocol()))
        });
        readings.clients = clients.collect();
        readings.clients.sort_unstable();
        readings.clients.dedup();
    }

    /// What the server keeps for the client of a request.
    fn kept(&mut self, case: Case<'_>, evicted: &mut u64) -> &mut Kept {
        let t = case.transaction;
        let kept = row(&mut self.kept, &t.conversation, evicted);
        kept.belongs_to(case);
        kept
    }

    /// The client's and the server's.
    fn ends(&mut self, case: Case<'_>) -> [&mut RequestMeter; 2] {
        let protocol = case.transaction.protocol;
        let [clients, servers] = &mut self.rows;
        [
            of_protocol(clients.of(case.parties.client), protocol),
            of_protocol(servers.of(case.parties.server), protocol),
        ]
    }

    fn share(&mut self, case: Case<'_>) -> Option<&mut ShareMeter> {
        let mount = case.parties.named?.mount?;
        Some(self.shares.of(mount))
    }

    fn buffer(&mut self, t: &Transaction) -> Option<u64> {
        if self.buffers.is_empty() {
            return None;
        }
        let place = self.buffers.find(&t.conversation)?;
        self.buffers.get_mut(place).map(|buffer| u64::from(*buffer))
    }

    /// Whether it does not go on where the last of its kind on the handle ended. Of the first
    /// one that is not known.
    fn is_random(&mut self, case: Case<'_>, transfer: Option<Transfer>) -> bool {
        let t = case.transaction;
        let offset = t.file.and_then(|file| file.offset);
        let (Some(transfer), Some(offset), Some(handle)) = (transfer, offset, case.placed_handle())
        else {
            return false;
        };
        let course = &mut self.handles.of(handle)[transfer as usize];
        course.asked(offset, t.asked_bytes) == Some(false)
    }

    /// The latest read or write on a handle got less than it asked for: the next one may go on
    /// there.
    fn got(&mut self, case: Case<'_>, transfer: Transfer) {
        let t = case.transaction;
        let Some(offset) = t.file.and_then(|file| file.offset) else {
            return;
        };
        let known = case.placed_handle();
        if let Some(positions) = known.and_then(|place| self.handles.known(place)) {
            positions[transfer as usize].got(offset, t.asked_bytes, t.data_bytes);
        }
    }

    fn count_error(&mut self, t: &Transaction, evicted: &mut u64) {
        let Some(status) = t.status.filter(|status| !status.ok) else {
            return;
        };
        let of_kind = |kind| match kind {
            Kind::Open => Task::Open,
            Kind::Read => Task::Read,
            Kind::Write => Task::Write,
            _ => Task::Other,
        };
        let failed = t.chain.failed();
        let task = match t.kind {
            // A log-on before it succeeded.
            _ if failed.is_some() => failed.map_or(Task::Other, |of| of_kind(of.kind)),
            _ if t.effects.has(Effects::CALLS) => Task::Call,
            _ if t.effects.has(Effects::LOGS_ON) => Task::LogOn,
            _ if t.work() == Kind::Read => Task::Read,
            kind @ (Kind::Open | Kind::Write) => of_kind(kind),
            _ => Task::Other,
        };
        let key = ErrorKey {
            server: t.server.station(),
            client: t.client.station(),
            protocol: t.protocol,
            task,
            status: status.name.unwrap_or(""),
            failure: status.failure,
        };
        *row(&mut self.errors, &key, evicted) += 1;
    }
}

#[inline]
fn of_protocol<'a>(row: &'a mut MeterRow, protocol: &'static str) -> &'a mut RequestMeter {
    // Nearly always there is one, and its name is the very same.
    let at = match row.first() {
        Some((only, _)) if std::ptr::eq(*only, protocol) => 0,
        _ => place_of(row, protocol),
    };
    &mut row[at].1
}

fn place_of(row: &mut MeterRow, protocol: &'static str) -> usize {
    let known = row.iter().position(|(known, _)| *known == protocol);
    known.unwrap_or_else(|| {
        // There are many stations, and nearly all speak one.
        row.reserve_exact(1);
        row.push((protocol, RequestMeter::default()));
        row.len() - 1
    })
}

/// Whether the server asks: for an oplock or a lease that it gave.
fn is_break(t: &Transaction) -> bool {
    t.kind == Kind::Break
}
