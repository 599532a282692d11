//! `table`: built, killed, resumed, damaged, looked up, exported, and read by a small program.

use super::evaluate::PATIENCE;
use super::{Place, end, game};
use crate::common::{read_text, root, say, slow_tests};
use crate::tables::files;
use sqasp::evaluate::{Client, Request};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

fn build(place: &Place, file: &str, folder: &str) -> String {
    let file = game(file);
    place.answers(&format!("table build {file} --dir {folder} --quiet"))
}

#[test]
fn a_build_that_is_killed_goes_on_and_ends_with_the_same_bytes() {
    let (file, kills) = match slow_tests() {
        true => ("stochastic_ttt_4x4.gdl", 20),
        false => ("stochastic_connect_4.gdl", 4),
    };
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    let place = Place::new();
    let start = Instant::now();
    build(&place, file, "whole");
    let whole = start.elapsed();
    let expected = files(&place.path("whole"));
    let command = format!(
        "table build {} --dir killed --quiet --memory 100M",
        game(file)
    );
    let mut killed = 0;
    let mut resumed = 0;
    while killed < kills {
        let mut child = place.command(&command).spawn().expect("the command starts");
        std::thread::sleep(whole.mul_f64(random.f64()));
        child.kill().expect("it is ours");
        let output = child.wait_with_output().expect("it ended");
        if output.status.success() {
            // It was faster than its end: from the start again.
            std::fs::remove_dir_all(place.path("killed")).expect("a folder");
            continue;
        }
        killed += 1;
        let found = files_if_there(&place.path("killed"));
        resumed += usize::from(found > 2);
        // Every third table is finished here, so that early moments come up again.
        if killed % 3 == 0 {
            place.answers(&command);
            let found = files(&place.path("killed"));
            assert!(found == expected, "seed {seed}, kill {killed}");
            std::fs::remove_dir_all(place.path("killed")).expect("a folder");
        }
    }
    place.answers(&command);
    let found = files(&place.path("killed"));
    assert!(found == expected, "seed {seed}");
    assert!(resumed > 0 || kills < 5, "seed {seed}: nothing was resumed");
}

