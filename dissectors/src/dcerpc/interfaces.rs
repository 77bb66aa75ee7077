//! Identifiers of interfaces and transfer syntaxes, and the names of those that file and
//! print servers offer on their pipes.

use std::fmt;

/// A UUID, the bytes in the order in which it is written. C706 appendix A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uuid(pub [u8; 16]);

impl Uuid {
    /// A UUID from the wire: its first three fields have the byte order of the PDU.
    #[must_use]
    pub const fn from_wire(mut bytes: [u8; 16], little_endian: bool) -> Self {
        if little_endian {
            bytes = [
                bytes[3], bytes[2], bytes[1], bytes[0], bytes[5], bytes[4], bytes[7], bytes[6],
                bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14],
                bytes[15],
            ];
        }
        Self(bytes)
    }

    /// The name of the interface or transfer syntax, if it is a well-known one.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        let value = u128::from_be_bytes(self.0);
        let known = WELL_KNOWN.iter().find(|entry| entry.0 == value);
        known.map(|entry| entry.1)
    }
}

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, byte) in self.0.iter().enumerate() {
            if matches!(n, 4 | 6 | 8 | 10) {
                f.write_str("-")?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

/// The interfaces by the names of their specifications' abbreviations (MS-SRVS, MS-WKST,
/// MS-RPRN, MS-LSAD, MS-SAMR, MS-NRPC, MS-RRP, MS-SCMR, MS-TSCH, MS-BRWSA, MS-EVEN, MS-DFSNM,
/// MS-MSRP, MS-DSSP, MS-DRSR, MS-EFSR, MS-RSP, C706 appendix O and Q, MS-OXCRPC), and the
/// transfer syntaxes (C706 appendix I, MS-RPCE 2.2.5).
static WELL_KNOWN: [(u128, &str); 30] = [
    (0x4b324fc8_1670_01d3_1278_5a47bf6ee188, "srvsvc"),
    (0x6bffd098_a112_3610_9833_46c3f87e345a, "wkssvc"),
    (0x12345678_1234_abcd_ef00_0123456789ab, "spoolss"),
    (0x12345778_1234_abcd_ef00_0123456789ab, "lsarpc"),
    (0x12345778_1234_abcd_ef00_0123456789ac, "samr"),
    (0x12345678_1234_abcd_ef00_01234567cffb, "netlogon"),
    (0x338cd001_2244_31f1_aaaa_900038001003, "winreg"),
    (0x367abb81_9844_35f1_ad32_98f038001003, "svcctl"),
    (0x1ff70682_0a51_30e8_076d_740be8cee98b, "atsvc"),
    (0x6bffd098_a112_3610_9833_012892020162, "browser"),
    (0xe1af8308_5d1f_11c9_91a4_08002b14a0fa, "epmapper"),
    (0x82273fdc_e32a_18c3_3f78_827929dc23ea, "eventlog"),
    (0x17fdd703_1827_4e34_79d4_24a55c53bb37, "msgsvc"),
    (0x5a7b91f8_ff00_11d0_a9b2_00c04fb6e6fc, "msgsvcsend"),
    (0x4fc742e0_4a10_11cf_8273_00aa004ae673, "netdfs"),
    (0x3919286a_b10c_11d0_9ba8_00c04fd92ef5, "dssetup"),
    (0xe3514235_4b06_11d1_ab04_00c04fc2dcd2, "drsuapi"),
    (0xc681d488_d850_11d0_8c52_00c04fd90f7e, "efsrpc"),
    (0xdf1941c5_fe89_4e79_bf10_463657acf44d, "efsrpc"),
    (0x894de0c0_0d55_11d3_a322_00c04fa321a1, "initshutdown"),
    (0x8d9f4e40_a03d_11ce_8f69_08003e30051b, "pnp"),
    (0x378e52b0_c0a9_11cf_822d_00aa0051e40f, "sasec"),
    (0x86d35949_83c9_4044_b424_db363231fd0c, "tsch"),
    (0xafa8bd80_7d8a_11c9_bef4_08002b102989, "mgmt"),
    (0xa4f1db00_ca47_1067_b31f_00dd010662da, "emsmdb"),
    (0xf5cc5a18_4264_101a_8c59_08002b2f8426, "nspi"),
    (0x4d9f4ab8_7d1c_11cf_861e_0020af6e7c57, "IActivation"),
    (0x99fcfec4_5260_101b_bbcb_00aa0021347a, "IOXIDResolver"),
    (0x8a885d04_1ceb_11c9_9fe8_08002b104860, "NDR"),
    (0x71710533_beba_4937_8319_b5dbef9ccc36, "NDR64"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_three_fields_turn_with_the_byte_order() {
        // srvsvc as it stands in a little-endian bind.
        let wire = [
            0xc8, 0x4f, 0x32, 0x4b, 0x70, 0x16, 0xd3, 0x01, 0x12, 0x78, 0x5a, 0x47, 0xbf, 0x6e,
            0xe1, 0x88,
        ];
        let uuid = Uuid::from_wire(wire, true);
        assert_eq!(uuid.to_string(), "4b324fc8-1670-01d3-1278-5a47bf6ee188");
        assert_eq!(uuid.name(), Some("srvsvc"));
        assert_eq!(Uuid::from_wire(wire, false).name(), None);
    }

    #[test]
    fn no_identifier_is_listed_twice() {
        for (n, entry) in WELL_KNOWN.iter().enumerate() {
            assert!(WELL_KNOWN[..n].iter().all(|other| other.0 != entry.0));
        }
    }
}
