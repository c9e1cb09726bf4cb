"""The PDF: the same document, set by Typst, tagged for PDF/UA-1."""

import re
from pathlib import Path

import matplotlib
import typst

from .. import page
from .markdown import to_markdown
from .metadata import commit_date, page_variables
from .pandoc import convert
from .roles import LETTERS

FONTS = Path(matplotlib.get_data_path(), "fonts/ttf")


def to_pdf(chapter, results, request):
    """The PDF as bytes, None if it cannot be set, and the problems."""
    arguments = ["--wrap=none", "--syntax-highlighting=idiomatic"]
    if chapter.format_option("typst", "toc"):
        arguments.append("--toc")
    variables = {
        **page_variables(chapter),
        "palette": page.typst_palette(),
        "roles": [{"letter": letter, "role": role} for letter, role in LETTERS.items()],
    }
    source, problems = convert(
        chapter,
        to_markdown(chapter, results, "typst"),
        "typst",
        page.TYPST_TEMPLATE,
        variables,
        arguments,
    )
    try:
        pdf = typst.compile(
            source.encode(),
            root=str(chapter.folder),
            font_paths=[str(FONTS)],
            ignore_system_fonts=True,
            pdf_standards=["ua-1"] if request.strict else [],
            timestamp=commit_date(chapter.folder),
        )
    except typst.TypstError as error:
        return None, [*problems, _failure(chapter, source, error)]
    return pdf, problems


def _failure(chapter, source, error):
    """Typst's refusal, at the last label of the chapter before the place it names."""
    place = re.search(r"__typst_py_bytes__\.typ:(\d+):", error.diagnostic)
    above = "\n".join(source.split("\n")[: int(place[1])]) if place else ""
    labels = re.findall(r"<([\w:.-]+)>", above)
    line = chapter.find(f"[#@]{re.escape(labels[-1])}")[0] if labels else 1
    what = f"Typst, below here: {error.message}"
    return chapter.problem(line, what, "correct what it names")
