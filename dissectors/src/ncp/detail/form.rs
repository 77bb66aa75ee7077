//! The forms that parameters have, and how a list of them is read from a packet.
//!
//! Novell writes the order of a number's bytes behind its type, "Hi-Lo" or "Lo-Hi", and NCP
//! has both, often in one packet; the names here say it the same way.

use super::names::{NAME_SPACES, WIDE_ATTRIBUTES, WIDE_RIGHTS};
use wirewait_wire::Fields;

/// One parameter of a request or reply.
#[derive(Clone, Copy, Debug)]
pub(super) struct Param {
    name: &'static str,
    form: Form,
    meaning: Meaning,
}

#[derive(Clone, Copy, Debug)]
enum Form {
    /// A number of one byte, or of more with the high one first.
    HiLo(u8),
    /// A number with the low byte first.
    LoHi(u8),
    /// So many bytes.
    Bytes(u32),
    /// So many bytes of text, filled up with zeros.
    Text(u32),
    /// A length byte and text.
    Name,
    /// A length of two bytes, the low one first, and text in UTF-8.
    LongName,
    /// A count and so many names.
    Path,
    /// Volume, directory base or handle, which of the two it is, and a path.
    Place,
    /// The same as function 89 has it, with long names.
    LongPlace,
    /// Two of these, source and destination: the names of both stand behind the second.
    TwoPlaces,
    /// The same as function 89 has it.
    TwoLongPlaces,
    /// What is known of a file, in the old style or the new one.
    FileInformation,
    /// As many bytes as the number before says.
    Counted,
    /// All that is left.
    Rest,
    /// These, as often as the number before says.
    Repeat(&'static [Param]),
    /// These, under one heading.
    Group(&'static [Param]),
}

/// A number or bit and its name.
pub(super) type Names = &'static [(u64, &'static str)];

#[derive(Clone, Copy, Debug)]
enum Meaning {
    /// The value says all.
    None,
    /// A number that is a name for something.
    Id,
    Codes(Names),
    Flags(Names),
    DosDate,
    DosTime,
}

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident $form:ident $width:literal;)*) => {
        $($(#[$doc])* pub(super) const fn $name(name: &'static str) -> Param {
            param(name, Form::$form($width))
        })*
    };
}

numbers! {
    /// One byte.
    byte HiLo 1;
    /// Two bytes, the high one first.
    word HiLo 2;
    /// Four bytes, the high one first.
    long HiLo 4;
    /// Eight bytes, the high one first.
    quad HiLo 8;
    /// Two bytes, the low one first.
    lo_word LoHi 2;
    /// Four bytes, the low one first.
    lo_long LoHi 4;
    /// Eight bytes, the low one first.
    lo_quad LoHi 8;
}

/// `n` bytes without a form of their own.
pub(super) const fn bytes(n: u32, name: &'static str) -> Param {
    param(name, Form::Bytes(n))
}

/// `n` bytes that mean nothing.
pub(super) const fn reserved(n: u32) -> Param {
    param("Reserved", Form::Bytes(n))
}

/// `n` bytes of text, filled up with zeros.
pub(super) const fn text(n: u32, name: &'static str) -> Param {
    param(name, Form::Text(n))
}

/// A length byte and text.
pub(super) const fn name(name: &'static str) -> Param {
    param(name, Form::Name)
}

/// A length of two bytes and text.
pub(super) const fn long_name(name: &'static str) -> Param {
    param(name, Form::LongName)
}

/// A count of names, and the names.
pub(super) const fn path(name: &'static str) -> Param {
    param(name, Form::Path)
}

/// Where a file or directory is, as function 87 has it.
pub(super) const fn place(name: &'static str) -> Param {
    param(name, Form::Place)
}

/// Where a file or directory is, as function 89 has it.
pub(super) const fn long_place(name: &'static str) -> Param {
    param(name, Form::LongPlace)
}

/// Where a file or directory is and where it goes, as function 87 has it.
pub(super) const fn two_places() -> Param {
    param("Source", Form::TwoPlaces)
}

/// The same as function 89 has it.
pub(super) const fn two_long_places() -> Param {
    param("Source", Form::TwoLongPlaces)
}

/// What a reply tells of a file in any name space.
pub(super) const fn file_information() -> Param {
    param("NetWare information", Form::FileInformation)
}

/// As many bytes as the number before says.
pub(super) const fn counted(name: &'static str) -> Param {
    param(name, Form::Counted)
}

