//! Text to [`Game`].

use super::{Game, checks};
use crate::{
    Description, Diagnostics, Drawing, Name, Options, Parsed, Rule, Source, Term, has_percepts,
    normalise, parse_files, render, summary,
};
use std::fmt;

/// A game that was read, its description and text, and the diagnostics about it.
#[derive(Clone, Debug)]
pub struct Reading {
    pub game: Game,
    /// The description as it was written.
    pub description: Description,
    /// The text, for drawing the diagnostics.
    pub source: Source,
    /// Warnings and notes; no errors.
    pub diagnostics: Diagnostics,
}

/// Why a text is no game: at least one of the diagnostics is an error.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Refused {
    /// The text, for drawing the diagnostics.
    #[doc(hidden)]
    pub source: Source,
    /// All errors of the text, warnings and notes.
    #[doc(hidden)]
    pub diagnostics: Diagnostics,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&render(
            &self.source,
            &self.diagnostics,
            &Drawing::default(),
        ))
    }
}

impl std::error::Error for Refused {}

/// Reads, checks and normalises a game.
///
/// The name is that of the file, say; without folders and ending it becomes the game's name.
///
/// # Errors
/// When the text is no valid description under these options; all errors are told at once.
pub fn read(name: &str, bytes: &[u8], options: &Options) -> Result<Reading, Box<Refused>> {
    read_files(&[(name, bytes)], options)
}

/// As [`read`], a game that stands in several files, each with its name. The first gives the game its name.
///
/// # Errors
/// When the text is no valid description under these options; all errors are told at once.
///
/// # Panics
/// If there is no file.
pub fn read_files(files: &[(&str, &[u8])], options: &Options) -> Result<Reading, Box<Refused>> {
    let Parsed {
        source,
        description,
        mut diagnostics,
    } = parse_files(files, options);
    let refuse = |source, diagnostics| {
        Err(Box::new(Refused {
            source,
            diagnostics,
        }))
    };
    if diagnostics.has_errors() {
        return refuse(source, diagnostics);
    }
    let game = game_of(files[0].0, &description, options);
    checks::check(&game, &description, &mut diagnostics);
    diagnostics.finish(options);
    if diagnostics.has_errors() {
        return refuse(source, diagnostics);
    }
    let warnings = summary(&source, &diagnostics, &Drawing::default());
    Ok(Reading {
        game: game.with_warnings(warnings),
        description,
        source,
        diagnostics,
    })
}

/// Makes a game of a description without errors.
pub(crate) fn game_of(name: &str, description: &Description, options: &Options) -> Game {
    let mut rules: Vec<Rule> = normalise(description).into_iter().map(|n| n.rule).collect();
    let assumes_all_seen = options.assume_perfect_information && has_percepts(description);
    if assumes_all_seen {
        // All roles are taken to see everything, and no other rule asks for `sees`.
        rules.retain(|rule| rule.head.relation.as_str() != "sees");
    }
    let roles: Vec<Name> = rules
        .iter()
        .filter(|rule| rule.head.relation.as_str() == "role")
        .filter_map(|rule| match &rule.head.arguments[..] {
            [Term::Constant(role)] => Some(role.clone()),
            _ => None,
        })
        .collect();
    let game = Game::from_checked_parts(short_name(name), roles, rules);
    if assumes_all_seen {
        game.assuming_perfect_information()
    } else {
        game
    }
}

/// A file's name without folders and ending.
fn short_name(name: &str) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    match file.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem.to_owned(),
        _ => file.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "(Role White) (role black) (role white) (<= (legal ?p noop) (role ?p))
        (<= terminal (or (true a) (true b))) (goal white 100) (goal black 0)";

    #[test]
    fn a_text_becomes_a_game() {
        let text = GAME.to_lowercase();
        let reading = read("games/toy.gdl", text.as_bytes(), &Options::strict());
        let Reading { game, .. } = reading.unwrap_or_else(|refused| panic!("{refused}"));
        assert_eq!(game.name(), "toy");
        let roles: Vec<_> = game.roles().iter().map(Name::as_str).collect();
        assert_eq!(roles, ["white", "black"]);
        assert_eq!(game.rules().len(), 7);
        assert_eq!(game.rules()[3].to_string(), "(<= terminal (true a))");
    }

    #[test]
    fn capitalisation_is_tolerated_only_when_asked() {
        assert!(read("toy", GAME.as_bytes(), &Options::default()).is_ok());
        let refused = read("toy", GAME.as_bytes(), &Options::strict()).err();
        let message = refused.map(|r| r.to_string()).unwrap_or_default();
        assert!(message.contains("capitalisation"), "{message}");
    }

    #[test]
    fn odd_goal_values_are_refused_and_warnings_stay_with_the_game() {
        let text = format!("{} (goal black 12.5)", GAME.to_lowercase());
        let refused = read("toy", text.as_bytes(), &Options::default()).err();
        let message = refused.map(|r| r.to_string()).unwrap_or_default();
        assert!(message.contains("error[goal-value]"), "{message}");
        // Validators only warn.
        let reading = read("toy", text.as_bytes(), &Options::strict());
        let reading = reading.unwrap_or_else(|refused| panic!("{refused}"));
        assert_eq!(reading.diagnostics.verdict(), crate::Verdict::Warn);
        let reading = read("toy", GAME.as_bytes(), &Options::default());
        let game = reading.unwrap_or_else(|refused| panic!("{refused}")).game;
        assert!(
            game.warnings().contains("warning[never-true]"),
            "{}",
            game.warnings()
        );
        assert_eq!(game.starting_from(&[]).warnings(), "");
    }

    #[test]
    fn percepts_are_kept_or_dropped() {
        let text = format!(
            "{} (<= (sees ?p (moved)) (does ?p noop))",
            GAME.to_lowercase()
        );
        let reading = read("toy", text.as_bytes(), &Options::default());
        let game = reading.unwrap_or_else(|r| panic!("{r}")).game;
        assert!(game.has_percepts() && !game.assumes_perfect_information());
        assert!(game.starting_from(&[]).has_percepts());
        let refused = game.check_open("this test").unwrap_err().to_string();
        assert!(
            refused.contains("this test only knows games in which"),
            "{refused}"
        );
        let options = Options {
            assume_perfect_information: true,
            ..Options::default()
        };
        let reading = read("toy", text.as_bytes(), &options).unwrap_or_else(|r| panic!("{r}"));
        assert!(!reading.game.defines("sees", 2) && !reading.game.has_percepts());
        assert!(
            reading
                .game
                .starting_from(&[])
                .assumes_perfect_information()
        );
        // An ordinary relation of that name stays.
        let text = format!(
            "{} (sees a b) (<= terminal (sees a b))",
            GAME.to_lowercase()
        );
        let reading = read("toy", text.as_bytes(), &Options::strict());
        let game = reading.unwrap_or_else(|r| panic!("{r}")).game;
        assert!(game.defines("sees", 2) && !game.has_percepts());
        assert!(game.warnings().contains("sees-in-body"));
        // No role is the cat, and the role black never has a choice.
        for (who, said) in [
            ("cat", "error[percept-of-no-role]"),
            ("black", "percept-of-nobody"),
        ] {
            let text = format!("{} (<= (sees {who} a) (true a))", GAME.to_lowercase());
            let said_of = match read("toy", text.as_bytes(), &Options::default()) {
                Ok(reading) => reading.game.warnings().to_owned(),
                Err(refused) => refused.to_string(),
            };
            assert!(said_of.contains(said), "{said_of}");
        }
    }
}
