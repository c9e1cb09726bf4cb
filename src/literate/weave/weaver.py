"""From a chapter to its pages: execute once, then one document for each format."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ..files import put
from ..problems import Refused
from .chapter import Chapter
from .execute import execute, log
from .html import to_html
from .notebook import to_notebook
from .pdf import to_pdf
from .subset import unfit, unwoven

FORMATS = {"html": to_html, "pdf": to_pdf, "ipynb": to_notebook}


@dataclass(frozen=True)
class Request:
    """What is asked for: which formats, where to, and whether as a draft."""

    formats: tuple
    output: Path
    strict: bool

    def beside(self, chapter):
        """The names of the files that will lie beside the page."""
        made = [f"{chapter.stem}.{name}" for name in self.formats]
        pages = [f"{chapter.stem}.{name}" for name in ("pdf", "ipynb")]
        there = [p for p in pages if p in made or (self.output / p).exists()]
        return [*there, *chapter.modules]


class Weaver:
    """Weaves one document into a folder.

    Strict, it refuses what Quarto passes over (a reference that leads nowhere,
    a picture without alternative text); else it weaves and returns that.
    """

    def __init__(
        self,
        path,
        output,
        timeout=300,
        strict=True,
        report=log,
        execute=execute,
        writers=FORMATS,
    ):
        self.path, self.output = Path(path), Path(output)
        self.timeout, self.strict, self.report = timeout, strict, report
        self.execute, self.writers = execute, writers

    def weave(self, formats=tuple(FORMATS)):
        """Write the pages, all or none; the problems that were passed over."""
        chapter = Chapter(self.path)
        problems = list(unfit(chapter))
        if found := unwoven(chapter) + problems * self.strict:
            raise Refused(found)
        results = self.execute(chapter, self.timeout, self.report)
        request = Request(tuple(formats), self.output, self.strict)
        with ThreadPoolExecutor() as pool:  # Pandoc and Typst do the work
            writers = [self.writers[name] for name in formats]
            made = list(pool.map(lambda make: make(chapter, results, request), writers))
        pages = {}
        for name, (page, found) in zip(formats, made):
            pages[self.output / f"{chapter.stem}.{name}"] = page
            problems += found
        if problems and (self.strict or None in pages.values()):
            raise Refused(problems)
        for path, page in pages.items():
            put(path, page)
        for name in chapter.modules:
            put(self.output / name, (chapter.folder / name).read_bytes())
        return sorted(set(problems))
