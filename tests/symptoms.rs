//! What every capture raises: the project's own, real ones, and those of the laboratory whose
//! answers are known. A capture that is not listed raises nothing.
//!
//! Those of the laboratory, and what the single tests below name, were judged by frames with
//! tshark; the rest of the list keeps a change from going unnoticed.

use crate::support::{analyse, captures, files, root};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use wirewait_analysis::{Against, State, Subject, Symptom, Symptoms};

/// What the captures of a folder raise.
type Raised = &'static [(&'static str, &'static [&'static str])];

fn symptoms(path: &Path) -> Symptoms {
    match analyse(&[path.to_owned()]) {
        Ok(analysis) => analysis.snapshot.symptoms,
        // What cannot be read raises nothing.
        Err(_) => Symptoms::default(),
    }
}

/// Compares all captures of some folders with what they are to raise; says how many raise
/// something.
fn compare(paths: &[PathBuf], base: &Path, expected: Raised) -> usize {
    let mut wrong = Vec::new();
    let mut raising = 0;
    for path in paths {
        let name = path.strip_prefix(base).unwrap().display().to_string();
        let found: BTreeSet<&str> = symptoms(path).raised().map(|s| s.rule.id).collect();
        let wanted: BTreeSet<&str> = expected
            .iter()
            .filter(|(file, _)| *file == name)
            .flat_map(|(_, ids)| ids.iter().copied())
            .collect();
        raising += usize::from(!found.is_empty());
        if found != wanted {
            wrong.push(format!("    (\"{name}\", &{found:?}), // not {wanted:?}"));
        }
    }
    for (file, _) in expected {
        assert!(paths.contains(&base.join(file)), "{file} is not there");
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    raising
}

fn is_capture(path: &Path) -> bool {
    let beside = ["json", "csv", "txt", "tsv", "md", "scenario"];
    !path
        .extension()
        .is_some_and(|e| beside.iter().any(|other| e == *other))
}

const OWN: Raised = &[
    (
        "demo.pcapng",
        &[
            "regular_slow_answers",
            "requests_repeated",
            "slow_answers",
            "small_reads",
        ],
    ),
    ("last/calibration.pcapng", &["requests_repeated"]),
    ("last/kernel-model.pcapng", &["requests_repeated"]),
    ("last/lost-answer-delete.pcapng", &["requests_repeated"]),
    ("last/lost-answer-read.pcapng", &["requests_repeated"]),
    ("nbf/ended-while-waiting.pcapng", &["requests_abandoned"]),
    ("nbf/link-upkeep.pcapng", &["receiver_busy"]),
    ("ncp/burst-lost-fragments.pcapng", &["slow_answers"]),
    ("ncp/lost-answer.pcapng", &["small_reads"]),
    ("ncp/lost-reply.pcapng", &["frames_resent"]),
    ("ncp/sequence-wraps.pcapng", &["small_reads"]),
    ("smb1/constant-mid.pcapng", &["unanswered_requests"]),
    ("smb1/oplock-break.pcapng", &["break_waits"]),
    ("smb1/sequence-over-ipx.pcapng", &["unanswered_requests"]),
    ("smb2/encrypted-guess.pcapng", &["unanswered_requests"]),
    ("smb2/lease-kept.pcapng", &["break_waits", "slow_break"]),
    (
        "tcp/lost-requests.pcapng",
        &["frames_resent", "small_reads"],
    ),
    ("tcp/lost-requests-unnumbered.pcapng", &["small_reads"]),
    ("tcp/lost-response-of-two.pcapng", &["frames_resent"]),
    (
        "tcp/overtaken-behind-capture.pcapng",
        &[
            "frames_reordered",
            "frames_resent",
            "too_many_frames_resent",
        ],
    ),
];

#[test]
fn what_the_projects_own_captures_raise() {
    let base = root().join("captures");
    let mut paths = files(&base);
    for entry in std::fs::read_dir(&base).unwrap() {
        let path = entry.unwrap().path();
        // Those of the studies have tests of their own.
        if path.is_dir() && !path.ends_with("studies") {
            paths.extend(files(&path));
        }
    }
    paths.retain(|path| path.extension().is_some_and(|e| e == "pcapng"));
    paths.sort();
    assert!(paths.len() > 60);
    compare(&paths, &base, OWN);
}

const REAL: Raised = &[
    (
        "formats/fmt_pcap_languard-scan_smb1.dmp",
        &["connection_reset", "logon_refused"],
    ),
    (
        "formats/fmt_snifferpro2.002_languard-scan_smb1.cap",
        &["connection_reset", "logon_refused"],
    ),
    // By the lists of what the clients did, half of the reads there are records of 512 bytes. The names are asked for
    // four times within 3 s, of a station that refuses them by ICMP.
    (
        "lab/01_smb1_nt1_port139_records_1client_srv.pcap",
        &["lookups_unanswered", "small_reads"],
    ),
    (
        "lab/04_smb2_202_delay5ms_server_egress_cli.pcap",
        &["small_reads"],
    ),
    (
        "lab/04_smb2_202_delay5ms_server_egress_srv.pcap",
        &["small_reads"],
    ),
    // One client asks for the server's NetBIOS status in frames 29, 506, 857 and 1363, at 2.051587, 3.048074,
    // 4.049371 and 5.050681 s; each is refused by ICMP (frames 30, 507, 858 and 1364) 15, 15, 22 and 24 us later. By
    // 5.050705 s that is 2.999 s without a name.
    (
        "lab/10_loss3pct_dup1pct_reorder2pct_srv.pcap",
        &["frames_resent", "lookups_unanswered", "small_reads"],
    ),
    (
        "lab/11_smb2_compound_related_unrelated_srv.pcapng",
        &["small_reads"],
    ),
    (
        "lab/e1_span_duplicates_nt1_smb2_span.pcap",
        &["lookups_unanswered", "small_reads"],
    ),
    ("lab/nbf1_llc2_smb1_3clients_srv.pcap", &["small_reads"]),
    ("lab/ncp1_ethernet_ii_1client_srv.pcap", &["small_reads"]),
    (
        "lab/ncp3_8022_slowserver_requestbeingprocessed_cli.pcap",
        &[
            "regular_slow_answers",
            "requests_repeated",
            "server_busy",
            "slow_server",
            "small_reads",
        ],
    ),
    (
        "lab/ncp3_8022_slowserver_requestbeingprocessed_srv.pcap",
        &[
            "regular_slow_answers",
            "requests_repeated",
            "server_busy",
            "slow_server",
            "small_reads",
        ],
    ),
    (
        // The query to 172.31.15.254 (frames 10552 to 10554) has the flag "broadcast", and goes to
        // everyone by Ethernet; a station hands copies to that one.
        "real/ipx_office-lan_trafficmorning.pcap",
        &["absent_names", "excessive_group_messages"],
    ),
    // Frames 47, 49 and 50: one query, three times, 1.5 s apart, to a name service without a frame of its own.
    ("real/ipx_sap-4framings_test1.pcap", &["lookups_unanswered"]),
    ("real/ipx_sll_hari.pcap", &["broadcast_storm"]),
    (
        "real/nbf_smb_dos-win98_netbeui-ipx-nbt.ndpi.pcap",
        &["lookups_unanswered"],
    ),
    (
        "real/nbf_smb_dos-win98_netbeui-ipx-nbt.pcapng",
        &["lookups_unanswered"],
    ),
    (
        "real/nbf+hp-switch_shark_truncated-file.pcap",
        &["absent_names"],
    ),
    ("real/nbf_prima-cattura.pcap", &["absent_names"]),
    (
        "real/smb1+2_nfstrace_cifs1-2_filtered.pcap.gz",
        &[
            "acknowledgement_waits",
            "queueing",
            "receiver_busy",
            "slow_answers",
        ],
    ),
    // Frames 547 to 561: seven come behind those that the server sent after them, by its packets' numbers (0xee3c
    // behind 0xee49); tshark calls them out of order, too.
    (
        "real/smb1_139+445_lan1.pcap",
        &["acknowledgement_waits", "frames_reordered"],
    ),
    ("real/smb1_139+445_mgove413.pcap", &["lookups_unanswered"]),
    ("real/smb1_139+445_provabis.pcap", &["logon_refused"]),
    ("real/smb1_139_wwwww.pcap", &["absent_names"]),
    // Its 103 transactions of which the client never sent the rest, for which the server had asked, are no requests without
    // a response; nor are 51 of the 53 of smb1_data-offset.pcap. The other two were open as the client closed.
    ("real/smb1_data-offset.pcap", &["requests_abandoned"]),
    ("real/smb1_filename.pcap", &["requests_abandoned"]),
    ("real/smb1_oss-fuzz_139.pcap", &["requests_abandoned"]),
    (
        "real/smb1_session-setup-storm.pcap.gz",
        // 192.168.1.195 waits 1.35 s for RemoteCreateInstance of 192.168.1.46 (port 135), and then opens a file there.
        &["logon_refused", "long_service_waits", "lookups_unanswered"],
    ),
    (
        "real/smb1_xscan.pcap",
        &[
            "connection_refused",
            "connection_reset",
            "frames_resent",
            "logon_refused",
            "lookups_unanswered",
            "requests_repeated",
            "slow_answers",
        ],
    ),
    (
        "real/smb2_null-linktype_loopback.pcap",
        &["overlapping_reads", "queueing", "slow_break", "slow_server"],
    ),
    ("real/smb2_peter.pcap", &["slow_connect"]),
    // Six requests for a ticket are repeated a second later (tshark), as port 88 is silent. Nothing else: queries with the flag
    // "broadcast" are there, of which the loopback interface delivered a copy to the one station, too.
    (
        "real/smb2_rawip-linktype_krb5.pcap",
        &["long_service_waits"],
    ),
    // Its last response was sent four times within 1.17 s, and never acknowledged: its client was gone.
    (
        "real/smb311_aes-128-ccm_encrypted.pcap",
        &["connection_timed_out"],
    ),
    (
        "real/smb311_compressed_smbghost.pcapng",
        &["connection_reset"],
    ),
    ("real/smb31_win10-handshake.pcapng", &["logon_refused"]),
];

#[test]
fn what_real_captures_raise() {
    let Some(base) = captures("what_real_captures_raise") else {
        return;
    };
    let mut paths: Vec<PathBuf> = ["real", "lab", "formats"]
        .iter()
        .flat_map(|folder| files(&base.join(folder)))
        .filter(|path| is_capture(path))
        .collect();
    for folder in ["ntar", "output_be", "output_le"] {
        let mut folders = vec![base.join("pcapng").join(folder)];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if is_capture(&path) {
                    paths.push(path);
                }
            }
        }
    }
    paths.sort();
    assert!(paths.len() > 120, "{}", paths.len());
    let raising = compare(&paths, &base, REAL);
    assert_eq!(raising, REAL.len(), "each raises something");
}

