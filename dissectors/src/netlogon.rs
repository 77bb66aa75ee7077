//! Netlogon mailslot messages: who is the domain controller, and will it log me on? MS-ADTS
//! 6.3.1 and 6.3.5 (the requests and responses in use since Windows NT), MS-NRPC 2.2.1.5.1
//! (the announcement of changes); the other operation codes by LAN Manager's names.

use crate::mailslot;
use crate::parse::le16;
use std::fmt::{self, Write};
use wirewait_wire::{Claim, Dissector, Facts, Fault, Fields, Input, Layer, Verified};

/// Operation codes that are read, MS-ADTS 6.3.1.3.
pub mod opcode {
    /// A client of LAN Manager wants to log on.
    pub const LOGON_REQUEST: u16 = 0;
    /// Asks for the primary domain controller.
    pub const PRIMARY_QUERY: u16 = 7;
    /// Tells the backups what has changed.
    pub const UAS_CHANGE: u16 = 10;
    /// Answers [`PRIMARY_QUERY`].
    pub const PRIMARY_RESPONSE: u16 = 12;
    /// Asks for a domain controller that knows an account.
    pub const SAM_LOGON_REQUEST: u16 = 18;
    /// It does.
    pub const SAM_LOGON_RESPONSE: u16 = 19;
    /// It cannot just now.
    pub const SAM_PAUSE_RESPONSE: u16 = 20;
    /// It does not.
    pub const SAM_USER_UNKNOWN: u16 = 21;
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "netlogon",
    title: "Netlogon mailslot messages, MS-ADTS and MS-NRPC",
    does: "queries for domain controllers and their responses: every field",
    lacks: "extended responses and LAN Manager's rarer messages are shown as bytes; \
            responses are not paired with their requests",
    verified: &[Verified::Specification, Verified::RealCaptures],
    claims: &[Claim::Exact(mailslot::NETLOGON)],
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
        None => write!(out, "operation {code:#06x}")?,
    }
    mailslot::names(input, fields, out)
}

fn name(code: u16) -> Option<&'static str> {
    Some(match code {
        opcode::LOGON_REQUEST => "LOGON_REQUEST",
        6 => "LOGON_RESPONSE2",
        opcode::PRIMARY_QUERY => "LOGON_PRIMARY_QUERY",
        8 => "LOGON_START_PRIMARY",
        9 => "LOGON_FAIL_PRIMARY",
        opcode::UAS_CHANGE => "LOGON_UAS_CHANGE",
        11 => "LOGON_NO_USER",
        opcode::PRIMARY_RESPONSE => "LOGON_PRIMARY_RESPONSE",
        13 => "LOGON_RELOGON_RESPONSE",
        14 => "LOGON_WKSTINFO_RESPONSE",
        15 => "LOGON_PAUSE_RESPONSE",
        16 => "LOGON_USER_UNKNOWN",
        17 => "LOGON_UPDATE_ACCOUNT",
        opcode::SAM_LOGON_REQUEST => "LOGON_SAM_LOGON_REQUEST",
        opcode::SAM_LOGON_RESPONSE => "LOGON_SAM_LOGON_RESPONSE",
        opcode::SAM_PAUSE_RESPONSE => "LOGON_SAM_PAUSE_RESPONSE",
        opcode::SAM_USER_UNKNOWN => "LOGON_SAM_USER_UNKNOWN",
        23 => "LOGON_SAM_LOGON_RESPONSE_EX",
        24 => "LOGON_SAM_PAUSE_RESPONSE_EX",
        25 => "LOGON_SAM_USER_UNKNOWN_EX",
        _ => return None,
    })
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let code = f.le16("Operation code")?;
    f.means(name(code).unwrap_or("unknown"));
    match code {
        opcode::LOGON_REQUEST => {
            mailslot::string(f, "Computer name")?;
            mailslot::string(f, "User name")?;
            mailslot::string(f, "Mailslot name")?;
            if f.left() > 0 {
                f.u8("Request count")?;
            }
            version(f)?;
        }
        opcode::PRIMARY_QUERY => {
            mailslot::string(f, "Computer name")?;
            mailslot::string(f, "Mailslot name")?;
            // A client of LAN Manager ends here.
            if f.left() > 4 {
                wide(f, "Unicode computer name")?;
            }
            version(f)?;
        }
        opcode::PRIMARY_RESPONSE => {
            mailslot::string(f, "Primary DC name")?;
            if f.left() > 4 {
                wide(f, "Unicode primary DC name")?;
                wide(f, "Unicode domain name")?;
            }
            version(f)?;
        }
        opcode::UAS_CHANGE => {
            f.le32("Low serial number")?;
            f.le32("Date and time")?;
            f.le32("Pulse")?;
            f.le32("Random")?;
            mailslot::string(f, "Primary DC name")?;
            mailslot::string(f, "Domain name")?;
        }
        opcode::SAM_LOGON_REQUEST => sam_logon(f)?,
        opcode::SAM_LOGON_RESPONSE | opcode::SAM_PAUSE_RESPONSE | opcode::SAM_USER_UNKNOWN => {
            wide(f, "Unicode logon server name")?;
            wide(f, "Unicode user name")?;
            wide(f, "Unicode domain name")?;
            // Windows 2000 puts identifiers of the domain, DNS names and its address between.
            if f.left() > 8 {
                f.bytes(f.left() - 8, "Domain identifiers and DNS names")?;
            }
            version(f)?;
        }
        _ => {}
    }
    f.rest("Data").map(|_| ())
}

