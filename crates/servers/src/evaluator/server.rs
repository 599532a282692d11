//! The loop: a line in, a reply out, until the input ends.

use super::lines::{Line, read_ahead};
use super::protocol::{
    Command, ErrorReply, EvaluationReply, Greeting, Id, LONGEST_LINE, MAX_STEPS, PROTOCOL,
    RepliesReply, Reply, ReplyBody, Request, Statistics, StepOfRole, VERSION,
};
use super::replies::replies;
use super::stops::{StandIn, Stops};
use engines::answer::{RankedMove, Worth, ranked, unknown_in};
use engines::{Engine, Evaluation, Position, Query, stopped};
use engines::{Error, ErrorKind};
use engines::{Fraction, KnownStep, Silent};
use formula::{BigRational, Bound};
use gdl::game::Sides;
use gdl::{Name, Term, parse_terms};
use limits::{Limits, StopReason, lock};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering as Memory};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use step::StateMachine;

/// How often the guard looks for overdue replies.
pub(super) const PERIOD: Duration = Duration::from_millis(10);

/// Values of the fields that requests may leave out.
#[derive(Clone, Debug, Default)]
pub struct Defaults {
    /// The role asked about, as its index in the list of roles.
    pub role: usize,
    /// How many steps count; all if there is no number.
    pub depth: Option<u32>,
    /// How long an answer may take.
    pub time: Option<Duration>,
    /// The memory of the engine's tables, in bytes; requests do not choose it.
    pub memory: Option<u64>,
    /// Requests to stop other requests.
    pub stops: Stops,
}

/// Answers lines with an engine.
pub struct Evaluator {
    game: String,
    roles: Vec<Name>,
    objective: String,
    pub(super) defaults: Defaults,
    pub(super) engine: Box<dyn Engine>,
    /// Follows moves, for `replies`.
    machine: Option<StateMachine>,
    start: Instant,
    requests: u64,
    errors: u64,
    states: u64,
}

impl Evaluator {
    /// An evaluator of a game with these roles, for this objective; the engine is one for the same.
    ///
    /// # Panics
    /// If the default role is not one of these roles.
    pub fn new(
        game: &str,
        roles: &[Name],
        objective: &str,
        defaults: Defaults,
        engine: Box<dyn Engine>,
    ) -> Self {
        assert!(defaults.role < roles.len(), "the role is one of the game's");
        Evaluator {
            game: game.to_owned(),
            roles: roles.to_vec(),
            objective: objective.to_owned(),
            defaults,
            engine,
            machine: None,
            start: Instant::now(),
            requests: 0,
            errors: 0,
            states: 0,
        }
    }

    /// The same evaluator, which can also tell what follows a move, with a machine of the same game.
    #[must_use]
    pub fn following(mut self, machine: StateMachine) -> Self {
        self.machine = Some(machine);
        self
    }

    /// The first line to write.
    pub fn greeting(&self) -> Greeting {
        Greeting {
            protocol: PROTOCOL.to_owned(),
            version: VERSION,
            program: format!("sqasp {}", env!("CARGO_PKG_VERSION")),
            game: self.game.clone(),
            roles: self.roles.clone(),
            role: self.roles[self.defaults.role].clone(),
            objective: self.objective.clone(),
            engine: self.engine.name().to_owned(),
        }
    }

    /// The reply to a line.
    pub fn answer(&mut self, line: &[u8]) -> Reply {
        let start = Instant::now();
        match read(line) {
            Ok(request) => self.answer_request(&request, start),
            Err((id, error)) => self.reply(id, Err(error)),
        }
    }

    /// The reply to a request that was read at this moment.
    pub fn answer_request(&mut self, request: &Request, start: Instant) -> Reply {
        let told = self.obey(request, start);
        self.reply(request.id.clone(), told)
    }

    fn reply(&mut self, id: Option<Id>, told: Result<ReplyBody, ErrorReply>) -> Reply {
        self.requests += 1;
        let told = told.unwrap_or_else(|error| {
            self.errors += 1;
            ReplyBody::Error(error)
        });
        Reply { id, told }
    }

