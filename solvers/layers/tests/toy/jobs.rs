//! Tables built in parts: by jobs in any order, twice, stopped and begun again; the bytes are those of one process.

use super::{Toy, built, files, memory};
use fastrand::Rng;
use layers::{DiskTableError, Job, JobTask, TableProgress, build, check};
use limits::{Limits, StopReason};
use std::fs;
use std::path::Path;

const DEPTH: usize = 5;

fn toy() -> Toy {
    Toy::by_steps(3_000)
}

/// Runs a job, which is stopped when it has told its progress this many times.
fn job(
    folder: &Path,
    task: JobTask,
    allowed: usize,
) -> Result<Option<TableProgress>, DiskTableError> {
    job_of(&toy(), DEPTH, folder, task, allowed)
}

fn job_of(
    toy: &Toy,
    depth: usize,
    folder: &Path,
    task: JobTask,
    allowed: usize,
) -> Result<Option<TableProgress>, DiskTableError> {
    let limits = memory(100_000);
    let interrupt = limits.interrupt.clone();
    let mut told = 0;
    let job = Job {
        game: toy,
        state: &[toy.start(depth)],
        manifest: &toy.manifest(depth),
        folder,
        limits: &limits,
        threads: 1 + allowed % 2,
        tell: &mut |_| {
            told += 1;
            if told > allowed {
                interrupt.raise();
            }
        },
    };
    job.run(task)
}

const NEVER: usize = usize::MAX - 1;

#[test]
fn jobs_in_any_order_write_what_one_process_writes() {
    write_what_one_process_writes(&toy(), DEPTH);
}

#[test]
fn so_do_jobs_whose_layers_are_a_measure() {
    write_what_one_process_writes(&Toy::by_measure(300), 12);
}

fn write_what_one_process_writes(toy: &Toy, depth: usize) {
    let job = |folder: &Path, task, allowed| job_of(toy, depth, folder, task, allowed);
    let whole = tempfile::tempdir().expect("a folder");
    built(toy, depth, whole.path(), &Limits::default());
    let expected = files(whole.path());
    let seed = fastrand::u64(..);
    let mut random = Rng::with_seed(seed);
    for (parts, small) in [(2, 0), (3, 50), (8, 0), (5, 1_000_000)] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path();
        let mut next = job(path, JobTask::Split { parts, small }, NEVER).expect("split");
        let (mut rounds, mut stopped) = (0, 0);
        while let Some(work) = next {
            assert!(work.states > small, "seed {seed}");
            // Each part once, and some a second time.
            let mut order: Vec<usize> = (0..parts).chain([random.usize(..parts)]).collect();
            random.shuffle(&mut order);
            for index in order {
                let merged = job(path, JobTask::Merge { small }, NEVER);
                let is_early = matches!(merged, Err(DiskTableError::MissingParts { .. }));
                if !is_early {
                    // All parts were there before the one that comes twice.
                    next = merged.expect("merged");
                    break;
                }
                let allowed = random.usize(..3);
                match job(path, JobTask::SolvePart { index }, allowed) {
                    Ok(done) => assert_eq!(done, Some(work), "seed {seed}"),
                    Err(DiskTableError::Stopped(StopReason::Interrupted)) => {
                        stopped += 1;
                        let again = job(path, JobTask::SolvePart { index }, NEVER);
                        assert_eq!(again.expect("solved"), Some(work), "seed {seed}");
                    }
                    Err(error) => panic!("{error}, seed {seed}"),
                }
            }
            if next == Some(work) {
                next = job(path, JobTask::Merge { small }, NEVER).expect("merged");
            }
            rounds += 1;
            assert!(rounds <= 2 * depth, "seed {seed}");
        }
        assert!(small > 50 || rounds > 3 && stopped > 0, "seed {seed}");
        assert!(files(path) == expected, "{parts} parts, seed {seed}");
        // A job that comes when all is done changes nothing.
        for task in [
            JobTask::SolvePart { index: 0 },
            JobTask::Merge { small },
            JobTask::Split { parts, small },
        ] {
            assert_eq!(job(path, task, NEVER).expect("complete"), None);
        }
        assert!(files(path) == expected, "{parts} parts, seed {seed}");
    }
}

#[test]
fn one_process_goes_on_with_what_jobs_began() {
    let whole = tempfile::tempdir().expect("a folder");
    let mut table = built(&toy(), DEPTH, whole.path(), &Limits::default());
    assert!(table.entry(&toy(), DEPTH, &[7]).expect("a file").is_some());
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let (parts, small) = (3, 0);
    for steps in [2, 6, 9] {
        let mut next = job(path, JobTask::Split { parts, small }, NEVER).expect("split");
        for _ in 0..steps {
            if next.is_some() {
                for index in 0..parts {
                    job(path, JobTask::SolvePart { index }, NEVER).expect("solved");
                }
                next = job(path, JobTask::Merge { small }, NEVER).expect("merged");
            }
        }
        // A part is there, and one is half written.
        job(path, JobTask::SolvePart { index: 1 }, NEVER).expect("solved");
        fs::write(path.join("00003.2-of-3.rows.77.part"), "half").expect("a file");
    }
    let limits = Limits::default();
    build(
        &toy(),
        &[7],
        &toy().manifest(DEPTH),
        path,
        &limits,
        2,
        &mut |_| (),
    )
    .expect("a table");
    assert!(files(path) == files(whole.path()));
}

#[test]
fn jobs_that_cannot_work_say_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let solve = |index| job(path, JobTask::SolvePart { index }, NEVER);
    assert!(matches!(solve(0), Err(DiskTableError::Missing(_))));
    let merge = JobTask::Merge { small: 0 };
    assert!(matches!(
        job(path, merge, NEVER),
        Err(DiskTableError::Missing(_))
    ));
    assert!(files(path).is_empty());
    let split = JobTask::Split { parts: 2, small: 0 };
    job(path, split, NEVER).expect("split");
    assert!(matches!(
        solve(2),
        Err(DiskTableError::NoPart { count: 2, .. })
    ));
    solve(1).expect("solved");
    let Err(DiskTableError::MissingParts { missing, .. }) = job(path, merge, NEVER) else {
        panic!("a part is missing");
    };
    assert_eq!(missing, [0]);
    // Other parts: what was solved is of no use.
    job(path, JobTask::Split { parts: 3, small: 0 }, NEVER).expect("split");
    assert!(!files(path).keys().any(|name| name.contains("-of-2")));
    for index in 0..3 {
        solve(index).expect("solved");
    }
    let rows = path.join("00004.1-of-3.rows");
    let mut bad = fs::read(&rows).expect("a file");
    bad[0] ^= 1;
    fs::write(&rows, bad).expect("written");
    assert!(matches!(
        job(path, merge, NEVER),
        Err(DiskTableError::Damaged { .. })
    ));
    fs::remove_file(&rows).expect("removed");
    solve(1).expect("solved");
    job(path, merge, NEVER).expect("merged");
    fs::remove_file(path.join("parts.json")).expect("removed");
    assert!(matches!(solve(0), Err(DiskTableError::NotSplit(_))));
    let table = built(&toy(), DEPTH, path, &Limits::default());
    check(&table).expect("whole");
}
