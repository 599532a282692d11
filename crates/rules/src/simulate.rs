//! Random play that searches for defects of a game.
//!
//! Some demands on a game cannot be read off its rules: that every role can move until the end, that each
//! role gets one goal value there, that play ends. Random play finds many violations and proves
//! none absent. Each [`PlayFinding`] carries the moves that lead to it, so that a reader can follow it;
//! [`Observations`] tell the properties that held in all states seen, which is an observation and no proof.

use super::idle::IdleMoves;
use super::lost::LostFacts;
use super::terms::TermId;
use super::{Reasoner, ReasonerError, State, goal_defect};
use gdl::game::{Game, points};
use gdl::{MAX_POINTS, Name, Term};
use limits::StopReason;
use num_rational::BigRational;
use rustc_hash::FxHashSet;
use std::fmt;
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct PlaySettings {
    /// How many playouts, at most.
    pub playouts: usize,
    /// How many joint moves one playout may take until it counts as not ending.
    pub plies: usize,
    /// When to stop in any case.
    pub time: Option<Duration>,
    /// The seed of the random choices.
    pub seed: u64,
    /// Whether missing `base` or `input` relations are a defect. When they are there they are
    /// checked anyway.
    pub demand_base_and_input: bool,
}

impl Default for PlaySettings {
    fn default() -> Self {
        PlaySettings {
            playouts: 100,
            plies: 1000,
            time: Some(Duration::from_secs(10)),
            seed: 0,
            demand_base_and_input: false,
        }
    }
}

/// Something that a valid game must not do.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum PlayDefect {
    /// A role cannot move although the game is not over.
    #[error("{0} has no legal move, and the state is not terminal")]
    NoLegalMove(Name),
    /// A player gets no goal value at the end.
    #[error("{0} has no goal value in a terminal state")]
    NoGoal(Name),
    /// A player gets several goal values at the end.
    #[error("{0} has several goal values in a terminal state: {list}", list = listed(.1))]
    SeveralGoals(Name, Vec<Term>),
    /// A goal value at the end is no number of points.
    #[error(
        "{0} has the goal value {1}, which is no number up to {MAX_POINTS} such as 50, -3 or 1/2"
    )]
    NoPoints(Name, Term),
    /// A playout was not over at the limit.
    #[error("play did not end within {0} joint moves")]
    DoesNotEnd(usize),
    #[error("the game has no `base` sentence")]
    NoBase,
    #[error("the game has no `input` sentence")]
    NoInput,
    /// A fact comes true that `base` does not list.
    #[error("{0} comes true, but `base` does not list it")]
    FactNotInBase(Term),
    /// A move is legal that `input` does not list.
    #[error("{1} is legal for {0}, but `input` does not list it")]
    MoveNotInInput(Name, Term),
    /// Facts like this were in every state so far, one in each, and are in none from here on, since the rules find no row like the second
    /// in a table.
    #[error("every state so far had a fact {0}, and this one has none: no fact gives {1}")]
    LostFact(Term, Term),
    /// Random has a move that no rule asks for beside moves that count.
    #[error(
        "random has {1} moves with the same chance, and no rule asks whether it makes one of them, {0}; if that is not meant, \
         its `legal` rule needs (distinct ?role random)"
    )]
    IdleRandomMove(Term, usize),
}

/// The most joint moves that a message lists, the first and the last of them.
const MAX_MOVES: usize = 8;

/// The most facts or moves that a message lists side by side.
const MAX_TERMS: usize = 30;

/// A defect and where it was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayFinding {
    pub defect: PlayDefect,
    /// The joint moves from the initial state on.
    pub history: Vec<Vec<Term>>,
    /// The facts of the state reached.
    pub state: Vec<Term>,
}

impl fmt::Display for PlayFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.defect)?;
        if self.history.is_empty() {
            f.write_str("; this is so at the start")?;
        } else {
            f.write_str("; after the moves")?;
            let count = self.history.len();
            for (number, joint_move) in self.history.iter().enumerate() {
                if count <= MAX_MOVES || number < MAX_MOVES / 2 || number >= count - MAX_MOVES / 2 {
                    write!(f, " ({})", listed(joint_move))?;
                } else if number == MAX_MOVES / 2 {
                    write!(f, " ... {} more ...", count - MAX_MOVES)?;
                }
            }
        }
        write!(f, "; the state is {{{}}}", listed(&self.state))
    }
}