fn of<'a>(all: &'a Symptoms, id: &str) -> Vec<&'a Symptom> {
    all.found.iter().filter(|s| s.rule.id == id).collect()
}

/// The server of the laboratory said "being processed" 18 times, and answered half a second
/// later each time; the client asked another 18 times again because it was not answered.
#[test]
fn a_busy_server_of_the_laboratory() {
    let Some(base) = captures("a_busy_server_of_the_laboratory") else {
        return;
    };
    let name = "lab/ncp3_8022_slowserver_requestbeingprocessed_srv.pcap";
    let all = symptoms(&base.join(name));
    let [busy] = of(&all, "server_busy")[..] else {
        panic!("one server");
    };
    assert_eq!((busy.hits.count, busy.of), (18, Some(199)));
    let first = busy.hits.kept().next().unwrap();
    // tshark: 0x9999 in frame 114, the reply in frame 115.
    assert_eq!((first.from.frame, first.to.frame), (114, 115));
}

/// tshark: frame 385 is acknowledged by frame 386 after 177.93 ms (the receiver waits for a
/// second segment), and only then come 387 and 388.
#[test]
fn a_sender_that_waits_for_delayed_acknowledgements() {
    let Some(base) = captures("a_sender_that_waits_for_delayed_acknowledgements") else {
        return;
    };
    let all = symptoms(&base.join("real/smb1_139+445_lan1.pcap"));
    let [waits] = of(&all, "acknowledgement_waits")[..] else {
        panic!("one connection");
    };
    let sight = waits.hits.kept().find(|s| s.from.frame == 386).unwrap();
    assert_eq!((sight.to.frame, sight.cost_ns), (387, 177_930_000));
    assert_eq!(waits.state, State::Raised);
}

