"""Tables that code makes: rows in, Markdown with a caption out."""

from IPython.display import Markdown


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
    return Markdown(f"{body}\n\n: {caption} {{#{id}}}\n")


def _is_number(cell):
    return str(cell).strip("-\N{MINUS SIGN}")[:1].isdigit()
