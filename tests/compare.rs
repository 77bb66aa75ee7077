//! Captures against a baseline: the figures, from frames; and the program.

use crate::support::{Analysis, Run, analyse, captures, root, wirewait};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;
use wirewait_analysis::{Sink, Snapshot};
use wirewait_judge::compare::{
    Basis, By, Caveat, Change, Comparison, Confidence, Effect, Figure, Group, Key, OPEN_JOBS,
    Values,
};
use wirewait_judge::{Culprit, Finding};
use wirewait_synth::Scenario;

/// Two stations, on TCP, and so many reads of 512 bytes, one every 100 ms, answered after
/// `turnaround_us` and, for every fourth of them, 1 ms more.
fn reads(n: u32, turnaround_us: u32) -> String {
    let seconds = |us: u32| format!("{}.{:06}", us / 1_000_000, us % 1_000_000);
    format!(
        "title reads\n\
         client C tcp 10.0.0.1:1025\n\
         server S tcp 10.0.0.9:445\n\
         0.000 repeat {n} every 0.4 {{\n\
         0.000 C>S smb2 read file=1 offset=0 length=512\n\
         +{short} S>C smb2 read data=512\n\
         0.100 C>S smb2 read file=1 offset=0 length=512\n\
         +{short} S>C smb2 read data=512\n\
         0.200 C>S smb2 read file=1 offset=0 length=512\n\
         +{short} S>C smb2 read data=512\n\
         0.300 C>S smb2 read file=1 offset=0 length=512\n\
         +{long} S>C smb2 read data=512\n\
         }}\n",
        short = seconds(turnaround_us),
        long = seconds(turnaround_us + 1000),
    )
}

/// What comes of a scenario.
pub(crate) fn run(scenario: &str) -> Analysis {
    let scenario = Scenario::parse("made", scenario).unwrap_or_else(|e| panic!("{e}"));
    let mut run = Run::new();
    for frame in scenario.frames() {
        run.frame(&frame.as_frame());
    }
    run.finish()
}

/// Its figures.
pub(crate) fn made(scenario: &str) -> Snapshot {
    run(scenario).snapshot
}

fn compared(captures: &[&Snapshot]) -> Comparison {
    Comparison::of(captures, None)
}

/// 30 reads of 2 ms and 10 of 3 ms against 30 of 2.5 ms and 10 of 3.5 ms.
#[test]
fn a_slower_server_is_found_with_the_figures_and_the_certainty() {
    let (base, other) = (made(&reads(10, 2000)), made(&reads(10, 2500)));
    let result = compared(&[&base, &other]);
    assert_eq!(result.by, By::Operation);
    let all = &result.all;
    let ns = |place: usize, figure: Figure| {
        figure
            .of(all.sides[place].as_ref().unwrap())
            .map(|ratio| ratio.scaled(1))
    };
    assert_eq!(ns(0, Figure::ResponseTime), Some(2_250_000));
    assert_eq!(ns(1, Figure::ResponseTime), Some(2_750_000));
    assert_eq!(ns(1, Figure::ResponseTimeP50), Some(2_500_000));
    assert_eq!(ns(1, Figure::ResponseTimeP95), Some(3_500_000));
    // 0.5 / 2.25 = 22.2 %.
    let change = |figure| all.change(0, figure);
    assert_eq!(change(Figure::ResponseTime), Some(Change::Thousandths(222)));
    assert_eq!(change(Figure::Turnaround), Some(Change::Thousandths(222)));
    assert_eq!(change(Figure::Requests), Some(Change::Thousandths(0)));
    // 512 bytes each: 40 * 512 in 90 ms, and in 110 ms.
    let rate = |place: usize| {
        let side = all.sides[place].as_ref().unwrap();
        Figure::Throughput
            .of(side)
            .map(|ratio| ratio.scaled(1_000_000_000))
    };
    assert_eq!(rate(0), Some(227_556));
    assert_eq!(rate(1), Some(186_182));
    assert_eq!(change(Figure::Throughput), Some(Change::Thousandths(-182)));
    // scipy 1.17.1: mannwhitneyu([2.5]*30+[3.5]*10, [2]*30+[3]*10, method="asymptotic").
    let Confidence::Tested(test) = all.sure[0].response_time else {
        panic!("{:?}", all.sure)
    };
    assert_eq!((test.n, test.twice_u), ((40, 40), 2600));
    assert!(
        (test.p / 3.531_278_446_376e-7 - 1.0).abs() < 1e-9,
        "{}",
        test.p
    );
    let verdict = &result.verdicts[0];
    assert_eq!(verdict.effect, Effect::Slower);
    // No transport says how far the server is, and all reads take 2 ms at least.
    let either = Finding::Either(Culprit::Network, Culprit::Server);
    assert_eq!(verdict.finding, either);
    assert!(
        matches!(
            verdict.most,
            Some(Key::Operation {
                command: "READ",
                ..
            })
        ),
        "{:?}",
        verdict.most
    );
    // The reads come every 100 ms, however long they take.
    assert!(
        matches!(verdict.doubts.as_slice(), [Caveat::Elsewhere(..)]),
        "{:?}",
        verdict.doubts
    );
    // The other way round.
    let back = compared(&[&other, &base]);
    assert_eq!(back.verdicts[0].effect, Effect::Faster);
    assert_eq!(
        back.all.change(0, Figure::ResponseTime),
        Some(Change::Thousandths(-182))
    );
}

