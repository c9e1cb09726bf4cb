"""The PDF as a reader and a screen reader get it."""

import re
from pathlib import Path

import pypdfium2
import pypdfium2.raw as pdfium
import pytest

ROOT = Path(__file__).parents[2]
A4 = (595.28, 841.89)  # points


@pytest.fixture(scope="module")
def pdf(woven):
    """The woven PDF, opened."""
    with pypdfium2.PdfDocument(woven / "chapter.pdf") as document:
        yield document


def test_the_pdf_says_it_is_pdf_ua_1_and_is_tagged(woven, pdf):
    # Typst checks what it claims; here only that it was asked to.
    assert b"<pdfuaid:part>1</pdfuaid:part>" in (woven / "chapter.pdf").read_bytes()
    assert pdfium.FPDFCatalog_IsTagged(pdf)
    assert pdf.get_metadata_dict()["Title"] == "Attention"


def test_every_sheet_is_a4_and_nothing_hangs_over_its_edge(pdf):
    for number, sheet in enumerate(pdf, start=1):
        assert sheet.get_size() == pytest.approx(A4, abs=0.5)
        for thing in sheet.get_objects(max_depth=1):
            left, _, right, _ = thing.get_bounds()
            assert left >= 0 and right <= A4[0] - 20, f"page {number}"


def test_the_outline_has_every_heading(pdf):
    # A heading right below the opening of a div is the div's title.
    pattern = r"(?<!\}\n)^##? (.+?)(?: \{.*)?$"
    headings = re.findall(pattern, _chapter(), flags=re.MULTILINE)
    titles = [item.get_title() for item in pdf.get_toc()]
    assert len(titles) >= len(headings)
    for heading in headings:
        assert any(title.endswith(heading) for title in titles), heading


def test_answers_stand_open_and_code_is_whole(pdf):
    text = "".join(page.get_textpage().get_text_bounded() for page in pdf)
    words = "".join(text.split())
    assert "Answer" in words
    for line in re.findall(r"^def .*$", (ROOT / "src/attention.py").read_text(), re.M):
        assert "".join(line.split()) in words


def _chapter():
    """The chapter's prose: no line of a cell passes for a heading."""
    text = (ROOT / "chapter.qmd").read_text("utf-8")
    return re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
