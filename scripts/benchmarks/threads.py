"""What a second thread is worth: the command `threads`.

Each row of expected minimax, or each formula of a folder, runs with one thread and with two, in turns. Besides the time on the
wall the table shows what both threads worked together: more than one thread means that they did
some work twice, less than twice the wall means that one of them waited. *If free* is the speedup by
the time of the processor of the busiest thread: what the clock would show if each thread had a core of its own.
"""

import re
import statistics
import threading
import time
from pathlib import Path

from .contest import geometric_mean
from .instances import CannotMake, Instance, game_questions
from .process import run
from .solvers import GRACE, Sqasp, SqaspFromText
from .table import Table, three_digits


class Busiest:
    """The time of the processor that the busiest thread of a process has had. Looks every few milliseconds, because the system
    forgets a thread that ends."""

    def __init__(self):
        self.seconds = {}

    def begin(self, pid):
        """Looks until the process ends."""
        threading.Thread(target=self._look, args=(Path(f"/proc/{pid}/task"),), daemon=True).start()

    def _look(self, tasks):
        while True:
            try:
                for task in tasks.iterdir():
                    self.seconds[task.name] = int((task / "schedstat").read_text().split()[0]) / 1e9
            except (OSError, IndexError):
                # A thread has ended, or the process.
                if not tasks.exists():
                    return
            time.sleep(0.004)

    @property
    def most(self):
        """Of all threads so far."""
        return max(self.seconds.values(), default=0.0)


def formulas(given):
    """The formulas of the folder, to be solved by clause learning."""
    files = sorted(path for path in given.files.rglob("*.sdimacs") if re.search(given.rows or "", str(path)))
    return [Instance(path.stem, "", "", path, None, None, None, []) for path in files]


def print_threads(given, scratch, results):
    """Measures, then prints a line for each row. Adds to the results."""
    if given.files:
        chosen, kind, options = formulas(given), Sqasp, ["--engine", "learning"]
    else:
        chosen, kind, options = game_questions(given.rows or "", scratch), SqaspFromText, ["--engine", "emm"]
    one, two = (kind(count, given.binary, [*options, "--threads", count]) for count in ("1", "2"))
    table = Table(
        "row", "1 thread s", "2 threads s", "speedup", "work", "waiting", "if free",
        widths=[24, 10, 11, 8, 8, 8, 8],
    )
    long, free = [], []
    for instance in chosen:
        runs, busy = {"1": [], "2": []}, {"1": [], "2": []}
        for _ in range(given.rounds):
            for solver in (one, two):
                busiest = Busiest()
                command = solver.command(instance, given.time)
                finished = run(command, given.time + GRACE, begun=busiest.begin)
                busy[solver.name].append(busiest.most)
                if solver.read(finished).status != "solved":
                    raise CannotMake(f"{instance.name}: {finished.last_message}")
                runs[solver.name].append(finished)
        def median(threads, what):
            return statistics.median(getattr(each, what) for each in runs[threads])
        wall = [median(threads, "seconds") for threads in ("1", "2")]
        work = [median(threads, "cpu_seconds") for threads in ("1", "2")]
        speedup, waiting = wall[0] / wall[1], 1 - work[1] / (2 * wall[1])
        busiest = [max(statistics.median(busy[threads]), 0.001) for threads in ("1", "2")]
        table.line([
            instance.name, three_digits(wall[0]), three_digits(wall[1]), three_digits(speedup),
            three_digits(work[1] / work[0]), f"{max(waiting, 0):.0%}", three_digits(busiest[0] / busiest[1]),
        ])
        results.append({"name": instance.name, "wall": wall, "work": work, "busiest": busiest})
        if busiest[0] > 1:
            long.append(speedup)
            free.append(busiest[0] / busiest[1])
    if long:
        print(f"\nrows above a second: {geometric_mean(long):.2f} times as fast with two threads by the clock, and "
              f"{geometric_mean(free):.2f} times (median {statistics.median(free):.2f}) if each had a core of its own")
    print("work: the time of both threads, as a multiple of one thread's; waiting: the part of the "
          "time on the wall that threads spent waiting for each other or for the first one")
