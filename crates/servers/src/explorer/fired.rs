//! The rules that fired in a step, found by rewriting: beside each rule stands one that derives a mark from the same conditions.
//!
//! A mark is a term with the number of the rule and the arguments of its head. Marks of `next` are facts of the next state; marks
//! of `legal`, `goal` and `terminal` are moves of the first role. So the evaluation of rules as it is answers the question.

use engines::Error;
use gdl::game::Game;
use gdl::{Description, Name, Rule, Sentence, Source, Term, normalise};
use rules::{Reasoner, ReasonerError, RuleLimits};
use serde::Serialize;
use std::collections::BTreeMap;

/// The function of the marks. No rules have this name: it has a blank.
const MARK: &str = "rule fired";

#[derive(Serialize)]
pub(super) struct FiredRule {
    /// Its place in the text: the first character, and the one after its last, as JavaScript counts them.
    place: [usize; 2],
    /// The relation of its head.
    relation: String,
    /// The facts, moves or values that it gave.
    derived: Vec<String>,
}

/// The rules of a game with marks.
pub(super) struct MarkedRules {
    reasoner: Reasoner,
    /// Of each rule its relation, and where its form stands.
    rules: Vec<(Name, [usize; 2])>,
}

impl MarkedRules {
    /// Puts the marks into the rules of a description.
    pub(super) fn new(
        game: &Game,
        description: &Description,
        source: &Source,
        limits: RuleLimits,
    ) -> Result<Self, ReasonerError> {
        let count = |bytes: &str| bytes.encode_utf16().count();
        let place = |form: usize| {
            let range = description.forms[form].span.range();
            let start = count(&source.text()[..range.start]);
            [start, start + count(&source.text()[range])]
        };
        let mut marked = game.rules().to_vec();
        let mut rules = Vec::new();
        for normal in normalise(description) {
            let Rule { head, body } = normal.rule;
            let number = Term::Constant(Name::new(&rules.len().to_string()));
            let arguments = [vec![number], head.arguments].concat();
            let mark = Term::Function(Name::new(MARK), arguments);
            let (relation, arguments) = match head.relation.as_str() {
                "next" => ("next", vec![mark]),
                "legal" | "goal" | "terminal" => {
                    let first = Term::Constant(game.roles()[0].clone());
                    ("legal", vec![first, mark])
                }
                _ => continue,
            };
            rules.push((head.relation, place(normal.form)));
            let relation = Name::new(relation);
            marked.push(Rule {
                head: Sentence {
                    relation,
                    arguments,
                },
                body,
            });
        }
        let (name, roles) = (game.name().to_owned(), game.roles().to_vec());
        let game = Game::from_checked_parts(name, roles, marked);
        let reasoner = Reasoner::with_limits(&game, limits)?;
        Ok(MarkedRules { reasoner, rules })
    }

    /// The rules that allowed the moves of a step and made the next state; where play ends there, also those that end it and
    /// give points. The joint move is one of the game as it was written.
    pub(super) fn fired(
        &self,
        facts: &[Term],
        joint_move: &[Term],
        limits: RuleLimits,
    ) -> Result<Vec<FiredRule>, Error> {
        // The terms of a question are forgotten after it.
        let mut reasoner = self.reasoner.clone();
        reasoner.set_limits(limits);
        let roles = reasoner.roles().iter();
        let roles: Vec<Term> = roles.map(|role| Term::Constant(role.clone())).collect();
        let mut found = BTreeMap::new();
        let before = reasoner.state(facts)?;
        for term in reasoner.legal(&before, 0)? {
            self.note(&mut found, &term, |relation, arguments| {
                let is_made = || {
                    roles
                        .iter()
                        .zip(joint_move)
                        .any(|(a, b)| [a, b] == [&arguments[0], &arguments[1]])
                };
                relation == "legal" && is_made()
            });
        }
        let marked = reasoner.next(&before, joint_move)?;
        let (marks, facts): (Vec<_>, Vec<_>) =
            reasoner.facts(&marked).into_iter().partition(is_mark);
        for term in marks {
            self.note(&mut found, &term, |_, _| true);
        }
        let after = reasoner.state(&facts)?;
        if reasoner.terminal(&after)? {
            for term in reasoner.legal(&after, 0)? {
                self.note(&mut found, &term, |relation, _| relation != "legal");
            }
        }
        let fired = found.into_iter().map(|(number, derived)| FiredRule {
            place: self.rules[number].1,
            relation: self.rules[number].0.to_string(),
            derived,
        });
        Ok(fired.collect())
    }

    /// Takes down a mark whose relation and arguments are wanted.
    fn note(
        &self,
        found: &mut BTreeMap<usize, Vec<String>>,
        term: &Term,
        wanted: impl Fn(&str, &[Term]) -> bool,
    ) {
        let Term::Function(_, arguments) = term else {
            return;
        };
        let [Term::Constant(number), arguments @ ..] = &arguments[..] else {
            return;
        };
        if !is_mark(term) {
            return;
        }
        let number: usize = number.as_str().parse().expect("marks have numbers");
        if wanted(self.rules[number].0.as_str(), arguments) {
            let text: Vec<String> = arguments.iter().map(Term::to_string).collect();
            found.entry(number).or_default().push(text.join(" "));
        }
    }
}

fn is_mark(term: &Term) -> bool {
    matches!(term, Term::Function(name, _) if name.as_str() == MARK)
}
