//! Reading `aspif`.

use super::scan::{AspifError, Scanner};
use crate::{Atom, Body, GroundProgram, Head, Literal};
use rustc_hash::FxHashMap;

/// A ground program that was read, and the statements that were passed over in reading.
#[derive(Clone, Debug)]
pub struct ReadProgram {
    /// The program.
    pub program: GroundProgram,
    /// Statements that have no influence on the answer sets and were ignored, in plain words.
    pub warnings: Vec<String>,
}

/// Reads a ground program.
///
/// # Errors
/// If the text breaks the format, or has statements that cannot be expressed by rules: disjunctive
/// heads, heuristics, edges, theories, several steps.
pub fn read_aspif(text: &[u8]) -> Result<ReadProgram, AspifError> {
    let mut reader = Reader {
        scanner: Scanner::new(text),
        // A file that numbers its atoms without gaps mentions each; leave small files some room.
        greatest_atom: (text.len().max(1 << 20) as i64).min(i64::from(i32::MAX)),
        program: GroundProgram::new(),
        literals: Vec::new(),
        outputs: Vec::new(),
        externals: Vec::new(),
        minimized: 0,
        projected: 0,
    };
    reader.read_header()?;
    while reader.read_statement()? {}
    reader.scanner.end_line()?;
    while !reader.scanner.is_over() {
        reader.scanner.end_line().or_else(|_| {
            reader.scanner.fail(
                "the program ends at the line \"0\", but more follows; programs of several steps \
                 (multi-shot solving) are not supported",
            )
        })?;
    }
    reader.add_externals();
    reader.add_outputs();
    let mut warnings = Vec::new();
    let mut warn = |count: usize, what: &str| {
        if count > 0 {
            warnings.push(format!("{count} {what}"));
        }
    };
    warn(
        reader.minimized,
        "#minimize statements ignored: answer sets are not compared by cost",
    );
    warn(
        reader.projected,
        "#project statements ignored: answer sets are not projected",
    );
    Ok(ReadProgram {
        program: reader.program,
        warnings,
    })
}

struct Output<'a> {
    text: &'a str,
    condition: Vec<Literal>,
}

struct Reader<'a> {
    scanner: Scanner<'a>,
    greatest_atom: i64,
    program: GroundProgram,
    /// Room for the literals of one statement.
    literals: Vec<Literal>,
    outputs: Vec<Output<'a>>,
    externals: Vec<(Atom, i64)>,
    minimized: usize,
    projected: usize,
}

