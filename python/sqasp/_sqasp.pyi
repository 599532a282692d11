from collections.abc import Sequence
from pathlib import Path

__version__: str

def texts_of_game(
    files: list[tuple[str, bytes]], with_files_beside: bool, settings: list[tuple[str, int]]
) -> list[tuple[str, bytes]]: ...

def value_text(lower: str, upper: str, in_percent: bool) -> str: ...

class GameState:
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class Table:
    def __init__(self, folder: str) -> None: ...
    def about(self) -> tuple[str, str, str, int, int]: ...
    def rules(self) -> str: ...
    def values(self, facts: list[str] | None) -> list[tuple[int, str]]: ...
    def moves(self, facts: list[str] | None, steps: int) -> list[tuple[str, str]]: ...
    def mixtures(
        self, facts: list[str] | None, steps: int
    ) -> tuple[list[tuple[str, str]], list[tuple[list[str], str]]] | None: ...

class Rules:
    name: str
    warnings: str
    is_hidden: bool
    roles: list[str]
    def player(self, role: str) -> int: ...
    def role(self, role: str) -> int: ...
    def __init__(
        self, files: list[tuple[str, bytes]], strict: bool, perfect_information: bool, team: str | None
    ) -> None: ...
    def moves(self, role: str) -> list[str] | None: ...
    def initial(self) -> GameState: ...
    def impossible_fact(self, facts: list[str]) -> str | None: ...
    def state(self, facts: list[str]) -> GameState: ...
    def facts(self, state: GameState) -> list[str]: ...
    def boards(self, facts: list[str]) -> tuple[list[tuple[str, list[list[str]]]], list[str]]: ...
    def look(self, state: GameState) -> tuple[bool, list[list[str]], list[str | None]]: ...
    def next(self, state: GameState, joint_move: Sequence[str]) -> tuple[GameState, list[str]]: ...
    def next_by_role(self, state: GameState, moves: list[tuple[str, str]]) -> tuple[GameState, list[str]]: ...
    def percepts(self, state: GameState, joint_move: Sequence[str]) -> list[list[str]]: ...
    def export(
        self,
        path: Path,
        *,
        to: str,
        role: str | None,
        depth: int | None,
        objective: str,
        start: list[str] | None,
        mixed: bool,
        fix: str | None,
        strategy: str | None,
        states: int | None,
        time: float | None,
        memory: int | None,
    ) -> tuple[tuple[int, int, int], tuple[str, str] | None]: ...
    def solve(
        self,
        *,
        role: str | None,
        opponents: str | None,
        depth: int | None,
        objective: str,
        start: list[str] | None,
        mixed: bool,
        moves: bool,
        strategy: int | None,
        engine: str,
        threads: int | None,
        time: float | None,
        memory: int | None,
    ) -> tuple[str, str | None]: ...
    def curve(
        self,
        first: int,
        last: int,
        *,
        role: str | None,
        objective: str,
        start: list[str] | None,
        engine: str,
        threads: int | None,
        time: float | None,
        memory: int | None,
    ) -> str: ...
    def plan(
        self,
        *,
        goal: int | None,
        depth: int | None,
        start: list[str] | None,
        plans: int | None,
        time: float | None,
        memory: int | None,
    ) -> str: ...
    def prove(
        self, properties: list[str], assumed: list[str], *, time: float | None
    ) -> str: ...
    def verify(self, strategy: str, *, time: float | None) -> str: ...
    def translate(self, stage: str, role: str | None, depth: int) -> str: ...

class Evaluator:
    def __init__(self, rules: Rules, objective: str, threads: int | None) -> None: ...
    def evaluate(
        self, facts: list[str], role: str, depth: int | None, moves: bool, time: float | None
    ) -> tuple[tuple[str, str], list[tuple[str, str, str]]]: ...

def solve_program(text: str, *, moves: bool, time: float | None, memory: int | None) -> str: ...
def solve_formula(text: bytes, *, time: float | None, memory: int | None) -> str: ...
def solve_graph(
    is_maximizing: list[bool],
    choices: list[list[list[tuple[int, int]]]],
    payoffs: list[str | None],
    *,
    time: float | None,
    memory: int | None,
) -> list[tuple[str, str, int]]: ...
def solve_model(
    file: bytes,
    *,
    objective: str,
    players: list[str] | None,
    depth: int | None,
    time: float | None,
    memory: int | None,
) -> str: ...
def run_command(arguments: list[str]) -> int: ...
