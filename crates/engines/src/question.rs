//! Questions about a game.

use crate::error::{Error, ErrorKind};
use crate::opponents::{Opponents, SideError};
use gdl::game::{Aim, Game, Objective};
use gdl::{Name, Term};

/// The most steps that can count. More would need more variables of formulas than there are numbers.
pub const MAX_STEPS: u32 = 1_000_000;

/// A question about a game: the value that a role can guarantee.
///
/// ```
/// use sqasp_engines::{Question, read};
///
/// let game = read("coin", b"(role x) (role random) (init thrown) (legal x call) (legal random heads)
///     (<= (next called) (true thrown)) (<= terminal (true called)) (goal x 100)")?;
/// let question = Question::about(&game)?.depth(3);
/// assert_eq!((question.role.as_str(), question.depth), ("x", Some(3)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Question {
    /// The role that wants to win; several with `+` between them, such as `ann+bob`, are a team that decides together. The goals
    /// are those of the first.
    pub role: Name,
    /// The play of its opponents.
    pub opponents: Opponents,
    /// The meaning of success.
    pub objective: Aim,
    /// The number of steps that count: plays that are not over by then are worth nothing. Without a number all count.
    pub depth: Option<u32>,
    /// The facts of the state that play starts from, if it is not the initial state.
    pub start: Option<Vec<Term>>,
    /// Whether roles choose at the same time, so that all may choose at random; else the opponents know the role's
    /// move.
    pub mixed: bool,
}

impl Question {
    /// The probability with which a role can guarantee to win.
    pub fn new(role: Name) -> Self {
        Question {
            role,
            opponents: Opponents::Best,
            objective: Objective::Win.into(),
            depth: None,
            start: None,
            mixed: false,
        }
    }

    /// The same for the first role of a game that is not `random`.
    ///
    /// # Errors
    /// If there is no such role.
    pub fn about(game: &Game) -> Result<Self, Error> {
        let role = game.players().next().cloned().ok_or_else(|| {
            let message = "this game has no role but `random`, and `random` wants nothing";
            Error::new(ErrorKind::Game, message)
        })?;
        Ok(Question::new(role))
    }

    /// The question for another role. Roles are lower-case.
    #[must_use]
    pub fn role(self, role: &str) -> Self {
        let role = Name::new(&role.to_lowercase());
        Question { role, ..self }
    }

    /// The question for opponents that do something else.
    #[must_use]
    pub fn opponents(self, opponents: Opponents) -> Self {
        Question { opponents, ..self }
    }

    /// The game in which the sides of the question are roles: a team is one role, and opponents at random are chance.
    ///
    /// # Errors
    /// If the role, or a member of the team, is no role that chooses, an opponent follows a strategy, or each plays for itself.
    #[doc(hidden)]
    pub fn game_of_sides(&self, game: &Game) -> Result<Game, SideError> {
        let game = game.with_team(&self.role)?;
        game.role(&self.role)?;
        match self.opponents {
            Opponents::Best => Ok(game),
            Opponents::Random => Ok(game.with_random_opponents(&self.role)),
            Opponents::Following(_) | Opponents::Greedy => Err(SideError::Followed),
            Opponents::Selfish => Err(SideError::Selfish),
        }
    }

    /// The question for another meaning of success.
    #[must_use]
    pub fn objective(self, objective: impl Into<Aim>) -> Self {
        let objective = objective.into();
        Question { objective, ..self }
    }

    /// The payoffs that the question is about, for a part of the program that values the ends of plays.
    ///
    /// # Errors
    /// If it is about numbers of steps.
    #[doc(hidden)]
    pub fn payoff(&self, part: &str) -> Result<Objective, Error> {
        self.objective.payoff().ok_or_else(|| {
            let objective = self.objective;
            let message = format!(
                "{part} is about the ends of plays, and `{objective}` counts steps: the engine steps does that"
            );
            Error::new(ErrorKind::Question, message)
        })
    }

    /// The question for a number of steps that count, or with `None` for all steps.
    #[must_use]
    pub fn depth(self, depth: impl Into<Option<u32>>) -> Self {
        let depth = depth.into();
        Question { depth, ..self }
    }

    /// The question where roles choose at the same time, or where opponents know the role's move.
    #[must_use]
    pub fn mixed(self, mixed: bool) -> Self {
        Question { mixed, ..self }
    }

    /// The question from the state with these facts on, or with `None` from the initial state on.
    #[must_use]
    pub fn start(self, facts: impl Into<Option<Vec<Term>>>) -> Self {
        let start = facts.into();
        Question { start, ..self }
    }

    /// The play that it is about.
    #[doc(hidden)]
    pub fn play(&self, game: &Game) -> Play {
        match self.opponents {
            Opponents::Following(_) | Opponents::Greedy => Play::Followed,
            Opponents::Selfish => Play::Selfish,
            Opponents::Best | Opponents::Random => Play::of(game, self.mixed),
        }
    }

    /// Refuses more steps than can count.
    #[doc(hidden)]
    pub fn check_depth(&self) -> Result<(), Error> {
        match self.depth {
            Some(depth) if depth > MAX_STEPS => Err(Error::new(
                ErrorKind::Question,
                format!("{depth} is no number of steps: use 0 to {MAX_STEPS}"),
            )),
            _ => Ok(()),
        }
    }

    /// The question for a number of steps, as the translation takes it.
    #[doc(hidden)]
    pub fn within(&self, depth: u32) -> Result<logic::translate::Question, Error> {
        Ok(logic::translate::Question {
            role: self.role.clone(),
            depth,
            objective: self.payoff("a formula")?,
        })
    }
}

/// The play that a question is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Play {
    /// All roles see everything, and opponents know the role's move.
    Open,
    /// The same, and an opponent follows a given strategy, or all are greedy.
    Followed,
    /// All roles see everything, and each plays for itself.
    Selfish,
    /// No role knows the moves of others of the same step.
    Mixed,
    /// Roles know only their own moves and what they see.
    Hidden,
}

impl Play {
    /// The play of a game, in which opponents know the role's move, or do not.
    pub fn of(game: &Game, mixed: bool) -> Self {
        match (game.has_percepts(), mixed) {
            (true, _) => Play::Hidden,
            (false, true) => Play::Mixed,
            (false, false) => Play::Open,
        }
    }
}
