"""Formulas with known values: of the games in rows.toml and of the families in families.toml.

Every formula is made once, by the program that is measured or by the example `family` of the crate
`generators`; all solvers get the very same file.
"""

import dataclasses
import re
import shlex
import subprocess
import sys
import tomllib
from fractions import Fraction
from pathlib import Path

from . import process
from .process import ROOT

HERE = Path(__file__).resolve().parent

# Problems whose own solution takes longer than this are checked by agreement of the solvers.
VALUE_LIMIT = 60


@dataclasses.dataclass
class Instance:
    """One formula, or one question about a game that no formula was made of yet."""

    name: str
    group: str  # the family, or "games"
    prefix: str  # "dep" or "base"; empty where there is only one, or none
    file: Path | None
    qdimacs: Path | None  # the same formula for solvers without chance, if it has none
    expected: Fraction | None
    size: dict | None
    question: list[str]  # what `sqasp solve` is asked for the same value; empty for families


class CannotMake(Exception):
    """A formula could not be made."""


def formula_size(path):
    """Variables and clauses, from the header line."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("p cnf "):
                variables, clauses = line.split()[2:4]
                return {
                    "variables": int(variables),
                    "clauses": int(clauses),
                    "bytes": path.stat().st_size,
                }
    return None


def load(name, key):
    """The entries of a file in this folder."""
    with open(HERE / name, "rb") as file:
        return tomllib.load(file)[key]


def matches(pattern, name):
    """Whether a regular expression occurs in a name, in any case of letters."""
    return re.search(pattern, name, re.IGNORECASE) is not None


def game_questions(pattern, scratch):
    """The games whose name matches, one after the other: what `sqasp solve` is to be asked."""
    for row, (game, horizon, *values) in load("rows.toml", "row").items():
        for player, role, value in zip(("first", "second"), ("xplayer", "oplayer"), values):
            name = f"{row} {player}"
            if not matches(pattern, name):
                continue
            if isinstance(game, int):
                question = ["games/stochastic_nim_10.gdl", "--set", f"stones={game}"]
            else:
                file = scratch / (re.sub(r"[^A-Za-z0-9-]+", "-", name) + ".gdl")
                options = shlex.split(game.format(player=player))
                make(file, [sys.executable, ROOT / "scripts/board-game", *options])
                question = [str(file)]
            question += ["--role", role, "--depth", str(horizon)]
            yield Instance(name, "games", "", None, None, Fraction(value), None, question)


def game_instances(binary, pattern, prefixes, scratch):
    """The formulas of the games whose name matches, one after the other."""
    for asked in game_questions(pattern, scratch):
        for prefix in prefixes:
            file = scratch / f"{prefix}.sdimacs"
            question = [*asked.question, "--quant", prefix]
            make(file, [binary, "translate", *question, "--to", "sdimacs"])
            yield dataclasses.replace(
                asked, prefix=prefix, file=file, size=formula_size(file), question=question
            )
            file.unlink()


def family_instances(pattern, scratch):
    """The formulas of the families whose problem, or whose own name, matches."""
    family_program = ["cargo", "run", "--quiet", "--release", "-p", "sqasp-generators"]
    family_program += ["--example", "family", "--"]
    for family, problems in load("families.toml", "family").items():
        for problem in problems:
            if not matches(pattern, problem) and not matches(pattern, family):
                continue
            words = problem.split()
            stem = re.sub(r"[^A-Za-z0-9-]+", "-", problem)
            file = scratch / f"{stem}.sdimacs"
            make(file, [*family_program, *words])
            expected = None
            if not family.startswith("random"):
                known = process.run([*family_program, "--value", *words], VALUE_LIMIT)
                expected = Fraction(known.output.strip()) if known.code == 0 else None
            qdimacs = None
            if not has_chance(file):
                qdimacs = file.with_suffix(".qdimacs")
                make(qdimacs, [*family_program, "--qdimacs", *words])
            size = formula_size(file)
            yield Instance(problem, family, "", file, qdimacs, expected, size, [])
            file.unlink()


def file_instances(folder, pattern):
    """The formulas in a folder, and in those below, whose path matches."""
    for file in sorted(folder.rglob("*.sdimacs")):
        path = file.relative_to(folder)
        if matches(pattern, str(path)):
            group = path.parent.name or folder.name
            yield Instance(str(path), group, "file", file, None, None, formula_size(file), [])


def make(file, command):
    """Writes what a command prints to a file."""
    words = [str(word) for word in command]
    try:
        with open(file, "wb") as to:
            subprocess.run(words, cwd=ROOT, stdout=to, stderr=subprocess.PIPE, check=True)
    except OSError as error:
        raise CannotMake(f"{words[0]} cannot be run: {error}") from error
    except subprocess.CalledProcessError as error:
        message = error.stderr.decode(errors="replace").strip()
        raise CannotMake(f"`{shlex.join(words)}` failed: {message}") from error


def has_chance(file):
    """Whether the prefix of a formula has an `r` line."""
    with open(file, encoding="utf-8") as lines:
        return any(line.startswith("r ") for line in lines)
