//! A look at a program's text before clingo gets it.
//!
//! The meaning of a program is asked of clingo, never of its text. This module finds only text that clingo
//! would not bear, or would not report:
//!
//! - parentheses and operators nested so deep that its parser, which calls itself, leaves its stack;
//! - parts of the program that are not grounded (`#program step(t).`), and scripts;
//! - conditional literals in rule heads that clingo grounds wrongly ([`heads`](super::heads));
//! - the same in files that are included.
//!
//! The text is split as clingo's lexer does it, so comments and strings hide nothing.

use super::grounder::GroundError;
use super::heads::{Place, recursive_head};
use limits::Limits;
use lp2sat::{Symbol, SymbolKind};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The deepest nesting of parentheses.
const MAX_NESTED: usize = 10_000;

/// The largest number of operators and braces in a statement: each may be nested in the one before.
const MAX_OPERATORS: usize = 1_000_000;

/// The bytes that are read between two checks of the limits.
const BYTES_BETWEEN_LOOKS: usize = 1 << 18;

/// The characters of operators, in theory terms.
const OPERATORS: &[u8] = b"/!<=>+-*\\?&@|:;~^.";

/// The predicates whose atoms a program shows: those of its statements `#show p/1.`; all, if it has none and no `#show.`.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct ShownPredicates(Option<BTreeSet<Signature>>);

/// A predicate: whether its atoms are denied (`-p`), its name, and its number of arguments.
type Signature = (bool, String, usize);

impl ShownPredicates {
    /// Whether an atom is shown.
    pub fn has(&self, atom: &Symbol) -> bool {
        match (&self.0, atom.kind()) {
            (None, _) => true,
            (
                Some(some),
                SymbolKind::Function {
                    name,
                    arguments,
                    negative,
                },
            ) => some.contains(&(*negative, name.to_string(), arguments.len())),
            _ => false,
        }
    }