/// All that is left.
pub(super) const fn rest(name: &'static str) -> Param {
    param(name, Form::Rest)
}

/// `items`, as often as the number before says, each time under this heading.
pub(super) const fn repeat(name: &'static str, items: &'static [Param]) -> Param {
    param(name, Form::Repeat(items))
}

/// `items` under this heading.
pub(super) const fn group(name: &'static str, items: &'static [Param]) -> Param {
    param(name, Form::Group(items))
}

const fn param(name: &'static str, form: Form) -> Param {
    Param {
        name,
        form,
        meaning: Meaning::None,
    }
}

impl Param {
    /// The number names something: shown in hexadecimal.
    pub(super) const fn id(mut self) -> Self {
        self.meaning = Meaning::Id;
        self
    }

    /// The number is one of these.
    pub(super) const fn codes(mut self, names: Names) -> Self {
        self.meaning = Meaning::Codes(names);
        self
    }

    /// The number is a set of these bits.
    pub(super) const fn flags(mut self, names: Names) -> Self {
        self.meaning = Meaning::Flags(names);
        self
    }

    /// The number is a date as DOS writes it.
    pub(super) const fn date(mut self) -> Self {
        self.meaning = Meaning::DosDate;
        self
    }

    /// The number is a time of day as DOS writes it.
    pub(super) const fn time(mut self) -> Self {
        self.meaning = Meaning::DosTime;
        self
    }
}

/// Describes the parameters one after the other.
pub(super) fn describe(f: &mut Fields<'_>, params: &[Param]) -> Option<()> {
    let mut last = 0;
    for param in params {
        param.describe(f, &mut last)?;
    }
    Some(())
}

impl Param {
    /// Its bytes, if they are always as many; 0 otherwise.
    pub(super) const fn length(&self) -> u32 {
        match self.form {
            Form::HiLo(width) | Form::LoHi(width) => width as u32,
            Form::Bytes(n) | Form::Text(n) => n,
            _ => 0,
        }
    }

    /// `last` is the number read last.
    fn describe(&self, f: &mut Fields<'_>, last: &mut u64) -> Option<()> {
        match self.form {
            Form::HiLo(width) => *last = self.number(f, width, true)?,
            Form::LoHi(width) => *last = self.number(f, width, false)?,
            Form::Bytes(n) => f.bytes(n, self.name).map(|_| ())?,
            Form::Text(n) => f.text(n, self.name).map(|_| ())?,
            Form::Name => short_name(f, self.name)?,
            Form::LongName => utf8_name(f, self.name)?,
            Form::Path => {
                f.open(self.name);
                let count = f.u8("Component count")?;
                components(f, count, short_name)?;
                f.close();
            }
            Form::Place => {
                f.open(self.name);
                let count = head(f)?;
                components(f, count, short_name)?;
                f.close();
            }
            Form::LongPlace => {
                f.open(self.name);
                let count = long_head(f)?;
                components(f, count, utf8_name)?;
                f.close();
            }
            Form::TwoPlaces => two(f, head, short_name)?,
            Form::TwoLongPlaces => two(f, long_head, utf8_name)?,
            Form::FileInformation => file(f, self.name)?,
            Form::Counted => {
                // What the sender did not send is not waited for: the count can lie.
                let n = u32::try_from(*last).unwrap_or(u32::MAX).min(f.left());
                f.bytes(n, self.name)?;
            }
            Form::Rest => f.rest(self.name).map(|_| ())?,
            Form::Repeat(items) => {
                for _ in 0..*last {
                    if f.left() == 0 {
                        break;
                    }
                    in_group(f, self.name, items)?;
                }
            }
            Form::Group(items) => in_group(f, self.name, items)?,
        }
        Some(())
    }

    fn number(&self, f: &mut Fields<'_>, width: u8, high_first: bool) -> Option<u64> {
        let number = match (width, high_first) {
            (1, _) => f.u8(self.name)?.into(),
            (2, true) => f.be16(self.name)?.into(),
            (2, false) => f.le16(self.name)?.into(),
            (4, true) => f.be32(self.name)?.into(),
            (4, false) => f.le32(self.name)?.into(),
            (_, true) => f.be64(self.name)?,
            (_, false) => f.le64(self.name)?,
        };
        match self.meaning {
            Meaning::None => {}
            Meaning::Id => {
                f.hex();
            }
            Meaning::Codes(names) => {
                let found = names.iter().find(|(code, _)| *code == number);
                f.means(found.map_or("not known", |(_, name)| name));
            }
            Meaning::Flags(names) => {
                f.hex();
                for (mask, name) in names {
                    f.flag(*mask, name, "yes", "no");
                }
            }
            Meaning::DosDate => {
                f.hex().means(dos_date(number));
            }
            Meaning::DosTime => {
                f.hex().means(dos_time(number));
            }
        }
        Some(number)
    }
}

