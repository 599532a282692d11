//! States of a game: facts, legal moves, the next state.

use engines::{Error, ErrorKind};
use gdl::game::{Game, NoSuchRole, Points, points};
use gdl::{Name, Term, did_you_mean_term, texts};
use limits::lock;
use rules::RuleLimits;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, OnceLock};
use step::{Position, StateMachine, StepLimits};

/// A state of a game. It does not change: [`State::play`] gives another one. States that come from one initial state and have the same
/// facts are equal.
///
/// ```
/// use sqasp::State;
///
/// let game = sqasp::read("walk", b"(role walker) (role random) (init (at 0)) (after 0 1) (after 1 2)
///     (legal walker rest) (<= (legal walker go) (true (at 0))) (legal random noop)
///     (<= (next (at ?n)) (true (at ?m)) (does walker go) (after ?m ?n))
///     (<= terminal (true (at 1))) (<= (goal walker 100) (true (at 1)))")?;
/// let start = State::initial(&game)?;
/// let go = start.legal("walker")?[0].clone();
/// assert_eq!(go.to_string(), "go");
/// // `random` has one legal move only.
/// let end = start.play(&start.joint_move([("walker", go)])?)?;
/// assert!(end.is_terminal()?);
/// assert_eq!(end.goal("walker")?, Some(100.into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct State {
    rules: Arc<Rules>,
    position: Position,
    observation: OnceLock<Observation>,
}

/// The rules of a game, which all its states share.
struct Rules {
    roles: Vec<Name>,
    machine: Mutex<StateMachine>,
}

/// The relations of a state that its facts decide; lists have an element for each role.
#[derive(Clone)]
struct Observation {
    is_terminal: bool,
    /// None where play is over.
    legal: Vec<Vec<Term>>,
    /// As written.
    goals: Vec<Vec<Term>>,
}

impl State {
    /// The initial state of a game.
    ///
    /// # Errors
    /// If the rules cannot be evaluated, as for all methods.
    pub fn initial(game: &Game) -> Result<Self, Error> {
        let mut machine = StateMachine::new(game, &StepLimits::modest(), RuleLimits::default())?;
        let position = machine.initial()?;
        let rules = Rules {
            roles: game.roles().to_vec(),
            machine: Mutex::new(machine),
        };
        Ok(State::new(Arc::new(rules), position))
    }

    fn new(rules: Arc<Rules>, position: Position) -> Self {
        State {
            rules,
            position,
            observation: OnceLock::new(),
        }
    }

    /// The state of the same game with these facts, which need not be one that play leads to.
    ///
    /// # Errors
    /// See [`State::initial`].
    pub fn with_facts(&self, facts: &[Term]) -> Result<Self, Error> {
        let position = lock(&self.rules.machine).position(facts)?;
        Ok(State::new(Arc::clone(&self.rules), position))
    }

    /// All roles of the game in order, that of chance included.
    pub fn roles(&self) -> &[Name] {
        &self.rules.roles
    }

    /// The facts that hold, sorted by text.
    pub fn facts(&self) -> Vec<Term> {
        lock(&self.rules.machine).facts(&self.position)
    }

    /// Whether play is over.
    ///
    /// # Errors
    /// See [`State::initial`].
    pub fn is_terminal(&self) -> Result<bool, Error> {
        Ok(self.observation()?.is_terminal)
    }

    /// The legal moves of a role, sorted by text; none where play is over.
    ///
    /// # Errors
    /// If there is no such role, and those of [`State::initial`].
    pub fn legal(&self, role: &str) -> Result<&[Term], Error> {
        let role = self.role(role)?;
        Ok(&self.observation()?.legal[role])
    }

    /// The points of a role; none if the rules do not give it exactly one number here.
    ///
    /// # Errors
    /// See [`State::legal`].
    pub fn goal(&self, role: &str) -> Result<Option<Points>, Error> {
        let role = self.role(role)?;
        Ok(match &self.observation()?.goals[role][..] {
            [only] => points(only),
            _ => None,
        })
    }

