"""Runs several solvers on the same formulas in turn; the command `xssat`.

On each formula the solvers take turns for some rounds, so that a slow minute of the machine hits
all of them. A solver that reached a limit or failed once does not get another turn on that formula.
The table shows medians.
"""

import math
import statistics
import sys

from . import process
from .solvers import GRACE
from .table import Table, three_digits


class Entry:
    """The runs of one solver on one formula."""

    def __init__(self, solver):
        self.solver = solver
        self.runs = []  # (Finished, Answer)

    @property
    def answer(self):
        """The last answer: the first that is not a value is the last."""
        return self.runs[-1][1]

    @property
    def solved(self):
        """Whether all runs gave a value."""
        return self.answer.status == "solved"

    @property
    def seconds(self):
        """The median time."""
        return statistics.median(finished.seconds for finished, _ in self.runs)

    @property
    def cpu_seconds(self):
        """The median time of the processor."""
        return statistics.median(finished.cpu_seconds for finished, _ in self.runs)

    @property
    def peak(self):
        """The largest peak memory, in bytes."""
        return max(finished.peak_bytes for finished, _ in self.runs)

    def values(self):
        """All values it gave."""
        return [answer.value for _, answer in self.runs if answer.status == "solved"]

    def record(self):
        """Its line in the raw results."""
        return {
            "solver": self.solver.name,
            "options": self.solver.options,
            "runs": [
                {
                    "seconds": finished.seconds,
                    "cpu_seconds": finished.cpu_seconds,
                    "peak_bytes": finished.peak_bytes,
                    "status": answer.status,
                    "value": self.text(answer.value),
                    "states": answer.states,
                    "statistics": answer.statistics,
                    "problem": answer.problem,
                }
                for finished, answer in self.runs
            ],
        }

    def text(self, value):
        """A fraction if the solver is exact, else a decimal."""
        if value is None:
            return None
        return repr(float(value)) if self.solver.tolerance else str(value)


class Result:
    """What all solvers did on one formula."""

    def __init__(self, instance, entries):
        self.instance = instance
        self.entries = entries

    def best(self, name):
        """The best of the variants of a solver; none if it does not take the formula."""
        variants = [entry for entry in self.entries if entry.solver.name == name]
        key = lambda entry: (not entry.solved, entry.seconds)
        return min(variants, key=key, default=None)

    def wrong(self):
        """The entries with a value that is not the known one. If none is known, an exact value is
        taken for it, so that disagreement shows."""
        known = self.instance.expected
        if known is None:
            exact = (entry for entry in self.entries if not entry.solver.tolerance)
            others = (entry for entry in self.entries if entry.solver.tolerance)
            values = [value for entry in (*exact, *others) for value in entry.values()]
            known = values[0] if values else None
        return [
            entry for entry in self.entries
            if any(abs(value - known) > entry.solver.tolerance for value in entry.values())
        ]

    def verdict(self):
        """Whether the values are right, in a word."""
        if self.wrong():
            return "WRONG"
        if not any(entry.solved for entry in self.entries):
            return ""
        if self.instance.expected is not None:
            return "known"
        programs = {entry.solver.program for entry in self.entries if entry.solved}
        return "agree" if len(programs) > 1 else "alone"

    def record(self):
        """Its line in the raw results."""
        instance = self.instance
        return {
            "name": instance.name,
            "group": instance.group,
            "prefix": instance.prefix,
            "formula": instance.size,
            "expected": None if instance.expected is None else str(instance.expected),
            "verdict": self.verdict(),
            "entries": [entry.record() for entry in self.entries],
        }


def measure(instance, solvers, rounds, limit, scratch):
    """Runs the solvers that take a formula in turn, some rounds."""
    entries = [Entry(solver) for solver in solvers if solver.takes(instance)]
    for _ in range(rounds):
        for entry in entries:
            if entry.runs and not entry.solved:
                continue
            note(f"{instance.name} {instance.prefix}: {entry.solver.name}")
            command = entry.solver.command(instance, limit)
            try:
                finished = process.run(command, entry.solver.limit(limit), cwd=scratch)
            finally:
                note("")
            entry.runs.append((finished, entry.solver.read(finished)))
    result = Result(instance, entries)
    for entry in entries:
        if entry.answer.status == "failed":
            words = " ".join([entry.solver.name, *entry.solver.options])
            message = f"bench: {words} on {instance.name}: {entry.answer.problem}"
            print(message, file=sys.stderr)
    return result


