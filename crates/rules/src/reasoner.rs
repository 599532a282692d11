//! The state machine of a game: [`Reasoner`] and [`State`].

use super::ReasonerError;
use super::effort::RuleLimits;
use super::evaluate::Evaluator;
use super::index::Columns;
use super::program::Program;
use super::terms::{TermId, TermStore};
use gdl::game::{COUNTED_STEP, Game};
use gdl::{Name, Term};
use limits::Limits;

/// A state of a game: the set of its facts. Made by a [`Reasoner`] and to be used with it (or
/// with clones of it) only.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State {
    /// In ascending order.
    facts: Box<[TermId]>,
}

/// The state machine of a game, by plain evaluation of its rules.
///
/// Methods take `&mut self` because derived relations are kept: static relations for ever, the
/// others until another state is asked about. Clone it to play in several threads.
#[derive(Clone)]
pub struct Reasoner {
    roles: Vec<Name>,
    role_terms: Vec<TermId>,
    evaluator: Evaluator,
    limits: RuleLimits,
    loaded: Option<State>,
}

const ALL: Columns = 0;
const FIRST: Columns = 1;

impl Reasoner {
    /// Compiles the rules of a game.
    ///
    /// # Errors
    /// When a fact of the game is nested deeper than the default [`RuleLimits`].
    pub fn new(game: &Game) -> Result<Self, ReasonerError> {
        Reasoner::with_limits(game, RuleLimits::default())
    }

