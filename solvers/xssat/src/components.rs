//! Strongly connected components of a directed graph, by Tarjan's algorithm without recursion:
//! graphs of long games have paths of a million nodes.

const UNSEEN: u32 = u32::MAX;

/// Numbers the nodes `0..nodes` so that two nodes get the same number exactly if each can be
/// reached from the other. `successors` is called several times for a node and must answer the
/// same each time.
pub fn components<'g>(nodes: usize, successors: impl Fn(usize) -> &'g [u32]) -> Vec<u32> {
    let mut component = vec![UNSEEN; nodes];
    let mut index = vec![UNSEEN; nodes];
    let mut lowest = vec![0u32; nodes];
    let mut open: Vec<u32> = Vec::new();
    // A path of the depth-first search: node, and how many of its successors are done.
    let mut path: Vec<(u32, u32)> = Vec::new();
    let mut visited = 0;
    let mut found = 0;
    for root in 0..nodes {
        if index[root] != UNSEEN {
            continue;
        }
        path.push((root as u32, 0));
        while let Some((node, done)) = path.last_mut() {
            let here = *node as usize;
            if *done == 0 {
                index[here] = visited;
                lowest[here] = visited;
                visited += 1;
                open.push(*node);
            }
            let next = successors(here)
                .get(*done as usize)
                .map(|&next| next as usize);
            *done += 1;
            match next {
                Some(next) if index[next] == UNSEEN => path.push((next as u32, 0)),
                Some(next) if component[next] == UNSEEN => {
                    lowest[here] = lowest[here].min(index[next]);
                }
                Some(_) => {}
                None => {
                    if lowest[here] == index[here] {
                        loop {
                            let member = open.pop().expect("the root of the component is open");
                            component[member as usize] = found;
                            if member as usize == here {
                                break;
                            }
                        }
                        found += 1;
                    }
                    path.pop();
                    if let Some(&(parent, _)) = path.last() {
                        let parent = parent as usize;
                        lowest[parent] = lowest[parent].min(lowest[here]);
                    }
                }
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_circles_and_a_bridge() {
        let graph: [&[u32]; 5] = [&[1], &[0, 2], &[3], &[4], &[2]];
        let component = components(5, |node| graph[node]);
        assert_eq!(component[0], component[1]);
        assert_eq!(component[2], component[3]);
        assert_eq!(component[3], component[4]);
        assert_ne!(component[0], component[2]);
    }

    #[test]
    fn a_long_path_does_not_overflow_the_stack() {
        let next: Vec<u32> = (1..=300_000).collect();
        let component = components(300_001, |node| next.get(node..node + 1).unwrap_or(&[]));
        assert_eq!(component.len(), 300_001);
        assert_ne!(component[0], component[300_000]);
    }
}
