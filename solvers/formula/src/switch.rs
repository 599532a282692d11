//! Techniques that can be switched off, as a table, so that tests can run every combination, studies can
//! measure the gain of each, and the command can name them all.

/// A technique that can be switched off.
pub struct Switch<Options> {
    /// The name, as written after `--without`.
    pub name: &'static str,
    /// The effect of the technique, in a few words.
    pub purpose: &'static str,
    /// The field of the options behind it.
    pub field: fn(&mut Options) -> &mut bool,
}

/// Makes `SWITCHES`, the table of all switches of a type of options: for each its field, name and
/// purpose.
#[macro_export]
macro_rules! switches {
    ($options:ty { $($field:ident $name:literal $purpose:literal)* }) => {
        pub const SWITCHES: &[$crate::Switch<$options>] = &[$($crate::Switch {
            name: $name,
            purpose: $purpose,
            field: |options| &mut options.$field,
        }),*];
    };
}
