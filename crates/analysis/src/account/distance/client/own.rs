//! What acknowledgements of its own data show of the way of a message.

use super::super::reading::ReadWithin;
use super::super::varying::OwnWay;
use super::super::{Bounds, DataThere, LEAST, STEADY, ns};
use super::{EVENLY, LATE_NS, Nearest, Over};
use crate::Transaction;
use crate::account::Outstanding;
use crate::account::ceiling::{most_on_line, on_line};
use wirewait_wire::Timestamp;

impl Nearest {
    /// What was acknowledged at once between the response before a request that began then, and that.
    #[inline]
    pub(super) fn there(&self, began: Timestamp) -> Option<(DataThere, Over)> {
        let (heard, before) = (self.heard.0.as_ref()?, self.before.as_ref()?);
        let within = before.end < heard.at && heard.at <= began;
        within.then_some((*heard, *before))
    }

    /// How long of the gap before a request of these bytes, which began then, the response before it was
    /// still on its way: until its data was acknowledged. A queue on the way makes that longer than the way
    /// is otherwise, and so does a program that reads late. And no longer than what, if this response shows it, whatever
    /// other answers took.
    #[inline(never)]
    pub(super) fn underway(
        &mut self,
        (heard, before): (DataThere, Over),
        (began, request): (Timestamp, u64),
        shortest: u64,
    ) -> (Bounds, Option<u64>) {
        let after = ns(heard.at.since(before.end));
        let (bytes, last) = before.response.on_line(on_line);
        let [first, end] = before.frames;
        // Data of this response, and not of another conversation's.
        let own = (first..=end).contains(&heard.frame);
        // A line that lets data through evenly: no program reads like that.
        let paced = own && heard.pace > 0;
        let read = match own && heard.left != DataThere::UNKNOWN_LEFT && !paced {
            true => {
                let bytes = before.response.bytes.saturating_sub(heard.left.into());
                let gap = ns(began.since(before.end));
                self.reading.acknowledged(bytes, after, gap)
            }
            // What acknowledges messages and frames leaves that to no program.
            false => ReadWithin::UNKNOWN,
        };
        // Where requests come as much later, none was read late.
        let varies = self.variations[1].deviation > 0 && self.reading.follow();
        let low = if varies { after } else { after.min(read.least) };
        let client = self.found.as_ref().map(|(.., [_, client])| client);
        // Its way was measured just now: it varies by the least that a way does.
        let nearest = client.map_or(0, |client| ns(client.shortest));
        let varies = nearest / LEAST;
        if heard.frame >= end {
            // All of it: the request is longer than the acknowledgement.
            let longer = after.saturating_mul(request) / bytes.max(1);
            let high = after.saturating_add(longer);
            if !own {
                return (Bounds { low, high }, None);
            }
            if after < self.wholes.at(before.response.bytes) {
                self.wholes.took(before.response.bytes, after);
            }
            let longer = longer.min(self.longer.last) + varies;
            let most = after.min(read.most).saturating_add(longer);
            return (Bounds { low, high }, Some(most));
        }
        // One frame, and no more, was behind it.
        let own = own && u64::from(heard.left) <= most_on_line(before.response.head);
        // What came last may have come a little later.
        let spread = match client {
            Some(client) if client.samples >= STEADY && own => varies,
            Some(client) if client.samples > 0 => client.spread(nearest).min(after / 4),
            _ => after / 4,
        };
        // The last frame came behind what was acknowledged: on a slow line, as much later as it is long.
        let acknowledged = (bytes - last).max(1);
        let for_last = |ns: u64| ns.saturating_mul(last) / acknowledged;
        let (least, most) = if paced {
            let ns = u64::from(heard.left) * u64::from(heard.pace) / 1_024;
            (ns - ns / EVENLY, ns + ns / EVENLY)
        } else {
            let least = for_last(low.saturating_sub(shortest));
            // No longer than such a frame takes on this line, nor than until a response was there as a whole.
            let whole = self.wholes.at(before.response.bytes);
            let most = for_last(after).min(self.longer.last);
            (least, most.min(whole.saturating_sub(nearest)).max(least))
        };
        let high = after.min(read.most);
        let high = high.saturating_add(spread).saturating_add(most);
        let low = low.saturating_add(least);
        (Bounds { low, high }, own.then_some(high))
    }

    /// What the server's acknowledgement of this request, by itself, shows of the way within the turnaround.
    #[inline]
    pub(super) fn acknowledged(&self, t: &Transaction, done: &Outstanding) -> Option<OwnWay> {
        let (request, response) = (t.request?, t.response?);
        let its = request.first.frame..=request.last.frame;
        let within = |heard: &&DataThere| {
            request.last.at <= heard.at
                && heard.at <= response.first.at
                && its.contains(&heard.frame)
        };
        // One frame, and no more, was behind it.
        let is_whole = |heard: &DataThere| heard.frame == request.last.frame;
        let heard = self.server_heard.as_ref().filter(within);
        let heard = heard.filter(|heard| is_whole(heard) || heard.left <= DataThere::ONE_FRAME);
        let Some(heard) = heard else {
            let at = done.reached_at.filter(|_| !self.is_there)?;
            return self.walked((request.last.at, at, response.first.at));
        };
        let whole = is_whole(heard);
        let low = ns(heard.at.since(request.last.at));
        let high = whole.then_some(low.saturating_add(self.longer.server.more));
        // The frame behind it comes in as much later as it is long.
        let left = if whole { 0 } else { u64::from(heard.left) };
        let before = t.request_bytes.saturating_sub(left).max(1);
        let nearest = self
            .found
            .map_or(0, |(.., [server, _])| ns(server.shortest));
        let later = low.saturating_sub(nearest).saturating_mul(left) / before;
        // A response right behind it says that the station was late with both, or its line.
        let apart = response.first.at.since(heard.at) >= LATE_NS;
        Some(OwnWay {
            low: if apart { low } else { 0 },
            high,
            most: low.saturating_add(later),
            least: if heard.pace > 0 && whole && apart {
                low
            } else {
                0
            },
            close: !apart,
        })
    }

    /// As [`Self::acknowledged`], of one of several requests on their way, where acknowledgements walk through all of
    /// them: asked, acknowledged and answered then.
    #[cold]
    pub(super) fn walked(
        &self,
        (asked, at, answered): (Timestamp, Timestamp, Timestamp),
    ) -> Option<OwnWay> {
        let low = ns(at.since(asked));
        let close = answered.since(at) < LATE_NS;
        // An even line took as long.
        let heard = self.server_heard.as_ref();
        let even = heard.is_some_and(|heard| heard.pace > 0 && heard.at >= at);
        (asked <= at && at <= answered).then_some(OwnWay {
            low: if close { 0 } else { low },
            high: even.then_some(low.saturating_add(self.longer.server.more)),
            most: low,
            least: if even && !close { low } else { 0 },
            close,
        })
    }
}
