"""Answers as values: strategies, sets, frames, and the exceptions where there is none. Also for mypy (``scripts/check-python``)."""

import pickle
import unittest
import warnings
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import sqasp

GAMES = Path(__file__).resolve().parents[2] / "games"


def load(name: str) -> sqasp.Game:
    return sqasp.Game.load(GAMES / name)


class Answers(unittest.TestCase):
    def test_strategies_are_followed_move_by_move(self) -> None:
        """Both sides keep to the strategy, and all moves of chance are averaged: this is the value."""

        def mean(state: sqasp.State, left: int) -> Fraction:
            if state.is_terminal or left == 0:
                return Fraction(state.goals()["xplayer"] == 100)
            move = answer.move_at(state, left)
            assert move is not None and answer.strategy is not None
            reply = answer.strategy.reply_at(state, move, left) or {}
            chances = state.legal("random")
            nexts = (state.play(xplayer=move, random=chance, **reply) for chance in chances)
            return sum((mean(each, left - 1) for each in nexts), Fraction(0)) / len(chances)

        for name, depth in (("stochastic_ttt.gdl", 9), ("stochastic_nim_5.gdl", 5)):
            game = load(name)
            answer = game.solve("xplayer" if "ttt" in name else game.players[0], depth=depth, strategy=True)
            assert answer.strategy is not None
            if "ttt" in name:
                self.assertEqual(mean(game.initial(), depth), answer.value)
            self.assertEqual(answer.details["strategy"]["player_positions"], len(answer.strategy))
            where = next(iter(answer.strategy))
            assert isinstance(where, sqasp.Position)
            self.assertEqual(str(answer.strategy), f"<Strategy of {answer.strategy.role}: {len(answer.strategy)} positions>")
            self.assertEqual(where.facts, game.initial().facts)
            self.assertEqual(list(answer.strategy[where]), [answer.move_at(game.initial())])
            self.assertIsNone(answer.move_at(game.state()))
            self.assertEqual(sqasp.Strategy(answer.strategy.json), answer.strategy)
            self.assertEqual(game.verify(answer.strategy).value, answer.value)
        with self.assertRaisesRegex(sqasp.QuestionError, "reply_at"):
            answer.mixture_of_opponents_at(game.initial())
        with self.assertRaisesRegex(sqasp.QuestionError, "more positions than were allowed"):
            game.solve(depth=5, strategy=1).move_at(game.initial())
        # Where time runs out, the best move may depend on the steps left.
        rules = """(role x) (init on) (legal x short) (legal x long) (<= (next won) (does x short) (does random 1))
            (role random) (legal random 1) (legal random 2) (init (left 2)) (<= (next (left 1)) (true (left 2)) (does x long))
            (<= (next (left 1)) (true (left 1)) (does x short)) (<= (next won) (true (left 1)) (does x long))
            (<= terminal (true won)) (<= (goal x 100) (true won)) (<= (goal x 0) (not (true won)))
            (<= (next (left 2)) (true (left 2)) (does x short))"""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            game = sqasp.Game.loads(rules)
        answer = game.solve(depth=3, strategy=True)
        moves = {left: answer.move_at(game.initial(), left) for left in (1, 2, 3)}
        self.assertEqual(moves[3], "long")
        with self.assertRaisesRegex(sqasp.GameError, "this is no strategy"):
            sqasp.Strategy("{}")

    def test_answers_are_members_of_sets(self) -> None:
        game = load("monty_hall.gdl")
        written = game.solve(strategy=True).strategy or ""
        asked: list[Callable[[], object]] = [
            lambda: game.solve(moves=True, strategy=True),
            lambda: game.solve(moves=True, strategy=True).strategy,
            lambda: game.curve(range(0, 5)),
            lambda: game.prove("legal-nonempty")[0],
            lambda: load("buttons_and_lights.gdl").plan(),
            lambda: game.verify(written),
            lambda: sqasp.solve_game(0, lambda _: 1),
        ]
        for number, ask in enumerate(asked):
            with self.subTest(number):
                one, other = ask(), ask()
                self.assertEqual(one, other)
                self.assertEqual(len({one, other, pickle.loads(pickle.dumps(one))}), 1)
        different = {game.solve(), game.solve(depth=4), game.solve(strategy=True), load("figure_1.gdl").solve()}
        self.assertEqual(len(different), 4)

    def test_misspelt_options_are_refused(self) -> None:
        """By mypy, too: to it an ignored error that is none is an error (``scripts/check-python``)."""
        game = load("figure_1.gdl")
        with self.assertRaises(TypeError):
            game.solve(dpeth=3)  # type: ignore[call-arg]
        with self.assertRaises(TypeError):
            game.moves(dpeth=3)  # type: ignore[call-arg]
        with self.assertRaises(TypeError):
            game.initial().moves("xplayer", dpeth=3)  # type: ignore[call-arg]
        self.assertEqual(game.moves(depth=1, engine="emm", time=60)[0].value, Fraction(2, 3))

    def test_answers_are_frames(self) -> None:
        try:
            import pandas
        except ImportError:
            with self.assertRaisesRegex(ImportError, "pip install pandas"):
                load("figure_1.gdl").solve().to_frame()
            self.skipTest("FRAMES ARE NOT TESTED: pandas is not installed")
        game = load("figure_1.gdl")
        answer = game.solve(moves=True, strategy=True)
        found = answer.to_frame()
        self.assertIsInstance(found, pandas.DataFrame)
        self.assertEqual(list(found.columns), ["move", "value", "lower", "upper", "best"])
        self.assertEqual(list(found["move"]), ["(bet left)", "(bet right)"])
        self.assertEqual(list(game.solve().to_frame()["value"]), [Fraction(2, 3)])
        assert answer.strategy is not None
        rows = answer.strategy.to_frame().to_dict("records")
        self.assertEqual(rows, [{"state": "unspun", "depth": rows[0]["depth"], "move": "(bet left)", "probability": 1}])
        self.assertEqual(list(game.curve(range(0, 2)).to_frame()["value"]), [0, Fraction(2, 3)])
        hidden = load("hidden_kuhn_poker.gdl").solve(objective="points", strategy=True).strategy
        assert hidden is not None
        self.assertIn("noop [queen]", list(hidden.to_frame()["information"]))

    def test_points_are_numbers_of_any_sign(self) -> None:
        """Whole points are an ``int``, others a ``Fraction``."""
        wheel = sqasp.Game.loads(
            "(role ann) (role random) (init start) (prize -3) (prize 1/2) (legal ann spin) (<= (legal random (stop ?n)) (prize ?n))"
            "(<= (next (won ?n)) (does random (stop ?n))) (<= terminal (true (won ?n))) (<= (goal ann ?n) (true (won ?n)))"
        )
        self.assertEqual(wheel.solve(objective="points").value, Fraction(-5, 4))
        for move, points in [("(stop -3)", -3), ("(stop 1/2)", Fraction(1, 2))]:
            self.assertEqual(wheel.initial().play(random=move).goals(), {"ann": points, "random": None})

    def test_exceptions_keep_one_rule(self) -> None:
        """The rule of ``docs/how-to/python.md``."""
        game = load("figure_1.gdl")
        start = game.initial()
        of_another = load("monty_hall.gdl").solve(strategy=True).strategy or ""
        arguments: list[Callable[[], object]] = [
            lambda: game.solve("nobody"),
            lambda: game.solve(objective="fun"),
            lambda: game.solve(engine="none"),
            lambda: game.solve(start=["(cell"]),
            lambda: game.solve(start=["(nothing of the kind)"]),
            lambda: game.solve(opponents="clever"),
            lambda: game.curve(range(3, 1)),
            lambda: game.export("nowhere", "nothing"),
            lambda: game.export("nowhere", fix="both"),
            lambda: game.prove("beautiful"),
            lambda: game.translate("nothing", depth=1),
            lambda: game.with_team("ann+carl"),
            lambda: game.plan(),
            lambda: game.state("(cell"),
            lambda: start.legal("nobody"),
            lambda: start.play("noop"),
            lambda: start.information("xplayer"),
            lambda: sqasp.Evaluator(game, "fun"),
            lambda: sqasp.Evaluator(game).value(start, "nobody"),
            lambda: sqasp.solve_game(0, lambda _: 2),
            lambda: sqasp.Game.load(GAMES / "figure_1.gdl", set={"target": 3}),
        ]
        texts: list[Callable[[], object]] = [
            lambda: sqasp.Game.loads("(role x)"),
            lambda: sqasp.solve_formula("no formula"),
            lambda: sqasp.solve_program("a b"),
            lambda: sqasp.solve_model(b"no model"),
            lambda: game.verify("no strategy"),
            lambda: game.verify(of_another),
            lambda: game.export("nowhere", strategy="no strategy"),
            lambda: game.solve(opponents='{"format": "nothing"}'),
            lambda: sqasp.Table(GAMES),
        ]
        limits: list[Callable[[], object]] = [
            lambda: game.export("nowhere", states=1),
            lambda: sqasp.solve_game(0, lambda n: ("max", {"up": n + 1}), states=10),
        ]
        for kind, asked in ((sqasp.QuestionError, arguments), (sqasp.GameError, texts), (sqasp.SqaspError, limits)):
            for number, ask in enumerate(asked):
                with self.subTest(f"{kind.__name__} {number}"):
                    with self.assertRaises(sqasp.SqaspError) as caught:
                        ask()
                    self.assertIs(type(caught.exception), kind, caught.exception)
        self.assertTrue(issubclass(sqasp.QuestionError, ValueError))


if __name__ == "__main__":
    unittest.main()