/// tshark: frame 72 is sent again in 73, 74 and 76, and nothing comes back.
#[test]
fn a_connection_that_timed_out() {
    let Some(base) = captures("a_connection_that_timed_out") else {
        return;
    };
    let all = symptoms(&base.join("real/smb311_aes-128-ccm_encrypted.pcap"));
    let [died] = of(&all, "connection_timed_out")[..] else {
        panic!("one connection");
    };
    assert_eq!(died.state, State::Raised);
    assert_eq!(died.hits.last.unwrap().frame, 76);
}

/// What looks wrong and is not, with its reason.
#[test]
fn what_is_withdrawn() {
    let Some(base) = captures("what_is_withdrawn") else {
        return;
    };
    for (name, id, why) in [
        // A station hands on what others send.
        (
            "real/ipx_office-lan_trafficmorning.pcap",
            "duplicate_address",
            Against::Router,
        ),
        // A tunnel with made-up link addresses.
        (
            "formats/fmt_netmon2_FTPv6-1.cap",
            "illegal_source_address",
            Against::PointToPoint,
        ),
        // Locks and change notifications.
        (
            "lab/12_smb2_async_pending_notify_lock_cancel_srv.pcap",
            "slow_answers",
            Against::ByDesign,
        ),
        // The answers are not in the file, though the client acknowledges them.
        (
            "real/smb1+2_nfstrace_cifs1-2_filtered.pcap.gz",
            "unanswered_requests",
            Against::CaptureLoss,
        ),
        // Half of the conversations were captured in one direction only.
        (
            "real/smb1_139+445_mgove413.pcap",
            "unanswered_requests",
            Against::OneSided,
        ),
        // Reads from a pipe.
        ("real/smb2_remcom_8883.pcap", "slow_answers", Against::Pipe),
    ] {
        let all = symptoms(&base.join(name));
        let found = of(&all, id);
        assert!(
            found.iter().any(|s| s.state == State::Withdrawn(why)),
            "{name}: {found:?}"
        );
        assert!(found.iter().all(|s| s.state != State::Raised), "{name}");
    }
}

