//! Packets between processes by a dataflow of timely.
//!
//! The dataflow runs in a thread of its own, which does what the thread that works on the table asks for: one request, and one reply, for each
//! round.

use crate::hosts::Hosts;
use crate::stream::{Link, Lost};
use layers::{Communicator, DiskTableError, Packet};
use limits::Limits;
use std::cell::{Cell, RefCell};
use std::io;
use std::mem;
use std::net::Shutdown;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Mutex;
use std::sync::Once;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};
use timely::WorkerConfig;
use timely::communication::allocator::zero_copy::initialize::{
    CommsGuard, initialize_networking_from_sockets,
};
use timely::communication::allocator::zero_copy::stream::Stream;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
use timely::communication::{Hooks, WorkerGuards};
use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::generic::operator::Operator;
use timely::dataflow::operators::{Input, Probe};
use timely::execute::execute_from;
use timely::worker::Worker;

/// To which process, in which epoch, what.
type Message = (u64, u64, Vec<u64>);

/// Packets to be sent in an epoch, and the epoch that must have begun everywhere before the reply.
struct Request {
    packets: Vec<Packet>,
    epoch: u64,
    until: u64,
}

/// The words of all packets that were sent to this process up to an epoch.
type Reply = Vec<Vec<u64>>;

/// The processes that work together, as this one sees them.
pub struct Cluster {
    addresses: Vec<String>,
    process: usize,
    lost: Lost,
    limits: Limits,
    epoch: u64,
    /// The thread of the dataflow; nothing when that has ended.
    running: Option<Running>,
}

struct Running {
    requests: Sender<Request>,
    replies: Receiver<Reply>,
    /// Handles of the connections, to break them.
    links: Vec<Link>,
    worker: WorkerGuards<()>,
    network: CommsGuard,
}

/// The pause between two checks whether it is time to end.
const CHECK_PAUSE: Duration = Duration::from_millis(50);

/// The time in which others may still be heard after one has ended: the last messages of those that are done.
const GRACE: Duration = Duration::from_secs(2);

impl Cluster {
    /// Begins, with a connection to each process but this one.
    pub(crate) fn new(
        links: Vec<Option<Link>>,
        hosts: &Hosts,
        lost: Lost,
        limits: Limits,
    ) -> io::Result<Self> {
        silence_threads();
        let own = links.iter().flatten().map(Link::try_clone);
        let own = own.collect::<io::Result<Vec<_>>>()?;
        let hooks = Hooks::default();
        let inside = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), hooks.spill.clone());
        let (builders, network) =
            initialize_networking_from_sockets(inside, links, hosts.process, 1, hooks)?;
        let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
        let (requests, to_do) = channel();
        let (done, replies) = channel();
        // Timely wants to be able to call it more than once, and does not.
        let ends = Mutex::new(Some((to_do, done)));
        let config = WorkerConfig::default();
        let worker = execute_from(builders, Box::new(()), config, move |worker| {
            let ends = ends.lock().ok().and_then(|mut ends| ends.take());
            if let Some((to_do, done)) = ends {
                run(worker, &to_do, &done);
            }
        });
        Ok(Cluster {
            addresses: hosts.addresses.clone(),
            process: hosts.process,
            lost,
            limits,
            epoch: 0,
            running: Some(Running {
                requests,
                replies,
                links: own,
                worker: worker.map_err(io::Error::other)?,
                network,
            }),
        })
    }

    /// Sends packets in an epoch of their own, and waits until all processes have ended all epochs but the last `open` ones.
    fn round(&mut self, packets: Vec<Packet>, open: u64) -> Result<Reply, DiskTableError> {
        let Some(running) = &self.running else {
            return Err(self.lost_one());
        };
        let epoch = self.epoch;
        self.epoch += 1;
        let until = self.epoch - open;
        let request = Request {
            packets,
            epoch,
            until,
        };
        let mut replied = match running.requests.send(request) {
            Ok(()) => Err(RecvTimeoutError::Timeout),
            Err(_) => Err(RecvTimeoutError::Disconnected),
        };
        running
            .worker
            .guards()
            .iter()
            .for_each(|guard| guard.thread().unpark());
        let mut lost_since = None;
        while let Err(RecvTimeoutError::Timeout) = replied {
            if let Err(reason) = self.limits.check() {
                self.break_off();
                return Err(DiskTableError::Stopped(reason));
            }
            if self.lost.which().is_some() {
                let since: &Instant = lost_since.get_or_insert_with(Instant::now);
                if since.elapsed() > GRACE {
                    break;
                }
            }
            replied = running.replies.recv_timeout(CHECK_PAUSE);
        }
        replied.map_err(|_| {
            self.break_off();
            self.lost_one()
        })
    }

    fn lost_one(&self) -> DiskTableError {
        let Some(index) = self.lost.which() else {
            return DiskTableError::Network(
                "the connections to the other processes ended: this is a bug".to_owned(),
            );
        };
        DiskTableError::Lost {
            index,
            address: self.addresses.get(index).cloned().unwrap_or_default(),
        }
    }

    /// The bytes that this process sent to the others so far.
    pub fn bytes_sent(&self) -> u64 {
        let links = self.running.iter().flat_map(|running| &running.links);
        links.map(Link::bytes_sent).sum()
    }

    /// Ends the work, which all processes have done: the last call of each.
    pub fn end(mut self) {
        if let Some(running) = self.running.take() {
            running.end();
        }
    }

    /// Breaks the connections, so that all others hear of it.
    fn break_off(&mut self) {
        if let Some(running) = self.running.take() {
            for link in &running.links {
                let _ = link.shutdown(Shutdown::Both);
            }
            running.end();
        }
    }
}

