//! The two programs of a proof: base case and induction step, as in section 4 of Schiffel and Thielscher (2009).
//!
//! `encodings/base_case.lp` and `induction_step.lp` are the method. Added here are the rules of the game that
//! matter for the property, domains of facts and moves, and the statement of the property:
//!
//! ```text
//! :- not 1 { true(control(xplayer)) ; true(control(oplayer)) } 1.
//! violated(0) :- not 1 { next(control(xplayer)) ; next(control(oplayer)) } 1.
//! ```
//!
//! The base case asks for a violation in the initial state, the step for one after a state that satisfies
//! the property (and those proved before) and legal moves. Neither has an answer set: then the
//! property holds in every state that play can lead to.
//!
//! *What matters* is found by following the rules from the property: conditions about moves are left
//! out when nothing that matters depends on moves, and that the game is not over yet is first left out
//! altogether. Every program with fewer conditions has more answer sets, so none is a proof
//! all the same; only when there is one the whole step ([`Scope::Whole`]) is asked, beyond the
//! paper: from a terminal state play does not go on.
//!
//! Properties that say something of `legal`, `goal` or `terminal` need these of the next state too.
//! Their programs have a time as last argument, 0 and 1, like those of `translate` (`encodings/plays.lp`).

use super::condition::{Atom as StateAtom, Condition};
use super::vocabulary::Vocabulary;
use gdl::game::{Game, RelationKey};
use limits::Limits;
use logic::asp::{Atom, Literal, Program, Term};
use logic::translate::{Names, Variables, encodings};
use std::collections::BTreeSet;

/// How much of the game's step a program has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// The part that the property depends on.
    Relevant,
    /// Legal moves of all roles, from states that are not terminal.
    Whole,
}

/// When a condition is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Moment {
    /// Now, by `true`.
    Now,
    /// In the next state, by `next`.
    Next,
    /// At this time, by `true` with a time.
    At(usize),
}

/// Writes the programs about a game.
#[derive(Clone, Copy)]
pub struct Writer<'a> {
    pub game: &'a Game,
    /// Its names in programs.
    pub names: &'a Names,
    /// The facts, moves and goal values of its states.
    pub vocabulary: &'a Vocabulary,
    /// The limits that stop the writing. The program is then incomplete, and of no use.
    pub limits: &'a Limits,
}

/// The program that has an answer set if and only if the initial state violates an instance.
pub fn base_case(writer: Writer<'_>, property: &[Condition]) -> Program {
    let mut needs = Needs::default();
    needs.of_conditions(writer, property, false);
    needs.initial = true;
    let rules = needs.rules(writer.game, false);
    let mut program = Program::new();
    program.remark("The rules that matter");
    writer.rules(&rules, false, &mut program);
    program.remark("Is the property violated?");
    writer.violation(property, Moment::Now, &mut program);
    program.include(&encodings::BASE_CASE);
    program.include(&encodings::REFUTATION);
    program
}

/// The program that has an answer set if and only if some state violates an instance though the
/// assumptions hold in it.
pub fn any_state(writer: Writer<'_>, property: &[Condition], assumed: &[Condition]) -> Program {
    let mut needs = Needs::default();
    needs.of_question(writer, property, assumed, None);
    let rules = needs.rules(writer.game, false);
    let mut program = Program::new();
    writer.domains(&needs, false, &mut program);
    program.remark("The rules that matter");
    writer.rules(&rules, false, &mut program);
    program.remark("What was proved before");
    writer.require(assumed, Moment::Now, &mut program);
    program.remark("Is the property violated?");
    writer.violation(property, Moment::Now, &mut program);
    program.include(&encodings::INDUCTION_STEP);
    program.include(&encodings::REFUTATION);
    program
}

/// The program that has an answer set if and only if the property does not pass from every state in
/// which it and the assumptions hold to every next one.
pub fn induction_step(
    writer: Writer<'_>,
    property: &[Condition],
    assumed: &[Condition],
    scope: Scope,
) -> Program {
    let mut needs = Needs::default();
    let timed = needs.of_question(writer, property, assumed, Some(scope));
    let rules = needs.rules(writer.game, timed);
    let mut program = Program::new();
    writer.domains(&needs, needs.moves, &mut program);
    if timed {
        writer.times(1, &mut program);
    }
    program.remark("The rules that matter");
    writer.rules(&rules, timed, &mut program);
    let (now, next) = if timed {
        (Moment::At(0), Moment::At(1))
    } else {
        (Moment::Now, Moment::Next)
    };
    program.remark("The property, and what was proved before");
    writer.require(property, now, &mut program);
    writer.require(assumed, now, &mut program);
    if scope == Scope::Whole {
        program.fact(Atom::new("going_on", []));
    }
    program.remark("Is the property violated in the next state?");
    writer.violation(property, next, &mut program);
    if timed {
        program.fact(Atom::new("any_state", []));
        program.include(&encodings::PLAYS);
    } else {
        program.include(&encodings::INDUCTION_STEP);
    }
    program.include(&encodings::REFUTATION);
    program
}

