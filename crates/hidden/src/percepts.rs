//! Percepts of each role in random plays, with the rules that gave them.
//!
//! In another game one role sees all percepts of all rules, together with the number of the rule. So one
//! question gives all percepts of a joint move, also those for a name that is no role.

use gdl::game::Game;
use gdl::{Name, Rule, Term};
use limits::{Limits, StopReason};
use rules::{Reasoner, ReasonerError, RuleLimits, State, listed};
use serde::{Serialize, Serializer};
use std::collections::BTreeSet;

/// The most steps of a play.
const MAX_STEPS: usize = 1000;

/// How many moves of a role are compared in a state.
const MAX_COMPARED: usize = 16;

/// The observations about percepts in random plays, which prove nothing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PerceptStatistics {
    /// The view of each role that chooses.
    #[serde(rename = "roles")]
    pub views: Vec<View>,
    /// Rules about percepts that give none.
    #[serde(rename = "warnings")]
    pub idle: Vec<IdlePercept>,
    /// The limit that came before all plays were made. Then no rule is called idle because of what did not happen.
    #[serde(rename = "complete", serialize_with = "is_complete")]
    pub stopped: Option<StopReason>,
}

fn is_complete<S: Serializer>(stopped: &Option<StopReason>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_bool(stopped.is_none())
}

/// The things that a role sees.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct View {
    pub role: Name,
    /// All that it saw, sorted.
    pub percepts: BTreeSet<Term>,
    /// For each other role that had a choice the part of its moves that this one can tell apart right after them.
    #[serde(serialize_with = "by_role")]
    pub moves: Vec<(Name, DistinguishedMoves)>,
}

fn by_role<S: Serializer>(moves: &[(Name, DistinguishedMoves)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(moves.iter().map(|(role, part)| (role, part)))
}

/// A part of the moves of another role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DistinguishedMoves {
    /// No two moves can be told apart.
    #[serde(rename = "none")]
    Nothing,
    /// Some moves look alike, others do not.
    #[serde(rename = "part")]
    Some,
    /// All can be told apart.
    All,
}

/// A rule that gave no percept in the plays.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum IdlePercept {
    /// Its body never held.
    #[error("no role saw anything by {0} in these plays: can its body be true?")]
    Never(Rule),
    /// Each role saw the same by it after every step.
    #[error(
        "after every step of these plays {} saw the same, {}, by {rule}: that tells nothing",
        names(roles),
        listed(percepts)
    )]
    Same {
        /// The roles that saw something.
        roles: Vec<Name>,
        /// The things that they saw.
        percepts: Vec<Term>,
        rule: Rule,
    },
    /// A name that is no role got a percept.
    #[error(
        "{name} sees something by {rule}, and is no role: is a condition missing, such as (role ...)?"
    )]
    NoRole {
        /// The name.
        name: Term,
        rule: Rule,
    },
}

