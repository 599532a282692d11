"""Games of dice, from their text to the value: the command `dice`.

Beside each stands what somebody would write for this one game: a table, fractions and about thirty lines of Python
(`dice_by_hand.py`); both must give the same fraction. Beside games without a last step it is iteration of values with numpy
(`dice_iteration.py`), which must end near the bounds.
"""

import json
import statistics
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

from .process import ROOT, run
from .record import measured
from .table import Table, three_digits

# The name, the options of `scripts/dice-game`, and the sizes for `dice_by_hand.py`.
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
# The name, the script with its options, and the sizes for `dice_iteration.py`.
ENDLESS = [
    ("Pig to 100", "pig-game --goal 100", "pig 100"),
    ("Pass the Pigs to 100", "pig-game --goal 100 --pigs", "pigs 100"),
    ("Farkle to 500", "dice-game farkle --goal 10", "farkle 10 6"),
]

GRACE = 10

# How far a value by iteration may be from the bounds.
CLOSE = 1e-8


def measure(binary, row, rounds, seconds, scratch):
    """One row: whether both agree, and how long they took."""
    name, options, sizes = row
    is_endless = row in ENDLESS
    path = scratch / "game.gdl"
    script, *options = options.split() if is_endless else ["dice-game", *options.split()]
    make = [sys.executable, ROOT / "scripts" / script, *options]
    path.write_text(subprocess.run(make, check=True, capture_output=True, text=True).stdout)
    own = [binary, "solve", path, "--json", "--quiet", "--threads", "1", "--time", str(seconds)]
    program = Path(__file__).with_name("dice_iteration.py" if is_endless else "dice_by_hand.py")
    by_hand = [sys.executable, program, *sizes.split()]
    ours, theirs = [], []
    for _ in range(rounds):
        # In turns, so that what else the machine does meets both.
        ours.append(run(own, seconds + GRACE))
        theirs.append(run(by_hand, seconds + GRACE))
    answer = json.loads(ours[0].output) if ours[0].output else {}
    number = lambda field: Fraction(int(answer[field]["num"]), int(answer[field]["den"]))
    lower, upper = (number("lower"), number("upper")) if answer else (None, None)
    exact = lower if lower == upper else None
    problem = None if answer and (is_endless or exact is not None) else ours[0].last_message
    other = Fraction(theirs[0].output.split()[0]) if theirs[0].output else None
    if problem is None and other is not None:
        close = CLOSE if is_endless else 0
        if not lower - close <= other <= upper + close:
            problem = f"{float(lower)} is not {float(other)}, the value by hand"
    middle = lambda runs: statistics.median(one.seconds for one in runs)
    # Ratios are of processor time, which other work on the machine changes least.
    work = lambda runs: statistics.median(one.cpu_seconds for one in runs)
    return {
        "name": name,
        "states": answer.get("stats", {}).get("states"),
        "value": str(lower),
        "width": float(upper - lower) if answer else None,
        "seconds": middle(ours),
        "cpu_seconds": work(ours),
        "peak_bytes": max(one.peak_bytes for one in ours),
        "by_hand_cpu_seconds": work(theirs) if other is not None else None,
        "by_hand_peak_bytes": max(one.peak_bytes for one in theirs),
        "problem": problem,
    }


def measure_all(binary, rounds, seconds, only, scratch, results):
    """Measures all games whose name has this in it. Adds to the results."""
    table = Table(
        "game", "states", "value", "width", "cpu s", "MB", "by hand cpu s", "MB", "ratio", widths=[26, 9, 14, 7, 8, 6]
    )
    run_one = lambda row: measure(binary, row, rounds, seconds, scratch)
    for one in measured(GAMES + ENDLESS, only, run_one, results):
        other = one["by_hand_cpu_seconds"]
        table.line([
            one["name"], one["states"] or "",
            "" if one["problem"] else f"{float(Fraction(one['value'])):.12f}",
            "" if one["problem"] else "exact" if one["width"] == 0 else f"{one['width']:.0e}",
            three_digits(one["cpu_seconds"]), one["peak_bytes"] // 10**6,
            three_digits(other) if other else "no end", one["by_hand_peak_bytes"] // 10**6,
            f"{one['cpu_seconds'] / other:.2f}" if other else "",
        ])
