//! Prints a formula of a family of problems, or its value as far as it is known without solving
//! the formula:
//! `cargo run --release -p sqasp-generators --example family -- gambler 3 8 10 2/5 > gambler.sdimacs`.

use fastrand::Rng;
use formula::{BigRational, Formula, Probability, Quantifier, qdimacs, sdimacs};
use sqasp_generators::{
    BombInToilet, Gambler, Grid, LostRobot, Network, RandomBlock, RandomBlocks, SandCastle,
    StrategicCompanies, Unknown, bomb_in_toilet, enumerate, gambler, grid, lost_robot, network,
    random_blocks, sand_castle, strategic_companies,
};
use std::fmt::Display;
use std::io;
use std::process::ExitCode;
use std::str::FromStr;

const HELP: &str = "\
Prints a formula of a family of problems.

    family [--value | --qdimacs] NAME PARAMETER...

    sand-castle          STEPS blind|sees
    bomb-in-toilet       PACKAGES TOILETS STEPS uniform|adversary [CLOGS]
    lost-robot           SIDE DIMENSIONS STEPS uniform|adversary [FAILS]
    gambler              CAPITAL TARGET ROUNDS WINS [OTHER_COIN]
    network              PLACES LINES SAFE CUT SEED
    strategic-companies  COMPANIES GOODS CONTROLS uniform|adversary SEED
    grid                 ROWS COLUMNS PLAYERS SEED
    random               BLOCKS CLAUSES LITERALS SEED [PROBABILITY]

PLAYERS is a letter for each block, such as r or ere. CLOGS, FAILS, WINS, OTHER_COIN and PROBABILITY are fractions such as 1/3. BLOCKS is a prefix with
sizes, such as e20,r10,e20; e20:2,a10:1 makes each clause have 2 literals from the first block and
1 from the second. LITERALS is how many each clause has in addition, from anywhere.

    --value    print the value, found by solving the problem and not the formula; the documentation
               of generators says how, and how long it takes
    --qdimacs  print QDIMACS (problems without chance) instead of SDIMACS
";

/// A formula, and how to find its value in another way.
type Instance = (
    Formula,
    Box<dyn FnOnce(&Formula) -> Result<BigRational, String>>,
);

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut option = |name: &str| {
        let before = arguments.len();
        arguments.retain(|argument| argument != name);
        arguments.len() < before
    };
    let (help, value, qdimacs) = (option("--help"), option("--value"), option("--qdimacs"));
    if help {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let mut words = Words(arguments.into_iter().enumerate());
    match instance(&mut words).and_then(|instance| print(instance, value, qdimacs)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("family: {error}");
            ExitCode::from(2)
        }
    }
}

fn print((formula, solve): Instance, value: bool, qdimacs: bool) -> Result<(), String> {
    let to = io::stdout().lock();
    match (value, qdimacs) {
        (true, _) => solve(&formula).map(|value| println!("{value}")),
        (false, true) => qdimacs::write(&formula, to).map_err(|error| error.to_string()),
        (false, false) => sdimacs::write(&formula, to).map_err(|error| error.to_string()),
    }
}

/// A formula and its value, which is computed when it is asked for, as an instance.
fn known(formula: Formula, value: impl FnOnce() -> BigRational + 'static) -> Instance {
    (formula, Box::new(|_| Ok(value())))
}

