"""Games that are not given by rules: as Python functions, and as files of other programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import Any, Generic, TypeVar

from ._answer import Said, bound_of
from ._digits import fraction, text_of
from ._errors import QuestionError, SqaspError
from ._sqasp import solve_graph as _solve_graph
from ._sqasp import solve_model as _solve_model

S = TypeVar("S", bound=Hashable)
Number = int | Fraction
Moves = Number | tuple[str, Mapping[Any, Any]]


@dataclass(frozen=True)
class Solution(Generic[S]):
    """What the states of a game are worth."""

    lower: dict[S, Fraction] = field(hash=False)
    """By state a proved lower bound of its value."""
    upper: dict[S, Fraction] = field(hash=False)
    """By state a proved upper bound of its value."""
    best: dict[S, Any] = field(hash=False)
    """By state a best action of the one who chooses there."""
    initial: S

    @property
    def value(self) -> Fraction | None:
        """The exact value of the initial state, if it is known."""
        lower, upper = self.lower[self.initial], self.upper[self.initial]
        return lower if lower == upper else None


@dataclass(frozen=True, eq=False)
class ModelValue(Said):
    """The probability of reaching a label, or proved bounds of it."""

    lower: Fraction
    upper: Fraction
    stopped_by: str | None
    details: dict[str, Any] = field(repr=False)

    @property
    def value(self) -> Fraction | None:
        """The exact probability, if it is known."""
        return self.lower if self.lower == self.upper else None


def _outcomes(said: Any) -> dict[Any, Fraction]:
    """The states that follow an action, with their probabilities."""
    if not isinstance(said, Mapping):
        return {said: Fraction(1)}
    chances = {}
    for state, chance in said.items():
        if isinstance(chance, float):
            raise QuestionError(f"the probability {chance} of {state!r} is a float: write a Fraction, such as Fraction(1, 3)")
        if chance < 0:
            raise QuestionError(f"the probability {chance} of {state!r} is negative")
        if chance:
            chances[state] = Fraction(chance)
    total = sum(chances.values())
    if total != 1:
        raise QuestionError(f"the probabilities of {list(chances)!r} sum up to {total}, not 1")
    return chances


def _payoff(said: Number, state: Any) -> Fraction:
    if isinstance(said, float):
        raise QuestionError(f"the payoff {said} of {state!r} is a float: write an int or a Fraction")
    payoff = Fraction(said)
    if not 0 <= payoff <= 1:
        raise QuestionError(f"the payoff {payoff} of {state!r} is not between 0 and 1: scale payoffs")
    return payoff


def solve_game(
    initial: S,
    moves: Callable[[S], Moves],
    *,
    depth: int | None = None,
    states: int = 1_000_000,
    time: float | None = None,
    memory: int | None = None,
) -> Solution[S]:
    """The exact value of a game given as a function.

    ``moves(state)`` says what can be done in a state: a number from 0 to 1 if play is over, which is its payoff; else
    ``("max", choices)`` or ``("min", choices)``, where ``choices`` maps each action of the one who chooses to the next state,
    or to a dict from next states to their probabilities. States are hashable. Play that never ends, or is not over
    after ``depth`` steps, is worth nothing.

    A gambler with 2 of 5 coins bets one or two of them at a time, until she has none or all; a bet wins with 2/5:

    >>> def moves(coins):
    ...     if coins in (0, 5):
    ...         return coins // 5
    ...     bets = range(1, min(coins, 5 - coins) + 1)
    ...     return "max", {bet: {coins + bet: Fraction(2, 5), coins - bet: Fraction(3, 5)} for bet in bets}
    >>> solution = solve_game(2, moves)
    >>> solution.value, solution.best[2]
    (Fraction(160, 589), 2)
    """
    numbers: dict[S, int] = {initial: 0}
    order: list[S] = [initial]
    is_max: list[bool] = []
    actions: list[list[Any]] = []
    choices: list[list[dict[int, Fraction]]] = []
    payoffs: list[Fraction | None] = []
    for state in order:
        said = moves(state)
        if not isinstance(said, tuple):
            is_max.append(True)
            actions.append([])
            choices.append([])
            payoffs.append(_payoff(said, state))
            continue
        who, ways = said
        if who not in ("max", "min"):
            raise QuestionError(f"moves({state!r}) says that {who!r} chooses: say 'max' or 'min'")
        if not ways:
            raise QuestionError(f"moves({state!r}) has no choices: give a payoff where play is over")
        is_max.append(who == "max")
        actions.append(list(ways))
        payoffs.append(None)
        choices.append([])
        for said in ways.values():
            outcomes: dict[int, Fraction] = {}
            for target, chance in _outcomes(said).items():
                if target not in numbers:
                    numbers[target] = len(order)
                    order.append(target)
                    if len(order) > states:
                        raise SqaspError(f"the game has more than {states} states: allow more with `states`")
                outcomes[numbers[target]] = chance
            choices[-1].append(outcomes)
    if depth is not None:
        if depth < 0:
            raise QuestionError(f"{depth} is no number of steps: use 0 or more")
        return _within(order, is_max, actions, choices, payoffs, depth)
    weighted = [[_weights(outcomes) for outcomes in ways] for ways in choices]
    texts = [None if payoff is None else text_of(payoff) for payoff in payoffs]
    try:
        found = _solve_graph(is_max, weighted, texts, time=time, memory=memory)
    except OverflowError:
        problem = "the probabilities of some action have a common denominator of more than 64 bits: `depth` has no such limit"
        raise SqaspError(problem) from None
    return Solution(
        lower={state: fraction(low) for state, (low, _, _) in zip(order, found)},
        upper={state: fraction(high) for state, (_, high, _) in zip(order, found)},
        best={state: ways[best] for state, ways, (_, _, best) in zip(order, actions, found) if ways},
        initial=initial,
    )


def _weights(outcomes: dict[int, Fraction]) -> list[tuple[int, int]]:
    common = lcm(*(chance.denominator for chance in outcomes.values()))
    return [(target, int(chance * common)) for target, chance in outcomes.items()]


def _within(
    order: list[S],
    is_max: list[bool],
    actions: list[list[Any]],
    choices: list[list[dict[int, Fraction]]],
    payoffs: list[Fraction | None],
    depth: int,
) -> Solution[S]:
    """Values within a number of steps: from none on."""
    values = [payoff or Fraction(0) for payoff in payoffs]
    best = [0] * len(order)
    for _ in range(depth):
        after = list(values)
        for state, ways in enumerate(choices):
            if ways:
                means = [sum((p * values[t] for t, p in way.items()), Fraction(0)) for way in ways]
                after[state] = max(means) if is_max[state] else min(means)
                best[state] = means.index(after[state])
        if after == values:
            break
        values = after
    found = dict(zip(order, values))
    chosen = {state: ways[place] for state, ways, place in zip(order, actions, best) if ways}
    return Solution(lower=found, upper=found, best=chosen, initial=order[0])


def solve_model(
    file: str | Path | bytes,
    objective: str = "win",
    *,
    players: list[str] | None = None,
    depth: int | None = None,
    time: float | None = None,
    memory: int | None = None,
) -> ModelValue:
    """The exact probability of reaching a label in a UMB file: a stochastic game, decision process or chain.

    Args:
        file: its path, or its bytes.
        objective: the label.
        players: those who want to reach it, all others want to avoid it; by default the first player.
        depth: how many steps count; all if it is left out.
    """
    data = file if isinstance(file, bytes) else Path(file).read_bytes()
    said = json.loads(
        _solve_model(data, objective=objective, players=players, depth=depth, time=time, memory=memory)
    )
    return ModelValue(bound_of(said["lower"]), bound_of(said["upper"]), said.get("stopped_by"), said)