    /// Compiles the rules of a game, with limits for each question.
    ///
    /// # Errors
    /// When a fact of the game is nested deeper than the limits allow.
    pub fn with_limits(game: &Game, limits: RuleLimits) -> Result<Self, ReasonerError> {
        let mut terms = TermStore::new(limits.term_depth);
        let (program, stored) = Program::compile(game, &mut terms)?;
        let role_terms = game
            .roles()
            .iter()
            .map(|role| terms.intern_term(&Term::Constant(role.clone())))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Reasoner {
            roles: game.roles().to_vec(),
            role_terms,
            evaluator: Evaluator::new(terms, program, stored),
            limits,
            loaded: None,
        })
    }

    /// The limits that hold for each question.
    pub fn limits(&self) -> RuleLimits {
        self.limits.clone()
    }

    /// The limits from now on (that on depth stays as it was).
    pub fn set_limits(&mut self, limits: RuleLimits) {
        self.limits = limits;
    }

    /// The limits of all work from now on; the others stay as they were.
    pub fn set_overall_limits(&mut self, overall: Limits) {
        self.limits.overall = overall;
    }

    /// All roles, in the order of the game. Methods name a role by its index in this list.
    pub fn roles(&self) -> &[Name] {
        &self.roles
    }

    /// The state given by `init`.
    pub fn initial(&mut self) -> Result<State, ReasonerError> {
        let facts = self.ask("init", 1, ALL, &[])?;
        Ok(State::from_facts(facts))
    }

    /// The state with these facts.
    pub fn state(&mut self, facts: &[Term]) -> Result<State, ReasonerError> {
        let facts = facts
            .iter()
            .map(|fact| self.evaluator.terms.intern_term(fact))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(State::from_facts(facts))
    }

    /// The legal moves of a role, sorted by the bytes of their text.
    pub fn legal(&mut self, state: &State, role: usize) -> Result<Vec<Term>, ReasonerError> {
        let moves = self.legal_ids(state, role)?;
        Ok(self.evaluator.terms.sorted_terms(moves))
    }

    /// The state after a joint move: one move for each role, in order. Moves are not checked for
    /// being legal; the rules say their effect.
    pub fn next(&mut self, state: &State, joint_move: &[Term]) -> Result<State, ReasonerError> {
        let moves = joint_move
            .iter()
            .map(|action| self.evaluator.terms.intern_term(action))
            .collect::<Result<Vec<_>, _>>()?;
        self.next_ids(state, &moves)
    }

    /// For each role the things that it sees (`sees` of GDL-II) when this joint move is made in this state, sorted by the
    /// bytes of their text.
    pub fn percepts(
        &mut self,
        state: &State,
        joint_move: &[Term],
    ) -> Result<Vec<Vec<Term>>, ReasonerError> {
        let moves = joint_move
            .iter()
            .map(|action| self.evaluator.terms.intern_term(action))
            .collect::<Result<Vec<_>, _>>()?;
        self.load_moves(state, &moves)?;
        // All at once: rules rarely gain from a known role.
        let pairs = self.ask("sees", 2, ALL, &[])?;
        let of_role = |role: &TermId| {
            let seen = pairs.chunks_exact(2).filter(|pair| pair[0] == *role);
            (self.evaluator.terms).sorted_terms(seen.map(|pair| pair[1]))
        };
        Ok(self.role_terms.iter().map(of_role).collect())
    }

    /// Whether the game is over.
    pub fn terminal(&mut self, state: &State) -> Result<bool, ReasonerError> {
        self.load(state);
        self.holds("terminal")
    }

    /// Whether the rules say which steps count; else all do.
    pub fn names_counted_steps(&self) -> bool {
        self.evaluator.program().find(COUNTED_STEP, 0).is_some()
    }

    /// Whether a step made in a state counts: where the rules do not say which steps count, all do.
    pub fn step_counts(&mut self, state: &State) -> Result<bool, ReasonerError> {
        if !self.names_counted_steps() {
            return Ok(true);
        }
        self.load(state);
        self.holds(COUNTED_STEP)
    }

    /// All goal values that the rules give a role, sorted by text. Real games have one in each
    /// terminal state; elsewhere there may be any number.
    pub fn goals(&mut self, state: &State, role: usize) -> Result<Vec<Term>, ReasonerError> {
        self.load(state);
        let role = self.role_terms[role];
        let values = self.ask("goal", 2, FIRST, &[role])?;
        Ok(self.evaluator.terms.sorted_terms(values))
    }

    /// All facts that states may have according to `base`, sorted by text; None when the game
    /// has no `base`.
    pub fn base(&mut self) -> Result<Option<Vec<Term>>, ReasonerError> {
        let facts = self.base_ids()?;
        Ok(facts.map(|facts| self.evaluator.terms.sorted_terms(facts)))
    }

    /// For each role all moves that it may have according to `input`, sorted by text; None when the
    /// game has no `input`.
    pub fn input(&mut self) -> Result<Option<Vec<Vec<Term>>>, ReasonerError> {
        let moves = self.input_ids()?;
        let terms = &self.evaluator.terms;
        let sorted = |moves: Vec<Vec<TermId>>| {
            let lists = moves.into_iter().map(|ids| terms.sorted_terms(ids));
            lists.collect()
        };
        Ok(moves.map(sorted))
    }

    /// The facts of a state, sorted by the bytes of their text.
    pub fn facts(&self, state: &State) -> Vec<Term> {
        let terms = &self.evaluator.terms;
        terms.sorted_terms(state.facts.iter().copied())
    }

    pub(super) fn base_ids(&mut self) -> Result<Option<Vec<TermId>>, ReasonerError> {
        if self.evaluator.program().find("base", 1).is_none() {
            return Ok(None);
        }
        self.ask("base", 1, ALL, &[]).map(Some)
    }

    pub(super) fn input_ids(&mut self) -> Result<Option<Vec<Vec<TermId>>>, ReasonerError> {
        if self.evaluator.program().find("input", 2).is_none() {
            return Ok(None);
        }
        // All at once: rules rarely gain from a known role.
        let pairs = self.ask("input", 2, ALL, &[])?;
        let mut moves = vec![Vec::new(); self.roles.len()];
        for pair in pairs.chunks_exact(2) {
            for (index, role) in self.role_terms.iter().enumerate() {
                if pair[0] == *role {
                    moves[index].push(pair[1]);
                }
            }
        }
        Ok(Some(moves))
    }

    /// The legal moves of a role in no special, but always the same order.
    pub(super) fn legal_ids(
        &mut self,
        state: &State,
        role: usize,
    ) -> Result<Vec<TermId>, ReasonerError> {
        self.load(state);
        let role = self.role_terms[role];
        self.ask("legal", 2, FIRST, &[role])
    }

    pub(super) fn next_ids(
        &mut self,
        state: &State,
        joint_move: &[TermId],
    ) -> Result<State, ReasonerError> {
        self.load_moves(state, joint_move)?;
        let facts = self.ask("next", 1, ALL, &[])?;
        Ok(State::from_facts(facts))
    }

    /// Makes these the state and the moves of the roles.
    fn load_moves(&mut self, state: &State, joint_move: &[TermId]) -> Result<(), ReasonerError> {
        if joint_move.len() != self.roles.len() {
            return Err(ReasonerError::WrongNumberOfMoves {
                expected: self.roles.len(),
                found: joint_move.len(),
            });
        }
        self.load(state);
        let moves: Vec<(TermId, TermId)> = self
            .role_terms
            .iter()
            .copied()
            .zip(joint_move.iter().copied())
            .collect();
        self.evaluator.load_moves(&moves);
        Ok(())
    }

    /// The bytes of all terms met so far, roughly.
    pub(super) fn term_bytes(&self) -> usize {
        self.evaluator.terms.bytes()
    }

    pub(super) fn term(&self, id: TermId) -> Term {
        self.evaluator.terms.term(id)
    }

    fn load(&mut self, state: &State) {
        if self.loaded.as_ref() != Some(state) {
            self.evaluator.load_state(&state.facts);
            self.loaded = Some(state.clone());
        }
    }

    fn holds(&mut self, relation: &str) -> Result<bool, ReasonerError> {
        let Some(predicate) = self.evaluator.program().find(relation, 0) else {
            return Ok(false);
        };
        self.evaluator.effort.refill(&self.limits)?;
        let answer = self.evaluator.ask(predicate, ALL, &[]);
        let answer = answer.map(|rows| !rows.is_empty());
        if answer.is_err() {
            self.evaluator.reset();
        }
        answer
    }

    /// The rows of a relation with these values in these columns, one after the other.
    fn ask(
        &mut self,
        relation: &str,
        arity: usize,
        columns: Columns,
        key: &[TermId],
    ) -> Result<Vec<TermId>, ReasonerError> {
        let Some(predicate) = self.evaluator.program().find(relation, arity) else {
            return Ok(Vec::new());
        };
        self.evaluator.effort.refill(&self.limits)?;
        let answer = self.evaluator.ask(predicate, columns, key);
        let answer = answer.map(|rows| rows.rows().flatten().copied().collect());
        if answer.is_err() {
            self.evaluator.reset();
        }
        answer
    }
}

