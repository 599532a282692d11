"""Values checked by Storm, a program that shares nothing with this one. Needs ``stormpy`` 2.0 or newer.

    >>> import sqasp.storm                                          # doctest: +SKIP
    >>> sqasp.storm.check(sqasp.Game.load("games/stochastic_ttt.gdl"))    # doctest: +SKIP
    (Fraction(164832, 390625), Fraction(164832, 390625))
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from ._game import Game, State
from ._strategy import Strategy

if TYPE_CHECKING:
    from typing_extensions import Unpack


class SizeOptions(TypedDict, total=False):
    """Options of :meth:`sqasp.Game.export` that say which part of the game is written."""

    depth: int | None
    start: State | Sequence[str] | None
    states: int | None
    time: float | None
    memory: int | None


class ModelOptions(SizeOptions, total=False):
    """Options of :meth:`sqasp.Game.export` for a model."""

    role: str | None
    objective: str
    fix: str | None
    strategy: str | Strategy | None



def _stormpy() -> Any:
    try:
        import stormpy
        import stormpy.io
    except ImportError as error:
        raise ImportError(f"sqasp.storm needs stormpy 2.0 or newer: pip install stormpy ({error})") from error
    return stormpy


def model(game: Game, *, valuations: bool = False, decimals: bool = False, **export: Unpack[ModelOptions]) -> Any:
    """The reachable game as Storm's sparse model, with exact numbers, or with floating point where ``decimals=True``.

    ``export`` are the arguments of :meth:`sqasp.Game.export`: with ``fix="role"`` or ``fix="opponents"`` it is a Markov
    decision process (or a chain), which Storm can check; without, a game, which it can only hold. Labels are ``win`` and
    ``terminal``, the reward is ``score``, choices have the names of moves.
    """
    stormpy = _stormpy()
    options = stormpy.io.UmbImportOptions()
    kinds = stormpy.io.UmbImportValueType
    options.value_type = kinds.DOUBLE if decimals else kinds.RATIONAL
    options.build_state_valuations = valuations
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "game.umb"
        game.export(file, "umb-decimals" if decimals else "umb", **export)
        return stormpy.build_model_from_umb(file, options=options)


def value(checked: Any, objective: str = "win", direction: str = "max") -> Fraction:
    """What Storm says of the initial state of a model: the best that the one who chooses in it can do."""
    stormpy = _stormpy()
    # A chain has nothing to choose.
    direction = direction if checked.model_type.name == "MDP" else ""
    is_mean = objective in ("score", "points")
    formula = f'R{{"score"}}{direction}=? [C]' if is_mean else f'P{direction}=? [F "win"]'
    result = stormpy.model_checking(checked, stormpy.parse_properties(formula)[0], only_initial_states=True)
    found = Fraction(str(result.get_value(checked.initial_states[0])))
    return found * 100 if objective == "points" else found


def check(
    game: Game, role: str | None = None, *, objective: str = "win", decimals: bool = False, **export: Unpack[SizeOptions]
) -> tuple[Fraction, Fraction]:
    """What Storm says a role gets: with the role's choices fixed, and with those of its opponents fixed.

    The first fraction is what the role can guarantee at least, the second what its opponents allow at most. If they are the
    same it is the value, whatever one believes about sqasp: only the list of states is taken from it. With ``decimals=True``
    both are rounded: Storm then computes in floating point, which takes long fractions that its exact elimination does not.
    """
    fixed = [
        model(game, decimals=decimals, role=role, objective=objective, fix=side, **export) for side in ("role", "opponents")
    ]
    return value(fixed[0], objective, "min"), value(fixed[1], objective, "max")