/// The rules that the program about any state (without a scope) or a step will have, and whether it has
/// moves.
pub(super) fn rules_needed<'a>(
    writer: Writer<'a>,
    property: &[Condition],
    assumed: &[Condition],
    scope: Option<Scope>,
) -> (Vec<&'a gdl::Rule>, bool) {
    let mut needs = Needs::default();
    let timed = needs.of_question(writer, property, assumed, scope);
    let rules = needs.rules(writer.game, timed);
    (rules, needs.moves)
}

/// The program of all plays of `steps` steps from the initial state, or from any state. Conditions are
/// added to it later.
pub(super) fn plays(writer: Writer<'_>, steps: usize, from_start: bool) -> Program {
    let mut needs = Needs {
        moves: true,
        initial: from_start,
        ..Needs::default()
    };
    for (name, arity) in [("legal", 2), ("terminal", 0), ("goal", 2)] {
        needs.relation(name, arity);
    }
    needs.all_features = true;
    needs.next_features = None;
    let rules = needs.rules(writer.game, true);
    let mut program = Program::new();
    writer.domains(&needs, true, &mut program);
    writer.times(steps, &mut program);
    program.remark("The rules");
    writer.rules(&rules, true, &mut program);
    program.fact(Atom::new("going_on", []));
    if !from_start {
        program.fact(Atom::new("any_state", []));
    }
    program.include(&encodings::PLAYS);
    program
}

/// The parts of the game that a program needs.
struct Needs {
    /// Relations that must be derived, and all below them.
    relations: BTreeSet<RelationKey>,
    /// The features whose `next` is needed; all when `None`.
    next_features: Option<BTreeSet<(gdl::Name, usize)>>,
    /// The features that are looked at in the current state.
    features: BTreeSet<(gdl::Name, usize)>,
    /// Whether all features are looked at.
    all_features: bool,
    /// Whether `init` is needed.
    initial: bool,
    /// Whether moves matter.
    moves: bool,
    /// Whether facts that are looked at must be derived for the next state as well.
    through_time: bool,
}

impl Default for Needs {
    fn default() -> Self {
        Needs {
            relations: BTreeSet::new(),
            next_features: Some(BTreeSet::new()),
            features: BTreeSet::new(),
            all_features: false,
            initial: false,
            moves: false,
            through_time: false,
        }
    }
}

/// The name and number of arguments of a fact; none for a variable.
fn feature(fact: &gdl::Term) -> Option<(gdl::Name, usize)> {
    match fact {
        gdl::Term::Constant(name) => Some((name.clone(), 0)),
        gdl::Term::Function(name, arguments) => Some((name.clone(), arguments.len())),
        gdl::Term::Variable(_) => None,
    }
}

impl Needs {
    fn relation(&mut self, name: &str, arity: usize) {
        self.relations.insert((gdl::Name::new(name), arity));
    }

    /// Adds the needs of the program about any state, or a step; returns whether it has times.
    fn of_question(
        &mut self,
        writer: Writer<'_>,
        property: &[Condition],
        assumed: &[Condition],
        scope: Option<Scope>,
    ) -> bool {
        self.of_conditions(writer, property, false);
        self.of_conditions(writer, assumed, false);
        let Some(scope) = scope else { return false };
        self.of_conditions(writer, property, true);
        self.through_time = !property.iter().all(Condition::is_about_facts);
        if scope == Scope::Whole {
            self.relation("legal", 2);
            self.relation("terminal", 0);
            self.moves = true;
        }
        self.through_time
    }

