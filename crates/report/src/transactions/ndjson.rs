//! One JSON object per transaction. Names and shape are a promise to other programs.

use super::columns::{ColumnEntry, OWN, Transactions};
use crate::rows::{RowTable, json::RowObject};
use serde::{Serialize, Serializer};
use std::io::{self, Write};
use wirewait_analysis::Transaction;

pub(super) fn row(out: &mut impl Write, entry: ColumnEntry<'_>) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Exported(entry))?;
    out.write_all(b"\n")
}

/// A row of `transactions`.
struct Exported<'a>(ColumnEntry<'a>);

impl Serialize for Exported<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RowObject::<Transactions>::new(Transactions::COLUMNS, &self.0).serialize(serializer)
    }
}

/// A transaction with the names and in the order of the exports. All fields are always
/// there; durations are in nanoseconds.
pub(crate) struct Row<'a>(ColumnEntry<'a>);

impl<'a> From<&'a Transaction> for Row<'a> {
    fn from(transaction: &'a Transaction) -> Self {
        let origin = None;
        Self(ColumnEntry {
            transaction,
            origin,
        })
    }
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (own, _) = Transactions::COLUMNS.split_at(OWN);
        RowObject::<Transactions>::new(own, &self.0).serialize(serializer)
    }
}

#[cfg(test)]
mod schema {
    use super::{Exported, OWN, Row};
    use crate::rows::{RowTable, json};
    use crate::transactions::Transactions;
    use schemars::{JsonSchema, Schema, SchemaGenerator};
    use std::borrow::Cow;

    impl JsonSchema for Exported<'_> {
        fn schema_name() -> Cow<'static, str> {
            "Exported".into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let about = "A row of `transactions`: a transaction, its stations in parts, and the \
                         file it begins in.\n\nVersion 1 of the row schema. New fields are added \
                         at the end; the names and meanings of the\nothers stay.";
            json::schema(generator, about, Transactions::COLUMNS)
        }
    }

    impl JsonSchema for Row<'_> {
        fn schema_name() -> Cow<'static, str> {
            "Row".into()
        }

        fn schema_id() -> Cow<'static, str> {
            concat!(module_path!(), "::Row").into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let about = "A transaction with the names and in the order of the exports. All fields \
                         are always\nthere; durations are in nanoseconds.";
            json::schema(generator, about, &Transactions::COLUMNS[..OWN])
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::samples;
    use crate::transactions::{Format, written};

    #[test]
    fn an_answered_read() {
        assert_eq!(
            written(Format::Ndjson, &[samples::answered()]),
            concat!(
                r#"{"protocol":"smb1","carrier":"nbt","client":"10.0.0.9:1025","#,
                r#""server":"10.0.0.1:139","conversation":3,"command":"READ_ANDX","#,
                r#""function":null,"subfunction":null,"kind":"read","outcome":"answered","#,
                r#""status":"STATUS_SUCCESS","ok":true,"request_first_frame":17,"#,
                r#""request_last_frame":18,"response_first_frame":20,"#,
                r#""response_last_frame":23,"#,
                r#""request_time":"2024-02-29T12:34:56.000000000Z","#,
                r#""turnaround_ns":1000000,"turnaround_bounds_ns":null,"#,
                r#""response_time_ns":1510000,"request_transfer_ns":10000,"#,
                r#""response_transfer_ns":500000,"copies":1,"interims":0,"#,
                r#""first_interim_ns":null,"data_bytes":4096,"request_bytes":63,"#,
                r#""response_bytes":4159,"frames":{"request":2,"response":3,"interim":0,"#,
                r#""ack":1,"control":0,"retransmitted":0},"hops":null,"flags":["raw"],"#,
                r#""chain":["CLOSE"],"service_ns":1000000,"duplicate_responses":0,"#,
                r#""asked_bytes":4096,"file_handle":"0x4001","file_offset":8192,"#,
                r#""dialect":null,"user":"anna","share":"\\\\FS1\\DATA","path":"\\pay\\x1b.xls","transaction":12,"idempotent":false,"#,
                r#""client_address":"10.0.0.9","client_port":1025,"server_address":"10.0.0.1","#,
                r#""server_port":139,"file":"a.pcap","frame_in_file":17,"failed_command":null}"#,
                "\n"
            )
        );
    }

    #[test]
    fn an_ambiguous_unknown_request() {
        let text = written(Format::Ndjson, &[samples::ambiguous()]);
        for part in [
            r#""client":"00000022.00001b010203:4003","server":"00000001.000000000001:0451""#,
            r#""command":"UNKNOWN_0x5709","function":87,"subfunction":9"#,
            r#""status":"0x000000FE","ok":false"#,
            r#""turnaround_ns":null,"turnaround_bounds_ns":[10000,1000000]"#,
            r#""copies":2,"interims":1,"first_interim_ns":500000"#,
            r#""hops":2,"flags":["ambiguous"],"chain":[],"service_ns":null"#,
            r#""file_handle":null,"file_offset":null"#,
            r#""dialect":null,"user":null,"share":null,"path":null"#,
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn what_is_not_there_is_null() {
        let text = written(Format::Ndjson, &[samples::unanswered(), samples::orphan()]);
        let (unanswered, orphan) = text.split_once('\n').unwrap();
        for part in [
            r#""outcome":"unanswered","status":null,"ok":null,"request_first_frame":17"#,
            r#""response_first_frame":null,"response_last_frame":null"#,
            r#""turnaround_ns":null,"turnaround_bounds_ns":null,"response_time_ns":null"#,
            r#""flags":[]"#,
        ] {
            assert!(unanswered.contains(part), "{part}\n{unanswered}");
        }
        for part in [
            r#""outcome":"orphan_response""#,
            r#""request_first_frame":null,"request_last_frame":null"#,
            r#""request_time":null"#,
            r#""response_transfer_ns":500000"#,
            r#""flags":["mid_capture"]"#,
        ] {
            assert!(orphan.contains(part), "{part}\n{orphan}");
        }
    }

    #[test]
    fn every_line_is_an_object_with_the_same_names() {
        let text = written(Format::Ndjson, &samples::all());
        let mut names = Vec::new();
        for line in text.lines() {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            names.push(
                value
                    .as_object()
                    .unwrap()
                    .keys()
                    .cloned()
                    .collect::<Vec<_>>(),
            );
        }
        assert_eq!(names.len(), 4);
        assert!(names.windows(2).all(|pair| pair[0] == pair[1]));
        assert_eq!(names[0].len(), 50);
    }

    #[test]
    fn rows_are_as_their_schema_says() {
        let title = "Row of wirewait transactions, version 1";
        let schema = crate::schema::of::<super::Exported<'_>>(title);
        crate::schema::check("transaction.schema.json", &schema);
    }
}
