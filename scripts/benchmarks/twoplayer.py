"""Games of two players without chance: the command `twoplayer`.

For each row of twoplayer.toml both engines of `sqasp solve` say whether the first player can guarantee
winning, and name a first move that does. DepQBF and CAQE, where they are there, get the formula that `sqasp
translate --to qdimacs` writes. A failure is: an answer that is not the known one, two answers that differ, a
first move that does not win, and a question that neither of our engines answers in time.
"""

import json
import os
import statistics
import tomllib
from pathlib import Path

from . import process
from .instances import formula_size, matches
from .plans import folder_of_games
from .solvers import locate
from .table import Table, three_digits

ENGINES = ["emm", "xssat"]
OUTSIDE = ["depqbf", "caqe"]
# The exit codes of solvers of quantified boolean formulas.
VALUE_OF_CODE = {10: 1, 20: 0}


def rows():
    """What is asked, and what is known."""
    with open(Path(__file__).resolve().parent / "twoplayer.toml", "rb") as file:
        return tomllib.load(file)["row"]


def outside(wanted):
    """The solvers of formulas that are wanted and here, by name."""
    found = {
        name: locate(None, f"SQASP_BENCH_{name.upper()}", [name]) for name in OUTSIDE if name in wanted
    }
    return {name: program for name, program in found.items() if program}


def solve(binary, engine, game, row, limit, options):
    """One run of one of our engines."""
    command = [binary, "solve", game, "--depth", row["horizon"], "--engine", engine]
    command += ["--json", "--quiet", "--time", limit, *options]
    finished = process.run(command, limit + 30)
    told = json.loads(finished.output) if finished.code in (0, 75) and not finished.timed_out else {}
    value = told.get("value")
    return {
        "value": int(value["num"]) if value else None,
        "winning_move": told.get("winning_move"),
        "statistics": told.get("stats"),
        "code": finished.code,
        "message": finished.last_message if finished.messages else None,
        "seconds": finished.seconds,
        "cpu_seconds": finished.cpu_seconds,
        "peak_bytes": finished.peak_bytes,
    }


def solve_formula(program, formula, limit):
    """One run of an outside solver on a formula."""
    finished = process.run([program, formula], limit)
    return {
        "value": None if finished.timed_out else VALUE_OF_CODE.get(finished.code),
        "timed_out": finished.timed_out,
        "code": finished.code,
        "seconds": finished.seconds,
        "cpu_seconds": finished.cpu_seconds,
        "peak_bytes": finished.peak_bytes,
    }


def problem_of(row, runs):
    """What is wrong with the answers to one question; none if nothing is."""
    for name, (run, *_) in runs.items():
        if run["code"] not in (0, 10, 20, 75) and not run.get("timed_out"):
            return f"{name}: exit code {run['code']}"
        if run["value"] not in (None, row["value"]):
            return f"{name} says {run['value']}, known is {row['value']}"
        move = run.get("winning_move")
        if name in ENGINES and run["value"] is not None:
            if (move is not None) != (run["value"] == 1) or move not in (None, *row["winning"]):
                return f"{name}: {move} is not a first move that wins"
    ours = [runs[engine][-1]["value"] for engine in ENGINES if engine in runs]
    return "no engine of ours answered" if ours and set(ours) == {None} else None


def cells_of(runs):
    """Time and memory of all runs of one program."""
    megabytes = f"{max(run['peak_bytes'] for run in runs) / 1e6:.0f}"
    if runs[-1]["value"] is None:
        return [f"> {three_digits(runs[-1]['seconds'])}", megabytes]
    return [three_digits(statistics.median(run["seconds"] for run in runs)), megabytes]


def measure(given, engines, programs, game, row, scratch):
    """All runs on one question."""
    runs = {}
    for engine in engines:
        runs[engine] = []
        for _ in range(given.rounds):
            runs[engine].append(solve(given.binary, engine, game, row, given.time, given.options))
            if runs[engine][-1]["value"] is None:
                break
    size = None
    if programs:
        formula = scratch / f"{row['game']}.qdimacs"
        command = [given.binary, "translate", game, "--depth", row["horizon"], "--to", "qdimacs"]
        made = process.run([*command, "-o", formula], given.time)
        if made.code == 0:
            size = formula_size(formula)
            for name, program in programs.items():
                runs[name] = [solve_formula(program, formula, given.outside_time)]
    return {
        "name": f"{row['game']} {row['horizon']}",
        "formula": size,
        "runs": runs,
        "problem": "no formula" if programs and size is None else problem_of(row, runs),
    }


def measure_all(given, scratch):
    """Measures the rows asked for, and prints the table."""
    folder = folder_of_games(given.games)
    engines = [engine for engine in ENGINES if engine in given.programs]
    programs = outside(given.programs)
    known = [row for row in rows() if matches(given.rows or "", f"{row['game']} {row['horizon']}")]
    here = {
        row["game"]: os.path.join(folder, f"{row['game']}.kif") for row in known
        if folder and os.path.exists(os.path.join(folder, f"{row['game']}.kif"))
    }
    if len(here) < len(known):
        print(f"bench: {len(known) - len(here)} games are not here: name their folder with --games")
    titles = [f"{name} {unit}" for name in [*engines, *programs] for unit in ("s", "MB")]
    table = Table("game", "steps", "value", "first move", *titles, widths=[19, 5, 5, 15])
    results = []
    try:
        for row in (row for row in known if row["game"] in here):
            result = measure(given, engines, programs, here[row["game"]], row, scratch)
            results.append(result)
            runs = result["runs"]
            answers = [run[-1] for run in runs.values() if run[-1]["value"] is not None]
            moves = [one["winning_move"] for one in answers if one.get("winning_move")]
            cells = [
                cell for name in [*engines, *programs] for cell in
                (cells_of(runs[name]) if name in runs else ["-", "-"])
            ]
            value = result["problem"] or (answers[0]["value"] if answers else "?")
            table.line([row["game"], row["horizon"], value, moves[0] if moves else "-", *cells])
    except KeyboardInterrupt:
        print("bench: interrupted")
    for name in [*engines, *programs]:
        runs = (result["runs"].get(name) for result in results)
        count = sum(one is not None and one[-1]["value"] is not None for one in runs)
        print(f"{name} answers {count} of {len(results)} questions")
    return results