    /// Adds the needs of conditions, in the next state or in the current one.
    fn of_conditions(&mut self, writer: Writer<'_>, conditions: &[Condition], next: bool) {
        for condition in writer.in_time(conditions) {
            condition.atoms(&mut |atom| match atom {
                StateAtom::True(fact) => {
                    let feature =
                        feature(&writer.vocabulary.facts[fact]).expect("facts are ground");
                    if !next {
                        self.features.insert(feature);
                    } else if let Some(features) = &mut self.next_features {
                        features.insert(feature);
                    }
                }
                StateAtom::Legal(..) => self.relation("legal", 2),
                StateAtom::Goal(..) => self.relation("goal", 2),
                StateAtom::Terminal => self.relation("terminal", 0),
            });
        }
    }

    /// The rules that these needs lead to, in the order of the game. Adds the needs of the rules.
    fn rules<'a>(&mut self, game: &'a Game, timed: bool) -> Vec<&'a gdl::Rule> {
        let mut taken = vec![false; game.rules().len()];
        loop {
            let mut changed = false;
            for (number, rule) in game.rules().iter().enumerate() {
                if taken[number] || !self.takes(rule, timed) {
                    continue;
                }
                taken[number] = true;
                changed = true;
                for sentence in rule.sentences().skip(1) {
                    match (sentence.relation.as_str(), sentence.arguments.as_slice()) {
                        ("true", [fact]) => match feature(fact) {
                            Some(feature) => drop(self.features.insert(feature)),
                            None => self.all_features = true,
                        },
                        ("does", [_, _]) => {
                            self.moves = true;
                            self.relation("legal", 2);
                        }
                        _ => drop(self.relations.insert(sentence.key())),
                    }
                }
            }
            if !changed {
                break;
            }
        }
        let rules = game.rules().iter().zip(taken);
        rules
            .filter(|(_, taken)| *taken)
            .map(|(rule, _)| rule)
            .collect()
    }

    fn takes(&self, rule: &gdl::Rule, timed: bool) -> bool {
        let wants = |fact: &gdl::Term, features: &BTreeSet<_>| {
            feature(fact).is_none_or(|feature| features.contains(&feature))
        };
        match (rule.head.relation.as_str(), rule.head.arguments.as_slice()) {
            ("init", [_]) => self.initial,
            ("next", [fact]) => {
                let Some(next) = &self.next_features else {
                    return true;
                };
                let looked_at = timed && self.through_time;
                wants(fact, next) || looked_at && (self.all_features || wants(fact, &self.features))
            }
            ("role", [_]) => self.moves || self.relations.contains(&rule.head.key()),
            ("base", [_]) | ("input", [_, _]) => false,
            _ => self.relations.contains(&rule.head.key()),
        }
    }
}

