//! The pipe lp2normal2 | lp2acyc | lp2sat, played by shell scripts; and the real programs, as far
//! as they are on the PATH.

use crate::common::script_called;
use formula::{SolverError, Var};
use limits::{Interrupt, Limits, StopReason};
use sqasp_external::{Asptools, NamedClauses, Translation};
use std::io::{self, Write};
use std::thread;
use std::time::{Duration, Instant};

/// `{a; b}. :- not a. c :- not b.` with names for `a` and `b`.
const PROGRAM: &str = "3 2 2 3 0 0\n1 4 1 1 3\n1 1 1 1 2\n0\n2 a\n3 p(\"x y\",1)\n0\n\
                       B+\n0\nB-\n1\n0\n1\n";

fn write_program(to: &mut dyn Write) -> io::Result<()> {
    to.write_all(PROGRAM.as_bytes())
}

/// Runs the three scripts in a folder of their own.
fn clausify(scripts: [&str; 3], limits: &Limits) -> Result<Translation, SolverError> {
    let folder = tempfile::tempdir().unwrap();
    for (name, body) in ["lp2normal2", "lp2acyc", "lp2sat"].iter().zip(scripts) {
        script_called(folder.path(), name, body);
    }
    Asptools::in_folder(folder.path()).clausify(write_program, limits)
}

fn clauses(scripts: [&str; 3]) -> NamedClauses {
    match clausify(scripts, &Limits::default()).unwrap() {
        Translation::Finished(clauses) => clauses,
        Translation::Stopped(reason) => panic!("stopped by {reason:?} without limits"),
    }
}

fn message(scripts: [&str; 3]) -> String {
    let error = clausify(scripts, &Limits::default()).expect_err("this must fail");
    error.to_string()
}

#[test]
fn each_program_reads_what_the_one_before_prints() {
    // Each adds a line; the last prints what it saw as comments, and names from the symbol table.
    let found = clauses([
        "cat; echo normal",
        "cat; echo acyclic",
        r#"text=$(cat)
        echo "$text" | tail -n 2 | tr '\n' ' ' | grep -q '^normal acyclic $' || exit 1
        echo "$text" | sed -n '/^0$/,/^B/p' | grep ' ' | sed 's/^/c /'
        echo 'p cnf 4 2'; echo '2 0'; echo '-4 3 0'"#,
    ]);
    assert_eq!(format!("{:?}", found.clauses), "[[2], [-4, 3]]");
    assert_eq!(found.variable_count, 4);
    assert_eq!(found.variables.len(), 2);
    assert_eq!(found.variables["a"], Var::new(1));
    assert_eq!(found.variables["p(\"x y\",1)"], Var::new(2));
}

#[test]
fn killed_and_silent_are_two_messages() {
    assert_eq!(
        message(["cat", "kill -9 $$", "cat >/dev/null; echo 'p cnf 1 0'"]),
        "lp2acyc failed: it was killed (signal 9), which the system does when memory runs out and \
         printed nothing at all"
    );
    assert_eq!(
        message(["cat", "cat", "cat >/dev/null"]),
        "lp2sat failed: it ended with exit code 0 and printed no clauses at all"
    );
    assert_eq!(
        message([
            "cat",
            "cat >/dev/null; echo 'unknown option' >&2",
            "cat >/dev/null"
        ]),
        "lp2sat failed: it ended with exit code 0 and printed no clauses at all; lp2acyc said: \
         unknown option"
    );
}

#[test]
fn the_culprit_is_named_not_its_neighbours() {
    // The second stops reading: the first dies of a broken pipe, the third of a short input.
    let endless = "yes '1 2 0 0'";
    assert_eq!(
        message([endless, "echo 'cannot read line 7' >&2; exit 3", "exit 4"]),
        "lp2acyc failed: it ended with exit code 3 without a translation; the last it printed is\n  \
         cannot read line 7"
    );
    // No program reports a mistake, but most of a program was not read.
    let reads_little = "read line; echo 'out of patience' >&2; exit 0";
    assert_eq!(
        message([endless, reads_little, "echo 'p cnf 1 1'; echo '1 0'"]),
        "lp2acyc failed: it ended before it had read all its input; it said: out of patience"
    );
}