/// 60 reads one after the other, after pauses of this length.
fn after_pauses(pause_us: u32, turnaround_us: u32) -> Snapshot {
    let seconds = |us: u32| format!("{}.{:06}", us / 1_000_000, us % 1_000_000);
    made(&format!(
        "title pauses\n\
         client C tcp 10.0.0.1:1025\n\
         server S tcp 10.0.0.9:445\n\
         0.000 repeat 60 every {} {{\n\
         0.000 C>S smb2 read file=1 offset=0 length=512\n\
         +{} S>C smb2 read data=512\n\
         }}\n",
        seconds(pause_us + turnaround_us),
        seconds(turnaround_us)
    ))
}

/// All times of a capture 1.7 times as long: pauses of 350 ms become 595 ms, longer than the think limit
/// of 500 ms, and fall out of the active time. The requests say what it is: 70 % slower, and 41.2 %
/// faster back.
#[test]
fn pauses_that_become_idle_make_nothing_faster() {
    let (base, other) = (after_pauses(350_000, 1000), after_pauses(595_000, 1700));
    for (captures, effect, change) in [
        ([&base, &other], Effect::Slower, 700),
        ([&other, &base], Effect::Faster, -412),
    ] {
        let result = compared(&captures);
        let verdict = &result.verdicts[0];
        assert!(verdict.pauses_moved);
        assert_eq!(
            (verdict.effect, verdict.basis),
            (effect, Basis::ResponseTime)
        );
        let found = result.all.change(0, Figure::ResponseTime);
        assert_eq!(found, Some(Change::Thousandths(change)));
    }
    // On the same side of the limit all of the time counts.
    for (pause, longer) in [(100_000, 200_000), (600_000, 1_200_000)] {
        let pair = [after_pauses(pause, 1000), after_pauses(longer, 2000)];
        let result = compared(&[&pair[0], &pair[1]]);
        let verdict = &result.verdicts[0];
        assert!(!verdict.pauses_moved, "{pause}");
        assert_eq!(
            (verdict.effect, verdict.basis),
            (Effect::Slower, Basis::ActiveTime)
        );
    }
}

#[test]
fn identical_captures_do_not_differ() {
    let base = made(&reads(10, 2000));
    let result = compared(&[&base, &base]);
    let verdict = &result.verdicts[0];
    assert_eq!(verdict.effect, Effect::None);
    assert_eq!(verdict.confidence.p(), Some(1.0));
    assert_eq!((verdict.culprit(), verdict.most.as_ref()), (None, None));
    assert_eq!(verdict.doubts, []);
    for group in result.groups.iter().chain([&result.all]) {
        for figure in Figure::ALL {
            let change = group.change(0, figure);
            assert!(
                matches!(change, None | Some(Change::Thousandths(0))),
                "{figure:?}"
            );
        }
    }
}

#[test]
fn few_requests_are_not_judged() {
    let (base, other) = (made(&reads(10, 2000)), made(&reads(4, 9000)));
    let verdict = &compared(&[&base, &other]).verdicts[0];
    assert_eq!(verdict.effect, Effect::TooFew);
    assert_eq!(verdict.confidence, Confidence::TooFew(40, 16));
}

/// 1,000 values are counted in a histogram, 40 are kept as they are: both are ranked alike.
#[test]
fn many_values_are_compared_with_few() {
    let (few, many) = (made(&reads(10, 2000)), made(&reads(250, 2000)));
    let result = compared(&[&few, &many]);
    assert_eq!(result.verdicts[0].confidence.p(), Some(1.0));
    let slower = made(&reads(250, 2500));
    assert_eq!(
        compared(&[&few, &slower]).verdicts[0].effect,
        Effect::Slower
    );
}

