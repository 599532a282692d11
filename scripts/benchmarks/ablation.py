"""What each technique of an engine buys: the command `ablation`.

For each technique that `sqasp solve-formula --help` lists, `ablation.toml` names questions on which it must pay. The whole engine and
the engine without the technique take turns there for some rounds.
"""

import re
import subprocess
import sys

from . import instances
from .contest import measure, ratio
from .process import ROOT
from .solvers import Sqasp, SqaspFromText
from .table import Table, three_digits

# A technique stays if leaving it out costs this factor in states, branchings or time.
LEAST = 1.30

WHOLE = "whole"


def techniques(binary):
    """The values that `--without` takes."""
    command = [binary, "solve-formula", "--help"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    after = text[text.index("--without"):]
    found = set()
    for line in after.splitlines()[1:]:
        if entry := re.match(r"\s+- ([\w-]+):", line):
            found.add(entry[1])
        elif re.match(r"\s+--\w", line):
            break
    return found


def questions(entry, binary, files, scratch):
    """The question of an entry, as an instance; nothing if its file is not there."""
    if "family" in entry:
        yield from instances.family_instances(f"^{re.escape(entry['family'])}$", scratch)
    elif "file" in entry:
        if (files / entry["file"]).exists():
            yield from instances.file_instances(files, f"^{re.escape(entry['file'])}$")
    elif "script" in entry:
        game = scratch / "game.gdl"
        script, *words = entry["script"].split()
        instances.make(game, [sys.executable, ROOT / "scripts" / script, *words])
        question = [str(game), *entry.get("ask", [])]
        yield instances.Instance(entry["script"], "script", "", None, None, None, None, question)
    else:
        pattern = f"^{re.escape(entry['game'])}$"
        if entry["engine"] == "emm":
            yield from instances.game_questions(pattern, scratch)
        else:
            yield from instances.game_instances(binary, pattern, ["dep"], scratch)


def variants(entry, binary):
    """The whole engine, and the engine without the technique; one thread."""
    program, options = Sqasp, ["--threads", "1"]
    if entry["engine"] == "emm":
        program, options = SqaspFromText, ["--engine", "emm", *options]
    less = [*options, "--without", entry["technique"]]
    return [program(WHOLE, binary, options), program(entry["technique"], binary, less)]


def count(entry):
    """What a run tells of its size, states or branchings, and how many; none if it tells neither."""
    told = entry.answer.statistics or {}
    return next(((name, told[name]) for name in ("states", "branchings") if told.get(name)), (None, None))


def print_ablation(given, scratch, results):
    """Measures, and prints a line for each technique. Adds to the results; gives the techniques that do not pay."""
    known = techniques(given.binary)
    entries = instances.load("ablation.toml", "entry")
    told = {entry["technique"] for entry in entries} | set(instances.load("ablation.toml", "for_bounds"))
    idle = sorted(known - told)
    table = Table("technique", "question", "seconds", "states", "time without", "states without", widths=[18, 44])
    for entry in entries:
        if not re.search(given.techniques, entry["technique"]):
            continue
        asked = False
        for instance in questions(entry, given.binary, given.files, scratch):
            asked = True
            result = measure(instance, variants(entry, given.binary), given.rounds, given.time, scratch)
            results.append(result)
            pays, cells = compare(*result.entries, given.time)
            name = f"{entry['technique']} (emm)" if entry["engine"] == "emm" else entry["technique"]
            table.line([name, instance.name, *cells])
            if not pays:
                idle.append(f"{name} on {instance.name}")
        if not asked:
            print(f"bench: the question for {entry['technique']} is not there", file=sys.stderr)
    return idle


def compare(whole, less, limit):
    """Whether a technique pays, and the cells of its line."""
    if not whole.solved:
        return False, [whole.answer.status, "", "", ""]
    (unit, size), (other_unit, other) = count(whole), count(less)
    cells = [three_digits(whole.cpu_seconds), size or ""]
    if not less.solved:
        return True, [*cells, f"> {three_digits(limit / whole.cpu_seconds)}", ""]
    time, more = ratio(less, whole), other / size if unit and unit == other_unit else 1
    return max(time, more) >= LEAST, [*cells, three_digits(time), three_digits(more) if unit == other_unit else ""]
