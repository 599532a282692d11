//! Matches between players of the general game playing protocol, and what disturbs them.

use crate::common::{
    Server, checked_in_game, exchange, process_number, read_text, root, rounds, say,
};
use engines::PlayEnd;
use fastrand::Rng;
use gdl::game::Game;
use generators::{damage, rows};
use rules::{ReasonerError, RuleLimits};
use servers::http::{self, ServerLimits};
use servers::player::{MatchSettings, Played, Player, referee};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};
use step::{StateMachine, StepLimits};

/// A player that says nothing. The memory of other tests of this process counts, too.
fn quiet_player() -> Player {
    Player::new("quiet", Some(8_000_000_000), |_| ())
}

/// A player, and the lines that it says.
fn talking_player() -> (Player, Receiver<String>) {
    let (to, said) = channel();
    let player = Player::new("talking", Some(8_000_000_000), move |line| {
        let _ = to.send(line.to_owned());
    });
    (player, said)
}

/// Where a player listens.
fn listening(player: Player) -> String {
    let listener = http::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), 0).expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    thread::spawn(move || {
        let limits = ServerLimits {
            reads_to_end: true,
            ..ServerLimits::within(None)
        };
        http::run(&listener, &limits, player)
    });
    address
}

/// The rules of a game on one line, without comments.
fn rules(file: &str) -> String {
    let text = read_text(root().join("games").join(file));
    let code = text.lines().filter_map(|line| line.split(';').next());
    code.flat_map(str::split_whitespace)
        .collect::<Vec<&str>>()
        .join(" ")
}

fn settings(id: &str, file: &str, players: Vec<Option<String>>) -> MatchSettings {
    MatchSettings {
        id: id.to_owned(),
        rules: rules(file),
        players,
        start_clock: 1,
        play_clock: 1,
        max_steps: 60,
    }
}

/// Plays matches to their end, in each of which a state is shown after each step.
fn finish(file: &str, seats: &[&String], rounds: u64, seed: u64) {
    let game = checked_in_game(file);
    for round in 0..rounds {
        let seats = seats.iter().map(|seat| Some((*seat).clone()));
        let seats = seats.chain(std::iter::repeat(None));
        let seats = seats.take(game.players().count()).collect();
        let settings = settings(&format!("{file}.{round}"), file, seats);
        let (played, shown) = play(&game, &settings, seed + round);
        assert_eq!(played.faults, [], "{file}");
        assert_eq!(played.end, PlayEnd::Terminal, "{file}");
        assert_eq!(shown, played.steps + 1);
    }
}

/// Plays a match and gives what became of it, with the number of states that were shown.
fn play(game: &Game, settings: &MatchSettings, seed: u64) -> (Played, u32) {
    let machine = StateMachine::new(game, &StepLimits::modest(), RuleLimits::default());
    let mut machine = machine.expect("a machine");
    let mut random = Rng::with_seed(seed);
    let mut shown = 0;
    let played = referee::<ReasonerError>(game, &mut machine, settings, &mut random, |_, _| {
        shown += 1;
        Ok(())
    });
    (played.expect("the rules can be followed"), shown)
}

#[test]
fn two_players_finish_matches_of_ten_games() {
    let games = [
        "stochastic_ttt.gdl",
        "pig.gdl",
        "connect_3.gdl",
        "tic_tac_toe.gdl",
        "stochastic_nim_5.gdl",
        "last_stone.gdl",
        "duel.gdl",
        "fox_and_hounds.gdl",
        "stochastic_nim_10.gdl",
        "auction.gdl",
    ];
    let seed = fastrand::u64(..1 << 32);
    say(&format!("matches: seed {seed}"));
    let [one, two] = [(); 2].map(|()| listening(quiet_player()));
    for file in games {
        finish(file, &[&one, &two], rounds(5), seed);
    }
}

/// Each player hears its own move and what it saw.
#[test]
fn players_finish_matches_of_games_that_hide_something() {
    let [one, two] = [(); 2].map(|()| listening(quiet_player()));
    let small = listening(Player::new("small", Some(1), |_| ()));
    for (file, seats) in [
        ("hidden_kuhn_poker.gdl", &[&one, &two][..]),
        ("hidden_kuhn_poker.gdl", &[&one, &small]),
        ("hidden_monty_hall.gdl", &[&one]),
        ("hidden_minesweeper.gdl", &[&one]),
    ] {
        finish(file, seats, rounds(4), 0);
    }
}

