//! Texts that the reader accepts, and the message for each text that it refuses.

use generators::{enumerate, rows, seeds};
use sqasp_formula::{Quantifier, ReadError, Var, read, read_question, read_with_slips};

/// The value of a text as a fraction.
fn value(text: &str) -> String {
    let formula = read(text.as_bytes()).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    enumerate(&formula).unwrap().to_string()
}

fn error(text: &[u8]) -> ReadError {
    read(text).expect_err("the text must be refused")
}

#[test]
fn many_spellings_of_one_formula() {
    // max over 1 of the mean over 2 (1/4) of "1 or 2, and not 1 or 3, 3 copies 2": choose 1 false.
    let plain = "p cnf 3 2\ne 1 0\nr 0.25 2 0\ne 3 0\n1 2 0\n-1 2 3 0\n";
    let chosen = value(plain);
    for text in [
        "p cnf 3 2\r\ne 1 0\r\nr 0.25 2 0\r\ne 3 0\r\n1 2 0\r\n-1 2 3 0\r\n",
        "p cnf 3 2\ne 1 0\nr 0.25 2 0\ne 3 0\n1 2 0 -1 2 3 0",
        "p cnf 3 2\ne 1 0\nr 0.25 2 0\ne 3 0\n1\n2 0\n-1 2\n3\n0\n",
        "\tp  cnf\t3 2 \n e\t1 0\n\nr\t0.25 2 0\ne 3 0\n\n  1 2 0\n-1 2 3 0\n\n",
        "c\nc one\np cnf 3 2\nc two\ne 1 0\nr .25 2 0\ncomment three\ne 3 0\n1 2 0\n-1 2\nc four\n3 0\nc five",
        "p cnf 3 2\ne 1 0\nr 2.5e-1 2 0\ne 3 0\n1 2 0\n-1 2 3 0\n",
        "p cnf 3 2\ne 1 0\nr 1/4 2 0\ne 3 0\n1 2 0\n-1 2 3 0\n",
        "p cnf 3 2\ne 1 0\nr0.25 2 0\ne 3 0\n1 2 0\n-1 2 3 0\n",
        "p cnf 3 2\ne 1 0 r 0.25 2 0 e 3 0 1 2 0 -1 2 3 0\n",
        "p cnf 3 2\nr 0.25 2 0\ne 3 0\n1 2 0\n-1 2 3 0\n",
        "\u{feff}p cnf 3 2\ne 1 0\nr 0.25 2 0\ne 3 0\n1 2 0\n-1 2 3 0\n",
        "c sqasp prob 2 1/4\nc sqasp var 1 does(a,b,0)\np cnf 3 2\ne 1 0\nr 0.25 2 0\ne 3 0\n1 2 0\n-1 2 3 0\n",
    ] {
        assert_eq!(value(text), chosen, "{text:?}");
        assert_eq!(read(text.as_bytes()).unwrap().matrix().len(), 2);
    }
}

/// Flaws of published files: read as the only thing they can mean, and told.
#[test]
fn slips_with_one_reading_are_told() {
    let right = "p cnf 3 2\ne 1 0\nr 0.25 2 0\ne 3 0\n1 2 0\n-1 2 3 0\n";
    let told = |text: &str| {
        let reading = read_with_slips(text.as_bytes()).unwrap_or_else(|e| panic!("{text:?}: {e}"));
        let expected = read(right.as_bytes()).unwrap();
        assert_eq!(reading.question.formula.prefix(), expected.prefix());
        assert_eq!(reading.question.formula.matrix(), expected.matrix());
        let slips = reading.slips.map(|slips| slips.diagnostics);
        let places = slips
            .into_iter()
            .flatten()
            .map(|slip| (slip.line, slip.column));
        places.collect::<Vec<_>>()
    };
    assert_eq!(told(right), []);
    let glued = "p cnf 3 2\ne 1 0r 0.25 2 0e 3 0\n1 2 0\n-1 2 3 0\n";
    assert_eq!(told(glued), [(2, 5), (2, 15)]);
    let endless = "p cnf 3 2\ne 1\nr 0.25 2\ne3 0\n1 2 0\n-1 2 3 0\n";
    assert_eq!(told(endless), [(3, 1), (4, 1)]);
    let more = right.replace("3 2\n", "3 1\n");
    assert_eq!(told(&more), [(1, 9)]);
    assert_eq!(told(&format!("{right}%\n0\n")), [(7, 1)]);
    // Where the prefix ends is not clear without its last 0.
    let message = error(b"p cnf 3 1\ne 1 2 0\nr 0.25 3\n1 2 0\n").diagnostics[0]
        .message
        .clone();
    assert_eq!(message, "variable 1 was quantified before, in line 2");
    let message = error(b"p cnf 3 1\ne 1 2 0\nr 0.25 3\n-1 2 0\n").diagnostics[0]
        .message
        .clone();
    assert_eq!(message, "a line of the prefix consists of variables");
}

