//! A made-up game, and random ones, put into tables with little and much memory, stopped everywhere, damaged; against recursion by definition.

// Some of the modules are those of the tests of `emm`.
extern crate emm as sqasp_emm;

#[path = "../../../emm/tests/all/board.rs"]
mod board;
mod damages;
#[path = "../../../emm/tests/all/definition.rs"]
mod definition;
#[path = "../../../endless/tests/all/listed.rs"]
mod listed;
#[path = "../../../emm/tests/all/race.rs"]
mod race;
#[path = "../../../emm/tests/all/random.rs"]
mod random;
mod random_games;
#[path = "../../../matrix/tests/all/supports.rs"]
mod supports;

use fastrand::Rng;
use generators::{Cycles, Next, Outcomes};
use limits::{Limits, StopReason};
use listed::Listed;
use num_rational::BigRational;
use num_traits::Zero;
use random_games::manifest;
use sqasp_layers::{
    DiskTable, DiskTableError, Folder, Manifest, TableProgress, build, check, check_all,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use supports::value_by_supports;

/// A random list of states. The maximizer has two choices, the minimizer two replies, chance two or three outcomes. Layers are numbers of steps.
struct Toy {
    cycles: Cycles,
    /// Whether a key of its own goes before the state.
    has_key: bool,
    /// Whether states are matrix games.
    mixed: bool,
}

impl Toy {
    /// A game with keys, of this many states.
    fn new(states: usize) -> Self {
        let mut random = Rng::with_seed(7);
        let mut next = || match random.u32(..11) {
            end @ 0..2 => Next::End(end as usize),
            _ => Next::State(random.usize(..states)),
        };
        let mut reply = |count: usize| -> Outcomes { (0..count).map(|_| (1, next())).collect() };
        let mut state = |count: usize| {
            [(); 2]
                .map(|()| [(); 2].map(|()| reply(count)).to_vec())
                .to_vec()
        };
        Toy {
            cycles: Cycles {
                states: (0..states).map(|number| state(2 + number % 2)).collect(),
                payoffs: vec![(1, 1), (0, 1)],
            },
            has_key: true,
            mixed: false,
        }
    }

    /// The same states as matrix games.
    fn mixed(states: usize) -> Self {
        Toy {
            mixed: true,
            ..Toy::new(states)
        }
    }

    fn game(&self) -> Listed<'_> {
        Listed {
            has_key: self.has_key,
            is_by_steps: true,
            ..Listed::new(&self.cycles)
        }
    }

    /// The words of a state.
    fn state(&self, number: usize) -> Vec<u64> {
        let mut words = vec![number as u64];
        words.extend(self.has_key.then_some(0));
        words
    }

    fn manifest(&self, depth: usize) -> Manifest {
        manifest(Some(depth), self.mixed)
    }

    fn build(
        &self,
        depth: usize,
        folder: &Path,
        limits: &Limits,
        threads: usize,
        tell: &mut dyn FnMut(TableProgress),
    ) -> Result<DiskTable, DiskTableError> {
        let (game, start, manifest) = (self.game(), self.state(0), self.manifest(depth));
        build(&game, &start, &manifest, folder, limits, threads, tell)
    }

    /// Without an end, by one thread.
    fn built(&self, depth: usize, folder: &Path, limits: &Limits) -> DiskTable {
        let built = self.build(depth, folder, limits, 1, &mut |_| ());
        built.expect("a table")
    }

    fn value(
        &self,
        state: usize,
        layer: usize,
        known: &mut BTreeMap<(usize, usize), BigRational>,
    ) -> BigRational {
        if let Some(value) = known.get(&(layer, state)) {
            return value.clone();
        }
        let mut mean = |outcomes: &Outcomes| {
            let values = outcomes.iter().map(|&(_, next)| match next {
                Next::End(end) => BigRational::from_integer((1 - end).into()),
                Next::State(_) if layer == 1 => BigRational::zero(),
                Next::State(next) => self.value(next, layer - 1, known),
            });
            values.sum::<BigRational>() / BigRational::from_integer(outcomes.len().into())
        };
        let rows = self.cycles.states[state].iter();
        let matrix = rows.map(|row| row.iter().map(&mut mean).collect());
        let matrix: Vec<Vec<BigRational>> = matrix.collect();
        let value = match self.mixed {
            true => value_by_supports(&matrix),
            false => {
                let rows = matrix.into_iter().map(|row| row.into_iter().min());
                rows.max().flatten().expect("there are two choices")
            }
        };
        known.insert((layer, state), value.clone());
        value
    }
}

fn memory(bytes: u64) -> Limits {
    Limits::with_memory(Some(bytes))
}

/// All files of a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder");
    let file = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().expect("our own name");
        (name, fs::read(entry.path()).expect("a file"))
    };
    entries
        .map(|entry| file(entry.expect("an entry")))
        .collect()
}

