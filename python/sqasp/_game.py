"""Games, their states, and questions about them."""

from __future__ import annotations

import html
import json
import random
import warnings
from collections import deque
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, overload
from weakref import WeakValueDictionary

from ._answer import Answer, Curve, Export, Finding, MoveValue, Plan, Verification, bound_of, fraction_of
from ._digits import fraction, points
from ._errors import QuestionError
from ._sqasp import Evaluator as _Evaluator
from ._sqasp import GameState, Rules
from ._sqasp import solve_formula as _solve_formula
from ._sqasp import solve_program as _solve_program
from ._sqasp import texts_of_game as _texts_of_game
from ._strategy import Step, Strategy

if TYPE_CHECKING:
    from typing_extensions import Unpack


class StateOptions(TypedDict, total=False):
    """Options of :meth:`Game.solve` that make sense in every state."""

    opponents: str | Strategy | None
    objective: str
    mixed: bool
    strategy: bool | int
    engine: str
    threads: int | None
    time: float | None
    memory: int | None


class MovesOptions(StateOptions, total=False):
    """Options of :meth:`Game.moves`."""

    depth: int | None
    start: State | Sequence[str] | None


class _Way:
    """How a state of a game of hidden information was reached: the state before, and the joint move made there."""

    __slots__ = ("before", "moves", "_sees")

    def __init__(self, before: State, moves: tuple[str, ...]) -> None:
        self.before = before
        self.moves = moves
        self._sees: list[list[str]] | None = None

    def step(self, role: int) -> Step:
        if self._sees is None:
            self._sees = self.before.game._rules.percepts(self.before._state, self.moves)
        return Step(self.moves[role], tuple(self._sees[role]))


class State:
    """A state of a game. It does not change: :meth:`play` gives another one.

    States with the same facts are equal, also where play came to them in different ways.
    """

    __slots__ = ("game", "_state", "_way", "_facts", "_seen")

    def __init__(self, game: Game, state: GameState, way: _Way | None = None) -> None:
        self.game = game
        self._state = state
        self._way = way
        self._facts: tuple[str, ...] | None = None
        self._seen: tuple[bool, list[list[str]], list[str | None]] | None = None

    @property
    def facts(self) -> tuple[str, ...]:
        """The facts that hold, sorted."""
        if self._facts is None:
            self._facts = tuple(sorted(self.game._rules.facts(self._state)))
        return self._facts

    def _look(self) -> tuple[bool, list[list[str]], list[str | None]]:
        if self._seen is None:
            self._seen = self.game._rules.look(self._state)
        return self._seen

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.game is other.game and self._state == other._state

    def __hash__(self) -> int:
        return hash(self._state)

    def __copy__(self) -> State:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        if self._way is None:
            return _state_again, (self.game, self.facts)
        ways = self._ways()
        return _state_after, (ways[0].before, [way.moves for way in ways])

    def __deepcopy__(self, memo: Any) -> State:
        return self

    def __repr__(self) -> str:
        return f"<State of {self.game.name}: {' '.join(self.facts)}>"

    @property
    def is_terminal(self) -> bool:
        """Whether play is over."""
        return self._look()[0]

    def legal(self, role: str) -> list[str]:
        """The legal moves of a role; none where play is over."""
        return list(self._look()[1][self.game._index(role)])

    def goals(self) -> dict[str, int | Fraction | None]:
        """The points of each role, as far as the state has exactly one number for it."""
        return dict(zip(self.game.roles, map(points, self._look()[2])))

    def play(self, /, *joint_move: str, **moves: str) -> State:
        """The state after a joint move.

        It is given as one move for each role, in the order of ``game.roles``; or by role, as in ``play(xplayer="(mark 2 2)")``, and then
        roles with one legal move only may be left out.

        Raises:
            QuestionError: if play is over, or a move is missing or not legal.
        """
        if joint_move and moves:
            raise QuestionError("moves are given in the order of roles, or by role: not both")
        rules = self.game._rules
        if joint_move:
            state, made = rules.next(self._state, joint_move)
        else:
            state, made = rules.next_by_role(self._state, list(moves.items()))
        # Where nothing is hidden nothing needs the way, which would keep all states of a play.
        way = _Way(self, tuple(made)) if rules.is_hidden else None
        return State(self.game, state, way)

    def _ways(self) -> list[_Way]:
        """The steps that led here from the first state that is known."""
        ways = []
        state = self
        while state._way is not None:
            ways.append(state._way)
            state = state._way.before
        return ways[::-1]

    def information(self, role: str) -> list[Step]:
        """All that a role knows in a game of hidden information: its moves and what it saw, from the state in which :meth:`play` began.

        Raises:
            QuestionError: if all roles see everything in this game.
        """
        if not self.game._rules.is_hidden:
            raise QuestionError("all roles see everything in this game: no rule says what a role `sees`")
        index = self.game._index(role)
        return [way.step(index) for way in self._ways()]

    def sample(self, rng: random.Random | None = None) -> State:
        """The state after a joint move at random."""
        choose = (rng or random).choice
        return self.play(*(choose(moves) for moves in self._look()[1] if moves))

    def moves(self, role: str, depth: int | None = None, **options: Unpack[StateOptions]) -> tuple[MoveValue, ...]:
        """The values of the legal moves of a role here, best first."""
        return self.game.solve(role, depth=depth, start=self, moves=True, **options).moves

    def _repr_html_(self) -> str:
        boards, others = self.game._rules.boards(list(self.facts))
        tables = ""
        for name, rows in boards:
            lines = ("".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in rows)
            table = "".join(f"<tr>{line}</tr>" for line in lines)
            tables += f"<table><caption>{html.escape(name)}</caption>{table}</table>"
        return f"{tables}<p><code>{html.escape(' '.join(others))}</code></p>"


