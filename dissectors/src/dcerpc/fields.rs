//! The fields of every PDU. C706 12.6.3 and 12.6.4, MS-RPCE 2.2.2.

use super::{Header, Uuid, ptype, type_name};
use wirewait_wire::{Fields, Input};

pub(super) fn fields(f: &mut Fields<'_>) -> Option<()> {
    let input = f.input();
    let little_endian = Header::parse(input).is_ok_and(|h| h.little_endian);
    let mut pdu = Pdu { f, little_endian };
    let (ptype, flags, auth_length, frag_length) = pdu.common()?;
    let end = u32::from(frag_length).min(input.length);
    // The trailer: eight bytes of verifier, then the credentials (C706 13.2.6.1). Where the
    // length does not allow for one, there is none.
    let (trailer, auth_length) = match end.checked_sub(u32::from(auth_length) + 8) {
        Some(at) if auth_length > 0 && at >= pdu.f.at() => (at, auth_length),
        _ => (end, 0),
    };
    match ptype {
        ptype::REQUEST => pdu.request(flags)?,
        ptype::RESPONSE => {
            pdu.called()?;
            pdu.f.u8("Cancel count")?;
            pdu.f.u8("Reserved")?;
        }
        ptype::FAULT => pdu.fault()?,
        ptype::BIND | ptype::ALTER_CONTEXT => pdu.bind()?,
        ptype::BIND_ACK | ptype::ALTER_CONTEXT_RESP => pdu.bind_ack()?,
        ptype::BIND_NAK => pdu.bind_nak()?,
        ptype::AUTH3 => {
            pdu.f.bytes(4, "Padding")?;
        }
        _ => {}
    }
    let padding = padding(input, trailer, auth_length);
    let has_stub = matches!(ptype, ptype::REQUEST | ptype::RESPONSE | ptype::FAULT);
    let name = if has_stub { "Stub data" } else { "Padding" };
    pdu.f.until(trailer.saturating_sub(padding), name)?;
    pdu.f.until(trailer, "Authentication padding")?;
    if auth_length > 0 {
        pdu.trailer(auth_length)?;
    }
    Some(())
}

/// Bytes that align the trailer, which its third byte counts.
fn padding(input: Input<'_>, trailer: u32, auth_length: u16) -> u32 {
    if auth_length == 0 {
        return 0;
    }
    let at = usize::try_from(trailer).unwrap_or(usize::MAX);
    let count = input.bytes.get(at.saturating_add(2));
    count.map_or(0, |n| u32::from(*n))
}

/// The fields of a PDU in its byte order.
struct Pdu<'f, 'a> {
    f: &'f mut Fields<'a>,
    little_endian: bool,
}

impl Pdu<'_, '_> {
    fn u16(&mut self, name: &'static str) -> Option<u16> {
        if self.little_endian {
            self.f.le16(name)
        } else {
            self.f.be16(name)
        }
    }

    fn u32(&mut self, name: &'static str) -> Option<u32> {
        if self.little_endian {
            self.f.le32(name)
        } else {
            self.f.be32(name)
        }
    }

    fn uuid(&mut self, name: &'static str) -> Option<()> {
        let bytes = self.f.bytes(16, name)?.try_into().ok()?;
        let uuid = Uuid::from_wire(bytes, self.little_endian);
        self.f.shown(uuid).means(uuid.name().unwrap_or_default());
        Some(())
    }

