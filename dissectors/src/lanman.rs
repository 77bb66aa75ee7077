//! LAN Manager's announcements of servers, in mailslot messages to `\MAILSLOT\LANMAN`. No
//! specification was published; the layout is that of LAN Manager 2.x servers and of all
//! that announce themselves to them.

use crate::mailslot::{self, SERVER_TYPE};
use crate::parse::le16;
use std::fmt::{self, Write};
use wirewait_wire::{Claim, Dissector, Facts, Fault, Fields, Input, Layer, Verified};

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "lanman",
    title: "LAN Manager announcements in mailslot messages",
    does: "announcements of servers and requests for them: every field",
    lacks: "no specification is public",
    verified: &[Verified::RealCaptures, Verified::Tshark],
    claims: &[Claim::Exact(mailslot::LANMAN)],
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    mailslot::whole(input, 2)
}

fn describe(input: Input<'_>, out: &mut dyn Write) -> fmt::Result {
    let Some(code) = le16(input.bytes, 0) else {
        return out.write_str("cut off");
    };
    match name(code) {
        Some(name) => out.write_str(name)?,
        None => write!(out, "command {code:#06x}")?,
    }
    mailslot::names(input, fields, out)
}

fn name(code: u16) -> Option<&'static str> {
    match code {
        1 => Some("Announcement"),
        2 => Some("AnnouncementRequest"),
        _ => None,
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let code = f.le16("Command")?;
    f.hex().means(name(code).unwrap_or("unknown"));
    if code == 1 {
        f.le32("Server type")?;
        f.hex();
        for (mask, name) in SERVER_TYPE {
            f.flag(*mask, name, "yes", "no");
        }
        f.u8("Version")?;
        f.u8("Minor version")?;
        f.le16("Periodicity")?;
        f.means("s");
        mailslot::string(f, "Server name")?;
        mailslot::string(f, "Comment")?;
    }
    f.rest("Data").map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line};
    use proptest::prelude::*;

    #[test]
    fn an_announcement_shows_who_and_what() {
        let mut bytes = vec![1, 0, 0x03, 0x02, 0, 0, 2, 1, 60, 0];
        bytes.extend(b"SERVER\0OS/2\0");
        assert_eq!(line(&DISSECTOR, &bytes), "Announcement SERVER");
        let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
        assert_eq!(testing::number(&fields, "Server type"), Some(0x203));
        assert_eq!(testing::number(&fields, "Version"), Some(2));
        assert_eq!(testing::number(&fields, "Periodicity"), Some(60));
        assert_eq!(line(&DISSECTOR, &[2, 0, 9]), "AnnouncementRequest");
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            let code = le16(&bytes, 0).map(u64::from);
            prop_assert_eq!(testing::number(&fields, "Command"), code);
            prop_assert!(!line(&DISSECTOR, &bytes).contains(|c: char| c.is_control()));
        }
    }
}
