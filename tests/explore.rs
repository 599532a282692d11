//! The explorer's server, as any program on this machine can reach it: the page, values, hostile requests.

use crate::common::{Server, exchange, process_number, root, rounds};
use fastrand::Rng;
use serde_json::{Value, json};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// A running explorer, which ends when this is dropped.
struct Explorer {
    server: Server,
    port: u16,
    token: String,
}

impl Explorer {
    fn start(game: &str) -> Self {
        Explorer::of(&root().join("games").join(game), "4G")
    }

    /// The explorer of a file, with this memory.
    fn of(game: &Path, memory: &str) -> Self {
        let game = game.to_str().expect("a path of text");
        let server = Server::start(&[
            "explore",
            game,
            "--no-browser",
            "--quiet",
            "--memory",
            memory,
        ]);
        let address = server.address.strip_prefix("http://127.0.0.1:");
        let (port, token) = address
            .and_then(|address| address.split_once('/'))
            .expect("a port and a token");
        Explorer {
            port: port.parse().expect("a port"),
            token: token.trim_end_matches('/').to_owned(),
            server,
        }
    }

    /// What comes back for these bytes, as text.
    fn send(&self, bytes: &[u8]) -> String {
        exchange(self.port, bytes)
    }

    /// A request that is as it should be.
    fn request(&self, method: &str, path: &str, body: &str) -> String {
        format!(
            "{method} /{}/{path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.token,
            self.port,
            body.len()
        )
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let answer = self.send(self.request("POST", path, &body.to_string()).as_bytes());
        let (head, body) = answer
            .split_once("\r\n\r\n")
            .unwrap_or_else(|| panic!("{answer}"));
        assert!(head.starts_with("HTTP/1.1 200"), "{answer}");
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"))
    }

    /// Asks until there is nothing more to say.
    fn ask(&self, asker: &str, body: &Value) -> Value {
        let patience = Instant::now() + Duration::from_secs(60);
        loop {
            let told = self.post(&format!("ask?asker={asker}"), body);
            if told["done"] == true {
                return told["reply"].clone();
            }
            assert!(Instant::now() < patience, "{told}");
        }
    }

    /// Memory in use, in kilobytes.
    fn memory(&self) -> u64 {
        process_number(self.server.process(), "VmRSS:")
    }

    /// The most memory it has used, in megabytes.
    fn peak(&self) -> u64 {
        process_number(self.server.process(), "VmHWM:") / 1000
    }

    /// The statuses of these requests, all sent at once.
    fn flood(&self, requests: Vec<String>) -> Vec<u16> {
        thread::scope(|scope| {
            let sent: Vec<_> = requests
                .iter()
                .map(|request| scope.spawn(|| self.send(request.as_bytes())))
                .collect();
            let answers = sent.into_iter().map(|each| each.join().expect("an answer"));
            answers
                .map(|answer| answer.split(' ').nth(1)?.parse().ok())
                .map(|status| status.unwrap_or(0))
                .collect()
        })
    }

    /// Whether it still gives the value of the first position.
    fn is_well(&self) {
        let reply = self.ask("well", &json!({"history": []}));
        assert_eq!(reply["value"]["num"], "164832", "{reply}");
        assert_eq!(reply["value"]["den"], "390625", "{reply}");
    }
}

