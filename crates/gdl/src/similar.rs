//! Names that are like another one: what was meant where one is misspelt, by their edit distance.

/// The most names that the suggestions for one text look at, since a text may have as many unknown names as known ones. Those of a game
/// are a few hundred.
const MAX_COMPARED: usize = 1_000_000;

/// Suggestions for the misspelt names of one text.
pub(crate) struct Suggestions {
    left: usize,
}

impl Suggestions {
    pub(crate) fn new() -> Self {
        Suggestions { left: MAX_COMPARED }
    }

    /// As [`did_you_mean`], as long as not too many names were compared.
    pub(crate) fn did_you_mean<'a>(
        &mut self,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> String {
        let left = &mut self.left;
        let compared = known.into_iter().map_while(|name| {
            *left = left.checked_sub(1)?;
            Some(name)
        });
        did_you_mean(name, compared)
    }
}

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
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let meant = closest(name, known);
    meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions_end_after_some_work() {
        let mut suggestions = Suggestions::new();
        let known = ["control", "cell"];
        let meant = suggestions.did_you_mean("contrl", known);
        assert_eq!(meant, "; did you mean `control`?");
        let mut looked_at = 0;
        for _ in 0..100 {
            let many = (0..MAX_COMPARED / 10).map(|_| {
                looked_at += 1;
                "cell"
            });
            suggestions.did_you_mean("contrl", many);
        }
        assert!(looked_at <= MAX_COMPARED + 100, "{looked_at}");
        assert_eq!(suggestions.did_you_mean("contrl", known), "");
    }
}
