"""Games of one player: the command `plan`.

First the table of Thielscher 2009 ("Answer Set Programming for Single-Player Games in General Game
Playing", Table 2), then, with `--all`, every other game of one player in a folder of games. Two games of the table
are not public; our own games of their kind take their place. Every plan that is printed was replayed by the rules.
"""

import json
import os
import shutil
import statistics

from . import process
from .process import ROOT
from .table import Table, three_digits

# Name, length of the solution, seconds by ASP and by Fluxplayer (None: not solved), as printed there.
PAPER = [
    ("asteroids", 10, 0.11, 2.60),
    ("asteroidsparallel", 10, 0.72, 97.19),
    ("blocksworldparallel", 3, 9.78, 1.80),
    ("duplicatestatelarge", 14, 0.16, 17.54),
    ("eightpuzzle", 30, 77.11, None),
    ("factoringaperturescience", 4, 0.28, 3.86),
    ("factoringdeterminate", 5, 0.05, 2.14),
    ("knightmove", 64, None, None),
    ("knightstour", 30, 7.33, 117.70),
    ("peg", 31, None, 9.53),
    ("ruledepthlinear", 49, 0.19, 9.60),
    ("ruledepthquadratic", 44, None, 12.70),
    ("statespacelarge", 14, 0.27, 343.38),
    ("wargame01", 48, None, 39.53),
]
# Our games in place of those that are not public.
OWN = {
    "factoringdeterminate": "factoring_determinate",
    "ruledepthquadratic": "rule_depth_quadratic",
}
# sysexits: wrong usage, here of games with others or with chance.
NOT_ALONE = 2


def folder_of_games(given):
    """Where the public games are; none if nowhere."""
    candidates = [given, os.environ.get("SQASP_BENCH_GAMES"), ROOT / "../shared/games-ggp"]
    for candidate in candidates:
        if candidate and os.path.isdir(candidate):
            return candidate
    return None


def find(name, folder):
    """The file of a game, of ours if it has that name; none if it is not here."""
    own = ROOT / "games" / f"{OWN.get(name, name)}.gdl"
    if name in OWN or folder is None:
        return own if own.exists() else None
    path = os.path.join(folder, f"{name}.kif")
    return path if os.path.exists(path) else None


def plan(binary, game, options, limit, memory):
    """Looks for a plan once."""
    # Some old games have `base` in a form that is not valid any more.
    command = [binary, "plan", game, "--json", "--quiet"]
    command += ["--time", limit, "--memory", memory, *options]
    finished = process.run(command, 2 * limit + 30)
    answer = None
    if finished.code in (0, 75) and not finished.timed_out:
        answer = json.loads(finished.output)
    return {
        "answer": answer,
        "code": finished.code,
        "message": finished.last_message if finished.messages else None,
        "seconds": finished.seconds,
        "cpu_seconds": finished.cpu_seconds,
        "peak_bytes": finished.peak_bytes,
    }


def by_clingo(binary, game, length, limit, scratch):
    """The seconds that clingo alone needs for a plan of known length, if it is on the PATH."""
    clingo = shutil.which("clingo")
    if not clingo:
        return None
    program = scratch / "plan.lp"
    command = [binary, "translate", game, "--depth", length, "--to", "asp", "-o", program]
    if process.run(command, limit).code != 0:
        return None
    finished = process.run([clingo, program, "1", "--quiet=2"], limit)
    # 10: there is an answer set.
    return finished.seconds if finished.code & 10 == 10 and not finished.timed_out else "> limit"


def measure(binary, name, game, given, scratch, paper=None):
    """All runs of one game."""
    runs = []
    for _ in range(given.rounds):
        runs.append(plan(binary, game, given.options, given.time, given.memory))
        if runs[-1]["code"] != 0:
            break
    result = {"name": name, "file": os.path.basename(game), "paper": paper, "runs": runs}
    answer = runs[-1]["answer"]
    if paper and answer and answer.get("length"):
        result["clingo_seconds"] = by_clingo(binary, game, answer["length"], given.time, scratch)
    reached = answer is not None and answer.get("goal") == 100
    result["problem"] = bool(paper) and not reached
    return result


def cells(result):
    """What the table says of a game."""
    runs = result["runs"]
    answer = runs[-1]["answer"]
    seconds = statistics.median(run["seconds"] for run in runs)
    peak = max(run["peak_bytes"] for run in runs) / 1e6
    if answer is None:
        message = runs[-1]["message"] or f"exit code {runs[-1]['code']}"
        return ["-", "-", message[:60], "-", three_digits(seconds), f"{peak:.0f}"]
    proved = {
        (True, True): "best, shortest",
        (True, False): "best",
        (False, True): "shortest for its points",
        (False, False): "-",
    }[bool(answer.get("best")), bool(answer.get("shortest"))]
    if answer["status"] == "none":
        proved = "no plan"
    return [
        answer.get("goal", "-"), answer.get("length", "-"), proved, answer.get("found_by", "-"),
        three_digits(seconds), f"{peak:.0f}",
    ]


def paper_cells(paper):
    """What the paper says of a game."""
    _, length, asp, flux = paper
    return [length, *("not solved" if time is None else time for time in (asp, flux))]


def measure_all(binary, given, scratch):
    """Measures the games asked for, and prints the tables."""
    folder = folder_of_games(given.games)
    results = []
    titles = ["game", "points", "moves", "proved", "found by", "s", "MB"]
    table = Table(*titles, "clingo alone", "moves there", "ASP 2009", "Fluxplayer", widths=[24, 6, 5, 23, 20])
    for paper in PAPER:
        name = paper[0]
        if given.only not in name:
            continue
        game = find(name, folder)
        if game is None:
            table.line([name, "the file is not here"])
            continue
        result = measure(binary, name, game, given, scratch, paper)
        results.append(result)
        alone = result.get("clingo_seconds")
        alone = three_digits(alone) if isinstance(alone, float) else alone or "-"
        table.line([name, *cells(result), alone, *paper_cells(paper)])
    if not given.all or folder is None:
        return results
    print()
    table = Table(*titles, widths=[36, 6, 5, 23, 20])
    known = {paper[0] for paper in PAPER}
    for file in sorted(os.listdir(folder)):
        name, ending = os.path.splitext(file)
        if ending != ".kif" or name in known or given.only not in name:
            continue
        result = measure(binary, name, os.path.join(folder, file), given, scratch)
        if result["runs"][0]["code"] != NOT_ALONE:
            results.append(result)
            table.line([name, *cells(result)])
    best = [cells(result)[2].startswith("best") for result in results]
    print(f"\n{len(results)} games; of {sum(best)} the plan is proved to be a best one")
    return results
