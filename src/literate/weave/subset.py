"""The named subset of Quarto: what is woven without it, what is refused at its line."""

import datetime
import re

import yaml

from ..cells import Cell
from ..targets import LABEL

BOOLEAN = (True, False)
# Cell options and the values or types they take; None: any.
OPTIONS = {
    "echo": (True, False, "fenced"),
    "eval": BOOLEAN,
    "include": BOOLEAN,
    "output": (True, False, "asis"),
    "warning": BOOLEAN,
    "error": BOOLEAN,
    "cache": BOOLEAN,
    "code-fold": (True, False, "show"),
    "code-line-numbers": BOOLEAN,
    "layout-ncol": range(1, 7),
    **dict.fromkeys(("label", "filename", "column", "code-summary"), (str,)),
    **dict.fromkeys(("lst-cap", "lst-label", "fig-alt"), (str,)),
    **dict.fromkeys(("fig-cap", "tbl-cap"), (str, list)),
    **dict.fromkeys(("fig-subcap", "tbl-subcap"), (list,)),
    **dict.fromkeys(("classes", "tags", "code-overflow", "code-annotations")),
}
TYPES = {str: "text", list: "a list"}
# What may stand at the top of a document and of _quarto.yml ...
SETTINGS = {
    *("title", "subtitle", "author", "date", "abstract", "keywords", "description"),
    *("lang", "toc", "number-sections", "code-fold", "code-summary"),
    *("bibliography", "citeproc", "nocite", "jupyter", "execute", "format", "project"),
    "filters",  # CLAIM_MARKS alone; the others of this weaver are in weave/filters
}
# ... in `execute` ...
EXECUTE = {"echo", "eval", "output", "warning", "error", "include", "cache"}
# ... and in `format: html` and `typst`, where most concerns Quarto's look alone.
FORMAT = {
    *("toc", "toc-depth", "number-sections", "html-math-method", "embed-resources"),
    *("theme", "respect-user-color-scheme", "css", "papersize", "fontsize", "mainfont"),
}
PROSE = {
    r"\{\{< (include|meta|var|env|embed|video|contents)\b": "the shortcode '{}'",
    r"\.(panel-[\w-]+)": "the class '{}'",
    r"\b(layout(?:-(?!ncol)[\w-]+)?)=": "the attribute '{}'",
    r"\\((?:re)?newcommand|def|DeclareMathOperator)\b": "the TeX macro '{}'",
}
CLAIM_MARKS = "src/literate/page/quarto/claim-marks.lua"
FIX = "leave it out, or render with Quarto (make quarto)"


def unwoven(chapter):
    """What the document asks for and this weaver does not do, as problems."""
    found = [*_labels(chapter), *_settings(chapter)]
    for piece in chapter.pieces:
        if isinstance(piece, Cell):
            found += _options(chapter, piece)
        else:
            found += _prose(chapter, (line for line in piece if not line.part))
    for cell in chapter.enclosed:
        what = "Quarto runs this cell, but it stands in a longer fence"
        fix = "take it out, or show it with {{python}}"
        found.append(chapter.problem(cell.line, what, fix))
    return found


def unfit(chapter):
    """Cell options that Quarto does not know or passes over, as problems."""
    for cell in chapter.document.cells:
        for name in cell.options.keys() - OPTIONS.keys():
            what = f"cell option '{name}' is not woven without Quarto"
            yield chapter.problem(cell.option_lines[name], what, FIX)


def _labels(chapter):
    first = {}
    for cell in chapter.document.cells:
        if not isinstance(cell.label, str):
            continue  # none, or an option that is refused
        if not LABEL.fullmatch(cell.label):
            what = f"label {cell.label!r} is not of letters, digits and _.:-"
            yield chapter.problem(cell.option_lines["label"], what, "rename it")
        if first.setdefault(cell.label, cell) is not cell:
            what = f"label {cell.label} is taken by the cell at line"
            what = f"{what} {first[cell.label].line}"
            yield chapter.problem(cell.line, what, "rename one of the two")


def _options(chapter, cell):
    for name, value in cell.options.items():
        values = OPTIONS.get(name)
        if values and not _among(values, value):
            what = f"cell option '{name}' cannot be {value!r}"
            fix = f"write {' or '.join(TYPES.get(v, str(v).lower()) for v in values)}"
            yield chapter.problem(cell.option_lines[name], what, fix)


def _among(values, value):
    kind = type(value)
    return kind in values or (kind, value) in [(type(v), v) for v in values]


def _prose(chapter, lines):
    for line in lines:
        for pattern, noun in PROSE.items():
            for match in re.finditer(pattern, line.text):
                what = f"{noun.format(match[1])} is not woven without Quarto"
                yield chapter.problem(line.number, what, FIX)


def _settings(chapter):
    """Settings that are not known or cannot be, at their lines in their files."""
    for file, source, first in chapter.sources:
        for path, line, node in _keys(yaml.compose(source)):
            *above, name = path
            if wrong := _wrong(chapter, path, node):
                yield chapter.problem(first + line, *wrong, file)
            known = SETTINGS
            if above[:1] == ["execute"]:
                known = EXECUTE
            elif above == ["format"]:
                known = {"html", "typst"}
            elif above[:1] == ["format"] and len(above) == 2:
                known = FORMAT
            elif above:
                continue
            if name not in known:
                what = f"setting '{'.'.join(path)}' is not woven without Quarto"
                yield chapter.problem(first + line, what, FIX, file)


def _wrong(chapter, path, node):
    """What is wrong with the value of a setting and what to do, or None."""
    value = node.value if isinstance(node, yaml.ScalarNode) else None
    if path == ("execute",) and not isinstance(node, yaml.MappingNode):
        return "'execute' has no settings", "write them below it as `name: value`"
    if path == ("bibliography",) and value is None:
        return "several bibliographies are not woven without Quarto", "join them"
    if path == ("bibliography",) and not (chapter.folder / value).is_file():
        return f"there is no bibliography {value}", "correct its name"
    names = [getattr(item, "value", None) for item in node.value]
    if path == ("filters",) and names != [CLAIM_MARKS]:
        return f"a filter other than {CLAIM_MARKS} is not woven without Quarto", FIX
    if path == ("date",):
        try:
            datetime.date.fromisoformat(value or "")
        except ValueError:
            return "this is no date", "write it like 2026-01-31"
    return None


def _keys(node, above=()):
    """Every key of a YAML mapping as (path, line from 0, node of its value)."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            path = (*above, str(key.value))
            yield path, key.start_mark.line, value
            yield from _keys(value, path)
