"""Files for other programs, read by them: PRISM-games, Gambit and Graphviz. Storm has tests of its own."""

import re
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

import sqasp

GAMES = Path(__file__).resolve().parents[2] / "games"


@pytest.mark.parametrize(
    ("name", "depth"),
    [
        ("figure_1", None),
        ("last_stone", None),
        ("duel", None),
        ("stochastic_nim_5", 5),
        ("frog_race", 3),
        ("endless_pig", 4),
        ("endless_standoff", 5),
        ("endless_ur_ending", 3),
    ],
)
def test_gambit_agrees(name: str, depth: int | None, tmp_path: Path) -> None:
    """Gambit solves the linear program of the sequence form, in exact numbers: small trees only."""
    pygambit = pytest.importorskip("pygambit", reason="GAMBIT CHECKS NOTHING: pygambit is not installed")
    game = sqasp.Game.load(GAMES / f"{name}.gdl")
    game.export(tmp_path / "game.efg", to="efg", depth=depth)
    tree = pygambit.read_efg(tmp_path / "game.efg")
    solution = pygambit.nash.lp_solve(tree)
    role, opponents = tree.players
    value = game.solve(depth=depth).value
    assert value is not None
    assert role == game.players[0]
    payoffs = solution.equilibrium.payoffs
    assert Fraction(str(payoffs[role])) == value
    assert Fraction(str(payoffs[opponents])) == -value


@pytest.mark.parametrize("name", ["figure_1", "duel", "monty_hall", "last_stone", "three_rolls"])
def test_graphviz_draws(name: str, tmp_path: Path) -> None:
    program = shutil.which("dot")
    if program is None:
        pytest.skip("GRAPHVIZ DRAWS NOTHING: dot is not installed")
    game = sqasp.Game.load(GAMES / f"{name}.gdl")
    states = game.export(tmp_path / "game.dot", to="dot").states
    drawn = subprocess.run([program, "-Tsvg", tmp_path / "game.dot"], capture_output=True, text=True, check=True)
    assert drawn.stderr == ""
    # The state after the end is not drawn.
    assert drawn.stdout.count('class="node"') >= states - 1


@pytest.mark.parametrize("name", ["figure_1", "duel", "stochastic_ttt", "monty_hall", "endless_pig", "endless_ur_ending"])
def test_prism_agrees(name: str, tmp_path: Path) -> None:
    """PRISM-games takes both players at once, in floating point. It stops when a round changes little."""
    program = shutil.which("prism")
    if program is None:
        pytest.skip("PRISM CHECKS NOTHING: PRISM-games is not on the PATH")
    game = sqasp.Game.load(GAMES / f"{name}.gdl")
    game.export(tmp_path / "game.umb", decimals=True)
    coalition = f"<<{game.players[0]}>>" if len(game.players) > 1 else ""
    question = f'{coalition} Pmax=? [F "win"]'
    said = subprocess.run(
        [program, "-importmodel", "game.umb", "-pf", question], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    found = re.search(r"^Result: ([0-9.E-]+)", said, re.MULTILINE)
    value = game.solve().value
    assert found and value is not None, said
    assert float(found[1]) == pytest.approx(float(value), abs=1e-5)
