//! The seam to nom: its errors become [`Fault`]s here and nowhere else.

use nom::Parser;
use nom::bytes::complete::take;
use nom::error::{Error, ErrorKind};
use wirewait_wire::{Fault, Input};

/// Runs a `complete` parser at the start of the input.
pub(crate) fn run<'a, P>(input: Input<'a>, mut parser: P) -> Result<(P::Output, &'a [u8]), Fault>
where
    P: Parser<&'a [u8], Error = Error<&'a [u8]>>,
{
    match parser.parse(input.bytes) {
        Ok((rest, value)) => Ok((value, rest)),
        Err(nom::Err::Error(e) | nom::Err::Failure(e)) => {
            let offset = offset(input.bytes.len() - e.input.len());
            Err(match e.code {
                ErrorKind::Eof => Fault::Short { offset },
                _ => Fault::Malformed { offset, what: "" },
            })
        }
        // `complete` parsers never ask for more.
        Err(nom::Err::Incomplete(_)) => Err(Fault::Short {
            offset: offset(input.bytes.len()),
        }),
    }
}

/// The first `N` bytes, to be indexed by constants.
pub(crate) fn header<'a, const N: usize>(input: Input<'a>) -> Result<&'a [u8; N], Fault> {
    let (bytes, _) = run(input, take(N))?;
    bytes.try_into().map_err(|_| Fault::Short { offset: 0 })
}

/// A malformed field.
pub(crate) const fn malformed(offset: u32, what: &'static str) -> Fault {
    Fault::Malformed { offset, what }
}

/// Reads an integer at a fixed place; `None` behind the end.
macro_rules! reader {
    ($name:ident, $type:ty, $from:ident) => {
        pub(crate) fn $name(bytes: &[u8], at: usize) -> Option<$type> {
            const N: usize = size_of::<$type>();
            let field = bytes.get(at..at.checked_add(N)?)?;
            Some(<$type>::$from(field.try_into().ok()?))
        }
    };
}

reader!(be16, u16, from_be_bytes);
reader!(be32, u32, from_be_bytes);
reader!(be64, u64, from_be_bytes);
reader!(le16, u16, from_le_bytes);
reader!(le32, u32, from_le_bytes);
reader!(le64, u64, from_le_bytes);

fn offset(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
