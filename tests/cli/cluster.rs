//! `table build` by several processes writes the same bytes as one process does, also if some are killed and started again, and
//! also across network namespaces.

use super::{Ended, Place, game};
use crate::common::{rounds, say, slow_tests};
use crate::tables::files;
use std::net::TcpListener;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// How long processes may take to end, where they must.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long it is waited for processes that may wait for ever, because one was killed before they were connected.
const GLANCE: Duration = Duration::from_secs(3);

fn large() -> &'static str {
    match slow_tests() {
        true => "stochastic_ttt_4x4.gdl",
        false => "stochastic_connect_4.gdl",
    }
}

/// Writes a file of hosts at which nobody listens yet.
fn write_hosts(place: &Place, count: usize) {
    let listen = |_| TcpListener::bind("127.0.0.1:0").expect("a free port");
    let listeners: Vec<TcpListener> = (0..count).map(listen).collect();
    let line = |listener: &TcpListener| format!("{}\n", listener.local_addr().expect("bound"));
    let hosts: String = listeners.iter().map(line).collect();
    place.write("hosts", format!("# all here\n{hosts}"));
}

fn start(place: &Place, file: &str, count: usize) -> Vec<Child> {
    write_hosts(place, count);
    let file = game(file);
    let command = |process: usize| {
        let words = "--output many --hosts hosts --threads 1 --quiet";
        place.command(&format!("table build {file} --process {process} {words}"))
    };
    (0..count)
        .map(|process| command(process).spawn().expect("the command starts"))
        .collect()
}

