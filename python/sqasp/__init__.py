"""Exact winning probabilities of games, from their rules.

>>> import sqasp
>>> game = sqasp.Game.loads('''
...     (role guest) (role random) (door a) (door b)
...     (<= (legal ?role (open ?door)) (role ?role) (door ?door))
...     (<= (next won) (does guest (open ?door)) (does random (open ?door)))
...     (<= (next over) (role ?role)) (<= terminal (true over))
...     (<= (goal guest 100) (true won)) (<= (goal guest 0) (not (true won)))''')
>>> game.solve().value
Fraction(1, 2)
>>> state = game.initial()
>>> state.legal("guest")
['(open a)', '(open b)']
>>> state.play(guest="(open a)", random="(open a)").goals()
{'guest': 100, 'random': None}

Values are :class:`fractions.Fraction`. Facts, moves and roles are text in prefix form, such as ``"(cell 1 2 x)"``.
"""

from ._answer import Answer, Curve, Export, Finding, MoveValue, Plan, Verification
from ._errors import GameError, QuestionError, SqaspError
from ._game import Evaluator, Game, GameWarning, State, solve_formula, solve_program
from ._graph import ModelValue, Solution, solve_game, solve_model
from ._sqasp import __version__ as __version__
from ._strategy import Position, Standing, Step, Strategy
from ._table import Table

__all__ = [
    "Answer",
    "Curve",
    "Evaluator",
    "Export",
    "Finding",
    "Game",
    "GameError",
    "GameWarning",
    "ModelValue",
    "MoveValue",
    "Plan",
    "Position",
    "QuestionError",
    "Solution",
    "SqaspError",
    "Standing",
    "State",
    "Step",
    "Strategy",
    "Table",
    "Verification",
    "solve_formula",
    "solve_game",
    "solve_model",
    "solve_program",
]
