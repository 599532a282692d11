//! The other side of the lines: a process that evaluates, as a value of Rust.
//!
//! Two threads carry lines to and from the process, so that asking waits for an answer as long as
//! it is told and no longer, even if the process hangs. An answer that comes too late is dropped when
//! the next one is waited for, because every question has its own `id`.

use evaluator::{
    Command as Wish, ErrorReply, EvaluationReply, Greeting, Id, PROTOCOL, Reply, ReplyBody,
    Request, Statistics, VERSION,
};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The longest line that is believed. Replies list moves with their fractions, so they can be much
/// longer than requests.
const LONGEST_REPLY: u64 = 1 << 28;

/// A running evaluator. Dropping it ends the process.
pub struct Client {
    child: Child,
    greeting: Greeting,
    lines_in: Sender<String>,
    lines_out: Receiver<String>,
    last_id: i64,
}

/// Why there is no answer.
#[derive(Debug)]
#[expect(dead_code, reason = "tests that fail print it")]
pub enum ClientError {
    /// The process did not start.
    Start {
        /// The program that was to be run.
        program: String,
        /// The reason why it did not start.
        error: std::io::Error,
    },
    /// The process ended, or closed its output.
    Ended(Option<std::process::ExitStatus>),
    /// The process says something that is not of this protocol.
    Protocol(String),
    /// No answer in time. The evaluator is still working on it.
    TooLate(Duration),
    /// The evaluator says why it does not answer.
    Refused(ErrorReply),
}

impl Client {
    /// Starts a process and waits for its greeting. The command is one like `sqasp evaluate GAME`;
    /// its input and output become the client's.
    pub fn start(mut command: Command, patience: Duration) -> Result<Self, ClientError> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| ClientError::Start {
            program: command.get_program().to_string_lossy().into_owned(),
            error,
        })?;
        let (to_process, lines_in) = channel();
        let (from_process, lines_out) = channel();
        let input = child.stdin.take().expect("input is a pipe");
        let output = child.stdout.take().expect("output is a pipe");
        thread::spawn(move || carry_in(input, &lines_in));
        thread::spawn(move || carry_out(output, &from_process));
        let mut client = Client {
            child,
            greeting: Greeting::default(),
            lines_in: to_process,
            lines_out,
            last_id: 0,
        };
        let line = client.next_line(Instant::now(), patience)?;
        client.greeting = serde_json::from_str(&line).map_err(|error| {
            ClientError::Protocol(format!("its first line is no greeting: {error}"))
        })?;
        let Greeting {
            protocol, version, ..
        } = &client.greeting;
        if protocol != PROTOCOL || *version != VERSION {
            let message = format!("it greets with {protocol} version {version}");
            return Err(ClientError::Protocol(message));
        }
        Ok(client)
    }

    /// The greeting of the process.
    pub fn greeting(&self) -> &Greeting {
        &self.greeting
    }

    /// Asks for the value of a position and waits this long for the answer. The `id` of the request is
    /// chosen here.
    pub fn evaluate(
        &mut self,
        request: Request,
        patience: Duration,
    ) -> Result<EvaluationReply, ClientError> {
        match self.ask(request, patience)? {
            ReplyBody::Solved(reply) | ReplyBody::Bounds(reply) => Ok(reply),
            other => Err(unexpected(&other)),
        }
    }

    /// Asks for numbers about the work so far.
    pub fn statistics(&mut self, patience: Duration) -> Result<Statistics, ClientError> {
        match self.ask(wish(Wish::Stats), patience)? {
            ReplyBody::Stats(statistics) => Ok(statistics),
            other => Err(unexpected(&other)),
        }
    }

    /// Makes the evaluator forget all it has found.
    pub fn clear(&mut self, patience: Duration) -> Result<(), ClientError> {
        match self.ask(wish(Wish::Clear), patience)? {
            ReplyBody::Cleared => Ok(()),
            other => Err(unexpected(&other)),
        }
    }

    /// Makes the evaluator give up what it is doing, after an answer came too late: the next question
    /// is turned to at once.
    pub fn stop(&mut self, patience: Duration) -> Result<(), ClientError> {
        match self.ask(wish(Wish::Stop), patience)? {
            ReplyBody::Stopped => Ok(()),
            other => Err(unexpected(&other)),
        }
    }

    /// Sends a request and waits for its reply; those of earlier requests are dropped.
    fn ask(&mut self, request: Request, patience: Duration) -> Result<ReplyBody, ClientError> {
        let start = Instant::now();
        self.last_id += 1;
        let id = Some(Id::Number(self.last_id));
        let request = Request {
            id: id.clone(),
            ..request
        };
        let line = serde_json::to_string(&request).expect("the shape has text keys only");
        if self.lines_in.send(line).is_err() {
            return Err(self.ended());
        }
        loop {
            let line = self.next_line(start, patience)?;
            let reply: Reply = serde_json::from_str(&line)
                .map_err(|error| ClientError::Protocol(format!("{error} in {line:.200}")))?;
            match reply.told {
                _ if reply.id != id => {}
                ReplyBody::Error(error) => return Err(ClientError::Refused(error)),
                told => return Ok(told),
            }
        }
    }

    fn next_line(&mut self, start: Instant, patience: Duration) -> Result<String, ClientError> {
        let left = patience.saturating_sub(start.elapsed());
        match self.lines_out.recv_timeout(left) {
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Timeout) => Err(ClientError::TooLate(patience)),
            Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
        }
    }

    /// The process is there no more. Its exit status may come a moment later than the end of its
    /// output.
    fn ended(&mut self) -> ClientError {
        for _ in 0..50 {
            match self.child.try_wait() {
                Ok(None) => thread::sleep(Duration::from_millis(10)),
                Ok(Some(status)) => return ClientError::Ended(Some(status)),
                Err(_) => break,
            }
        }
        ClientError::Ended(None)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Both fail only for a process that has ended, and the threads end with its pipes.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn wish(command: Wish) -> Request {
    Request {
        command: Some(command),
        ..Request::default()
    }
}

fn unexpected(told: &ReplyBody) -> ClientError {
    ClientError::Protocol(format!("{told:?} is not what was asked for"))
}

/// Writes lines to the process until one of the two sides is gone.
fn carry_in(mut input: ChildStdin, lines: &Receiver<String>) {
    for mut line in lines {
        line.push('\n');
        if input.write_all(line.as_bytes()).is_err() {
            return;
        }
    }
}

/// Reads lines of the process until one of the two sides is gone, or a line is too long.
fn carry_out(output: ChildStdout, lines: &Sender<String>) {
    let mut reader = BufReader::new(output);
    loop {
        let mut line = String::new();
        let read = (&mut reader).take(LONGEST_REPLY).read_line(&mut line);
        if !matches!(read, Ok(1..)) || !line.ends_with('\n') || lines.send(line).is_err() {
            return;
        }
    }
}
