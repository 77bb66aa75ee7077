//! The screen.
//!
//! It has the shape of Elm: a model, messages that change it (`update`), and a view that draws
//! it and changes nothing. It does no I/O but that of its terminal, and computes no figure: it
//! is [fed](Feed) what the analysis found, and whoever feeds it carries out its [`Command`]s.

#![forbid(unsafe_code)]

mod feed;
mod message;

pub use feed::{Decoded, Feed, Input, LiveInterface, Own, Pace, Remark, Saving, TreeLine};
pub use message::{Command, Message, What};