def note(text):
    """Says what is running, on one line of a terminal."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def time_cell(entry, limit):
    """Median seconds, or why there are none."""
    if entry is None:
        return ""
    if entry.solved:
        return three_digits(entry.seconds)
    if entry.answer.status == "timeout":
        return f"> {limit:g}"
    return entry.answer.status


def memory_cell(entry):
    """Peak memory in MB."""
    if entry is None:
        return ""
    peak, least = entry.peak, process.least_peak()
    return f"< {least / 1e6:.0f}" if peak <= least else f"{peak / 1e6:.0f}"


def states_cell(entry):
    """States in tables."""
    return "" if entry is None or entry.answer.states is None else f"{entry.answer.states}"


def column_names(solvers):
    """The names of the solvers, each once, and whether they tell states."""
    return {solver.name: solver.tells_states for solver in solvers}


def ratio(ours, other):
    """How many times as long ours takes as another solver; none if one of them has no value. Where both
    have one thread it is the time of the processor, since other work on the machine hardly touches that."""
    if ours is None or other is None or not (ours.solved and other.solved):
        return None
    if all("--threads 1" in " ".join(each.solver.options) for each in (ours, other)):
        return ours.cpu_seconds / other.cpu_seconds
    return ours.seconds / other.seconds


def memory_ratio(ours, other):
    """How many times as much memory ours takes; none if one of them has no value."""
    if ours is None or other is None or not (ours.solved and other.solved):
        return None
    return ours.peak / other.peak


def geometric_mean(numbers):
    """The number whose logarithm is the mean of the logarithms."""
    return math.exp(statistics.fmean(map(math.log, numbers)))


def print_games(instances, solvers, rounds, limit, scratch, results):
    """Measures and prints one line a formula, then sums. Adds to the results."""
    names = column_names(solvers)
    first, *others = names
    titles, widths = ["formula", "prefix", "value"], [34, 6, 5]
    for name, tells_states in names.items():
        titles += [f"{name} s", "MB"] + ["states"] * tells_states
        widths += [6, 5] + [8] * tells_states
    titles += [f"{first} / {name}" for name in others]
    table = Table(*titles, widths=widths)
    for instance in instances:
        result = measure(instance, solvers, rounds, limit, scratch)
        results.append(result)
        cells = [instance.name, instance.prefix, result.verdict()]
        for name, tells_states in names.items():
            entry = result.best(name)
            cells += [time_cell(entry, limit), memory_cell(entry)]
            cells += [states_cell(entry)] * tells_states
        for name in others:
            one = ratio(result.best(first), result.best(name))
            cells.append("" if one is None else three_digits(one))
        table.line(cells)
    print()
    for name in names:
        print_sum(name, results)
    for name in others:
        print_mean(first, name, results)


def print_sum(name, results):
    """What a solver did in all."""
    entries = [entry for result in results if (entry := result.best(name))]
    solved = [entry for entry in entries if entry.solved]
    line = f"{name}: {len(solved)} of {len(entries)} solved"
    if solved:
        line += f" in {three_digits(sum(entry.seconds for entry in solved))} s together"
        line += f", the longest {three_digits(max(entry.seconds for entry in solved))} s"
        line += f", the largest {max(entry.peak for entry in solved) / 1e6:.0f} MB"
    print(line)


def print_mean(first, name, results):
    """The mean ratios of two solvers over what both solved."""
    for what, compare in (("time", ratio), ("memory", memory_ratio)):
        ratios = [compare(result.best(first), result.best(name)) for result in results]
        ratios = [one for one in ratios if one is not None]
        if ratios:
            print(
                f"{what} of {first} / {what} of {name}, geometric mean over {len(ratios)} formulas "
                f"that both solved: {three_digits(geometric_mean(ratios))} (from "
                f"{three_digits(min(ratios))} to {three_digits(max(ratios))})"
            )


def print_families(instances, solvers, rounds, limit, scratch, results):
    """Measures families; prints one line a problem, then one line a family with the median over
    its problems, in which a problem that was not solved counts with the limit."""
    print_games(instances, solvers, rounds, limit, scratch, results)
    names = column_names(solvers)
    families = list(dict.fromkeys(result.instance.group for result in results))
    print()
    titles = [title for name in names for title in (f"{name} solved", "median s")]
    table = Table("family", *titles, widths=[38])
    for family in [*families, "all"]:
        of_family = [result for result in results if family in (result.instance.group, "all")]
        cells = [family]
        for name in names:
            cells += family_cells(name, of_family, limit)
        table.line(cells)


def family_cells(name, results, limit):
    """How many problems a solver solved, and its median time."""
    entries = [entry for result in results if (entry := result.best(name))]
    if not entries:
        return ["", ""]
    solved = sum(entry.solved for entry in entries)
    median = statistics.median(entry.seconds if entry.solved else limit for entry in entries)
    time = f"> {limit:g}" if median >= limit else three_digits(median)
    return [f"{solved} of {len(entries)}", time]


def explain(limit, rounds):
    """What a reader of the tables needs to know."""
    print(
        f"Medians of {rounds} rounds in turn, at most {limit:g} s each (ours stops by itself, and "
        f"is killed {GRACE} s later). Value: `known` is the known one, `agree` that several "
        "programs gave the same where none is known, `alone` that only one did. `stopped` is "
        "another limit of the program's own.\n"
    )


def problems(results):
    """What should make the command fail: wrong values or bounds, and failures of our program."""
    lines = []
    for result in results:
        label = f"{result.instance.name} {result.instance.prefix}".strip()
        for entry in result.wrong():
            values = sorted({entry.text(value) for value in entry.values()})
            known = result.instance.expected
            lines.append(f"{label}: {entry.solver.name} says {', '.join(values)}, known is {known}")
        for entry in result.entries:
            if not entry.solver.tolerance and entry.answer.status == "failed":
                lines.append(f"{label}: {entry.solver.name} failed: {entry.answer.problem}")
            low, high = entry.answer.bounds or (0, 1)
            known = result.instance.expected
            if known is not None and not low <= known <= high:
                lines.append(f"{label}: {entry.solver.name} says {low} to {high}, known is {known}")
    return lines