impl State {
    /// How many facts there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.facts.len()
    }

    /// The bytes that the facts take.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.facts)
    }

    /// The facts as numbers, in ascending order.
    pub(super) fn fact_ids(&self) -> &[TermId] {
        &self.facts
    }

    fn from_facts(mut facts: Vec<TermId>) -> Self {
        facts.sort_unstable();
        facts.dedup();
        State {
            facts: facts.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_games::{self, reasoner};
    use generators::rows;

    const FRAME: &str = "(role p) (init (at a)) (<= (legal p (go ?y)) (true (at ?x)) (edge ?x ?y))
        (<= (next (at ?y)) (does p (go ?y))) (<= terminal (true (at d)))
        (edge a b) (edge a c) (edge b c) (edge c a) (edge c d)";

    fn texts(terms: &[Term]) -> String {
        let texts: Vec<String> = terms.iter().map(Term::to_string).collect();
        texts.join(" ")
    }

    #[test]
    fn a_game_is_played_from_start_to_end() {
        let rules = format!("{FRAME} (<= (goal p 100) terminal) (goal p 0)");
        let mut machine = reasoner(&rules);
        let mut state = machine.initial().unwrap();
        assert_eq!("(go b) (go c)", texts(&machine.legal(&state, 0).unwrap()));
        assert_eq!("0", texts(&machine.goals(&state, 0).unwrap()));
        for target in ["(go c)", "(go d)"] {
            assert!(!machine.terminal(&state).unwrap());
            let legal = machine.legal(&state, 0).unwrap();
            let action = legal
                .into_iter()
                .find(|action| action.to_string() == target);
            state = machine.next(&state, &[action.unwrap()]).unwrap();
        }
        assert!(machine.terminal(&state).unwrap());
        assert_eq!("(at d)", texts(&machine.facts(&state)));
        assert_eq!("0 100", texts(&machine.goals(&state, 0).unwrap()));
        assert_eq!("", texts(&machine.legal(&state, 0).unwrap()));
    }

    /// The goal values of the only role in the initial state, with these rules.
    fn goals(rules: &str) -> Result<String, ReasonerError> {
        let mut machine = reasoner(&format!("{FRAME} {rules}"));
        let state = machine.initial()?;
        Ok(texts(&machine.goals(&state, 0)?))
    }

    #[test]
    fn rules_mean_what_they_say() {
        let reach = "(<= (reach ?x) (true (at ?x)))";
        let path = "(<= (path ?x ?y) (edge ?x ?y))";
        for [rules, expected] in rows(
            r"
                // Left and right recursion, and twice in one body, on a graph with a cycle.
                (<= (reach ?y) (reach ?x) (edge ?x ?y)) (<= (goal p ?x) (reach ?x)) => a b c d
                (<= (path ?x ?z) (edge ?x ?y) (path ?y ?z)) (<= (goal p ?x) (path b ?x)) => a b c d
                (<= (path ?x ?z) (path ?x ?y) (edge ?y ?z)) (<= (goal p ?x) (path ?x d)) => a b c
                (<= (path ?x ?z) (path ?x ?y) (path ?y ?z)) (<= (goal p ?x) (path ?x ?x)) => a b c
                // Over two relations.
                (even a) (<= (odd ?y) (even ?x) (edge ?x ?y)) (<= (even ?y) (odd ?x) (edge ?x ?y)) (<= (goal p ?x) (even ?x) (not (odd d))) =>
                (<= (goal p ?x) (edge ?x ?y) (not (edge ?y ?x))) => a b c
                (<= (goal p ?x) (edge ?x ?y) (edge ?x ?z) (distinct ?y ?z)) => a c
                (<= (goal p (f ?x (g ?x))) (edge ?x b)) => (f a (g a))
                (has (f a (g a))) (has (f a (g b))) (<= (goal p ?x) (has (f ?x (g ?x)))) => a
                (<= (goal p ?x) (true ?x)) => (at a)
                (<= (goal p yes) (true (at ?x)) (not (true (at b)))) => yes
                (<= (goal p yes) (true (at b))) =>
                (<= (goal p yes) (unknown a)) (<= (goal p no) (not (unknown a))) => no
                // A fact and a rule for one relation; a relation of two arities.
                (n a) (<= (n ?x) (n ?x b)) (n c b) (<= (goal p ?x) (n ?x)) => a c
                // One value by the negation of another: no cycle between ground sentences.
                (<= (goal p 100) (true (at b))) (<= (goal p 0) (not (goal p 100))) => 0
                (<= (goal p 100) (true (at a))) (<= (goal p 0) (not (goal p 100))) => 100
                (<= (goal ?r 100) (role ?r)) (<= (goal ?r 0) (role ?r) (not (goal ?r 100))) => 100
                // An open question that a negated one needs.
                (<= (goal p 0) (goal q 100)) (<= (goal q 0) (goal p 100)) (<= (goal q 100) (true (at ?x))) \
                    (<= (goal ?r 50) (side ?r) (not (goal ?r 100)) (not (goal ?r 0))) (side p) (side q) => 0
                (<= (v a) (v b)) (<= (v b) (edge a b)) (<= (v c) (edge a c) (not (v a))) \
                    (<= (v d) (edge a b) (not (v c))) (<= (goal p ?x) (v ?x)) => a b d
                ",
        ) {
            let rules = format!("{reach} {path} {rules}");
            assert_eq!(Ok(expected), goals(&rules), "{rules}");
        }
    }

    #[test]
    fn a_negated_sentence_that_depends_on_itself_is_refused() {
        let rules =
            "(<= (odd ?x) (node ?x) (not (even ?x))) (<= (even ?x) (node ?x) (not (odd ?x)))
            (node a) (<= (goal p ?x) (odd ?x))";
        assert_eq!(Err(ReasonerError::NotStratified), goals(rules));
        let rules =
            "(<= (v b) (edge a b) (not (v c))) (<= (v c) (v d)) (<= (v d) (v b) (not (v a)))
            (<= (v a) (v a)) (<= (goal p ?x) (v ?x))";
        assert_eq!(Err(ReasonerError::NotStratified), goals(rules));
    }

    #[test]
    fn only_what_is_asked_for_is_derived() {
        let lists = "(list nil) (<= (list (cons ?x ?r)) (list ?r) (edge ?x ?y))";
        let one = format!("{lists} (<= (goal p yes) (list (cons a (cons b nil))))");
        assert_eq!(Ok("yes".to_owned()), goals(&one));
        let other = format!("{lists} (<= (goal p yes) (list (cons a (cons d nil))))");
        assert_eq!(Ok(String::new()), goals(&other));
        let game = test_games::game(
            "lists",
            &format!("{FRAME} {lists} (<= (goal p ?l) (list ?l))"),
        );
        let limits = RuleLimits {
            term_depth: 5,
            ..RuleLimits::default()
        };
        let mut machine = Reasoner::with_limits(&game, limits).unwrap();
        let state = machine.initial().unwrap();
        let expected = Err(ReasonerError::TermTooDeep { limit: 5 });
        assert_eq!(expected, machine.goals(&state, 0));
    }

    #[test]
    fn a_deadline_holds_for_all_questions() {
        let mut machine = reasoner(FRAME);
        machine.set_limits(RuleLimits::within(&limits::Limits::until(
            std::time::Instant::now(),
        )));
        assert_eq!(
            Err(ReasonerError::Stopped(limits::StopReason::Time)),
            machine.initial()
        );
    }

    #[test]
    fn endless_rules_reach_a_limit_and_leave_the_machine_usable() {
        let rules = format!(
            "{FRAME} (<= (big ?a ?b ?c ?d ?e ?f) (edge ?a ?x) (edge ?b ?x) (edge ?c ?x) (edge ?d ?x)
             (edge ?e ?y) (edge ?f ?y)) (<= (goal p ?a) (big ?a ?b ?c ?d ?e ?f))"
        );
        let game = test_games::game("big", &rules);
        let limits = RuleLimits {
            derivation_steps: 50,
            ..RuleLimits::default()
        };
        let mut machine = Reasoner::with_limits(&game, limits).unwrap();
        let state = machine.initial().unwrap();
        let expected = Err(ReasonerError::TooManySteps { limit: 50 });
        assert_eq!(expected, machine.goals(&state, 0));
        assert_eq!("(go b) (go c)", texts(&machine.legal(&state, 0).unwrap()));
        machine.set_limits(RuleLimits {
            derived_rows: 10,
            ..RuleLimits::default()
        });
        let expected = Err(ReasonerError::TooManyRows { limit: 10 });
        assert_eq!(expected, machine.goals(&state, 0));
        machine.set_limits(RuleLimits::default());
        assert_eq!("a b c", texts(&machine.goals(&state, 0).unwrap()));
    }

    #[test]
    fn long_chains_of_relations_need_no_deep_stack() {
        let chain = |length: usize| {
            let mut rules = String::from("(<= (goal p yes) r0)");
            for index in 0..length {
                rules += &format!("(<= r{index} r{})", index + 1);
            }
            goals(&format!("{rules} (<= r{length} (true (at a)))"))
        };
        assert_eq!(Ok("yes".to_owned()), chain(300));
        assert!(matches!(
            chain(5000),
            Err(ReasonerError::NestedTooDeep { .. })
        ));
    }

    #[test]
    fn base_and_input_are_listed_when_they_are_there() {
        let mut machine = reasoner(FRAME);
        assert_eq!(None, machine.base().unwrap());
        assert_eq!(None, machine.input().unwrap());
        let mut machine = reasoner(
            "(role p) (role q) (n 2) (n 1) (<= (base (at ?x)) (n ?x)) (<= (input p (go ?x)) (n ?x))",
        );
        assert_eq!("(at 1) (at 2)", texts(&machine.base().unwrap().unwrap()));
        let input = machine.input().unwrap().unwrap();
        assert_eq!("(go 1) (go 2)", texts(&input[0]));
        assert_eq!("", texts(&input[1]));
    }

    #[test]
    fn roles_see_what_the_state_and_the_moves_say() {
        let mut machine = reasoner(
            "(role p) (role q) (init (card p ace)) (init (card q ten)) (legal p show) (legal q show) (legal q hide)
             (<= (sees ?r (own ?c)) (true (card ?r ?c)))
             (<= (sees ?r (shown ?o ?c)) (does ?o show) (true (card ?o ?c)) (role ?r) (distinct ?r ?o))
             (<= (sees nobody ghost) (does p show))",
        );
        let state = machine.initial().unwrap();
        let [show, hide] = ["show", "hide"].map(|name| Term::Constant(Name::new(name)));
        let mut seen = |moves: &[&Term]| -> Vec<String> {
            let moves: Vec<Term> = moves.iter().map(|&action| action.clone()).collect();
            let seen = machine.percepts(&state, &moves).unwrap();
            seen.iter().map(|terms| texts(terms)).collect()
        };
        assert_eq!(
            seen(&[&show, &hide]),
            ["(own ace)", "(own ten) (shown p ace)"]
        );
        assert_eq!(seen(&[&show, &show])[0], "(own ace) (shown q ten)");
        assert!(machine.percepts(&state, &[show]).is_err());
        let mut blind = reasoner(FRAME);
        let state = blind.initial().unwrap();
        assert_eq!(blind.percepts(&state, &[hide]).unwrap(), [vec![]]);
    }

    #[test]
    fn a_joint_move_of_the_wrong_length_is_refused() {
        let mut machine = reasoner(FRAME);
        let state = machine.initial().unwrap();
        let expected = ReasonerError::WrongNumberOfMoves {
            expected: 1,
            found: 0,
        };
        assert_eq!(Err(expected), machine.next(&state, &[]));
    }
}
