//! The fields of name service packets. RFC 1002 section 4.2.

use super::{NB, NBSTAT, opcode_name, status};
use crate::{nbt, notes};
use wirewait_wire::Fields;

// Record types other than those that the packets go by, section 4.2.1.3.
const A: u16 = 0x0001;
const NS: u16 = 0x0002;
const NULL: u16 = 0x000a;

pub(super) fn fields(f: &mut Fields<'_>) -> Option<()> {
    f.be16("Transaction id")?;
    f.hex();
    f.be16("Flags")?;
    f.hex();
    let response = f.flag(0x8000, "R", "response", "request");
    let opcode = f.bits(0x7800, "Opcode");
    f.means(opcode_name(u8::try_from(opcode).unwrap_or(u8::MAX)));
    f.flag(0x0400, "AA", "authoritative answer", "no");
    f.flag(0x0200, "TC", "truncated", "no");
    f.flag(0x0100, "RD", "recursion desired", "no");
    f.flag(0x0080, "RA", "recursion available", "no");
    f.flag(0x0010, "B", "broadcast or multicast", "to one");
    let code = f.bits(0x000f, "Result code");
    if response {
        let result = status(u8::try_from(code).unwrap_or(u8::MAX));
        f.means(result.name.unwrap_or(if result.ok { "ok" } else { "" }));
    }
    let questions = f.be16("Questions")?;
    let answers = f.be16("Answer records")?;
    let authorities = f.be16("Authority records")?;
    let additional = f.be16("Additional records")?;
    for _ in 0..questions {
        if f.left() == 0 {
            break;
        }
        f.open("Question");
        nbt::encoded_name(f, "Name")?;
        record_type(f)?;
        f.be16("Class")?;
        f.hex();
        f.close();
    }
    for (count, heading) in [
        (answers, "Answer record"),
        (authorities, "Authority record"),
        (additional, "Additional record"),
    ] {
        for _ in 0..count {
            if f.left() == 0 {
                break;
            }
            f.open(heading);
            record(f)?;
            f.close();
        }
    }
    f.rest("Padding")?;
    Some(())
}

/// A resource record, section 4.2.1.3.
fn record(f: &mut Fields<'_>) -> Option<()> {
    nbt::encoded_name(f, "Name")?;
    let kind = record_type(f)?;
    f.be16("Class")?;
    f.hex();
    let seconds = f.be32("Time to live")?;
    f.means(match seconds {
        0 => "for good".to_owned(),
        n => format!("{n} s"),
    });
    let length = f.be16("Data length")?;
    f.within(length.into(), "Data", |f| match kind {
        NB => {
            // A WACK gives two bytes of flags only, section 4.2.16.
            while f.left() > 0 {
                if f.left() < 6 {
                    f.rest("Flags of the request")?;
                    break;
                }
                f.be16("NB flags")?;
                f.hex();
                name_flags(f);
                notes::v4(f, "Address")?;
            }
            Some(())
        }
        NBSTAT => status_data(f),
        A => notes::v4(f, "Address").map(|_| ()),
        NS => nbt::encoded_name(f, "Name server"),
        _ => Some(()),
    })
}

fn record_type(f: &mut Fields<'_>) -> Option<u16> {
    let kind = f.be16("Type")?;
    f.hex().means(match kind {
        A => "A",
        NS => "NS",
        NULL => "NULL",
        NB => "NB",
        NBSTAT => "NBSTAT",
        _ => "",
    });
    Some(kind)
}

fn name_flags(f: &mut Fields<'_>) {
    f.flag(0x8000, "G", "group", "unique");
    let node = f.bits(0x6000, "Owner node type");
    f.means(match node {
        0 => "B node",
        1 => "P node",
        2 => "M node",
        _ => "H node",
    });
}

