"""Random play: the command `playouts`.

Every game is played for some time by the circuit of one step and by the rules, in turn. What is counted
are states visited per second, without the time to prepare; the table shows medians.
"""

import json
import statistics

from . import process
from .process import ROOT
from .table import Table

WAYS = ("circuit", "rules")


def our_games():
    """The games of this project."""
    return sorted((ROOT / "games").glob("*.gdl"))


def play(binary, game, way, seconds):
    """Plays once: what the program printed, and why it does not count."""
    command = [
        binary, "simulate", game, "--engine", way, "--json", "--quiet",
        "--plays", 10**12, "--time", seconds,
    ]
    finished = process.run(command, 60 + 10 * seconds)
    # 75: the time was used up, as it should be.
    if finished.timed_out or finished.code != 75:
        return None, f"{way}: exit code {finished.code}: {finished.last_message}"
    return json.loads(finished.output), None


def rate(one):
    """States per second of play."""
    return one["states"] / one["seconds"]["play"]


def measure(binary, game, runs, seconds):
    """All runs of one game."""
    played = {way: [] for way in WAYS}
    for _ in range(runs):
        for way in WAYS:
            one, problem = play(binary, game, way, seconds)
            if problem:
                return {"game": game.stem, "problem": problem, "runs": played}
            played[way].append(one)
    return {"game": game.stem, "problem": None, "runs": played}


def measure_all(binary, games, only, runs, seconds):
    """Measures the games whose name contains a text, and prints the table."""
    games = [game for game in games if only in game.name]
    if not games:
        return []
    table = Table(
        "game", "facts", "gates", "prepared in s", "circuit states/s", "rules states/s", "ratio",
        widths=[32],
    )
    results, ratios = [], []
    for game in games:
        result = measure(binary, game, runs, seconds)
        results.append(result)
        if result["problem"]:
            table.line([result["game"], result["problem"]])
            continue
        first = result["runs"]["circuit"][0]["circuit"]
        prepared = statistics.median(
            one["seconds"]["prepare"] for one in result["runs"]["circuit"]
        )
        rates = {
            way: statistics.median(rate(one) for one in result["runs"][way]) for way in WAYS
        }
        ratios.append(rates["circuit"] / rates["rules"])
        table.line([
            result["game"], first["facts"], first["gates"], f"{prepared:.4f}",
            f"{rates['circuit']:,.0f}", f"{rates['rules']:,.0f}", f"{ratios[-1]:.0f}",
        ])
    if ratios:
        print(f"geometric mean of the ratios: {statistics.geometric_mean(ratios):.0f}")
    return results