    /// The joint move with these moves of roles; roles without a move here have one legal move only.
    ///
    /// # Errors
    /// If another role has several legal moves, and those of [`State::legal`].
    pub fn joint_move<'a>(
        &self,
        moves: impl IntoIterator<Item = (&'a str, Term)>,
    ) -> Result<Vec<Term>, Error> {
        let mut chosen = vec![None; self.roles().len()];
        for (role, action) in moves {
            chosen[self.role(role)?] = Some(action);
        }
        let legal = &self.under_way()?.legal;
        let moves = chosen.into_iter().zip(legal).zip(self.roles());
        let fill = moves.map(|((chosen, legal), role)| match (chosen, &legal[..]) {
            (Some(action), _) => Ok(action),
            (None, [only]) => Ok(only.clone()),
            (None, legal) => Err(mistake(format!(
                "{role} has {} legal moves here, and none is given: one of {}",
                legal.len(),
                texts(legal).join(", ")
            ))),
        });
        fill.collect()
    }

    /// The state after a joint move: one legal move for each role, in their order.
    ///
    /// # Errors
    /// If play is over or a move is not legal, and those of [`State::initial`].
    pub fn play(&self, joint_move: &[Term]) -> Result<Self, Error> {
        let legal = &self.under_way()?.legal;
        if joint_move.len() != legal.len() {
            let roles: Vec<&str> = self.roles().iter().map(Name::as_str).collect();
            return Err(mistake(format!(
                "a joint move has one move for each of {}",
                roles.join(", ")
            )));
        }
        let mut moves = joint_move.iter().zip(legal).zip(self.roles());
        if let Some(((action, legal), role)) = moves.find(|((one, legal), _)| !legal.contains(one))
        {
            let meant = did_you_mean_term(action, legal);
            return Err(mistake(format!(
                "{action} is not a legal move of {role}{meant}"
            )));
        }
        let position = lock(&self.rules.machine).next(&self.position, joint_move)?;
        Ok(State::new(Arc::clone(&self.rules), position))
    }

    /// For each role the things that it sees when a joint move is made, in a game of hidden information.
    ///
    /// # Errors
    /// See [`State::initial`].
    pub fn percepts(&self, joint_move: &[Term]) -> Result<Vec<Vec<Term>>, Error> {
        Ok(lock(&self.rules.machine).percepts(&self.position, joint_move)?)
    }

    /// The moves that a role may ever have; nothing if the game is too large to list them.
    ///
    /// # Errors
    /// If there is no such role.
    pub fn all_moves(&self, role: &str) -> Result<Option<Vec<Term>>, Error> {
        let role = self.role(role)?;
        let machine = lock(&self.rules.machine);
        Ok(machine.circuit().ok().map(|step| step.moves[role].clone()))
    }

    /// The place of a role in [`State::roles`].
    ///
    /// # Errors
    /// If there is no such role.
    pub fn role(&self, role: &str) -> Result<usize, Error> {
        let role = Name::new(&role.to_lowercase());
        let place = self.roles().iter().position(|other| *other == role);
        place.ok_or_else(|| NoSuchRole::among(self.roles(), &role).into())
    }

    fn under_way(&self) -> Result<&Observation, Error> {
        match self.observation()? {
            over if over.is_terminal => Err(mistake("play is over".to_owned())),
            observation => Ok(observation),
        }
    }

    fn observation(&self) -> Result<&Observation, Error> {
        if let Some(known) = self.observation.get() {
            return Ok(known);
        }
        let machine = &mut *lock(&self.rules.machine);
        let is_terminal = machine.terminal(&self.position)?;
        let (mut legal, mut goals) = (Vec::new(), Vec::new());
        for role in 0..self.roles().len() {
            legal.push(match is_terminal {
                true => Vec::new(),
                false => machine.legal(&self.position, role)?,
            });
            goals.push(machine.goals(&self.position, role)?);
        }
        Ok(self.observation.get_or_init(|| Observation {
            is_terminal,
            legal,
            goals,
        }))
    }
}

fn mistake(message: String) -> Error {
    Error::new(ErrorKind::Question, message)
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.rules, &other.rules) && self.position == other.position
    }
}

impl Eq for State {}

impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.position.hash(hasher);
    }
}

impl fmt::Debug for State {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_set().entries(texts(&self.facts())).finish()
    }
}
