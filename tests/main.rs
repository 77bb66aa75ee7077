//! Everything that is proved about the whole, in one program (it links once).

mod columns;
mod fields;
mod fields_ipx;
mod decode;
mod hostile;
mod lab;
mod layers;
mod names;
mod nbipx;
mod oracle;
mod program;
mod split;
mod support;
mod truth;
