"""Games without a step limit: the command `cycles`.

Each is solved from its text to its value. Beside Pig stands what somebody would write for this one game: iteration of
values in floating point (`pig_iteration.rs`), which proves nothing, until a sweep changes them by less than 10^-12.
"""

import json
import statistics
import subprocess
import sys
import tomllib
from fractions import Fraction
from pathlib import Path

from .process import ROOT, run
from .record import measured
from .table import Table, three_digits

# The points of Pig that are measured.
GOALS = [20, 40, 60, 80, 100]

GRACE = 10


def games(scratch):
    """The name, the file, the role and the value of each game, where it is known; and the points of Pig."""
    entries = tomllib.loads((ROOT / "games/expect.toml").read_text())["entry"]
    seen = set()
    for entry in entries:
        file = entry["file"]
        if "depth" in entry or "start" in entry or file in seen:
            continue
        seen.add(file)
        yield file, ROOT / "games" / file, entry["role"], Fraction(entry["value"]), None
    for goal in GOALS:
        path = scratch / f"pig-{goal}.gdl"
        command = [sys.executable, ROOT / "scripts/pig-game", "--goal", str(goal)]
        path.write_text(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        yield f"Pig to {goal}", path, "xplayer", None, goal


def yardstick():
    """The program that iterates values of Pig; nothing if there is no compiler for it."""
    source = Path(__file__).with_name("pig_iteration.rs")
    program = ROOT / "target/bench/pig_iteration"
    program.parent.mkdir(parents=True, exist_ok=True)
    try:
        subprocess.run(["rustc", "-O", "-o", program, source], check=True, capture_output=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        return None
    return program


def bounds(answer):
    """The lower and the upper bound in an answer."""
    number = lambda field: Fraction(int(answer[field]["num"]), int(answer[field]["den"]))
    return number("lower"), number("upper")


def measure(binary, row, rounds, seconds, program):
    """One row: what was found, and how long it took."""
    name, path, role, value, goal = row
    command = [binary, "solve", path, "--role", role, "--json", "--quiet", "--time", str(seconds)]
    ours, others = [], []
    problem = None
    for _ in range(rounds):
        # In turns, so that what else the machine does meets both.
        ours.append(run(command, seconds + GRACE))
        if program and goal:
            others.append(run([program, str(goal)], seconds + GRACE))
    answer = json.loads(ours[0].output) if ours[0].output else {}
    lower, upper = bounds(answer) if answer else (Fraction(0), Fraction(1))
    if not answer or (value is not None and lower != value):
        problem = ours[0].last_message if not answer else f"{lower} is not {value}"
    result = {
        "name": name,
        "states": answer.get("stats", {}).get("states"),
        "lower": str(lower),
        "width": float(upper - lower),
        "seconds": statistics.median(one.seconds for one in ours),
        "cpu_seconds": statistics.median(one.cpu_seconds for one in ours),
        "peak_bytes": max(one.peak_bytes for one in ours),
        "iteration_seconds": None,
        "iteration_value": None,
        "problem": problem,
    }
    if others:
        result["iteration_seconds"] = statistics.median(one.seconds for one in others)
        result["iteration_value"] = float(others[0].output)
        if abs(result["iteration_value"] - float(lower)) > 1e-9:
            result["problem"] = f"iteration gives {result['iteration_value']}"
    return result


def measure_all(binary, rounds, seconds, only, scratch, results):
    """Measures all games whose name has this in it. Adds to the results."""
    program = yardstick()
    table = Table(
        "game", "states", "value", "width", "s", "cpu s", "MB", "iteration s", "ratio",
        widths=[22, 7, 14, 7],
    )
    run_one = lambda row: measure(binary, row, rounds, seconds, program)
    for one in measured(games(scratch), only, run_one, results):
        other = one["iteration_seconds"]
        table.line([
            one["name"], one["states"], f"{float(Fraction(one['lower'])):.12f}",
            "exact" if one["width"] == 0 else f"{one['width']:.0e}",
            three_digits(one["seconds"]), three_digits(one["cpu_seconds"]), one["peak_bytes"] // 10**6,
            three_digits(other) if other else "", f"{one['seconds'] / other:.1f}" if other else "",
        ])
