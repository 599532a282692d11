#!/usr/bin/env python3
"""Values of small games of hidden information, each written here from its rules in words.

    tests/by_hand/hidden.py mastermind | minesweeper | battleship | tiger | endless_tiger | nim | blackjack
        | krieg | krieg_3x3 | all

Nothing here knows GDL. For one player against chance a set of equally likely secrets, or a weight for each, is what the player knows. Nim with hidden
moves is a matrix of plans, since nobody sees anything that a plan could depend on. Krieg-Tic-Tac-Toe, on two rows or the first five steps on three, is a linear
program in floating-point numbers, whose value is rounded to a fraction; it needs scipy, and is not among `all`.
"""

import itertools
import sys
from fractions import Fraction
from functools import lru_cache


def best_guess(secrets, guesses, answer, tries):
    """The best probability of naming a secret within a number of tries; all secrets are equally likely."""

    @lru_cache(maxsize=None)
    def wins(left, tries):
        if tries == 0 or not left:
            return 0
        best = 0
        for guess in guesses:
            groups = {}
            for secret in left:
                if secret != guess:
                    groups.setdefault(answer(secret, guess), []).append(secret)
            found = guess in left
            best = max(best, found + sum(wins(frozenset(group), tries - 1) for group in groups.values()))
        return best

    return Fraction(wins(frozenset(secrets), tries), len(secrets))


def mastermind():
    codes = list(itertools.product(range(4), repeat=2))

    def answer(code, guess):
        right = sum(one == other for one, other in zip(code, guess))
        return right, sum(min(code.count(colour), guess.count(colour)) for colour in range(4)) - right

    return best_guess(codes, codes, answer, 3)


CELLS = list(itertools.product(range(3), repeat=2))


def minesweeper():
    @lru_cache(maxsize=None)
    def wins(layouts, opened):
        """How many of the layouts are won."""
        if len(opened) == 7:
            return len(layouts)
        best = 0
        for cell in CELLS:
            if cell in opened:
                continue
            groups = {}
            for layout in layouts:
                if cell not in layout:
                    near = sum(abs(cell[0] - x) <= 1 and abs(cell[1] - y) <= 1 for x, y in layout)
                    groups.setdefault(near, []).append(layout)
            best = max(best, sum(wins(frozenset(group), opened | {cell}) for group in groups.values()))
        return best

    layouts = frozenset(map(frozenset, itertools.combinations(CELLS, 2)))
    return Fraction(wins(layouts, frozenset()), len(layouts))


def battleship():
    ships = [{(x, y), (x + dx, y + dy)} for x, y in CELLS for dx, dy in ((1, 0), (0, 1))]
    ships = frozenset(frozenset(ship) for ship in ships if all(cell in CELLS for cell in ship))

    @lru_cache(maxsize=None)
    def sunk(left, fired, shots):
        if shots == 0:
            return 0
        best = 0
        for cell in CELLS:
            if cell in fired:
                continue
            then = fired | {cell}
            done = sum(cell in ship and ship <= then for ship in left)
            hit = frozenset(ship for ship in left if cell in ship and not ship <= then)
            missed = frozenset(ship for ship in left if cell not in ship)
            best = max(best, done + sunk(hit, then, shots - 1) + sunk(missed, then, shots - 1))
        return best

    return Fraction(sunk(ships, frozenset(), 5), len(ships))


def tiger():
    def worth(left, right, listened):
        """With these unnormalised chances of the doors."""
        points = Fraction(100 - 5 * listened)
        best = max(left, right) * points
        if listened < 4:
            heard_left = worth(left * Fraction(5, 6), right * Fraction(1, 6), listened + 1)
            heard_right = worth(left * Fraction(1, 6), right * Fraction(5, 6), listened + 1)
            best = max(best, heard_left + heard_right)
        return best

    return worth(Fraction(1, 2), Fraction(1, 2), 0)


