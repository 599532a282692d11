//! The compiled form of a formula in words: the key at each cut, and the decisions
//! in between with their players. For teaching, and to see why a formula is easy or hard.
//!
//! ```text
//! segment 1: key of 2 bits: true(heads,1) true(tails,1)
//!   maximum over does(x,stop,1) does(x,toss,1): 2 assignments; 3 gates
//!   mean over coin(1); 2 gates
//! ```

use crate::compile::Compiled;
use crate::program::Item;
use formula::{Names, Quantifier, Var};
use std::fmt::Write;

pub fn describe(compiled: &Compiled, names: &Names) -> String {
    let list = |variables: &[Var]| {
        let name = |&variable: &Var| match names.get(variable) {
            Some(name) => format!(" {name}"),
            None => format!(" {variable:?}"),
        };
        variables.iter().map(name).collect::<String>()
    };
    let mut text = String::new();
    let program = &compiled.program;
    let ends = compiled.cuts.windows(2);
    for (number, (segment, ends)) in compiled.segments.iter().zip(ends).enumerate() {
        let [start, end] = [&ends[0], &ends[1]];
        let bits = segment.key.len();
        let key = list(&segment.key);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "segment {number}: key of {bits} bits:{key}");
        let items = &program.items[start.item..end.item];
        // Each decision with what follows from it.
        for step in items.chunk_by(|_, next| !matches!(next, Item::Decision(_))) {
            let gates = step.iter().filter(|item| matches!(item, Item::Gate(_)));
            let gates = gates.count();
            let Item::Decision(decision) = step[0] else {
                let _ = writeln!(text, "  {gates} gates first");
                continue;
            };
            let decision = &program.decisions[decision];
            let who = match decision.quantifier {
                Quantifier::Exists => "maximum",
                Quantifier::Forall => "minimum",
                Quantifier::Chance => "mean",
            };
            let assignments = match &decision.listed {
                None => String::new(),
                Some(listed) => format!(": {} assignments", listed.assignments.len()),
            };
            let variables = list(&decision.variables);
            let _ = writeln!(text, "  {who} over{variables}{assignments}; {gates} gates");
        }
        if !end.winning.is_empty() {
            let _ = write!(text, "  won if at its end:");
            for literal in &end.winning {
                let sign = if literal.is_negative() { " not" } else { "" };
                let _ = write!(text, "{sign}{}", list(&[literal.var()]));
            }
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::Options;

    #[test]
    fn names_who_decides_what() {
        let text = "c sqasp var 1 coin(1)\nc sqasp var 2 coin(2)\np cnf 2 1\nr 0.5 1 2 0\n1 2 0\n";
        let formula = formula::read(text.as_bytes()).unwrap();
        let expected = "segment 0: key of 0 bits:
  mean over coin(1) coin(2); 0 gates
";
        assert_eq!(
            crate::describe(&formula, &Default::default(), &Options::default()),
            expected
        );
    }
}