#[test]
fn free_variables_are_outermost_existential() {
    // Variable 1 must be chosen before chance, so it can only guess.
    assert_eq!(value("p cnf 2 2\nr 1/3 2 0\n1 -2 0\n-1 2 0\n"), "2/3");
    assert_eq!(value("p cnf 3 0\n"), "1");
    assert_eq!(value("p cnf 0 0\n"), "1");
    assert_eq!(value("p cnf 0 1\n0\n"), "0");
}

#[test]
fn one_line_of_chance_may_name_several_variables() {
    assert_eq!(value("p cnf 2 1\nr 0.7 1 2 0\n1 2 0\n"), "91/100");
}

#[test]
fn exact_probabilities_win_over_their_decimals() {
    let text = "c sqasp prob 1 1/3\np cnf 1 1\nr 0.33333333333333333 1 0\n1 0\n";
    assert_eq!(value(text), "1/3");
    assert_eq!(
        value("c sqasp prob 1 1/3\np cnf 1 1\nr 0.333 1 0\n1 0\n"),
        "1/3"
    );
    let wrong = error(b" c\tsqasp  prob 1  1/3 \np cnf 1 1\nr 0.35 1 0\n1 0\n");
    assert_eq!(
        wrong.to_string(),
        "line 3, column 3: `0.35`: the probability of variable 1 disagrees with the exact 1/3 of line 1 \
         (correct the `r` line, or remove the comment)"
    );
}

#[test]
fn names_are_kept_with_blanks_and_quotes() {
    let text = "c sqasp var 2  says(\"a b\", c) \np cnf 2 0\ne 1 2 0\n";
    let formula = read(text.as_bytes()).unwrap();
    assert_eq!(formula.names().get(Var::new(1)), Some("says(\"a b\", c)"));
    assert_eq!(formula.names().len(), 1);
}

#[test]
fn neighbouring_lines_of_one_letter_are_one_block() {
    let formula = read(b"p cnf 4 0\nr 0.5 1 0\nr 0.25 2 0\ne 3 0\ne 4 0\n").unwrap();
    let blocks = formula.prefix().blocks();
    assert_eq!(blocks.len(), 2);
    assert_eq!(blocks[0].quantifier, Quantifier::Chance);
    assert_eq!(blocks[1].variables, [Var::new(2), Var::new(3)]);
}

