//! Remote Administration Protocol: the calls of LAN Manager's API that go through
//! transactions on `\PIPE\LANMAN`. MS-RAP 2.4 (transport) and 2.5 (functions); the
//! functions that it leaves out are numbered as LAN Manager's API had them (X/Open, IPC
//! Mechanisms for SMB).

use super::andx::Block;
use super::{Command, transact};
use crate::parse::le16;
use wirewait_wire::{Kind, Operation};

/// Marks the code of an operation as a RAP function's: the subfunctions of pipes have
/// numbers of their own.
const RAP: u32 = 1 << 30;

/// The number of the function that a request calls, if it is one on `\PIPE\LANMAN`: the
/// first word of its parameters (MS-RAP 2.5.1).
pub(super) fn function(b: &Block<'_>) -> Option<u16> {
    let is_rap = b.command == Command::TRANSACTION && transact::is_named(b, b"\\PIPE\\LANMAN");
    is_rap
        .then(|| le16(b.message.bytes, transact::parameters_at(b)?))
        .flatten()
}

/// The code under which a function is known.
pub(super) const fn code(function: u16) -> u32 {
    Command::TRANSACTION.code(Some(function)) | RAP
}

/// The function of a code, if it is one's.
pub(super) fn of_code(code: u32) -> Option<u16> {
    let number = u16::try_from(code >> 8 & 0xffff).ok()?;
    (code == self::code(number)).then_some(number)
}

/// The operation of a function, if it is known.
pub(super) fn named(function: u16) -> Option<&'static Operation> {
    let at = FUNCTIONS.binary_search_by_key(&function, |entry| entry.0);
    Some(&FUNCTIONS.get(at.ok()?)?.1)
}

/// Number, name, and whether it only asks or does something.
macro_rules! functions {
    ($($number:literal $name:ident $does:ident;)*) => {
        static FUNCTIONS: &[(u16, Operation)] = &[
            $((
                $number,
                Operation::new(stringify!($name), Kind::Transaction, functions!($does)),
            ),)*
        ];
    };
    (asks) => { true };
    (acts) => { false };
}

