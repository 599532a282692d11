"""Games for OpenSpiel. Needs ``open_spiel``. The import registers the game ``python_sqasp``:

    >>> import pyspiel, sqasp.openspiel                                         # doctest: +SKIP
    >>> game = pyspiel.load_game("python_sqasp(file=games/stochastic_ttt.gdl)")     # doctest: +SKIP
    >>> state = game.new_initial_state()                                        # doctest: +SKIP

Its parameters are those of :func:`load_game`, with ``file`` for the rules, and ``depth=0`` for all steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from ._answer import Answer
from ._errors import QuestionError, SqaspError
from ._game import Game, State
from ._strategy import Step

try:
    import pyspiel
    from open_spiel.python.policy import Policy
except ImportError as error:
    raise ImportError(f"sqasp.openspiel needs OpenSpiel: pip install open_spiel ({error})") from error

UNBOUNDED = 1_000_000
"""How long plays may be where no depth is given."""

PARAMETERS = {"file": "", "role": "", "objective": "points", "depth": 0}
"""Parameters of the registered game."""


def load_game(source: str | Path | Game, role: str | None = None, *, objective: str = "points", depth: int | None = None) -> SpielGame:
    """An OpenSpiel game from a file, from rules as text, or from a game.

    A game with ``sees`` is one of imperfect information: the information state of a player is all that it did and saw.
    Moves of ``random`` are chance nodes. Where several players have a choice in one step, it is a simultaneous node: OpenSpiel lets them
    choose without knowing of each other, while sqasp values what ``role`` can guarantee if it chooses first.

    Args:
        role: the player whose value is asked for; with two players the other one gets the negative of what it gets, so
            that OpenSpiel's values are those of :meth:`sqasp.Game.solve`.
        objective: what a player gets: ``points``, ``score`` (points / 100), ``win`` (1 for 100 points) or ``goal>=N``.
        depth: the number of steps after which play is over, and worth nothing.
    """
    parameters = {"role": role or "", "objective": objective, "depth": depth or 0}
    if isinstance(source, Game):
        return SpielGame(parameters, source)
    if isinstance(source, str) and "(" in source:
        return SpielGame(parameters, Game.loads(source))
    return SpielGame({"file": str(source), **parameters})


def _worth(objective: str, points: int | Fraction) -> float:
    if objective == "win":
        return float(points >= 100)
    if objective.startswith("goal>="):
        return float(points >= Fraction(objective.removeprefix("goal>=")))
    if objective == "score":
        return float(points / 100)
    if objective == "points":
        return float(points)
    raise QuestionError(f"there is no objective {objective!r}: win, goal>=N, score or points")


def _type(long_name: str, count: int, takes_turns: bool, has_chance: bool, is_hidden: bool) -> Any:
    """The type of a game with this number of players."""
    kinds = pyspiel.GameType
    return kinds(
        short_name="python_sqasp",
        long_name=long_name,
        dynamics=kinds.Dynamics.SEQUENTIAL if takes_turns else kinds.Dynamics.SIMULTANEOUS,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC if has_chance else kinds.ChanceMode.DETERMINISTIC,
        information=kinds.Information.IMPERFECT_INFORMATION if is_hidden else kinds.Information.PERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM if count == 2 else kinds.Utility.GENERAL_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=count,
        min_num_players=count,
        provides_information_state_string=is_hidden,
        provides_information_state_tensor=False,
        provides_observation_string=False,
        provides_observation_tensor=False,
        parameter_specification=PARAMETERS,
        default_loadable=False,
    )


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game as OpenSpiel sees it: from its parameters, or from rules that were read."""

    def __init__(self, parameters: Mapping[str, Any] | None = None, game: Game | None = None) -> None:
        asked = {**PARAMETERS, **(parameters or {})}
        if game is None:
            if not asked["file"]:
                raise QuestionError("there is no file of rules: load python_sqasp(file=games/figure_1.gdl)")
            game = Game.load(asked["file"])
        self.game = game
        self.is_hidden = game._rules.is_hidden
        self.objective: str = asked["objective"]
        self.depth: int | None = asked["depth"] or None
        _worth(self.objective, 0)
        self.indexes = [game.roles.index(name) for name in game.players]
        self.asked = self.indexes.index(game._rules.player(asked["role"] or game.players[0]))
        self.chance = game.roles.index("random") if "random" in game.roles else None
        names = [game._rules.moves(role) for role in game.roles]
        if any(moves is None for moves in names):
            raise SqaspError("the moves of this game cannot be listed: it has no circuit of moderate size")
        self.names: list[list[str]] = [list(moves or ()) for moves in names]
        self.numbers = [{move: number for number, move in enumerate(moves)} for moves in self.names]
        count = len(self.indexes)
        takes_turns = count == 1 or bool(game.prove("turn-taking", time=5)[0])
        limit = 100.0 if self.objective == "points" else 1.0
        spiel_type = _type(game.name, count, takes_turns, self.chance is not None, self.is_hidden)
        info = pyspiel.GameInfo(
            num_distinct_actions=max(len(self.names[index]) for index in self.indexes),
            max_chance_outcomes=0 if self.chance is None else len(self.names[self.chance]),
            num_players=count,
            min_utility=-limit if count == 2 or self.objective in ("points", "score") else 0.0,
            max_utility=limit,
            utility_sum=0.0 if count == 2 else None,
            max_game_length=self.depth or UNBOUNDED,
        )
        super().__init__(spiel_type, info, asked)

    def new_initial_state(self) -> SpielState:
        """The state at the beginning."""
        return SpielState(self)

    def make_py_observer(self, kind: Any = None, parameters: Any = None) -> SpielObserver:
        """What gives information states to OpenSpiel's own code."""
        return SpielObserver()

    def __deepcopy__(self, memo: Any) -> SpielGame:
        return self