/// NODE STATUS RESPONSE, section 4.2.18.
fn status_data(f: &mut Fields<'_>) -> Option<()> {
    let names = f.u8("Number of names")?;
    for _ in 0..names {
        // A name that the sender cut off leaves no room for statistics either.
        if f.left() == 0 {
            return Some(());
        }
        nbt::plain_name(f, "Name")?;
        f.be16("Name flags")?;
        f.hex();
        name_flags(f);
        f.flag(0x1000, "DRG", "being deregistered", "no");
        f.flag(0x0800, "CNF", "in conflict", "no");
        f.flag(0x0400, "ACT", "active", "not active");
        f.flag(0x0200, "PRM", "permanent node name", "no");
    }
    if f.left() == 0 {
        return Some(());
    }
    f.open("Statistics");
    notes::mac(f, "Unit id")?;
    f.u8("Jumpers")?;
    f.hex();
    f.u8("Test result")?;
    f.hex();
    f.be16("Version number")?;
    f.hex();
    f.be16("Period of statistics")?;
    f.be16("Number of CRCs")?;
    f.be16("Number of alignment errors")?;
    f.be16("Number of collisions")?;
    f.be16("Number of send aborts")?;
    f.be32("Number of good sends")?;
    f.be32("Number of good receives")?;
    f.be16("Number of retransmits")?;
    f.be16("Number of no resource conditions")?;
    f.be16("Number of free command blocks")?;
    f.be16("Total number of command blocks")?;
    f.be16("Maximum total number of command blocks")?;
    f.be16("Number of pending sessions")?;
    f.be16("Maximum number of pending sessions")?;
    f.be16("Maximum total sessions possible")?;
    f.be16("Session data packet size")?;
    f.close();
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::{DISSECTOR, Header};
    use crate::testing;
    use proptest::prelude::*;
    use wirewait_wire::{Input, Value};

    const NAME: &[u8; 34] = b"\x20FDEFFCFGEFFCCACACACACACACACACACA\x00";

    /// Header, then what stands behind it.
    fn packet(flags: u16, counts: [u8; 4], parts: &[&[u8]]) -> Vec<u8> {
        let mut bytes = vec![0x12, 0x34];
        bytes.extend(flags.to_be_bytes());
        for count in counts {
            bytes.extend([0, count]);
        }
        bytes.extend(parts.concat());
        bytes
    }

    #[test]
    fn a_registration_names_itself_twice() {
        // RFC 1002 section 4.2.2: question, and a record whose name is a pointer to it.
        let bytes = packet(
            0x2910,
            [1, 0, 0, 1],
            &[
                NAME,
                &[0, 0x20, 0, 1],
                &[0xc0, 0x0c, 0, 0x20, 0, 1, 0, 4, 0x93, 0xe0, 0, 6],
                &[0x80, 0, 10, 0, 0, 7],
                &[9, 9],
            ],
        );
        let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
        let names: Vec<_> = fields.iter().filter(|f| f.name == "Name").collect();
        assert_eq!(names[0].value, Value::Text("SERVER<20>".into()));
        assert_eq!(names[1].value, Value::Hex(0xc00c));
        assert_eq!(names[1].meaning, "SERVER<20>, as at byte 12");
        assert_eq!(testing::number(&fields, "Time to live"), Some(300_000));
        assert_eq!(testing::number(&fields, "G"), Some(1));
        assert_eq!(
            testing::text(&fields, "Address").as_deref(),
            Some("10.0.0.7")
        );
        let last = fields.last().unwrap();
        assert_eq!(
            (&*last.name, last.start as usize),
            ("Padding", bytes.len() - 2)
        );
    }

    #[test]
    fn a_node_status_has_names_and_statistics() {
        let mut data = vec![2];
        data.extend(b"SERVER         \x20\x04\x00GROUP          \x00\x84\x00");
        data.extend([0, 0, 0x1b, 1, 2, 3]);
        data.extend([0; 40]);
        let length = u8::try_from(data.len()).unwrap();
        let bytes = packet(
            0x8400,
            [0, 1, 0, 0],
            &[NAME, &[0, 0x21, 0, 1, 0, 0, 0, 0, 0, length], &data],
        );
        let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
        assert_eq!(testing::number(&fields, "Number of names"), Some(2));
        assert_eq!(testing::number(&fields, "ACT"), Some(1));
        assert_eq!(
            testing::text(&fields, "Unit id").as_deref(),
            Some("00-00-1b-01-02-03")
        );
        assert_eq!(fields.last().unwrap().name, "Session data packet size");
        assert_eq!(fields.last().unwrap().end as usize, bytes.len());
    }

    #[test]
    fn a_name_that_leads_to_itself_is_not_followed() {
        let bytes = packet(0x2910, [0, 1, 0, 0], &[&[0xc0, 0x0c, 0, 0x20, 0, 1]]);
        let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
        let name = fields.iter().find(|f| f.name == "Name").unwrap();
        assert_eq!(name.meaning, "leads to no name");
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(
            flags: u16,
            counts: [u8; 4],
            data in proptest::collection::vec(any::<u8>(), 0..60),
        ) {
            let bytes = packet(flags, counts, &[NAME, &[0, 0x21, 0, 1, 0, 0, 0, 0, 0, 40], &data]);
            let input = Input::whole(&bytes);
            let fields = testing::fields(&DISSECTOR, input);
            let h = Header::parse(input).unwrap();
            for (name, value) in [
                ("Transaction id", h.id.into()),
                ("R", h.response().into()),
                ("Opcode", h.opcode().into()),
                ("B", h.broadcast().into()),
                ("Result code", h.code().into()),
                ("Questions", h.questions.into()),
                ("Answer records", h.answers.into()),
            ] {
                prop_assert_eq!(testing::number(&fields, name), Some(value), "{}", name);
            }
        }
    }
}
