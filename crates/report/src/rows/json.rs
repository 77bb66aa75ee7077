//! Rows as JSON objects. All columns are always there; null where a row has no value.

use super::{Column, Member, Table, Text, Value};
use crate::time::Rfc3339;
use serde::ser::{Error, SerializeMap};
use serde::{Serialize, Serializer};
use std::cell::RefCell;

/// A row, written as an object of these columns.
pub(crate) struct Object<'a, 'r, T: Table> {
    columns: &'static [Column<T>],
    row: &'a T::Row<'r>,
}

impl<'a, 'r, T: Table> Object<'a, 'r, T> {
    pub(crate) fn new(columns: &'static [Column<T>], row: &'a T::Row<'r>) -> Self {
        Self { columns, row }
    }
}

impl<T: Table> Serialize for Object<'_, '_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(self.columns.len()))?;
        let text = RefCell::default();
        for column in self.columns {
            let cell = Cell {
                value: &column.value,
                row: self.row,
                text: &text,
            };
            object.serialize_entry(column.name, &cell)?;
        }
        object.end()
    }
}

struct Cell<'a, 'r, T: Table> {
    value: &'a Value<T>,
    row: &'a T::Row<'r>,
    /// Reused from column to column.
    text: &'a RefCell<Text>,
}

impl<T: Table> Serialize for Cell<'_, '_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let row = self.row;
        match self.value {
            Value::Text(write) | Value::Name(write) => {
                let mut text = self.text.borrow_mut();
                text.clear();
                write(row, &mut text).map_err(S::Error::custom)?;
                text.get().serialize(serializer)
            }
            Value::Count(_, get) => get(row).serialize(serializer),
            Value::Signed(get) => get(row).serialize(serializer),
            Value::Real(get) => get(row).serialize(serializer),
            Value::Boolean(get) => get(row).serialize(serializer),
            Value::Time(get) => get(row).map(Rfc3339).serialize(serializer),
            Value::Words(list) => {
                let mut words = Vec::new();
                list(row, &mut words);
                words.serialize(serializer)
            }
            Value::Counts(list) => {
                let mut counts = Vec::new();
                list(row, &mut counts);
                counts.serialize(serializer)
            }
            Value::Bounds(get) => get(row).serialize(serializer),
            Value::Group(members) => Group::<T>(members, row).serialize(serializer),
        }
    }
}

struct Group<'a, 'r, T: Table>(&'static [Member<T>], &'a T::Row<'r>);

impl<T: Table> Serialize for Group<'_, '_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, get)| (name, get(self.1))))
    }
}

/// The schema of objects of these columns.
#[cfg(test)]
pub(crate) fn schema<T: Table>(
    generator: &mut schemars::SchemaGenerator,
    about: &str,
    columns: &[Column<T>],
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
            Value::Text(_) | Value::Name(_) | Value::Time(_) => of::<String>(generator, null),
            Value::Count(Width::Bits8, _) => of::<u8>(generator, null),
            Value::Count(Width::Bits16, _) => of::<u16>(generator, null),
            Value::Count(Width::Bits32, _) => of::<u32>(generator, null),
            Value::Count(Width::Large | Width::Bits64, _) => of::<u64>(generator, null),
            Value::Signed(_) => of::<i64>(generator, null),
            Value::Real(_) => of::<f64>(generator, null),
            Value::Boolean(_) => of::<bool>(generator, null),
            Value::Words(_) => of::<Vec<String>>(generator, null),
            Value::Counts(_) => of::<Vec<u64>>(generator, null),
            Value::Bounds(_) => of::<[i64; 2]>(generator, null),
            Value::Group(members) => {
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
