"""Checking a value with Storm.

Run it with ``python python/examples/check_with_storm.py``; it needs ``pip install stormpy``. The tests run it.
"""

# %% A value that one may doubt: the race of the Royal Game of Ur that can go on for ever.
from fractions import Fraction
from pathlib import Path

import stormpy

import sqasp
import sqasp.storm

GAMES = Path(__file__).resolve().parents[2] / "games"
game = sqasp.Game.load(GAMES / "endless_ur.gdl")
role = game.players[0]
value = game.solve(role).value
print(value)

# %% One side's choices are fixed; what is left is a Markov decision process, which Storm checks with exact numbers. Against what
# the role does its opponents get it to `least` at best; against what they do it gets `most` at best. Both are its value.
least, most = sqasp.storm.check(game, role)
print(least, most)
assert least == most == value == Fraction(16589044, 28940625)

# %% The same by hand: the model of Storm, with facts and moves, for any question that Storm can answer.
model = sqasp.storm.model(game, role=role, fix="opponents")
print(model.model_type, model.nr_states, "states")
question = stormpy.parse_properties('Pmax=? [F<=20 "win"]')[0]
print("within 20 steps:", stormpy.model_checking(model, question).get_value(model.initial_states[0]))
