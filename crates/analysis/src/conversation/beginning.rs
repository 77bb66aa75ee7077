//! How a conversation begins.

use super::recent::FEW;
use super::{Conversation, Faults};
use crate::account::{SURE, UNNUMBERED};
use crate::flow::LostBefore;
use crate::turns::Turns;
use crate::world::Between;
use wirewait_wire::{DissectorId, Endpoint, Timestamp};

/// Sequence numbers of a byte stream are 32 bits long.
const SEQUENCE_NUMBERS: u64 = 1 << 32;

/// How a conversation begins.
#[derive(Default)]
pub(crate) struct Beginning {
    pub(crate) number: u64,
    pub(crate) ends: [Endpoint; 2],
    pub(crate) carrier: &'static str,
    pub(crate) server: Option<usize>,
    /// A byte stream, cut into messages by this dissector.
    pub(crate) framer: Option<DissectorId>,
    /// Frames are in order when they come (or a link below has put them so).
    pub(crate) ordered: bool,
    pub(crate) from_start: bool,
    /// What was lost before the capture is repeated without anything that shows it.
    pub(crate) silent: bool,
    /// Questions to whom it may concern: nobody is missed who does not answer.
    pub(crate) anyone: bool,
    /// The ends take turns; who waits so long for an answer asks again, ns.
    pub(crate) patience_ns: Option<i64>,
    /// What went before may have been given up because of a limit.
    pub(crate) rest: bool,
}

impl Conversation {
    /// Begins anew, in the room of one that is over.
    pub(super) fn begin(&mut self, beginning: &Beginning, observed: bool) {
        let stream = beginning.framer.is_some();
        // Field by field, in place: a flood begins one with each frame.
        let Self {
            between,
            server_known,
            seen,
            streams,
            flow,
            stall,
            clocks,
            offers,
            datagrams,
            framer,
            turns,
            assemblers,
            recent,
            pairing,
            finished,
            ended,
            given_up,
            proved,
            gaps,
            faults,
            first_seen,
            last_seen,
            stepped,
        } = self;
        *between = Between {
            ends: beginning.ends,
            server: beginning.server.unwrap_or(1),
            carrier: beginning.carrier,
            conversation: beginning.number,
            unordered: !beginning.ordered,
            unsure: if beginning.ordered { SURE } else { UNNUMBERED },
            stream,
            mid_capture: !beginning.from_start,
            one_sided: !beginning.anyone,
            turns: beginning.patience_ns.is_some(),
            named: false,
            everyone: false,
            displaced: false,
            held_back: false,
            seen_to: u64::MAX,
            lost: match beginning.silent {
                true => [LostBefore::UNSEEN; 2],
                false => Default::default(),
            },
        };
        *datagrams = None;
        *stall = None;
        *clocks = None;
        *server_known = beginning.server.is_some();
        *seen = [beginning.anyone; 2];
        *framer = beginning.framer;
        if stream {
            let [a, b] = &mut **streams.get_or_insert_default();
            a.restart();
            b.restart();
            flow.get_or_insert_default().restart(SEQUENCE_NUMBERS);
            offers.get_or_insert_default().restart();
        } else {
            (*streams, *flow, *offers) = (None, None, None);
        }
        *turns = beginning.patience_ns.map(|ns| Box::new(Turns::new(ns)));
        for assembler in assemblers {
            assembler.renew(!stream, observed);
        }
        for recent in recent {
            // How large it is decides how long it remembers: as large as for the first few.
            recent.clear();
            if recent.capacity() > FEW {
                recent.shrink_to(FEW);
            }
        }
        pairing.restart(observed, beginning.rest);
        *finished = [false; 2];
        *ended = None;
        *given_up = false;
        *proved = false;
        *gaps = [0; 2];
        *faults = Faults::default();
        *first_seen = Timestamp::from_nanos(i64::MAX);
        *last_seen = Timestamp::from_nanos(i64::MIN);
        *stepped = 0;
    }
}