impl Serialize for IdlePercept {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

fn names(roles: &[Name]) -> String {
    let names: Vec<&str> = roles.iter().map(Name::as_str).collect();
    names.join(" and ")
}

/// Plays at random, and collects the percepts of each role. A limit ends it early.
pub fn observe_percepts(
    game: &Game,
    plays: usize,
    seed: u64,
    limits: &Limits,
) -> Result<PerceptStatistics, ReasonerError> {
    let mut looking = Looking::new(game, seed, limits)?;
    for _ in 0..plays {
        match looking.play() {
            Ok(()) => {}
            Err(ReasonerError::Stopped(reason)) => return Ok(looking.finish(Some(reason))),
            Err(error) => return Err(error),
        }
    }
    Ok(looking.finish(None))
}

/// A percept, with the rule that gave it and the role that got it.
struct Seen {
    rule: usize,
    who: Term,
    percept: Term,
}

/// The things that a role saw by a rule, over all steps.
#[derive(Clone)]
enum Steps {
    None,
    Same(Vec<Term>),
    Different,
}

struct Looking {
    reasoner: Reasoner,
    rules: Vec<Rule>,
    roles: Vec<Name>,
    random: fastrand::Rng,
    /// For each role whether it had a choice, and all that it saw.
    chooses: Vec<bool>,
    percepts: Vec<BTreeSet<Term>>,
    /// For each rule and role.
    steps: Vec<Vec<Steps>>,
    /// For each rule the first name that got a percept and is no role.
    strangers: Vec<Option<Term>>,
    fired: Vec<bool>,
    /// For each role the part of the moves of each other role that it can tell apart.
    parts: Vec<Vec<Option<DistinguishedMoves>>>,
}

impl Looking {
    fn new(game: &Game, seed: u64, limits: &Limits) -> Result<Self, ReasonerError> {
        let roles = game.roles().to_vec();
        let is_percept =
            |rule: &Rule| rule.head.relation.as_str() == "sees" && rule.head.arguments.len() == 2;
        let (mut percepts, mut all) = (Vec::new(), Vec::new());
        for rule in game.rules() {
            let mut rule = rule.clone();
            if is_percept(&rule) {
                let number = Name::new(&percepts.len().to_string());
                percepts.push(rule.clone());
                let seen = Term::Function(number, std::mem::take(&mut rule.head.arguments));
                rule.head.arguments = vec![Term::Constant(roles[0].clone()), seen];
            }
            all.push(rule);
        }
        let told = Game::from_checked_parts(game.name().to_owned(), roles.clone(), all);
        Ok(Looking {
            reasoner: Reasoner::with_limits(&told, RuleLimits::within(limits))?,
            random: fastrand::Rng::with_seed(seed),
            chooses: vec![false; roles.len()],
            percepts: vec![BTreeSet::new(); roles.len()],
            steps: vec![vec![Steps::None; roles.len()]; percepts.len()],
            strangers: vec![None; percepts.len()],
            fired: vec![false; percepts.len()],
            parts: vec![vec![None; roles.len()]; roles.len()],
            rules: percepts,
            roles,
        })
    }

    fn play(&mut self) -> Result<(), ReasonerError> {
        let mut state = self.reasoner.initial()?;
        for _ in 0..MAX_STEPS {
            if self.reasoner.terminal(&state)? {
                break;
            }
            let mut legal = Vec::with_capacity(self.roles.len());
            for role in 0..self.roles.len() {
                legal.push(self.reasoner.legal(&state, role)?);
            }
            let chosen = legal.iter().map(|moves| self.random.choice(moves).cloned());
            // A role without a move is a defect, which others tell.
            let Some(made) = chosen.collect::<Option<Vec<Term>>>() else {
                break;
            };
            let seen = self.percepts_of(&state, &made)?;
            self.note(seen);
            for (role, moves) in legal.into_iter().enumerate() {
                if moves.len() > 1 {
                    self.chooses[role] = true;
                    self.compare(&state, &made, role, moves)?;
                }
            }
            state = self.reasoner.next(&state, &made)?;
        }
        Ok(())
    }

    /// All percepts of a joint move.
    fn percepts_of(&mut self, state: &State, made: &[Term]) -> Result<Vec<Seen>, ReasonerError> {
        let told = self.reasoner.percepts(state, made)?.swap_remove(0);
        let seen = told.into_iter().filter_map(|term| match term {
            Term::Function(number, mut parts) => Some(Seen {
                rule: number.as_str().parse().ok()?,
                percept: parts.pop()?,
                who: parts.pop()?,
            }),
            Term::Constant(_) | Term::Variable(_) => None,
        });
        Ok(seen.collect())
    }

    fn role(&self, who: &Term) -> Option<usize> {
        let name = who.name().filter(|_| matches!(who, Term::Constant(_)))?;
        self.roles.iter().position(|role| role == name)
    }

