//! Random games, written, read and solved, against all pairs of positional strategies.

use crate::{Header, Model, Reach, StateRow, Writer};
use fastrand::Rng;
use limits::Limits;
use num_rational::BigRational;

/// A state: its player, its label and its choices, each with weights of targets.
#[derive(Clone, Debug)]
struct State {
    player: u32,
    is_goal: bool,
    choices: Vec<Vec<(u64, u64)>>,
}

fn random_game(rng: &mut Rng) -> Vec<State> {
    let count = rng.u64(2..7);
    let choice = |rng: &mut Rng| {
        (0..rng.usize(1..4))
            .map(|_| (rng.u64(..count), rng.u64(1..5)))
            .collect()
    };
    let state = |number: u64, rng: &mut Rng| State {
        player: rng.u32(..2),
        is_goal: number == count - 1,
        choices: (0..rng.usize(1..3)).map(|_| choice(rng)).collect(),
    };
    (0..count).map(|number| state(number, rng)).collect()
}

fn write(states: &[State], players: &[&str]) -> Vec<u8> {
    let header = Header {
        players: players.iter().map(|&name| name.to_owned()).collect(),
        ..Header::new("random", &["goal"])
    };
    let mut writer = Writer::new(header).unwrap();
    for state in states {
        let row = StateRow {
            player: state.player,
            labels: u64::from(state.is_goal),
            valuation: &[],
            reward: (0, 1),
        };
        writer.state(&row).unwrap();
        for choice in &state.choices {
            writer.choice(0).unwrap();
            let total: u64 = choice.iter().map(|(_, weight)| weight).sum();
            for &(target, weight) in choice {
                writer.branch(target, weight, total).unwrap();
            }
        }
    }
    let mut file = Vec::new();
    writer.finish(&["go".to_owned()], &mut file).unwrap();
    file
}

fn value(file: &[u8], steps: Option<u64>) -> BigRational {
    let model = Model::read(file).unwrap();
    let reach = Reach {
        steps,
        ..Reach::label("goal")
    };
    let found = model.solve(&reach, &Limits::default()).unwrap();
    found.value().expect("a small game").clone()
}

/// All ways to leave one choice to each state of a player.
fn fixed(states: &[State], player: u32) -> Vec<Vec<State>> {
    let mut all = vec![states.to_vec()];
    for number in 0..states.len() {
        if states[number].player != player {
            continue;
        }
        let each = |game: &Vec<State>| {
            let choices = game[number].choices.clone().into_iter();
            let game = game.clone();
            choices.map(move |choice| {
                let mut game = game.clone();
                game[number].choices = vec![choice];
                game
            })
        };
        all = all.iter().flat_map(each).collect::<Vec<_>>();
    }
    all
}

#[test]
fn values_are_those_of_the_best_pair_of_strategies() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut rng = Rng::with_seed(seed);
    for _ in 0..60 {
        let game = random_game(&mut rng);
        let worst = |game: &Vec<State>| {
            let chains = fixed(game, 1);
            chains
                .iter()
                .map(|chain| value(&write(chain, &[]), None))
                .min()
                .unwrap()
        };
        let best = fixed(&game, 0).iter().map(worst).max().unwrap();
        let file = write(&game, &["max", "min"]);
        assert_eq!(value(&file, None), best, "{game:?}");
        // Fewer steps are never worth more.
        let steps: Vec<BigRational> = (0..6).map(|steps| value(&file, Some(steps))).collect();
        assert!(steps.is_sorted() && steps[5] <= best, "{game:?}");
    }
}

#[test]
fn broken_files_are_refused() {
    let file = write(&random_game(&mut Rng::with_seed(1)), &["max", "min"]);
    for length in [0, 1, 100, 512, 2000, file.len() / 2] {
        assert!(Model::read(&file[..length]).is_err(), "{length}");
    }
    // Whatever single bytes are changed to: an error or a model, never a panic.
    let mut rng = Rng::with_seed(2);
    for _ in 0..3000 {
        let mut file = file.clone();
        for _ in 0..rng.usize(1..4) {
            let place = rng.usize(..file.len());
            file[place] = rng.u8(..);
        }
        if let Ok(model) = Model::read(&file[..]) {
            let _ = model.solve(&Reach::label("goal").within(2), &Limits::default());
        }
    }
}
