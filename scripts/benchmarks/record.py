"""Results with machine, date and commit: a small table, and everything that was measured."""

import csv
import json
import os
import platform
import subprocess
import sys
from datetime import datetime, timezone

from .process import ROOT


def read_first(path, key):
    """The value of the first line `key ... : value` of a file; none if there is no such file."""
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.startswith(key):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return None


def machine():
    """What a reader needs to compare numbers."""
    return {
        "system": platform.platform(),
        "processor": read_first("/proc/cpuinfo", "model name") or platform.processor(),
        "cores": os.cpu_count(),
        "memory": read_first("/proc/meminfo", "MemTotal"),
    }


def git(*arguments):
    """What git prints; none outside a checkout."""
    try:
        result = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    except OSError:
        return None
    return result.stdout.strip() if result.returncode == 0 else None


# What the small table has of a run, where it is there.
FIGURES = ["status", "value", "seconds", "cpu_seconds", "first_seconds", "median_seconds", "peak_bytes", "states", "problem"]

# What tells runs apart.
LABELS = ["name", "game", "prefix", "solver", "options"]


def table(results):
    """A line for each run: what tells it apart, and its figures."""
    lines = []

    def walk(part, labels):
        if isinstance(part, list):
            for each in part:
                walk(each, labels)
        elif isinstance(part, dict):
            named = [part[label] for label in LABELS if part.get(label)]
            labels = labels + [" ".join(n) if isinstance(n, list) else str(n) for n in named]
            figures = {name: part[name] for name in FIGURES if isinstance(part.get(name), (str, int, float))}
            stages = part.get("seconds")
            if isinstance(stages, dict):
                figures["seconds"] = sum(stages.values())
            if any(name.endswith("seconds") for name in figures):
                lines.append({"run": " | ".join(labels), **figures})
                return
            for name, each in part.items():
                if isinstance(each, (list, dict)) and name not in ("formula", "paper", "options", "statistics"):
                    inner = name not in ("entries", "runs", "run")
                    walk(each, labels + [name] if inner else labels)

    walk(results, [])
    columns = ["run"] + [name for name in FIGURES if any(name in line for line in lines)]
    return columns, lines


def write_table(path, facts):
    """Writes the small table of results, below a line that says where they come from."""
    columns, lines = table(facts["results"])
    origin = [facts["date"], facts["commit"], facts["machine"]["processor"], f'{facts["machine"]["cores"]} cores']
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write("# " + ", ".join(str(part) for part in origin) + "\n")
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        for line in lines:
            rounded = {k: round(v, 6) if isinstance(v, float) else v for k, v in line.items()}
            writer.writerow(rounded)


def write_csv(path, head, rows):
    """Writes a table with a line for each row."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])


def keep(folder, suite, results, **facts):
    """Writes a small table to a file named by suite and date, and the raw results below `target`."""
    now = datetime.now(timezone.utc)
    name = f"{suite}-{now:%Y-%m-%d-%H%M%S}"
    raw = ROOT / "target" / "bench" / f"{name}.json"
    for place in (folder, raw.parent):
        place.mkdir(parents=True, exist_ok=True)
    changes = git("status", "--porcelain")
    facts = {
        "suite": suite,
        "date": now.isoformat(timespec="seconds"),
        "commit": git("rev-parse", "HEAD"),
        "changed_files": len(changes.splitlines()) if changes is not None else None,
        "machine": machine(),
        **facts,
        "results": results,
    }
    write_table(folder / f"{name}.csv", facts)
    raw.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    print(f"results: {folder / name}.csv; raw: {raw}")


def measured(rows, only, measure, results):
    """Measures each row with this in its name: adds what was found to the results, and says what is wrong."""
    for row in rows:
        if only in row[0]:
            one = measure(row)
            results.append(one)
            yield one
            if one["problem"]:
                print(f"bench: {one['name']}: {one['problem']}", file=sys.stderr)