/// The same work by NCP and by SMB has no operation in common, but reads.
#[test]
fn different_protocols_are_compared_by_class() {
    let ncp = "title ncp\n\
               client C ipx 00000001.00001b000001:4003\n\
               server S ipx 00000001.00001b000009:0451\n\
               0.000 repeat 40 every 0.1 {\n\
               0.000 C>S ncp read handle=1 offset=0 length=512\n\
               +0.004 S>C ncp reply data=512\n\
               }\n";
    let (smb, ncp) = (made(&reads(10, 2000)), made(ncp));
    let result = compared(&[&smb, &ncp]);
    assert_eq!((result.by, result.fell_back), (By::Kind, true));
    assert_eq!(result.groups.len(), 1, "{:?}", result.groups);
    let group = &result.groups[0];
    assert_eq!(
        group.change(0, Figure::ResponseTime),
        Some(Change::Thousandths(778))
    );
    assert!(
        !result.verdicts[0]
            .doubts
            .iter()
            .any(|d| matches!(d, Caveat::OnlyIn { .. }))
    );
    // Who asks for operations gets them: nobody has both.
    let asked = Comparison::of(&[&smb, &ncp], Some(By::Operation));
    assert!(!asked.fell_back);
    assert!(
        asked
            .groups
            .iter()
            .all(|group| group.sides.iter().flatten().count() == 1)
    );
    assert_eq!(
        asked.verdicts[0]
            .doubts
            .iter()
            .filter(|doubt| matches!(doubt, Caveat::OnlyIn { share: 1000, .. }))
            .count(),
        2
    );
}

/// Figures of all groups of a kind sum to those of everything, whatever they are grouped by.
#[test]
fn groups_are_parts_of_the_whole() {
    let Analysis { snapshot, .. } =
        analyse(&[root().join("captures/demo.pcapng")]).unwrap_or_else(|e| panic!("{e}"));
    for by in [By::Operation, By::Kind, By::Server, By::Client] {
        let result = Comparison::of(&[&snapshot, &snapshot], Some(by));
        let all = result.all.sides[1].as_ref().unwrap();
        let sum = |of: fn(&wirewait_judge::compare::Side) -> u64| -> u64 {
            let sides = result
                .groups
                .iter()
                .filter_map(|group| group.sides[1].as_ref());
            sides.map(of).sum()
        };
        assert_eq!(sum(|s| s.counts.requests), all.counts.requests, "{by:?}");
        assert_eq!(
            sum(|s| s.counts.unanswered),
            all.counts.unanswered,
            "{by:?}"
        );
        assert_eq!(sum(|s| s.data_bytes), all.data_bytes, "{by:?}");
        assert_eq!(sum(|s| s.frames.request), all.frames.request, "{by:?}");
        assert_eq!(sum(|s| s.frames.ack), all.frames.ack, "{by:?}");
        assert_eq!(all.samples.response_time.n(), all.response_time.n, "{by:?}");
        if matches!(by, By::Server | By::Client) {
            assert_eq!(sum(|s| s.response_time.n), all.response_time.n, "{by:?}");
        }
    }
}

/// Files and shares go by their names, whichever server they are on.
#[test]
fn files_are_compared_by_name() {
    let visit = |server: &str, share: &str, turnaround: &str| {
        format!(
            "title a visit\n\
             client C tcp 10.0.0.1:1025\n\
             server S tcp {server}:445\n\
             0.000 C>S smb2 tree-connect path=\"{share}\"\n\
             +0.001 S>C smb2 tree-connect\n\
             +0.001 C>S smb2 create name=pay.xls\n\
             +0.001 S>C smb2 create file=1\n\
             1.000 repeat 100 every 0.1 {{\n\
             0.000 C>S smb2 read file=1 offset=0 length=512\n\
             +{turnaround} S>C smb2 read data=512\n\
             }}\n"
        )
    };
    let old = made(&visit("10.0.0.8", r"\\FS1\DATA", "0.002"));
    let new = made(&visit("10.0.0.9", r"\\FS2\data", "0.003"));
    let result = Comparison::of(&[&old, &new], Some(By::File));
    let [file] = result.groups.as_slice() else {
        panic!("{:?}", result.groups)
    };
    assert_eq!(
        file.key,
        Key::File {
            share: Some("data".into()),
            path: "pay.xls".into()
        }
    );
    // The open of 1 ms and 100 reads: (1 + 200) / 101 and (1 + 300) / 101 ms.
    let mean = |place: usize| {
        let side = file.sides[place].as_ref().unwrap();
        Figure::ResponseTime.of(side).unwrap().scaled(1)
    };
    assert_eq!((mean(0), mean(1)), (1_990_099, 2_980_198));
    // Beyond 64 values some are drawn: enough for the test, not for percentiles.
    assert_eq!(
        file.sure[0].significant(&file.sure[0].response_time),
        Some(true)
    );
    assert_eq!(
        Figure::ResponseTimeP95.of(file.sides[0].as_ref().unwrap()),
        None
    );
    let shares = Comparison::of(&[&old, &new], Some(By::Share));
    assert_eq!(shares.groups.len(), 1, "{:?}", shares.groups);

    // With the times of all transactions there are percentiles of a file, and those of the whole are
    // exact; with some of them, no worse than without.
    let texts = [
        visit("10.0.0.8", r"\\FS1\DATA", "0.002"),
        visit("10.0.0.9", r"\\FS2\data", "0.003"),
    ];
    let with = |most: usize| {
        let values = texts.each_ref().map(|text| {
            let mut values = Values::keeping(most, 500_000_000);
            run(text)
                .transactions
                .iter()
                .for_each(|t| values.transaction(t));
            values
        });
        Comparison::with(&[&old, &new], &values, Some(By::File))
    };
    let p95 = |group: &Group, place: usize| {
        let side = group.sides[place].as_ref().unwrap();
        Figure::ResponseTimeP95
            .of(side)
            .map(|ratio| ratio.scaled(1))
    };
    let whole = with(1000);
    assert!(!whole.drawn);
    assert_eq!(p95(&whole.groups[0], 0), Some(2_000_000));
    assert_eq!(p95(&whole.groups[0], 1), Some(3_000_000));
    let Confidence::Tested(test) = whole.groups[0].sure[0].response_time else {
        panic!("{:?}", whole.groups[0].sure)
    };
    assert_eq!(test.n, (101, 101));
    let some = with(90);
    assert!(some.drawn);
    assert_eq!(p95(&some.groups[0], 0), None);
    assert_eq!(p95(&some.all, 0), p95(&result.all, 0));
}

