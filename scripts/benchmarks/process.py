"""Runs one process and measures it."""

import dataclasses
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclasses.dataclass
class Finished:
    """What one process did."""

    seconds: float  # by the clock on the wall
    cpu_seconds: float  # of all its threads
    peak_bytes: int
    read_bytes: int | None  # by all reads of files, from the disk or not; None where the system does not tell
    code: int  # negative: ended by that signal
    output: str
    messages: str
    timed_out: bool

    @property
    def last_message(self):
        """The last line on standard error, for people."""
        return (self.messages.strip().splitlines() or ["no message"])[-1]


def run(command, limit, cwd=ROOT, limits=()):
    """Runs a command to its end, or for `limit` seconds. The whole process group is killed then. `limits` are limits of the
    system: pairs of a number such as `resource.RLIMIT_CPU` and how much."""
    with tempfile.TemporaryFile("w+", errors="replace") as output, \
            tempfile.TemporaryFile("w+", errors="replace") as messages:
        start = time.perf_counter()
        process = subprocess.Popen(
            [str(word) for word in command],
            cwd=cwd, stdin=subprocess.DEVNULL, stdout=output, stderr=messages,
            start_new_session=True,
        )
        for what, most in limits:
            # Set from outside: a shell that sets them takes as long as a small formula.
            try:
                resource.prlimit(process.pid, what, (most, most))
            except ProcessLookupError:
                pass
        timed_out = threading.Event()

        def stop():
            timed_out.set()
            kill(process)

        timer = threading.Timer(limit, stop)
        timer.start()
        try:
            read_bytes = bytes_read(process.pid)
            # wait4 tells the memory of this one child.
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            kill(process)
            process.wait()
            raise
        finally:
            timer.cancel()
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        messages.seek(0)
        return Finished(
            seconds, usage.ru_utime + usage.ru_stime, in_bytes(usage.ru_maxrss), read_bytes, process.returncode,
            output.read(), messages.read(), timed_out.is_set(),
        )


def in_turns(commands, rounds, limit, before=lambda: None):
    """The runs of each command: all of them in each round, so that other work of the machine meets all alike."""
    runs = [[] for _ in commands]
    for _ in range(rounds):
        for command, done in zip(commands, runs):
            before()
            done.append(run(command, limit))
    return runs


def figures(runs):
    """What is kept of the runs of one command: medians of times, the largest memory."""
    return {
        "seconds": statistics.median(one.seconds for one in runs),
        "cpu_seconds": statistics.median(one.cpu_seconds for one in runs),
        "peak_bytes": max(one.peak_bytes for one in runs),
    }


def bytes_read(number):
    """The bytes that a process has read when it ends: what Linux tells of it before its parent has waited for it."""
    told = Path(f"/proc/{number}/io")
    if not told.exists():
        return None
    os.waitid(os.P_PID, number, os.WEXITED | os.WNOWAIT)
    told = told.read_text()
    return int(dict(line.split(": ") for line in told.splitlines())["rchar"])


def kill(process):
    """Ends a process and its children, unless it has ended."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def in_bytes(maxrss):
    """The unit of `ru_maxrss` differs between systems."""
    return maxrss * (1 if sys.platform == "darwin" else 1024)


def least_peak():
    """Peaks at or below this say nothing: a child starts as a copy of this program, and Linux
    counts that copy as its memory."""
    return in_bytes(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
