"""The table of the paper by both engines: the command `scripts/compare`.

Each engine, and for xssat each prefix, is a column. The table is printed line by line; with a folder
it is also written as CSV, as two pictures, and as raw results:

    compare.csv              a line for each row: known value, then status, seconds, MB and value of
                             each column
    compare-seconds.csv      only the seconds, for plotting; empty where a limit came first
    compare-cactus.svg       how many rows each column solves within how much time each
    compare-scatter-A-B.svg  the first column against each other one
"""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

from . import contest, instances, solvers
from .record import keep


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
        write(given, compared, results, interrupted)
    failed = contest.problems(results)
    if failed:
        print("compare: failed: " + "\n    ".join(failed), file=sys.stderr)
    return 1 if failed else 130 if interrupted else 0


def write(given, compared, results, interrupted):
    """Everything that goes into the folder."""
    given.out.mkdir(parents=True, exist_ok=True)
    names = [solver.name for solver in compared]
    with open(given.out / "compare.csv", "w", newline="", encoding="utf-8") as file:
        to = csv.writer(file, lineterminator="\n")
        details = ("status", "seconds", "MB", "value")
        to.writerow(["row", "value", *(f"{name} {what}" for name in names for what in details)])
        for result in results:
            line = [result.instance.name, result.instance.expected]
            for name in names:
                line += cells(result.best(name))
            to.writerow(line)
    seconds = given.out / "compare-seconds.csv"
    with open(seconds, "w", newline="", encoding="utf-8") as file:
        to = csv.writer(file, lineterminator="\n")
        to.writerow(["row", *names])
        for result in results:
            entries = [result.best(name) for name in names]
            times = [f"{entry.seconds:.4f}" if entry.solved else "" for entry in entries]
            to.writerow([result.instance.name, *times])
    facts = {"rounds": given.rounds, "limit_seconds": given.time, "interrupted": interrupted}
    keep(given.out, "compare", [result.record() for result in results], **facts)
    plot(given, seconds, "compare-cactus.svg", "cactus", names, "Rows of the paper's table")
    first, *others = names
    for other in others:
        file = f"compare-scatter-{first}-{other}.svg".replace(" ", "_")
        plot(given, seconds, file, "scatter", [first, other], "")


def cells(entry):
    """What a column has about a row."""
    value = entry.answer.value
    return [
        entry.answer.status,
        f"{entry.seconds:.4f}",
        f"{entry.peak / 1e6:.0f}",
        "" if value is None else value,
    ]


def plot(given, table, file, kind, names, title):
    """Draws with our program. A picture that cannot be drawn, since nothing was solved, is no
    failure of the comparison."""
    command = [given.binary, "plot", kind, table, "--columns", ",".join(names)]
    command += ["--title", title, "-o", given.out / file]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode == 0:
        print(f"picture: {given.out / file}")
    else:
        print(f"compare: no {file}: {done.stderr.strip()}", file=sys.stderr)
