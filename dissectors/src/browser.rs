//! Browser protocol: who serves what in a workgroup, told in mailslot messages to
//! `\MAILSLOT\BROWSE`. MS-BRWS 2.2.

use crate::mailslot::{self, SERVER_TYPE};
use crate::parse::le32;
use std::fmt::{self, Write};
use wirewait_wire::{Claim, Dissector, Facts, Fault, Fields, Input, Layer, Presence, Verified};

/// Command codes, MS-BRWS 2.2.
pub mod command {
    /// A host says what it is.
    pub const HOST_ANNOUNCEMENT: u8 = 1;
    /// Asks all hosts for their announcements.
    pub const ANNOUNCEMENT_REQUEST: u8 = 2;
    /// Stands for election as local master browser.
    pub const REQUEST_ELECTION: u8 = 8;
    /// Asks who the backup browsers are.
    pub const GET_BACKUP_LIST_REQUEST: u8 = 9;
    /// Says who.
    pub const GET_BACKUP_LIST_RESPONSE: u8 = 10;
    /// Makes a host a backup browser.
    pub const BECOME_BACKUP: u8 = 11;
    /// A local master browser says what workgroup it is for.
    pub const DOMAIN_ANNOUNCEMENT: u8 = 12;
    /// Tells the domain master browser of a local one.
    pub const MASTER_ANNOUNCEMENT: u8 = 13;
    /// Makes a browser give up its role.
    pub const RESET_STATE_REQUEST: u8 = 14;
    /// A local master browser says what it is.
    pub const LOCAL_MASTER_ANNOUNCEMENT: u8 = 15;
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "browser",
    title: "Browser protocol in mailslot messages, MS-BRWS",
    does: "announcements, elections, backup lists: every field",
    lacks: "responses are not paired with their requests",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Tshark,
    ],
    claims: &[Claim::Exact(mailslot::BROWSE)],
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

/// What a host announces, from the bytes of its message: the time until it does so again
/// stands in it (MS-BRWS 2.2.1, 2.2.7, 2.2.10). A host that offers nothing any more leaves.
pub(crate) fn presence(message: &[u8]) -> Option<Presence> {
    let what = match *message.first()? {
        command::HOST_ANNOUNCEMENT => "host",
        command::DOMAIN_ANNOUNCEMENT => "workgroup",
        command::LOCAL_MASTER_ANNOUNCEMENT => "local master browser",
        _ => return None,
    };
    let again_ms = le32(message, 2)?;
    let leaves = le32(message, 24) == Some(0);
    Some(Presence {
        what,
        again_ms: if leaves { 0 } else { again_ms },
    })
}

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    mailslot::whole(input, 1)
}

fn describe(input: Input<'_>, out: &mut dyn Write) -> fmt::Result {
    let Some(code) = input.bytes.first() else {
        return out.write_str("cut off");
    };
    match name(*code) {
        Some(name) => out.write_str(name)?,
        None => write!(out, "command {code:#04x}")?,
    }
    mailslot::names(input, fields, out)
}

