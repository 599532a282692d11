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
from pathlib import Path

from .process import ROOT, run
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


def build_command(binary, path, folder, memory, *options):
    """The command that builds a table."""
    command = [binary, "table", "build", path, "--output", folder, "--quiet"]
    return [*command, "--memory", memory, *options]


def killed(command, folder, seconds, kills, seed):
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
    """One row."""
    folder = scratch / "table"
    build = build_command(given.binary, path, folder, given.memory, "--threads", given.threads)
    solve = [given.binary, "solve", path, "--json", "--quiet", "--threads", given.threads]
    in_memory, on_disk = [], []
    for _ in range(given.rounds):
        # In turns, so that what else the machine does meets both.
        in_memory.append(run(solve, given.time + GRACE))
        shutil.rmtree(folder, ignore_errors=True)
        on_disk.append(run(build, given.time + GRACE))
    if any(one.code for one in in_memory + on_disk):
        failed = next(one for one in in_memory + on_disk if one.code)
        return {"name": name, "problem": failed.last_message}
    value = json.loads(in_memory[0].output)["value"]
    lines = on_disk[0].output.splitlines()
    states, size = int(lines[1].split()[0]), int(lines[1].split()[-2])
    problem = None
    if lines[0] != f"{value['num']}/{value['den']}":
        problem = f"the table says {lines[0]}, the search {value['num']}/{value['den']}"
    seconds = statistics.median(one.seconds for one in on_disk)
    whole = digest(folder)
    checked = run([given.binary, "table", "verify", folder, "--all", "--quiet"], 4 * given.time)
    if checked.code:
        problem = checked.last_message
    median, nearly_all = look_ups(given.binary, path, folder, given.time)
    shutil.rmtree(folder)
    runs = killed(build, folder, seconds, given.kills, given.seed) if given.kills else 0
    if given.kills and digest(folder) != whole:
        problem = f"other bytes after kills (--seed {given.seed})"
    shutil.rmtree(folder, ignore_errors=True)
    return {
        "name": name,
        "states": states,
        "problem": problem,
        "table_bytes": size,
        "kills": runs,
        "runs": {
            "search in memory": figures(in_memory),
            "table": figures(on_disk),
            "verify --all": figures([checked]),
            "look-up": {"median_seconds": median / 1000, "nearly_all": nearly_all / 1000},
        },
    }


def by_processes(given, path, name, scratch):
    """One row: how long builds by threads and by processes take, in turns, all with the same bytes."""
    ways = {
        "1 thread": ["--threads", 1],
        "2 threads": ["--threads", 2],
        "2 processes": ["--workers", 2, "--threads", 1],
        "4 processes": ["--workers", 4, "--threads", 1],
    }
    folder = scratch / "table"
    runs, digests = {way: [] for way in ways}, set()
    for _ in range(given.rounds):
        for way, options in ways.items():
            shutil.rmtree(folder, ignore_errors=True)
            command = build_command(given.binary, path, folder, given.memory, *options)
            one = run(command, given.time + GRACE)
            if one.code:
                return {"name": name, "problem": one.last_message}
            runs[way].append(one)
            digests.add(digest(folder))
    shutil.rmtree(folder)
    return {
        "name": name,
        "problem": None if len(digests) == 1 else "processes write other bytes than threads",
        "states": int(runs["1 thread"][0].output.splitlines()[1].split()[0]),
        "runs": {way: figures(all_runs) for way, all_runs in runs.items()},
    }


def by_memory(given, path, name, scratch):
    """One row: what builds read with much and with little memory, by one thread and by two, in turns, all with the same bytes."""
    folder = scratch / "table"
    runs, digests, size = {}, set(), 0
    for memory in ["512M", "24M"]:
        for threads in [1, 2]:
            shutil.rmtree(folder, ignore_errors=True)
            command = build_command(given.binary, path, folder, memory, "--threads", threads)
            one = run(command, given.time + GRACE)
            if one.code:
                return {"name": name, "problem": one.last_message}
            lines = one.output.splitlines()
            states, size = int(lines[1].split()[0]), int(lines[1].split()[-2])
            digests.add(digest(folder))
            runs[f"{memory}, {threads}"] = {**figures([one]), "read_bytes": one.read_bytes}
    shutil.rmtree(folder)
    return {
        "name": name,
        "problem": None if len(digests) == 1 else "memory or threads change bytes",
        "states": states,
        "table_bytes": size,
        "runs": runs,
    }


def figures(runs):
    """What is kept of some runs of one command."""
    return {
        "seconds": statistics.median(one.seconds for one in runs),
        "cpu_seconds": statistics.median(one.cpu_seconds for one in runs),
        "peak_bytes": max(one.peak_bytes for one in runs),
    }


def measure_all(given, scratch, results):
    """Measures all sizes whose name has this in it. Adds to the results."""
    table = Table(
        "game", "states", "1 thread s", "2 threads s", "2 processes s", "4 processes s",
        "2 processes / 2 threads", widths=[14, 9],
    ) if given.processes else Table(
        "game", "states", "MB", "512M, 1: read", "512M, 2: read", "24M, 1: read", "24M, 2: read",
        widths=[14, 9],
    ) if given.io else Table(
        "game", "states", "memory s", "cpu s", "MB", "table s", "cpu s", "MB", "bytes/state",
        "ratio", "check s", "ms", "ms 99%", "kills",
        widths=[14, 9],
    )
    for width, height in SIZES:
        name = f"S-C-4 {width}x{height} 4/5"
        if given.only not in name:
            continue
        path = scratch / f"sc4_{width}x{height}.gdl"
        command = [sys.executable, ROOT / "scripts/board-game", "--rule", "drop", "--line", "4"]
        command += ["--width", width, "--height", height, "--keep", 4, "--flip", 1]
        words = [str(word) for word in command]
        path.write_text(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
        measured = by_processes if given.processes else by_memory if given.io else measure
        one = measured(given, path, name, Path(scratch))
        results.append(one)
        if one["problem"]:
            print(f"bench: {name}: {one['problem']}", file=sys.stderr)
            continue
        if given.processes:
            seconds = [figure["seconds"] for figure in one["runs"].values()]
            ratio = f"{seconds[2] / seconds[1]:.2f}"
            table.line([name, one["states"], *map(three_digits, seconds), ratio])
            continue
        if given.io:
            size = one["table_bytes"]
            read = [f"{figure['read_bytes'] / size:.2f}" for figure in one["runs"].values()]
            table.line([name, one["states"], f"{size / 10**6:.1f}", *read])
            continue
        memory, disk, check, look_up = one["runs"].values()
        table.line([
            name, one["states"], three_digits(memory["seconds"]), three_digits(memory["cpu_seconds"]),
            memory["peak_bytes"] // 10**6, three_digits(disk["seconds"]),
            three_digits(disk["cpu_seconds"]), disk["peak_bytes"] // 10**6,
            f"{one['table_bytes'] / one['states']:.1f}",
            f"{disk['seconds'] / memory['seconds']:.2f}", three_digits(check["seconds"]),
            f"{1000 * look_up['median_seconds']:.2f}", f"{1000 * look_up['nearly_all']:.2f}", one["kills"],
        ])
