//! How good a capture is: what speaks for and against it, counted, and named.

use crate::bounds::Bound;
use crate::conversation::Faults;
use crate::world::Limited;
use crate::{Grade, Reason};

/// What was noticed about the capture itself.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Quality {
    pub(crate) clock_steps: u64,
    /// Frames with the stamp of the frame before, where the clock ticks.
    pub(crate) coarse_clock: u64,
    /// Packets of a sample that have the stamps of two clocks.
    pub(crate) clocks_apart: u64,
    pub(crate) snapped: u64,
    pub(crate) truncated: u64,
    pub(crate) malformed: u64,
    pub(crate) unknown_link: u64,
    /// Parts of packets that are not read.
    pub(crate) fragments: u64,
    pub(crate) one_sided: u64,
    pub(crate) mid_capture: u64,
    pub(crate) evicted: u64,
    pub(crate) lost_on_links: u64,
    /// Messages that the capture lacks where nothing below is numbered.
    pub(crate) lacked: u64,
    /// Frames that were captured on the other side of a router too.
    pub(crate) beyond_routers: u64,
    /// Requests that are taken for such because it was their sender's turn.
    pub(crate) guessed_roles: u64,
    /// Requests of a protocol whose header nobody has published.
    pub(crate) unpublished: u64,
    /// Responses that can be read by nobody, and came while several requests were outstanding.
    pub(crate) guessed_order: u64,
    /// Frames that were lost before the capture had them, by the count of the capturing program.
    pub(crate) dropped: u64,
    /// Frames that the capturing program had and did not save.
    pub(crate) not_saved: u64,
    pub(crate) limits: LimitHits,
    pub(crate) faults: Faults,
}

/// How often limits of the settings were reached that conversations notice.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LimitHits {
    pub(crate) open_requests: u64,
    pub(crate) conversation_requests: u64,
    pub(crate) held_bytes: u64,
    pub(crate) stream_bytes: u64,
    pub(crate) pieces: u64,
    pub(crate) stalls: u64,
}

impl LimitHits {
    pub(crate) fn hit(&mut self, limit: Limited) {
        *match limit {
            Limited::OpenRequests => &mut self.open_requests,
            Limited::ConversationRequests => &mut self.conversation_requests,
            Limited::HeldBytes => &mut self.held_bytes,
            Limited::StreamBytes => &mut self.stream_bytes,
            Limited::Pieces => &mut self.pieces,
            Limited::Stalls => &mut self.stalls,
        } += 1;
    }
}

/// The name of the reason that the capture lost frames.
pub(crate) const DROPPED: &str = "dropped";
/// The name of the reason that the files do not hold all frames that were captured.
pub(crate) const NOT_SAVED: &str = "not_saved";
/// That of packets with the stamps of two clocks.
pub(crate) const CLOCKS_APART: &str = "clocks_apart";
/// That of stamps which are the same for several frames.
pub(crate) const COARSE_CLOCK: &str = "coarse_clock";
/// That of frames of a kind of link that is not understood.
pub(crate) const UNKNOWN_LINK: &str = "unknown_link";

/// That of parts of packets that are not read.
pub(crate) const FRAGMENTS: &str = "fragments";

/// That of messages which do not say whether they ask or answer.
pub(crate) const GUESSED_ROLES: &str = "guessed_roles";

/// That of requests whose header nobody has published.
pub(crate) const UNPUBLISHED: &str = "unpublished";

/// That of messages which the capture lost, where nothing is numbered.
pub(crate) const LACKED: &str = "lost_messages";

/// That of responses which do not say what they answer.
pub(crate) const GUESSED_ORDER: &str = "guessed_order";

/// That of frames that were put together or cut by the capturing station.
pub(crate) const OFFLOADED: &str = "offloaded";

/// With one frame lost for this many captured, high percentiles mean little.
const POOR_BEYOND: u64 = 100;

/// What is judged by more than how often it happened.
pub(crate) struct Judged {
    pub(crate) frames: u64,
    /// Frames of links that are understood.
    pub(crate) known: u64,
    pub(crate) conversations: u64,
}

