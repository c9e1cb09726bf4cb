"""From a chapter to its pages: execute once, then one document a format."""

import shutil
from pathlib import Path

from ..problems import Refused
from .chapter import Chapter
from .execute import execute, log
from .files import write
from .html import to_html
from .markdown import to_markdown
from .pdf import to_pdf

FORMATS = {"html": "html", "pdf": "typst"}


class Weaver:
    """Weaves one chapter; kept alive, it executes only what changed."""

    def __init__(self, path, output, timeout=300, strict=True, report=log):
        self.path, self.output = Path(path), Path(output)
        self.timeout, self.strict, self.report = timeout, strict, report

    def weave(self, formats=tuple(FORMATS)):
        """Write the pages; the problems that are passed over when not strict."""
        chapter = Chapter(self.path)
        results = execute(chapter, self.timeout, self.report)
        pages, problems = {}, []
        for name in formats:
            markdown = to_markdown(chapter, results, FORMATS[name])
            page, found = {"html": to_html, "pdf": to_pdf}[name](chapter, markdown)
            pages[self.output / f"{chapter.stem}.{name}"] = page
            problems += found
        if problems and self.strict or None in pages.values():
            raise Refused(problems)
        for path, page in pages.items():
            write(path, page)
        for cell in chapter.document.cells:
            source = chapter.folder / (cell.filename or "")
            if cell.filename and source.is_file():
                target = self.output / cell.filename
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
        return problems