#[test]
fn clauses_that_break_off_are_noticed() {
    assert_eq!(
        message([
            "cat",
            "cat",
            "cat >/dev/null; echo 'p cnf 3 2'; echo '1 2 0'"
        ]),
        "lp2sat failed: what it printed are not clauses: line 1: the header says 2 clauses, but \
         there are 1"
    );
}

#[test]
fn limits_end_all_programs_with_all_their_descendants() {
    let folder = tempfile::tempdir().unwrap();
    let survived = folder.path().join("survived");
    let hang = format!("(sleep 1; touch {}) & sleep 30", survived.display());
    let start = Instant::now();
    let limits = Limits::default().within(Duration::from_millis(200));
    for scripts in [[&*hang, "cat", "cat"], ["cat", "cat", &*hang]] {
        let stopped = clausify(scripts, &limits).unwrap();
        assert!(matches!(stopped, Translation::Stopped(StopReason::Time)));
    }
    let interrupt = Interrupt::default();
    let limits = Limits {
        interrupt: interrupt.clone(),
        ..Limits::default()
    };
    let raise = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        interrupt.raise();
    });
    let stopped = clausify(["cat", &*hang, "cat"], &limits).unwrap();
    assert!(matches!(
        stopped,
        Translation::Stopped(StopReason::Interrupted)
    ));
    raise.join().unwrap();
    let stopped = clausify([&*hang, &*hang, &*hang], &limits).unwrap();
    assert!(matches!(
        stopped,
        Translation::Stopped(StopReason::Interrupted)
    ));
    assert!(start.elapsed() < Duration::from_secs(25));
    thread::sleep(Duration::from_millis(1500));
    assert!(!survived.exists(), "a descendant lived on");
}

#[test]
fn memory_is_limited_in_each_program() {
    let limits = Limits {
        memory: Some(300 << 20),

        ..Limits::default().within(Duration::from_secs(30))
    };
    let check = "test $(ulimit -v) = 307200 || { echo no limit >&2; exit 1; }; cat";
    let full = "cat >/dev/null; echo std::bad_alloc >&2; kill -6 $$";
    let stopped = clausify([check, check, full], &limits).unwrap();
    assert!(matches!(stopped, Translation::Stopped(StopReason::Memory)));
    let error = clausify([check, check, check], &limits).unwrap_err();
    assert!(error.to_string().contains("are not clauses"), "{error}");
}

#[test]
fn full_pipes_block_nobody() {
    let noise = "head -c 300000 /dev/zero | tr '\\0' 'x' >&2; cat";
    let found = clauses([
        &format!("{noise}; yes '1 2 0 0' | head -n 100000"),
        noise,
        &format!(
            "{noise} | tail -n 1 >/dev/null; echo 'c 1 a'; echo 'p cnf 2 50000'; \
             yes '1 -2 0' | head -n 50000"
        ),
    ]);
    assert_eq!(found.clauses.len(), 50_000);
}

#[test]
#[ignore = "needs lp2normal2 lp2acyc lp2sat: they are called"]
fn the_real_programs_agree_on_a_small_program() {
    let tools = Asptools::new();
    let translation = tools.clausify(write_program, &Limits::default()).unwrap();
    let Translation::Finished(found) = translation else {
        panic!("stopped without limits: {translation:?}");
    };
    // Both answer sets have `a`; one has the other atom.
    let mut seen = Vec::new();
    for assignment in 0_u32..1 << found.variable_count {
        let holds = |lit: &formula::Lit| {
            let value = assignment >> lit.var().index() & 1 == 1;
            *lit == lit.var().literal(value)
        };
        if found.clauses.iter().all(|clause| clause.iter().any(holds)) {
            let value = |name: &str| holds(&found.variables[name].positive());
            seen.push((value("a"), value("p(\"x y\",1)")));
        }
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen, [(true, false), (true, true)]);
}
