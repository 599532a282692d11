"""Raw results with machine, date and commit."""

import json
import os
import platform
import subprocess
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


def keep(folder, suite, results, **facts):
    """Writes the raw results to a file named by suite and date."""
    now = datetime.now(timezone.utc)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{suite}-{now:%Y-%m-%d-%H%M%S}.json"
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
    path.write_text(json.dumps(facts, indent=1) + "\n")
    print(f"raw results: {path}")
