//! Jobs: the requests of one client for one file, one after the other. A message of 30 KB is 30
//! requests to one server and a single one to another; the job is what the user waits for.

use super::group::measures_service;
use std::collections::HashMap;
use std::sync::Arc;
use wirewait_analysis::{Draw, Place, Spread, Times, Transaction};
use wirewait_wire::{Endpoint, Timestamp};

/// Jobs that are followed at once.
pub const OPEN_JOBS: usize = 4096;

/// Finds the jobs of a capture. A job is two requests or more that a client makes for the same
/// file, each within the think limit of the response before it, and that move data of the file.
/// It takes from the first request's first frame to the last response's end. Requests that have no
/// times do not count.
#[derive(Debug)]
pub(super) struct Jobs {
    think_ns: i64,
    most: usize,
    open: HashMap<JobKey, OpenJob>,
    times: Draw<i64>,
    done: JobSums,
    spread: Spread,
}

/// The jobs of one capture.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct JobTimes {
    /// What they took, from the first request's first frame to the last response's end.
    pub took: Times,
    /// Their requests.
    pub requests: u64,
    /// The file data that they moved.
    pub data_bytes: u64,
    /// Jobs that were ended early, because too many were under way ([`OPEN_JOBS`]).
    pub cut: u64,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct JobKey {
    client: Endpoint,
    file: JobFile,
}

/// A file by its name where the capture shows it, so that it may be opened more than once.
#[derive(Debug, PartialEq, Eq, Hash)]
enum JobFile {
    Named(Endpoint, Option<Arc<str>>, Arc<str>),
    Handle(u64, u128),
}

#[derive(Clone, Copy, Debug)]
struct OpenJob {
    /// The number of its first transaction.
    number: u64,
    begin: Timestamp,
    end: Timestamp,
    requests: u64,
    data_bytes: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct JobSums {
    requests: u64,
    data_bytes: u64,
    cut: u64,
}

impl Jobs {
    /// Requests farther apart than `think_ns` are of two jobs; the times of `most` jobs are kept.
    pub(super) fn new(think_ns: i64, most: usize) -> Self {
        Self {
            think_ns,
            most: OPEN_JOBS,
            open: HashMap::new(),
            times: Draw::of(most),
            done: JobSums::default(),
            spread: Spread::default(),
        }
    }

    pub(super) fn transaction(&mut self, t: &Transaction) {
        if !measures_service(t.kind) {
            return;
        }
        let (Some(file), Some(request), Some(took)) = (JobFile::of(t), t.request, t.took()) else {
            return;
        };
        let one = OpenJob {
            number: t.number,
            begin: request.first.at,
            end: request.first.at.plus(took.response_ns),
            requests: 1,
            data_bytes: t.data_bytes,
        };
        let key = JobKey {
            client: t.client.station(),
            file,
        };
        if let Some(job) = self.open.get_mut(&key) {
            if one.begin.since(job.end) <= self.think_ns {
                job.join(&one);
                return;
            }
            let over = std::mem::replace(job, one);
            self.close(over);
            return;
        }
        if self.open.len() >= self.most {
            self.make_room(one.begin);
        }
        self.open.insert(key, one);
    }

    /// The jobs as they stand, those under way included.
    pub(super) fn finish(&self) -> JobTimes {
        let mut all = Self {
            think_ns: self.think_ns,
            most: self.most,
            open: HashMap::new(),
            times: self.times.clone(),
            done: self.done,
            spread: self.spread,
        };
        // In the order of their requests, so that the same are drawn each time.
        let mut open: Vec<OpenJob> = self.open.values().copied().collect();
        open.sort_unstable_by_key(|job| job.number);
        for job in open {
            all.close(job);
        }
        JobTimes {
            took: all.times.sample().times(&all.spread),
            requests: all.done.requests,
            data_bytes: all.done.data_bytes,
            cut: all.done.cut,
        }
    }

    fn close(&mut self, job: OpenJob) {
        if job.requests < 2 || job.data_bytes == 0 {
            return;
        }
        let ns = job.end.since(job.begin);
        self.times.record(job.number, ns);
        self.spread.record(ns);
        self.done.requests = self.done.requests.saturating_add(job.requests);
        self.done.data_bytes = self.done.data_bytes.saturating_add(job.data_bytes);
    }

    /// Closes what is over at `now`, or else the half that has rested longest.
    #[cold]
    fn make_room(&mut self, now: Timestamp) {
        let mut ends: Vec<(Timestamp, u64)> = self
            .open
            .values()
            .map(|job| (job.end, job.number))
            .collect();
        ends.sort_unstable();
        let over = ends.partition_point(|(end, _)| now.since(*end) > self.think_ns);
        let early = ends.len() / 2;
        if over == 0 {
            self.done.cut = self.done.cut.saturating_add(early as u64);
        }
        let Some(last) = ends.get(over.max(usize::from(over == 0) * early).saturating_sub(1))
        else {
            return;
        };
        let mut gone: Vec<OpenJob> = Vec::new();
        self.open.retain(|_, job| {
            let stays = (job.end, job.number) > *last;
            if !stays {
                gone.push(*job);
            }
            stays
        });
        gone.sort_unstable_by_key(|job| job.number);
        for job in gone {
            self.close(job);
        }
    }
}

impl OpenJob {
    fn join(&mut self, one: &Self) {
        self.number = self.number.min(one.number);
        self.begin = self.begin.min(one.begin);
        self.end = self.end.max(one.end);
        self.requests = self.requests.saturating_add(1);
        self.data_bytes = self.data_bytes.saturating_add(one.data_bytes);
    }
}

impl JobFile {
    fn of(t: &Transaction) -> Option<Self> {
        let place: Option<&Place> = t.place.as_deref();
        if place.is_some_and(|place| place.pipes) {
            // What is read from a pipe comes when somebody writes it.
            return None;
        }
        match place.and_then(|place| Some((place.share.clone(), place.path.clone()?))) {
            Some((share, path)) => Some(Self::Named(t.server.station(), share, path)),
            None => Some(Self::Handle(t.conversation, t.file?.handle)),
        }
    }
}
