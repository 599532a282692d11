//! The real programs; each test is ignored unless its program is said to be there.

use formula::{Formula, Lit, Names, Outcome, Solver, Var, qdimacs};
use generators::conformance::{Options, check};
use generators::{FormulaBuilder, Structured, rounds, structured};
use limits::{Limits, StopReason};
use sqasp_external::{PROGRAMS, Qbf, SharpSsat, doctor};
use std::process::Command;
use std::time::{Duration, Instant};

fn qbf_options() -> Options {
    Options {
        chance: false,
        rounds: 60,
        ..Options::default()
    }
}

#[test]
#[ignore = "needs depqbf: it is called"]
fn depqbf_passes_the_suite() {
    let summary = check(&mut Qbf::depqbf(), &qbf_options());
    let summary = summary.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(summary.solved > 150 && summary.refused > 10, "{summary:?}");
}

#[test]
#[ignore = "needs caqe: it is called"]
fn caqe_passes_the_suite() {
    let summary = check(&mut Qbf::caqe(), &qbf_options());
    let summary = summary.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(summary.solved > 150 && summary.refused > 10, "{summary:?}");
}

#[test]
#[ignore = "needs sharpSSAT: it is called"]
fn sharpssat_passes_the_suite() {
    let options = Options {
        rounds: 60,
        tolerance: Some(1e-5),
        ..Options::default()
    };
    let summary = check(&mut SharpSsat::new(), &options);
    let summary = summary.unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(summary.refused, 0);
}

#[test]
#[ignore = "needs depqbf: it is called"]
fn depqbf_reads_our_files_without_complaint() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("formula.qdimacs");
    let seed = 22;
    let mut rng = fastrand::Rng::with_seed(seed);
    let family = Structured {
        chance: false,
        ..Structured::default()
    };
    for round in 0..rounds(100) {
        let formula = structured(&mut rng, &family);
        let mut names = Names::default();
        names.set(Var::new(0), "does(xplayer,\"a 0\",0)");
        let (prefix, matrix) = (formula.prefix().clone(), formula.matrix().clone());
        let formula = Formula::new(formula.variables(), prefix, matrix, names);
        let mut text = Vec::new();
        qdimacs::write(&formula, &mut text).unwrap();
        std::fs::write(&file, &text).unwrap();
        let run = Command::new("depqbf")
            .arg("--qdo")
            .arg(&file)
            .output()
            .unwrap();
        let place = format!("seed {seed}, round {round}");
        assert!(
            run.stderr.is_empty(),
            "{place}: {}",
            String::from_utf8_lossy(&run.stderr)
        );
        // The result line repeats the number of clauses, so all of them were read. (Its number of
        // variables is the largest in use, not that of the header.)
        let text = String::from_utf8(text).unwrap();
        let header = text
            .lines()
            .find(|line| line.starts_with("p cnf "))
            .unwrap();
        let clauses = header.rsplit(' ').next();
        let output = String::from_utf8(run.stdout).unwrap();
        let result: Vec<&str> = output.lines().next().unwrap().split(' ').collect();
        let value = if run.status.code() == Some(10) {
            "1"
        } else {
            "0"
        };
        assert_eq!(result[..3], ["s", "cnf", value], "{place}: {output}");
        assert_eq!(result.last().copied(), clauses, "{place}: {output}");
        assert!(
            output.lines().skip(1).all(|line| line.starts_with("V ")),
            "{place}: {output}"
        );
    }
}

#[test]
#[ignore = "needs depqbf: it is called"]
fn depqbf_is_stopped_in_time() {
    let limits = Limits::default().within(Duration::from_millis(300));
    let start = Instant::now();
    let answer = Qbf::depqbf().solve(&pigeons(10), &limits).unwrap();
    let stopped = matches!(
        answer.outcome,
        Outcome::Stopped {
            reason: StopReason::Time,
            ..
        }
    );
    assert!(stopped, "{answer:?}");
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
#[ignore = "needs depqbf: it is called"]
fn depqbf_without_memory_is_stopped_for_it() {
    let limits = Limits {
        memory: Some(3_000 << 10),
        ..Limits::default().within(Duration::from_secs(60))
    };
    let answer = Qbf::depqbf().solve(&pigeons(10), &limits).unwrap();
    let stopped = matches!(
        answer.outcome,
        Outcome::Stopped {
            reason: StopReason::Memory,
            ..
        }
    );
    assert!(stopped, "{answer:?}");
}

/// One more pigeon than holes: false, and hard for search with clause learning.
fn pigeons(holes: usize) -> Formula {
    let mut made = FormulaBuilder::default();
    let variables = made.block("e", (holes + 1) * holes);
    let pigeons: Vec<&[Lit]> = variables.chunks(holes).collect();
    for (number, pigeon) in pigeons.iter().enumerate() {
        made.clause(pigeon.iter().copied());
        for (one, other) in pigeons[..number]
            .iter()
            .flat_map(|other| pigeon.iter().zip(*other))
        {
            made.clause([!*one, !*other]);
        }
    }
    made.finish()
}

#[test]
fn the_doctor_looks_at_every_program() {
    let findings = doctor();
    assert_eq!(findings.len(), PROGRAMS.len());
    for finding in findings {
        eprintln!(
            "{}: {:?} {:?}",
            finding.program.name, finding.path, finding.version
        );
        assert_eq!(finding.path.is_some(), finding.program.find().is_some());
        if ["depqbf", "clingo"].contains(&finding.program.name) && finding.path.is_some() {
            let version = finding.version.unwrap().to_lowercase();
            assert!(version.contains(finding.program.name), "{version}");
        }
    }
}
