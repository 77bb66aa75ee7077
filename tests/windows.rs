//! Advertised receive windows, the same as tshark's.

use crate::support::captures;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use wirewait_analysis::{Analyzer, Notice, Noticed, Settings, Sink, Transaction, Windows};
use wirewait_capture::Options;
use wirewait_wire::Source;

/// By who said it and to whom.
type Ways = BTreeMap<(String, String), Windows>;

#[derive(Default)]
struct Told {
    ways: Ways,
    notices: u64,
}

impl Sink for Told {
    fn transaction(&mut self, _: &Transaction) {}

    fn noticed(&mut self, notice: &Notice) {
        if let Noticed::Offered(windows) = &notice.what {
            let way = (notice.from.to_string(), notice.to.to_string());
            self.ways.entry(way).or_default().merge(windows);
            self.notices += 1;
        }
    }
}

fn ours(path: &Path) -> Told {
    let mut source = wirewait_capture::open(&[path.into()], &Options::default()).unwrap();
    let mut told = Told::default();
    let mut analyzer = Analyzer::new(wirewait_dissectors::registry(), Settings::default());
    while let Ok(Some(frame)) = source.next_frame() {
        analyzer.frame(&frame, &mut told);
    }
    analyzer.finish(&mut told);
    told
}

fn theirs(path: &Path) -> Ways {
    const SAID: &str = "tcp.flags.syn==0 && tcp.flags.reset==0 && tcp.flags.ack==1 && !icmp && \
                        (tcp.port==139 || tcp.port==445)";
    let mut tshark = Command::new("tshark");
    tshark
        .arg("-r")
        .arg(path)
        .args(["-Y", SAID, "-T", "fields"]);
    for field in [
        "ip.src",
        "tcp.srcport",
        "ip.dst",
        "tcp.dstport",
        "tcp.window_size",
        "tcp.window_size_scalefactor",
    ] {
        tshark.args(["-e", field]);
    }
    let out = tshark.output().unwrap();
    let mut ways = Ways::new();
    for line in String::from_utf8(out.stdout).unwrap().lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [from, from_port, to, to_port, window, factor] = fields[..] else {
            panic!("{line}");
        };
        let way = (format!("{from}:{from_port}"), format!("{to}:{to_port}"));
        // -1: not known.
        ways.entry(way)
            .or_default()
            .add(window.parse().unwrap(), factor != "-1");
    }
    ways
}

/// Captures without mirror copies, which we leave out and tshark counts.
const CAPTURES: [&str; 12] = [
    "lab/01_smb1_nt1_port139_records_1client_srv.pcap",
    "lab/02_smb1_lanman_smbclient_2clients_srv.pcap",
    "lab/04_smb2_202_delay5ms_server_egress_cli.pcap",
    "lab/04_smb2_202_delay5ms_server_egress_srv.pcap",
    "lab/05_smb2_210_pipelined_credits_srv.pcapng",
    "lab/07_smb3_311_encrypted_srv.pcap",
    "lab/09_midconnection_start_nt1_smb2_srv.pcap",
    "lab/12_smb2_async_pending_notify_lock_cancel_srv.pcap",
    "real/smb1_139_printerproblem.pcap",
    "real/smb2_100_small_files.pcap",
    "real/smb2_peter.pcap",
    "real/smb1_session-setup-storm.pcap.gz",
];

#[test]
fn advertised_windows_are_those_of_tshark() {
    let Some(folder) = captures("advertised windows") else {
        return;
    };
    if Command::new("tshark").arg("--version").output().is_err() {
        assert!(
            std::env::var_os("WIREWAIT_REQUIRE_TSHARK").is_none(),
            "tshark is required and not there"
        );
        eprintln!("SKIPPED: tshark is not installed, so nothing judged the windows");
        return;
    }
    let (mut ways, mut said, mut notices, mut unscaled) = (0, 0, 0, 0);
    for capture in CAPTURES {
        let path = folder.join(capture);
        let (ours, theirs) = (ours(&path), theirs(&path));
        assert_eq!(ours.ways, theirs, "{capture}");
        ways += theirs.len();
        notices += ours.notices;
        said += theirs.values().map(|w| w.times).sum::<u64>();
        unscaled += theirs.values().map(|w| w.unscaled).sum::<u64>();
    }
    println!("{said} windows of {ways} ways are tshark's, {unscaled} unscaled; told in {notices}");
    assert!(said > 5_000 && unscaled > 100, "{said}, {unscaled}");
}