    /// PDU type, flags, length of the credentials, length of the fragment.
    fn common(&mut self) -> Option<(u8, u8, u16, u16)> {
        self.f.open("Common header");
        self.f.u8("Version")?;
        self.f.u8("Minor version")?;
        let ptype = self.f.u8("PDU type")?;
        self.f.means(type_name(ptype).unwrap_or("unknown"));
        let flags = self.f.u8("Flags")?;
        self.f.hex();
        self.f.flag(0x01, "First fragment", "yes", "no");
        self.f.flag(0x02, "Last fragment", "yes", "no");
        // In a bind the bit says that the header is signed (MS-RPCE 2.2.2.3).
        let pending = match ptype {
            ptype::BIND | ptype::BIND_ACK | ptype::ALTER_CONTEXT | ptype::ALTER_CONTEXT_RESP => {
                "Header signing supported"
            }
            _ => "Cancel pending",
        };
        self.f.flag(0x04, pending, "yes", "no");
        self.f.flag(0x10, "Concurrent multiplexing", "yes", "no");
        self.f.flag(0x20, "Did not execute", "yes", "no");
        self.f.flag(0x40, "Maybe", "yes", "no");
        self.f.flag(0x80, "Object UUID", "present", "absent");
        self.f.u8("Integer and character representation")?;
        self.f.hex();
        if self.f.bits(0xf0, "Integers") == 1 {
            self.f.means("little-endian");
        } else {
            self.f.means("big-endian");
        }
        if self.f.bits(0x0f, "Characters") == 0 {
            self.f.means("ASCII");
        } else {
            self.f.means("EBCDIC");
        }
        let floating = self.f.u8("Floating point representation")?;
        self.f.means(match floating {
            0 => "IEEE",
            1 => "VAX",
            2 => "Cray",
            3 => "IBM",
            _ => "unknown",
        });
        self.f.bytes(2, "Reserved")?;
        let frag_length = self.u16("Fragment length")?;
        let auth_length = self.u16("Authentication length")?;
        self.u32("Call ID")?;
        self.f.close();
        Some((ptype, flags, auth_length, frag_length))
    }

    /// What request, response and fault begin with.
    fn called(&mut self) -> Option<()> {
        self.u32("Allocation hint")?;
        self.u16("Context ID")?;
        Some(())
    }

    fn request(&mut self, flags: u8) -> Option<()> {
        self.called()?;
        self.u16("Operation")?;
        if flags & 0x80 != 0 {
            self.uuid("Object UUID")?;
        }
        Some(())
    }

    fn fault(&mut self) -> Option<()> {
        self.called()?;
        self.f.u8("Cancel count")?;
        self.f.u8("Reserved")?;
        let status = self.u32("Status")?;
        self.f.hex();
        if let Some(name) = fault_name(status) {
            self.f.means(name);
        }
        self.f.bytes(4, "Reserved")?;
        Some(())
    }

    fn sizes(&mut self) -> Option<()> {
        self.u16("Maximum transmit fragment")?;
        self.u16("Maximum receive fragment")?;
        self.u32("Association group ID")?;
        self.f.hex();
        Some(())
    }

    fn bind(&mut self) -> Option<()> {
        self.sizes()?;
        let contexts = self.f.u8("Number of contexts")?;
        self.f.bytes(3, "Reserved")?;
        for _ in 0..contexts {
            self.f.open("Presentation context");
            self.u16("Context ID")?;
            let syntaxes = self.f.u8("Number of transfer syntaxes")?;
            self.f.u8("Reserved")?;
            self.uuid("Interface UUID")?;
            self.u16("Interface version")?;
            self.u16("Interface minor version")?;
            for _ in 0..syntaxes {
                self.uuid("Transfer syntax UUID")?;
                self.u32("Transfer syntax version")?;
            }
            self.f.close();
        }
        Some(())
    }

    fn bind_ack(&mut self) -> Option<()> {
        self.sizes()?;
        let length = self.u16("Secondary address length")?;
        self.f.text(length.into(), "Secondary address")?;
        self.f.until(self.f.at().next_multiple_of(4), "Padding")?;
        let results = self.f.u8("Number of results")?;
        self.f.bytes(3, "Reserved")?;
        for _ in 0..results {
            self.f.open("Presentation result");
            let result = self.u16("Result")?;
            self.f.means(match result {
                0 => "acceptance",
                1 => "user rejection",
                2 => "provider rejection",
                3 => "negotiate acknowledgement",
                _ => "unknown",
            });
            let reason = self.u16("Reason")?;
            if result == 2 {
                self.f.means(match reason {
                    0 => "not specified",
                    1 => "abstract syntax not supported",
                    2 => "transfer syntaxes not supported",
                    3 => "local limit exceeded",
                    _ => "unknown",
                });
            }
            self.uuid("Transfer syntax UUID")?;
            self.u32("Transfer syntax version")?;
            self.f.close();
        }
        Some(())
    }

