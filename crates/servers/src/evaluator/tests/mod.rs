//! Conversations with an evaluator, without a process.

mod answers;
mod conversations;

use super::*;
use engines::{
    DefinitionEngine, EmmEngine, Engine, Evaluation, MixedEngine, Query, SearchOptions, solved,
};
use engines::{Error, ErrorKind};
use formula::BigRational;
use gdl::game::{self, Game, Objective};
use gdl::{Name, Options};
use num_traits::One;
use serde_json::Value;
use std::io::Cursor;
use std::time::Duration;

fn our_game(file: &str) -> Game {
    let path = format!("{}/../../games/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    game::read(&path, &text, &Options::default()).unwrap().game
}

fn evaluator(file: &str, defaults: Defaults) -> Evaluator {
    let game = our_game(file);
    let engine =
        Box::new(DefinitionEngine::new(&game, Objective::Win, limits::Limits::default()).unwrap());
    Evaluator::new(game.name(), game.roles(), "win", defaults, engine)
}

/// An evaluator for use, which searches on the circuit.
fn searching(file: &str) -> Evaluator {
    let game = our_game(file);
    let engine = EmmEngine::new(&game, Objective::Win, SearchOptions::default());
    let engine = Box::new(engine.expect("one step is a circuit"));
    Evaluator::new(
        game.name(),
        game.roles(),
        "win",
        Defaults::default(),
        engine,
    )
}

/// All lines out, without the greeting.
fn converse(evaluator: &mut Evaluator, lines: &[u8]) -> Vec<Value> {
    let mut output = Vec::new();
    serve(Cursor::new(lines.to_vec()), &mut output, evaluator, |_| ()).unwrap();
    let text = String::from_utf8(output).unwrap();
    assert!(text.ends_with('\n'));
    let mut replies = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let greeting: Value = replies.next().unwrap();
    assert_eq!(greeting["protocol"], "sqasp-evaluate");
    assert_eq!(greeting["version"], 1);
    replies.collect()
}

fn figure_1() -> Evaluator {
    evaluator("figure_1.gdl", Defaults::default())
}

/// The reply to a line about the game of Figure 1.
fn reply(line: &str) -> Value {
    let mut replies = converse(&mut figure_1(), line.as_bytes());
    assert_eq!(replies.len(), 1, "{line}");
    replies.remove(0)
}

fn fraction(value: &Value) -> String {
    let text = |field: &str| value[field].as_str().unwrap_or("?").to_owned();
    format!("{}/{}", text("num"), text("den"))
}

/// The evaluator that searches, and can follow moves.
fn following(file: &str) -> Evaluator {
    let machine = step::StateMachine::new(
        &our_game(file),
        &step::StepLimits::modest(),
        rules::RuleLimits::default(),
    );
    searching(file).following(machine.expect("a machine"))
}
