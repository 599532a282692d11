"""Tables on disk, which ``sqasp table build`` makes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from fractions import Fraction

from ._answer import MoveValue
from ._digits import fraction
from ._errors import QuestionError
from ._game import State
from ._game import _facts as facts_of
from ._sqasp import Table as _Table


class Table:
    """The values of all positions of a game, in a folder."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._table = _Table(os.fspath(folder))
        self.game, self.role, self.objective, self.depth, self.states = self._table.about()

    def __repr__(self) -> str:
        return f"<Table of {self.game}: {self.objective} of {self.role}, {self.states} states>"

    @property
    def rules(self) -> str:
        """The rules of the game, which ``Game.loads`` takes."""
        return self._table.rules()

    def values(self, state: State | Sequence[str] | None = None) -> dict[int, Fraction]:
        """The value of a state, or of the initial one, for each layer in which it stands: numbers of steps left, or 1 where play may go on for ever.

        It is empty for states that play does not lead to, and for those in which play is over.
        """
        return {steps: fraction(value) for steps, value in self._table.values(facts_of(state))}

    def value(
        self, state: State | Sequence[str] | None = None, depth: int | None = None
    ) -> Fraction | None:
        """The value of a state with this many steps left; without a number the most that play may have left there."""
        values = self.values(state)
        return values.get(max(values, default=0) if depth is None else depth)

    def moves(
        self, state: State | Sequence[str] | None = None, depth: int | None = None
    ) -> list[MoveValue]:
        """What each legal move of the role is worth in a state, best first."""
        steps = self._steps(state, depth)
        worth = [(move, fraction(value)) for move, value in self._table.moves(facts_of(state), steps)]
        best = max(value for _, value in worth)
        worth.sort(key=lambda each: (-each[1], each[0]))
        return [MoveValue(move, value, value, value == best) for move, value in worth]

    def mixture(
        self, state: State | Sequence[str] | None = None, depth: int | None = None
    ) -> dict[str, Fraction] | None:
        """The best mixture of the role's moves, with their probabilities; None unless the table was built with ``--mixed``."""
        mixtures = self._table.mixtures(facts_of(state), self._steps(state, depth))
        return mixtures and {move: fraction(share) for move, share in mixtures[0]}

    def mixture_of_opponents(
        self, state: State | Sequence[str] | None = None, depth: int | None = None
    ) -> dict[tuple[str, ...], Fraction] | None:
        """The same for the joint moves of the opponents."""
        mixtures = self._table.mixtures(facts_of(state), self._steps(state, depth))
        return mixtures and {tuple(moves): fraction(share) for moves, share in mixtures[1]}

    def _steps(self, state: State | Sequence[str] | None, depth: int | None) -> int:
        """The layer that is meant."""
        values = self.values(state)
        steps = max(values, default=0) if depth is None else depth
        if steps not in values:
            raise QuestionError("this position is not in the table: play is over there, or does not lead to it")
        return steps
