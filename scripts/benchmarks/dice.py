"""Games of dice, from their text to the value: the command `dice`.

Beside each stands a program for this one game (`tests/by_hand`): a table, fractions and about thirty lines of Python, which must give the same
fraction; for games without a last step iteration of values with numpy, which must end near the bounds.
"""

import json
import sys
from fractions import Fraction

from .instances import make
from .process import ROOT, figures, in_turns
from .record import measured
from .solvers import fraction
from .table import Table, three_digits

# The name, the options of `scripts/dice-game`, and the sizes for `tests/by_hand/dice.py`.
GAMES = [
    ("Shut the Box", "shut-the-box --tiles 9", "shut-the-box 9"),
    ("Yahtzee, 5 categories", "yahtzee --categories 5 --goal 30", "yahtzee 5 30"),
    ("Yahtzee, 7 categories", "yahtzee --categories 7 --goal 50", "yahtzee 7 50"),
    ("2048 on 2x2 to 32", "2048 --width 2 --height 2 --tile 32", "2048 2 2 32"),
    ("2048 on 2x3 to 64", "2048 --width 2 --height 3 --tile 64", "2048 2 3 64"),
    ("2048 on 3x3 to 32", "2048 --width 3 --height 3 --tile 32", "2048 3 3 32"),
    ("EinStein on 3x3", "einstein --size 3", "einstein 3 0"),
    ("EinStein on 4x4, 3 stones", "einstein --size 4 --stones 3", "einstein 4 3"),
    ("Blackjack", "blackjack", "blackjack"),
    ("Race for three", "race --length 20", "race 20"),
    ("Five dice, four alike", "rerolls --dice 5 --alike 4", "rerolls 5 4 0"),
    ("Five dice, 24 in all", "rerolls --dice 5 --total 24", "rerolls 5 0 24"),
]
# Those without a last step: the same, with the sizes for `endless_dice.py`.
ENDLESS = [
    ("Pig to 100", "pig --goal 100", "pig 100"),
    ("Pass the Pigs to 100", "pig --goal 100 --pigs", "pigs 100"),
    ("Farkle to 500", "farkle --goal 10", "farkle 10 6"),
]

GRACE = 10
# How far a value by iteration may be from the bounds.
CLOSE = 1e-8


def measure(given, row, scratch):
    """One row: whether both agree, and how long they took."""
    name, options, sizes = row
    is_endless = row in ENDLESS
    path = scratch / "game.gdl"
    make(path, [sys.executable, ROOT / "scripts/dice-game", *options.split()])
    own = [given.binary, "solve", path, "--json", "--quiet", "--threads", "1", "--time", given.time]
    program = ROOT / "tests/by_hand" / ("endless_dice.py" if is_endless else "dice.py")
    commands = [own, [sys.executable, program, *sizes.split()]]
    ours, theirs = in_turns(commands, given.rounds, given.time + GRACE)
    answer = json.loads(ours[0].output) if ours[0].output else None
    lower, upper = (fraction(answer[field]) for field in ("lower", "upper")) if answer else (None, None)
    is_answered = answer and (is_endless or lower == upper)
    problem = None if is_answered else ours[0].last_message
    other = Fraction(theirs[0].output.split()[0]) if theirs[0].output else None
    if problem is None and other is not None:
        close = CLOSE if is_endless else 0
        if not lower - close <= other <= upper + close:
            problem = f"{float(lower)} is not {float(other)}, the value by hand"
    by_hand = figures(theirs)
    return {
        "name": name,
        "states": answer["stats"].get("states") if answer else None,
        "value": str(lower),
        "width": float(upper - lower) if answer else None,
        **figures(ours),
        "by_hand_cpu_seconds": by_hand["cpu_seconds"] if other is not None else None,
        "by_hand_peak_bytes": by_hand["peak_bytes"],
        "problem": problem,
    }


def measure_all(given, scratch, results):
    """Measures all games with this in their names. Adds to the results. Ratios are of processor time."""
    table = Table(
        "game", "states", "value", "width", "cpu s", "MB", "by hand cpu s", "MB", "ratio", widths=[26, 9, 14, 7, 8, 6]
    )
    run_one = lambda row: measure(given, row, scratch)
    for one in measured(GAMES + ENDLESS, given.only, run_one, results):
        other = one["by_hand_cpu_seconds"]
        table.line([
            one["name"], one["states"] or "",
            "" if one["problem"] else f"{float(Fraction(one['value'])):.12f}",
            "" if one["problem"] else "exact" if one["width"] == 0 else f"{one['width']:.0e}",
            three_digits(one["cpu_seconds"]), one["peak_bytes"] // 10**6,
            three_digits(other) if other else "no end", one["by_hand_peak_bytes"] // 10**6,
            f"{one['cpu_seconds'] / other:.2f}" if other else "",
        ])
