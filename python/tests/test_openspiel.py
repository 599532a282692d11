"""OpenSpiel plays games of sqasp, and its algorithms find the same values."""

from fractions import Fraction
from pathlib import Path

import pytest

import sqasp

pyspiel = pytest.importorskip("pyspiel", reason="OPENSPIEL CHECKS NOTHING: open_spiel is not installed")
pytest.importorskip("cvxpy", reason="OPENSPIEL CHECKS NOTHING: cvxpy, which its value iteration needs, is not installed")
from open_spiel.python.algorithms import exploitability, expected_game_score, lp_solver, minimax, sequence_form_lp, value_iteration  # noqa: E402

from open_spiel.python import policy  # noqa: E402

import sqasp.openspiel  # noqa: E402

GAMES = Path(__file__).resolve().parents[2] / "games"

# The solver that OpenSpiel takes by default for matrix games, ECOS, does not come with cvxpy.
lp_solver.LinearProgram.solve.__defaults__ = ("CLARABEL", {"solver": "CLARABEL"})


@pytest.mark.parametrize(
    "name",
    ["figure_1", "tic_tac_toe", "stochastic_ttt", "stochastic_nim_5", "monty_hall", "duel", "endless_pig", "coins"],
)
def test_openspiels_own_checks_pass(name: str) -> None:
    game = sqasp.openspiel.load_game(GAMES / f"{name}.gdl", depth=60 if name.startswith("endless") else None)
    pyspiel.random_sim_test(game, num_sims=10, serialize=False, verbose=False)


@pytest.mark.parametrize("name, depth", [("figure_1", None), ("stochastic_nim_5", None), ("monty_hall", None), ("endless_ruin", 6)])
def test_expectiminimax_finds_our_values(name: str, depth: int | None) -> None:
    rules = sqasp.Game.load(GAMES / f"{name}.gdl")
    for role in rules.players:
        game = sqasp.openspiel.load_game(rules, role, objective="win", depth=depth)
        player = rules.players.index(role)
        found, _ = minimax.expectiminimax(game.new_initial_state(), 1000, lambda state: 0.0, player)
        value = rules.solve(role, depth=depth).value
        assert value is not None
        assert found == pytest.approx(float(value), abs=1e-12)


@pytest.mark.parametrize(
    "name, mixed",
    [
        ("figure_1", False),
        ("stochastic_nim_5", False),
        ("gambler", False),
        ("rock_paper_scissors", True),
        ("unequal_pennies", True),
        ("goofspiel_3", True),
    ],
)
def test_value_iteration_finds_our_values(name: str, mixed: bool) -> None:
    rules = sqasp.Game.load(GAMES / f"{name}.gdl")
    role = rules.players[0]
    game = sqasp.openspiel.load_game(rules, role, objective="win")
    values = value_iteration.value_iteration(game, depth_limit=-1, threshold=1e-10)
    start = game.new_initial_state()
    # It keeps no values of chance nodes.
    starts = [(start.child(action), chance) for action, chance in start.chance_outcomes()] if start.is_chance_node() else [(start, 1.0)]
    found = sum(chance * values[str(state)] for state, chance in starts)
    value = rules.solve(role, mixed=mixed).value
    assert value is not None
    assert found == pytest.approx(float(value), abs=1e-6)


@pytest.mark.parametrize("name, objective", [("hidden_kuhn_poker", "points"), ("hidden_pennies", "points"), ("hidden_nim", "win")])
def test_openspiel_finds_nothing_better_than_our_strategies(name: str, objective: str) -> None:
    rules = sqasp.Game.load(GAMES / f"{name}.gdl")
    for role in rules.players:
        game = sqasp.openspiel.load_game(rules, role, objective=objective)
        kind = game.get_type()
        assert kind.information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
        assert kind.provides_information_state_string
        pyspiel.random_sim_test(game, num_sims=10, serialize=False, verbose=False)
        answer = rules.solve(role, objective=objective, strategy=True)
        ours = sqasp.openspiel.SpielPolicy(game, answer)
        assert exploitability.nash_conv(game, ours) == pytest.approx(0, abs=1e-9)
        assert answer.value is not None
        score = expected_game_score.policy_value(game.new_initial_state(), [ours, ours])
        assert score[game.asked] == pytest.approx(float(answer.value), abs=1e-9)
        # Another mixture can be exploited.
        uniform = policy.UniformRandomPolicy(game)
        assert exploitability.nash_conv(game, uniform) > 0.01


def test_openspiels_solvers_find_our_value_of_hidden_information() -> None:
    """They take the tree from our information states alone, also in C++."""
    rules = sqasp.Game.load(GAMES / "hidden_kuhn_poker.gdl")
    game = sqasp.openspiel.load_game(rules)
    found = sequence_form_lp.solve_zero_sum_game(game, solver="CLARABEL")[0]
    value = rules.solve(objective="points").value
    assert value is not None
    assert found == pytest.approx(float(value), abs=1e-6)
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(100):
        solver.evaluate_and_update_policy()
    found, _ = pyspiel.expected_returns(game.new_initial_state(), solver.average_policy(), -1, True)
    assert found == pytest.approx(float(value), abs=1e-2)


def test_bad_requests_are_refused() -> None:
    with pytest.raises(sqasp.SqaspError, match="hidden information"):
        game = sqasp.openspiel.load_game(GAMES / "figure_1.gdl")
        sqasp.openspiel.SpielPolicy(game, game.game.solve(strategy=True))
    with pytest.raises(sqasp.SqaspError, match="not a role of this game"):
        sqasp.openspiel.load_game(GAMES / "figure_1.gdl", "nobody")
    with pytest.raises(sqasp.SqaspError, match="no objective"):
        sqasp.openspiel.load_game(GAMES / "figure_1.gdl", objective="fun")


def test_the_game_is_registered() -> None:
    file = GAMES / "hidden_kuhn_poker.gdl"
    game = pyspiel.load_game(f"python_sqasp(file={file},role=bob)")
    # Points are what a player gets by default.
    assert game.max_utility() == 100
    assert game.game.players[game.asked] == "bob"
    again = pyspiel.load_game(str(game))
    assert (again.game.name, again.asked, again.objective) == ("hidden_kuhn_poker", game.asked, "points")
    same = sqasp.openspiel.load_game(file, "bob")
    assert str(same) == str(game)
    cut = pyspiel.load_game("python_sqasp", {"file": str(GAMES / "endless_pig.gdl"), "objective": "goal>=100", "depth": 3})
    assert (cut.max_game_length(), cut.max_utility()) == (3, 1)
    with pytest.raises(pyspiel.SpielError, match="flie"):
        pyspiel.load_game("python_sqasp(flie=nothing)")
    with pytest.raises(sqasp.QuestionError, match="no file of rules"):
        pyspiel.load_game("python_sqasp")


def test_what_a_player_gets() -> None:
    game = sqasp.openspiel.load_game(GAMES / "figure_1.gdl", objective="score")
    state = game.new_initial_state()
    assert state.current_player() == 0
    assert [state.action_to_string(0, action) for action in state.legal_actions()] == ["(bet left)", "(bet right)"]
    state.apply_action(0)
    assert state.is_chance_node()
    assert Fraction(sum(chance for _, chance in state.chance_outcomes())).limit_denominator(1000) == 1
