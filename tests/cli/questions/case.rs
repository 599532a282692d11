//! Random questions: a small game, the options of the command that ask, and why some pairs of options are refused.

use super::strategy_file::{StrategyFile, members};
use crate::cli::Place;
use crate::common::definition::{Definition, Follower};
use crate::common::{random_joint_move, read_game};
use fastrand::Rng;
use gdl::Term;
use gdl::game::{Game, Objective};
use generators::{hidden_game, random_game};
use num_rational::BigRational;
use rules::{Reasoner, State};
use serde_json::Value;
use std::collections::BTreeSet;

#[derive(Clone)]
pub(super) enum Opponents {
    Best,
    Random,
    Following(StrategyFile),
}

/// A game, and a question about it.
pub(super) struct Case {
    pub(super) game: Game,
    pub(super) is_hidden: bool,
    /// After how many steps every play is over.
    pub(super) length: u32,
    /// The name of a role or team, or `all`; none for the first role.
    pub(super) role: Option<String>,
    pub(super) opponents: Opponents,
    pub(super) objective: Objective,
    pub(super) depth: Option<u32>,
    /// Whether all numbers of steps up to this one are asked for.
    pub(super) is_range: bool,
    pub(super) start: Start,
    pub(super) mixed: bool,
    pub(super) engine: Option<&'static str>,
    pub(super) extra: Option<&'static str>,
}

/// The place where play starts: the facts of a state, and the moves that lead there, if it is named so.
pub(super) enum Start {
    Initial,
    From(Vec<Term>),
    After(Vec<Term>, Vec<Vec<Term>>),
}

/// The roles that choose.
pub(super) fn players(game: &Game) -> Vec<String> {
    game.players().map(ToString::to_string).collect()
}

/// A role or a team, or all, as a user may type it.
pub(super) fn any_role(game: &Game, rng: &mut Rng) -> Option<String> {
    let mut names = players(game);
    rng.shuffle(&mut names);
    match rng.u8(..10) {
        0 => None,
        1 => Some("all".to_owned()),
        2..6 if names.len() > 1 => {
            names.truncate(rng.usize(2..=names.len()));
            Some(names.join("+"))
        }
        _ => names.pop(),
    }
}

/// A state that random moves lead to, and these moves; play may be over there.
pub(super) fn played(
    rules: &mut Reasoner,
    from: State,
    steps: u32,
    rng: &mut Rng,
) -> (State, Vec<Vec<Term>>) {
    let (mut state, mut moves) = (from, Vec::new());
    for _ in 0..steps {
        if rules.terminal(&state).expect("a state") {
            break;
        }
        let joint = random_joint_move(rules, &state, rng).expect("rules");
        let joint = joint.expect("each role has a move");
        state = rules.next(&state, &joint).expect("the next state");
        moves.push(joint);
    }
    (state, moves)
}

pub(super) fn text_of(joint_moves: &[Vec<Term>]) -> String {
    let one = |joint: &Vec<Term>| {
        joint
            .iter()
            .map(Term::to_string)
            .collect::<Vec<_>>()
            .join(" ")
    };
    joint_moves
        .iter()
        .map(|joint| format!("({})", one(joint)))
        .collect()
}

