//! Formats of outputs, and what rows are grouped by.

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    Text,
    Json,
    Csv,
    Html,
    /// The capture, with comments on the frames that matter, for Wireshark
    Pcapng,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareFormat {
    Text,
    Json,
    Csv,
    Html,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GroupBy {
    /// Operations of the same protocol and name
    Operation,
    /// Classes of operations: reads with reads, whatever the protocol
    Kind,
    /// Servers with the same address
    Server,
    /// Clients with the same address
    Client,
    /// Shares with the same name, whichever the server
    Share,
    /// Files with the same name on shares with the same name
    File,
    /// Times with the same number of active stations
    Load,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RowFormat {
    Text,
    Ndjson,
    Csv,
    /// Apache Parquet, compressed with zstd
    #[cfg(feature = "columns")]
    Parquet,
    /// Apache Arrow's file format (Feather), compressed with zstd
    #[cfg(feature = "columns")]
    Arrow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CounterFormat {
    Text,
    Csv,
    PdhCsv,
    Json,
    /// Apache Parquet, compressed with zstd
    #[cfg(feature = "columns")]
    Parquet,
    /// Apache Arrow's file format (Feather), compressed with zstd
    #[cfg(feature = "columns")]
    Arrow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DecodeFormat {
    Text,
    #[value(alias = "ndjson")]
    Json,
    /// Apache Parquet, compressed with zstd
    #[cfg(feature = "columns")]
    Parquet,
    /// Apache Arrow's file format (Feather), compressed with zstd
    #[cfg(feature = "columns")]
    Arrow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    Text,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TimeFormat {
    Relative,
    Absolute,
    Delta,
}

/// Formats that are files of columns.
#[cfg(feature = "columns")]
macro_rules! in_columns {
    ($($kind:ty),+) => {$(
        impl $kind {
            /// The format of columns, if it is one.
            pub(crate) const fn columns(self) -> Option<wirewait_rows::Format> {
                match self {
                    Self::Parquet => Some(wirewait_rows::Format::Parquet),
                    Self::Arrow => Some(wirewait_rows::Format::Arrow),
                    _ => None,
                }
            }
        }
    )+};
}
#[cfg(feature = "columns")]
in_columns!(RowFormat, CounterFormat, DecodeFormat);
