//! Outside programs that get killed, say nothing or say nonsense, played by shell
//! scripts; and that limits end a program with all its descendants.

use crate::common::script;
use formula::{Formula, Outcome, Solver, SolverError, Value, read};
use generators::rows;
use limits::{Interrupt, Limits, StopReason};
use sqasp_external::{Qbf, SharpSsat};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

fn qbf() -> Formula {
    read(b"p cnf 3 2\ne 1 2 0\na 3 0\n1 3 0\n2 -1 0\n").unwrap()
}

fn stochastic() -> Formula {
    read(b"p cnf 3 2\ne 1 0\nr 0.25 2 0\na 3 0\n1 3 0\n2 -1 3 0\n").unwrap()
}

/// Runs a script as DepQBF.
fn depqbf(body: &str, limits: &Limits) -> Result<Outcome, SolverError> {
    let directory = tempfile::tempdir().unwrap();
    let mut solver = Qbf::depqbf().at(script(directory.path(), body));
    solver.solve(&qbf(), limits).map(|answer| answer.outcome)
}

/// Runs a script as SharpSSAT.
fn sharpssat(body: &str, limits: &Limits) -> Result<Outcome, SolverError> {
    let directory = tempfile::tempdir().unwrap();
    let mut solver = SharpSsat::new().at(script(directory.path(), body));
    solver
        .solve(&stochastic(), limits)
        .map(|answer| answer.outcome)
}

fn message(result: Result<Outcome, SolverError>) -> String {
    result.expect_err("this must fail").to_string()
}

fn within(time: Duration) -> Limits {
    Limits::default().within(time)
}

fn reason(result: Result<Outcome, SolverError>) -> StopReason {
    match result.unwrap() {
        Outcome::Stopped {
            reason,
            lower,
            upper,
            ..
        } => {
            assert_eq!(
                (lower.to_string(), upper.to_string()),
                ("0".into(), "1".into())
            );
            reason
        }
        other => panic!("solved by a script that hangs: {other:?}"),
    }
}

#[test]
fn a_killed_program_is_told_with_its_last_words() {
    let none = Limits::default();
    assert_eq!(
        message(sharpssat(
            "echo reading; echo 'bad clause' >&2; kill -6 $$",
            &none
        )),
        "sharpSSAT failed: it was killed by signal 6 without a satisfying probability; the last it \
         printed is\n  bad clause"
    );
}

#[test]
fn nonsense_is_no_answer() {
    let none = Limits::default();
    for [body, part] in rows(
        r"
            echo hello => without a result line
            echo 's cnf 1 3 2'; exit 20 => `s cnf 1 3 2`, but it ended with exit code 20
            echo 's cnf 0 3 2'; exit 0 => `s cnf 0 3 2`, but it ended with exit code 0
            echo 's cnf 1 3 2'; kill -9 $$ => but it was killed
            echo 's cnf -1 3 2'; exit 30 => it does not know
            ",
    ) {
        let message = message(depqbf(&body, &none));
        assert!(message.contains(&part), "{body}: {message}");
    }
    for [body, part] in rows(
        r"
            echo '# satisfying probability = -nan' => `-nan` is not a probability
            echo '# satisfying probability = 1.5' => `1.5` is not a probability
            echo '# satisfying probability = 0.5'; exit 1 => exit code 1
            echo '# satisfying' => without a satisfying probability
            ",
    ) {
        let message = message(sharpssat(&body, &none));
        assert!(message.contains(&part), "{body}: {message}");
    }
}

#[test]
fn answers_are_understood() {
    let none = Limits::default();
    let float = |number| Outcome::Solved(Value::Float(number));
    for (body, outcome) in [
        (
            "echo c; echo '# satisfying probability = 0.25'; echo '# time'",
            float(0.25),
        ),
        ("echo '# satisfying probability = 2.5e-05'", float(2.5e-5)),
        ("echo ' FOUND UNSAT DURING PREPROCESSING'", float(0.0)),
    ] {
        assert_eq!(sharpssat(body, &none).unwrap(), outcome, "{body}");
    }
    assert_eq!(
        reason(sharpssat("echo ' TIMEOUT !'", &none)),
        StopReason::Time
    );
    let exact = |number: i32| Outcome::Solved(Value::Exact(fraction(number)));
    assert_eq!(
        depqbf("echo 's cnf 1 3 2'; exit 10", &none).unwrap(),
        exact(1)
    );
    assert_eq!(
        depqbf("echo c; echo 's cnf 0 3 2'; exit 20", &none).unwrap(),
        exact(0)
    );
}