fn capture(name: &str, scenario: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compare");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    let scenario = Scenario::parse(name, scenario).unwrap();
    std::fs::write(&path, scenario.pcapng()).unwrap();
    path
}

fn said(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

/// Three stations that read 1000 bytes at a time without a pause; one comes every 3 s.
fn stations(service: &str) -> String {
    format!(
        "title stations\n\
         ethernet raw\n\
         link 10M\n\
         client A..C ipx 00000011.02608c010001:4003\n\
         server FS ipx 00000011.02608c0100fe:0451\n\
         service FS read={service} other=1ms\n\
         snaplen 96\n\
         0.000 A..C>FS work open=DATA ops=read:1000 every=3 for=9 turn=0.1ms\n"
    )
}

#[test]
fn a_load_and_the_peak_are_compared_first() {
    let base = capture("load-base.pcapng", &stations("10ms"));
    let other = capture("load-other.pcapng", &stations("5ms"));
    let (base, other) = (base.to_str().unwrap(), other.to_str().unwrap());
    let first = |more: &[&str]| {
        let (code, out, err) = said(&wirewait(&[&["compare", base, other], more].concat()));
        assert_eq!((code, err.as_str()), (Some(0), ""));
        out.lines().next().unwrap().to_owned()
    };
    assert_eq!(
        first(&["--at-load", "3"]),
        "With 3 stations active load-other.pcapng moved 200 kB/s, 100 kB/s in load-base.pcapng: \
         99.7 % more; answered 201 requests/s, 101 in load-base.pcapng: 98.7 % more; took 14.8 ms \
         for a request, 29.6 ms in load-base.pcapng: 50.1 % faster."
    );
    let peak = first(&["--peak"]);
    assert!(
        peak.starts_with("At its peak load-other.pcapng moved 200 kB/s with "),
        "{peak}"
    );
    assert_eq!(
        first(&["--at-load", "4"]),
        "Cannot tell: in load-base.pcapng 4 stations were never active together for a second; \
         --by load shows the numbers that were."
    );
    let (code, _, err) = said(&wirewait(&[
        "compare",
        base,
        other,
        "--at-load",
        "3",
        "--by",
        "kind",
    ]));
    assert_eq!(code, Some(2));
    assert!(err.contains("leave --by out"), "{err}");
    // The rows have what load curves know, and nothing else.
    let json = ["compare", base, other, "--by", "load", "--format", "json"];
    let (_, out, _) = said(&wirewait(&json));
    let document: Value = serde_json::from_str(&out).unwrap();
    let groups = document["groups"].as_array().unwrap();
    let names: Vec<&str> = groups.iter().filter_map(|g| g["group"].as_str()).collect();
    assert_eq!(names, ["1 station", "2 stations", "3 stations"]);
    let figures = &groups[2]["configurations"][1]["figures"];
    assert_eq!(figures["frames_per_request"], Value::Null);
    assert_eq!(figures["turnaround_p95_ns"], Value::Null);
    assert_eq!(figures["unanswered"], Value::Null);
    // Three are queued, and one is served: 15 ms less the pause and the request's way.
    let turnaround = figures["turnaround_ns"].as_u64().unwrap();
    assert!(
        (14_700_000..14_900_000).contains(&turnaround),
        "{turnaround}"
    );
}

#[test]
fn the_program_compares_and_fails_on_conditions() {
    let base = capture("base.pcapng", &reads(10, 2000));
    let other = capture("other.pcapng", &reads(10, 2500));
    let (base, other) = (base.to_str().unwrap(), other.to_str().unwrap());
    let (code, out, err) = said(&wirewait(&["compare", base, other]));
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let first = "Slower: a request took 2.75 ms in other.pcapng, 2.25 ms in base.pcapng: 22.2 % \
                 slower, significant (p < 0.0001); mostly the network or the server (only captures at \
                 the server can tell), most of it in SMB2 READ.\n";
    assert!(out.starts_with(first), "{out}");

    let more = [
        "compare",
        base,
        other,
        "--fail-if",
        "response_time > +22%",
        "--fail-if",
        "errors > 0",
    ];
    let (code, out, err) = said(&wirewait(&more));
    assert_eq!(code, Some(4));
    assert!(
        out.starts_with(first),
        "the comparison is there all the same"
    );
    assert_eq!(
        err,
        "wirewait: response_time > +22% holds for other.pcapng: response_time is 2.750 ms, \
         2.250 ms in base.pcapng (22.2 % slower)\n"
    );
    let within = ["compare", base, other, "--fail-if", "response_time > +23%"];
    assert_eq!(said(&wirewait(&within)).0, Some(0));
    let wrong = ["compare", base, other, "--fail-if", "p95 > 5"];
    let (code, _, err) = said(&wirewait(&wrong));
    assert_eq!(code, Some(2));
    assert!(
        err.contains("column 8: response_time.p95 takes ns"),
        "{err}"
    );
}

/// The server has 45.8 to 48.9 % of the active time of this capture.
#[test]
fn a_report_fails_if_a_condition_on_it_holds() {
    let demo = root().join("captures/demo.pcapng");
    let demo = demo.to_str().unwrap();
    let ended = |conditions: &[&str], more: &[&str]| {
        let conditions = conditions.iter().flat_map(|one| ["--fail-if", one]);
        let arguments: Vec<&str> = ["report", demo].into_iter().chain(conditions).collect();
        let (code, out, err) = said(&wirewait(&[&arguments, more].concat()));
        assert!(
            code == Some(2) || !out.is_empty(),
            "the report is there all the same"
        );
        (code.unwrap(), err)
    };
    assert_eq!(
        ended(&["server % > 48.9", "resp.p95 > 10s"], &[]),
        (0, String::new())
    );
    let (code, err) = ended(&["server % > 45", "unanswered > 5", "resp.max > 1ms"], &[]);
    assert_eq!(code, 4);
    let lines: Vec<&str> = err.lines().collect();
    let server =
        "wirewait: server % > 45 holds for this capture: server is 45.8 to 48.9 % of active time";
    assert_eq!(lines[0], server);
    let longest = "wirewait: resp.max > 1ms holds for this capture: response_time.max is ";
    assert!(lines[1].starts_with(longest), "{err}");
    assert_eq!(lines.len(), 2, "{err}");
    // Only all of an interval fulfils a condition, and a message says where part of it does.
    let (code, err) = ended(&["server % > 47"], &[]);
    assert_eq!(code, 0);
    let open = "wirewait: server % > 47 may hold for this capture, which does not count as held: server is 45.8 to 48.9 %";
    assert!(err.starts_with(open), "{err}");
    // What is not known does not pass in silence.
    let (code, err) = ended(&["server % > 99"], &["--filter", "udp port 9"]);
    assert_eq!(code, 4);
    let none = "server % > 99 cannot be judged for this capture, which counts as held: there is no verdict";
    assert!(err.contains(none), "{err}");
    let (code, err) = ended(&["p99 of smb2 LOCK > 1s"], &["--format", "json"]);
    assert_eq!(code, 4);
    assert!(err.contains("nothing is called smb2 LOCK"), "{err}");
    for (wrong, said) in [
        (
            "servers % > 40",
            "`servers %` is no figure; there are client %, network %, server %, requests",
        ),
        ("server % > 140", "a share is 0 to 100 per cent"),
        ("p95 > +10%", "one capture has no baseline"),
    ] {
        let (code, err) = ended(&[wrong], &[]);
        assert_eq!(code, 2, "{wrong}");
        assert!(err.contains(said), "{err}");
    }
    let (code, err) = ended(&["p95 > 1s"], &["--parallel", "2"]);
    assert_eq!(code, 2);
    assert!(err.contains("leave --parallel out"), "{err}");
}

/// Captures with hardly an operation in common are compared by kind, and a condition on an operation is
/// judged all the same.
#[test]
fn a_condition_finds_its_group_in_other_rows() {
    let ncp = "title ncp\n\
               client C ipx 00000001.00001b000001:4003\n\
               server S ipx 00000001.00001b000009:0451\n\
               0.000 repeat 40 every 0.1 {\n\
               0.000 C>S ncp read handle=1 offset=0 length=512\n\
               +0.004 S>C ncp reply data=512\n\
               }\n";
    let (base, other) = (
        capture("by-ncp.pcapng", ncp),
        capture("by-smb.pcapng", &reads(10, 2000)),
    );
    let (base, other) = (base.to_str().unwrap(), other.to_str().unwrap());
    let judged = |condition: &str, more: &[&str]| {
        let arguments = ["compare", base, other, "--fail-if", condition];
        let (code, _, err) = said(&wirewait(&[&arguments, more].concat()));
        (code, err)
    };
    let (code, err) = judged("p99 of smb2 READ > 1s", &[]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let (code, err) = judged("p99 of smb2 READ > 1us", &[]);
    assert_eq!(code, Some(4));
    assert!(
        err.contains("response_time.p99 of smb2 READ is 3.000 ms"),
        "{err}"
    );
    let (code, err) = judged("p99 of smb2 READ > 1s", &["--by", "kind"]);
    assert_eq!(code, Some(4));
    assert!(
        err.contains("when compared by kind; type --by operation"),
        "{err}"
    );
}

/// As `live --save` writes them: a ring of files in a folder.
#[test]
fn folders_and_patterns_are_captures() {
    let base = capture("ring-a-base.pcapng", &reads(10, 2000));
    let other = capture("ring-b-other.pcapng", &reads(10, 2500));
    let folder = base.with_file_name("compare-ring");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::copy(&other, folder.join("one.pcapng")).unwrap();
    std::fs::write(folder.join("notes.txt"), "no capture at all\n").unwrap();
    let pattern = base.with_file_name("ring-a-*.pcapng");
    let (pattern, folder) = (pattern.display().to_string(), folder.display().to_string());
    let (code, out, err) = said(&wirewait(&[
        "compare",
        &pattern,
        &format!("AFTER={folder}"),
    ]));
    assert_eq!(code, Some(3), "{err}");
    assert!(
        err.contains("notes.txt") && err.contains("it is skipped"),
        "{err}"
    );
    assert!(
        out.starts_with("Slower: a request took 2.75 ms in AFTER, 2.25 ms in "),
        "{out}"
    );
    let (code, out, err) = said(&wirewait(&["between", &pattern, &folder]));
    assert!(matches!(code, Some(1 | 3)), "{code:?} {out} {err}");
    assert!(!err.contains("cannot be opened"), "{err}");
    let (code, _, err) = said(&wirewait(&["compare", &pattern, "ring-z-*.pcapng"]));
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("no file matches"), "{err}");
}

/// Of the first, 4.5 s, most data moved while the number of active stations changed within a second:
/// the peak is of a load that was steady. Of the second all loads were, for seconds.
#[test]
fn a_peak_below_the_mean_is_said_to_be_one() {
    let Some(folder) = captures("a_peak_below_the_mean_is_said_to_be_one") else {
        return;
    };
    for (name, below) in [
        ("real/smb1_2830frames_snort-dce.pcap", true),
        ("lab/10_loss3pct_dup1pct_reorder2pct_srv.pcap", false),
    ] {
        let capture = folder.join(name).display().to_string();
        let (_, shown, _) = said(&wirewait(&["compare", &capture, &capture]));
        let number = |title: &str| -> f64 {
            let row = shown
                .lines()
                .find(|line| line.trim_start().starts_with(title));
            let row = row.unwrap_or_else(|| panic!("no {title} in\n{shown}"));
            let rest = row.trim_start().strip_prefix(title).unwrap();
            let value = rest.split_whitespace().next().unwrap();
            value.replace(',', "").parse().unwrap()
        };
        let peak = number("peak transactions per second at a steady load  ");
        assert_eq!(peak < number("transactions per second  "), below, "{name}");
        let told = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        let words = "a peak is below the mean over elapsed time: load that changed within a second";
        assert_eq!(told.contains(words), below, "{name}: {told}");
    }
}

#[test]
fn a_capture_without_requests_does_not_pass() {
    let base = capture("some.pcapng", &reads(10, 2000));
    let (code, out, err) = said(&wirewait(&[
        "compare",
        base.to_str().unwrap(),
        "captures/last/upkeep.pcapng",
        "--fail-if",
        "p95 > +50%",
    ]));
    assert_eq!(code, Some(4));
    assert!(
        out.starts_with("Nothing to compare between upkeep.pcapng and some.pcapng"),
        "{out}"
    );
    assert!(
        err.contains("cannot be judged for upkeep.pcapng, which counts as held"),
        "{err}"
    );
}

/// Of so few requests no rank test tells whether chance made the difference.
#[test]
fn what_cannot_be_tested_does_not_pass() {
    let base = capture("few.pcapng", &reads(1, 2000));
    let other = capture("few-slow.pcapng", &reads(1, 20_000));
    let (base, other) = (base.to_str().unwrap(), other.to_str().unwrap());
    let judged = |condition: &str| {
        let arguments = ["compare", base, other, "--fail-if", condition];
        let (code, _, err) = said(&wirewait(&arguments));
        (code, err)
    };
    let (code, err) = judged("response_time > +10% significant");
    assert_eq!(code, Some(4), "{err}");
    assert!(err.contains("too few requests to tell"), "{err}");
    // What does not stand so to the limit needs no test.
    assert_eq!(judged("response_time < -10% significant").0, Some(0));
    let (code, err) = judged("throughput < -200%");
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("nothing falls by more than 100%"), "{err}");
}

