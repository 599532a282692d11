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
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match instance(&words).and_then(|instance| print(instance, value, qdimacs)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("family: {error}");
            ExitCode::from(2)
        }
    }
}

fn print((formula, solve): Instance, value: bool, qdimacs: bool) -> Result<(), String> {
    if value {
        println!("{}", solve(&formula)?);
        return Ok(());
    }
    let to = io::stdout().lock();
    if qdimacs {
        qdimacs::write(&formula, to).map_err(|error| error.to_string())
    } else {
        sdimacs::write(&formula, to).map_err(|error| error.to_string())
    }
}

/// Reads the name and the parameters of a family.
fn instance(words: &[&str]) -> Result<Instance, String> {
    Ok(match *words {
        ["sand-castle", steps, sees] => {
            let problem = SandCastle::new(
                read(steps, "STEPS")?,
                match sees {
                    "blind" => false,
                    "sees" => true,
                    _ => return Err(format!("`{sees}` is neither `blind` nor `sees`")),
                },
            );
            (
                sand_castle(&problem),
                Box::new(move |_| Ok(problem.value())),
            )
        }
        [
            "bomb-in-toilet",
            packages,
            toilets,
            steps,
            position,
            ref clogs @ ..,
        ] => {
            let problem = BombInToilet {
                packages: positive(packages, "PACKAGES")?,
                toilets: positive(toilets, "TOILETS")?,
                steps: read(steps, "STEPS")?,
                position: unknown(position)?,
                clogs: last(clogs)?.unwrap_or(Probability::ratio(1, 1)),
            };
            (
                bomb_in_toilet(&problem),
                Box::new(move |_| Ok(problem.value())),
            )
        }
        ["lost-robot", side, dimensions, steps, start, ref fails @ ..] => {
            let problem = LostRobot {
                side: positive(side, "SIDE")?,
                dimensions: read(dimensions, "DIMENSIONS")?,
                steps: read(steps, "STEPS")?,
                start: unknown(start)?,
                fails: last(fails)?.unwrap_or(Probability::ratio(0, 1)),
            };
            (lost_robot(&problem), Box::new(move |_| Ok(problem.value())))
        }
        ["gambler", capital, target, rounds, wins, ref other @ ..] => {
            let problem = Gambler {
                capital: read(capital, "CAPITAL")?,
                target: read(target, "TARGET")?,
                rounds: read(rounds, "ROUNDS")?,
                wins: fraction(wins)?,
                other: last(other)?,
            };
            if problem.capital > problem.target {
                return Err(format!("CAPITAL {capital} is more than TARGET {target}"));
            }
            (gambler(&problem), Box::new(move |_| Ok(problem.value())))
        }
        ["network", places, lines, safe, cut, seed] => {
            let (places, lines) = (positive(places, "PLACES")?, read(lines, "LINES")?);
            if lines + 1 < places {
                return Err(format!(
                    "{places} places need at least {} LINES",
                    places - 1
                ));
            }
            let (safe, cut) = (read(safe, "SAFE")?, read(cut, "CUT")?);
            let mut rng = Rng::with_seed(read(seed, "SEED")?);
            let problem = Network::random(&mut rng, places, lines, safe, cut);
            (network(&problem), Box::new(move |_| Ok(problem.value())))
        }
        [
            "strategic-companies",
            companies,
            goods,
            controls,
            opponent,
            seed,
        ] => {
            let companies = read(companies, "COMPANIES")?;
            if companies < 4 {
                return Err("COMPANIES must be at least 4".to_owned());
            }
            let (goods, controls) = (read(goods, "GOODS")?, read(controls, "CONTROLS")?);
            let mut rng = Rng::with_seed(read(seed, "SEED")?);
            let opponent = unknown(opponent)?;
            let problem =
                StrategicCompanies::random(&mut rng, companies, goods, controls, opponent);
            (
                strategic_companies(&problem),
                Box::new(move |_| Ok(problem.value())),
            )
        }
        ["grid", rows, columns, players, seed] => {
            let players: Vec<Quantifier> = players.chars().map(player).collect::<Result<_, _>>()?;
            if players.is_empty() {
                return Err("PLAYERS must have a letter".to_owned());
            }
            let (rows, columns) = (positive(rows, "ROWS")?, positive(columns, "COLUMNS")?);
            let mut rng = Rng::with_seed(read(seed, "SEED")?);
            let problem = Grid::random(&mut rng, rows, columns, &players);
            let unknown = "the value is known without solving the formula if all is of chance only";
            (
                grid(&problem),
                Box::new(move |_| problem.value().ok_or_else(|| unknown.to_owned())),
            )
        }
        [
            "random",
            blocks,
            clauses,
            literals,
            seed,
            ref probability @ ..,
        ] => {
            let family = RandomBlocks {
                blocks: blocks.split(',').map(block).collect::<Result<_, _>>()?,
                anywhere: read(literals, "LITERALS")?,
                clauses: read(clauses, "CLAUSES")?,
                probability: last(probability)?,
            };
            let variables: usize = family.blocks.iter().map(|block| block.variables).sum();
            let in_blocks: usize = family.blocks.iter().map(|block| block.literals).sum();
            if in_blocks + family.anywhere > variables {
                return Err(format!(
                    "clauses have more literals than {variables} variables"
                ));
            }
            let mut rng = Rng::with_seed(read(seed, "SEED")?);
            let value = |formula: &Formula| enumerate(formula).map_err(|error| error.to_string());
            (random_blocks(&mut rng, &family), Box::new(value))
        }
        [] => return Err("which family? `--help` lists them".to_owned()),
        [name, ..] => {
            return Err(format!(
                "`{name}` is no family or has other parameters: see `--help`"
            ));
        }
    })
}

/// A block such as `e20` or `a10:2`.
fn block(text: &str) -> Result<RandomBlock, String> {
    let wrong = || format!("`{text}` is not a block such as e20, a5 or r10:2");
    let (size, literals) = text.split_once(':').unwrap_or((text, "0"));
    let letter = size.chars().next().ok_or_else(wrong)?;
    let quantifier = player(letter).map_err(|_| wrong())?;
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
        _ => Err(format!("`{letter}` is none of e, a and r")),
    }
}

fn read<T: FromStr<Err: Display>>(text: &str, name: &str) -> Result<T, String> {
    text.parse()
        .map_err(|error| format!("{name} cannot be `{text}`: {error}"))
}

fn positive(text: &str, name: &str) -> Result<usize, String> {
    match read(text, name)? {
        0 => Err(format!("{name} must be at least 1")),
        number => Ok(number),
    }
}

fn unknown(text: &str) -> Result<Unknown, String> {
    match text {
        "uniform" => Ok(Unknown::Uniform),
        "adversary" => Ok(Unknown::Adversary),
        _ => Err(format!("`{text}` is neither `uniform` nor `adversary`")),
    }
}

fn fraction(text: &str) -> Result<Probability, String> {
    let fraction: Option<BigRational> = text.parse().ok();
    fraction
        .and_then(|fraction| Probability::new(fraction).ok())
        .ok_or_else(|| format!("`{text}` is not a fraction between 0 and 1"))
}

/// The optional parameter at the end.
fn last(rest: &[&str]) -> Result<Option<Probability>, String> {
    match rest {
        [] => Ok(None),
        [text] => fraction(text).map(Some),
        [_, extra, ..] => Err(format!("`{extra}` is one parameter too many")),
    }
}
