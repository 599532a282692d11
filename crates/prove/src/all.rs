//! The systematic search: everything that can be proved of a game without being asked.
//!
//! 1. Candidates ([`candidates`](super::candidates)); random play refutes most of those that do not hold.
//! 2. Houdini over one step, then over more ([`houdini`](super::houdini)).
//! 3. Properties with a name (turn-taking, zero-sum, ...) and a bound for the length of plays, given all
//!    that was proved.
//!
//! Each verdict names the properties it rests on: of those proved together those that the solver needed
//! for this one.

use super::board::Board;
use super::candidates::{named_candidates, unique_candidates};
use super::condition::Condition;
use super::houdini::{Pool, drop_violated, weaken};
use super::lengths::proved_by_bound;
use super::playing::Playthrough;
use super::property::Property;
use super::prover::{Claim, ProveError, Prover, Settings};
use super::reasons::{Candidate, Reasons};
use super::search::play;
use super::steps::{Play, Stop};
use super::verdict::{Proof, Verdict};
use gdl::game::Game;
use limits::Limits;
use std::time::Duration;

/// The longest time to prove that something is a board, where it is only to be drawn.
const BOARD_TIME: Duration = Duration::from_secs(2);

/// A property and the verdict about it.
#[derive(Clone, Debug)]
pub struct Finding {
    pub property: Property,
    pub verdict: Verdict,
}

/// Why an induction ended early.
enum Failure {
    Stop(Stop),
    Wrong(ProveError),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        Failure::Stop(stop)
    }
}

impl From<ProveError> for Failure {
    fn from(error: ProveError) -> Self {
        match error {
            ProveError::Rules(error) => Failure::Stop(Stop::Cannot(error.to_string())),
            error => Failure::Wrong(error),
        }
    }
}

