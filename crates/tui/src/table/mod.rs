//! The one table of all views.
//!
//! A view describes its [`Column`]s once: title, width, what stands in a cell. From that follow
//! drawing, sorting, searching and export. Only the rows that are visible are formatted; which
//! rows those are, and in which order, is part of the model ([`State`]) and changes when the
//! figures, the sorting or the filter do.

mod cell;
mod columns;
mod draw;
mod export;
mod filter;
mod state;

pub(crate) use cell::{Cell, Value};
pub(crate) use columns::{AnyRows, Column, Head, List, RowIdentity, columns_of};
pub(crate) use draw::{
    Scrolled, bar_at, column_at, columns, draw, head_lines, order, page, preview, scrollbar,
    scrolled,
};
pub(crate) use export::{Format, export};
pub(crate) use state::{Move, State, Wishes};
