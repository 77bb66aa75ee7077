use super::*;
use crate::samples;

fn written(summary: &Summary) -> String {
    let mut out = Vec::new();
    json(&mut out, summary).unwrap();
    String::from_utf8(out).unwrap()
}

fn sample() -> Summary {
    Summary::of(&samples::snapshot())
}

#[test]
fn what_is_written_is_read_back() {
    let one = sample();
    assert!(!one.operations.is_empty() && !one.stations.is_empty());
    let text = written(&one);
    assert_eq!(read(text.as_bytes()).as_ref(), Ok(&one));
    let mut two = one.clone();
    two.merge(&one);
    assert_eq!(read(written(&two).as_bytes()), Ok(two));
    assert_eq!(
        read(written(&Summary::default()).as_bytes()),
        Ok(Summary::default())
    );
}

#[test]
fn the_published_schema_is_that_of_the_document() {
    let schema = crate::schema::of::<Document>(SCHEMA);
    crate::schema::check("summary.schema.json", &schema);
}

/// The document with one thing in it replaced by another.
fn changed(from: &str, to: &str) -> String {
    let text = written(&sample());
    assert!(text.contains(from), "{from} is not in {text}");
    text.replacen(from, to, 1)
}

#[test]
fn what_no_analysis_has_written_is_refused_with_its_place() {
    let text = written(&sample());
    let row = text
        .lines()
        .find(|line| line.contains("\"command\""))
        .unwrap();
    let row = row.trim_end_matches(',');
    for (hostile, why) in [
        (String::new(), "is not a summary"),
        ("[]".into(), "is not a summary"),
        (
            "{\"schema\": \"wirewait-report/1\"}".into(),
            "its schema is \"wirewait-report/1\"",
        ),
        (
            changed("summary/1", "summary/2"),
            "knows \"wirewait-summary/1\"",
        ),
        (
            changed("\"significant_bits\": 8", "\"significant_bits\": 7"),
            "7 bits",
        ),
        (changed("\"parts\": 1", "\"parts\": -1"), "line "),
        (changed("\"parts\": 1", "\"parts\": 1.5"), "line "),
        (
            changed("\"parts\": 1", "\"parts\": 99999999999999999999"),
            "line ",
        ),
        (changed("\"parts\": 1", "\"parts\": \"1\""), "line "),
        (
            changed("\"parts\": 1", "\"parts\": 1, \"parts\": 1"),
            "duplicate field",
        ),
        (
            changed("\"parts\": 1", "\"parts\": 1, \"more\": 1"),
            "unknown field",
        ),
        (
            changed(row, &format!("{row},\n{row}")),
            "stands there twice",
        ),
        (changed("\"kind\": \"", "\"kind\": \"no"), "is not a kind"),
        (
            changed("\"client\": \"", "\"client\": \"x"),
            "is not a station",
        ),
        (text[..text.len() / 2].into(), "EOF"),
    ] {
        let refused = read(hostile.as_bytes());
        let Err(error) = refused else {
            panic!("{why}: it was read");
        };
        let known = why == "line " && error.to_string().contains("is not a station");
        assert!(
            known || error.to_string().contains(why),
            "{error} and not {why}"
        );
    }
}

#[test]
fn a_row_stands_in_a_line() {
    let text = written(&sample());
    let rows = text
        .lines()
        .filter(|line| line.contains("\"command\""))
        .count();
    assert_eq!(rows, sample().operations.len());
    assert!(
        text.starts_with("{\n  \"schema\": \"wirewait-summary/1\",\n"),
        "{text}"
    );
}

#[test]
fn for_people() {
    let mut out = Vec::new();
    text(&mut out, &sample(), crate::text::Look::FILE).unwrap();
    crate::golden::check("summary.txt", &String::from_utf8(out).unwrap());
}

/// Files of earlier versions have a row for each spelling of a share.
#[test]
fn rows_of_one_share_in_two_spellings_are_one() {
    let one = sample();
    let text = written(&one);
    let row = text.lines().find(|line| line.contains("\"by\"")).unwrap();
    let row = row.trim_end_matches(',');
    let (label, sum) = one.places.first_key_value().unwrap();
    let share = format!("{:?}", label.share.as_deref().unwrap());
    let respelled = row.replacen(&share, &share.to_lowercase(), 1);
    assert_ne!(respelled, row);
    let both = format!("{row},\n{respelled}");
    let both = read(text.replacen(row, &both, 1).as_bytes()).unwrap();
    assert_eq!(both.places.len(), one.places.len());
    let (known, summed) = both.places.first_key_value().unwrap();
    assert!(known.is_spelled_as(label), "{known:?}");
    assert_eq!(summed.counts.requests, 2 * sum.counts.requests);
    let twice = read(text.replacen(row, &format!("{row},\n{row}"), 1).as_bytes());
    let error = twice.unwrap_err().to_string();
    assert!(
        error.contains("places[") && error.contains("stands there twice"),
        "{error}"
    );
}
