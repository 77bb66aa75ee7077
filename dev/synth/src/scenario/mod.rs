//! Scenarios: captures written down as text, with the answers computed by hand.
//!
//! ```text
//! title NCP: the server says "being processed" before it answers
//! ethernet raw
//! client C ipx 00000022.020000002201:4003
//! server S ipx 00000022.020000000001:0451
//! 0.000 C>S ncp read handle=1 offset=0 length=1024
//! 0.010 S>C ncp being-processed
//! 1.000 S>C ncp reply data=1024
//! [answer]
//! transaction protocol=ncp function=72 outcome=answered response_time_ns=1s interims=1
//! ```
//!
//! ```
//! use wirewait_synth::Scenario;
//!
//! let text = "title A question\n\
//!             client C udp 10.0.0.1:1025\n\
//!             server S udp 10.0.0.9:524\n\
//!             0.000 C>S ncp date-and-time\n\
//!             0.001 S>C ncp reply\n\
//!             [answer]\n\
//!             transaction turnaround_ns=1ms\n";
//! let scenario = Scenario::parse("question.scenario", text)?;
//! assert_eq!(scenario.frames().len(), 2);
//! assert_eq!(scenario.answer().transactions[0].count, 1);
//! # Ok::<(), wirewait_synth::Error>(())
//! ```
//!
//! The whole language is described in `captures/README.md` of the repository.

mod answer;
mod burst;
mod carrier;
mod error;
mod ncp;
mod net;
mod netware;
mod notation;
mod play;
mod rip;
mod smb1;
mod smb2;
mod station;
mod syntax;
mod wire;
mod words;
mod work;
mod xns;

pub use answer::{Answer, Expected, Totals, TsharkSays, Value};
pub use error::Error;
pub use work::Call;

use crate::OwnedFrame;
use crate::pcapng::Interface;
use syntax::Script;

/// A scenario, read and played: its frames and its answer.
#[derive(Debug)]
pub struct Scenario {
    title: String,
    interfaces: Vec<Interface>,
    frames: Vec<OwnedFrame>,
    calls: Vec<Call>,
    answer: Answer,
}

impl Scenario {
    /// Reads `text` and plays it. `name` is what errors call the file.
    ///
    /// # Errors
    /// The first mistake, with its line and column.
    pub fn parse(name: &str, text: &str) -> Result<Self, Error> {
        Self::read(text).map_err(|fault| fault.in_file(name))
    }

    fn read(text: &str) -> Result<Self, error::Fault> {
        let script = Script::parse(text)?;
        let played = play::play(&script)?;
        let answer = Answer::parse(&script.answer)?;
        Ok(Self {
            title: script.title,
            interfaces: played.interfaces,
            frames: played.frames,
            calls: played.calls,
            answer,
        })
    }

    /// What it is about, in one line.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The frames, in the order in which the capture has them.
    #[must_use]
    pub fn frames(&self) -> &[OwnedFrame] {
        &self.frames
    }

    /// What the programs of the stations at work measured, in the order in which their
    /// requests ended.
    #[must_use]
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// What an analyser must find in them.
    #[must_use]
    pub fn answer(&self) -> &Answer {
        &self.answer
    }

    /// The capture as the bytes of a pcapng file with nanosecond time stamps; the title is
    /// its comment.
    #[must_use]
    pub fn pcapng(&self) -> Vec<u8> {
        crate::pcapng::file(&self.title, &self.interfaces, &self.frames)
    }
}
