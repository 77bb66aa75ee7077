//! How text for people looks.

use crate::time::Digits;
use anstyle::{AnsiColor, Style};
use std::io::{self, Write};
use wirewait_analysis::Grade;

/// How wide, and whether with colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Characters in a line. Tables that need more go on below; long words still pass it.
    pub width: usize,
    /// Whether headings and grades are coloured. Only for a terminal that wants it.
    pub colour: bool,
    /// How many digits durations have.
    pub digits: Digits,
}

impl Look {
    /// For files and pipes: always the same, so that two reports can be compared.
    pub const FILE: Self = Self::plain(132);

    /// One screen of the usual terminal.
    pub const SCREEN: Self = Self::plain(80);

    /// Without colour.
    #[must_use]
    pub const fn plain(width: usize) -> Self {
        Self {
            width,
            colour: false,
            digits: Digits::Three,
        }
    }

    /// With durations of as many digits.
    #[must_use]
    pub const fn with(self, digits: Digits) -> Self {
        Self { digits, ..self }
    }

    pub(crate) fn heading(self, out: &mut impl Write, text: &str) -> io::Result<()> {
        writeln!(out, "{}", self.styled(Style::new().bold(), text))
    }

    pub(crate) fn styled(self, style: Style, text: &str) -> String {
        if self.colour {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }

    pub(crate) fn grade(self, grade: Grade) -> String {
        let colour = match grade {
            Grade::Good => AnsiColor::Green,
            Grade::Fair => AnsiColor::Yellow,
            Grade::Poor => AnsiColor::Red,
        };
        self.styled(colour.on_default().bold(), grade.name())
    }
}