#[test]
fn perfect_play_does_not_lose() {
    // The first player wins, whatever the second does.
    let game = checked_in_game("connect_3.gdl");
    let player = listening(quiet_player());
    for seed in 0..3 {
        let seats = vec![Some(player.clone()), None];
        let settings = settings(&format!("win{seed}"), "connect_3.gdl", seats);
        let (played, _) = play(&game, &settings, seed);
        assert_eq!(played.faults, []);
        assert_eq!(played.goals[0][0].to_string(), "100");
    }
}

#[test]
fn a_large_game_is_answered_in_time() {
    let file = "stochastic_ttt_4x4.gdl";
    let seats = [(); 2].map(|()| Some(listening(quiet_player())));
    let settings = MatchSettings {
        max_steps: 10,
        ..settings("large", file, seats.to_vec())
    };
    let (played, _) = play(&checked_in_game(file), &settings, 1);
    assert_eq!(played.faults, []);
}

/// Without memory for exact values the player uses the clock to sample.
#[test]
fn a_player_with_little_memory_uses_its_time() {
    let file = "stochastic_ttt_4x4.gdl";
    let small = Player::new("small", Some(1), |_| ());
    let seats = vec![Some(listening(small)), None];
    let mut settings = settings("small", file, seats);
    settings.max_steps = 2;
    let (played, _) = play(&checked_in_game(file), &settings, 1);
    assert_eq!(played.faults, []);
    assert!(played.slowest[0] > 0.4, "{:?} s", played.slowest);
}

/// The moves that a player answers when it is asked often.
fn drawn(player: &Player, times: u32) -> BTreeMap<String, u32> {
    let mut drawn = BTreeMap::new();
    for _ in 0..times {
        let answer = player.reply("(PLAY m NIL)", Instant::now());
        *drawn.entry(answer).or_default() += 1;
    }
    drawn
}

/// Where all choose at once a player draws from the best mixture: nothing is guaranteed to one that can be foreseen.
#[test]
fn moves_at_the_same_time_are_mixed() {
    // Ann wins where both go right, and every other time where both go left, in one of two rounds: left in two of three cases is best for both,
    // in both rounds.
    let steal = "(role ann) (role bob) (role random) (init (round 1))
        (<= (legal ?p left) (role ?p)) (<= (legal ?p right) (role ?p))
        (<= (next (round 2)) (true (round 1))) (<= (next over) (true (round 2)))
        (<= (next met) (does ann left) (does bob left) (does random left))
        (<= (next met) (does ann right) (does bob right)) (<= terminal (true over)) (<= terminal (true met))
        (<= (goal ann 100) (true met)) (<= (goal ann 0) (not (true met)))
        (<= (goal bob 0) (true met)) (<= (goal bob 100) (not (true met)))"
        .to_owned();
    let hands = rules("rock_paper_scissors.gdl");
    // Of 300 moves.
    let (third, two_thirds) = (67..134, 167..234);
    let equal = ["paper", "rock", "scissors"].map(|hand| (hand, &third));
    let unequal = [("left", &two_thirds), ("right", &third)];
    for (rules, role, expected) in [
        (&hands, "ann", &equal[..]),
        (&steal, "ann", &unequal),
        (&steal, "bob", &unequal),
    ] {
        let player = quiet_player().seeded(1);
        let start = format!("(START m {role} ({rules}) 600 600)");
        assert_eq!(player.reply(&start, Instant::now()), "ready");
        let drawn = drawn(&player, 300);
        for (action, range) in expected {
            let count = drawn.get(*action).copied().unwrap_or(0);
            assert!(range.contains(&count), "{role}: {drawn:?}");
        }
        if rules == &steal && role == "ann" {
            let next = player.reply("(PLAY m (left right left))", Instant::now());
            assert!(["left", "right"].contains(&next.as_str()), "{next}");
            let left = self::drawn(&player, 300)["left"];
            assert!(two_thirds.contains(&left), "{left} in the second round");
        }
        // The same seed, the same moves.
        let again = quiet_player().seeded(1);
        assert_eq!(again.reply(&start, Instant::now()), "ready");
        assert_eq!(self::drawn(&again, 300), drawn);
    }
}