/// The number of files in a folder, which may not be there yet.
fn files_if_there(folder: &Path) -> usize {
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

#[test]
fn little_memory_is_enough_and_changes_no_byte() {
    let place = Place::new();
    let file = "tic_tac_toe_4x4_random_first.gdl";
    build(&place, file, "much");
    let command = format!("table build {} --dir little --quiet --memory", game(file));
    for threads in [1, 2] {
        // As little as there can be: the program itself takes most of it.
        place.answers(&format!("{command} 1M --threads {threads}"));
        let (much, little) = (files(&place.path("much")), files(&place.path("little")));
        assert!(much == little, "{threads} threads");
        std::fs::remove_dir_all(place.path("little")).expect("a folder");
    }
}

#[test]
fn what_is_no_table_of_the_game_is_told_apart_and_left_alone() {
    let place = Place::new();
    let (ttt, nim) = ("stochastic_ttt_half.gdl", game("stochastic_nim_5.gdl"));
    build(&place, ttt, "ttt");
    let whole = files(&place.path("ttt"));
    let ttt = game(ttt);
    std::fs::create_dir(place.path("empty")).expect("a folder");
    std::fs::create_dir(place.path("mine")).expect("a folder");
    place.write("mine/notes.txt", "mine");
    for (arguments, code, fragment) in [
        ("table probe nowhere", 66, "there is no table here"),
        ("table info empty", 66, "there is no table here"),
        ("table check mine", 66, "there is no table here"),
        (
            &format!("table build {ttt} --dir mine"),
            2,
            "holds other files",
        ),
        (
            &format!("table build {nim} --dir ttt"),
            2,
            "of another game: stochastic_ttt_half (rules ",
        ),
        (
            &format!("table build {ttt} --dir ttt --role oplayer"),
            2,
            "of another role",
        ),
        (
            &format!("table build {ttt} --dir ttt --depth 4"),
            2,
            "of another depth",
        ),
        (
            &format!("table build {ttt} --dir ttt --objective points"),
            2,
            "of another objective",
        ),
        (
            &format!("evaluate {nim} --table ttt"),
            65,
            "; name another folder",
        ),
        (
            &format!("explore {nim} --table ttt --no-browser"),
            2,
            "of another game",
        ),
        (
            &format!("evaluate {nim} --table nowhere"),
            65,
            "there is no table here",
        ),
    ] {
        place.refuses(arguments, code, fragment);
        assert!(files(&place.path("ttt")) == whole, "{arguments}");
    }
    assert_eq!(
        std::fs::read_to_string(place.path("mine/notes.txt")).unwrap(),
        "mine"
    );
    for (name, change, code, fragment) in [
        (
            "table.json",
            Change::Replace("\"version\": 3", "\"version\": 4"),
            2,
            "version of the format",
        ),
        (
            "table.json",
            Change::Replace("sqasp-table", "other-table"),
            2,
            "another format",
        ),
        (
            "table.json",
            Change::Replace("xplayer", "yplayer"),
            65,
            "damaged",
        ),
        ("table.json", Change::Cut, 65, "damaged"),
        ("layers.json", Change::Cut, 65, "damaged"),
        ("00004.0.keys", Change::Cut, 65, "damaged"),
        ("00004.0.keys", Change::Flip, 65, "damaged"),
        ("00004.0.values", Change::Flip, 65, "damaged"),
        ("00004.0.values", Change::Remove, 65, "it is missing"),
        ("00004.json", Change::Flip, 65, "damaged"),
        ("00004.json", Change::Double, 65, "damaged"),
        ("00004.json", Change::Take("00005.json"), 65, "damaged"),
        ("00004.json", Change::Remove, 65, "it is missing"),
        (
            "layers.json",
            Change::Replace("\"states\": 1,", "\"states\": 2,"),
            65,
            "damaged",
        ),
    ] {
        change.make(&place.path("ttt").join(name), &whole[name]);
        place.refuses("table check ttt", code, fragment);
        std::fs::write(place.path("ttt").join(name), &whole[name]).expect("written");
    }
    place.answers("table check ttt --all");
}

/// What happens to a file.
enum Change {
    Replace(&'static str, &'static str),
    Double,
    /// The bytes of another file.
    Take(&'static str),
    Cut,
    Flip,
    FlipFirst,
    Remove,
}

impl Change {
    fn make(&self, path: &Path, good: &[u8]) {
        let mut bad = good.to_vec();
        match self {
            Change::Replace(from, to) => {
                let text = String::from_utf8(bad).expect("text");
                assert!(text.contains(from), "{from}");
                bad = text.replacen(from, to, 1).into_bytes();
            }
            Change::Double => bad.extend_from_slice(good),
            Change::Take(other) => bad = std::fs::read(path.with_file_name(other)).expect("there"),
            Change::Cut => bad.truncate(good.len() - 10),
            Change::Flip => bad[good.len() / 3] ^= 4,
            Change::FlipFirst => bad[0] ^= 4,
            Change::Remove => {
                std::fs::remove_file(path).expect("removed");
                return;
            }
        }
        std::fs::write(path, bad).expect("written");
    }
}

#[test]
fn nobody_answers_from_a_damaged_table() {
    let place = Place::new();
    build(&place, "stochastic_ttt.gdl", "ttt");
    let file = game("stochastic_ttt.gdl");
    let value = place.answers("table probe ttt");
    let whole = files(&place.path("ttt"));
    for (name, change) in [
        ("00009.0.values", Change::FlipFirst),
        ("00009.0.keys", Change::FlipFirst),
        ("layers.json", Change::Replace("390625", "390635")),
        ("layers.json", Change::Double),
        ("00002.0.values", Change::Cut),
        ("table.json", Change::Flip),
    ] {
        change.make(&place.path("ttt").join(name), &whole[name]);
        let damaged = files(&place.path("ttt"));
        for arguments in [
            "table probe ttt".to_owned(),
            "table probe ttt --json".to_owned(),
            format!("table build {file} --dir ttt"),
            "table check ttt".to_owned(),
        ] {
            place.refuses(&arguments, 65, "damaged");
            assert!(files(&place.path("ttt")) == damaged, "{arguments}");
        }
        let evaluate = place.command(&format!("evaluate {file} --table ttt --quiet"));
        let found = Client::start(evaluate, PATIENCE)
            .and_then(|mut client| client.evaluate(Request::default(), PATIENCE));
        assert!(found.is_err(), "{name}: {found:?}");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/read-table");
        let ended = end(Command::new(script).arg(place.path("ttt")));
        assert_ne!(ended.code, Some(0), "{name}: {ended:?}");
        std::fs::write(place.path("ttt").join(name), &whole[name]).expect("written");
    }
    // A layer that the question does not need does not keep others from being answered.
    Change::FlipFirst.make(
        &place.path("ttt").join("00002.0.values"),
        &whole["00002.0.values"],
    );
    assert_eq!(place.answers("table probe ttt"), value);
    place.refuses("table check ttt", 65, "00002.0.values: the file is damaged");
    let ended = place.run("table export ttt --steps 2");
    assert_eq!(
        (ended.code, ended.out.as_str()),
        (Some(65), "steps,key,value\n")
    );
}

#[test]
fn a_check_names_files_that_are_not_part_of_the_table() {
    let place = Place::new();
    build(&place, "stochastic_nim_5.gdl", "nim");
    assert!(!place.answers("table check nim").contains("not part"));
    for name in ["00002.0.rows", "notes\u{1b}[2J\n.txt"] {
        place.write(&format!("nim/{name}"), "mine");
    }
    let told = place.answers("table check nim --plays 1 --seed 1");
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(
        lines[1..3],
        [
            "00002.0.rows: this file is not part of the table",
            "notes\\u{1b}[2J\\n.txt: this file is not part of the table"
        ]
    );
}

#[test]
fn names_in_a_table_cannot_command_the_terminal() {
    let place = Place::new();
    let nim = read_text(root().join("games/stochastic_nim_5.gdl"));
    let name = "nim\u{1b}[31m\nforged";
    place.write(&format!("{name}.gdl"), nim);
    let file = format!("{name}.gdl");
    let build = ["table", "build", &file, "--dir", "nim", "--quiet"];
    assert_eq!(end(&mut place.command_with(build)).code, Some(0));
    let told = place.answers("table info nim");
    let first = "nim\\u{1b}[31m\\nforged: win of xplayer\n";
    assert!(told.starts_with(first), "{told}");
    let ttt = game("stochastic_ttt_half.gdl");
    let fragment = "another game: nim\\u{1b}[31m\\nforged (rules";
    place.refuses(&format!("table build {ttt} --dir nim"), 2, fragment);
}

#[test]
fn a_position_is_told_as_json() {
    let place = Place::new();
    build(&place, "stochastic_ttt.gdl", "ttt");
    let told = place.answers("table probe ttt --json");
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    let expected = serde_json::json!({
        "game": "stochastic_ttt", "role": "xplayer", "objective": "win", "measure": false,
        "entries": [{"layer": 9, "key": told["entries"][0]["key"],
            "value": {"num": "164832", "den": "390625", "decimal": 0.421_969_92}}],
    });
    assert_eq!(told, expected);
    let told = place.answers("table probe ttt --json --moves");
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    let moves = told["entries"][0]["moves"].as_array().expect("moves");
    assert_eq!(moves.len(), 9);
    assert_eq!(moves[0]["move"], "(mark 2 2)");
    assert_eq!(moves[0]["value"]["num"], "164832");
}

/// Seven states in a ring, which play leaves from one of them with a chance of 1/20.
const RING: &str = "(role x) (role random) (init (at 0)) (legal x go)
    (after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 0)
    (die 1) (die 2) (die 3) (die 4) (die 5) (die 6) (die 7) (die 8) (die 9) (die 10)
    (die 11) (die 12) (die 13) (die 14) (die 15) (die 16) (die 17) (die 18) (die 19) (die 20)
    (<= (legal random (roll ?n)) (die ?n))
    (<= (next over) (true (at 0)) (does random (roll 1)))
    (<= (next (at ?m)) (true (at ?n)) (after ?n ?m) (not leaves))
    (<= leaves (true (at 0)) (does random (roll 1)))
    (<= terminal (true over)) (<= (goal x 100) (true over)) (<= (goal x 0) (not (true over)))";

#[test]
fn a_check_does_not_follow_endless_play_for_ever() {
    let place = Place::new();
    place.write("ring.gdl", RING);
    place.answers("table build ring.gdl --dir values --quiet");
    let info = place.answers("table info values");
    let told = place.answers("table check values --plays 20");
    let number = |text: &str, behind: &str| {
        let before = text.split_once(behind).expect("it is told").0;
        let digits = before.rsplit(|c: char| !c.is_ascii_digit()).next();
        digits
            .and_then(|it| it.parse::<u64>().ok())
            .expect("a number")
    };
    let (states, positions) = (
        number(&info, " states in "),
        number(&told, " positions of "),
    );
    // Of those that are alike, one is in the table.
    assert!(
        positions > 0 && positions <= 10 * states,
        "{positions} of {states}"
    );
}

#[test]
fn the_engine_table_tells_the_longest_play() {
    let place = Place::new();
    // What the open tiles weigh together falls in every step, and is more than any play has steps.
    let mut script = Command::new(root().join("scripts/dice-game"));
    let printed = end(script.args(["shut-the-box", "--tiles", "6"]));
    place.write("tiles.gdl", printed.out);
    let value = |engine: &str| {
        let told = place.answers(&format!("solve tiles.gdl --engine {engine} --quiet"));
        assert!(told.contains(" within 11 steps, after which"), "{told}");
        told.lines().next().map(str::to_owned)
    };
    assert_eq!(value("table"), value("emm"));
}

#[test]
#[ignore = "needs SQASP_SLOW_TESTS: four large tables"]
fn what_a_build_takes_does_not_depend_on_its_threads() {
    let place = Place::new();
    let file = game("stochastic_ttt_4x4.gdl");
    for run in 0..4 {
        let options = format!("--dir {run} --memory 64M --threads 2 --quiet");
        place.answers(&format!("table build {file} {options}"));
    }
}

#[test]
fn keys_that_are_told_are_read_by_a_small_program() {
    let place = Place::new();
    build(&place, "stochastic_ttt.gdl", "values");
    let probed = place.answers("table probe values --keys --moves");
    let (first, moves) = probed.split_once('\n').expect("lines");
    let (value, key) = first.split_once(" with 9 steps left, key ").expect("a key");
    assert_eq!(value, "164832/390625");
    assert_eq!(moves.lines().next(), Some("  (mark 2 2) 164832/390625"));
    assert_eq!(moves.lines().count(), 9);
    let read = |arguments: &[&str]| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/read-table");
        let mut command = Command::new(script);
        let ended = end(command.arg(place.path("values")).args(arguments));
        assert_eq!(ended.code, Some(0), "{ended:?}");
        ended.out
    };
    assert_eq!(read(&["9", key]), "164832/390625\n");
    // Every record, once by each program.
    let ours = place.answers("table export values --to csv");
    assert_eq!(read(&[]), ours);
    assert_eq!(ours.lines().count(), 1583);
    let some = place.answers("table export values --steps 8");
    assert!(
        some.lines().skip(1).all(|line| line.starts_with("8,")),
        "{some}"
    );
}

#[test]
fn a_table_is_projected_from_its_first_layers() {
    let place = Place::new();
    build(&place, "stochastic_ttt.gdl", "values");
    let project = |of: &str, options: &[&str]| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/project-layers");
        let mut command = Command::new(script);
        end(command
            .args([place.path(of), place.path("values")])
            .args(options))
    };
    // A table is exactly like itself.
    let ended = project("values", &["--known", "6"]);
    let said = "of 9 layers\nprojected: 1.6e+03 positions\nlisted: 1582 positions\n";
    assert!(ended.out.ends_with(said), "{ended:?}");
    // A part of its layers says the same, and what rows take.
    let split = "table split {} --dir parts --parts 2 --small 100 --quiet";
    place.answers(&split.replace("{}", &game("stochastic_ttt.gdl")));
    let ended = project("parts", &[]);
    let said =
        "137 positions in 4 of 9 layers\nprojected: 1.6e+03 positions\nwhile it is built: about ";
    assert!(ended.out.starts_with(said), "{ended:?}");
    for (folder, options, fragment) in [
        ("nowhere", &[][..], "No such file"),
        ("values", &["--known", "3"], "four layers"),
    ] {
        let ended = project(folder, options);
        assert_eq!((ended.code, ended.out.as_str()), (Some(1), ""), "{ended:?}");
        assert!(ended.err.contains(fragment), "{ended:?}");
    }
}

