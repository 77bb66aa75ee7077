//! How service changes with the load: by the number of active stations, and over time.

mod activity;
mod answers;
mod dips;
mod knee;
mod levels;
mod scopes;
#[cfg(test)]
mod testing;
mod timeline;

use crate::{Collector, Options};
use scopes::Scopes;
use timeline::Series;
use wirewait_model::Figures;
use wirewait_model::records::{Entities, Joined, Moment, Records};

pub(crate) struct Load {
    scopes: Scopes,
    series: Series,
}

impl Load {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            scopes: Scopes::new(options.think_ns),
            series: Series::default(),
        }
    }
}

impl Collector for Load {
    fn batch(&mut self, records: &Records<'_>) {
        let Self { scopes, series } = self;
        for moment in records.moments {
            match moment {
                Moment::Begins(waiting) => scopes.begins(waiting),
                Moment::Ends(waiting) => scopes.ends(waiting),
                Moment::Answered(answer) => {
                    series.answered(answer);
                    scopes.answered(answer);
                }
                Moment::Frames(traffic) => scopes.frames(traffic),
                Moment::Now(at) => scopes.settle(*at, &mut |stretch| series.active(stretch)),
                Moment::Joined(_) => {}
                Moment::Over => scopes.finish(&mut |stretch| series.active(stretch)),
            }
        }
    }

    fn joined(&mut self, joined: &Joined) {
        self.scopes.joined(joined);
    }

    fn write(&self, entities: &dyn Entities, figures: &mut Figures) {
        let line = self.series.timeline();
        figures.levels = self.scopes.curves(entities);
        figures.dips = dips::find(&line);
        figures.timeline = timeline::shown(line);
        figures.losses.add(&self.scopes.losses());
    }
}
