//! Decision tree of a strategy: the role's moves by few questions about the position.
//!
//! Top-down induction (Quinlan, *Induction of decision trees*, 1986): a question is whether a fact holds, whether the number in a fact is at
//! most some number, or whether at most some steps are left. The leaf that gains most information by its best
//! question is split, until each leaf has one move or there are as many leaves as a person wants to read. So the tree is exact where it is
//! small enough, and else tells in how many positions it names another move.
//!
//! ```text
//! (control oplayer): noop
//! else (pot N), N at most 2: roll
//! else: hold
//! ```

use super::policy::{Decision, Strategy};
use super::table::TermNumber;
use gdl::{Name, Term};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The most leaves, about a screen.
const MAX_LEAVES: usize = 24;
/// The most positions; more take long, and no few questions tell their moves.
const MAX_POSITIONS: usize = 100_000;

/// A question about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Question {
    Holds(TermNumber),
    /// Whether the number in the fact of this kind is at most this one.
    NumberAtMost(u32, u64),
    /// Whether the number of steps left is at most this one.
    StepsAtMost(u32),
}

/// The tree; positions are those of the role's side of the strategy.
enum Tree {
    Leaf {
        positions: Vec<u32>,
        action: TermNumber,
    },
    Split {
        question: Question,
        yes: Box<Tree>,
        no: Box<Tree>,
    },
}

/// How often each move is made.
type Counts = FxHashMap<TermNumber, usize>;

/// The facts of a strategy, seen as kinds with a number: `(score ann 3)` is of the kind `(score ann N)` with 3.
struct Numbers {
    kinds: Vec<Term>,
    /// For each fact its kinds and numbers.
    of_fact: Vec<Vec<(u32, u64)>>,
}

impl Numbers {
    fn new(strategy: &Strategy) -> Self {
        let mut kinds: FxHashMap<Term, u32> = FxHashMap::default();
        let mut numbers = Numbers {
            kinds: Vec::new(),
            of_fact: Vec::new(),
        };
        for fact in strategy.terms.all() {
            let mut found = Vec::new();
            if let Term::Function(name, arguments) = fact {
                for (index, argument) in arguments.iter().enumerate() {
                    let Some(number) = number(argument) else {
                        continue;
                    };
                    let mut holed = arguments.clone();
                    holed[index] = Term::Constant(Name::new("N"));
                    let kind = Term::Function(name.clone(), holed);
                    let next = kinds.len() as u32;
                    let kind = *kinds.entry(kind).or_insert_with_key(|kind| {
                        numbers.kinds.push(kind.clone());
                        next
                    });
                    found.push((kind, number));
                }
            }
            numbers.of_fact.push(found);
        }
        numbers
    }
}

fn number(term: &Term) -> Option<u64> {
    match term {
        Term::Constant(name) => {
            let text = name.as_str();
            let number = text.parse().ok()?;
            // `007` is another constant than `7`.
            (text == format!("{number}")).then_some(number)
        }
        _ => None,
    }
}

/// The entropy of the moves of some positions, times the number of positions, in bits. `counts` says how often each move is made.
fn bits<'a>(counts: impl Iterator<Item = &'a usize> + Clone) -> f64 {
    let all = counts.clone().sum::<usize>() as f64;
    counts
        .filter(|count| **count > 0)
        .map(|&count| -(count as f64) * (count as f64 / all).log2())
        .sum()
}

struct Learner<'a> {
    decisions: &'a [Decision],
    numbers: Numbers,
}

