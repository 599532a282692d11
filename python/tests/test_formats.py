"""Files for other programs, read by them: PRISM-games, Gambit and Graphviz. Storm has tests of its own."""

import itertools
import random
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


def gambit_value(file: Path) -> Fraction:
    """What the first player of a tree with information sets can guarantee, by Gambit."""
    pygambit = pytest.importorskip("pygambit", reason="GAMBIT CHECKS NOTHING: pygambit is not installed")
    text = file.read_text()
    if re.match(r'EFG 2 R "\S+" \{ "\S+" \}', text):
        # A player without a choice takes the role of the opponents.
        text = re.sub(r"(?<=\A)(.*) \}", r'\1 "nobody" }', text)
        text = re.sub(r"(?m)^(t .*) \{ (\S+) \}$", r"\1 { \2, -\2 }", text)
        file.write_text(text)
    tree = pygambit.read_efg(file)
    role, opponents = tree.players
    payoffs = pygambit.nash.lp_solve(tree).equilibrium.payoffs
    value = Fraction(str(payoffs[role]))
    assert Fraction(str(payoffs[opponents])) == -value
    return value


@pytest.mark.parametrize(
    ("name", "objective", "depth"),
    [
        ("hidden_kuhn_poker", "points", None),
        ("hidden_pennies", "points", None),
        ("hidden_nim", "win", None),
        ("hidden_monty_hall", "win", None),
        ("hidden_tiger", "points", 3),
    ],
)
def test_gambit_agrees_on_hidden_information(name: str, objective: str, depth: int | None, tmp_path: Path) -> None:
    game = sqasp.Game.load(GAMES / f"{name}.gdl")
    for role in game.players:
        game.export(tmp_path / "game.efg", to="efg", role=role, objective=objective, depth=depth)
        assert gambit_value(tmp_path / "game.efg") == game.solve(role, objective=objective, depth=depth).value


@pytest.mark.parametrize("name", ["rock_paper_scissors", "unequal_pennies", "endless_rock_paper_scissors", "endless_standoff"])
def test_gambit_agrees_on_moves_at_the_same_time(name: str, tmp_path: Path) -> None:
    game = sqasp.Game.load(GAMES / f"{name}.gdl")
    for objective in "win", "points":
        game.export(tmp_path / "game.efg", to="efg", objective=objective, depth=2, mixed=True)
        assert gambit_value(tmp_path / "game.efg") == game.solve(objective=objective, depth=2, mixed=True).value


def random_hidden_game(rng: random.Random) -> str:
    """A game of two steps or three, with moves at the same time, in which each role sees a part at random."""
    roles = ["ann", "bob", "random"]
    steps, places = rng.randint(2, 3), range(4)
    lines = [f"(role {role})" for role in roles] + ["(init (at 0 0))"]
    for step in range(steps):
        counts = [rng.randint(1, most) for most in ((3, 3, 2) if steps == 2 else (2, 2, 2))]
        for role, count in zip(roles, counts):
            lines += [f"(may {role} {step} {move})" for move in range(count)]
        for place, *made in itertools.product(places, *map(range, counts)):
            joint = " ".join(map(str, made))
            lines.append(f"(arc {step} {place} {joint} {step + 1} {rng.choice(places)})")
            lines += [f"(shows {step} {place} {joint} {role} {rng.randint(0, 1)})" for role in roles[:2] if rng.random() < 0.7]
    for place in places:
        lines += [f"(pays {role} {place} {rng.randint(0, 10)})" for role in roles[:2]]
    made = "(true (at ?s ?p)) (does ann ?a) (does bob ?b) (does random ?c)"
    return "\n".join(
        [
            *lines,
            "(<= (legal ?r ?m) (true (at ?s ?p)) (may ?r ?s ?m))",
            f"(<= (next (at ?t ?q)) {made} (arc ?s ?p ?a ?b ?c ?t ?q))",
            f"(<= (sees ?r ?w) {made} (shows ?s ?p ?a ?b ?c ?r ?w))",
            f"(<= terminal (true (at {steps} ?p)))",
            f"(<= (goal ?r ?n) (true (at {steps} ?p)) (pays ?r ?p ?n))",
            f"(<= (goal ?r 0) (role ?r) (true (at ?s ?p)) (distinct ?s {steps}))",
        ]
    )


def test_gambit_agrees_on_random_games_of_hidden_information(tmp_path: Path) -> None:
    rng = random.Random(7)
    sets = set()
    for _ in range(60):
        game = sqasp.Game.loads(random_hidden_game(rng))
        for role in game.players:
            game.export(tmp_path / "game.efg", to="efg", role=role, objective="points")
            assert gambit_value(tmp_path / "game.efg") == game.solve(role, objective="points").value, game
            nodes = re.findall(r"^p .*$", (tmp_path / "game.efg").read_text(), re.MULTILINE)
            sets.add(len(nodes) > len(set(nodes)))
    # Most trees have information sets of several nodes.
    assert True in sets


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
    game.export(tmp_path / "game.umb", "umb-decimals")
    coalition = f"<<{game.players[0]}>>" if len(game.players) > 1 else ""
    question = f'{coalition} Pmax=? [F "win"]'
    said = subprocess.run(
        [program, "-importmodel", "game.umb", "-pf", question], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    found = re.search(r"^Result: ([0-9.E-]+)", said, re.MULTILINE)
    value = game.solve().value
    assert found and value is not None, said
    assert float(found[1]) == pytest.approx(float(value), abs=1e-5)
