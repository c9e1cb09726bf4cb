"""The named subset of Quarto: what is woven without it, what is refused at its line."""

import datetime
import re

import yaml

from ..targets import LABEL, repeated_labels

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
# Settings of a document and of _quarto.yml, and those below them; most that concern
# a format are about Quarto's look alone.
LOOK = dict.fromkeys(
    (
        *("toc", "toc-depth", "number-sections", "html-math-method", "embed-resources"),
        *("theme", "respect-user-color-scheme", "css"),
        *("papersize", "fontsize", "mainfont"),
    )
)
SETTINGS = {
    **dict.fromkeys(("title", "subtitle", "author", "date", "abstract", "keywords")),
    **dict.fromkeys(("description", "lang", "toc", "number-sections", "jupyter")),
    **dict.fromkeys(("code-fold", "code-summary", "project")),
    **dict.fromkeys(("bibliography", "citeproc", "nocite")),
    "filters": None,  # CLAIM_MARKS alone; the weaver has its own in weave/filters
    "execute": dict.fromkeys(
        ("echo", "eval", "output", "warning", "error", "include", "cache")
    ),
    "format": {"html": LOOK, "typst": LOOK},
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
    found = [*repeated_labels(chapter.document), *_cells(chapter), *_prose(chapter)]
    for file, first, node in chapter.sources:
        for line, *wrong in _settings(chapter, node, SETTINGS):
            found.append(chapter.problem(first + line, *wrong, file))
    return found


def unfit(chapter):
    """Cell options that Quarto does not know or passes over, as problems."""
    for cell in chapter.document.cells:
        for name in cell.options.keys() - OPTIONS.keys():
            what = f"cell option '{name}' is not woven without Quarto"
            yield chapter.problem(cell.option_lines[name], what, FIX)


def _cells(chapter):
    for cell in chapter.document.cells:
        if isinstance(cell.label, str) and not LABEL.fullmatch(cell.label):
            what = f"label {cell.label!r} is not of letters, digits and _.:-"
            yield chapter.problem(cell.option_lines["label"], what, "rename it")
        for name, value in cell.options.items():
            values = OPTIONS.get(name)
            if values and not _among(values, value):
                what = f"cell option '{name}' cannot be {value!r}"
                choices = [TYPES.get(v, str(v).lower()) for v in values]
                fix = f"write {' or '.join(choices)}"
                yield chapter.problem(cell.option_lines[name], what, fix)


def _among(values, value):
    kind = type(value)
    return kind in values or (kind, value) in [(type(v), v) for v in values]


def _prose(chapter):
    for line in chapter.lines:
        for pattern, noun in PROSE.items():
            for match in () if line.part else re.finditer(pattern, line.text):
                what = f"{noun.format(match[1])} is not woven without Quarto"
                yield chapter.problem(line.number, what, FIX)


def _settings(chapter, node, known, above=""):
    """What is wrong with the keys of a mapping, as (line from 0, what, fix)."""
    for key, value in node.value:
        line, name = key.start_mark.line, key.value
        if name not in known:
            yield line, f"setting '{above}{name}' is not woven without Quarto", FIX
        elif wrong := _wrong(chapter, name, value):
            yield line, *wrong
        elif known[name] and isinstance(value, yaml.MappingNode):
            yield from _settings(chapter, value, known[name], f"{above}{name}.")


def _wrong(chapter, name, node):
    """What is wrong with the value of a setting and what to do, or None."""
    value = node.value if isinstance(node, yaml.ScalarNode) else None
    if name == "execute" and not isinstance(node, yaml.MappingNode):
        return "'execute' has no settings", "write them below it as `name: value`"
    if name == "bibliography" and value is None:
        return "several bibliographies are not woven without Quarto", "join them"
    if name == "bibliography" and not (chapter.folder / value).is_file():
        return f"there is no bibliography {value}", "correct its name"
    names = [getattr(item, "value", None) for item in node.value]
    if name == "filters" and names != [CLAIM_MARKS]:
        return f"a filter other than {CLAIM_MARKS} is not woven without Quarto", FIX
    if name == "date":
        try:
            datetime.date.fromisoformat(value or "")
        except ValueError:
            return "this is no date", "write it like 2026-01-31"
    return None
