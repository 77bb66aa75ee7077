//! The words of NCP's parameters, and the forms that NCP alone has.
//!
//! Novell writes the order of a number's bytes behind its type, "Hi-Lo" or "Lo-Hi", and NCP
//! has both, often in one packet; the names here say it the same way.

use super::super::path;
use super::names::{NAME_SPACES, WIDE_ATTRIBUTES, WIDE_RIGHTS};
use crate::parse::le16;
use std::borrow::Cow;
pub(super) use wirewait_wire::table::{
    CodedTable, FieldTable, Param, be16 as word, be32 as long, be64 as quad, bytes, counted, group,
    le16 as lo_word, le32 as lo_long, le64 as lo_quad, long_name, name, repeat, reserved, rest,
    text, u8 as byte,
};
use wirewait_wire::table::{custom, describe};
use wirewait_wire::{Fields, Text};

/// A date as DOS writes it, the high byte first.
pub(super) const fn date(name: &'static str) -> Param {
    word(name).dos_date("none")
}

/// A date as DOS writes it, the low byte first.
pub(super) const fn lo_date(name: &'static str) -> Param {
    lo_word(name).dos_date("none")
}

/// A time of day as DOS writes it, the high byte first.
pub(super) const fn time(name: &'static str) -> Param {
    word(name).dos_time("")
}

/// A time of day as DOS writes it, the low byte first.
pub(super) const fn lo_time(name: &'static str) -> Param {
    lo_word(name).dos_time("")
}

/// A length byte and the name of a file, or a pattern for some.
pub(super) const fn file_name(label: &'static str) -> Param {
    custom(label, |f, label| {
        let first = path::component(path::Shape::Name, f.peek());
        let typed = first.and_then(|(bytes, _)| with_wildcards(f, bytes));
        name(label).read(f)?;
        if let Some(typed) = typed {
            f.shown(Text::Bytes(&typed));
        }
        Some(())
    })
}

/// A length of two bytes, the low one first, and the name of a file in UTF-8, or a pattern for some.
pub(super) const fn long_file_name(label: &'static str) -> Param {
    custom(label, |f, label| {
        let first = path::component(path::Shape::LongName, f.peek());
        let typed = first.and_then(|(bytes, _)| with_wildcards(f, bytes));
        long_name(label).read(f)?;
        if let Some(typed) = typed {
            f.shown(String::from_utf8_lossy(&typed));
        }
        Some(())
    })
}

/// The name as a person types it, if it has wildcards in another form.
fn with_wildcards(f: &Fields<'_>, name: &[u8]) -> Option<Vec<u8>> {
    let packet = f.input().bytes;
    let [.., function, subfunction] = *packet.first_chunk::<8>()?;
    match path::typed(name, path::is_pattern(function, subfunction, packet)) {
        Cow::Owned(typed) => Some(typed),
        Cow::Borrowed(_) => None,
    }
}

/// A count of names, and the names.
pub(super) const fn path(name: &'static str) -> Param {
    custom(name, |f, name| located(f, name, &[], COMPONENT))
}

/// Where a file or directory is, as function 87 has it: volume, directory base or handle,
/// which of the two it is, and a path.
pub(super) const fn place(name: &'static str) -> Param {
    custom(name, |f, name| located(f, name, PLACE, COMPONENT))
}

/// Where a file or directory is, as function 89 has it, with long names.
pub(super) const fn long_place(name: &'static str) -> Param {
    custom(name, |f, name| located(f, name, LONG_PLACE, LONG_COMPONENT))
}

/// Where a file or directory is and where it goes, as function 87 has it: the names of both
/// stand behind the second place.
pub(super) const fn two_places() -> Param {
    custom("", |f, _| two(f, PLACE, COMPONENT))
}

/// Where a file or directory is and where it goes, as function 89 has it.
pub(super) const fn two_long_places() -> Param {
    custom("", |f, _| two(f, LONG_PLACE, LONG_COMPONENT))
}

/// What a reply tells of a file in any name space, in the old style or the new one.
pub(super) const fn file_information() -> Param {
    custom("NetWare information", |f, name| {
        file(f, name, (1, FILE_NAME))
    })
}

