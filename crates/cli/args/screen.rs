//! How the screen looks, and what it keeps.

use crate::failure::Failure;
use crate::size::Size;
use crate::when::Span;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::time::Duration;
use wirewait_tui::{Keymap, Options, Palette, Rebinding, Units};

#[derive(Debug, Args)]
pub(crate) struct ScreenArgs {
    /// Colour theme [default: dark; mono if NO_COLOR is set]
    #[arg(long, hide_short_help = true, value_name = "NAME", value_parser = palettes())]
    theme: Option<Palette>,
    /// Units of rates and sizes: bytes (powers of 1000), bits, or binary (powers of 1024)
    #[arg(long, hide_short_help = true, value_name = "NAME", default_value = "bytes", value_parser = units())]
    units: Units,
    /// Memory for the latest frames, to decode and save them from the screen; 0 keeps none
    #[arg(long, hide_short_help = true, value_name = "BYTES", default_value = "32MiB", value_parser = room)]
    keep_frames: Size,
    /// Leave the mouse to the terminal, which otherwise selects text only with Shift
    #[arg(long, hide_short_help = true)]
    no_mouse: bool,
    /// Draw with ASCII only; auto: if the locale (LC_ALL, LC_CTYPE, LANG) is not UTF-8
    #[arg(long, hide_short_help = true, value_enum, default_value_t = Ascii::Auto)]
    ascii: Ascii,
    /// Refresh interval, 100ms to 1min
    #[arg(long, hide_short_help = true, value_name = "DURATION", default_value = "250ms", value_parser = refresh)]
    refresh: Span,
    /// Bind keys to an action: 'freeze=f', 'page_down=ctrl-d pgdn' (names: docs/screen.md);
    /// repeatable
    #[arg(long, hide_short_help = true, value_name = "NAME=KEY")]
    key: Vec<Rebinding>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Ascii {
    Auto,
    Always,
    Never,
}

impl ScreenArgs {
    /// How it begins.
    pub(crate) fn options(&self) -> Result<Options, Failure> {
        let mut keys = Keymap::default();
        self.key.iter().for_each(|key| keys.change(key));
        if let Some(conflict) = keys.conflict() {
            return Err(Failure::Usage(format!("--key: {conflict}")));
        }
        Ok(Options {
            palette: self.theme,
            units: self.units,
            // What the analysis hides never comes here.
            private: false,
            mouse: !self.no_mouse,
            keys,
            ascii: match self.ascii {
                Ascii::Always => true,
                Ascii::Never => false,
                Ascii::Auto => !cfg!(windows) && !is_utf8(|name| std::env::var_os(name)),
            },
        })
    }

    /// From one feed of the screen to the next.
    pub(crate) fn refresh(&self) -> Duration {
        Duration::from_nanos(self.refresh.nanos.unsigned_abs())
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

fn refresh(text: &str) -> Result<Span, String> {
    let span: Span = text.parse()?;
    match span.nanos {
        100_000_000..=60_000_000_000 => Ok(span),
        _ => Err("write a time from 100ms to 1min".to_owned()),
    }
}

/// Whether the locale of this environment writes UTF-8. Where none is named it is the C locale,
/// which does not (POSIX.1, 8.2).
fn is_utf8(environment: impl Fn(&str) -> Option<OsString>) -> bool {
    let named = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter();
    let locale = named
        .filter_map(environment)
        .find(|value| !value.is_empty());
    locale.is_some_and(|locale| {
        let locale = locale.to_string_lossy().to_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_locale_that_is_named_holds() {
        let utf8 = |set: &[(&str, &str)]| {
            is_utf8(|name| {
                let found = set.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| value.into())
            })
        };
        assert!(utf8(&[("LANG", "de_DE.UTF-8")]));
        assert!(utf8(&[
            ("LC_ALL", ""),
            ("LC_CTYPE", "C.utf8"),
            ("LANG", "C")
        ]));
        assert!(!utf8(&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")]));
        assert!(!utf8(&[("LANG", "de_DE.ISO-8859-1")]));
        assert!(!utf8(&[]));
    }

    #[test]
    fn figures_are_renewed_ten_times_a_second_at_most() {
        let nanos = |text| refresh(text).map(|span| span.nanos);
        assert_eq!(nanos("100ms"), Ok(100_000_000));
        assert_eq!(nanos("1min"), Ok(60_000_000_000));
        for text in ["99ms", "0", "61s", "soon"] {
            assert!(nanos(text).is_err(), "{text}");
        }
    }
}
