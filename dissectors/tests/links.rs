//! The link and network layers against tshark 4.0.17, over whole captures: how many frames
//! contain each protocol, and the sum of each identifying field over all frames (the first
//! occurrence in a frame; what ICMP errors quote does not count).

use std::path::PathBuf;
use wirewait_dissectors::{ipv4, ipx, llc, registry, tcp};
use wirewait_wire::{Depth, Frame, LinkType, Numbered, NumberedKind, Timestamp, Walk};

/// The layers that are counted, by name.
const LAYERS: [&str; 10] = [
    "vlan", "llc", "ipx", "arp", "ipv4", "ipv6", "tcp", "udp", "sap", "rip",
];

/// The fields that are summed up.
const FIELDS: [&str; 11] = [
    "llc N(S)",
    "llc N(R)",
    "ipx length",
    "ipx source socket",
    "ipx destination socket",
    "ipx hops",
    "ipv4 identification",
    "ipv4 total length",
    "tcp sequence",
    "tcp acknowledgement",
    "tcp payload bytes",
];

/// What tshark says of a capture.
struct Capture {
    file: &'static str,
    frames: u32,
    layers: [u32; LAYERS.len()],
    sums: [u64; FIELDS.len()],
}

#[rustfmt::skip]
const CAPTURES: &[Capture] = &[
    Capture {
        file: "real/nbf_smb_dos-win98_netbeui-ipx-nbt.ndpi.pcap",
        frames: 220,
        layers: [0, 158, 18, 0, 62, 0, 0, 61, 0, 0],
        sums: [991, 1482, 1452, 24516, 24485, 0, 595200, 7681, 0, 0, 0],
    },
    Capture {
        file: "real/nbf+ipxraw_libpcap-llc-filter.pcap",
        frames: 10,
        layers: [0, 6, 4, 0, 0, 0, 0, 0, 0, 0],
        sums: [0, 0, 300, 4436, 4436, 0, 0, 0, 0, 0, 0],
    },
    Capture {
        file: "real/ipx_office-lan_trafficmorning.pcap",
        frames: 21568,
        layers: [0, 5519, 5876, 1794, 13681, 0, 800, 12874, 4068, 300],
        sums: [0, 0, 340426, 70605616, 8026414, 529, 312299418, 1140210, 1261420146910, 1202616286023, 41685],
    },
    Capture {
        file: "real/ipx_sap-4framings_test1.pcap",
        frames: 53,
        layers: [0, 10, 12, 0, 33, 0, 0, 30, 12, 0],
        sums: [0, 0, 408, 196836, 13272, 0, 969973, 10103, 0, 0, 0],
    },
    Capture {
        file: "real/ipx_nlsp-sap_allen.pcap",
        frames: 443,
        layers: [0, 17, 7, 292, 130, 0, 34, 34, 3, 0],
        sums: [0, 0, 828, 150778, 150778, 0, 4204051, 13061, 71610134173, 67395230196, 792],
    },
    Capture {
        file: "real/ipx_eigrp_chdlc.pcap",
        frames: 74,
        layers: [0, 0, 74, 0, 0, 0, 0, 0, 0, 0],
        sums: [0, 0, 5460, 2533612, 2533612, 0, 0, 0, 0, 0, 0],
    },
    Capture {
        file: "real/ipx_sll_hari.pcap",
        frames: 7647,
        layers: [0, 243, 6, 3680, 3714, 4, 1483, 2192, 0, 0],
        sums: [0, 0, 480, 6654, 6654, 0, 107162672, 1460801, 4478080172885, 4469445608914, 979780],
    },
    Capture {
        file: "real/fddi_llc_zeek.pcap",
        frames: 1333,
        layers: [0, 1333, 0, 0, 1333, 0, 1333, 0, 0, 0],
        sums: [0, 0, 0, 0, 0, 0, 7937290, 53320, 1851256084913, 1851256084913, 0],
    },
    Capture {
        file: "real/tr_tftp_1frame.pcap",
        frames: 1,
        layers: [0, 1, 0, 0, 1, 0, 0, 1, 0, 0],
        sums: [0, 0, 0, 0, 0, 0, 63801, 55, 0, 0, 0],
    },
    Capture {
        file: "real/smb2_null-linktype_loopback.pcap",
        frames: 3519,
        layers: [0, 0, 0, 0, 3511, 8, 3503, 16, 0, 0],
        sums: [0, 0, 0, 0, 0, 0, 343898, 900829, 7213452255865, 7061856888660, 717465],
    },
    Capture {
        file: "real/smb2_rawip-linktype_krb5.pcap",
        frames: 1428,
        layers: [0, 0, 0, 0, 1428, 0, 1003, 423, 0, 0],
        sums: [0, 0, 0, 0, 0, 0, 93583980, 273658, 1200990, 1130593, 115923],
    },
    Capture {
        file: "real/smb2_nfstrace_cifs2.pcap",
        frames: 846,
        layers: [13, 26, 0, 380, 437, 1, 215, 223, 0, 0],
        sums: [0, 0, 0, 0, 0, 0, 7780023, 53531, 377017958323, 349153683654, 19039],
    },
    Capture {
        file: "formats/fmt_pcap-be_ppp-linktype_smb1.cap",
        frames: 7,
        layers: [0, 0, 0, 0, 7, 0, 7, 0, 0, 0],
        sums: [0, 0, 0, 0, 0, 0, 323716, 1229, 14571341011, 12112293738, 865],
    },
    Capture {
        file: "derived/wfw311.pcap",
        frames: 406,
        layers: [0, 127, 239, 0, 16, 24, 0, 20, 0, 0],
        sums: [4, 24, 25841, 292805, 292815, 0, 156948, 1057, 0, 0, 0],
    },
    Capture {
        file: "derived/ncp-over-ipx_tokenring-snap.pcap",
        frames: 468,
        layers: [0, 468, 468, 0, 0, 0, 0, 0, 0, 0],
        sums: [0, 0, 36321, 4093128, 4093128, 0, 0, 0, 0, 0, 0],
    },
    Capture {
        file: "derived/ncp-over-ipx_vlan100-8022.pcap",
        frames: 468,
        layers: [468, 468, 468, 0, 0, 0, 0, 0, 0, 0],
        sums: [0, 0, 36321, 4093128, 4093128, 0, 0, 0, 0, 0, 0],
    },
    Capture {
        file: "lab/nbf1_llc2_smb1_3clients_srv.pcap",
        frames: 3938,
        layers: [0, 3936, 0, 0, 0, 2, 0, 0, 0, 0],
        sums: [195099, 237678, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    },
    Capture {
        file: "lab/ncp1_ethernet_ii_1client_srv.pcap",
        frames: 3546,
        layers: [0, 0, 3537, 0, 0, 9, 0, 0, 5, 6],
        sums: [0, 0, 826759, 30881123, 30881123, 1763, 0, 0, 0, 0, 0],
    },
];

#[test]
fn layers_and_fields_are_those_of_tshark() {
    let folder = PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../shared/captures"
    ));
    if !folder.is_dir() {
        let required = std::env::var_os("WIREWAIT_REQUIRE_CAPTURES").is_some_and(|v| v == "1");
        assert!(!required, "{} is missing", folder.display());
        eprintln!("SKIPPED: {} is missing", folder.display());
        return;
    }
    for capture in CAPTURES {
        let bytes = std::fs::read(folder.join(capture.file)).expect(capture.file);
        let (frames, layers, sums) = read(&bytes);
        assert_eq!(frames, capture.frames, "{}: frames", capture.file);
        for (i, name) in LAYERS.iter().enumerate() {
            assert_eq!(
                layers[i], capture.layers[i],
                "{}: frames with {name}",
                capture.file
            );
        }
        for (i, name) in FIELDS.iter().enumerate() {
            assert_eq!(sums[i], capture.sums[i], "{}: sum of {name}", capture.file);
        }
    }
}