    fn note(&mut self, seen: Vec<Seen>) {
        let mut now = vec![vec![Vec::new(); self.roles.len()]; self.rules.len()];
        for Seen { rule, who, percept } in seen {
            self.fired[rule] = true;
            match self.role(&who) {
                Some(role) => {
                    self.percepts[role].insert(percept.clone());
                    now[rule][role].push(percept);
                }
                None => {
                    self.strangers[rule].get_or_insert(who);
                }
            }
        }
        for (before, now) in self
            .steps
            .iter_mut()
            .flatten()
            .zip(now.into_iter().flatten())
        {
            match before {
                Steps::None => *before = Steps::Same(now),
                Steps::Same(list) if *list != now => *before = Steps::Different,
                Steps::Same(_) | Steps::Different => {}
            }
        }
    }

    /// Compares what others see after the moves of a role, the others' moves being as they are.
    fn compare(
        &mut self,
        state: &State,
        made: &[Term],
        mover: usize,
        mut moves: Vec<Term>,
    ) -> Result<(), ReasonerError> {
        self.random.shuffle(&mut moves);
        moves.truncate(MAX_COMPARED);
        let mut made = made.to_vec();
        let mut views = vec![BTreeSet::new(); self.roles.len()];
        let compared = moves.len();
        for action in moves {
            made[mover] = action;
            let mut now: Vec<BTreeSet<Term>> = vec![BTreeSet::new(); self.roles.len()];
            for Seen { who, percept, .. } in self.percepts_of(state, &made)? {
                if let Some(role) = self.role(&who) {
                    now[role].insert(percept);
                }
            }
            for (views, now) in views.iter_mut().zip(now) {
                views.insert(now);
            }
        }
        for (parts, views) in self.parts.iter_mut().zip(views) {
            let part = match views.len() {
                1 => DistinguishedMoves::Nothing,
                different if different == compared => DistinguishedMoves::All,
                _ => DistinguishedMoves::Some,
            };
            parts[mover] = match parts[mover] {
                Some(before) if before != part => Some(DistinguishedMoves::Some),
                _ => Some(part),
            };
        }
        Ok(())
    }

    fn finish(mut self, stopped: Option<StopReason>) -> PerceptStatistics {
        let choosers = |role: &usize| self.chooses[*role] && !self.roles[*role].is_random();
        let choosers: Vec<usize> = (0..self.roles.len()).filter(choosers).collect();
        let mut idle = Vec::new();
        for (number, rule) in self.rules.into_iter().enumerate() {
            if let Some(name) = self.strangers[number].take() {
                let rule = rule.clone();
                idle.push(IdlePercept::NoRole { name, rule });
            }
            if stopped.is_some() {
                continue;
            }
            if !self.fired[number] {
                idle.push(IdlePercept::Never(rule));
                continue;
            }
            let steps = &self.steps[number];
            let same = choosers.iter().map(|&role| match &steps[role] {
                Steps::Same(list) => Some((role, list)),
                Steps::None | Steps::Different => None,
            });
            let Some(mut same) = same.collect::<Option<Vec<_>>>() else {
                continue;
            };
            same.retain(|(_, list)| !list.is_empty());
            if let Some(&(_, list)) = same.first() {
                let roles = same.iter().filter(|(_, other)| *other == list);
                idle.push(IdlePercept::Same {
                    roles: roles.map(|&(role, _)| self.roles[role].clone()).collect(),
                    percepts: list.clone(),
                    rule,
                });
            }
        }
        let view = |&role: &usize| View {
            role: self.roles[role].clone(),
            percepts: std::mem::take(&mut self.percepts[role]),
            moves: (self.roles.iter().enumerate())
                .filter(|(other, _)| *other != role)
                .filter_map(|(other, name)| Some((name.clone(), self.parts[role][other]?)))
                .collect(),
        };
        PerceptStatistics {
            views: choosers.iter().map(view).collect(),
            idle,
            stopped,
        }
    }
}
