//! Whose the active time was: the verdict's three parts, as a bar with its base.

use super::super::bars;
use crate::context::Context;
use crate::text::{self, put};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use wirewait_analysis::{ClockTick, Ledger, LedgerOf, LedgerRow, Phase, Snapshot};
use wirewait_judge::Culprit;
use wirewait_report::words::{Grouped, Percent, Short, bound_mark, perhaps_network};

/// Active client-seconds by who had them, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shares {
    pub(super) client: u64,
    /// Transfers, loss recovery, and the distance as far as it is proved.
    pub(super) network: u64,
    /// Turnarounds.
    pub(super) server: u64,
    /// Requests without a response: nobody's part.
    unanswered: u64,
    /// Of the network's part.
    loss: u64,
    /// No part of active time.
    waiting: u64,
    idle: u64,
    unknown: u64,
    /// What stands before the shares of client, network and server whose interval is wide.
    marks: [&'static str; 3],
    /// Of the client's part and of the server's, what may be the network's.
    perhaps: [u64; 2],
}

impl Shares {
    /// Of all the capture: the base and the parts of the verdict.
    pub(super) fn on(snapshot: &Snapshot) -> Self {
        let rows = &snapshot.ledgers;
        let all = rows.iter().find(|row| row.of == LedgerOf::Capture);
        all.map_or_else(Self::default, |row| Self::of(row, &snapshot.tick))
    }

    /// Of the capture's last seconds. How many requests they are is not known: of all that there are.
    pub(super) fn lately(ledger: Ledger, tick: &ClockTick) -> Self {
        let mut row = LedgerRow::default();
        row.ledger = ledger;
        (row.requests, row.turnarounds, row.pauses) = (tick.requests, tick.requests, tick.requests);
        Self::of(&row, tick)
    }

    fn of(row: &LedgerRow, tick: &ClockTick) -> Self {
        let ledger = &row.ledger;
        Self {
            client: Culprit::Client.shown(ledger),
            network: Culprit::Network.shown(ledger),
            server: Culprit::Server.shown(ledger),
            unanswered: ledger.get(Phase::Unanswered),
            loss: ledger.get(Phase::Retransmission),
            waiting: ledger.get(Phase::Waiting),
            idle: ledger.get(Phase::Idle),
            unknown: ledger.get(Phase::Unknown),
            marks: Culprit::ALL.map(|one| bound_mark(one, row, tick)),
            perhaps: [Culprit::Client, Culprit::Server].map(|one| perhaps_network(one, ledger)),
        }
    }

    /// The base of every share.
    pub(super) fn active(&self) -> u64 {
        self.client
            .saturating_add(self.network)
            .saturating_add(self.server)
            .saturating_add(self.unanswered)
    }

    /// The parts in the order of the bar: letter, name, ns, and the phase whose colour it has.
    fn parts(&self) -> [(&'static str, &'static str, u64, Phase); 4] {
        [
            ("C", "client", self.client, Phase::Client),
            ("N", "network", self.network, Phase::Retransmission),
            ("S", "server", self.server, Phase::Server),
            ("U", "unanswered", self.unanswered, Phase::Unanswered),
        ]
    }

    /// The bar; small letters are what may be the network's, beside that.
    pub(super) fn draw(&self, context: &Context<'_>, area: Rect, buffer: &mut Buffer) {
        let [client, network, server, unanswered] = self.parts();
        let split = |(letter, _, ns, phase): (_, _, u64, _), perhaps: u64| {
            (letter, ns.saturating_sub(perhaps), phase)
        };
        let [of_client, of_server] = self.perhaps;
        let parts = [
            split(client, of_client),
            ("c", of_client, Phase::Client),
            split(network, 0),
            ("s", of_server, Phase::Server),
            split(server, of_server),
            split(unanswered, 0),
        ];
        let cells = bars::cells(&parts.map(|(_, ns, _)| ns), usize::from(area.width));
        let mut x = area.x;
        for ((letter, _, phase), wide) in parts.into_iter().zip(cells) {
            let text = letter.repeat(wide);
            // At most the width of the area, which is 16 bits.
            let wide = wide as u16;
            put(buffer, (x, area.y), wide, &text, context.theme.phase(phase));
            x += wide;
        }
    }

