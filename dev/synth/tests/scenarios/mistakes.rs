//! Scenarios with mistakes in them: the error says where, and nothing panics or runs away.

use crate::common::texts;
use wirewait_synth::{Random, Scenario};

const STATIONS: &str = "client C ipx 00000022.020000002201:4003\n\
                        server S ipx 00000022.020000000001:0451\n\
                        client T tcp 10.0.0.1:1025\n\
                        server U tcp 10.0.0.9:445\n";

#[test]
fn errors_name_file_line_and_column() {
    for (line, column, says) in [
        ("0 C>S ncp reed", 11, "expected create-connection"),
        ("0 C>S ncp read length=70000", 16, "too large"),
        ("0 C>S ncp read lenght=70", 16, "not an option"),
        ("0 C>S ncp read length=65535 | lots", 31, "not an option"),
        ("0 C>S ncp write data=1500", 1, "Ethernet carries 1514"),
        ("0 S>C ncp reply", 11, "nothing has been asked"),
        ("0 C>X ncp read", 5, "no station `X`"),
        ("0 C>T ncp read", 3, "client and the other a server"),
        ("0 C>U ncp read", 3, "same protocol"),
        (
            "0 C>S connect",
            1,
            "only tcp, nbf, nbipx, spx, spp and decnet",
        ),
        ("0 C>S again", 1, "nothing has been sent"),
        ("0 C>S work ops=read:1", 7, "this never ends"),
        ("0 C>S work ops=reed:1 count=1", 12, "needs read:BYTES"),
        ("0 C>S work ops=read:1 count=1 by=raw", 31, "ncp or burst"),
        ("0 C>S work ops=read:1 count=1 lost=1/9", 31, "ask again"),
        (
            "0 C>S work ops=read:1 count=1",
            1,
            "how long `S` takes is not said",
        ),
        ("0 S>C work ops=read:1 count=1", 3, "not the other way"),
        ("0 C..1>S ncp read", 3, "several as A..O"),
        ("0 C>S rip routes=1:1:1", 5, "expected a segment"),
        ("0 C>S llc rr", 7, "do not speak llc"),
        ("0 C>S nfs read", 7, "expected ncp, burst"),
        ("1 C>S ncp read\n0 S>C ncp reply", 1, "earlier"),
        (
            "0 T>U smb2 write data=4000 | lost=9 order=4",
            1,
            "no part 4, only 3",
        ),
        ("0 T>U smb2 read data=1", 17, "not an option"),
        ("0 U>T smb2 read data=5", 12, "waits for an answer"),
        (
            "0 T>U smb1 write-andx data=99999999",
            12,
            "too much for one message",
        ),
        (
            "0 repeat 99999999 every 0 {\n}",
            1,
            "too much for a scenario",
        ),
        (
            "0 C>S ncp read\n[answer]\ntransaction",
            1,
            "nothing is said",
        ),
    ] {
        let text = format!("{STATIONS}{line}\n");
        let error = Scenario::parse("a.scenario", &text).expect_err(line);
        assert!(error.message.contains(says), "{line}: {error}");
        assert_eq!(error.column, column, "{line}: {error}");
        let last = text.lines().count();
        assert!((5..=last).contains(&error.line), "{line}: {error}");
        let shown = error.to_string();
        let place = format!("a.scenario:{}:{column}: ", error.line);
        assert!(shown.starts_with(&place), "{shown}");
    }
}

/// Words are dropped, doubled, swapped and replaced at random: there is an error or there
/// are frames, but no panic, and no frame that is longer than its wire.
#[test]
fn damaged_scenarios_do_not_panic() {
    let mut random = Random::new(2026);
    let strange = [
        "-1",
        "0",
        "255",
        "65535",
        "4294967295",
        "18446744073709551615",
        "i",
        "i*9",
        "+",
        "&",
        "|",
        "{",
        "}",
        "#",
        "\"",
        "=",
        "C>S",
        "S>C",
        "again",
        "lost",
        "order=2,1",
        "cut=1,1,1",
        "gap=9223372036",
        "9223372036.9",
        "+0.1",
        "[answer]",
        "repeat",
        "clock",
        "data=0",
        "mid=65535",
        "total=0",
        "from=65535",
        "length=0",
        "most=1",
        "status=pending",
        "\u{20ac}",
    ];
    let mut texts = texts();
    // Those that make much are not made three thousand times.
    texts.retain(|(path, _)| {
        !path.ends_with("demo.scenario") && path.with_extension("pcapng").exists()
    });
    let mut worked = 0;
    for round in 0..3_000 {
        let (_, text) = &texts[round % texts.len()];
        let mut words: Vec<&str> = text.split_inclusive([' ', '\n']).collect();
        for _ in 0..=random.below(3) {
            let at = random.below(words.len() as u64) as usize;
            let other = random.below(words.len() as u64) as usize;
            let odd = strange[random.below(strange.len() as u64) as usize];
            match random.below(4) {
                0 => {
                    words.remove(at);
                }
                1 => words.swap(at, other),
                2 => words.insert(at, words[other]),
                _ => words[at] = odd,
            }
        }
        if let Ok(scenario) = Scenario::parse("damaged", &words.concat()) {
            worked += 1;
            for frame in scenario.frames() {
                assert!(frame.bytes.len() <= frame.wire_len as usize);
            }
        }
    }
    assert!(worked > 300, "only {worked} of 3000 were still scenarios");
}
