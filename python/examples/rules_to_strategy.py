"""From rules to a value and a strategy.

Run it with ``python python/examples/rules_to_strategy.py [FOLDER]``: pictures go into the folder. The tests run it.
"""

# %% A game: a coin is bent, and shows heads with 3 of 5. A player may toss it up to three times, and wins with the
# first tails after heads.
import sys
from fractions import Fraction
from pathlib import Path

import sqasp


def rules(heads: int, sides: int) -> str:
    """The game, with a coin that shows heads on some of its sides."""
    faces = " ".join(f"(face {side} {'heads' if side < heads else 'tails'})" for side in range(sides))
    return f"""
        (role player) (role random) {faces}
        (init (last tails))
        (legal player toss) (<= (legal player stop) (true (last heads)))
        (<= (legal random (show ?side)) (face ?side ?face))
        (<= (next (last ?face)) (does player toss) (does random (show ?side)) (face ?side ?face))
        (<= (next won) (does player toss) (true (last heads)) (does random (show ?side)) (face ?side tails))
        (<= (next lost) (does player stop))
        (<= terminal (true won)) (<= terminal (true lost))
        (<= (goal player 100) (true won)) (<= (goal player 0) (not (true won)))"""


game = sqasp.Game.loads(rules(3, 5), name="bent_coin")

# %% What the player can guarantee within three tosses, exactly, and what each first move is worth.
answer = game.solve(depth=3, moves=True, strategy=True)
print(answer.value)
assert answer.value == Fraction(12, 25)
for move in answer.moves:
    print(move.move, move.value)

# %% The strategy, proved by the rules alone, which know nothing of who found it.
proof = game.verify(answer.strategy)
print(proof.status, proof.value)
assert proof and proof.value == answer.value

# %% Without a limit of steps she wins for certain: tails comes some day.
print(game.solve().value)
assert game.solve().value == 1

# %% A play, seen from inside: states are values.
state = game.initial()
state = state.play("toss", "(show 0)")
print(state.facts, state.legal("player"))
assert state.moves("player", depth=1)[0].value == Fraction(2, 5)

# %% The value over the horizon, and over chance.
horizon = game.curve(range(0, 13))
chances = {
    Fraction(heads, 10): sqasp.Game.loads(rules(heads, 10)).solve(depth=3).value for heads in range(1, 10)
}
print({str(chance): str(value) for chance, value in chances.items()})

try:
    import matplotlib
except ImportError:
    print("no pictures: matplotlib is not installed")
else:
    matplotlib.use("Agg")
    from matplotlib import pyplot

    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.5), sharey=True)
    left.plot(list(horizon), [float(value) for value in horizon.values()], marker="o")
    left.set(xlabel="tosses", ylabel="probability of winning", title="over the horizon (3 of 5 heads)", ylim=(0, 1))
    right.plot([float(chance) for chance in chances], [float(value) for value in chances.values()], marker="o")
    right.set(xlabel="probability of heads", title="over chance (3 tosses)")
    figure.tight_layout()
    figure.savefig(folder / "bent_coin.svg")
