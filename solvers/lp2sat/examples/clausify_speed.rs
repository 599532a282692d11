//! How long a ground program takes to become clauses.
//!
//! ```text
//! cargo run --release -p sqasp-lp2sat --example clausify_speed     a made-up program, a million rules
//! ```

use sqasp_lp2sat::{
    Atom, Body, GroundProgram, Head, Literal, Options, check_stratified, clausify,
    propagate_levels, write_aspif,
};
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let program = counter_game(400, 600);
    println!(
        "{} atoms, {} rules",
        program.atom_count(),
        program.rule_count()
    );
    let mut text = Vec::new();
    timed("write aspif", || write_aspif(&program, &mut text))?;
    println!("{} bytes of aspif", text.len());
    timed("check", || check_stratified(&program))?;
    let initial: Vec<Option<u32>> = (0..program.atom_count() as u32)
        .map(|atom| (atom % 97 == 0).then_some(atom))
        .collect();
    timed("levels", || propagate_levels(&program, &initial));
    let clausified = timed("clausify", || clausify(&program, &Options::default()))?;
    let undetermined = clausified
        .helpers()
        .filter(|helper| !helper.determined)
        .count();
    println!(
        "{} variables, {} clauses, {} literals; {} helpers, {undetermined} of them undetermined",
        clausified.variable_count(),
        clausified.clauses().len(),
        clausified.clauses().literal_count(),
        clausified.helpers().len(),
    );
    Ok(())
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    println!("{what}: {:.2} s", start.elapsed().as_secs_f64());
    result
}

/// A counter from 0 up to a limit that each step raises by 0 to 3 or keeps, as the grounder would
/// write it: rules for each value and move, and exactly one move in each step.
fn counter_game(steps: usize, limit: usize) -> GroundProgram {
    let mut program = GroundProgram::new();
    let new_atoms = |program: &mut GroundProgram, count: usize| -> Vec<Atom> {
        (0..count).map(|_| program.new_atom()).collect()
    };
    let positive = Literal::positive;
    let mut values = new_atoms(&mut program, limit);
    program.add_rule(Head::Atom(values[0]), Body::All(&[]));
    for _ in 0..steps {
        let moves = new_atoms(&mut program, 4);
        let [ended, going, some, many, fine] =
            new_atoms(&mut program, 5).try_into().expect("five atoms");
        program.add_rule(Head::Atom(ended), Body::All(&[positive(values[limit - 1])]));
        program.add_rule(Head::Atom(going), Body::All(&[Literal::negative(ended)]));
        program.add_rule(Head::Choice(&moves), Body::All(&[positive(going)]));
        let members: Vec<(Literal, u64)> = moves.iter().map(|&atom| (positive(atom), 1)).collect();
        for (head, bound) in [(some, 1), (many, 2)] {
            program.add_rule(
                Head::Atom(head),
                Body::Weighted {
                    bound,
                    literals: &members,
                },
            );
        }
        let body = [positive(some), Literal::negative(many)];
        program.add_rule(Head::Atom(fine), Body::All(&body));
        let body = [positive(going), Literal::negative(fine)];
        program.add_rule(Head::Constraint, Body::All(&body));
        let next = new_atoms(&mut program, limit);
        for (value, &atom) in values.iter().enumerate() {
            for (raise, &chosen) in moves.iter().enumerate() {
                let head = Head::Atom(next[(value + raise).min(limit - 1)]);
                program.add_rule(head, Body::All(&[positive(atom), positive(chosen)]));
            }
            let body = [positive(atom), positive(ended)];
            program.add_rule(Head::Atom(next[value]), Body::All(&body));
        }
        values = next;
    }
    program
}
