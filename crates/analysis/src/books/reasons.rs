//! What speaks for and against the capture.

use super::Books;
use crate::Reason;
use crate::bounds::{self, Bound};
use crate::quality::{
    CLOCKS_APART, COARSE_CLOCK, DROPPED, FRAGMENTS, GUESSED_ORDER, GUESSED_ROLES, Judged, LACKED,
    NOT_SAVED, OFFLOADED, UNKNOWN_LINK, UNPUBLISHED, reasons,
};
use wirewait_model::Losses;

impl Books {
    /// What speaks for and against the capture.
    /// `conversations`: how many were followed; `forgotten`: numbers of files and shares that lost their
    /// names; `offloaded`: frames longer than any on the wire; `hits`: what others than these books lost to
    /// fixed bounds; `losses`: what the statistics lost.
    pub(crate) fn reasons(
        &self,
        conversations: u64,
        forgotten: u64,
        offloaded: u64,
        hits: &bounds::Hits,
        losses: &Losses,
    ) -> Vec<Reason> {
        let q = &self.quality;
        let hits = self.hits(losses).and(hits);
        let judged = Judged {
            frames: self.frames(),
            known: self.frames().saturating_sub(q.unknown_link),
            conversations,
        };
        reasons(&judged, |name| match name {
            DROPPED => q.dropped,
            NOT_SAVED => q.not_saved,
            FRAGMENTS => q.fragments,
            LACKED => q.lacked,
            "gaps" => q.faults.gaps.saturating_add(q.lost_on_links),
            "one_sided" => q.one_sided,
            "clock_steps" => q.clock_steps,
            CLOCKS_APART => q.clocks_apart,
            COARSE_CLOCK => q.coarse_clock,
            "evicted" => q.evicted,
            "open_requests" => q.limits.open_requests,
            "conversation_requests" => q.limits.conversation_requests,
            "held_bytes" => q.limits.held_bytes,
            "stream_bytes" => q.limits.stream_bytes,
            "rows_evicted" => self
                .directory
                .evicted
                .saturating_add(self.accounting.evicted())
                .saturating_add(self.machines.evicted)
                .saturating_add(self.routing.evicted())
                .saturating_add(losses.rows)
                .saturating_add(self.watch.evicted())
                .saturating_add(self.meters.as_ref().map_or(0, |meters| meters.evicted))
                .saturating_add(self.spending.evicted()),
            "names_evicted" => forgotten,
            UNKNOWN_LINK => q.unknown_link,
            "truncated" => q.truncated,
            OFFLOADED => offloaded,
            GUESSED_ROLES => q.guessed_roles,
            GUESSED_ORDER => q.guessed_order,
            UNPUBLISHED => q.unpublished,
            "malformed" => q.malformed.saturating_add(q.faults.malformed),
            "snapped" => q.snapped,
            "mid_capture" => q.mid_capture,
            "duplicates" => self.attribution.duplicates.saturating_sub(q.beyond_routers),
            "doubled" => self.arrivals.doubled,
            "beyond_routers" => q.beyond_routers,
            "retransmitted" => q.faults.retransmitted,
            "needless" => self.arrivals.needless,
            bound => hits.named(bound),
        })
    }

    /// What was lost to fixed bounds.
    pub(super) fn hits(&self, losses: &Losses) -> bounds::Hits {
        let mut hits = self.accounting.hits();
        hits.add(Bound::Pieces, self.quality.limits.pieces);
        hits.add(Bound::Stalls, self.quality.limits.stalls);
        hits.add(Bound::Sightings, self.seen.beyond);
        let meters = self.meters.as_ref();
        let meters = meters.map_or(bounds::Hits::NONE, |meters| *meters.hits());
        hits.add(Bound::LoadStretches, losses.stretches);
        hits.add(Bound::LoadWaiting, losses.hasty);
        hits.and(self.routing.hits())
            .and(&self.watch.hits())
            .and(&self.questions.hits)
            .and(&meters)
    }
}