/// A player that can always be foreseen gets no more than the value against one that mixes.
#[test]
fn a_constant_player_gets_no_more_than_the_value() {
    let file = "rock_paper_scissors.gdl";
    let game = checked_in_game(file);
    let mixing = listening(quiet_player().seeded(2));
    let mut sum = 0;
    for round in 0..60 {
        let seats = vec![Some(mixing.clone()), Some(forger("rock"))];
        let settings = MatchSettings {
            start_clock: 600,
            play_clock: 600,
            ..settings(&format!("rock{round}"), file, seats)
        };
        let (played, _) = play(&game, &settings, round);
        assert_eq!(played.faults, []);
        sum += played.goals[0][0]
            .to_string()
            .parse::<u32>()
            .expect("points");
    }
    // 50 points on the average; the standard deviation of the mean is about 5.3.
    assert!(
        (20 * 60..=80 * 60).contains(&sum),
        "{sum} points in 60 matches"
    );
}

#[test]
fn messages_in_any_order_get_an_answer() {
    let player = quiet_player();
    let tell = |text: &str| player.reply(text, Instant::now());
    assert_eq!(
        tell("(INFO)"),
        "( ( name quiet ) ( status available ) ( species computer ) )"
    );
    assert_eq!(tell("(PLAY nobody NIL)"), "busy");
    assert_eq!(tell("(STOP nobody NIL)"), "busy");
    assert_eq!(tell("(PREVIEW ((role x)) 10)"), "ready");
    assert_eq!(tell("(START m x ((role x)) 1 1)"), "busy", "no valid game");
    let start =
        |id: &str, role: &str| format!("(START {id} {role} ({}) 2 1)", rules("tic_tac_toe.gdl"));
    assert_eq!(tell(&start("m", "nobody")), "busy");
    assert_eq!(tell(&start("m", "XPlayer")), "ready");
    assert!(tell("(info)").contains("busy"));
    assert_eq!(tell(&start("other", "xplayer")), "busy");
    assert!(tell("(PLAY m NIL)").starts_with("(mark "));
    assert_eq!(tell("(PLAY m ((mark 1 1)))"), "nil", "a move is missing");
    assert_eq!(tell("(PLAY m ((mark 1 1) noop))"), "noop");
    assert_eq!(tell("(ABORT m)"), "aborted");
    assert!(tell("(INFO)").contains("available"));
    assert_eq!(tell(&start("again", "oplayer")), "ready");
    assert_eq!(tell("(PLAY again NIL)"), "noop");
    assert_eq!(tell("(STOP again ((mark 1 1) noop))"), "done");
}

/// The clock of `START` is over before rules of a megabyte are read; nothing waits for the rest of them.
#[test]
fn reading_rules_ends_with_the_clock() {
    let (player, said) = talking_player();
    let mut rules = rules("tic_tac_toe.gdl");
    for number in 0..30_000 {
        rules += &format!("(<= (r{number} ?x) (r{} ?x))", number + 1);
    }
    let start = format!("(START m xplayer ({rules}) 0 1)");
    assert_eq!(player.reply(&start, Instant::now()), "busy");
    let line = said.recv().expect("a line");
    assert!(line.contains("before the rules were read"), "{line}");
    assert!(player.reply("(INFO)", Instant::now()).contains("available"));
}

/// A mistake of ours, here in the receiver of messages, ends the preparation, and the next match can begin.
#[test]
fn a_panic_leaves_the_player_free() {
    let warned = AtomicBool::new(false);
    let player = Player::new("shaky", Some(400_000_000), move |line| {
        let is_first = line.contains("warning") && !warned.swap(true, Ordering::SeqCst);
        assert!(!is_first, "on purpose");
    });
    let rules = rules("tic_tac_toe.gdl") + " (<= (unused ?x) (index ?x) (index ?y))";
    let start = |id: &str| {
        player.reply(
            &format!("(START {id} xplayer ({rules}) 2 1)"),
            Instant::now(),
        )
    };
    assert_eq!(start("m"), "busy");
    assert!(player.reply("(INFO)", Instant::now()).contains("available"));
    assert_eq!(start("n"), "ready");
}

