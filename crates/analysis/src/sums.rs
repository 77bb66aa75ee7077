//! How fields of the same name are added.

/// Adds these fields of another. Sums stay at their greatest value.
macro_rules! add_each {
    ($sum:ident, $other:ident: $($field:ident),+ $(,)?) => {
        $($sum.$field = $sum.$field.saturating_add($other.$field);)+
    };
}
pub(crate) use add_each;
