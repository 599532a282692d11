//! Statements about one state without variables: the instances of formulas in a given game.
//!
//! Instances of a property are kept apart, as a list that must hold together: so a proof can drop
//! some of them and keep the others, and a state that violates the property names the instance.

use super::bounds::MAX_PARTS;
use super::formula::{Pattern, PropertyFormula, is_anything};
use super::property::Property;
use super::vocabulary::Vocabulary;
use gdl::game::points;
use gdl::{Name, Term};
use limits::Limits;
use num_rational::BigRational;
use num_traits::Zero;
use rustc_hash::{FxHashMap, FxHashSet};

/// Something that holds in a state or not. Facts, moves and goal values are numbers in the
/// [`Vocabulary`]; roles are in the order of the game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Atom {
    /// A fact holds.
    True(usize),
    /// A move of a role is legal.
    Legal(usize, usize),
    /// A role has a goal value.
    Goal(usize, usize),
    Terminal,
}

/// The most parts of a list that are written.
const MAX_NAMED: usize = 12;

impl Atom {
    fn text(self, game: &Vocabulary) -> String {
        match self {
            Atom::True(fact) => format!("(true {})", game.facts[fact]),
            Atom::Legal(role, action) => {
                format!("(legal {} {})", game.roles[role], game.moves[role][action])
            }
            Atom::Goal(role, value) => {
                format!("(goal {} {})", game.roles[role], game.goals[role][value])
            }
            Atom::Terminal => "terminal".to_owned(),
        }
    }
}

/// A statement about one state.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Condition {
    /// Always or never.
    Constant(bool),
    Atom(Atom),
    Not(Box<Condition>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
    /// The number of these atoms that hold is between two bounds.
    Count {
        least: usize,
        /// The most; any number when `None`.
        most: Option<usize>,
        /// The atoms, sorted.
        atoms: Vec<Atom>,
    },
}

impl Condition {
    pub fn negated(self) -> Self {
        match self {
            Condition::Constant(value) => Condition::Constant(!value),
            Condition::Not(inner) => *inner,
            other => Condition::Not(Box::new(other)),
        }
    }

    /// Calls `f` on every atom.
    pub fn atoms(&self, f: &mut impl FnMut(Atom)) {
        match self {
            Condition::Constant(_) => {}
            Condition::Atom(atom) => f(*atom),
            Condition::Not(inner) => inner.atoms(f),
            Condition::All(inner) | Condition::Any(inner) => {
                inner.iter().for_each(|inner| inner.atoms(f));
            }
            Condition::Count { atoms, .. } => atoms.iter().copied().for_each(f),
        }
    }

    /// Whether this says something about facts only.
    pub fn is_about_facts(&self) -> bool {
        let mut only_facts = true;
        self.atoms(&mut |atom| only_facts &= matches!(atom, Atom::True(_)));
        only_facts
    }

    /// The condition as a formula, with the game's names. Long lists are cut.
    pub fn text(&self, game: &Vocabulary) -> String {
        let list = |name: &str, parts: Vec<String>| {
            let mut text = format!("({name}");
            for part in parts.iter().take(MAX_NAMED) {
                text.push(' ');
                text.push_str(part);
            }
            if parts.len() > MAX_NAMED {
                text.push_str(" ...");
            }
            text.push(')');
            text
        };
        let texts = |inner: &[Condition]| inner.iter().map(|inner| inner.text(game)).collect();
        match self {
            Condition::Constant(true) => "(and)".to_owned(),
            Condition::Constant(false) => "(or)".to_owned(),
            Condition::Atom(atom) => atom.text(game),
            Condition::Not(inner) => format!("(not {})", inner.text(game)),
            Condition::All(inner) => list("and", texts(inner)),
            Condition::Any(inner) => list("or", texts(inner)),
            Condition::Count { least, most, atoms } => {
                let atoms = atoms.iter().map(|atom| atom.text(game)).collect();
                match most {
                    None => list(&format!("at-least {least}"), atoms),
                    Some(most) if most == least => list(&format!("exactly {least}"), atoms),
                    Some(most) if *least == 0 => list(&format!("at-most {most}"), atoms),
                    Some(most) => list(&format!("between {least} {most}"), atoms),
                }
            }
        }
    }

