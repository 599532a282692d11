//! `sqasp play --as`: a person plays a role in the terminal.

use crate::cli::args::Against;
use crate::cli::start::rules_failure;
use crate::cli::trace::{StateLine, state_text};
use crate::cli::{Exit, Failure, files};
use crate::engine::for_positions;
use crate::evaluate::{
    Command, Defaults, EvaluationReply, Evaluator, RepliesReply, ReplyBody, Request, Stops,
};
use crate::game::{Game, Objective, Sides};
use crate::gdl::{Term, parse_terms};
use crate::machine::{Position, StateMachine};
use crate::prove::Board;
use crate::search::SearchOptions;
use crate::{Budget, Error};
use std::io::{self, BufRead};
use std::time::{Duration, Instant};

/// How long an answer about values may take.
const TIME: Duration = Duration::from_secs(5);

const HELP: &str = "type the number of a move or the move itself; or: values, undo, help, quit";

/// The part of a person in a play.
pub(super) struct HumanPlayer {
    /// The role, by its index.
    pub(super) role: usize,
    /// Who plays the others.
    pub(super) against: Against,
    /// How many steps are played at most.
    pub(super) depth: u32,
    /// The seed of chance.
    pub(super) seed: u64,
    /// What is drawn.
    pub(super) boards: Vec<Board>,
}

/// Plays until the end of the game, or of the input.
pub(super) fn play_interactively(
    game: &Game,
    machine: StateMachine,
    start: &Position,
    human: &HumanPlayer,
) -> Result<Exit, Failure> {
    let mut table = Table {
        game,
        human,
        machine,
        evaluator: None,
        random: fastrand::Rng::with_seed(human.seed),
        past: vec![start.clone()],
    };
    table.play()
}

struct Table<'a> {
    game: &'a Game,
    human: &'a HumanPlayer,
    machine: StateMachine,
    /// Made when values are asked for first.
    evaluator: Option<Evaluator>,
    random: fastrand::Rng,
    /// The positions so far, the last one at hand.
    past: Vec<Position>,
}

/// What a person wants.
enum Wish {
    Move(Term),
    Undo,
    Quit,
}