#[test]
fn the_page_and_its_answers() {
    let explorer = Explorer::start("stochastic_ttt.gdl");
    let page = explorer.send(explorer.request("GET", "", "").as_bytes());
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n"), "{page}");
    assert!(
        page.contains("Content-Security-Policy: default-src 'none';"),
        "{page}"
    );
    assert!(
        page.contains("<script type=\"module\" src=\"explore.js\">"),
        "{page}"
    );
    let script = explorer.send(explorer.request("GET", "explore.js", "").as_bytes());
    assert!(script.contains("Content-Type: text/javascript"), "{script}");

    let game = explorer.post("game", &json!({}));
    assert_eq!(game["roles"], json!(["xplayer", "oplayer", "random"]));
    assert!(
        game["rules"]
            .as_str()
            .expect("text")
            .starts_with("; Tic-tac-toe")
    );
    let boards = explorer.post("boards", &json!({}));
    assert_eq!(boards[0]["feature"], "cell");
    assert_eq!(boards[0]["lines"][0], json!(["1", "2", "3"]));

    explorer.is_well();
    let step = json!([["(mark 2 2)", "noop", "(flip 1)"]]);
    let here = explorer.post("position", &json!({"history": step}));
    assert_eq!(
        here["facts"],
        json!(["(cell 2 2 oplayer)", "(control oplayer)"])
    );
    assert_eq!(here["legal"][1].as_array().map(Vec::len), Some(8));
    // The same from a state, as the page does where play starts elsewhere.
    let later = explorer.post(
        "position",
        &json!({"state": ["(control xplayer)"], "history": step}),
    );
    assert_eq!(later, here);

    let why = explorer.ask(
        "a.why",
        &json!({"command": "replies", "move": "(mark 2 2)"}),
    );
    assert_eq!(why["status"], "replies");
    let outcomes = why["replies"][0]["outcomes"].as_array().expect("a list");
    assert_eq!(outcomes.len(), 5);
    assert_eq!(outcomes[0]["move"], "(flip 1)");
    let state = explorer.ask("a.value", &json!({"state": here["facts"], "moves": false}));
    assert_eq!(outcomes[0]["value"], state["value"]);
}

#[test]
fn a_folder_shows_its_games_one_after_the_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text);
    for name in ["stochastic_ttt", "three_rolls"] {
        let text = fs::read_to_string(root().join("games").join(format!("{name}.gdl")));
        write(&format!("{name} 1.gdl"), &text.expect("a game")).expect("a file");
    }
    write("broken.kif", ";; Broken\n(role x").expect("a file");
    write("notes.txt", "not a game").expect("a file");
    let explorer = Explorer::of(folder.path(), "100M");
    let page = explorer.send(explorer.request("GET", "", "").as_bytes());
    assert!(page.contains("src=\"games.js\""), "{page}");
    let games = explorer.post("games", &json!({}));
    let games = games.as_array().expect("a list");
    assert_eq!(games.len(), 3, "{games:?}");
    assert_eq!(
        (&games[0]["name"], &games[0]["title"]),
        (&json!("broken"), &json!("Broken"))
    );
    assert_eq!(games[1]["link"], "stochastic_ttt%201");

    let status = |method: &str, path: &str| {
        let answer = explorer.send(explorer.request(method, path, "{}").as_bytes());
        let status = answer.split(' ').nth(1).map(str::to_owned);
        (status.expect("a status"), answer)
    };
    let threads = || process_number(explorer.server.process(), "Threads:");
    assert_eq!(status("GET", "nothing/").0, "404");
    let (code, text) = status("GET", "broken/");
    assert_eq!(code, "409");
    assert!(text.contains("is not a valid game"), "{text}");
    let mut most = 0;
    for (round, link) in ["stochastic_ttt%201", "three_rolls%201"]
        .into_iter()
        .cycle()
        .take(8)
        .enumerate()
    {
        // A tab of a game that another one took the place of.
        let (code, text) = status("POST", &format!("{link}/game"));
        assert_eq!(code, "409", "{text}");
        assert!(text.contains("load this page again"), "{text}");
        assert_eq!(status("GET", &format!("{link}/")).0, "200");
        let game = explorer.post(&format!("{link}/game"), &json!({}));
        assert_eq!(game["game"].as_str().map(str::is_empty), Some(false));
        let body = json!({"history": [], "time": 0.1});
        explorer.post(&format!("{link}/ask?asker=a"), &body);
        most = if round < 4 { most.max(threads()) } else { most };
    }
    // Threads of games that were left end soon.
    let patience = Instant::now() + Duration::from_secs(20);
    while threads() > most + 2 {
        assert!(Instant::now() < patience, "{} after {most}", threads());
        thread::sleep(Duration::from_millis(50));
    }
}