    /// Takes a statement behind `#show`, up to its fourth token. One that shows terms changes nothing.
    fn read(&mut self, mut tokens: Tokens<'_>) {
        let mut token = tokens.next();
        let is_denied = token == Some("-");
        if is_denied {
            token = tokens.next();
        }
        let rest = [tokens.next(), tokens.next()];
        match (token, rest) {
            (Some("."), _) => {
                self.0.get_or_insert_default();
            }
            (Some(name), [Some("/"), Some(arity)]) => {
                if let Ok(arity) = arity.parse() {
                    let shown = self.0.get_or_insert_default();
                    shown.insert((is_denied, name.to_owned(), arity));
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, others: ShownPredicates) {
        if let Some(others) = others.0 {
            self.0.get_or_insert_default().extend(others);
        }
    }
}

/// Refuses a program that clingo could not bear, or would ground in part only. Gives the facts about its text with that of all files
/// that it includes.
pub(super) fn scan(text: &str, limits: &Limits) -> Result<Scanned, GroundError> {
    let mut all = scan_one(text, limits)?;
    let mut included = std::mem::take(&mut all.included);
    let mut texts = vec![text.to_owned()];
    // Files are searched where clingo searches: from here, then beside the one that names them.
    let mut folder = PathBuf::new();
    let mut seen = BTreeSet::new();
    let mut waiting = Vec::new();
    loop {
        for (line, name) in included {
            let found = [PathBuf::from(&name), folder.join(&name)];
            let Some(path) = found.into_iter().find(|path| path.is_file()) else {
                return refuse(line, format!("there is no file \"{name}\" to include"));
            };
            if seen.insert(path.clone()) {
                waiting.push((line, path));
            }
        }
        let Some((line, path)) = waiting.pop() else {
            break;
        };
        let text = std::fs::read_to_string(&path).or_else(|error| {
            let file = path.display();
            refuse(line, format!("the file \"{file}\" to include: {error}"))
        })?;
        let more = scan_one(&text, limits)?;
        all.operators = all.operators.max(more.operators);
        all.has_conditions |= more.has_conditions;
        all.shown.add(more.shown);
        included = more.included;
        texts.push(text);
        folder = path.parent().map(Path::to_owned).unwrap_or_default();
    }
    let has_conditions = all.has_conditions;
    match has_conditions.then(|| recursive_head(&texts)).flatten() {
        Some((line, name)) => Err(GroundError::Unsupported {
            what: format!(
                "a conditional literal in a head that depends on itself (`{name} : ...` in line {line})"
            ),
            advice: "clingo 5 grounds it wrongly; write a rule for each atom of the head, or a choice",
        }),
        None => Ok(all),
    }
}

/// Facts about the text of one file, or of several.
#[derive(Debug)]
pub(super) struct Scanned {
    /// The most operators in a statement, which say how much stack the program takes.
    pub(super) operators: usize,
    /// The predicates whose atoms are shown.
    pub(super) shown: ShownPredicates,
    /// The files that it includes, each with its line.
    included: Vec<(usize, String)>,
    /// Whether some rule head has conditional literals.
    has_conditions: bool,
}

fn refuse<T>(line: usize, problem: String) -> Result<T, GroundError> {
    let message = format!("line {line}: error: {problem}");
    Err(GroundError::Rejected(message))
}

fn scan_one(text: &str, limits: &Limits) -> Result<Scanned, GroundError> {
    let mut tokens = Tokens::new(text);
    let (mut place, mut has_conditions) = (Place::new(), false);
    let mut included = Vec::new();
    let mut shown = ShownPredicates::default();
    let (mut depth, mut surplus) = (0_usize, 0_usize);
    let (mut operators, mut most) = (0_usize, 0_usize);
    let mut looked = 0;
    while let Some(token) = tokens.next() {
        if tokens.at - looked > BYTES_BETWEEN_LOOKS {
            looked = tokens.at;
            limits.check().map_err(GroundError::stopped)?;
        }
        has_conditions |= place.pass(token, &tokens);
        match token.as_bytes() {
            b"#script" => {
                return Err(GroundError::Unsupported {
                    what: "#script".to_owned(),
                    advice: "scripts are not run; write what they compute as facts",
                });
            }
            b"#program" => {
                let name = tokens.next();
                let after = (tokens.next(), tokens.next());
                if name != Some("base") || after.0 == Some("(") && after.1 != Some(")") {
                    return Err(GroundError::Unsupported {
                        what: format!("#program {}", name.unwrap_or_default()),
                        advice: "only the part `base` is grounded, so its rules would be left out; \
                                 write them without #program",
                    });
                }
            }
            b"#show" => shown.read(tokens.clone()),
            b"#include" => match tokens.next().and_then(|name| name.strip_prefix('"')) {
                Some(name) if !name.contains('\\') && name.len() > 1 => {
                    included.push((tokens.line, name[..name.len() - 1].to_owned()));
                }
                _ => {
                    return Err(GroundError::Unsupported {
                        what: "#include of something that is no file".to_owned(),
                        advice: "write the name of a file in double quotes",
                    });
                }
            },
            b"(" => {
                depth += 1;
                if depth > MAX_NESTED {
                    let problem = format!("parentheses are nested more than {MAX_NESTED} deep");
                    return refuse(tokens.line, problem);
                }
            }
            b")" if depth == 0 => {
                surplus += 1;
                if surplus > MAX_NESTED {
                    let problem = format!("more than {MAX_NESTED} parentheses close nothing");
                    return refuse(tokens.line, problem);
                }
            }
            b")" => depth -= 1,
            b"." if !tokens.is_beside_operator() => operators = 0,
            // Semicolons and dots stand side by side, unless they are part of an operator.
            b";" | b"." if !tokens.is_beside_operator() => {}
            [sign] if OPERATORS.contains(sign) || b"{[".contains(sign) => {
                operators += 1;
                most = most.max(operators);
                if operators > MAX_OPERATORS {
                    let problem = format!("a statement has more than {MAX_OPERATORS} operators");
                    return refuse(tokens.line, problem);
                }
            }
            [first, ..] if !first.is_ascii() => {
                let problem = format!("unexpected `{}` outside of quotes", token.escape_debug());
                return refuse(tokens.line, problem);
            }
            _ => {}
        }
    }
    Ok(Scanned {
        operators: most,
        shown,
        included,
        has_conditions,
    })
}

/// The tokens of clingo's lexer, as far as they matter here: words, directives with their `#`, strings with
/// their quotes, and single characters.
#[derive(Clone)]
pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Tokens {
            text,
            at: 0,
            line: 1,
        }
    }

    /// The line of the token just taken.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// The byte behind the token just taken.
    pub(super) fn following(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Whether the character just taken has this one before or behind it.
    pub(super) fn is_beside(&self, other: u8) -> bool {
        let before = self.at.checked_sub(2).map(|at| self.text.as_bytes()[at]);
        before == Some(other) || self.following() == Some(other)
    }

    pub(super) fn next(&mut self) -> Option<&'a str> {
        loop {
            let rest = &self.text.as_bytes()[self.at..];
            let length = match rest {
                [] => return None,
                [b'%', b'*', ..] => {
                    self.skip_block_comment();
                    continue;
                }
                [b'%', ..] | [b'#', b'!', ..] => {
                    self.at += length_of(rest, |byte| byte != b'\n');
                    continue;
                }
                [space, ..] if space.is_ascii_whitespace() => {
                    self.line += usize::from(*space == b'\n');
                    self.at += 1;
                    continue;
                }
                [b'"', ..] => string_length(rest).unwrap_or(1),
                [b'#', word @ ..] => 1 + length_of(word, |byte| is_word(byte) && byte != b'\''),
                [byte, ..] if is_word(*byte) => length_of(rest, is_word),
                _ => {
                    let rest = &self.text[self.at..];
                    rest.chars().next().map_or(1, char::len_utf8)
                }
            };
            let token = &self.text[self.at..self.at + length];
            self.at += length;
            return Some(token);
        }
    }

    /// Such comments can be nested, and comments to the end of a line hide their ends.
    fn skip_block_comment(&mut self) {
        let mut depth = 0_usize;
        loop {
            let rest = &self.text.as_bytes()[self.at..];
            match rest {
                [] => return,
                [b'%', b'*', ..] => {
                    depth += 1;
                    self.at += 2;
                }
                [b'*', b'%', ..] => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return;
                    }
                }
                [b'%', ..] => self.at += length_of(rest, |byte| byte != b'\n'),
                [byte, ..] => {
                    self.line += usize::from(*byte == b'\n');
                    self.at += 1;
                }
            }
        }
    }

    /// Whether the character just taken has a part of an operator before or behind it.
    fn is_beside_operator(&self) -> bool {
        let bytes = self.text.as_bytes();
        let before = self.at.checked_sub(2).and_then(|at| bytes.get(at));
        let mut sides = [before, bytes.get(self.at)].into_iter().flatten();
        sides.any(|byte| OPERATORS.contains(byte))
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'\''
}

