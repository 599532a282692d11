//! Boards whose values are known from programs that share no code with this project.

use crate::stones::Board;
use limits::Limits;
use num_rational::BigRational;
use sqasp_emm::{Engine, Options};

fn value(board: Board, options: Options) -> BigRational {
    let mut engine = Engine::new(board.problem(), options).expect("a board is a sound problem");
    let initial = engine.initial().to_vec();
    let answer = engine
        .solve(&initial, Some(board.steps()), &Limits::default())
        .expect("a sound question");
    answer.outcome.value().expect("there are no limits").clone()
}

fn check(drop: bool, side: (usize, usize, usize), chance: (usize, usize), values: [&str; 2]) {
    for (player, expected) in values.into_iter().enumerate() {
        let board = Board {
            drop,
            width: side.0,
            height: side.1,
            line: side.2,
            against_random: chance.0 == 0,
            keep: chance.0,
            flip: chance.1,
            player,
        };
        let expected: BigRational = expected.parse().expect("a fraction");
        assert_eq!(value(board, Options::default()), expected, "{board:?}");
    }
}

#[test]
fn tic_tac_toe() {
    check(false, (3, 3, 3), (0, 0), ["191/192", "887/945"]);
    check(false, (3, 3, 3), (1, 1), ["243/512", "237/512"]);
    let values = ["164832/390625", "717621/1953125"];
    check(false, (3, 3, 3), (4, 1), values);
}

#[test]
fn connect() {
    check(true, (4, 4, 3), (0, 0), ["1", "283/288"]);
    check(true, (4, 4, 4), (0, 0), ["1471/1536", "53465/55296"]);
    check(true, (4, 4, 3), (1, 1), ["8209/16384", "16341/32768"]);
    let values = ["92697510376/152587890625", "59884531161/152587890625"];
    check(true, (4, 4, 3), (4, 1), values);
    check(true, (4, 4, 4), (1, 1), ["12189/32768", "12235/32768"]);
    let values = ["40072762444/152587890625", "13083757972/30517578125"];
    check(true, (4, 4, 4), (4, 1), values);
}

#[test]
fn boards_are_full_at_the_end() {
    for (drop, side, expected) in [(false, 3, 9), (true, 4, 16), (false, 4, 16), (true, 5, 25)] {
        let board = Board {
            drop,
            width: side,
            height: side,
            line: 3,
            against_random: side == 5,
            keep: 1,
            flip: 1,
            player: 0,
        };
        let mut engine = Engine::new(board.problem(), Options::default()).expect("sound");
        let initial = engine.initial().to_vec();
        let found = engine.horizon(&initial, &Limits::default());
        assert_eq!(found, Ok(expected), "{board:?}");
    }
}

#[test]
fn all_ways_to_search_agree() {
    let board = |drop, against_random, player| Board {
        drop,
        width: 4,
        height: 3,
        line: 3,
        against_random,
        keep: 2,
        flip: 1,
        player,
    };
    for (drop, against_random) in [(true, true), (true, false), (false, true), (false, false)] {
        for player in 0..2 {
            let board = board(drop, against_random, player);
            let with = |list_after, threads| {
                let options = Options {
                    search: search::Options {
                        list_after,
                        threads,
                        ..search::Options::default()
                    },
                    ..Options::default()
                };
                value(board, options)
            };
            let expected = with(u64::MAX, 1);
            assert_eq!(with(0, 1), expected, "{board:?}");
            assert_eq!(with(0, 3), expected, "{board:?}");
            assert_eq!(with(u64::MAX, 2), expected, "{board:?}");
        }
    }
}
