//! Programs as text, one item to a line:
//!
//! ```text
//! program 7                          variables are numbered from 1
//! factor 1/2                         may be left out if it is 1
//! mean 1:1/3 2:1/2                   an open decision of chance, with probabilities
//! min 3                              an open decision of the minimising player
//! max 4 5 of {1} {2} {1 2} {}        a listed one: by place, the variables that are true
//!   legal -4 1                       a clause of its legality
//! mean 6 7 of {1} {2} unless -4      chance selects, or the maximising player where 4 is false
//! gate 8 = (1 -2) (3)                a conjunction of clauses
//! gate 9 = not (1) (2)               or its negation
//! check 8 9 -1
//! ```
//!
//! A negative number is a negated literal, as in DIMACS. What follows `#` is a comment.

use super::{Decision, Item, Program};
use crate::bounds::MAX_VARIABLES;
use formula::{BigRational, Lit, Names, Probability, Quantifier, Var};
use num_traits::One;
use std::fmt;
use std::str::FromStr;

/// Why a text is no program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ReadError {}

/// Literals with spaces in between.
struct Spaced<'a>(&'a [Lit]);

impl fmt::Display for Spaced<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, literal) in self.0.iter().enumerate() {
            let space = if place > 0 { " " } else { "" };
            write!(f, "{space}{}", literal.to_dimacs())?;
        }
        Ok(())
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "program {}", self.variables)?;
        if !self.factor.is_one() {
            writeln!(f, "factor {}", self.factor)?;
        }
        for item in &self.items {
            match *item {
                Item::Gate(number) => {
                    let gate = &self.gates[number];
                    let not = if gate.inverted { " not" } else { "" };
                    write!(f, "gate {} ={not}", gate.output.index() + 1)?;
                    for clause in self.conjuncts(gate) {
                        write!(f, " ({})", Spaced(clause))?;
                    }
                    writeln!(f)?;
                }
                Item::Check(number) => writeln!(f, "check {}", Spaced(self.clauses.get(number)))?,
                Item::Decision(number) => self.write_decision(&self.decisions[number], f)?,
            }
        }
        Ok(())
    }
}

impl Program {
    fn write_decision(&self, decision: &Decision, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let owner = match decision.quantifier {
            Quantifier::Exists => "max",
            Quantifier::Forall => "min",
            Quantifier::Chance => "mean",
        };
        write!(f, "{owner}")?;
        for (place, variable) in decision.variables.iter().enumerate() {
            write!(f, " {}", variable.index() + 1)?;
            if let Some(chance) = decision.probabilities.get(place) {
                write!(f, ":{}", chance.as_rational())?;
            }
        }
        let Some(listed) = &decision.listed else {
            return writeln!(f);
        };
        write!(f, " of")?;
        for assignment in &listed.assignments {
            let places: Vec<String> = assignment.iter().map(|n| (n + 1).to_string()).collect();
            write!(f, " {{{}}}", places.join(" "))?;
        }
        if let Some(literal) = listed.unless {
            write!(f, " unless {}", literal.to_dimacs())?;
        }
        writeln!(f)?;
        for clause in self.legality(decision) {
            writeln!(f, "  legal {}", Spaced(clause))?;
        }
        Ok(())
    }
}

impl Program {
    /// The names of the variables that the program defines, as comments to put behind it.
    pub fn legend(&self, names: &Names) -> String {
        let decisions = self.decisions.iter();
        let decided = decisions.flat_map(|decision| decision.variables.iter().copied());
        let gates = self.gates.iter().map(|gate| gate.output);
        let mut variables: Vec<Var> = decided.chain(gates).collect();
        variables.sort_unstable();
        let named = variables.into_iter().filter_map(|variable| {
            let name = names.get(variable)?;
            Some(format!("# {} is {name}\n", variable.index() + 1))
        });
        named.collect()
    }
}

impl FromStr for Program {
    type Err = ReadError;

    fn from_str(text: &str) -> Result<Self, ReadError> {
        let mut program: Option<Program> = None;
        // The line of each item.
        let mut lines = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let at = |message: String| ReadError {
                line: number,
                message,
            };
            let line = line.split('#').next().unwrap_or("").trim();
            let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let rest = rest.trim_start();
            match (&mut program, word) {
                (_, "") => {}
                (None, "program") => {
                    let variables = rest.parse().ok().filter(|&n: &usize| n <= MAX_VARIABLES);
                    let variables = variables.ok_or_else(|| {
                        at(format!("`program` takes a number up to {MAX_VARIABLES}"))
                    })?;
                    program = Some(Program::new(variables, BigRational::one()));
                }
                (None, _) => return Err(at("the first line is `program N`".to_owned())),
                (Some(program), word) => {
                    read_line(program, word, rest).map_err(at)?;
                    lines.resize(program.items.len(), number);
                }
            }
        }
        let missing = || ReadError {
            line: 1,
            message: "the first line is `program N`".to_owned(),
        };
        let program = program.ok_or_else(missing)?;
        match program.check() {
            Ok(()) => Ok(program),
            Err((item, broken)) => Err(ReadError {
                line: lines[item],
                message: broken.to_string(),
            }),
        }
    }
}

