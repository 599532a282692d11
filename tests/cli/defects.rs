//! Games that have no value: refused with the play that shows it, or said to rest on what is not proved, by
//! both engines and never valued wrongly.
//!
//! The random games here are about rolls and picks, a thousand positions each. A defect is planted in one of
//! them: a role that cannot move, or goal values that are none, several, or no number of points. Their
//! values are computed here as well, with that position taken to be worth nothing and to be worth the most
//! that the game gives: where both are the same, the value rests on nothing, and may be given.

use super::{Ended, Place, fraction};
use fastrand::Rng;
use formula::BigRational;
use num_traits::{One, Zero};
use serde_json::Value;

/// A defect of one position.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Defect {
    None,
    Stuck(&'static str),
    NoGoal,
    TwoGoals,
    OddGoal(&'static str),
}

/// A game of some steps: in each `x` picks, `o` answers, and a die is rolled.
struct Walk {
    steps: usize,
    picks: usize,
    answers: usize,
    sides: usize,
    /// Points by the sum of all picks, answers and rolls, modulo the length.
    points: Vec<u32>,
    defect: Defect,
    /// The position: picks, answers and rolls, one triple for each step.
    place: Vec<[usize; 3]>,
}

impl Walk {
    fn random(random: &mut Rng) -> Walk {
        let steps = random.usize(2..4);
        let (picks, answers) = (random.usize(1..4), random.usize(1..3));
        let sides = random.usize(2..5);
        let points = [0, 100, 50, 10, 7, 250];
        let points = (0..random.usize(2..6)).map(|_| points[random.usize(..points.len())]);
        let points = points.collect();
        let defect = match random.usize(0..8) {
            0 => Defect::None,
            1 => Defect::Stuck("x"),
            2 => Defect::Stuck("o"),
            3 => Defect::Stuck("random"),
            4 => Defect::NoGoal,
            5 => Defect::TwoGoals,
            _ => Defect::OddGoal(["12.5", "-05", "050", "2000000", "much"][random.usize(..5)]),
        };
        let length = match defect {
            Defect::Stuck(_) => random.usize(1..steps),
            _ => steps,
        };
        let place = (0..length).map(|_| [picks, answers, sides].map(|count| random.usize(..count)));
        Walk {
            place: place.collect(),
            steps,
            picks,
            answers,
            sides,
            points,
            defect,
        }
    }

    fn text(&self) -> String {
        let mut text =
            String::from("(role x) (role o) (role random) (init (at 0)) (init (sum 0))\n");
        let modulus = self.points.len();
        let most = (self.picks + self.answers + self.sides).max(modulus);
        for number in 0..most {
            text += &format!("(number {number}) ");
            for other in 0..modulus {
                text += &format!("(plus {other} {number} {}) ", (other + number) % modulus);
            }
        }
        for step in 0..self.steps {
            text += &format!("(after {step} {}) ", step + 1);
        }
        let unless = |role: &str| match self.defect {
            Defect::Stuck(stuck) if stuck == role => " (not broken)",
            _ => "",
        };
        for (role, count) in [
            ("x", self.picks),
            ("o", self.answers),
            ("random", self.sides),
        ] {
            for number in 0..count {
                text += &format!("(has {role} {number}) ");
            }
            text += &format!(
                "\n(<= (legal {role} (take ?n)) (has {role} ?n){})",
                unless(role)
            );
        }
        text += "
            (<= (next (at ?m)) (true (at ?n)) (after ?n ?m))
            (<= (next (took ?r ?n ?m)) (true (at ?n)) (does ?r (take ?m)))
            (<= (next (took ?r ?n ?m)) (true (took ?r ?n ?m)))
            (<= (next (sum ?d)) (true (sum ?a)) (does x (take ?i)) (does o (take ?j))
                (does random (take ?k)) (plus ?a ?i ?b) (plus ?b ?j ?c) (plus ?c ?k ?d))\n";
        text += &format!(
            "(<= terminal (true (at {})))\n(<= broken (true (at {}))",
            self.steps,
            self.place.len()
        );
        for (step, triple) in self.place.iter().enumerate() {
            for (role, number) in ["x", "o", "random"].iter().zip(triple) {
                text += &format!(" (true (took {role} {step} {number}))");
            }
        }
        text += ")\n(goal o 0)\n";
        for (sum, points) in self.points.iter().enumerate() {
            text += &format!("(worth {sum} {points}) ");
        }
        text += match self.defect {
            Defect::NoGoal => "(<= (goal x ?v) (true (sum ?s)) (worth ?s ?v) (not broken))",
            Defect::OddGoal(_) => {
                "(<= (goal x ?v) (true (sum ?s)) (worth ?s ?v) (not broken)) (<= (goal x ?v) broken (odd ?v))"
            }
            Defect::TwoGoals => {
                "(<= (goal x ?v) (true (sum ?s)) (worth ?s ?v)) (<= (goal x 33) broken)"
            }
            Defect::None | Defect::Stuck(_) => "(<= (goal x ?v) (true (sum ?s)) (worth ?s ?v))",
        };
        if let Defect::OddGoal(value) = self.defect {
            text += &format!(" (odd {value})");
        }
        text
    }

    /// The value of a position, if the broken one is worth this.
    fn value(
        &self,
        path: &mut Vec<[usize; 3]>,
        worth: &dyn Fn(u32) -> BigRational,
        broken: &BigRational,
    ) -> BigRational {
        let is_broken = self.defect != Defect::None && *path == self.place;
        if is_broken {
            return broken.clone();
        }
        if path.len() == self.steps {
            let sum: usize = path.iter().flatten().sum();
            return worth(self.points[sum % self.points.len()]);
        }
        let mut best: Option<BigRational> = None;
        for pick in 0..self.picks {
            let mut least: Option<BigRational> = None;
            for answer in 0..self.answers {
                let mut sum = BigRational::zero();
                for roll in 0..self.sides {
                    path.push([pick, answer, roll]);
                    sum += self.value(path, worth, broken);
                    path.pop();
                }
                let mean = sum / BigRational::from_integer(self.sides.into());
                least = Some(least.map_or(mean.clone(), |least| least.min(mean)));
            }
            let least = least.expect("there is an answer");
            best = Some(best.map_or(least.clone(), |best| best.max(least)));
        }
        best.expect("there is a pick")
    }
}

/// How often each thing came of a question.
#[derive(Default, Debug)]
struct Counts {
    right: u32,
    refused: u32,
    conditional: u32,
}

/// Whether a refusal names the defect and the moves.
fn is_named(ended: &Ended, walk: &Walk) -> bool {
    let what = match walk.defect {
        Defect::None => return false,
        Defect::Stuck(role) => format!("{role} has no legal move"),
        Defect::NoGoal => "x has no goal value".to_owned(),
        Defect::TwoGoals => "x has several goal values".to_owned(),
        Defect::OddGoal(value) => format!("x has the goal value {value}"),
    };
    let moves: Vec<String> = walk
        .place
        .iter()
        .map(|[pick, answer, roll]| format!("((take {pick}) (take {answer}) (take {roll}))"))
        .collect();
    ended.code == Some(65) && ended.err.contains(&what) && ended.err.contains(&moves.join(" "))
}

#[test]
fn planted_defects_are_refused_or_do_not_matter() {
    let mut counts = Counts::default();
    for seed in 0..crate::common::rounds(40) {
        let mut random = Rng::with_seed(seed);
        let walk = Walk::random(&mut random);
        let place = Place::new();
        place.write("walk.gdl", walk.text());
        let hundredth = |points: u32| BigRational::new(points.into(), 100.into());
        let whole = |points: u32| BigRational::from_integer(points.into());
        let won = |points: u32| match points >= 50 {
            true => BigRational::one(),
            false => BigRational::zero(),
        };
        let (objective, worth): (&str, &dyn Fn(u32) -> BigRational) = match random.usize(0..3) {
            0 => ("score", &hundredth),
            1 => ("points", &whole),
            _ => ("goal>=50", &won),
        };
        let low = walk.value(&mut Vec::new(), worth, &BigRational::zero());
        // A goal value that is a number of points is no larger than this.
        let usual = match (objective, walk.defect) {
            ("points", Defect::TwoGoals) => 33,
            ("points", _) => 1,
            _ => 100,
        };
        let most = walk.points.iter().copied().max().unwrap_or(0).max(usual);
        let high = walk.value(&mut Vec::new(), worth, &worth(most));
        for engine in ["emm", "xssat"] {
            let about = format!(
                "solve walk.gdl --depth {} --objective {objective} --engine {engine} --json",
                walk.steps
            );
            let extra = match (engine, random.usize(0..6)) {
                ("emm", 0) => " --strategy strategy.json",
                (_, 2) => " --moves",
                _ => "",
            };
            let about = format!("{about}{extra}");
            let ended = place.run(&about);
            ended.check_manners(&about);
            let told = format!("seed {seed}: {about}\n{}\n{ended:?}", walk.text());
            if ended.code == Some(65) {
                assert!(is_named(&ended, &walk), "{told}");
                counts.refused += 1;
                continue;
            }
            assert_eq!(ended.code, Some(0), "{told}");
            let answer: Value = serde_json::from_str(&ended.out).expect("one JSON object");
            if answer["exact"] == false {
                counts.conditional += 1;
                continue;
            }
            let value = fraction(&answer["value"]).expect("a fraction");
            assert_eq!(value, low, "{told}");
            assert_eq!(value, high, "{told}");
            counts.right += 1;
        }
    }
    println!("{counts:?}");
    let enough = crate::common::rounds(40_u32) / 4;
    assert!(
        counts.right >= enough && counts.refused >= enough,
        "{counts:?}"
    );
}