    /// Whether it holds, given the values of its atoms.
    pub fn holds(&self, value: &mut impl FnMut(Atom) -> bool) -> bool {
        match self {
            Condition::Constant(holds) => *holds,
            Condition::Atom(atom) => value(*atom),
            Condition::Not(inner) => !inner.holds(value),
            Condition::All(inner) => inner.iter().all(|inner| inner.holds(value)),
            Condition::Any(inner) => inner.iter().any(|inner| inner.holds(value)),
            Condition::Count { least, most, atoms } => {
                let count = atoms.iter().filter(|&&atom| value(atom)).count();
                count >= *least && most.is_none_or(|most| count <= most)
            }
        }
    }
}

impl Condition {
    /// In which lanes it holds, given the lanes in which its atoms hold.
    pub fn lanes(&self, value: &mut impl FnMut(Atom) -> u64) -> u64 {
        match self {
            Condition::Constant(holds) => {
                if *holds {
                    u64::MAX
                } else {
                    0
                }
            }
            Condition::Atom(atom) => value(*atom),
            Condition::Not(inner) => !inner.lanes(value),
            Condition::All(inner) => inner
                .iter()
                .fold(u64::MAX, |lanes, inner| lanes & inner.lanes(value)),
            Condition::Any(inner) => inner
                .iter()
                .fold(0, |lanes, inner| lanes | inner.lanes(value)),
            Condition::Count { least, most, atoms } => {
                let bound = most.map_or(*least, |most| (most + 1).max(*least));
                let mut at_least = vec![0; bound + 1];
                at_least[0] = u64::MAX;
                for &atom in atoms {
                    let held = value(atom);
                    for count in (1..=bound).rev() {
                        at_least[count] |= held & at_least[count - 1];
                    }
                }
                at_least[*least] & !most.map_or(0, |most| at_least[most + 1])
            }
        }
    }
}

/// The instances of a property, which hold in a state if and only if the property does.
/// [`Property::Terminates`] is not about states and has none.
///
/// # Errors
/// A message: the mistake of the property in this game, and advice; or that there was no time to list the instances.
pub fn instances(
    property: &Property,
    game: &Vocabulary,
    limits: &Limits,
) -> Result<Vec<Condition>, String> {
    let about_moves = || game.unlisted_moves.clone().map_or(Ok(()), Err);
    let until_end = |inner: Condition| Condition::Any(vec![Condition::Atom(Atom::Terminal), inner]);
    match property {
        Property::Terminates(_) => Ok(Vec::new()),
        Property::LegalNonempty => about_moves().map(|()| {
            (0..game.roles.len())
                .map(|role| until_end(moves_of(game, role, 1, None)))
                .collect()
        }),
        Property::TurnTaking => {
            about_moves()?;
            let players = game.players();
            let mut pairs = Vec::new();
            for (index, &first) in players.iter().enumerate() {
                for &second in &players[index + 1..] {
                    pairs.push(Condition::Any(vec![
                        Condition::Atom(Atom::Terminal),
                        moves_of(game, first, 0, Some(1)),
                        moves_of(game, second, 0, Some(1)),
                    ]));
                }
            }
            Ok(pairs)
        }
        Property::ZeroSum => zero_sum(game),
        Property::Unique { .. } | Property::PropertyFormula(_) => {
            let formula = property.formula().expect("these have one");
            if let Property::Unique { pattern, .. } = property {
                require_facts(game, pattern)?;
            }
            let mut grounder = Grounder {
                game,
                limits,
                parts: 0,
            };
            let condition = grounder.ground(&formula, &Binding::default())?;
            Ok(match condition {
                Condition::All(instances) => instances,
                Condition::Constant(true) => Vec::new(),
                other => vec![other],
            })
        }
    }
}

/// How many legal moves a role has.
fn moves_of(game: &Vocabulary, role: usize, least: usize, most: Option<usize>) -> Condition {
    let moves = 0..game.moves[role].len();
    count(
        least,
        most,
        moves.map(|action| Atom::Legal(role, action)).collect(),
    )
}