/// Reads a line of a program, by its first word.
fn read_line(program: &mut Program, word: &str, rest: &str) -> Result<(), String> {
    let quantifier = match word {
        "max" => Quantifier::Exists,
        "min" => Quantifier::Forall,
        "mean" => Quantifier::Chance,
        "factor" => {
            let factor = fraction(rest).ok_or("`factor` takes a fraction from 0 to 1")?;
            program.factor = factor.as_rational().clone();
            return Ok(());
        }
        "gate" => return read_gate(program, rest),
        "check" => {
            program.push_check(&literals(rest)?);
            return Ok(());
        }
        "legal" => {
            let listed = match program.items.last() {
                Some(&Item::Decision(number)) => program.decisions[number].listed.as_ref(),
                _ => None,
            };
            listed.ok_or("`legal` follows a decision with a list")?;
            program.push_legal(&literals(rest)?);
            return Ok(());
        }
        _ => return Err(format!("`{word}` is unknown")),
    };
    let (variables, list) = match rest.split_once("of") {
        Some((variables, list)) => (variables, Some(list)),
        None => (rest, None),
    };
    let (variables, probabilities) = read_variables(variables)?;
    let decision = match list {
        None => Decision::open(quantifier, variables, probabilities),
        Some(list) => {
            let (list, unless) = match list.split_once("unless") {
                Some((list, unless)) => (list, Some(literal(unless.trim())?)),
                None => (list, None),
            };
            let assignments = read_groups(list, ['{', '}'])?;
            let assignments: Result<_, String> = assignments.into_iter().map(read_places).collect();
            let decision = Decision::listed(quantifier, variables, assignments?, unless);
            Decision {
                probabilities,
                ..decision
            }
        }
    };
    program.push_decision(decision);
    Ok(())
}

fn read_gate(program: &mut Program, rest: &str) -> Result<(), String> {
    let (output, definition) = rest.split_once('=').ok_or("`=` is missing")?;
    let definition = definition.trim();
    let (inverted, clauses) = match definition.strip_prefix("not") {
        Some(clauses) => (true, clauses),
        None => (false, definition),
    };
    let clauses = read_groups(clauses, ['(', ')'])?;
    let clauses: Result<Vec<Vec<Lit>>, String> = clauses.into_iter().map(literals).collect();
    program.push_gate(variable(output.trim())?, inverted, clauses?);
    Ok(())
}

/// Variables, each perhaps with a probability.
fn read_variables(text: &str) -> Result<(Vec<Var>, Vec<Probability>), String> {
    let (mut variables, mut probabilities) = (Vec::new(), Vec::new());
    for word in text.split_whitespace() {
        let number = match word.split_once(':') {
            None => word,
            Some((number, chance)) => {
                let chance = fraction(chance).ok_or(format!("`{word}` has no probability"))?;
                probabilities.push(chance);
                number
            }
        };
        variables.push(variable(number)?);
    }
    Ok((variables, probabilities))
}

/// What stands between pairs of brackets.
fn read_groups(text: &str, [open, close]: [char; 2]) -> Result<Vec<&str>, String> {
    let mut groups = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let group = rest
            .strip_prefix(open)
            .and_then(|rest| rest.split_once(close));
        let (group, after) = group.ok_or(format!("`{open}` or `{close}` is missing"))?;
        groups.push(group);
        rest = after.trim_start();
    }
    Ok(groups)
}

fn read_places(text: &str) -> Result<Vec<u16>, String> {
    let place = |word: &str| {
        let place = word
            .parse::<u16>()
            .ok()
            .and_then(|place| place.checked_sub(1));
        place.ok_or(format!("`{word}` is no place"))
    };
    text.split_whitespace().map(place).collect()
}

fn literals(text: &str) -> Result<Vec<Lit>, String> {
    text.split_whitespace().map(literal).collect()
}

fn literal(word: &str) -> Result<Lit, String> {
    let number = word.parse().ok();
    let number = number.filter(|n: &i32| n.unsigned_abs() as usize <= MAX_VARIABLES);
    let literal = number.and_then(Lit::from_dimacs);
    literal.ok_or(format!("`{word}` is no literal"))
}

fn variable(word: &str) -> Result<Var, String> {
    match literal(word)? {
        literal if literal.is_negative() => Err(format!("`{word}` is no variable")),
        literal => Ok(literal.var()),
    }
}

