"""Solvers of stochastic SAT side by side on the formulas of a folder: the command `ssat`.

Each finished run is a line of `runs.jsonl` in the folder of results. A run that is there is not made again, so an
interrupted measurement goes on where it ended. Then tables and pictures are written:

    runs.jsonl               the settings, then all runs, one a line
    table.csv                a line for each file: status, seconds, MB and value of each solver
    seconds.csv              only the seconds, for plotting; empty where there is no value
    summary.md               how many files of each family each solver solves, who loses what, ratios
    ratios-B.csv             the files by the time of the first solver beside that of B, the worst first
    cactus.svg, scatter-A-B.svg

Times of earlier runs of a solver that is not here can stand beside ours: a table `reference.tsv` in the folder of
formulas, with the columns file, value and seconds. It counts as SharpSSAT.
"""

import csv
import json
import math
import random
import re
import resource
import statistics
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

from . import contest, pictures, process, solvers
from .instances import Instance, has_chance
from .record import git, machine, write_csv
from .table import three_digits

# How far a value in floating point may be from the exact one.
TOLERANCE = 1e-5
REFERENCE = "reference"
# How many times as much time of the clock a run gets where the processor's time is limited.
BUSY = 20
NAMES = (".sdimacs", ".qdimacs", ".sdimacs.gz", ".qdimacs.gz")


def find_files(given):
    """The formulas asked for, as paths below the folder."""
    root = given.files
    files = sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.name.endswith(NAMES))
    files = [file for file in files if re.search(given.only, file)]
    if given.sample and given.sample < len(files):
        files = sorted(random.Random(given.seed).sample(files, given.sample))
    return files


def in_bytes(text):
    """A size such as `4G`."""
    match = re.fullmatch(r"(\d+)([KMG]?)", text.upper())
    if not match:
        raise ValueError(f"--memory {text}: write a number with K, M or G behind it")
    return int(match[1]) * {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}[match[2]]


def measure(given, solver, file):
    """One run: its line in the journal; none if the solver does not take such a formula."""
    path = given.files / file
    chance = path.suffix == ".gz" or has_chance(path)
    instance = Instance(file, "", "", path, None if chance else path, None, None, [])
    if not solver.takes(instance):
        return None
    # On a busy machine the clock runs much faster than the processor's time.
    clock = given.time * (BUSY if given.cpu else 1)
    command, limits = solver.command(instance, clock), []
    if isinstance(solver, solvers.Sqasp):
        command += ["--memory", given.memory]
    else:
        limits.append((resource.RLIMIT_AS, in_bytes(given.memory)))
    if given.cpu:
        limits.append((resource.RLIMIT_CPU, math.ceil(given.time)))
    contest.note(f"{file}: {solver.name}")
    try:
        # Some solvers write files into the folder where they are started.
        with tempfile.TemporaryDirectory() as scratch:
            finished = process.run(command, solver.limit(clock), cwd=scratch, limits=limits)
    finally:
        contest.note("")
    # The system and `wait4` do not count alike.
    is_over = given.cpu and finished.code in (-9, -24) and finished.cpu_seconds >= given.time / 2
    answer = solvers.Answer("timeout") if is_over else solver.read(finished)
    return {
        "file": file, "solver": solver.name, "status": answer.status,
        "value": None if answer.value is None else str(answer.value),
        "bounds": [str(bound) for bound in answer.bounds] if answer.bounds else None,
        "exact": not solver.tolerance, "problem": answer.problem,
        "seconds": round(finished.cpu_seconds if given.cpu else finished.seconds, 4),
        "peak_bytes": finished.peak_bytes, "statistics": answer.statistics,
    }


def read_journal(path, settings):
    """The runs of an earlier measurement with these settings."""
    if not path.exists():
        path.write_text(json.dumps(settings) + "\n", encoding="utf-8")
        return []
    runs = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            runs.append(json.loads(line))
        except ValueError:
            # A measurement that was killed while it wrote leaves half a line.
            print(f"bench: {path}: a broken line is left out", file=sys.stderr)
    path.write_text("".join(json.dumps(run) + "\n" for run in runs), encoding="utf-8")
    found = {key: runs[0].get(key) for key in settings} if runs else None
    if found != settings:
        raise ValueError(f"{path} is of other settings: choose another folder, or remove it\n  {found}\n  {settings}")
    return runs[1:]


