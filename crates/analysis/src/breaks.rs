//! Oplocks and leases that a server takes back from a client, and the requests of others that wait for that.

use crate::Mark;
use wirewait_wire::{Endpoint, Kind};

/// A server that waits so long for the acknowledgement of a break before it answers who opens the file has given up, ns:
/// Windows does so after 35 s ([MS-SMB2] 3.3.2.1), Samba after 30.
const GIVES_UP_NS: i64 = 20_000_000_000;

/// An oplock or a lease that a server took back. `F` is how its file is known.
#[derive(Clone, Copy, Debug)]
pub struct TakenBack<F> {
    /// The server.
    pub server: Endpoint,
    /// The file, if it has a name.
    pub file: Option<F>,
    /// The break.
    pub from: Mark,
    /// Its acknowledgement; the break again as long as there is none.
    pub to: Mark,
}

/// A request that may have waited until another client gave an oplock or a lease back.
#[derive(Clone, Copy, Debug)]
pub struct BreakWaiter<F> {
    /// Its server.
    pub server: Endpoint,
    /// The file that it works on, if it has a name.
    pub file: Option<F>,
    /// It opens that.
    opens: bool,
    /// The end of the request.
    pub request: Mark,
    /// The beginning of the response.
    pub response: Mark,
}

impl<F> TakenBack<F> {
    /// How long its holder took to acknowledge it, ns.
    #[must_use]
    pub fn ns(&self) -> i64 {
        self.from.until(self.to).unwrap_or(0)
    }

    /// Whether it was acknowledged.
    #[must_use]
    pub const fn is_given(&self) -> bool {
        self.to.frame != self.from.frame
    }
}

impl<F> BreakWaiter<F> {
    /// A request of this kind at a server, for a file, if that may let it wait for another client: its end, and the beginning of its
    /// response.
    #[must_use]
    pub fn of(
        (kind, server): (Kind, Endpoint),
        file: Option<F>,
        [request, response]: [Mark; 2],
    ) -> Option<Self> {
        (!is_exempt(kind)).then_some(Self {
            server,
            file,
            opens: kind == Kind::Open,
            request,
            response,
        })
    }
}

impl<F: PartialEq> BreakWaiter<F> {
    /// Until when it waited for this one, if it did: the break and its acknowledgement lie between request and response, and it is not
    /// known to be of another file. Where nobody acknowledged it, an open waits until its server gives up.
    #[must_use]
    pub fn waited_for(&self, of: &TakenBack<F>) -> Option<Mark> {
        let given_up = self.opens && of.from.until(self.response) >= Some(GIVES_UP_NS);
        let to = match of.is_given() || !given_up {
            true => of.to,
            false => self.response,
        };
        let files = of.file.as_ref().zip(self.file.as_ref());
        let elsewhere = files.is_some_and(|(one, other)| one != other);
        let within = of.from.at >= self.request.at && to.at <= self.response.at;
        (of.server == self.server && within && !elsewhere).then_some(to)
    }
}

/// Whether a request of this kind waits for nobody who gives something back.
pub(crate) const fn is_exempt(kind: Kind) -> bool {
    matches!(kind, Kind::Break | Kind::Wait | Kind::Session | Kind::Close)
}
