//! How much each protocol was tried on, as `wirewait protocols` shows it.
//!
//! Counted, not claimed: `tests/protocols.rs` counts anew and fails where a row differs;
//! WIREWAIT_WRITE_EVIDENCE=1 makes it write this table.

use wirewait_wire::Evidence;

/// A row per protocol that any capture at hand leads to, in the order of [`crate::ALL`].
#[rustfmt::skip]
pub const EVIDENCE: &[(&str, Evidence)] = &[
    ("ethernet", Evidence { real_files: 89, real_frames: 130584, lab_frames: 36430, pairs: 0 }),
    ("vlan", Evidence { real_files: 3, real_frames: 4798, lab_frames: 0, pairs: 0 }),
    ("llc", Evidence { real_files: 31, real_frames: 9483, lab_frames: 4834, pairs: 0 }),
    ("snap", Evidence { real_files: 18, real_frames: 1926, lab_frames: 0, pairs: 0 }),
    ("sll", Evidence { real_files: 2, real_frames: 7825, lab_frames: 0, pairs: 0 }),
    ("loopback", Evidence { real_files: 3, real_frames: 3531, lab_frames: 0, pairs: 0 }),
    ("raw-ip", Evidence { real_files: 3, real_frames: 1582, lab_frames: 0, pairs: 0 }),
    ("token-ring", Evidence { real_files: 3, real_frames: 159, lab_frames: 0, pairs: 0 }),
    ("fddi", Evidence { real_files: 2, real_frames: 1335, lab_frames: 0, pairs: 0 }),
    ("ppp", Evidence { real_files: 2, real_frames: 31, lab_frames: 0, pairs: 0 }),
    ("pppoe", Evidence { real_files: 2, real_frames: 25, lab_frames: 0, pairs: 0 }),
    ("chdlc", Evidence { real_files: 1, real_frames: 74, lab_frames: 0, pairs: 0 }),
    ("arp", Evidence { real_files: 23, real_frames: 7958, lab_frames: 42, pairs: 0 }),
    ("ipv4", Evidence { real_files: 86, real_frames: 126926, lab_frames: 27624, pairs: 0 }),
    ("ipv6", Evidence { real_files: 13, real_frames: 620, lab_frames: 393, pairs: 0 }),
    ("icmp", Evidence { real_files: 19, real_frames: 453, lab_frames: 17, pairs: 0 }),
    ("icmpv6", Evidence { real_files: 8, real_frames: 128, lab_frames: 393, pairs: 0 }),
    ("tcp", Evidence { real_files: 69, real_frames: 94264, lab_frames: 27589, pairs: 0 }),
    ("udp", Evidence { real_files: 51, real_frames: 32166, lab_frames: 17, pairs: 0 }),
    ("ipx", Evidence { real_files: 21, real_frames: 6570, lab_frames: 4435, pairs: 0 }),
    ("rip", Evidence { real_files: 5, real_frames: 309, lab_frames: 22, pairs: 0 }),
    ("sap", Evidence { real_files: 7, real_frames: 4201, lab_frames: 19, pairs: 0 }),
    ("nlsp", Evidence { real_files: 3, real_frames: 45, lab_frames: 0, pairs: 0 }),
    ("nbf", Evidence { real_files: 10, real_frames: 358, lab_frames: 3216, pairs: 0 }),
    ("nbipx", Evidence { real_files: 11, real_frames: 1181, lab_frames: 0, pairs: 0 }),
    ("nmpi", Evidence { real_files: 5, real_frames: 556, lab_frames: 0, pairs: 0 }),
    ("nbss", Evidence { real_files: 16, real_frames: 1904, lab_frames: 5276, pairs: 0 }),
    ("nbt", Evidence { real_files: 12, real_frames: 97, lab_frames: 34, pairs: 0 }),
    ("direct_tcp", Evidence { real_files: 38, real_frames: 32543, lab_frames: 7223, pairs: 0 }),
    ("nbdgm", Evidence { real_files: 22, real_frames: 871, lab_frames: 0, pairs: 0 }),
    ("nbns", Evidence { real_files: 28, real_frames: 14416, lab_frames: 17, pairs: 0 }),
    ("lat", Evidence { real_files: 1, real_frames: 2, lab_frames: 0, pairs: 0 }),
    ("sca", Evidence { real_files: 1, real_frames: 15, lab_frames: 0, pairs: 0 }),
    ("mop", Evidence { real_files: 2, real_frames: 5, lab_frames: 0, pairs: 0 }),
    ("decnet", Evidence { real_files: 3, real_frames: 153, lab_frames: 0, pairs: 0 }),
    ("nsp", Evidence { real_files: 2, real_frames: 135, lab_frames: 0, pairs: 0 }),
    ("last", Evidence { real_files: 1, real_frames: 4, lab_frames: 0, pairs: 0 }),
    ("ncp", Evidence { real_files: 1, real_frames: 468, lab_frames: 4394, pairs: 5462 }),
    ("ncp_tcp", Evidence { real_files: 1, real_frames: 468, lab_frames: 0, pairs: 0 }),
    ("smb1", Evidence { real_files: 45, real_frames: 20644, lab_frames: 6638, pairs: 12068 }),
    ("smb2", Evidence { real_files: 19, real_frames: 14261, lab_frames: 7221, pairs: 10381 }),
    ("dcerpc", Evidence { real_files: 21, real_frames: 3387, lab_frames: 0, pairs: 0 }),
    ("browser", Evidence { real_files: 22, real_frames: 1489, lab_frames: 0, pairs: 0 }),
    ("lanman", Evidence { real_files: 2, real_frames: 3, lab_frames: 0, pairs: 0 }),
    ("netlogon", Evidence { real_files: 1, real_frames: 4, lab_frames: 0, pairs: 0 }),
];