def reference(given, files):
    """The runs of the table that stands for SharpSSAT, with its limit if that is the smaller one."""
    path = given.files / "reference.tsv"
    runs = []
    for line in csv.DictReader(open(path, encoding="utf-8"), delimiter="\t") if path.exists() else []:
        seconds = float(line["seconds"])
        status = {"-": "timeout", "crash": "failed"}.get(line["value"], "solved")
        if status == "solved" and seconds > given.time:
            status = "timeout"
        value = str(Fraction(line["value"])) if status == "solved" else None
        if line["file"] in files:
            runs.append({
                "file": line["file"], "solver": REFERENCE, "status": status, "value": value, "bounds": None,
                "exact": False, "problem": None, "seconds": seconds, "peak_bytes": 0, "statistics": None,
            })
    return runs


def disagreements(runs):
    """What cannot all be true of one file, in words. Exact values must be equal and lie between all exact bounds;
    values in floating point must be near them."""
    exact = {run["solver"]: Fraction(run["value"]) for run in runs if run["value"] and run["exact"]}
    known = next(iter(exact.values()), None)
    if known is None:
        return []
    lines = [f"{solver} says {value}, others {known}" for solver, value in exact.items() if value != known]
    for run in runs:
        low, high = map(Fraction, run["bounds"] or (0, 1))
        if not low <= known <= high:
            lines.append(f"{run['solver']} says from {low} to {high}, others {known}")
        if run["value"] and not run["exact"] and abs(Fraction(run["value"]) - known) > TOLERANCE:
            lines.append(f"{run['solver']} says {float(Fraction(run['value'])):.7g}, ours is {float(known):.7g}")
    return lines


def run_all(given):
    """Measures, checks and writes: exit code."""
    files = find_files(given)
    if not files:
        print(f"bench: {given.files} has no such formula ({', '.join(NAMES)})", file=sys.stderr)
        return 2
    programs = solvers.ours(given.binary, given.options or [""])
    programs += solvers.before(programs, given.against)
    programs += [] if given.alone else solvers.outside(None, None)
    given.out = given.out or process.ROOT / "target/bench/ssat"
    given.out.mkdir(parents=True, exist_ok=True)
    journal = given.out / "runs.jsonl"
    settings = {"seconds": given.time, "memory": given.memory, "cpu": given.cpu, "processor": machine()["processor"]}
    settings |= {"commit": git("rev-parse", "HEAD"), "built": given.binary.stat().st_mtime}
    runs, interrupted = [], False
    try:
        in_bytes(given.memory)
        runs = read_journal(journal, settings)
        done = {(run["file"], run["solver"]) for run in runs}
        with open(journal, "a", encoding="utf-8") as to:
            for file in files:
                for solver in programs:
                    if (file, solver.name) not in done and (run := measure(given, solver, file)):
                        runs.append(run)
                        print(json.dumps(run), file=to, flush=True)
    except ValueError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("bench: interrupted; the same command goes on", file=sys.stderr)
        interrupted = True
    asked = {solver.name for solver in programs}
    runs = [run for run in runs if run["file"] in files and run["solver"] in asked]
    runs += [] if "sharpSSAT" in asked else reference(given, set(files))
    by_file = {file: [run for run in runs if run["file"] == file] for file in files}
    names = list(dict.fromkeys(run["solver"] for run in runs))
    write_tables(given, names, by_file)
    wrong = [f"{file}: {line}" for file, found in by_file.items() for line in disagreements(found)]
    failed = [f"{run['file']}: {run['solver']}: {run['problem']}" for run in runs if run["exact"] and run["problem"]]
    for line in wrong + failed:
        print(f"bench: {line}", file=sys.stderr)
    return 130 if interrupted else 1 if wrong or failed else 0


