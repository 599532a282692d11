//! Games that people know.

use crate::outline::Outline;

/// Kuhn poker (1950) with this many cards: one chip each, one bet of one chip.
pub fn kuhn(cards: u8) -> Outline {
    let mut game = Outline::new(u32::from(cards) * u32::from(cards - 1));
    for own in 0..cards {
        for other in (0..cards).filter(|&other| other != own) {
            let show = |stake: i64| if own > other { stake } else { -stake };
            // Pass or bet.
            let first = game.moves(0, 0, &[own], 2);
            let after_pass = game.moves(1, 0, &[other, 0], 2);
            let after_bet = game.moves(1, 0, &[other, 1], 2);
            let again = game.moves(0, first, &[own, 0, 1], 2);
            game.end([first, after_pass], show(1));
            game.end([again, after_pass + 1], -1);
            game.end([again + 1, after_pass + 1], show(2));
            game.end([first + 1, after_bet], 1);
            game.end([first + 1, after_bet + 1], show(2));
        }
    }
    game
}

/// Leduc poker (Southey and others 2005): six cards of three ranks, one of them public after the first round, bets of 2 and then 4, at
/// most two in a round. `suits` tells players the suit too, which is worth nothing.
pub fn leduc(suits: bool) -> Outline {
    let mut game = Outline::new(120);
    for own in 0..6u8 {
        for other in (0..6).filter(|&other| other != own) {
            for public in (0..6).filter(|&public| public != own && public != other) {
                let seen = |card: u8| if suits { card } else { card / 2 };
                let mut deal = Leduc {
                    game: &mut game,
                    ranks: [own / 2, other / 2, public / 2],
                    seen: [seen(own), seen(other), seen(public)],
                    history: Vec::new(),
                };
                deal.play([0, 0], 0, [1, 1], Round::default());
            }
        }
    }
    game
}

struct Leduc<'a> {
    game: &'a mut Outline,
    ranks: [u8; 3],
    seen: [u8; 3],
    history: Vec<u8>,
}

#[derive(Clone, Copy, Default)]
struct Round {
    is_second: bool,
    raises: u8,
    moves: u8,
}

impl Leduc<'_> {
    fn play(&mut self, sequences: [u32; 2], player: usize, stakes: [i64; 2], round: Round) {
        let is_behind = stakes[player] < stakes[1 - player];
        let mut moves = vec![b'c'];
        if is_behind {
            moves.push(b'f');
        }
        if round.raises < 2 {
            moves.push(b'r');
        }
        let mut knowledge = vec![self.seen[player]];
        if round.is_second {
            knowledge.push(self.seen[2]);
        }
        knowledge.extend(&self.history);
        let count = moves.len() as u32;
        let first = self
            .game
            .moves(player, sequences[player], &knowledge, count);
        for (index, name) in moves.into_iter().enumerate() {
            let (mut sequences, mut stakes) = (sequences, stakes);
            sequences[player] = first + index as u32;
            let mut next = Round {
                moves: round.moves + 1,
                ..round
            };
            self.history.push(name);
            match name {
                b'f' => {
                    let lost = stakes[player];
                    self.game
                        .end(sequences, if player == 0 { -lost } else { lost });
                }
                b'r' => {
                    stakes[player] = stakes[1 - player] + if round.is_second { 4 } else { 2 };
                    next.raises += 1;
                    self.play(sequences, 1 - player, stakes, next);
                }
                _ => {
                    stakes[player] = stakes[1 - player];
                    if next.moves == 1 {
                        self.play(sequences, 1 - player, stakes, next);
                    } else if !round.is_second {
                        self.history.push(b'/');
                        let second = Round {
                            is_second: true,
                            ..Round::default()
                        };
                        self.play(sequences, 0, stakes, second);
                        self.history.pop();
                    } else {
                        let strength = |player: usize| {
                            let rank = self.ranks[player];
                            (rank == self.ranks[2], rank)
                        };
                        let order = strength(0).cmp(&strength(1)) as i64;
                        self.game.end(sequences, order * stakes[0]);
                    }
                }
            }
            self.history.pop();
        }
    }
}

/// Liar's dice with one die each, whose highest side counts as any.
pub fn liars_dice(sides: u8) -> Outline {
    let mut game = Outline::new(u32::from(sides).pow(2));
    for own in 0..sides {
        for other in 0..sides {
            bid(&mut game, [own, other], sides, [0, 0], &mut Vec::new());
        }
    }
    game
}

/// Bids are numbered: one of each side, then two of each. After a bid a player may call the other a liar.
fn bid(game: &mut Outline, dice: [u8; 2], sides: u8, sequences: [u32; 2], history: &mut Vec<u8>) {
    let player = history.len() % 2;
    let last = history.last().copied();
    let least = last.map_or(0, |last| last + 1);
    let bids = 2 * sides - least;
    let knowledge: Vec<u8> = [dice[player]]
        .into_iter()
        .chain(history.iter().copied())
        .collect();
    let moves = u32::from(bids) + u32::from(last.is_some());
    let first = game.moves(player, sequences[player], &knowledge, moves);
    for index in 0..bids {
        let mut sequences = sequences;
        sequences[player] = first + u32::from(index);
        history.push(least + index);
        bid(game, dice, sides, sequences, history);
        history.pop();
    }
    if let Some(last) = last {
        let mut sequences = sequences;
        sequences[player] = first + u32::from(bids);
        let (count, side) = (last / sides + 1, last % sides);
        let fits = dice.iter().filter(|&&die| die == side || die == sides - 1);
        let is_true = fits.count() >= usize::from(count);
        // The caller wins if the bid is false.
        let is_won_by_0 = (player == 0) != is_true;
        game.end(sequences, if is_won_by_0 { 1 } else { -1 });
    }
}