/// Waits for a process. One that has not ended by then is killed, and there is nothing.
fn wait_until(end: Instant, mut child: Child) -> Option<Ended> {
    while child.try_wait().expect("it is ours").is_none() {
        if Instant::now() > end {
            child.kill().expect("it is ours");
            child.wait().expect("it ended");
            return None;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Some(Ended::new(child.wait_with_output().expect("it ended")))
}

fn wait(child: Child) -> Option<Ended> {
    wait_until(Instant::now() + PATIENCE, child)
}

#[test]
fn several_processes_write_the_bytes_of_one() {
    let place = Place::new();
    let file = game(large());
    let one = place.answers(&format!("table build {file} --output one --quiet"));
    for count in [2, 4] {
        for (process, child) in start(&place, large(), count).into_iter().enumerate() {
            let ended = wait(child).expect("it ends");
            assert_eq!(ended.code, Some(0), "{ended:?}");
            let told = if process == 0 { &one } else { "" };
            assert_eq!(ended.out, told, "{process}");
        }
        assert!(files(&place.path("many")) == files(&place.path("one")));
        std::fs::remove_dir_all(place.path("many")).expect("a folder");
    }
}

#[test]
fn a_lost_process_ends_all_and_the_same_commands_go_on() {
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    let place = Place::new();
    let begin = Instant::now();
    place.answers(&format!(
        "table build {} --output one --quiet",
        game(large())
    ));
    let whole = begin.elapsed();
    let (mut lost, mut killed) = (0, 0);
    while lost < 2 || killed < 4 {
        assert!(killed < 60, "seed {seed}: never in the middle");
        let count = random.usize(2..=4);
        let mut children = start(&place, large(), count);
        std::thread::sleep(whole.mul_f64(0.5 + 1.5 * random.f64()));
        let mut victim = children.swap_remove(random.usize(..count));
        victim.kill().expect("it is ours");
        victim.wait().expect("it ended");
        killed += 1;
        let end = Instant::now() + GLANCE;
        let mut is_complete = false;
        for child in children {
            let Some(ended) = wait_until(end, child) else {
                continue;
            };
            match ended.code {
                Some(0) => is_complete = true,
                Some(69) => {
                    let says = ended.err.contains("is gone") && !ended.err.contains("panicked");
                    assert!(says, "seed {seed}: {ended:?}");
                    lost += 1;
                }
                _ => panic!("seed {seed}: {ended:?}"),
            }
        }
        if is_complete {
            std::fs::remove_dir_all(place.path("many")).expect("a folder");
        }
    }
    for (process, child) in start(&place, large(), 3).into_iter().enumerate() {
        let ended = wait(child).expect("it ends");
        assert_eq!(
            ended.code,
            Some(0),
            "seed {seed}, process {process}: {ended:?}"
        );
        assert_eq!(ended.out.is_empty(), process > 0, "{ended:?}");
    }
    let same = files(&place.path("many")) == files(&place.path("one"));
    assert!(same, "seed {seed}");
}

#[test]
fn processes_that_cannot_work_together_say_why() {
    let place = Place::new();
    let (ttt, nim) = (game("stochastic_ttt.gdl"), game("stochastic_nim_5.gdl"));
    place.write("names", "node1:4500\nnode2\n");
    place.write("few", "127.0.0.1:4500\n");
    for (options, code, fragment) in [
        ("--hosts nowhere --process 0", 66, "cannot read"),
        ("--hosts names --process 0", 65, "has no port"),
        ("--hosts few --process 1", 2, "there is no process 1"),
        ("--hosts few", 2, "--process"),
    ] {
        place.refuses(
            &format!("table build {ttt} --output t {options}"),
            code,
            fragment,
        );
    }
    let two = |first: &str, second: &str| {
        write_hosts(&place, 2);
        let run = |process: usize, what: &str| {
            let options = format!("--hosts hosts --process {process} --quiet");
            let mut command = place.command(&format!("table build {what} {options}"));
            command.spawn().expect("the command starts")
        };
        [run(0, first), run(1, second)].map(|child| wait(child).expect("it ends"))
    };
    let [first, second] = two(&format!("{ttt} --output a"), &format!("{ttt} --output b"));
    assert_eq!(second.code, Some(2), "{second:?}");
    assert!(
        second.err.contains("all processes need the same one"),
        "{second:?}"
    );
    assert_eq!(first.code, Some(69), "{first:?}");
    let [first, second] = two(&format!("{ttt} --output c"), &format!("{nim} --output c"));
    let other_table = |ended: &Ended| ended.err.contains("builds another table");
    assert!(
        other_table(&first) || other_table(&second),
        "{first:?} {second:?}"
    );
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
    let games = ["stochastic_ttt.gdl", "pig.gdl", "stochastic_connect_4.gdl"];
    let expected = games.map(|file| {
        let start = Instant::now();
        place.answers(&format!(
            "table build {} --output {file} --quiet",
            game(file)
        ));
        (files(&place.path(file)), start.elapsed())
    });
    let (mut killed, mut late) = (0, 0);
    for round in 0..rounds(12) {
        let (file, (expected, whole)) = random.choice(games.iter().zip(&expected)).expect("some");
        let option = *random.choice(&options).expect("some");
        let many = many.display();
        let command = format!(
            "table build {} --output {many} --quiet {option}",
            game(file)
        );
        let about = format!("seed {seed}, round {round}: {file} {option}");
        for _ in 0..random.usize(1..3) {
            let mut command = place.command(&command);
            command.env("TMPDIR", place.path("temporary"));
            let mut child = command.spawn().expect("the command starts");
            let moment = [Duration::from_millis(100), *whole][random.usize(..2)];
            std::thread::sleep(moment.mul_f64(random.f64()));
            child.kill().expect("it is ours");
            match wait(child).map(|ended| ended.code) {
                Some(None) => killed += 1,
                // It had ended already.
                Some(Some(0)) => late += 1,
                ended => panic!("{about}: {ended:?}"),
            }
            let left = std::fs::read_dir(place.path("temporary")).expect("a folder");
            assert_eq!(left.count(), 0, "{about}: a file is left");
        }
        place.answers(&command);
        assert!(files(&place.path("many")) == *expected, "{about}");
        std::fs::remove_dir_all(place.path("many")).expect("a folder");
    }
    println!("{killed} killed; {late} builds had ended before");
}

/// Network namespaces with a cable between them, removed in the end.
struct Namespaces(Vec<String>);

impl Namespaces {
    /// Two of them; nothing without the rights.
    fn two() -> Option<Self> {
        let id = std::process::id();
        let names = Namespaces((0..2).map(|side| format!("sqasp-{id}-{side}")).collect());
        for name in &names.0 {
            if !ip(&format!("netns add {name}")) {
                return None;
            }
        }
        let [left, right] = &names.0[..] else {
            return None;
        };
        let cable =
            format!("link add sq{id}a netns {left} type veth peer name sq{id}b netns {right}");
        assert!(ip(&cable), "{cable}");
        for (name, end, address) in [(left, "a", 1), (right, "b", 2)] {
            assert!(ip(&format!(
                "-n {name} addr add 10.91.7.{address}/24 dev sq{id}{end}"
            )));
            assert!(ip(&format!("-n {name} link set sq{id}{end} up")));
        }
        Some(names)
    }
}

impl Drop for Namespaces {
    fn drop(&mut self) {
        for name in &self.0 {
            ip(&format!("netns del {name}"));
        }
    }
}

fn ip(arguments: &str) -> bool {
    let output = Command::new("ip").args(arguments.split(' ')).output();
    output.is_ok_and(|output| output.status.success())
}

#[test]
#[ignore = "needs ip: two network namespaces"]
fn machines_with_networks_of_their_own_build_one_table() {
    let Some(names) = Namespaces::two() else {
        say(
            "no right to make network namespaces: machines_with_networks_of_their_own_build_one_table did nothing",
        );
        return;
    };
    let place = Place::new();
    let file = game(large());
    place.answers(&format!("table build {file} --output one --quiet"));
    place.write("hosts", "10.91.7.1:4500\n10.91.7.2:4500\n");
    let start = |process: usize| {
        let sqasp = env!("CARGO_BIN_EXE_sqasp");
        let name = &names.0[process];
        let options = format!("--output many --hosts hosts --process {process} --quiet");
        let command = format!("netns exec {name} {sqasp} table build {file} {options}");
        let mut ip = Command::new("ip");
        ip.args(command.split(' ')).current_dir(place.path("."));
        ip.stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped());
        ip.spawn().expect("ip starts")
    };
    for child in [start(0), start(1)] {
        let ended = wait(child).expect("it ends");
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
    assert!(files(&place.path("many")) == files(&place.path("one")));
}
