//! One tolerant reader for DIMACS, QDIMACS and SDIMACS text.
//!
//! The three formats are one: plain DIMACS has no prefix, QDIMACS adds `e` and `a` lines, SDIMACS
//! adds `r` lines. The reader accepts what is unambiguous: clauses over several lines or several
//! on one line, tabs, Windows line ends, comment lines anywhere, probabilities with an exponent
//! (`2.5e-1`) or as a fraction (`1/3`), variables without a quantifier (outermost existential).
//! It refuses what other readers pass over in silence and then get wrong: fewer clauses than the header
//! says, variables quantified twice, probabilities outside 0..1.
//! Published files have flaws that break the format but leave one reading only: a line of the prefix that
//! lacks its final 0 or its line break, more clauses than the header says, a `%` that ends the text. [`read`] passes over them, [`read_with_slips`] reports them.
//!
//! ```
//! let formula = sqasp_formula::read(b"p cnf 2 1\ne 1 0\nr 1/3 2 0\n1 2 0\n").unwrap();
//! assert_eq!(formula.matrix().len(), 1);
//! let error = sqasp_formula::read(b"p cnf 2 1\nr 1.5 2 0\n1 2 0\n").unwrap_err();
//! assert_eq!((error.diagnostics[0].line, error.diagnostics[0].column), (2, 3));
//! ```
//!
//! Comments `c sqasp prob VARIABLE NUMERATOR/DENOMINATOR` carry exact probabilities; they win over
//! the decimal of the `r` line, which must agree in all its digits. Comments
//! `c sqasp var VARIABLE NAME` carry names.
//!
//! A text may ask for another number than the value: the comments and lines of model counters (`c t`, `c p show`, `c p weight`, `w`, `vp`) and
//! their older forms (`c ind`, `cr`, `p wcnf`, `p pcnf`) ask for a count. [`read_question`] says which number it is, [`read`] refuses such texts.
//!
//! A text that begins with `#QCIR` is a formula of gates, which the module `qcir` reads.
//!
//! Any bytes are safe to read: errors are collected (up to [`MAX_DIAGNOSTICS`]) with line and
//! column, and no number in the text makes the reader allocate more than a fixed multiple of the
//! text's own length.

mod chances;
mod counting;
mod diagnostic;
mod probability;
mod qcir;
mod tokens;

pub use diagnostic::{Diagnostic, MAX_DIAGNOSTICS, ReadError};

use crate::{Clauses, Formula, FormulaQuestion, Lit, Names, Prefix, Quantifier, Quantity, Var};
use chances::{Chances, Said};
use counting::{Counting, Line};
use diagnostic::Diagnostics;
use num_traits::Zero;
use tokens::{Place, Token, Tokens};

/// Variables a text may have beyond one per byte. Larger numbers are taken for mistakes: tables
/// over all variables would need memory out of proportion to the text.
const FREE_VARIABLES: u64 = 1_000_000;

/// Reads a formula from DIMACS, QDIMACS, SDIMACS or QCIR text.
///
/// # Errors
/// If the text is not such a formula: all problems found, each with its place. If it asks for another number than the value.
pub fn read(text: &[u8]) -> Result<Formula, ReadError> {
    if qcir::is_qcir(text) {
        return qcir::read(text);
    }
    let mut reader = Reader::new(text);
    reader.whole();
    if let Some(Line { place, text }) = reader.counting.first() {
        let message = "this asks for another number than the value of the formula";
        let hint = "read it as a question, or remove the lines about counting";
        reader.problems.add(place, text, message, hint);
    }
    reader.finish().map(|reading| reading.question.formula)
}

/// Reads a formula and the number that its text asks for.
///
/// ```
/// use sqasp_formula::Quantity;
/// let question = sqasp_formula::read_question(b"c t mc\np cnf 3 1\n1 2 0\n")?;
/// let Quantity::Count(count) = question.quantity else { panic!("models are counted") };
/// assert_eq!(count.factor, "8".parse().unwrap());
/// # Ok::<(), sqasp_formula::ReadError>(())
/// ```
///
/// # Errors
/// If the text is not a formula, or what it asks is not clear: all problems found, each with its place.
pub fn read_question(text: &[u8]) -> Result<FormulaQuestion, ReadError> {
    read_with_slips(text).map(|reading| reading.question)
}

/// A formula with the number that is asked about it, and how its text breaks the format.
#[derive(Clone, Debug)]
pub struct FormulaReading {
    /// The formula and the number.
    pub question: FormulaQuestion,
    /// The slips: parts that break the format but leave one reading only; `None` if there are none.
    pub slips: Option<ReadError>,
}

