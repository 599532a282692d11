//! The program `sqasp-cluster`: several processes write the same bytes as one does, also if some are killed and started again, and also
//! across network namespaces.

use engines::table::build;
use limits::Limits;
use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The longest wait for processes that must end.
const PATIENCE: Duration = Duration::from_secs(600);

/// The wait for processes that may wait for ever, because one was killed before they were connected.
const GLANCE: Duration = Duration::from_secs(3);

/// A folder for the tables of a test, with a file of hosts.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Place(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn remove(&self, name: &str) {
        fs::remove_dir_all(self.path(name)).expect("a folder");
    }

    /// Builds the table of a game in one process, or stops when it reports for the first time.
    fn build(&self, game: &str, folder: &str, is_stopped: bool) -> bool {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
        let rules = fs::read(file.join(format!("{game}.gdl"))).expect("a game of ours");
        let game = engines::read(game, &rules).expect("a game");
        let question = engines::Question::about(&game).expect("a question");
        let (limits, folder) = (Limits::default(), self.path(folder));
        let mut report = |_| {
            if is_stopped {
                limits.interrupt.raise();
            }
        };
        build(&game, &question, &folder, &limits, 1, &mut report).is_ok()
    }

    fn whole(&self, game: &str, folder: &str) {
        assert!(self.build(game, folder, false));
    }

    fn begin(&self, game: &str, folder: &str) {
        assert!(!self.build(game, folder, true), "it was stopped");
    }

    /// Writes a file of hosts at which nothing listens yet.
    fn write_hosts(&self, count: usize) {
        let listen = |_| TcpListener::bind("127.0.0.1:0").expect("a free port");
        let listeners: Vec<TcpListener> = (0..count).map(listen).collect();
        let line = |listener: &TcpListener| format!("{}\n", listener.local_addr().expect("bound"));
        let hosts: String = listeners.iter().map(line).collect();
        fs::write(self.path("hosts"), format!("# all here\n{hosts}")).expect("written");
    }

    fn process(&self, folder: &str, hosts: &str, process: usize) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sqasp-cluster"));
        command.arg(self.path(folder)).arg("--hosts");
        command.arg(self.path(hosts)).arg("--process");
        command.arg(process.to_string());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the program starts")
    }

    fn start(&self, folder: &str, count: usize) -> Vec<Child> {
        self.write_hosts(count);
        let start = |process| self.process(folder, "hosts", process);
        (0..count).map(start).collect()
    }

    /// The bytes of each file of a table.
    fn files(&self, folder: &str) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(self.path(folder)).expect("a folder");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        let file = |path: PathBuf| {
            let name = path.file_name().expect("a name").to_string_lossy();
            (name.into_owned(), fs::read(&path).expect("a file"))
        };
        paths.map(file).collect()
    }
}

/// Waits for a process. One that has not ended by then is killed, and there is nothing.
fn wait_until(end: Instant, mut child: Child) -> Option<Output> {
    while child.try_wait().expect("it is ours").is_none() {
        if Instant::now() > end {
            child.kill().expect("it is ours");
            child.wait().expect("it ended");
            return None;
        }
        sleep(Duration::from_millis(10));
    }
    Some(child.wait_with_output().expect("it ended"))
}

fn wait(child: Child) -> Output {
    wait_until(Instant::now() + PATIENCE, child).expect("it ends")
}

fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn several_processes_write_the_bytes_of_one() {
    let place = Place::new();
    place.whole("stochastic_connect_4", "one");
    for count in [2, 4] {
        place.begin("stochastic_connect_4", "many");
        for (process, child) in place.start("many", count).into_iter().enumerate() {
            let ended = wait(child);
            assert!(ended.status.success(), "{ended:?}");
            assert_eq!(ended.stdout.is_empty(), process > 0, "{ended:?}");
        }
        assert!(place.files("many") == place.files("one"));
        place.remove("many");
    }
}

#[test]
fn a_lost_process_ends_all_and_the_same_commands_go_on() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let place = Place::new();
    let begin = Instant::now();
    place.whole("stochastic_connect_4", "one");
    let whole = begin.elapsed();
    let (mut lost, mut killed) = (0, 0);
    while lost < 2 || killed < 4 {
        assert!(killed < 60, "never in the middle");
        if !place.path("many").exists() {
            place.begin("stochastic_connect_4", "many");
        }
        let count = random.usize(2..=4);
        let mut children = place.start("many", count);
        sleep(whole.mul_f64(0.5 + 1.5 * random.f64()));
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
            let message = error(&ended);
            is_complete |= ended.status.success();
            lost += usize::from(!ended.status.success());
            let says = message.contains("is gone") && !message.contains("panicked");
            assert!(ended.status.success() || says, "{message}");
        }
        if is_complete {
            place.remove("many");
        }
    }
    if !place.path("many").exists() {
        place.begin("stochastic_connect_4", "many");
    }
    for child in place.start("many", 3) {
        let ended = wait(child);
        assert!(ended.status.success(), "{ended:?}");
    }
    assert!(place.files("many") == place.files("one"));
}

#[test]
fn processes_that_cannot_work_together_say_why() {
    let place = Place::new();
    place.begin("stochastic_ttt", "a");
    fs::write(place.path("names"), "node1:4500\nnode2\n").expect("written");
    fs::write(place.path("few"), "127.0.0.1:4500\n").expect("written");
    for (folder, hosts, process, fragment) in [
        ("a", "nowhere", 0, "cannot read"),
        ("a", "names", 0, "has no port"),
        ("a", "few", 1, "there is no process 1"),
        ("none", "few", 0, "there is no table"),
    ] {
        let ended = wait(place.process(folder, hosts, process));
        assert!(!ended.status.success(), "{fragment}");
        assert!(error(&ended).contains(fragment), "{}", error(&ended));
    }
    // The same table in two folders, and two tables.
    place.begin("stochastic_ttt", "b");
    place.begin("stochastic_nim_5", "c");
    for (other, fragment) in [
        ("b", "all processes need the same one"),
        ("c", "builds another table"),
    ] {
        place.write_hosts(2);
        let children = [("a", 0), (other, 1)];
        let children = children.map(|(folder, process)| place.process(folder, "hosts", process));
        let ended = children.map(wait);
        assert!(ended.iter().all(|ended| !ended.status.success()));
        let says = |ended: &Output| error(ended).contains(fragment);
        assert!(ended.iter().any(says), "{ended:?}");
    }
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
        println!("no right to make network namespaces: nothing was tested");
        return;
    };
    let place = Place::new();
    place.whole("stochastic_connect_4", "one");
    place.begin("stochastic_connect_4", "many");
    fs::write(place.path("hosts"), "10.91.7.1:4500\n10.91.7.2:4500\n").expect("written");
    let start = |process: usize| {
        let program = env!("CARGO_BIN_EXE_sqasp-cluster");
        let name = &names.0[process];
        let options = format!("many --hosts hosts --process {process}");
        let command = format!("netns exec {name} {program} {options}");
        let mut ip = Command::new("ip");
        ip.args(command.split(' ')).current_dir(place.path("."));
        ip.stdout(Stdio::piped()).stderr(Stdio::piped());
        ip.spawn().expect("ip starts")
    };
    for child in [start(0), start(1)] {
        let ended = wait(child);
        assert!(ended.status.success(), "{ended:?}");
    }
    assert!(place.files("many") == place.files("one"));
}
