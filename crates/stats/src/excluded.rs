//! What was left out of statistics, and why.

use crate::Collector;
use wirewait_model::records::{Entities, Records};
use wirewait_model::{Excluded, Exclusions, Figures};

#[derive(Default)]
pub(crate) struct ExcludedFrom(Exclusions);

impl Collector for ExcludedFrom {
    fn batch(&mut self, records: &Records<'_>) {
        for group in records.groups {
            self.0.merge(&group.excluded);
        }
    }

    fn write(&self, _: &dyn Entities, figures: &mut Figures) {
        figures.excluded = self
            .0
            .iter()
            .map(|(why, count)| Excluded {
                from: why.from(),
                reason: why.reason(),
                count,
            })
            .collect();
    }
}
