"""What a second thread is worth: the command `threads`.

Each row of expected minimax runs with one thread and with two, in turns. Besides the time on the
wall the table shows what both threads worked together: more than one thread means that they did
some work twice, less than twice the wall means that one of them waited.
"""

import statistics

from .contest import geometric_mean
from .instances import CannotMake, game_questions
from .process import run
from .solvers import GRACE, SqaspFromText
from .table import Table, three_digits


def print_threads(given, scratch, results):
    """Measures, then prints a line for each row. Adds to the results."""
    one = SqaspFromText("1", given.binary, ["--engine", "emm", "--threads", "1"])
    two = SqaspFromText("2", given.binary, ["--engine", "emm", "--threads", "2"])
    table = Table(
        "row", "1 thread s", "2 threads s", "speedup", "work", "waiting",
        widths=[24, 10, 11, 8, 8, 8],
    )
    long = []
    for instance in game_questions(given.rows or "", scratch):
        runs = {"1": [], "2": []}
        for _ in range(given.rounds):
            for solver in (one, two):
                finished = run(solver.command(instance, given.time), given.time + GRACE)
                if solver.read(finished).status != "solved":
                    raise CannotMake(f"{instance.name}: {finished.last_message}")
                runs[solver.name].append(finished)
        def median(threads, what):
            return statistics.median(getattr(each, what) for each in runs[threads])
        wall = [median(threads, "seconds") for threads in ("1", "2")]
        work = [median(threads, "cpu_seconds") for threads in ("1", "2")]
        speedup, waiting = wall[0] / wall[1], 1 - work[1] / (2 * wall[1])
        table.line([
            instance.name, three_digits(wall[0]), three_digits(wall[1]), three_digits(speedup),
            three_digits(work[1] / work[0]), f"{max(waiting, 0):.0%}",
        ])
        results.append({"name": instance.name, "wall": wall, "work": work})
        if wall[0] > 1:
            long.append(speedup)
    if long:
        print(f"\nrows above a second: {geometric_mean(long):.2f} times as fast with two threads")
    print("work: the time of both threads, as a multiple of one thread's; waiting: the part of the "
          "time on the wall that threads spent waiting for each other or for the first one")
