//! The fields of a PDU, as a detail pane shows them: name, bytes, value, meaning.
//!
//! A dissector describes its fields with a [`Fields`] that stands at a byte and moves on
//! with every field, so that no byte is described twice and none is passed over.

use crate::{Asked, Input, Layout};
use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::sync::Arc;

/// What a field holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// Nothing of its own: it heads the fields of the next level.
    Heading,
    /// A number, shown in decimal.
    Decimal(u64),
    /// A number whose digits are a code or bits, shown in hexadecimal.
    Hex(u64),
    /// Bytes without a form of their own.
    Bytes(&'a [u8]),
    /// An address, a name or a time, in words. Not yet safe for a terminal: callers
    /// must escape it.
    Text(String),
    /// The capture or the sender cut it off.
    Cut,
}

/// One field of a PDU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    /// The specification's name.
    pub name: Cow<'static, str>,
    /// How many headings and fields it is part of.
    pub depth: u8,
    /// Its first byte, counted from the start of the PDU.
    pub start: u32,
    /// The byte behind its last one.
    pub end: u32,
    /// The bits that it takes of the number at these bytes, where it is part of a field;
    /// 0 for a field of whole bytes.
    pub mask: u64,
    /// What it holds; of a part of a number, its bits moved down to the lowest.
    pub value: Value<'a>,
    /// What that means; empty where the value says all.
    pub meaning: String,
}

impl Field<'_> {
    /// Stands for its bytes: neither a heading nor some bits of another field.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.mask == 0 && self.value != Value::Heading
    }
}

/// Gathers the fields of one PDU in the order of its bytes.
///
/// A reader answers `None` when the bytes end before the field does; the field is then
/// noted as cut off, and so a dissector goes on with `?`.
#[derive(Debug)]
pub struct Fields<'a> {
    input: Input<'a>,
    asked: Option<Asked>,
    layout: Option<Arc<Layout>>,
    at: u32,
    depth: u8,
    /// Places of the open headings in `list`.
    open: Vec<usize>,
    list: Vec<Field<'a>>,
    ended: bool,
}