fn fraction(number: i32) -> formula::BigRational {
    formula::BigRational::from_integer(number.into())
}

#[test]
fn the_program_gets_its_options_and_a_directory_of_its_own() {
    // The script repeats its options and leaves a file behind, as SharpSSAT does.
    let body = r#"test -e data.out && exit 1
        echo run >> data.out
        test "$1 $2 $3 $4 $6 $7" = "-s -p -u -t -cs 512" || { echo "$@" >&2; exit 1; }
        test "$5" -gt 3000 && test "$5" -le 3601 || { echo "$@" >&2; exit 1; }
        case "$8" in *.sdimacs) ;; *) exit 1;; esac
        grep -q '^r 0.25000000000000000 2 0$' "$8" && echo '# satisfying probability = 1'"#;
    let limits = Limits {
        memory: Some(1 << 30),
        ..Limits::default().within(Duration::from_secs(3600))
    };
    for _ in 0..2 {
        let outcome = sharpssat(body, &limits);
        assert_eq!(outcome.unwrap(), Outcome::Solved(Value::Float(1.0)));
    }
}

#[test]
fn limits_end_the_program_with_all_its_descendants() {
    let directory = tempfile::tempdir().unwrap();
    let survived = directory.path().join("survived");
    let hang = |path: &Path| {
        let path = path.display();
        format!("(sleep 1; touch {path}) & (trap '' TERM INT; sleep 30) & sleep 30")
    };
    let start = Instant::now();
    let limits = within(Duration::from_millis(200));
    assert_eq!(reason(depqbf(&hang(&survived), &limits)), StopReason::Time);
    assert_eq!(
        reason(sharpssat(&hang(&survived), &limits)),
        StopReason::Time
    );

    let interrupt = Interrupt::default();
    let limits = Limits {
        interrupt: interrupt.clone(),
        ..Limits::default()
    };
    let raise = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        interrupt.raise();
    });
    assert_eq!(
        reason(depqbf(&hang(&survived), &limits)),
        StopReason::Interrupted
    );
    raise.join().unwrap();
    // A survivor would have held pipes open until it had slept.
    assert!(start.elapsed() < Duration::from_secs(25));

    // A program that ends leaves no child behind either.
    let body = format!(
        "(sleep 1; touch {}) & echo 's cnf 1 3 2'; exit 10",
        survived.display()
    );
    depqbf(&body, &Limits::default()).unwrap();
    thread::sleep(Duration::from_millis(1500));
    assert!(!survived.exists(), "a descendant lived on");
}

#[test]
fn a_full_pipe_blocks_nobody() {
    // Far more than a pipe holds, on both outputs at once.
    let body = "head -c 3000000 /dev/zero | tr '\\0' 'x' >&2
        head -c 3000000 /dev/zero | tr '\\0' '\\n'; echo 's cnf 0 3 2'; exit 20";
    let outcome = depqbf(body, &within(Duration::from_secs(30))).unwrap();
    assert_eq!(outcome, Outcome::Solved(Value::Exact(fraction(0))));
}

#[test]
fn memory_is_limited() {
    let limits = Limits {
        memory: Some(300 << 20),
        ..within(Duration::from_secs(30))
    };
    let body = "ulimit -v >&2; echo 'terminate: std::bad_alloc' >&2; kill -6 $$";
    assert_eq!(reason(depqbf(body, &limits)), StopReason::Memory);
    // The limit is set, in units of 1024 bytes.
    let message = message(depqbf("ulimit -v >&2; exit 1", &limits));
    assert!(message.ends_with(&(300 << 10).to_string()), "{message}");
}

#[test]
fn progress_is_reported() {
    use std::sync::{Arc, Mutex};
    let seen = Arc::new(Mutex::new(0));
    let count = Arc::clone(&seen);
    let limits = Limits {
        progress: Some(Arc::new(move |_| *count.lock().unwrap() += 1)),
        ..within(Duration::from_millis(700))
    };
    assert_eq!(reason(depqbf("sleep 30", &limits)), StopReason::Time);
    assert!(*seen.lock().unwrap() >= 1);
}

#[test]
fn chance_is_refused_by_qbf_solvers() {
    let directory = tempfile::tempdir().unwrap();
    let mut solver = Qbf::caqe().at(script(directory.path(), "exit 1"));
    let error = solver.solve(&stochastic(), &Limits::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "caqe cannot take this formula: variable 2 is decided by chance, and QDIMACS has no letter \
         for that: write SDIMACS, and use a solver that knows chance, such as xssat"
    );
}
