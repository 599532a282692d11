"""The examples run, and the documents show what they print."""

import doctest
import runpy
from pathlib import Path

import pytest

import sqasp
import sqasp._game
import sqasp._graph

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def test_from_rules_to_a_strategy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr("sys.argv", ["example", str(tmp_path)])
    runpy.run_path(str(EXAMPLES / "rules_to_strategy.py"), run_name="__main__")
    assert "no pictures" in capsys.readouterr().out or "<svg" in (tmp_path / "bent_coin.svg").read_text()


def test_checking_a_value_with_storm() -> None:
    pytest.importorskip("stormpy", reason="STORM CHECKS NOTHING: stormpy is not installed")
    runpy.run_path(str(EXAMPLES / "check_with_storm.py"), run_name="__main__")


@pytest.mark.parametrize("module", [sqasp, sqasp._game, sqasp._graph], ids=lambda it: it.__name__)
def test_documentation_runs(module) -> None:
    tests = doctest.testmod(module)
    assert tests.attempted > 1
    assert tests.failed == 0


def test_pages_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line of Python of these pages that shows a fraction gives it."""
    root = EXAMPLES.parents[1]
    monkeypatch.chdir(root)
    for name in ("README.md", "python/README.md", "docs/how-to/python.md"):
        text = (root / name).read_text()
        for block in text.split("```python\n")[1:]:
            names: dict = {}
            for line in block.split("```")[0].splitlines():
                code, _, said = line.partition("  # ")
                if said.strip().startswith("Fraction("):
                    assert repr(eval(code, names)) == said.strip(), line
                else:
                    exec(code, names)
