#!/usr/bin/env python3
"""The games of `scripts/dice-game` as a program for one question: a table and fractions.

    dice.py shut-the-box 9

prints the value as a fraction and the number of positions in the table. Nothing here knows of GDL or of sqasp.
"""

import sys
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, product


def shut_the_box(tiles):
    """The chance of shutting all tiles."""
    throws = [a + b for a, b in product(range(1, 7), repeat=2)]

    @cache
    def value(tiles):
        if not tiles:
            return Fraction(1)
        return sum(after(tiles, throw) for throw in throws) / 36

    @cache
    def after(tiles, throw):
        sets = (set_ for size in range(1, len(tiles) + 1) for set_ in combinations(tiles, size))
        fitting = [set_ for set_ in sets if sum(set_) == throw]
        return max((value(tuple(t for t in tiles if t not in set_)) for set_ in fitting), default=Fraction(0))

    return value(tuple(range(1, tiles + 1))), [value, after]


def yahtzee(categories, goal):
    """The chance of at least `goal` points from three dice."""

    @cache
    def value(free, points, dice, left):
        best = Fraction(0)
        for category in free:
            more = sum(dice) if category == 7 else category * dice.count(category)
            rest = tuple(other for other in free if other != category)
            best = max(best, turn(rest, min(points + more, goal)))
        if left:
            for keep in product((False, True), repeat=3):
                kept = [die for die, kept in zip(dice, keep) if kept]
                best = max(best, throw(free, points, tuple(kept), left - 1))
        return best

    @cache
    def throw(free, points, kept, left):
        new = list(product(range(1, 7), repeat=3 - len(kept)))
        hands = (tuple(sorted((*kept, *dice))) for dice in new)
        return sum(value(free, points, hand, left) for hand in hands) / len(new)

    def turn(free, points):
        return throw(free, points, (), 2) if free else Fraction(points == goal)

    return turn(tuple(range(1, categories + 1)), 0), [value, throw]


def sliding(width, height, tile):
    """The chance of a tile in 2048; a board is a tuple of rows."""

    def slid(row):
        tiles, out = [cell for cell in row if cell], []
        for cell in tiles:
            if out and out[-1] == cell and merges[-1]:
                out[-1] *= 2
                merges[-1] = False
            else:
                if not out:
                    merges = []
                out.append(cell)
                merges.append(True)
        return tuple(out + [0] * (len(row) - len(out)))

    def turned(board):
        return tuple(zip(*board[::-1]))

    @cache
    def value(board):
        if any(tile in row for row in board):
            return Fraction(1)
        best = Fraction(0)
        for _ in range(4):
            after = tuple(slid(row) for row in board)
            if after != board:
                best = max(best, filled(after))
            board = turned(board)
        return best

    @cache
    def filled(board):
        if any(tile in row for row in board):
            return Fraction(1)
        cells = [(x, y) for y, row in enumerate(board) for x, cell in enumerate(row) if not cell]
        total = Fraction(0)
        for x, y in cells:
            for new, weight in ((2, 9), (4, 1)):
                row = board[y][:x] + (new,) + board[y][x + 1:]
                total += weight * value(board[:y] + (row,) + board[y + 1:])
        return total / (10 * len(cells))

    return filled(((0,) * width,) * height), [value, filled]


