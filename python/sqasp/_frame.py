"""Rows as frames of pandas."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas


def frame(columns: list[str], rows: Iterable[tuple[Any, ...]]) -> pandas.DataFrame:
    """A frame with these columns."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError(f"to_frame needs pandas: pip install pandas ({error})") from error
    return pandas.DataFrame(list(rows), columns=columns)
