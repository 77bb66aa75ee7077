//! Documents for programs, as tables: each field once, with its name, its type and its value.

use crate::escape::Escaped;
use crate::time::Rfc3339;
use std::sync::Arc;
use wirewait_wire::{Endpoint, Timestamp};

/// How a value of the model stands in a document.
pub(crate) trait Written<M> {
    fn of(model: M) -> Self;
}

/// A value, where its field has another name than in the model.
pub(crate) fn of<M, S: Written<M>>(model: M) -> S {
    S::of(model)
}

/// Structs that are written, and how they are made of the model. A field without a value is the
/// model's of the same name, as [`Written`] has it.
macro_rules! documents {
    ($(
        $(#[$of_struct:meta])*
        $vis:vis struct $name:ident $(<$life:lifetime>)? of $first:ident $(, $also:ident)*: $model:ty
        $(where $(let $known:pat_param = $formed:expr;)+)?
        {
            $($(#[$of_field:meta])* $field:ident: $shown:ty $(= $value:expr)?),* $(,)?
        }
    )+) => {$(
        #[derive(serde::Serialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        $(#[$of_struct])*
        $vis struct $name $(<$life>)? {
            $($(#[$of_field])* $field: $shown),*
        }

        impl $(<$life>)? $crate::document::Written<$model> for $name $(<$life>)? {
            #[allow(unused_parens)]
            fn of(($first $(, $also)*): $model) -> Self {
                $($(let $known = $formed;)+)?
                Self { $($field: $crate::document::field!($first $field $($value)?)),* }
            }
        }
    )+};
}
pub(crate) use documents;

/// The value of a field.
macro_rules! field {
    ($model:ident $field:ident) => {
        $crate::document::Written::of(&$model.$field)
    };
    ($model:ident $field:ident $value:expr) => {
        $value
    };
}
pub(crate) use field;

macro_rules! as_they_are {
    ($($type:ty),+) => {$(
        impl Written<&$type> for $type {
            fn of(model: &$type) -> Self {
                *model
            }
        }
    )+};
}

as_they_are!(bool, u8, u16, u32, u64, usize, i64, i128, &'static str);

impl<'a> Written<&'a String> for &'a str {
    fn of(model: &'a String) -> Self {
        model
    }
}

impl<'a, M> Written<&'a Vec<M>> for &'a [M] {
    fn of(model: &'a Vec<M>) -> Self {
        model
    }
}

impl<'a, M, S: Written<&'a M>> Written<&'a Option<M>> for Option<S> {
    fn of(model: &'a Option<M>) -> Self {
        model.as_ref().map(S::of)
    }
}

impl<'a, M, S: Written<&'a M>> Written<&'a Vec<M>> for Vec<S> {
    fn of(model: &'a Vec<M>) -> Self {
        model.iter().map(S::of).collect()
    }
}

impl Written<&Timestamp> for Rfc3339 {
    fn of(model: &Timestamp) -> Self {
        Self(*model)
    }
}

impl Written<&Endpoint> for String {
    fn of(model: &Endpoint) -> Self {
        model.to_string()
    }
}

/// Names from outside.
impl Written<&Arc<str>> for String {
    fn of(model: &Arc<str>) -> Self {
        Escaped(model).to_string()
    }
}
