"""What Python sees of sqasp. Run by ``scripts/check-python``."""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from fractions import Fraction
from pathlib import Path

import sqasp

GAMES = Path(__file__).resolve().parents[2] / "games"


def load(name: str) -> sqasp.Game:
    return sqasp.Game.load(GAMES / name)


class Games(unittest.TestCase):
    def test_values_are_fractions(self) -> None:
        game = load("stochastic_ttt.gdl")
        answer = game.solve("oplayer", depth=9)
        self.assertEqual(answer.value, Fraction(717621, 1953125))
        self.assertEqual(game.solve("oplayer", depth=9, engine="xssat").value, answer.value)
        self.assertIsNone(answer.stopped_by)

    def test_moves_and_curves(self) -> None:
        game = load("figure_1.gdl")
        moves = [(each.move, each.value, each.best) for each in game.moves()]
        self.assertEqual(moves, [("(bet left)", Fraction(2, 3), True), ("(bet right)", Fraction(1, 3), False)])
        drawn = game.solve(moves=True)._repr_html_()
        self.assertIn("<b><code>(bet left)</code></b></td><td>2/3 = 0.666667", drawn)
        self.assertEqual(game.curve(range(0, 2)), {0: Fraction(0), 1: Fraction(2, 3)})

    def test_states_are_values(self) -> None:
        game = load("tic_tac_toe.gdl")
        start = game.initial()
        after = start.play("(mark 2 2)", "noop")
        self.assertEqual(after, game.state(*after.facts))
        self.assertEqual(len({start, after, start.play("(mark 2 2)", "noop")}), 2)
        self.assertNotIn("(mark 2 2)", after.legal("oplayer"))
        self.assertIn("<table>", after._repr_html_())
        with self.assertRaisesRegex(sqasp.SqaspError, "not a legal move"):
            after.play("noop", "(mark 2 2)")

    def test_plays_end_with_goals(self) -> None:
        rng = random.Random(7)
        state = load("stochastic_ttt.gdl").initial()
        while not state.is_terminal:
            state = state.sample(rng)
        goals = state.goals()
        self.assertEqual(goals["xplayer"] + goals["oplayer"], 100)

    def test_an_evaluator_agrees_with_solve(self) -> None:
        game = load("stochastic_ttt.gdl")
        evaluator = sqasp.Evaluator(game)
        rng = random.Random(3)
        state, left = game.initial(), 9
        while not state.is_terminal:
            value = game.solve("xplayer", depth=left, start=state).value
            self.assertEqual(evaluator.value(state, "xplayer", left), value)
            self.assertEqual(evaluator.moves(state, "xplayer", left)[0].value, value)
            state, left = state.sample(rng), left - 1

    def test_strategies_prove_values(self) -> None:
        game = load("monty_hall.gdl")
        answer = game.solve(depth=4, strategy=True)
        assert answer.strategy is not None
        proof = game.verify(answer.strategy)
        self.assertTrue(proof)
        self.assertEqual(proof.value, answer.value)
        promise = f'"value":"{answer.value}"'
        assert promise in answer.strategy
        self.assertFalse(game.verify(answer.strategy.replace(promise, '"value":"1/7"', 1)))

    def test_plans_and_proofs(self) -> None:
        plan = load("buttons_and_lights.gdl").plan()
        self.assertEqual((plan.goal, plan.is_best, plan.is_shortest), (100, True, True))
        self.assertEqual(len(plan.moves or ()), 6)
        found = load("tic_tac_toe.gdl").prove("zero-sum", "terminates within 8", time=60)
        self.assertEqual([bool(each) for each in found], [True, False])

    def test_bad_rules_are_refused_with_all_that_is_wrong(self) -> None:
        with self.assertRaisesRegex(sqasp.GameError, "legal"):
            sqasp.Game.loads("(role x)")
        with self.assertRaises(OSError):
            sqasp.Game.load("there is no such file")
        with self.assertRaisesRegex(sqasp.SqaspError, "nobody"):
            load("figure_1.gdl").solve("nobody")

    def test_time_leads_to_bounds(self) -> None:
        answer = load("stochastic_ttt_4x4.gdl").solve(depth=16, time=0.2)
        self.assertEqual(answer.stopped_by, "time")
        self.assertIsNone(answer.value)
        self.assertLess(answer.lower, answer.upper)

    def test_ctrl_c_is_obeyed(self) -> None:
        # A game that takes much longer than this test.
        script = [sys.executable, GAMES.parent / "scripts/dice-game", "einstein", "--size", "5"]
        game = subprocess.run(script, capture_output=True, text=True, check=True).stdout
        with tempfile.NamedTemporaryFile("w", suffix=".gdl") as file:
            file.write(game)
            file.flush()
            # In the background of a shell the signal is ignored.
            heed = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
            code = f"{heed}; import sqasp; game = sqasp.Game.load({file.name!r}); print(flush=True); game.solve()"
            pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
            child = subprocess.Popen([sys.executable, "-c", code], **pipes)
            # While Python itself starts, it may lose the signal.
            assert child.stdout is not None
            child.stdout.readline()
            time.sleep(1.0)
            child.send_signal(signal.SIGINT)
            begin = time.monotonic()
            _, errors = child.communicate(timeout=20)
        self.assertIn(b"KeyboardInterrupt", errors)
        self.assertLess(time.monotonic() - begin, 10)

    def test_the_command_is_there(self) -> None:
        command = [sys.executable, "-m", "sqasp._command", "solve", str(GAMES / "figure_1.gdl")]
        ended = subprocess.run(command, capture_output=True, text=True, env=os.environ)
        self.assertEqual((ended.returncode, ended.stdout.splitlines()[0]), (0, "2/3 = 0.6666666666666667"))


if __name__ == "__main__":
    unittest.main()