fn in_group(f: &mut Fields<'_>, name: &'static str, items: &[Param]) -> Option<()> {
    f.open(name);
    describe(f, items)?;
    f.close();
    Some(())
}

/// Volume and directory; answers how many names follow.
fn head(f: &mut Fields<'_>) -> Option<u8> {
    f.u8("Volume number")?;
    f.le32("Directory base")?;
    f.hex();
    handle_flag(f)?;
    f.u8("Component count")
}

/// The same as function 89 has it.
fn long_head(f: &mut Fields<'_>) -> Option<u8> {
    f.le32("Directory base")?;
    f.hex();
    f.u8("Volume number")?;
    handle_flag(f)?;
    f.u8("Data type flag")?;
    f.bytes(5, "Reserved")?;
    f.u8("Component count")
}

fn handle_flag(f: &mut Fields<'_>) -> Option<()> {
    let flag = f.u8("Handle flag")?;
    f.hex().means(match flag {
        0 => "short directory handle",
        1 => "directory base",
        0xff => "no handle: the path says all",
        _ => "not known",
    });
    Some(())
}

/// Reads one name.
type OneName = fn(&mut Fields<'_>, &'static str) -> Option<()>;

fn components(f: &mut Fields<'_>, count: u8, one: OneName) -> Option<()> {
    for _ in 0..count {
        if f.left() == 0 {
            break;
        }
        one(f, "Component")?;
    }
    Some(())
}

fn two(f: &mut Fields<'_>, head: fn(&mut Fields<'_>) -> Option<u8>, one: OneName) -> Option<()> {
    f.open("Source");
    let from = head(f)?;
    f.close();
    f.open("Destination");
    let to = head(f)?;
    f.close();
    for (heading, count) in [("Source path", from), ("Destination path", to)] {
        f.open(heading);
        components(f, count, one)?;
        f.close();
    }
    Some(())
}

fn short_name(f: &mut Fields<'_>, name: &'static str) -> Option<()> {
    let length = f.u8("Length")?;
    f.means(format_args!("of {name}"));
    f.text(length.into(), name)?;
    Some(())
}

fn utf8_name(f: &mut Fields<'_>, name: &'static str) -> Option<()> {
    let length = f.le16("Length")?;
    f.means(format_args!("of {name}"));
    let bytes = f.bytes(length.into(), name)?;
    if length > 0 {
        f.shown(String::from_utf8_lossy(bytes));
    }
    Some(())
}

/// Bytes of the old style of file information before the name.
const OLD_STYLE: u32 = 76;

/// The old style has a place for everything, asked for or not, and a name at the end of it.
/// Of the new style only the request tells what it has; so it is taken for the old one if
/// the length of the name stands at its place and the name ends within the packet.
fn file(f: &mut Fields<'_>, name: &'static str) -> Option<()> {
    let length = f.peek().get(OLD_STYLE as usize).copied();
    let is_old = length.is_some_and(|n| OLD_STYLE + 1 + u32::from(n) <= f.left());
    if !is_old {
        let any = f.left() > 0;
        f.rest(name)?;
        if any {
            f.means("what it holds is said in the request");
        }
        return Some(());
    }
    in_group(f, name, FILE_INFORMATION)
}

/// The old style, in the order of its bytes.
const FILE_INFORMATION: &[Param] = &[
    lo_long("Space allocated"),
    lo_long("Attributes").flags(WIDE_ATTRIBUTES),
    lo_word("Flags").id(),
    lo_long("Data stream size"),
    lo_long("Total stream size"),
    lo_word("Number of streams"),
    lo_word("Creation time").time(),
    lo_word("Creation date").date(),
    long("Creator ID").id(),
    lo_word("Modification time").time(),
    lo_word("Modification date").date(),
    long("Modifier ID").id(),
    lo_word("Last access date").date(),
    lo_word("Archive time").time(),
    lo_word("Archive date").date(),
    long("Archiver ID").id(),
    lo_word("Inherited rights mask").flags(WIDE_RIGHTS),
    lo_long("Directory entry number").id(),
    lo_long("DOS directory entry number").id(),
    lo_long("Volume number"),
    lo_long("EA data size"),
    lo_long("EA key count"),
    lo_long("EA key size"),
    byte("Creator name space").codes(NAME_SPACES),
    reserved(3),
    name("File name"),
];

