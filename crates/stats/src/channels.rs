//! Clients with several addresses, as channels of one SMB session show: what is recorded of a further address is of the client
//! at the first one.

use crate::Rows;
use wirewait_model::records::{Joined, Moment, RecordBatch, StationId};
use wirewait_wire::Endpoint;

/// The first address of each client that has several, by the others.
#[derive(Debug, Default)]
pub(crate) struct Channels {
    first: Rows<Endpoint, Option<(StationId, Endpoint)>>,
    any: bool,
}

impl Channels {
    pub(crate) const fn are_any(&self) -> bool {
        self.any
    }

    /// These records, with the first address of each client from when that is known.
    #[cold]
    #[inline(never)]
    pub(crate) fn joined(&mut self, batch: &RecordBatch) -> RecordBatch {
        let mut batch = batch.clone();
        for moment in &mut batch.moments {
            match moment {
                Moment::Begins(waiting) | Moment::Ends(waiting) => self.join(&mut waiting.client),
                Moment::Answered(answer) => self.join(&mut answer.client),
                Moment::Joined(Joined {
                    client,
                    first,
                    first_end,
                    ..
                }) => {
                    if let Some(row) = self.first.of(*client, drop) {
                        *row = Some((*first, *first_end));
                        self.any = true;
                    }
                }
                Moment::Frames(_) | Moment::Now(_) | Moment::Over => {}
            }
        }
        for group in &mut batch.groups {
            if let Some((first, end)) = self.first_of(group.key.client) {
                (group.key.client, group.key.client_end) = (Some(first), end);
            }
        }
        batch
    }

    fn join(&mut self, client: &mut Option<StationId>) {
        let first = self.first_of(*client).map(|(first, _)| first);
        *client = first.or(*client);
    }

    fn first_of(&mut self, client: Option<StationId>) -> Option<(StationId, Endpoint)> {
        *self.first.known(client?)?
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{group, id, line, waiting};
    use wirewait_wire::Timestamp;

    /// What comes before two addresses are known to be one client's is of its own; groups follow all moments.
    #[test]
    fn a_further_address_is_the_first_ones_from_when_that_is_known() {
        let mut channels = Channels::default();
        let at = Timestamp::from_nanos;
        let mut batch = RecordBatch::default();
        batch.moments = vec![
            Moment::Begins(waiting(2, at(1))),
            Moment::Joined(Joined {
                client: id(2),
                first: id(1),
                first_end: crate::testing::end(1),
                server: None,
                interface: 0,
                at: at(1),
            }),
            Moment::Ends(waiting(2, at(2))),
            Moment::Begins(waiting(3, at(3))),
        ];
        batch.groups = vec![group(Some(2), &[line()]), group(Some(3), &[line()])];
        assert!(!channels.are_any());
        let joined = channels.joined(&batch);
        assert!(channels.are_any());
        let whose = |moment: &Moment| match moment {
            Moment::Begins(waiting) | Moment::Ends(waiting) => waiting.client,
            _ => None,
        };
        let found: Vec<_> = joined.moments.iter().map(whose).collect();
        let [one, two, three] = [1, 2, 3].map(|n| Some(id(n)));
        assert_eq!(found, [two, None, one, three]);
        let found: Vec<_> = joined.groups.iter().map(|group| group.key.client).collect();
        assert_eq!(found, [one, three]);
        batch.joins = false;
        batch.moments = vec![Moment::Begins(waiting(2, at(9)))];
        let found = channels.joined(&batch).moments.iter().map(whose).next();
        assert_eq!(found, Some(one));
    }
}
