//! Names that are like another one: what was meant where one is misspelt, by their edit distance.

/// The name that was meant by a misspelt one, if one is close: a letter or two are wrong, missing, too many, or
/// have changed places.
pub(crate) fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let is_number = |name: &str| name.bytes().any(|byte| byte.is_ascii_digit());
    let length = name.chars().count();
    let close = known
        .into_iter()
        .filter(|other| length > 2 && !is_number(other));
    let close = close.map(|other| (strsim::osa_distance(name, other), other));
    let close = close.filter(|(distance, _)| (1..=(length / 3).min(2)).contains(distance));
    close.min().map(|(_, other)| other)
}

/// `; did you mean ...?`, if there is a name that may be meant.
pub(crate) fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let meant = closest(name, known);
    meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"))
}
