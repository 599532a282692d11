//! Rules with numbers for their variables and for the argument positions of their terms; a copy for each role.

use super::{ArgumentPosition, Domains, HOLDS, Symbol, Value};
use crate::syntax::RelationKey;
use crate::{Literal, Name, Rule, Sentence, Term};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A reason to fire a rule again: a value at a position, or any value there.
pub(super) type Reading = (usize, Option<Value>);

/// A term of a rule, its variables by number, with the positions of the arguments of functions.
pub(super) enum Pattern {
    Constant(Value),
    Variable(usize),
    Function(Value, Vec<(usize, Pattern)>),
}

/// A sentence in the body of a rule, as its terms and their positions.
pub(super) struct PlacedSentence {
    pub(super) positions: Vec<(usize, Pattern)>,
    /// The relation, if facts alone may define it.
    pub(super) table: Option<RelationKey>,
}

/// A rule as its terms and their positions.
pub(super) struct PlacedRule {
    pub(super) heads: Vec<(usize, Pattern)>,
    pub(super) body: Vec<PlacedSentence>,
    pub(super) variables: Vec<Name>,
}

/// Roles that stand for some variables.
pub(super) type RoleChoice<'a> = FxHashMap<&'a Name, &'a Name>;

/// The most copies of a rule for different roles.
const MAX_COPIES: usize = 64;

/// The ways to put a role in place of each variable that stands where `legal`, `does` and `goal` have one;
/// where that would be very many rules, some such variables stay.
pub(super) fn role_choices<'a>(rule: &'a Rule, roles: &'a [Name]) -> Vec<RoleChoice<'a>> {
    let mut variables = BTreeSet::new();
    for sentence in positive(rule).chain([&rule.head]) {
        if has_role(sentence)
            && let Some(Term::Variable(name)) = sentence.arguments.first()
        {
            variables.insert(name);
        }
    }
    let mut choices: Vec<RoleChoice<'_>> = vec![FxHashMap::default()];
    for variable in variables {
        if choices.len() * roles.len() > MAX_COPIES {
            break;
        }
        let longer = choices.iter().flat_map(|choice| {
            roles.iter().map(move |role| {
                let mut longer = choice.clone();
                longer.insert(variable, role);
                longer
            })
        });
        choices = longer.collect();
    }
    choices
}

/// The positive sentences in the body of a rule.
pub(in crate::game) fn positive(rule: &Rule) -> impl Iterator<Item = &Sentence> {
    rule.body.iter().filter_map(|literal| match literal {
        Literal::Positive(sentence) => Some(sentence),
        Literal::Negative(_) | Literal::Distinct(..) => None,
    })
}

fn has_role(sentence: &Sentence) -> bool {
    let name = sentence.relation.as_str();
    matches!(name, "legal" | "does" | "goal") && sentence.arguments.len() == 2
}

/// The rule, with the numbers that `place` gives its places.
pub(super) fn place_rule(
    domains: &Domains,
    rule: &Rule,
    choice: &RoleChoice<'_>,
    position: &mut dyn FnMut(ArgumentPosition) -> usize,
) -> PlacedRule {
    let mut placing = Placing {
        domains,
        choice,
        variables: Vec::new(),
        position,
    };
    let body = positive(rule).map(|s| placing.in_body(s)).collect();
    PlacedRule {
        heads: placing.heads(&rule.head),
        body,
        variables: placing.variables,
    }
}

/// Numbers the places of a rule's terms, and its variables.
pub(super) struct Placing<'a> {
    pub(super) domains: &'a Domains,
    pub(super) choice: &'a RoleChoice<'a>,
    pub(super) variables: Vec<Name>,
    pub(super) position: &'a mut dyn FnMut(ArgumentPosition) -> usize,
}

