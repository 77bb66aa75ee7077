//! Where on a handle the next read or write would go on.

/// Of one kind of operation on one handle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Position {
    /// Behind what the latest one asked for, and behind what it got.
    next: Option<(u64, u64)>,
}

impl Position {
    /// A request for this number of bytes at this offset: whether it goes on where the one before ended.
    /// `None` of the first one.
    #[inline]
    pub(crate) fn asked(&mut self, offset: u64, bytes: u64) -> Option<bool> {
        let end = offset.saturating_add(bytes);
        let (asked, got) = self.next.replace((end, end))?;
        Some(offset == asked || offset == got)
    }

    /// The response to a request for `bytes` at this offset brings `came` of them. If it is the latest request, the
    /// next one may go on behind them.
    #[inline]
    pub(crate) fn got(&mut self, offset: u64, bytes: u64, came: u64) {
        if let Some((asked, got)) = &mut self.next
            && *asked == offset.saturating_add(bytes)
        {
            *got = offset.saturating_add(came);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_goes_on_behind_what_was_asked_for_or_behind_what_came() {
        let mut position = Position::default();
        assert_eq!(position.asked(0, 100), None, "the first one");
        assert_eq!(position.asked(100, 100), Some(true));
        position.got(100, 100, 20);
        assert_eq!(position.asked(120, 100), Some(true), "20 of 100 came");
        position.got(0, 100, 50);
        assert_eq!(
            position.asked(50, 100),
            Some(false),
            "another one had got them"
        );
        assert_eq!(position.asked(150, u64::MAX), Some(true));
        assert_eq!(position.asked(0, 1), Some(false));
    }
}