#[test]
fn an_evaluator_with_a_table_says_what_one_without_says() {
    let place = Place::new();
    build(&place, "stochastic_connect_4.gdl", "values");
    let file = game("stochastic_connect_4.gdl");
    let start = |options: &str| {
        let command = place.command(&format!("evaluate {file} --quiet {options}"));
        Client::start(command, PATIENCE).expect("an evaluator")
    };
    let (mut with, mut without) = (start("--table values"), start(""));
    assert_eq!(with.greeting().engine, "table");
    let mut history: Vec<Vec<String>> = Vec::new();
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    for step in 0..8 {
        for (depth, role) in [
            (None, None),
            (Some(16 - step), None),
            (Some(2), None),
            (None, Some("oplayer")),
        ] {
            let request = Request {
                history: Some(history.clone()),
                depth,
                role: role.map(str::to_owned),
                ..Request::default()
            };
            let found = with.evaluate(request.clone(), PATIENCE).expect("an answer");
            let expected = without.evaluate(request, PATIENCE).expect("an answer");
            assert_eq!(
                found.worth, expected.worth,
                "seed {seed} {history:?} {depth:?}"
            );
            assert_eq!(found.terminal, expected.terminal);
            let sorted = |moves: Option<Vec<_>>| {
                let mut moves: Vec<String> = moves
                    .iter()
                    .flatten()
                    .map(|each: &sqasp::evaluate::MoveReply| format!("{each:?}"))
                    .collect();
                moves.sort();
                moves
            };
            assert_eq!(
                sorted(found.moves),
                sorted(expected.moves),
                "seed {seed} {history:?}"
            );
            let is_there = role.is_none() && depth != Some(2) && !found.terminal;
            assert!(!is_there || found.states == 0, "seed {seed} {history:?}");
        }
        let column = random.u32(1..=4);
        let own = format!("(drop {column})");
        let joint_move = match step % 2 {
            0 => [own, "noop".to_owned(), "(keep 1)".to_owned()],
            _ => ["noop".to_owned(), own, "(keep 1)".to_owned()],
        };
        let longer = [history.clone(), vec![joint_move.to_vec()]].concat();
        let request = Request {
            history: Some(longer.clone()),
            moves: Some(false),
            ..Request::default()
        };
        match without.evaluate(request, PATIENCE) {
            Ok(reply) if !reply.terminal => history = longer,
            _ => break,
        }
    }
    assert!(!history.is_empty(), "seed {seed}");
}