    fn obey(&mut self, request: &Request, start: Instant) -> Result<ReplyBody, ErrorReply> {
        let command = request.command.unwrap_or_default();
        match command {
            Command::Evaluate if request.action.is_some() => {
                return Err(ErrorReply::request("`move` is for the command replies"));
            }
            Command::Evaluate => return self.evaluate(request, start),
            Command::Replies => return self.replies(request, start),
            _ => {}
        }
        if !request.is_bare() {
            return Err(ErrorReply::request(
                "only evaluate and replies take fields beside id and command",
            ));
        }
        Ok(match command {
            Command::Stats => ReplyBody::Stats(Statistics {
                requests: self.requests + 1,
                errors: self.errors,
                states: self.states,
                entries: self.engine.entries(),
                memory: self.engine.memory(),
                seconds: self.start.elapsed().as_secs_f64(),
            }),
            Command::Clear => {
                self.engine.clear();
                ReplyBody::Cleared
            }
            // It was obeyed when it was read.
            Command::Stop => ReplyBody::Stopped,
            Command::Quit => ReplyBody::Bye,
            Command::Evaluate | Command::Replies => unreachable!("dealt with above"),
        })
    }

    /// The query for the engine that a request asks.
    fn query(&self, request: &Request, start: Instant) -> Result<Query, ErrorReply> {
        let time = match request.time {
            None => self.defaults.time,
            Some(seconds) if seconds >= 0.0 => Duration::try_from_secs_f64(seconds).ok(),
            Some(seconds) => {
                let message = format!("time {seconds} is no number of seconds; use 0 or more");
                return Err(ErrorReply::request(message));
            }
        };
        let depth = request.depth.or(self.defaults.depth);
        if let Some(depth) = depth.filter(|depth| *depth > MAX_STEPS) {
            let message = format!("depth {depth} is too large; use 0 to {MAX_STEPS}");
            return Err(ErrorReply::request(message));
        }
        Ok(Query {
            position: request.place()?,
            role: self.role(request.role.as_deref())?,
            depth,
            moves: request.moves.unwrap_or(true),
            limits: Limits {
                // A deadline beyond `Instant` is none.
                deadline: time.and_then(|time| start.checked_add(time)),
                memory: self.defaults.memory,
                interrupt: self.defaults.stops.interrupt(),
                progress: None,
            },
            observer: Arc::new(Silent),
        })
    }

    /// The replies of the opponents to a move.
    fn replies(&mut self, request: &Request, start: Instant) -> Result<ReplyBody, ErrorReply> {
        let query = self.query(request, start)?;
        let action = request.action.as_deref().map(one_term).transpose();
        let action =
            action.map_err(|problem| ErrorReply::position(format!("in move: {problem}")))?;
        let Some(machine) = &mut self.machine else {
            let message = "this evaluator does not tell what follows a move";
            return Err(ErrorReply::request(message));
        };
        let mut reply = RepliesReply {
            role: self.roles[query.role].clone(),
            action: action.as_ref().map_or(String::new(), Term::to_string),
            depth: query.depth,
            stopped_by: None,
            replies: Vec::new(),
            states: 0,
            seconds: 0.0,
        };
        self.defaults.stops.expect(StandIn {
            id: request.id.clone(),
            told: ReplyBody::Replies(reply.clone()),
            start,
            deadline: query.limits.deadline,
        });
        let found = match replies(machine, &mut *self.engine, &query, action) {
            Ok(found) => found,
            // Nothing is known of the replies.
            Err(error) => {
                let reason = error.stopped_by().ok_or_else(|| refusal(&error))?;
                reply.stopped_by = Some(reason);
                reply.seconds = start.elapsed().as_secs_f64();
                return Ok(ReplyBody::Replies(reply));
            }
        };
        self.states += found.states;
        reply.action = found.action.to_string();
        reply.stopped_by = found.stopped_by;
        reply.replies = found.replies;
        reply.states = found.states;
        reply.seconds = start.elapsed().as_secs_f64();
        Ok(ReplyBody::Replies(reply))
    }

