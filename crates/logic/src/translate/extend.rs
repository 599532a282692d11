//! Ext(G, n): the game's rules with a time (He and Thielscher 2026, section 2.2).
//!
//! Every relation that depends on the state or the moves gets a last argument `T`; `init(f)`
//! becomes `true(f,0)` and `next(f)` becomes `true(f,T+1)`. Static relations stay as they are.
//!
//! ```text
//! (<= (next (cell ?x ?y x)) (does xplayer (mark ?x ?y)))
//! true(cell(X,Y,x),T+1) :- does(xplayer,mark(X,Y),T), step(T).
//! ```
//!
//! Rules that nothing asks for are left out: only the relations that `legal`, `goal`, `terminal`, `init` and
//! `next` depend on matter.

use super::names::{Names, Variables};
use crate::asp::{self, Atom, Program};
use gdl::game::{Game, RelationKey};
use gdl::{Rule, Sentence};
use std::collections::{HashMap, HashSet};

/// The rules of the game over the times 0 to `depth`.
pub(super) fn extend(game: &Game, depth: u32, names: &Names) -> Program {
    let mut program = Program::new();
    let depth = i64::from(depth);
    program.remark("The times of states, and of moves");
    program.fact(Atom::new("time", [asp::Term::Interval(0, depth)]));
    program.fact(Atom::new("step", [asp::Term::Interval(0, depth - 1)]));
    program.remark("The rules of the game, with a time for what changes: Ext(G,n)");
    let writer = Writer {
        game,
        names,
        at_end: Some(needed_relations(game, &["goal", "terminal"])),
        now: asp::Term::variable("T"),
        later: asp::Term::Offset("T".to_owned(), 1),
    };
    let needed = played_relations(game);
    for rule in game.rules() {
        if needed.contains(&rule.head.key()) {
            writer.rule(rule, &mut program);
        }
    }
    program
}

/// The rules of the game in three parts, for programs that grow step by step.
pub(super) struct Parts {
    /// The rules that do not depend on time, and the initial state.
    pub(super) fixed: Program,
    /// The relations that depend on the state at a time, but not on moves.
    pub(super) state: Program,
    /// The state one step later, and the relations that depend on the moves.
    pub(super) step: Program,
}

/// The rules of the game in parts. A part is about the time that the constant `now` stands for, `step`
/// about the move before it.
pub(super) fn extend_by_steps(game: &Game, now: &str, names: &Names) -> Parts {
    let mut parts = Parts {
        fixed: Program::new(),
        state: Program::new(),
        step: Program::new(),
    };
    let at = |now, later| Writer {
        game,
        names,
        at_end: None,
        now,
        later,
    };
    let time = asp::Term::constant(now);
    let of_state = at(time.clone(), asp::Term::Offset(now.to_owned(), 1));
    let of_step = at(asp::Term::Offset(now.to_owned(), -1), time);
    let needed = played_relations(game);
    let of_moves = relations_above(game, "does");
    for rule in game.rules() {
        let key = rule.head.key();
        if !needed.contains(&key) {
            continue;
        }
        if !game.is_dynamic(&key) {
            of_state.rule(rule, &mut parts.fixed);
        } else if rule.head.relation.as_str() == "next" || of_moves.contains(&key) {
            of_step.rule(rule, &mut parts.step);
        } else {
            of_state.rule(rule, &mut parts.state);
        }
    }
    parts
}

/// The relations that play is about, and all that they depend on.
fn played_relations(game: &Game) -> HashSet<RelationKey> {
    needed_relations(game, &["legal", "goal", "terminal", "init", "next", "role"])
}

/// The relations that depend on one with this name.
fn relations_above(game: &Game, root: &str) -> HashSet<RelationKey> {
    let mut above: HashSet<RelationKey> = HashSet::new();
    loop {
        let before = above.len();
        for rule in game.rules() {
            let is_above = |sentence: &Sentence| {
                sentence.relation.as_str() == root || above.contains(&sentence.key())
            };
            if rule.sentences().skip(1).any(is_above) {
                above.insert(rule.head.key());
            }
        }
        if above.len() == before {
            return above;
        }
    }
}

/// The rules that define these relations and everything they depend on, static relations only.
pub(super) fn static_rules(game: &Game, roots: &[&str], names: &Names) -> Program {
    let mut program = Program::new();
    let writer = Writer {
        game,
        names,
        at_end: None,
        now: asp::Term::variable("T"),
        later: asp::Term::Offset("T".to_owned(), 1),
    };
    let needed = needed_relations(game, roots);
    for rule in game.rules() {
        let key = rule.head.key();
        if needed.contains(&key) && !game.is_dynamic(&key) {
            writer.rule(rule, &mut program);
        }
    }
    program
}

/// Turns rules of the game into rules of the program.
struct Writer<'a> {
    game: &'a Game,
    names: &'a Names,
    /// The relations that matter at the last time, when no move is made any more; none if every rule is
    /// about one time.
    at_end: Option<HashSet<RelationKey>>,
    /// The time of a rule, and the one after it.
    now: asp::Term,
    later: asp::Term,
}

impl Writer<'_> {
    fn rule(&self, rule: &Rule, program: &mut Program) {
        program.origin(rule.to_string());
        let variables = Variables::of(rule);
        let now = &self.now;
        // Static sentences have no time.
        let atom = |sentence: &Sentence| {
            let time = self.game.is_dynamic(&sentence.key()).then(|| now.clone());
            self.names.atom(sentence, time, &variables)
        };
        let body = rule.body.iter();
        let body = body.map(|literal| self.names.literal(literal, atom, &variables));
        let mut body: Vec<asp::Literal> = body.collect();
        let fact = |term| self.names.term(term, &variables);
        let head = match rule.head.relation.as_str() {
            "init" => Atom::new(
                "true",
                [fact(&rule.head.arguments[0]), asp::Term::Integer(0)],
            ),
            "next" => {
                if self.at_end.is_some() {
                    body.push(asp::Literal::Positive(Atom::new("step", [now.clone()])));
                }
                Atom::new("true", [fact(&rule.head.arguments[0]), self.later.clone()])
            }
            _ => {
                let key = rule.head.key();
                if let (Some(at_end), true) = (&self.at_end, self.game.is_dynamic(&key)) {
                    let when = if at_end.contains(&key) {
                        "time"
                    } else {
                        "step"
                    };
                    body.push(asp::Literal::Positive(Atom::new(when, [now.clone()])));
                }
                atom(&rule.head)
            }
        };
        program.rule(head, body);
    }
}

/// The relations with these names, and all that their rules depend on.
fn needed_relations(game: &Game, roots: &[&str]) -> HashSet<RelationKey> {
    let mut rules_of: HashMap<RelationKey, Vec<&Rule>> = HashMap::new();
    for rule in game.rules() {
        rules_of.entry(rule.head.key()).or_default().push(rule);
    }
    let mut open: Vec<RelationKey> = rules_of
        .keys()
        .filter(|(name, _)| roots.contains(&name.as_str()))
        .cloned()
        .collect();
    let mut needed: HashSet<RelationKey> = open.iter().cloned().collect();
    while let Some(key) = open.pop() {
        let rules = rules_of.get(&key).into_iter().flatten();
        for sentence in rules.flat_map(|rule| rule.sentences().skip(1)) {
            let key = sentence.key();
            if needed.insert(key.clone()) {
                open.push(key);
            }
        }
    }
    needed
}
