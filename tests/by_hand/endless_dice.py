#!/usr/bin/env python3
"""Dice games without a last step by iteration of values, by a numpy program for one question.

    endless_dice.py pig 100

prints the chance of the first player. Sweeps go on until none changes a value by more than 10^-10, which proves nothing about
how far they are from the truth. Nothing here knows of GDL or of sqasp.
"""

import sys
from collections import Counter
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


def farkle(goal, count):
    """Dice of which those that score may be set aside.

    What can be set aside decides alone, so throws are counted by that: pairs of points and dice left. A value is that of who is about to throw, by
    scores, the pot and the number of dice.
    """
    three = {1: 20, 2: 4, 3: 6, 4: 8, 5: 10, 6: 12}

    def choices(throw):
        """The points and the number of dice of all sets that score, the largest first."""
        ways = []
        for side, number in Counter(throw).items():
            least = 0 if side in (1, 5) else 3
            worth = lambda n: three[side] << n - 3 if n > 2 else n * {1: 2, 5: 1}.get(side, 0)
            ways.append([(0, 0)] + [(worth(n), n) for n in range(max(least, 1), number + 1)])
        sums = {(sum(way[0] for way in one), sum(way[1] for way in one)) for one in product(*ways)}
        return tuple(sorted(((points, dice) for points, dice in sums if dice), reverse=True))

    menus = [Counter(choices(throw) for throw in product(range(1, 7), repeat=dice)) for dice in range(1, count + 1)]
    menus = [
        [(times / 6**dice, [(points, dice - used or count) for points, used in menu]) for menu, times in found.items()]
        for dice, found in enumerate(menus, 1)
    ]
    values = np.zeros((goal, goal))
    for total in range(2 * goal - 2, -1, -1):
        own = np.arange(max(0, total - goal + 1), min(goal - 1, total) + 1)
        pot = np.arange(goal)
        after = own[:, None] + pot
        # By own score and pot, which may be beyond what wins.
        hold = np.ones((len(own), goal + 200))
        hold[:, :goal] = np.where(after >= goal, 1, 1 - values[(total - own)[:, None], np.minimum(after, goal - 1)])
        here = np.ones((count + 1, len(own), goal + 200))
        while True:
            new = np.ones((count + 1, len(own), goal))
            for dice, found in enumerate(menus, 1):
                lost = 1 - here[count, ::-1, :1]
                throw = np.zeros((len(own), goal))
                for chance, menu in found:
                    if not menu:
                        throw = throw + chance * lost
                        continue
                    best = hold[:, menu[0][0] : menu[0][0] + goal]
                    for points, left in menu:
                        best = np.maximum(best, here[left, :, points : points + goal])
                    throw = throw + chance * best
                new[dice] = np.where(after >= goal, 1, throw)
            change = np.abs(new - here[:, :, :goal]).max()
            here[:, :, :goal] = new
            if change < CHANGE:
                break
        values[own, total - own] = here[count, :, 0]
    return values[0, 0]


GAMES = {"pig": pig, "pigs": pigs, "farkle": farkle}


def main():
    """Prints the value."""
    name, *sizes = sys.argv[1:]
    print(repr(float(GAMES[name](*map(int, sizes)))))


if __name__ == "__main__":
    main()