/// The observations in all states visited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observations {
    /// The joint moves that lead to a state in which more than one role other than `random` has a
    /// choice; None while play was turn-taking.
    pub simultaneous_choice: Option<Vec<Vec<Term>>>,
    /// Whether in all terminal states the goal values of the two players added up to 100, or to 0 if some are below 0. None
    /// for games of one or of more than two players, and when no terminal state was reached.
    pub zero_sum: Option<bool>,
    /// For each player (role other than `random`) the goal values at the end of some play: numbers in
    /// their order, then other terms.
    pub goal_values: Vec<Vec<String>>,
    /// For each player the first whose goal values were the same in all terminal states; empty when none was reached.
    pub same_goals: Vec<usize>,
    /// The most joint moves of a playout.
    pub longest_play: usize,
    /// The fewest joint moves of a playout that ended.
    pub shortest_play: Option<usize>,
    /// The most legal moves that each role had in a state that was not terminal.
    pub max_moves: Vec<usize>,
    /// How many states were visited, repetitions counted.
    pub states: usize,
}

#[derive(Clone, Debug, Default)]
pub struct Simulation {
    /// Defects, the first of each kind and role.
    pub findings: Vec<PlayFinding>,
    /// The observations that held everywhere.
    pub observations: Observations,
    /// How many playouts were finished.
    pub playouts: usize,
    /// Whether time ran out before all playouts were made.
    pub out_of_time: bool,
}

/// Plays at random: every role chooses uniformly from its legal moves. The reasoner is that of the game.
///
/// The same game, seed and limits give the same playouts (as far as time allows).
pub fn simulate(
    game: &Game,
    reasoner: &mut Reasoner,
    settings: &PlaySettings,
) -> Result<Simulation, ReasonerError> {
    let before = reasoner.limits();
    if let Some(time) = settings.time {
        reasoner.set_limits(super::RuleLimits {
            overall: before.overall.within(time),
            ..before.clone()
        });
    }
    let mut play = Play {
        total: game.zero_sum_total().fraction(),
        random: fastrand::Rng::with_seed(settings.seed),
        settings,
        base: None,
        input: None,
        lost: LostFacts::of(game),
        idle: IdleMoves::of(game),
        result: Simulation::default(),
    };
    let outcome = play.run(reasoner);
    reasoner.set_limits(before);
    let mut result = play.result;
    match outcome {
        Ok(()) => Ok(result),
        Err(ReasonerError::Stopped(StopReason::Time)) => {
            result.out_of_time = true;
            Ok(result)
        }
        Err(error) => Err(error),
    }
}

struct Play<'a> {
    settings: &'a PlaySettings,
    random: fastrand::Rng,
    base: Option<FxHashSet<TermId>>,
    input: Option<Vec<FxHashSet<TermId>>>,
    lost: Option<LostFacts>,
    idle: Option<IdleMoves>,
    /// The sum of goal values in a zero-sum game.
    total: BigRational,
    result: Simulation,
}

