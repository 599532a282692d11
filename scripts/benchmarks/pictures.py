"""Pictures of tables of numbers, drawn by matplotlib if it is installed: curves, cactus plots and scatter plots."""

import csv
from fractions import Fraction

try:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
except ImportError:
    pyplot = None


def draw(kind, table, picture, names, title):
    """Draws columns of a table in CSV, by name. Cells may be empty."""
    if pyplot is None:
        print(f"no {picture}: matplotlib is not installed")
        return
    with open(table, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = [[float(Fraction(row[name])) if row[name] else None for row in rows] for name in names]
    figure, axes = pyplot.subplots(figsize=(8.4, 5.6))
    if kind == "cactus":
        for name, values in zip(names, columns):
            times = sorted(v for v in values if v is not None)
            axes.plot(range(1, len(times) + 1), times, marker=".", label=f"{name} ({len(times)})")
        axes.set(xlabel="instances solved", ylabel="seconds for each", yscale="log")
    else:
        # What was not solved lies on a line of its own beyond all others.
        known = [v for values in columns for v in values if v is not None]
        beyond = 2 * max(known, default=1)
        axes.scatter(*([beyond if v is None else v for v in values] for values in columns), s=12)
        ends = [min(known, default=1), beyond]
        axes.plot(ends, ends, color="grey", linewidth=1)
        axes.set(xlabel=f"{names[0]}, seconds", ylabel=f"{names[1]}, seconds", xscale="log", yscale="log")
    if kind == "cactus":
        axes.legend()
    axes.set_title(title)
    axes.grid(alpha=0.3)
    figure.savefig(picture)
    pyplot.close(figure)
    print(f"picture: {picture}")
