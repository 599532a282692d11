//! Answers as text: moves in their order and in columns, bounds, long numbers.

use formula::{BigRational, Outcome, Value};
use gdl::game::{Objective, Unit, ValueRange};
use gdl::{Name, Term};
use limits::StopReason;
use sqasp_engines::answer::{GameSubject, Subject, move_lines, ranked, shortened, value_text};
use sqasp_engines::{self as engines, Answer, Curve, MoveValue, Options, Question};

fn overall(moves: &[MoveValue]) -> Outcome {
    Outcome::largest(moves.iter().map(|each| &each.outcome)).unwrap()
}

fn exact(value: &str) -> Outcome {
    Outcome::Solved(Value::Exact(value.parse().unwrap()))
}

fn between(lower: &str, upper: &str) -> Outcome {
    let [lower, upper] = [lower, upper].map(|bound| bound.parse().unwrap());
    Outcome::between(lower, upper, StopReason::Time)
}

fn moves(outcomes: &[Outcome]) -> Vec<MoveValue> {
    let letters = ["a", "b", "c"].iter();
    letters
        .zip(outcomes)
        .map(|(action, outcome)| MoveValue::new(Term::Constant(Name::new(action)), outcome.clone()))
        .collect()
}

#[test]
fn the_best_come_first() {
    let float = |value| Outcome::Solved(Value::Float(value));
    for (outcomes, expected) in [
        (
            vec![exact("1/3"), exact("1/2"), exact("1/2")],
            "*b *c  a; 50 % (1/2)",
        ),
        // The other two may turn out better, or not: no move is known to be best.
        (
            vec![exact("1/3"), between("0", "1/2"), between("1/4", "2/3")],
            " a  c  b; [33.3333 %, 66.6667 %] ([1/3, 2/3])",
        ),
        // Not solved, but certainly best.
        (
            vec![exact("1/3"), between("1/2", "3/4"), between("1/4", "1/2")],
            "*b  a  c; [50 %, 75 %] ([1/2, 3/4])",
        ),
        // Nothing is better than certainty.
        (vec![between("0", "1"), exact("1")], "*b  a; 100 %"),
        (
            vec![float(0.25), float(0.5)],
            "*b  a; 50 % (floating point, not exact)",
        ),
        (vec![float(0.25), between("0", "1")], " a  b; [0 %, 100 %]"),
        (vec![between("0", "1")], "*a; [0 %, 100 %]"),
    ] {
        let moves = moves(&outcomes);
        let ranking: Vec<String> = ranked(&moves, None, false)
            .into_iter()
            .map(|each| {
                let mark = if each.best { '*' } else { ' ' };
                format!("{mark}{}", each.value.action)
            })
            .collect();
        let text = format!(
            "{}; {}",
            ranking.join(" "),
            value_text(&overall(&moves), Unit::Percent)
        );
        assert_eq!(text, expected);
    }
}

#[test]
fn columns_have_the_loss_of_each_move() {
    let moves = moves(&[exact("1/4"), exact("2/3"), between("0", "1/8")]);
    let expected = [
        "* 66.6667 %                                          b  2/3",
        "  25 %                                   -41.6667 %  a  1/4",
        "  [0 %, 12.5 %] ([0, 1/8])                           c",
    ];
    let lines: Vec<String> = move_lines(&moves, Unit::Percent, false)
        .iter()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    let expected = expected.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    assert_eq!(lines, expected);
}

#[test]
fn an_interrupt_is_the_reason_before_all_others() {
    let rules = b"(role p) (init s) (legal p a) (<= (next over) (true s)) (<= terminal (true over)) (goal p 100)";
    let game = engines::read("test", rules).unwrap();
    let question = Question::about(&game).unwrap();
    let mut answer = engines::solve(&game, &question, &Options::default()).unwrap();
    let mut reason = |moves: Vec<MoveValue>| {
        answer.moves = Some(moves);
        let text = answer.text();
        let line = text.lines().find(|line| line.contains("before every move"));
        line.map(str::to_owned)
    };
    let mut values = moves(&[exact("1"), between("0", "1"), between("0", "1")]);
    assert_eq!(reason(values[..1].to_vec()), None);
    let of = |stopped: StopReason| Some(format!("{stopped} before every move had its value"));
    assert_eq!(reason(values.clone()), of(StopReason::Time));
    values[2].outcome = Outcome::unknown(StopReason::Interrupted);
    assert_eq!(reason(values), of(StopReason::Interrupted));
}

fn ratio(numerator: i64, denominator: i64) -> BigRational {
    BigRational::new(numerator.into(), denominator.into())
}

#[test]
fn bounds_are_told_apart() {
    let between = |lower, upper| Outcome::between(lower, upper, StopReason::Time);
    for (outcome, text) in [
        (between(ratio(0, 1), ratio(1, 1)), "[0 %, 100 %]"),
        (
            between(ratio(1, 3), ratio(1, 2)),
            "[33.3333 %, 50 %] ([1/3, 1/2])",
        ),
        (
            between(ratio(1, 3), ratio(333_333_334, 1_000_000_000)),
            "[33.33333333333333 %, 33.3333334 %] ([1/3, 166666667/500000000])",
        ),
        (
            Outcome::Solved(Value::Float(0.3)),
            "30.0 % (floating point, not exact)",
        ),
    ] {
        assert_eq!(value_text(&outcome, Unit::Percent), text);
    }
}

#[test]
fn long_numbers_are_shortened_in_the_middle() {
    let long = "1234567890".repeat(4);
    for (text, short) in [
        (
            format!("50 % (1/{long})"),
            "50 % (1/123456789012...901234567890)",
        ),
        (
            format!("{long}/7 {}/7", &long[8..]),
            "123456789012...901234567890/7 90123456789012345678901234567890/7",
        ),
        (
            format!("no é fraction {long}"),
            "no é fraction 1234567890123456789012345678901234567890",
        ),
    ] {
        assert_eq!(shortened(&text), short);
    }
}

/// A curve whose first points are worth 0 and 1, and that a limit ended.
fn stopped_curve(goal: &str) -> Curve {
    let rules = format!("(role x) (legal x go) (init on) (goal x {goal}) (goal x 100) terminal");
    let game = engines::read("curve", rules.as_bytes()).unwrap();
    let role = Name::new("x");
    let range = ValueRange::of(&game, &role, Objective::Score);
    let subject = GameSubject::new("curve".to_owned(), role, Objective::Score.into(), range);
    let mut curve = Curve::new(Answer::unknown(Subject::Game(subject), "emm"), 0, 2);
    for (depth, value) in [(0, "0"), (1, "1/2")] {
        curve.stop(StopReason::Time);
        let point = curve.points.last_mut().unwrap();
        assert_eq!(point.depth, depth);
        point.outcome = exact(value);
    }
    curve.stop(StopReason::Time);
    curve
}

#[test]
fn a_lower_bound_holds_for_more_steps_only_if_no_end_is_worth_less_than_none() {
    for (goal, bounds) in [("0", between("1/2", "1")), ("-50", between("-1/2", "1"))] {
        let curve = stopped_curve(goal);
        assert_eq!(curve.points[2].outcome, bounds, "{goal}");
        assert!(curve.is_complete());
    }
}
