//! Statistics over the transactions of a capture. Each is a file of its own that implements
//! [`Collector`], its `mod` and a line of `all` below.

#![forbid(unsafe_code)]

mod channels;
mod excluded;
mod hops;
mod load;
mod operations;
mod passers;
mod places;
mod request_size;
mod rows;
mod sizes;
mod spread;
mod stations;
#[cfg(test)]
mod testing;

pub use rows::Rows;

use channels::Channels;
use wirewait_model::Figures;
use wirewait_model::records::{Entities, Group, GroupTimes, Joined, Moment, RecordBatch, Records};
use wirewait_wire::Endpoint;

/// Makes a statistic of records.
pub trait Collector: Send {
    /// Counts what happened.
    fn batch(&mut self, records: &Records<'_>);

    /// A client turns out to be another one, with a further address: what was counted for it is that one's, whose number it
    /// has in records from now on.
    fn joined(&mut self, joined: &Joined) {
        let _ = joined;
    }

    /// Adds the statistic as it stands.
    fn write(&self, entities: &dyn Entities, figures: &mut Figures);
}

/// What statistics depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Rows kept of each kind.
    pub rows: usize,
    /// Gaps between requests up to this long are the client's work, longer ones think time, ns.
    pub think_ns: i64,
}

/// All statistics, in the order in which they are shown.
fn all(options: &Options) -> Vec<Box<dyn Collector>> {
    vec![
        Box::new(operations::Operations::new(options)),
        Box::new(stations::Stations::new(options)),
        Box::new(places::Places::default()),
        Box::new(spread::Spread::default()),
        Box::new(hops::Hops::default()),
        Box::new(load::Load::new(options)),
        Box::new(sizes::Sizes::default()),
        Box::new(excluded::ExcludedFrom::default()),
        Box::new(request_size::RequestSize::default()),
    ]
}

/// Groups whose times are found together: few enough to stay in a processor's cache, and to take no
/// room to speak of where thousands of requests close at once.
const AT_ONCE: usize = 64;

/// All statistics at work.
pub struct Collectors {
    all: Vec<Box<dyn Collector>>,
    /// Room for the times of groups.
    times: Vec<GroupTimes>,
    /// Clients with several addresses.
    channels: Channels,
}

impl Collectors {
    /// Without anything counted as yet.
    #[must_use]
    pub fn new(options: &Options) -> Self {
        Self {
            all: all(options),
            times: Vec::new(),
            channels: Channels::default(),
        }
    }

    /// With one more, which is shown behind the others.
    #[must_use]
    pub fn with(mut self, own: Box<dyn Collector>) -> Self {
        self.all.push(own);
        self
    }

    /// Counts what happened.
    pub fn batch(&mut self, batch: &RecordBatch) {
        match batch.joins || self.channels.are_any() {
            true => self.count_joined(batch),
            false => self.count_all(batch),
        }
    }

    /// Likewise, with the first address of each client that has several.
    #[cold]
    #[inline(never)]
    fn count_joined(&mut self, batch: &RecordBatch) {
        let mut batch = self.channels.joined(batch);
        let moments = std::mem::take(&mut batch.moments);
        let mut rest = &moments[..];
        let joined = |moment: &Moment| match moment {
            Moment::Joined(joined) => Some(*joined),
            _ => None,
        };
        while let Some((at, joined)) =
            (rest.iter().enumerate()).find_map(|(at, moment)| Some((at, joined(moment)?)))
        {
            self.count(&rest[..at], &[], &[]);
            for one in &mut self.all {
                one.joined(&joined);
            }
            rest = &rest[at + 1..];
        }
        batch.moments = rest.to_vec();
        self.count_all(&batch);
    }

    fn count_all(&mut self, batch: &RecordBatch) {
        // Moments come before all groups, strangers after them.
        let mut moments = &batch.moments[..];
        let mut rest = &batch.groups[..];
        while rest.len() > AT_ONCE {
            let (groups, behind) = rest.split_at(AT_ONCE);
            self.count(std::mem::take(&mut moments), groups, &[]);
            rest = behind;
        }
        self.count(moments, rest, &batch.strangers);
    }

    fn count(&mut self, moments: &[Moment], groups: &[Group], strangers: &[Endpoint]) {
        if self.times.len() < groups.len() {
            self.times.resize_with(groups.len(), GroupTimes::default);
        }
        for (times, group) in self.times.iter_mut().zip(groups) {
            times.fill(group);
        }
        let records = Records {
            moments,
            groups,
            times: &self.times[..groups.len()],
            strangers,
        };
        for one in &mut self.all {
            one.batch(&records);
        }
    }

    /// All of them as they stand, each of which is over then.
    #[must_use]
    pub fn into_figures(self, entities: &dyn Entities) -> Figures {
        let mut figures = Figures::default();
        for one in self.all {
            one.write(entities, &mut figures);
        }
        figures
    }

    /// All of them as they stand.
    #[must_use]
    pub fn figures(&self, entities: &dyn Entities) -> Figures {
        let mut figures = Figures::default();
        for one in &self.all {
            one.write(entities, &mut figures);
        }
        figures
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{end, group, line, waiting};
    use std::sync::{Arc, Mutex};
    use wirewait_wire::Timestamp;

    /// What comes in which order: moments, groups by their codes, strangers.
    struct Heard(Arc<Mutex<Vec<String>>>);

    impl Collector for Heard {
        fn batch(&mut self, records: &Records<'_>) {
            assert!(records.groups.len() <= AT_ONCE);
            assert_eq!(records.groups.len(), records.times.len());
            let mut heard = self.0.lock().unwrap();
            heard.extend(records.moments.iter().map(|_| "moment".to_owned()));
            heard.extend(records.groups.iter().map(|of| of.key.code.to_string()));
            heard.extend(records.strangers.iter().map(ToString::to_string));
        }

        fn write(&self, _: &dyn Entities, _: &mut Figures) {}
    }

    #[test]
    fn many_groups_come_in_parts_and_in_their_order() {
        for many in [0, 1, AT_ONCE, AT_ONCE + 1, 3 * AT_ONCE] {
            let heard = Arc::new(Mutex::new(Vec::new()));
            let options = Options {
                rows: 10,
                think_ns: 0,
            };
            let own = Box::new(Heard(Arc::clone(&heard)));
            let mut statistics = Collectors::new(&options).with(own);
            let mut batch = RecordBatch::default();
            let at = Timestamp::from_nanos(0);
            batch.moments = vec![Moment::Now(at), Moment::Begins(waiting(1, at))];
            batch.groups = vec![group(Some(1), &[line()]); many];
            for (code, group) in (0..).zip(&mut batch.groups) {
                group.key.code = code;
            }
            batch.strangers = vec![end(2)];
            statistics.batch(&batch);
            let codes = (0..many).map(|code| code.to_string());
            let moments = ["moment"; 2].map(str::to_owned).into_iter();
            let all = moments.chain(codes).chain([end(2).to_string()]);
            assert_eq!(*heard.lock().unwrap(), all.collect::<Vec<_>>());
        }
    }
}
