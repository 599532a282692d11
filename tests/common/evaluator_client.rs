//! A process that evaluates, asked line by line.
//!
//! A thread carries the lines of the process, so that a line that does not come fails a test and does not stop it.

use serde_json::Value;
use servers::evaluator::{PROTOCOL, VERSION};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// The longest time that a line may take.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A running evaluator. Dropping it ends the process.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Its first line.
    pub greeting: Value,
}

impl Client {
    /// Starts a process, such as `sqasp evaluate GAME`, and waits for its greeting.
    pub fn start(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the command starts");
        let output = BufReader::new(child.stdout.take().expect("output is a pipe"));
        let (sender, lines) = channel();
        thread::spawn(move || {
            let lines = output.lines().map_while(Result::ok);
            lines.map_while(|line| sender.send(line).ok()).count()
        });
        let mut client = Client {
            input: child.stdin.take(),
            child,
            lines,
            greeting: Value::Null,
        };
        client.greeting = client.line(PATIENCE);
        assert_eq!(client.greeting["protocol"], PROTOCOL);
        assert_eq!(client.greeting["version"], VERSION);
        client
    }

    /// The number of the process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Writes a request.
    pub fn write(&mut self, request: &Value) {
        let input = self.input.as_mut().expect("input is open");
        writeln!(input, "{request}").expect("the evaluator reads");
    }

    /// The next line.
    pub fn line(&self, patience: Duration) -> Value {
        let line = self.lines.recv_timeout(patience);
        let line = line.unwrap_or_else(|error| panic!("no line: {error}"));
        serde_json::from_str(&line).expect("a line of the protocol")
    }

    /// The reply to a request.
    pub fn ask(&mut self, request: &Value) -> Value {
        self.write(request);
        self.line(PATIENCE)
    }

    /// The exit code of the process when it has ended.
    pub fn code(mut self) -> Option<i32> {
        self.child.wait().expect("it ends").code()
    }

    /// Closes the input of the process, and gives its exit code.
    pub fn close(mut self) -> Option<i32> {
        drop(self.input.take());
        self.code()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Both fail only for a process that has ended, and the thread ends with its pipe.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