impl Table<'_> {
    fn play(&mut self) -> Result<Exit, Failure> {
        let mut input = io::stdin().lock().lines();
        loop {
            let position = self.past.last().expect("the start is there").clone();
            let steps = self.past.len() as u64 - 1;
            let line = StateLine::new(&mut self.machine, 0, steps, &position, None);
            let text = state_text(
                &line.map_err(rules_failure)?,
                self.machine.roles(),
                &self.human.boards,
            );
            say(&text)?;
            if self.machine.terminal(&position).map_err(rules_failure)?
                || steps >= self.human.depth.into()
            {
                return Ok(Exit::Answered);
            }
            let roles = 0..self.machine.roles().len();
            let legal = roles.map(|role| self.machine.legal(&position, role));
            let legal: Vec<Vec<Term>> = legal.collect::<Result<_, _>>().map_err(rules_failure)?;
            if legal.iter().any(Vec::is_empty) {
                let message =
                    "some role has no legal move though the game is not over: its rules are wrong";
                return Err(Failure::new(Exit::InvalidInput, message));
            }
            let own = match legal[self.human.role].as_slice() {
                [only] => only.clone(),
                moves => match self.ask(&mut input, &position, moves)? {
                    Wish::Move(action) => action,
                    Wish::Quit => return Ok(Exit::Answered),
                    Wish::Undo => {
                        self.undo()?;
                        continue;
                    }
                },
            };
            let joint_move = self.joint_move(&position, own, &legal)?;
            let texts: Vec<String> = joint_move.iter().map(Term::to_string).collect();
            say(&format!("  move: ({})\n\n", texts.join(" ")))?;
            self.past.push(
                self.machine
                    .next(&position, &joint_move)
                    .map_err(rules_failure)?,
            );
        }
    }

    /// Back to where the person last had a choice.
    fn undo(&mut self) -> Result<(), Failure> {
        while self.past.len() > 1 {
            self.past.pop();
            let position = self.past.last().expect("one is left").clone();
            if self
                .machine
                .legal(&position, self.human.role)
                .map_err(rules_failure)?
                .len()
                > 1
            {
                break;
            }
        }
        Ok(())
    }

    /// Asks until there is a move, or something else to do.
    fn ask(
        &mut self,
        input: &mut dyn Iterator<Item = io::Result<String>>,
        position: &Position,
        legal: &[Term],
    ) -> Result<Wish, Failure> {
        let mut list = String::new();
        for (number, action) in legal.iter().enumerate() {
            list += &format!("  {}: {action}", number + 1);
        }
        say(&format!("{list}\n"))?;
        loop {
            say(&format!("{}> ", self.machine.roles()[self.human.role]))?;
            let Some(Ok(line)) = input.next() else {
                say("\n")?;
                return Ok(Wish::Quit);
            };
            let line = line.trim();
            match line {
                "" | "help" => say(&format!("{HELP}\n"))?,
                "quit" => return Ok(Wish::Quit),
                "undo" => return Ok(Wish::Undo),
                "values" => {
                    let text = self.values(position)?;
                    say(&text)?;
                }
                _ => match chosen(line, legal) {
                    Some(action) => return Ok(Wish::Move(action.clone())),
                    None => say(&format!("`{line}` is no legal move; {HELP}\n"))?,
                },
            }
        }
    }

    /// The moves of all roles: the others know what the person chose.
    fn joint_move(
        &mut self,
        position: &Position,
        own: Term,
        legal: &[Vec<Term>],
    ) -> Result<Vec<Term>, Failure> {
        let random =
            |rng: &mut fastrand::Rng, moves: &[Term]| rng.choice(moves).expect("a move").clone();
        let mut joint_move: Vec<Term> = legal
            .iter()
            .map(|moves| random(&mut self.random, moves))
            .collect();
        joint_move[self.human.role] = own.clone();
        let opponents = Sides::new(self.machine.roles(), self.human.role).opponents;
        let has_choice = opponents.iter().any(|&role| legal[role].len() > 1);
        if self.human.against == Against::Random || !has_choice {
            return Ok(joint_move);
        }
        let told = self.question(position, Some(&own))?;
        let ReplyBody::Replies(RepliesReply { replies, .. }) = told else {
            say(&format!("  (the others move at random: {})\n", why(&told)))?;
            return Ok(joint_move);
        };
        let Some(worst) = replies.first() else {
            return Ok(joint_move);
        };
        for (index, text) in worst.joint_move.iter().enumerate() {
            let found = text.as_ref().and_then(|text| chosen(text, &legal[index]));
            if let Some(action) = found {
                joint_move[index] = action.clone();
            }
        }
        Ok(joint_move)
    }

    /// What each move is worth, as lines.
    fn values(&mut self, position: &Position) -> Result<String, Failure> {
        let told = self.question(position, None)?;
        let (ReplyBody::Solved(EvaluationReply { moves, .. })
        | ReplyBody::Bounds(EvaluationReply { moves, .. })) = &told
        else {
            return Ok(format!("  not known: {}\n", why(&told)));
        };
        let mut text = String::new();
        for each in moves.iter().flatten() {
            let (lower, upper) = (each.worth.lower.value(), each.worth.upper.value());
            let worth = if lower == upper {
                lower.to_string()
            } else {
                format!("from {lower} to {upper}")
            };
            text += &format!(
                "  {} {worth}{}\n",
                each.action,
                if each.best { " (best)" } else { "" }
            );
        }
        Ok(text)
    }

    /// Asks about the position: what moves are worth, or what may follow one.
    fn question(
        &mut self,
        position: &Position,
        action: Option<&Term>,
    ) -> Result<ReplyBody, Failure> {
        if self.evaluator.is_none() {
            let defaults = Defaults {
                role: self.human.role,
                depth: None,
                time: Some(TIME),
                memory: Budget::with_memory(None).memory.map(|all| all / 2),
                stops: Stops::default(),
            };
            let made = for_positions(
                self.game,
                Objective::Win,
                self.human.role,
                SearchOptions::default(),
                None,
            );
            let (engine, _) = made?;
            let evaluator =
                Evaluator::new(self.game.name(), self.game.roles(), "win", defaults, engine);
            self.evaluator = Some(evaluator.following(self.machine.clone()));
        }
        let evaluator = self.evaluator.as_mut().expect("it was made");
        let facts = self.machine.facts(position);
        let request = Request {
            command: Some(match action {
                Some(_) => Command::Replies,
                None => Command::Evaluate,
            }),
            state: Some(facts.iter().map(Term::to_string).collect()),
            action: action.map(Term::to_string),
            ..Request::default()
        };
        Ok(evaluator.answer_request(&request, Instant::now()).told)
    }
}

/// Why there are no values.
fn why(told: &ReplyBody) -> String {
    match told {
        ReplyBody::Error(error) => error.message.clone(),
        _ => Error::Internal("another answer came".to_owned()).to_string(),
    }
}

/// The move that a number or a text names, with or without its parentheses.
fn chosen<'a>(text: &str, legal: &'a [Term]) -> Option<&'a Term> {
    if let Ok(number) = text.parse::<usize>() {
        return legal.get(number.checked_sub(1)?);
    }
    let same = |text: &str| match parse_terms(text).unwrap_or_default().as_slice() {
        [term] => legal.iter().find(|action| *action == term),
        _ => None,
    };
    same(text).or_else(|| same(&format!("({text})")))
}

/// Prints text that somebody waits for.
fn say(text: &str) -> Result<(), Failure> {
    files::print(|to| {
        to.write_all(text.as_bytes())?;
        to.flush()
    })
}