fn name(code: u8) -> Option<&'static str> {
    Some(match code {
        command::HOST_ANNOUNCEMENT => "HostAnnouncement",
        command::ANNOUNCEMENT_REQUEST => "AnnouncementRequest",
        command::REQUEST_ELECTION => "RequestElection",
        command::GET_BACKUP_LIST_REQUEST => "GetBackupListRequest",
        command::GET_BACKUP_LIST_RESPONSE => "GetBackupListResponse",
        command::BECOME_BACKUP => "BecomeBackup",
        command::DOMAIN_ANNOUNCEMENT => "DomainAnnouncement",
        command::MASTER_ANNOUNCEMENT => "MasterAnnouncement",
        command::RESET_STATE_REQUEST => "ResetStateRequest",
        command::LOCAL_MASTER_ANNOUNCEMENT => "LocalMasterAnnouncement",
        _ => return None,
    })
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let code = f.u8("Command")?;
    f.hex().means(name(code).unwrap_or("unknown"));
    match code {
        command::HOST_ANNOUNCEMENT
        | command::LOCAL_MASTER_ANNOUNCEMENT
        | command::DOMAIN_ANNOUNCEMENT => announcement(f, code)?,
        command::ANNOUNCEMENT_REQUEST => {
            f.u8("Reserved")?;
            mailslot::string(f, "Response name")?;
        }
        command::REQUEST_ELECTION => election(f)?,
        command::GET_BACKUP_LIST_REQUEST => {
            f.u8("Requested count")?;
            f.le32("Token")?;
            f.hex();
        }
        command::GET_BACKUP_LIST_RESPONSE => {
            let servers = f.u8("Backup server count")?;
            f.le32("Token")?;
            f.hex();
            for _ in 0..servers {
                mailslot::string(f, "Backup server")?;
            }
        }
        command::BECOME_BACKUP => mailslot::string(f, "Browser to promote")?,
        command::MASTER_ANNOUNCEMENT => mailslot::string(f, "Master browser server name")?,
        command::RESET_STATE_REQUEST => {
            f.u8("Options")?;
            f.hex();
            f.flag(0x01, "Stop being a local master browser", "yes", "no");
            f.flag(0x02, "Stop and clear the browse list", "yes", "no");
            f.flag(0x04, "Stop for ever", "yes", "no");
        }
        _ => {}
    }
    f.rest("Data").map(|_| ())
}

/// MS-BRWS 2.2.1, 2.2.7, 2.2.10.
fn announcement(f: &mut Fields<'_>, code: u8) -> Option<()> {
    let domain = code == command::DOMAIN_ANNOUNCEMENT;
    f.u8("Update count")?;
    f.le32("Periodicity")?;
    f.means("ms");
    f.text(
        16,
        if domain {
            "Machine group"
        } else {
            "Server name"
        },
    )?;
    let version = ["OS version", "OS minor version"];
    let browser = ["Browser version", "Browser minor version"];
    let (first, second) = if domain {
        (browser, version)
    } else {
        (version, browser)
    };
    f.u8(first[0])?;
    f.u8(first[1])?;
    f.le32("Server type")?;
    f.hex();
    for (mask, name) in SERVER_TYPE {
        f.flag(*mask, name, "yes", "no");
    }
    f.u8(second[0])?;
    f.u8(second[1])?;
    f.le16("Signature")?;
    f.hex();
    let comment = if domain {
        "Local master browser name"
    } else {
        "Comment"
    };
    mailslot::string(f, comment)
}

