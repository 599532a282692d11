"""What each technique of an engine buys: the command `ablation`.

The program itself says which techniques it can do without (`sqasp xssat --help`), so a new one
needs no change here. On each question the whole engine and the engine without each technique take
turns for some rounds. Games and single formulas have a column each, files of a folder one for each
folder below.
"""

import re
import subprocess

from .contest import geometric_mean, measure, ratio, states_cell, time_cell
from .solvers import Sqasp, SqaspFromText
from .table import Table, three_digits

# About a second each, and of different kinds: falling stones and marks, against random and
# against an adversary.
DEFAULT_ROWS = (
    "^(C-3 5x5 second|C-4 5x4 second|S-TT 3x3 4/5 first|S-C-3 4x4 4/5 first|S-C-4 4x4 4/5 first)$"
)

WHOLE = "(the whole engine)"


def help_text(binary):
    """What the program says about its options."""
    command = [binary, "xssat", "--help"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def option_help(text, option):
    """The lines of the help about one option."""
    lines = text.splitlines()
    starts = [i for i, line in enumerate(lines) if re.match(rf"\s+(-\w, )?{option}\b", line)]
    if not starts:
        return []
    start = starts[0]
    own = [lines[start]]
    for line in lines[start + 1:]:
        if re.match(r"\s+(-\w, )?--\w", line) or (line and not line[0].isspace()):
            break
        own.append(line)
    return own


def techniques(text, engine):
    """The values that `--without` takes for an engine, with the sentence about each."""
    found = {}
    for line in option_help(text, "--without"):
        if entry := re.match(r"\s+- ([\w-]+):\s+(.*)", line):
            purposes = dict(each.split(": ", 1) for each in entry[2].split("; "))
            if engine in purposes:
                found[entry[1]] = purposes[engine]
    return found


def variants(binary, engine, options, pattern=""):
    """The whole engine, and the engine without one thing at a time, of those whose name has the pattern."""
    text = help_text(binary)
    if engine == "emm":
        program, options = SqaspFromText, ["--engine", "emm", *options]
    else:
        program = Sqasp
    result = [program(WHOLE, binary, list(options))]
    for name, sentence in techniques(text, engine).items():
        if not re.search(pattern, name):
            continue
        result.append(program(f"{name}: {sentence}", binary, [*options, "--without", name]))
    if not any(option.startswith("--threads") for option in options):
        one = [*options, "--threads", "1"]
        result.append(program("threads: all but one (`--threads 1`)", binary, one))
    return result


def print_ablation(instances, solvers, rounds, limit, scratch, results):
    """Measures, then prints a table: a line for each variant, a column for each formula. Adds to
    the results."""
    for instance in instances:
        results.append(measure(instance, solvers, rounds, limit, scratch))
        whole = results[-1].best(WHOLE)
        print(f"{instance.name} {instance.prefix}: {cell(whole, None, limit)}", flush=True)
    print(
        "\nTime without a technique as a multiple of the time of the whole engine and, in "
        f"brackets, states likewise; medians of {rounds} rounds in turn, at most {limit:g} s each. "
        "The first line has seconds and states. The mean is geometric; a run that reached the "
        "limit counts with it.\n"
    )
    columns = {}
    for result in results:
        instance = result.instance
        single = f"{instance.name} {instance.prefix}".strip()
        columns.setdefault(instance.group if instance.prefix == "file" else single, []).append(result)
    width = max(len(solver.name) for solver in solvers)
    table = Table("without", *columns, "mean", widths=[width, *[16] * len(columns)])
    for solver in solvers:
        whole = None if solver.name == WHOLE else WHOLE
        def pairs(some):
            return [(result.best(solver.name), whole and result.best(whole)) for result in some]
        cells = [
            cell(*pairs(some)[0], limit) if len(some) == 1 else mean(pairs(some), limit)
            for some in columns.values()
        ]
        table.line([solver.name, *cells, mean(pairs(results), limit)])


def cell(entry, base, limit):
    """Time and states of one variant on one formula, as multiples of those of a base if given."""
    if base is None:
        return f"{time_cell(entry, limit)} ({states_cell(entry) or '?'})"
    if not base.solved:
        return time_cell(entry, limit)
    if entry.answer.status == "timeout":
        return f"> {three_digits(limit / base.seconds)}"
    if not entry.solved:
        return entry.answer.status
    text = three_digits(ratio(entry, base))
    if entry.answer.states and base.answer.states:
        text += f" ({three_digits(entry.answer.states / base.answer.states)})"
    return text


def mean(entries, limit):
    """The geometric mean of the ratios of times. A run that reached the time limit counts with it,
    so that the mean is a lower bound; formulas on which either stopped otherwise do not count."""
    ratios, bound = [], ""
    for entry, base in entries:
        if base is None or not base.solved:
            continue
        if entry.solved:
            ratios.append(ratio(entry, base))
        elif entry.answer.status == "timeout":
            ratios.append(limit / base.seconds)
            bound = "> "
    return bound + three_digits(geometric_mean(ratios)) if ratios else ""
