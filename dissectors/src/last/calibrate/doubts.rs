//! What else bytes may be than what they are taken for.

use std::fmt;

/// Other readings that fit.
#[derive(Clone, Debug, Default)]
pub(super) struct Doubts(Vec<String>);

impl Doubts {
    pub(super) fn add(&mut self, holds: bool, why: &str) {
        if holds {
            self.0.push(why.to_owned());
        }
    }

    /// For each bit of a number that has another reading; bit 0 is its lowest.
    pub(super) fn add_bits(&mut self, bits: u64, before: &str, after: &str) {
        if bits != 0 {
            self.0.push(format!("{before}{}{after}", Bits(bits)));
        }
    }

    pub(super) fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Bits that are set, in words.
struct Bits(u64);

impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let set = |bit: u32| self.0.checked_shr(bit).is_some_and(|bits| bits & 1 == 1);
        let name = if self.0.count_ones() == 1 {
            "bit"
        } else {
            "bits"
        };
        f.write_str(name)?;
        let begins = (0..u64::BITS).filter(|bit| set(*bit) && (*bit == 0 || !set(bit - 1)));
        for (n, from) in begins.enumerate() {
            let to = (from..u64::BITS).take_while(|bit| set(*bit)).last();
            f.write_str(if n == 0 { " " } else { ", " })?;
            match to.filter(|to| *to > from) {
                Some(to) => write!(f, "{from} to {to}")?,
                None => write!(f, "{from}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_in_words() {
        for (bits, words) in [
            (1, "bit 0"),
            (0x8000_0000_0000_0000, "bit 63"),
            (0xf000, "bits 12 to 15"),
            (0xf003, "bits 0 to 1, 12 to 15"),
            (0b10101, "bits 0, 2, 4"),
            (u64::MAX, "bits 0 to 63"),
        ] {
            assert_eq!(Bits(bits).to_string(), words);
        }
    }
}