impl Case {
    /// The first half of a game: a case without opponents that follow a strategy, and the rules.
    pub(super) fn random(seed: u64, rng: &mut Rng) -> (Self, String) {
        let is_hidden = rng.u8(..4) == 0;
        let (text, length) = match is_hidden {
            false => loop {
                let random = random_game(rng.u64(..));
                let game = read_game("game", &random.text).expect("a valid game");
                if game.players().count() > 1 || rng.u8(..4) == 0 {
                    break (random.text, random.depth);
                }
            },
            true => {
                let movers = match rng.u8(..6) {
                    0 => vec![("x", 2), ("random", 2)],
                    1 | 2 => vec![("x", 2), ("y", 2), ("z", 2), ("random", 2)],
                    _ => vec![("x", 2), ("y", 2), ("random", 2)],
                };
                let steps = rng.usize(1..=2);
                (hidden_game(rng.u64(..), &movers, steps), steps as u32)
            }
        };
        let game = read_game("game", &text).expect("a valid game");
        let mut rules = Reasoner::new(&game).expect("rules");
        let initial = rules.initial().expect("a state");
        let steps = rng.u32(0..=length);
        let start = match rng.u8(..6) {
            kind @ 0..2 => {
                let (state, moves) = played(&mut rules, initial, steps, rng);
                let facts = rules.facts(&state);
                match kind {
                    0 => Start::From(facts),
                    _ => Start::After(facts, moves),
                }
            }
            _ => Start::Initial,
        };
        let objectives = [
            Objective::Win,
            Objective::GoalAtLeast(50.into()),
            Objective::Points,
            Objective::Score,
        ];
        // Formulas about the joint moves of several roles are large.
        let engines = match game.players().count() {
            0..=2 => &["emm", "table", "xssat", "learning", "frontier"][..],
            _ => &["emm", "table"],
        };
        let extras = ["--moves", "--strategy", "--statistics"];
        let depth = (rng.u8(..3) > 0).then(|| rng.u32(0..=length + 1));
        let case = Case {
            role: any_role(&game, rng),
            opponents: match rng.u8(..3) {
                0 => Opponents::Random,
                _ => Opponents::Best,
            },
            objective: rng.choice(objectives).expect("one"),
            is_range: depth.is_some() && rng.u8(..6) == 0,
            depth,
            start,
            mixed: rng.u8(..3) == 0,
            engine: (rng.u8(..5) == 0).then(|| *rng.choice(engines).expect("one")),
            extra: (rng.u8(..4) == 0).then(|| rng.choice(extras).expect("one")),
            game,
            is_hidden,
            length,
        };
        (case, format!("; seed {seed}\n{text}"))
    }

    /// Lets an opponent follow a strategy, which is written for some question about the same game.
    pub(super) fn add_strategy(&mut self, place: &Place, rng: &mut Rng) {
        let Some(role) = any_role(&self.game, rng).filter(|role| role != "all") else {
            return;
        };
        // Mostly a question that makes sense.
        let follower = members(&self.game, &role);
        let rest: Vec<String> = players(&self.game)
            .into_iter()
            .filter(|name| {
                !follower
                    .iter()
                    .any(|&it| self.game.roles()[it].as_str() == name)
            })
            .collect();
        if rng.u8(..6) > 0 && !rest.is_empty() {
            self.role = Some(rest[..rng.usize(1..=rest.len())].join("+"));
            self.mixed &= rng.u8(..6) == 0;
            self.is_range &= rng.u8(..6) == 0;
            self.engine = self.engine.filter(|_| rng.u8(..6) == 0);
            self.extra = self.extra.filter(|_| rng.u8(..6) == 0);
        }
        let depth = (rng.bool()).then(|| format!(" --depth {}", rng.u32(1..=self.length + 1)));
        let mixed = if rng.bool() { " --mixed" } else { "" };
        let command = format!(
            "solve game.gdl -q --role {role} --strategy followed.json{}{mixed}",
            depth.unwrap_or_default()
        );
        let ended = place.run(&command);
        assert_eq!(ended.code, Some(0), "{command}: {ended:?}");
        let mut text = std::fs::read_to_string(place.path("followed.json")).expect("a strategy");
        if rng.bool() {
            let mut strategy: Value = serde_json::from_str(&text).expect("JSON");
            let positions = strategy["player"].as_array_mut().expect("a list");
            positions.retain(|_| rng.bool());
            text = strategy.to_string();
            place.write("followed.json", &text);
        }
        self.opponents = Opponents::Following(StrategyFile::read(&self.game, &text));
    }

    /// The arguments of the question, and whether the answers for all roles are asked for.
    pub(super) fn arguments(&self, place: &Place) -> Vec<String> {
        let mut arguments = Vec::new();
        let mut add = |option: &str, value: String| arguments.extend([option.to_owned(), value]);
        if let Some(role) = &self.role {
            add("--role", role.clone());
        }
        match &self.opponents {
            Opponents::Best => {}
            Opponents::Random => add("--opponents", "random".to_owned()),
            Opponents::Following(_) => add("--opponents", "followed.json".to_owned()),
        }
        add("--objective", self.objective.to_string());
        match self.depth {
            Some(depth) if self.is_range => add("--depth", format!("0..{depth}")),
            Some(depth) => add("--depth", depth.to_string()),
            None => {}
        }
        match &self.start {
            Start::Initial => {}
            Start::From(facts) => {
                let facts: Vec<String> = facts.iter().map(Term::to_string).collect();
                place.write("start.txt", facts.join("\n"));
                add("--from", "start.txt".to_owned());
            }
            Start::After(_, moves) => add("--after", text_of(moves)),
        }
        arguments
    }

