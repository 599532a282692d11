"""Properties of games proved: the command `prove`.

Two tables, over a collection of games that lies beside the project: the twelve games of Figure 3 of
Schiffel and Thielscher 2009, and all games. Each proof is a process of its own, with a limit of time and
memory.
"""

import json

from . import process
from .table import Table

# For each game: who is in control, the board, and what the paper answers for control, board, board
# given control, zero-sum ("-": it ran out of memory; "n/a": there is no such feature). Where empty
# cells have no fact, "the content of a cell is unique" can only mean at most one.
FIGURE_3 = {
    "3pttc": ("(control ?p)", "at-most-one (cell ?x ?y _)", "yes no no no"),
    "amazons": ("(control ?p)", "at-most-one (location ?x ?y _)", "yes - - yes"),
    "blocker": (None, "unique (cell ?x ?y _)", "n/a yes n/a yes"),
    "checkers": ("(control ?p)", "unique (cell ?x ?y _)", "yes - - yes"),
    "connectfour": ("(control ?p)", "at-most-one (cell ?x ?y _)", "yes no yes yes"),
    "endgame": ("(control ?p)", "unique (cell ?x ?y _)", "yes - - yes"),
    "knightthrough": ("(control ?p)", "at-most-one (cell ?x ?y _)", "yes no yes yes"),
    "othello-comp2007": ("(control ?p)", "at-most-one (cell ?x ?y _)", "yes - - -"),
    "pacman3p": ("(control ?p)", "at-most-one (location _ ?x ?y)", "yes no no no"),
    "quarto": (None, "unique (cell ?x ?y _)", "n/a no n/a yes"),
    "tictactoe": ("(control ?p)", "unique (cell ?x ?y _)", "yes no yes yes"),
    "tttcc4": ("(control ?p)", "at-most-one (cell ?x ?y _)", "yes - - no"),
}

WORDS = {"proved": "yes", "refuted": "no (refuted)", "not-inductive": "no", "unknown": "?"}

# The exit code for input that is not valid.
NOT_VALID = 65


def brief(finding):
    """A finding with the length of its play instead of the witness, which can be megabytes."""
    witness = finding.pop("witness", None) or {}
    return {**finding, "steps_of_play": len(witness["moves"])} if "moves" in witness else finding


def prove(binary, game, arguments, seconds):
    """Runs one proof: the findings, and why there are none; the time and the memory."""
    command = [
        binary, "prove", game, *arguments,
        "--time", seconds, "--memory", "4G", "--json", "--quiet",
    ]
    finished = process.run(command, 30 + 2 * seconds)
    if finished.code == NOT_VALID:
        # A few old games have `base` in another form.
        finished = process.run(command, 30 + 2 * seconds)
    result = {
        "arguments": [str(word) for word in arguments],
        "seconds": finished.seconds,
        "cpu_seconds": finished.cpu_seconds,
        "peak_bytes": finished.peak_bytes,
        "code": finished.code,
        "findings": None,
        "problem": None,
    }
    try:
        result["findings"] = [brief(finding) for finding in json.loads(finished.output)]
    except ValueError:
        result["problem"] = f"exit code {finished.code}: {finished.last_message}"
    return result


def answer(result):
    """A verdict and its time, as in the paper."""
    if result is None:
        return "n/a"
    if not result["findings"]:
        return f"? ({result['seconds']:.2f})"
    return f"{WORDS[result['findings'][-1]['verdict']]} ({result['seconds']:.2f})"


def figure_3(binary, folder, only, seconds, results):
    """The twelve games of the paper."""
    table = Table(
        "game", "control", "board", "board given control", "zero-sum", "unique arguments",
        "the paper", widths=[18, 14, 20, 20, 20, 20, 20],
    )
    for name, (control, board, paper) in FIGURE_3.items():
        game = folder / f"{name}.kif"
        if only not in name or not game.exists():
            continue
        runs = {
            "control": control and prove(binary, game, [f"unique {control}"], seconds),
            "board": prove(binary, game, [board], seconds),
            "board given control": control
            and prove(binary, game, [board, "--assume", f"unique {control}"], seconds),
            "zero-sum": prove(binary, game, ["zero-sum"], seconds),
            "all": prove(binary, game, ["--all"], seconds),
        }
        findings = runs["all"]["findings"] or []
        unique = [one for one in findings if "unique" in one["property"].split()[0]
                  or one["property"].startswith("at-most-one")]
        proved = sum(one["verdict"] == "proved" for one in unique)
        table.line([
            name, *(answer(run) for run in list(runs.values())[:4]),
            f"{proved} of {len(unique)} ({runs['all']['seconds']:.2f})", paper,
        ])
        results.append({"table": "figure 3", "game": name, "paper": paper, "runs": runs})


def named(findings, name):
    """The verdict about a property with a name, as one word."""
    for one in findings:
        if one["property"] == name:
            return WORDS[one["verdict"]]
    return "n/a"


def by_verdict(findings):
    """The properties of each verdict: a game has a hundred, and there are hundreds of games."""
    return {
        word: [one["property"] for one in findings if one["verdict"] == word] for word in WORDS
    }


def every_game(binary, folder, only, seconds, results):
    """All games of the folder."""
    table = Table(
        "game", "proved", "refuted", "not inductive", "unknown", "turn-taking", "zero-sum",
        "ends within", "time in s", "memory in MB", widths=[40, 7, 8, 14, 8, 14, 14, 12],
    )
    totals = dict.fromkeys(WORDS, 0)
    for game in sorted(folder.glob("*.kif")):
        if only not in game.name:
            continue
        result = prove(binary, game, ["--all"], seconds)
        findings = result.pop("findings")
        results.append(
            {"table": "all games", "game": game.stem, "run": {**result, **by_verdict(findings or [])}}
        )
        if findings is None:
            table.line([game.stem, result["problem"]])
            continue
        counts = {word: sum(one["verdict"] == word for one in findings) for word in WORDS}
        for word, count in counts.items():
            totals[word] += count
        ends = [one["property"].split()[-1] for one in findings
                if one["property"].startswith("terminates") and one["verdict"] == "proved"]
        table.line([
            game.stem, *counts.values(), named(findings, "turn-taking"),
            named(findings, "zero-sum"), ends[0] if ends else "?",
            f"{result['seconds']:.2f}", f"{result['peak_bytes'] / 1e6:.0f}",
        ])
    print(", ".join(f"{count} {word}" for word, count in totals.items()))


def measure(binary, folder, tables, only, seconds, all_seconds, results):
    """Prints the tables that are asked for, and adds to the results."""
    if "figure3" in tables:
        figure_3(binary, folder, only, seconds, results)
    if "games" in tables:
        every_game(binary, folder, only, all_seconds, results)
