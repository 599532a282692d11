#!/usr/bin/env python3
"""Values of small games of hidden information, each written here from its rules in words.

    scripts/benchmarks/hidden_by_hand.py mastermind | minesweeper | battleship | tiger | nim | all

Nothing here knows GDL. For one player against chance a set of equally likely secrets, or a weight for each, is what the player knows. Nim with hidden
moves is a matrix of plans, since nobody sees anything that a plan could depend on.
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


GAMES = {game.__name__: game for game in (mastermind, minesweeper, battleship, tiger, nim)}

if __name__ == "__main__":
    names = sys.argv[1:] or ["all"]
    for name in GAMES if names == ["all"] else names:
        if name not in GAMES:
            sys.exit(f"{name} is none of {', '.join(GAMES)}")
        print(name, GAMES[name]())
