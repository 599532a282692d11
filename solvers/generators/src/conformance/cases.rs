//! Formulas with values worked out by hand.

/// A formula and its value.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The subject of the case.
    pub name: &'static str,
    /// The formula as SDIMACS.
    pub text: &'static str,
    /// The value as a fraction.
    pub value: &'static str,
}

const fn case(name: &'static str, value: &'static str, text: &'static str) -> Case {
    Case { name, text, value }
}

/// All cases, simplest first.
pub const CASES: &[Case] = &[
    // Every clause of none is satisfied.
    case("nothing at all", "1", "p cnf 0 0\n"),
    case("the empty clause alone", "0", "p cnf 0 1\n0\n"),
    case("no clauses", "1", "p cnf 3 0\ne 1 0\na 2 0\nr 0.5 3 0\n"),
    case(
        "an empty clause among others",
        "0",
        "p cnf 2 3\ne 1 2 0\n1 2 0\n0\n-1 0\n",
    ),
    case("opposite units", "0", "p cnf 1 2\ne 1 0\n1 0\n-1 0\n"),
    // Setting 1 true satisfies the first two clauses, setting 2 false the third.
    case(
        "a satisfiable matrix",
        "1",
        "p cnf 2 3\ne 1 2 0\n1 2 0\n1 -2 0\n-1 -2 0\n",
    ),
    // Each of the four assignments violates one clause.
    case(
        "an unsatisfiable matrix without units",
        "0",
        "p cnf 2 4\ne 1 2 0\n1 2 0\n1 -2 0\n-1 2 0\n-1 -2 0\n",
    ),
    // Repeated literals count once; a clause with 2 and -2 holds always.
    case(
        "repeated literals and tautologies",
        "1/3",
        "p cnf 2 3\nr 1/3 1 0\na 2 0\n1 1 1 0\n2 -2 0\n-2 1 2 0\n",
    ),
    // The minimizer sets 1 false.
    case("a universal unit", "0", "p cnf 1 1\na 1 0\n1 0\n"),
    // The player who sees the other's choice decides whether both differ.
    case(
        "exists first, for all second",
        "0",
        "p cnf 2 2\ne 1 0\na 2 0\n1 2 0\n-1 -2 0\n",
    ),
    case(
        "for all first, exists second",
        "1",
        "p cnf 2 2\na 1 0\ne 2 0\n1 2 0\n-1 -2 0\n",
    ),
    // Without a quantifier 1 is chosen first, so it cannot follow 2.
    case(
        "a free variable is outermost",
        "0",
        "p cnf 2 2\na 2 0\n1 2 0\n-1 -2 0\n",
    ),
    case("a chance unit", "1/3", "p cnf 1 1\nr 1/3 1 0\n1 0\n"),
    case(
        "a negated chance unit",
        "2/3",
        "p cnf 1 1\nr 1/3 1 0\n-1 0\n",
    ),
    // 1 - 3/10 * 3/10.
    case(
        "one of two chances",
        "91/100",
        "p cnf 2 1\nr 0.7 1 2 0\n1 2 0\n",
    ),
    // The mean over one variable is not the maximum: 1 occurs in one polarity only, and still
    // no player may choose it. Both clauses hold for every 2 only if 1 is true.
    case(
        "a pure literal of chance",
        "1/4",
        "p cnf 2 2\nr 0.25 1 0\na 2 0\n1 2 0\n1 -2 0\n",
    ),
    case(
        "chance that is certain",
        "1/2",
        "p cnf 3 2\nr 1 1 0\nr 0 2 0\nr 0.5 3 0\n-1 2 3 0\n1 3 0\n",
    ),
    case("impossible chance", "0", "p cnf 1 1\nr 0 1 0\n1 0\n"),
    // Guessing the rarer side is right with 1/3, the other with 2/3.
    case(
        "a guess before chance",
        "2/3",
        "p cnf 2 2\ne 1 0\nr 1/3 2 0\n1 -2 0\n-1 2 0\n",
    ),
    case(
        "an answer after chance",
        "1",
        "p cnf 2 2\nr 1/3 2 0\ne 1 0\n1 -2 0\n-1 2 0\n",
    ),
    case(
        "an opponent before chance",
        "1/3",
        "p cnf 2 2\na 1 0\nr 1/3 2 0\n1 -2 0\n-1 2 0\n",
    ),
    case(
        "an opponent after chance",
        "0",
        "p cnf 2 2\nr 1/3 2 0\na 1 0\n1 -2 0\n-1 2 0\n",
    ),
    // 1 says which coin counts: coin 2 (1/3) or coin 3 (3/4).
    case(
        "the opponent picks a coin",
        "1/3",
        "p cnf 3 2\na 1 0\nr 1/3 2 0\nr 3/4 3 0\n1 2 0\n-1 3 0\n",
    ),
    case(
        "the player picks a coin",
        "3/4",
        "p cnf 3 2\ne 1 0\nr 1/3 2 0\nr 3/4 3 0\n1 2 0\n-1 3 0\n",
    ),
    // Both must show heads: 1/3 * 3/4.
    case(
        "the opponent picks a coin it sees",
        "1/4",
        "p cnf 3 2\nr 1/3 2 0\nr 3/4 3 0\na 1 0\n1 2 0\n-1 3 0\n",
    ),
    // Not both tails: 1 - 2/3 * 1/4.
    case(
        "the player picks a coin it sees",
        "5/6",
        "p cnf 3 2\nr 1/3 2 0\nr 3/4 3 0\ne 1 0\n1 2 0\n-1 3 0\n",
    ),
    // Odd parity: (1 - (1-2/3)(1-2/4)(1-2/5)) / 2 = (1 - 1/10) / 2.
    case(
        "parity of three chances",
        "9/20",
        "p cnf 3 4\nr 1/3 1 0\nr 1/4 2 0\nr 1/5 3 0\n1 2 3 0\n1 -2 -3 0\n-1 2 -3 0\n-1 -2 3 0\n",
    ),
    // The same through two defined variables: 4 = 1 xor 2, 5 = 4 xor 3, and 5 must hold.
    case(
        "parity through definitions",
        "9/20",
        "p cnf 5 9\nr 1/3 1 0\nr 1/4 2 0\nr 1/5 3 0\ne 4 5 0\n-4 1 2 0\n-4 -1 -2 0\n4 1 -2 0\n\
         4 -1 2 0\n-5 4 3 0\n-5 -4 -3 0\n5 4 -3 0\n5 -4 3 0\n5 0\n",
    ),
    // Two halves without a common variable: 2/3 (a guess) times 3/4 (chance).
    case(
        "independent parts multiply",
        "1/2",
        "p cnf 3 3\ne 1 0\nr 1/3 2 0\nr 3/4 3 0\n1 -2 0\n-1 2 0\n3 0\n",
    ),
    // 4 false: need "1 and 2" (1/6). 4 true: need "1 or 2" (1 - 2/3 * 1/2 = 2/3). The opponent
    // picks the former.
    case(
        "the smaller of two means",
        "1/6",
        "p cnf 4 3\na 4 0\nr 1/3 1 0\nr 1/2 2 0\n4 1 0\n4 2 0\n-4 1 2 0\n",
    ),
    // A fair die of three sides as in games: 1 (1/3) shows side three, else 2 (1/2) shows side
    // two, else side one. Variables 3, 4, 5 say which side; 6 and 7 are the guess before it:
    // side one if both are false, two if 6, three if 7, and not both.
    case(
        "guessing a fair die",
        "1/3",
        "p cnf 7 10\ne 6 7 0\nr 1/3 1 0\nr 1/2 2 0\ne 3 4 5 0\n-1 5 0\n1 -5 0\n-4 2 0\n-4 -1 0\n\
         4 -2 1 0\n-3 -4 0\n-6 4 0\n-7 5 0\n6 7 -4 0\n6 7 -5 0\n",
    ),
    // Four objects in three places, one each: 3(i-1)+j says that object i is in place j.
    case(
        "pigeons",
        "0",
        "p cnf 12 22\ne 1 2 3 4 5 6 7 8 9 10 11 12 0\n1 2 3 0\n4 5 6 0\n7 8 9 0\n10 11 12 0\n\
         -1 -4 0\n-1 -7 0\n-1 -10 0\n-4 -7 0\n-4 -10 0\n-7 -10 0\n-2 -5 0\n-2 -8 0\n-2 -11 0\n\
         -5 -8 0\n-5 -11 0\n-8 -11 0\n-3 -6 0\n-3 -9 0\n-3 -12 0\n-6 -9 0\n-6 -12 0\n-9 -12 0\n",
    ),
    // A cycle of implications makes all three equal; they must equal the guess 4 of chance 5.
    case(
        "a cycle of equivalences",
        "3/5",
        "p cnf 5 7\ne 4 0\nr 3/5 5 0\ne 1 2 3 0\n-1 2 0\n-2 3 0\n-3 1 0\n-4 1 0\n4 -2 0\n-3 5 0\n\
         3 -5 0\n",
    ),
    // Two rounds. State 1 (initially false) becomes 4 = 1 or (2 and 3), then 7 = 4 or (5 and 6):
    // the player tries (2, 5), chance lets it succeed (3, 6) with 1/2. 1 - 1/2 * 1/2.
    case(
        "two tries",
        "3/4",
        "p cnf 9 14\ne 1 2 0\nr 0.5 3 0\ne 8 4 5 0\nr 0.5 6 0\ne 9 7 0\n-1 0\n-8 2 0\n-8 3 0\n\
         8 -2 -3 0\n-4 1 8 0\n4 -1 0\n4 -8 0\n-9 5 0\n-9 6 0\n9 -5 -6 0\n-7 4 9 0\n7 -4 0\n7 -9 0\n\
         7 0\n",
    ),
    // The same, but the opponent forbids one of the two tries (10: the second). 1/2.
    case(
        "two tries, one forbidden",
        "1/2",
        "p cnf 10 15\ne 1 0\na 10 0\ne 2 0\nr 0.5 3 0\ne 8 4 5 0\nr 0.5 6 0\ne 9 7 0\n-1 0\n-8 2 0\n\
         -8 3 0\n8 -2 -3 0\n-4 1 8 0\n4 -1 0\n4 -8 0\n-9 5 0\n-9 6 0\n9 -5 -6 0\n-7 4 9 0\n7 -9 0\n\
         7 0\n10 -2 0\n-10 -5 0\n",
    ),
    // 1/1000 to the twelfth: far beyond 64 bits, and 0 within any tolerance.
    case(
        "twelve unlikely chances at once",
        "1/1000000000000000000000000000000000000",
        "p cnf 12 12\nr 1/1000 1 2 3 4 5 6 7 8 9 10 11 12 0\n1 0\n2 0\n3 0\n4 0\n5 0\n6 0\n7 0\n8 0\n\
         9 0\n10 0\n11 0\n12 0\n",
    ),
    case(
        "not twelve unlikely chances at once",
        "999999999999999999999999999999999999/1000000000000000000000000000000000000",
        "p cnf 12 1\nr 1/1000 1 2 3 4 5 6 7 8 9 10 11 12 0\n-1 -2 -3 -4 -5 -6 -7 -8 -9 -10 -11 -12 0\n",
    ),
    // The two values differ by 10^-24 / 2 only: 1 chooses "all of 2..9" or "all of 2..9 and 10".
    case(
        "a choice that no float can see",
        "1/1000000000000000000000000",
        "p cnf 10 9\ne 1 0\nr 1/1000 2 3 4 5 6 7 8 9 0\nr 1/2 10 0\n2 0\n3 0\n4 0\n5 0\n6 0\n7 0\n\
         8 0\n9 0\n-1 10 0\n",
    ),
];
