//! Limits as the system sees them: memory that is really in use, time to the moment of the end, threads and
//! address space that are not there.

use super::hostile::{Confined, confined};
use super::{Ended, Place, game};
use serde_json::Value;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A row of lamps, each switched while the one before is on, so that nothing tells soon how long plays
/// are; and a bet.
fn lamps() -> String {
    let mut rules = String::from(
        "(role player) (role random) (legal random heads) (legal random tails) (legal player bet)
         (<= (next won) (does player bet) (does random heads))
         (<= (next lost) (does player bet) (does random tails))
         (<= terminal (true won)) (<= terminal (true lost))
         (<= (goal player 100) (true won)) (<= (goal player 0) (not (true won)))
         (legal player (switch 0)) (<= (legal player (switch ?l)) (after ?k ?l) (true (on ?k)))
         (<= (next (on ?l)) (does player (switch ?l)) (not (true (on ?l))))
         (<= (next (on ?l)) (true (on ?l)) (not (does player (switch ?l))))\n",
    );
    for lamp in 0..40 {
        rules.push_str(&format!("(after {lamp} {}) ", lamp + 1));
    }
    rules
}

#[test]
fn memory_holds_as_the_system_sees_it() {
    const ALLOWED: u64 = 100_000_000;
    let place = Place::new();
    let squares = game("stochastic_ttt_4x4.gdl");
    for engine in ["--engine emm", "--engine xssat", "--engine learning"] {
        let line = format!("solve {squares} --depth 16 {engine} --memory 100M --time 4 --json");
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
fn bounds_for_the_whole_game_where_its_length_is_not_known() {
    let place = Place::new();
    place.write("lamps.gdl", lamps());
    for options in ["", "--moves", "--engine xssat"] {
        let ended = place.run(&format!("solve lamps.gdl --time 1.5 {options}"));
        assert_eq!(ended.code, Some(75), "{options}: {ended:?}");
        assert!(
            ended.out.starts_with("[50 %, 100 %] ([1/2, 1])\n"),
            "{options}: {ended:?}"
        );
        let statement = "player can guarantee winning with a probability between these bounds";
        let (how, remark) = match options {
            "--engine xssat" => (" (", "is a lower bound"),
            _ => (" without a step limit (", ""),
        };
        let statement = format!("{statement}{how}");
        assert!(ended.out.contains(&statement), "{options}: {ended:?}");
        assert!(ended.err.contains(remark), "{options}: {ended:?}");
        ended.check_manners(options);
    }
}

/// A number that grows with every tails; heads wins. There is no end of states.
#[test]
fn games_with_infinitely_many_states_have_bounds_in_time() {
    const RULES: &str = "(role player) (role random) (legal player wait) (init (number zero))
        (legal random heads) (legal random tails)
        (<= (next won) (does random heads))
        (<= (next (number (next_of ?n))) (true (number ?n)) (does random tails))
        (<= terminal (true won)) (<= (goal player 100) (true won)) (<= (goal player 0) (not (true won)))";
    let place = Place::new();
    place.write("numbers.gdl", RULES);
    let why = "the rules build terms with functions nested more than 1000 deep";
    let ended = place.run("solve numbers.gdl");
    assert_eq!(
        (ended.code, ended.out.as_str()),
        (Some(75), ""),
        "{ended:?}"
    );
    assert!(
        ended.err.contains(why) && ended.err.contains("--time"),
        "{ended:?}"
    );
    for engine in ["auto", "emm", "table", "xssat"] {
        let command = format!("solve numbers.gdl --time 2 --json --quiet --engine {engine}");
        let ended = place.run(&command);
        assert_eq!(ended.code, Some(75), "{ended:?}");
        let answer: Value = serde_json::from_str(&ended.out).expect("JSON");
        assert_eq!(answer["status"], "bounds");
        // Heads comes in the first step or later, but not certainly within any number of steps.
        let lower = &answer["lower"];
        assert!(
            lower["decimal"].as_f64().is_some_and(|it| it >= 0.5),
            "{ended:?}"
        );
        assert_ne!(lower["num"], lower["den"]);
        assert_eq!(answer["upper"]["num"], "1");
    }
}

#[test]
fn commands_end_soon_after_their_time_and_after_signals() {
    let place = Place::new();
    place.write("lamps.gdl", lamps());
    let (squares, drop) = (
        game("stochastic_ttt_4x4.gdl"),
        game("stochastic_connect_4.gdl"),
    );
    let lights = game("factoring_determinate.gdl");
    let commands = [
        "solve lamps.gdl".to_owned(),
        format!("solve {squares} --moves"),
        format!("solve {squares} --depth 16 --engine learning --without symmetry"),
        format!("solve {drop} --depth 16 --engine learning"),
        format!("solve {drop} --depth 1..16 --engine learning"),
        "prove lamps.gdl --all".to_owned(),
        format!("prove {squares} legal-nonempty turn-taking --engine asp"),
        format!("plan {lights} --objective win --plans 1"),
    ];
    // Generous, since the machine may have much else to do; cut off they are anyway.
    let soon = Duration::from_millis(1500);
    let mut random = fastrand::Rng::with_seed(6);
    let mut cut_off = 0;
    for arguments in &commands {
        for way in ["time", "INT", "TERM"] {
            let after = Duration::from_millis(random.u64(50..700));
            let (ended, late) = stopped(&place, arguments, way, after);
            eprintln!("{way} {after:?} {arguments}: {late:?} late");
            assert!(late < soon, "{way} {after:?} {arguments}: {late:?}");
            ended.check_manners(arguments);
            cut_off += u32::from(ended.err.contains("did not stop"));
        }
    }
    assert!(
        cut_off <= 3,
        "{cut_off} commands did not stop by themselves"
    );
}

/// Runs a command that is stopped after some time, and tells how much later it ended.
fn stopped(place: &Place, arguments: &str, way: &str, after: Duration) -> (Ended, Duration) {
    let limit = match way {
        "time" => format!(" --time {}", after.as_secs_f64()),
        _ => String::new(),
    };
    let start = Instant::now();
    let child = place.command(&format!("{arguments}{limit}"));
    let child = { child }.spawn().expect("the command starts");
    if way != "time" {
        sleep(after);
        let signal = [format!("-{way}"), child.id().to_string()];
        // It may be done already.
        let _ = Command::new("kill").args(signal).output();
    }
    let ended = Ended::new(child.wait_with_output().expect("it ends"));
    (ended, start.elapsed().saturating_sub(after))
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
            let is_refused = ended.err.starts_with("memory allocation of ");
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
