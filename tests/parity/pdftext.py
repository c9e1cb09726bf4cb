"""The text of a PDF as a reader meets it, for comparing with Quarto's."""

import re
import unicodedata

import pypdfium2

HEAD = 62  # points at the top of a page that the running head takes


def pdf_text(path):
    """The words of all pages, without running heads and whatever depends on breaks."""
    with pypdfium2.PdfDocument(path) as pdf:
        return flat("\n".join(_page_text(page) for page in pdf))


def _page_text(page):
    return page.get_textpage().get_text_bounded(top=page.get_height() - HEAD)


def flat(text):
    """Letters of mathematics and ligatures made plain; no blanks, hyphens, icons."""
    text = unicodedata.normalize("NFKC", text)
    text = re.sub(r"(?: ?\. ){3,}", "", text)  # leaders of a table of contents
    text = re.sub(
        r"(?:/tmp|/root|/home|/usr|/opt|/var|/work)/[^\s:'\"<>,)]*", "<path>", text
    )
    return re.sub(r"[\s\u00ad\u2060\u200b\x00-\x1f\ufffe\ue000-\uf8ff-]+", "", text)
