//! Matches between players of the general game playing protocol, and what disturbs them.

use crate::common::rounds;
use crate::common::{checked_in_game, read_text, root, say};
use fastrand::Rng;
use sqasp::PlayEnd;
use sqasp::game::Game;
use sqasp::gdl::Name;
use sqasp::http::{self, ServerLimits};
use sqasp::machine::{ReasonerError, RuleLimits, StateMachine, StepLimits};
use sqasp::player::{MatchSettings, Played, Player, referee};
use std::net::{IpAddr, Ipv4Addr};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A player that listens, and where.
fn listening(name: &'static str) -> String {
    listening_with(name, 200_000_000)
}

/// A player with this memory for tables, in bytes.
fn listening_with(name: &'static str, memory: u64) -> String {
    let listener = http::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), 0).expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    std::thread::spawn(move || {
        let player = Player::new(name, Some(memory), |_| ());
        let limits = ServerLimits {
            reads_to_end: true,
            ..ServerLimits::default()
        };
        http::run(&listener, &limits, move |incoming| player.answer(incoming))
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
    let (one, two) = (listening("one"), listening("two"));
    for file in games {
        let game = checked_in_game(file);
        for round in 0..rounds(5) {
            let players: Vec<&Name> = game.players().collect();
            let addresses = [Some(one.clone()), Some(two.clone())];
            let seats: Vec<Option<String>> = addresses
                .into_iter()
                .chain(std::iter::repeat(None))
                .take(players.len())
                .collect();
            let settings = settings(&format!("{file}.{round}"), file, seats);
            let (played, shown) = play(&game, &settings, seed + round);
            assert_eq!(played.faults, [], "{file}");
            assert_eq!(played.end, PlayEnd::Terminal, "{file}");
            assert_eq!(shown, played.steps + 1);
            let slowest = played.slowest.iter().copied().fold(0.0, f64::max);
            assert!(slowest < 0.7, "{file}: {slowest} s");
        }
    }
}

#[test]
fn perfect_play_does_not_lose() {
    // The first player wins, whatever the second does.
    let game = checked_in_game("connect_3.gdl");
    let player = listening("one");
    for seed in 0..3 {
        let settings = settings(
            &format!("win{seed}"),
            "connect_3.gdl",
            vec![Some(player.clone()), None],
        );
        let (played, _) = play(&game, &settings, seed);
        assert_eq!(played.faults, []);
        assert_eq!(played.goals[0][0].to_string(), "100");
    }
}

#[test]
fn a_large_game_is_answered_in_time() {
    let game = checked_in_game("stochastic_ttt_4x4.gdl");
    let (one, two) = (listening("one"), listening("two"));
    let settings = settings(
        "large",
        "stochastic_ttt_4x4.gdl",
        vec![Some(one), Some(two)],
    );
    let (played, _) = play(&game, &settings, 1);
    assert_eq!(played.faults, []);
    let slowest = played.slowest.iter().copied().fold(0.0, f64::max);
    // Half a second before the clock ends, and a tenth for the way.
    assert!(slowest < 0.6, "{slowest} s");
}

/// Without memory for exact values the player uses the clock to sample.
#[test]
fn a_player_with_little_memory_uses_its_time() {
    let file = "stochastic_ttt_4x4.gdl";
    let seats = vec![Some(listening_with("small", 1)), None];
    let mut settings = settings("small", file, seats);
    settings.max_steps = 2;
    let (played, _) = play(&checked_in_game(file), &settings, 1);
    assert_eq!(played.faults, []);
    assert!(played.slowest[0] > 0.4, "{:?} s", played.slowest);
}

#[test]
fn messages_in_any_order_get_an_answer() {
    let player = Player::new("odd", Some(100_000_000), |_| ());
    let tell = |text: &str| player.reply(text, Instant::now());
    assert_eq!(
        tell("(INFO)"),
        "( ( name odd ) ( status available ) ( species computer ) )"
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

#[test]
fn random_messages_hurt_nothing() {
    let player = Player::new("calm", Some(100_000_000), |_| ());
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
        for _ in 0..random.usize(..4) {
            let place = random.usize(..bytes.len());
            match random.u8(..3) {
                0 => bytes[place] = random.u8(32..127),
                1 => bytes.truncate(place.max(1)),
                _ => bytes.insert(place, b"() "[random.usize(..3)]),
            }
        }
        let begin = Instant::now();
        let reply = player.reply(&String::from_utf8_lossy(&bytes), begin);
        assert!(!reply.is_empty());
        assert!(begin.elapsed() < Duration::from_secs(3), "{bytes:?}");
    }
    player.reply("(ABORT m)", Instant::now());
    assert!(player.reply("(INFO)", Instant::now()).contains("calm"));
}

#[test]
fn a_match_between_processes_is_kept_and_can_be_followed() {
    let program = env!("CARGO_BIN_EXE_sqasp");
    let folder = tempfile::tempdir().expect("a folder");
    let mut player = Command::new(program);
    player
        .args(["player", "--port", "0", "--quiet"])
        .stdout(Stdio::piped());
    let mut player = player.spawn().expect("a player");
    let mut line = String::new();
    let output = player.stdout.take().expect("a pipe");
    std::io::BufRead::read_line(&mut std::io::BufReader::new(output), &mut line)
        .expect("an address");
    let log = folder.path().join("match.jsonl");
    let game = root().join("games/stochastic_ttt.gdl");
    let mut command = Command::new(program);
    command.arg("referee").arg(&game).args([
        line.trim(),
        "random",
        "--play-clock",
        "1",
        "--seed",
        "3",
    ]);
    let ended = command.arg("--log").arg(&log).output().expect("a referee");
    player.kill().expect("it runs");
    player.wait().expect("it ends");
    let text = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success(), "{ended:?}");
    assert!(
        text.starts_with("xplayer ") && text.contains(", 0 faults"),
        "{text}"
    );
    let followed = Command::new(program)
        .arg("play")
        .arg(&game)
        .arg("--replay")
        .arg(&log)
        .output();
    let followed = followed.expect("it plays");
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
