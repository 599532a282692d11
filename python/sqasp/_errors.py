"""Exceptions: three, by what has to be changed."""


class SqaspError(Exception):
    """There is no answer: a limit came before anything was known, the game is too large, or a program is missing.

    It is the base of the others.
    """


class GameError(SqaspError):
    """A text or a file is not valid: rules, a program, a formula, a model, a strategy or a table."""


class QuestionError(SqaspError, ValueError):
    """An argument makes no sense, alone or for this game."""