class GameWarning(UserWarning):
    """Something is odd about the rules of a game that was read."""


_Source = tuple[tuple[tuple[str, bytes], ...], bool, bool, str | None]
"""Texts with names, whether they are read strictly, whether all roles are taken to see everything, and a team."""


class Game:
    """The rules of a game."""

    def __init__(self, source: _Source) -> None:
        files, strict, assume_perfect_information, team = source
        self._source = source
        self._rules = Rules(list(files), strict, assume_perfect_information, team)
        self.roles: tuple[str, ...] = tuple(self._rules.roles)
        _games.setdefault(source, self)

    @classmethod
    def _read(cls, source: _Source) -> Game:
        game = cls(source)
        if game.warnings:
            warnings.warn(game.warnings, GameWarning, stacklevel=3)
        return game

    @classmethod
    def load(
        cls,
        path: str | Path,
        *paths: str | Path,
        set: Mapping[str, int] | None = None,
        strict: bool = False,
        assume_perfect_information: bool = False,
    ) -> Game:
        """Reads a game from files; several are read as one. What is odd about them is a :class:`GameWarning`.

        Args:
            set: numbers for parameters of the game, such as ``{"target": 30}``.

        Raises:
            GameError: if the rules are not those of a valid game, with all that is wrong.
            QuestionError: if the game has no such parameter, or not with this number.
            OSError: if a file cannot be read.
        """
        files = [(str(each), Path(each).read_bytes()) for each in (path, *paths)]
        texts = _texts_of_game(files, True, list((set or {}).items()))
        return cls._read((tuple(texts), strict, assume_perfect_information, None))

    @classmethod
    def loads(
        cls,
        text: str,
        name: str = "game",
        set: Mapping[str, int] | None = None,
        strict: bool = False,
        assume_perfect_information: bool = False,
    ) -> Game:
        """Reads a game from text, which may use the built-in libraries. What is odd about it is a :class:`GameWarning`.

        Raises:
            GameError: if the rules are not those of a valid game, with all that is wrong.
            QuestionError: if the game has no such parameter, or not with this number.
        """
        texts = _texts_of_game([(name, text.encode())], False, list((set or {}).items()))
        return cls._read((tuple(texts), strict, assume_perfect_information, None))

    def __deepcopy__(self, memo: Any) -> Game:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _game_again, (self._source,)

    def __repr__(self) -> str:
        return f"<Game {self.name}: {', '.join(self.roles)}>"

    @property
    def name(self) -> str:
        """The name of the game: that of its file without the ending."""
        return self._rules.name

    @property
    def warnings(self) -> str:
        """What is odd about the rules, a line for each kind."""
        return self._rules.warnings

    @property
    def players(self) -> tuple[str, ...]:
        """The roles that choose: all but ``random``."""
        return tuple(role for role in self.roles if role != "random")

    def _index(self, role: str) -> int:
        return self._rules.role(role)

    def initial(self) -> State:
        """The initial state."""
        return State(self, self._rules.initial())

    def state(self, *facts: str) -> State:
        """The state with these facts; warns of one that no play can make true."""
        fact = self._rules.impossible_fact(list(facts))
        if fact is not None:
            warnings.warn(f"no play of {self.name} makes {fact} true", GameWarning, stacklevel=2)
        return State(self, self._rules.state(list(facts)))

    def solve(
        self,
        role: str | None = None,
        *,
        opponents: str | Strategy | None = None,
        depth: int | None = None,
        objective: str = "win",
        start: State | Sequence[str] | None = None,
        mixed: bool = False,
        moves: bool = False,
        strategy: bool | int = False,
        engine: str = "auto",
        threads: int | None = None,
        time: float | None = None,
        memory: int | None = None,
    ) -> Answer:
        """What a role can guarantee.

        Args:
            role: the role that wants to win; by default the first that is not ``random``. ``ann+bob`` is a team.
            opponents: ``random`` for opponents that move at random, ``greedy`` for ones that look two steps ahead,
                ``selfish`` where each role plays for itself,
                or a strategy of one of them; else they play against the role together, as well as possible.
            depth: how many steps count; all if it is left out.
            objective: ``win``, ``goal>=N``, ``points`` or ``score``; ``fewest-steps`` or ``most-steps`` for the mean number of steps
                until play is over.
            start: the state that play starts from.
            mixed: whether no role knows the moves of others of the same step, so that both sides may throw dice.
            moves: whether each legal first move is valued.
            strategy: whether the moves of both sides are given; a number is the most positions.
            engine: ``auto``, ``emm``, ``xssat``, ``depqbf``, ...
            threads: how many, from 1 to 1024; as many as there are cores if it is left out.
            time: seconds. memory: bytes.

        Ctrl-C raises ``KeyboardInterrupt``. At a limit the answer has proved bounds.
        """
        positions = 1_000_000 if strategy is True else strategy or None
        text, written = self._rules.solve(
            role=role,
            opponents=_text(opponents),
            depth=depth,
            objective=objective,
            start=_facts(start),
            mixed=mixed,
            moves=moves,
            strategy=positions,
            engine=engine,
            threads=threads,
            time=time,
            memory=memory,
        )
        return Answer.of(text, written)

    def moves(self, role: str | None = None, **options: Unpack[MovesOptions]) -> tuple[MoveValue, ...]:
        """The values of the legal first moves of a role, best first: :meth:`solve` with ``moves``."""
        return self.solve(role, moves=True, **options).moves

    def curve(
        self,
        depths: range,
        role: str | None = None,
        *,
        objective: str = "win",
        start: State | Sequence[str] | None = None,
        engine: str = "auto",
        threads: int | None = None,
        time: float | None = None,
        memory: int | None = None,
    ) -> Curve:
        """The value for each number of steps; where a limit came first, proved bounds at the last one."""
        if depths.step != 1 or not depths:
            raise QuestionError("a curve needs a range of numbers of steps, such as range(1, 10)")
        text = self._rules.curve(
            depths[0],
            depths[-1],
            role=role,
            objective=objective,
            start=_facts(start),
            engine=engine,
            threads=threads,
            time=time,
            memory=memory,
        )
        points: dict[int, Fraction | tuple[Fraction, Fraction]] = {}
        for point in json.loads(text)["curve"]:
            value = fraction_of(point.get("value"))
            points[point["depth"]] = (bound_of(point["lower"]), bound_of(point["upper"])) if value is None else value
        return Curve(points)

    def export(
        self,
        path: str | Path,
        to: str = "umb",
        *,
        role: str | None = None,
        depth: int | None = None,
        objective: str = "win",
        start: State | Sequence[str] | None = None,
        mixed: bool = False,
        fix: str | None = None,
        strategy: str | Strategy | None = None,
        states: int | None = None,
        time: float | None = None,
        memory: int | None = None,
    ) -> Export:
        """Writes the reachable game for other programs.

        Args:
            path: the file.
            to: ``umb`` (Storm, PRISM), ``umb-decimals`` (PRISM-games, which reads no fractions), ``efg`` (Gambit) or ``dot`` (Graphviz).
            mixed: no role knows the moves of others of the same step; in ``efg``.
            fix: ``role`` or ``opponents``, to leave choices to the other side; the fixed one plays as well as possible.
            strategy: the moves of the fixed side instead.
            states: refuse a game with more states.
        """
        sizes, bounds = self._rules.export(
            Path(path),
            to=to,
            role=role,
            depth=depth,
            objective=objective,
            start=_facts(start),
            mixed=mixed,
            fix=fix,
            strategy=_text(strategy),
            states=states,
            time=time,
            memory=memory,
        )
        value = fraction(bounds[0]) if bounds is not None and bounds[0] == bounds[1] else None
        return Export(*sizes, value)

    def plan(
        self,
        *,
        goal: int | None = None,
        depth: int | None = None,
        start: State | Sequence[str] | None = None,
        plans: int | None = None,
        time: float | None = None,
        memory: int | None = None,
    ) -> Plan:
        """A shortest plan for the most points, or for at least ``goal`` points, of a single player.

        ``plans`` is the most plans to list beside it: those of the same length, or with ``depth`` all that are as good within that many moves.
        """
        said = json.loads(
            self._rules.plan(goal=goal, depth=depth, start=_facts(start), plans=plans, time=time, memory=memory)
        )
        moves = said.get("plan")
        return Plan(
            moves=None if moves is None else tuple(moves),
            goal=points(said.get("goal")),
            is_best=said.get("best") is True,
            is_shortest=said.get("shortest") is True,
            plans=tuple(map(tuple, said.get("plans", ()))),
            details=said,
        )

    def with_team(self, team: str) -> Game:
        """The game in which the roles of a team such as ``ann+bob`` are one role of this name. Its moves are ``(together MOVE MOVE)``."""
        files, strict, assume_perfect_information, _ = self._source
        return type(self)((files, strict, assume_perfect_information, team))

    def prove(
        self, *properties: str, assume: Sequence[str] = (), time: float | None = 60
    ) -> list[Finding]:
        """Findings about properties, such as ``"zero-sum"`` or ``"unique (control ?p)"``.

        Without properties about all that can be proved. ``assume`` names properties to use in the proofs; they are proved first.
        """
        found = json.loads(self._rules.prove(list(properties), list(assume), time=time))
        return [Finding(each["property"], each["verdict"], each) for each in found]

    def verify(self, strategy: str | Strategy, *, time: float | None = None) -> Verification:
        """Proves a strategy by the rules alone."""
        said = json.loads(self._rules.verify(_text(strategy), time=time))
        return Verification(said["status"], fraction_of(said.get("value")), said)

    def translate(self, stage: str = "sqasp", *, role: str | None = None, depth: int) -> str:
        """The text of a stage of the translation: ``sqasp``, ``aspif``, ``sdimacs`` or ``qdimacs``."""
        return self._rules.translate(stage, role, depth)