/// The count of atoms, simplified.
fn count(least: usize, most: Option<usize>, mut atoms: Vec<Atom>) -> Condition {
    atoms.sort_unstable();
    atoms.dedup();
    let most = most.filter(|&most| most < atoms.len());
    match most {
        _ if least > atoms.len() => Condition::Constant(false),
        None if least == 0 => Condition::Constant(true),
        _ => Condition::Count { least, most, atoms },
    }
}

/// At the end each player has exactly one goal value, and the others' values make the total of zero-sum games with it.
fn zero_sum(game: &Vocabulary) -> Result<Vec<Condition>, String> {
    let players = game.players();
    if players.len() < 2 {
        return Err("`zero-sum` needs at least two players".to_owned());
    }
    let total = game.zero_sum_total.fraction();
    let going_on = || Condition::Atom(Atom::Terminal).negated();
    let mut instances = Vec::new();
    for &player in &players {
        let values = 0..game.goals[player].len();
        let values = values.map(|number| Atom::Goal(player, number)).collect();
        instances.push(Condition::Any(vec![going_on(), count(1, Some(1), values)]));
    }
    for &player in &players {
        let others: Vec<usize> = players.iter().copied().filter(|&p| p != player).collect();
        for (number, value) in game.goals[player].iter().enumerate() {
            let rest = points(value).map(|points| &total - points.fraction());
            let mut ways = Vec::new();
            if let Some(rest) = rest {
                add_ways(game, &others, &rest, &mut Vec::new(), &mut ways)?;
            }
            let has = Condition::Atom(Atom::Goal(player, number));
            let mut any = vec![going_on(), has.negated()];
            any.extend(ways);
            instances.push(Condition::Any(any));
        }
    }
    Ok(instances)
}

/// All ways in which these players' goal values add up to `rest`.
fn add_ways(
    game: &Vocabulary,
    players: &[usize],
    rest: &BigRational,
    chosen: &mut Vec<Condition>,
    ways: &mut Vec<Condition>,
) -> Result<(), String> {
    let Some((&player, others)) = players.split_first() else {
        if rest.is_zero() {
            ways.push(match chosen.as_slice() {
                [single] => single.clone(),
                _ => Condition::All(chosen.clone()),
            });
        }
        return if ways.len() > 10_000 {
            Err("there are too many ways in which goal values add up".to_owned())
        } else {
            Ok(())
        };
    };
    for (number, value) in game.goals[player].iter().enumerate() {
        let Some(points) = points(value) else {
            continue;
        };
        let points = points.fraction();
        // The last one's value is known.
        if others.is_empty() && points != *rest {
            continue;
        }
        chosen.push(Condition::Atom(Atom::Goal(player, number)));
        add_ways(game, others, &(rest - points), chosen, ways)?;
        chosen.pop();
    }
    Ok(())
}

/// A pattern that nothing ever matches is more likely a slip than a property.
fn require_facts(game: &Vocabulary, pattern: &Term) -> Result<(), String> {
    let matches = |fact: &Term| matched(pattern, fact, &Binding::default()).is_some();
    if game.facts.iter().any(matches) {
        return Ok(());
    }
    Err(format!(
        "no fact of this game can look like `{pattern}`; its features are {}",
        game.features()
    ))
}

type Binding = FxHashMap<Name, Term>;

/// The binding with which the pattern is the term, if there is one.
fn matched(pattern: &Term, term: &Term, binding: &Binding) -> Option<Binding> {
    let mut binding = binding.clone();
    extend(pattern, term, &mut binding).then_some(binding)
}

fn extend(pattern: &Term, term: &Term, binding: &mut Binding) -> bool {
    match (pattern, term) {
        _ if is_anything(pattern) => true,
        (Term::Constant(_), _) => pattern == term,
        (Term::Variable(name), _) => match binding.get(name) {
            Some(bound) => bound == term,
            None => {
                binding.insert(name.clone(), term.clone());
                true
            }
        },
        (Term::Function(name, inner), Term::Function(other, arguments)) => {
            name == other
                && inner.len() == arguments.len()
                && inner
                    .iter()
                    .zip(arguments)
                    .all(|(p, t)| extend(p, t, binding))
        }
        (Term::Function(..), _) => false,
    }
}

