//! `sqasp prove`: properties that hold in every state of a game.

use super::load::load_game;
use crate::cli::args::{ProofRoute, ProveArguments, ShownProgram};
use crate::cli::request::budget;
use crate::cli::run::spinner;
use crate::cli::start::rules_failure;
use crate::cli::watch::{Watch, Watched};
use crate::cli::{Exit, Failure, files};
use crate::report::{finding_json, finding_text};
use limits::{StopReason, lock};
use logic::ground::BYTES_PER_RULE;
use prove::{Finding, Property, ProveError, Prover, Route, Settings, Verdict};
use std::sync::{Arc, Mutex};

pub(super) fn prove(arguments: &ProveArguments) -> Result<Exit, Failure> {
    let budget = budget(&arguments.limits)?;
    let usage = |text: String| Failure::new(Exit::Usage, text);
    let (game, texts) = arguments.game.split(|text| Property::parse(text).is_ok());
    if texts.is_empty() != arguments.all {
        return Err(usage(
            "say what to prove, such as 'unique (control ?p)', or --all".to_owned(),
        ));
    }
    let parse = |texts: &[String]| -> Result<Vec<Property>, Failure> {
        texts
            .iter()
            .map(|text| Property::parse(text).map_err(usage))
            .collect()
    };
    let properties = parse(&texts)?;
    let assumed = parse(&arguments.assume)?;
    let found: Arc<Mutex<Vec<Finding>>> = Arc::default();
    let watch = Watch::start(Watched {
        budget: budget.clone(),
        last_words: {
            let (found, properties, json) = (
                Arc::clone(&found),
                properties.clone(),
                arguments.report.json,
            );
            Box::new(move |reason, _| {
                let mut found = lock(&found);
                for property in &properties[found.len().min(properties.len())..] {
                    found.push(cut_off(property, reason));
                }
                // The process ends anyway.
                let _ = print(&found, json);
            })
        },
    });
    let game = load_game(&game, arguments.report.quiet, &budget)?;
    let settings = Settings {
        route: match arguments.engine {
            ProofRoute::Auto => Route::Auto,
            ProofRoute::Asp => Route::AnswerSets,
            ProofRoute::Circuit => Route::Circuit,
        },
        clock: budget.clock.clone(),
        rules: budget.memory.map_or(usize::MAX, |memory| {
            usize::try_from(memory / BYTES_PER_RULE).unwrap_or(usize::MAX)
        }),
        max_steps: arguments.induction.into(),
        ..Settings::default()
    };
    let bar = spinner(arguments.report.quiet);
    bar.set_message("proving");
    let outcome = run(&game, settings, arguments, &properties, &assumed, &found);
    bar.finish_and_clear();
    let done = match outcome.map_err(failure) {
        Ok(done) => done,
        Err(failure) => {
            let reason = budget.reached().filter(|_| failure.exit == Exit::Limit);
            let reason = reason.ok_or(failure)?;
            let mut found = lock(&found);
            for property in &properties[found.len().min(properties.len())..] {
                found.push(cut_off(property, reason));
            }
            Done::Searched { is_cut: true }
        }
    };
    let stopped = budget.clock.interrupt.raised();
    drop(watch);
    let is_cut = match done {
        Done::Searched { is_cut } => is_cut,
        Done::WorkDisplay(text) => {
            files::print(|to| write!(to, "{text}"))?;
            return Ok(Exit::Answered);
        }
    };
    let found = lock(&found);
    print(&found, arguments.report.json)?;
    if let (true, Some(reason)) = (found.is_empty(), stopped.or(budget.reached())) {
        files::tell(&format!("sqasp: {reason} before anything was found out"));
    }
    let unknown = |finding: &Finding| matches!(finding.verdict, Verdict::Unknown(_));
    let is_wrong = |finding: &Finding| {
        assumed.contains(&finding.property) && matches!(finding.verdict, Verdict::Refuted(_))
    };
    let is_open = found.iter().any(unknown);
    Ok(match stopped {
        Some(reason) => Exit::for_stop(reason),
        None if arguments.all && is_cut && !is_all_known(&found) => Exit::Limit,
        None if arguments.all => Exit::Answered,
        None if is_open && found.iter().any(is_wrong) => Exit::InvalidInput,
        None if is_open => Exit::Limit,
        None => Exit::Answered,
    })
}

/// Whether nothing was left to find out by everything that can be proved.
fn is_all_known(found: &[Finding]) -> bool {
    let is_known =
        |finding: &Finding| matches!(finding.verdict, Verdict::Proved(_) | Verdict::Refuted(_));
    let is_bound = |finding: &Finding| matches!(finding.property, Property::Terminates(_));
    found.iter().all(is_known) && found.iter().any(is_bound)
}

/// How the work ended.
enum Done {
    /// Findings were collected; `is_cut` if more time may tell more.
    Searched { is_cut: bool },
    /// The text of the program that was to be shown.
    WorkDisplay(String),
}

/// Collects findings, or gives the text of the program that was to be shown.
fn run(
    game: &gdl::game::Game,
    settings: Settings,
    arguments: &ProveArguments,
    properties: &[Property],
    assumed: &[Property],
    found: &Mutex<Vec<Finding>>,
) -> Result<Done, ProveError> {
    let mut prover = Prover::new(game, settings)?;
    let searched = |prover: &Prover<'_>| Done::Searched {
        is_cut: prover.is_cut(),
    };
    let add = |finding| lock(found).push(finding);
    if let Some(shown) = arguments.show {
        let mut text = String::new();
        for property in properties {
            let programs = prover.programs(property, assumed);
            let (base, step) = programs.map_err(ProveError::Property)?;
            text.push_str(&match shown {
                ShownProgram::Base => base.to_string(),
                ShownProgram::Step => step.to_string(),
            });
        }
        return Ok(Done::WorkDisplay(text));
    }
    if arguments.all {
        prover.prove_all(&mut { add })?;
        return Ok(searched(&prover));
    }
    let mut known: Vec<Property> = Vec::new();
    for assumption in assumed {
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
            return Ok(searched(&prover));
        }
        known.push(assumption.clone());
    }
    for (number, property) in properties.iter().enumerate() {
        let left = u32::try_from(properties.len() - number).unwrap_or(u32::MAX);
        // The others say which facts there are; these rest on such facts, which `check` finds as well.
        let by_features = known.is_empty()
            && matches!(
                property,
                Property::TurnTaking | Property::LegalNonempty | Property::ZeroSum
            );
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
    Ok(searched(&prover))
}

fn cut_off(property: &Property, reason: StopReason) -> Finding {
    Finding {
        property: property.clone(),
        verdict: Verdict::Unknown(vec![reason.to_string()]),
    }
}

fn print(found: &[Finding], json: bool) -> Result<(), Failure> {
    files::print(|to| {
        if json {
            let objects: Vec<serde_json::Value> = found.iter().map(finding_json).collect();
            return writeln!(to, "{}", serde_json::Value::Array(objects));
        }
        found
            .iter()
            .try_for_each(|finding| writeln!(to, "{}", finding_text(finding)))
    })
}

fn failure(error: ProveError) -> Failure {
    match &error {
        ProveError::Property(text) => Failure::new(Exit::Usage, text),
        ProveError::Vocabulary(_) => Failure::new(Exit::Limit, error),
        ProveError::Rules(rules) => rules_failure(rules.clone()),
        ProveError::Contradiction(_) => Failure::new(Exit::Internal, error),
    }
}
