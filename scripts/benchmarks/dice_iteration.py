#!/usr/bin/env python3
"""Dice games without a last step by iteration of values, as somebody would write it with numpy for one question.

    dice_iteration.py pig 100

prints the chance of the first player. Sweeps go on until none changes a value by more than 10^-10, which proves nothing about
how far they are from the truth. Nothing here knows of GDL or of sqasp.
"""

import sys
from itertools import product

import numpy as np

CHANGE = 1e-10


def race(goal, throws):
    """Both players throw as often as they like; `throws` gives the chance of each number of points, of which 0 loses the pot.

    A value is that of who is in turn, by own and other score and the pot. Holding leads to a larger sum of scores, so all
    pairs of scores with one sum are iterated together, largest sums first.
    """
    values = np.zeros((goal, goal, goal))
    most = max(throws)
    for total in range(2 * goal - 2, -1, -1):
        own = np.arange(max(0, total - goal + 1), min(goal - 1, total) + 1)
        other = total - own
        pot = np.arange(goal - own[0])
        after = own[:, None] + pot
        hold = 1 - values[other[:, None], np.minimum(after, goal - 1), 0]
        hold[:, 0] = 0
        known = np.full((len(own), len(pot) + most), 1.0)
        here = known[:, : len(pot)]
        while True:
            throw = throws[0] * (1 - here[::-1, :1])
            for points, chance in throws.items():
                if points:
                    throw = throw + chance * known[:, points : points + len(pot)]
            new = np.where(after >= goal, 1, np.maximum(hold, throw))
            change = np.abs(new - here).max()
            here[:] = new
            if change < CHANGE:
                break
        values[own[:, None], other[:, None], pot] = here
    return values[0, 0, 0]


def pig(goal):
    """One die."""
    return race(goal, {points if points > 1 else 0: 1 / 6 for points in range(1, 7)})


def pigs(goal):
    """Two pigs that fall on a side, the back, the feet, the snout or an ear."""
    lies = [(35, 0), (30, 0), (22, 5), (9, 5), (3, 10), (1, 15)]
    throws = {}
    for (one, (often, worth)), (two, (often2, worth2)) in product(enumerate(lies), repeat=2):
        points = (worth + worth2) * (2 if one == two else 1)
        if one < 2 and two < 2:
            points = int(one == two)
        throws[points] = throws.get(points, 0) + often * often2 / 10**4
    return race(goal, throws)


GAMES = {"pig": pig, "pigs": pigs}


def main():
    """Prints the value."""
    name, *sizes = sys.argv[1:]
    print(repr(float(GAMES[name](*map(int, sizes)))))


if __name__ == "__main__":
    main()
