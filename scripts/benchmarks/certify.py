"""Proofs from both sides: the command `certify`.

`sqasp solve --certify` asks the engine what both sides do in every position that can come up, and
computes what that is worth without the engine. The table has, for each question of the paper, the
positions of both sides, how many of them were compared with the rules, and what it cost. A proof that a
limit kept from its end is told as that; a wrong value is a failure.
"""

import json
from fractions import Fraction
from pathlib import Path

from . import instances, process
from .table import Table, three_digits


def certify(binary, instance, limit, memory):
    """One question: what is kept of it."""
    command = [
        binary, "solve", *instance.question, "--engine", "emm", "--certify", "--json", "--quiet",
        "--time", limit, *(["--memory", memory] if memory else []),
    ]
    finished = process.run(command, limit + 60)
    told = json.loads(finished.output) if finished.code in (0, 75) else {}
    value = told.get("value")
    value = Fraction(int(value["num"]), int(value["den"])) if value else None
    certificate = told.get("certificate")
    problem = None
    if finished.code not in (0, 75):
        problem = f"exit code {finished.code}: {finished.last_message}"
    elif value not in (None, instance.expected):
        problem = f"{value} instead of {instance.expected}"
    return {
        "name": instance.name,
        "value": None if value is None else str(value),
        "certificate": certificate,
        "seconds": finished.seconds,
        "cpu_seconds": finished.cpu_seconds,
        "seconds_by_stage": told.get("stats", {}).get("seconds"),
        "peak_bytes": finished.peak_bytes,
        "problem": problem,
    }


def measure_all(binary, pattern, limit, memory, scratch):
    """All questions whose name matches, one after the other; prints the table."""
    table = Table(
        "question", "proved", "positions of the role", "of the opponents", "compared", "s", "MB",
        widths=[20],
    )
    results = []
    try:
        for instance in instances.game_questions(pattern, Path(scratch)):
            result = certify(binary, instance, limit, memory)
            results.append(result)
            certificate = result["certificate"] or {}
            proved = "yes" if certificate.get("proved") else certificate.get("stopped_by", "no")
            table.line([
                result["name"], result["problem"] or proved,
                *(certificate.get(name, "") for name in
                  ("player_positions", "opponents_positions", "compared")),
                three_digits(result["seconds"]), f"{result['peak_bytes'] / 1e6:.0f}",
            ])
    except KeyboardInterrupt:
        print("bench: interrupted")
    proved = [one for one in results if (one["certificate"] or {}).get("proved")]
    print(f"{len(proved)} of {len(results)} values are proved from both sides")
    return results