def write_tables(given, names, by_file):
    """The tables and the pictures."""
    find = {(run["file"], run["solver"]): run for runs in by_file.values() for run in runs}
    cells = lambda run: (run["status"], run["seconds"], run["peak_bytes"] // 10**6, decimal(run)) if run else [""] * 4
    rows = ([one, *(cell for name in names for cell in cells(find.get((one, name))))] for one in by_file)
    head = [f"{name} {what}" for name in names for what in ("status", "s", "MB", "value")]
    write_csv(given.out / "table.csv", ["file", *head], rows)
    solved = {key: run["seconds"] for key, run in find.items() if run["status"] == "solved"}
    drawn = lambda time: "" if time is None else max(time, 0.001)  # logarithmic
    rows = ([one, *(drawn(solved.get((one, name))) for name in names)] for one in by_file)
    write_csv(given.out / "seconds.csv", ["file", *names], rows)
    for other in names[1:]:
        write_ratios(given.out / f"ratios-{other}.csv".replace(" ", "_"), names[0], other, find)
    summary = summarize(names, by_file, solved)
    (given.out / "summary.md").write_text(summary, encoding="utf-8")
    print(summary)
    table = given.out / "seconds.csv"
    pictures.draw("cactus", table, given.out / "cactus.svg", names, f"{len(by_file)} formulas")
    for other in names[1:]:
        picture = f"scatter-{names[0]}-{other}.svg".replace(" ", "_")
        pictures.draw("scatter", table, given.out / picture, [names[0], other], "")


def write_ratios(path, first, other, find):
    """The files by ratio of time, the worst first: sums do not show a loss in one file. A run without a value counts with
    its time; one that failed is no time."""
    rows = []
    for (file, name), mine in find.items():
        theirs = find.get((file, other))
        ended = (mine["status"], theirs["status"]) if name == first and theirs else ()
        if "solved" in ended and set(ended) <= {"solved", "timeout"}:
            ratio = max(mine["seconds"], 0.001) / max(theirs["seconds"], 0.001)
            runs = (run[key] for run in (mine, theirs) for key in ("status", "seconds"))
            rows.append((ratio, [three_digits(ratio), file, *runs]))
    rows.sort(reverse=True)
    head = ["ratio", "file", *(f"{name} {what}" for name in (first, other) for what in ("status", "s"))]
    write_csv(path, head, (row for _, row in rows))


def decimal(run):
    """A value for people; fractions of thousands of digits stay in the journal."""
    return "" if run["value"] is None else f"{float(Fraction(run['value'])):.9g}"


def summarize(names, by_file, solved):
    """Who solved what, as Markdown."""
    families = {}
    for file in by_file:
        families.setdefault(str(Path(file).parent), []).append(file)
    lines = [f"| family | files | {' | '.join(names)} |", "|---" * (len(names) + 2) + "|"]
    for family, files in [*families.items(), ("all", list(by_file))]:
        counts = [sum((file, name) in solved for file in files) for name in names]
        lines.append(f"| {family} | {len(files)} | {' | '.join(map(str, counts))} |")
    lines.append("")
    first = names[0]
    for name in names[1:]:
        ours, theirs = ({file for file in by_file if (file, who) in solved} for who in (first, name))
        both = [(solved[file, first], solved[file, name], file) for file in sorted(ours & theirs)]
        lines.append(
            f"{first} and {name}: {len(both)} files solved by both, {len(ours - theirs)} by {first} only, "
            f"{len(theirs - ours)} by {name} only."
        )
        if both:
            ratios = [max(mine, 0.001) / max(other, 0.001) for mine, other, _ in both]
            mean, median = contest.geometric_mean(ratios), statistics.median(ratios)
            slow = [f"{file} ({mine:.2f} s, {other:.2f} s)" for mine, other, file in both if mine > max(0.1, 3 * other)]
            lines.append(
                f"Time of {first} / {name}: geometric mean {three_digits(mean)}, median {three_digits(median)}; "
                f"more than 3 times slower and above 0.1 s: {', '.join(slow) or 'none'}."
            )
        if theirs - ours:
            lines.append(f"Solved by {name} only: {', '.join(sorted(theirs - ours))}.")
        lines.append("")
    nobody = [file for file in by_file if not any((file, name) in solved for name in names)]
    lines.append(f"Solved by nobody ({len(nobody)}): {', '.join(nobody) or 'none'}.")
    return "\n".join(lines) + "\n"
