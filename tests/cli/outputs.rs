//! Where answers and inputs go and come from: places that cannot be written, links, pipes and devices.

use super::{Ended, Place, game};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// A game whose value is found at once.
const ANSWER: &str = "66.6667 % (2/3)\n";

fn question() -> String {
    format!("solve {} --depth 4", game("monty_hall_unseen.gdl"))
}

/// A pipe with a name.
fn pipe(place: &Place, name: &str) {
    let made = Command::new("mkfifo").arg(place.path(name)).status();
    assert!(made.expect("there is a command mkfifo").success());
}

/// Runs what must end soon, and tells how long it took.
fn soon(place: &Place, arguments: &str) -> Ended {
    let start = Instant::now();
    let ended = place.run(arguments);
    let took = start.elapsed();
    eprintln!("{arguments}: {took:?}");
    assert!(took < Duration::from_secs(4), "{arguments}: {took:?}");
    ended.check_manners(arguments);
    ended
}

#[test]
fn what_cannot_be_written_is_refused_before_any_work() {
    let place = Place::new();
    let (question, stochastic) = (question(), game("stochastic_ttt.gdl"));
    fs::create_dir(place.path("folder")).expect("a folder");
    for (arguments, fragment) in [
        (
            format!("{question} --strategy nowhere/a.txt"),
            "there is no folder nowhere",
        ),
        (format!("{question} --strategy folder"), "it is a folder"),
        (format!("{question} --strategy ."), "it is a folder"),
        (
            format!("solve {stochastic} --depth 1..3 --plot nowhere/a.svg"),
            "there is no folder nowhere",
        ),
        (
            format!("translate {stochastic} --depth 3 --to cnf -o nowhere/a"),
            "there is no folder nowhere",
        ),
    ] {
        place.refuses(&arguments, 73, fragment);
    }
}

#[test]
fn inputs_are_not_written_over() {
    let place = Place::new();
    let copy = |name: &str| {
        let rules = fs::read(game("figure_1.gdl")).expect("our own game");
        place.write(name, rules);
    };
    copy("g.gdl");
    copy("game.svg");
    fs::hard_link(place.path("g.gdl"), place.path("hard.gdl")).expect("a link");
    symlink("g.gdl", place.path("soft.gdl")).expect("a link");
    place.write("state", "(true unspun)");
    place.write("moves", "");
    place.write("formula", "p cnf 1 1\ne 1 0\n1 0\n");
    place.answers("solve g.gdl --strategy strategy.json");
    let question = "solve g.gdl --depth 1";
    for arguments in [
        "translate g.gdl --depth 1 --to cnf -o g.gdl".to_owned(),
        "translate g.gdl --depth 1 --to cnf -o hard.gdl".to_owned(),
        "translate g.gdl --depth 1 --to cnf -o soft.gdl".to_owned(),
        "translate soft.gdl --depth 1 --to cnf -o ./g.gdl".to_owned(),
        "fmt g.gdl -o g.gdl".to_owned(),
        "export g.gdl --to umb -o g.gdl".to_owned(),
        "export g.gdl --to umb --fix opponents:strategy.json -o strategy.json".to_owned(),
        "solve-formula formula --strategy formula".to_owned(),
        format!("{question} --strategy g.gdl"),
        format!("{question} --from state --strategy state"),
        format!("{question} --after @moves --strategy moves"),
        "solve game.svg --depth 0..1 --plot game.svg".to_owned(),
        "referee g.gdl random random --output g.gdl".to_owned(),
    ] {
        place.refuses(&arguments, 2, "would destroy the input");
    }
    // Another file is replaced as ever.
    place.answers("fmt g.gdl -o other.gdl");
}

#[test]
fn a_full_disk_does_not_take_the_answer_along() {
    let place = Place::new();
    let question = question();
    let ended = place.run(&format!("{question} --strategy /dev/full"));
    assert_eq!(ended.code, Some(73), "{ended:?}");
    assert!(ended.out.starts_with(ANSWER), "{ended:?}");
    assert!(ended.err.contains("cannot write /dev/full"), "{ended:?}");
    let stochastic = game("stochastic_ttt.gdl");
    let ended = place.run(&format!(
        "solve {stochastic} --depth 1..3 --plot /dev/full --json"
    ));
    assert_eq!(ended.code, Some(73), "{ended:?}");
    assert!(ended.out.contains("\"depth\":3"), "{ended:?}");
    // Where standard output itself is full, the answer is told.
    let full = fs::OpenOptions::new().write(true).open("/dev/full");
    let output = place
        .command(&question)
        .stdout(full.expect("a device"))
        .output();
    let ended = Ended::new(output.expect("the command starts"));
    assert_eq!(ended.code, Some(73), "{ended:?}");
    assert!(ended.err.contains(ANSWER), "{ended:?}");
}

