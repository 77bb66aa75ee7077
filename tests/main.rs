//! Everything that is proved about the whole, in one program (it links once).

mod columns;
mod counts;
mod decnet;
mod decode;
mod fields;
mod fields_ipx;
mod fields_smb2;
mod hostile;
mod html;
mod lab;
mod last;
mod layers;
mod ledger;
mod merge;
mod names;
mod nbipx;
mod notices;
mod oracle;
mod ports;
mod program;
mod protocols;
mod smb1;
mod split;
mod support;
mod truth;
mod xns;