#[test]
fn random_messages_hurt_nothing() {
    let player = quiet_player();
    let seed = fastrand::u64(..);
    say(&format!("random messages: seed {seed}"));
    let mut random = Rng::with_seed(seed);
    let whole = [
        "(INFO)".to_owned(),
        format!("(START m xplayer ({}) 0 0)", rules("tic_tac_toe.gdl")),
        "(PLAY m NIL)".to_owned(),
        "(PLAY m ((mark 1 1) noop))".to_owned(),
        "(STOP m ((mark 1 1) noop))".to_owned(),
        "(ABORT m)".to_owned(),
    ];
    for _ in 0..rounds(500) {
        let mut bytes = whole[random.usize(..whole.len())].clone().into_bytes();
        if random.u8(..4) > 0 {
            damage(&mut random, &mut bytes, &["(", ")", " "]);
        }
        let begin = Instant::now();
        let reply = player.reply(&String::from_utf8_lossy(&bytes), begin);
        assert!(!reply.is_empty());
        assert!(begin.elapsed() < Duration::from_secs(3), "{bytes:?}");
    }
    player.reply("(ABORT m)", Instant::now());
    assert!(player.reply("(INFO)", Instant::now()).contains("quiet"));
}

#[test]
fn a_match_between_processes_is_kept_and_can_be_followed() {
    let folder = tempfile::tempdir().expect("a folder");
    let player = Server::start(&["player", "--port", "0", "--quiet"]);
    let game = root().join("games/stochastic_ttt.gdl");
    let run = |line: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sqasp"));
        let (name, arguments) = line.split_once(' ').expect("a command");
        command.current_dir(folder.path()).arg(name).arg(&game);
        let ended = command.args(arguments.split(' ')).output();
        ended.expect("the command starts")
    };
    let address = &player.address;
    let ended = run(&format!(
        "referee {address} random --clock 10 1 --seed 3 --output match.jsonl"
    ));
    let text = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success(), "{ended:?}");
    assert!(
        text.starts_with("xplayer ") && text.contains(", 0 faults"),
        "{text}"
    );
    let steps: Vec<String> = String::from_utf8_lossy(&ended.stderr)
        .lines()
        .filter_map(|line| Some(line.strip_prefix("step ")?.split(':').next()?.to_owned()))
        .collect();
    let numbers: Vec<String> = (1..=steps.len()).map(|step| step.to_string()).collect();
    assert_eq!(steps, numbers, "{ended:?}");
    assert!(text.contains(&format!("{} steps", steps.len())), "{text}");
    let followed = run("simulate --replay match.jsonl");
    assert!(followed.status.success(), "{followed:?}");
    assert!(String::from_utf8_lossy(&followed.stdout).contains("\"terminal\":true"));
}

#[test]
fn a_player_that_is_not_there_makes_faults() {
    let game = checked_in_game("last_stone.gdl");
    let nobody = Some("127.0.0.1:1".to_owned());
    let players = game.players().map(|_| nobody.clone()).collect();
    let (played, _) = play(&game, &settings("alone", "last_stone.gdl", players), 1);
    assert_eq!(played.end, PlayEnd::Terminal);
    assert!(
        played.faults[0].problem.contains("127.0.0.1:1"),
        "{:?}",
        played.faults
    );
}

/// A player as a process.
struct Seat(Server);

impl Seat {
    fn start(arguments: &[&str]) -> Self {
        let all = [&["player", "--port", "0", "--quiet"], arguments].concat();
        Seat(Server::start(&all))
    }

    /// The answer to a message with these headers.
    fn send(&self, message: &str, headers: &str) -> String {
        let (_, port) = self.0.address.rsplit_once(':').expect("a port");
        let length = message.len();
        let request =
            format!("POST / HTTP/1.0\r\n{headers}Content-Length: {length}\r\n\r\n{message}");
        exchange(port.parse().expect("a port"), request.as_bytes())
    }

    /// The answer to a message.
    fn tell(&self, message: &str) -> String {
        let answer = self.send(message, "");
        let body = answer.split_once("\r\n\r\n");
        body.map_or(String::new(), |(_, body)| body.to_owned())
    }

