//! Metadata for pandas about the types of columns.
//!
//! Without it pandas turns integers with nulls in between into floating point, and large ones lose
//! digits. The format is that of
//! <https://pandas.pydata.org/docs/development/developer.html#storing-pandas-dataframe-objects-in-apache-parquet-format>;
//! columns that are not listed have pandas' usual types.

use arrow_schema::{DataType, Field};
use serde_json::{Value, json};

/// Name of the metadata.
pub(crate) const KEY: &str = "pandas";

/// The metadata of these columns.
pub(crate) fn metadata(fields: &[Field]) -> String {
    let columns: Vec<Value> = fields.iter().filter_map(column).collect();
    json!({
        "index_columns": [],
        "column_indexes": [],
        "columns": columns,
        "pandas_version": "2.0.0",
        "creator": {"library": "wirewait", "version": env!("CARGO_PKG_VERSION")},
    })
    .to_string()
}

fn column(field: &Field) -> Option<Value> {
    let (kind, nullable) = match field.data_type() {
        DataType::Int64 => ("int64", "Int64"),
        DataType::UInt64 => ("uint64", "UInt64"),
        DataType::Boolean => ("bool", "boolean"),
        _ => return None,
    };
    Some(json!({
        "name": field.name(),
        "field_name": field.name(),
        "pandas_type": kind,
        "numpy_type": nullable,
        "metadata": null,
    }))
}