_games: WeakValueDictionary[_Source, Game] = WeakValueDictionary()
"""Games that are in use: what is unpickled belongs to the game of the same rules that is there."""

_unpickled: deque[Game] = deque(maxlen=16)
"""Games that were unpickled are kept for a while: the next state may need them."""


def _game_again(source: _Source) -> Game:
    game = _games.get(source) or Game(source)
    if game not in _unpickled:
        _unpickled.append(game)
    return game


def _state_again(game: Game, facts: Sequence[str]) -> State:
    return game.state(*facts)


def _state_after(state: State, moves: Sequence[Sequence[str]]) -> State:
    for joint_move in moves:
        state = state.play(*joint_move)
    return state


class Evaluator:
    """Values positions of a game one after the other, and keeps what it finds."""

    def __init__(self, game: Game, objective: str = "win", threads: int | None = None) -> None:
        self.game = game
        self._prefers_small = objective == "fewest-steps"
        self._evaluator = _Evaluator(game._rules, objective, threads)

    def value(
        self, state: State, role: str, depth: int | None = None, time: float | None = None
    ) -> Fraction | tuple[Fraction, Fraction]:
        """The value of a state; proved bounds where the time, in seconds, was too short. ``math.inf`` is an infinite number of steps."""
        (low, high), _ = self._evaluator.evaluate(list(state.facts), role, depth, False, time)
        lower, upper = fraction(low), fraction(high)
        return lower if lower == upper else (lower, upper)

    def moves(
        self, state: State, role: str, depth: int | None = None, time: float | None = None
    ) -> list[MoveValue]:
        """What each legal move of a role is worth in a state, best first."""
        _, moves = self._evaluator.evaluate(list(state.facts), role, depth, True, time)
        values = [MoveValue(move, fraction(low), fraction(high)) for move, low, high in moves]
        if self._prefers_small:
            values.sort(key=lambda each: (each.upper, each.lower, each.move))
            best = min((each.lower for each in values), default=Fraction(0))
            return [MoveValue(v.move, v.lower, v.upper, v.upper <= best) for v in values]
        values.sort(key=lambda each: (-each.lower, -each.upper, each.move))
        best = max((each.upper for each in values), default=Fraction(0))
        return [MoveValue(v.move, v.lower, v.upper, v.lower >= best) for v in values]


