//! Random quantified programs from text to value, against the definition: all quantifiers, atoms
//! that are facts or never hold, recursion, bounds on numbers, programs that are not stratified.

use super::naive::{ATOMS, Condition, Decider, Head, Literal, Program, Rule, value};
use crate::common::rounds;
use crate::common::{PREFIX_METHODS, in_parallel, say, solve};
use fastrand::Rng;
use formula::BigRational;
use generators::leave_out;
use logic::route::{RouteOptions, route_program};
use logic::sqasp::PrefixMethod;
use num_traits::{One, Zero};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// A random program. A stratified one has no atom that depends on its own negation, except by way of
/// choice rules.
pub(super) fn random_program(rng: &mut Rng, stratified: bool) -> Program {
    let atom_count = rng.usize(3..=ATOMS.len());
    let mut generator = Generator {
        rng,
        atom_count,
        stratified,
    };
    let choices = generator.rng.usize(..3);
    let others = generator.rng.usize(1..7);
    let mut rules = vec![generator.free_choice()];
    rules.extend((0..choices).map(|_| generator.choice_rule()));
    rules.extend((0..others).map(|_| generator.other_rule()));
    let quantified = generator.quantifiers();
    Program { rules, quantified }
}

struct Generator<'a> {
    rng: &'a mut Rng,
    atom_count: usize,
    stratified: bool,
}

impl Generator<'_> {
    fn some_atoms(&mut self, most: usize) -> Vec<usize> {
        let mut atoms: Vec<usize> = (0..self.atom_count).collect();
        self.rng.shuffle(&mut atoms);
        atoms.truncate(self.rng.usize(1..=most));
        atoms
    }

    /// Without it most programs would have no answer set for most decisions.
    fn free_choice(&mut self) -> Rule {
        let head = Head::Choice {
            least: None,
            atoms: self.some_atoms(self.atom_count),
            most: None,
        };
        let body = Vec::new();
        Rule { head, body }
    }

    fn choice_rule(&mut self) -> Rule {
        let atoms = self.some_atoms(4);
        let bounds = [
            (None, None),
            (None, None),
            (Some(1), Some(1)),
            (Some(1), None),
            (None, Some(2)),
        ];
        let (least, most) = self.rng.choice(bounds).expect("there are some");
        let head = Head::Choice { least, atoms, most };
        let body = match self.rng.u8(..3) {
            0 => self.body(None),
            _ => Vec::new(),
        };
        Rule { head, body }
    }

    fn other_rule(&mut self) -> Rule {
        match self.rng.u8(..10) {
            0..2 => {
                let body = self.body(None);
                Rule {
                    head: Head::Constraint,
                    body,
                }
            }
            2 => Rule {
                head: Head::Atom(self.rng.usize(..self.atom_count)),
                body: Vec::new(),
            },
            _ => {
                let head = self.rng.usize(..self.atom_count);
                let body = self.body(self.stratified.then_some(head));
                Rule {
                    head: Head::Atom(head),
                    body,
                }
            }
        }
    }

    /// A body; for the rule of a stratified program with this head, if one is given: atoms up to
    /// the head's neighbour, and only earlier ones negated.
    fn body(&mut self, head: Option<usize>) -> Vec<Condition> {
        let length = self.rng.usize(1..4);
        (0..length).map(|_| self.condition(head)).collect()
    }

    fn condition(&mut self, head: Option<usize>) -> Condition {
        let (positive_end, negative_end) = match head {
            None => (self.atom_count, self.atom_count),
            Some(head) => ((head | 1).min(self.atom_count - 1) + 1, head & !1),
        };
        if self.rng.u8(..5) > 0 {
            let negative = negative_end > 0 && self.rng.bool();
            let end = if negative { negative_end } else { positive_end };
            let atom = self.rng.usize(..end);
            return Condition::literal(Literal { atom, negative });
        }
        let negative = negative_end > 0 && self.rng.u8(..3) == 0;
        let end = if negative { negative_end } else { positive_end };
        let mut literals: Vec<Literal> = Vec::new();
        for atom in 0..end {
            if self.rng.bool() {
                let negative = atom < negative_end && self.rng.u8(..3) == 0;
                literals.push(Literal { atom, negative });
            }
        }
        Condition {
            least: Some(self.rng.usize(..=literals.len() + 1)),
            literals,
            negative,
        }
    }

    fn quantifiers(&mut self) -> Vec<(u32, Decider, usize)> {
        // All names, so also of atoms that no rule has.
        let mut atoms: Vec<usize> = (0..ATOMS.len()).collect();
        self.rng.shuffle(&mut atoms);
        atoms.truncate(self.rng.usize(..=6));
        let mut level = self.rng.u32(1..4);
        let mut kind = self.rng.u8(..7);
        let mut quantified = Vec::new();
        for atom in atoms {
            if self.rng.bool() {
                level += self.rng.u32(1..4);
                kind = self.rng.u8(..7);
            }
            let decider = match kind {
                0..3 => Decider::Exists,
                3 => Decider::Forall,
                _ => {
                    let q = self.rng.u32(1..8);
                    Decider::Chance(self.rng.u32(..=q), q)
                }
            };
            quantified.push((level, decider, atom));
        }
        quantified
    }
}