    /// The most memory it has used, in megabytes.
    fn peak(&self) -> u64 {
        process_number(self.0.process(), "VmHWM:") / 1000
    }
}

/// How long a process has worked, in hundredths of a second.
fn processor_time(process: u32) -> u64 {
    let text = read_text(format!("/proc/{process}/stat"));
    let fields = text.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks = fields.split_whitespace().skip(11).take(2);
    ticks.filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
}

/// Managers that start matches, each of a large game with a clock of a week, and break them off.
#[test]
fn what_is_broken_off_is_over() {
    let mut seat = Seat::start(&["--memory", "200M"]);
    let games = [
        rules("stochastic_ttt_4x4.gdl"),
        rules("fox_and_hounds.gdl"),
        rules("stochastic_connect_4.gdl"),
    ];
    for round in 0..rounds(36) {
        let rules = &games[round % games.len()];
        let start = format!("(START m{round} {} ({rules}) 604800 10)", role(rules));
        thread::scope(|scope| {
            let started = scope.spawn(|| seat.tell(&start));
            while !seat.tell("(INFO)").contains("busy") {
                thread::sleep(Duration::from_millis(1));
            }
            thread::sleep(Duration::from_millis([1, 30, 400][round / 3 % 3]));
            assert_eq!(seat.tell(&format!("(START other x ({rules}) 1 1)")), "busy");
            let begin = Instant::now();
            assert_eq!(seat.tell(&format!("(ABORT m{round})")), "aborted");
            // A preparation that was done before says that it is ready.
            let answer = started.join().expect("an answer");
            assert!(["busy", "ready"].contains(&&*answer), "{answer}");
            let took = begin.elapsed();
            // The machine may have other things to do.
            assert!(took < Duration::from_secs(2), "{took:?}");
            assert!(seat.tell("(INFO)").contains("available"));
        });
        if round % 6 == 5 {
            thread::sleep(Duration::from_millis(200));
            let before = processor_time(seat.0.process());
            thread::sleep(Duration::from_millis(300));
            let worked = processor_time(seat.0.process()) - before;
            assert!(worked <= 3, "{worked} hundredths of a second");
        }
    }
    assert!(seat.peak() < 214, "{} MB", seat.peak());
    assert!(seat.0.runs());
    let small = rules("tic_tac_toe.gdl");
    assert_eq!(
        seat.tell(&format!("(START last xplayer ({small}) 2 1)")),
        "ready"
    );
    assert_eq!(seat.tell("(STOP last NIL)"), "done");
}

/// The first role of a game.
fn role(rules: &str) -> &str {
    let (_, rest) = rules.split_once("(role ").expect("a role");
    rest.split_once(')').expect("its end").0
}

#[test]
fn a_long_preparation_takes_no_more_memory_than_it_may() {
    let seat = Seat::start(&["--memory", "100M"]);
    let rules = rules("stochastic_ttt_4x4.gdl");
    let seconds = rounds(12);
    let start = format!("(START m xplayer ({rules}) {seconds} 2)");
    assert_eq!(seat.tell(&start), "ready");
    assert!(seat.tell("(PLAY m NIL)").starts_with("(mark "));
    assert!(seat.peak() < 107, "{} MB", seat.peak());
}

#[test]
fn pages_and_foreign_names_are_refused() {
    let seat = Seat::start(&[]);
    let status = |seat: &Seat, headers: &str| {
        let answer = seat.send("(INFO)", headers);
        let status = answer.split(' ').nth(1).map(str::to_owned);
        (status.unwrap_or_default(), answer)
    };
    for [headers, expected] in rows(
        r"
            => 200
            Host: 127.0.0.1:9147 => 200
            Host: localhost => 200
            Host: [::1]:9147 => 200
            Host: 192.168.1.7:9147 => 200
            Sec-Fetch-Site: none => 200
            Host: evil.example => 403
            Host: 127.0.0.1.evil.example:9147 => 403
            Origin: https://evil.example => 403
            Origin: null => 403
            Sec-Fetch-Site: cross-site => 403
            ",
    ) {
        let line = match headers.as_str() {
            "" => String::new(),
            header => format!("{header}\r\n"),
        };
        let (code, answer) = status(&seat, &line);
        assert_eq!(code, expected, "{headers}");
        assert!(!answer.contains("Access-Control"), "{answer}");
    }
    let allow = ["--allow", "https://manager.example", "--allow", "rack7.lan"];
    let seat = Seat::start(&allow);
    let (code, answer) = status(&seat, "Origin: https://manager.example\r\n");
    assert_eq!(code, "200");
    assert!(answer.contains("Access-Control-Allow-Origin: https://manager.example\r\n"));
    assert_eq!(status(&seat, "Host: rack7.lan:9147\r\n").0, "200");
    assert_eq!(status(&seat, "Host: rack8.lan:9147\r\n").0, "403");
}

