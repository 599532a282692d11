"""How fast the evaluator answers what it knows: the command `evaluate`.

A process is started and asked about positions once, which solves them; then every question is asked
many times more. What is measured is the round trip as a player sees it: from writing the line to having
read the reply and its JSON, through the pipes and back.
"""

import json
import statistics
import subprocess
import sys
import time

from .process import ROOT
from .table import Table

# Games, the steps asked about, and positions as histories: at the start, in the middle, near the end.
MIDDLE = [["(mark 2 2)", "noop", "(keep 1)"], ["noop", "(mark 1 1)", "(keep 1)"]]
LATE = [
    *MIDDLE, ["(mark 1 3)", "noop", "(keep 1)"], ["noop", "(mark 3 1)", "(keep 1)"],
    ["(mark 2 1)", "noop", "(keep 1)"], ["noop", "(mark 2 3)", "(keep 1)"],
]
QUESTIONS = [
    ("stochastic_ttt", "start", {"history": [], "depth": 9}),
    ("stochastic_ttt", "2 steps played", {"history": MIDDLE, "depth": 7}),
    ("stochastic_ttt", "6 steps played", {"history": LATE, "depth": 3}),
    ("stochastic_ttt", "start, value only", {"history": [], "depth": 9, "moves": False}),
    ("stochastic_nim_10", "start", {"history": [], "depth": 40}),
]


class Evaluator:
    """A running `sqasp evaluate`."""

    def __init__(self, binary, game):
        command = [binary, "evaluate", ROOT / "games" / f"{game}.gdl", "--quiet"]
        self.process = subprocess.Popen(
            [str(word) for word in command], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )
        self.greeting = json.loads(self.process.stdout.readline())

    def ask(self, request):
        """A reply, and the seconds until it was read."""
        line = json.dumps(request) + "\n"
        start = time.perf_counter()
        self.process.stdin.write(line)
        self.process.stdin.flush()
        reply = json.loads(self.process.stdout.readline())
        return reply, time.perf_counter() - start

    def close(self):
        """Ends it."""
        self.process.stdin.close()
        self.process.wait()


def measure(binary, rounds):
    """Prints a table and returns its lines for the raw results."""
    print(f"Round trips of {rounds} answers to each question, after a first one that solved it.\n")
    table = Table(
        "game", "position", "first s", "median ms", "99 % ms", "inside ms",
        widths=[18, 18, 7, 9, 7, 9],
    )
    results, evaluators = [], {}
    for game, position, request in QUESTIONS:
        evaluator = evaluators.get(game) or Evaluator(binary, game)
        evaluators[game] = evaluator
        first, first_seconds = evaluator.ask(request)
        answers = [evaluator.ask({"id": number, **request}) for number in range(rounds)]
        problem = None
        if first["status"] != "solved":
            problem = f"the position was not solved: {first}"
        elif any(reply.get("value") != first["value"] for reply, _ in answers):
            problem = "the same question got different answers"
        times = sorted(seconds for _, seconds in answers)
        inside = statistics.median(reply.get("seconds", 0) for reply, _ in answers)
        median, late = statistics.median(times), times[min(rounds - 1, rounds * 99 // 100)]
        table.line([
            game, position, f"{first_seconds:.3f}", f"{median * 1000:.3f}", f"{late * 1000:.3f}",
            f"{inside * 1000:.3f}",
        ])
        if problem:
            print(f"bench: {game}, {position}: {problem}", file=sys.stderr)
        results.append({
            "name": f"{game}, {position}",
            "engine": evaluator.greeting["engine"],
            "first_seconds": first_seconds,
            "median_seconds": median,
            "late_seconds": late,
            "inside_seconds": inside,
            "rounds": rounds,
            "problem": problem,
        })
    for evaluator in evaluators.values():
        evaluator.close()
    return results