    fn bind_nak(&mut self) -> Option<()> {
        let reason = self.u16("Reject reason")?;
        self.f.means(match reason {
            0 => "not specified",
            1 => "temporary congestion",
            2 => "local limit exceeded",
            3 => "called presentation address unknown",
            4 => "protocol version not supported",
            5 => "default context not supported",
            6 => "user data not readable",
            7 => "no PSAP available",
            8 => "authentication type not recognised",
            9 => "invalid checksum",
            _ => "unknown",
        });
        let versions = self.f.u8("Number of versions")?;
        for _ in 0..versions {
            self.f.u8("Version supported")?;
            self.f.u8("Minor version supported")?;
        }
        Some(())
    }

    fn trailer(&mut self, auth_length: u16) -> Option<()> {
        self.f.open("Authentication");
        let kind = self.f.u8("Authentication type")?;
        self.f.means(match kind {
            0 => "none",
            1 => "DCE private key",
            9 => "SPNEGO",
            10 => "NTLMSSP",
            14 => "TLS",
            16 => "Kerberos",
            68 => "Netlogon",
            _ => "unknown",
        });
        let level = self.f.u8("Authentication level")?;
        self.f.means(match level {
            0 => "default",
            1 => "none",
            2 => "connect",
            3 => "call",
            4 => "packet",
            5 => "packet integrity",
            6 => "packet privacy",
            _ => "unknown",
        });
        self.f.u8("Padding length")?;
        self.f.u8("Reserved")?;
        self.u32("Authentication context ID")?;
        self.f.bytes(auth_length.into(), "Credentials")?;
        self.f.close();
        Some(())
    }
}

/// The status codes of C706 appendix E, and those of Windows' own that come in their place.
pub(super) fn fault_name(status: u32) -> Option<&'static str> {
    Some(match status {
        0x0000_0005 => "ERROR_ACCESS_DENIED",
        0x0000_06d8 => "RPC_S_CANNOT_SUPPORT",
        0x0000_06f7 => "RPC_X_BAD_STUB_DATA",
        0x0000_0721 => "RPC_S_SEC_PKG_ERROR",
        0x1c00_0001 => "nca_s_fault_int_div_by_zero",
        0x1c00_0002 => "nca_s_fault_addr_error",
        0x1c00_0006 => "nca_s_fault_invalid_tag",
        0x1c00_0007 => "nca_s_fault_invalid_bound",
        0x1c00_0008 => "nca_rpc_version_mismatch",
        0x1c00_0009 => "nca_unspec_reject",
        0x1c00_000a => "nca_s_bad_actid",
        0x1c00_000b => "nca_who_are_you_failed",
        0x1c00_000c => "nca_manager_not_entered",
        0x1c00_000d => "nca_s_fault_cancel",
        0x1c00_0012 => "nca_s_fault_unspec",
        0x1c00_001a => "nca_s_fault_context_mismatch",
        0x1c00_001b => "nca_s_fault_remote_no_memory",
        0x1c00_001c => "nca_invalid_pres_context_id",
        0x1c00_001d => "nca_unsupported_authn_level",
        0x1c01_0002 => "nca_op_rng_error",
        0x1c01_0003 => "nca_unk_if",
        0x1c01_0006 => "nca_wrong_boot_time",
        0x1c01_0009 => "nca_s_you_crashed",
        0x1c01_000b => "nca_proto_error",
        0x1c01_0013 => "nca_out_args_too_big",
        0x1c01_0014 => "nca_server_too_busy",
        0x1c01_0017 => "nca_unsupported_type",
        _ => return None,
    })
}
