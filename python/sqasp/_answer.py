"""Answers: values with proved bounds, plans, findings. All can be members of sets; those that say the same are equal, whatever the work was."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

from ._digits import text_of, whole
from ._errors import QuestionError
from ._frame import frame
from ._sqasp import value_text as _value_text
from ._strategy import Mixture, Step, Strategy

if TYPE_CHECKING:
    import pandas

    from ._game import State


def fraction_of(value: dict[str, Any] | str | None) -> Fraction | None:
    """A fraction of JSON, if there is one."""
    return None if value is None else bound_of(value)


def bound_of(value: dict[str, Any] | str) -> Fraction:
    """A fraction of JSON; for a number of steps that is infinite ``math.inf``, which compares and adds up like one."""
    if isinstance(value, str):
        return cast(Fraction, math.inf)
    return Fraction(whole(value["num"]), whole(value["den"]))


class Said:
    """Equality of what the program says, but for numbers about the work."""

    details: dict[str, Any]

    def _key(self) -> tuple[object, ...]:
        said = {name: each for name, each in self.details.items() if name != "stats"}
        return type(self), json.dumps(said, sort_keys=True)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Said) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


@dataclass(frozen=True)
class MoveValue:
    """The value of a move, or proved bounds of it."""

    move: str
    lower: Fraction
    upper: Fraction
    best: bool = False
    """Whether it is proved that no other move is better."""

    @property
    def value(self) -> Fraction | None:
        """The exact value, if it is known."""
        return self.lower if self.lower == self.upper else None


@dataclass(frozen=True, eq=False)
class Answer(Said):
    """The answer to a question: a value, or proved bounds of it."""

    lower: Fraction
    upper: Fraction
    engine: str
    stopped_by: str | None
    """``time``, ``memory`` or ``interrupt`` where a limit came first, ``ties`` where equilibria have several values."""
    moves: tuple[MoveValue, ...]
    winning_move: str | None
    estimate: float | None
    strategy: Strategy | None
    """The moves of both sides, where that was asked for."""
    details: dict[str, Any] = field(repr=False)
    """All that the program says, as ``docs/json.md`` describes it."""

    @property
    def value(self) -> Fraction | None:
        """The exact value, if it is known; ``math.inf`` for a number of steps that is infinite."""
        return fraction_of(self.details.get("value"))

    @property
    def mixture(self) -> dict[str, Fraction] | None:
        """The best mixture of the role's first moves, with their probabilities, where both sides mix theirs; with ``moves`` only."""
        mixtures = self.details.get("mixtures")
        return mixtures and {each["move"]: bound_of(each["probability"]) for each in mixtures["player"]}

    @property
    def mixture_of_opponents(self) -> Mixture | None:
        """The same for the joint moves of the opponents."""
        mixtures = self.details.get("mixtures")
        return mixtures and {tuple(each["move"]): bound_of(each["probability"]) for each in mixtures["opponents"]}

    @property
    def roles(self) -> dict[str, tuple[Fraction, Fraction]] | None:
        """For each role the interval of its values, where each plays for itself: the two ends are the value if they are equal."""
        values = self.details.get("equilibrium")
        return values and {each["role"]: (bound_of(each["lower"]), bound_of(each["upper"])) for each in values["roles"]}

    def move_at(self, where: State | Sequence[Step], depth: int | None = None) -> str | None:
        """:meth:`Strategy.move_at` of the strategy; with ``strategy`` only."""
        return self._followed.move_at(where, depth)

    def mixture_at(self, where: State | Sequence[Step], depth: int | None = None) -> dict[str, Fraction] | None:
        """:meth:`Strategy.mixture_at` of the strategy; with ``strategy`` only."""
        return self._followed.mixture_at(where, depth)

    def mixture_of_opponents_at(self, where: State | Sequence[Step], depth: int | None = None) -> Mixture | None:
        """:meth:`Strategy.mixture_of_opponents_at` of the strategy; with ``strategy`` only."""
        return self._followed.mixture_of_opponents_at(where, depth)

    @property
    def _followed(self) -> Strategy:
        if self.strategy is not None:
            return self.strategy
        reason = self.details.get("strategy", {}).get("stopped_by")
        if reason == "positions":
            raise QuestionError("the strategy has more positions than were allowed: give strategy=NUMBER")
        if self.value is None:
            raise QuestionError("there is no strategy where the value is not known: give more time or memory")
        raise QuestionError(f"there is no strategy: {reason} came first" if reason else "there is no strategy: solve with strategy=True")

    def _key(self) -> tuple[object, ...]:
        return *super()._key(), self.strategy

    @property
    def depth(self) -> int | None:
        """How many steps count."""
        depth = self.details.get("depth")
        return depth if isinstance(depth, int) else None

    def to_frame(self) -> pandas.DataFrame:
        """A ``pandas.DataFrame`` with a row for each move, best first; without ``moves`` one row with the value."""
        rows = [(each.move, each.value, each.lower, each.upper, each.best) for each in self.moves]
        columns = ["move", "value", "lower", "upper", "best"]
        return frame(columns, rows) if rows else frame(columns[1:4], [(self.value, self.lower, self.upper)])

    def _told(self, lower: Fraction, upper: Fraction) -> str:
        """A value as people read it."""
        if upper == math.inf:
            return "infinite" if lower == upper else f"[{_value_text(text_of(lower), text_of(lower), False)}, infinite]"
        in_percent = self.details.get("objective") not in ("points", "score", "fewest-steps", "most-steps") and "count" not in self.details
        return _value_text(text_of(lower), text_of(upper), in_percent)

    def __repr__(self) -> str:
        stopped = f", stopped by {self.stopped_by}" if self.stopped_by else ""
        return f"<Answer {self._told(self.lower, self.upper)}, engine {self.engine}{stopped}>"

    def _repr_html_(self) -> str:
        """The value, and what each move is worth, for notebooks."""
        rows = "".join(
            f"<tr><td>{'<b>' if each.best else ''}<code>{html.escape(each.move)}</code>{'</b>' if each.best else ''}</td>"
            f"<td>{self._told(each.lower, each.upper)}</td></tr>"
            for each in self.moves
        )
        table = f"<table><tr><th>move</th><th>value</th></tr>{rows}</table>" if rows else ""
        return f"<p>{self._told(self.lower, self.upper)}</p>{table}"

    @classmethod
    def of(cls, text: str, strategy: str | None = None) -> Answer:
        """The answer that is written in JSON."""
        said = json.loads(text)
        moves = tuple(
            MoveValue(each["move"], bound_of(each["lower"]), bound_of(each["upper"]), each["best"])
            for each in said.get("moves", ())
        )
        return cls(
            lower=bound_of(said["lower"]),
            upper=bound_of(said["upper"]),
            engine=said["engine"],
            stopped_by=said.get("stopped_by"),
            moves=moves,
            winning_move=said.get("winning_move"),
            estimate=said.get("estimate"),
            strategy=None if strategy is None else Strategy(strategy),
            details=said,
        )


