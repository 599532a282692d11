"""Games in PRISM's language, built by Storm and written as UMB files: examples that come with PRISM-games, rebuilt.

What they are about is told by PRISM-games; the rules are written here anew. Values are known by hand, or from a few lines of
Python. PAYNT's checker, which computes in floating point, must find nearly the same.
"""

from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

import sqasp

stormpy = pytest.importorskip("stormpy", reason="STORM CHECKS NOTHING: stormpy is not installed")

import stormpy.environments  # noqa: E402
import stormpy.io  # noqa: E402

COIN = """
smg
player order order, [draw], [stop] endplayer
player tosser tosser, [toss] endplayer
player guesser guesser, [heads], [tails] endplayer

// Who goes on: nobody yet, the tosser (1), the guesser (2); 3 is the end.
global turn : [0..3] init 0;
module order
  [draw] turn=0 -> 1/2 : (turn'=1) + 1/2 : (turn'=2);
  [stop] turn=3 -> true;
endmodule
module tosser
  coin : [0..2] init 0;
  [toss] turn=1 -> 1/2 : (coin'=1) & (turn'=guess=0 ? 2 : 3) + 1/2 : (coin'=2) & (turn'=guess=0 ? 2 : 3);
endmodule
module guesser
  guess : [0..2] init 0;
  [heads] turn=2 -> (guess'=1) & (turn'=coin=0 ? 1 : 3);
  [tails] turn=2 -> (guess'=2) & (turn'=coin=0 ? 1 : 3);
endmodule
label "goal" = turn=3 & coin=guess;
"""

MESSAGES = """
smg
player server server, [send1], [send2] endplayer
player client client endplayer
module server
  sent : [0..2] init 0;
  [send1] sent=0 -> (sent'=1);
  [send2] sent=0 -> (sent'=2);
  [] got=0 -> (sent'=0);
endmodule
module client
  got : [0..2] init 0;
  [send1] got=0 -> 17/20 : (got'=1) + 3/20 : true;
  [send2] got=0 -> 17/20 : (got'=2) + 3/20 : true;
  [] got!=0 -> (got'=0);
  [] got!=0 -> true;
endmodule
label "goal" = got=2;
"""

DICE = """
smg
const int N = %d;
player first [throw1], [again1], [keep1] endplayer
player second [throw2], [again2], [keep2], [stop] endplayer

// 0 throws, 1 decides, 2 is done.
module first
  a : [0..2] init 0;
  x : [0..6] init 0;
  i : [1..N] init 1;
  [throw1] a=0 -> 1/6 : (a'=1) & (x'=1) + 1/6 : (a'=1) & (x'=2) + 1/6 : (a'=1) & (x'=3)
                + 1/6 : (a'=1) & (x'=4) + 1/6 : (a'=1) & (x'=5) + 1/6 : (a'=1) & (x'=6);
  [again1] a=1 & i<N -> (a'=0) & (i'=i+1);
  [keep1] a=1 -> (a'=2);
endmodule
module second
  b : [0..2] init 0;
  y : [0..6] init 0;
  j : [1..N] init 1;
  [throw2] a=2 & b=0 -> 1/6 : (b'=1) & (y'=1) + 1/6 : (b'=1) & (y'=2) + 1/6 : (b'=1) & (y'=3)
                      + 1/6 : (b'=1) & (y'=4) + 1/6 : (b'=1) & (y'=5) + 1/6 : (b'=1) & (y'=6);
  [again2] b=1 & j<i -> (b'=0) & (j'=j+1);
  [keep2] b=1 -> (b'=2);
  [stop] b=2 -> true;
endmodule
label "goal" = b=2 & x>y;
"""


def dice(most: int, choose=min) -> Fraction:
    """How often the first player wins in DICE. The second may throw as often as the first did, and chooses the least, or the most."""

    def mean(values) -> Fraction:
        return sum(values, Fraction(0)) / 6

    @cache
    def second(x: int, left: int) -> Fraction:
        kept = [Fraction(x > y) for y in range(1, 7)]
        return mean(choose(now, second(x, left - 1)) if left > 1 else now for now in kept)

    @cache
    def first(thrown: int) -> Fraction:
        return mean(max(second(x, thrown), first(thrown + 1) if thrown < most else Fraction(0)) for x in range(1, 7))

    return first(1)


def build(text: str, place: Path):
    source = place / "model.prism"
    source.write_text(text)
    model = stormpy.build_model(stormpy.parse_prism_program(str(source)))
    decimals = stormpy.io.UmbExportOptions()
    decimals.value_type = stormpy.io.UmbExportValueType.DOUBLE
    stormpy.io.export_to_umb(model, str(place / "model.umb"), options=decimals)
    return model, place / "model.umb"


@pytest.mark.parametrize(
    ("text", "players", "value"),
    [
        # Who moves last knows the coin; a guesser that works against the others is wrong when it knows, and half the time else.
        (COIN, ["order", "tosser", "guesser"], Fraction(3, 4)),
        (COIN, ["tosser", "guesser"], Fraction(3, 4)),
        (COIN, ["guesser"], Fraction(3, 4)),
        (COIN, ["order", "tosser"], Fraction(1, 4)),
        (COIN, ["order"], Fraction(1, 4)),
        # The client stops at the message it wants, or at another one, for ever.
        (MESSAGES, ["server", "client"], Fraction(1)),
        (MESSAGES, ["server"], Fraction(1)),
        (MESSAGES, ["client"], Fraction(0)),
        *((DICE % most, ["first"], dice(most)) for most in (1, 2, 3, 5)),
        *((DICE % most, ["first", "second"], dice(most, max)) for most in (1, 3)),
    ],
)
def test_games_of_prism_have_their_values(text: str, players: list[str], value: Fraction, tmp_path: Path) -> None:
    payntbind = pytest.importorskip("payntbind", reason="PAYNT CHECKS NOTHING: paynt is not installed")
    model, file = build(text, tmp_path)
    found = sqasp.solve_model(file, "goal", players=players).value
    assert found == value
    environment = stormpy.environments.default(model)
    question = stormpy.parse_properties(f'<<{",".join(players)}>> Pmax=? [F "goal"]')[0].get_raw_formula()
    result = payntbind.synthesis.model_check_smg(model, question, env=environment)
    assert result.get_value(model.initial_states[0]) == pytest.approx(float(value), abs=1e-6)


def test_a_limit_on_the_steps_counts(tmp_path: Path) -> None:
    _, file = build(MESSAGES, tmp_path)
    # A message that was lost is sent again after a step in which the server starts anew.
    for depth, value in [(0, 0), (1, Fraction(17, 20)), (2, Fraction(17, 20)), (3, 1 - Fraction(3, 20) ** 2)]:
        assert sqasp.solve_model(file, "goal", players=["server"], depth=depth).value == value
