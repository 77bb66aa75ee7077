//! Where frames are taken from: from memory where they are kept, otherwise from the files, which
//! are read once more.

use crate::args::InputArgs;
use crate::failure::Failure;
use crate::input::Input;
use std::ops::RangeInclusive;
use wirewait::{Choice, Frame};
use wirewait_capture::recent::Recent;

/// Bytes beside a frame that keeping it takes, at the most.
const BESIDE: usize = 64;

/// Frames of the capture, with their numbers.
pub(in crate::watch) enum Stock {
    /// Some in a row.
    Memory(Recent),
    /// All.
    Files(Box<InputArgs>),
}

impl Stock {
    /// A copy of the frames of these numbers that are kept.
    pub(super) fn copy(kept: &Recent, numbers: RangeInclusive<u64>) -> Self {
        let sizes = kept.range(numbers.clone());
        let bytes: usize = sizes.map(|(_, frame)| frame.bytes.len() + BESIDE).sum();
        // Room comes in whole pieces.
        let mut copy = Recent::new(bytes + (1 << 13));
        for (number, frame) in kept.range(numbers) {
            copy.push(number, &frame);
        }
        Self::Memory(copy)
    }

    /// Visits each frame with its number and whether the analysis takes it, until it has seen
    /// enough.
    pub(super) fn each(
        &self,
        mut visit: impl FnMut(u64, &Frame<'_>, bool) -> Next,
    ) -> Result<(), Failure> {
        match self {
            Self::Memory(frames) => {
                for (number, frame) in frames.iter() {
                    if visit(number, &frame, true) == Next::Enough {
                        break;
                    }
                }
            }
            Self::Files(args) => {
                let mut number = 0;
                Input::open_first(args)?.each_frame(|selection, frame| {
                    number += 1;
                    let choice = selection.choose(frame);
                    Ok(match visit(number, frame, choice == Choice::Take) {
                        Next::Enough => Choice::Stop,
                        Next::More => choice,
                    })
                })?;
            }
        }
        Ok(())
    }
}

/// Whether more frames are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    More,
    Enough,
}
