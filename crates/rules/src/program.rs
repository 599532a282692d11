//! A game's rules with names and ground terms as numbers, and relations grouped by mutual recursion.

use super::ReasonerError;
use super::relation::Relation;
use super::terms::{NameId, TermId, TermStore};
use gdl::game::{Game, RelationKey};
use gdl::{Literal, Name, Rule, Sentence, Term};
use rustc_hash::FxHashMap;

/// The number of a relation that has rules or facts.
pub type PredicateId = usize;
/// The number of a rule.
pub type RuleId = usize;
/// The number of a variable within its rule.
pub type Variable = usize;

/// A term of a rule.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// A term without variables.
    Ground(TermId),
    Variable(Variable),
    /// Holds at least one variable.
    /// A function of patterns, with a variable somewhere.
    Function(NameId, Vec<Pattern>),
}

/// The subject of a sentence in a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// A fact of the state.
    True,
    /// A move.
    Does,
    /// A relation with rules or facts.
    Derived(PredicateId),
}

/// A literal of a body.
#[derive(Clone, Debug)]
pub enum Condition {
    /// A sentence, perhaps negated.
    Sentence {
        /// Whether it is to hold.
        positive: bool,
        /// The subject of the sentence.
        subject: Subject,
        arguments: Vec<Pattern>,
    },
    /// Two terms that must differ.
    Distinct(Pattern, Pattern),
}

/// A rule with a body.
#[derive(Clone, Debug)]
pub struct CompiledRule {
    /// The relation of the head.
    pub predicate: PredicateId,
    /// The arguments of the head.
    pub head: Vec<Pattern>,
    /// The conditions, as written.
    pub body: Vec<Condition>,
    /// How many variables it has.
    pub variables: usize,
    /// The rule as text, for messages.
    pub text: String,
}

/// The lifetime of derived sentences.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// For ever.
    Static,
    /// As long as the state is the same.
    State,
    /// As long as state and joint move are the same.
    Move,
}

pub const LEVELS: usize = 3;

/// A relation with its rules; its facts are kept apart.
#[derive(Clone, Debug)]
pub struct Predicate {
    pub arity: usize,
    /// How long its sentences stay right.
    pub level: Level,
    /// The rules with this head.
    pub rules: Vec<RuleId>,
    /// Relations that depend on each other (through rules of any sign) have the same number.
    pub component: usize,
    /// Whether the relation depends on itself.
    pub recursive: bool,
}

/// The rules of a game, ready to be evaluated.
#[derive(Clone, Debug)]
pub struct Program {
    pub predicates: Vec<Predicate>,
    /// All rules with a body.
    pub rules: Vec<CompiledRule>,
    ids: FxHashMap<RelationKey, PredicateId>,
    /// A number for each function (name and arity) that occurs directly inside a `true`.
    pub features: FxHashMap<(NameId, usize), usize>,
}

impl Program {
    /// Numbers everything in the game's rules; gives the facts of each relation as well.
    pub fn compile(
        game: &Game,
        terms: &mut TermStore,
    ) -> Result<(Program, Vec<Relation>), ReasonerError> {
        let mut program = Program {
            predicates: Vec::new(),
            rules: Vec::new(),
            ids: FxHashMap::default(),
            features: FxHashMap::default(),
        };
        let mut facts = Vec::new();
        for rule in game.rules() {
            let id = program.predicate_of(&rule.head, &mut facts);
            if rule.body.is_empty() {
                let row = rule
                    .head
                    .arguments
                    .iter()
                    .map(|argument| terms.intern_term(argument))
                    .collect::<Result<Vec<_>, _>>()?;
                facts[id].insert_new(&row);
            } else {
                let compiled = program.compile_rule(rule, id, terms, &mut facts)?;
                program.predicates[id].rules.push(program.rules.len());
                program.rules.push(compiled);
            }
        }
        program.find_levels();
        program.find_components();
        Ok((program, facts))
    }

    /// The relation with this name and arity, if the game mentions it outside `true` and `does`.
    pub fn find(&self, name: &str, arity: usize) -> Option<PredicateId> {
        self.ids.get(&(Name::new(name), arity)).copied()
    }

    fn predicate_of(&mut self, sentence: &Sentence, facts: &mut Vec<Relation>) -> PredicateId {
        let key = sentence.key();
        *self.ids.entry(key).or_insert_with(|| {
            let arity = sentence.arguments.len();
            self.predicates.push(Predicate {
                arity,
                level: Level::Static,
                rules: Vec::new(),
                component: 0,
                recursive: false,
            });
            facts.push(Relation::new(arity));
            self.predicates.len() - 1
        })
    }