/// Reads a number, notes it in decimal.
macro_rules! number {
    ($(#[$doc:meta] $name:ident: $type:ty, $from:ident;)*) => {
        $(
            #[$doc]
            pub fn $name(&mut self, name: impl Into<Cow<'static, str>>) -> Option<$type> {
                let bytes = self.take(size_of::<$type>() as u32, name.into())?;
                let number = <$type>::$from(bytes.try_into().ok()?);
                self.set(Value::Decimal(number.into()));
                Some(number)
            }
        )*
    };
}

impl<'a> Fields<'a> {
    /// The fields of the PDU in `input`. `asked` is the request that it answers, where that
    /// is known.
    #[must_use]
    pub fn new(input: Input<'a>, asked: Option<Asked>) -> Self {
        Self {
            input,
            asked,
            layout: None,
            at: 0,
            depth: 0,
            open: Vec::new(),
            list: Vec::new(),
            ended: false,
        }
    }

    /// With the table by which the dissector is to show its fields, if it asks for one.
    #[must_use]
    pub fn with_layout(mut self, layout: Option<Arc<Layout>>) -> Self {
        self.layout = layout;
        self
    }

    /// The table to show fields by, in place of the dissector's own.
    #[must_use]
    pub fn layout(&self) -> Option<Arc<Layout>> {
        self.layout.clone()
    }

    /// The whole PDU.
    #[must_use]
    pub fn input(&self) -> Input<'a> {
        self.input
    }

    /// The request that the PDU answers, where that is known.
    #[must_use]
    pub fn asked(&self) -> Option<&Asked> {
        self.asked.as_ref()
    }

    /// Where the next field begins.
    #[must_use]
    pub fn at(&self) -> u32 {
        self.at
    }

    /// Bytes that the sender sent from here on.
    #[must_use]
    pub fn left(&self) -> u32 {
        self.input.length.saturating_sub(self.at)
    }

    /// The bytes from here on, as far as they were captured.
    #[must_use]
    pub fn peek(&self) -> &'a [u8] {
        self.input.bytes.get(self.at as usize..).unwrap_or_default()
    }

    number! {
        /// One byte.
        u8: u8, from_be_bytes;
        /// Two bytes, the high one first.
        be16: u16, from_be_bytes;
        /// Four bytes, the high one first.
        be32: u32, from_be_bytes;
        /// Eight bytes, the high one first.
        be64: u64, from_be_bytes;
        /// Two bytes, the low one first.
        le16: u16, from_le_bytes;
        /// Four bytes, the low one first.
        le32: u32, from_le_bytes;
        /// Eight bytes, the low one first.
        le64: u64, from_le_bytes;
    }

    /// Three bytes, the high one first.
    pub fn be24(&mut self, name: impl Into<Cow<'static, str>>) -> Option<u32> {
        let &[high, middle, low] = self.take(3, name.into())? else {
            return None;
        };
        let number = u32::from_be_bytes([0, high, middle, low]);
        self.set(Value::Decimal(number.into()));
        Some(number)
    }

    /// A number of `n` bytes, at most 8; the high one first, or the low one.
    pub fn number(
        &mut self,
        n: u32,
        high_first: bool,
        name: impl Into<Cow<'static, str>>,
    ) -> Option<u64> {
        let bytes = self.take(n.clamp(1, 8), name.into())?;
        let add = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        let number = match high_first {
            true => bytes.iter().fold(0, add),
            false => bytes.iter().rev().fold(0, add),
        };
        self.set(Value::Decimal(number));
        Some(number)
    }

    /// `n` bytes without a form of their own. None at all make no field.
    pub fn bytes(&mut self, n: u32, name: impl Into<Cow<'static, str>>) -> Option<&'a [u8]> {
        if n == 0 && !self.ended {
            return Some(&[]);
        }
        self.take(n, name.into())
    }

    /// `n` bytes of text, one byte a character, shown as far as the first zero.
    pub fn text(&mut self, n: u32, name: impl Into<Cow<'static, str>>) -> Option<&'a [u8]> {
        let bytes = self.bytes(n, name)?;
        let text = bytes.split(|b| *b == 0).next().unwrap_or_default();
        self.words(n, text.iter().map(|b| char::from(*b)).collect());
        Some(bytes)
    }

    /// `n` bytes of UTF-16, the low byte first, shown as far as the first zero.
    pub fn utf16(&mut self, n: u32, name: impl Into<Cow<'static, str>>) -> Option<&'a [u8]> {
        let bytes = self.bytes(n, name)?;
        let units = bytes
            .chunks_exact(2)
            .map(|unit| u16::from_le_bytes([unit[0], unit[1]]))
            .take_while(|unit| *unit != 0);
        let text = char::decode_utf16(units)
            .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect();
        self.words(n, text);
        Some(bytes)
    }

    /// The bytes up to `position`, as one field; none if it is here or lies behind.
    pub fn until(&mut self, position: u32, name: impl Into<Cow<'static, str>>) -> Option<&'a [u8]> {
        self.bytes(position.saturating_sub(self.at), name)
    }

    /// All that is left of the PDU, as one field; bytes that were not captured are left out.
    pub fn rest(&mut self, name: impl Into<Cow<'static, str>>) -> Option<&'a [u8]> {
        let captured = u32::try_from(self.peek().len()).unwrap_or(u32::MAX);
        self.bytes(self.left().min(captured), name)
    }

    /// The last field is a code or bits: shows its number in hexadecimal.
    pub fn hex(&mut self) -> &mut Self {
        if let Some(Field { value, .. }) = self.list.last_mut()
            && let Value::Decimal(number) = *value
        {
            *value = Value::Hex(number);
        }
        self
    }

    /// Shows the last field in these words instead of its bytes or number.
    pub fn shown(&mut self, words: impl fmt::Display) -> &mut Self {
        self.set(Value::Text(words.to_string()));
        self
    }

    /// Says what the last field means.
    pub fn means(&mut self, meaning: impl fmt::Display) -> &mut Self {
        if let Some(field) = self.list.last_mut() {
            field.meaning.clear();
            // A string takes everything.
            let _ = write!(field.meaning, "{meaning}");
        }
        self
    }

    /// Some bits of the last field of whole bytes, as a field below it; answers them moved
    /// down to the lowest. The meaning that comes next is theirs.
    pub fn bits(&mut self, mask: u64, name: impl Into<Cow<'static, str>>) -> u64 {
        let Some(whole) = self.list.iter().rposition(|field| field.mask == 0) else {
            return 0;
        };
        let Field {
            depth,
            start,
            end,
            ref value,
            ..
        } = self.list[whole];
        let (Value::Decimal(number) | Value::Hex(number)) = *value else {
            return 0;
        };
        let value = (number & mask)
            .checked_shr(mask.trailing_zeros())
            .unwrap_or(0);
        self.list.push(Field {
            name: name.into(),
            depth: depth.saturating_add(1),
            start,
            end,
            mask,
            value: Value::Decimal(value),
            meaning: String::new(),
        });
        value
    }

    /// One bit of the last field of whole bytes, with what it means when set and when not.
    pub fn flag(&mut self, mask: u64, name: &'static str, set: &str, clear: &str) -> bool {
        let is_set = self.bits(mask, name) != 0;
        self.means(if is_set { set } else { clear });
        is_set
    }

    /// Begins a group: the fields up to [`Self::close`] stand below this heading.
    pub fn open(&mut self, name: impl Into<Cow<'static, str>>) -> &mut Self {
        self.open.push(self.list.len());
        self.list.push(Field {
            name: name.into(),
            depth: self.depth,
            start: self.at,
            end: self.at,
            mask: 0,
            value: Value::Heading,
            meaning: String::new(),
        });
        self.depth = self.depth.saturating_add(1);
        self
    }

    /// Ends the group opened last.
    pub fn close(&mut self) {
        if let Some(heading) = self.open.pop() {
            self.depth = self.depth.saturating_sub(1);
            if let Some(field) = self.list.get_mut(heading) {
                field.end = self.at;
            }
        }
    }

    /// The next `n` bytes for themselves, as far as they are there: `read` finds the end of
    /// the PDU behind them. What it leaves over is one field, `rest`; groups that it left open
    /// are closed. A field that wants more than these bytes ends them, not the PDU.
    pub fn within(
        &mut self,
        n: u32,
        rest: impl Into<Cow<'static, str>>,
        read: impl FnOnce(&mut Self) -> Option<()>,
    ) -> Option<()> {
        if self.ended {
            return None;
        }
        let (outer, open) = (self.input, self.open.len());
        let end = self.at.saturating_add(n).min(outer.length);
        let captured = outer.bytes.len().min(end as usize);
        self.input = Input {
            bytes: outer.bytes.get(..captured).unwrap_or_default(),
            length: end,
        };
        let read = read(self);
        if read.is_some() {
            self.rest(rest);
        }
        while self.open.len() > open {
            self.close();
        }
        self.input = outer;
        // Everything up to the end was captured: only these bytes have ended.
        self.ended &= self.at < end;
        (self.at >= end && !self.ended).then_some(())
    }

    /// All fields, in order; groups still open are closed.
    #[must_use]
    pub fn finish(mut self) -> Vec<Field<'a>> {
        while !self.open.is_empty() {
            self.close();
        }
        self.list
    }

    fn take(&mut self, n: u32, name: Cow<'static, str>) -> Option<&'a [u8]> {
        if self.ended {
            return None;
        }
        let start = self.at;
        let wanted = start.saturating_add(n);
        let found = self
            .input
            .bytes
            .get(start as usize..wanted as usize)
            .filter(|_| wanted <= self.input.length);
        // What is there of a field cut off is described by it all the same.
        let captured = u32::try_from(self.input.bytes.len()).unwrap_or(u32::MAX);
        self.at = if found.is_some() {
            wanted
        } else {
            captured.min(wanted).min(self.input.length).max(start)
        };
        self.ended = found.is_none();
        self.list.push(Field {
            name,
            depth: self.depth,
            start,
            end: self.at,
            mask: 0,
            value: found.map_or(Value::Cut, Value::Bytes),
            meaning: String::new(),
        });
        found
    }

    /// The text of the field of `n` bytes that was noted last.
    fn words(&mut self, n: u32, text: String) {
        if n > 0 {
            self.set(Value::Text(text));
        }
    }

    fn set(&mut self, value: Value<'a>) {
        if let Some(field) = self.list.last_mut() {
            field.value = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(fields: &[Field<'_>]) -> Vec<(String, u8, u32, u32)> {
        fields
            .iter()
            .map(|f| (f.name.to_string(), f.depth, f.start, f.end))
            .collect()
    }

    #[test]
    fn fields_follow_one_another() {
        let mut f = Fields::new(Input::whole(&[0x12, 0x34, 0x81, b'a', 0, 7, 0]), None);
        assert_eq!(f.be16("Number"), Some(0x1234));
        f.open("Group");
        assert_eq!(f.u8("Flags"), Some(0x81));
        f.hex().means("some");
        assert!(f.flag(0x80, "Reply", "reply", "request"));
        assert_eq!(f.bits(0x0f, "Low"), 1);
        f.text(2, "Name");
        f.close();
        f.le16("Little");
        let fields = f.finish();
        assert_eq!(
            layout(&fields),
            [
                ("Number".into(), 0, 0, 2),
                ("Group".into(), 0, 2, 5),
                ("Flags".into(), 1, 2, 3),
                ("Reply".into(), 2, 2, 3),
                ("Low".into(), 2, 2, 3),
                ("Name".into(), 1, 3, 5),
                ("Little".into(), 0, 5, 7),
            ]
        );
        assert_eq!(fields[2].value, Value::Hex(0x81));
        assert_eq!(fields[2].meaning, "some");
        assert_eq!(fields[3].meaning, "reply");
        assert_eq!(fields[5].value, Value::Text("a".into()));
        assert_eq!(fields[6].value, Value::Decimal(7));
    }

    #[test]
    fn a_field_cut_off_is_the_last_one() {
        let input = Input {
            bytes: &[1, 2, 3],
            length: 9,
        };
        let mut f = Fields::new(input, None);
        f.open("Group");
        assert_eq!(f.be16("One"), Some(0x0102));
        assert_eq!(f.be32("Two"), None);
        assert_eq!(f.u8("Three"), None, "nothing comes behind it");
        let fields = f.finish();
        assert_eq!(fields.len(), 3);
        assert_eq!(fields[2].value, Value::Cut);
        assert_eq!((fields[2].start, fields[2].end), (2, 3));
        assert_eq!(fields[0].end, 3);
    }

    #[test]
    fn three_bytes_are_a_number() {
        let mut f = Fields::new(Input::whole(&[1, 2, 3, 4, 5]), None);
        assert_eq!(f.be24("Three"), Some(0x01_0203));
        assert_eq!(f.be24("More"), None);
        let fields = f.finish();
        assert_eq!(fields[0].value, Value::Decimal(0x01_0203));
        assert_eq!((fields[1].start, fields[1].end), (3, 5));
    }

    #[test]
    fn nothing_is_read_behind_the_pdu() {
        let input = Input {
            bytes: &[1, 2, 3, 4],
            length: 3,
        };
        let mut f = Fields::new(input, None);
        assert_eq!(f.be32("Four"), None);
        assert_eq!(f.finish()[0].end, 3);
    }

    #[test]
    fn bytes_for_themselves_end_where_they_end() {
        let mut f = Fields::new(Input::whole(&[1, 2, 3, 4, 5, 6, 7]), None);
        let read = f.within(2, "Rest", |f| {
            f.open("Group");
            f.u8("One")?;
            f.be32("Too much")?;
            f.u8("Never")?;
            Some(())
        });
        assert_eq!(read, Some(()), "the PDU goes on");
        f.within(3, "Rest", |f| {
            assert_eq!((f.left(), f.peek().len()), (3, 3));
            f.u8("Two").map(|_| ())
        });
        assert_eq!(f.u8("Three"), Some(6));
        assert_eq!(f.left(), 1);
        assert_eq!(
            layout(&f.finish()),
            [
                ("Group".into(), 0, 0, 2),
                ("One".into(), 1, 0, 1),
                ("Too much".into(), 1, 1, 2),
                ("Two".into(), 0, 2, 3),
                ("Rest".into(), 0, 3, 5),
                ("Three".into(), 0, 5, 6),
            ]
        );
    }

    #[test]
    fn bytes_for_themselves_that_were_cut_off_end_the_pdu() {
        let input = Input {
            bytes: &[1, 2],
            length: 9,
        };
        for n in [3, 100] {
            let mut f = Fields::new(input, None);
            assert_eq!(f.within(n, "Rest", |f| f.u8("One").map(|_| ())), None);
            assert_eq!(f.u8("Behind"), None);
            let mut f = Fields::new(input, None);
            assert_eq!(f.within(n, "Rest", |f| f.be32("One").map(|_| ())), None);
            assert_eq!(f.finish()[0].value, Value::Cut);
        }
    }

    #[test]
    fn utf16_ends_at_a_zero_and_survives_half_a_pair() {
        let mut f = Fields::new(Input::whole(&[b'A', 0, 0x00, 0xd8, 0, 0, b'z', 0]), None);
        f.utf16(8, "Name");
        assert_eq!(f.finish()[0].value, Value::Text("A\u{fffd}".into()));
    }

    #[test]
    fn no_bytes_make_no_field() {
        let mut f = Fields::new(Input::whole(&[1]), None);
        f.u8("One");
        f.until(1, "Padding");
        f.text(0, "Name");
        f.rest("Rest");
        let fields = f.finish();
        assert_eq!(fields.len(), 1);
        assert_eq!(fields[0].value, Value::Decimal(1));
    }
}
