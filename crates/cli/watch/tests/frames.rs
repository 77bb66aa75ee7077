//! Frames and requests that are looked up, decoded and saved.

use super::*;

/// The numbers of the frames of a transaction, as `decode --transaction` finds them.
fn cast(input: &InputArgs, number: u64) -> Vec<u64> {
    let mut cast = wirewait_report::decode::Cast::of(number);
    let mut analyzer =
        wirewait::Analyzer::new(wirewait::registry(), Settings::default()).observed();
    let opened = Opened::open(input).unwrap();
    opened
        .each_frame(|_, frame| {
            analyzer.frame(frame, &mut cast);
            Ok(Choice::Take)
        })
        .unwrap();
    analyzer.finish(&mut cast);
    cast.frames().keys().copied().filter(|n| *n > 0).collect()
}

#[test]
fn frames_are_saved_from_memory_and_from_the_files() {
    let input = capture("demo.pcapng");
    let stamps = stamps(&input);
    let folder = std::env::temp_dir().join(format!("wirewait-watch-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    // Room for a few frames, or for all.
    for (memory, room) in [("little", 1 << 12), ("all", 1 << 24)] {
        let mut rig = Rig::keeping(&input, Pace::Max, false, room);
        let feed = rig.until(has_ended);
        for t in [&feed.transactions[3], &feed.transactions[40]] {
            let path = folder.join(format!("{memory}-{}.pcapng", t.number));
            rig.send(Command::Save(What::Transaction(t.number), path.clone()));
            let said = rig.answer().unwrap();
            let wanted: Vec<Timestamp> = cast(&input, t.number)
                .iter()
                .map(|n| stamps[*n as usize - 1])
                .collect();
            assert!(!wanted.is_empty());
            assert!(
                said.contains(&format!("saved {} frame", wanted.len())),
                "{said}"
            );
            assert_eq!(self::stamps(&of(path)), wanted);
        }
        let path = folder.join(format!("{memory}-listed.pcapng"));
        rig.send(Command::Save(What::Frames(11, 30), path.clone()));
        let (said, took) = (rig.answer().unwrap(), stamps[29].since(stamps[10]));
        let took = wirewait_report::words::Short(took);
        assert!(
            said.contains(&format!("saved 20 frames in {took} to")),
            "{said}"
        );
        assert_eq!(self::stamps(&of(path)), stamps[10..30]);
        let path = folder.join(format!("{memory}-last.pcapng"));
        rig.send(Command::Save(What::LastSeconds(2), path.clone()));
        let from = stamps[stamps.len() - 1].plus(-2_000_000_000);
        let wanted: Vec<Timestamp> = stamps.iter().copied().filter(|at| *at >= from).collect();
        rig.answer().unwrap();
        assert_eq!(self::stamps(&of(path.clone())), wanted);
        // Never over a file that is there.
        rig.send(Command::Save(What::LastSeconds(2), path));
        let why = rig.answer().unwrap_err();
        assert!(why.contains("name another file"), "{why}");
        rig.send(Command::Save(
            What::Transaction(u64::MAX),
            folder.join("none"),
        ));
        let why = rig.answer().unwrap_err();
        assert!(why.contains("no longer among"), "{why}");
        rig.quit();
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn frames_are_decoded_as_decode_does() {
    let input = capture("demo.pcapng");
    // As `wirewait decode` has it: it follows the capture from its beginning.
    let (a, b) = (wirewait::registry(), wirewait::registry());
    let mut decoder = wirewait_report::decode::Decoder::new(
        &a,
        wirewait_report::decode::Shape::Detail,
        wirewait_report::decode::Time::Relative,
        wirewait_report::text::Look::FILE,
    )
    .following(b);
    let mut all = Vec::new();
    let opened = Opened::open(&input).unwrap();
    opened
        .each_frame(|_, frame| {
            decoder.pass(frame);
            all.push(decoder.plain(frame));
            Ok(Choice::Take)
        })
        .unwrap();
    for room in [1 << 12, 1 << 24] {
        let mut rig = Rig::keeping(&input, Pace::Max, false, room);
        let feed = rig.until(has_ended);
        rig.send(Command::Decode(17..=20));
        assert_eq!(*rig.decoded(), all[16..20]);
        rig.send(Command::Decode(
            all.len() as u64 - 1..=all.len() as u64 + 10,
        ));
        assert_eq!(*rig.decoded(), all[all.len() - 2..]);
        let t = &feed.transactions[40];
        rig.send(Command::DecodeTransaction(t.number));
        let wanted = cast(&input, t.number);
        let wanted: Vec<_> = wanted
            .iter()
            .map(|n| all[*n as usize - 1].clone())
            .collect();
        assert_eq!(*rig.decoded(), wanted);
        rig.quit();
    }
}

/// The slowest request of a file is far behind when all of it was read: its frames are those of
/// the file, though newer requests took its place among the latest.
#[test]
fn the_slowest_requests_can_be_opened_however_long_ago_they_were() {
    let input = capture("demo.pcapng");
    // No frame is kept in memory but the last ones.
    let mut rig = Rig::keeping(&input, Pace::Max, false, 4096);
    let feed = rig.until(|feed| matches!(feed.input, Input::Files { ended: true, .. }));
    let latest = |number: u64| feed.transactions.iter().any(|t| t.number == number);
    let mut slowest = feed.snapshot.slowest.iter();
    let old = slowest
        .find(|t| !latest(t.number))
        .expect("the latest 50 are kept");
    rig.send(Command::DecodeTransaction(old.number));
    let numbers: Vec<u64> = rig.decoded().iter().map(|frame| frame.number).collect();
    let first = old.request.unwrap().first.frame;
    let last = old.response.unwrap().last.frame;
    assert!(
        numbers.contains(&first) && numbers.contains(&last),
        "{numbers:?}"
    );
}

/// Neither among the latest nor among the slowest: the files have it.
#[test]
fn any_request_of_a_file_can_be_opened_by_its_number() {
    let input = capture("demo.pcapng");
    let mut rig = Rig::keeping(&input, Pace::Max, false, 4096);
    let feed = rig.until(|feed| matches!(feed.input, Input::Files { ended: true, .. }));
    let at_hand = |number: u64| {
        let mut all = feed.transactions.iter().chain(&feed.snapshot.slowest);
        all.any(|t| t.number == number)
    };
    let number = (1..).find(|number| !at_hand(*number)).unwrap();
    rig.send(Command::DecodeTransaction(number));
    let numbers: Vec<u64> = rig.decoded().iter().map(|frame| frame.number).collect();
    assert_eq!(
        numbers,
        cast(&input, number).into_iter().collect::<Vec<u64>>()
    );
    rig.send(Command::DecodeTransaction(1_000_000));
    let why = rig.answer().unwrap_err();
    assert_eq!(why, "there is no request 1000000 in the capture");
    // Without the first part, requests have other numbers.
    rig.send(Command::Reset);
    rig.send(Command::DecodeTransaction(number));
    let why = rig.answer().unwrap_err();
    assert!(why.contains("no longer among the latest"), "{why}");
    rig.quit();
}

/// By turn, frames 1 and 2 are one request; by the user's table frame 4 answers frame 1, and frame 2 is another
/// request.
#[test]
fn last_is_read_by_the_users_table() {
    let input = capture("last/outstanding.pcapng");
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("dev/synth/last.csv");
    let text = std::fs::read_to_string(table).unwrap();
    let table = wirewait::last::profile("last.csv", &text).unwrap();
    let mut seen = Vec::new();
    for last in [None, Some(table)] {
        let mut opened = Opened::open(&input).unwrap();
        opened.last = last.clone();
        let analysis = opened
            .analyse(Settings::default(), &mut (), true, |()| Ok(()))
            .unwrap();
        let mut report = Vec::new();
        json::report_with(
            &mut report,
            &analysis.about(&input),
            &analysis.snapshot,
            None,
        )
        .unwrap();
        let plan = Plan {
            settings: Settings::default(),
            thresholds: Thresholds::default(),
            last,
            transactions: 50,
            frames: 1 << 22,
            refresh: Duration::from_millis(250),
        };
        let mut rig = Rig::planned(&input, plan, Pace::Max, false);
        let feed = rig.until(has_ended);
        assert_eq!(shown(&feed), String::from_utf8(report).unwrap());
        rig.send(Command::DecodeTransaction(1));
        let frames: Vec<u64> = rig.decoded().iter().map(|frame| frame.number).collect();
        seen.push((feed.transactions.len(), frames));
        // Back at the beginning it is read by the same table.
        rig.send(Command::Reset);
        rig.until(|feed| feed.transactions.is_empty());
        rig.send(Command::Seek(feed.snapshot.capture.first.unwrap()));
        let all = feed.transactions.len();
        rig.until(|feed| has_ended(feed) && feed.transactions.len() == all);
        rig.quit();
    }
    assert_eq!(seen, [(7, vec![1, 2, 3, 4]), (8, vec![1, 4])]);
}