impl Play<'_> {
    fn run(&mut self, reasoner: &mut Reasoner) -> Result<(), ReasonerError> {
        let roles = reasoner.roles();
        let players = roles.iter().filter(|role| !role.is_random());
        self.result.observations.goal_values = vec![Vec::new(); players.count()];
        self.result.observations.max_moves = vec![0; roles.len()];
        let initial = reasoner.initial()?;
        let base = reasoner.base_ids()?;
        self.base = base.map(|facts| facts.into_iter().collect());
        let input = reasoner.input_ids()?;
        self.input = input.map(|roles| {
            let sets = roles.into_iter().map(|moves| moves.into_iter().collect());
            sets.collect()
        });
        if self.settings.demand_base_and_input {
            if self.base.as_ref().is_none_or(FxHashSet::is_empty) {
                self.report(reasoner, PlayDefect::NoBase, &[], &initial);
            }
            let no_moves = |moves: &Vec<FxHashSet<TermId>>| moves.iter().all(FxHashSet::is_empty);
            if self.input.as_ref().is_none_or(no_moves) {
                self.report(reasoner, PlayDefect::NoInput, &[], &initial);
            }
        }
        for _ in 0..self.settings.playouts {
            self.playout(reasoner, initial.clone())?;
            self.result.playouts += 1;
        }
        Ok(())
    }

    fn playout(&mut self, reasoner: &mut Reasoner, initial: State) -> Result<(), ReasonerError> {
        let mut history = Vec::new();
        let mut state = initial;
        let mut single = self.single_facts(reasoner, &state);
        loop {
            self.result.observations.states += 1;
            self.check_facts(reasoner, &history, &state);
            if reasoner.terminal(&state)? {
                self.note_length(history.len(), true);
                return self.check_goals(reasoner, &history, &state);
            }
            if history.len() >= self.settings.plies {
                self.note_length(history.len(), false);
                let defect = PlayDefect::DoesNotEnd(self.settings.plies);
                self.report(reasoner, defect, &history, &state);
                return Ok(());
            }
            let Some(joint_move) = self.choose(reasoner, &history, &state)? else {
                self.note_length(history.len(), false);
                return Ok(());
            };
            let next = reasoner.next_ids(&state, &joint_move)?;
            history.push(joint_move);
            self.check_losses(reasoner, &history, (&state, &next), &mut single)?;
            state = next;
        }
    }

    /// The patterns of facts that have one instance in a state.
    fn single_facts(&mut self, reasoner: &Reasoner, state: &State) -> Vec<usize> {
        let counts = self.lost.as_mut().map(|lost| lost.counts(reasoner, state));
        let counts = counts.into_iter().flatten();
        let single = counts.filter_map(|(pattern, count)| (count == 1).then_some(pattern));
        let mut single: Vec<usize> = single.collect();
        single.sort_unstable();
        single
    }

    /// Reports the first of these patterns that the last step lost, and keeps those that have one instance still.
    fn check_losses(
        &mut self,
        reasoner: &mut Reasoner,
        history: &[Vec<TermId>],
        (before, after): (&State, &State),
        single: &mut Vec<usize>,
    ) -> Result<(), ReasonerError> {
        let Some(lost) = &mut self.lost else {
            return Ok(());
        };
        let counts = lost.counts(reasoner, after);
        let gone: Vec<usize> = (single.iter().copied())
            .filter(|pattern| !counts.contains_key(pattern))
            .collect();
        single.retain(|pattern| counts.get(pattern) == Some(&1));
        if gone.is_empty() {
            return Ok(());
        }
        let is_over = reasoner.terminal(after)?;
        let facts = reasoner.facts(before);
        let joint_move = in_words(reasoner, &history[history.len() - 1..]).remove(0);
        let losses = gone.into_iter();
        let mut losses =
            losses.filter_map(|pattern| lost.loss(pattern, &facts, &joint_move, is_over, reasoner));
        if let Some(loss) = losses.next() {
            let defect = PlayDefect::LostFact(loss.pattern, loss.row);
            self.report(reasoner, defect, history, after);
            // It is reported once.
            self.lost = None;
        }
        Ok(())
    }

    /// A random joint move; none when some role cannot move.
    fn choose(
        &mut self,
        reasoner: &mut Reasoner,
        history: &[Vec<TermId>],
        state: &State,
    ) -> Result<Option<Vec<TermId>>, ReasonerError> {
        let mut joint_move = Vec::new();
        let mut choosing = 0;
        let mut stuck = false;
        for (index, role) in reasoner.roles().to_vec().iter().enumerate() {
            let moves = reasoner.legal_ids(state, index)?;
            let most = &mut self.result.observations.max_moves[index];
            *most = moves.len().max(*most);
            choosing += usize::from(moves.len() > 1 && !role.is_random());
            if let Some(input) = &self.input {
                let missing = moves.iter().find(|action| !input[index].contains(action));
                if let Some(&action) = missing {
                    let defect = PlayDefect::MoveNotInInput(role.clone(), reasoner.term(action));
                    self.report(reasoner, defect, history, state);
                }
            }
            if let (true, Some(idle), true) = (role.is_random(), &self.idle, moves.len() > 1) {
                let terms: Vec<Term> = moves.iter().map(|&id| reasoner.term(id)).collect();
                if let Some(action) = idle.find(&terms) {
                    let defect = PlayDefect::IdleRandomMove(action.clone(), moves.len());
                    self.report(reasoner, defect, history, state);
                    // It is reported once.
                    self.idle = None;
                }
            }
            match self.random.choice(&moves) {
                Some(action) => joint_move.push(*action),
                None => {
                    stuck = true;
                    let defect = PlayDefect::NoLegalMove(role.clone());
                    self.report(reasoner, defect, history, state);
                }
            }
        }
        if choosing > 1 && self.result.observations.simultaneous_choice.is_none() {
            self.result.observations.simultaneous_choice = Some(in_words(reasoner, history));
        }
        Ok(if stuck { None } else { Some(joint_move) })
    }

    fn check_facts(&mut self, reasoner: &Reasoner, history: &[Vec<TermId>], state: &State) {
        let Some(base) = &self.base else { return };
        let missing = state.fact_ids().iter().find(|fact| !base.contains(fact));
        if let Some(&fact) = missing {
            let defect = PlayDefect::FactNotInBase(reasoner.term(fact));
            self.report(reasoner, defect, history, state);
        }
    }

    fn check_goals(
        &mut self,
        reasoner: &mut Reasoner,
        history: &[Vec<TermId>],
        state: &State,
    ) -> Result<(), ReasonerError> {
        let mut numbers = Vec::new();
        let mut players = 0;
        let mut goals = Vec::new();
        for (index, role) in reasoner.roles().to_vec().iter().enumerate() {
            // The random role plays for nothing.
            if role.is_random() {
                continue;
            }
            let values = reasoner.goals(state, index)?;
            self.note_goals(players, &values);
            players += 1;
            numbers.extend(values.iter().filter_map(points));
            if let Some(defect) = goal_defect(role, &values) {
                self.report(reasoner, defect, history, state);
            }
            goals.push(values);
        }
        let same = &mut self.result.observations.same_goals;
        same.resize(players, 0);
        *same = (0..players)
            .map(|player| {
                let is_same =
                    |other: &usize| same[*other] == same[player] && goals[*other] == goals[player];
                (0..player).find(is_same).unwrap_or(player)
            })
            .collect();
        if players == 2 {
            let is_single = goals.iter().all(|values| values.len() == 1);
            let sum = numbers
                .iter()
                .map(|points| points.fraction())
                .sum::<BigRational>();
            let adds_up = is_single && numbers.len() == 2 && sum == self.total;
            let zero_sum = &mut self.result.observations.zero_sum;
            *zero_sum = Some(zero_sum.unwrap_or(true) && adds_up);
        }
        Ok(())
    }

    fn note_goals(&mut self, player: usize, values: &[Term]) {
        let seen = &mut self.result.observations.goal_values[player];
        let number = |text: &String| (text.parse().unwrap_or(u64::MAX), text.clone());
        for value in values {
            let text = value.to_string();
            if let Err(index) = seen.binary_search_by_key(&number(&text), number) {
                seen.insert(index, text);
            }
        }
    }

    fn note_length(&mut self, plies: usize, ended: bool) {
        let observations = &mut self.result.observations;
        observations.longest_play = observations.longest_play.max(plies);
        if ended {
            let shortest = observations.shortest_play.unwrap_or(plies);
            observations.shortest_play = Some(shortest.min(plies));
        }
    }

    /// Keeps a defect unless one of its kind (for the role) is known.
    fn report(
        &mut self,
        reasoner: &Reasoner,
        defect: PlayDefect,
        history: &[Vec<TermId>],
        state: &State,
    ) {
        let known = self.result.findings.iter().any(|finding| {
            std::mem::discriminant(&finding.defect) == std::mem::discriminant(&defect)
                && finding.defect.role() == defect.role()
        });
        if !known {
            self.result.findings.push(PlayFinding {
                defect,
                history: in_words(reasoner, history),
                state: reasoner.facts(state),
            });
        }
    }
}

