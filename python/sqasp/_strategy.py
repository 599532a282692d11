"""Strategies as mappings from positions to moves."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from ._digits import fraction
from ._errors import GameError, QuestionError
from ._frame import frame

if TYPE_CHECKING:
    import pandas

    from ._game import State


class Position(NamedTuple):
    """A state, and the number of steps left where moves depend on it."""

    facts: tuple[str, ...]
    """Sorted."""
    depth: int | None = None


class Step(NamedTuple):
    """What a role knows of a step: its move, and what it saw then."""

    move: str
    sees: tuple[str, ...]


class Standing(NamedTuple):
    """A position in which each role plays for itself."""

    role: str | None
    """The role that chooses, if one does."""
    move: str | None
    """Its move."""
    ties: tuple[str, ...]
    """Other moves that are as good for it."""
    values: dict[str, Fraction]
    """The values of all roles."""


Key = Position | tuple[Step, ...]
Mixture = dict[tuple[str, ...], Fraction]


class Strategy(Mapping[Key, dict[str, Fraction]]):
    """What both sides do. It maps each :class:`Position` of the role to its moves there, with their probabilities.

    In a game of hidden information it maps what the role did and saw, as a tuple of :class:`Step`; where several such lead to the same
    choices, only a shortest one is listed. Positions in which a role that mixes has one move only are left out.

    ``strategy.json`` is its text (``docs/strategy-format.md``), from which ``Strategy(text)`` is made again.
    """

    def __init__(self, text: str) -> None:
        self.json = text
        try:
            said = json.loads(text)
            form, self.role = said["format"], said["role"]
            self._is_equilibrium = form == "sqasp-equilibrium"
            self._written = (said["positions"], []) if self._is_equilibrium else (said["player"], said["opponents"])
        except (ValueError, KeyError, TypeError) as error:
            raise GameError(f"this is no strategy: {error!r}") from error
        self._is_hidden = form == "sqasp-hidden-strategy"
        self._is_mixed = form == "sqasp-mixed-strategy"
        self._coalition: list[str] = said.get("coalition", [])

    def __repr__(self) -> str:
        return f"<Strategy of {self.role}: {len(self)} positions>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Strategy) and self.json == other.json

    def __hash__(self) -> int:
        return hash(self.json)

    def __reduce__(self) -> tuple[Any, ...]:
        return Strategy, (self.json,)

    def __getitem__(self, where: Key) -> dict[str, Fraction]:
        return {moves[0]: share for moves, share in self._sides["player"][where].items()}

    def __iter__(self) -> Iterator[Key]:
        return iter(self._sides["player"])

    def __len__(self) -> int:
        return len(self._sides["player"])

    def move_at(self, where: State | Sequence[Step], depth: int | None = None) -> str | None:
        """The role's move in a state with this many steps left; None where the strategy does not lead.

        Raises:
            QuestionError: if the role mixes several moves there, or if they depend on the number of steps left and it is not given.
        """
        mixture = self.mixture_at(where, depth)
        if mixture is not None and len(mixture) > 1:
            raise QuestionError(f"{self.role} mixes {len(mixture)} moves here: ask mixture_at")
        return None if mixture is None else next(iter(mixture))

    def mixture_at(self, where: State | Sequence[Step], depth: int | None = None) -> dict[str, Fraction] | None:
        """The role's moves in a state with this many steps left, with their probabilities.

        In a game of hidden information they are those after what the role did and saw, as :meth:`State.information` lists it. None where
        the strategy does not lead, or where a role that mixes has one move only.
        """
        found = self._at("player", where, depth)
        return None if found is None else {moves[0]: share for moves, share in found.items()}

    def standing_at(self, state: State, depth: int | None = None) -> Standing | None:
        """The role that chooses, its move, and the values of all roles, where each plays for itself. None where the strategy does not lead."""
        if not self._is_equilibrium:
            raise QuestionError("this is no strategy of roles that play for themselves")
        found: Standing | None = self._at("standings", state, depth)
        return found

    def mixture_of_opponents_at(self, where: State | Sequence[Step], depth: int | None = None) -> Mixture | None:
        """The same for the joint moves of the opponents where they do not know the role's move."""
        self._check_sides()
        if not self._is_hidden and not self._is_mixed:
            raise QuestionError("the opponents know the role's move: ask reply_at for their answer to it")
        if len(self._coalition) > 1:
            raise QuestionError(f"what the opponents do depends on the moves of {' and '.join(self._coalition)} together")
        found: Mixture | None = self._at("opponents", where, depth)
        return found

    def reply_at(self, state: State, move: str, depth: int | None = None) -> dict[str, str] | None:
        """The opponents' answer to a move of the role, where they know it: the move of each opponent. None where it is not listed."""
        self._check_sides()
        if self._is_hidden or self._is_mixed:
            raise QuestionError("the opponents do not know the role's move: ask mixture_of_opponents_at")
        answers = self._at("answers", state, depth) or {}
        return answers.get(move)

    def _check_sides(self) -> None:
        if self._is_equilibrium:
            raise QuestionError("each role plays for itself: ask standing_at")

    def to_frame(self) -> pandas.DataFrame:
        """A ``pandas.DataFrame`` with a row for each move in each position."""
        columns = ["information"] if self._is_hidden else ["state", "depth"]
        rows = ((*_columns(where), *each) for where, mixture in self.items() for each in mixture.items())
        return frame([*columns, "move", "probability"], rows)

    @cached_property
    def _sides(self) -> dict[str, dict[Any, Any]]:
        """By side and position its choices."""
        if self._is_hidden:
            return {"player": dict(self._walk())}
        sides: dict[str, dict[Any, Any]] = {"player": {}, "opponents": {}, "answers": {}, "standings": {}}
        for side, written in zip(("player", "opponents"), self._written):
            for each in written:
                where = Position(tuple(sorted(each["state"])), each.get("steps"))
                if self._is_equilibrium:
                    values = {role: fraction(value) for role, value in each["values"].items()}
                    sides["standings"][where] = Standing(each.get("role"), each.get("move"), tuple(each.get("ties", ())), values)
                    if each.get("role") == self.role:
                        sides["player"][where] = {(each["move"],): Fraction(1)}
                elif self._is_mixed:
                    sides[side][where] = _mixture(each["mixture"])
                elif side == "player":
                    sides[side][where] = {(each["move"],): Fraction(1)}
                else:
                    sides["answers"][where] = {answer["move"]: answer["reply"] for answer in each["answers"]}
        return sides

    def _walk(self) -> Iterator[tuple[tuple[Step, ...], Mixture]]:
        """All informations of the role, breadth first."""
        informations = self._written[0]
        met = {0}
        waiting: list[tuple[int, tuple[Step, ...]]] = [(0, ())] if informations else []
        for number, known in waiting:
            yield known, _mixture(informations[number])
            for choice in informations[number]:
                for each in choice.get("next", ()):
                    if each["then"] not in met and each["then"] < len(informations):
                        met.add(each["then"])
                        waiting.append((each["then"], (*known, Step(choice["moves"][0], tuple(each["sees"])))))

    def _at(self, side: str, where: State | Sequence[Step], depth: int | None) -> Any:
        if self._is_hidden:
            role = self.role if side == "player" else (self._coalition or [self.role])[0]
            return self._after(side, where if isinstance(where, Sequence) else where.information(role))
        if isinstance(where, Sequence):
            raise QuestionError("roles see everything in this game: give a state")
        entries = self._sides[side]
        if depth is not None:
            return entries.get(Position(where.facts, depth), entries.get(Position(where.facts)))
        found = self._by_facts[side].get(where.facts, [])
        if any(each != found[0] for each in found):
            raise QuestionError("what to do here depends on the number of steps left: give a depth")
        return found[0] if found else None

    @cached_property
    def _by_facts(self) -> dict[str, dict[tuple[str, ...], list[Any]]]:
        sides: dict[str, dict[tuple[str, ...], list[Any]]] = {}
        for side, entries in self._sides.items():
            sides[side] = {}
            for where, choices in entries.items():
                sides[side].setdefault(where.facts, []).append(choices)
        return sides

    def _after(self, side: str, information: Sequence[Step]) -> Mixture | None:
        """The choices of a side of hidden information after what it did and saw."""
        said = self._written[0 if side == "player" else 1]
        number = 0
        for move, sees in information:
            choices = said[number] if number < len(said) else ()
            nexts = (each for choice in choices if choice["moves"] == [move] for each in choice.get("next", ()))
            number = next((each["then"] for each in nexts if each["sees"] == list(sees)), len(said))
        return _mixture(said[number]) if number < len(said) else None


def _columns(where: Key) -> tuple[Any, ...]:
    """A key as text."""
    if isinstance(where, Position):
        return " ".join(where.facts), where.depth
    return ("; ".join(f"{step.move} [{' '.join(step.sees)}]" for step in where),)


def _mixture(choices: list[dict[str, Any]]) -> Mixture:
    return {tuple(choice["moves"]): fraction(choice["probability"]) for choice in choices}