impl Writer<'_> {
    /// As many as there is time for.
    fn in_time<T>(&self, all: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
        all.into_iter().take_while(move |_| !self.limits.is_over())
    }

    /// Domains of the facts that are looked at, and of moves.
    fn domains(&self, needs: &Needs, moves: bool, program: &mut Program) {
        program.remark("Domains");
        for fact in self.in_time(&self.vocabulary.facts) {
            if needs.all_features || feature(fact).is_some_and(|f| needs.features.contains(&f)) {
                program.fact(Atom::new("fdom", [self.names.ground_term(fact)]));
            }
        }
        if moves {
            for (role, moves) in self.vocabulary.roles.iter().zip(&self.vocabulary.moves) {
                for action in self.in_time(moves) {
                    let role = self.names.role(role);
                    program.fact(Atom::new("mdom", [role, self.names.ground_term(action)]));
                }
                program.fact(Atom::new("mover", [self.names.role(role)]));
            }
        }
    }

    fn times(&self, steps: usize, program: &mut Program) {
        program.remark("Time");
        let steps = i64::try_from(steps).expect("plays are shorter");
        program.fact(Atom::new("time", [Term::Interval(0, steps)]));
        program.fact(Atom::new("step", [Term::Interval(0, steps - 1)]));
    }

    /// Rules of the game; with a time as last argument of sentences that change, or as they stand.
    fn rules(&self, rules: &[&gdl::Rule], timed: bool, program: &mut Program) {
        let now = Term::variable("T");
        for rule in rules {
            let variables = Variables::of(rule);
            let has_time = |sentence: &gdl::Sentence| {
                timed
                    && self.game.is_dynamic(&sentence.key())
                    && sentence.relation.as_str() != "init"
            };
            let atom = |sentence: &gdl::Sentence| {
                let time = has_time(sentence).then(|| now.clone());
                self.names.atom(sentence, time, &variables)
            };
            let body = rule.body.iter();
            let body = body.map(|literal| self.names.literal(literal, atom, &variables));
            let mut body: Vec<Literal> = body.collect();
            let mut head = atom(&rule.head);
            if timed && rule.head.relation.as_str() == "next" {
                head.predicate = "true".to_owned();
                head.arguments[1] = Term::Offset("T".to_owned(), 1);
                body.push(Literal::Positive(Atom::new("step", [now.clone()])));
            } else if has_time(&rule.head) {
                body.push(Literal::Positive(Atom::new("time", [now.clone()])));
            }
            program.rule(head, body);
        }
    }

    /// The atom of the program for an atom of the state.
    pub(super) fn atom(&self, atom: StateAtom, moment: Moment) -> Atom {
        let game = self.vocabulary;
        let (predicate, mut arguments) = match atom {
            StateAtom::True(fact) => {
                let predicate = match moment {
                    Moment::Next => "next",
                    Moment::Now | Moment::At(_) => "true",
                };
                (predicate, vec![self.names.ground_term(&game.facts[fact])])
            }
            StateAtom::Legal(role, action) => {
                let action = self.names.ground_term(&game.moves[role][action]);
                ("legal", vec![self.names.role(&game.roles[role]), action])
            }
            StateAtom::Goal(role, value) => {
                let value = self.names.ground_term(&game.goals[role][value]);
                ("goal", vec![self.names.role(&game.roles[role]), value])
            }
            StateAtom::Terminal => ("terminal", Vec::new()),
        };
        if let Moment::At(time) = moment {
            arguments.push(Term::Integer(
                i64::try_from(time).expect("plays are shorter"),
            ));
        }
        Atom::new(predicate, arguments)
    }

    /// Constraints that all of these hold.
    fn require(&self, conditions: &[Condition], moment: Moment, program: &mut Program) {
        for condition in self.in_time(conditions) {
            let mut parts = Parts::new(*self, moment, program);
            let denied = parts.literals(condition, false);
            program.constraint(denied);
        }
    }

    /// Constraints that one of these does not hold; `violated(I)` tells which.
    fn violation(&self, conditions: &[Condition], moment: Moment, program: &mut Program) {
        for (number, condition) in self.in_time(conditions).enumerate() {
            let denied = Parts::new(*self, moment, program).literals(condition, false);
            let number = Term::Integer(i64::try_from(number).expect("there are fewer"));
            program.rule(Atom::new("violated", [number]), denied);
        }
    }
}

/// Turns conditions into bodies; a part that a body cannot say gets a predicate `part`.
pub(super) struct Parts<'a> {
    writer: Writer<'a>,
    moment: Moment,
    program: &'a mut Program,
}

impl<'a> Parts<'a> {
    pub(super) fn new(writer: Writer<'a>, moment: Moment, program: &'a mut Program) -> Self {
        Parts {
            writer,
            moment,
            program,
        }
    }

    /// Literals that hold together if and only if the condition holds, or does not.
    pub(super) fn literals(&mut self, condition: &Condition, holds: bool) -> Vec<Literal> {
        match (condition, holds) {
            (Condition::Constant(value), _) if *value == holds => Vec::new(),
            (Condition::Constant(_), _) => {
                // No rule has this part.
                vec![Literal::Positive(self.new_part())]
            }
            (Condition::Atom(atom), _) => {
                let atom = self.writer.atom(*atom, self.moment);
                vec![if holds {
                    Literal::Positive(atom)
                } else {
                    Literal::Negative(atom)
                }]
            }
            (Condition::Not(inner), _) => self.literals(inner, !holds),
            (Condition::Count { least, most, atoms }, _) => vec![Literal::Count {
                negated: !holds,
                least: *least,
                most: *most,
                atoms: atoms
                    .iter()
                    .map(|&atom| self.writer.atom(atom, self.moment))
                    .collect(),
            }],
            (Condition::All(inner), true) | (Condition::Any(inner), false) => inner
                .iter()
                .flat_map(|inner| self.literals(inner, holds))
                .collect(),
            (Condition::All(inner), false) | (Condition::Any(inner), true) => {
                let part = self.new_part();
                for inner in inner {
                    let body = self.literals(inner, holds);
                    self.program.rule(part.clone(), body);
                }
                vec![Literal::Positive(part)]
            }
        }
    }

    /// A part that no rule is about yet.
    fn new_part(&mut self) -> Atom {
        let number = self.program.new_number();
        Atom::new("part", [Term::Integer(number)])
    }
}