/// Makes conditions of formulas, with an eye on their size.
struct Grounder<'a> {
    game: &'a Vocabulary,
    limits: &'a Limits,
    parts: usize,
}

/// The terms that are handled between two checks of the limits.
const TERMS_BETWEEN_CHECKS: usize = 1 << 10;

impl Grounder<'_> {
    /// Checks the limits now and then; `number` is that of a term.
    fn check_limits(&self, number: usize) -> Result<(), String> {
        match number % TERMS_BETWEEN_CHECKS {
            0 => self.limits.check().map_err(|reason| reason.to_string()),
            _ => Ok(()),
        }
    }

    fn spend(&mut self, parts: usize) -> Result<(), String> {
        self.parts += parts;
        if self.parts > MAX_PARTS {
            return Err(format!(
                "the property has more than {MAX_PARTS} parts in this game"
            ));
        }
        Ok(())
    }

    fn ground(
        &mut self,
        formula: &PropertyFormula,
        binding: &Binding,
    ) -> Result<Condition, String> {
        self.spend(1)?;
        Ok(match formula {
            PropertyFormula::Atom(pattern) => self.atom(pattern, binding)?,
            PropertyFormula::Distinct(left, right) => {
                Condition::Constant(bound(left, binding)? != bound(right, binding)?)
            }
            PropertyFormula::Not(inner) => self.ground(inner, binding)?.negated(),
            PropertyFormula::And(inner) => self.all(inner, binding, true)?,
            PropertyFormula::Or(inner) => self.all(inner, binding, false)?,
            PropertyFormula::Count {
                least,
                most,
                pattern,
            } => {
                let atoms = self.matches(pattern, binding)?;
                self.spend(atoms.len())?;
                let atoms = atoms.into_iter().filter_map(|(atom, _)| atom).collect();
                count(*least as usize, most.map(|most| most as usize), atoms)
            }
            PropertyFormula::ForAll(pattern, inner) => {
                self.quantified(pattern, inner, binding, true)?
            }
            PropertyFormula::Exists(pattern, inner) => {
                self.quantified(pattern, inner, binding, false)?
            }
        })
    }

    fn all(
        &mut self,
        inner: &[PropertyFormula],
        binding: &Binding,
        and: bool,
    ) -> Result<Condition, String> {
        let parts = inner.iter().map(|inner| self.ground(inner, binding));
        Ok(joined(parts.collect::<Result<_, _>>()?, and))
    }

    fn atom(&mut self, pattern: &Pattern, binding: &Binding) -> Result<Condition, String> {
        for term in terms_of(pattern) {
            bound(term, binding)?;
        }
        let found = self.matches(pattern, binding)?;
        let atoms: Vec<Condition> = found
            .into_iter()
            .map(|(atom, _)| atom.map_or(Condition::Constant(true), Condition::Atom))
            .collect();
        // With `_` several may match: then one is enough. A fact that no state can have does not hold.
        Ok(joined(atoms, false))
    }

    /// One condition for every binding of the pattern's variables.
    fn quantified(
        &mut self,
        pattern: &Pattern,
        inner: &PropertyFormula,
        binding: &Binding,
        and: bool,
    ) -> Result<Condition, String> {
        let found = self.matches(pattern, binding)?;
        self.spend(found.len())?;
        // The most frequent case, by one look at each instance.
        if let PropertyFormula::Count {
            least,
            most,
            pattern: counted,
        } = inner
            && counted == pattern
        {
            let mut groups: FxHashMap<Vec<Term>, Vec<Atom>> = FxHashMap::default();
            let mut order = Vec::new();
            for (number, (atom, binding)) in found.into_iter().enumerate() {
                self.check_limits(number)?;
                let key = key_of(pattern, &binding);
                let group = groups.entry(key.clone()).or_default();
                if group.is_empty() {
                    order.push(key);
                }
                group.extend(atom);
            }
            let parts = order.iter().map(|key| {
                let atoms = groups.remove(key).unwrap_or_default();
                count(*least as usize, most.map(|most| most as usize), atoms)
            });
            return Ok(joined(parts.collect(), and));
        }
        let mut seen = FxHashSet::default();
        let mut parts = Vec::new();
        for (number, (_, binding)) in found.into_iter().enumerate() {
            self.check_limits(number)?;
            if seen.insert(key_of(pattern, &binding)) {
                parts.push(self.ground(inner, &binding)?);
            }
        }
        Ok(joined(parts, and))
    }

    /// Everything that the pattern matches, with its binding. Roles are no atoms.
    fn matches(
        &self,
        pattern: &Pattern,
        binding: &Binding,
    ) -> Result<Vec<(Option<Atom>, Binding)>, String> {
        let game = self.game;
        let mut found = Vec::new();
        let each_role = |role: &Term, f: &mut dyn FnMut(usize, Binding)| {
            for (number, name) in game.roles.iter().enumerate() {
                let name = Term::Constant(name.clone());
                if let Some(binding) = matched(role, &name, binding) {
                    f(number, binding);
                }
            }
        };
        match pattern {
            Pattern::Terminal => found.push((Some(Atom::Terminal), binding.clone())),
            Pattern::Role(role) => each_role(role, &mut |_, binding| found.push((None, binding))),
            Pattern::True(fact) => {
                for (number, term) in game.facts.iter().enumerate() {
                    self.check_limits(number)?;
                    if let Some(binding) = matched(fact, term, binding) {
                        found.push((Some(Atom::True(number)), binding));
                    }
                }
            }
            Pattern::Legal(..) if game.unlisted_moves.is_some() => {
                return Err(game.unlisted_moves.clone().unwrap_or_default());
            }
            Pattern::Legal(role, action) => each_role(role, &mut |role, binding| {
                for (number, term) in game.moves[role].iter().enumerate() {
                    if self.check_limits(number).is_err() {
                        break;
                    }
                    if let Some(binding) = matched(action, term, &binding) {
                        found.push((Some(Atom::Legal(role, number)), binding));
                    }
                }
            }),
            Pattern::Goal(role, value) => each_role(role, &mut |role, binding| {
                for (number, term) in game.goals[role].iter().enumerate() {
                    if let Some(binding) = matched(value, term, &binding) {
                        found.push((Some(Atom::Goal(role, number)), binding));
                    }
                }
            }),
        }
        // An error tells that instances were left out for want of time.
        self.check_limits(0).map(|()| found)
    }
}