#[test]
fn each_mistake_has_its_place_and_its_message() {
    for [text, expected] in rows(
        r"
            => 1:1 `` there is no formula here: the header is missing
            c nothing\n => 2:1 `` there is no formula here: the header is missing
            1 2 0\n => 1:1 `1` the header is missing
            (((( => 1:1 `((((` the header is missing
            p dnf 1 1\n => 1:3 `dnf` the header names an unknown format
            p cnf 3\n1 2 0\n => 2:1 `1` the header needs a number here
            p cnf x 1\n => 1:7 `x` the header needs a number here
            p cnf -1 1\n => 1:7 `-1` the header needs a number here
            p cnf => 1:1 `p` the header is incomplete
            p cnf 2000000000 1\n1 0\n => 1:7 `2000000000` this many variables are out of proportion to the length of the file
            p cnf 1 1 7\n1 0\n => 1:11 `7` the header ends after two numbers
            p cnf 2 1\n1 3 0\n => 2:3 `3` there is no such variable: the header says 2
            p cnf 2 1\n1 99999999999999999999 0\n => 2:3 `99999999999999999999` a clause consists of whole numbers
            p cnf 2 2\n1 2 0\n => 1:9 `2` the header says 2 clauses, but there are 1
            p cnf 2 1\n1 2\n => 2:3 `2` the last clause does not end
            p cnf 2 2\n1 2 0\n%\n0\n => 1:9 `2` the header says 2 clauses, but there are 1
            p cnf 2 1\n1 x 0\n => 2:3 `x` a clause consists of whole numbers
            p cnf 2 1\n1 2 0\ne 1 0\n => 3:1 `e` a line of the prefix after the first clause
            p cnf 2 1\ne 1 0\na 1 0\n1 0\n => 3:3 `1` variable 1 was quantified before, in line 2
            p cnf 2 1\ne -1 0\n1 0\n => 2:3 `-1` a line of the prefix consists of variables
            p cnf 2 0\ne 1 => 2:3 `1` the last line of the prefix does not end
            p cnf 2 1\nr 1.5 1 0\n1 0\n => 2:3 `1.5` a probability must be between 0 and 1
            p cnf 2 1\nr -0.5 1 0\n1 0\n => 2:3 `-0.5` a probability must be between 0 and 1
            p cnf 2 1\nr x 1 0\n1 0\n => 2:3 `x` this is not a probability
            p cnf 2 1\nr 1e-999999 1 0\n1 0\n => 2:3 `1e-999999` this probability has too many digits
            c sqasp prob 1\np cnf 1 0\n => 1:1 `sqasp prob 1` a comment of sqasp that cannot be understood
            c sqasp prob 1 1/2\np cnf 1 0\ne 1 0\n => 1:1 `c sqasp prob` variable 1 is in no `r` line
            c sqasp var 9 a\np cnf 1 0\n => 1:1 `c sqasp var` there is no variable 9: the header says 1
            p cnf 1 0\np cnf 1 0\n => 2:1 `p` a second header
            p cnf 1 1\n1 0\n(x)\n => 3:1 `(x)` neither a clause nor a line of the prefix
            ",
    ) {
        let error = error(text.as_bytes());
        let first = &error.diagnostics[0];
        let (line, column) = (first.line, first.column);
        let found = format!("{line}:{column} `{}` {}", first.text, first.message);
        assert_eq!(found, expected, "{text:?}");
        assert_eq!(error.diagnostics.len(), 1, "{text:?}: {error}");
        assert!(!first.hint.is_empty());
    }
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let error = error(b"p cnf 2 3\nr 1.5 1 0\n1 3 0\n1 x\n-5 0\n");
    let places: Vec<_> = error
        .diagnostics
        .iter()
        .map(|d| (d.line, d.column))
        .collect();
    assert_eq!(places, [(2, 3), (3, 3), (4, 3), (5, 1)]);
    assert!(!error.more);
}

#[test]
fn garbage_is_refused_quickly_and_briefly() {
    let mut rng = fastrand::Rng::with_seed(3);
    let noise: Vec<u8> = (0..1 << 20).map(|_| rng.u8(..)).collect();
    let parentheses = vec![b'('; 20 << 20];
    let mut with_header = b"p cnf 3 3\n".to_vec();
    with_header.extend(&noise);
    let numbers = b"p cnf 1 1\n"
        .iter()
        .chain(b"7 ".repeat(1 << 20).iter())
        .copied()
        .collect();
    for text in [noise, parentheses, with_header, numbers] {
        let error = error(&text);
        assert!(error.diagnostics.len() <= sqasp_formula::MAX_DIAGNOSTICS);
        assert!(error.to_string().len() < 10_000);
    }
}

/// Clauses on one line are read in another way than others; both give the same.
#[test]
fn clauses_may_stand_on_several_lines() {
    for (seed, mut rng) in seeds(4_000_000, 200) {
        let clause = |rng: &mut fastrand::Rng| {
            let literals = (0..rng.usize(0..5)).map(|_| {
                let sign = if rng.bool() { "-" } else { "" };
                format!("{sign}{}", rng.u32(1..=12))
            });
            let mut words: Vec<String> = literals.collect();
            words.push("0".to_owned());
            words
        };
        let clauses: Vec<Vec<String>> = (0..10).map(|_| clause(&mut rng)).collect();
        let read_with = |between: &str| {
            let text: Vec<String> = clauses.iter().map(|clause| clause.join(between)).collect();
            let text = format!("p cnf 12 10\na 3 5 0\n{}\n", text.join("\n"));
            sqasp_formula::read(text.as_bytes()).expect("well-formed")
        };
        let plain = read_with(" ");
        for between in ["\n", " \t ", "\r\n", "\nc no word\n"] {
            assert_eq!(plain, read_with(between), "seed {seed}");
        }
        let padded = |clause: &[String]| {
            let pad = |word: &String| match word.strip_prefix('-') {
                Some(digits) => format!("-{digits:0>12}"),
                None => format!("{word:0>12}"),
            };
            let words: Vec<String> = clause.iter().map(pad).collect();
            words.join(" ")
        };
        let text: Vec<String> = clauses.iter().map(|clause| padded(clause)).collect();
        let text = format!("p cnf 12 10\na 3 5 0\n{}", text.join(" "));
        let wide = sqasp_formula::read(text.as_bytes()).expect("well-formed");
        assert_eq!(plain, wide, "seed {seed}");
    }
}

#[test]
fn what_is_not_clear_about_counting_is_refused() {
    let rest = "p cnf 2 1\n1 2 0\n";
    for [lines, message] in rows(
        r"
            c t mc\nc t wmc\n => another problem than before
            c t pmc\n => no line says which variables are counted
            c t mc\nc p show 1 0\n => all variables are to be counted
            c t mc\nc p weight 1 1 0\nc p weight -1 1 0\n => there are to be no weights
            c p weight 1 1 0\n => the weight of -1 is missing
            c p weight 1 -1 0\n => a weight below 0
            c p weight 1 1/0 0\n => this is not a weight of a literal
            c p weight 1 1\n => this is not a weight of a literal
            c p weight 0 1 0\n => this is not a weight of a literal
            c p weight 1 1e9999 0\n => too many digits
            c p weight 1 1 0\nc p weight 1 2 0\n => another weight of this literal than in line 1
            c p weight 3 1 0\nc p weight -3 1 0\n => there is no variable 3: the header says 2
            c p show 99999999999 0\n => only variables can be shown
            c p show 1 -2 0\n => only variables can be shown
            c p show 1 2\n => the line does not end
            c p show 1 2 0\nc ind 1 0\n => other counted variables than in the lines of older counters
            c p show 1 0\nc p weight 2 1 0\nc p weight -2 1 0\n => the weight of a variable that is not counted
            ",
    ) {
        let wrong = read_question(format!("{lines}{rest}").as_bytes()).expect_err(&lines);
        assert!(wrong.to_string().contains(&message), "{lines}: {wrong}");
    }
    for prose in [
        "c independent 1 0\n",
        "c ind is the kind\n",
        "c in 1 0\n",
        "crisp 1 0\n",
    ] {
        let read = read_question(format!("{prose}{rest}").as_bytes());
        assert!(read.is_ok(), "{prose}");
    }
    for [text, message] in rows(
        r"
            p cnf 1 0\ne 1 0\ncr 1 0\n => models of a formula with a prefix
            p cnf 2 1\na 1 0\nd 2 1 0\n1 2 0\n => this is DQDIMACS
            c t mc\np cnf 1 0\ne 1 0\n => models of a formula with a prefix
            p cnf 1 0\nw 1 1.5 0\n => the weight of the other literal is not clear
            p cnf 1 0\nw 1 half 0\n => this is not a weight of a variable
            p wcnf 1 1 9\n9 1 0\n => this is a problem of MaxSAT: the header has three numbers
            p wcnf 1 1\n1 0\n => no line gives a weight: this may be a problem of MaxSAT
            c t mc\np wcnf 1 0\nw 1 0.5 0\n => another problem than before
            c t pmc\np cnf 2 0 1\nvp 1 0\n => the header ends after two numbers
            p pcnf 2 0\n => no line says which variables are counted
            p pcnf 2 0 2\nvp 1 0\n => the number of shown variables is 1
            p pcnf 2 0 -1\nvp 1 0\n => the number of counted variables
            p pcnf 2 0 1 1\nvp 1 0\n => the header ends before this
            p pcnf 2 0 1\nvp 1\n => the line does not end
            p wcnf 1 0\nw -1 0.5 0\n => the weight of the other literal is not clear
            p wcnf 1 0\nw 1 0.5 0\nw 1 0.6 0\n => another weight of this literal than in line 2
            p wcnf 1 0\nw 1 2 0\nw -1 -3 0\n => a weight below 0
            p cnf 1 0\nt 1/2 0\n => a threshold, as in SSAT
            ",
    ) {
        let wrong = read_question(text.as_bytes()).expect_err(&text);
        assert!(wrong.to_string().contains(&message), "{text}: {wrong}");
    }
    for text in ["c t mc\np cnf 1 0\n", "p wcnf 1 0\nw 1 0.5 0\n"] {
        let wrong = error(text.as_bytes()).to_string();
        assert!(wrong.contains("another number than the value"), "{wrong}");
    }
    // Other comments are only comments.
    for comment in [
        "c t",
        "c t mc one",
        "c t his",
        "c p",
        "c p cnf 1 2",
        "c w 1 2",
    ] {
        read(format!("{comment}\n{rest}").as_bytes()).unwrap_or_else(|e| panic!("{comment}: {e}"));
    }
}
