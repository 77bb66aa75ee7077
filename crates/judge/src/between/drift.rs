//! Clocks that move against each other: one that drifts by so much a second is followed, one that was set is not.

/// By how much clocks may drift, parts per billion: far beyond what one that is not broken does.
const MOST_PPB: i64 = 2_000_000;
const BILLION: i128 = 1_000_000_000;
/// Stretches of time of which each has a shortest way forth and back of its own.
const STRETCHES: usize = 32;
/// Stretches with frames of both directions below which nothing tells clocks that move from ways that vary.
const FEW: usize = 4;

/// When a frame was seen at the clients, since the first one, and how much later it was at the other end, by another
/// clock, ns.
pub(super) type Shift = (i64, i64);

/// The shifts of each direction, by time.
pub(super) struct Shifts([Vec<Shift>; 2]);

/// How two clocks move against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moving {
    /// Not, as far as the frames tell: the least shift of each direction.
    Not([i64; 2]),
    /// By a line.
    Drift {
        /// How much the second clock gains.
        ppb: i64,
        /// The least shift of each direction, without what it gained since the first frame, ns.
        least: [i64; 2],
        /// The shortest way forth and back within a stretch, ns.
        round_ns: i64,
    },
    /// Otherwise: by so much at least, ns.
    By(u64),
}

/// The shortest ways of stretches of time, if the clocks do not move but by a line.
struct Stretches {
    /// The shortest way forth and back of each stretch that has both, and by how much that forth is longer, ns.
    rounds: Vec<(i64, i64)>,
    /// The shortest of all, ns.
    shortest: i64,
    /// That below which a quarter is, ns: a clock may be set within one, too.
    typical: i64,
}

impl Stretches {
    fn of(mut rounds: Vec<(i64, i64)>) -> Self {
        rounds.sort_unstable();
        // Without one the whole is all there is.
        let at = |place: usize| rounds.get(place).map_or(i64::MIN, |(round, _)| *round);
        let (shortest, typical) = (at(0), at(rounds.len() / 4));
        Self {
            rounds,
            shortest,
            typical,
        }
    }

    /// Those that are nearly as short as the typical one, if half of them are. Ways that vary are not; `gap` is what is to
    /// be explained.
    fn near(&self, gap: i64) -> Option<&[(i64, i64)]> {
        let most = self.typical.saturating_add(gap / 4);
        let near = self.rounds.partition_point(|(round, _)| *round <= most);
        let enough = self.rounds.len() >= FEW && near.saturating_mul(2) >= self.rounds.len();
        self.rounds.get(..near).filter(|_| enough)
    }

    /// Whether the clocks differ by as much in those: a way forth that is longer by 2 ns, and as much shorter back, is a
    /// clock that was set by 1.
    fn moved(&self, gap: i64) -> bool {
        let longer = || {
            self.near(gap)
                .into_iter()
                .flatten()
                .map(|(_, longer)| *longer)
        };
        let moved = longer().max().zip(longer().min());
        moved.is_some_and(|(most, least)| most.saturating_sub(least) / 2 >= gap - gap / 4)
    }
}

impl Shifts {
    pub(super) fn of(mut both: [Vec<Shift>; 2]) -> Self {
        for shifts in &mut both {
            shifts.sort_unstable();
        }
        Self(both)
    }

    /// `None` where one direction has none.
    pub(super) fn moving(&self) -> Option<Moving> {
        let hulls = [below(&self.0[0]), below(&self.0[1])];
        let steady = least(&hulls, 0)?;
        let whole = round(steady);
        let ppb = steepest(&hulls)?;
        let level = least(&hulls, ppb)?;
        let line = self.stretches(ppb);
        let gap = line.typical.saturating_sub(whole);
        let gain = round(level).saturating_sub(whole);
        if round(level) >= 0
            && gap > line.typical / 64
            && gain >= gap.saturating_sub(gap / 4)
            && line.near(gap).is_some()
        {
            return Some(Moving::Drift {
                ppb,
                least: level,
                round_ns: line.shortest,
            });
        }
        let still = self.stretches(0);
        let gap = still.typical.saturating_sub(whole);
        Some(match whole < 0 {
            true => Moving::By(whole.unsigned_abs()),
            false if gap > still.typical / 8 && still.moved(gap) => Moving::By(gap.unsigned_abs()),
            false => Moving::Not(steady),
        })
    }

    fn stretches(&self, ppb: i64) -> Stretches {
        let ends = self.0.iter().filter_map(|shifts| shifts.last());
        let span = ends.map(|(at, _)| *at).max().unwrap_or(0);
        let each = span / STRETCHES as i64 + 1;
        let mut found = [[None; 2]; STRETCHES];
        for (which, shifts) in self.0.iter().enumerate() {
            for shift in shifts {
                let stretch = usize::try_from(shift.0 / each).unwrap_or(0);
                if let Some(known) = found.get_mut(stretch).map(|both| &mut both[which]) {
                    let ns = levelled(*shift, turned(ppb, which));
                    *known = Some(known.map_or(ns, |least: i128| least.min(ns)));
                }
            }
        }
        let rounds = found.iter().filter_map(|[forth, back]| {
            let (forth, back) = (ns((*forth)?), ns((*back)?));
            Some((forth.saturating_add(back), forth.saturating_sub(back)))
        });
        Stretches::of(rounds.collect())
    }
}

fn round([forth, back]: [i64; 2]) -> i64 {
    forth.saturating_add(back)
}