def _facts(start: State | Sequence[str] | None) -> list[str] | None:
    if start is None:
        return None
    return list(start.facts if isinstance(start, State) else start)


@overload
def _text(strategy: str | Strategy) -> str: ...
@overload
def _text(strategy: str | Strategy | None) -> str | None: ...
def _text(strategy: str | Strategy | None) -> str | None:
    return strategy.json if isinstance(strategy, Strategy) else strategy


def solve_program(
    text: str, *, moves: bool = False, time: float | None = None, memory: int | None = None
) -> Answer:
    """The value of a stochastic quantified answer set program; with ``moves`` also those of the choices of its first block.

    >>> solve_program("{ heads }. :- not heads. _chance(1,1,3,heads).").value
    Fraction(1, 3)
    >>> [move.move for move in solve_program("{ a; b } 1. :- not a. _exists(1,a). _exists(1,b).", moves=True).moves]
    ['a']
    """
    return Answer.of(_solve_program(text, moves=moves, time=time, memory=memory))


def solve_formula(text: str | bytes, *, time: float | None = None, memory: int | None = None) -> Answer:
    """The value of a formula in DIMACS, QDIMACS, SDIMACS or QCIR.

    >>> solve_formula("p cnf 2 2\\nr 1/3 1 0\\ne 2 0\\n1 -2 0\\n-1 2 0\\n").value
    Fraction(1, 1)
    """
    data = text.encode() if isinstance(text, str) else text
    return Answer.of(_solve_formula(data, time=time, memory=memory))