#[test]
fn every_value_is_that_of_recursion() {
    for (states, depth, has_key, mixed) in [
        (50, 1, true, false),
        (50, 9, true, false),
        (20_000, 7, true, false),
        (500, 40, false, false),
        (50, 1, true, true),
        (20_000, 5, true, true),
        (50, 7, false, true),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let toy = Toy {
            has_key,
            mixed,
            ..Toy::new(states)
        };
        let mut table = toy.built(depth, folder.path(), &Limits::default());
        let (game, mut known) = (toy.game(), BTreeMap::new());
        toy.value(0, depth, &mut known);
        assert_eq!(table.states(), known.len() as u64);
        assert!(table.cuts_off());
        for ((layer, state), value) in known.iter().step_by(1 + known.len() / 2000) {
            let found = table.entry(&game, *layer, &toy.state(*state));
            let found = found.expect("a file").map(|(_, value)| value);
            assert_eq!(found.as_ref(), Some(value), "{states} {layer} {state}");
        }
        let other = table.entry(&game, depth, &toy.state(1));
        assert_eq!(other.expect("a file"), None);
        assert_eq!(check(&table).expect("whole").states, table.states());
        assert_eq!(checked(&toy, &table).expect("right"), table.states());
    }
}

/// Checks each value, with little memory.
fn checked(toy: &Toy, table: &DiskTable) -> Result<u64, DiskTableError> {
    let scratch = tempfile::tempdir().expect("a folder");
    let path = scratch.path();
    let (game, start, limits) = (toy.game(), toy.state(0), memory(100_000));
    check_all(&game, &start, table, path, &limits, 2, &mut |_| ())
}

#[test]
fn memory_and_stops_change_no_byte() {
    for (toy, depth) in [(Toy::new(20_000), 8), (Toy::mixed(20_000), 5)] {
        let whole = tempfile::tempdir().expect("a folder");
        toy.built(depth, whole.path(), &Limits::default());
        let expected = files(whole.path());
        let small = tempfile::tempdir().expect("a folder");
        toy.built(depth, small.path(), &memory(100_000));
        assert_eq!(files(small.path()), expected);
        for threads in [2, 3] {
            for bytes in [100_000, 10_000_000] {
                let parallel = tempfile::tempdir().expect("a folder");
                let (path, limits) = (parallel.path(), memory(bytes));
                let built = toy.build(depth, path, &limits, threads, &mut |_| ());
                built.expect("a table");
                assert_eq!(files(path), expected, "{threads} threads, {bytes} bytes");
            }
        }
        let stopped = tempfile::tempdir().expect("a folder");
        let (mut runs, mut checks) = (0, 8);
        loop {
            let limits = Limits {
                memory: Some(100_000),
                ..Limits::after_checks(checks)
            };
            runs += 1;
            match toy.build(depth, stopped.path(), &limits, 2, &mut |_| ()) {
                Ok(_) => break,
                Err(DiskTableError::Stopped(StopReason::Interrupted)) => checks += checks / 4,
                Err(error) => panic!("{error}"),
            }
        }
        assert!(runs > 8, "{runs}");
        assert_eq!(files(stopped.path()), expected);
    }
}

#[test]
fn work_on_denominators_grows_with_the_layers_and_not_with_their_square() {
    let toy = Toy::mixed(3);
    let asked = |depth| {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, game, manifest) = (folder.path(), toy.game(), toy.manifest(depth));
        let limits = Limits::default();
        let built = build(&game, &[0, 0], &manifest, path, &limits, 1, &mut |_| ());
        built.expect("a table");
        game.asked_sites.into_inner()
    };
    let (few, many) = (asked(20), asked(200));
    assert!(few > 20 && many < 20 * few, "{few} and {many}");
}

/// Lists have a line for each layer, so writing one behind each layer would take quadratic time.
#[test]
fn lists_of_many_small_layers_are_seldom_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, limits) = (folder.path(), Limits::default());
    let mut lists = BTreeSet::new();
    let mut tell = |_: TableProgress| {
        lists.extend(fs::read(path.join("layers.json")));
    };
    let built = Toy::mixed(3).build(12, path, &limits, 1, &mut tell);
    let layers = built.expect("a table").layers().len();
    assert!(layers > 8, "{layers} layers");
    assert!(
        2 * lists.len() < layers,
        "{layers} layers, {} lists",
        lists.len()
    );
}