def endless_tiger():
    """The best of all plans to listen until one door was heard so many times more often than the other."""

    def worth(most):
        # Chances are those of 20; with this tiger it comes to open the right door, from so many times more often right than wrong.
        differences = range(1 - most, most)
        size = len(differences)
        rows = [[Fraction(i == j) for j in range(size)] + [Fraction(0)] for i in range(size)]
        for i in range(size):
            for then, chance in ((i + 1, Fraction(16, 20)), (i - 1, Fraction(3, 20))):
                if then == size:
                    rows[i][-1] += chance
                elif then >= 0:
                    rows[i][then] -= chance
        for i in range(size):
            rows[i] = [entry / rows[i][i] for entry in rows[i]]
            for other in range(size):
                if other != i:
                    factor = rows[other][i]
                    rows[other] = [one - factor * two for one, two in zip(rows[other], rows[i])]
        return rows[most - 1][-1]

    return max([Fraction(1, 2)] + [worth(most) for most in range(1, 8)])


def matrix_value(rows):
    """The value of a matrix game with positive payoffs, by the simplex method with the rule of Bland."""
    height, width = len(rows), len(rows[0])
    table = [[Fraction(entry) for entry in row] + [Fraction(i == j) for j in range(height)] + [Fraction(1)] for i, row in enumerate(rows)]
    goal = [Fraction(-1)] * width + [Fraction(0)] * (height + 1)
    basis = list(range(width, width + height))
    while True:
        column = next((j for j in range(width + height) if goal[j] < 0), None)
        if column is None:
            return 1 / goal[-1]
        limits = [(table[i][-1] / table[i][column], basis[i], i) for i in range(height) if table[i][column] > 0]
        _, _, pivot = min(limits)
        factor = table[pivot][column]
        table[pivot] = [entry / factor for entry in table[pivot]]
        for i in [*range(height), None]:
            row = goal if i is None else table[i]
            if i != pivot and row[column]:
                new = [entry - row[column] * other for entry, other in zip(row, table[pivot])]
                if i is None:
                    goal = new
                else:
                    table[i] = new
        basis[pivot] = column


