//! What is the same of all frames with one template, kept by that.

use wirewait_wire::{TemplateId, Templates};

/// A value for each of the templates that frames fit. Where there is none, or another one's,
/// the value is found again.
#[derive(Clone)]
pub(crate) struct ByTemplate<T> {
    /// By slot: the number of the template whose value it is, 0 for none.
    values: Box<[(u64, T); Templates::SLOTS]>,
}

impl<T: Copy> ByTemplate<T> {
    /// Nothing is known; `none` fills the room.
    pub(crate) fn new(none: T) -> Self {
        Self {
            values: Box::new([(0, none); Templates::SLOTS]),
        }
    }

    /// What was set for this template.
    #[inline]
    pub(crate) fn get(&self, template: TemplateId) -> Option<T> {
        let (of, value) = &self.values[template.slot()];
        (*of == template.number()).then_some(*value)
    }

    /// Keeps a value for it.
    pub(crate) fn set(&mut self, template: TemplateId, value: T) {
        self.values[template.slot()] = (template.number(), value);
    }
}
