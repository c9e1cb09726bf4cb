"""The page: one self-contained HTML file."""

import base64
import mimetypes
import re
import urllib.parse

from .. import page
from .mathematics import color_mathml
from .metadata import document_metadata, format_option, module_names, page_variables
from .pandoc import convert


def to_html(chapter, markdown):
    """The page and its problems."""
    arguments = [
        "--mathml",
        "--section-divs",
        "--wrap=none",
        "--syntax-highlighting=pygments",
    ]
    if format_option(chapter.settings, "html", "toc"):
        arguments.append("--toc")
    beside = [f"{chapter.stem}.pdf", f"{chapter.stem}.ipynb", *module_names(chapter)]
    variables = {
        **page.variables(),
        **page_variables(chapter),
        "also": [{"href": name, "text": name} for name in beside],
    }
    text, problems = convert(
        chapter,
        markdown,
        "html",
        page.HTML_TEMPLATE,
        variables,
        document_metadata(chapter, "html"),
        arguments,
    )
    text = re.sub(
        r'(<section id="footnotes"[^>]*>)\s*<hr />', r"\1<h2>Footnotes</h2>", text
    )
    text = re.sub(
        r'(<img src=")([^"]+)(")',
        lambda match: match[1] + _embedded(chapter, match[2], problems) + match[3],
        text,
    )
    return page.seal(color_mathml(text)), problems


def _embedded(chapter, source, problems):
    """A picture of the checkout as a data: URI, so that the page is one file."""
    if re.match(r"[a-z]+:", source):
        return source
    path = chapter.folder / urllib.parse.unquote(source)
    if not path.exists():
        for line in chapter.find(source):
            problems.append(
                chapter.problem(
                    line, f"there is no picture {source}", "correct the path"
                )
            )
        return source
    type, _ = mimetypes.guess_type(path.name)
    return f"data:{type};base64,{base64.b64encode(path.read_bytes()).decode()}"
