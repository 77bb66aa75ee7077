//! What every command code is called and what class of work it does.
//! MS-CIFS 2.2.2.1 (SMB_COM command codes), MS-SMB 2.2.2.1.

use wirewait_wire::{Effects, Kind, Operation};

/// A command code. Codes that the specification does not know survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command(pub u8);

/// A server asks for its oplock back: LOCKING_ANDX in the other direction.
pub(super) static OPLOCK_BREAK: Operation = Operation::new("OPLOCK_BREAK", Kind::Break, true);

/// An operation of this protocol, which has no numbers besides the command.
impl Command {
    /// In an AndX chain: no further command (MS-CIFS 2.2.3.4).
    pub const NONE: Self = Self(0xff);

    /// The command that opened the exchange to which a message with this one belongs:
    /// some requests continue, and some are answered, under a code of their own.
    #[must_use]
    pub const fn opening(self) -> Self {
        match self {
            Self::READ_MPX_SECONDARY => Self::READ_MPX,
            Self::WRITE_MPX_SECONDARY => Self::WRITE_MPX,
            Self::WRITE_COMPLETE => Self::WRITE_RAW,
            Self::TRANSACTION_SECONDARY => Self::TRANSACTION,
            Self::IOCTL_SECONDARY => Self::IOCTL,
            Self::TRANSACTION2_SECONDARY => Self::TRANSACTION2,
            Self::NT_TRANSACT_SECONDARY => Self::NT_TRANSACT,
            other => other,
        }
    }

    /// Whether its words begin with the next command of a chain (MS-CIFS 2.2.3.4).
    #[must_use]
    pub const fn is_andx(self) -> bool {
        matches!(
            self,
            Self::LOCKING_ANDX
                | Self::OPEN_ANDX
                | Self::READ_ANDX
                | Self::WRITE_ANDX
                | Self::SESSION_SETUP_ANDX
                | Self::LOGOFF_ANDX
                | Self::TREE_CONNECT_ANDX
                | Self::SECURITY_PACKAGE_ANDX
                | Self::NT_CREATE_ANDX
        )
    }

    /// What it does to what the server keeps. A search is begun by a subfunction.
    pub(super) const fn effects(self) -> Effects {
        match self {
            Self::NEGOTIATE => Effects::NEGOTIATES,
            Self::SESSION_SETUP_ANDX => Effects::LOGS_ON,
            Self::LOGOFF_ANDX => Effects::LOGS_OFF,
            Self::TREE_CONNECT | Self::TREE_CONNECT_ANDX => Effects::ATTACHES,
            Self::TREE_DISCONNECT | Self::CLOSE_AND_TREE_DISC => Effects::DETACHES,
            Self::FIND_CLOSE | Self::FIND_CLOSE2 => Effects::ENDS_SEARCH,
            Self::ECHO => Effects::PROBES,
            _ => Effects::NONE,
        }
    }

    /// The number under which an operation is known: the command alone, or, if it has a
    /// subfunction, command, subfunction << 8 and the top bit (so that subfunction 0 and
    /// "not known" stay apart).
    #[must_use]
    pub const fn code(self, subfunction: Option<u16>) -> u32 {
        match subfunction {
            Some(sub) => self.0 as u32 | (sub as u32) << 8 | 1 << 31,
            None => self.0 as u32,
        }
    }
}

/// Code, name, class of work, and whether doing it twice leaves what doing it once leaves.
macro_rules! commands {
    ($($code:literal $name:ident $kind:ident $idempotent:ident;)*) => {
        impl Command {
            $(
                #[doc = concat!("Code ", stringify!($code), ".")]
                pub const $name: Self = Self($code);
            )*

            /// The operation it stands for; `UNKNOWN` where the specification has none.
            #[must_use]
            pub fn operation(self) -> &'static Operation {
                static UNKNOWN: Operation = Operation::new("UNKNOWN", Kind::Other, false);
                match self.0 {
                    $($code => {
                        static KNOWN: Operation =
                            Operation::new(stringify!($name), Kind::$kind, commands!($idempotent));
                        &KNOWN
                    })*
                    _ => &UNKNOWN,
                }
            }
        }
    };
    (idempotent) => { true };
    (once) => { false };
}

