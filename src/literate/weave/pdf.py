"""The PDF: the same document, set by Typst, tagged for PDF/UA-1."""

import re
from pathlib import Path

import matplotlib
import typst

from .. import page
from ..page.about import commit_date
from .markdown import to_markdown
from .pandoc import convert

ITSELF = "__typst_py_bytes__.typ"  # what Typst calls the document
FONTS = Path(matplotlib.get_data_path(), "fonts/ttf")


def to_pdf(chapter, results, request):
    """The PDF as bytes, None if it cannot be set, and the problems."""
    arguments = ["--wrap=none", "--syntax-highlighting=idiomatic"]
    if chapter.format_option("typst", "toc"):
        arguments.append("--toc")
    markdown = to_markdown(chapter, results, "typst")
    variables = page.typst_variables(chapter)
    asked = chapter, markdown, "typst", page.TYPST_TEMPLATE, variables, arguments
    source, problems = convert(*asked)
    try:
        pdf = typst.compile(
            source.encode(),
            root=str(chapter.folder),
            font_paths=[str(FONTS)],
            ignore_system_fonts=True,
            pdf_standards=["ua-1"] if request.strict else [],
            timestamp=commit_date(chapter),
        )
    except typst.TypstError as error:
        return None, [*problems, _failure(chapter, source, error)]
    return pdf, problems


def _failure(chapter, source, error):
    """Typst's refusal, at the line of prose that is most like the place it names."""
    place = re.search(r"┌─ (?:\S*/)?(\S+?):(\d+)", error.diagnostic)
    file, at = place.groups() if place else ("", 1)
    named = source.split("\n")[int(at) - 1] if file == ITSELF else file
    alike = {x.number: len(_words(x.text) & _words(named)) for x in chapter.lines}
    what = f"Typst, about here: {error.message}"
    line = max(alike, key=alike.get, default=1)
    return chapter.problem(line, what, "correct what it names")


def _words(text):
    return set(re.findall(r"\w+", text))