def nim():
    def first_wins(plans):
        left, turn = 7, 0
        while True:
            left -= plans[turn % 2][turn // 2]
            if left <= 0:
                return turn % 2 == 0
            turn += 1

    plans = list(itertools.product((1, 2), repeat=4))
    return matrix_value([[1 + first_wins((one, other)) for other in plans] for one in plans]) - 1


VALUES = {"ace": 1, "five": 5, "six": 6, "ten": 10}


def blackjack():
    """The points of the guest."""

    def worth(hand):
        total = sum(VALUES[card] for card in hand)
        return total + 10 if "ace" in hand and total <= 11 else total

    def without(deck, card):
        left = list(deck)
        left.remove(card)
        return tuple(left)

    @lru_cache(maxsize=None)
    def against_dealer(guest, dealer, deck):
        have = worth(dealer)
        if have < 17:
            return Fraction(sum(against_dealer(guest, tuple(sorted(dealer + (card,))), without(deck, card)) for card in deck), len(deck))
        return Fraction(100 if have > 21 or have < guest else 50 if have == guest else 0)

    @lru_cache(maxsize=None)
    def best(hand, shown, unseen):
        """What the guest gets if any of the cards that it does not see may be the hidden one."""
        if worth(hand) > 21:
            return Fraction(0)
        stand = sum(against_dealer(worth(hand), tuple(sorted((card, shown))), without(unseen, card)) for card in unseen)
        draw = sum(best(tuple(sorted(hand + (card,))), shown, without(unseen, card)) for card in unseen)
        return max(stand, draw) / len(unseen)

    deck = ("ace",) * 2 + ("five",) * 2 + ("six",) * 2 + ("ten",) * 4
    deals = list(itertools.permutations(range(len(deck)), 3))
    total = Fraction(0)
    for places in deals:
        shown, *hand = (deck[place] for place in places)
        left = tuple(card for place, card in enumerate(deck) if place not in places)
        total += best(tuple(sorted(hand)), shown, left)
    return total / len(deals)


def krieg(rows=2, steps=None):
    """The points of x within a number of steps: 100 for a win, 50 for a draw."""
    from scipy.optimize import linprog

    cells = [(x, y) for x in range(3) for y in range(rows)]
    lines = [{cell for cell in cells if cell[1] == y} for y in range(rows)] + [{cell for cell in cells if cell[0] == x} for x in range(3)]
    if rows == 3:
        lines += [{(place, place) for place in range(3)}, {(place, 2 - place) for place in range(3)}]
    # By player: what it knows, with the sequence that leads there; a sequence is what it knew and its try.
    parents, payoffs = ({}, {}), {}

    def play(turn, marks, known, last, left):
        """`known` are the tries of each player with their outcomes, `last` their last sequences."""
        parents[turn].setdefault(known[turn], last[turn])
        for cell in cells:
            if any(cell == tried for tried, _ in known[turn]):
                continue
            is_free = cell not in marks[0] | marks[1]
            then, knows, sequences = list(marks), list(known), list(last)
            sequences[turn] = known[turn], cell
            knows[turn] = known[turn] + ((cell, is_free),)
            if is_free:
                then[turn] = marks[turn] | {cell}
            if any(line <= then[turn] for line in lines):
                payoffs[tuple(sequences)] = 100 - 100 * turn
            elif len(then[0] | then[1]) == len(cells):
                payoffs[tuple(sequences)] = 50
            elif left != 1:
                play(1 - turn, then, knows, sequences, left and left - 1)

    play(0, [frozenset(), frozenset()], [(), ()], [None, None], steps)
    numbers = []
    for player in range(2):
        tried = {known: {cell for cell, _ in known} for known in parents[player]}
        sequences = [(known, cell) for known in parents[player] for cell in cells if cell not in tried[known]]
        numbers.append({sequence: number for number, sequence in enumerate([None, *sequences])})
    # Weights of x, then the worth of each thing that o may know, which is at most that of each try; the first is the game's.
    own, count = numbers[0], len(numbers[0])
    worth = {None: count} | {known: count + 1 + number for number, known in enumerate(parents[1])}
    bounds = [{} for _ in numbers[1]]
    for (one, other), points in payoffs.items():
        row = bounds[numbers[1][other]]
        row[own[one]] = row.get(own[one], 0) - points
    for sequence, number in numbers[1].items():
        known = None if sequence is None else sequence[0]
        bounds[number][worth[known]] = bounds[number].get(worth[known], 0) + 1
    for known, sequence in parents[1].items():
        bounds[numbers[1][sequence]][worth[known]] = -1
    plans = [{0: 1}]
    for known, sequence in parents[0].items():
        plans.append({own[sequence]: -1} | {own[known, cell]: 1 for cell in cells if (known, cell) in own})
    width = count + len(worth)

    def matrix(rows):
        from scipy.sparse import coo_matrix

        entries = [(value, row, column) for row, values in enumerate(rows) for column, value in values.items()]
        values, places, columns = zip(*entries)
        return coo_matrix((values, (places, columns)), shape=(len(rows), width))

    goal = [0] * width
    goal[count] = -1
    found = linprog(
        goal,
        A_ub=matrix(bounds),
        b_ub=[0] * len(bounds),
        A_eq=matrix(plans),
        b_eq=[1] + [0] * (len(plans) - 1),
        bounds=[(0, None)] * count + [(None, None)] * len(worth),
    )
    value = Fraction(-found.fun).limit_denominator(1000)
    assert abs(value + found.fun) < 1e-6, found.fun
    return value


def krieg_3x3():
    return krieg(3, 5)


GAMES = {game.__name__: game for game in (mastermind, minesweeper, battleship, tiger, endless_tiger, nim, blackjack, krieg, krieg_3x3)}

if __name__ == "__main__":
    names = sys.argv[1:] or ["all"]
    for name in [name for name in GAMES if not name.startswith("krieg")] if names == ["all"] else names:
        if name not in GAMES:
            sys.exit(f"{name} is none of {', '.join(GAMES)}")
        print(name, GAMES[name]())