#[test]
fn the_engine_table_gives_values_and_moves() {
    let place = Place::new();
    for (name, options) in [
        ("stochastic_ttt.gdl", ""),
        ("stochastic_ttt.gdl", "--depth 5"),
        ("stochastic_ttt.gdl", "--depth 0"),
        ("pig.gdl", "--objective points"),
        ("figure_1.gdl", "--role oplayer"),
        ("endless_pig.gdl", ""),
    ] {
        let file = game(name);
        let line = |engine: &str| {
            let text = place.answers(&format!("solve {file} -q -e {engine} {options} --moves"));
            // The second line names the engine and the time.
            let lines = text.lines().filter(|line| !line.contains("engine "));
            let mut lines: Vec<String> = lines.map(str::to_owned).collect();
            lines[1..].sort();
            lines
        };
        assert_eq!(line("table"), line("emm"), "{name} {options}");
    }
    assert_eq!(place.files().len(), 0, "what was built is removed");
}

#[cfg(unix)]
#[test]
fn ctrl_c_is_obeyed_and_the_same_command_goes_on() {
    let place = Place::new();
    let command = format!(
        "table build {} --dir values --quiet",
        game("stochastic_ttt_4x4.gdl")
    );
    let child = place.command(&command).spawn().expect("the command starts");
    let deadline = Instant::now() + PATIENCE;
    while files_if_there(&place.path("values")) < 8 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    let process = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &process]).status();
    assert!(sent.expect("kill").success());
    let output = child.wait_with_output().expect("it ended");
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let text = String::from_utf8(output.stderr).expect("text");
    assert!(text.contains("the same command goes on"), "{text}");
    let value = place.answers(&command);
    assert!(value.starts_with("97319359948/152587890625\n"), "{value}");
}