    /// The definition of the value for a role or team, and the state in which play starts.
    pub(super) fn definition(&self, role: &str) -> (Definition, State) {
        let own = self.own(role);
        let definition = Definition::new(&self.game, own, self.objective).mixed(self.mixed);
        let mut definition = match &self.opponents {
            Opponents::Best => definition,
            Opponents::Random => definition.against_random(),
            Opponents::Following(followed) => {
                let (members, followed) = (followed.members.clone(), followed.clone());
                let moves = Box::new(move |rules: &Reasoner, state: &State, taken| {
                    followed.at(rules.facts(state).into_iter().collect(), taken)
                });
                let definition = definition.followed_by(Follower { members, moves });
                definition.against_random()
            }
        };
        let start = match &self.start {
            Start::Initial => definition.rules.initial(),
            Start::From(facts) | Start::After(facts, _) => definition.rules.state(facts),
        };
        (definition, start.expect("a state"))
    }

    pub(super) fn own(&self, role: &str) -> Vec<usize> {
        members(&self.game, role)
    }

    /// The roles or teams that are asked about.
    pub(super) fn asked(&self) -> Vec<String> {
        match self.role.as_deref() {
            None => vec![players(&self.game)[0].clone()],
            Some("all") => players(&self.game),
            Some(role) => vec![role.to_owned()],
        }
    }

    pub(super) fn starts_elsewhere(&self) -> bool {
        let mut rules = Reasoner::new(&self.game).expect("rules");
        let initial = rules.initial().expect("a state");
        let set = |facts: Vec<Term>| facts.into_iter().collect::<BTreeSet<_>>();
        match &self.start {
            Start::Initial => false,
            Start::From(facts) | Start::After(facts, _) => {
                set(rules.facts(&initial)) != set(facts.clone())
            }
        }
    }

    /// Why `solve` refuses the question, if it is not meant: a part of the sentence.
    pub(super) fn refusal(&self) -> Option<&'static str> {
        let follows = match &self.opponents {
            Opponents::Following(followed) => Some(followed),
            _ => None,
        };
        let (extra, engine) = (
            self.extra.unwrap_or_default(),
            self.engine.unwrap_or_default(),
        );
        let needs_advice = ["--strategy", "--statistics"].contains(&extra);
        let own = self.own(&self.asked()[0]);
        let is_all = self.role.as_deref() == Some("all");
        let joins = |role: &usize| follows.is_some_and(|it| it.members.contains(role));
        let is_own = follows.filter(|it| it.members == own);
        let plays_best = matches!(self.opponents, Opponents::Best);
        Some(match () {
            () if self.is_range && !extra.is_empty() => "is for one number of steps",
            () if needs_advice && !["", "emm"].contains(&engine) => "needs an engine that",
            () if self.mixed && !engine.is_empty() => "needs an engine that",
            () if self.is_hidden && matches!(self.start, Start::After(..)) => "leave out --after",
            () if is_all && follows.is_some() => "one of all roles follows",
            () if is_all && extra == "--strategy" => "--strategy is for one role",
            () if self.is_range && follows.is_some() => "only single values",
            () if self.mixed && follows.is_some() => {
                "mixed strategies are about opponents that choose"
            }
            () if is_own.is_some_and(|it| it.name == self.asked()[0]) => "the strategy is one of",
            () if own.iter().any(joins) => "is not a role of this game",
            () if !plays_best && extra == "--strategy" => {
                "for opponents that play as well as possible"
            }
            () if self.is_hidden && !engine.is_empty() => "all roles see everything",
            () if follows.is_some() && !engine.is_empty() => "does not follow strategies",
            () if follows.is_some() && extra == "--statistics" => {
                "for opponents that play as well as possible"
            }
            () if follows.is_some_and(|it| it.counts_steps) && self.starts_elsewhere() => {
                "it counts steps from its own start"
            }
            () => return None,
        })
    }

    /// The value for a role or team with some steps, or all; none if the definition is too much work.
    pub(super) fn expected(&self, role: &str, depth: Option<u32>) -> Option<BigRational> {
        let (mut definition, start) = self.definition(role);
        let steps = depth.unwrap_or(self.length);
        match self.is_hidden {
            true => definition.hidden_value(&start, steps),
            false => Some(definition.value(&start, steps, 0)),
        }
    }
}