// Writes count as idempotent: the same bytes at the same place. Appending ones do not.
commands! {
    0x00 CREATE_DIRECTORY Directory once;
    0x01 DELETE_DIRECTORY Directory once;
    0x02 OPEN Open once;
    0x03 CREATE Open once;
    0x04 CLOSE Close once;
    0x05 FLUSH Other idempotent;
    0x06 DELETE Directory once;
    0x07 RENAME Directory once;
    0x08 QUERY_INFORMATION Directory idempotent;
    0x09 SET_INFORMATION Directory idempotent;
    0x0a READ Read idempotent;
    0x0b WRITE Write idempotent;
    0x0c LOCK_BYTE_RANGE Lock once;
    0x0d UNLOCK_BYTE_RANGE Lock once;
    0x0e CREATE_TEMPORARY Open once;
    0x0f CREATE_NEW Open once;
    0x10 CHECK_DIRECTORY Directory idempotent;
    0x11 PROCESS_EXIT Close idempotent;
    0x12 SEEK Other idempotent;
    0x13 LOCK_AND_READ Read once;
    0x14 WRITE_AND_UNLOCK Write once;
    0x1a READ_RAW Read idempotent;
    0x1b READ_MPX Read idempotent;
    0x1c READ_MPX_SECONDARY Read idempotent;
    0x1d WRITE_RAW Write idempotent;
    0x1e WRITE_MPX Write idempotent;
    0x1f WRITE_MPX_SECONDARY Write idempotent;
    0x20 WRITE_COMPLETE Write idempotent;
    0x21 QUERY_SERVER Other idempotent;
    0x22 SET_INFORMATION2 Directory idempotent;
    0x23 QUERY_INFORMATION2 Directory idempotent;
    0x24 LOCKING_ANDX Lock once;
    0x25 TRANSACTION Transaction once;
    0x26 TRANSACTION_SECONDARY Transaction once;
    0x27 IOCTL Other once;
    0x28 IOCTL_SECONDARY Other once;
    0x29 COPY Directory idempotent;
    0x2a MOVE Directory once;
    0x2b ECHO Other idempotent;
    0x2c WRITE_AND_CLOSE Write once;
    0x2d OPEN_ANDX Open once;
    0x2e READ_ANDX Read idempotent;
    0x2f WRITE_ANDX Write idempotent;
    0x30 NEW_FILE_SIZE Other once;
    0x31 CLOSE_AND_TREE_DISC Close once;
    0x32 TRANSACTION2 Transaction once;
    0x33 TRANSACTION2_SECONDARY Transaction once;
    0x34 FIND_CLOSE2 Directory idempotent;
    0x35 FIND_NOTIFY_CLOSE Directory idempotent;
    0x70 TREE_CONNECT Session once;
    0x71 TREE_DISCONNECT Session once;
    0x72 NEGOTIATE Session idempotent;
    0x73 SESSION_SETUP_ANDX Session once;
    0x74 LOGOFF_ANDX Session once;
    0x75 TREE_CONNECT_ANDX Session once;
    0x7e SECURITY_PACKAGE_ANDX Session once;
    0x80 QUERY_INFORMATION_DISK Directory idempotent;
    0x81 SEARCH Directory idempotent;
    0x82 FIND Directory idempotent;
    0x83 FIND_UNIQUE Directory idempotent;
    0x84 FIND_CLOSE Directory idempotent;
    0xa0 NT_TRANSACT Transaction once;
    0xa1 NT_TRANSACT_SECONDARY Transaction once;
    0xa2 NT_CREATE_ANDX Open once;
    0xa4 NT_CANCEL Other idempotent;
    0xa5 NT_RENAME Directory once;
    0xc0 OPEN_PRINT_FILE Open once;
    0xc1 WRITE_PRINT_FILE Write once;
    0xc2 CLOSE_PRINT_FILE Close once;
    0xc3 GET_PRINT_QUEUE Directory idempotent;
    0xd0 SEND_MESSAGE Other once;
    0xd1 SEND_BROADCAST Other once;
    0xd2 FORWARD_USER_NAME Other once;
    0xd3 CANCEL_FORWARD Other once;
    0xd4 GET_MACHINE_NAME Other idempotent;
    0xd5 SEND_START_MULTI_BLOCK Other once;
    0xd6 SEND_END_MULTI_BLOCK Other once;
    0xd7 SEND_TEXT_MULTI_BLOCK Other once;
    0xd8 READ_BULK Read idempotent;
    0xd9 WRITE_BULK Write idempotent;
    0xda WRITE_BULK_DATA Write idempotent;
    0xfe INVALID Other once;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_an_operation() {
        let known = (0..=255)
            .filter(|&code| Command(code).operation().name != "UNKNOWN")
            .count();
        assert_eq!(known, 82);
        assert_eq!(Command(0x60).operation().name, "UNKNOWN");
        assert_eq!(Command::READ_ANDX.operation().name, "READ_ANDX");
        assert_eq!(Command::READ_ANDX.operation().kind, Kind::Read);
    }

    #[test]
    fn one_operation_is_one_place_in_memory() {
        assert!(std::ptr::eq(
            Command::CLOSE.operation(),
            Command(4).operation()
        ));
    }

    #[test]
    fn codes_tell_subfunction_zero_from_none() {
        assert_eq!(Command::TRANSACTION2.code(None), 0x32);
        assert_eq!(Command::TRANSACTION2.code(Some(0)), 0x8000_0032);
        assert_eq!(Command::NT_TRANSACT.code(Some(4)), 0x8000_04a0);
    }

    #[test]
    fn what_opens_an_exchange_opens_itself() {
        for code in 0..=255 {
            let opening = Command(code).opening();
            assert_eq!(opening.opening(), opening);
        }
    }
}