/// Oracle: the rules of the game, read by a person; 1/2 and a third for each hand is the textbook's solution.
#[test]
fn rules_that_fired_mixtures_and_objectives() {
    let explorer = Explorer::start("rock_paper_scissors.gdl");
    let game = explorer.post("game", &json!({}));
    assert_eq!(
        game["objectives"].as_array().map(Vec::len),
        Some(1),
        "{game}"
    );
    let mixture = explorer.post("mixture?asker=a", &json!({"history": [], "role": "bob"}));
    assert_eq!(mixture["value"]["decimal"], 0.5, "{mixture}");
    let moves = mixture["moves"].as_array().expect("a list");
    assert!(
        moves.iter().all(|each| each["probability"]["den"] == "3"),
        "{mixture}"
    );
    assert_eq!(
        mixture["replies"].as_array().map(Vec::len),
        Some(3),
        "{mixture}"
    );

    let explorer = Explorer::start("dive.gdl");
    let alone = explorer.post("mixture?asker=a", &json!({"history": []}));
    assert!(
        alone["error"]
            .as_str()
            .expect("text")
            .contains("no two sides"),
        "{alone}"
    );
    let game = explorer.post("game", &json!({}));
    let offered = game["objectives"].as_array().expect("a list");
    let names: Vec<&Value> = offered.iter().map(|each| &each["name"]).collect();
    assert_eq!(names, ["win", "points"]);
    assert_eq!(offered[1]["largest"][0]["num"], "100", "{game}");
    let level = game["features"].as_array().expect("a list").iter();
    let level = level
        .filter(|feature| feature["name"] == "level")
        .collect::<Vec<_>>();
    assert_eq!(level[0]["values"], json!([["0", "1", "2", "3", "4"]]));
    let points = explorer.ask("a&objective=1", &json!({"history": []}));
    assert_eq!(points["value"]["num"], "250", "{points}");
    assert_eq!(points["value"]["den"], "9", "{points}");
    let won = explorer.ask("a&objective=0", &json!({"history": []}));
    assert_eq!(won["value"]["den"], "54", "{won}");
    let refused = explorer.post("ask?asker=a&objective=2", &json!({"history": []}));
    assert!(
        refused["error"]
            .as_str()
            .expect("text")
            .contains("no such objective")
    );

    let step = |from: &str, number: &str| {
        let moves = json!([["deeper", format!("(draw {number})")]]);
        explorer.post("fired", &json!({"state": [from], "history": moves}))
    };
    let rules = game["rules"].as_str().expect("text");
    let made = |fired: &Value| -> Vec<String> {
        let text = |rule: &Value| {
            let end = |which: usize| rule["place"][which].as_u64().expect("a place") as usize;
            format!(
                "{}: {}",
                rules[end(0)..end(1)]
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" "),
                rule["derived"]
            )
        };
        fired.as_array().expect("a list").iter().map(text).collect()
    };
    let deeper = made(&step("(level 0)", "6"));
    assert_eq!(deeper.len(), 3, "{deeper:#?}");
    assert!(
        deeper[0].starts_with("(<= (legal diver deeper)"),
        "{deeper:#?}"
    );
    assert!(deeper[2].ends_with("[\"(level 1)\"]"), "{deeper:#?}");
    let drowned = made(&step("(level 0)", "1"));
    let ends = |relation: &str| {
        drowned
            .iter()
            .any(|rule| rule.starts_with(&format!("(<= {relation}")))
    };
    assert!(ends("terminal") && ends("(goal"), "{drowned:#?}");
    let refused = step("(level 9)", "1");
    assert!(
        refused["error"]
            .as_str()
            .expect("text")
            .contains("(level 9)"),
        "{refused}"
    );
    let refused = step("(level 0)", "9");
    assert!(
        refused["error"]
            .as_str()
            .expect("text")
            .contains("not legal"),
        "{refused}"
    );
}