#[test]
fn what_is_wrong_with_a_folder_is_told_apart() {
    let toy = Toy::new(50);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    assert!(matches!(
        DiskTable::open(path),
        Err(DiskTableError::Missing(_))
    ));
    fs::write(path.join("notes.txt"), "mine").expect("a file");
    let go = |depth| toy.build(depth, path, &Limits::default(), 1, &mut |_| ());
    assert!(matches!(go(5), Err(DiskTableError::Foreign(_))));
    fs::remove_file(path.join("notes.txt")).expect("removed");
    let table = go(5).expect("a table");
    assert!(matches!(
        go(6),
        Err(DiskTableError::Other { what: "depth", .. })
    ));
    for name in files(path).into_keys().filter(|name| name.contains(".0.")) {
        let file = path.join(&name);
        let good = fs::read(&file).expect("a file");
        for index in [0, good.len() / 2, good.len() - 80, good.len() - 1] {
            let mut bad = good.clone();
            bad[index] ^= 1;
            fs::write(&file, bad).expect("written");
            let found = check(&table);
            assert!(
                matches!(found, Err(DiskTableError::Damaged { .. })),
                "{name} {index}: {found:?}"
            );
        }
        fs::write(&file, &good[..good.len() - 3]).expect("written");
        assert!(matches!(check(&table), Err(DiskTableError::Damaged { .. })));
        fs::write(&file, good).expect("written");
    }
    check(&table).expect("whole again");
    for name in files(path).into_keys().filter(|name| name.contains(".0.")) {
        let file = path.join(&name);
        let good = fs::read(&file).expect("a file");
        let mut bad = good.clone();
        // The files have one block.
        let (block, footer) = bad.split_at_mut(good.len() - 92);
        let (records, sum) = block.split_at_mut(block.len() - 4);
        records[records.len() - 1] ^= 1;
        let block = [&footer[..72], &[0; 8], records].concat();
        sum.copy_from_slice(&crc32fast::hash(&block).to_le_bytes());
        fs::write(&file, bad).expect("written");
        // Its checksum is right, so only the game can tell.
        let found = checked(&toy, &table);
        assert!(
            matches!(found, Err(DiskTableError::Wrong { .. })),
            "{name}: {found:?}"
        );
        fs::write(&file, good).expect("written");
    }
    checked(&toy, &table).expect("right again");
    fs::remove_file(path.join("00003.0.keys")).expect("removed");
    assert!(matches!(check(&table), Err(DiskTableError::Damaged { .. })));
    let anew = tempfile::tempdir().expect("a folder");
    toy.built(5, anew.path(), &Limits::default());
    fs::copy(anew.path().join("00003.0.keys"), path.join("00003.0.keys")).expect("copied");
    check(&table).expect("the same bytes");
    let text = fs::read_to_string(path.join("table.json")).expect("a file");
    let newer = text.replace("\"version\": 3", "\"version\": 4");
    fs::write(path.join("table.json"), newer).expect("written");
    assert!(matches!(
        go(5),
        Err(DiskTableError::Other {
            what: "version of the format",
            ..
        })
    ));
}

#[test]
fn one_builds_at_a_time_and_foreign_files_stay() {
    let toy = Toy::new(50);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let limits = Limits::default();
    let mut others = Vec::new();
    let mut tell = |_: TableProgress| {
        let second = toy.build(5, path, &limits, 1, &mut |_| ());
        others.push(matches!(second, Err(DiskTableError::Busy(_))));
    };
    let built = toy.build(5, path, &limits, 2, &mut tell);
    built.expect("a table");
    assert!(others.len() > 2 && others.iter().all(|is_busy| *is_busy));
    // Half a download is no table, and must not be removed.
    let folder = tempfile::tempdir().expect("a folder");
    let theirs = folder.path().join("film.part");
    fs::write(&theirs, "half").expect("a file");
    let found = toy.build(5, folder.path(), &limits, 1, &mut |_| ());
    assert!(matches!(found, Err(DiskTableError::Foreign(_))));
    fs::remove_file(&theirs).expect("removed");
    toy.built(5, folder.path(), &limits);
    fs::write(&theirs, "half").expect("a file");
    fs::write(folder.path().join("run-3.part"), "a run").expect("a file");
    toy.built(5, folder.path(), &limits);
    let left = files(folder.path());
    assert!(left.contains_key("film.part") && !left.contains_key("run-3.part"));
}

#[test]
fn what_other_processes_have_not_finished_stays_theirs() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, manifest) = (folder.path(), Toy::new(50).manifest(3));
    let first = Folder::create(path, &manifest).expect("new").share();
    let first = first.expect("the lock is shared here");
    let other = Folder::join(path, &manifest).expect("it is there");
    let [own, theirs] = [&first, &other].map(|folder| folder.scratch("run-1"));
    for file in [&own, &theirs] {
        fs::write(file, "begun").expect("a file");
    }
    first.remove_unfinished().expect("removed");
    assert!(!own.exists() && theirs.exists());
    let alone = Folder::create(path, &manifest);
    assert!(matches!(alone, Err(DiskTableError::Busy(_))));
    drop((first, other));
    Folder::create(path, &manifest).expect("no process works there");
    assert!(!theirs.exists());
}
