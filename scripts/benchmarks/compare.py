"""The table of the paper by both engines: the command `scripts/bench compare`.

Each engine, and for xssat each prefix, is a column. The table is printed line by line; with a folder
it is also written as CSV and, with matplotlib, as pictures; raw results go to target/bench:

    compare.csv              a line for each row: known value, then status, seconds, MB and value of
                             each column
    compare-seconds.csv      only the seconds, for plotting; empty where a limit came first
    compare-cactus.svg       how many rows each column solves within how much time each
    compare-scatter-A-B.svg  the first column against each other one
"""

import statistics
import sys
import tempfile
from pathlib import Path

from . import contest, instances, pictures, solvers
from .record import keep, write_csv


def columns(given):
    """The engines and prefixes that are compared."""
    common = ["--threads", str(given.threads)] if given.threads else []
    prefixes = ["dep", "base"] if given.quant == "both" else [given.quant]
    result = []
    for engine in given.engines:
        # Only xssat has formulas, and so prefixes.
        for prefix in prefixes if engine == "xssat" else [None]:
            name = f"{engine} {prefix}" if prefix else engine
            options = ["--engine", engine, *(["--quant", prefix] if prefix else []), *common]
            result.append(solvers.SqaspFromText(name, given.binary, options))
    return result


def run(given):
    """Measures, prints, writes: exit code."""
    results, interrupted = [], False
    compared = columns(given)
    with tempfile.TemporaryDirectory(prefix="sqasp-compare-") as scratch:
        scratch = Path(scratch)
        contest.explain(given.time, given.rounds)
        chosen = instances.game_questions(given.rows, scratch)
        try:
            contest.print_games(chosen, compared, given.rounds, given.time, scratch, results)
        except (instances.CannotMake, OSError) as error:
            print(f"compare: {error}", file=sys.stderr)
            return 69
        except KeyboardInterrupt:
            print("compare: interrupted", file=sys.stderr)
            interrupted = True
    if not results:
        print("compare: nothing was measured: does any row have such a name?", file=sys.stderr)
        return 2
    if given.out:
        write(given, results, interrupted)
    failed = contest.problems(results)
    if failed:
        print("compare: failed: " + "\n    ".join(failed), file=sys.stderr)
    return 1 if failed else 130 if interrupted else 0


def write(given, results, interrupted):
    """Everything that goes into the folder."""
    given.out.mkdir(parents=True, exist_ok=True)
    records = [result.record() for result in results]
    facts = {"rounds": given.rounds, "limit_seconds": given.time, "interrupted": interrupted}
    keep(given.out, "compare", records, **facts)
    draw(given, records)


def draw(given, records):
    """The tables and pictures of raw results."""
    names = list(dict.fromkeys(entry["solver"] for one in records for entry in one["entries"]))
    details = {(one["name"], name): details_of(one, name) for one in records for name in names}
    head = [f"{name} {what}" for name in names for what in ("status", "seconds", "MB", "value")]
    rows = [[one["name"], one["expected"]] for one in records]
    cells = lambda row: [cell for name in names for cell in details[row, name]]
    write_csv(given.out / "compare.csv", ["row", "value", *head], ([*row, *cells(row[0])] for row in rows))
    time = lambda status, seconds, *_: seconds if status == "solved" else ""
    seconds = given.out / "compare-seconds.csv"
    write_csv(seconds, ["row", *names], ([row, *(time(*details[row, name]) for name in names)] for row, _ in rows))
    picture = given.out / "compare-cactus.svg"
    pictures.draw("cactus", seconds, picture, names, "Rows of the paper's table")
    first, *others = names
    for other in others:
        file = f"compare-scatter-{first}-{other}.svg".replace(" ", "_")
        pictures.draw("scatter", seconds, given.out / file, [first, other], "")


def details_of(record, name):
    """What a column has about a row: status, median seconds, largest MB, value."""
    runs = [run for one in record["entries"] if one["solver"] == name for run in one["runs"]]
    if not runs:
        return ["", "", "", ""]
    seconds = statistics.median(run["seconds"] for run in runs)
    peak = max(run["peak_bytes"] for run in runs)
    last = runs[-1]
    return [last["status"], f"{seconds:.4f}", f"{peak / 1e6:.0f}", last["value"] or ""]
