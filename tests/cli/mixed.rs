//! `solve --mixed`, from the question to the proof of the mixtures.

use super::{Place, game};
use crate::common::read_text;
use serde_json::Value;

#[test]
fn mixtures_are_told_written_and_proved() {
    let place = Place::new();
    let rules = game("rock_paper_scissors.gdl");
    let solve = format!("solve {rules} --role bob --mixed --moves");
    let text = place.answers(&format!("{solve} --strategy mixture.json"));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "50 % (1/2)");
    assert!(
        lines[1].contains("where nobody knows the others' moves of a step (exact; engine mixed"),
        "{text}"
    );
    assert_eq!(
        lines[2..5],
        [
            "* 50 %  paper     1/2",
            "* 50 %  rock      1/2",
            "* 50 %  scissors  1/2"
        ]
    );
    assert_eq!(
        lines[5],
        "the role mixes: paper 1/3, rock 1/3, scissors 1/3"
    );
    assert_eq!(lines[6], "against it: paper 1/3, rock 1/3, scissors 1/3");
    assert!(
        lines[7].starts_with("strategy in mixture.json: 1 position of the role, 1 of its"),
        "{text}"
    );
    let object: Value = serde_json::from_str(&place.answers(&format!("{solve} --json"))).unwrap();
    assert_eq!(object["mixed"], true, "{object}");
    assert_eq!(
        object["mixtures"]["player"][0]["probability"]["den"], "3",
        "{object}"
    );
    assert_eq!(
        object["mixtures"]["opponents"][0]["move"][0], "paper",
        "{object}"
    );
    let verify = format!("verify {rules} mixture.json");
    assert!(
        place
            .answers(&verify)
            .starts_with("50 % (1/2)\nbob can guarantee winning")
    );
    let right = read_text(place.path("mixture.json"));
    place.write("mixture.json", right.replacen("1/3", "2/3", 1));
    let refused = place.run(&verify);
    assert_eq!(refused.code, Some(65), "{refused:?}");
    assert!(
        refused
            .out
            .contains("do not have positive probabilities that sum to 1"),
        "{refused:?}"
    );
}

#[test]
fn options_of_other_answers_are_refused() {
    let place = Place::new();
    let solve = format!("solve {} --mixed", game("duel.gdl"));
    for option in ["--engine emm", "--quant base"] {
        place.refuses(&format!("{solve} {option}"), 2, "does not go with --mixed");
    }
    place.refuses(
        &format!("{solve} --strategy duel.txt"),
        2,
        "does not go with --mixed",
    );
}

/// Where both have a choice, a remark tells of the option.
#[test]
fn games_with_moves_at_the_same_time_say_so() {
    let place = Place::new();
    let told = place.run(&format!("solve {}", game("rock_paper_scissors.gdl")));
    assert!(
        told.err
            .contains("`mixed` asks about play in which nobody does"),
        "{told:?}"
    );
}

/// A strategy from another state is one for the game as it is written.
#[test]
fn play_can_start_elsewhere() {
    let place = Place::new();
    let rules = game("goofspiel_3.gdl");
    place.write(
        "late.txt",
        "(deck 2) (hand left 2) (hand left 3) (hand right 1) (hand right 3) (lead 4) (prize 3)",
    );
    let solve = format!("solve {rules} --mixed --objective points --from late.txt");
    let solved = place.answers(&format!("{solve} --strategy late.json"));
    let proved = place.answers(&format!("verify {rules} late.json"));
    for text in [&solved, &proved] {
        assert!(text.starts_with("33.3333 (100/3)\n"), "{text}");
    }
    assert!(
        proved.contains("play starts from another state than the game"),
        "{proved}"
    );
}