/// Reads as [`read_question`] does, and reports the slips of the text.
///
/// # Errors
/// As for [`read_question`].
pub fn read_with_slips(text: &[u8]) -> Result<FormulaReading, ReadError> {
    if qcir::is_qcir(text) {
        let question = qcir::read(text)?.into();
        return Ok(FormulaReading {
            question,
            slips: None,
        });
    }
    let mut reader = Reader::new(text);
    reader.whole();
    reader.finish()
}

struct Reader<'a> {
    tokens: Tokens<'a>,
    problems: Diagnostics<'a>,
    /// Parts that break the format but leave one reading only.
    slips: Diagnostics<'a>,
    /// The number of variables in the header.
    variables: usize,
    /// The number of clauses in the header, and where it stands.
    clauses: (u64, Option<Token<'a>>),
    /// The lines of the prefix in order, with the probability that a line says.
    prefix: Vec<(Quantifier, Option<Said<'a>>, Vec<Var>)>,
    /// By variable: the line that quantifies it, or 0.
    quantified_in: Vec<u32>,
    chances: Chances<'a>,
    counting: Counting<'a>,
    /// From comments: place, variable, name.
    names: Vec<(Place, u64, &'a [u8])>,
    matrix: Clauses,
}

impl<'a> Reader<'a> {
    fn new(text: &'a [u8]) -> Self {
        Reader {
            tokens: Tokens::new(text),
            problems: Diagnostics::new(text),
            slips: Diagnostics::new(text),
            variables: 0,
            clauses: (0, None),
            prefix: Vec::new(),
            quantified_in: Vec::new(),
            chances: Chances::default(),
            counting: Counting::default(),
            names: Vec::new(),
            matrix: Clauses::new(),
        }
    }

    fn whole(&mut self) {
        if self.header().is_some() {
            self.body();
            self.check_clause_count();
        }
    }

    /// The next token that is not part of a comment.
    #[inline]
    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let token = self.tokens.next()?;
            if self.problems.full() {
                // A thousand messages about a file that is no formula at all are no help.
                self.problems.stop();
                return None;
            }
            if token.first_on_line && token.text[0] == b'c' {
                self.comment(token);
            } else {
                return Some(token);
            }
        }
    }

    /// Reads `p cnf VARIABLES CLAUSES`; `None` if nothing sensible can follow.
    fn header(&mut self) -> Option<()> {
        const FORM: &str = "write `p cnf VARIABLES CLAUSES` before everything but comments";
        let Some(p) = self.next() else {
            let end = self.tokens.end();
            self.problems.add(
                end,
                b"",
                "there is no formula here: the header is missing",
                FORM,
            );
            return None;
        };
        if p.text != b"p" {
            self.problems.token(&p, "the header is missing", FORM);
            return None;
        }
        match self.next() {
            Some(format) => {
                let line = Line {
                    place: format.place,
                    text: format.text,
                };
                if !self.counting.format(line, &mut self.problems) {
                    self.problems
                        .token(&format, "the header names an unknown format", FORM);
                    return None;
                }
            }
            None => {
                self.problems.token(&p, "the header is incomplete", FORM);
                return None;
            }
        }
        let (variables, count) = self.header_number(&p)?;
        let allowed = (FREE_VARIABLES + self.tokens.len() as u64).min(Var::MAX_INDEX as u64);
        if count > allowed {
            self.problems.token(
                &variables,
                "this many variables are out of proportion to the length of the file",
                "number the variables from 1 without large gaps and write the largest number here",
            );
            return None;
        }
        self.variables = count as usize;
        self.quantified_in = vec![0; self.variables];
        let (clauses, count) = self.header_number(&p)?;
        self.clauses = (count, Some(clauses));
        if let Some(third) = self.next_on_line() {
            let line = Line {
                place: third.place,
                text: third.text,
            };
            let (number, problems) = (third.number(), &mut self.problems);
            if !self.counting.third_number(line, number, problems) {
                return None;
            }
            if let Some(surplus) = self.next_on_line() {
                self.problems
                    .token(&surplus, "the header ends before this", FORM);
                return None;
            }
        }
        Some(())
    }

    /// The next token, if it is on the same line.
    fn next_on_line(&mut self) -> Option<Token<'a>> {
        self.tokens.peek().filter(|token| !token.first_on_line)?;
        self.tokens.next()
    }

    fn header_number(&mut self, p: &Token<'a>) -> Option<(Token<'a>, u64)> {
        const FORM: &str = "write `p cnf VARIABLES CLAUSES`, two whole numbers";
        let Some(token) = self.next() else {
            self.problems.token(p, "the header is incomplete", FORM);
            return None;
        };
        match token.number() {
            Some(number) if number >= 0 && token.place.line == p.place.line => {
                Some((token, number as u64))
            }
            _ => {
                self.problems
                    .token(&token, "the header needs a number here", FORM);
                None
            }
        }
    }

    /// Reads prefix and clauses.
    fn body(&mut self) {
        let mut clause = Vec::new();
        while let Some(token) = self.next() {
            match token.text[0] {
                b'-' | b'0'..=b'9' => self.clause(token, &mut clause),
                _ if is_quantifier(&token) => {
                    let mut line = Some(token);
                    while let Some(letter) = line {
                        line = self.quantifier(letter);
                    }
                }
                b'd' if token.text == b"d" => {
                    let message =
                        "this is DQDIMACS: a variable that depends on some variables only";
                    let hint = "formulas have a prefix of `e`, `a` and `r` lines here: use a solver of DQBF";
                    self.problems.token(&token, message, hint);
                    return;
                }
                b't' if token.text == b"t" => {
                    let message = "a threshold, as in SSAT(Θ)";
                    let hint = "values with thresholds are not computed: remove the `t` lines";
                    self.problems.token(&token, message, hint);
                    self.tokens.skip_line();
                }
                b'w' | b'v' if matches!(token.text, b"w" | b"vp") => {
                    let text = self.tokens.rest_of_line();
                    let line = Line {
                        place: token.place,
                        text,
                    };
                    let (words, problems) = (Tokens::new(text), &mut self.problems);
                    match token.text {
                        b"w" => self.counting.listed(line, words, problems),
                        _ => self.counting.show(line, words, problems),
                    }
                }
                b'%' => {
                    // The collection SATLIB ends its files in this way.
                    self.slips.token(
                        &token,
                        "`%` is not part of the format",
                        "end the file after the last clause",
                    );
                    return;
                }
                b'p' => {
                    self.problems.token(
                        &token,
                        "a second header",
                        "put each formula into its own file",
                    );
                    return;
                }
                _ => {
                    self.problems.token(
                        &token,
                        "neither a clause nor a line of the prefix",
                        "write literals ending with 0, or start a comment line with `c `",
                    );
                    self.tokens.skip_line();
                }
            }
        }
    }

    /// Reads one clause up to its 0.
    fn clause(&mut self, first: Token<'a>, clause: &mut Vec<Lit>) {
        clause.clear();
        let variables = self.variables as u32;
        if self.tokens.plain_clause(&first, |number, negative| {
            let is_known = number <= variables;
            if is_known {
                clause.push(Var::new(number as usize - 1).literal(!negative));
            }
            is_known
        }) {
            self.matrix.push(clause.iter().copied());
            return;
        }
        clause.clear();
        let mut token = first;
        loop {
            match token.number() {
                Some(0) => {
                    self.matrix.push(clause.iter().copied());
                    return;
                }
                Some(number) => {
                    if let Some(var) = self.variable(&token, number.unsigned_abs()) {
                        clause.push(var.literal(number > 0));
                    }
                }
                None => {
                    self.problems.token(
                        &token,
                        "a clause consists of whole numbers",
                        "write a literal such as 3 or -3, or the 0 that ends the clause",
                    );
                    // Still a clause, so that the count in the header is not reported too.
                    self.matrix.push([]);
                    self.tokens.skip_line();
                    return;
                }
            }
            match self.next() {
                Some(next) => token = next,
                None => {
                    self.problems
                        .token(&token, "the last clause does not end", "add a 0");
                    return;
                }
            }
        }
    }

    /// The variable with this number, if the header allows it.
    #[inline]
    fn variable(&mut self, token: &Token<'a>, number: u64) -> Option<Var> {
        if number == 0 || number > self.variables as u64 {
            let message = format!(
                "there is no such variable: the header says {}",
                self.variables
            );
            let hint = "write the largest variable number into the header";
            self.problems.token(token, message, hint);
            return None;
        }
        Some(Var::new(number as usize - 1))
    }

    /// Reports a line of the prefix behind a clause.
    fn misplaced(&mut self, letter: Token<'a>) {
        self.problems.token(
            &letter,
            "a line of the prefix after the first clause",
            "move all `e`, `a` and `r` lines between the header and the clauses",
        );
        self.tokens.skip_line();
    }

    /// Reads one `e`, `a` or `r` line up to its 0. Gives the letter of the next line if that was read already.
    fn quantifier(&mut self, letter: Token<'a>) -> Option<Token<'a>> {
        let quantifier = match letter.text[0] {
            b'e' => Quantifier::Exists,
            b'a' => Quantifier::Forall,
            _ => Quantifier::Chance,
        };
        if !self.matrix.is_empty() {
            self.misplaced(letter);
            return None;
        }
        // As in `r0.5 3 0`: what sticks to the letter is the next word.
        let mut pending = letter.after_first_byte();
        let probability = if quantifier == Quantifier::Chance {
            let token = pending.take().or_else(|| self.next());
            token.and_then(|token| match self.chances.check(token.text) {
                Ok(()) => Some((token.text, token.place)),
                Err(wrong) => {
                    self.problems.token(&token, wrong.message(), wrong.hint());
                    None
                }
            })
        } else {
            None
        };
        let mut variables = Vec::new();
        let mut last = letter;
        let mut next_line = None;
        loop {
            let Some(token) = pending.take().or_else(|| self.next()) else {
                self.problems
                    .token(&last, "the last line of the prefix does not end", "add a 0");
                break;
            };
            let behind_zero = match token.text[0] {
                b'0' => token.after_first_byte().filter(is_quantifier),
                _ => None,
            };
            match (token.number(), behind_zero) {
                (Some(0), _) => break,
                (Some(number), _) if number > 0 => {
                    variables.extend(self.quantify(&token, number as u64));
                }
                _ if token.first_on_line && is_quantifier(&token) => {
                    self.slips.token(
                        &token,
                        "the line of the prefix before this one does not end",
                        "add a 0 to that line",
                    );
                    next_line = Some(token);
                    break;
                }
                (_, Some(rest)) => {
                    self.slips.token(
                        &token,
                        "two lines of the prefix without a break between them",
                        "begin a new line after the 0",
                    );
                    next_line = Some(rest);
                    break;
                }
                _ => {
                    self.problems.token(
                        &token,
                        "a line of the prefix consists of variables",
                        "write positive numbers and a final 0",
                    );
                    if !token.first_on_line {
                        self.tokens.skip_line();
                    }
                    break;
                }
            }
            last = token;
        }
        self.prefix.push((quantifier, probability, variables));
        next_line
    }

    /// Notes that a variable is quantified here.
    fn quantify(&mut self, token: &Token<'a>, number: u64) -> Option<Var> {
        let var = self.variable(token, number)?;
        let line = &mut self.quantified_in[var.index()];
        if *line != 0 {
            let message = format!("variable {number} was quantified before, in line {line}");
            let hint = "keep one of the two; or the line before lacks its final 0";
            self.problems.token(token, message, hint);
            return None;
        }
        *line = u32::try_from(token.place.line).unwrap_or(u32::MAX);
        Some(var)
    }

    /// Takes what a comment says, if its words are ours or those of model counters; `c` is the first word of the line.
    fn comment(&mut self, c: Token<'a>) {
        let text = self.tokens.rest_of_line();
        let mut words = Tokens::new(text);
        let is_number = |token: Option<Token<'_>>| token.is_some_and(|t| t.number().is_some());
        let is_range = match c.text {
            b"cr" => is_number(words.next()),
            b"c" if text.trim_ascii_start().starts_with(b"ind") => {
                let word = words.next().map(|token| token.text);
                word == Some(b"ind") && is_number(words.next())
            }
            _ => false,
        };
        if is_range {
            let place = c.place;
            let mut words = Tokens::new(text);
            if c.text == b"c" {
                words.next();
            }
            self.counting
                .older_show(Line { place, text }, words, &mut self.problems);
        }
        if c.text != b"c" || is_range {
            return;
        }
        let place = c.place;
        let line = Line { place, text };
        let mut words = Tokens::new(text);
        let mut next = || words.next().map(|token| token.text);
        match (next(), next()) {
            (Some(b"sqasp"), Some(kind @ (b"prob" | b"var"))) => {
                self.own_comment(c, line, kind, words)
            }
            (Some(b"t"), Some(problem)) if next().is_none() => {
                self.counting.problem(line, problem, &mut self.problems);
            }
            (Some(b"p"), Some(b"show")) => self.counting.show(line, words, &mut self.problems),
            (Some(b"p"), Some(b"weight")) => self.counting.weight(line, words, &mut self.problems),
            _ => {}
        }
    }

    /// Takes what the words of a comment of ours say.
    fn own_comment(&mut self, c: Token<'a>, line: Line<'a>, kind: &[u8], mut words: Tokens<'a>) {
        let line = line.text;
        let variable = words.next().map(|token| token.text);
        let rest = Some(words.rest_of_line().trim_ascii()).filter(|rest| !rest.is_empty());
        let number = variable
            .and_then(|word| std::str::from_utf8(word).ok())
            .and_then(|word| word.parse::<u64>().ok());
        let (Some(number), Some(rest)) = (number, rest) else {
            self.problems.add(
                c.place,
                line,
                "a comment of sqasp that cannot be understood",
                "write `c sqasp prob VARIABLE NUMERATOR/DENOMINATOR` or `c sqasp var VARIABLE NAME`",
            );
            return;
        };
        if kind == b"var" {
            self.names.push((c.place, number, rest));
            return;
        }
        if let Err(wrong) = self.chances.check(rest) {
            self.problems
                .add(c.place, rest, wrong.message(), wrong.hint());
        } else if number == 0 || number > Var::MAX_INDEX as u64 {
            let hint = "variables are numbered from 1";
            self.problems
                .add(c.place, line, "there is no such variable", hint);
        } else if !self
            .chances
            .set_exact(Var::new(number as usize - 1), (rest, c.place))
        {
            self.problems.add(
                c.place,
                line,
                "a second exact probability of the same variable",
                "keep one of the two comments",
            );
        }
    }

    fn check_clause_count(&mut self) {
        if let (expected, Some(token)) = self.clauses
            && self.problems.is_empty()
            && expected != self.matrix.len() as u64
        {
            let message = format!(
                "the header says {expected} clauses, but there are {}",
                self.matrix.len()
            );
            // A text with fewer clauses may have lost its end.
            match expected < self.matrix.len() as u64 {
                true => self.slips.token(&token, message, "correct the header"),
                false => {
                    let hint = "correct the header, or look for missing clauses";
                    self.problems.token(&token, message, hint);
                }
            }
        }
    }

    /// Puts the formula together, or reports what is wrong.
    fn finish(mut self) -> Result<FormulaReading, ReadError> {
        let names = self.collect_names();
        let (prefix, quantity) = match self.counting.first() {
            None => (self.quantified(), Quantity::Value),
            Some(line) => self.counted(line),
        };
        if self.problems.is_empty() {
            self.chances.report_surplus(&mut self.problems);
        }
        self.problems.into_result()?;
        let formula = Formula::new(self.variables, prefix, self.matrix, names);
        Ok(FormulaReading {
            question: FormulaQuestion { formula, quantity },
            slips: self.slips.into_result().err(),
        })
    }

    /// The prefix and the count that a text asks for which says this about counting.
    fn counted(&mut self, line: Line<'a>) -> (Prefix, Quantity) {
        if !self.prefix.is_empty() {
            let message = "models of a formula with a prefix are not counted";
            let hint = "remove the lines about counting, or the lines of the prefix";
            self.problems.add(line.place, line.text, message, hint);
        }
        match self.counting.finish(self.variables, &mut self.problems) {
            Some((prefix, count)) => {
                if count.factor.is_zero() {
                    // There are literals without weight on both sides, so no model weighs anything.
                    self.matrix.push([]);
                }
                (prefix, Quantity::Count(count))
            }
            None => (Prefix::new(), Quantity::Value),
        }
    }

    /// The prefix as it stands there.
    fn quantified(&mut self) -> Prefix {
        let mut prefix = Prefix::new();
        let lines = std::mem::take(&mut self.prefix);
        for (quantifier, said, variables) in lines {
            if quantifier != Quantifier::Chance {
                prefix.push(quantifier, variables);
                continue;
            }
            for var in variables {
                let probability = said.and_then(|said| {
                    let problems = &mut self.problems;
                    self.chances.take(var, said, problems)
                });
                if let Some(probability) = probability {
                    prefix.push_chance(var, probability);
                }
            }
        }
        prefix
    }

    fn collect_names(&mut self) -> Names {
        let mut names = Names::default();
        for (place, number, name) in std::mem::take(&mut self.names) {
            if number == 0 || number > self.variables as u64 {
                if self.problems.is_empty() {
                    let message = format!(
                        "there is no variable {number}: the header says {}",
                        self.variables
                    );
                    self.problems
                        .add(place, b"c sqasp var", message, "remove the comment");
                }
            } else {
                let name = String::from_utf8_lossy(name);
                names.set(Var::new(number as usize - 1), name.into_owned());
            }
        }
        names
    }
}

/// Whether a line of the prefix begins with this word.
fn is_quantifier(word: &Token<'_>) -> bool {
    matches!(word.text[0], b'e' | b'a' | b'r')
}