/// MS-BRWS 2.2.3.
fn election(f: &mut Fields<'_>) -> Option<()> {
    f.u8("Election version")?;
    f.le32("Criteria")?;
    f.hex();
    f.flag(0x0000_0001, "Backup browser", "yes", "no");
    f.flag(0x0000_0002, "Standby browser", "yes", "no");
    f.flag(0x0000_0004, "Local master browser", "yes", "no");
    f.flag(0x0000_0008, "Domain master browser", "yes", "no");
    f.flag(0x0000_0020, "WINS client", "yes", "no");
    f.flag(
        0x0000_0080,
        "Advanced server (NT domain controller)",
        "yes",
        "no",
    );
    f.bits(0x00ff_ff00, "Election revision");
    let system = f.bits(0xff00_0000, "Operating system");
    f.means(match system {
        0x01 => "Windows for Workgroups or Windows 9x",
        0x10 => "Windows NT Workstation",
        0x20 => "Windows NT Server",
        _ => "unknown",
    });
    f.le32("Uptime")?;
    f.means("ms");
    f.le32("Unused")?;
    mailslot::string(f, "Server name")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line};
    use proptest::prelude::*;
    use wirewait_wire::Value;

    fn text(bytes: &[u8], name: &str) -> Vec<String> {
        let fields = testing::fields(&DISSECTOR, Input::whole(bytes));
        let named = fields.into_iter().filter(|f| f.name == name);
        named
            .map(|f| match f.value {
                Value::Text(text) => text,
                other => panic!("{other:?}"),
            })
            .collect()
    }

    /// An announcement of a Windows 98 server every 12 minutes (MS-BRWS 2.2.1).
    fn announcement(code: u8) -> Vec<u8> {
        let mut bytes = vec![code, 3, 0x80, 0xfc, 0x0a, 0x00];
        bytes.extend(b"CLIENT\0\0\0\0\0\0\0\0\0\0");
        bytes.extend([4, 0, 0x03, 0x22, 0x41, 0x00, 21, 4, 0x55, 0xaa]);
        bytes.extend(b"a comment\0");
        bytes
    }

    #[test]
    fn an_announcement_says_when_the_next_one_comes() {
        let mut bytes = announcement(1);
        let says = |bytes: &[u8]| presence(bytes).map(|a| (a.what, a.again_ms));
        assert_eq!(says(&bytes), Some(("host", 720_000)));
        assert_eq!(
            says(&announcement(15)),
            Some(("local master browser", 720_000))
        );
        assert_eq!(says(&announcement(2)), None, "a request");
        assert_eq!(says(&bytes[..5]), None);
        bytes[24..28].fill(0);
        assert_eq!(
            says(&bytes),
            Some(("host", 0)),
            "it offers nothing any more"
        );
    }

    #[test]
    fn announcements_show_who_and_what() {
        let bytes = announcement(1);
        assert_eq!(line(&DISSECTOR, &bytes), "HostAnnouncement CLIENT");
        assert_eq!(text(&bytes, "Comment"), ["a comment"]);
        let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
        let number = |name| testing::number(&fields, name);
        assert_eq!(number("Periodicity"), Some(720_000));
        assert_eq!(number("Server type"), Some(0x0041_2203));
        assert_eq!(number("Server"), Some(1));
        assert_eq!(number("SQL server"), Some(0));
        assert_eq!(
            (number("OS version"), number("Browser version")),
            (Some(4), Some(21))
        );
        assert_eq!(number("Signature"), Some(0xaa55));
        let bytes = announcement(12);
        assert_eq!(
            line(&DISSECTOR, &bytes),
            "DomainAnnouncement CLIENT a comment"
        );
        assert_eq!(text(&bytes, "Local master browser name"), ["a comment"]);
    }

    #[test]
    fn an_election_shows_its_criteria() {
        let mut bytes = vec![8, 1, 0x0f, 0x04, 0x01, 0x20, 10, 0, 0, 0, 0, 0, 0, 0];
        bytes.extend(b"SERVER\0");
        assert_eq!(line(&DISSECTOR, &bytes), "RequestElection SERVER");
        let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
        let number = |name| testing::number(&fields, name);
        assert_eq!(number("Criteria"), Some(0x2001_040f));
        assert_eq!(number("Election revision"), Some(0x0104));
        assert_eq!(number("Operating system"), Some(0x20));
        assert_eq!(number("Uptime"), Some(10));
    }

    #[test]
    fn backup_lists_name_each_server() {
        let mut bytes = vec![10, 2, 9, 0, 0, 0];
        bytes.extend(b"ONE\0TWO\0");
        assert_eq!(text(&bytes, "Backup server"), ["ONE", "TWO"]);
        bytes[1] = 200;
        assert_eq!(
            text(&bytes, "Backup server").len(),
            2,
            "no more than there are"
        );
        assert_eq!(line(&DISSECTOR, &[11, b'A', 0]), "BecomeBackup A");
        assert_eq!(line(&DISSECTOR, &[0x77]), "command 0x77");
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(
            code in 0u8..18,
            rest in prop::collection::vec(any::<u8>(), 0..80),
        ) {
            let bytes = [&[code], rest.as_slice()].concat();
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            prop_assert_eq!(testing::number(&fields, "Command"), Some(code.into()));
            prop_assert!(!line(&DISSECTOR, &bytes).contains(|c: char| c.is_control()));
        }
    }
}
