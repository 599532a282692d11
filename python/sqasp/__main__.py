"""The command ``sqasp``, as the wheel installs it, and ``python -m sqasp``."""

import sys

from ._sqasp import run_command


def main() -> None:
    """Runs the command with the arguments of this process."""
    sys.exit(run_command(["sqasp", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
