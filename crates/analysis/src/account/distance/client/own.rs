//! What acknowledgements of its own data show of the way of a message.

use super::super::reading::ReadWithin;
use super::super::varying::OwnWay;
use super::super::{Bounds, Ceiling, DataThere, Evidence, LEAST, STEADY, ns};
use super::{EVENLY, LATE_NS, Nearest, Over};
use crate::Transaction;
use crate::account::ceiling::{most_on_line, on_line};
use crate::account::{Outstanding, ReachedAt};
use wirewait_wire::{Endpoint, Timestamp};

impl Nearest {
    /// In what time the server, and the client, acknowledged data by itself, if it never answered anything.
    #[inline]
    pub(super) fn alone(
        &mut self,
        [server, client]: [&Endpoint; 2],
        answered: [bool; 2],
        evidence: &impl Evidence,
    ) -> [Ceiling; 2] {
        let mut alone = [Ceiling::NONE; 2];
        for (side, ends) in [[server, client], [client, server]].into_iter().enumerate() {
            if !answered[side] {
                alone[side] = evidence.alone(ends, &mut self.rode_at[side]);
            }
        }
        alone
    }

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
        // Less than two frames were behind it: a receiver may keep those waiting.
        let left = u64::from(heard.left);
        let own = own && left < 2 * most_on_line(before.response.head);
        let several = own && left > most_on_line(before.response.head);
        let last = if several { on_line(left) } else { last };
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
            let most = after.saturating_mul(last + request) / acknowledged;
            let most = if several {
                most
            } else {
                most.min(self.longer.last)
            };
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
        let heard = self.server_heard.as_ref().filter(within);
        let is_whole = heard.is_some_and(|heard| heard.frame == request.last.frame);
        let (asked, answered) = (request.last.at, response.first.at);
        if !is_whole && let Some(reached) = done.reached_at.filter(|_| !self.is_there) {
            return self.walked(t, (asked, answered), reached);
        }
        let heard = heard?;
        if heard.late {
            // Nothing but that it is no longer.
            let most = ns(heard.at.since(asked));
            let steady = self.variations[0].deviation == 0;
            return steady.then_some(OwnWay {
                low: 0,
                high: None,
                most,
                least: 0,
                close: true,
            });
        }
        let left = if is_whole { 0 } else { heard.left.into() };
        let low = ns(heard.at.since(asked));
        let Bounds {
            low: sooner,
            high: later,
        } = self.behind_it(t, (low, left), heard.pace)?;
        // A response right behind it says that the station was late with both, or its line.
        let apart = answered.since(heard.at) >= LATE_NS;
        Some(OwnWay {
            low: if apart { low } else { 0 },
            high: is_whole.then_some(low.saturating_add(self.longer.server.more)),
            most: low.saturating_add(later),
            least: if heard.pace > 0 && apart {
                low.saturating_add(sooner)
            } else {
                0
            },
            close: !apart,
        })
    }

    /// Of a request that was there after `low` but for `left` bytes: as much later as they are long, and the response is
    /// longer than an acknowledgement. 1,024 bytes take so long if that is not 0. `None` if none of it was there.
    #[inline]
    fn behind_it(&self, t: &Transaction, (low, left): (u64, u64), pace: u32) -> Option<Bounds> {
        match left {
            0 => Some(Bounds::default()),
            _ => self.some_behind_it(t, (low, left), pace),
        }
    }

    #[cold]
    #[inline(never)]
    fn some_behind_it(
        &self,
        t: &Transaction,
        (low, left): (u64, u64),
        pace: u32,
    ) -> Option<Bounds> {
        let before = t.request_bytes.checked_sub(left).filter(|ns| *ns > 0)?;
        let more = self.longer.server.more;
        if pace > 0 {
            let ns = left * u64::from(pace) / 1_024;
            return Some(Bounds {
                low: ns - ns / EVENLY,
                high: (ns + ns / EVENLY).saturating_add(more),
            });
        }
        let found = self.found.as_ref();
        let nearest = found.map_or(0, |(.., [server, _])| ns(server.shortest));
        let later = low.saturating_sub(nearest).saturating_mul(left) / before;
        Some(Bounds {
            low: 0,
            high: later.saturating_add(more),
        })
    }

    /// As [`Self::acknowledged`], of one of several requests on their way, where acknowledgements walk through all of
    /// them: asked, and answered then.
    #[cold]
    #[inline(never)]
    pub(super) fn walked(
        &self,
        t: &Transaction,
        (asked, answered): (Timestamp, Timestamp),
        ReachedAt {
            at,
            left,
            later: also,
        }: ReachedAt,
    ) -> Option<OwnWay> {
        let low = ns(at.since(asked));
        let close = answered.since(at) < LATE_NS;
        // An even line took as long.
        let heard = self.server_heard.as_ref();
        let pace = heard.filter(|heard| heard.at >= at);
        let pace = pace.map_or(0, |heard| heard.pace);
        let Bounds {
            low: sooner,
            high: later,
        } = self.behind_it(t, (low, left.into()), pace)?;
        let more = self.longer.server.more;
        let whole = pace > 0 && left == 0 && also.is_none();
        let also = also.filter(|also| *also < u32::MAX);
        let until = also.map_or(u64::MAX, |also| low.saturating_add(also.into()));
        // It may have waited for what was behind it.
        let close = close || until == low;
        (asked <= at && at <= answered).then_some(OwnWay {
            low: if close { 0 } else { low },
            high: whole.then_some(low.saturating_add(more)),
            most: low.saturating_add(later).min(until.saturating_add(more)),
            least: if pace > 0 && !close {
                low.saturating_add(sooner).min(until)
            } else {
                0
            },
            close,
        })
    }
}
