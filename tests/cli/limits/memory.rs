//! `--memory`, and the limits of the system: memory that is really in use, threads and address space that are not there.

use super::{COUNTER, Confined, ENDLESS, confined};
use crate::cli::{Ended, Place, game};
use crate::common::{read_text, root};
use serde_json::Value;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use umb::{Header, StateRow, Writer};

#[test]
fn memory_runs_out() {
    let place = Place::new();
    place.write("endless.lp", ENDLESS);
    place.write("counter.gdl", COUNTER);
    let stochastic = game("stochastic_ttt.gdl");
    let rows = [
        "solve-program endless.lp --memory 30M".to_owned(),
        "solve counter.gdl --depth 2 --memory 30M".to_owned(),
        format!("solve {stochastic} --depth 1000000 --engine xssat"),
    ];
    for arguments in rows {
        let ended = place.run(&arguments);
        assert_eq!(ended.code, Some(75), "{arguments}: {ended:?}");
        assert!(ended.out.starts_with("[0 %, 100 %]\n"), "{ended:?}");
        assert!(ended.out.contains("memory limit"), "{ended:?}");
        assert!(ended.err.contains("rules"), "{ended:?}");
        ended.check_manners(&arguments);
    }
    place.refuses(
        "translate counter.gdl --depth 2 --to sdimacs -o out --memory 30M",
        75,
        "add it, since facts that grow",
    );
    let long = format!("translate {stochastic} --depth 1000000 --to sdimacs -o out");
    place.refuses(&long, 75, "grounding 1000000 steps would give about");
}

/// Krieg-Tic-Tac-Toe on three rows has too many states to list.
#[test]
fn a_large_game_of_hidden_information_stops_by_itself() {
    let place = Place::new();
    let small = root().join("games/hidden_tic_tac_toe_2x3.gdl");
    let rules = read_text(small).replace("(row 2)", "(row 2) (row 3)");
    place.write("krieg.gdl", rules);
    let ended = place.run("solve krieg.gdl --objective points --memory 60M");
    assert_eq!(ended.code, Some(75), "{ended:?}");
    // How far the first steps are valued, and so the bounds, depends on the memory that is left.
    assert!(ended.out.starts_with('['), "{ended:?}");
    assert!(ended.out.contains("memory limit"), "{ended:?}");
    assert!(
        ended.err.contains("count fewer steps, or hide less"),
        "{ended:?}"
    );
    assert!(!ended.err.contains("by itself"), "{ended:?}");
    ended.check_manners("solve krieg.gdl");
}

#[test]
fn memory_holds_as_the_system_sees_it() {
    const ALLOWED: u64 = 100_000_000;
    let place = Place::new();
    let squares = game("stochastic_ttt_4x4.gdl");
    for engine in ["--engine emm", "--engine xssat", "--engine learning"] {
        let line = format!("solve {squares} --depth 16 {engine} --memory 100M --time 2 --json");
        let arguments: Vec<&str> = line.split(' ').collect();
        let Confined { ended, peak } = confined(&place, &arguments, None);
        assert!(matches!(ended.code, Some(0 | 75)), "{engine}: {ended:?}");
        eprintln!("{engine}: {peak} bytes at most");
        assert!(peak < ALLOWED / 10 * 11, "{engine}: {peak} bytes");
        let answer: Value = serde_json::from_str(&ended.out).expect("one JSON object");
        let told = answer["stats"]["memory"].as_u64().expect("a number");
        // The peak was looked at from time to time.
        assert!(
            told + 2_000_000 >= peak,
            "{engine}: {told} told, {peak} seen"
        );
        assert!(
            told <= ALLOWED / 10 * 11,
            "{engine}: {told} told, {peak} seen"
        );
    }
}

#[test]
fn a_proof_that_needs_more_memory_says_so() {
    let place = Place::new();
    // Nothing but large: many facts that any move may change.
    let mut rules = String::from(
        "(role a) (<= (legal a (set ?x ?y ?z)) (n ?x) (n ?y) (n ?z))
         (<= (next (p ?x ?y ?z)) (does a (set ?x ?y ?z))) (<= (next (p ?x ?y ?z)) (true (p ?x ?y ?z)))
         (<= terminal (true (p 1 1 1))) (<= (goal a 100) (true (p 1 1 1)))
         (<= (goal a 0) (not (true (p 1 1 1))))\n",
    );
    for number in 1..=40 {
        rules.push_str(&format!("(n {number}) "));
    }
    place.write("large.gdl", rules);
    let ended = place.run("prove large.gdl --all --memory 20M");
    assert_eq!(ended.code, Some(75), "{ended:?}");
    ended.check_manners("prove");
}

#[test]
fn endless_and_swollen_inputs_are_read_up_to_a_bound() {
    let place = Place::new();
    let game = game("pig.gdl");
    let zeros = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut zeros = { zeros };
    std::io::Write::write_all(&mut zeros, &vec![0; 100_000_000]).expect("memory takes all");
    place.write("bomb.gz", zeros.finish().expect("memory takes all"));
    for line in [
        "solve /dev/zero --depth 3 --memory 60M".to_owned(),
        "solve-formula /dev/zero --memory 60M".to_owned(),
        "solve-program /dev/zero --memory 60M".to_owned(),
        "prove /dev/zero --all --memory 60M".to_owned(),
        format!("solve {game} --depth 3 --memory 60M --from bomb.gz"),
        format!("verify {game} /dev/zero --memory 60M"),
    ] {
        let arguments: Vec<&str> = line.split(' ').collect();
        let Confined { ended, peak } = confined(&place, &arguments, None);
        assert_eq!(ended.code, Some(75), "{line}: {ended:?}");
        assert!(ended.err.contains("more than 45.0 MB"), "{line}: {ended:?}");
        assert!(peak < 66_000_000, "{line}: {peak} bytes");
        ended.check_manners(&line);
    }
    // Without a limit that was typed, the limit of the system counts.
    let arguments = ["simulate", &game, "--replay", "bomb.gz"];
    let Confined { ended, .. } = confined(&place, &arguments, Some(150_000));
    assert_eq!(ended.code, Some(75), "{ended:?}");
    assert!(ended.err.contains("MB when unpacked"), "{ended:?}");
}

