"""The notebook: the chapter's cells to run, its prose as plain Markdown.

Pandoc writes the whole document as Markdown with references, numbers and
citations resolved; comments tell where cells stand. What a cell shows as
Markdown, pictures too, comes from there; its code and printed text as they are.
"""

import base64
import mimetypes
import os
import re
from functools import partial

import nbformat

from ..cells import Cell
from .markdown import to_markdown
from .pandoc import convert

MARK = re.compile(r"^<!--cell (\d+)-->\n(.*?)^<!--end-->\n?", re.DOTALL | re.MULTILINE)
IMAGE = re.compile(r"(!\[(?:\\.|[^\]\\])*\])\(([^)\s]+)\)")
WRITER = "gfm-tex_math_gfm+tex_math_dollars"  # the mathematics of JupyterLab
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def to_notebook(chapter, results, request):
    """The notebook as text, and the problems met."""
    markdown = to_markdown(chapter, results, "gfm")
    arguments = ["--wrap=none", "--markdown-headings=atx"]
    text, problems = convert(chapter, markdown, WRITER, None, {}, arguments)
    steps = zip(chapter.steps, results)
    cells = {step.line: (step, out) for step, out in steps if isinstance(step, Cell)}
    # Pandoc's way to part two blocks, and what it wraps references in
    text = re.sub(r"<!-- -->\n|</?(?:div|span)\b[^>]*>\n*", "", text)
    first, *rest = MARK.split(IMAGE.sub(partial(_embedded, chapter), text))
    prose = nbformat.v4.new_markdown_cell
    nodes = [prose(_head(chapter))]
    back = os.path.relpath(chapter.folder, request.output.resolve())
    if back != ".":
        nodes.append(nbformat.v4.new_code_cell(f"%cd -q {back}"))
    nodes.append(prose(first.strip()))
    for line, shown, after in zip(rest[::3], rest[1::3], rest[2::3]):
        nodes += [_cell(*cells[int(line)], shown.strip()), prose(after.strip())]
    nodes = [node for node in nodes if node.source]
    for number, node in enumerate(nodes, 1):
        node.id = f"cell-{number}"
    metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    notebook = nbformat.v4.new_notebook(cells=nodes, metadata=metadata)
    nbformat.validate(notebook)
    return nbformat.writes(notebook) + "\n", problems


def _head(chapter):
    title, subtitle = (chapter.settings.get(name) for name in ("title", "subtitle"))
    lines = [f"# {title}" if title else "", f"*{subtitle}*" if subtitle else ""]
    return "\n\n".join(line for line in lines if line)


def _embedded(chapter, image):
    """An image with its file in it: JupyterLab shows no other SVG unasked."""
    path = chapter.folder / image[2]
    if not path.is_file():
        return image[0]
    type, _ = mimetypes.guess_type(path.name)
    data = base64.b64encode(path.read_bytes()).decode()
    return f"{image[1]}(data:{type};base64,{data})"


def _cell(cell, outputs, shown):
    """A code cell with its outputs; one that is not evaluated is shown as text."""
    if cell.options.get("eval") is False:
        return nbformat.v4.new_markdown_cell(f"```python\n{cell.code}\n```")
    node = nbformat.v4.new_code_cell(cell.code.strip("\n"))
    for output in outputs:
        if output["output_type"] in ("stream", "error"):
            node.outputs.append(nbformat.from_dict(output))
        elif output["data"].keys() == {"text/plain"}:
            node.outputs.append(nbformat.v4.new_output("display_data", output["data"]))
    if shown:
        data = {"text/markdown": shown}
        node.outputs.append(nbformat.v4.new_output("display_data", data))
    return node
