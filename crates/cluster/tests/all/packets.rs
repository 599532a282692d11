//! Packets between processes, here threads with connections on the loopback: each arrives once, and a process that is gone is reported.

use layers::{Communicator, DiskTableError};
use limits::{Limits, StopReason};
use sqasp_cluster::{Cluster, Hosts, connect};
use std::collections::BTreeMap;
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

fn hosts(count: usize) -> Vec<String> {
    let listen = |_| TcpListener::bind("127.0.0.1:0").expect("a free port");
    let listeners: Vec<TcpListener> = (0..count).map(listen).collect();
    let address = |listener: &TcpListener| listener.local_addr().expect("bound").to_string();
    listeners.iter().map(address).collect()
}

/// Runs each process in a thread.
fn run<T: Send>(
    count: usize,
    table: impl Fn(usize) -> u8 + Sync,
    work: impl Fn(Result<Cluster, DiskTableError>) -> T + Sync,
) -> Vec<T> {
    let addresses = hosts(count);
    thread::scope(|scope| {
        let start = |process| {
            let (addresses, table, work) = (addresses.clone(), &table, &work);
            scope.spawn(move || {
                let hosts = Hosts { addresses, process };
                let limits = Limits::default();
                work(connect(&hosts, [table(process); 32], &limits))
            })
        };
        let threads: Vec<_> = (0..count).map(start).collect();
        let results = threads.into_iter().map(|thread| thread.join());
        results.map(|result| result.expect("no panic")).collect()
    })
}

#[test]
fn each_packet_arrives_once_and_by_the_end_of_its_layer() {
    const ROUNDS: u64 = 40;
    let seed = fastrand::u64(..);
    for count in [1, 2, 4] {
        // (from, to, layer, number) of what was sent, and of what arrived
        let all = run(
            count,
            |_| 0,
            |cluster| {
                let mut cluster = cluster.expect("connected");
                let own = cluster.index() as u64;
                let mut random = fastrand::Rng::with_seed(seed ^ own);
                let (mut sent, mut arrived) = (Vec::new(), Vec::new());
                for layer in 0..5 {
                    let mut here = Vec::new();
                    for round in 0..ROUNDS {
                        let mut packets = Vec::new();
                        for to in 0..count as u64 {
                            if to != own && random.bool() {
                                let mut words = vec![own, to, layer, round];
                                words.resize(4 + random.usize(..3000), 7);
                                sent.push((words[..4].to_vec(), words.len()));
                                packets.push((to as usize, words));
                            }
                        }
                        here.extend(match round + 1 {
                            ROUNDS => cluster.settle(packets).expect("all are there"),
                            _ => cluster.exchange(packets).expect("all are there"),
                        });
                    }
                    for words in here {
                        assert_eq!((words[1], words[2]), (own, layer), "seed {seed}");
                        arrived.push((words[..4].to_vec(), words.len()));
                    }
                }
                cluster.end();
                (sent, arrived)
            },
        );
        let mut counts = BTreeMap::new();
        for (sent, arrived) in all {
            for packet in sent {
                *counts.entry(packet).or_insert(0) += 1;
            }
            for packet in arrived {
                *counts.entry(packet).or_insert(0) -= 1;
            }
        }
        assert!(counts.len() >= 50 * (count - 1), "seed {seed}");
        assert!(counts.values().all(|count| *count == 0), "seed {seed}");
    }
}

#[test]
fn a_process_that_is_gone_is_told_by_all_others() {
    let all = run(
        3,
        |_| 0,
        |cluster| {
            let mut cluster = cluster.expect("connected");
            let first = cluster.settle(Vec::new());
            if cluster.index() == 1 {
                return None;
            }
            // It may be gone before the first packets are through.
            let lost = first.and_then(|_| cluster.settle(Vec::new()));
            // It stays so.
            assert!(cluster.exchange(Vec::new()).is_err());
            Some(lost)
        },
    );
    for (process, lost) in all.into_iter().enumerate() {
        match lost {
            None => assert_eq!(process, 1),
            Some(Err(DiskTableError::Lost { index, .. })) => assert_ne!(index, process),
            Some(other) => panic!("{process}: {other:?}"),
        }
    }
}

#[test]
fn processes_of_two_tables_do_not_mix() {
    let other = |process: usize| u8::from(process == 1);
    let all = run(2, other, |cluster| cluster.map(|_| ()));
    let is_told = |result: &Result<(), DiskTableError>| matches!(result, Err(DiskTableError::Network(why)) if why.contains("another table"));
    assert!(all.iter().all(is_told), "{all:?}");
}

#[test]
fn who_waits_for_others_may_be_interrupted() {
    let hosts = Hosts {
        addresses: hosts(2),
        process: 0,
    };
    let limits = Limits::default();
    let interrupt = limits.interrupt.clone();
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        interrupt.raise();
    });
    let waited = connect(&hosts, [0; 32], &limits);
    let Err(DiskTableError::Stopped(StopReason::Interrupted)) = waited.map(|_| ()) else {
        panic!("it waits for no other process");
    };
}
