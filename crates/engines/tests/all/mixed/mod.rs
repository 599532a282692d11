//! Values of games whose roles may mix their moves, against the definition by the rules as written.

#[path = "../../../../../tests/common/definition.rs"]
mod definition;

use definition::Definition;
use gdl::Name;
use gdl::game::{Game, Objective, read};
use generators::{random_game, rounds, simultaneous_game};
use limits::{Limits, StopReason};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;
use rules::Reasoner;
use sqasp_engines::mixed::{MixedError, MixedQuestion, MixedSolution, solve};
use verify::{Flaw, Verdict, verify_mixed};

fn game(text: &str) -> Game {
    read("test", text.as_bytes(), &gdl::Options::default())
        .unwrap_or_else(|refused| panic!("{refused}: {text}"))
        .game
}

fn answer(game: &Game, role: &Name, objective: Objective, depth: Option<u32>) -> MixedSolution {
    let question = MixedQuestion::new(role.clone(), objective, depth);
    solve(game, &question, &Limits::default()).expect("a valid game")
}

fn defined(game: &Game, role: &Name, objective: Objective, steps: u32) -> BigRational {
    let role = game.role(role).expect("a role");
    let definition = Definition::new(game, vec![role], objective);
    definition.mixed(true).initial_value(steps)
}

/// Both mixtures are proved by best responses. Says whether they guarantee the bounds; where some state counts as 1 that no mixtures get
/// they guarantee less.
fn check_proof(game: &Game, solution: &mut MixedSolution, context: &str) -> bool {
    let strategy = solution
        .strategy(100_000, &Limits::default())
        .expect("a strategy");
    let verified = verify_mixed(game, &strategy, &Limits::default()).expect("the same game");
    let (lower, upper) = solution.guaranteed();
    let (least, most) = solution.bounds();
    assert!(lower <= least && most <= upper, "{context}");
    let is_guaranteed = (&lower, &upper) == (&least, &most);
    assert!(
        is_guaranteed || least < most || solution.is_unreached(),
        "{context}"
    );
    let expected = match lower == upper {
        true => Verdict::Proved(lower),
        false => Verdict::Stopped {
            reason: StopReason::Precision,
            lower,
            upper: Some(upper),
        },
    };
    assert_eq!(verified.verdict, expected, "{context}");
    is_guaranteed
}

/// The number of these games whose value differs from that with known moves.
#[test]
fn values_are_those_of_the_definition() {
    let objectives = [
        Objective::Win,
        Objective::Points,
        Objective::GoalAtLeast(50.into()),
        Objective::Score,
    ];
    let mut differ = 0;
    for seed in 0..rounds(400u64) {
        let (text, depth) = match seed % 2 {
            0 => {
                let random = random_game(seed);
                (random.text, random.depth)
            }
            _ => (simultaneous_game(seed, seed % 4 == 1), 4),
        };
        let game = game(&text);
        let objective = objectives[seed as usize / 2 % 4];
        for role in game.players() {
            let context = format!("seed {seed}, {role}, {objective}\n{text}");
            let depth = depth - u32::from(seed % 7 == 0);
            let expected = defined(&game, role, objective, depth);
            let mut solution = answer(&game, role, objective, Some(depth));
            assert_eq!(
                solution.bounds(),
                (expected.clone(), expected.clone()),
                "{context}"
            );
            assert!(check_proof(&game, &mut solution, &context), "{context}");
            let index = game.role(role).expect("a role");
            let reasoner = Reasoner::new(&game).expect("rules");
            let known = rules::Minimax::new(reasoner, index, objective).initial_value(depth);
            let known = known.expect("a value");
            assert!(known <= expected, "{context}");
            differ += u64::from(known < expected);
        }
    }
    assert!(6 * differ > rounds(400), "{differ}");
}

#[test]
fn endless_games_are_bounded_and_proved() {
    let (mut exact, mut guaranteed) = (0, 0);
    for seed in 0..rounds(60u64) {
        let text = simultaneous_game(seed, true);
        let game = game(&text);
        let role = game.players().next().expect("a role");
        let context = format!("seed {seed}\n{text}");
        let mut solution = answer(&game, role, Objective::Score, None);
        let (lower, upper) = solution.bounds();
        let below = defined(&game, role, Objective::Score, 5);
        assert!(lower <= upper && below <= upper, "{context}");
        exact += u64::from(lower == upper);
        guaranteed += u64::from(check_proof(&game, &mut solution, &context));
        // The others can hold the role down to what they cannot get themselves.
        let other = game.players().nth(1).expect("two roles");
        let (other_lower, _) = answer(&game, other, Objective::Score, None).bounds();
        assert!(
            lower + other_lower <= BigRational::from_integer(1.into()),
            "{context}"
        );
    }
    assert!(exact > rounds(60) / 2, "{exact}");
    assert!(guaranteed > rounds(60) * 9 / 10, "{guaranteed}");
}

const PENNIES: &str = "(role even) (role odd) (side heads) (side tails)
    (<= (legal ?who ?side) (role ?who) (side ?side))
    (<= (next (shown ?who ?side)) (does ?who ?side))
    (<= (same ?side) (true (shown even ?side)) (true (shown odd ?side)))
    (<= any (same ?side)) (<= terminal (true (shown even ?side)))
    (<= (goal even 100) (same heads)) (<= (goal even 50) (same tails)) (<= (goal even 0) (not any))
    (<= (goal odd 0) any) (<= (goal odd 100) (not any))";

