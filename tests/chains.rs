//! Several operations in one message of SMB1: what fails is the operation at which the response ends
//! (MS-CIFS 2.2.3.4), in rows, tables, symptoms and counters.

use crate::support::Folder;
use crate::support::{capture_of, program};
use std::path::Path;
use wirewait_synth::Scenario;

/// A log-on with a share, refused by `answer`.
fn refused(answer: &str) -> String {
    format!(
        "title refused\n\
         client C tcp 10.0.0.1:1025\n\
         server S tcp 10.0.0.9:139\n\
         0.000 C>S connect gap=0.001\n\
         0.010 C>S smb1 negotiate\n\
         0.012 S>C smb1 negotiate\n\
         0.020 C>S smb1 session-setup-andx user=ANNA + tree-connect-andx path=\\\\S\\GONE\n\
         0.050 S>C smb1 {answer}\n"
    )
}

fn capture(folder: &Folder, scenario: &str) -> std::path::PathBuf {
    let scenario = Scenario::parse("made", scenario).unwrap_or_else(|e| panic!("{e}"));
    let path = folder.0.join("refused.pcap");
    std::fs::write(&path, capture_of(scenario.frames())).unwrap();
    path
}

fn said(arguments: &[&str], capture: &Path) -> String {
    let done = program().args(arguments).arg(capture).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn a_share_that_is_refused_behind_a_log_on_is_named() {
    let folder = Folder::new("chains");
    // As NTSTATUS, and as class and code.
    for (code, name) in [
        ("0xc00000cc", "STATUS_BAD_NETWORK_NAME"),
        ("0x00060002", "ERRSRV/ERRinvnetname"),
    ] {
        let answer = format!("session-setup-andx status={code} + tree-connect-andx");
        let file = capture(&folder, &refused(&answer));
        let failed = format!("{name} of TREE_CONNECT_ANDX");
        let text = said(&["transactions"], &file);
        assert!(text.contains(&failed), "{text}");
        let rows = said(&["transactions", "--format", "ndjson"], &file);
        let row: serde_json::Value = serde_json::from_str(rows.lines().last().unwrap()).unwrap();
        assert_eq!(row["command"], "SESSION_SETUP_ANDX");
        assert_eq!((&row["status"], &row["ok"]), (&name.into(), &false.into()));
        assert_eq!(row["failed_command"], "TREE_CONNECT_ANDX");
        let report = said(&["report", "--full"], &file);
        assert!(report.contains(&failed), "{report}");
        // The symptom says what was refused.
        let symptoms = said(&["report", "--format", "json"], &file);
        let symptoms: serde_json::Value = serde_json::from_str(&symptoms).unwrap();
        let found = symptoms["symptoms"]["found"].to_string();
        assert!(found.contains("logon_refused"), "{found}");
        assert!(found.contains("TREE_CONNECT_ANDX"), "{found}");
    }
}

/// The log-on itself fails: the response ends with it, and no other command is named.
#[test]
fn a_log_on_that_is_refused_is_the_log_ons() {
    let folder = Folder::new("chains-logon");
    let file = capture(&folder, &refused("session-setup-andx status=0xc000006d"));
    let text = said(&["transactions"], &file);
    assert!(text.contains("STATUS_LOGON_FAILURE"), "{text}");
    assert!(!text.contains(" of TREE_CONNECT_ANDX"), "{text}");
    let rows = said(&["transactions", "--format", "ndjson"], &file);
    let row: serde_json::Value = serde_json::from_str(rows.lines().last().unwrap()).unwrap();
    assert!(row["failed_command"].is_null(), "{row}");
}
