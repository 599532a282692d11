//! Strongly connected components of a directed graph, by Tarjan's algorithm without recursion.

/// The component of each node. Components are numbered so that an edge never leads to a component
/// with a higher number: what a node depends on comes first.
pub(crate) fn components(successors: &[Vec<usize>]) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let count = successors.len();
    let mut component = vec![NEW; count];
    let mut index = vec![NEW; count];
    let mut low = vec![0; count];
    let mut open = Vec::new();
    let (mut next_index, mut next_component) = (0, 0);
    for root in 0..count {
        if index[root] != NEW {
            continue;
        }
        // A node and how many of its successors have been looked at.
        let mut path = vec![(root, 0)];
        while let Some(&mut (node, ref mut done)) = path.last_mut() {
            if *done == 0 {
                index[node] = next_index;
                low[node] = next_index;
                next_index += 1;
                open.push(node);
            }
            if let Some(&successor) = successors[node].get(*done) {
                *done += 1;
                if index[successor] == NEW {
                    path.push((successor, 0));
                } else if component[successor] == NEW {
                    low[node] = low[node].min(index[successor]);
                }
                // A node with successors is not entered anew: `done` is at least 1 now.
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == index[node] {
                while let Some(member) = open.pop() {
                    component[member] = next_component;
                    if member == node {
                        break;
                    }
                }
                next_component += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn cycles_are_found_and_ordered() {
        // 0 -> 1 <-> 2 -> 3, 3 -> 3, 4 alone.
        let found = components(&[vec![1], vec![2], vec![1, 3], vec![3], vec![]]);
        assert_eq!(found[1], found[2]);
        assert!(found[3] < found[1] && found[1] < found[0]);
        assert_ne!(found[4], found[0]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let count = 200_000;
        let edges: Vec<Vec<usize>> = (0..count).map(|i| vec![(i + 1) % count]).collect();
        assert!(components(&edges).iter().all(|&c| c == 0));
    }
}
