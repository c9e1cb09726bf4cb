"""Tables that code makes: rows in, Markdown with a caption out; and their numbers."""

from IPython.display import Markdown

from .figure import weaving


def table(id, head, rows, caption):
    """A captioned, numbered Markdown table; numbers are aligned to the right.

    Cells are Markdown, so a cell may hold mathematics or code. A table too wide
    for its lines shares the width among the columns by their longest cells.
    """
    rule = []
    for column in zip(head, *rows):
        dashes = "-" * max(len(str(cell)) for cell in column)
        right = all(_is_number(cell) for cell in column[1:])
        rule.append(f"-{dashes}:" if right else f":{dashes}-")
    lines = [head, rule, *rows]
    body = "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
    below = f": {caption} {{#{id}}}" if weaving() else caption
    return Markdown(f"{body}\n\n{below}\n")


def scientific(x, digits=0):
    """x as a number times a power of ten, as people write it; 0 stays 0."""
    if x == 0:
        return "0"
    factor, power = f"{x:.{digits}e}".split("e")
    raised = str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{factor}·10{raised}".replace("-", "\N{MINUS SIGN}")


def _is_number(cell):
    """Whether the cell holds a number, or stands where there is none."""
    text = str(cell).strip("-\N{MINUS SIGN}\N{EN DASH}")
    return text in ("", "NaN") or text[0].isdigit()
