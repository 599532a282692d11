"""Whole games, from the text to the value or to the formula: the commands `first` and `values`.

Every run is a process of its own. The table shows the median time and the largest peak memory of
the runs. A value that is not the known one is a failure.
"""

import dataclasses
import statistics
import subprocess
import sys
import tomllib
from fractions import Fraction
from pathlib import Path

from . import process
from .instances import formula_size
from .process import ROOT

@dataclasses.dataclass
class Task:
    """One line of the table: a command, and the value it has to print if it prints one."""

    name: str
    kind: str  # "value" or "formula"
    arguments: list[str]
    expected: Fraction | None = None
    formula: Path | None = None


@dataclasses.dataclass
class Run:
    """What one process did."""

    seconds: float
    peak_bytes: int
    problem: str | None  # why it does not count


def known_values():
    """The entries of games/expect.toml."""
    with open(ROOT / "games/expect.toml", "rb") as file:
        return tomllib.load(file)["entry"]


def value_task(name, entry):
    """From the text to the value."""
    arguments = ["solve", f"games/{entry['file']}", "--role", entry["role"]]
    arguments += ["--depth", str(entry["depth"])]
    if "objective" in entry:
        arguments += ["--objective", entry["objective"]]
    return Task(name, "value", arguments, expected=Fraction(entry["value"]))


def formula_task(name, game, role, depth, scratch):
    """From the text to the formula."""
    formula = scratch / f"{Path(game).stem}-{role}.sdimacs"
    arguments = ["translate", str(game), "--role", role, "--depth", str(depth)]
    arguments += ["--to", "sdimacs", "-o", str(formula)]
    return Task(name, "formula", arguments, formula=formula)


def first_tasks(scratch):
    """The games whose speed the first version promised, and the longest formula."""
    names = {
        "tic_tac_toe_random_first.gdl": "TT 3x3",
        "tic_tac_toe_random_second.gdl": "TT 3x3",
        "connect_3_random_first.gdl": "C-3 4x4",
        "connect_3_random_second.gdl": "C-3 4x4",
        "stochastic_ttt_half.gdl": "S-TT 3x3 1/2",
        "stochastic_ttt.gdl": "S-TT 3x3 4/5",
        "connect_4_random_first.gdl": "C-4 4x4",
        "connect_4_random_second.gdl": "C-4 4x4",
    }
    tasks = []
    wins = [entry for entry in known_values() if "objective" not in entry]
    for file, short in names.items():
        entries = [entry for entry in wins if entry["file"] == file]
        horizon = max(entry["depth"] for entry in entries)
        for entry in entries:
            if entry["depth"] == horizon:
                name = f"{short} {entry['role']}"
                tasks.append(value_task(name, entry))
                tasks.append(
                    formula_task(name, f"games/{file}", entry["role"], horizon, scratch)
                )
    nim = scratch / "stochastic_nim_100.gdl"
    script = [sys.executable, ROOT / "scripts/nim-game", "--pile", "100"]
    nim.write_text(subprocess.run(script, check=True, capture_output=True, text=True).stdout)
    tasks.append(formula_task("S-N 100 xplayer", nim, "xplayer", 400, scratch))
    return tasks


def values_tasks(scratch):
    """Everything in games/expect.toml."""
    del scratch  # nothing is written
    return [
        value_task(
            f"{entry['file']} {entry['role']} {entry['depth']} {entry.get('objective', '')}".strip(),
            entry,
        )
        for entry in known_values()
    ]


def run(binary, task, limit):
    """Runs the command once."""
    if task.formula:
        task.formula.unlink(missing_ok=True)
    finished = process.run([binary, *task.arguments], limit)
    if finished.timed_out:
        problem = f"not within {limit:g} s"
    else:
        problem = find_problem(task, finished)
    return Run(finished.seconds, finished.peak_bytes, problem)


def find_problem(task, finished):
    """Why a run does not count; none if all is well."""
    if finished.code != 0:
        return f"exit code {finished.code}: {finished.last_message}"
    if task.expected is not None:
        line = (finished.output.splitlines() or [""])[0]
        try:
            value = Fraction(line.split(" = ")[0].strip())
        except (ValueError, ZeroDivisionError):
            return f"no fraction in its first line: {line!r}"
        if value != task.expected:
            return f"printed {value}, known is {task.expected}"
    if task.formula is not None and not task.formula.exists():
        return "wrote no formula"
    return None


def measure(binary, task, runs, limit):
    """All runs of one task, and its line in the raw results."""
    done = []
    for _ in range(runs):
        done.append(run(binary, task, limit))
        if done[-1].problem:
            break
    size = formula_size(task.formula) if task.formula and task.formula.exists() else None
    problem = done[-1].problem
    median = statistics.median(one.seconds for one in done)
    peak = max(one.peak_bytes for one in done)
    note = problem or (
        f"{size['variables']} variables, {size['clauses']} clauses" if size else str(task.expected)
    )
    print(f"{task.name:<34} {task.kind:<8} {median:>9.3f} {peak / 2**20:>8.0f}  {note}", flush=True)
    return {
        "name": task.name,
        "kind": task.kind,
        "command": ["sqasp", *task.arguments],
        "expected": str(task.expected) if task.expected is not None else None,
        "formula": size,
        "problem": problem,
        "runs": [dataclasses.asdict(one) for one in done],
    }


def measure_all(suite, binary, runs, limit, only, scratch):
    """Runs the tasks of a suite whose name contains a text; none if there is no such task."""
    tasks = {"first": first_tasks, "values": values_tasks}[suite](scratch)
    tasks = [task for task in tasks if only in task.name]
    if tasks:
        print(f"{'':<34} {'to':<8} {'seconds':>9} {'MiB':>8}")
    return [measure(binary, task, runs, limit) for task in tasks]