impl Learner<'_> {
    fn counts(&self, positions: &[u32]) -> Counts {
        let mut counts = Counts::default();
        for &position in positions {
            *counts
                .entry(self.decisions[position as usize].action)
                .or_default() += 1;
        }
        counts
    }

    /// A leaf with the most frequent move, and of equals the first.
    fn leaf(&self, positions: Vec<u32>) -> Tree {
        let counts = self.counts(&positions);
        let most = counts
            .iter()
            .max_by_key(|(action, n)| (**n, Reverse(**action)));
        Tree::Leaf {
            action: *most.expect("a leaf has positions").0,
            positions,
        }
    }

    /// The number of the only fact of a kind in a position.
    fn number_in(&self, position: u32, kind: u32) -> Option<u64> {
        let facts = self.decisions[position as usize].position.facts.iter();
        let all = facts.flat_map(|&fact| &self.numbers.of_fact[fact as usize]);
        let mut all = all.filter(|(other, _)| *other == kind);
        let (_, number) = all.next()?;
        all.next().is_none().then_some(*number)
    }

    fn answer(&self, position: u32, question: Question) -> bool {
        let here = &self.decisions[position as usize].position;
        match question {
            Question::Holds(fact) => here.facts.contains(&fact),
            Question::NumberAtMost(kind, most) => self
                .number_in(position, kind)
                .is_some_and(|number| number <= most),
            Question::StepsAtMost(most) => here.steps.is_some_and(|steps| steps <= most),
        }
    }

    /// The question that gains most bits about the moves of these positions, with its gain; none where all make the same one.
    fn best_question(&self, positions: &[u32]) -> Option<(f64, Question)> {
        let all = self.counts(positions);
        if all.len() < 2 {
            return None;
        }
        let whole = bits(all.values());
        let mut best: Option<(f64, Question)> = None;
        let mut propose = |question: Question, yes: &Counts| {
            let count: usize = yes.values().sum();
            if count == 0 || count == positions.len() {
                return;
            }
            let no = all
                .iter()
                .map(|(action, n)| n - yes.get(action).unwrap_or(&0));
            let no: Vec<usize> = no.collect();
            let gain = whole - bits(yes.values()) - bits(no.iter());
            if best.as_ref().is_none_or(|(most, _)| gain > most + 1e-9) {
                best = Some((gain, question));
            }
        };
        // Numbers first: of equal questions they say more.
        let mut steps: BTreeMap<u64, Counts> = BTreeMap::new();
        let mut by_kind: BTreeMap<u32, BTreeMap<u64, Counts>> = BTreeMap::new();
        let mut by_fact: BTreeMap<TermNumber, Counts> = BTreeMap::new();
        for &position in positions {
            let Decision {
                position, action, ..
            } = &self.decisions[position as usize];
            let count = |counts: &mut Counts| *counts.entry(*action).or_default() += 1;
            if let Some(left) = position.steps {
                count(steps.entry(left.into()).or_default());
            }
            for &fact in &position.facts {
                count(by_fact.entry(fact).or_default());
                for &(kind, number) in &self.numbers.of_fact[fact as usize] {
                    count(by_kind.entry(kind).or_default().entry(number).or_default());
                }
            }
        }
        let mut thresholds = |by_number: BTreeMap<u64, Counts>,
                              question: &dyn Fn(u64) -> Question| {
            let mut yes = Counts::default();
            for (number, counts) in by_number {
                for (action, n) in counts {
                    *yes.entry(action).or_default() += n;
                }
                propose(question(number), &yes);
            }
        };
        for (kind, by_number) in by_kind {
            // Each position has exactly one fact of the kind, or the question would have no clear meaning.
            let facts: usize = by_number.values().flat_map(Counts::values).sum();
            if facts == positions.len()
                && positions
                    .iter()
                    .all(|&it| self.number_in(it, kind).is_some())
            {
                thresholds(by_number, &|most| Question::NumberAtMost(kind, most));
            }
        }
        let with_steps: usize = steps.values().flat_map(Counts::values).sum();
        if with_steps == positions.len() {
            thresholds(steps, &|most| Question::StepsAtMost(most as u32));
        }
        for (fact, yes) in by_fact {
            propose(Question::Holds(fact), &yes);
        }
        best
    }

    /// Splits the leaf that gains most until no question helps or there are enough leaves.
    fn tree(&self) -> Tree {
        /// The leaf at the end of a way of answers.
        fn at<'a>(mut tree: &'a mut Tree, way: &[bool]) -> &'a mut Tree {
            for &answer in way {
                let Tree::Split { yes, no, .. } = tree else {
                    unreachable!("the way leads through splits");
                };
                tree = if answer { yes } else { no };
            }
            tree
        }
        let positions: Vec<u32> = (0..self.decisions.len() as u32).collect();
        let mut open: Vec<(f64, Question, Vec<bool>)> = Vec::new();
        let best = self.best_question(&positions);
        open.extend(best.map(|(gain, question)| (gain, question, Vec::new())));
        let mut tree = self.leaf(positions);
        for _ in 1..MAX_LEAVES {
            let most = (0..open.len()).max_by(|&a, &b| open[a].0.total_cmp(&open[b].0));
            let Some((_, question, way)) = most.map(|index| open.swap_remove(index)) else {
                break;
            };
            let leaf = at(&mut tree, &way);
            let Tree::Leaf { positions, .. } = leaf else {
                unreachable!("it was not split yet");
            };
            let (yes, no): (Vec<u32>, Vec<u32>) = std::mem::take(positions)
                .into_iter()
                .partition(|&position| self.answer(position, question));
            for (answer, positions) in [(true, &yes), (false, &no)] {
                let way = [&way[..], &[answer]].concat();
                let best = self.best_question(positions);
                open.extend(best.map(|(gain, question)| (gain, question, way)));
            }
            *leaf = Tree::Split {
                question,
                yes: Box::new(self.leaf(yes)),
                no: Box::new(self.leaf(no)),
            };
        }
        merged(tree)
    }

    /// The number of positions in which the tree names another move.
    fn exceptions(&self, tree: &Tree) -> usize {
        match tree {
            Tree::Leaf { positions, action } => {
                let actions = positions
                    .iter()
                    .map(|&it| self.decisions[it as usize].action);
                actions.filter(|made| made != action).count()
            }
            Tree::Split { yes, no, .. } => self.exceptions(yes) + self.exceptions(no),
        }
    }
}

