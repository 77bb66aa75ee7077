//! What views remember between one look and the next.

mod chart;
mod pane;
mod picked;
mod talk;

pub(crate) use chart::{ChartLook, Lines, MOST, fit, power};
pub(crate) use pane::{Branches, Focus, Pane};
pub(crate) use picked::{Picked, Section};
pub(crate) use talk::{Talk, shown, talks};
