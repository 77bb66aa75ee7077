//! The scenarios of the repository: what they make, what tshark says to it, and what comes
//! of mistakes in them.

mod captures;
mod common;
mod mistakes;
mod tshark;
mod work;