class SpielObserver:
    """Gives information states as text."""

    tensor = None
    dict: dict[str, Any] = {}

    def set_from(self, state: SpielState, player: int) -> None:
        """There is no tensor."""

    def string_from(self, state: SpielState, player: int) -> str:
        """What a player knows."""
        return state.information_state_string(player)


class SpielPolicy(Policy):  # type: ignore[misc]
    """What both sides do by an answer with a strategy, in a game of hidden information of one or two players.

    Where the strategy does not lead, all moves have the same probability.
    """

    def __init__(self, spiel: SpielGame, answer: Answer) -> None:
        if not spiel.is_hidden or len(spiel.indexes) > 2:
            raise QuestionError("a policy needs a game of hidden information of one or two players")
        super().__init__(spiel, list(range(len(spiel.indexes))))
        self.answer = answer

    def action_probabilities(self, state: SpielState, player_id: int | None = None) -> dict[int, float]:
        """The probability of each legal action."""
        player = state.current_player() if player_id is None else player_id
        spiel, legal = state.spiel, state.legal_actions(player)
        information = state.information(player)
        names = spiel.names[spiel.indexes[player]]
        if player == spiel.asked:
            mixture = self.answer.mixture_at(information)
        else:
            found = self.answer.mixture_of_opponents_at(information)
            mixture = None if found is None else {moves[0]: share for moves, share in found.items()}
        if mixture is None:
            return {action: 1.0 / len(legal) for action in legal}
        return {action: float(mixture.get(names[action], 0)) for action in legal}


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A state as OpenSpiel sees it: between two steps, or within one, when chance has yet to choose."""

    def __init__(self, spiel: SpielGame) -> None:
        super().__init__(spiel)
        self.spiel = spiel
        self.state: State = spiel.game.initial()
        self.steps = 0
        # The moves of all roles where chance has yet to choose.
        self.made: list[str] | None = None
        self._settle()

    def _settle(self) -> None:
        """Lets chance choose where no player has a choice."""
        if self.made is None and not self.is_terminal() and self.spiel.chance is not None:
            legal = self.state._look()[1]
            if all(len(legal[index]) == 1 for index in self.spiel.indexes) and len(legal[self.spiel.chance]) > 1:
                self.made = [moves[0] for moves in legal]

    def _choosers(self) -> list[int]:
        """The players with a choice; the first one where none has."""
        legal = self.state._look()[1]
        several = [player for player, index in enumerate(self.spiel.indexes) if len(legal[index]) > 1]
        return several or [0]

    def current_player(self) -> int:
        """The chooser: a player, chance, several players at once, or none any more."""
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        if self.made is not None:
            return int(pyspiel.PlayerId.CHANCE)
        choosers = self._choosers()
        return choosers[0] if len(choosers) == 1 else int(pyspiel.PlayerId.SIMULTANEOUS)

    def _index(self, player: int) -> int:
        if player == pyspiel.PlayerId.CHANCE:
            assert self.spiel.chance is not None
            return self.spiel.chance
        return self.spiel.indexes[player]

    def _legal_actions(self, player: int) -> list[int]:
        index = self._index(player)
        numbers = self.spiel.numbers[index]
        return sorted(numbers[move] for move in self.state._look()[1][index])

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The moves of ``random``, all with the same probability."""
        legal = self._legal_actions(int(pyspiel.PlayerId.CHANCE))
        return [(action, 1.0 / len(legal)) for action in legal]

    def _apply_action(self, action: int) -> None:
        legal = self.state._look()[1]
        if self.made is not None:
            assert self.spiel.chance is not None
            self.made[self.spiel.chance] = self.spiel.names[self.spiel.chance][action]
            self._advance(self.made)
            return
        self._choose({self._choosers()[0]: action}, legal)

    def _apply_actions(self, actions: list[int]) -> None:
        self._choose(dict(enumerate(actions)), self.state._look()[1])

    def _choose(self, actions: dict[int, int], legal: list[list[str]]) -> None:
        made = [moves[0] for moves in legal]
        for player, action in actions.items():
            index = self.spiel.indexes[player]
            made[index] = self.spiel.names[index][action]
        if self.spiel.chance is not None and len(legal[self.spiel.chance]) > 1:
            self.made = made
        else:
            self._advance(made)

    def _advance(self, made: list[str]) -> None:
        self.state = self.state.play(*made)
        self.steps += 1
        self.made = None
        self._settle()

    def information(self, player: int) -> list[Step]:
        """What a player did and saw, step by step."""
        return self.state.information(self.spiel.game.players[player])

    def information_state_string(self, player: int | None = None) -> str:
        """The same as text, after the name of the player."""
        player = self.current_player() if player is None else player
        known = (f"{step.move} [{' '.join(step.sees)}]" for step in self.information(player))
        return f"{self.spiel.game.players[player]}: {'; '.join(known)}"

    def _action_to_string(self, player: int, action: int) -> str:
        return self.spiel.names[self._index(player)][action]

    def is_terminal(self) -> bool:
        """Whether play is over, or cut off."""
        return self.state.is_terminal or self.steps == self.spiel.depth

    def returns(self) -> list[float]:
        """What each player gets; nothing before the end."""
        count = len(self.spiel.indexes)
        if not self.state.is_terminal:
            return [0.0] * count
        goals = self.state.goals()
        worth = [_worth(self.spiel.objective, goals[name] or 0) for name in self.spiel.game.players]
        if count != 2:
            return worth
        asked = self.spiel.asked
        return [worth[asked] if player == asked else -worth[asked] for player in range(2)]

    def __str__(self) -> str:
        text = " ".join(self.state.facts)
        if self.spiel.depth is not None:
            text += f" after {self.steps} steps"
        if self.made is not None:
            text += " made " + " ".join(move for index, move in enumerate(self.made) if index != self.spiel.chance)
        return text


pyspiel.register_game(_type("A game in the Game Description Language", 1, True, True, False), SpielGame)
