//! Round trips: a formula that is written is read back unchanged, and the text is in the strictest form.

use generators::{Layered, Structured, damage, enumerate, layered, rounds, seeds, structured};
use sqasp_formula::{
    BigRational, Clauses, Formula, Lit, Names, Prefix, Probability, Quantifier, Var, qdimacs, read,
    sdimacs,
};
use std::collections::HashSet;

fn sdimacs_text(formula: &Formula) -> String {
    let mut bytes = Vec::new();
    sdimacs::write(formula, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn qdimacs_text(formula: &Formula) -> String {
    let mut bytes = Vec::new();
    qdimacs::write(formula, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// Checks the rules of the strictest form line by line, with nothing taken from the writer.
fn check_strict(text: &str, qdimacs: bool) {
    assert!(text.ends_with('\n') && !text.contains('\r') && !text.contains("  "));
    let mut lines = text.lines().skip_while(|line| line.starts_with("c "));
    let header: Vec<&str> = lines.next().unwrap().split(' ').collect();
    assert_eq!(header[..2], ["p", "cnf"], "{text}");
    let variables: i32 = header[2].parse().unwrap();
    let count: usize = header[3].parse().unwrap();
    let (mut quantified, mut letters, mut clauses) = (HashSet::new(), Vec::new(), Vec::new());
    for line in lines {
        let mut words: Vec<&str> = line.split(' ').collect();
        assert_eq!(words.pop(), Some("0"), "{text}");
        let letter = words[0];
        if "ear".contains(letter) {
            assert!(clauses.is_empty());
            letters.push(letter);
            words.remove(0);
            if letter == "r" {
                let digits = words[0].strip_prefix("0.").unwrap().trim_start_matches('0');
                assert_eq!(digits.len(), 17, "{text}");
                let number: f64 = words[0].parse().unwrap();
                assert!(number > 0.0 && number < 1.0, "{text}");
                words.remove(0);
                assert_eq!(words.len(), 1, "{text}");
            }
            assert!(!words.is_empty());
            for word in words {
                assert!(quantified.insert(word.parse::<i32>().unwrap()), "{text}");
            }
        } else {
            let literals: Vec<i32> = words.iter().map(|word| word.parse().unwrap()).collect();
            let distinct: HashSet<i32> = literals.iter().map(|lit| lit.abs()).collect();
            assert_eq!(
                distinct.len(),
                literals.len(),
                "repeated or opposite literals: {text}"
            );
            assert!(
                distinct
                    .iter()
                    .all(|var| *var <= variables && quantified.contains(var))
            );
            clauses.push(literals);
        }
    }
    assert_eq!(clauses.len(), count, "{text}");
    for clause in &clauses {
        assert!(!clause.is_empty() && (clause.len() > 1 || !clauses.contains(&vec![-clause[0]])));
    }
    if qdimacs {
        assert!(
            variables > 0 && !clauses.is_empty() && letters.last() == Some(&"e"),
            "{text}"
        );
        assert!(letters.windows(2).all(|pair| pair[0] != pair[1]), "{text}");
    } else {
        assert!(quantified.len() as i32 == variables, "{text}");
    }
}

#[test]
fn random_formulas_keep_their_value() {
    let seed = 11;
    let mut rng = fastrand::Rng::with_seed(seed);
    let qbf = Structured {
        chance: false,
        ..Structured::default()
    };
    let stochastic = Structured::default();
    for round in 0..rounds(300) {
        let family = if round % 2 == 0 { &qbf } else { &stochastic };
        let formula = structured(&mut rng, family);
        let value = enumerate(&formula).unwrap();
        let text = sdimacs_text(&formula);
        check_strict(&text, false);
        let again = read(text.as_bytes()).unwrap();
        assert_eq!(
            enumerate(&again).unwrap(),
            value,
            "seed {seed}, round {round}:\n{text}"
        );
        // The second time nothing is left to change.
        assert_eq!(sdimacs_text(&again).lines().last(), text.lines().last());
        if family.chance {
            continue;
        }
        let text = qdimacs_text(&formula);
        check_strict(&text, true);
        let again = read(text.as_bytes()).unwrap();
        assert_eq!(
            enumerate(&again).unwrap(),
            value,
            "seed {seed}, round {round}:\n{text}"
        );
    }
}

#[test]
fn normal_formulas_are_read_back_as_they_were() {
    let seed = 12;
    let mut rng = fastrand::Rng::with_seed(seed);
    let family = Structured {
        certain_chance: false,
        odd_clauses: false,
        ..Structured::default()
    };
    let mut same = 0;
    for round in 0..rounds(200) {
        for formula in [
            structured(&mut rng, &family),
            layered(&mut rng, &Layered::default()),
        ] {
            let text = sdimacs_text(&formula);
            if text.contains("c sqasp false") {
                continue;
            }
            same += 1;
            let again = read(text.as_bytes()).unwrap();
            assert_eq!(again, formula, "seed {seed}, round {round}:\n{text}");
        }
    }
    assert!(same > 300);
}

#[test]
fn names_and_unusual_probabilities_survive() {
    let mut prefix = Prefix::new();
    let power = BigRational::from_integer(10.into()).pow(60);
    let tiny = Probability::new(power.recip()).unwrap();
    prefix.push_chance(Var::new(0), tiny.complement());
    prefix.push_chance(Var::new(1), tiny);
    prefix.push_chance(Var::new(2), Probability::ratio(123_456_789, 987_654_321));
    let mut matrix = Clauses::new();
    matrix.push([Var::new(0).positive(), Var::new(2).negative()]);
    let mut names = Names::default();
    names.set(Var::new(2), "says(\"a  b\",c,0)");
    let formula = Formula::new(3, prefix, matrix, names);
    assert_eq!(read(sdimacs_text(&formula).as_bytes()).unwrap(), formula);
}

#[test]
fn a_line_break_in_a_name_does_not_break_the_file() {
    let mut names = Names::default();
    names.set(Var::new(0), "a\n0\nb");
    let mut prefix = Prefix::new();
    prefix.push(Quantifier::Exists, [Var::new(0)]);
    let formula = Formula::new(1, prefix, Clauses::new(), names);
    let again = read(sdimacs_text(&formula).as_bytes()).unwrap();
    assert_eq!(again.names().get(Var::new(0)), Some("a 0 b"));
}

#[test]
fn texts_are_as_documented() {
    let formula = read(
        b"c sqasp var 1 does(xplayer,left,0)\np cnf 4 5\ne 1 0\nr 1/3 2 0\nr 0 3 0\na 4 0\n\
          2 1 2 0\n1 -1 0\n4 2 3 0\n1 0\n1 0\n",
    )
    .unwrap();
    assert_eq!(
        sdimacs_text(&formula),
        "c sqasp prob 2 1/3\n\
         c sqasp var 1 does(xplayer,left,0)\n\
         p cnf 4 5\n\
         e 1 0\n\
         r 0.33333333333333333 2 0\n\
         e 3 0\n\
         a 4 0\n\
         -3 0\n\
         2 1 0\n\
         4 2 3 0\n\
         1 0\n\
         1 0\n"
    );
    assert_eq!(
        qdimacs::write(&formula, Vec::new())
            .unwrap_err()
            .to_string(),
        "variable 2 is decided by chance, and QDIMACS has no letter for that: write SDIMACS"
    );
    for (text, expected) in [
        // The innermost universal block goes; its literals cannot help.
        (
            "p cnf 2 1\ne 1 0\na 2 0\n1 2 0\n",
            "p cnf 2 1\ne 1 0\n1 0\n",
        ),
        // No clauses: one helper variable.
        ("p cnf 2 0\ne 1 0\na 2 0\n", "p cnf 3 1\ne 1 3 0\n3 0\n"),
        ("p cnf 0 0\n", "p cnf 1 1\ne 1 0\n1 0\n"),
        // Certain chance is no chance, and joins its neighbours.
        (
            "p cnf 3 1\ne 1 0\nr 1 2 0\ne 3 0\n1 3 0\n",
            "p cnf 3 2\ne 1 2 3 0\n2 0\n1 3 0\n",
        ),
        (
            "p cnf 1 1\na 1 0\n1 0\n",
            "c sqasp false: the matrix of the formula is false, because it has an empty clause\n\
             p cnf 2 4\ne 1 2 0\n1 2 0\n1 -2 0\n-1 2 0\n-1 -2 0\n",
        ),
        (
            "p cnf 3 2\ne 1 2 3 0\n3 0\n-3 0\n",
            "c sqasp false: the matrix of the formula is false, because it has two opposite unit \
             clauses\np cnf 2 4\ne 1 2 0\n1 2 0\n1 -2 0\n-1 2 0\n-1 -2 0\n",
        ),
    ] {
        assert_eq!(
            qdimacs_text(&read(text.as_bytes()).unwrap()),
            expected,
            "{text}"
        );
    }
}

/// The reader answers, and what it accepts can be written and read again.
#[test]
fn damaged_files_never_panic() {
    let letters = "0123456789- \n\r\tcpear.%/esqasp prob var\0";
    let pieces: Vec<&str> = letters.split_inclusive(|_| true).collect();
    let mut accepted = 0;
    for (seed, mut rng) in seeds(13_000_000, 3000) {
        let formula = structured(&mut rng, &Structured::default());
        let mut text = sdimacs_text(&formula).into_bytes();
        damage(&mut rng, &mut text, &pieces);
        match read(&text) {
            Ok(formula) => {
                accepted += 1;
                let again = read(sdimacs_text(&formula).as_bytes());
                assert!(again.is_ok(), "seed {seed}: {again:?}");
            }
            Err(error) => assert!(!error.diagnostics.is_empty()),
        }
    }
    assert!(
        accepted > 50,
        "only {accepted} damaged files were still formulas"
    );
}

#[test]
fn long_clauses_are_tidied_too() {
    let many = |range: std::ops::RangeInclusive<i32>| -> Vec<i32> { range.collect() };
    let text = |numbers: &[i32]| {
        let words: Vec<String> = numbers.iter().map(i32::to_string).collect();
        words.join(" ")
    };
    let repeated = text(&[many(1..=30), many(5..=25)].concat());
    let tautology = text(&[many(1..=30), vec![-7]].concat());
    let plain = text(&many(-30..=-1));
    let input = format!("p cnf 30 3\n{repeated} 0\n{tautology} 0\n{plain} 0\n");
    let output = sdimacs_text(&read(input.as_bytes()).unwrap());
    let expected = format!(
        "p cnf 30 2\ne {0} 0\n{0} 0\n{plain} 0\n",
        text(&many(1..=30))
    );
    assert_eq!(output, expected);
}

#[test]
fn literals_of_all_sizes_are_written_right() {
    let numbers = [1, -9, 10, -99, 100, 12_345, -999_999];
    let mut matrix = Clauses::new();
    matrix.push(
        numbers
            .iter()
            .map(|number| Lit::from_dimacs(*number).unwrap()),
    );
    let formula = Formula::new(999_999, Prefix::new(), matrix, Names::default());
    let text = sdimacs_text(&formula);
    assert_eq!(text.lines().last(), Some("1 -9 10 -99 100 12345 -999999 0"));
}
