//! Columns as Arrow has them, and the values of a batch.

use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Float64Builder, Int64Builder, ListBuilder, StringBuilder,
    TimestampNanosecondBuilder, UInt64Builder,
};
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::{DataType, Field, FieldRef, Fields, TimeUnit};
use std::sync::Arc;
use wirewait_report::rows::{CellValue, Member, RowColumn, RowTable, Text, Width};

/// The field of a column. Numbers are signed where that loses nothing: all readers know those, and
/// differences of them do not wrap.
pub(crate) fn field<T: RowTable>(column: &RowColumn<T>) -> Field {
    let kind = match &column.value {
        CellValue::Text(_) | CellValue::Name(_) => DataType::Utf8,
        CellValue::Count(Width::Bits64, _) => DataType::UInt64,
        CellValue::Count(..) | CellValue::Signed(_) => DataType::Int64,
        CellValue::Real(_) => DataType::Float64,
        CellValue::Boolean(_) => DataType::Boolean,
        CellValue::Time(_) => DataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into())),
        CellValue::Words(_) => DataType::List(item(DataType::Utf8)),
        CellValue::Counts(_) | CellValue::Bounds(_) => DataType::List(item(DataType::Int64)),
        CellValue::Group(members) => DataType::Struct(fields::<T>(members)),
    };
    Field::new(column.name, kind, true)
}

fn item(kind: DataType) -> FieldRef {
    Arc::new(Field::new_list_field(kind, true))
}

fn fields<T: RowTable>(members: &[Member<T>]) -> Fields {
    let named = members.iter().map(|(name, _)| *name);
    named
        .map(|name| Field::new(name, DataType::Int64, true))
        .collect()
}

/// Values of a column, of one batch.
pub(crate) enum Builder {
    Text(StringBuilder),
    Integer(Int64Builder),
    Unsigned(UInt64Builder),
    Real(Float64Builder),
    Boolean(BooleanBuilder),
    Time(TimestampNanosecondBuilder),
    Texts(ListBuilder<StringBuilder>),
    Integers(ListBuilder<Int64Builder>),
    Group(Fields, Vec<Int64Builder>),
}

impl Builder {
    pub(crate) fn of<T: RowTable>(column: &RowColumn<T>) -> Self {
        match &column.value {
            CellValue::Text(_) | CellValue::Name(_) => Self::Text(StringBuilder::new()),
            CellValue::Count(Width::Bits64, _) => Self::Unsigned(UInt64Builder::new()),
            CellValue::Count(..) | CellValue::Signed(_) => Self::Integer(Int64Builder::new()),
            CellValue::Real(_) => Self::Real(Float64Builder::new()),
            CellValue::Boolean(_) => Self::Boolean(BooleanBuilder::new()),
            CellValue::Time(_) => {
                Self::Time(TimestampNanosecondBuilder::new().with_timezone("UTC"))
            }
            CellValue::Words(_) => Self::Texts(ListBuilder::new(StringBuilder::new())),
            CellValue::Counts(_) | CellValue::Bounds(_) => {
                Self::Integers(ListBuilder::new(Int64Builder::new()))
            }
            CellValue::Group(members) => Self::Group(
                fields::<T>(members),
                members.iter().map(|_| Int64Builder::new()).collect(),
            ),
        }
    }

    /// Adds the value of a row. `scratch` is reused.
    pub(crate) fn add<T: RowTable>(
        &mut self,
        column: &RowColumn<T>,
        row: &T::Row<'_>,
        scratch: &mut Text,
    ) {
        match (&column.value, self) {
            (CellValue::Text(write) | CellValue::Name(write), Self::Text(to)) => {
                scratch.clear();
                // Writing into a text cannot fail.
                let _infallible = write(row, scratch);
                to.append_option(scratch.get());
            }
            (CellValue::Count(_, get), Self::Unsigned(to)) => to.append_option(get(row)),
            (CellValue::Count(_, get), Self::Integer(to)) => to.append_option(get(row).map(signed)),
            (CellValue::Signed(get), Self::Integer(to)) => to.append_option(get(row)),
            (CellValue::Real(get), Self::Real(to)) => to.append_option(get(row)),
            (CellValue::Boolean(get), Self::Boolean(to)) => to.append_option(get(row)),
            (CellValue::Time(get), Self::Time(to)) => {
                to.append_option(get(row).map(|time| time.as_nanos()));
            }
            (CellValue::Words(list), Self::Texts(to)) => {
                let mut words = Vec::new();
                list(row, &mut words);
                to.append_value(words.into_iter().map(Some));
            }
            (CellValue::Counts(list), Self::Integers(to)) => {
                let mut counts = Vec::new();
                list(row, &mut counts);
                to.append_value(counts.into_iter().map(signed).map(Some));
            }
            (CellValue::Bounds(get), Self::Integers(to)) => {
                to.append_option(get(row).map(|bounds| bounds.map(Some)));
            }
            (CellValue::Group(members), Self::Group(_, to)) => {
                for ((_, get), to) in members.iter().zip(to) {
                    to.append_value(get(row).into());
                }
            }
            _ => debug_assert!(false, "a builder of another column"),
        }
    }

    /// The values so far; begins anew.
    pub(crate) fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Text(of) => ArrayBuilder::finish(of),
            Self::Integer(of) => ArrayBuilder::finish(of),
            Self::Unsigned(of) => ArrayBuilder::finish(of),
            Self::Real(of) => ArrayBuilder::finish(of),
            Self::Boolean(of) => ArrayBuilder::finish(of),
            Self::Time(of) => ArrayBuilder::finish(of),
            Self::Texts(of) => ArrayBuilder::finish(of),
            Self::Integers(of) => ArrayBuilder::finish(of),
            Self::Group(fields, of) => {
                let values: Vec<ArrayRef> = of.iter_mut().map(ArrayBuilder::finish).collect();
                let length = values.first().map_or(0, |values| values.len());
                let group = StructArray::try_new_with_length(fields.clone(), values, None, length);
                // The values are of the types that the fields say, and equally many.
                group.map_or_else(
                    |_| arrow_array::new_null_array(&DataType::Struct(fields.clone()), length),
                    |group| Arc::new(group) as ArrayRef,
                )
            }
        }
    }
}

/// Counts of frames and bytes do not reach 2^63.
fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
