"""Executed cells and prose -> the Markdown that Pandoc reads, as Quarto makes it."""

import base64
import re

from ..cells import Cell
from .chapter import INLINE, FENCE, prose_lines
from .execute import ANSI, inline_text
from .files import write

SHORTCODE = re.compile(r"\{\{< (kbd|pagebreak)(?: (\S+))? >\}\}")
SHOWN_CELL = re.compile(r"\{\{(python|r|bash)\}\}")
MIME = {
    "html": ["text/html", "text/markdown", "text/latex"],
    "typst": ["text/markdown", "text/html", "text/latex"],
    "ipynb": ["text/markdown", "text/html", "text/latex"],
}
PICTURES = {"image/svg+xml": "svg", "image/png": "png", "image/jpeg": "jpg"}


def to_markdown(chapter, results, to):
    """The whole document for one format: html, typst or ipynb."""
    results = iter(results)
    text = []
    for piece in chapter.document.pieces:
        if isinstance(piece, Cell):
            block = CellBlock(chapter, piece, next(results), to).markdown()
            lines = (piece.indent + line if line else "" for line in block.split("\n"))
            text.append("\n".join(lines) + "\n")
        else:
            text.append(_prose(piece.source, results))
    return "".join(text)


def _prose(source, results):
    """Prose with its inline values, and without what only Quarto reads."""
    lines = []
    for _, line, fenced in prose_lines(source):
        if not fenced:
            line = INLINE.sub(lambda _: inline_text(next(results)), line)
            line = SHORTCODE.sub(r"[\2]{.shortcode-\1}", line)
        lines.append(SHOWN_CELL.sub(r"{\1}", line) if fenced else line)
    return "\n".join(lines)


def fence(text, attributes):
    """A fenced code block that `text` cannot close."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks} {{{attributes}}}\n{text}\n{ticks}"


def attribute(name, value):
    """`name="value"` for a Pandoc attribute list."""
    value = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'{name}="{value}"'


def div(attributes, *blocks):
    """A fenced div around blocks, those that are empty left out."""
    inside = "\n\n".join(block for block in blocks if block)
    return f"::: {{{attributes}}}\n{inside}\n:::"


class CellBlock:
    """One executed cell on its way to Markdown."""

    def __init__(self, chapter, cell, outputs, to):
        self.chapter, self.cell, self.outputs, self.to = chapter, cell, outputs, to
        self.pictures = 0

    def option(self, name, default=None):
        """An option of the cell, else of the document."""
        return self.chapter.option(name, self.cell, default)

    def markdown(self):
        """The cell's code and outputs, each if it is shown."""
        code, outputs = self.code(), self.results()
        if self.option("include", True) is False or not self.cell.code.strip():
            return ""
        if self.option("output", True) == "asis":
            return "\n\n".join(filter(None, [code, *outputs]))
        if not code and not outputs:
            return ""
        attributes = ".cell"
        if self.option("column") == "margin":
            attributes += " .column-margin"
        return div(f'{attributes} line="{self.cell.line}"', code, *outputs) + "\n"

    def code(self):
        """The code as a block, or nothing."""
        echo, code = self.option("echo", True), self.cell.code.strip("\n")
        if echo is False:
            return ""
        attributes = [".python .cell-code"]
        if echo == "fenced":
            attributes = [".markdown .cell-code"]
            code = self.cell.source.rstrip("\n")
        if self.option("code-line-numbers"):
            attributes.append(".numberLines")
        for name in ("filename", "code-fold", "code-summary"):
            if self.option(name):
                value = self.option(name)
                attributes.append(attribute(name, "true" if value is True else value))
        return fence(code, " ".join(attributes))

    def results(self):
        """The outputs as Markdown blocks."""
        if self.option("output", True) is False:
            return []
        asis = self.option("output", True) == "asis"
        label, blocks = self.cell.label or "", []
        for output in _streams_joined(self.outputs):
            kind = output["output_type"]
            if kind == "stream":
                if output["name"] == "stderr" and self.option("warning", True) is False:
                    continue
                text = _plain(output["text"])
                if text:
                    blocks.append(text if asis else self.verbatim(output["name"], text))
            elif kind == "error":
                text = _plain("\n".join(output["traceback"]))
                blocks.append(self.verbatim("error", text))
            else:
                blocks.append(self.display(output["data"], label))
        return [block for block in blocks if block]

    def verbatim(self, kind, text):
        """Plain text that the cell put out."""
        return div(f".cell-output .cell-output-{kind}", fence(text, ""))

    def display(self, data, label):
        """What a value shows, in the best form for the format."""
        for mime in MIME[self.to]:
            if mime == "text/html" and mime in data:
                return div(".cell-output .cell-output-display", fence(data[mime], "=html"))
            if mime in data:
                return div(".cell-output .cell-output-display .cell-output-markdown", data[mime])
        for mime in PICTURES:
            if mime in data:
                return div(".cell-output .cell-output-display", self.picture(mime, data[mime]))
        return self.verbatim("display", _plain(data.get("text/plain", "")))

    def picture(self, mime, data):
        """A picture as a file and the Markdown that shows it."""
        self.pictures += 1
        name = f"{self.cell.label or f'cell-{self.cell.line}'}-{self.pictures}"
        path = f"_build/figures/{name}.{PICTURES[mime]}"
        content = data if mime == "image/svg+xml" else base64.b64decode(data)
        write(self.chapter.folder / path, content)
        caption, alt = self.option("fig-cap") or "", self.option("fig-alt")
        attributes = f"{{{attribute('fig-alt', alt)}}}" if alt else ""
        if (self.cell.label or "").startswith("fig-"):
            return div(f"#{self.cell.label}", f"![]({path}){attributes}", caption)
        return f"![{caption}]({path}){attributes}"


def _plain(text):
    return ANSI.sub("", text).replace("\r", "\n").rstrip("\n")


def _streams_joined(outputs):
    """Outputs with neighbouring streams joined by name: their mix is a matter of chance."""
    joined = []
    for output in outputs:
        if output["output_type"] == "stream":
            same = []
            for before in reversed(joined):
                if before["output_type"] != "stream":
                    break
                same += [before] if before["name"] == output["name"] else []
            if same:
                same[0]["text"] += output["text"]
                continue
        joined.append(dict(output))
    return joined
