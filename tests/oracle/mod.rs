//! The logical route as a whole against other ways to the same answer, most of them written so as
//! to be easy to believe.
//!
//! | file | what is compared |
//! |---|---|
//! | [`random_games`] | values of random games with expected minimax by definition |
//! | [`first_moves`] | values of first moves with expected minimax |
//! | [`greedy`] | values against opponents that look two steps ahead with the definition |
//! | [`coalitions`] | values of public games with several opponents, or moves at the same time, with expected minimax |
//! | [`cyclic_games`] | strategies of random games without a step limit with what the rules prove |
//! | [`endless`] | values without a step limit with what the rules prove |
//! | [`steps`] | numbers of steps until play is over with what the rules prove |
//! | [`never`] | what is told never to be with all that play leads to |
//! | [`random_programs`] | values of random quantified programs with the definition, by trying everything |
//! | [`program_choices`] | choices and functions of random quantified programs with the definition |
//! | [`odd_names`] | values of a game and of the same game with names that are easily mixed up |
//! | [`qbf`] | values of games, and whether they are 0 or 1, with DepQBF; files as they are read |

mod coalitions;
mod cyclic_games;
mod endless;
mod first_moves;
mod greedy;
mod naive;
mod never;
mod odd_names;
mod program_choices;
mod qbf;
mod random_games;
mod random_programs;
mod steps;
