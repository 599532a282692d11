//! `sqasp example`: games that are part of the program, which is often installed without the folder `games`.

use super::load::title;
use crate::cli::args::ExampleArguments;
use crate::cli::{Exit, Failure, files};
use gdl::did_you_mean;

/// The names and rules of these files of the folder `games`.
macro_rules! games {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!("../../../games/", $name, ".gdl")))),*]
    };
}

/// A choice of games, each of another kind, the simplest first.
const GAMES: [(&str, &str); 11] = games! {
    "figure_1"
    "three_rolls"
    "stochastic_ttt"
    "pig"
    "endless_pig"
    "buttons_and_lights"
    "last_stone"
    "rock_paper_scissors"
    "duel"
    "hidden_monty_hall"
    "hidden_kuhn_poker"
};

/// Whether a game of this name is part of the program.
pub(super) fn is_example(name: &str) -> bool {
    GAMES.iter().any(|(known, _)| *known == name)
}

pub(super) fn example(arguments: &ExampleArguments) -> Result<Exit, Failure> {
    let Some(name) = &arguments.name else {
        files::print(|to| {
            let mut games = GAMES.iter();
            games
                .try_for_each(|(name, rules)| writeln!(to, "{name:<21}{}", title(rules.as_bytes())))
        })?;
        return Ok(Exit::Answered);
    };
    let Some((_, rules)) = GAMES.iter().find(|(known, _)| known == name) else {
        let meant = did_you_mean(name, GAMES.map(|(name, _)| name));
        let message = format!("there is no example `{name}`: `sqasp example` lists all{meant}");
        return Err(Failure::new(Exit::Usage, message));
    };
    files::print(|to| to.write_all(rules.as_bytes()))?;
    Ok(Exit::Answered)
}