    /// What the letters are, and their shares; then their base, and what is not in it.
    pub(super) fn legend(&self, base: &str, context: &Context<'_>, width: u16) -> Vec<Words> {
        let active = self.active();
        let short = width < 60;
        let mut words: Vec<(Option<(&str, Style)>, String)> = Vec::new();
        let marks = self.marks.into_iter().chain([""]);
        for ((letter, name, ns, phase), mark) in self.parts().into_iter().zip(marks) {
            if phase == Phase::Unanswered && ns == 0 {
                continue;
            }
            let share = format!("{mark}{}", Percent(ns, active));
            let of_it = match name {
                "network" if self.loss > 0 => ("loss recovery", self.loss),
                _ => ("", 0),
            };
            let said = match (short, of_it) {
                (true, _) => share,
                (false, (_, 0)) => format!("{name} {share}"),
                (false, (what, part)) => {
                    format!("{name} {share} ({what} {})", Percent(part, active))
                }
            };
            words.push((Some((letter, context.theme.phase(phase))), said));
        }
        let perhaps = ["c", "s"].into_iter().zip(self.perhaps);
        let perhaps = perhaps.filter(|(_, ns)| *ns > 0).map(|(letter, _)| letter);
        let perhaps: Vec<&str> = perhaps.collect();
        if !perhaps.is_empty() && !short {
            let letters = perhaps.join(" and ");
            words.push((None, format!("{letters} may be the network's")));
        }
        words.push((None, format!("of {} {base}", Short(ns(active)))));
        if !short {
            let apart = [
                ("waiting by design", self.waiting),
                ("idle", self.idle),
                ("unknown", self.unknown),
            ];
            let apart: Vec<String> = apart
                .iter()
                .filter(|(_, ns)| *ns > 0)
                .map(|(what, n)| format!("{what} {}", Short(ns(*n))))
                .collect();
            if !apart.is_empty() {
                words.push((None, format!("apart: {}", apart.join(", "))));
            }
        }
        lines(words, width)
    }
}

/// Words beside each other: where they begin, the letter before them, and the words.
pub(super) type Words = Vec<(u16, Option<(String, Style)>, String)>;

/// As many beside each other as there is room for.
fn lines(words: Vec<(Option<(&str, Style)>, String)>, width: u16) -> Vec<Words> {
    let mut lines: Vec<Words> = vec![Vec::new()];
    let mut x = 0;
    for (letter, said) in words {
        let before = if letter.is_some() { 2 } else { 0 };
        let wide = u16::try_from(text::width(&said))
            .unwrap_or(u16::MAX)
            .saturating_add(before);
        if x > 0 && x + wide > width {
            lines.push(Vec::new());
            x = 0;
        }
        let letter = letter.map(|(letter, style)| (letter.to_owned(), style));
        if let Some(line) = lines.last_mut() {
            line.push((x, letter, said));
        }
        x = x.saturating_add(wide).saturating_add(2);
    }
    lines
}

fn ns(ns: u64) -> i64 {
    i64::try_from(ns).unwrap_or(i64::MAX)
}

/// `5 clients`.
pub(super) fn clients(n: u64) -> String {
    match n {
        1 => "1 client".to_owned(),
        n => format!("{} clients", Grouped(n)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::replayed;
    use wirewait_judge::{Finding, Verdict};

    /// What may be the network's stands beside it: of 45 and 50 in a hundred, 15 and 40.
    #[test]
    fn small_letters_are_what_may_be_the_networks() {
        let shares = Shares {
            client: 45,
            network: 5,
            server: 50,
            perhaps: [15, 40],
            ..Shares::default()
        };
        let feed = replayed();
        let model = crate::tests::model(feed, 100, 30);
        let area = Rect::new(0, 0, 100, 1);
        let mut buffer = Buffer::empty(area);
        shares.draw(&model.context(), area, &mut buffer);
        let bar: String = (0..100).map(|x| buffer[(x, 0)].symbol()).collect();
        let drawn = [
            "C".repeat(30),
            "c".repeat(15),
            "N".repeat(5),
            "s".repeat(40),
        ]
        .concat();
        assert!(bar.starts_with(&drawn[..28]) && bar.ends_with('S'), "{bar}");
        for (letter, cells) in [('C', 30), ('c', 15), ('N', 5), ('s', 40), ('S', 10)] {
            let there = bar.chars().filter(|c| *c == letter).count();
            assert!(there.abs_diff(cells) <= 2, "{letter}: {there} in {bar}");
        }
        let legend = shares.legend("active", &model.context(), 100);
        let said: Vec<&str> = legend.iter().flatten().map(|(.., said)| &**said).collect();
        assert!(said.contains(&"c and s may be the network's"), "{said:?}");
    }

    /// The bar has the verdict's base and the verdict's parts: no second number for one thing.
    #[test]
    fn the_bar_is_the_verdict() {
        let feed = replayed();
        let verdict = Verdict::on(&feed.snapshot);
        let shares = Shares::on(&feed.snapshot);
        assert_eq!(shares.active(), verdict.active_ns);
        assert_eq!(verdict.finding, Finding::Named(Culprit::Server));
        let [client, network, server] = verdict.shares.map(|share| share.ns);
        assert_eq!(
            (shares.client, shares.network, shares.server),
            (client.high, network.low, server.high)
        );
        // By the report's text: of 25.101045 s the servers had 12.383682 s less 112 ms of distance,
        // and the clients 7.917363 s less 67.6 ms.
        let us = |ns: u64| (ns + 500) / 1000;
        assert_eq!(
            (us(shares.client), us(shares.server)),
            (7_849_763, 12_271_682)
        );
        assert_eq!(us(shares.network), 4_979_600);
    }

    #[test]
    fn without_active_time_there_is_no_share() {
        let shares = Shares::of(&LedgerRow::default(), &ClockTick::default());
        assert_eq!(shares.active(), 0);
        let model = crate::Model::default();
        assert!(!shares.legend("active", &model.context(), 40).is_empty());
    }
}