/// MS-ADTS 6.3.1.6.
fn sam_logon(f: &mut Fields<'_>) -> Option<()> {
    f.le16("Request count")?;
    wide(f, "Unicode computer name")?;
    wide(f, "Unicode user name")?;
    mailslot::string(f, "Mailslot name")?;
    if f.left() < 8 {
        return Some(());
    }
    f.le32("Allowable account control bits")?;
    f.hex();
    let size = f.le32("Domain SID size")?;
    if size > 0 && f.left() > 8 {
        f.until(f.at().next_multiple_of(4), "Padding")?;
        f.bytes(size.min(f.left()), "Domain SID")?;
    }
    version(f)
}

/// What the sender understands: the end of nearly all messages (MS-ADTS 6.3.1.1).
fn version(f: &mut Fields<'_>) -> Option<()> {
    if f.left() >= 8 {
        f.le32("NT version")?;
        f.hex();
    }
    for name in ["LMNT token", "LM20 token"] {
        if f.left() >= 2 {
            f.le16(name)?;
            f.hex();
        }
    }
    Some(())
}

/// UTF-16 up to its terminator, from an even place of the message, if anything is left.
fn wide(f: &mut Fields<'_>, name: &'static str) -> Option<()> {
    if f.left() > 0 && f.at() % 2 == 1 {
        f.bytes(1, "Padding")?;
    }
    let mut units = f.peek().chunks_exact(2);
    let end = units.position(|unit| unit == [0, 0]).map(|n| 2 * n + 2);
    let n = end.and_then(|n| u32::try_from(n).ok());
    f.utf16(n.unwrap_or(f.left()), name).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line};
    use proptest::prelude::*;
    use wirewait_wire::Value;

    fn utf16(text: &str) -> Vec<u8> {
        text.encode_utf16()
            .chain([0])
            .flat_map(u16::to_le_bytes)
            .collect()
    }

    const VERSION: [u8; 8] = [0x0b, 0, 0, 0, 0xff, 0xff, 0xff, 0xff];

    #[test]
    fn a_query_for_the_primary_and_its_answer() {
        let mut query = vec![7, 0];
        query.extend(b"PC\0\\MAILSLOT\\NET\\GETDC1\0");
        query.extend(utf16("PC"));
        query.extend(VERSION);
        assert_eq!(query.len() % 2, 0);
        assert_eq!(
            line(&DISSECTOR, &query),
            "LOGON_PRIMARY_QUERY PC \\MAILSLOT\\NET\\GETDC1 PC"
        );
        let fields = testing::fields(&DISSECTOR, Input::whole(&query));
        assert_eq!(testing::number(&fields, "NT version"), Some(0x0b));
        assert_eq!(testing::number(&fields, "LM20 token"), Some(0xffff));
        let mut response = vec![12, 0];
        response.extend(b"DC\0\0");
        response.extend(utf16("DC"));
        response.extend(utf16("DOM"));
        response.extend(VERSION);
        assert_eq!(
            line(&DISSECTOR, &response),
            "LOGON_PRIMARY_RESPONSE DC DC DOM"
        );
        assert_eq!(
            line(&DISSECTOR, &[7, 0, b'A', 0, b'\\', 0, 0xff, 0xff]),
            "LOGON_PRIMARY_QUERY A \\"
        );
    }

    #[test]
    fn a_logon_request_shows_the_account() {
        let mut bytes = vec![18, 0, 1, 0];
        bytes.extend(utf16("PC"));
        bytes.extend(utf16("me"));
        bytes.extend(b"\\M\0");
        bytes.extend([0x80, 0, 0, 0, 4, 0, 0, 0]);
        bytes.extend([0; 1]);
        bytes.extend([1, 2, 3, 4]);
        bytes.extend(VERSION);
        let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
        let user = fields
            .iter()
            .find(|f| f.name == "Unicode user name")
            .unwrap();
        assert_eq!(user.value, Value::Text("me".into()));
        let sid = fields.iter().find(|f| f.name == "Domain SID").unwrap();
        assert_eq!(sid.value, Value::Bytes(&[1, 2, 3, 4]));
        assert_eq!(testing::number(&fields, "NT version"), Some(0x0b));
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(
            code in 0u16..27,
            rest in prop::collection::vec(any::<u8>(), 0..80),
        ) {
            let bytes = [&code.to_le_bytes()[..], &rest].concat();
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            prop_assert_eq!(testing::number(&fields, "Operation code"), Some(code.into()));
            prop_assert!(!line(&DISSECTOR, &bytes).contains(|c: char| c.is_control()));
        }
    }
}