/// Writes the tree of the role's moves; nothing for too many positions, or where it says little: with a quarter of the positions as
/// exceptions, or half as many leaves as positions.
pub(crate) fn write_decision_tree(strategy: &Strategy, to: &mut dyn Write) -> io::Result<()> {
    let positions = strategy.player.len();
    if positions == 0 || positions > MAX_POSITIONS {
        return Ok(());
    }
    let learner = Learner {
        decisions: &strategy.player,
        numbers: Numbers::new(strategy),
    };
    let tree = learner.tree();
    let exceptions = learner.exceptions(&tree);
    if exceptions * 4 > positions || leaves(&tree) * 2 > positions {
        return Ok(());
    }
    let right = match exceptions {
        0 => format!("all {positions}"),
        exceptions => format!("{} of {positions}", positions - exceptions),
    };
    let role = &strategy.heading.role;
    write!(
        to,
        "\nMoves of {role} in short, those of {right} positions below:\n\n"
    )?;
    let printer = Printer {
        strategy,
        kinds: &learner.numbers.kinds,
    };
    printer.write(&tree, 0, true, to)
}

/// Makes one leaf of two that are answers to one question and name the same move.
fn merged(tree: Tree) -> Tree {
    let Tree::Split { question, yes, no } = tree else {
        return tree;
    };
    match (merged(*yes), merged(*no)) {
        (
            Tree::Leaf {
                mut positions,
                action,
            },
            Tree::Leaf {
                positions: others,
                action: other,
            },
        ) if action == other => {
            positions.extend(others);
            Tree::Leaf { positions, action }
        }
        (yes, no) => Tree::Split {
            question,
            yes: Box::new(yes),
            no: Box::new(no),
        },
    }
}

fn leaves(tree: &Tree) -> usize {
    match tree {
        Tree::Leaf { .. } => 1,
        Tree::Split { yes, no, .. } => leaves(yes) + leaves(no),
    }
}

struct Printer<'a> {
    strategy: &'a Strategy,
    kinds: &'a [Term],
}

impl Printer<'_> {
    /// A leaf on the line of its question; a split with a leaf on one side goes on beside it, so most trees are lists.
    fn write(
        &self,
        tree: &Tree,
        depth: usize,
        is_first: bool,
        to: &mut dyn Write,
    ) -> io::Result<()> {
        let margin = "  ".repeat(depth + 1);
        let otherwise = if is_first { "" } else { "else " };
        match tree {
            Tree::Leaf { action, .. } => {
                let action = self.strategy.terms.term(*action);
                let otherwise = if is_first { "always" } else { "else" };
                writeln!(to, "{margin}{otherwise}: {action}")
            }
            Tree::Split { question, yes, no } => {
                let (answer, first, rest) = match (&**yes, &**no) {
                    (Tree::Split { .. }, Tree::Leaf { .. }) => (false, no, yes),
                    _ => (true, yes, no),
                };
                let asked = self.question(*question, answer);
                match &**first {
                    Tree::Leaf { action, .. } => {
                        let action = self.strategy.terms.term(*action);
                        writeln!(to, "{margin}{otherwise}{asked}: {action}")?;
                    }
                    Tree::Split { .. } => {
                        writeln!(to, "{margin}{otherwise}{asked}:")?;
                        self.write(first, depth + 1, true, to)?;
                    }
                }
                self.write(rest, depth, false, to)
            }
        }
    }

    fn question(&self, question: Question, answer: bool) -> String {
        match (question, answer) {
            (Question::Holds(fact), true) => self.strategy.terms.term(fact).to_string(),
            (Question::Holds(fact), false) => format!("not {}", self.strategy.terms.term(fact)),
            (Question::NumberAtMost(kind, most), true) => {
                format!("{}, N at most {most}", self.kinds[kind as usize])
            }
            (Question::NumberAtMost(kind, most), false) => {
                format!("{}, N above {most}", self.kinds[kind as usize])
            }
            (Question::StepsAtMost(most), true) => format!("at most {most} steps left"),
            (Question::StepsAtMost(most), false) => format!("more than {most} steps left"),
        }
    }
}
