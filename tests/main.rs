//! Everything that is proved about the whole, in one program (it links once).

mod lab;
mod layers;
mod oracle;
mod support;
mod truth;