#[test]
fn links_stay_links_and_files_keep_their_mode() {
    let place = Place::new();
    let question = question();
    place.write("real.txt", "old");
    fs::hard_link(place.path("real.txt"), place.path("same.txt")).expect("a link");
    fs::set_permissions(place.path("real.txt"), fs::Permissions::from_mode(0o640)).expect("a file");
    symlink("real.txt", place.path("link.txt")).expect("a link");
    symlink("new.txt", place.path("dangling.txt")).expect("a link");
    for (named, real) in [("link.txt", "real.txt"), ("dangling.txt", "new.txt")] {
        place.answers(&format!("{question} --strategy {named}"));
        let link = fs::symlink_metadata(place.path(named)).expect("a link");
        assert!(link.is_symlink(), "{named}");
        let text = fs::read_to_string(place.path(real)).expect("a file");
        assert!(text.starts_with("monty_hall_unseen: guest can"), "{text}");
    }
    let real = fs::metadata(place.path("real.txt")).expect("a file");
    assert_eq!(real.permissions().mode() & 0o777, 0o640);
    let same = fs::read_to_string(place.path("same.txt")).expect("a file");
    assert!(same.starts_with("monty_hall_unseen"), "{same}");
    // Nothing else is left.
    let names = [
        "dangling.txt",
        "link.txt",
        "new.txt",
        "real.txt",
        "same.txt",
    ];
    assert_eq!(place.files(), names.map(str::to_owned).into());
}

#[test]
fn pipes_do_not_outlive_a_limit() {
    let place = Place::new();
    pipe(&place, "pipe");
    let question = question();
    let ended = soon(&place, &format!("{question} --strategy pipe --time 0.3"));
    assert_eq!(ended.code, Some(75), "{ended:?}");
    assert!(ended.out.starts_with(ANSWER), "{ended:?}");
    assert!(ended.err.contains("before somebody read it"), "{ended:?}");
    let ended = soon(&place, "solve pipe --depth 3 --time 0.3");
    assert_eq!(ended.code, Some(75), "{ended:?}");
    assert!(ended.out.starts_with("[0 %, 100 %]\n"), "{ended:?}");
    let stochastic = game("stochastic_ttt.gdl");
    for arguments in [
        format!("translate {stochastic} --depth 3 --to cnf -o pipe --time 0.3"),
        format!("solve {stochastic} --depth 1..3 --plot pipe --time 0.3"),
        format!("solve {stochastic} --depth 3 --from pipe --time 0.3"),
        format!("verify {stochastic} pipe --time 0.3"),
        "prove pipe --all --time 0.3".to_owned(),
        "plan pipe --time 0.3".to_owned(),
        "solve-program pipe --time 0.3".to_owned(),
        "solve-formula pipe --time 0.3".to_owned(),
    ] {
        let ended = soon(&place, &arguments);
        assert_eq!(ended.code, Some(75), "{arguments}: {ended:?}");
    }
}

#[test]
fn signals_end_what_waits_for_a_pipe() {
    let place = Place::new();
    pipe(&place, "pipe");
    let stochastic = game("stochastic_ttt.gdl");
    for arguments in [
        format!("{} --strategy pipe", question()),
        format!("solve {stochastic} --depth 1..3 --plot pipe"),
        format!("translate {stochastic} --depth 3 --to cnf -o pipe"),
        "solve pipe --depth 3".to_owned(),
        "plan pipe".to_owned(),
        "solve-formula pipe".to_owned(),
        "check pipe".to_owned(),
    ] {
        let child = place
            .command(&arguments)
            .spawn()
            .expect("the command starts");
        thread::sleep(Duration::from_millis(400));
        let sent = Instant::now();
        let signal = Command::new("kill").arg(child.id().to_string()).status();
        assert!(signal.expect("there is a command kill").success());
        let ended = child.wait_with_output().expect("it ends");
        eprintln!("{arguments}: {:?} after the signal", sent.elapsed());
        assert!(sent.elapsed() < Duration::from_secs(3), "{arguments}");
        assert_ne!(ended.status.code(), Some(0), "{arguments}: {ended:?}");
    }
}

#[test]
fn pipes_carry_what_is_written_and_read() {
    let place = Place::new();
    pipe(&place, "pipe");
    let path = place.path("pipe");
    let reader = thread::spawn(move || fs::read_to_string(path).expect("a pipe"));
    place.answers(&format!("{} --strategy pipe", question()));
    let strategy = reader.join().expect("the reader ends");
    assert!(
        strategy.contains("\"sqasp-strategy\"") || strategy.contains("\"role\""),
        "{strategy}"
    );
    let (path, rules) = (place.path("pipe"), game("monty_hall_unseen.gdl"));
    let rules = fs::read(rules).expect("our own game");
    let writer = thread::spawn(move || fs::write(path, rules).expect("a pipe"));
    let text = place.answers("solve pipe --depth 4");
    assert!(text.starts_with(ANSWER), "{text}");
    writer.join().expect("the writer ends");
}