/// A picture in a page makes a browser send GET, and nothing shows that a page did.
#[test]
fn a_match_ends_by_post_only() {
    let seat = Seat::start(&[]);
    let rules = rules("tic_tac_toe.gdl");
    assert_eq!(
        seat.tell(&format!("(START m xplayer ({rules}) 2 1)")),
        "ready"
    );
    let (_, port) = seat.0.address.rsplit_once(':').expect("a port");
    for method in ["GET", "HEAD", "PUT"] {
        let request = format!("{method} /(ABORT%20m) HTTP/1.1\r\nHost: 192.168.1.7:9147\r\n\r\n");
        let answer = exchange(port.parse().expect("a port"), request.as_bytes());
        assert!(answer.starts_with("HTTP/1.1 405 "), "{answer}");
    }
    assert!(seat.tell("(INFO)").contains("busy"));
    assert_eq!(seat.tell("(ABORT m)"), "aborted");
}

#[test]
fn a_joint_move_that_is_not_legal_changes_nothing() {
    let (player, said) = talking_player();
    let tell = |text: &str| player.reply(text, Instant::now());
    let rules = rules("tic_tac_toe.gdl");
    assert_eq!(tell(&format!("(START m oplayer ({rules}) 1 1)")), "ready");
    assert_eq!(tell("(PLAY m NIL)"), "noop");
    for (moves, problem) in [
        (
            "(mark 9 9) noop",
            "(mark 9 9) is no legal move of xplayer here",
        ),
        ("noop (mark 1 1)", "noop is no legal move of xplayer here"),
        ("(mark 1 1) noop noop", "3 moves for 2 roles"),
    ] {
        assert_eq!(tell(&format!("(PLAY m ({moves}))")), "nil");
        let line = said.try_iter().last().expect("a line");
        assert!(line.contains(problem), "{line}");
    }
    assert!(tell("(PLAY m ((mark 1 1) noop))").starts_with("(mark "));
}

/// A player that answers `START` as it should and everything else with this text.
fn forger(text: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a manager");
            let mut request = [0; 1 << 16];
            let count = stream.read(&mut request).unwrap_or(0);
            let is_start = String::from_utf8_lossy(&request[..count]).contains("(START ");
            let answer = if is_start { "ready" } else { text };
            let length = answer.len();
            let head = format!("HTTP/1.0 200 OK\r\nContent-Length: {length}\r\n\r\n");
            let _ = stream.write_all((head + answer).as_bytes());
        }
    });
    address
}

#[test]
fn what_a_player_says_cannot_forge_a_result() {
    let address = forger("\u{1b}[2J\nxplayer 100\r\n9 steps, 0 faults\u{9b}\u{202e}x");
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("match.jsonl");
    let mut command = Command::new(env!("CARGO_BIN_EXE_sqasp"));
    command
        .arg("referee")
        .arg(root().join("games/last_stone.gdl"));
    command.args([&address, "random", "random", "--seed", "1", "--output"]);
    let ended = command.arg(&log).output().expect("a referee");
    assert_eq!(ended.status.code(), Some(69), "{ended:?}");
    let text = [&ended.stdout, &ended.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    let text = text.concat() + &read_text(&log);
    let commands = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
    assert!(!text.contains(commands), "{text}");
    let forged = text.lines().filter(|line| line.contains("9 steps"));
    assert!(forged.clone().count() > 0, "{text}");
    assert!(
        forged.clone().all(|line| line.starts_with("fault of ")),
        "{text}"
    );
}
