//! Proofs of properties.

use crate::report::ProofReport;
use engines::{Error, ErrorKind};
use gdl::game::Game;
use limits::Limits;
use logic::ground::BYTES_PER_RULE;
use prove::{Finding, Property, ProveError, Prover, Route, Settings, Verdict};

/// Properties to prove, such as `zero-sum` or `unique (control ?p)` (`docs/properties.md`), and what may be assumed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Claims {
    /// The properties; all that can be proved if there are none.
    pub properties: Vec<Property>,
    /// Properties to use in the proofs; each is proved first.
    pub assumed: Vec<Property>,
    /// The way of proof.
    pub(crate) route: Route,
}

impl Claims {
    /// These properties; all that can be proved if there are none.
    ///
    /// # Errors
    /// If a text is no property.
    pub fn new<T: AsRef<str>>(properties: impl IntoIterator<Item = T>) -> Result<Self, Error> {
        Ok(Claims {
            properties: parse(properties)?,
            assumed: Vec::new(),
            route: Route::Auto,
        })
    }

    /// The same, with properties to use in the proofs.
    ///
    /// # Errors
    /// If a text is no property.
    pub fn assuming<T: AsRef<str>>(
        self,
        assumed: impl IntoIterator<Item = T>,
    ) -> Result<Self, Error> {
        let assumed = parse(assumed)?;
        Ok(Claims { assumed, ..self })
    }

    /// The prover of a game.
    pub(crate) fn prover<'a>(&self, game: &'a Game, limits: &Limits) -> Result<Prover<'a>, Error> {
        let settings = Settings {
            route: self.route,
            limits: limits.clone(),
            rules: limits.memory.map_or(usize::MAX, |memory| {
                usize::try_from(memory / BYTES_PER_RULE).unwrap_or(usize::MAX)
            }),
            ..Settings::default()
        };
        Prover::new(game, settings).map_err(failed)
    }
}

fn parse<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Result<Vec<Property>, Error> {
    let parse = |text: T| {
        let property = Property::parse(text.as_ref());
        property.map_err(|error| Error::new(ErrorKind::Question, error))
    };
    texts.into_iter().map(parse).collect()
}

/// Proves or refutes properties. `hear` hears each finding when it is made; the report has all of them, and where a limit came
/// first also the properties about which nothing was found.
///
/// # Errors
/// If a property makes no sense for the game, or the rules cannot be evaluated.
pub fn prove(
    game: &Game,
    claims: &Claims,
    limits: &Limits,
    mut hear: impl FnMut(&Finding),
) -> Result<ProofReport, Error> {
    let mut report = ProofReport::new(&claims.properties, &claims.assumed);
    let done = (claims.prover(game, limits)).and_then(|mut prover| {
        let mut add = |finding: Finding| {
            hear(&finding);
            report.findings.push(finding);
        };
        find(&mut prover, claims, &mut add).map_err(failed)?;
        Ok(prover.is_cut())
    });
    report.stopped = limits.interrupt.raised();
    report.is_cut = match done {
        Ok(is_cut) => is_cut,
        Err(error) => {
            let is_limit = matches!(error.kind(), ErrorKind::TooLarge | ErrorKind::Stopped(_));
            let reason = limits.reached().filter(|_| is_limit).ok_or(error)?;
            report.cut_short(reason);
            true
        }
    };
    Ok(report)
}

fn find(
    prover: &mut Prover<'_>,
    claims: &Claims,
    add: &mut dyn FnMut(Finding),
) -> Result<(), ProveError> {
    let properties = &claims.properties;
    if properties.is_empty() {
        return prover.prove_all(add);
    }
    let mut known: Vec<Property> = Vec::new();
    for assumption in &claims.assumed {
        let verdict = prover.prove(assumption, &known)?;
        if !verdict.is_proved() {
            let tried = format!("to use `{assumption}`, which is {}", verdict.word());
            for property in properties {
                add(Finding {
                    property: property.clone(),
                    verdict: Verdict::Unknown(vec![tried.clone()]),
                });
            }
            // The verdict on the assumption, with a play if it is refuted.
            add(Finding {
                property: assumption.clone(),
                verdict,
            });
            return Ok(());
        }
        known.push(assumption.clone());
    }
    for (number, property) in properties.iter().enumerate() {
        let left = u32::try_from(properties.len() - number).unwrap_or(u32::MAX);
        // Most rest on what is known about facts, which is found out as well where nothing is assumed. Bounds do so by themselves.
        let by_features = known.is_empty() && !matches!(property, Property::Terminates(_));
        let verdict = prover.within(left, |prover| {
            if by_features {
                let verdicts = prover.prove_with_features(std::slice::from_ref(property));
                verdicts.map(|mut verdicts| verdicts.remove(0))
            } else {
                prover.prove(property, &known)
            }
        });
        let verdict = match verdict {
            // A property that does not apply to this game says nothing about the others.
            Err(ProveError::Property(why)) if properties.len() > 1 => Verdict::Unknown(vec![why]),
            verdict => verdict?,
        };
        add(Finding {
            property: property.clone(),
            verdict,
        });
    }
    Ok(())
}

fn failed(error: ProveError) -> Error {
    let kind = match error {
        ProveError::Rules(error) => return error.into(),
        ProveError::Property(_) => ErrorKind::Question,
        ProveError::Vocabulary(_) => ErrorKind::TooLarge,
        ProveError::Contradiction(_) => ErrorKind::Internal,
    };
    Error::from_part(kind, error)
}
