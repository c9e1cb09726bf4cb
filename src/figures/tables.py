"""Tables that code makes: rows in, Markdown with a caption out."""

from IPython.display import Markdown


def table(id, head, rows, caption):
    """A captioned, numbered Markdown table; numbers are aligned to the right.

    Cells are Markdown, so a cell may hold mathematics or code.
    """
    right = [all(_is_number(row[j]) for row in rows) for j in range(len(head))]
    rule = ["--:" if numbers else ":--" for numbers in right]
    lines = [head, rule, *rows]
    body = "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
    return Markdown(f"{body}\n\n: {caption} {{#{id}}}\n")


def _is_number(cell):
    return str(cell).strip("-\N{MINUS SIGN}")[:1].isdigit()
