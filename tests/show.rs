//! Display filters as hands know them from Wireshark, judged by tshark.

use crate::support::{captures, program, root};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

/// Each, and whether it has to give frames in one of the captures at least.
const EXPRESSIONS: &[&str] = &[
    "ip.addr == 10.77.0.102",
    "ip.addr==10.77.0.101/32 && tcp.port==445",
    "ip.addr != 10.77.0.102",
    "ip.src == 10.77.0.102 or ip.src == 10.77.0.101",
    "ip.dst in {10.77.0.102, 10.77.0.3}",
    "eth.addr contains 02:00",
    "eth.src",
    "tcp.port in {139, 440..450}",
    "tcp.srcport >= 40000",
    "tcp.dstport == 445 || tcp.dstport == 139",
    "tcp.flags.syn == 1 && !(tcp.flags.ack == 1)",
    "!(tcp.port == 445)",
    "udp.port == 137",
    "ip.ttl lt 65 and ip.proto == 6",
    "frame.number in {1, 3, 5..9} or frame.number == 20",
    "frame.number > 10 and frame.number <= 30",
    "frame.time_relative < 0.5",
    "frame.time_relative >= 0.1 && frame.time_relative <= 1.25",
    "frame.len > 500",
    "frame contains \"SMB\"",
    "frame matches \"smb.{0,3}r\"",
    "smb.cmd == 0x2e",
    "smb.cmd in {0x2e, 0x2f}",
    "smb2.cmd == 8",
    "smb2.cmd != 8",
    "smb2.cmd eq 5 or smb2.cmd eq 6",
    "smb2.msg_id >= 10",
    // tshark has a function in responses to a creation of a connection, whose request has none.
    "ncp.func == 72",
    "ipv6.addr",
];

fn numbers(output: Output) -> BTreeSet<u64> {
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    let text = String::from_utf8(output.stdout).unwrap();
    let first = |line: &str| line.split_whitespace().next().map(|n| n.parse().unwrap());
    text.lines().filter_map(first).collect()
}

/// Frames that tshark shows; `None` where it is missing.
fn tshark(file: &Path, expression: &str) -> Option<BTreeSet<u64>> {
    let output = Command::new("tshark")
        .args([
            "-n",
            "-T",
            "fields",
            "-e",
            "frame.number",
            "-Y",
            expression,
            "-r",
        ])
        .arg(file)
        .output()
        .ok()?;
    Some(numbers(output))
}

fn own(file: &Path, expression: &str) -> BTreeSet<u64> {
    let output = program()
        .args([
            "decode",
            "--no-sandbox",
            "--user",
            "root",
            "--show",
            expression,
        ])
        .arg(file)
        .output()
        .unwrap();
    numbers(output)
}

#[test]
fn expressions_of_wireshark_show_the_frames_that_tshark_shows() {
    let test = "expressions_of_wireshark_show_the_frames_that_tshark_shows";
    let Some(folder) = captures(test) else { return };
    let files = [
        "lab/nbf1_llc2_smb1_3clients_srv.pcap",
        "lab/ncp1_ethernet_ii_1client_srv.pcap",
        "lab/01_smb1_nt1_port139_records_1client_srv.pcap",
        "lab/11_smb2_compound_related_unrelated_srv.pcapng",
        "lab/12_smb2_async_pending_notify_lock_cancel_srv.pcap",
    ];
    let mut unused: BTreeSet<&str> = EXPRESSIONS.iter().copied().collect();
    let mut wrong = Vec::new();
    for file in files.map(|file| folder.join(file)) {
        // tshark also looks into the packets that ICMP errors quote, and shows fields of a message
        // that spans frames in the last one alone; decode shows them where they are.
        // Behind messages in several NetBIOS frames it does not look into whole ones at all.
        let other = "icmp or tcp.segment_data or tcp.segment or netbios.fragment \
             or netbios.command == 0x15 or netbios.command == 0x16 and not smb";
        let quoting = tshark(&file, other).unwrap_or_default();
        for expression in EXPRESSIONS {
            let Some(wanted) = tshark(&file, expression) else {
                eprintln!("SKIPPED: {test}: no tshark");
                return;
            };
            if !wanted.is_empty() {
                unused.remove(expression);
            }
            let wanted: BTreeSet<u64> = wanted.difference(&quoting).copied().collect();
            let shown = own(&file, expression);
            let shown: BTreeSet<u64> = shown.difference(&quoting).copied().collect();
            if shown != wanted {
                let more: Vec<_> = shown.difference(&wanted).take(5).collect();
                let less: Vec<_> = wanted.difference(&shown).take(5).collect();
                wrong.push(format!(
                    "{}: {expression}: {} of {} frames, also {more:?}, not {less:?}",
                    file.display(),
                    shown.len(),
                    wanted.len()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        unused.len() <= 3,
        "expressions that show nothing: {unused:?}"
    );
}

/// A mistake is never an empty result.
#[test]
fn an_unknown_field_is_a_mistake() {
    let file = root().join("captures/demo.pcapng");
    for (expression, says) in [
        ("smb2.nothing == 1", "has smb2.nothing;"),
        ("tcp.prot == 445", "has tcp.prot;"),
        ("http.host", "there is no protocol http"),
        ("ip.addr == 10.0.0", "ip.addr takes an address of IPv4"),
        ("tcp.port == http", "tcp.port takes a number"),
        ("tcp.port in 445", "{ should stand here"),
        ("tcp.port contains 4", "tcp.port is a number"),
        ("frame", "contains or matches should stand here"),
        ("frame matches \"(\"", "unclosed group"),
        (
            "frame.time_relative < soon",
            "frame.time_relative takes seconds",
        ),
    ] {
        let output = program()
            .args(["decode", "--show", expression])
            .arg(&file)
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{expression}: {told}");
        assert!(told.contains(says), "{expression}: {told}");
    }
}

/// A name that no frame has is told apart from output that was lost.
#[test]
fn an_expression_that_nothing_fits_is_told() {
    let file = root().join("captures/demo.pcapng");
    for (expression, told) in [("command NOSUCH", true), ("command READ", false)] {
        let output = program()
            .args(["decode", "--show", expression])
            .arg(&file)
            .output()
            .unwrap();
        let says = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{expression}: {says}");
        assert_eq!(
            says.contains("no frame that was looked at fits"),
            told,
            "{says}"
        );
        assert_eq!(output.stdout.is_empty(), told, "{expression}");
    }
}