    fn evaluate(&mut self, request: &Request, start: Instant) -> Result<ReplyBody, ErrorReply> {
        let query = self.query(request, start)?;
        let range = self.engine.range(query.role);
        // Nothing is known but the range of values.
        let unknown = |reason| Evaluation::of(unknown_in(&range, reason));
        self.defaults.stops.expect(StandIn {
            id: request.id.clone(),
            told: ReplyBody::Bounds(self.evaluated(
                &query,
                unknown(StopReason::Time),
                Vec::new(),
                None,
            )),
            start,
            deadline: query.limits.deadline,
        });
        let evaluation = match self.engine.evaluate(&query) {
            Ok(evaluation) => evaluation,
            Err(error) => unknown(error.stopped_by().ok_or_else(|| refusal(&error))?),
        };
        self.states += evaluation.states;
        let prefers_small = self.engine.prefers_small();
        let mut moves = ranked(&evaluation.moves, evaluation.best.as_ref(), prefers_small);
        let mut best = moves.first();
        if !moves.is_empty()
            && let Some(play) = self
                .engine
                .mixtures(&query)
                .map_err(|error| refusal(&error))?
        {
            let shares = play.moves.into_iter();
            let mut shares: BTreeMap<Term, BigRational> =
                shares.map(|it| (it.action, it.share)).collect();
            for each in &mut moves {
                let share = shares.remove(&each.value.action);
                each.probability = share.map(|share| Fraction::from(&share));
            }
            // The first of equals.
            best = moves.iter().rev().max_by(|one, other| {
                let share = one.probability.as_ref().map(Fraction::value);
                share.cmp(&other.probability.as_ref().map(Fraction::value))
            });
        }
        let best = best.map(|best| best.value.action.clone());
        let reply = EvaluationReply {
            seconds: start.elapsed().as_secs_f64(),
            ..self.evaluated(&query, evaluation, moves, best)
        };
        Ok(match reply.stopped_by {
            None => ReplyBody::Solved(reply),
            Some(_) => ReplyBody::Bounds(reply),
        })
    }

    /// The reply with an evaluation.
    fn evaluated(
        &self,
        query: &Query,
        evaluation: Evaluation,
        moves: Vec<RankedMove>,
        best: Option<Term>,
    ) -> EvaluationReply {
        let (lower, _) = evaluation.outcome.extent();
        let range = self.engine.range(query.role);
        let can_grow = !range.is_bounded() || lower < Bound::Finite(range.largest());
        EvaluationReply {
            role: self.roles[query.role].clone(),
            terminal: evaluation.terminal,
            depth: query.depth,
            worth: Worth::from(&evaluation.outcome),
            equilibrium: evaluation.equilibrium,
            cut_off: evaluation.cut_off && can_grow,
            unreached: evaluation.unreached,
            stopped_by: stopped(&evaluation.outcome, &evaluation.moves),
            best,
            moves: query.moves.then_some(moves),
            states: evaluation.states,
            seconds: 0.0,
        }
    }

    /// The index of the role that is asked about.
    fn role(&self, name: Option<&str>) -> Result<usize, ErrorReply> {
        let Some(name) = name else {
            return Ok(self.defaults.role);
        };
        let found = Sides::of(&self.roles, &Name::new(&name.to_lowercase()));
        found.map(|sides| sides.role).map_err(ErrorReply::request)
    }
}

