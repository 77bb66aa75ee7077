//! Fixed bounds that lose something when they are hit, and how often each was: the report names
//! those that were, beside the limits of the [`Settings`](crate::Settings). `docs/bounds.md` lists
//! all fixed bounds.
//!
//! Only the branch that loses something counts. Each owner of a bound counts in [`Hits`] of its
//! own, which are gathered on request.

use crate::Grade;

/// A bound, named after what it bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    AccountQueue,
    AccountWaits,
    Stalls,
    LoadStretches,
    LoadWaiting,
    Routes,
    Interfaces,
    Ports,
    Steps,
    Pieces,
    Resent,
    Waiting,
    Lookups,
    Breaks,
    LateAcks,
    Ranges,
    Stretches,
    Questions,
    Openers,
    Services,
    Calls,
    Asking,
    Ended,
    Dialects,
    Sightings,
}

/// Figures may differ from what they are without the bound.
const FIGURE: Grade = Grade::Fair;
/// They do not.
const DETAIL: Grade = Grade::Good;

/// Each bound in the order of the report: its name there, what is counted, and what that does to
/// the grade.
const BOUNDS: [(Bound, &str, &str, Grade); 25] = [
    (
        Bound::AccountQueue,
        "account_queue",
        "requests accounted for before older ones of their client, because too many waited for \
         these (1,024 of the client, and 65,536 of all clients); who had that time may differ",
        FIGURE,
    ),
    (
        Bound::AccountWaits,
        "account_waits",
        "waits by design and resent responses left out of the account of time, because their \
         client had more than 256 at once",
        FIGURE,
    ),
    (
        Bound::Stalls,
        "stalls",
        "times that a transfer stood still that stay the network's in the account of time, because a \
         connection had more than 64 of them at once, or a client more than 256",
        FIGURE,
    ),
    (
        Bound::LoadStretches,
        "load_stretches",
        "transactions, and 10 ms of frames, left out of a load curve, because the number of \
         clients has changed more than 16,384 times since",
        FIGURE,
    ),
    (
        Bound::LoadWaiting,
        "load_waiting",
        "transactions, and 10 ms of frames, counted in a load curve before it was settled how \
         many clients were active, because more than 16,384 waited for that",
        FIGURE,
    ),
    (
        Bound::Routes,
        "routers_of_a_network",
        "announcements of further routers of a network, or of a server, which are not listed: 16 \
         of each are",
        FIGURE,
    ),
    (
        Bound::Interfaces,
        "interfaces",
        "frames of interfaces that count with interface 255, because 256 are counted apart",
        FIGURE,
    ),
    (
        Bound::Ports,
        "ports",
        "ports of which it is not remembered what they carry, because 64 are; the counters of \
         that carrier lack them",
        FIGURE,
    ),
    (
        Bound::Steps,
        "old_clock_steps",
        "clock steps and wrong stamps not remembered any more, because more than 4 followed",
        FIGURE,
    ),
    (
        Bound::Pieces,
        "pieces",
        "requests and responses in more than 32 pieces at once: repeated bytes of them may count \
         as new",
        FIGURE,
    ),
    (
        Bound::Resent,
        "resent_responses",
        "requests counted twice among all requests of a symptom, because more than 256 of their \
         client and server had a response resent",
        FIGURE,
    ),
    (
        Bound::Waiting,
        "waiting_requests",
        "unanswered requests whose cost in symptoms may be too high, because more than 256 \
         further ones followed",
        FIGURE,
    ),
    (
        Bound::Lookups,
        "lookups",
        "name queries judged like other requests, because more than 256 were open",
        FIGURE,
    ),
    (
        Bound::Breaks,
        "breaks",
        "requests that may have waited for a client to give back a file, which is not known, \
         because 32 breaks are remembered",
        FIGURE,
    ),
    (
        Bound::LateAcks,
        "late_acknowledgements",
        "late acknowledgements that may have held up a sender, which is not known, because more \
         than 64 came within 1 ms",
        FIGURE,
    ),
    (
        Bound::Ranges,
        "ranges",
        "reads and writes that went back in a file, of which it is not known whether they \
         repeated something, because the 8 latest of each handle are remembered",
        DETAIL,
    ),
    (
        Bound::Stretches,
        "file_stretches",
        "stretches of files not remembered any more, because 32 of each handle are: reading or \
         writing them again does not count as such",
        DETAIL,
    ),
    (
        Bound::Questions,
        "round_trips",
        "connection requests and polls whose response gives no round trip, because more than 4,096 \
         were open",
        DETAIL,
    ),
    (
        Bound::Openers,
        "openers",
        "connections on unclaimed ports of which it may be forgotten who opened them, because \
         1,024 are remembered; messages tell who serves",
        DETAIL,
    ),
    (
        Bound::Services,
        "services",
        "waits of clients for other services that may not be counted, because 1,024 ports of them are followed \
         and 64 waits of a client in a minute are remembered",
        DETAIL,
    ),
    (
        Bound::Calls,
        "calls",
        "conversations on links of which it may be forgotten which port was called, because more \
         calls than the limit of conversations came; their protocol may not be known",
        FIGURE,
    ),
    (
        Bound::Asking,
        "connection_requests",
        "connection requests counted as not answered before their time was over, because more \
         than the limit of conversations were open",
        FIGURE,
    ),
    (
        Bound::Ended,
        "connection_ends",
        "ends of connections that may count twice, because more connections than the limit of \
         conversations had ended",
        FIGURE,
    ),
    (
        Bound::Dialects,
        "dialects",
        "offered dialects without a name, because an offer has more than 32",
        DETAIL,
    ),
    (
        Bound::Sightings,
        "sightings",
        "conversations left out when summaries are compared for common ones, because 4,096 are \
         kept",
        DETAIL,
    ),
];

impl Bound {
    /// How many there are.
    const COUNT: usize = BOUNDS.len();

    /// All of them, in the order of the report: name, what is counted, what it does to the grade.
    pub(crate) fn rows() -> impl Iterator<Item = (&'static str, &'static str, Grade)> {
        BOUNDS
            .iter()
            .map(|(_, name, text, grade)| (*name, *text, *grade))
    }

    /// Its name in the report.
    pub(crate) const fn name(self) -> &'static str {
        BOUNDS[self as usize].1
    }
}

/// How often bounds were hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hits([u64; Bound::COUNT]);

impl Hits {
    pub(crate) const NONE: Self = Self([0; Bound::COUNT]);

    /// Counts one loss to this bound.
    #[cold]
    #[inline(never)]
    pub(crate) fn hit(&mut self, bound: Bound) {
        self.add(bound, 1);
    }

    /// Counts this number of losses to a bound.
    pub(crate) fn add(&mut self, bound: Bound, times: u64) {
        let count = &mut self.0[bound as usize];
        *count = count.saturating_add(times);
    }

    /// With those of another owner.
    #[must_use]
    pub(crate) fn and(mut self, other: &Self) -> Self {
        for (count, more) in self.0.iter_mut().zip(&other.0) {
            *count = count.saturating_add(*more);
        }
        self
    }

    /// How often the one of this name was hit; 0 where no bound has it.
    pub(crate) fn named(&self, name: &str) -> u64 {
        let known = BOUNDS.iter().zip(&self.0);
        let mut known = known.filter(|((_, known, ..), _)| *known == name);
        known.next().map_or(0, |(_, count)| *count)
    }
}

#[cfg(test)]
mod tests;
