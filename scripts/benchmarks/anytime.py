"""How fast bounds close in: the command `anytime`.

Each question is asked again with one time limit after the other. What the program knows by then is
drawn between 0 and 1: its bounds, and its estimate if it gives one.
"""

import dataclasses
import shlex
import sys
from fractions import Fraction

from .instances import CannotMake, Instance, make, matches
from .process import ROOT, run
from .solvers import GRACE, Sqasp, SqaspFromText

# Name, the command in scripts/ that prints the game, and the number of steps. Formulas are those of
# the games, solved by xssat.
GAMES = [
    ("S-TT 4x4", "board-game --rule mark --width 4 --height 4 --line 3 --keep 4 --flip 1", 16),
    ("S-TT 5x4 of 4", "board-game --rule mark --width 5 --height 4 --line 4 --keep 4 --flip 1", 20),
    ("S-C-3 6x6", "board-game --rule drop --width 6 --height 6 --line 3 --keep 4 --flip 1", 36),
    (
        "C-4 6x5",
        "board-game --rule drop --width 6 --height 5 --line 4 --against random --player first", 30,
    ),
]
FORMULAS = ["S-TT 4x4", "S-C-3 6x6"]

WIDTH = 60


@dataclasses.dataclass
class Point:
    """What was known after some seconds."""

    seconds: float
    lower: Fraction
    upper: Fraction
    estimate: float | None


def questions(binary, pattern, scratch):
    """The questions whose name matches, each with the program that answers it."""
    for name, command, depth in GAMES:
        script, *arguments = shlex.split(command)
        game = scratch / f"{name.replace(' ', '-')}.gdl"
        question = [str(game), "--role", "xplayer", "--depth", str(depth)]
        asked = Instance(name, "games", "", None, None, None, None, question)
        wants_game = matches(pattern, f"{name}, emm")
        wants_formula = name in FORMULAS and matches(pattern, f"{name}, xssat")
        if wants_game or wants_formula:
            make(game, [sys.executable, ROOT / "scripts" / script, *arguments])
        if wants_game:
            yield asked, SqaspFromText("emm", binary, ["--engine", "emm"])
        if wants_formula:
            file = game.with_suffix(".sdimacs")
            make(file, [binary, "translate", *question, "--to", "sdimacs"])
            yield dataclasses.replace(asked, file=file), Sqasp("xssat", binary, [])


def point(instance, solver, seconds):
    """What the program knows after some seconds."""
    finished = run(solver.command(instance, seconds), seconds + GRACE)
    answer = solver.read(finished)
    if answer.status == "failed":
        raise CannotMake(f"{instance.name}: {answer.problem}")
    if answer.status == "solved":
        return Point(finished.seconds, answer.value, answer.value, None)
    lower, upper = answer.bounds or (Fraction(0), Fraction(1))
    return Point(seconds, lower, upper, answer.estimate)


def picture(here):
    """The bounds as a line between 0 and 1, with the estimate."""
    def place(number):
        return min(int(number * WIDTH), WIDTH - 1)
    cells = [" "] * WIDTH
    for cell in range(place(here.lower), place(here.upper) + 1):
        cells[cell] = "="
    if here.estimate is not None:
        cells[place(here.estimate)] = "E"
    return "".join(cells)


def print_anytime(binary, pattern, times, scratch, results):
    """Asks, and draws. Adds to the results."""
    print("Bounds after some seconds, drawn from 0 to 1; E is the estimate, the number the width.")
    for instance, solver in questions(binary, pattern, scratch):
        print(f"\n{instance.name}, {solver.name}")
        for seconds in times:
            here = point(instance, solver, seconds)
            width = here.upper - here.lower
            print(f"{here.seconds:8.2f} s |{picture(here)}| {float(width):.4f}", flush=True)
            results.append({
                "name": instance.name, "engine": solver.name, "seconds": here.seconds,
                "lower": str(here.lower), "upper": str(here.upper), "estimate": here.estimate,
            })
            if width == 0:
                break