/// Runs a command until it ends by itself; before, it may be killed.
fn kill_and_repeat(place: &Place, command: &str, random: &mut fastrand::Rng) {
    if random.bool() {
        let mut child = place.command(command).spawn().expect("the command starts");
        std::thread::sleep(Duration::from_millis(random.u64(..60)));
        child.kill().expect("it is ours");
        child.wait().expect("it ended");
    }
    place.answers(command);
}

#[test]
fn parts_that_processes_solve_in_any_order_give_the_same_bytes() {
    let file = match slow_tests() {
        true => "stochastic_ttt_4x4.gdl",
        false => "stochastic_connect_4.gdl",
    };
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    let place = Place::new();
    build(&place, file, "whole");
    let parts = 3;
    let small = if slow_tests() { 100_000 } else { 2000 };
    let split = format!(
        "table split {} --dir parts --parts {parts} --small {small} --quiet",
        game(file)
    );
    let mut next = place.answers(&split);
    let mut rounds = 0;
    while next != "complete\n" {
        assert!(next.starts_with("next: "), "{next}, seed {seed}");
        let mut order: Vec<usize> = (0..parts).collect();
        random.shuffle(&mut order);
        std::thread::scope(|scope| {
            for part in order {
                let mut random = random.fork();
                let place = &place;
                scope.spawn(move || {
                    let command = format!("table solve-part parts --part {part} --quiet");
                    kill_and_repeat(place, &command, &mut random);
                });
            }
        });
        next = place.answers(&format!("table merge parts --small {small} --quiet"));
        rounds += 1;
    }
    assert!(rounds > 3, "{rounds} rounds");
    let same = files(&place.path("parts")) == files(&place.path("whole"));
    assert!(same, "seed {seed}");
}

