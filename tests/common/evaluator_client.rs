//! A process that evaluates, asked line by line.
//!
//! A thread carries the lines of the process, so that a test waits for an answer as long as it says and no longer. An answer that
//! comes too late is dropped when the next one is waited for, because every question has an `id` of its own.

use evaluator::{
    Command as Wish, EvaluationReply, Greeting, Id, PROTOCOL, Reply, ReplyBody, Request, VERSION,
};
use serde::de::DeserializeOwned;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// A running evaluator. Dropping it ends the process.
pub struct Client {
    child: Child,
    greeting: Greeting,
    lines: Receiver<String>,
    last_id: i64,
}

/// Why there is no answer.
#[derive(Debug)]
pub enum ClientError {
    /// The process has ended.
    Ended,
    /// No answer in time. The evaluator is still working on it.
    TooLate,
    /// The evaluator says why it does not answer, which is printed.
    Refused,
}

impl Client {
    /// Starts a process, such as `sqasp evaluate GAME`, and waits for its greeting.
    pub fn start(mut command: Command, patience: Duration) -> Result<Self, ClientError> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the command starts");
        let output = BufReader::new(child.stdout.take().expect("output is a pipe"));
        let (sender, lines) = channel();
        thread::spawn(move || {
            let lines = output.lines().map_while(Result::ok);
            lines.map_while(|line| sender.send(line).ok()).count()
        });
        let mut client = Client {
            child,
            greeting: Greeting::default(),
            lines,
            last_id: 0,
        };
        client.greeting = client.next_line(patience)?;
        let Greeting {
            protocol, version, ..
        } = &client.greeting;
        assert_eq!((&**protocol, *version), (PROTOCOL, VERSION));
        Ok(client)
    }

    /// The greeting of the process.
    pub fn greeting(&self) -> &Greeting {
        &self.greeting
    }

    /// Asks for the value of a position and waits this long for the answer. The `id` of the request is chosen here.
    pub fn evaluate(
        &mut self,
        request: Request,
        patience: Duration,
    ) -> Result<EvaluationReply, ClientError> {
        match self.ask(request, patience)? {
            ReplyBody::Solved(reply) | ReplyBody::Bounds(reply) => Ok(reply),
            other => panic!("{other:?}"),
        }
    }

    /// Makes the evaluator give up its work, after an answer came too late.
    pub fn stop(&mut self, patience: Duration) -> Result<(), ClientError> {
        let reply = self.ask(wish(Wish::Stop), patience)?;
        assert_eq!(reply, ReplyBody::Stopped);
        Ok(())
    }

    /// Sends a request and waits for its reply; those of earlier requests are dropped.
    fn ask(&mut self, request: Request, patience: Duration) -> Result<ReplyBody, ClientError> {
        let end = Instant::now() + patience;
        self.last_id += 1;
        let id = Some(Id::Number(self.last_id));
        let request = Request {
            id: id.clone(),
            ..request
        };
        let line = serde_json::to_string(&request).expect("the shape has text keys only");
        let input = self.child.stdin.as_mut().expect("input is a pipe");
        writeln!(input, "{line}").expect("the evaluator reads");
        loop {
            let reply: Reply = self.next_line(end.saturating_duration_since(Instant::now()))?;
            match reply.told {
                _ if reply.id != id => {}
                ReplyBody::Error(error) => {
                    eprintln!("{error:?}");
                    return Err(ClientError::Refused);
                }
                told => return Ok(told),
            }
        }
    }

    fn next_line<T: DeserializeOwned>(&mut self, patience: Duration) -> Result<T, ClientError> {
        match self.lines.recv_timeout(patience) {
            Ok(line) => Ok(serde_json::from_str(&line).expect("a line of the protocol")),
            Err(RecvTimeoutError::Timeout) => Err(ClientError::TooLate),
            Err(RecvTimeoutError::Disconnected) => Err(ClientError::Ended),
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Both fail only for a process that has ended, and the thread ends with its pipe.
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
