"""The PDF: the same document, set by Typst, tagged for PDF/UA-1."""

import tempfile
from pathlib import Path

import matplotlib
import typst

from .mathematics import ROLES
from .metadata import commit_date, page_metadata, wants_toc
from .pandoc import PAGE, convert

FONTS = Path(matplotlib.get_data_path(), "fonts/ttf")


def to_pdf(chapter, markdown):
    """The PDF as bytes, and the problems met."""
    metadata = page_metadata(chapter, "typst")
    metadata["roles"] = [{"letter": letter, "role": role} for letter, role in ROLES.items()]
    arguments = [
        f"--template={PAGE / 'page.typ'}",
        "--wrap=none",
        "--syntax-highlighting=idiomatic",
    ]
    if wants_toc(chapter, "typst"):
        arguments.append("--toc")
    source, problems = convert(chapter, markdown, "typst", metadata, arguments)
    with tempfile.TemporaryDirectory(dir=chapter.folder / "_build") as scratch:
        path = Path(scratch, f"{chapter.stem}.typ")
        path.write_text(source, "utf-8")
        try:
            return (
                typst.compile(
                    str(path),
                    root=str(chapter.folder),
                    font_paths=[str(FONTS)],
                    ignore_system_fonts=True,
                    pdf_standards=["ua-1"],
                    timestamp=commit_date(chapter.folder),
                ),
                problems,
            )
        except typst.TypstError as error:
            problems.append(
                chapter.problem(1, f"Typst: {error}", "correct what it names")
            )
            return None, problems