impl Running {
    /// Waits for the threads. That some panic where connections are broken is timely's way.
    fn end(self) {
        drop(self.requests);
        self.worker
            .guards()
            .iter()
            .for_each(|guard| guard.thread().unpark());
        let _ = self.worker.join();
        IS_QUIET.set(true);
        let _ = catch_unwind(AssertUnwindSafe(|| drop(self.network)));
        IS_QUIET.set(false);
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.break_off();
    }
}

impl Communicator for Cluster {
    fn index(&self) -> usize {
        self.process
    }

    fn count(&self) -> usize {
        self.addresses.len()
    }

    fn check(&self) -> Result<(), DiskTableError> {
        match self.lost.which() {
            None => Ok(()),
            Some(_) => Err(self.lost_one()),
        }
    }

    fn exchange(&mut self, packets: Vec<Packet>) -> Result<Vec<Vec<u64>>, DiskTableError> {
        // The packets of this round travel while the next ones are made.
        self.round(packets, 1)
    }

    fn settle(&mut self, packets: Vec<Packet>) -> Result<Vec<Vec<u64>>, DiskTableError> {
        self.round(packets, 0)
    }
}

/// Runs the dataflow until there are no more requests.
fn run(worker: &mut Worker, requests: &Receiver<Request>, replies: &Sender<Reply>) {
    let inbox = Rc::new(RefCell::new(Vec::<Message>::new()));
    let arrived = Rc::clone(&inbox);
    let (mut input, probe) = worker.dataflow::<u64, _, _>(|scope| {
        let (input, stream) = scope.new_input::<Vec<Message>>();
        let by_process = Exchange::new(|message: &Message| message.0);
        let gather = move |messages: &mut Vec<Message>| arrived.borrow_mut().append(messages);
        let (probe, _) = stream
            .unary::<CapacityContainerBuilder<Vec<()>>, _, _, _>(by_process, "inbox", |_, _| {
                move |input, _| input.for_each_stamp(|_, all| all.for_each(&gather))
            })
            .probe();
        (input, probe)
    });
    let mut open: Option<Request> = None;
    loop {
        if let Some(request) = &open
            && !probe.less_than(&request.until)
        {
            let mut inbox = inbox.borrow_mut();
            let (now, later) = mem::take(&mut *inbox)
                .into_iter()
                .partition(|(_, epoch, _)| *epoch <= request.epoch);
            *inbox = later;
            let now: Vec<Message> = now;
            let reply = now.into_iter().map(|(_, _, words)| words).collect();
            if replies.send(reply).is_err() {
                return;
            }
            open = None;
        }
        match requests.try_recv() {
            Ok(mut request) => {
                for (process, words) in mem::take(&mut request.packets) {
                    input.send((process as u64, request.epoch, words));
                }
                input.advance_to(request.epoch + 1);
                open = Some(request);
                worker.step();
            }
            Err(TryRecvError::Empty) => {
                worker.step_or_park(Some(CHECK_PAUSE));
            }
            Err(TryRecvError::Disconnected) => return,
        }
    }
}

thread_local! {
    /// Whether this thread does what may panic because a process is lost.
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Timely's threads print nothing when they panic, because an error reports it.
fn silence_threads() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let thread = thread::current();
            let is_timely = thread
                .name()
                .is_some_and(|name| name.starts_with("timely:"));
            if !is_timely && !IS_QUIET.get() {
                before(info);
            }
        }));
    });
}
