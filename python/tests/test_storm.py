"""Storm, which shares nothing with sqasp, finds the same fractions: each side fixed in turn."""

from fractions import Fraction
from pathlib import Path

import pytest

import sqasp

pytest.importorskip("stormpy", reason="STORM CHECKS NOTHING: stormpy is not installed")
tomllib = pytest.importorskip("tomllib", reason="STORM CHECKS NOTHING: this needs Python 3.11")

import sqasp.storm  # noqa: E402

GAMES = Path(__file__).resolve().parents[2] / "games"
MAX_STATES = 100_000
ENTRIES = [entry for entry in tomllib.loads((GAMES / "expect.toml").read_text())["entry"] if "start" not in entry]


# Storm's elimination may take very long for values with longer fractions: these are compared in floating point.
MAX_DIGITS = 100
LONG = {entry["file"] for entry in ENTRIES if len(entry["value"]) > MAX_DIGITS}


def load(name: str) -> sqasp.Game:
    return sqasp.Game.load(GAMES / name, assume_perfect_information=True)


def checked(name: str, **question) -> tuple[Fraction, Fraction]:
    """What Storm says of both sides."""
    if name in LONG:
        question["decimals"] = True
    try:
        return sqasp.storm.check(load(name), states=MAX_STATES, **question)
    except sqasp.SqaspError as error:
        if "more than" in str(error):
            pytest.skip(f"more than {MAX_STATES} states")
        if "goals are below 0" in str(error):
            pytest.skip("a UMB file has rewards from 0")
        raise


def agree(name: str, found: tuple[Fraction, Fraction], value: Fraction) -> bool:
    """Whether both sides are worth this."""
    most = Fraction(1, 10**5) if name in LONG else 0
    return all(abs(side - value) <= most for side in found)


@pytest.mark.parametrize(
    "entry", ENTRIES, ids=lambda it: f"{it['file']} {it['role']} {it.get('depth')} {it.get('objective', 'win')}"
)
def test_storm_agrees_on_known_values(entry: dict) -> None:
    question = {"role": entry["role"], "depth": entry.get("depth"), "objective": entry.get("objective", "win")}
    value = Fraction(entry["value"])
    assert agree(entry["file"], checked(entry["file"], **question), value)


@pytest.mark.parametrize("path", sorted(GAMES.glob("*.gdl")), ids=lambda it: it.name)
def test_storm_agrees_without_a_step_limit(path: Path) -> None:
    found = checked(path.name)
    value = load(path.name).solve(time=60).value
    assert value is not None
    assert agree(path.name, found, value)


def test_models_carry_facts_and_moves() -> None:
    model = sqasp.storm.model(load("figure_1.gdl"), valuations=True)
    assert (model.nr_states, model.nr_choices) == (4, 5)
    assert model.choice_labeling.get_labels() >= {"(bet left)", "(bet right)", "end"}
    assert model.labeling.get_labels() >= {"init", "win", "terminal"}


@pytest.mark.parametrize("name", ["figure_1", "stochastic_ttt", "duel", "stochastic_nim_5", "endless_ur", "endless_pig"])
def test_paynt_agrees_on_games_themselves(name: str, tmp_path: Path) -> None:
    """PAYNT's checker takes both players at once. It computes in floating point, and stops when a round changes less than 10^-6."""
    payntbind = pytest.importorskip("payntbind", reason="PAYNT CHECKS NOTHING: paynt is not installed")
    import stormpy.environments
    import stormpy.io

    game = load(f"{name}.gdl")
    options = stormpy.io.UmbImportOptions()
    options.value_type = stormpy.io.UmbImportValueType.DOUBLE
    options.build_state_valuations = False
    game.export(tmp_path / "game.umb")
    model = stormpy.build_model_from_umb(tmp_path / "game.umb", options=options)
    environment = stormpy.environments.default(model)
    question = stormpy.parse_properties(f'<<{game.players[0]}>> Pmax=? [F "win"]')[0].get_raw_formula()
    result = payntbind.synthesis.model_check_smg(model, question, env=environment)
    value = game.solve().value
    assert value is not None
    assert result.get_value(model.initial_states[0]) == pytest.approx(float(value), abs=1e-5 if name.startswith("endless") else 1e-6)
