//! The chart of the counters.

use wirewait_report::counters::{Chart, Kind, Line, Pick};

/// Lines on a chart at most: as many as there are letters.
pub(crate) const MOST: usize = 26;

/// The lines of the chart, and how they are shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    /// What is on it, with the power of ten by which it is multiplied.
    pub(crate) picks: Vec<(Pick, i32)>,
    /// Somebody chose: nothing is picked by itself any more.
    pub(crate) chosen: bool,
    pub(crate) look: ChartLook,
    /// The time that is looked at, counted back from the latest.
    pub(crate) back: Option<usize>,
}

/// How the values are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ChartLook {
    /// Over time.
    #[default]
    Chart,
    /// The latest, as bars.
    Histogram,
    /// The latest, as numbers.
    Report,
}

impl Lines {
    /// How many lines there are.
    pub(crate) fn count(&self) -> usize {
        self.picks.len()
    }

    pub(crate) fn has(&self, pick: &Pick) -> bool {
        self.picks.iter().any(|(known, _)| known == pick)
    }

    /// Puts it on the chart or takes it away; `false` if there is no room for it.
    pub(crate) fn turn(&mut self, pick: Pick, kind: &Kind) -> bool {
        self.chosen = true;
        if let Some(at) = self.picks.iter().position(|(known, _)| *known == pick) {
            self.picks.remove(at);
            return true;
        }
        let room = self.picks.len() < MOST;
        if room {
            self.picks.push((pick, power(kind.scale)));
        }
        room
    }

    /// What is on the chart until somebody chooses: how much passes by, as high as it fits.
    pub(crate) fn begin(&mut self, chart: &Chart) {
        const FIRST: [(&str, &str); 4] = [
            ("Network Segment", "% Network utilization"),
            ("Network Segment", "Total bytes received/second"),
            ("Network Segment", "Total frames received/second"),
            ("Server", "Bytes Total/sec"),
        ];
        if self.chosen {
            return;
        }
        self.picks.clear();
        let listed = chart.listed();
        for (object, counter) in FIRST {
            let of = listed.iter().find(|listed| listed.object == object);
            let place = of.and_then(|of| of.instances.first());
            let pick = place.and_then(|place| place.pick(counter));
            // Without a link speed there is no utilisation.
            let line = pick.as_ref().map(|pick| chart.line(pick));
            if let (Some(pick), Some(line)) = (pick, line)
                && line.max.is_some()
            {
                self.picks.push((pick, fit(&line)));
            }
        }
    }
}

/// The power of ten that this is.
pub(crate) fn power(scale: f64) -> i32 {
    // All scales of the table are powers of ten: a test looks at them.
    scale.log10().round().clamp(-12.0, 12.0) as i32
}

/// The greatest power of ten with which the line stays below 100.
pub(crate) fn fit(line: &Line) -> i32 {
    match line.max {
        Some(max) if max > 0.0 => (100.0 / max).log10().floor().clamp(-12.0, 12.0) as i32,
        _ => 0,
    }
}
