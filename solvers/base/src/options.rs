//! Options of a solver: techniques that can be switched off, parts with options of their own, and sizes. Each is declared once, with its default.

/// Makes a type of options, and its default, in which all techniques are on. In the braces behind its name stand the techniques, each as its field, its
/// name as written after `--without`, and its effect in a few words; after `Parts` the fields that are options themselves; after `Sizes` all others.
///
/// Tests run every combination of techniques, studies measure the gain of each, and the command names them all.
#[macro_export]
macro_rules! options {
    (
        $(#[$about:meta])*
        $options:ident { $($(#[$note:meta])* $switch:ident $name:literal $effect:literal)* }
        Parts { $($(#[$role:meta])* $part:ident: $of:ty = $whole:expr;)* }
        Sizes { $($(#[$doc:meta])* $field:ident: $type:ty = $default:expr;)* }
    ) => {
        $(#[$about])*
        pub struct $options {
            $(#[doc = concat!("Whether to ", $effect, ".")] $(#[$note])* pub $switch: bool,)*
            $($(#[$role])* pub $part: $of,)*
            $($(#[$doc])* pub $field: $type,)*
        }

        impl Default for $options {
            fn default() -> Self {
                $options { $($switch: true,)* $($part: $whole,)* $($field: $default,)* }
            }
        }

        impl $options {
            /// All techniques that can be switched off: their names, and their effects in a few words.
            pub fn techniques() -> Vec<(&'static str, &'static str)> {
                [vec![$(($name, $effect)),*], $(<$of>::techniques()),*].concat()
            }

            /// The switch of a technique, if there is one with this name.
            pub fn technique(&mut self, name: &str) -> Option<&mut bool> {
                match name {
                    $($name => return Some(&mut self.$switch),)*
                    _ => {}
                }
                $(if let Some(switch) = self.$part.technique(name) {
                    return Some(switch);
                })*
                None
            }
        }
    };
}
