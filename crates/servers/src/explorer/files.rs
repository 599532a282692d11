//! The files of the pages, which are part of the program.

use crate::http::Outgoing;

/// The permissions of the page: it may only use its own files and ask its own server.
pub(super) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
     img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Name, type and text of each file.
const FILES: &[(&str, &str, &str)] = &[
    (
        "index.html",
        "text/html; charset=utf-8",
        include_str!("page/index.html"),
    ),
    (
        "style.css",
        "text/css; charset=utf-8",
        include_str!("page/style.css"),
    ),
    ("terms.js", SCRIPT, include_str!("page/terms.js")),
    ("numbers.js", SCRIPT, include_str!("page/numbers.js")),
    ("elements.js", SCRIPT, include_str!("page/elements.js")),
    ("state.js", SCRIPT, include_str!("page/state.js")),
    ("source.js", SCRIPT, include_str!("page/source.js")),
    ("board.js", SCRIPT, include_str!("page/board.js")),
    ("scene.js", SCRIPT, include_str!("page/scene.js")),
    ("values.js", SCRIPT, include_str!("page/values.js")),
    ("past.js", SCRIPT, include_str!("page/past.js")),
    ("follow.js", SCRIPT, include_str!("page/follow.js")),
    ("rules.js", SCRIPT, include_str!("page/rules.js")),
    ("knowledge.js", SCRIPT, include_str!("page/knowledge.js")),
    ("picture.js", SCRIPT, include_str!("page/picture.js")),
    ("play.js", SCRIPT, include_str!("page/play.js")),
    ("explore.js", SCRIPT, include_str!("page/explore.js")),
    (
        "games.html",
        "text/html; charset=utf-8",
        include_str!("page/games.html"),
    ),
    ("games.js", SCRIPT, include_str!("page/games.js")),
];

/// The file with this name; without a name the first page.
pub(super) fn response(name: &str, first: &str) -> Outgoing {
    let name = if name.is_empty() { first } else { name };
    match FILES.iter().find(|(own, ..)| *own == name) {
        Some(&(_, kind, text)) => Outgoing::new(200, kind, text),
        None => Outgoing::text(404, "there is no such page\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_small() {
        let bytes: usize = FILES.iter().map(|(.., text)| text.len()).sum();
        assert!(bytes < 160_000, "{bytes} bytes");
    }

    #[test]
    fn the_page_names_nothing_from_elsewhere() {
        for (name, _, text) in FILES {
            for word in ["https://", "http://", "//cdn", "eval(", "innerHTML"] {
                // The name space of SVG is no address to open.
                let text = text.replace("http://www.w3.org/2000/svg", "");
                assert!(!text.contains(word), "{name} has {word}");
            }
        }
    }
}