/// The same symptoms, however the capture is delivered: with mirror copies and without.
#[test]
fn a_mirror_port_raises_nothing_more() {
    let all = symptoms(&root().join("captures/capture/mirror.pcapng"));
    assert_eq!(all.raised().count(), 0);
}

/// The slow server and the lossy client of the shipped demonstration.
#[test]
fn the_demonstration() {
    let all = symptoms(&root().join("captures/demo.pcapng"));
    let slow: Vec<u64> = of(&all, "slow_answers")
        .iter()
        .filter(|s| s.state == State::Raised)
        .map(|s| s.hits.cost_ns)
        .collect();
    // Every tenth of 200 reads takes 250 ms: 20 x 150 ms above the limit. Twelve reads of the
    // other server take half a second: 12 x 400 ms.
    assert_eq!(slow, [4_800_000_000, 3_000_000_000]);
    let [repeated] = of(&all, "requests_repeated")[..] else {
        panic!("one client");
    };
    assert!(matches!(repeated.subject, Subject::Pair { .. }));
    assert_eq!(
        (repeated.hits.count, repeated.hits.cost_ns),
        (8, 4_800_000_000)
    );
}

/// A client that resets the connection 300 or 5 ms after a read that is open abandons it, which is said of the client and not
/// of the server; less than 1 ms is nothing, and neither is a reset by the server, nor one with no request but one that waits by design, or with none: the
/// files that it has open go with the connection, as clients do that are shut down.
#[test]
fn a_client_that_aborts_while_it_waits() {
    let made = |request: &str, reset: &str| {
        let snapshot = crate::compare::made(&format!(
            "client A tcp 10.0.0.1:1025\nserver S tcp 10.0.0.9:445\n\
             0.000 A>S connect gap=0.001\n\
             0.100 A>S smb1 nt-create-andx name=\\LEDGER.DAT\n\
             0.105 S>A smb1 nt-create-andx fid=1 size=5000\n\
             0.200 A>S smb1 {request}\n\
             {reset} tcp reset\n"
        ));
        let of = |id: &str| snapshot.symptoms.found.iter().find(|s| s.rule.id == id);
        of("requests_abandoned").map(|s| {
            assert_eq!(s.state, State::Raised);
            let server = of("unanswered_requests").expect("known, and explained");
            assert_eq!(
                (server.hits.count, server.state == State::Raised),
                (0, false)
            );
            let reset = s.hits.last.unwrap();
            (s.hits.count, s.hits.cost_ns / 1_000_000, reset.frame)
        })
    };
    let read = "read-andx fid=1 offset=0 length=512";
    assert_eq!(made(read, "0.500 A>S"), Some((1, 300, 7)));
    assert_eq!(made(read, "0.205 A>S"), Some((1, 5, 7)));
    assert_eq!(made(read, "0.2009 A>S"), None);
    assert_eq!(made(read, "0.500 S>A"), None);
    assert_eq!(made("notify-change fid=1", "0.500 A>S"), None);
    let answered = format!("{read}\n0.210 S>A smb1 read-andx data=512");
    assert_eq!(made(&answered, "0.500 A>S"), None);
    assert_eq!(made(&answered, "0.211 A>S"), None);
}

