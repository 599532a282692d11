"""Fractions as text, however long: Python itself refuses whole numbers of more than 4,300 decimal digits."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import cast

_PART = 4000
"""A number of digits that Python converts."""


def fraction(text: str) -> Fraction:
    """The fraction that a text such as ``2/3`` or ``5`` writes; for ``infinite`` ``math.inf``."""
    if text == "infinite":
        return cast(Fraction, math.inf)
    numerator, _, denominator = text.partition("/")
    return Fraction(whole(numerator), whole(denominator or "1"))


def whole(digits: str) -> int:
    """The whole number with these digits."""
    if len(digits) <= _PART:
        return int(digits)
    if digits.startswith("-"):
        return -whole(digits[1:])
    half = len(digits) // 2
    # For mypy the power of a number is anything.
    shift: int = 10**half
    return whole(digits[:-half]) * shift + whole(digits[-half:])


def text_of(value: Fraction) -> str:
    """The text of a fraction."""
    numerator = _digits(value.numerator)
    return numerator if value.denominator == 1 else f"{numerator}/{_digits(value.denominator)}"


def _digits(number: int) -> str:
    if abs(number) < 10**_PART:
        return str(number)
    if number < 0:
        return "-" + _digits(-number)
    # A bit is about 0.301 digits.
    half = number.bit_length() * 3 // 20
    shift: int = 10**half
    upper, lower = divmod(number, shift)
    return _digits(upper) + _digits(lower).zfill(half)


def points(told: int | str | None) -> int | Fraction | None:
    """Points as they are told: whole ones as an ``int``."""
    if told is None:
        return None
    number = Fraction(told)
    return int(number) if number.denominator == 1 else number
