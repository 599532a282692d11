"""Tables on disk beside the search in memory: the command `table`.

Each game is solved in memory and put into a table, in turns. Then the table is built once more and killed at random moments
until it is complete, which must give the same bytes; and positions of random plays are looked up by `sqasp evaluate --table`.
"""

import hashlib
import json
import random
import shutil
import signal
import statistics
import subprocess
import sys
import time
from itertools import product

from .instances import make
from .process import ROOT, figures, in_turns, run
from .record import measured
from .solvers import fraction
from .table import Table, three_digits

# Width and height of stochastic connect-4, in which a stone keeps its colour with probability 4/5.
SIZES = [(5, 4), (5, 5)]

GRACE = 10


def digest(folder):
    """One number for all files of a folder."""
    all_files = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        all_files.update(path.name.encode())
        with path.open("rb") as file:
            all_files.update(hashlib.file_digest(file, "sha256").digest())
    return all_files.hexdigest()


def build_command(binary, path, folder, memory, threads):
    """The command that builds a table."""
    return [binary, "table", "build", path, "--output", folder, "--quiet", "--memory", memory, "--threads", threads]


def told_of_build(finished):
    """What a build prints: the value, the number of positions and of bytes."""
    value, size = finished.output.splitlines()[:2]
    return value, int(size.split()[0]), int(size.split()[-2])


def killed(command, seconds, kills, seed):
    """Builds a table that is killed at random moments, each time from where it was; the number of runs."""
    chance = random.Random(seed)
    runs = 0
    while runs < kills:
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
        runs += 1
        time.sleep(chance.uniform(0, 2 * seconds / kills))
        if process.poll() is not None:
            break
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    return runs


def look_ups(binary, path, folder, seconds, count=2000):
    """Milliseconds for one position of a random play, by `evaluate`: half of them take less, nearly all take less."""
    command = [binary, "evaluate", path, "--table", folder, "--quiet", "--time", str(seconds)]
    process = subprocess.Popen(
        [str(word) for word in command], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    process.stdout.readline()
    chance = random.Random(1)

    def ask(request):
        start = time.perf_counter()
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        return json.loads(line), time.perf_counter() - start

    times, history = [], []
    while len(times) < count:
        reply, took = ask({"history": history, "moves": False})
        if reply["status"] != "solved" or reply["terminal"]:
            history = []
            continue
        if reply["states"] == 0:
            times.append(1000 * took)
        is_first = len(history) % 2 == 0
        drop = f"(drop {chance.randint(1, 5)})"
        kept = "(keep 1)" if chance.random() < 0.8 else "(flip 1)"
        joint = [drop, "noop", kept] if is_first else ["noop", drop, kept]
        found, _ = ask({"history": [*history, joint], "moves": False})
        history = [*history, joint] if found["status"] == "solved" else []
    process.stdin.close()
    process.wait()
    times.sort()
    return statistics.median(times), times[len(times) * 99 // 100]


def measure(given, path, name, scratch):
    """One row: a search in memory, a build, its check, look-ups, and a build that is killed."""
    folder = scratch / "table"
    build = build_command(given.binary, path, folder, given.memory, given.threads)
    solve = [given.binary, "solve", path, "--json", "--quiet", "--threads", given.threads]
    clean = lambda: shutil.rmtree(folder, ignore_errors=True)
    in_memory, on_disk = in_turns([solve, build], given.rounds, given.time + GRACE, clean)
    if failed := [one for one in in_memory + on_disk if one.code]:
        return {"name": name, "problem": failed[0].last_message}
    value = fraction(json.loads(in_memory[0].output)["value"])
    told, states, size = told_of_build(on_disk[0])
    problem = None if told == str(value) else f"the table says {told}, the search {value}"
    whole = digest(folder)
    checked = run([given.binary, "table", "verify", folder, "--all", "--quiet"], 4 * given.time)
    if checked.code:
        problem = checked.last_message
    median, nearly_all = look_ups(given.binary, path, folder, given.time)
    clean()
    runs, disk = 0, figures(on_disk)
    if given.kills:
        runs = killed(build, disk["seconds"], given.kills, given.seed)
        if digest(folder) != whole:
            problem = f"other bytes after kills (--seed {given.seed})"
    return {
        "name": name,
        "states": states,
        "problem": problem,
        "table_bytes": size,
        "kills": runs,
        "runs": {
            "search in memory": figures(in_memory),
            "table": disk,
            "verify --all": figures([checked]),
            "look-up": {"median_seconds": median / 1000, "nearly_all": nearly_all / 1000},
        },
    }


def cells_of(one):
    """The row of a table in memory and on disk."""
    memory, disk, check, look_up = one["runs"].values()
    cells = [one["name"], one["states"]]
    for each in (memory, disk):
        cells += [three_digits(each["seconds"]), three_digits(each["cpu_seconds"]), each["peak_bytes"] // 10**6]
    return [
        *cells, f"{one['table_bytes'] / one['states']:.1f}", f"{disk['seconds'] / memory['seconds']:.2f}",
        three_digits(check["seconds"]), f"{1000 * look_up['median_seconds']:.2f}",
        f"{1000 * look_up['nearly_all']:.2f}", one["kills"],
    ]


def by_memory(given, path, name, scratch):
    """One row: what builds read with much and with little memory, by one thread and by two, all with the same bytes."""
    folder = scratch / "table"
    runs, digests, size = {}, set(), 0
    for memory, threads in product(["512M", "24M"], [1, 2]):
        shutil.rmtree(folder, ignore_errors=True)
        one = run(build_command(given.binary, path, folder, memory, threads), given.time + GRACE)
        if one.code:
            return {"name": name, "problem": one.last_message}
        _, states, size = told_of_build(one)
        digests.add(digest(folder))
        runs[f"{memory}, {threads}"] = {**figures([one]), "read_bytes": one.read_bytes}
    shutil.rmtree(folder)
    problem = None if len(digests) == 1 else "memory or threads change bytes"
    return {"name": name, "problem": problem, "states": states, "table_bytes": size, "runs": runs}


def cells_by_memory(one):
    """The row of what builds read."""
    size = one["table_bytes"]
    read = [f"{figure['read_bytes'] / size:.2f}" for figure in one["runs"].values()]
    return [one["name"], one["states"], f"{size / 10**6:.1f}", *read]


def measure_all(given, scratch, results):
    """Measures all sizes with this in their names. Adds to the results."""
    measure_one, cells, titles = (
        (by_memory, cells_by_memory, ["MB", "512M, 1: read", "512M, 2: read", "24M, 1: read", "24M, 2: read"])
        if given.io else
        (measure, cells_of, [
            "memory s", "cpu s", "MB", "table s", "cpu s", "MB", "bytes/state", "ratio", "check s", "ms", "ms 99%", "kills"
        ])
    )
    table = Table("game", "states", *titles, widths=[14, 9])

    def measure_size(size):
        name, width, height = size
        path = scratch / f"sc4_{width}x{height}.gdl"
        options = ["--rule", "drop", "--line", 4, "--width", width, "--height", height, "--keep", 4, "--flip", 1]
        make(path, [sys.executable, ROOT / "scripts/board-game", *options])
        return measure_one(given, path, name, scratch)

    sizes = [(f"S-C-4 {width}x{height} 4/5", width, height) for width, height in SIZES]
    for one in measured(sizes, given.only, measure_size, results):
        if not one["problem"]:
            table.line(cells(one))
