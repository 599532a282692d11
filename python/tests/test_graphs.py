"""Games as functions, models of other programs, and exports."""

import random
from fractions import Fraction
from pathlib import Path

import pytest

import sqasp

GAMES = Path(__file__).resolve().parents[2] / "games"


def load(name: str) -> sqasp.Game:
    return sqasp.Game.load(GAMES / name)


def test_a_game_as_functions_is_worth_what_its_rules_are() -> None:
    game = load("stochastic_nim_5.gdl")
    role = game.players[0]

    def moves(state):
        """A state, and the moves that are made in it by the role and by all players."""
        position, made = state
        if position.is_terminal:
            return int(position.goals()[role] == 100)
        legal = {name: position.legal(name) for name in game.roles}
        for name in (role, *(name for name in game.players if name != role)):
            if name not in dict(made):
                return "max" if name == role else "min", {m: (position, (*made, (name, m))) for m in legal[name]}
        after = {}
        for move in legal["random"]:
            joint = {**dict(made), "random": move}
            target = (position.play(*(joint[name] for name in game.roles)), ())
            after[target] = after.get(target, 0) + Fraction(1, len(legal["random"]))
        return "max", {"step": after}

    solution = sqasp.solve_game((game.initial(), ()), moves)
    assert solution.value == game.solve(role).value
    # A step of the rules is three of the functions.
    assert sqasp.solve_game((game.initial(), ()), moves, depth=6).value == game.solve(role, depth=2).value


def test_bad_functions_are_named() -> None:
    for said, problem in [
        (0.5, "float"),
        (2, "between 0 and 1"),
        (("both", {"a": 1}), "'both'"),
        (("max", {}), "no choices"),
        (("max", {"a": {1: Fraction(1, 3)}}), "sum up to 1/3"),
        (("max", {"a": {1: 0.5, 2: 0.5}}), "float"),
    ]:
        with pytest.raises(sqasp.SqaspError, match=problem):
            sqasp.solve_game(0, lambda state, said=said: said)
    with pytest.raises(sqasp.SqaspError, match="more than 10 states"):
        sqasp.solve_game(0, lambda n: ("max", {"up": n + 1}), states=10)


def test_exports_are_read_back(tmp_path: Path) -> None:
    game = load("stochastic_ttt.gdl")
    file = tmp_path / "game.umb"
    exported = game.export(file)
    assert exported.states == 18754
    model = sqasp.solve_model(file)
    assert model.value == Fraction(164832, 390625)
    assert model.details["states"] == 18754
    fixed = game.export(file, fix="opponents")
    assert fixed.value == Fraction(164832, 390625)
    assert sqasp.solve_model(file.read_bytes(), "win").value == fixed.value
    strategy = game.solve(depth=9, strategy=True).strategy
    game.export(file, depth=9, fix="role", strategy=strategy)
    assert sqasp.solve_model(file, players=[]).value == fixed.value
    with pytest.raises(sqasp.SqaspError, match="no label"):
        sqasp.solve_model(file, "lose")
    with pytest.raises(sqasp.SqaspError, match="more than 100 states"):
        game.export(file, states=100)
    with pytest.raises(sqasp.SqaspError, match="no UMB file"):
        sqasp.solve_model(b"nothing of the kind")


def test_models_of_storm_are_solved(tmp_path: Path) -> None:
    """Models in Storm's language, written by Storm, solved by us and by Storm; with and without a step limit.

    stormpy 2.0 writes decimal numbers only, which are read as the simplest fractions.
    """
    stormpy = pytest.importorskip("stormpy", reason="STORM CHECKS NOTHING: stormpy is not installed")
    import stormpy.io

    decimals = stormpy.io.UmbExportOptions()
    decimals.value_type = stormpy.io.UmbExportValueType.DOUBLE
    rng = random.Random(16)
    reinterpreted = 0
    for number in range(12):
        states = rng.randint(3, 12)
        lines = []
        for state in range(states - 2):
            for _ in range(rng.randint(1, 3)):
                weights = {rng.randrange(states): rng.randint(1, 5) for _ in range(rng.randint(1, 3))}
                total = sum(weights.values())
                ways = " + ".join(f"{weight}/{total}:(s'={target})" for target, weight in weights.items())
                lines.append(f"  [] s={state} -> {ways};")
        lines += [f"  [] s>={states - 2} -> (s'=s);"]
        text = f"mdp\nmodule m\n  s : [0..{states - 1}] init 0;\n" + "\n".join(lines)
        text += f'\nendmodule\nlabel "goal" = s={states - 1};\n'
        source = tmp_path / f"{number}.prism"
        source.write_text(text)
        program = stormpy.parse_prism_program(str(source))
        model = stormpy.build_model[stormpy.Rational](program)
        file = tmp_path / f"{number}.umb"
        stormpy.io.export_to_umb(model, str(file), options=decimals)
        for formula, depth in [('Pmax=? [F "goal"]', None), ('Pmax=? [F<=4 "goal"]', 4)]:
            result = stormpy.model_checking(model, stormpy.parse_properties(formula)[0])
            expected = Fraction(str(result.get_value(model.initial_states[0])))
            found = sqasp.solve_model(file, "goal", depth=depth)
            assert found.value == expected, text
            # Halves and quarters are what they are; other chances were written as decimal numbers.
            reinterpreted += bool(found.details.get("decimals"))
    assert 0 < reinterpreted < 24