impl PlayDefect {
    /// Whether this is a slip of the author rather than of the form: the game has a value, which may be that of another game than was meant.
    pub fn is_slip(&self) -> bool {
        matches!(
            self,
            PlayDefect::LostFact(..) | PlayDefect::IdleRandomMove(..)
        )
    }

    /// Whether a game with this defect has no value. With the others it has one all the same.
    pub fn is_error(&self) -> bool {
        matches!(
            self,
            PlayDefect::NoLegalMove(_)
                | PlayDefect::NoGoal(_)
                | PlayDefect::SeveralGoals(..)
                | PlayDefect::NoPoints(..)
        )
    }

    /// The role it is about.
    pub fn role(&self) -> Option<&Name> {
        match self {
            PlayDefect::NoLegalMove(role)
            | PlayDefect::NoGoal(role)
            | PlayDefect::SeveralGoals(role, _)
            | PlayDefect::NoPoints(role, _)
            | PlayDefect::MoveNotInInput(role, _) => Some(role),
            PlayDefect::DoesNotEnd(_)
            | PlayDefect::NoBase
            | PlayDefect::NoInput
            | PlayDefect::FactNotInBase(_)
            | PlayDefect::LostFact(..)
            | PlayDefect::IdleRandomMove(..) => None,
        }
    }
}

/// The terms, or the first of them and how many more there are.
pub fn listed(terms: &[Term]) -> String {
    let shown = terms.iter().take(MAX_TERMS).map(Term::to_string);
    let mut text = shown.collect::<Vec<String>>().join(" ");
    if let Some(more @ 1..) = terms.len().checked_sub(MAX_TERMS) {
        text.push_str(&format!(" ... and {more} more"));
    }
    text
}

fn in_words(reasoner: &Reasoner, history: &[Vec<TermId>]) -> Vec<Vec<Term>> {
    let words = |joint_move: &Vec<TermId>| joint_move.iter().map(|&id| reasoner.term(id)).collect();
    history.iter().map(words).collect()
}
