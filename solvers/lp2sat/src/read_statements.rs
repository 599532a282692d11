//! Ground programs from the statements of `aspif`, for tests, which trust their texts: rules, and names
//! of one atom or of none.

use super::{Atom, Body, GroundProgram, Head, Literal};

/// Reads a program. Its first and last line, `asp 1 0 0` and `0`, may be missing.
pub(crate) fn read_statements(text: &str) -> GroundProgram {
    let mut program = GroundProgram::new();
    for line in text.lines() {
        match line.split_once(' ').unwrap_or((line, "")) {
            ("asp", _) | ("0", _) => {}
            ("1", rule) => add_rule(&mut program, rule),
            ("4", output) => {
                let (length, rest) = output.split_once(' ').unwrap();
                let (name, condition) = rest.split_at(length.parse().unwrap());
                match numbers(condition)[..] {
                    [0] => program.add_fact(name),
                    [1, atom] => program.set_name(Atom::new(atom as u32).unwrap(), name),
                    _ => panic!("a name of one atom or of none, not {line}"),
                }
            }
            _ => panic!("a rule or a name, not {line}"),
        }
    }
    program
}

fn add_rule(program: &mut GroundProgram, text: &str) {
    let numbers = numbers(text);
    let literal = |&number: &i32| Literal::from_aspif(number).unwrap();
    let (heads, body) = numbers[2..].split_at(numbers[1] as usize);
    let heads: Vec<Atom> = heads.iter().map(|head| literal(head).atom()).collect();
    let head = match heads[..] {
        _ if numbers[0] == 1 => Head::Choice(&heads),
        [] => Head::Constraint,
        [atom] => Head::Atom(atom),
        _ => panic!("one head, not {text}"),
    };
    if body[0] == 0 {
        let literals: Vec<Literal> = body[2..].iter().map(literal).collect();
        assert_eq!(literals.len(), body[1] as usize, "{text}");
        program.add_rule(head, Body::All(&literals));
    } else {
        let weighted = body[3..].chunks(2);
        let literals: Vec<(Literal, u64)> = weighted
            .map(|pair| (literal(&pair[0]), pair[1] as u64))
            .collect();
        assert_eq!(literals.len(), body[2] as usize, "{text}");
        let (bound, literals) = (body[1] as u64, &literals);
        program.add_rule(head, Body::Weighted { bound, literals });
    }
}

fn numbers(text: &str) -> Vec<i32> {
    let words = text.split_whitespace();
    words.map(|word| word.parse().unwrap()).collect()
}
