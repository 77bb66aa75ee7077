//! What is the same of all frames with one template, kept by that.

use wirewait_wire::{TemplateId, Templates};

/// A value for each of the templates that frames fit. Where there is none, or another one's,
/// the value is found again.
#[derive(Clone)]
pub(crate) struct ByTemplate<T> {
    values: Vec<(Option<TemplateId>, T)>,
}

impl<T: Copy> ByTemplate<T> {
    /// Nothing is known; `none` fills the room.
    pub(crate) fn new(none: T) -> Self {
        Self {
            values: vec![(None, none); Templates::SLOTS],
        }
    }

    /// What was set for this template.
    #[inline]
    pub(crate) fn get(&self, template: TemplateId) -> Option<T> {
        let (of, value) = self.values.get(template.slot())?;
        (*of == Some(template)).then_some(*value)
    }

    /// Keeps a value for it.
    pub(crate) fn set(&mut self, template: TemplateId, value: T) {
        if let Some(place) = self.values.get_mut(template.slot()) {
            *place = (Some(template), value);
        }
    }
}