functions! {
    0 NetShareEnum asks;
    1 NetShareGetInfo asks;
    2 NetShareSetInfo acts;
    3 NetShareAdd acts;
    4 NetShareDel acts;
    5 NetShareCheck asks;
    6 NetSessionEnum asks;
    7 NetSessionGetInfo asks;
    8 NetSessionDel acts;
    9 NetConnectionEnum asks;
    10 NetFileEnum asks;
    11 NetFileGetInfo asks;
    12 NetFileClose acts;
    13 NetServerGetInfo asks;
    14 NetServerSetInfo acts;
    15 NetServerDiskEnum asks;
    16 NetServerAdminCommand acts;
    17 NetAuditOpen acts;
    18 NetAuditClear acts;
    19 NetErrorLogOpen acts;
    20 NetErrorLogClear acts;
    21 NetCharDevEnum asks;
    22 NetCharDevGetInfo asks;
    23 NetCharDevControl acts;
    24 NetCharDevQEnum asks;
    25 NetCharDevQGetInfo asks;
    26 NetCharDevQSetInfo acts;
    27 NetCharDevQPurge acts;
    28 NetCharDevQPurgeSelf acts;
    29 NetMessageNameEnum asks;
    30 NetMessageNameGetInfo asks;
    31 NetMessageNameAdd acts;
    32 NetMessageNameDel acts;
    33 NetMessageNameFwd acts;
    34 NetMessageNameUnFwd acts;
    35 NetMessageBufferSend acts;
    36 NetMessageFileSend acts;
    37 NetMessageLogFileSet acts;
    38 NetMessageLogFileGet asks;
    39 NetServiceEnum asks;
    40 NetServiceInstall acts;
    41 NetServiceControl acts;
    42 NetAccessEnum asks;
    43 NetAccessGetInfo asks;
    44 NetAccessSetInfo acts;
    45 NetAccessAdd acts;
    46 NetAccessDel acts;
    47 NetGroupEnum asks;
    48 NetGroupAdd acts;
    49 NetGroupDel acts;
    50 NetGroupAddUser acts;
    51 NetGroupDelUser acts;
    52 NetGroupGetUsers asks;
    53 NetUserEnum asks;
    54 NetUserAdd acts;
    55 NetUserDel acts;
    56 NetUserGetInfo asks;
    57 NetUserSetInfo acts;
    58 NetUserPasswordSet acts;
    59 NetUserGetGroups asks;
    62 NetWkstaSetUID acts;
    63 NetWkstaGetInfo asks;
    64 NetWkstaSetInfo acts;
    65 NetUseEnum asks;
    66 NetUseAdd acts;
    67 NetUseDel acts;
    68 NetUseGetInfo asks;
    69 NetPrintQEnum asks;
    70 NetPrintQGetInfo asks;
    71 NetPrintQSetInfo acts;
    72 NetPrintQAdd acts;
    73 NetPrintQDel acts;
    74 NetPrintQPause acts;
    75 NetPrintQContinue acts;
    76 NetPrintJobEnum asks;
    77 NetPrintJobGetInfo asks;
    81 NetPrintJobDelete acts;
    82 NetPrintJobPause acts;
    83 NetPrintJobContinue acts;
    84 NetPrintDestEnum asks;
    85 NetPrintDestGetInfo asks;
    86 NetPrintDestControl acts;
    87 NetProfileSave acts;
    88 NetProfileLoad acts;
    89 NetStatisticsGet asks;
    90 NetStatisticsClear acts;
    91 NetRemoteTOD asks;
    94 NetServerEnum asks;
    96 NetServiceGetInfo asks;
    103 NetPrintQPurge acts;
    104 NetServerEnum2 asks;
    105 NetAccessGetUserPerms asks;
    106 NetGroupGetInfo asks;
    107 NetGroupSetInfo acts;
    108 NetGroupSetUsers acts;
    109 NetUserSetGroups acts;
    110 NetUserModalsGet asks;
    111 NetUserModalsSet acts;
    112 NetFileEnum2 asks;
    113 NetUserAdd2 acts;
    114 NetUserSetInfo2 acts;
    115 NetUserPasswordSet2 acts;
    117 NetConfigGet2 asks;
    118 NetConfigGetAll2 asks;
    119 NetGetDCName asks;
    120 NetHandleGetInfo asks;
    121 NetHandleSetInfo acts;
    122 NetStatisticsGet2 asks;
    124 NetFileGetInfo2 asks;
    125 NetFileClose2 acts;
    126 NetServerReqChallenge acts;
    127 NetServerAuthenticate acts;
    128 NetServerPasswordSet acts;
    131 NetUserEnum2 asks;
    132 NetWkstaUserLogon acts;
    133 NetWkstaUserLogoff acts;
    134 NetLogonEnum asks;
    135 NetErrorLogRead asks;
    142 NetAuditRead asks;
    143 NetPrintDestAdd acts;
    144 NetPrintDestSetInfo acts;
    145 NetPrintDestDel acts;
    146 NetUserValidate2 acts;
    147 NetPrintJobSetInfo acts;
    163 NetAccessCheck asks;
    164 NetAlertRaise acts;
    165 NetAlertStart acts;
    166 NetAlertStop acts;
    167 NetAuditWrite acts;
    168 NetIRemoteAPI acts;
    169 NetServiceStatus acts;
    211 NetConfigSet acts;
    215 NetServerEnum3 asks;
}

#[cfg(test)]
mod tests {
    use super::super::tests::{meaning, message, words};
    use super::*;

    /// A transaction on this name, whose parameters stand at 90 and begin with `function`.
    fn call(name: &[u8], function: u16) -> Vec<u8> {
        let w = words([8, 0, 8, 1024, 0, 0, 0, 0, 0, 8, 90, 0, 0, 0]);
        let mut m = message(0x25, 0, &w, name);
        m.resize(90, 0);
        m.extend(function.to_le_bytes());
        m.extend(b"WrLeh\0");
        m
    }

    #[test]
    fn functions_are_known_in_their_order() {
        assert!(FUNCTIONS.windows(2).all(|w| w[0].0 < w[1].0));
        for (number, name) in [
            (0, "NetShareEnum"),
            (63, "NetWkstaGetInfo"),
            (104, "NetServerEnum2"),
            (215, "NetServerEnum3"),
        ] {
            assert_eq!(named(number).unwrap().name, name);
        }
        assert!(named(9999).is_none());
    }

    #[test]
    fn a_call_is_an_operation_of_its_own() {
        let x = meaning(&call(b"\\PIPE\\LANMAN\0", 104));
        assert_eq!((x.operation.name, x.code), ("NetServerEnum2", code(104)));
        assert_eq!(of_code(x.code), Some(104));
        let x = meaning(&call(b"\\pipe\\lanman\0", 9999));
        assert_eq!(
            (x.operation.name, of_code(x.code)),
            ("TRANSACTION", Some(9999))
        );
        let x = meaning(&call(b"\\PIPE\\OTHER\0", 104));
        assert_eq!((x.operation.name, of_code(x.code)), ("TRANSACTION", None));
    }
}
