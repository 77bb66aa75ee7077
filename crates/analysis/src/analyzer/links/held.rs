//! What numbered links hold back: frames that came before their turn.

use crate::analyzer::{AnalyzerState, Arrival};
use crate::numbered::Link;
use crate::path::Path;
use crate::piece::{Offload, Piece};
use crate::world::{Limited, Shared};
use crate::{Flags, Sink};

impl AnalyzerState {
    /// Waits no longer for what is missing if too much is held back behind it.
    pub(super) fn keep_within_limits(
        &mut self,
        link: &mut Link,
        side: usize,
        common: &Shared,
        sink: &mut dyn Sink,
    ) {
        let mut total = self.books.held >= common.settings.held_bytes;
        loop {
            let held = link.held_bytes(side);
            let limit = if held > common.settings.stream_bytes {
                Limited::StreamBytes
            } else if std::mem::take(&mut total) && held > 0 {
                Limited::HeldBytes
            } else {
                return;
            };
            self.books.quality.limits.hit(limit);
            self.doubt(link);
            link.skip(side, Flags::LIMITED);
            self.release(link, side, common, sink);
        }
    }

    /// Some of this link is given up because of a limit.
    pub(super) fn doubt(&mut self, link: &Link) {
        if let Some(conversation) = link.last.and_then(|p| self.conversations.get_mut(p)) {
            conversation.doubt();
        }
    }

    /// Works off held frames whose turn has come.
    #[inline]
    pub(super) fn release(
        &mut self,
        link: &mut Link,
        side: usize,
        common: &Shared,
        sink: &mut dyn Sink,
    ) {
        // Mostly there are none.
        if link.holds(side) {
            self.release_held(link, side, common, sink);
        }
    }

    #[inline(never)]
    fn release_held(&mut self, link: &mut Link, side: usize, common: &Shared, sink: &mut dyn Sink) {
        while let Some(held) = link.release(side) {
            let arrival = Arrival {
                facts: &held.facts,
                path: &Path::default(),
                next: &held.next,
                carrier: held.carrier,
                piece: Piece {
                    bytes: &held.bytes,
                    length: held.length,
                    mark: held.mark,
                    at: held.at,
                    share: (0, held.length),
                    hops: held.facts.hops,
                    resent: held.resent,
                    late_ns: 0,
                    held_ns: 0,
                    sent: held.sent,
                    packet: None,
                    stamp: None,
                    offload: Offload::default(),
                },
                message: held.message,
                layer: held.layer,
            };
            let owner = self.unit(&arrival, side, link, common, sink);
            link.owned(side, held.number, owner);
        }
    }

    /// Works off what a link holds back: it is over, or begins anew.
    /// What is missing was not captured, or is given up, as the flag says.
    pub(in crate::analyzer) fn flush(
        &mut self,
        link: &mut Link,
        why: Flags,
        common: &Shared,
        sink: &mut dyn Sink,
    ) {
        for side in [0, 1] {
            while link.holds(side) {
                link.skip(side, why);
                self.release(link, side, common, sink);
            }
        }
        self.books.quality.lost_on_links += link.take_lost();
        for side in [0, 1] {
            if let Some((what, mark)) = link.flow.died(side) {
                self.notice(link, &Path::default(), side, mark, (what, 0), sink);
            }
        }
        link.flow.again();
    }
}
