//! The JSON Schema of the report, made from the types that it is written from.

use schemars::generate::SchemaSettings;

/// A type that is written as another one has that one's schema.
macro_rules! written_as {
    ($(for<$($generics:tt),+>)? = $type:ty, $other:ty) => {
        impl $(<$($generics),+>)? schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                <$other as schemars::JsonSchema>::schema_name()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                <$other as schemars::JsonSchema>::json_schema(generator)
            }
        }
    };
}
pub(crate) use written_as;

/// The schema of `T` as it is published, in `schemas/` of the repository.
pub(crate) fn of<T: schemars::JsonSchema>(title: &str) -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    let mut text = serde_json::to_string_pretty(&schema).unwrap();
    text.push('\n');
    text
}

/// Compares with the published schema, or writes it with WIREWAIT_BLESS=1.
pub(crate) fn check(name: &str, text: &str) {
    crate::golden::check(&format!("../../../schemas/{name}"), text);
}

/// Fails for a property that says nothing about itself.
pub(crate) fn described(schema: &str) {
    let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
    let definitions = schema["$defs"].as_object().unwrap().values();
    for definition in definitions.chain([&schema]) {
        for (name, property) in definition["properties"].as_object().into_iter().flatten() {
            let text = property["description"].as_str().unwrap_or_default();
            assert!(!text.is_empty(), "{name}: {definition}");
        }
    }
}
