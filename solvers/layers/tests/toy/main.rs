//! A made-up game, and random ones, put into tables with little and much memory, stopped everywhere, damaged; against recursion by definition.

// Some of the modules are those of the tests of `emm`.
extern crate emm as sqasp_emm;

#[path = "../../../emm/tests/all/board.rs"]
mod board;
mod damages;
#[path = "../../../emm/tests/all/definition.rs"]
mod definition;
#[path = "../../../emm/tests/all/race.rs"]
mod race;
#[path = "../../../emm/tests/all/random.rs"]
mod random;
mod random_games;
#[path = "../../../matrix/tests/all/supports.rs"]
mod supports;

use arena::{Chances, Expansion, Kind, Refusal, Rows, Site, StochasticGame};
use base::value::Numerator;
use limits::{Limits, StopReason};
use num_rational::BigRational;
use num_traits::Zero;
use sqasp_layers::{
    DiskTable, DiskTableError, FORMAT, Folder, Manifest, TableProgress, VERSION, build, check,
    check_all,
};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use supports::value_by_supports;

/// States are numbers below a modulus. The maximizer has two choices, the minimizer two replies, chance two or three outcomes.
#[derive(Clone, Copy, Debug)]
struct Toy {
    modulus: u64,
    /// Whether a key of its own goes before the state.
    has_key: bool,
    /// Whether states are matrix games.
    mixed: bool,
}

/// The state where play begins.
const START: u64 = 7;

/// The successor in a step: a state, or the end with this worth.
#[derive(Clone, Copy)]
enum Next {
    State(u64),
    End(bool),
}

impl Toy {
    /// A game whose layers are numbers of steps, with keys.
    fn by_steps(modulus: u64) -> Self {
        Toy {
            modulus,
            has_key: true,
            mixed: false,
        }
    }

    fn manifest(&self, depth: usize) -> Manifest {
        Manifest {
            format: FORMAT.to_owned(),
            version: VERSION,
            rules: "none".to_owned(),
            text_of_rules: "none".to_owned(),
            as_written: None,
            game: "toy".to_owned(),
            role: "max".to_owned(),
            objective: "win".to_owned(),
            largest: "1".to_owned(),
            depth,
            keys: "toy".to_owned(),
            shards: 1,
            mixed: self.mixed,
            endless: false,
        }
    }

    fn outcomes(&self, state: u64) -> u64 {
        2 + state % 2
    }

    fn next(&self, state: u64, choice: u64, reply: u64, outcome: u64) -> Next {
        let mixed = (state * 12 + choice * 6 + reply * 3 + outcome + 1)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            >> 32;
        match mixed % 11 {
            0 => Next::End(true),
            1 => Next::End(false),
            _ => Next::State(mixed % self.modulus),
        }
    }

