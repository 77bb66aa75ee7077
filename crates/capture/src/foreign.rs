//! Formats that are recognised but not read: their users get told what to do.
//!
//! A reader for one of them takes its line away from here.

use crate::reader::{Action, Format};

const CONVERT: &str = "convert it with `editcap -F pcap IN OUT` (part of Wireshark)";
const UNPACK: &str = "unpack it first, or name it as a file of its own";

const fn refused(name: &'static str, matches: fn(&[u8]) -> bool, advice: &'static str) -> Format {
    Format {
        name,
        matches,
        action: Action::Refuse(advice),
    }
}

/// Strong magics first; the two-byte one last, with a look at what follows.
pub(crate) const FORMATS: &[Format] = &[
    refused(
        "EtherPeek or OmniPeek",
        |head| head.starts_with(b"\x7fver"),
        CONVERT,
    ),
    refused(
        "Network Instruments Observer",
        |head| head.starts_with(b"ObserverPktBuffe"),
        CONVERT,
    ),
    refused(
        "Visual Networks",
        |head| head.starts_with(b"\x05VNF"),
        CONVERT,
    ),
    refused("5Views", |head| head.starts_with(&[0xaa; 4]), CONVERT),
    refused("HP-UX nettl", |head| head.starts_with(b"TR\0d"), CONVERT),
    // Through a pipe, or within another archive.
    refused("zip", |head| head.starts_with(b"PK\x03\x04"), UNPACK),
    refused(
        "EtherPeek",
        // Version 5 to 7, no status bits, and a file length of 32 bits in big-endian.
        |head| matches!(head, [5..=7, 0, 0, 0, _, _, 0..=3, ..]),
        CONVERT,
    ),
];

#[cfg(test)]
mod tests {
    use crate::fault::Severity;
    use crate::format::tests::{Chunks, read_all};

    #[test]
    fn each_is_named_with_the_way_out() {
        for (head, name, advice) in [
            (&b"\x7fver\0\0"[..], "OmniPeek", "editcap"),
            (b"\xaa\xaa\xaa\xaa \0\0\0", "5Views", "editcap"),
            (b"PK\x03\x04", "zip", "unpack it first"),
        ] {
            let fault = read_all(Chunks::new(head, 100), 4096).2.unwrap();
            assert_eq!(fault.severity, Severity::Unreadable);
            assert!(fault.message.contains(name), "{}", fault.message);
            assert!(fault.message.contains(advice), "{}", fault.message);
        }
    }
}