/// What a clock gains makes the way forth look longer, and the way back shorter.
fn turned(ppb: i64, which: usize) -> i64 {
    match which {
        0 => ppb,
        _ => -ppb,
    }
}

/// A shift without what the clock gained, billionths of ns.
fn levelled((at, ns): Shift, ppb: i64) -> i128 {
    i128::from(ns) * BILLION - i128::from(at) * i128::from(ppb)
}

fn ns(billionths: i128) -> i64 {
    i64::try_from(billionths.div_euclid(BILLION)).unwrap_or(i64::MAX)
}

/// The least shift of each direction.
fn least(hulls: &[Vec<Shift>; 2], ppb: i64) -> Option<[i64; 2]> {
    let of = |which: usize| {
        let shifts = hulls[which].iter();
        shifts
            .map(|shift| levelled(*shift, turned(ppb, which)))
            .min()
    };
    Some([ns(of(0)?), ns(of(1)?)])
}

/// The drift by which the shortest way forth and back is the longest: any other makes frames that are far apart in time
/// look as if they were faster.
fn steepest(hulls: &[Vec<Shift>; 2]) -> Option<i64> {
    let (mut low, mut high) = (-MOST_PPB, MOST_PPB);
    // It has one peak.
    while low < high {
        let middle = low + (high - low).div_euclid(2);
        match round(least(hulls, middle)?) < round(least(hulls, middle + 1)?) {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    Some(low)
}

/// Those of which one is the least whatever the drift: the lower convex hull.
fn below(shifts: &[Shift]) -> Vec<Shift> {
    let mut hull: Vec<Shift> = Vec::new();
    for new in shifts {
        while let [.., first, second] = hull.as_slice() {
            let run = |shift: &Shift| i128::from(shift.0) - i128::from(first.0);
            let rise = |shift: &Shift| i128::from(shift.1) - i128::from(first.1);
            if run(second) * rise(new) > rise(second) * run(new) {
                break;
            }
            hull.pop();
        }
        hull.push(*new);
    }
    hull
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    /// A request each half second over 750 s; its response is 10 ms later. The ways are 15.0 ms each, and `ahead` says by how
    /// much the clock at the servers is ahead, by the true time in ms.
    fn seen(ahead: impl Fn(i64) -> i64, ways: impl Fn(i64) -> [i64; 2]) -> Shifts {
        let mut both = [Vec::new(), Vec::new()];
        for n in 0..1_500 {
            let at = n * 500;
            let [forth, back] = ways(n);
            both[0].push((at * MS, forth + ahead(at)));
            both[1].push(((at + 40) * MS, back - ahead(at + 40)));
        }
        Shifts::of(both)
    }

    fn equal(_: i64) -> [i64; 2] {
        [15 * MS; 2]
    }

    /// By construction: 20 ppm are 20 ns each ms, 15.0 ms in 750 s. The clock begins 3 ms ahead.
    #[test]
    fn a_clock_that_drifts_is_followed() {
        for sign in [1, -1] {
            let Some(Moving::Drift {
                ppb,
                least,
                round_ns,
            }) = seen(|at| 3 * MS + sign * 20 * at, equal).moving()
            else {
                panic!("it drifts");
            };
            assert!((ppb - sign * 20_000).abs() <= 2, "{ppb}");
            assert!((round_ns - 30 * MS).abs() < MS / 100, "{round_ns}");
            assert!((least[0] - 18 * MS).abs() < MS / 100, "{least:?}");
            assert!((least[1] - 12 * MS).abs() < MS / 100, "{least:?}");
        }
    }

    /// 5 ms, less than the way, and 500 ms: no line goes through a step.
    #[test]
    fn a_clock_that_was_set_does_not_drift() {
        for (at_ms, by) in [(375_000, 5), (100_000, 5), (600_000, -5), (375_000, 500)] {
            let set = seen(|at| if at < at_ms { 0 } else { by * MS }, equal);
            let moved = match by.abs() {
                5 => 5 * MS,
                _ => 470 * MS,
            };
            assert_eq!(set.moving(), Some(Moving::By(moved.unsigned_abs())), "{by}");
        }
        // Nor where it drifts besides.
        let both = seen(|at| 20 * at + if at < 375_000 { 0 } else { 20 * MS }, equal);
        assert!(matches!(both.moving(), Some(Moving::By(_))));
    }

    /// Ways that vary are no clocks that move: the shortest of each direction is at another time.
    #[test]
    fn ways_that_vary_do_not_move_a_clock() {
        let ways = |n: i64| {
            let more = |n: i64, from: i64| (n.wrapping_mul(7_919) % 701 + from) * MS / 50;
            match n {
                200 => [15 * MS, 40 * MS],
                1_200 => [40 * MS, 15 * MS],
                _ => [15 * MS + more(n, 100), 15 * MS + more(n + 350, 100)],
            }
        };
        assert_eq!(seen(|_| 0, ways).moving(), Some(Moving::Not([15 * MS; 2])));
        assert_eq!(seen(|_| 0, equal).moving(), Some(Moving::Not([15 * MS; 2])));
        // Another route forth, in half of the time.
        let routes = |n: i64| [if n < 700 { 15 * MS } else { 25 * MS }, 15 * MS];
        let found = seen(|_| 0, routes).moving();
        assert_eq!(found, Some(Moving::Not([15 * MS; 2])));
        assert_eq!(Shifts::of([vec![(0, 1)], Vec::new()]).moving(), None);
    }
}