/// What can speak for or against a capture, in the order in which it is said.
pub(crate) const REASONS: [(&str, &str); 30] = [
    (
        DROPPED,
        "frames that were dropped before they were captured, as was counted there",
    ),
    (
        NOT_SAVED,
        "frames that were received but not saved: the capturing program counted them, and they \
         are not in the files",
    ),
    (
        FRAGMENTS,
        "fragments of IP packets that are not the first of theirs: wirewait does not read them, and takes \
         what they hold for lost by the capture",
    ),
    (
        "gaps",
        "stretches of data that were acknowledged but are not in the capture: it lost frames",
    ),
    (
        LACKED,
        "messages that the capture lost, or cut off before they say what they are",
    ),
    (
        "one_sided",
        "conversations of which only one direction was captured; not judged",
    ),
    (
        "clock_steps",
        "times that the clock stepped from one frame to the next: back by its stamps, or forward by the clocks of \
         the stations; what spans a step has no times",
    ),
    (
        CLOCKS_APART,
        "packets of a sample that came once more, all as much later: the capture was put together of \
         two with different clocks, or a mirror port copied each frame twice; it counts the same traffic twice",
    ),
    (
        COARSE_CLOCK,
        "frames with the stamp of the frame before: the clock of the capture is coarse, and each \
         time may be off by one of its ticks; the verdict's shares allow for that, and tables mark theirs",
    ),
    (
        "evicted",
        "conversations or links given up because of the limit conversations; what became of \
         their open requests is not known",
    ),
    (
        "open_requests",
        "requests given up because of the limit open_requests; they may have been answered",
    ),
    (
        "conversation_requests",
        "requests given up because of the limit conversation_requests; they may have been \
         answered",
    ),
    (
        "held_bytes",
        "stretches of data not waited for any longer because of the limit held_bytes",
    ),
    (
        "stream_bytes",
        "stretches of data not waited for any longer because of the limit stream_bytes",
    ),
    (
        "rows_evicted",
        "rows of statistics dropped because there were too many (limit rows, or a fixed bound)",
    ),
    (
        "names_evicted",
        "names of files and shares forgotten because of the limit names",
    ),
    (
        UNKNOWN_LINK,
        "frames of a kind of link that is not understood",
    ),
    (
        OFFLOADED,
        "frames longer than the link carries: segmentation offload put several together (unless \
         these are jumbo frames), so that frames and retransmissions are counted too low",
    ),
    (
        GUESSED_ROLES,
        "requests of a protocol whose messages do not say whether they ask or answer: guessed by \
         turn",
    ),
    (
        UNPUBLISHED,
        "requests of a protocol whose header is not published: what answers them is found by turn, or by \
         the places that a table gives",
    ),
    (
        GUESSED_ORDER,
        "encrypted responses that came while several requests were outstanding: which one each answers \
         is guessed by their order",
    ),
    (
        "truncated",
        "frames shorter than their own length fields say",
    ),
    ("malformed", "frames or messages with impossible values"),
    ("snapped", "frames that the capture cut short"),
    (
        "mid_capture",
        "conversations that had begun before the capture",
    ),
    (
        "duplicates",
        "identical frames, captured twice or doubled on the way; the copies are left out",
    ),
    (
        "doubled",
        "identical frames of which their receiver says that both arrived (D-SACK): doubled on the \
         way, not by the capture",
    ),
    (
        "beyond_routers",
        "frames that were captured on both sides of a router; what follows is as one side saw it",
    ),
    ("retransmitted", "frames that repeated data"),
    (
        "needless",
        "frames that repeated data of which their receiver says that it had arrived (D-SACK): it \
         was not lost",
    ),
];

/// Those that occurred, with the number that `count` gives; behind them the fixed bounds that were hit.
pub(crate) fn reasons(judged: &Judged, count: impl Fn(&str) -> u64) -> Vec<Reason> {
    let counted = REASONS.iter().map(|(name, text)| Reason {
        name,
        text,
        count: count(name),
        grade: judged.grade(name, count(name)),
    });
    let bounds = Bound::rows().map(|(name, text, grade)| Reason {
        name,
        text,
        count: count(name),
        grade,
    });
    let reasons = counted.chain(bounds);
    reasons.filter(|reason| reason.count > 0).collect()
}

impl Judged {
    fn grade(&self, name: &str, count: u64) -> Grade {
        let poor = match name {
            DROPPED | NOT_SAVED => count.saturating_mul(POOR_BEYOND) > self.frames,
            "one_sided" => count.saturating_mul(2) > self.conversations,
            UNKNOWN_LINK => self.known == 0,
            CLOCKS_APART => true,
            "gaps" | "clock_steps" | "evicted" | "rows_evicted" => false,
            GUESSED_ROLES | GUESSED_ORDER | UNPUBLISHED | LACKED => false,
            OFFLOADED | COARSE_CLOCK | FRAGMENTS => false,
            "open_requests" | "conversation_requests" | "held_bytes" | "stream_bytes" => false,
            _ => return Grade::Good,
        };
        if poor { Grade::Poor } else { Grade::Fair }
    }
}
