"""Executed cells and prose -> the Markdown that Pandoc reads, as Quarto makes it."""

import ast
import base64
import re
from functools import partial
from itertools import groupby

from ..cells import Cell, dedent
from ..files import put
from ..problems import Refused
from .chapter import INLINE
from .execute import ANSI

EQUATION = re.compile(r"(\$\$(?:(?!\$\$).)+\$\$)\s?\{#(eq-[\w:.-]+)\}", re.DOTALL)
KBD, PAGEBREAK = re.compile(r"\{\{< kbd (\S+) >\}\}"), "{{< pagebreak >}}"
SHOWN_CELL = re.compile(r"\{\{(python|r|bash)\}\}")
OTHER_CELL = re.compile(r"^([ \t]*)(`{3,}) ?(\{[\w-]+\})[ \t]*$")
SHOWN_OPENER = re.compile(r"^([ \t]*)(`{3,}) ?\{\{python\}\}[ \t]*$")
DRAWN = re.compile(r"\[?(<matplotlib\.|Text\()")
MIME = {
    "html": ["text/html", "text/markdown", "text/latex"],
    "typst": ["text/markdown", "text/html", "text/latex"],
    "gfm": ["text/markdown", "text/html", "text/latex"],
}
NOUNS = {"fig": "picture", "tbl": "table"}
PICTURES = {"image/svg+xml": "svg", "image/png": "png", "image/jpeg": "jpg"}


def to_markdown(chapter, results, to):
    """The whole document for one format: html, typst or gfm (for the notebook)."""
    results = iter(results)
    text = []
    for piece in chapter.pieces:
        if isinstance(piece, Cell):
            block = CellBlock(chapter, piece, next(results), to).markdown()
            lines = (piece.indent + line if line else "" for line in block.split("\n"))
            text.append("\n".join(lines) + "\n")
        else:
            text.append(_prose(chapter, piece, results))
    return "".join(text)


def _prose(chapter, prose, results):
    """Prose with its inline values, and without what only Quarto reads."""
    lines, shown = [], False
    for line in prose:
        text = line.text
        if not line.part:
            text = INLINE.sub(partial(_value, chapter, line.number, results), text)
            text = KBD.sub(r"[\1]{.kbd}", text)
            text = text.replace(PAGEBREAK, "`#pagebreak(weak: true)`{=typst}")
        elif line.part == "opener" and (match := OTHER_CELL.match(text)):
            text = f'{match[1]}{match[2]} {{class="{match[3]}"}}'
        elif line.part == "opener" and (match := SHOWN_OPENER.match(text)):
            shown = True  # the fence itself is shown, in a longer one
            text = f"{match[1]}`{match[2]} markdown\n{text}"
        elif line.part == "closer" and shown:
            text, shown = f"{text}\n{text.rstrip()}`", False
        lines.append(SHOWN_CELL.sub(r"{\1}", text))
    return EQUATION.sub(r"[\1]{#\2 .equation}", "\n".join(lines))