fn length_of(text: &[u8], belongs: impl Fn(u8) -> bool) -> usize {
    let end = text.iter().position(|byte| !belongs(*byte));
    end.unwrap_or(text.len())
}

/// The length of the string that begins here, quotes included; `None` if it is not closed on its line.
fn string_length(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match text.get(at..)? {
            [b'"', ..] => return Some(at + 1),
            [b'\\', b'\\' | b'"' | b'n', ..] => at += 2,
            [b'\\' | b'\n', ..] | [] => return None,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan_all(text: &str) -> Result<usize, GroundError> {
        scan(text, &Limits::default()).map(|scanned| scanned.operators)
    }

    fn refusal(text: &str) -> String {
        scan_all(text).expect_err(text).to_string()
    }

    #[test]
    fn parentheses_without_end_are_refused() {
        let deep = |depth| format!("p({}1{}).", "f(".repeat(depth), ")".repeat(depth));
        assert!(scan_all(&deep(5_000)).is_ok());
        for (text, place) in [
            (deep(MAX_NESTED), "line 1: error: parentheses are nested"),
            // Neither comments nor a lonely quote hide them.
            (
                format!("%* \" *% {}", deep(MAX_NESTED)),
                "line 1: error: parentheses are nested",
            ),
            (
                format!("\" {}", deep(MAX_NESTED)),
                "line 1: error: parentheses are nested",
            ),
            (
                format!("p.\n{}", ")".repeat(MAX_NESTED + 1)),
                "line 2: error: more than",
            ),
        ] {
            let message = refusal(&text);
            assert!(message.contains(place), "{message}");
        }
        for hidden in [
            format!("%* {}\n *% q.", deep(MAX_NESTED)),
            format!("%* %* *% % *%\n {} *% q.", deep(MAX_NESTED)),
            format!("#! {}\n q.", deep(MAX_NESTED)),
            format!("p(\"\\\"{}\").", deep(MAX_NESTED)),
        ] {
            assert!(scan_all(&hidden).is_ok());
        }
    }

    #[test]
    fn operators_are_counted_by_statement() {
        for (text, most) in [
            ("p(1..3). q(X) :- p(X), r(1;2;3).", 2),
            ("p(-1). p(--1). p(1+1+1+1).\np(-(-1)).", 3),
            ("% ----\np. %* ---- *% q(\"----\").", 0),
        ] {
            assert_eq!(scan_all(text), Ok(most), "{text}");
        }
    }

    #[test]
    fn what_nobody_would_ground_is_refused() {
        for (text, fragment) in [
            ("a. #program step(t). b.", "#program step"),
            ("a. #program %* base *%\nstep. b.", "#program step"),
            ("a. #program base(t). b.", "#program base"),
            ("a. #program'base. b.", "#program 'base"),
            ("%* *% #script (lua) x #end.", "#script"),
            ("#include <incmode>.", "#include"),
            ("a.\n#include \"nowhere.lp\".", "line 2: error: there is no"),
            ("a.\np(ä).", "line 2: error: unexpected `ä`"),
        ] {
            let message = refusal(text);
            assert!(message.contains(fragment), "{message}");
        }
        for text in [
            "#program base. a.",
            "#program base(). a.",
            "% #program step(t).\n%* #script *% p(\"#include ä\"). #! #include",
        ] {
            assert!(scan_all(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn signatures_are_shown() {
        let atoms = [
            Symbol::constant("a"),
            Symbol::function("b", [Symbol::number(1)]),
            Symbol::new(SymbolKind::Function {
                name: "a".into(),
                arguments: Box::new([]),
                negative: true,
            }),
        ];
        for (text, expected) in [
            ("a.", [true, true, true]),
            ("#show.", [false, false, false]),
            ("#show b/1. a.", [false, true, false]),
            ("#show a/0. #show -a /0. #show b/2.", [true, false, true]),
            ("#show x : a. #show b(1) : a.", [true, true, true]),
            (
                "% #show a/0.\n#show. %* #show b/1. *%",
                [false, false, false],
            ),
        ] {
            let shown = scan(text, &Limits::default()).unwrap().shown;
            assert_eq!(
                atoms.each_ref().map(|atom| shown.has(atom)),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn included_files_are_looked_at_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("a.lp"), "#include \"b.lp\". p(1+1).").unwrap();
        std::fs::write(path("b.lp"), "#include \"a.lp\". p(1+1+1).").unwrap();
        std::fs::write(path("c.lp"), "#program step(t).").unwrap();
        let include = |name: &str| format!("#include \"{}\".", path(name).display());
        assert_eq!(scan_all(&include("a.lp")), Ok(2));
        assert!(refusal(&include("c.lp")).contains("#program step"));
    }
}