impl Placing<'_> {
    /// A sentence of the body.
    pub(super) fn in_body(&mut self, sentence: &Sentence) -> PlacedSentence {
        let role = self.role_of(sentence);
        PlacedSentence {
            positions: self.positions(&sentence.relation, &sentence.arguments, role.as_ref()),
            table: (sentence.arguments.len() > 1).then(|| sentence.key()),
        }
    }

    /// The head, and the sentence that it leads to in the next state: `true` for `init` and `next`, `does` for
    /// `legal`.
    fn heads(&mut self, head: &Sentence) -> Vec<(usize, Pattern)> {
        let roles = &self.domains.roles;
        let role = self.role_of(head);
        let (also, roles): (_, Vec<Option<&Name>>) =
            match (head.relation.as_str(), head.arguments.len(), &role) {
                ("init" | "next", 1, _) => (Some("true"), vec![None]),
                // A constant that is no role makes no moves.
                ("legal", 2, Some(role)) if !roles.contains(role) => (None, vec![Some(role), None]),
                ("legal", 2, Some(role)) => (Some("does"), vec![Some(role), None]),
                ("goal", 2, Some(role)) => (None, vec![Some(role), None]),
                ("legal", 2, None) => (Some("does"), all_and_none(roles)),
                ("goal", 2, None) => (None, all_and_none(roles)),
                _ => (None, vec![None]),
            };
        let mut heads = Vec::new();
        for role in roles {
            heads.extend(self.positions(&head.relation, &head.arguments, role));
            if let Some(name) = also {
                heads.extend(self.positions(&Name::new(name), &head.arguments, role));
            }
        }
        heads
    }

    /// The role that a sentence is about.
    fn role_of(&self, sentence: &Sentence) -> Option<Name> {
        match sentence.arguments.first()? {
            Term::Constant(role) if has_role(sentence) => Some(role.clone()),
            Term::Variable(name) if has_role(sentence) => {
                self.choice.get(name).map(|role| (*role).clone())
            }
            _ => None,
        }
    }

    fn positions(
        &mut self,
        relation: &Name,
        arguments: &[Term],
        role: Option<&Name>,
    ) -> Vec<(usize, Pattern)> {
        let position =
            |i| ArgumentPosition::Relation(relation.clone(), arguments.len(), role.cloned(), i);
        if arguments.is_empty() {
            return vec![((self.position)(position(0)), Pattern::Constant(HOLDS))];
        }
        let arguments = arguments.iter().enumerate();
        let placed =
            arguments.map(|(i, argument)| ((self.position)(position(i)), self.pattern(argument)));
        placed.collect()
    }

    fn pattern(&mut self, term: &Term) -> Pattern {
        let constant = |name: &Name| self.domains.rank(&Symbol::Constant(name.clone()));
        match term {
            Term::Constant(name) => Pattern::Constant(constant(name)),
            Term::Variable(name) => {
                if let Some(role) = self.choice.get(name) {
                    return Pattern::Constant(constant(role));
                }
                let known = self.variables.iter().position(|other| other == name);
                Pattern::Variable(known.unwrap_or_else(|| {
                    self.variables.push(name.clone());
                    self.variables.len() - 1
                }))
            }
            Term::Function(name, arguments) => {
                let arity = arguments.len();
                let value = self.domains.rank(&Symbol::Function(name.clone(), arity));
                let arguments = arguments.iter().enumerate().map(|(i, argument)| {
                    let position =
                        (self.position)(ArgumentPosition::Function(name.clone(), arity, i));
                    (position, self.pattern(argument))
                });
                Pattern::Function(value, arguments.collect())
            }
        }
    }
}

fn all_and_none(roles: &[Name]) -> Vec<Option<&Name>> {
    roles.iter().map(Some).chain([None]).collect()
}

/// Calls `visit` with each reason that a term in the body of a rule gives.
pub(super) fn for_each_reading(term: &Pattern, position: usize, visit: &mut dyn FnMut(Reading)) {
    match term {
        Pattern::Constant(value) => visit((position, Some(*value))),
        Pattern::Variable(_) => visit((position, None)),
        Pattern::Function(value, arguments) => {
            visit((position, Some(*value)));
            for (position, argument) in arguments {
                for_each_reading(argument, *position, visit);
            }
        }
    }
}