def einstein(size, stones):
    """The chance of the first player in EinStein würfelt nicht; stones are cells by number, or None."""
    cells = sorted(product(range(size), repeat=2), key=lambda cell: (sum(cell), cell))
    starts = [cell for cell in cells if sum(cell) <= size - 2][: stones or None]

    def mirrored(own, other):
        turn = lambda cell: cell and (size - 1 - cell[0], size - 1 - cell[1])
        return tuple(map(turn, other)), tuple(map(turn, own))

    @cache
    def value(own, other):
        return sum(best(own, other, die) for die in range(len(own))) / len(own)

    @cache
    def best(own, other, die):
        if own[die]:
            movable = [die]
        else:
            lower = [n for n in range(die) if own[n]][-1:]
            higher = [n for n in range(die + 1, len(own)) if own[n]][:1]
            movable = lower + higher
        result = Fraction(0)
        for stone in movable:
            x, y = own[stone]
            for to in ((x + 1, y), (x, y + 1), (x + 1, y + 1)):
                if max(to) < size:
                    new = [None if cell == to else cell for cell in own]
                    new[stone] = to
                    left = tuple(None if cell == to else cell for cell in other)
                    if to == (size - 1, size - 1) or not any(left):
                        return Fraction(1)
                    result = max(result, 1 - value(*mirrored(tuple(new), left)))
        return result

    theirs = tuple((size - 1 - x, size - 1 - y) for x, y in starts)
    return value(tuple(starts), theirs), [value, best]


def blackjack():
    """The chance of a hand that is better than the dealer's."""
    cards = [11, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]

    def drawn(total, aces, card):
        total, aces = total + card, aces + (card == 11)
        while total > 21 and aces:
            total, aces = total - 10, aces - 1
        return total, aces

    @cache
    def stand(total, theirs, aces):
        if theirs >= 17:
            return Fraction(theirs > 21 or total > theirs)
        return sum(stand(total, *drawn(theirs, aces, card)) for card in cards) / 13

    @cache
    def value(total, aces, theirs, other):
        if total > 21:
            return Fraction(0)
        hit = sum(value(*drawn(total, aces, card), theirs, other) for card in cards) / 13
        return max(hit, stand(total, theirs, other))

    deals = product(cards, repeat=3)
    values = (value(*drawn(*drawn(0, 0, a), b), *drawn(0, 0, c)) for a, b, c in deals)
    return sum(values) / 13**3, [stand, value]


def race(length):
    """The chance of the first of three runners against both others."""
    ways = [[1, 1, 2, 2, 3, 3], [1, 1, 1, 1, 5, 5]]

    @cache
    def value(fields, turn):
        if length in fields:
            return Fraction(fields[0] == length)
        means = [sum(after(fields, turn, steps) for steps in way) / 6 for way in ways]
        return max(means) if turn == 0 else min(means)

    @cache
    def after(fields, turn, steps):
        field = min(fields[turn] + steps, length)
        if field < length and field in fields:
            field += 1
        new = fields[:turn] + (field,) + fields[turn + 1:]
        return value(new, (turn + 1) % 3)

    return value((0, 0, 0), 0), [value, after]


def rerolls(dice, alike, total):
    """The chance of `alike` dice alike, or of `total` points if that is not 0."""

    @cache
    def value(hand, left):
        if not left:
            won = sum(hand) >= total if total else max(map(hand.count, hand)) >= alike
            return Fraction(won)
        keeps = {
            tuple(die for die, kept in zip(hand, keep) if kept)
            for keep in product((False, True), repeat=dice)
        }
        return max(throw(kept, left - 1) for kept in keeps)

    @cache
    def throws(count):
        return Counter(tuple(sorted(new)) for new in product(range(1, 7), repeat=count))

    @cache
    def throw(kept, left):
        new = throws(dice - len(kept))
        hands = ((tuple(sorted(kept + more)), times) for more, times in new.items())
        return sum(times * value(hand, left) for hand, times in hands) / 6 ** (dice - len(kept))

    return throw((), 2), [value, throw]


GAMES = {
    "shut-the-box": shut_the_box, "yahtzee": yahtzee, "2048": sliding, "einstein": einstein,
    "blackjack": blackjack, "race": race, "rerolls": rerolls,
}


def main():
    """Prints the value and the size of the table."""
    sys.setrecursionlimit(100_000)
    name, *sizes = sys.argv[1:]
    value, tables = GAMES[name](*map(int, sizes))
    print(value, sum(table.cache_info().currsize for table in tables))


if __name__ == "__main__":
    main()