/// The fault of the route for this program, if any; else the value, and whether the
/// ground program is stratified.
fn check(program: &Program, prefix: PrefixMethod) -> Result<(BigRational, bool), String> {
    let options = RouteOptions {
        prefix,
        ..RouteOptions::default()
    };
    match route_program(&program.to_string(), &options) {
        Ok(route) => {
            let (found, expected) = (solve(&route.formula), value(program));
            if found == expected {
                Ok((found, lp2sat::check_stratified(&route.ground).is_ok()))
            } else {
                Err(format!(
                    "{found} with the prefix {prefix}, {expected} by definition"
                ))
            }
        }
        Err(error) => Err(format!("prefix {prefix}: {error}")),
    }
}

/// Statements and comments that say nothing about answer sets, so they must change no value.
const DECORATIONS: [&str; 20] = [
    "#show.",
    "#show a/0.",
    "#show b/1. #show -a/0.",
    "#show _exists/2. #show _chance/4.",
    "#show shown : a.",
    "#show a : b(1). #show not_a : not b(2).",
    "%* hidden *% #show not_a/0.",
    "%* %* *% \" *% #show c/2. % *%",
    "%* % *%\n *% #show.",
    "#! #include \"nowhere\"",
    "#program base.",
    "s(\"%* #include \\\" #program step(t).\").",
    "#project a/0. #project b(1).",
    "#heuristic a : not b(1). [10,true]",
    "#minimize { 1 : a; -2@3,x : b(2) }. #maximize { 1 : not_a }.",
    ":~ a. [3]",
    "#defined a/0. #defined nowhere/2.",
    "#const k = 3. s(k).",
    "#external external_a. s(0) :- external_a.",
    "#external external_b. [true]\n s(1) :- external_b.",
];

/// Defects that would change the value, or leave out rules, and so must be refused.
const REFUSED: [&str; 8] = [
    "#program step(t).",
    "%* *% #program%* base *%\nextra.",
    "#include <incmode>.",
    "#include \"/dev/null\".",
    "#edge (1,2) : not nowhere. #edge (2,1) : not nowhere.",
    "x ; y.",
    "#theory t { t { - : 1, unary }; &p/0 : t, {<=}, t, any }. :- &p { } <= 1.",
    "#script (lua) function main(prg) end #end.",
];

/// The program, decorated; some of its lines in a file that is included.
fn decorated(program: &Program, rng: &mut Rng, folder: &Path) -> String {
    let text = program.to_string();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    // An atom that a rule without body has in its head is not external.
    if let Some(Head::Choice { atoms, .. }) = program.rules.first().map(|rule| &rule.head) {
        let kind = rng.choice(["true", "false", "free"]).expect("some");
        let atom = ATOMS[atoms[0]];
        lines.insert(
            rng.usize(..=lines.len()),
            format!("#external {atom}. [{kind}]"),
        );
    }
    let mut decorations = DECORATIONS;
    rng.shuffle(&mut decorations);
    for decoration in &decorations[..rng.usize(1..5)] {
        lines.insert(rng.usize(..=lines.len()), (*decoration).to_owned());
    }
    if rng.bool() {
        let included = lines.split_off(rng.usize(..lines.len()));
        let path = folder.join(format!("{}.lp", rng.u64(..)));
        std::fs::write(&path, included.join("\n") + "\n").expect("a file");
        lines.insert(
            rng.usize(..=lines.len()),
            format!("#include \"{}\".", path.display()),
        );
    }
    lines.join("\n")
}

