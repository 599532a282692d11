"""Tables on disk, from Python. Run by ``scripts/check-python``."""

import os
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction
from pathlib import Path

import sqasp

GAMES = Path(__file__).resolve().parents[2] / "games"


def build(file: str, folder: str, *options: str) -> None:
    command = [sys.executable, "-m", "sqasp", "table", "build", str(GAMES / file)]
    subprocess.run([*command, "--output", folder, "--quiet", *options], check=True, env=os.environ)


class Tables(unittest.TestCase):
    def test_positions_are_looked_up(self) -> None:
        file = GAMES / "stochastic_ttt.gdl"
        game = sqasp.Game.load(file)
        with tempfile.TemporaryDirectory() as folder:
            build(file.name, folder)
            table = sqasp.Table(folder)
            self.assertEqual((table.role, table.depth, table.states), ("xplayer", 9, 1582))
            self.assertEqual(table.value(), Fraction(164832, 390625))
            self.assertEqual(table.moves()[0].move, "(mark 2 2)")
            self.assertIsNone(table.mixture())
            state = game.initial().play("(mark 2 2)", "noop", "(keep 1)")
            value = game.solve("xplayer", depth=8, start=state).value
            self.assertEqual(table.values(state), {8: value})
            self.assertEqual([each.value for each in table.moves(state)], [value])
            self.assertIsNone(table.value(state, depth=7))
            self.assertEqual(sqasp.Game.loads(table.rules).solve("xplayer").value, table.value())
            with self.assertRaisesRegex(sqasp.SqaspError, "not in the table"):
                table.moves(state, depth=7)
            values = Path(folder) / "00009.0.values"
            data = bytearray(values.read_bytes())
            data[0] ^= 1
            values.write_bytes(data)
            with self.assertRaisesRegex(sqasp.SqaspError, "the file is damaged"):
                sqasp.Table(folder).value()
        with tempfile.TemporaryDirectory() as folder:
            build("goofspiel_3.gdl", folder, "--mixed", "--objective", "points")
            table = sqasp.Table(folder)
            game = sqasp.Game.load(GAMES / "goofspiel_3.gdl")
            solved = game.solve("left", objective="points", mixed=True, moves=True)
            self.assertEqual((table.value(), table.mixture()), (solved.value, solved.mixture))
            self.assertEqual(table.mixture_of_opponents(), solved.mixture_of_opponents)
        with self.assertRaisesRegex(sqasp.SqaspError, "there is no table here"):
            sqasp.Table(str(GAMES))


if __name__ == "__main__":
    unittest.main()
