"""The page: one self-contained HTML file."""

import base64
import html
import mimetypes
import re
import urllib.parse
from pathlib import Path

from .. import page
from .markdown import to_markdown
from .pandoc import convert

KINDS = {".pdf": "PDF", ".ipynb": "notebook"}


def to_html(chapter, results, request, convert=convert):
    """The page, with links to the files beside it, and its problems."""
    arguments = "--mathml --section-divs --wrap=none --syntax-highlighting=pygments"
    arguments = arguments.split()
    if chapter.format_option("html", "toc"):
        depth = chapter.format_option("html", "toc-depth") or 3
        arguments += ["--toc", f"--toc-depth={depth}"]
    beside = request.beside(chapter)
    variables = {
        **page.html_variables(chapter),
        "also": [{"text": KINDS.get(Path(n).suffix, n), "href": n} for n in beside],
    }
    markdown = to_markdown(chapter, results, "html")
    asked = chapter, markdown, "html", page.HTML_TEMPLATE, variables, arguments
    text, problems = convert(*asked)
    text = re.sub(
        r'(<section id="footnotes"[^>]*>)\s*<hr />', r"\1<h2>Footnotes</h2>", text
    )
    text = re.sub(
        r'(<img src=")([^"]+)(")',
        lambda match: match[1] + _embedded(chapter, match[2], problems) + match[3],
        text,
    )
    text = re.sub(
        r'(<script type="module") src="([^"]+)">',
        lambda match: f"{match[1]}>\n{_script(chapter, match[2], problems)}",
        text,
    )
    problems += dead_links(chapter, text, beside)
    return page.finish(text), problems


def dead_links(chapter, text, beside):
    """Links of the page that lead nowhere, at their lines in the chapter."""
    ids = set(re.findall(r'\bid="([^"]+)"', text))
    for target in dict.fromkeys(re.findall(r'<a [^>]*?href="([^"]+)"', text)):
        if re.match(r"[a-z]+:|#ref-", target):
            continue
        name, _, anchor = urllib.parse.unquote(html.unescape(target)).partition("#")
        if name in beside:
            continue
        if not (anchor in ids if not name else (chapter.folder / name).exists()):
            what = f"the link to {target} leads nowhere"
            for line in chapter.find(re.escape(target)):
                yield chapter.problem(line, what, "correct its target")


def _embedded(chapter, source, problems):
    """A picture of the checkout as a data: URI, so that the page is one file."""
    if re.match(r"[a-z]+:", source):
        return source
    path = _existing(chapter, source, "picture", problems)
    if not path:
        return source
    type, _ = mimetypes.guess_type(path.name)
    if path.suffix == ".svg":  # a fifth smaller than in base64
        text = urllib.parse.quote(path.read_text("utf-8"), safe=" =:/'(),;@!*+-.[]{}>")
        return f"data:{type},{text}"
    return f"data:{type};base64,{base64.b64encode(path.read_bytes()).decode()}"


def _script(chapter, source, problems):
    """The text of a script of the checkout."""
    path = _existing(chapter, source, "script", problems)
    return path.read_text("utf-8") if path else ""


def _existing(chapter, source, kind, problems):
    """The path of a file that the chapter names, or None and a problem."""
    path = chapter.folder / urllib.parse.unquote(source)
    if path.exists():
        return path
    for line in chapter.find(re.escape(source)):
        what = f"there is no {kind} {source}"
        problems.append(chapter.problem(line, what, "correct the path"))
