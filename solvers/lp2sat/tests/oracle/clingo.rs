//! Answer sets by the real clingo, as a child process that reads aspif and smodels.

use sqasp_lp2sat::{Atom, Body, GroundProgram, Head, Literal, write_aspif, write_smodels};
use std::io::Write;
use std::process::{Command, Stdio};

/// The text that clingo is given.
#[derive(Clone, Copy)]
pub enum Format {
    Aspif,
    Smodels,
}

/// The program as the grounder would write it: a choice by a weight body gets an atom for the body.
///
/// The grounder never writes such rules itself, and clasp 3.3.5 loses answer sets of them: it finds
/// only `{}` for `{a; b} :- 2 <= {not a=3; not b=2}.` when it reads that rule as aspif, but all of
/// `{}`, `{a}` and `{b}` when the grounder reads it as text.
fn as_grounded(program: &GroundProgram) -> GroundProgram {
    let mut result = GroundProgram::new();
    for _ in 0..program.atom_count() {
        result.new_atom();
    }
    for rule in program.rules() {
        match (rule.head, rule.body) {
            (Head::Choice(_), Body::Weighted { .. }) => {
                let body = result.new_atom();
                result.add_rule(Head::Atom(body), rule.body);
                result.add_rule(rule.head, Body::All(&[Literal::positive(body)]));
            }
            _ => result.add_rule(rule.head, rule.body),
        }
    }
    result
}

/// All answer sets of the program as it is written, each as a bit set (atom 1 is bit 0), ascending.
pub fn answer_sets(program: &GroundProgram, format: Format) -> Vec<u32> {
    let mut named = as_grounded(program);
    for number in 1..=program.atom_count() as u32 {
        named.set_name(Atom::new(number).unwrap(), format!("a{number}").as_str());
    }
    let mut text = Vec::new();
    match format {
        Format::Aspif => write_aspif(&named, &mut text).unwrap(),
        Format::Smodels => write_smodels(&named, &mut text).unwrap(),
    }
    let text = run(&["--mode=clasp", "--models=0", "--eq=0"], &text);
    let mut lines = text.lines();
    let mut sets = Vec::new();
    while let Some(line) = lines.next() {
        if line.starts_with("Answer:") {
            let atoms = lines.next().expect("an answer has a line of atoms");
            let bits = atoms.split_whitespace().map(|name| {
                let number: u32 = name[1..].parse().expect("atoms are named a1, a2, ...");
                1u32 << (number - 1)
            });
            sets.push(bits.sum());
        }
    }
    sets.sort_unstable();
    sets
}

/// The ground program of a program, in aspif.
pub fn ground(program: &str) -> Vec<u8> {
    run(&["--mode=gringo"], program.as_bytes()).into_bytes()
}

/// The number of answer sets of a program in aspif, or of models of clauses in DIMACS.
pub fn count_models(text: &[u8]) -> u64 {
    let output = run(&["--mode=clasp", "--models=0", "--quiet"], text);
    let line = output.lines().find(|line| line.contains("Models"));
    let count = line.and_then(|line| line.split_whitespace().last());
    count
        .expect("clasp counts models")
        .parse()
        .expect("the count is a number")
}

/// The output of clingo for this text.
fn run(arguments: &[&str], text: &[u8]) -> String {
    let mut child = Command::new("clingo")
        .args(arguments)
        .arg("--warn=none")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("clingo starts");
    // clingo reads everything before it writes much, so one pipe after the other is safe.
    let mut input = child.stdin.take().expect("the input is a pipe");
    input.write_all(text).expect("clingo reads");
    drop(input);
    let output = child.wait_with_output().expect("clingo ends");
    let text = String::from_utf8(output.stdout).expect("clingo writes UTF-8");
    let complete = matches!(output.status.code(), Some(0 | 10 | 20 | 30));
    assert!(complete, "clingo ended with {}: {text}", output.status);
    text
}