fn terms_of(pattern: &Pattern) -> Vec<&Term> {
    match pattern {
        Pattern::Terminal => vec![],
        Pattern::True(term) | Pattern::Role(term) => vec![term],
        Pattern::Legal(role, term) | Pattern::Goal(role, term) => vec![role, term],
    }
}

/// The values of a pattern's variables, in order.
fn key_of(pattern: &Pattern, binding: &Binding) -> Vec<Term> {
    let terms = terms_of(pattern).into_iter();
    let names = terms.flat_map(Term::variables);
    names.map(|name| binding[name].clone()).collect()
}

/// The term with its variables replaced; all of them must be bound.
fn bound(term: &Term, binding: &Binding) -> Result<Term, String> {
    Ok(match term {
        Term::Constant(_) => term.clone(),
        Term::Variable(name) => binding.get(name).cloned().ok_or_else(|| {
            format!(
                "the variable `?{name}` is not bound: put a `forall` or `exists` with a pattern that \
                 has it around it, or write `_` for anything"
            )
        })?,
        Term::Function(name, arguments) => Term::Function(
            name.clone(),
            arguments
                .iter()
                .map(|term| bound(term, binding))
                .collect::<Result<_, _>>()?,
        ),
    })
}

/// The conjunction or disjunction, simplified.
fn joined(parts: Vec<Condition>, and: bool) -> Condition {
    let mut kept = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Condition::Constant(value) if value == and => {}
            Condition::Constant(value) => return Condition::Constant(value),
            Condition::All(inner) if and => kept.extend(inner),
            Condition::Any(inner) if !and => kept.extend(inner),
            other => kept.push(other),
        }
    }
    match kept.len() {
        0 => Condition::Constant(and),
        1 => kept.pop().expect("it has one"),
        _ if and => Condition::All(kept),
        _ => Condition::Any(kept),
    }
}
