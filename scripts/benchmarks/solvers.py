"""The programs that solve formulas: how they are called, and how their answers are read."""

import dataclasses
import json
import os
import re
import shlex
import shutil
from fractions import Fraction

# How much longer than its own time limit our program may take before it is killed.
GRACE = 5


@dataclasses.dataclass
class Answer:
    """What one run said."""

    status: str  # "solved", "timeout", "stopped" (another limit) or "failed"
    value: Fraction | None = None
    states: int | None = None
    statistics: dict | None = None
    problem: str | None = None  # why it failed
    bounds: tuple[Fraction, Fraction] | None = None  # where a limit left proved ones
    estimate: float | None = None  # between the bounds; nothing is proved of it


@dataclasses.dataclass
class Solver:
    """A program with options; `name` heads its columns. Solvers with the same name are variants
    of which the best counts for each file."""

    name: str
    program: str
    options: list[str]

    tolerance = 0  # how far from the known value its answers may be
    tells_states = False  # whether it says how many states it has met

    def takes(self, instance):
        """Whether the formula is of a kind that this solver knows."""
        del instance
        return True

    def command(self, instance, limit):
        """What to run."""
        del limit
        return [self.program, *self.options, instance.file]

    def limit(self, limit):
        """After how many seconds to kill it."""
        return limit

    def read(self, finished):
        """Its answer."""
        if finished.timed_out:
            return Answer("timeout")
        return self.interpret(finished)

    def interpret(self, finished):
        """The answer of a run that ended by itself."""
        raise NotImplementedError


class Sqasp(Solver):
    """Our program: exact."""

    tells_states = True

    def command(self, instance, limit):
        return [
            self.program, "solve-formula", instance.file, "--json", "--time", f"{limit:g}", *self.options,
        ]

    def limit(self, limit):
        return limit + GRACE

    def interpret(self, finished):
        if finished.code not in (0, 75):
            return failed(finished)
        try:
            answer = json.loads(finished.output)
            statistics = answer["stats"]
            if answer["status"] == "solved":
                return Answer("solved", fraction(answer["value"]), statistics.get("states"), statistics)
            bounds = (fraction(answer["lower"]), fraction(answer["upper"]))
        except (ValueError, KeyError, TypeError, ZeroDivisionError) as error:
            return Answer("failed", problem=f"no answer in its output: {error!r}")
        limit = {key: answer.get(key) for key in ("stopped_by", "lower", "upper")}
        status = "timeout" if answer.get("stopped_by") == "time" else "stopped"
        states = statistics.get("states")
        return Answer(status, None, states, {**statistics, **limit}, None, bounds, answer.get("estimate"))


class SqaspFromText(Sqasp):
    """Our program on the text of the game, with all that comes before the formula."""

    def takes(self, instance):
        return bool(instance.question)

    def command(self, instance, limit):
        limits = ["--json", "--time", f"{limit:g}"]
        return [self.program, "solve", *instance.question, *limits, *self.options]


class SharpSsat(Solver):
    """SharpSSAT: floating point, seven digits; probabilities are read in single precision."""

    tolerance = 1e-5

    def takes(self, instance):
        return instance.qdimacs is None

    def command(self, instance, limit):
        universal = any(line.startswith("a ") for line in open(instance.file, encoding="utf-8"))
        options = ["-s", "-p", *(["-u"] if universal else []), "-t", str(int(limit) + 1)]
        return [self.program, *options, *self.options, instance.file]

    def interpret(self, finished):
        value = re.findall(r"satisfying probability = (\S+)", finished.output)
        if finished.code != 0:
            return failed(finished)
        if value:
            return floating(value[-1], None)
        if "FOUND UNSAT DURING PREPROCESSING" in finished.output:
            return Answer("solved", Fraction(0))
        if "TIMEOUT !" in finished.output:
            return Answer("timeout")
        return Answer("failed", problem="no probability in its output")


class Qbf(Solver):
    """DepQBF and CAQE: formulas without chance."""

    def takes(self, instance):
        return instance.qdimacs is not None

    def command(self, instance, limit):
        del limit
        return [self.program, *self.options, instance.qdimacs]

    def interpret(self, finished):
        if finished.code not in (10, 20):
            return failed(finished)
        return Answer("solved", Fraction(finished.code == 10))


def fraction(value):
    """A fraction as our program writes it."""
    return Fraction(int(value["num"]), int(value["den"]))


def failed(finished):
    """The answer of a program that ended in a way it should not."""
    ended = f"exit code {finished.code}" if finished.code >= 0 else f"signal {-finished.code}"
    return Answer("failed", problem=f"{ended}: {finished.last_message}")


def floating(text, states):
    """The answer of a program that computes in floating point."""
    try:
        return Answer("solved", Fraction(float(text)), states)
    except (ValueError, OverflowError):
        return Answer("failed", problem=f"{text!r} is not a number")


def ours(binary, options):
    """Our program, once for each set of options; the options are the name if there are several."""
    if len(options) == 1:
        return [Sqasp("ours", binary, shlex.split(options[0]))]
    names = [f"ours {given}".strip() for given in options]
    return [Sqasp(name, binary, shlex.split(given)) for name, given in zip(names, options)]


def locate(variable, commands):
    """An outside program: named by an environment variable, or on the PATH."""
    explicit = os.environ.get(variable)
    if explicit:
        found = shutil.which(os.path.abspath(explicit))
        if not found:
            raise FileNotFoundError(f"{explicit} is not a program")
        return found
    return next(filter(None, map(shutil.which, commands)), None)


def before(solvers, against):
    """The same with another build of our program."""
    if not against:
        return []
    return [dataclasses.replace(each, name=f"{each.name} before", program=against) for each in solvers]


def searching(binary, options, against):
    """Our expected minimax, once for each set of options, and the same with another build."""
    solvers = []
    for given in options:
        words = ["--engine", "emm", *shlex.split(given)]
        solvers.append(SqaspFromText(f"emm {given}".strip(), binary, words))
    return solvers + before(solvers, against)


def outside():
    """The outside programs that are there."""
    known = [
        (SharpSsat, "SQASP_BENCH_SHARPSSAT", ["sharpSSAT", "SharpSSAT", "sharpssat"]),
        (Qbf, "SQASP_BENCH_DEPQBF", ["depqbf"]),
        (Qbf, "SQASP_BENCH_CAQE", ["caqe"]),
    ]
    found = ((kind, names[0], locate(variable, names)) for kind, variable, names in known)
    return [kind(name, program, []) for kind, name, program in found if program]
