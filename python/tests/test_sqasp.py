"""What Python sees of sqasp. Run by ``scripts/check-python``."""

import multiprocessing
import os
import pickle
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import warnings
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import sqasp
from sqasp import _digits

GAMES = Path(__file__).resolve().parents[2] / "games"


def load(name: str) -> sqasp.Game:
    return sqasp.Game.load(GAMES / name)


def facts_of(state: sqasp.State) -> tuple[str, ...]:
    return state.facts


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
        self.assertIn("<b><code>(bet left)</code></b></td><td>66.6667 % (2/3)<", drawn)
        self.assertEqual(game.curve(range(0, 2)), {0: Fraction(0), 1: Fraction(2, 3)})

    def test_mixtures_are_fractions_and_are_proved(self) -> None:
        game = load("rock_paper_scissors.gdl")
        self.assertEqual(game.solve().value, 0)
        answer = game.solve(mixed=True, moves=True, strategy=True)
        self.assertEqual(answer.value, Fraction(1, 2))
        third = Fraction(1, 3)
        self.assertEqual(answer.mixture, {"paper": third, "rock": third, "scissors": third})
        self.assertEqual(answer.mixture_of_opponents, {("paper",): third, ("rock",): third, ("scissors",): third})
        assert answer.strategy is not None
        proof = game.verify(answer.strategy)
        self.assertTrue(proof)
        self.assertEqual(proof.value, Fraction(1, 2))
        self.assertEqual(answer.mixture_at(game.initial()), answer.mixture)
        self.assertEqual(answer.mixture_of_opponents_at(game.initial(), depth=1), answer.mixture_of_opponents)
        with self.assertRaisesRegex(sqasp.QuestionError, "ann mixes 3 moves here"):
            answer.move_at(game.initial())
        self.assertIsNone(game.solve(moves=True).mixture)
        with self.assertRaisesRegex(sqasp.SqaspError, "mixed"):
            game.solve(mixed=True, engine="emm")

    def test_roles_know_what_they_did_and_saw(self) -> None:
        game = load("hidden_kuhn_poker.gdl")
        dealt = game.initial().play("noop", "noop", "(deal queen jack)")
        state = dealt.play("check", "noop", "noop").play("noop", "bet", "noop")
        seen = [("noop", ("queen",)), ("check", ("check",)), ("noop", ("bet",))]
        self.assertEqual(state.information("ann"), seen)
        self.assertEqual(state.information("bob")[0].sees, ("jack",))
        self.assertEqual(game.initial().information("ann"), [])
        self.assertEqual(pickle.loads(pickle.dumps(state)).information("ann"), seen)
        answer = game.solve(objective="points", moves=True, strategy=True)
        self.assertEqual(answer.mixture, {"noop": Fraction(1)})
        third = Fraction(1, 3)
        # The queen calls a bet after a check with 1/3 more than the jack bets.
        jack = game.initial().play("noop", "noop", "(deal jack king)")
        bluff = (answer.mixture_at(jack.information("ann")) or {}).get("bet", Fraction(0))
        self.assertLessEqual(bluff, third)
        self.assertEqual(answer.mixture_at(state.information("ann")), {"call": third + bluff, "fold": 1 - third - bluff})
        king = game.initial().play("noop", "noop", "(deal queen king)").play("bet", "noop", "noop")
        self.assertEqual(answer.mixture_of_opponents_at(king.information("bob")), {("call",): Fraction(1)})
        self.assertEqual(answer.mixture_at(state), answer.mixture_at(state.information("ann")))
        self.assertIsNone(answer.mixture_at(state.information("ann")[:1] * 2))
        assert answer.strategy is not None
        self.assertEqual(answer.strategy[tuple(state.information("ann"))], answer.mixture_at(state))
        for known in answer.strategy:
            self.assertEqual(answer.strategy[known], answer.mixture_at(known))  # type: ignore[arg-type]
        with self.assertRaisesRegex(sqasp.SqaspError, "all roles see everything"):
            load("figure_1.gdl").initial().information("xplayer")
        with self.assertRaisesRegex(sqasp.SqaspError, "there is no strategy: solve with strategy=True"):
            game.solve(objective="points").mixture_at([])

    def test_states_are_values(self) -> None:
        game = load("tic_tac_toe.gdl")
        start = game.initial()
        after = start.play("(mark 2 2)", "noop")
        self.assertEqual(after, game.state(*after.facts))
        self.assertEqual(len({start, after, start.play("(mark 2 2)", "noop")}), 2)
        self.assertNotIn("(mark 2 2)", after.legal("oplayer"))
        drawn = after._repr_html_()
        self.assertIn("<caption>cell</caption><tr><td>.</td>", drawn)
        self.assertIn("<td>xplayer</td>", drawn)
        self.assertIn("(control oplayer)", drawn)
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

    def test_an_evaluator_counts_steps(self) -> None:
        game = load("endless_pursuit.gdl")
        evaluator = sqasp.Evaluator(game, "fewest-steps")
        moves = evaluator.moves(game.initial(), "hare")
        self.assertEqual([each.value for each in moves[:2]], [Fraction(29, 7), Fraction(188, 35)])
        self.assertTrue(moves[0].best)

    def test_strategies_prove_values(self) -> None:
        game = load("monty_hall.gdl")
        answer = game.solve(depth=4, strategy=True)
        assert answer.strategy is not None
        proof = game.verify(answer.strategy)
        self.assertTrue(proof)
        self.assertEqual(proof.value, answer.value)
        promise = f'"value":"{answer.value}"'
        assert promise in answer.strategy.json
        self.assertFalse(game.verify(answer.strategy.json.replace(promise, '"value":"1/7"', 1)))

    def test_moves_are_given_by_role(self) -> None:
        state = load("stochastic_ttt.gdl").initial()
        after = state.play(xplayer="(mark 2 2)", random="(keep 1)")
        self.assertEqual(after, state.play("(mark 2 2)", "noop", "(keep 1)"))
        self.assertEqual(after, state.play(XPLAYER="( mark 2 2 )", oplayer="noop", random="(keep 1)"))
        for moves, problem in (
            ({"xplayer": "(mark 2 2)"}, "random has 5 legal moves here"),
            ({"xplayer": "noop", "random": "(keep 1)"}, "noop is not a legal move of xplayer"),
            ({"xplayer": "(mrak 2 2)", "random": "(keep 1)"}, r"of xplayer; did you mean `\(mark 2 2\)`\?"),
            ({"yplayer": "noop"}, "`yplayer` is not a role .*xplayer"),
            ({"xplayer": "(mark 2", "random": "(keep 1)"}, "parenthesis"),
            ({"xplayer": "noop noop", "random": "(keep 1)"}, "is not one move"),
        ):
            with self.subTest(problem), self.assertRaisesRegex(sqasp.QuestionError, problem):
                state.play(**moves)
        with self.assertRaisesRegex(sqasp.QuestionError, "not both"):
            state.play("(mark 2 2)", oplayer="noop")
        with self.assertRaisesRegex(sqasp.QuestionError, "one move for each of"):
            state.play("(mark 2 2)")
        alone = sqasp.Game.loads("(role x) (legal x go) (<= (next over) (does x go)) (<= terminal (true over)) (goal x 100)")
        self.assertTrue(alone.initial().play().is_terminal)
        with self.assertRaisesRegex(sqasp.QuestionError, "play is over"):
            alone.initial().play().play()

    def test_plans_and_proofs(self) -> None:
        plan = load("buttons_and_lights.gdl").plan()
        self.assertEqual((plan.goal, plan.is_best, plan.is_shortest), (100, True, True))
        self.assertEqual(len(plan.moves or ()), 6)
        game = load("factoring_determinate.gdl")
        several = game.plan(plans=2)
        self.assertEqual(len(several.plans), 2)
        assert several.moves is not None
        rest = game.plan(start=game.initial().play(several.moves[0]))
        self.assertEqual(len(rest.moves or ()), len(several.moves) - 1)
        pair = sqasp.Game.loads(
            "(role ann) (role bob) (side left) (side right) (init (now 1)) (<= (legal ?who ?side) (role ?who) (side ?side))"
            "(<= (next met) (does ann ?side) (does bob ?side)) (<= terminal (true met))"
            "(<= (goal ?who 100) (role ?who) (true met)) (<= (goal ?who 0) (role ?who) (not (true met)))"
        )
        team = pair.with_team("ann+bob")
        self.assertEqual(len(team.plan().moves or ()), 1)
        start = pickle.loads(pickle.dumps(team.initial()))
        self.assertEqual(sqasp.Evaluator(team).value(start, "ann+bob"), 1)
        self.assertEqual(len(start.legal("ann+bob")), 4)
        with self.assertRaisesRegex(sqasp.SqaspError, "`carl` is not a role"):
            pair.with_team("ann+carl")
        with self.assertRaisesRegex(sqasp.SqaspError, r"the team `ann\+bob`"):
            pair.plan()
        found = load("tic_tac_toe.gdl").prove("zero-sum", "terminates within 8", time=60)
        self.assertEqual([bool(each) for each in found], [True, False])

    def test_bad_rules_are_refused_with_all_that_is_wrong(self) -> None:
        with self.assertRaisesRegex(sqasp.GameError, "legal"):
            sqasp.Game.loads("(role x)")
        with self.assertRaises(OSError):
            sqasp.Game.load("there is no such file")
        with self.assertRaisesRegex(sqasp.SqaspError, "nobody"):
            load("figure_1.gdl").solve("nobody")

    def test_numbers_that_make_no_sense_are_told(self) -> None:
        game = load("figure_1.gdl")
        evaluator = sqasp.Evaluator(game)
        start = game.initial()
        asked: list[Callable[[], object]] = [
            lambda: game.solve(depth=-1),
            lambda: game.solve(depth=10**30),
            lambda: game.solve(depth=1_000_001),
            lambda: game.solve(threads=0),
            lambda: game.solve(threads=-1),
            lambda: game.solve(threads=10**9),
            lambda: game.solve(threads=10**30),
            lambda: game.solve(time=-1),
            lambda: game.solve(time=float("nan")),
            lambda: game.solve(memory=0),
            lambda: game.solve(memory=-5),
            lambda: game.curve(range(-1, 3)),
            lambda: game.curve(range(0, 3), threads=2000),
            lambda: game.export("nowhere", depth=-1),
            lambda: game.export("nowhere", states=-1),
            lambda: game.translate(depth=-1),
            lambda: load("buttons_and_lights.gdl").plan(depth=-1),
            lambda: load("buttons_and_lights.gdl").plan(goal=-1),
            lambda: game.prove("zero-sum", time=-1),
            lambda: game.verify("{}", time=-1),
            lambda: sqasp.Evaluator(game, threads=10**9),
            lambda: evaluator.value(start, "xplayer", depth=-1),
            lambda: evaluator.value(start, "xplayer", time=-0.5),
            lambda: sqasp.solve_formula("p cnf 1 1\n1 0\n", memory=0),
            lambda: sqasp.solve_program("a.", time=-1),
            lambda: sqasp.solve_game(0, lambda _: 1, depth=-1),
            lambda: sqasp.solve_game(0, lambda _: 1, time=-1),
            lambda: sqasp.solve_model(b"", depth=-1),
        ]
        for number, ask in enumerate(asked):
            with self.subTest(number), self.assertRaisesRegex(ValueError, "is no number .*: use "):
                ask()
        with self.assertRaises(TypeError):
            game.solve(depth="2")  # type: ignore[arg-type]
        # What is too long or too much for a limit is none.
        self.assertEqual(game.solve(depth=1, time=1e300, memory=2**63, threads=1024).value, Fraction(2, 3))
        self.assertEqual(game.solve(depth=1, time=float("inf")).value, Fraction(2, 3))

    def test_chances_too_long_for_a_graph_are_told(self) -> None:
        chance = Fraction(1, 2**70)

        def moves(state: int) -> Any:
            return state if state < 2 else ("max", {"go": {0: chance, 1: 1 - chance}})

        with self.assertRaisesRegex(sqasp.SqaspError, "64 bits"):
            sqasp.solve_game(2, moves)
        self.assertEqual(sqasp.solve_game(2, moves, depth=1).value, 1 - chance)

    def test_states_and_games_can_be_pickled(self) -> None:
        for name in ("stochastic_ttt.gdl", "endless_pig.gdl"):
            game = load(name)
            state = game.initial().sample(random.Random(1))
            again = pickle.loads(pickle.dumps(state))
            self.assertEqual(again, state)
            self.assertEqual(hash(again), hash(state))
            self.assertIs(again.game, game)
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                there = pool.map(facts_of, [state, again])
                back = pool.map(pickle.loads, [pickle.dumps(state)])
            self.assertEqual(there, [state.facts, state.facts])
            self.assertEqual(back, [state])
        answer = game.solve()
        self.assertEqual(pickle.loads(pickle.dumps(answer)), answer)
        strict = sqasp.Game.load(GAMES / "figure_1.gdl", strict=True)
        text = pickle.dumps(strict)
        del strict
        self.assertEqual(pickle.loads(text).solve().value, Fraction(2, 3))

    def test_odd_rules_are_python_warnings(self) -> None:
        rules = (GAMES / "figure_1.gdl").read_text()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            sqasp.Game.loads(rules)
        odd = rules + "(<= (goal xplayer 50) (and (true unspun) (true won)))"
        with self.assertWarnsRegex(sqasp.GameWarning, "and") as caught:
            game = sqasp.Game.loads(odd)
        self.assertEqual(caught.filename, __file__)
        self.assertEqual(str(caught.warning), game.warnings)

    def test_games_use_libraries_and_have_parameters(self) -> None:
        rules = """; uses dice more
            ; parameter target 1..6
            (role x) (role y) (role random) (target 5) (legal x wait) (<= (legal y ?m) (way ?m))
            (<= (legal random (throw ?n)) (d6 ?n)) (<= (next (shows ?n)) (does random (throw ?n)))
            (<= (next bad) (does y bad)) (<= won (true (shows ?n)) (target ?n) (not (true bad)))
            (<= terminal (true (shows ?n))) (<= (goal x 100) won) (<= (goal x 0) (not won)) (goal y 0)"""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "throw.gdl"
            file.write_text(rules)
            (Path(folder) / "more.gdl").write_text("(way good) (way bad)")
            game = sqasp.Game.load(file, set={"target": 6})
            self.assertIn("(shows 6)", game.initial().play("wait", "good", "(throw 6)").facts)
            self.assertEqual(game.initial().play("wait", "good", "(throw 6)").goals()["x"], 100)
            self.assertEqual(game.solve(depth=1).value, 0)
            answer = game.solve("x+y", depth=1)
            self.assertEqual(answer.value, Fraction(1, 6))
            self.assertEqual(repr(answer), "<Answer 16.6667 % (1/6), engine emm>")
            self.assertEqual(game.solve(opponents="random").value, Fraction(1, 12))
            # What is pickled needs no file.
            text = pickle.dumps(game)
        self.assertEqual(pickle.loads(text).solve("x+y").value, Fraction(1, 6))
        alone = rules.replace("dice more", "dice") + "(way good) (way bad)"
        self.assertEqual(sqasp.Game.loads(alone, set={"target": 1}).solve("x+y").value, Fraction(1, 6))
        for setting in ({"target": 7}, {"targte": 3}):
            with self.assertRaisesRegex(sqasp.SqaspError, "`target` .*from 1 to 6"):
                sqasp.Game.loads(alone, set=setting)
        with self.assertRaisesRegex(sqasp.GameError, "there is no library `more`"):
            sqasp.Game.loads(rules.replace("dice more", "more"))
        with self.assertRaisesRegex(sqasp.SqaspError, "there are no opponents"):
            game.solve(opponents="clever")

    def test_a_best_response_to_a_strategy(self) -> None:
        game = sqasp.Game.load(GAMES / "stochastic_ttt.gdl")
        bold = game.solve("oplayer", depth=9, strategy=True).strategy
        assert bold is not None
        self.assertEqual(game.solve(depth=9, opponents=bold).value, Fraction(236332, 390625))
        with self.assertRaisesRegex(sqasp.SqaspError, "not of an opponent"):
            game.solve("oplayer", depth=9, opponents=bold)

    def test_each_role_for_itself(self) -> None:
        game = sqasp.Game.load(GAMES / "truel.gdl")
        answer = game.solve("bob", opponents="selfish", strategy=True)
        self.assertEqual(answer.value, Fraction(8, 21))
        ann = Fraction(25, 63)
        self.assertEqual(answer.roles, {"ann": (ann, ann), "bob": (Fraction(8, 21),) * 2, "cid": (Fraction(2, 9),) * 2})
        assert answer.strategy is not None
        standing = answer.strategy.standing_at(game.initial())
        assert standing is not None
        self.assertEqual((standing.role, standing.move, standing.values["ann"]), ("ann", "aim_high", ann))
        self.assertIsNone(answer.move_at(game.initial()))
        self.assertEqual(answer.move_at(game.initial().play("aim_high", "noop", "noop", "(roll 1)")), "(aim_at cid)")
        self.assertEqual(game.verify(answer.strategy).value, Fraction(8, 21))
        with self.assertRaisesRegex(sqasp.QuestionError, "ask standing_at"):
            answer.strategy.reply_at(game.initial(), "noop")
        with self.assertRaisesRegex(sqasp.SqaspError, "choose at the same time"):
            sqasp.Game.load(GAMES / "rock_paper_scissors.gdl").solve(opponents="selfish")
        ties = sqasp.Game.load(GAMES / "last_stone.gdl").solve("green", opponents="selfish")
        self.assertEqual((ties.lower, ties.upper, ties.stopped_by), (0, 1, "ties"))

    def test_a_game_needs_a_file(self) -> None:
        with self.assertRaises(TypeError):
            sqasp.Game.load()  # type: ignore[call-arg]

    def test_an_export_appears_whole_or_not_at_all(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "game"
            file.mkdir()
            with self.assertRaises(OSError):
                load("figure_1.gdl").export(file)
            with self.assertRaises(OSError):
                load("figure_1.gdl").export(Path(folder) / "none" / "game.umb")
            self.assertEqual([each.name for each in Path(folder).iterdir() if each.is_file()], [])
    def test_names_that_nothing_makes_true_are_warned_of(self) -> None:
        rules = """(role x) (init (left 3)) (after 3 2) (after 2 1) (after 1 0) (legal x go)
            (<= (next (left ?n)) (true (left ?m)) (after ?m ?n)) (<= terminal (true (left 0)))
            (<= (goal x 100) won) (<= (goal x 0) (not won)) (<= won (true (lift 0)))"""
        with self.assertWarnsRegex(sqasp.GameWarning, r"gives `lift`.*did you mean `left`"):
            game = sqasp.Game.loads(rules)
        self.assertIn("never-true", game.warnings)
        self.assertIn("(true (lift 0))", game.solve().details["never"]["because"])
        with self.assertWarnsRegex(sqasp.GameWarning, r"makes \(left 7\) true"):
            game.state("(left 7)")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            sqasp.Game.loads(rules.replace("lift", "left")).state("(left 2)")
        with self.assertRaises(sqasp.GameError):
            sqasp.Game.loads(rules.replace("lift", "left").replace("(goal x 0)", "(goal x 0.5)"))
        with self.assertRaisesRegex(sqasp.SqaspError, "`y` is not a role of this game; its role is x"):
            game.initial().legal("y")

    def test_time_leads_to_bounds(self) -> None:
        answer = load("stochastic_ttt_4x4.gdl").solve(depth=16, time=0.2)
        self.assertEqual(answer.stopped_by, "time")
        self.assertIsNone(answer.value)
        self.assertLess(answer.lower, answer.upper)

    def test_fractions_have_any_number_of_digits(self) -> None:
        # Python refuses to read or write whole numbers of more than 4,300 digits.
        coins = 9_100
        numbers = range(1, coins + 1)
        chances = "".join(f"r 1/3 {number} 0\n" for number in numbers)
        clauses = "".join(f"{number} 0\n" for number in numbers)
        third = Fraction(1, 3)
        answer = sqasp.solve_formula(f"p cnf {coins} {coins}\n{chances}{clauses}")
        self.assertEqual(answer.value, third**coins)
        self.assertRegex(repr(answer), r"\(1/\d{12}\.\.\.\d{12}\)")
        payoffs = {"start": ("max", {"wait": {"low": third, "high": 1 - third}}), "low": 0, "high": third**coins}
        solution = sqasp.solve_game("start", payoffs.__getitem__)
        self.assertEqual(solution.value, (1 - third) * third**coins)

    def test_fractions_are_read_and_written_as_python_does(self) -> None:
        seed = random.randrange(1 << 32)
        print(f"fractions: seed {seed}")
        rng = random.Random(seed)
        for _ in range(200):
            digits = rng.choice([1, 20, 3_999, 4_000, 4_001, 4_300])
            value = Fraction(rng.randrange(10**digits) * rng.choice([1, -1]), rng.randrange(1, 10**digits))
            self.assertEqual(_digits.text_of(value), str(value))
            self.assertEqual(_digits.fraction(str(value)), value)
            # Longer ones, by what they are made of.
            long = value * Fraction(10**9_000 + 1, 10**8_500 - 1)
            self.assertEqual(_digits.fraction(_digits.text_of(long)), long)

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
        command = [sys.executable, "-m", "sqasp", "solve", str(GAMES / "figure_1.gdl")]
        ended = subprocess.run(command, capture_output=True, text=True, env=os.environ)
        self.assertEqual((ended.returncode, ended.stdout.splitlines()[0]), (0, "66.6667 % (2/3)"))
        said = subprocess.run([*command[:3], "--help"], capture_output=True, text=True, env=os.environ).stdout
        self.assertIn("Usage: sqasp <COMMAND>", said)


if __name__ == "__main__":
    unittest.main()