/// What a client looks for and nobody has, against tshark: the queries of each name that 172.31.15.236 sent to
/// everyone under one identifier are one lookup, and there is no response in the capture.
#[test]
fn names_that_nobody_has_as_tshark_counts_them() {
    let Some(base) = captures("names_that_nobody_has_as_tshark_counts_them") else {
        return;
    };
    let path = base.join("real/ipx_office-lan_trafficmorning.pcap");
    let filter = "nbns.flags.response == 0 && nbns.flags.opcode == 0 && ip.src == 172.31.15.236";
    let fields = [
        "-Y",
        filter,
        "-T",
        "fields",
        "-e",
        "nbns.name",
        "-e",
        "nbns.id",
    ];
    let Some(shown) = crate::annotate::tshark(&path, &fields) else {
        return;
    };
    let wanted = shown
        .lines()
        .filter(|line| line.starts_with("F303ENST<20>"));
    let ids: std::collections::BTreeSet<&str> = wanted.clone().collect();
    let all = symptoms(&path);
    let found = of(&all, "absent_names");
    let of_client = |s: &&&Symptom| matches!(s.subject, Subject::Client(client) if client.to_string() == "172.31.15.236");
    let names = &found.iter().find(of_client).unwrap().names;
    assert_eq!((ids.len(), wanted.count()), (213, 637));
    assert_eq!(names[0], ("F303ENST<20>".into(), 213));
    assert_eq!(found.iter().map(|s| s.hits.cost_ns).sum::<u64>(), 0);
}
