"""How fast the evaluator answers what it knows: the command `evaluate`.

A process is started and asked about positions once, which solves them; then every question is asked
many times more. The last line is about positions of random plays that were not asked about before, after
the start of the game was solved: what follows from them is in the tables for the most part. What is
measured is the round trip as a player sees it: from writing the line to having read the reply and its
JSON, through the pipes and back.
"""

import json
import random
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


def new_positions(evaluator, count):
    """Positions of random plays of stochastic tic-tac-toe, as histories."""
    chance = random.Random(1)
    found = {}
    while len(found) < count:
        history = []
        while len(history) < 8:
            # A depth of one step is enough to hear what is legal.
            ask = lambda role: evaluator.ask({"history": history, "role": role, "depth": 1})[0]
            replies = [ask(role) for role in ("xplayer", "oplayer")]
            if replies[0]["terminal"]:
                break
            joint_move = [chance.choice(reply["moves"])["move"] for reply in replies]
            history = [*history, [*joint_move, f"(keep {chance.randint(1, 4)})"]]
            found[json.dumps(history)] = history
    return list(found.values())[:count]


def summary(title, first_seconds, answers):
    """What the raw results keep of some answers."""
    times = sorted(seconds for _, seconds in answers)
    return {
        "name": title,
        "first_seconds": first_seconds,
        "median_seconds": statistics.median(times),
        "late_seconds": times[min(len(times) - 1, len(times) * 99 // 100)],
        "inside_seconds": statistics.median(reply.get("seconds", 0) for reply, _ in answers),
        "answers": len(answers),
        "problem": None,
    }


def measure(binary, rounds):
    """Prints a table and returns its lines for the raw results."""
    print(f"Round trips of {rounds} answers to each question, after a first one that solved it.\n")
    table = Table(
        "game", "position", "first s", "median ms", "99 % ms", "inside ms",
        widths=[18, 24, 7, 9, 7, 9],
    )
    results, evaluators = [], {}

    def note(game, position, result, problem):
        names = ("median_seconds", "late_seconds", "inside_seconds")
        times = [f"{result[name] * 1000:.3f}" for name in names]
        table.line([game, position, f"{result['first_seconds']:.3f}", *times])
        result["engine"] = evaluators[game].greeting["engine"]
        result["problem"] = problem
        if problem:
            print(f"bench: {result['name']}: {problem}", file=sys.stderr)
        results.append(result)

    for game, position, request in QUESTIONS:
        if game not in evaluators:
            evaluators[game] = Evaluator(binary, game)
        evaluator = evaluators[game]
        first, first_seconds = evaluator.ask(request)
        answers = [evaluator.ask({"id": number, **request}) for number in range(rounds)]
        problem = None
        if first["status"] != "solved":
            problem = f"the position was not solved: {first}"
        elif any(reply.get("value") != first["value"] for reply, _ in answers):
            problem = "the same question got different answers"
        note(game, position, summary(f"{game}, {position}", first_seconds, answers), problem)

    game, position = "stochastic_ttt", "random plays, asked once"
    evaluator = evaluators[game]
    histories = new_positions(evaluator, min(rounds, 300))
    requests = [{"history": history, "depth": 9 - len(history)} for history in histories]
    answers = [evaluator.ask(request) for request in requests]
    unsolved = [reply for reply, _ in answers if reply["status"] != "solved"]
    problem = f"a position was not solved: {unsolved[0]}" if unsolved else None
    note(game, position, summary(f"{game}, {position}", 0.0, answers), problem)
    for evaluator in evaluators.values():
        evaluator.close()
    return results