/// Stand-ins for the programs that start jobs on clusters: they start each job here, the last one first.
const JOB_STARTERS: [(&str, &str); 2] = [
    (
        "sbatch",
        r#"for option in "$@"; do case $option in
            --array=0-*) last=${option#--array=0-} ;;
            --wrap=*) job=${option#--wrap=} ;;
        esac; done
        for task in $(seq "$last" -1 0); do SLURM_ARRAY_TASK_ID=$task sh -c "$job"; done"#,
    ),
    (
        "hq",
        r#"while [ "$1" != -- ]; do case $1 in
            --array=0-*) last=${1#--array=0-} ;;
        esac; shift; done; shift
        for task in $(seq "$last" -1 0); do HQ_TASK_ID=$task "$@"; done"#,
    ),
];

#[test]
fn the_scripts_for_clusters_build_the_table() {
    let document = read_text(root().join("docs/how-to/tables.md"));
    let scripts: Vec<&str> = document.split("```bash\n").skip(1).collect();
    assert_eq!(scripts.len(), JOB_STARTERS.len());
    for (script, (starter, code)) in scripts.into_iter().zip(JOB_STARTERS) {
        let (script, _) = script.split_once("```").expect("an end");
        assert!(script.contains(starter));
        let place = Place::new();
        // All layers are solved by jobs here.
        let script = script.replace("--quiet)", "--small 0 --quiet)");
        place.write("script", &script);
        std::fs::create_dir(place.path("bin")).expect("a folder");
        place.write(&format!("bin/{starter}"), format!("#!/bin/bash\n{code}\n"));
        let sqasp = format!("#!/bin/bash\nexec {} \"$@\"\n", env!("CARGO_BIN_EXE_sqasp"));
        place.write("bin/sqasp", sqasp);
        for name in [starter, "sqasp"] {
            let file = place.path(&format!("bin/{name}"));
            let permissions = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(file, permissions).expect("it is ours");
        }
        let path = std::env::var("PATH").unwrap_or_default();
        let output = Command::new("bash")
            .args(["script", &game("figure_1.gdl"), "a folder", "2"])
            .env("PATH", format!("{}:{path}", place.path("bin").display()))
            .current_dir(place.path("."))
            .output()
            .expect("bash is there");
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{output:?}");
        assert!(told.contains("part 1 is solved: valuing"), "{told}");
        build(&place, "figure_1.gdl", "whole");
        assert!(files(&place.path("a folder")) == files(&place.path("whole")));
    }
}

