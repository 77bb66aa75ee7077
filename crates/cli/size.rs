//! Numbers of bytes, as they are typed.

use std::str::FromStr;

/// A number of bytes: `4096`, `64M`, `64MiB`, `10MB`, `1.5GB`. A letter alone counts in powers of
/// 1024, as `dd` has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) bytes: u64,
}

const UNITS: [(&str, u64); 15] = [
    ("", 1),
    ("B", 1),
    ("k", 1 << 10),
    ("K", 1 << 10),
    ("m", 1 << 20),
    ("M", 1 << 20),
    ("g", 1 << 30),
    ("G", 1 << 30),
    ("kB", 1_000),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
];

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let (whole, tenth) = number.split_once('.').unwrap_or((number, "0"));
        // Of what is counted there are no parts.
        let fits = |of: u64| of > 1 || !number.contains('.');
        UNITS
            .iter()
            .find(|(name, of)| *name == unit.trim() && fits(*of))
            .and_then(|(_, unit)| {
                let whole: u64 = whole.parse().ok()?;
                // One digit: what follows would be worth less, and is no reason to guess.
                let tenth: u64 = tenth.parse().ok().filter(|_| tenth.len() == 1)?;
                // Tenths of a byte are none.
                whole.checked_mul(*unit)?.checked_add(tenth * unit / 10)
            })
            .map(|bytes| Self { bytes })
            .ok_or_else(|| "write a number of bytes like 4096, 64MiB, 10MB or 1.5GB".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_written_as_people_write_them() {
        let size = |text: &str| text.parse::<Size>().ok().map(|size| size.bytes);
        assert_eq!(size("0"), Some(0));
        assert_eq!(size("4096"), Some(4096));
        assert_eq!(size("64MiB"), Some(67_108_864));
        assert_eq!(size("10 MB"), Some(10_000_000));
        assert_eq!(size("1.5GB"), Some(1_500_000_000));
        assert_eq!(size("2.5KiB"), Some(2560));
        assert_eq!(size("64M"), size("64MiB"));
        assert_eq!(size("3k"), Some(3072));
        for text in [
            "",
            "M",
            "-1",
            "1.25MB",
            "1.05GB",
            "1.MB",
            "5TB",
            "99999999999GB",
            "1..5MB",
            "1.5",
            "2.0B",
        ] {
            assert_eq!(size(text), None, "{text}");
        }
    }
}