/// Heads are worth 100, tails 50: heads are shown in one of three cases, by both.
#[test]
fn mixtures_have_names() {
    let game = game(PENNIES);
    let mut solution = answer(&game, &game.roles()[0], Objective::Points, Some(1));
    assert_eq!(solution.bounds().0.to_string(), "100/3");
    assert!(!solution.cuts_off());
    let play = solution.play().expect("a mixture");
    let moves = play
        .moves
        .iter()
        .map(|each| format!("{} {} {}", each.action, each.share, each.bounds.0));
    assert_eq!(
        moves.collect::<Vec<_>>(),
        ["heads 1/3 100/3", "tails 2/3 100/3"]
    );
    let replies = play
        .replies
        .iter()
        .map(|(reply, share)| format!("{} {share}", reply[0]));
    assert_eq!(replies.collect::<Vec<_>>(), ["heads 1/3", "tails 2/3"]);
}

/// Each kind of wrong strategy is refused, and for the right reason.
#[test]
fn wrong_mixtures_are_refused() {
    let game = game(PENNIES);
    let mut solution = answer(&game, &game.roles()[0], Objective::Points, Some(1));
    let right = solution
        .strategy(10, &Limits::default())
        .expect("a strategy");
    let third = BigRational::new(1.into(), 3.into());
    let flaw = |change: &dyn Fn(&mut verify::MixedStrategy)| {
        let mut wrong = right.clone();
        change(&mut wrong);
        match verify_mixed(&game, &wrong, &Limits::default())
            .expect("the same game")
            .verdict
        {
            Verdict::Refused(refusal) => refusal.flaw,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(flaw(&|wrong| wrong.player.clear()), Flaw::Missing);
    assert_eq!(flaw(&|wrong| wrong.opponents.clear()), Flaw::Missing);
    assert_eq!(
        flaw(&|wrong| wrong.player.push(wrong.player[0].clone())),
        Flaw::ListedTwice
    );
    assert_eq!(
        flaw(&|wrong| wrong.player[0].choices[0].1 += &third),
        Flaw::NoMixture
    );
    let negative = |wrong: &mut verify::MixedStrategy| {
        wrong.player[0].choices[0].1 -= BigInt::from(1);
        wrong.player[0].choices[1].1 += BigInt::from(1);
    };
    assert_eq!(flaw(&negative), Flaw::NoMixture);
    let swapped = |wrong: &mut verify::MixedStrategy| {
        let choices = &mut wrong.player[0].choices;
        (choices[0].1, choices[1].1) = (choices[1].1.clone(), choices[0].1.clone());
    };
    assert!(matches!(flaw(&swapped), Flaw::WrongValue { .. }));
    let silent = |wrong: &mut verify::MixedStrategy| {
        swapped(wrong);
        wrong.player[0].value = None;
    };
    assert!(matches!(flaw(&silent), Flaw::BrokenPromise { .. }));
    let illegal = |wrong: &mut verify::MixedStrategy| {
        let pass = wrong
            .terms
            .number(&gdl::parse_terms("pass").expect("a term")[0]);
        wrong.opponents[0].choices[0].0 = [pass].into();
    };
    assert!(matches!(flaw(&illegal), Flaw::IllegalMove { .. }));
    let promising = |wrong: &mut verify::MixedStrategy| wrong.upper -= &third;
    assert!(matches!(flaw(&promising), Flaw::BrokenPromise { .. }));
}

/// Without a last step, a claim that only waiting keeps up is refused.
#[test]
fn waiting_proves_nothing() {
    let text = "(role a) (role b) (init on) (legal a wait) (legal a go) (legal b wait)
        (<= (next on) (does a wait)) (<= (next won) (does a go)) (<= terminal (true won))
        (<= (goal a 50) (true won)) (<= (goal b 50) (true won))";
    let game = game(text);
    let mut solution = answer(&game, &game.roles()[0], Objective::Points, None);
    assert_eq!(solution.bounds().1.to_string(), "50");
    let right = solution
        .strategy(10, &Limits::default())
        .expect("a strategy");
    let mut wrong = right.clone();
    let wait = wrong
        .terms
        .number(&gdl::parse_terms("wait").expect("a term")[0]);
    wrong.player[0].choices[0].0 = [wait].into();
    let verdict = verify_mixed(&game, &wrong, &Limits::default())
        .expect("the same game")
        .verdict;
    assert!(matches!(verdict, Verdict::Refused(refusal) if refusal.flaw == Flaw::Endless));
}

#[test]
fn odd_games_and_questions_are_refused() {
    let stuck = game("(role a) (role b) (init on) (legal a go) (<= (legal b go) (true on))
        (<= (next off) (true on)) (<= (next over) (true off)) (<= terminal (true over)) (goal a 100) (goal b 0)");
    let ask = |role: &str| {
        solve(
            &stuck,
            &MixedQuestion::new(Name::new(role), Objective::Win, Some(3)),
            &Limits::default(),
        )
    };
    assert!(matches!(ask("a"), Err(MixedError::Defect { .. })));
    assert!(matches!(ask("c"), Err(MixedError::Role(_))));
    let limits = Limits::default().within(std::time::Duration::ZERO);
    let question = MixedQuestion::new(stuck.roles()[0].clone(), Objective::Win, Some(3));
    let stopped = match solve(&stuck, &question, &limits) {
        Ok(solution) => solution.stopped().is_some() && solution.bounds().0.is_zero(),
        Err(MixedError::Step(step::StepError::Stopped(_)) | MixedError::Rules(_)) => true,
        Err(error) => panic!("{error}"),
    };
    assert!(stopped);
}