/// What a reply of function 89 tells of a file: as in function 87, with a long name.
pub(super) const fn long_file_information() -> Param {
    custom("NetWare information", |f, name| {
        file(f, name, (2, LONG_FILE_NAME))
    })
}

const COMPONENT: Param = file_name("Component");
const LONG_COMPONENT: Param = long_file_name("Component");
const COMPONENT_COUNT: Param = byte("Component count");

const HANDLE_FLAG: Param = byte("Handle flag").hex().one_of(&[
    (0, "short directory handle"),
    (1, "directory base"),
    (0xff, "no handle: the path says all"),
]);

/// What stands before the path, as function 87 has it.
const PLACE: FieldTable = &[
    byte("Volume number"),
    lo_long("Directory base").hex(),
    HANDLE_FLAG,
];

/// What stands before the path, as function 89 has it.
const LONG_PLACE: FieldTable = &[
    lo_long("Directory base").hex(),
    byte("Volume number"),
    HANDLE_FLAG,
    byte("Data type flag"),
    reserved(5),
];

fn located(
    f: &mut Fields<'_>,
    heading: &'static str,
    place: FieldTable,
    component: Param,
) -> Option<()> {
    f.open(heading);
    describe(f, place)?;
    let count = COMPONENT_COUNT.read(f)?;
    components(f, count, component)?;
    f.close();
    Some(())
}

fn two(f: &mut Fields<'_>, place: FieldTable, component: Param) -> Option<()> {
    let mut counts = [0; 2];
    for (heading, count) in ["Source", "Destination"].into_iter().zip(&mut counts) {
        f.open(heading);
        describe(f, place)?;
        *count = COMPONENT_COUNT.read(f)?;
        f.close();
    }
    for (heading, count) in ["Source path", "Destination path"].into_iter().zip(counts) {
        f.open(heading);
        components(f, count, component)?;
        f.close();
    }
    Some(())
}

fn components(f: &mut Fields<'_>, count: u64, component: Param) -> Option<()> {
    for _ in 0..count {
        if f.left() == 0 {
            break;
        }
        component.read(f)?;
    }
    Some(())
}

/// Bytes of the old style of file information before the name.
pub(in super::super) const OLD_STYLE: u32 = 76;

/// The old style has a place for everything, asked for or not, and a name at the end of it.
/// Of the new style only the request tells what it has; so it is taken for the old one if
/// the length of the name stands at its place and the name ends within the packet.
fn file(f: &mut Fields<'_>, name: &'static str, (wide, file_name): (u32, Param)) -> Option<()> {
    let bytes = f.peek();
    let length = match wide {
        2 => le16(bytes, OLD_STYLE as usize),
        _ => bytes.get(OLD_STYLE as usize).copied().map(u16::from),
    };
    let is_old = length.is_some_and(|n| OLD_STYLE + wide + u32::from(n) <= f.left());
    if !is_old {
        let any = f.left() > 0;
        f.rest(name)?;
        if any {
            f.means("what it holds is said in the request");
        }
        return Some(());
    }
    f.open(name);
    describe(f, FILE_INFORMATION)?;
    file_name.read(f)?;
    f.close();
    Some(())
}

const FILE_NAME: Param = name("File name");
const LONG_FILE_NAME: Param = long_name("File name");

/// The old style, in the order of its bytes, up to the name.
const FILE_INFORMATION: FieldTable = &[
    lo_long("Space allocated"),
    lo_long("Attributes").flags(WIDE_ATTRIBUTES),
    lo_word("Flags").hex(),
    lo_long("Data stream size"),
    lo_long("Total stream size"),
    lo_word("Number of streams"),
    lo_time("Creation time"),
    lo_date("Creation date"),
    long("Creator ID").hex(),
    lo_time("Modification time"),
    lo_date("Modification date"),
    long("Modifier ID").hex(),
    lo_date("Last access date"),
    lo_time("Archive time"),
    lo_date("Archive date"),
    long("Archiver ID").hex(),
    lo_word("Inherited rights mask").flags(WIDE_RIGHTS),
    lo_long("Directory entry number").hex(),
    lo_long("DOS directory entry number").hex(),
    lo_long("Volume number"),
    lo_long("EA data size"),
    lo_long("EA key count"),
    lo_long("EA key size"),
    byte("Creator name space").one_of(NAME_SPACES),
    reserved(3),
];

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
}
