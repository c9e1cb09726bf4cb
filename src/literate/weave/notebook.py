"""The notebook: the chapter's cells to run, its prose as plain Markdown.

Pandoc writes the whole document as Markdown with references, numbers and
citations resolved; comments tell where cells stand. What a cell shows as
Markdown comes from there, too; its code, printed text and pictures come as they
are.
"""

import base64
import mimetypes
import os
import re

import nbformat

from ..cells import Cell
from .markdown import to_markdown
from .pandoc import convert

MARK = re.compile(r"^<!--cell (\d+)-->\n(.*?)^<!--end-->\n?", re.DOTALL | re.MULTILINE)
IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
WRITER = "gfm-tex_math_gfm+tex_math_dollars"  # the mathematics of JupyterLab
PICTURES = ("image/svg+xml", "image/png")
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
    nodes, at = [_prose(chapter, _head(chapter))], 0
    back = os.path.relpath(chapter.folder, request.output.resolve())
    if back != ".":
        nodes.append(nbformat.v4.new_code_cell(f"%cd -q {back}"))
    for match in MARK.finditer(text):
        nodes.append(_prose(chapter, text[at : match.start()]))
        nodes.append(_cell(*cells[int(match[1])], match[2]))
        at = match.end()
    nodes.append(_prose(chapter, text[at:]))
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


def _prose(chapter, text):
    """A Markdown cell; the pictures of the checkout go with it."""
    attachments = {}

    def attach(match):
        path = chapter.folder / match[2]
        if not path.is_file():
            return match[0]
        type, _ = mimetypes.guess_type(path.name)
        data = base64.b64encode(path.read_bytes()).decode()
        attachments[path.name] = {type: data}
        return f"![{match[1]}](attachment:{path.name})"

    node = nbformat.v4.new_markdown_cell(IMAGE.sub(attach, text).strip())
    if attachments:
        node.attachments = attachments
    return node


def _cell(cell, outputs, shown):
    """A code cell with its outputs; one that is not evaluated is shown as text."""
    if cell.options.get("eval") is False:
        return nbformat.v4.new_markdown_cell(f"```python\n{cell.code}\n```")
    node = nbformat.v4.new_code_cell(cell.code.strip("\n"))
    alts = [match[1] for match in IMAGE.finditer(shown)]
    for output in outputs:
        pictures = [type for type in PICTURES if type in output.get("data", {})]
        if pictures:
            data = {pictures[0]: output["data"][pictures[0]]}
            data["text/plain"] = alts.pop(0) if alts else ""
            node.outputs.append(nbformat.v4.new_output("display_data", data))
        elif output["output_type"] in ("stream", "error"):
            node.outputs.append(nbformat.from_dict(output))
        elif not output["data"].keys() & {"text/markdown", "text/latex", "text/html"}:
            node.outputs.append(nbformat.v4.new_output("display_data", output["data"]))
    text = IMAGE.sub("", shown).strip()
    if text:
        data = {"text/markdown": text, "text/plain": text}
        node.outputs.append(nbformat.v4.new_output("display_data", data))
    return node
