//! Columns, and the rows that a view fills them with.

use super::Cell;
use crate::context::Context;
use wirewait_analysis::Subject;
use wirewait_report::columns::{CountColumn, TimeColumn};
use wirewait_report::counters::{CounterPlace, Pick};
use wirewait_wire::Endpoint;

/// What tells a row apart from all others, whatever the order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RowIdentity {
    /// The number of a transaction, conversation, frame or line.
    Number(u64),
    /// A station.
    Station(Endpoint),
    /// An operation at a server: protocol, carrier, name, number.
    Operation(Endpoint, &'static str, &'static str, &'static str, u32),
    /// A symptom: its rule, and whom it concerns.
    Symptom(&'static str, Subject),
    /// A counter of an instance.
    Counter(Pick),
    /// An instance of an object.
    Instance(CounterPlace),
    /// What has a name of its own; none for all of it together.
    Name(String),
}

/// What is known of a column without any row.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub(crate) title: &'static str,
    /// Stands above the titles of neighbours with the same.
    pub(crate) group: &'static str,
    pub(crate) right: bool,
    /// 0 always stays; of the others those with the highest number go first where there is
    /// little room.
    pub(crate) rank: u8,
    /// The least width, and the most.
    pub(crate) width: (u16, u16),
    /// It takes what room there is.
    pub(crate) grows: bool,
    /// It is a percentile: dropped frames are told beside it.
    pub(crate) percentile: bool,
    /// It is known of all the capture only, not of its last seconds.
    pub(crate) since_start: bool,
    /// What it says, in a sentence; for the chooser.
    pub(crate) help: &'static str,
}

/// A column of rows of one kind.
pub(crate) struct Column<R> {
    pub(crate) head: Head,
    pub(crate) cell: fn(&R, &Context<'_>) -> Cell,
}

impl Head {
    const fn new(title: &'static str, right: bool, width: (u16, u16)) -> Self {
        Self {
            title,
            group: "",
            right,
            rank: 0,
            width,
            grows: false,
            percentile: false,
            since_start: false,
            help: "",
        }
    }

    /// Text of this width at least.
    pub(crate) const fn left(title: &'static str, width: u16) -> Self {
        Self::new(title, false, (width, 64))
    }

    /// A figure of this width at least.
    pub(crate) const fn right(title: &'static str, width: u16) -> Self {
        Self::new(title, true, (width, 24))
    }

    /// A column that text and page have too; a percentile is marked as one.
    pub(crate) const fn time(column: TimeColumn, width: u16) -> Self {
        let mut head = Self::right(column.title(), width);
        head.percentile = column.is_percentile();
        head
    }

    /// Likewise, with what it says.
    pub(crate) const fn count(column: CountColumn, width: u16) -> Self {
        Self::right(column.title, width).help(column.help)
    }

    /// The higher, the sooner it goes.
    pub(crate) const fn rank(mut self, rank: u8) -> Self {
        self.rank = rank;
        self
    }

    pub(crate) const fn under(mut self, group: &'static str) -> Self {
        self.group = group;
        self
    }

    pub(crate) const fn most(mut self, width: u16) -> Self {
        self.width.1 = width;
        self
    }

    pub(crate) const fn grows(mut self) -> Self {
        self.grows = true;
        self
    }

    pub(crate) const fn percentile(mut self) -> Self {
        self.percentile = true;
        self
    }

    /// Hidden while a window is shown: it would be empty there.
    pub(crate) const fn since_start(mut self) -> Self {
        self.since_start = true;
        self
    }

    pub(crate) const fn help(mut self, text: &'static str) -> Self {
        self.help = text;
        self
    }
}

/// The columns of rows of one kind: what is known of each, and what stands in it.
macro_rules! columns_of {
    [|$row:ident: $type:ty, $context:ident| $($head:expr => $cell:expr),* $(,)?] => {{
        // Most cells need only their row.
        #[allow(unused_variables)]
        let columns = vec![$($crate::table::Column {
            head: $head,
            cell: |$row: $type, $context: &$crate::context::Context<'_>| $cell,
        }),*];
        columns
    }};
}
pub(crate) use columns_of;

/// Rows of one kind, with their columns.
pub(crate) struct List<R> {
    pub(crate) columns: Vec<Column<R>>,
    pub(crate) rows: Vec<R>,
    pub(crate) key: fn(&R) -> RowIdentity,
    /// The column by which it is sorted until the user says otherwise; `None` for the order in
    /// which the rows come.
    pub(crate) sorted: Option<(&'static str, bool)>,
    /// What to say where there are no rows.
    pub(crate) empty: &'static str,
}

/// Rows of any kind.
pub(crate) trait AnyRows {
    fn heads(&self) -> Vec<&Head>;
    fn len(&self) -> usize;
    fn key(&self, row: usize) -> Option<RowIdentity>;
    fn cell(&self, row: usize, column: usize, context: &Context<'_>) -> Cell;
    /// Column and whether the greatest comes first.
    fn sorted(&self) -> Option<(usize, bool)>;
    fn empty(&self) -> &'static str;
}

impl<R> AnyRows for List<R> {
    fn heads(&self) -> Vec<&Head> {
        self.columns.iter().map(|column| &column.head).collect()
    }

    fn len(&self) -> usize {
        self.rows.len()
    }

    fn key(&self, row: usize) -> Option<RowIdentity> {
        self.rows.get(row).map(self.key)
    }

    fn cell(&self, row: usize, column: usize, context: &Context<'_>) -> Cell {
        match (self.rows.get(row), self.columns.get(column)) {
            (Some(row), Some(column)) => (column.cell)(row, context),
            _ => Cell::default(),
        }
    }

    fn sorted(&self) -> Option<(usize, bool)> {
        let (title, descending) = self.sorted?;
        let at = self.columns.iter().position(|c| c.head.title == title)?;
        Some((at, descending))
    }

    fn empty(&self) -> &'static str {
        self.empty
    }
}
