use super::*;
use crate::budget::Budget;
use crate::order::walk;
use crate::simplify::simplify;
use formula::Limits;

#[test]
fn rows() {
    let Ok(files) = std::env::var("ROWS") else {
        return;
    };
    for file in files.split_whitespace() {
        let formula = formula::read(&std::fs::read(file).unwrap()).unwrap();
        let limits = Limits::default();
        let mut budget = Budget::new(&limits, None);
        let mut problem = Problem::new(&formula);
        let options = Options::default();
        simplify(&mut problem, &options, &mut budget)
            .unwrap()
            .unwrap();
        let program = walk(&problem, &options, &mut budget).unwrap();
        let decisions = program.decisions.len();
        let checks = program.checks.len();
        let runs = program
            .decisions
            .windows(2)
            .filter(|w| {
                w[0].quantifier != Quantifier::Exists && w[1].quantifier == Quantifier::Exists
            })
            .count();
        let start = std::time::Instant::now();
        let lifted = lift(program, &problem, &options);
        let time = start.elapsed();
        let selections = lifted
            .decisions
            .iter()
            .filter(|d| d.selection.is_some())
            .count();
        let unless = lifted
            .decisions
            .iter()
            .filter(|d| d.selection.is_some_and(|s| s.unless.is_some()))
            .count();
        println!(
            "{file}: decisions {decisions} -> {}, checks {checks} -> {}, pairs {runs}, selections {selections} ({unless} unless), {time:?}",
            lifted.decisions.len(),
            lifted.checks.len()
        );
    }
}
