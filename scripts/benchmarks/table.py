"""Markdown tables that grow line by line: long runs show what they have."""


class Table:
    """A table whose columns are at least as wide as their titles."""

    def __init__(self, *titles, widths=()):
        self.widths = [
            max(len(title), width)
            for title, width in zip(titles, [*widths, *[0] * len(titles)])
        ]
        self.line(titles)
        print("|" + "|".join("-" * (width + 2) for width in self.widths) + "|", flush=True)

    def line(self, cells):
        """Prints one line."""
        padded = (str(cell).ljust(width) for cell, width in zip(cells, self.widths))
        print("| " + " | ".join(padded) + " |", flush=True)


def three_digits(number):
    """A number for people: `0.012`, `1.23`, `12.3`, `1230`."""
    if number < 0.1:
        return f"{number:.3f}"
    digits = 2 if number < 10 else 1 if number < 100 else 0
    return f"{number:.{digits}f}"