#[test]
fn no_threads_and_no_address_space_are_no_panic() {
    /// Room for all of these commands, in kilobytes.
    const ENOUGH: u64 = 200_000;
    let place = Place::new();
    let stochastic = game("stochastic_ttt.gdl");
    let commands = [
        format!("solve {stochastic} --depth 9"),
        format!("solve {stochastic} --depth 9 --engine xssat"),
        format!("prove {stochastic} zero-sum"),
        format!("plan {}", game("buttons_and_lights.gdl")),
        format!("simulate {}", game("pig.gdl")),
    ];
    // Less than the program itself cannot hold it.
    let program = std::fs::metadata(env!("CARGO_BIN_EXE_sqasp"));
    let program_size = program.expect("it is built").len();
    for line in &commands {
        let arguments: Vec<&str> = line.split(' ').collect();
        for more in [2_000, 4_000, 10_000, 20_000, ENOUGH] {
            let kilobytes = program_size / 1000 + more;
            let Confined { ended, .. } = confined(&place, &arguments, Some(kilobytes));
            // With too little the program cannot even be loaded, or the system refuses memory in the middle.
            let is_refused = ended.err.starts_with("memory allocation of ")
                || ended.err.starts_with("Fatal glibc error") && ended.err.contains("memory");
            if ended.code.is_none() && is_refused && more < ENOUGH {
                continue;
            }
            let is_fine = match ended.code {
                Some(0) => true,
                Some(75 | 127) => more < ENOUGH,
                _ => false,
            };
            assert!(is_fine, "{line} {kilobytes}: {ended:?}");
            ended.check_manners(line);
        }
    }
    // The superuser may have as many threads as wanted: then nobody runs it, where everybody may read.
    let mut program = PathBuf::from(env!("CARGO_BIN_EXE_sqasp"));
    let mut words = Vec::new();
    if is_superuser() {
        std::fs::set_permissions(place.path(""), Permissions::from_mode(0o755)).expect("ours");
        std::fs::copy(&program, place.path("sqasp")).expect("there is space");
        program = place.path("sqasp");
        words.extend(["setpriv", "--reuid", "65534", "--clear-groups"]);
    }
    words.extend(["prlimit", "--nproc=1"]);
    for line in &commands {
        let mut shell = Command::new(words[0]);
        shell.args(&words[1..]).arg(&program);
        for word in line.split(' ') {
            let file = Path::new(word);
            shell.arg(file.file_name().expect("a word"));
            if file.is_file() {
                std::fs::copy(file, place.path(word.rsplit('/').next().unwrap())).expect("a game");
            }
        }
        let output = shell.current_dir(place.path("")).output();
        let ended = Ended::new(output.expect("util-linux is there"));
        assert_eq!(ended.code, Some(0), "{line}: {ended:?}");
        ended.check_manners(line);
    }
}

fn is_superuser() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().any(|line| line.starts_with("Uid:\t0\t0\t"))
}

/// A coin is thrown in each of many states; heads leads on, tails ends play.
fn coins(states: u64) -> Vec<u8> {
    let mut writer = Writer::new(Header::new("coins", &["win"])).expect("a temporary file");
    let last = states + 1;
    for state in 0..=last {
        let row = StateRow {
            player: 0,
            labels: u64::from(state == states),
            valuation: &[],
            reward: (0, 1),
        };
        writer.state(&row).expect("a temporary file");
        writer.choice(0).expect("a temporary file");
        if state < states {
            writer.branch(state + 1, 2, 3).expect("a temporary file");
            writer.branch(last, 1, 3).expect("a temporary file");
        } else {
            writer.branch(state, 1, 1).expect("a temporary file");
        }
    }
    let mut file = Vec::new();
    writer
        .finish(&["throw".to_owned()], &mut file)
        .expect("memory");
    file
}

/// A model that memory does not hold has bounds, and is not cut off.
#[test]
fn large_models_end_with_bounds_at_little_memory() {
    let place = Place::new();
    let file = coins(320_000);
    assert!(file.len() > 21_000_000, "{}", file.len());
    place.write("coins.umb", &file);
    for arguments in [
        "solve-model coins.umb win --memory 50M",
        "solve-model coins.umb win --memory 60M",
        "solve-model coins.umb win --memory 80M --depth 3",
    ] {
        let ended: Ended = place.run(arguments);
        assert!(matches!(ended.code, Some(0 | 75)), "{arguments}: {ended:?}");
        assert!(!ended.err.contains("cut off"), "{arguments}: {ended:?}");
        let is_bounds = ended.out.starts_with("[0 %, 100 %]") && ended.out.contains("memory limit");
        assert!(ended.code == Some(0) || is_bounds, "{arguments}: {ended:?}");
    }
    let ended = place.run("solve-model coins.umb win --memory 50M");
    assert_eq!(ended.code, Some(75), "{ended:?}");
}