#[test]
fn what_is_no_rule_changes_no_value() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let programs = rounds(1000);
    let refused = AtomicU64::new(0);
    in_parallel((0..programs).collect(), |seed| {
        let mut rng = Rng::with_seed(seed);
        let program = random_program(&mut rng, true);
        let text = decorated(&program, &mut rng, folder.path());
        let route = route_program(&text, &RouteOptions::default())
            .map_err(|error| format!("seed {seed}: {error}\n{text}"))?;
        let (found, expected) = (solve(&route.formula), value(&program));
        if found != expected {
            return Err(format!("seed {seed}: {found} and not {expected}\n{text}"));
        }
        let bad = rng.choice(REFUSED).expect("some");
        match route_program(&format!("{bad}\n{text}"), &RouteOptions::default()) {
            Ok(_) => Err(format!("seed {seed}: {bad} is taken\n{text}")),
            Err(_) => {
                refused.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
        }
    });
    let refused = refused.into_inner();
    say(&format!(
        "{programs} programs with statements that are no rules have the values of the definition; \
         {refused} with statements that would change it are refused"
    ));
}

/// Leaves out rules, conditions and quantifiers as long as it still fails.
fn shrink(program: &Program, fails: impl Fn(&Program) -> bool) -> Program {
    let mut small = program.clone();
    loop {
        let before = small.clone();
        let mut other = small.clone();
        small.rules = leave_out(&small.rules, |rules| {
            other.rules = rules.to_vec();
            fails(&other)
        });
        other = small.clone();
        small.quantified = leave_out(&small.quantified, |quantified| {
            other.quantified = quantified.to_vec();
            fails(&other)
        });
        for index in 0..small.rules.len() {
            other = small.clone();
            let rule = &mut small.rules[index];
            rule.body = leave_out(&rule.body, |body| {
                other.rules[index].body = body.to_vec();
                // A constraint keeps a condition.
                (rule.head != Head::Constraint || !body.is_empty()) && fails(&other)
            });
        }
        if small == before {
            return small;
        }
    }
}

#[test]
fn random_programs_have_the_values_of_the_definition() {
    let programs = rounds(2000);
    let [between, zero, one, unstratified] = [(); 4].map(|()| AtomicU64::new(0));
    in_parallel((0..programs).collect(), |seed| {
        let mut rng = Rng::with_seed(seed);
        let program = random_program(&mut rng, seed % 3 > 0);
        for prefix in PREFIX_METHODS {
            let (value, is_stratified) = check(&program, prefix).map_err(|first| {
                let small = shrink(&program, |program| check(program, prefix).is_err());
                let still = check(&small, prefix).unwrap_err();
                format!("seed {seed}: {first}\nAs small as it could be made: {still}\n{small}")
            })?;
            let counter = match value {
                value if value.is_zero() => &zero,
                value if value.is_one() => &one,
                _ => &between,
            };
            counter.fetch_add(1, Ordering::Relaxed);
            if !is_stratified {
                unstratified.fetch_add(1, Ordering::Relaxed);
            }
        }
        Ok(())
    });
    let [between, zero, one, unstratified] =
        [between, zero, one, unstratified].map(AtomicU64::into_inner);
    say(&format!(
        "{programs} random programs agree with both prefixes: of their values {zero} are 0, {one} \
         are 1 and {between} lie between; {unstratified} are of programs that are not stratified"
    ));
    assert!(
        between > programs / 4 && one > programs / 3,
        "too many trivial programs"
    );
    assert!(
        unstratified > programs / 50,
        "too few programs that are not stratified"
    );
}
