//! Among best moves those that get somewhere.
//!
//! Without a step limit a best move keeps the value, but best moves alone can keep play going for ever, and that is worth
//! nothing. A state is *done* if play is over there or its value is 0. A state *makes progress* by a best move if each reply
//! to it has an outcome that is done or makes progress: these states are found backwards, nearest first. By such moves the
//! opponents cannot keep play among states that make progress for ever: of the states where play stays, the one found
//! first has an outcome that leaves them, after each reply.
//!
//! All states of positive value make progress. For some strategy guarantees the value, so its moves are best ones and
//! the opponents cannot keep play for ever against it; but in a set of states without progress each best move
//! would have a reply that stays in the set.

/// By state, best move and reply the outcomes, as numbers of states; no moves where a state is done.
/// Gives for each state the best move that makes progress, by its place.
pub(crate) fn progress(states: &[Vec<Vec<Vec<u32>>>]) -> Vec<Option<usize>> {
    // Each reply that an outcome belongs to: its state, its move, its place among the replies.
    let mut before: Vec<Vec<(u32, u32, u32)>> = vec![Vec::new(); states.len()];
    for (state, moves) in states.iter().enumerate() {
        for (place, replies) in moves.iter().enumerate() {
            for (reply, outcomes) in replies.iter().enumerate() {
                for &outcome in outcomes {
                    before[outcome as usize].push((state as u32, place as u32, reply as u32));
                }
            }
        }
    }
    let mut waits: Vec<Vec<Vec<bool>>> = states
        .iter()
        .map(|moves| {
            moves
                .iter()
                .map(|replies| vec![true; replies.len()])
                .collect()
        })
        .collect();
    let mut chosen = vec![None; states.len()];
    let all = 0..states.len();
    let mut reached: Vec<usize> = all.filter(|&state| states[state].is_empty()).collect();
    let mut next = 0;
    while let Some(&state) = reached.get(next) {
        next += 1;
        for &(before, place, reply) in &before[state] {
            let (before, place) = (before as usize, place as usize);
            let waits = &mut waits[before][place];
            waits[reply as usize] = false;
            if chosen[before].is_none() && !waits.contains(&true) {
                chosen[before] = Some(place);
                reached.push(before);
            }
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::progress;

    /// State 0 can wait, or go to 1; 1 can go back, or gamble to be done (2) or back at 0.
    #[test]
    fn moves_that_wait_are_not_chosen() {
        let states = vec![
            vec![vec![vec![0]], vec![vec![1]]],
            vec![vec![vec![0]], vec![vec![2, 0]]],
            vec![],
        ];
        assert_eq!(progress(&states), [Some(1), Some(1), None]);
    }

    /// The opponents must not have a reply that stays.
    #[test]
    fn every_reply_has_to_lead_on() {
        let states = vec![
            vec![vec![vec![2], vec![0]], vec![vec![1], vec![2]]],
            vec![vec![vec![2]]],
            vec![],
        ];
        assert_eq!(progress(&states), [Some(1), Some(0), None]);
    }
}
