//! Answer sets by the real clingo, as a child process that reads aspif and smodels.

use lp2sat::{Atom, Body, GroundProgram, Head, Literal, write_aspif, write_smodels};
use std::io::Write;
use std::process::{Command, Stdio};

/// The text that clingo is given.
#[derive(Clone, Copy)]
pub enum Format {
    Aspif,
    Smodels,
}

pub fn is_present() -> bool {
    let found = Command::new("clingo")
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    found.is_ok_and(|status| status.success())
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
        named.set_name(Atom::new(number).unwrap(), format!("a{number}"));
    }
    let mut child = Command::new("clingo")
        .args(["--mode=clasp", "--models=0", "--warn=none", "--eq=0"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("clingo starts");
    let mut input = child.stdin.take().expect("the input is a pipe");
    let mut text = Vec::new();
    match format {
        Format::Aspif => write_aspif(&named, &mut text).unwrap(),
        Format::Smodels => write_smodels(&named, &mut text).unwrap(),
    }
    input.write_all(&text).expect("clingo reads");
    drop(input);
    let output = child.wait_with_output().expect("clingo ends");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        matches!(output.status.code(), Some(20 | 30)),
        "clingo did not find all answer sets: {text}"
    );
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