/// A fraction from 0 to 1.
fn fraction(text: &str) -> Option<Probability> {
    Probability::new(text.trim().parse::<BigRational>().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Xssat;
    use crate::program::evaluate::evaluate;
    use formula::{Formula, enumerate};
    use generators::{Layered, Structured, layered, rounds, structured};

    const EXAMPLE: &str = "\
program 9
factor 1/2
mean 1:1/3 2:1/2
min 3
max 4 5 of {1} {2} {1 2} {}
  legal -4 1
  legal 3 -5 -2
mean 6 7 of {1} {2} unless -4
gate 8 = (1 -2) (3)
gate 9 = not (1) (2)
check 8 9 -1
";

    #[test]
    fn the_example_is_read_and_printed() {
        let program: Program = EXAMPLE.parse().expect("well-formed");
        assert_eq!(program.to_string(), EXAMPLE);
        let spaced = EXAMPLE.replace(' ', "  ").replace('\n', " # words\n\n");
        assert_eq!(spaced.parse(), Ok(program));
    }

    #[test]
    fn a_value_by_hand() {
        // Chance selects one of the legal two of three: 6 if 4 holds.
        let text = "program 4\nmean 1:1/4\nmean 2 3 4 of {1} {2} {3}\n  legal -4\ncheck 2 1\n";
        let program: Program = text.parse().expect("well-formed");
        assert_eq!(evaluate(&program).to_string(), "5/8");
    }

    #[test]
    fn faults_are_told_with_their_lines() {
        for (text, line, message) in [
            ("", 1, "the first line is `program N`"),
            ("# nothing\ncheck 1\n", 2, "the first line is `program N`"),
            ("program x", 1, "`program` takes a number up to 268435456"),
            (
                "program 3\nfactor 4/3",
                2,
                "`factor` takes a fraction from 0 to 1",
            ),
            ("program 3\nsum 1", 2, "`sum` is unknown"),
            ("program 3\nmin -1", 2, "`-1` is no variable"),
            ("program 3\nmin 4", 2, "there is no variable 4"),
            ("program 3\nmin 1\nmin 1", 3, "variable 1 is defined twice"),
            (
                "program 3\nmin 1\n\ncheck 1 2",
                4,
                "variable 2 is read before it is defined",
            ),
            (
                "program 3\nmean 1:1/2 2",
                2,
                "an open mean has one probability for each variable",
            ),
            ("program 3\nmean 1:2", 2, "`1:2` has no probability"),
            ("program 3\nmax 1", 2, "a maximum lists its assignments"),
            (
                "program 3\nmax 1 of {2}",
                2,
                "an assignment lists variables of its decision",
            ),
            ("program 3\nmax 1 of {0}", 2, "`0` is no place"),
            ("program 3\nmax 1 of {1", 2, "`{` or `}` is missing"),
            (
                "program 3\nmin 1\nlegal 1",
                3,
                "`legal` follows a decision with a list",
            ),
            ("program 3\ngate 1 (2)", 2, "`=` is missing"),
            ("program 3\ncheck 0", 2, "`0` is no literal"),
        ] {
            let error = text.parse::<Program>().expect_err(text);
            assert_eq!(error.line, line, "{text}: {error}");
            assert!(error.message.starts_with(message), "{text}: {error}");
        }
    }

    fn random(random: &mut fastrand::Rng) -> Formula {
        if random.bool() {
            return structured(random, &Structured::default());
        }
        let quantifiers = vec![Quantifier::Exists, Quantifier::Forall, Quantifier::Chance];
        let family = Layered {
            steps: 2,
            state: 2,
            decision: 2,
            quantifiers,
        };
        layered(random, &family)
    }

    #[test]
    fn programs_of_random_formulas_are_read_as_they_were_printed() {
        let mut lists = 0;
        for seed in 0..rounds(300) {
            let mut rng = fastrand::Rng::with_seed(seed);
            let formula = random(&mut rng);
            let program = Xssat::default().program(&formula);
            let read: Program = program.to_string().parse().expect("it was printed");
            assert_eq!(read, program, "seed {seed}");
            let value = enumerate(&formula).expect("it is small");
            assert_eq!(evaluate(&read), value, "seed {seed}: {program}");
            let listed = read.decisions.iter().filter_map(|d| d.listed.as_ref());
            lists += listed.filter(|listed| !listed.legality.is_empty()).count() as u64;
        }
        assert!(lists > rounds(50), "only {lists} decisions with legality");
    }

    /// Text in which anything may be wrong is read or refused; what was read is read again.
    #[test]
    fn damaged_programs_do_no_harm() {
        let mut read = 0;
        let mut random = fastrand::Rng::with_seed(1);
        let words = [
            "of", "unless", "not", "{", "}", "(", ")", ":", "=", "-1", "99", "max", " ", "\n",
        ];
        for _ in 0..rounds(20_000) {
            let mut text = EXAMPLE.to_owned();
            for _ in 0..random.usize(1..4) {
                let [mut start, mut end] = [0, 0].map(|_| random.usize(0..=text.len()));
                if random.bool() {
                    end = (start + 1).min(text.len());
                }
                (start, end) = (start.min(end), start.max(end));
                let word = random.choice(words).expect("not empty");
                text.replace_range(start..end, word);
            }
            if let Ok(program) = text.parse::<Program>() {
                assert_eq!(program.to_string().parse(), Ok(program), "{text}");
                read += 1;
            }
        }
        assert!(read > 100, "only {read} were read");
    }
}