def _value(chapter, line, results, match):
    """What an inline expression shows, as Markdown; strings are escaped."""
    outputs = next(results)
    data = outputs[0]["data"] if outputs else {"text/plain": "None"}
    if "text/markdown" in data:
        return data["text/markdown"]
    plain = data["text/plain"]
    if plain[0] not in "'\"":
        return plain
    shown = re.sub(r"([\\`*_{}\[\]()#+.!|<>-])", r"\\\1", ast.literal_eval(plain))
    if "\\" in shown and match.string.count("$", 0, match.start()) % 2:
        what = f"Quarto escapes the string {match[1]} in a formula"
        problem = chapter.problem(line, what, "make it Markdown(...)")
        raise Refused([problem])
    return shown


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
        if not self.cell.code.strip():
            return ""
        if self.to == "gfm":
            return div(f'.cell line="{self.cell.line}"', *self.results()) + "\n"
        if self.option("include", True) is False:
            return ""
        code, outputs = self.code(), self.results()
        if self.option("output", True) == "asis":
            return "\n\n".join(filter(None, [code, *outputs]))
        if not code and not outputs:
            return ""
        attributes = ".cell"
        if self.option("column"):
            attributes += f" .column-{self.option('column')}"
        blocks = [code, *outputs]
        if code and (self.cell.label or "").startswith("lst-"):
            blocks = [div(f"#{self.cell.label}", *blocks, self.option("lst-cap"))]
        return div(f'{attributes} line="{self.cell.line}"', *blocks) + "\n"

    def code(self):
        """The code as a block, or nothing."""
        echo, code = self.option("echo", True), self.cell.code.strip("\n")
        if echo is False:
            return ""
        attributes = ".python .cell-code"
        if echo == "fenced":
            attributes = ".markdown .cell-code"
            lines = self.cell.source.rstrip("\n").split("\n")
            del lines[self.cell.option_lines["echo"] - self.cell.line]
            code = "\n".join(dedent(line, self.cell.indent) for line in lines)
        if self.option("code-line-numbers"):
            attributes += " .numberLines"
        names = ["filename", "code-fold", "code-summary"]
        if self.option("lst-label"):
            attributes += f" #{self.option('lst-label')}"
            names.append("lst-cap")
        for name in names:
            if value := self.option(name):
                attributes += " " + attribute(name, "true" if value is True else value)
        return fence(code, attributes)

    def results(self):
        """The outputs as Markdown blocks."""
        if self.option("output", True) is False:
            return []
        outputs = _streams_joined(self.outputs)
        if any(PICTURES.keys() & output.get("data", {}).keys() for output in outputs):
            outputs = [output for output in outputs if not _drawn(output)]
        blocks = [self.result(output) for output in outputs]
        return self.floated([block for block in blocks if block])

    def result(self, output):
        """One output as a Markdown block; its place in a float is decided later."""
        kind = output["output_type"]
        if kind == "error":
            return self.verbatim("error", _plain("\n".join(output["traceback"])))
        if kind != "stream":
            return self.display(output["data"])
        text = _plain(output["text"])
        hidden = output["name"] == "stderr" and self.option("warning") is False
        if hidden or not text or self.option("output") == "asis":
            return "" if hidden else text
        return self.verbatim(output["name"], text)

    def floated(self, blocks):
        """The blocks, those that the cell's label or caption means in a float."""
        label = self.cell.label or ""
        sort = "tbl" if label.startswith("tbl-") else "fig"
        mark = ".cell-output-display" if sort == "tbl" else "![]("
        meant = [block for block in blocks if mark in block]
        caption, subcaptions = self.option(f"{sort}-cap"), self.option(f"{sort}-subcap")
        if not (caption or label.startswith(("fig-", "tbl-"))):
            return blocks
        captions = subcaptions or (caption if isinstance(caption, list) else [caption])
        if len(meant) != len(captions):
            what = f"{len(captions)} captions for {len(meant)} {NOUNS[sort]}s"
            fix = "give each a caption, or leave out the label and the captions"
            raise Refused([self.chapter.problem(self.cell.line, what, fix)])
        if subcaptions:
            panels = [
                div(f"#{label}-{at}", block, subcaption)
                for at, (block, subcaption) in enumerate(zip(meant, subcaptions), 1)
            ]
            columns = attribute("layout-ncol", self.option("layout-ncol", 1))
            whole = [div(f"#{label} {columns}", *panels, caption)]
        else:
            whole = [self.captioned(*pair) for pair in zip(meant, captions)]
        at = blocks.index(meant[0])
        rest = [block for block in blocks if block not in meant]
        return [*rest[:at], *whole, *rest[at:]]

    def captioned(self, block, caption):
        """A block in a float of its own, numbered when the label says what it is."""
        label = self.cell.label or ""
        if label.startswith(("fig-", "tbl-")):
            return div(f"#{label}", block, caption)
        shown = f"![{caption}](" + block.partition("![](")[2].removesuffix("\n:::")
        return shown.replace("{line=", f"{{#{label} line=") if label else shown

    def verbatim(self, kind, text):
        """Plain text that the cell put out; the notebook has it as it is."""
        if self.to == "gfm":
            return ""
        return div(f".cell-output .cell-output-{kind}", fence(text, ""))

    def display(self, data):
        """What a value shows, in the best form for the format."""
        forms = [mime for mime in (*MIME[self.to], *PICTURES) if mime in data]
        if self.to != "html" and "<table" not in data.get("text/html", ""):
            forms = [mime for mime in forms if mime != "text/html"]
        if not forms:
            return self.verbatim("display", _plain(data.get("text/plain", "")))
        attributes, shown = ".cell-output .cell-output-display", data[forms[0]]
        if forms[0] == "text/html":
            return div(attributes, fence(shown, "=html"))
        if forms[0] in PICTURES:
            return div(attributes, self.picture(forms[0], shown))
        return div(f"{attributes} .cell-output-markdown", shown)

    def picture(self, mime, data):
        """A picture as a file and the Markdown that shows it."""
        self.pictures += 1
        name = f"{self.cell.label or f'cell-{self.cell.line}'}-{self.pictures}"
        path = f"_build/figures/{name}.{PICTURES[mime]}"
        content = data if mime == "image/svg+xml" else base64.b64decode(data)
        put(self.chapter.folder / path, content)
        alt = self.option("fig-alt")
        attributes = [f'line="{self.cell.line}"']
        attributes += [attribute("fig-alt", alt)] if alt else []
        return f"![]({path}){{{' '.join(attributes)}}}"


def _drawn(output):
    """Whether this is only what a drawing function returned, beside its picture."""
    data = output.get("data", {})
    return data.keys() == {"text/plain"} and DRAWN.match(data["text/plain"])


def _plain(text):
    return ANSI.sub("", text).replace("\r", "\n").rstrip("\n")


def _streams_joined(outputs):
    """Outputs with neighboring streams joined by name: their mix is chance."""
    joined = []
    for streams, group in groupby(outputs, lambda o: o["output_type"] == "stream"):
        if not streams:
            joined += group
            continue
        texts = {}
        for output in group:
            texts[output["name"]] = texts.get(output["name"], "") + output["text"]
        for name, text in texts.items():
            joined.append({"output_type": "stream", "name": name, "text": text})
    return joined