/// Year since 1980, month and day, in 7, 4 and 5 bits.
fn dos_date(number: u64) -> String {
    if number == 0 {
        return "none".into();
    }
    let (year, month, day) = (1980 + (number >> 9), number >> 5 & 15, number & 31);
    format!("{year}-{month:02}-{day:02}")
}

/// Hour, minute and half the second, in 5, 6 and 5 bits.
fn dos_time(number: u64) -> String {
    let (hour, minute, second) = (number >> 11, number >> 5 & 63, (number & 31) * 2);
    format!("{hour:02}:{minute:02}:{second:02}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_wire::{Input, Value};

    fn shown(params: &[Param], bytes: &[u8]) -> Vec<(String, String)> {
        let mut f = Fields::new(Input::whole(bytes), None);
        let _ = describe(&mut f, params);
        let fields = f.finish();
        fields
            .into_iter()
            .map(|field| {
                let value = match field.value {
                    Value::Heading => "-".into(),
                    Value::Decimal(n) => n.to_string(),
                    Value::Hex(n) => format!("{n:#x}"),
                    Value::Bytes(bytes) => format!("{bytes:?}"),
                    Value::Text(text) => text,
                    Value::Cut => "cut".into(),
                };
                (field.name.into_owned(), value + " " + &field.meaning)
            })
            .collect()
    }

    fn pairs(rows: &[(&str, &str)]) -> Vec<(String, String)> {
        rows.iter()
            .map(|(a, b)| ((*a).into(), (*b).into()))
            .collect()
    }

    #[test]
    fn numbers_in_both_orders_codes_flags_and_dates() {
        let params = [
            word("High"),
            lo_word("Low"),
            byte("Code").codes(&[(7, "seven")]),
            byte("Bits").flags(&[(1, "One"), (2, "Two")]),
            word("Date").date(),
            word("Time").time(),
        ];
        // 1 March 1999, 09:05:06.
        let bytes = [1, 2, 1, 2, 7, 2, 0x26, 0x61, 0x48, 0xa3];
        assert_eq!(
            shown(&params, &bytes),
            pairs(&[
                ("High", "258 "),
                ("Low", "513 "),
                ("Code", "7 seven"),
                ("Bits", "0x2 "),
                ("One", "0 no"),
                ("Two", "1 yes"),
                ("Date", "0x2661 1999-03-01"),
                ("Time", "0x48a3 09:05:06"),
            ])
        );
    }

    #[test]
    fn paths_in_both_shapes() {
        let bytes = *b"\x01\x02\0\0\0\x01\x02\x03DIR\x01F";
        assert_eq!(
            shown(&[place("Where")], &bytes),
            pairs(&[
                ("Where", "- "),
                ("Volume number", "1 "),
                ("Directory base", "0x2 "),
                ("Handle flag", "0x1 directory base"),
                ("Component count", "2 "),
                ("Length", "3 of Component"),
                ("Component", "DIR "),
                ("Length", "1 of Component"),
                ("Component", "F "),
            ])
        );
        let bytes = *b"\x02\0\0\0\x01\xff\0\0\0\0\0\0\x01\x02\0\xc3\xa9";
        let shown = shown(&[long_place("Where")], &bytes);
        assert_eq!(shown[3].1, "0xff no handle: the path says all");
        assert_eq!(shown.last().unwrap().1, "\u{e9} ");
    }

    #[test]
    fn counts_that_lie_end_with_the_packet() {
        let params = [byte("Count"), repeat("Item", const { &[word("Number")] })];
        assert_eq!(
            shown(&params, &[200, 0, 1, 0, 2]),
            pairs(&[
                ("Count", "200 "),
                ("Item", "- "),
                ("Number", "1 "),
                ("Item", "- "),
                ("Number", "2 "),
            ])
        );
        let params = [word("Count"), counted("Data")];
        let shown = shown(&params, &[9, 9, 1]);
        assert_eq!(shown[1], ("Data".into(), "[1] ".into()));
    }
}
