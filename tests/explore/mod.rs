//! The explorer's server, as any program on this machine can reach it: the page and values.

mod hidden;
mod requests;

use crate::common::{Server, exchange, process_number, root};
use serde_json::{Value, json};
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

    /// The explorer of a game of the repository, in which each role plays for itself.
    fn selfish(game: &str) -> Self {
        Explorer::with(
            &root().join("games").join(game),
            "4G",
            &["--opponents", "selfish"],
        )
    }

    /// The explorer of a file, with this memory.
    fn of(game: &Path, memory: &str) -> Self {
        Explorer::with(game, memory, &[])
    }

    /// The same with further options.
    fn with(game: &Path, memory: &str, options: &[&str]) -> Self {
        let game = game.to_str().expect("a path of text");
        let known = [
            "explore",
            game,
            "--no-browser",
            "--quiet",
            "--memory",
            memory,
        ];
        let server = Server::start(&[&known, options].concat());
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

    /// The reply to these bytes, as text.
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

/// The reply is an error that says this.
fn assert_error(reply: &Value, text: &str) {
    let error = reply["error"].as_str();
    assert!(error.is_some_and(|error| error.contains(text)), "{reply}");
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
    // A card needs no open game.
    let card = explorer.post("card", &json!({"link": "stochastic_ttt%201"}));
    assert_eq!(card["game"]["roles"][2], "random", "{card}");
    assert_eq!(card["boards"][0]["lines"][0], json!(["1", "2", "3"]));
    assert_eq!(card["position"]["terminal"], false);
    assert_eq!(status("POST", "card").0, "404");
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

/// Oracle: the published solution of the truel (`games/expect.toml`). The first reply is the one that the opponent prefers.
#[test]
fn each_role_for_itself() {
    let explorer = Explorer::selfish("truel.gdl");
    let game = explorer.post("game", &json!({}));
    assert_eq!(game["is_selfish"], true, "{game}");
    let start = explorer.ask("a", &json!({"history": []}));
    assert_eq!(start["value"]["num"], "25", "{start}");
    let cid = &start["equilibrium"]["roles"][2];
    assert_eq!(
        (&cid["role"], &cid["value"]["den"]),
        (&json!("cid"), &json!("9")),
        "{start}"
    );
    let after = json!([["aim_high", "noop", "noop", "(roll 1)"]]);
    let replies = json!({"history": after, "command": "replies", "role": "cid"});
    let replies = explorer.ask("a", &replies);
    let first = &replies["replies"][0]["joint_move"];
    assert_eq!(
        *first,
        json!(["noop", "(aim_at cid)", "noop", null]),
        "{replies}"
    );
}

/// Oracle: the value that `docs/how-to/solve.md` shows.
#[test]
fn numbers_of_steps() {
    let game = root().join("games/endless_pursuit.gdl");
    let explorer = Explorer::with(&game, "4G", &["--objective", "fewest-steps"]);
    let game = explorer.post("game", &json!({}));
    let objective = &game["objectives"][0];
    assert_eq!(objective["is_small"], true, "{game}");
    assert_eq!(objective["largest"][0], "infinite", "{game}");
    let start = explorer.ask("a", &json!({"history": []}));
    assert_eq!(start["value"]["num"], "29", "{start}");
    let replies = json!({"history": [], "command": "replies", "move": start["best"]});
    let replies = explorer.ask("a", &replies);
    assert!(replies["replies"][0]["value"].is_object(), "{replies}");
}

/// Oracle: the rules of the game, read by a person; 1/2 and a third for each hand is the textbook's solution.
#[test]
fn rules_that_fired_mixtures_and_objectives() {
    let explorer = Explorer::start("rock_paper_scissors.gdl");
    let game = explorer.post("game", &json!({}));
    assert_eq!(game["is_simultaneous"], true, "{game}");
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
    let game = explorer.post("game", &json!({}));
    assert_eq!(game["is_simultaneous"], false, "{game}");
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
    assert_error(&refused, "no such objective");

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
    assert_error(&refused, "(level 9)");
    let refused = step("(level 0)", "9");
    assert_error(&refused, "not legal");
}