impl Prover<'_> {
    /// Everything that the systematic search finds out, and a bound for the length of plays. `report` is
    /// told each finding as soon as it is known.
    pub fn prove_all(&mut self, report: &mut dyn FnMut(Finding)) -> Result<(), ProveError> {
        let findings = self.within(2, Self::prove_features)?;
        let mut known: Vec<Claim> = Vec::new();
        let proved = findings
            .iter()
            .filter(|finding| finding.verdict.is_proved());
        for finding in proved {
            known.push(self.claim(&finding.property)?);
        }
        findings.into_iter().for_each(&mut *report);
        for property in named_candidates(&self.vocabulary) {
            let claim = match self.claim(&property) {
                Ok(claim) => claim,
                Err(why) => {
                    let verdict = Verdict::Unknown(vec![why.to_string()]);
                    report(Finding { property, verdict });
                    continue;
                }
            };
            let mut verdict = self.within(4, |this| this.prove_claim(&claim, &[]))?;
            if !matches!(verdict, Verdict::Proved(_) | Verdict::Refuted(_)) && !known.is_empty() {
                verdict = self.within(3, |this| this.prove_claim(&claim, &known))?;
            }
            report(Finding { property, verdict });
        }
        if let Ok(Some(bound)) = self.within(1, |this| this.find_bound(&known)) {
            report(Finding {
                property: Property::Terminates(u32::try_from(bound.steps).unwrap_or(u32::MAX)),
                verdict: proved_by_bound(bound),
            });
        }
        Ok(())
    }

    /// The verdicts about properties, with the help of all that is proved about features. What is proved with these is
    /// the verdict about one of them as well: no proof uses a property that is called open.
    pub fn prove_with_features(
        &mut self,
        properties: &[Property],
    ) -> Result<Vec<Verdict>, ProveError> {
        let mut verdicts = Vec::new();
        for property in properties {
            verdicts.push(self.within(2, |this| this.prove(property, &[]))?);
        }
        let is_open =
            |verdict: &Verdict| !matches!(verdict, Verdict::Proved(_) | Verdict::Refuted(_));
        if !verdicts.iter().any(is_open) {
            return Ok(verdicts);
        }
        let findings = self.within(2, Self::prove_features)?;
        let known = findings
            .iter()
            .filter(|finding| finding.verdict.is_proved());
        let known: Vec<Property> = known.map(|finding| finding.property.clone()).collect();
        for (property, verdict) in properties.iter().zip(&mut verdicts) {
            let found = findings
                .iter()
                .find(|finding| finding.property == *property && finding.verdict.is_proved());
            if let (true, Some(found)) = (is_open(verdict), found) {
                *verdict = found.verdict.clone();
            } else if is_open(verdict) {
                *verdict = self.within(2, |this| this.prove(property, &known))?;
            }
        }
        Ok(verdicts)
    }

    /// The boards of a game for which the proof is soon found; none where that takes long.
    pub fn boards_soon(game: &Game, limits: &Limits) -> Vec<Board> {
        let settings = Settings::brief(limits.within(BOARD_TIME));
        let proved = Prover::new(game, settings).and_then(|mut prover| prover.boards());
        proved.unwrap_or_default()
    }

    /// The features that are proved to be boards, one board of each.
    pub fn boards(&mut self) -> Result<Vec<Board>, ProveError> {
        let boards = self.likely_boards()?.into_iter();
        Ok(boards
            .filter_map(|(board, is_proved)| is_proved.then_some(board))
            .collect())
    }

    /// The features that are boards, and whether that is proved. Of those without a proof no play has shown a cell
    /// with two facts, but there may be one: a drawing needs a place for it.
    pub fn likely_boards(&mut self) -> Result<Vec<(Board, bool)>, ProveError> {
        let findings = self.prove_features()?;
        let mut boards: Vec<(Board, bool)> = Vec::new();
        for is_proved in [true, false] {
            for finding in &findings {
                let fits = match finding.verdict {
                    Verdict::Proved(_) => is_proved,
                    Verdict::Refuted(_) => false,
                    Verdict::NotInductive(_) | Verdict::Unknown(_) => !is_proved,
                };
                let board = Board::of(&finding.property, &self.vocabulary).filter(|_| fits);
                if let Some(board) = board
                    && !boards
                        .iter()
                        .any(|(known, _)| known.feature() == board.feature())
                {
                    boards.push((board, is_proved));
                }
            }
        }
        Ok(boards)
    }

    /// The findings about the arguments of single features.
    pub fn prove_features(&mut self) -> Result<Vec<Finding>, ProveError> {
        let mut candidates = Vec::new();
        for property in unique_candidates(&self.vocabulary) {
            let claim = match self.claim(&property) {
                Ok(claim) => claim,
                // There is no time for more.
                Err(ProveError::Rules(_)) => break,
                Err(error) => return Err(error),
            };
            candidates.push(Candidate {
                claim,
                numbers: Vec::new(),
                verdict: None,
            });
        }
        self.refute_by_play(&mut candidates)?;
        self.prove_without_moves(&mut candidates)?;
        let mut pool = Pool::default();
        let limits = &self.settings.limits;
        for candidate in candidates.iter_mut() {
            let instances = candidate.claim.instances.iter();
            let instances = instances.take_while(|_| !limits.is_over());
            candidate.numbers = instances.map(|condition| pool.add(condition)).collect();
        }
        let mut tried = vec!["random play: no violation".to_owned()];
        for last in 1..=self.settings.max_steps {
            // Not all instances may be in the pool.
            if let Err(reason) = self.settings.limits.check() {
                tried.push(format!(
                    "induction over {last} steps: {}",
                    Stop::Limit(reason)
                ));
                break;
            }
            match self.induction(last, &mut pool, &mut candidates) {
                Ok(true) => {}
                Ok(false) => break,
                Err(Failure::Stop(stop)) => {
                    tried.push(format!("induction over {last} steps: {stop}"));
                    break;
                }
                Err(Failure::Wrong(error)) => return Err(error),
            }
        }
        let verdict = |candidate: Candidate| Finding {
            property: candidate.claim.property,
            verdict: candidate
                .verdict
                .unwrap_or_else(|| Verdict::Unknown(tried.clone())),
        };
        Ok(candidates.into_iter().map(verdict).collect())
    }

    /// Refutes candidates by random play.
    fn refute_by_play(&mut self, candidates: &mut [Candidate]) -> Result<(), ProveError> {
        let playing = self.playing();
        let instances: Vec<&[Condition]> = candidates
            .iter()
            .map(|candidate| candidate.claim.instances.as_slice())
            .collect();
        // Whatever goes wrong here: nothing is refuted then.
        let Ok(played) = play(&self.vocabulary, &mut self.machine, &instances, &playing) else {
            return Ok(());
        };
        for (candidate, through) in candidates.iter_mut().zip(played.violations) {
            if let Some(through) = through {
                candidate.verdict = match self.witness(&candidate.claim, through) {
                    Ok(witness) => Some(Verdict::Refuted(witness)),
                    // It cannot be checked in time, so it is not reported.
                    Err(ProveError::Rules(_)) => None,
                    Err(error) => return Err(error),
                };
            }
        }
        Ok(())
    }

    /// Proves properties that follow from themselves whatever moves are made, such as whose turn it is in most games. That
    /// is quick, and stays known when time does not suffice for the rest.
    fn prove_without_moves(&mut self, candidates: &mut [Candidate]) -> Result<(), ProveError> {
        for candidate in candidates
            .iter_mut()
            .filter(|candidate| !candidate.is_refuted())
        {
            if !self.depends_on_moves(&candidate.claim) {
                candidate.verdict = self.prove_by_program(&candidate.claim)?;
            }
        }
        Ok(())
    }

    /// Houdini's induction over `last` steps. False if nothing is left to find out.
    fn induction(
        &mut self,
        last: usize,
        pool: &mut Pool,
        candidates: &mut [Candidate],
    ) -> Result<bool, Failure> {
        // More states in a row say more, so everything comes back.
        pool.alive.fill(true);
        for time in 0..last {
            let mut from_start = self.steps(time, true)?;
            let violated = drop_violated(&mut *from_start, time, pool)?;
            drop(from_start);
            for (play, numbers) in violated {
                self.refute(&play, time, &numbers, candidates)?;
            }
        }
        let mut steps = self.steps(last, false)?;
        weaken(&mut *steps, last, pool)?;
        drop(steps);
        let holds = |candidate: &Candidate| candidate.numbers.iter().all(|&n| pool.alive[n]);
        let mut counterexamples = Vec::new();
        let mut reasons = Reasons::new(self.steps(last, false)?, last, pool, candidates)?;
        for number in 0..candidates.len() {
            if holds(&candidates[number]) {
                if !candidates[number].is_proved() {
                    let using = reasons.needed(number, candidates)?;
                    candidates[number].verdict = Some(Verdict::Proved(Proof {
                        using,
                        steps: last,
                        method: "Houdini",
                    }));
                }
            } else if candidates[number].verdict.is_none()
                && last == 1
                && let Some(play) = reasons.counterexample(number, candidates)?
            {
                counterexamples.push((number, play));
            }
        }
        drop(reasons);
        let known = candidates.iter().filter(|candidate| candidate.is_proved());
        let known: Vec<Claim> = known.map(|candidate| candidate.claim.clone()).collect();
        for (number, play) in counterexamples {
            let claim = candidates[number].claim.clone();
            let counterexample = self.counterexample(&claim, &known, &play)?;
            candidates[number].verdict = counterexample.map(Verdict::NotInductive);
        }
        let is_open = |candidate: &Candidate| !candidate.is_proved() && !candidate.is_refuted();
        Ok(candidates.iter().any(is_open))
    }

    /// Refutes the candidates that have some of these instances, by a play that violates them.
    fn refute(
        &mut self,
        play: &Play,
        time: usize,
        numbers: &[usize],
        candidates: &mut [Candidate],
    ) -> Result<(), ProveError> {
        for candidate in candidates
            .iter_mut()
            .filter(|candidate| !candidate.is_refuted())
        {
            let Some(instance) = candidate.numbers.iter().position(|n| numbers.contains(n)) else {
                continue;
            };
            let moves = play.moves.iter().take(time);
            let through = Playthrough {
                joint_moves: moves.map(|moves| self.joint_move(moves)).collect(),
                state: Vec::new(),
                instance,
            };
            let witness = self.witness(&candidate.claim, through)?;
            candidate.verdict = Some(Verdict::Refuted(witness));
        }
        Ok(())
    }
}