#[test]
fn every_format_has_every_configuration() {
    let base = capture("one.pcapng", &reads(10, 2000));
    let other = capture("two.pcapng", &reads(10, 2500));
    let (base, other) = (base.to_str().unwrap(), other.to_str().unwrap());
    let named = format!("AFTER={other}");
    // Another client at the same time.
    let second = reads(10, 2000).replace("10.0.0.1:", "10.0.0.2:");
    let second = capture("second.pcapng", &second);
    let both = format!("BOTH={base},{}", second.to_str().unwrap());
    let run = |format: &str| {
        let arguments = ["compare", "--format", format, base, &named, &both];
        let (code, out, err) = said(&wirewait(&arguments));
        assert_eq!(code, Some(0), "{format}");
        // Of the two captures of BOTH, which begin at the same moment.
        let expected = "begins with the same time stamp";
        assert!(
            err.lines().count() == 1 && err.contains(expected),
            "{format}: {err}"
        );
        out
    };
    let json: Value = serde_json::from_str(&run("json")).unwrap();
    let names: Vec<&str> = json["configurations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["one.pcapng", "AFTER", "BOTH"]);
    assert_eq!(
        json["configurations"][1]["figures"]["response_time_ns"],
        2_750_000
    );
    assert_eq!(
        json["configurations"][1]["change_percent"]["response_time"],
        22.2
    );
    assert_eq!(json["configurations"][2]["figures"]["requests"], 80);
    let csv = run("csv");
    assert_eq!(
        csv.lines()
            .filter(|line| line.starts_with("all,all,"))
            .count(),
        3
    );
    let columns = csv.lines().next().unwrap().split(',').count();
    assert!(
        csv.lines()
            .all(|line| line.matches(',').count() + 1 >= columns),
        "{csv}"
    );
    let text = run("text");
    assert!(text.contains("\n  AFTER "), "{text}");
    assert!(text.contains("slower, p < 0.0001"), "{text}");
}

/// Most requests of the operation that both have take longer in the other capture, and a few of 600 ms decide the
/// mean of the baseline: neither is the verdict.
#[test]
fn a_mean_against_most_requests_is_no_verdict() {
    let captures = root().join("captures");
    let [base, other] = ["demo.pcapng", "ncp/lost-reply.pcapng"].map(|name| captures.join(name));
    let output = wirewait(&["compare", base.to_str().unwrap(), other.to_str().unwrap()]);
    let text = String::from_utf8_lossy(&output.stdout);
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = "Cannot tell: a request took 2.00 ms in lost-reply.pcapng, 21.5 ms in demo.pcapng: 90.7 % \
                faster, but most requests changed the other way";
    assert!(flat.contains(said), "{text}");
}

/// A job is what a user waits for: requests of one client for one file with no pause between them.
/// A word beside a change that goes the other way says that it is of most requests.
#[test]
fn a_row_that_says_faster_has_no_slower_mean_beside_it() {
    let Some(folder) = captures("a_row_that_says_faster_has_no_slower_mean_beside_it") else {
        return;
    };
    let names = [
        "lab/01_smb1_nt1_port139_records_1client_srv.pcap",
        "lab/09_midconnection_start_nt1_smb2_srv.pcap",
    ];
    let files = names.map(|name| folder.join(name).display().to_string());
    let (mut alike, mut mostly) = (0, 0);
    for [base, other] in [[&files[0], &files[1]], [&files[1], &files[0]]] {
        for by in ["operation", "share", "client"] {
            let output = wirewait(&["compare", "--format", "csv", "--by", by, base, other]);
            let text = String::from_utf8(output.stdout).unwrap();
            let header = text.lines().next().unwrap();
            let column = |wanted| header.split(',').position(|name| name == wanted).unwrap();
            let change = column("response_time_change_percent");
            for row in text.lines().filter(|row| row.contains("er, p ")) {
                // What is quoted stands at the end.
                let change: f64 = row.split(',').nth(change).unwrap().parse().unwrap();
                let said = row.split('"').nth(1).unwrap();
                let slower = said.contains("slower");
                match said.starts_with("mostly") {
                    true => mostly += 1,
                    false => alike += 1,
                }
                let against = change != 0.0 && (change < 0.0) == slower;
                assert_eq!(said.starts_with("mostly"), against, "{row}");
            }
        }
    }
    // A row whose order shows that its times hang together is neither.
    assert!(alike > 0 && mostly == 0, "{alike} {mostly}");
}

#[test]
fn requests_for_one_file_in_a_row_are_a_job() {
    let text = "title jobs\n\
        client C tcp 10.0.0.1:1025\n\
        client D tcp 10.0.0.2:1025\n\
        server S tcp 10.0.0.9:445\n\
        0.000 C>S smb2 read file=1 offset=0 length=512\n\
        0.002 S>C smb2 read data=512\n\
        0.005 C>S smb2 read file=2 offset=0 length=512\n\
        0.007 S>C smb2 read data=512\n\
        0.010 C>S smb2 read file=1 offset=512 length=512\n\
        0.012 S>C smb2 read data=512\n\
        0.015 D>S smb2 read file=1 offset=0 length=512\n\
        0.017 S>D smb2 read data=512\n\
        0.020 C>S smb2 read file=1 offset=1024 length=512\n\
        0.022 S>C smb2 read data=512\n\
        0.030 C>S smb2 read file=1 offset=1536 length=512\n\
        0.035 S>C smb2 read data=512\n\
        0.600 C>S smb2 read file=1 offset=2048 length=512\n\
        0.602 S>C smb2 read data=512\n\
        0.610 C>S smb2 read file=1 offset=2560 length=512\n\
        0.617 S>C smb2 read data=512\n";
    let analysis = run(text);
    let jobs = |think_ns| {
        let mut values = Values::new(think_ns);
        let transactions = analysis.transactions.iter();
        transactions.for_each(|t| values.transaction(t));
        let all = &Comparison::with(&[&analysis.snapshot], &[values], None).all;
        let side = all.sides[0].clone().unwrap();
        let of = |figure: Figure| figure.of(&side).map(|ratio| ratio.scaled(10));
        (
            of(Figure::Jobs),
            of(Figure::JobTime),
            of(Figure::JobTimeP50),
            of(Figure::RequestsPerJob),
            side.jobs.unwrap().data_bytes,
        )
    };
    // Four requests from 0 to 35 ms, two from 600 to 617 ms. One request of a file is no job, and
    // files of two clients are two.
    let two = (
        Some(20),
        Some(260_000_000),
        Some(170_000_000),
        Some(30),
        3072,
    );
    assert_eq!(jobs(500_000_000), two);
    // The pause of 565 ms is none any more.
    let one = (
        Some(10),
        Some(6_170_000_000),
        Some(6_170_000_000),
        Some(60),
        3072,
    );
    assert_eq!(jobs(565_000_000), one);
    // Without the transactions nothing is known of jobs.
    let bare = Comparison::of(&[&analysis.snapshot], None);
    assert_eq!(Figure::Jobs.of(bare.all.sides[0].as_ref().unwrap()), None);
}

#[test]
fn no_more_jobs_are_followed_at_once_than_are_allowed() {
    let analysis = run(&reads(1, 2000));
    let made = |files: u64| {
        let mut values = Values::new(500_000_000);
        for read in &analysis.transactions {
            for conversation in 0..files {
                let mut one = read.clone();
                one.conversation = conversation;
                values.transaction(&one);
            }
        }
        let all = Comparison::with(&[&analysis.snapshot], &[values], None).all;
        all.sides[0].clone().unwrap().jobs.unwrap()
    };
    let limit = u64::try_from(OPEN_JOBS).unwrap();
    let whole = made(limit);
    assert_eq!(
        (whole.took.n, whole.requests, whole.cut),
        (limit, 4 * limit, 0)
    );
    // From the first to the fourth of them, which takes 3 ms.
    assert_eq!((whole.took.min, whole.took.max), (303_000_000, 303_000_000));
    let cut = made(limit + 1);
    assert!(cut.cut > 0, "{cut:?}");
    assert!(cut.requests < 4 * (limit + 1), "{cut:?}");
}