    fn compile_rule(
        &mut self,
        rule: &Rule,
        predicate: PredicateId,
        terms: &mut TermStore,
        facts: &mut Vec<Relation>,
    ) -> Result<CompiledRule, ReasonerError> {
        let mut variables = FxHashMap::default();
        let head = compile_patterns(&rule.head.arguments, terms, &mut variables)?;
        let mut body = Vec::new();
        for literal in &rule.body {
            let (sentence, positive) = match literal {
                Literal::Positive(sentence) => (sentence, true),
                Literal::Negative(sentence) => (sentence, false),
                Literal::Distinct(left, right) => {
                    body.push(Condition::Distinct(
                        compile_pattern(left, terms, &mut variables)?,
                        compile_pattern(right, terms, &mut variables)?,
                    ));
                    continue;
                }
            };
            let arguments = compile_patterns(&sentence.arguments, terms, &mut variables)?;
            let subject = match (sentence.relation.as_str(), arguments.len()) {
                ("true", 1) => {
                    if let Pattern::Function(name, inner) = &arguments[0] {
                        let number = self.features.len();
                        self.features.entry((*name, inner.len())).or_insert(number);
                    }
                    Subject::True
                }
                ("does", 2) => Subject::Does,
                _ => Subject::Derived(self.predicate_of(sentence, facts)),
            };
            body.push(Condition::Sentence {
                positive,
                subject,
                arguments,
            });
        }
        Ok(CompiledRule {
            predicate,
            head,
            body,
            variables: variables.len(),
            text: rule.to_string(),
        })
    }

    /// Raises levels until each is at least that of everything the relation depends on.
    fn find_levels(&mut self) {
        let mut changed = true;
        while changed {
            changed = false;
            for rule in &self.rules {
                let needed = subjects(rule)
                    .map(|subject| match subject {
                        Subject::True => Level::State,
                        Subject::Does => Level::Move,
                        Subject::Derived(id) => self.predicates[id].level,
                    })
                    .max()
                    .unwrap_or(Level::Static);
                let level = &mut self.predicates[rule.predicate].level;
                if needed > *level {
                    *level = needed;
                    changed = true;
                }
            }
        }
    }

    /// Strongly connected components of the dependency graph, by two depth-first walks.
    fn find_components(&mut self) {
        let count = self.predicates.len();
        let mut uses = vec![Vec::new(); count];
        let mut used_by = vec![Vec::new(); count];
        for rule in &self.rules {
            for subject in subjects(rule) {
                if let Subject::Derived(id) = subject {
                    uses[rule.predicate].push(id);
                    used_by[id].push(rule.predicate);
                }
            }
        }
        let mut visited = vec![false; count];
        let mut finished = Vec::with_capacity(count);
        for start in 0..count {
            walk(start, &uses, &mut visited, &mut |id| finished.push(id));
        }
        let mut visited = vec![false; count];
        for (component, &start) in finished.iter().rev().enumerate() {
            let mut members = Vec::new();
            walk(start, &used_by, &mut visited, &mut |id| members.push(id));
            for &id in &members {
                self.predicates[id].component = component;
                self.predicates[id].recursive = members.len() > 1 || uses[id].contains(&id);
            }
        }
    }
}

/// Visits all nodes that can be reached from `start`, calling `leave` on the way back.
fn walk(start: usize, edges: &[Vec<usize>], visited: &mut [bool], leave: &mut dyn FnMut(usize)) {
    if std::mem::replace(&mut visited[start], true) {
        return;
    }
    let mut path = vec![(start, 0)];
    while let Some((node, index)) = path.last_mut() {
        match edges[*node].get(*index) {
            Some(&target) => {
                *index += 1;
                if !std::mem::replace(&mut visited[target], true) {
                    path.push((target, 0));
                }
            }
            None => {
                leave(*node);
                path.pop();
            }
        }
    }
}

/// The subjects of the sentences in the body of a rule.
pub fn subjects(rule: &CompiledRule) -> impl Iterator<Item = Subject> + '_ {
    rule.body.iter().filter_map(|condition| match condition {
        Condition::Sentence { subject, .. } => Some(*subject),
        Condition::Distinct(..) => None,
    })
}

fn compile_patterns(
    arguments: &[Term],
    terms: &mut TermStore,
    variables: &mut FxHashMap<Name, Variable>,
) -> Result<Vec<Pattern>, ReasonerError> {
    arguments
        .iter()
        .map(|argument| compile_pattern(argument, terms, variables))
        .collect()
}

fn compile_pattern(
    term: &Term,
    terms: &mut TermStore,
    variables: &mut FxHashMap<Name, Variable>,
) -> Result<Pattern, ReasonerError> {
    Ok(match term {
        Term::Variable(name) => {
            let next = variables.len();
            Pattern::Variable(*variables.entry(name.clone()).or_insert(next))
        }
        term if term.is_ground() => Pattern::Ground(terms.intern_term(term)?),
        Term::Constant(_) => unreachable!("constants are ground"),
        Term::Function(name, arguments) => {
            let arguments = compile_patterns(arguments, terms, variables)?;
            Pattern::Function(terms.name_id(name), arguments)
        }
    })
}