impl Reader<'_> {
    fn read_header(&mut self) -> Result<(), AspifError> {
        if self.scanner.word() != b"asp" {
            return self.scanner.fail(
                "a ground program in aspif starts with the line \"asp 1 0 0\"; clingo writes it \
                 with --mode=gringo",
            );
        }
        self.scanner.number("the version of aspif", 1, 1)?;
        self.scanner.number("the version of aspif", 0, 0)?;
        self.scanner.number("the version of aspif", 0, i64::MAX)?;
        // Tags such as "incremental" follow; several steps are refused where the second starts.
        self.scanner.next_line();
        Ok(())
    }

    /// Reads one statement; `false` at the line that ends the program.
    fn read_statement(&mut self) -> Result<bool, AspifError> {
        if self.scanner.is_over() {
            return self
                .scanner
                .fail("the file ends before the line \"0\" that ends the program");
        }
        match self
            .scanner
            .number("the kind of a statement", 0, i64::MAX)?
        {
            0 => return Ok(false),
            1 => self.read_rule()?,
            2 => {
                self.scanner.number("a priority", i64::MIN, i64::MAX)?;
                for _ in 0..self.scanner.count("literals")? {
                    self.read_literal()?;
                    self.scanner.number("a weight", i64::MIN, i64::MAX)?;
                }
                self.minimized += 1;
            }
            3 => {
                for _ in 0..self.scanner.count("atoms")? {
                    self.read_atom()?;
                }
                self.projected += 1;
            }
            4 => {
                let length = self.scanner.number("the length of a text", 0, i64::MAX)?;
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                let text = self.scanner.bytes(length)?;
                self.read_literals()?;
                let condition = self.literals.clone();
                self.outputs.push(Output { text, condition });
            }
            5 => {
                let atom = self.read_atom()?;
                let value = self.scanner.number("the value of an external atom", 0, 3)?;
                self.externals.push((atom, value));
            }
            6 => {
                self.read_literals()?;
                for literal in &self.literals {
                    let negation = [literal.complement()];
                    self.program
                        .add_rule(Head::Constraint, Body::All(&negation));
                }
            }
            10 => {
                self.scanner.next_line();
                return Ok(true);
            }
            kind => {
                let what = match kind {
                    7 => "#heuristic statements",
                    8 => "#edge statements",
                    9 => "theory atoms",
                    _ => return self.scanner.fail(format!("{kind} is no kind of statement")),
                };
                return self.scanner.fail(format!(
                    "{what} are not supported; write the program without them"
                ));
            }
        }
        self.scanner.end_line()?;
        Ok(true)
    }

    fn read_rule(&mut self) -> Result<(), AspifError> {
        let is_choice = self.scanner.number("0 (disjunction) or 1 (choice)", 0, 1)? == 1;
        let head_count = self.scanner.count("head atoms")?;
        if head_count > 1 && !is_choice {
            return self.scanner.fail(
                "rules with a disjunction in the head are not supported; use a choice rule and \
                 constraints (clingo also writes disjunctions for sums with negative weights that \
                 take part in recursion)",
            );
        }
        let mut heads = Vec::with_capacity(head_count);
        for _ in 0..head_count {
            heads.push(self.read_atom()?);
        }
        let head = match heads[..] {
            _ if is_choice => Head::Choice(&heads),
            [] => Head::Constraint,
            [atom, ..] => Head::Atom(atom),
        };
        if self
            .scanner
            .number("0 (conjunction) or 1 (weights)", 0, 1)?
            == 0
        {
            self.read_literals()?;
            self.program.add_rule(head, Body::All(&self.literals));
            return Ok(());
        }
        let bound = self
            .scanner
            .number("the bound of a weight body", i64::MIN, i64::MAX)?;
        let count = self.scanner.count("literals")?;
        let mut literals = Vec::with_capacity(count);
        for _ in 0..count {
            let literal = self.read_literal()?;
            let weight = self.scanner.number("a weight", 0, i64::from(i32::MAX))?;
            literals.push((literal, weight as u64));
        }
        let bound = u64::try_from(bound).unwrap_or(0);
        let literals = &literals;
        self.program
            .add_rule(head, Body::Weighted { bound, literals });
        Ok(())
    }

    fn read_atom(&mut self) -> Result<Atom, AspifError> {
        let number = self.scanner.number("an atom", 1, self.greatest_atom)?;
        Ok(Atom::new(number as u32).expect("the number was checked"))
    }

    fn read_literal(&mut self) -> Result<Literal, AspifError> {
        let number = self
            .scanner
            .number("a literal", -self.greatest_atom, self.greatest_atom)?;
        match Literal::from_aspif(number as i32) {
            Some(literal) => Ok(literal),
            None => self.scanner.fail("0 is not a literal"),
        }
    }

    fn read_literals(&mut self) -> Result<(), AspifError> {
        self.literals.clear();
        for _ in 0..self.scanner.count("literals")? {
            let literal = self.read_literal()?;
            self.literals.push(literal);
        }
        Ok(())
    }

    /// Lets externals be what their last statement says, unless rules define them.
    fn add_externals(&mut self) {
        let mut values: FxHashMap<Atom, i64> = self.externals.iter().copied().collect();
        if values.is_empty() {
            return;
        }
        for rule in self.program.rules() {
            match rule.head {
                Head::Constraint => {}
                Head::Atom(atom) => {
                    values.remove(&atom);
                }
                Head::Choice(atoms) => atoms.iter().for_each(|atom| {
                    values.remove(atom);
                }),
            }
        }
        let mut values: Vec<(Atom, i64)> = values.into_iter().collect();
        values.sort_unstable();
        for (atom, value) in values {
            match value {
                0 => self.program.add_rule(Head::Choice(&[atom]), Body::All(&[])),
                1 => self.program.add_rule(Head::Atom(atom), Body::All(&[])),
                _ => {}
            }
        }
    }

    /// Names an atom where a name stands for one, and makes an atom where it stands for more.
    fn add_outputs(&mut self) {
        let outputs = std::mem::take(&mut self.outputs);
        let highest = outputs.iter().flat_map(|output| &output.condition);
        let highest = highest.map(|literal| literal.atom()).max();
        while highest.is_some_and(|atom| self.program.atom_count() < atom.number() as usize) {
            self.program.new_atom();
        }
        let mut uses: FxHashMap<&str, usize> = FxHashMap::default();
        for output in &outputs {
            *uses.entry(output.text).or_default() += 1;
        }
        let mut made: FxHashMap<&str, Atom> = FxHashMap::default();
        for output in &outputs {
            let only_one = uses[output.text] == 1;
            match output.condition[..] {
                [] if only_one => self.program.add_fact(output.text),
                [literal]
                    if only_one
                        && !literal.is_negative()
                        && self.program.name(literal.atom()).is_none() =>
                {
                    self.program.set_name(literal.atom(), output.text);
                }
                _ => {
                    let atom = *made.entry(output.text).or_insert_with(|| {
                        let atom = self.program.new_atom();
                        self.program.set_name(atom, output.text);
                        atom
                    });
                    let condition = Body::All(&output.condition);
                    self.program.add_rule(Head::Atom(atom), condition);
                }
            }
        }
    }
}
