"""The value of a game over a parameter: the command `scripts/sweep`.

Every value is a run of `sqasp solve`. Where a limit comes first the cells stay empty, and the command
fails with exit code 75 at the end.
"""

import csv
import json
import shlex
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

from . import pictures, process
from .instances import CannotMake, make
from .process import ROOT
from .solvers import GRACE, fraction


def settings(given):
    """Each value of the parameter, as text, and what it puts into the command."""
    if given.parts is None:
        return [(str(number), {"{N}": str(number)}) for number in given.numbers]
    fractions = [Fraction(part, given.parts) for part in range(given.parts + 1)]
    return [
        (str(p), {"{A}": str(p.numerator), "{B}": str(p.denominator - p.numerator)})
        for p in fractions
    ]


def written_game(given, words, folder):
    """The game for one value of the parameter."""
    command = list(given.command)
    for placeholder, text in words.items():
        command = [word.replace(placeholder, text) for word in command]
    game = folder / "game.gdl"
    make(game, [sys.executable, ROOT / "scripts" / command[0], *command[1:]])
    return game


def players(given, game):
    """The roles that choose."""
    command = [str(given.binary), "check", str(game), "--json", "--plays", "0"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise CannotMake(f"the game is not valid: {done.stderr.strip()}")
    return json.loads(done.stdout)["players"]


def value(given, game, role):
    """The answer of our program about one role."""
    command = [given.binary, "solve", game, "--role", role, "--depth", given.depth]
    command += ["--objective", given.objective, "--json", "--time", f"{given.time:g}"]
    finished = process.run([*command, *shlex.split(given.options)], given.time + GRACE)
    if finished.timed_out or finished.code == 75:
        return None
    if finished.code != 0:
        raise CannotMake(f"`sqasp solve` failed: {finished.last_message}")
    return json.loads(finished.output)["value"]


def run(given):
    """Solves, prints, writes: exit code."""
    parameter = "p" if given.parts is not None else "N"
    lines, missing, roles = [], 0, given.roles.split(",") if given.roles else None
    with tempfile.TemporaryDirectory(prefix="sqasp-sweep-") as scratch:
        try:
            for text, words in settings(given):
                game = written_game(given, words, Path(scratch))
                roles = roles or players(given, game)
                values = [value(given, game, role) for role in roles]
                missing += values.count(None)
                lines.append((text, values))
                found = [str(fraction(one)) if one else "?" for one in values]
                named = (f"{role} {one}" for role, one in zip(roles, found))
                print(f"{parameter} = {text}: {', '.join(named)}", flush=True)
        except CannotMake as error:
            print(f"sweep: {error}", file=sys.stderr)
            return 70
    if given.out:
        write(given, parameter, roles, lines)
    if missing:
        print(f"sweep: {missing} values were not found within {given.time:g} s", file=sys.stderr)
    return 75 if missing else 0


def write(given, parameter, roles, lines):
    """The table and the picture."""
    given.out.mkdir(parents=True, exist_ok=True)
    table = given.out / "sweep.csv"
    with open(table, "w", newline="", encoding="utf-8") as file:
        to = csv.writer(file, lineterminator="\n")
        to.writerow([parameter, *(name for role in roles for name in (role, f"{role} decimal"))])
        for text, values in lines:
            cells = [(fraction(one), one["decimal"]) if one else ("", "") for one in values]
            to.writerow([text, *(cell for pair in cells for cell in pair)])
    picture = given.out / "sweep.svg"
    print(f"numbers: {table}")
    pictures.draw("lines", table, picture, roles, given.title or given.game, y="value")
