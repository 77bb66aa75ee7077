//! Name queries that could not be delivered: which ICMP message is about which query is for tshark to
//! say.

use crate::annotate::tshark;
use crate::support::{analyse, captures};
use std::collections::BTreeMap;
use wirewait_analysis::{Flags, Outcome};

/// Transaction number and port of the client.
type QueryKey = (String, String);

#[test]
fn a_name_query_that_is_refused_ends_there() {
    let Some(folder) = captures("refused name queries") else {
        return;
    };
    for name in [
        "01_smb1_nt1_port139_records_1client_srv.pcap",
        "09_midconnection_start_nt1_smb2_srv.pcap",
        "10_loss3pct_dup1pct_reorder2pct_srv.pcap",
    ] {
        let path = folder.join("lab").join(name);
        // Of an ICMP message tshark shows the fields of the datagram that it quotes.
        let fields = ["frame.number", "nbns.id", "udp.srcport", "icmp.code"];
        let mut arguments = vec!["-Y", "nbns.flags.response == 0", "-T", "fields"];
        fields
            .iter()
            .for_each(|field| arguments.extend(["-e", field]));
        let Some(shown) = tshark(&path, &arguments) else {
            return;
        };
        let mut asked: BTreeMap<u64, QueryKey> = BTreeMap::new();
        let mut refused: BTreeMap<QueryKey, Vec<u64>> = BTreeMap::new();
        for line in shown.lines() {
            let cells: Vec<&str> = line.split('\t').collect();
            let frame: u64 = cells[0].parse().unwrap();
            let key = (cells[1].to_owned(), cells[2].to_owned());
            match cells[3] {
                "" => drop(asked.insert(frame, key)),
                "3" => refused.entry(key).or_default().push(frame),
                _ => {}
            }
        }
        assert!(!refused.is_empty(), "{name}: tshark finds none");
        let analysis = analyse(&[path]).unwrap();
        let mut found = BTreeMap::new();
        for t in &analysis.transactions {
            if !t.flags.contains(Flags::REFUSED) {
                continue;
            }
            let request = t.request.unwrap();
            let key = asked[&request.first.frame].clone();
            assert_eq!(t.outcome, Outcome::Unanswered, "{name}: {key:?}");
            assert!(!t.flags.contains(Flags::OPEN_AT_END), "{name}: {key:?}");
            found.insert(key, u64::from(t.frames.control));
        }
        let expected = refused
            .iter()
            .map(|(key, frames)| (key.clone(), frames.len() as u64));
        assert_eq!(found, expected.collect(), "{name}");
        // The symptom says how the queries ended.
        let symptoms = &analysis.snapshot.symptoms.found;
        let words = symptoms
            .iter()
            .filter(|symptom| symptom.rule.id == "lookups_unanswered")
            .flat_map(|symptom| symptom.words.clone());
        if name.starts_with("10_") {
            // Frames 29 to 1364: from the first query to the fourth refusal, by tshark 2.999118 s.
            let rows = symptoms
                .iter()
                .filter(|s| s.rule.id == "lookups_unanswered");
            let cost: Vec<u64> = rows.map(|symptom| symptom.hits.cost_ns).collect();
            let [cost] = cost[..] else {
                panic!("{cost:?}");
            };
            assert!((2_999_000_000..=2_999_118_000).contains(&cost), "{cost}");
        }
        let said: u64 = words
            .filter(|(word, _)| *word == "refused by ICMP")
            .map(|(_, times)| times)
            .sum();
        assert_eq!(said, found.len() as u64, "{name}");
    }
}

/// Which query a response is to is for tshark to say: a station answers what it was asked, and no other station
/// does. What goes to everyone is told apart by its Ethernet address.
#[test]
fn a_query_to_one_station_is_answered_by_that_station() {
    let Some(folder) = captures("name queries") else {
        return;
    };
    // A router that asks two stations under one identifier; a client that asks a name server and everyone.
    for (name, answered, alone) in [
        ("real/smb1_session-setup-storm.pcap.gz", 20, 8),
        ("real/smb1_139+445_mgove413.pcap", 0, 15),
    ] {
        let path = folder.join(name);
        let fields = ["frame.number", "ip.src", "ip.dst", "eth.dst"];
        let mut arguments = vec!["-Y", "nbns", "-T", "fields"];
        fields
            .iter()
            .for_each(|field| arguments.extend(["-e", field]));
        let Some(shown) = tshark(&path, &arguments) else {
            return;
        };
        let frames: BTreeMap<u64, [&str; 3]> = shown
            .lines()
            .filter_map(|line| {
                let mut cells = line.split('\t');
                let frame = cells.next()?.parse().ok()?;
                Some((frame, [cells.next()?, cells.next()?, cells.next()?]))
            })
            .collect();
        let analysis = analyse(&[path]).unwrap();
        let (mut found, mut silent) = (0, 0);
        for t in &analysis.transactions {
            let Some(request) = t.request.filter(|_| t.protocol == "nbns") else {
                continue;
            };
            let [client, asked, station] = frames[&request.first.frame];
            if station == "ff:ff:ff:ff:ff:ff" {
                continue;
            }
            assert_eq!(
                t.server.station().to_string(),
                asked,
                "{name}: {}",
                t.number
            );
            match t.response {
                Some(response) => {
                    let [from, to, _] = frames[&response.first.frame];
                    assert_eq!([from, to], [asked, client], "{name}: {}", t.number);
                    found += 1;
                }
                None => silent += 1,
            }
        }
        assert_eq!((found, silent), (answered, alone), "{name}");
        // The router waited 2.02 s for each query that it asked twice, and never longer.
        let lost = |ns: i64| ns > 2_100_000_000;
        let longest = analysis
            .transactions
            .iter()
            .filter(|t| t.protocol == "nbns");
        let longest = longest.filter_map(|t| t.response_time_ns()).max();
        assert!(!longest.is_some_and(lost), "{name}: {longest:?}");
    }
}
