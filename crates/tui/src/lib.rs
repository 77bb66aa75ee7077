//! The screen.
//!
//! It has the shape of Elm: a model, messages that change it (`update`), and a view that draws
//! it and changes nothing. It does no I/O but that of its terminal, and computes no figure: its
//! caller [feeds](Feed) it the results of the analysis and carries out its [`Command`]s.

#![forbid(unsafe_code)]

mod ascii;
mod backend;
mod bound;
mod context;
mod export;
mod feed;
mod keymap;
mod keys;
mod message;
mod model;
mod navigate;
mod place;
mod prompt;
mod screen;
mod spark;
mod state;
mod table;
mod text;
mod theme;
mod units;
mod update;
mod view;

#[cfg(test)]
mod tests;

pub use feed::{Feed, Input, LiveInterface, Own, Pace, Remark, Saving};
pub use keymap::{Conflict, Keymap, Rebinding};
pub use keys::markdown as keys_markdown;
pub use message::{Command, Message, What};
pub use model::{Model, Options};
pub use screen::{Ended, Screen};
pub use theme::Palette;
pub use units::Units;
pub use update::update;
pub use wirewait_report::decode::{Decoded, TreeLine};

/// Draws the model on the whole frame.
pub fn draw(model: &Model, frame: &mut ratatui::Frame<'_>) {
    view::draw(model, frame.buffer_mut());
    if model.ascii {
        ascii::only(frame.buffer_mut());
    }
}
