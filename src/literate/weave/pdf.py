"""The PDF: the same document, set by Typst, tagged for PDF/UA-1."""

from pathlib import Path

import matplotlib
import typst

from .. import page
from .markdown import to_markdown
from .metadata import commit_date, document_metadata, format_option, page_variables
from .pandoc import convert
from .roles import LETTERS

FONTS = Path(matplotlib.get_data_path(), "fonts/ttf")


def to_pdf(chapter, results, beside):
    """The PDF as bytes, None if it cannot be set, and the problems."""
    arguments = ["--wrap=none", "--syntax-highlighting=idiomatic"]
    if format_option(chapter.settings, "typst", "toc"):
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
        document_metadata(chapter, "typst"),
        arguments,
    )
    try:
        pdf = typst.compile(
            source.encode(),
            root=str(chapter.folder),
            font_paths=[str(FONTS)],
            ignore_system_fonts=True,
            pdf_standards=["ua-1"],
            timestamp=commit_date(chapter.folder),
        )
    except typst.TypstError as error:
        what = f"Typst: {error}"
        return None, [*problems, chapter.problem(1, what, "correct what it names")]
    return pdf, problems