/// Greets, then answers every line until the input ends or a client says `quit`. Lines with nothing
/// but blanks are passed over.
///
/// A thread sees to it that no reply is late: where the engine does not stop when it should, bounds are
/// told in place of its answer, and its late answer is dropped. The thread also calls `watch`, about
/// a hundred times a second, so that the caller can stop requests ([`Stops`]), or end the
/// process, after `speak` has told bounds of the request at hand, for a reason.
///
/// # Errors
/// When reading or writing fails.
pub fn serve(
    reader: impl BufRead + Send + 'static,
    mut writer: impl Write + Send,
    evaluator: &mut Evaluator,
    mut watch: impl FnMut(&dyn Fn(StopReason)) + Send,
) -> io::Result<()> {
    let greeting = line(&evaluator.greeting());
    writer.write_all(&greeting)?;
    writer.flush()?;
    let stops = evaluator.defaults.stops.clone();
    let lines = read_ahead(reader, stops.clone())?;
    let (writer, is_over) = (Mutex::new(writer), AtomicBool::new(false));
    // The lock is taken first, so that replies are written in the order in which they are due.
    let speak = |reason: StopReason| {
        let mut writer = lock(&writer);
        if let Some(reply) = stops.stand_in(reason) {
            // The thread that answers notices when its output is closed.
            let _ = writer
                .write_all(&line(&reply))
                .and_then(|()| writer.flush());
        }
    };
    let guard = || {
        while !is_over.load(Memory::Relaxed) {
            watch(&speak);
            if let Some(reason) = stops.overdue() {
                speak(reason);
            }
            thread::sleep(PERIOD);
        }
    };
    let answer = || {
        for (number, read) in lines {
            stops.begin(number);
            let reply = match read {
                Line::Whole(line) => evaluator.answer(&line),
                Line::TooLong => {
                    let message =
                        format!("the line is longer than {LONGEST_LINE} bytes; it was skipped");
                    evaluator.reply(None, Err(ErrorReply::new("json", message)))
                }
                Line::Failed(error) => return Err(error),
            };
            let text = line(&reply);
            let mut writer = lock(&writer);
            if stops.tell() {
                writer.write_all(&text)?;
                writer.flush()?;
            }
            drop(writer);
            if stops.is_short_of_memory() {
                evaluator.engine.clear();
            }
            stops.finish();
            if reply.told == ReplyBody::Bye {
                break;
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        // Where the system has no room for another thread, engines keep to their limits themselves.
        let _ = thread::Builder::new().spawn_scoped(scope, guard);
        let answered = answer();
        is_over.store(true, Memory::Relaxed);
        answered
    })
}

/// One line, which is written at once, since the client waits for it.
fn line(shape: &impl serde::Serialize) -> Vec<u8> {
    let mut text = serde_json::to_vec(shape).expect("the shapes have text keys only");
    text.push(b'\n');
    text
}

/// Why an engine does not answer, with its code.
fn refusal(error: &Error) -> ErrorReply {
    let code = match error.kind() {
        ErrorKind::Position => "position",
        ErrorKind::Depth => "depth",
        _ => "game",
    };
    ErrorReply::new(code, error)
}

/// Reads a request, or says what is wrong with it, and its `id` if it has one all the same. Lines can be long, so nothing is
/// made of them but the request.
///
/// # Errors
/// If it is none.
pub fn read(line: &[u8]) -> Result<Request, (Option<Id>, ErrorReply)> {
    // Lists could be read as requests without names of fields.
    let is_object = line.trim_ascii_start().starts_with(b"{");
    let error = match serde_json::from_slice::<Request>(line) {
        Ok(request) if is_object => return Ok(request),
        Ok(_) => None,
        Err(error) => Some(error),
    };
    if let Err(error) = serde_json::from_slice::<IgnoredAny>(line) {
        let message = format!("the line is not JSON: {error}");
        return Err((None, ErrorReply::new("json", message)));
    }
    let Some(error) = error.filter(|_| is_object) else {
        let message = "the line is no request: it is not an object";
        return Err((None, ErrorReply::request(message)));
    };
    let named: Named = serde_json::from_slice(line).unwrap_or_default();
    let message = format!("the line is no request: {error}");
    Err((named.id, ErrorReply::request(message)))
}

/// The part of a malformed request that is still read.
#[derive(Default, Deserialize)]
struct Named {
    #[serde(default)]
    id: Option<Id>,
}

impl Request {
    /// The position that it is about.
    ///
    /// # Errors
    /// If it names none.
    pub fn place(&self) -> Result<Position, ErrorReply> {
        match (&self.state, &self.history, &self.information) {
            (Some(facts), None, None) => {
                let facts = terms(facts);
                let facts = facts.map_err(|it| ErrorReply::position(format!("in state: {it}")));
                Ok(Position::State(facts?))
            }
            (None, None, Some(steps)) => Ok(Position::Information(read_steps(
                steps,
                "information",
                known_step,
            )?)),
            (None, history, None) => {
                let steps = history.as_deref().unwrap_or_default();
                Ok(Position::History(read_steps(steps, "history", |step| {
                    terms(step)
                })?))
            }
            _ => Err(ErrorReply::request(
                "give one of state, history and information, not several",
            )),
        }
    }
}

/// Reads the steps in a field.
fn read_steps<S, T>(
    steps: &[S],
    field: &str,
    read: impl Fn(&S) -> Result<T, String>,
) -> Result<Vec<T>, ErrorReply> {
    let steps = steps.iter().zip(1..).map(|(step, number)| {
        let problem = |it| ErrorReply::position(format!("in step {number} of {field}: {it}"));
        read(step).map_err(problem)
    });
    steps.collect()
}

fn known_step(step: &StepOfRole) -> Result<KnownStep, String> {
    let mut sees = terms(&step.sees)?;
    sees.sort_by_cached_key(Term::to_string);
    sees.dedup();
    let moves = vec![one_term(&step.action)?];
    Ok(KnownStep { moves, sees })
}

/// Reads texts that are one ground term each.
fn terms(texts: &[String]) -> Result<Vec<Term>, String> {
    texts.iter().map(|text| one_term(text)).collect()
}

fn one_term(text: &str) -> Result<Term, String> {
    let mut terms = parse_terms(text).map_err(|error| error.to_string())?;
    match (terms.pop(), terms.is_empty()) {
        (Some(term), true) => Ok(term),
        _ => Err(format!("`{text}` is not one term")),
    }
}