    fn value(
        &self,
        state: u64,
        layer: usize,
        known: &mut BTreeMap<(usize, u64), BigRational>,
    ) -> BigRational {
        if let Some(value) = known.get(&(layer, state)) {
            return value.clone();
        }
        let mut matrix = Vec::new();
        for choice in 0..2 {
            let mut row = Vec::new();
            for reply in 0..2 {
                let mut sum = BigRational::zero();
                for outcome in 0..self.outcomes(state) {
                    sum += match self.next(state, choice, reply, outcome) {
                        Next::End(wins) => BigRational::from_integer(i64::from(wins).into()),
                        Next::State(_) if layer == 1 => BigRational::zero(),
                        Next::State(next) => self.value(next, layer - 1, known),
                    };
                }
                row.push(sum / BigRational::from_integer(self.outcomes(state).into()));
            }
            matrix.push(row);
        }
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

thread_local! {
    /// How often this thread asked where chance decides in a layer: the work on denominators.
    static ASKED: Cell<u64> = const { Cell::new(0) };
}

impl Chances for Toy {
    fn sites(&self, _: usize) -> &[Site] {
        ASKED.set(ASKED.get() + 1);
        &[Site::Uniform]
    }
}

impl StochasticGame for Toy {
    type Workspace = ();

    fn workspace(&self) {}

    fn rows(&self, _: usize) -> Rows {
        Rows {
            state: 1,
            key: usize::from(self.has_key),
        }
    }

    fn key_bits(&self, _: usize) -> usize {
        20
    }

    fn is_stationary(&self) -> bool {
        true
    }

    fn write_key(&self, _: usize, state: &mut [u64], key: &mut [u64]) {
        if self.has_key {
            key[0] = state[0] ^ 0x3ff;
        }
    }

    fn expand<N: Numerator>(
        &self,
        states: &[u32],
        (): &mut (),
        to: &mut Expansion<'_, N>,
    ) -> Result<(), Refusal> {
        let rows = to.rows();
        for &root in states {
            let state = to.tree.state(root as usize, rows)[0];
            let outcomes = self.outcomes(state) as u32;
            let share = to.share(0, outcomes)?.clone();
            let choices = to.tree.open(root, Kind::Max, 2, 0);
            for choice in 0..2 {
                let replies = to.tree.open(choices + choice, Kind::Min, 2, 0);
                for reply in 0..2 {
                    let means = to
                        .tree
                        .open(replies + reply, Kind::Mean, outcomes as usize, 1);
                    for outcome in 0..outcomes {
                        let node = means + outcome;
                        to.tree.nodes[node as usize].weight = share.clone();
                        match self.next(state, choice.into(), reply.into(), outcome.into()) {
                            Next::End(wins) => {
                                let paid = if wins { N::one() } else { N::zero() };
                                let worth = to.worth(paid);
                                to.tree.set_known(node, worth);
                            }
                            Next::State(_) if to.layer == 1 => to.cuts_off = true,
                            Next::State(next) => {
                                let one = to.one().clone();
                                let row = to.tree.add_rows(1, rows);
                                to.tree.rows_mut(row)[0] = next;
                                to.tree.set_state(node, row, one);
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

fn memory(bytes: u64) -> Limits {
    Limits {
        memory: Some(bytes),
        ..Limits::default()
    }
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

fn built(toy: &Toy, depth: usize, folder: &Path, limits: &Limits) -> DiskTable {
    let (state, manifest) = ([START], toy.manifest(depth));
    build(toy, &state, &manifest, folder, limits, 1, &mut |_| ()).expect("a table")
}

#[test]
fn every_value_is_that_of_recursion() {
    for (modulus, depth, has_key, mixed) in [
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
            modulus,
            has_key,
            mixed,
        };
        let mut table = built(&toy, depth, folder.path(), &Limits::default());
        let mut known = BTreeMap::new();
        toy.value(START, depth, &mut known);
        assert_eq!(table.states(), known.len() as u64);
        assert!(table.cuts_off());
        for ((layer, state), value) in known.iter().step_by(1 + known.len() / 2000) {
            let found = table.entry(&toy, *layer, &[*state]).expect("a file");
            let found = found.map(|(_, value)| value);
            assert_eq!(found.as_ref(), Some(value), "{toy:?} {layer} {state}");
        }
        let other = table.entry(&toy, depth, &[START + 1]);
        assert_eq!(other.expect("a file"), None);
        assert_eq!(check(&table).expect("whole").states, table.states());
        assert_eq!(checked(&toy, &table).expect("right"), table.states());
    }
}

/// Checks each value, with little memory.
fn checked(toy: &Toy, table: &DiskTable) -> Result<u64, DiskTableError> {
    let scratch = tempfile::tempdir().expect("a folder");
    let path = scratch.path();
    check_all(toy, &[START], table, path, &memory(100_000), 2, &mut |_| ())
}

#[test]
fn memory_and_stops_change_no_byte() {
    let mixed = |toy| Toy { mixed: true, ..toy };
    for (toy, depth) in [
        (Toy::by_steps(20_000), 8),
        (mixed(Toy::by_steps(20_000)), 5),
    ] {
        let (state, manifest) = ([START], toy.manifest(depth));
        let build = |folder: &Path, limits: &Limits, threads, tell: &mut dyn FnMut(_)| {
            build(&toy, &state, &manifest, folder, limits, threads, tell)
        };
        let whole = tempfile::tempdir().expect("a folder");
        built(&toy, depth, whole.path(), &Limits::default());
        let expected = files(whole.path());
        let small = tempfile::tempdir().expect("a folder");
        built(&toy, depth, small.path(), &memory(100_000));
        assert_eq!(files(small.path()), expected);
        for threads in [2, 3] {
            for bytes in [100_000, 10_000_000] {
                let parallel = tempfile::tempdir().expect("a folder");
                let (path, limits) = (parallel.path(), memory(bytes));
                build(path, &limits, threads, &mut |_| ()).expect("a table");
                assert_eq!(files(path), expected, "{threads} threads, {bytes} bytes");
            }
        }
        let stopped = tempfile::tempdir().expect("a folder");
        let mut runs = 0;
        for allowed in 1.. {
            let limits = memory(100_000);
            let interrupt = limits.interrupt.clone();
            let mut told = 0;
            let mut tell = |_: TableProgress| {
                told += 1;
                if told > allowed {
                    interrupt.raise();
                }
            };
            runs += 1;
            match build(stopped.path(), &limits, 2, &mut tell) {
                Ok(_) => break,
                Err(DiskTableError::Stopped(StopReason::Interrupted)) => {}
                Err(error) => panic!("{error}"),
            }
        }
        assert!(runs > 2, "{runs}");
        assert_eq!(files(stopped.path()), expected);
    }
}

#[test]
fn work_on_denominators_grows_with_the_layers_and_not_with_their_square() {
    let toy = Toy {
        mixed: true,
        ..Toy::by_steps(3)
    };
    let asked = |depth| {
        let folder = tempfile::tempdir().expect("a folder");
        ASKED.set(0);
        built(&toy, depth, folder.path(), &Limits::default());
        ASKED.get()
    };
    let (few, many) = (asked(20), asked(200));
    assert!(few > 20 && many < 20 * few, "{few} and {many}");
}

/// Lists have a line for each layer, so writing one behind each layer would take quadratic time.
#[test]
fn lists_of_many_small_layers_are_seldom_written() {
    let toy = Toy {
        mixed: true,
        ..Toy::by_steps(3)
    };
    let (depth, folder) = (12, tempfile::tempdir().expect("a folder"));
    let (path, limits) = (folder.path(), Limits::default());
    let (state, manifest) = ([START], toy.manifest(depth));
    let mut lists = BTreeSet::new();
    let mut tell = |_: TableProgress| {
        lists.extend(fs::read(path.join("layers.json")));
    };
    let built = build(&toy, &state, &manifest, path, &limits, 1, &mut tell);
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
    let toy = Toy::by_steps(50);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    assert!(matches!(
        DiskTable::open(path),
        Err(DiskTableError::Missing(_))
    ));
    fs::write(path.join("notes.txt"), "mine").expect("a file");
    let go = |depth| {
        build(
            &toy,
            &[START],
            &toy.manifest(depth),
            path,
            &Limits::default(),
            1,
            &mut |_| (),
        )
    };
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
    built(&toy, 5, anew.path(), &Limits::default());
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
    let toy = Toy::by_steps(50);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let limits = Limits::default();
    let mut others = Vec::new();
    let mut tell = |_: TableProgress| {
        let second = build(
            &toy,
            &[START],
            &toy.manifest(5),
            path,
            &limits,
            1,
            &mut |_| (),
        );
        others.push(matches!(second, Err(DiskTableError::Busy(_))));
    };
    build(
        &toy,
        &[START],
        &toy.manifest(5),
        path,
        &limits,
        2,
        &mut tell,
    )
    .expect("a table");
    assert!(others.len() > 2 && others.iter().all(|is_busy| *is_busy));
    // Half a download is no table, and must not be removed.
    let folder = tempfile::tempdir().expect("a folder");
    let theirs = folder.path().join("film.part");
    fs::write(&theirs, "half").expect("a file");
    let found = build(
        &toy,
        &[START],
        &toy.manifest(5),
        folder.path(),
        &limits,
        1,
        &mut |_| (),
    );
    assert!(matches!(found, Err(DiskTableError::Foreign(_))));
    fs::remove_file(&theirs).expect("removed");
    built(&toy, 5, folder.path(), &limits);
    fs::write(&theirs, "half").expect("a file");
    fs::write(folder.path().join("run-3.part"), "a run").expect("a file");
    built(&toy, 5, folder.path(), &limits);
    let left = files(folder.path());
    assert!(left.contains_key("film.part") && !left.contains_key("run-3.part"));
}

#[test]
fn what_other_processes_have_not_finished_stays_theirs() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, manifest) = (folder.path(), Toy::by_steps(50).manifest(3));
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
