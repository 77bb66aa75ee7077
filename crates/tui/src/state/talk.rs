//! Conversations of the last minutes.

use wirewait_analysis::recent::{History, Of, RecentParties, Tally, Window};

/// A conversation, and what was counted of it in the last minutes.
#[derive(Clone, Debug)]
pub(crate) struct Talk {
    pub(crate) number: u64,
    /// Unknown while no transaction was closed.
    pub(crate) parties: Option<RecentParties>,
    pub(crate) tally: Tally,
}

/// The seconds that are shown: the window, or all that is kept.
pub(crate) fn shown(history: &History, window: Option<u32>) -> Window<'_> {
    window.map_or_else(|| history.whole(), |seconds| history.last(seconds))
}

/// All conversations to which something happened in the window, the busiest first.
pub(crate) fn talks(history: &History, window: Option<u32>) -> Vec<Talk> {
    // Who talks may have been seen before.
    let parties = history.whole().parties();
    let rows = shown(history, window).rows(|of| matches!(of, Of::Conversation(_)));
    let mut talks: Vec<Talk> = rows
        .into_iter()
        .filter_map(|(of, tally)| match of {
            Of::Conversation(number) => Some(Talk {
                number,
                parties: parties.get(&number).copied(),
                tally,
            }),
            _ => None,
        })
        .collect();
    talks.sort_by_key(|talk| {
        let waited = talk.tally.response_time.spread().total;
        (std::cmp::Reverse(waited), talk.number)
    });
    talks
}
