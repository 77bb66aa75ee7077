//! How the screen looks, and what it keeps.

use crate::size::Size;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use wirewait_tui::{Options, Palette, Units};

#[derive(Debug, Args)]
pub(crate) struct ScreenArgs {
    /// Colours of the screen [default: dark, or mono where NO_COLOR is set]
    #[arg(long, value_name = "NAME", value_parser = palettes())]
    theme: Option<Palette>,
    /// Units of rates and sizes: bytes in powers of 1000, bits, or bytes in powers of 1024
    #[arg(long, value_name = "NAME", default_value = "bytes", value_parser = units())]
    units: Units,
    /// Keeps the latest frames in so much memory, to be looked at and saved; 0 keeps none
    #[arg(long, value_name = "BYTES", default_value = "32MiB", value_parser = room)]
    keep_frames: Size,
    /// The mouse chooses rows and tabs; hold Shift to select text as the terminal does
    #[arg(long)]
    mouse: bool,
}

impl ScreenArgs {
    /// How it begins.
    pub(crate) fn options(&self) -> Options {
        Options {
            palette: self.theme,
            units: self.units,
            // What the analysis hides never comes here.
            private: false,
            mouse: self.mouse,
        }
    }

    /// Bytes for frames.
    pub(crate) fn room(&self) -> usize {
        usize::try_from(self.keep_frames.bytes).unwrap_or(usize::MAX)
    }
}

fn palettes() -> impl TypedValueParser<Value = Palette> {
    PossibleValuesParser::new(Palette::ALL.map(Palette::name)).map(|name| {
        let named = Palette::ALL.into_iter().find(|one| one.name() == name);
        named.unwrap_or_default()
    })
}

fn units() -> impl TypedValueParser<Value = Units> {
    PossibleValuesParser::new(Units::ALL.map(Units::name)).map(|name| {
        let named = Units::ALL.into_iter().find(|one| one.name() == name);
        named.unwrap_or_default()
    })
}

/// More than anyone has is a mistyped unit.
fn room(text: &str) -> Result<Size, String> {
    let size: Size = text.parse()?;
    if size.bytes > 64 << 30 {
        return Err("write 64GiB at most, like 32MiB; 0 keeps none".to_owned());
    }
    Ok(size)
}
