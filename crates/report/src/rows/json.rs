//! Rows as JSON objects. All columns are always there; null where a row has no value.

use super::{CellValue, Member, RowColumn, RowTable, Text};
use crate::time::Rfc3339;
use serde::ser::{Error, SerializeMap};
use serde::{Serialize, Serializer};
use std::cell::RefCell;

/// A row, written as an object of these columns.
pub(crate) struct RowObject<'a, 'r, T: RowTable> {
    columns: &'static [RowColumn<T>],
    row: &'a T::Row<'r>,
}

impl<'a, 'r, T: RowTable> RowObject<'a, 'r, T> {
    pub(crate) fn new(columns: &'static [RowColumn<T>], row: &'a T::Row<'r>) -> Self {
        Self { columns, row }
    }
}

impl<T: RowTable> Serialize for RowObject<'_, '_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(self.columns.len()))?;
        let text = RefCell::default();
        for column in self.columns {
            let cell = JsonCell {
                value: &column.value,
                row: self.row,
                text: &text,
            };
            object.serialize_entry(column.name, &cell)?;
        }
        object.end()
    }
}

struct JsonCell<'a, 'r, T: RowTable> {
    value: &'a CellValue<T>,
    row: &'a T::Row<'r>,
    /// Reused from column to column.
    text: &'a RefCell<Text>,
}

impl<T: RowTable> Serialize for JsonCell<'_, '_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let row = self.row;
        match self.value {
            CellValue::Text(write) | CellValue::Name(write) => {
                let mut text = self.text.borrow_mut();
                text.clear();
                write(row, &mut text).map_err(S::Error::custom)?;
                text.get().serialize(serializer)
            }
            CellValue::Count(_, get) => get(row).serialize(serializer),
            CellValue::Signed(get) => get(row).serialize(serializer),
            CellValue::Real(get) => get(row).serialize(serializer),
            CellValue::Boolean(get) => get(row).serialize(serializer),
            CellValue::Time(get) => get(row).map(Rfc3339).serialize(serializer),
            CellValue::Words(list) => {
                let mut words = Vec::new();
                list(row, &mut words);
                words.serialize(serializer)
            }
            CellValue::Counts(list) => {
                let mut counts = Vec::new();
                list(row, &mut counts);
                counts.serialize(serializer)
            }
            CellValue::Bounds(get) => get(row).serialize(serializer),
            CellValue::Group(members) => Group::<T>(members, row).serialize(serializer),
        }
    }
}

struct Group<'a, 'r, T: RowTable>(&'static [Member<T>], &'a T::Row<'r>);

impl<T: RowTable> Serialize for Group<'_, '_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, get)| (name, get(self.1))))
    }
}

/// The schema of objects of these columns.
#[cfg(test)]
pub(crate) fn schema<T: RowTable>(
    generator: &mut schemars::SchemaGenerator,
    about: &str,
    columns: &[RowColumn<T>],
) -> schemars::Schema {
    use super::Width;
    use schemars::{JsonSchema, SchemaGenerator, json_schema};

    fn of<V: JsonSchema>(generator: &mut SchemaGenerator, nullable: bool) -> schemars::Schema {
        match nullable {
            true => generator.subschema_for::<Option<V>>(),
            false => generator.subschema_for::<V>(),
        }
    }

    let mut properties = serde_json::Map::new();
    for column in columns {
        let null = column.nullable;
        let mut kind = match &column.value {
            CellValue::Text(_) | CellValue::Name(_) | CellValue::Time(_) => {
                of::<String>(generator, null)
            }
            CellValue::Count(Width::Bits8, _) => of::<u8>(generator, null),
            CellValue::Count(Width::Bits16, _) => of::<u16>(generator, null),
            CellValue::Count(Width::Bits32, _) => of::<u32>(generator, null),
            CellValue::Count(Width::Large | Width::Bits64, _) => of::<u64>(generator, null),
            CellValue::Signed(_) => of::<i64>(generator, null),
            CellValue::Real(_) => of::<f64>(generator, null),
            CellValue::Boolean(_) => of::<bool>(generator, null),
            CellValue::Words(_) => of::<Vec<String>>(generator, null),
            CellValue::Counts(_) => of::<Vec<u64>>(generator, null),
            CellValue::Bounds(_) => of::<[i64; 2]>(generator, null),
            CellValue::Group(members) => {
                let names: Vec<_> = members.iter().map(|(name, _)| *name).collect();
                let count = generator.subschema_for::<u32>();
                let members = names.iter().map(|name| ((*name).to_owned(), count.clone()));
                let members: std::collections::BTreeMap<_, _> = members.collect();
                json_schema!({"type": "object", "properties": members, "required": names})
            }
        };
        kind.insert("description".to_owned(), column.about.into());
        properties.insert(column.name.to_owned(), kind.into());
    }
    let required: Vec<_> = columns.iter().map(|column| column.name).collect();
    json_schema!({
        "description": about,
        "type": "object",
        "properties": properties,
        "required": required,
    })
}