class Curve(Mapping[int, Fraction | tuple[Fraction, Fraction]]):
    """Values by number of steps; where a limit came first, proved bounds at the last one."""

    def __init__(self, points: Mapping[int, Fraction | tuple[Fraction, Fraction]]) -> None:
        self._points = dict(points)

    def __getitem__(self, depth: int) -> Fraction | tuple[Fraction, Fraction]:
        return self._points[depth]

    def __iter__(self) -> Iterator[int]:
        return iter(self._points)

    def __len__(self) -> int:
        return len(self._points)

    def __hash__(self) -> int:
        return hash(frozenset(self._points.items()))

    def __repr__(self) -> str:
        return f"Curve({self._points})"

    def to_frame(self) -> pandas.DataFrame:
        """A ``pandas.DataFrame`` with a row for each number of steps."""
        rows = (
            (depth, None, *value) if isinstance(value, tuple) else (depth, value, value, value)
            for depth, value in self.items()
        )
        return frame(["depth", "value", "lower", "upper"], rows)


@dataclass(frozen=True, eq=False)
class Plan(Said):
    """A plan of a single player, and what is proved of it."""

    moves: tuple[str, ...] | None
    """None if there is no plan, or none was found."""
    goal: int | Fraction | None
    is_best: bool
    is_shortest: bool
    plans: tuple[tuple[str, ...], ...]
    """The plans that were listed, where a list was asked for."""
    details: dict[str, Any] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Finding(Said):
    """The verdict on a property: ``proved``, ``refuted``, ``not-inductive`` or ``unknown``."""

    property: str
    verdict: str
    details: dict[str, Any] = field(repr=False)

    def __bool__(self) -> bool:
        return self.verdict == "proved"


@dataclass(frozen=True, eq=False)
class Verification(Said):
    """Whether a strategy keeps its promise."""

    status: str
    value: Fraction | None
    details: dict[str, Any] = field(repr=False)

    def __bool__(self) -> bool:
        return self.status == "proved"


@dataclass(frozen=True)
class Export:
    """The size of a game that was written, and its value where a side was fixed by solving."""

    states: int
    choices: int
    branches: int
    value: Fraction | None = None
