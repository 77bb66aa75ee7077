//! The report as JSON is what its published schema says, by an independent validator.

use crate::counters::validated;
use crate::support::{captures, root};
use std::path::PathBuf;

#[test]
fn reports_are_as_their_schema_says() {
    let test = "reports_are_as_their_schema_says";
    let mut paths: Vec<PathBuf> = ["demo", "nbf/example", "smb2/session", "spx/spx2"]
        .map(|name| root().join("captures").join(name).with_extension("pcapng"))
        .to_vec();
    if let Some(folder) = captures(test) {
        paths.extend(
            [
                "lab/10_loss3pct_dup1pct_reorder2pct_srv.pcap",
                "lab/ncp3_8022_slowserver_requestbeingprocessed_srv.pcap",
                "lab/nbf1_llc2_smb1_3clients_srv.pcap",
            ]
            .map(|name| folder.join(name)),
        );
    }
    let then = "unknown = set(document) - set(schema['properties'])\n\
         assert not unknown, unknown\n\
         print(len(document))";
    for path in paths {
        let output = crate::support::program()
            .args(["report", "--format", "json"])
            .arg(&path)
            .output()
            .unwrap();
        let Some(keys) = validated(test, "report", then, &output.stdout) else {
            return;
        };
        assert!(keys.trim().parse::<u32>().unwrap() > 10, "{keys}");
    }
}

#[test]
fn comparisons_are_as_their_schema_says() {
    let test = "comparisons_are_as_their_schema_says";
    let then = "said = [one['verdict'] for one in document['configurations'] if one['verdict']]\n\
         print(len(said), sum(v['at_load_sentence'] is not None for v in said))";
    let wells = |name: &str| root().join("captures/studies/wells").join(name);
    for (more, said) in [
        (&[][..], "1 0"),
        (&["--by", "load"], "1 0"),
        (&["--peak"], "1 1"),
        (&["--at-load", "5"], "1 1"),
    ] {
        let output = crate::support::program()
            .args(["compare", "--format", "json"])
            .args(more)
            .args([wells("tp-5-decnet.pcapng"), wells("tp-5-last.pcapng")])
            .output()
            .unwrap();
        let Some(found) = validated(test, "compare", then, &output.stdout) else {
            return;
        };
        assert_eq!(found.trim(), said, "{more:?}");
    }
}

#[test]
fn joined_captures_are_as_their_schema_says() {
    let test = "joined_captures_are_as_their_schema_says";
    let Some(folder) = captures(test) else {
        return;
    };
    let then = "unknown = set(document) - set(schema['properties'])\n\
         assert not unknown, unknown\n\
         print(len(document['alone']), len(document['by_server']) > 0)";
    let ends = ["cli", "srv"]
        .map(|end| folder.join(format!("lab/04_smb2_202_delay5ms_server_egress_{end}.pcap")));
    let output = crate::support::program()
        .args(["between", "--format", "json"])
        .args(ends)
        .output()
        .unwrap();
    if let Some(found) = validated(test, "between", then, &output.stdout) {
        assert_eq!(found.trim(), "2 True");
    }
}