/// Reads the name and the parameters of a family.
fn instance(words: &mut Words) -> Result<Instance, String> {
    let name = words.word("which family? `--help` lists them")?;
    let instance: Instance = match name.as_str() {
        "sand-castle" => {
            let steps = words.number()?;
            let sees = words.one_of([("blind", false), ("sees", true)])?;
            let problem = SandCastle::new(steps, sees);
            known(sand_castle(&problem), move || problem.value())
        }
        "bomb-in-toilet" => {
            let problem = BombInToilet {
                packages: words.at_least(1)?,
                toilets: words.at_least(1)?,
                steps: words.number()?,
                position: words.unknown()?,
                clogs: words.last_fraction()?.unwrap_or(Probability::ratio(1, 1)),
            };
            known(bomb_in_toilet(&problem), move || problem.value())
        }
        "lost-robot" => {
            let problem = LostRobot {
                side: words.at_least(1)?,
                dimensions: words.number()?,
                steps: words.number()?,
                start: words.unknown()?,
                fails: words.last_fraction()?.unwrap_or(Probability::ratio(0, 1)),
            };
            known(lost_robot(&problem), move || problem.value())
        }
        "gambler" => {
            let capital = words.number()?;
            let problem = Gambler {
                capital,
                target: words.at_least(capital)?,
                rounds: words.number()?,
                wins: words.read(fraction)?,
                other: words.last_fraction()?,
            };
            known(gambler(&problem), move || problem.value())
        }
        "network" => {
            let places: usize = words.at_least(1)?;
            let lines = words.at_least(places - 1)?;
            let (safe, cut) = (words.number()?, words.number()?);
            let problem = Network::random(&mut words.seed()?, places, lines, safe, cut);
            known(network(&problem), move || problem.value())
        }
        "strategic-companies" => {
            let companies = words.at_least(4)?;
            let (goods, controls) = (words.number()?, words.number()?);
            let (opponent, mut rng) = (words.unknown()?, words.seed()?);
            let problem =
                StrategicCompanies::random(&mut rng, companies, goods, controls, opponent);
            known(strategic_companies(&problem), move || problem.value())
        }
        "grid" => {
            let (rows, columns) = (words.at_least(1)?, words.at_least(1)?);
            let players = words.read(|text| text.chars().map(player).collect())?;
            let players: Vec<Quantifier> = players;
            let problem = Grid::random(&mut words.seed()?, rows, columns, &players);
            let unknown = "the value is known without solving the formula if all is of chance only";
            let formula = grid(&problem);
            let value = move |_: &Formula| problem.value().ok_or_else(|| unknown.to_owned());
            (formula, Box::new(value))
        }
        "random" => {
            let mut family = RandomBlocks {
                blocks: words.read(|text| text.split(',').map(block).collect())?,
                clauses: words.number()?,
                anywhere: words.number()?,
                probability: None,
            };
            let mut rng = words.seed()?;
            family.probability = words.last_fraction()?;
            let variables: usize = family.blocks.iter().map(|block| block.variables).sum();
            let in_blocks: usize = family.blocks.iter().map(|block| block.literals).sum();
            if in_blocks + family.anywhere > variables {
                return Err(format!(
                    "clauses have more literals than {variables} variables"
                ));
            }
            let value = |formula: &Formula| enumerate(formula).map_err(|error| error.to_string());
            (random_blocks(&mut rng, &family), Box::new(value))
        }
        _ => return Err(format!("`{name}` is no family: see `--help`")),
    };
    match words.0.next() {
        None => Ok(instance),
        Some((_, extra)) => Err(format!("`{extra}` is one parameter too many")),
    }
}

/// A block such as `e20` or `a10:2`.
fn block(text: &str) -> Result<RandomBlock, String> {
    let wrong = || "it is not a block such as e20, a5 or r10:2".to_owned();
    let (size, literals) = text.split_once(':').unwrap_or((text, "0"));
    let letter = size.chars().next().ok_or_else(wrong)?;
    let quantifier = player(letter)?;
    let variables = size[1..].parse().map_err(|_| wrong())?;
    let literals = literals.parse().map_err(|_| wrong())?;
    if literals > variables {
        return Err(wrong());
    }
    Ok(RandomBlock {
        quantifier,
        variables,
        literals,
    })
}

/// The player who decides, by the letter of a prefix.
fn player(letter: char) -> Result<Quantifier, String> {
    match letter {
        'e' => Ok(Quantifier::Exists),
        'a' => Ok(Quantifier::Forall),
        'r' => Ok(Quantifier::Chance),
        _ => Err("its letters are e, a and r".to_owned()),
    }
}

fn fraction(text: &str) -> Result<Probability, String> {
    let fraction: Option<BigRational> = text.parse().ok();
    let fraction = fraction.and_then(|fraction| Probability::new(fraction).ok());
    fraction.ok_or_else(|| "it is not a fraction between 0 and 1".to_owned())
}

/// The words that are left, with their numbers.
struct Words(std::iter::Enumerate<std::vec::IntoIter<String>>);

impl Words {
    fn word(&mut self, missing: &str) -> Result<String, String> {
        let next = self.0.next().map(|(_, word)| word);
        next.ok_or_else(|| missing.to_owned())
    }

    fn read<T>(&mut self, read: impl FnOnce(&str) -> Result<T, String>) -> Result<T, String> {
        let (number, word) = self
            .0
            .next()
            .ok_or("parameters are missing: see `--help`")?;
        read(&word).map_err(|error| format!("parameter {number} cannot be `{word}`: {error}"))
    }

    fn number<T: FromStr<Err: Display>>(&mut self) -> Result<T, String> {
        self.read(|text| text.parse().map_err(|error: T::Err| error.to_string()))
    }

    fn at_least(&mut self, least: usize) -> Result<usize, String> {
        self.read(|text| match text.parse() {
            Ok(number) if number >= least => Ok(number),
            _ => Err(format!("it is a number, at least {least}")),
        })
    }

    fn one_of<T: Copy, const N: usize>(&mut self, words: [(&str, T); N]) -> Result<T, String> {
        let names = words.map(|(word, _)| word).join(" or ");
        self.read(|text| {
            let found = words.iter().find(|(word, _)| *word == text);
            found.map(|(_, it)| *it).ok_or(format!("it is {names}"))
        })
    }

    fn unknown(&mut self) -> Result<Unknown, String> {
        self.one_of([
            ("uniform", Unknown::Uniform),
            ("adversary", Unknown::Adversary),
        ])
    }

    fn seed(&mut self) -> Result<Rng, String> {
        Ok(Rng::with_seed(self.number()?))
    }

    /// The optional parameter at the end.
    fn last_fraction(&mut self) -> Result<Option<Probability>, String> {
        match self.0.len() {
            0 => Ok(None),
            _ => self.read(fraction).map(Some),
        }
    }
}
