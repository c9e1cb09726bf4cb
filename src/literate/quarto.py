"""Quarto: render the chapter with Quarto itself, and check what it passes over.

Quarto ends well though a reference is unresolved, a citation key or a picture
is missing, a link leads nowhere or a picture has no alternative text. Each is
looked for in the page and the PDF that it made.
"""

import contextlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pypdfium2

from .weave.chapter import Chapter
from .weave.html import dead_links

PACKAGE = "quarto-cli==1.10.18"  # downloads Quarto while it is installed
ABSENT = (
    f"quarto: there is no quarto, and {PACKAGE} could not be installed; "
    "install it from quarto.org (the embedded weaver needs none)"
)


def add_arguments(parser):
    """The verb's arguments."""
    parser.add_argument("document", nargs="?", default="chapter.qmd", type=Path)


def run(args):
    """Render and check; 0, or 1 with a line for each problem."""
    chapter = Chapter(args.document)
    here = Path(sys.executable).parent  # the environment's programs come first
    path = f"{here}{os.pathsep}{os.environ['PATH']}"
    quarto = shutil.which("quarto", path=path) or _installed(path)
    if not quarto:
        print(ABSENT, file=sys.stderr)
        return 1
    command = [quarto, "render", chapter.path.name]
    done = subprocess.run(command, cwd=chapter.folder, env={**os.environ, "PATH": path})
    if done.returncode:
        what = f"quarto: {' '.join(command)} failed (status {done.returncode})"
        print(f"{what}; its message stands above", file=sys.stderr)
        return 1
    project = chapter.settings.get("project") or {}
    output = chapter.folder / project.get("output-dir", ".")
    problems = [
        *in_page(chapter, output / f"{chapter.stem}.html"),
        *in_pdf(chapter, output / f"{chapter.stem}.pdf"),
    ]
    for problem in sorted(set(problems)):
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def _installed(path):
    """The quarto that PyPI's package brings into this environment, or None."""
    print(f"quarto: none on the PATH; installing {PACKAGE}", file=sys.stderr)
    install = [sys.executable, "-m", "pip", "install", "--quiet", PACKAGE]
    with contextlib.suppress(OSError):
        subprocess.run(install, capture_output=True)
    return shutil.which("quarto", path=path)


def in_page(chapter, path):
    """What Quarto passed over in its HTML, as problems."""
    text = path.read_text("utf-8")
    for name in re.findall(
        r"\?@([\w:-]+)", re.sub(r"<pre.*?</pre>", "", text, flags=re.S)
    ):
        yield from _at(chapter, f"@{name}", f"@{name} leads nowhere", "correct it")
    for key in re.findall(r"<strong>([\w:-]+)\?</strong>", text):
        what = f"the key {key} is not in the bibliography"
        yield from _at(chapter, f"@{key}", what, "add or correct it")
    for image in re.findall(r"<img\b[^>]*>", text):
        source = re.search(r'\bsrc="([^"]*)"', image)[1]
        shown = source if len(source) < 60 else "of a figure"
        if not re.search(r'\balt="[^"]', image):
            what = f"the picture {shown} has no alternative text"
            yield from _at(chapter, source, what, 'give it fig-alt="..."')
        if not re.match(r"[a-z]+:", source) and not (path.parent / source).exists():
            what = f"there is no picture {shown}"
            yield from _at(chapter, source, what, "correct the path")
    yield from dead_links(chapter, text, [])


def in_pdf(chapter, path):
    """References that stand unresolved in Quarto's PDF, as problems."""
    with pypdfium2.PdfDocument(path) as pdf:
        text = "".join(page.get_textpage().get_text_bounded() for page in pdf)
    for name in re.findall(r"\?@([\w:-]+)", text):
        what = f"@{name} leads nowhere in the PDF"
        yield from _at(chapter, f"@{name}", what, "correct it")


def _at(chapter, token, what, fix):
    for line in chapter.find(re.escape(token) + r"(?![\w-])"):
        yield chapter.problem(line, what, fix)
