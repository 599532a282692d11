//! The `aspif` format: ground programs as text, one statement per line, as clingo's grounder
//! writes them and clasp reads them (Kaminski, Schaub and Wanko, *A tutorial on hybrid answer set
//! solving with clingo*, 2017, appendix).
//!
//! ```text
//! asp 1 0 0
//! 1 0 1 1 0 1 -2      atom 1 holds if atom 2 does not
//! 4 1 a 1 1           atom 1 is called "a"
//! 4 4 c(2) 0          "c(2)" is a fact
//! 0
//! ```
//!
//! A [`GroundProgram`](crate::GroundProgram) has rules, names and facts only, so the reader turns
//! other statements into these: a free external becomes a choice, an assumption a constraint, a
//! name under a condition a new atom with a rule. Statements that cannot be said that way are refused.

mod read;
mod scan;
mod write;

pub use read::{ReadProgram, read_aspif};
pub use scan::AspifError;
pub use write::write_aspif;

#[cfg(test)]
mod tests {
    use super::*;

    fn read(statements: &str) -> Result<ReadProgram, AspifError> {
        read_aspif(format!("asp 1 0 0\n{statements}\n0\n").as_bytes())
    }

    #[track_caller]
    fn check(statements: &str, expected: &str) {
        let program = read(statements).unwrap().program;
        assert_eq!(program.to_string(), expected, "{statements}");
    }

    #[track_caller]
    fn check_refused(text: &str, line: usize, message: &str) {
        let error = read_aspif(text.as_bytes()).unwrap_err();
        assert!(error.message.contains(message), "{error}");
        assert_eq!(error.line, line, "{error}");
    }

    #[test]
    fn names_keep_their_meaning() {
        check("1 0 1 1 0 0\n4 4 a(1) 1 1", "a(1).\n");
        check("4 10 p(\"a b\",2) 0", "p(\"a b\",2).\n");
        // Names under conditions, of negations, of named atoms, and names given twice.
        check(
            "1 1 2 1 2 0 0\n4 1 w 2 1 -2",
            "{_1; _2}.\nw :- _1, not _2.\n",
        );
        check("1 1 1 1 0 0\n4 1 n 1 -1", "{_1}.\nn :- not _1.\n");
        check("1 1 1 1 0 0\n4 1 a 1 1\n4 1 b 1 1", "{a}.\nb :- a.\n");
        check(
            "1 1 2 1 2 0 0\n4 1 w 1 1\n4 1 w 1 2",
            "{_1; _2}.\nw :- _1.\nw :- _2.\n",
        );
        // A condition may be the first to mention an atom.
        check("4 1 w 2 5 6", "w :- _5, _6.\n");
    }

    #[test]
    fn other_statements_become_rules() {
        check(
            "5 1 0\n5 2 1\n5 3 2\n5 4 0\n5 4 3\n10 any text",
            "{_1}.\n_2.\n",
        );
        check("1 0 1 1 0 1 2\n5 1 0\n5 2 1", "_1 :- _2.\n_2.\n");
        check("6 2 1 -2", ":- not _1.\n:- _2.\n");
        check("1 0 1 1 1 -3 1 2 4", "_1 :- 0 <= {_2=4}.\n");
        let read = read("2 0 1 1 1\n2 1 0\n3 1 1").unwrap();
        assert_eq!(read.warnings.len(), 2);
        assert!(read.warnings[0].starts_with("2 #minimize statements ignored"));
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_its_line() {
        check_refused("", 1, "starts with the line \"asp 1 0 0\"");
        check_refused("asp 2 0 0\n0\n", 1, "2 cannot be the version");
        check_refused("asp 1 0 0\n", 2, "before the line \"0\"");
        check_refused("asp 1 0 0\n1 0 2 1 2 0 0\n0\n", 2, "disjunction");
        check_refused(
            "asp 1 0 0\n1 0 1 1 0 1\n0\n",
            2,
            "the line ends where a literal",
        );
        check_refused("asp 1 0 0\n1 0 1 1 0 1 0\n0\n", 2, "0 is not a literal");
        check_refused("asp 1 0 0\n1 0 1 1 0 0 7\n0\n", 2, "\"7\" follows");
        check_refused("asp 1 0 0\n1 0 1 x 0 0\n0\n", 2, "\"x\" is not a number");
        check_refused(
            "asp 1 0 0\n1 0 1 1 0 999999999\n0\n",
            2,
            "the text ends before",
        );
        check_refused(
            "asp 1 0 0\n1 0 1 2147483647 0 0\n0\n",
            2,
            "cannot be an atom",
        );
        check_refused(
            "asp 1 0 0\n1 0 1 1 1 2 1 2 -1\n0\n",
            2,
            "-1 cannot be a weight",
        );
        check_refused("asp 1 0 0\n4 7 a 1 1\n0\n", 2, "its length is wrong");
        check_refused("asp 1 0 0\n4 99 a 1 1\n0\n", 2, "the file ends");
        check_refused("asp 1 0 0\n10 c\n7 0 1 1 1 0\n0\n", 3, "#heuristic");
        check_refused("asp 1 0 0\n8 0 1 0\n0\n", 2, "#edge");
        check_refused("asp 1 0 0\n9 0 0 1\n0\n", 2, "theory");
        check_refused("asp 1 0 0\n11\n0\n", 2, "11 is no kind");
        check_refused(
            "asp 1 0 0 incremental\n0\n1 0 1 1 0 0\n0\n",
            3,
            "several steps",
        );
    }
}