#[test]
fn a_role_knows_what_it_did_and_saw() {
    let explorer = Explorer::start("hidden_kuhn_poker.gdl");
    let game = explorer.post("game", &json!({}));
    assert_eq!(game["is_hidden"], true);
    assert_eq!(game["objectives"][1]["name"], "points", "{game}");
    let know = |role: &str, moves: Value| {
        let body = json!({"history": moves, "role": role});
        explorer.post("knowledge?asker=a.knowledge&objective=1", &body)
    };
    let start = know("ann", json!([]));
    let value = |bounds: &Value| format!("{}/{}", bounds["num"], bounds["den"]).replace('"', "");
    assert_eq!(value(&start["game"]["value"]), "35/18", "{start}");
    assert_eq!(value(&start["value"]), "35/18", "{start}");
    assert_eq!(
        start["states"],
        json!([{"facts": [], "probability": start["states"][0]["probability"]}])
    );
    // With a queen ann checks, and bob has one of two cards.
    let deal = json!(["noop", "noop", "(deal queen jack)"]);
    let dealt = know("ann", json!([deal]));
    assert_eq!(dealt["steps"], json!([{"move": "noop", "sees": ["queen"]}]));
    assert_eq!(dealt["known"], json!(["(holds ann queen)", "(turn first)"]));
    let states = dealt["states"].as_array().expect("a list");
    let cards: Vec<String> = states
        .iter()
        .map(|state| format!("{} {}", state["facts"], value(&state["probability"])))
        .collect();
    assert_eq!(
        cards,
        [r#"["(holds bob jack)"] 1/2"#, r#"["(holds bob king)"] 1/2"#]
    );
    let moves = dealt["moves"].as_array().expect("a list");
    let played: Vec<String> = moves
        .iter()
        .map(|each| {
            format!(
                "{} {} {}",
                each["move"],
                value(&each["probability"]),
                value(&each["value"])
            )
        })
        .collect();
    assert_eq!(
        played,
        [r#""bet" 0/1 3/2"#, r#""check" 1/1 5/3"#],
        "{dealt}"
    );
    assert_eq!(dealt["opponents"], json!(["bob"]));
    assert_eq!(dealt["replies"][0]["moves"], json!(["noop"]));
    // After the check bob, with a jack, bluffs in one case of three.
    let checked = know("ann", json!([deal, ["check", "noop", "noop"]]));
    let bluff = checked["replies"].as_array().expect("a list").iter();
    let bluff = bluff.filter(|reply| reply["moves"] == json!(["bet"]));
    let bluff: Vec<String> = bluff.map(|reply| value(&reply["probability"])).collect();
    assert_eq!(bluff, ["1/3"], "{checked}");
    // A bet makes a king likely: a jack bets in one case of three, a king always.
    let raised = know(
        "ann",
        json!([deal, ["check", "noop", "noop"], ["noop", "bet", "noop"]]),
    );
    let king = &raised["states"][0];
    assert_eq!(
        (&king["facts"], value(&king["probability"])),
        (&json!(["(holds bob king)"]), "3/4".to_owned())
    );
    let over = json!([deal, ["check", "noop", "noop"], ["noop", "check", "noop"]]);
    let over = know("ann", over);
    assert_eq!(value(&over["value"]), "3/1", "{over}");
    assert_eq!(over["states"], json!([]));
    let wrong = know("ann", json!([["noop", "noop", "(deal ace jack)"]]));
    assert!(
        wrong["error"]
            .as_str()
            .expect("text")
            .contains("(deal ace jack)"),
        "{wrong}"
    );
    let state = json!({"state": ["(turn deal)"]});
    let from = explorer.post("knowledge?asker=a&objective=1", &state);
    assert_eq!(value(&from["value"]), "35/18", "{from}");
    let shells = Explorer::start("hidden_endless_shells.gdl");
    let endless = shells.post("knowledge?asker=a", &json!({"history": []}));
    assert_eq!(value(&endless["value"]), "3/5", "{endless}");
    let open = Explorer::start("last_stone.gdl").post("knowledge?asker=a", &json!({"history": []}));
    assert!(
        open["error"]
            .as_str()
            .expect("text")
            .contains("hide nothing"),
        "{open}"
    );
}

/// What cannot be solved soon has bounds, and another question ends the work for it.
#[test]
fn a_large_game_that_hides_something_has_bounds_and_can_be_left() {
    let explorer = Explorer::start("hidden_liars_dice.gdl");
    let ask = |role: &str, time: f64| {
        let body = json!({"history": [], "role": role, "time": time});
        let begin = Instant::now();
        let told = explorer.post("knowledge?asker=a.knowledge", &body);
        (told, begin.elapsed())
    };
    let roles = explorer.post("game", &json!({}))["roles"].clone();
    let [first, second] = [0, 1].map(|at| roles[at].as_str().expect("a role"));
    let (told, _) = ask(first, 0.0);
    assert_eq!(told["is_open"], true, "{told}");
    assert!(
        told["remark"]
            .as_str()
            .expect("text")
            .contains("the time limit"),
        "{told}"
    );
    thread::scope(|scope| {
        let waiting = scope.spawn(|| ask(first, 30.0));
        thread::sleep(Duration::from_millis(50));
        let (other, took) = ask(second, 0.0);
        assert_eq!(other["is_open"], true, "{other}");
        assert!(took < Duration::from_secs(5), "{took:?}");
        let (left, _) = waiting.join().expect("an answer");
        let is_ended = left["error"].is_string() || left["game"].is_object();
        assert!(is_ended, "{left}");
    });
}

#[test]
fn what_makes_no_sense_gets_a_message() {
    let explorer = Explorer::start("stochastic_ttt.gdl");
    let wrong = |path: &str, body: Value| {
        explorer.post(path, &body)["error"]
            .as_str()
            .expect("an error")
            .to_owned()
    };
    let history = json!({"history": [["(mark 4 4)", "noop", "(keep 1)"]]});
    assert!(wrong("position", history).contains("(mark 4 4) is not legal"));
    assert!(wrong("position", json!({"history": [["noop"]]})).contains("needs one for each"));
    let short = json!({"state": ["(control xplayer)"], "history": [[]]});
    assert!(wrong("position", short).contains("needs one for each"));
    assert!(wrong("position", json!({"state": ["(no such fact)"]})).contains("(no such fact)"));
    assert!(wrong("ask?asker=a", json!({"depht": 1})).contains("depht"));
    assert!(wrong("ask?asker=a", json!({"command": "clear"})).contains("may only"));
    let refused = explorer.ask("a", &json!({"state": ["(no such fact)"]}));
    assert_eq!(refused["status"], "error");
    let refused = explorer.ask("a", &json!({"command": "replies"}));
    assert!(
        refused["message"]
            .as_str()
            .expect("text")
            .contains("say which move"),
        "{refused}"
    );
    explorer.is_well();
}

#[test]
fn strangers_are_refused() {
    let explorer = Explorer::start("stochastic_ttt.gdl");
    let well = explorer.request("POST", "game", "{}");
    let status = |text: &str| -> u16 {
        let answer = explorer.send(text.as_bytes());
        assert!(!answer.contains("xplayer"), "{answer}");
        answer
            .split(' ')
            .nth(1)
            .and_then(|code| code.parse().ok())
            .unwrap_or(0)
    };
    let token = explorer.token.as_str();
    let own = format!("127.0.0.1:{}", explorer.port);
    assert_eq!(
        status(&well.replace(token, "0123456789abcdef0123456789abcdef")),
        403
    );
    assert_eq!(status(&well.replace(token, "")), 403);
    assert_eq!(status(&well.replace(&own, "evil.example")), 403);
    assert_eq!(status(&well.replace("Host:", "Ghost:")), 403);
    let with = |header: &str| well.replace("Host:", &format!("{header}\r\nHost:"));
    assert_eq!(status(&with("Origin: https://evil.example")), 403);
    assert_eq!(status(&with("Origin: null")), 403);
    assert_eq!(status(&with("Sec-Fetch-Site: cross-site")), 403);
    assert_eq!(status(&with("Host: evil.example")), 400);
    assert_eq!(status(&well.replace("application/json", "text/plain")), 415);
    assert_eq!(status(&well.replace("/game", "/../game")), 404);
    assert_eq!(status(&well.replace("POST", "DELETE")), 405);
    assert_eq!(
        status(&well.replace("Content-Length: 2", "Content-Length: 99999999999")),
        413
    );
    assert_eq!(
        status(&well.replace("Content-Length: 2", "Content-Length: two")),
        400
    );
    assert_eq!(
        status(&well.replace("Content-Length: 2", "Transfer-Encoding: chunked")),
        501
    );
    assert_eq!(
        status(&well.replace(
            "Host:",
            &format!("{}\r\nHost:", "X: y\r\n".repeat(200).trim_end())
        )),
        431
    );
    assert_eq!(
        status(&format!("GET /{} HTTP/1.1\r\n", "a".repeat(100_000))),
        431
    );
    assert_eq!(status("\u{0}\u{1}\u{2}\r\n\r\n"), 400);
    assert!(
        explorer
            .send(with(&format!("Origin: http://{own}")).as_bytes())
            .contains("xplayer")
    );
    explorer.is_well();
}

#[test]
fn a_thousand_random_requests_change_nothing() {
    let explorer = Explorer::start("stochastic_ttt.gdl");
    explorer.is_well();
    let before = explorer.memory();
    let seed = fastrand::u64(..);
    crate::common::say(&format!("random requests: seed {seed}"));
    let mut random = Rng::with_seed(seed);
    let bodies = [
        r#"{"history":[["(mark 2 2)","noop","(keep 1)"]]}"#,
        r#"{"state":["(control xplayer)"],"depth":3,"moves":true}"#,
        r#"{"command":"replies","move":"(mark 1 1)","history":[]}"#,
        r#"{"command":"stats"}"#,
        "{}",
    ];
    let paths = [
        "game",
        "boards",
        "position",
        "ask?asker=x",
        "stop?asker=x",
        "mixture?asker=x&objective=0",
        "fired",
        "ask",
        "",
        "style.css",
    ];
    for _ in 0..rounds(1000) {
        let (path, body) = (
            paths[random.usize(..paths.len())],
            bodies[random.usize(..bodies.len())],
        );
        let mut bytes = explorer.request("POST", path, body).into_bytes();
        for _ in 0..random.usize(..6) {
            let place = random.usize(..bytes.len());
            match random.u8(..4) {
                0 => bytes[place] = random.u8(..),
                1 => bytes.truncate(place.max(1)),
                2 => bytes.insert(place, random.u8(..)),
                _ => {
                    let piece = bytes[place..].to_vec();
                    bytes.extend(piece);
                }
            }
        }
        explorer.send(&bytes);
    }
    // Many names, as of many tabs.
    for name in 0..300 {
        explorer.post(
            &format!("ask?asker=tab{name}"),
            &json!({"history": [], "depth": name % 9}),
        );
    }
    explorer.is_well();
    let after = explorer.memory();
    assert!(
        after < before + 100_000,
        "{before} kB before, {after} kB after"
    );
}

#[test]
fn bodies_of_those_without_a_token_are_not_read() {
    let explorer = Explorer::of(&root().join("games/figure_1.gdl"), "50M");
    let request = explorer.request("POST", "ask?asker=a", &"x".repeat(1 << 20));
    let request = request.replace(&explorer.token, "0123456789abcdef0123456789abcdef");
    let statuses = explorer.flood(vec![request; 120]);
    assert!(statuses.iter().all(|status| *status == 403), "{statuses:?}");
    assert!(explorer.peak() < 54, "{} MB", explorer.peak());
}

#[test]
fn who_asks_too_much_hears_busy_and_the_explorer_goes_on() {
    let mut explorer = Explorer::of(&root().join("games/stochastic_ttt.gdl"), "100M");
    let (mut state, mut history, mut term) = (String::new(), String::new(), String::new());
    for number in 0..20_000 {
        let _ = write!(state, "\"a{number}\",");
        let _ = write!(history, "[],[],[],");
        let _ = write!(term, "a ");
    }
    let bodies = [
        format!(r#"{{"state":[{state}"b"]}}"#),
        format!(r#"{{"history":[{history}[]]}}"#),
        format!(r#"{{"state":["(f {term})"]}}"#),
    ];
    let mut statuses = Vec::new();
    for round in 0..rounds(3) {
        let requests = (0..120).map(|number| {
            let path = match number % 2 {
                0 => format!("ask?asker=a{round}.{number}"),
                _ => "position".to_owned(),
            };
            explorer.request("POST", &path, &bodies[number % 3])
        });
        statuses.extend(explorer.flood(requests.collect()));
    }
    let known = |status: &u16| matches!(status, 200 | 503);
    assert!(statuses.iter().all(known), "{statuses:?}");
    assert!(statuses.contains(&200), "{statuses:?}");
    assert!(explorer.peak() < 107, "{} MB", explorer.peak());
    assert!(explorer.server.runs());
    explorer.is_well();
}

/// A game that is no circuit, and whose first state has a million legal moves.
#[test]
fn a_position_takes_no_more_than_it_may() {
    let mut rules = "(role x) (init (p 0 0 0 0))".to_owned();
    for number in 0..40 {
        let _ = write!(rules, "(num {number})");
    }
    rules += "(<= (legal x (set ?a ?b ?c ?d)) (num ?a) (num ?b) (num ?c) (num ?d))
        (<= (next (p ?a ?b ?c ?d)) (does x (set ?a ?b ?c ?d)))
        (<= terminal (true (p 1 1 1 1))) (<= (goal x 100) (true (p 1 1 1 1)))
        (<= (goal x 0) (not (true (p 1 1 1 1))))";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("wide.gdl");
    std::fs::write(&file, rules).expect("a file");
    let explorer = Explorer::of(&file, "100M");
    let begin = Instant::now();
    let answer = explorer.post("position", &json!({"history": []}));
    assert!(answer["error"].is_string(), "{answer}");
    assert!(begin.elapsed() < Duration::from_secs(20));
    assert!(explorer.peak() < 107, "{} MB", explorer.peak());
}

#[test]
fn long_questions_do_not_block_short_ones_and_can_be_stopped() {
    let explorer = Explorer::start("stochastic_ttt_4x4.gdl");
    let long = json!({"history": []});
    let first = explorer.post("ask?asker=one.value", &long);
    if first["done"] == true {
        crate::common::say("the long question was short: nothing to see");
        return;
    }
    let begin = Instant::now();
    let short = explorer.ask("two.value", &json!({"history": [], "depth": 2}));
    assert_eq!(short["status"], "solved");
    let waited = begin.elapsed();
    assert!(waited < Duration::from_secs(5), "{waited:?}");
    let bounds = explorer.post("ask?asker=one.value", &long);
    assert_eq!(bounds["reply"]["status"], "bounds", "{bounds}");
    explorer.post("stop?asker=one.value", &json!({}));
    // What is known stays, and asked again it goes on.
    let again = explorer.post("ask?asker=one.value", &long);
    assert!(again["reply"]["lower"].is_object(), "{again}");
    // Another question takes the place of the first.
    let other = explorer.ask("one.value", &json!({"history": [], "depth": 1}));
    assert_eq!(other["depth"], 1);
}
