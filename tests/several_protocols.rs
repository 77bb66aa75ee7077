//! One machine with several protocols waits for one server after the other: its timeline is one.

use crate::support::{Analysis, analyse_frames};
use wirewait_analysis::LedgerOf;
use wirewait_judge::{Culprit, Verdict};
use wirewait_synth::Scenario;

/// A PC with the link address 02-00-1b-00-00-25, by IPX, and by another protocol, which `client`, `server` and the three lines of
/// `open`, `ask` and `answer` are: 30 times it reads from a NetWare server that takes 200 ms, and 2 ms later from the other
/// one, which takes 1 ms; it goes on 2 ms after that.
fn scenario([client, server]: [&str; 2], open: &str, [ask, answer]: [&str; 2]) -> String {
    format!(
        "title One PC and two servers\nethernet ii\n\
         client PCX ipx 00000022.02001b000025:4003\nclient PC {client}\n\
         server NETWARE ipx 00000022.02001b000008:0451\nserver OTHER {server}\n\
         {open}\n\
         1.000 repeat 30 every 0.205 {{\n\
         0.000 PCX>NETWARE ncp read handle=1 offset=i*512 length=512\n\
         0.200 NETWARE>PCX ncp reply data=512\n\
         0.202 {ask}\n\
         0.203 {answer}\n\
         }}\n"
    )
}

fn analysed(text: &str) -> Analysis {
    let scenario = Scenario::parse("several", text).unwrap();
    analyse_frames(scenario.frames())
}

/// Of 6.15 s, 0.12 are the client's: and some more of the opening.
fn is_one(analysis: &Analysis, address: &str) {
    let ledgers = &analysis.snapshot.ledgers;
    let clients: Vec<String> = ledgers
        .iter()
        .filter_map(|row| match &row.of {
            LedgerOf::Client(client) => Some(client.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(clients, [address]);
    let verdict = Verdict::on(&analysis.snapshot);
    let client = verdict.shares[Culprit::Client as usize].thousandths;
    assert!(client.high <= 30, "{client:?}");
    assert!((6_000_000_000..6_300_000_000).contains(&verdict.active_ns));
}

#[test]
fn ipx_and_netbeui_of_one_card_are_one_client() {
    let open = "0.000 PC>OTHER connect gap=0.0005\n\
                0.010 PC>OTHER smb1 negotiate\n0.011 OTHER>PC smb1 negotiate\n\
                0.030 PC>OTHER smb1 open-andx name=\\A.DOC\n0.034 OTHER>PC smb1 open-andx fid=1 size=40000";
    let text = scenario(
        [
            "nbf 02-00-1b-00-00-25 name=PC",
            "nbf 02-00-1b-00-00-09 name=NT",
        ],
        open,
        [
            "PC>OTHER smb1 read-andx fid=1 offset=i*384 length=384",
            "OTHER>PC smb1 read-andx data=384",
        ],
    );
    is_one(&analysed(&text), "02-00-1b-00-00-25");
    // Another card, another client.
    let two = analysed(&text.replace("nbf 02-00-1b-00-00-25", "nbf 02-00-1b-00-00-26"));
    let clients = two.snapshot.ledgers.iter();
    let clients = clients.filter(|row| matches!(row.of, LedgerOf::Client(_)));
    assert_eq!(clients.count(), 2);
}

#[test]
fn an_ip_address_of_that_card_is_the_same_client() {
    let open = "0.000 PC>OTHER connect gap=0.0002\n\
                0.002 PC>OTHER smb2 negotiate\n0.003 OTHER>PC smb2 negotiate\n\
                0.020 PC>OTHER smb2 create name=a.dat\n0.023 OTHER>PC smb2 create file=1 size=200000";
    let text = scenario(
        [
            "tcp 10.0.0.21:49152 mac=02-00-1b-00-00-25",
            "tcp 10.0.0.9:445 mac=02-00-1b-00-00-09",
        ],
        open,
        [
            "PC>OTHER smb2 read file=1 offset=i*256 length=256",
            "OTHER>PC smb2 read data=256",
        ],
    );
    is_one(&analysed(&text), "10.0.0.21");
}
