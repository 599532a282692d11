//! `table`: builds that are killed, interrupted, or short of disk, and end with the same bytes.

use super::table::build;
use super::{Place, end, game};
use crate::common::evaluator_client::PATIENCE;
use crate::common::{rounds, say, send_signal, slow_tests};
use crate::tables::files;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// The number of files in a folder, which may not be there yet.
fn files_if_there(folder: &Path) -> usize {
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

#[cfg(unix)]
#[test]
fn ctrl_c_is_obeyed_and_the_same_command_goes_on() {
    let place = Place::new();
    let command = format!(
        "table build {} --output values --quiet",
        game("tic_tac_toe_4x4_random_first.gdl")
    );
    let interrupted = || {
        let child = place.command(&command).spawn().expect("the command starts");
        let deadline = Instant::now() + PATIENCE;
        while files_if_there(&place.path("values")) < 4 && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        send_signal(child.id(), "INT");
        let output = child.wait_with_output().expect("it ended");
        // It may have been faster.
        let is_done = output.status.success();
        if is_done {
            std::fs::remove_dir_all(place.path("values")).expect("a folder");
        }
        (!is_done).then_some(output)
    };
    let output = (0..9)
        .find_map(|_| interrupted())
        .expect("it is slower once");
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let text = String::from_utf8(output.stderr).expect("text");
    assert!(text.contains("run the command again to continue"), "{text}");
    let value = place.answers(&command);
    assert!(value.starts_with("100 %\n"), "{value}");
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
    let build = "exec \"$0\" table build \"$1\" --output small --quiet";
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
        build() { \"$0\" table build \"$1\" --output disk/table --quiet; }
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

/// Builds killed at random moments. Nothing is left behind, and in the end there are the bytes of a build that was left alone. `SQASP_TEST_ROUNDS` gives more of them.
#[test]
fn killed_builds_leave_nothing_behind() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let place = Place::new();
    let many = place.path("many");
    std::fs::create_dir(place.path("temporary")).expect("a folder");
    let options = ["--threads 2", "--memory 24M"];
    let games = match slow_tests() {
        true => [
            "stochastic_ttt_4x4.gdl",
            "pig.gdl",
            "stochastic_connect_4.gdl",
        ],
        false => ["stochastic_ttt.gdl", "pig.gdl", "stochastic_connect_4.gdl"],
    };
    let expected = games.map(|file| {
        let start = Instant::now();
        place.answers(&format!(
            "table build {} --output {file} --quiet",
            game(file)
        ));
        (files(&place.path(file)), start.elapsed())
    });
    let (mut killed, mut late, mut resumed) = (0, 0, 0);
    for round in 0..rounds(12) {
        let (file, (expected, whole)) = random.choice(games.iter().zip(&expected)).expect("some");
        let option = *random.choice(&options).expect("some");
        let many = many.display();
        let command = format!(
            "table build {} --output {many} --quiet {option}",
            game(file)
        );
        let about = format!("seed {seed}, round {round}: {file} {option}");
        for _ in 0..random.usize(1..4) {
            let mut command = place.command(&command);
            command.env("TMPDIR", place.path("temporary"));
            let mut child = command.spawn().expect("the command starts");
            let moment = [Duration::from_millis(100), *whole][random.usize(..2)];
            std::thread::sleep(moment.mul_f64(random.f64()));
            child.kill().expect("it is ours");
            match child.wait().expect("it ended").code() {
                None => {
                    killed += 1;
                    resumed += usize::from(files_if_there(&place.path("many")) > 2);
                }
                // It had ended already.
                Some(0) => late += 1,
                ended => panic!("{about}: {ended:?}"),
            }
            let left = std::fs::read_dir(place.path("temporary")).expect("a folder");
            assert_eq!(left.count(), 0, "{about}: a file is left");
        }
        place.answers(&command);
        assert!(files(&place.path("many")) == *expected, "{about}");
        std::fs::remove_dir_all(place.path("many")).expect("a folder");
    }
    println!("{killed} killed, {resumed} with finished layers; {late} builds had ended before");
    assert!(resumed > 0 || killed < 9, "nothing was resumed");
}