/// Walks every frame of a pcap file: frames, frames with each layer, sum of each field.
fn read(file: &[u8]) -> (u32, [u32; LAYERS.len()], [u64; FIELDS.len()]) {
    let registry = registry();
    let mut walk = Walk::default();
    let (mut frames, mut layers, mut sums) = (0, [0; LAYERS.len()], [0; FIELDS.len()]);
    for frame in pcap(file) {
        frames += 1;
        registry.walk(&frame, Depth::Full, &mut walk);
        let name = |span: &wirewait_wire::Span| registry.dissector(span.dissector).name;
        for (i, layer) in LAYERS.iter().enumerate() {
            layers[i] += u32::from(walk.spans().iter().any(|s| name(s) == *layer));
        }
        let first = |layer: &str| {
            let span = walk.spans().iter().find(|s| name(s) == layer)?;
            Some((walk.bytes(&frame, *span), span.end - span.payload))
        };
        let mut add = |at: usize, value: u64| sums[at] += value;
        if let Some((input, _)) = first("llc")
            && let Some(n) = llc::Header::parse(input).unwrap().numbered()
        {
            let Numbered { kind, number, .. } = n;
            if kind == NumberedKind::Data {
                add(0, number.into());
            }
            add(1, n.expects.unwrap_or(0).into());
        }
        if let Some((input, _)) = first("ipx") {
            let h = ipx::Header::parse(input).unwrap();
            add(2, h.length.into());
            add(3, h.source.socket.into());
            add(4, h.destination.socket.into());
            add(5, h.hops.into());
        }
        if let Some((input, _)) = first("ipv4") {
            let h = ipv4::Header::parse(input).unwrap();
            add(6, h.identification.into());
            add(7, h.total_length.into());
        }
        if let Some((input, payload)) = first("tcp") {
            let h = tcp::Header::parse(input).unwrap();
            add(8, h.sequence.into());
            add(9, h.acknowledgement.into());
            add(10, payload.into());
        }
    }
    (frames, layers, sums)
}

/// The frames of a pcap file of either byte order.
fn pcap(file: &[u8]) -> impl Iterator<Item = Frame<'_>> {
    let little = file[0] == 0xd4;
    let number = move |at: usize| {
        let bytes: [u8; 4] = file[at..at + 4].try_into().unwrap();
        if little {
            u32::from_le_bytes(bytes)
        } else {
            u32::from_be_bytes(bytes)
        }
    };
    let link = LinkType(u16::try_from(number(20)).unwrap());
    let mut at = 24;
    std::iter::from_fn(move || {
        if at == file.len() {
            return None;
        }
        let captured = number(at + 8) as usize;
        let bytes = &file[at + 16..at + 16 + captured];
        let frame = Frame {
            at: Timestamp::from_parts(number(at).into(), number(at + 4).saturating_mul(1000)),
            link,
            interface: 0,
            wire_len: number(at + 12),
            bytes,
        };
        at += 16 + captured;
        Some(frame)
    })
}