/// Runs a script of the shell, with the command as `$0` and a game as `$1`.
fn shell(place: &Place, program: &[&str], script: &str) -> super::Ended {
    let mut command = Command::new(program[0]);
    command.args(&program[1..]).args(["sh", "-c", script]);
    command.args([
        env!("CARGO_BIN_EXE_sqasp"),
        &game("stochastic_connect_4.gdl"),
    ]);
    end(command.current_dir(place.path(".")))
}

#[test]
fn a_file_that_may_not_grow_ends_a_build_and_the_same_command_goes_on() {
    let place = Place::new();
    build(&place, "stochastic_connect_4.gdl", "whole");
    // 20 blocks are 10 or 20 kilobytes.
    let build = "exec \"$0\" table build \"$1\" --dir small --quiet";
    let script = format!("trap '' XFSZ; ulimit -f 20; {build}");
    let ended = shell(&place, &["env"], &script);
    assert_eq!(ended.code, Some(73), "{ended:?}");
    assert!(ended.err.contains("cannot write"), "{ended:?}");
    let left = files(&place.path("small"));
    assert!(left.len() > 2 && !left.keys().any(|name| name.ends_with(".part")));
    assert_eq!(shell(&place, &["env"], build).code, Some(0));
    assert!(files(&place.path("small")) == files(&place.path("whole")));
}

#[test]
#[ignore = "needs unshare mount: a small file system"]
fn a_full_disk_ends_a_build_and_with_room_the_same_command_goes_on() {
    let place = Place::new();
    build(&place, "stochastic_connect_4.gdl", "whole");
    std::fs::create_dir(place.path("disk")).expect("a folder");
    // The file system is gone when the script ends.
    let script = "
        mount -t tmpfs -o size=300k tmpfs disk || exit 100
        build() { \"$0\" table build \"$1\" --dir disk/table --quiet; }
        build \"$1\"; [ $? = 73 ] || exit 101
        mount -o remount,size=100M disk
        build \"$1\" && cp -r disk/table table";
    let ended = shell(
        &place,
        &["unshare", "--user", "--map-root-user", "--mount"],
        script,
    );
    if ended.code == Some(100) || ended.err.contains("unshare: ") {
        say(
            "no right to mount: a_full_disk_ends_a_build_and_with_room_the_same_command_goes_on did nothing",
        );
        return;
    }
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended.err.contains("no room is left on the disk"),
        "{ended:?}"
    );
    assert!(files(&place.path("table")) == files(&place.path("whole")));
}
