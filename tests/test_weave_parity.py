"""The weave shows what Quarto shows, or refuses it at its line.

`tests/parity/` holds small documents and what Quarto 1.10.18 made of them. Each
is woven equal to it, but for the listed deliberate differences, or refused;
never different. What Quarto passes over in silence is refused by a strict weave,
and a draft shows it as Quarto does. The cells' results stay in `_build/parity`.
"""

import json
import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path

import pytest

from literate.problems import Refused
from literate.weave import Weaver

HERE = Path(__file__).parent / "parity"
WORK = Path(__file__).parent.parent / "_build/parity"
sys.path.insert(0, str(HERE))

from deliberate import AS_HTML, EMBEDDED, FOOTNOTES, HTML, PDF  # noqa: E402
from extract import extract  # noqa: E402
from pdftext import flat, pdf_text  # noqa: E402
from refused import DRAFT, REFUSED  # noqa: E402

STAMP = r"Commit\w+·Date.*?·typst" + metadata.version("typst")
CASES = sorted(p.stem for p in (HERE / "cases").glob("[a-z]*.qmd"))
EQUAL = [name for name in CASES if name not in REFUSED]
PAGES = [name for name in EQUAL if (HERE / f"expected/{name}.json").exists()]
PDFS = [name for name in EQUAL if (HERE / f"expected/{name}.typst.txt").exists()]


def weave(name, *formats, strict=False):
    weaver = Weaver(
        WORK / f"{name}.qmd", WORK / "out", strict=strict, report=lambda line: None
    )
    return weaver.weave(formats)


def lines(problems):
    return sorted({problem.line for problem in problems})


@pytest.fixture(scope="session")
def drafts():
    """Every case that is not refused as a page, by name the problems passed over."""
    WORK.mkdir(parents=True, exist_ok=True)
    for path in (HERE / "cases").iterdir():
        shutil.copy(path, WORK)
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(EQUAL, pool.map(lambda name: weave(name, "html"), EQUAL)))


@pytest.mark.parametrize("name", PAGES)
def test_the_page_shows_what_quarto_shows(name, drafts):
    expected = (HERE / "expected" / f"{name}.json").read_text("utf-8")
    expected = [_json(item) for item in json.loads(expected)]
    expected = "\n".join(expected).replace(*EMBEDDED)
    for _, theirs, ours in HTML.get(name, ()):
        assert theirs in expected
        expected = expected.replace(theirs, ours)
    assert [_json(item) for item in extract(WORK / f"out/{name}.html")] == (
        expected.split("\n")
    )


@pytest.mark.parametrize("name", EQUAL)
def test_a_strict_weave_refuses_what_quarto_passes_over(name, drafts):
    assert lines(drafts[name]) == DRAFT.get(name, [])


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_woven_is_refused_at_its_line(name, drafts):
    with pytest.raises(Refused) as refused:
        weave(name, "html")
    assert lines(refused.value.problems) == REFUSED[name]


@pytest.mark.parametrize("name", PDFS)
def test_the_pdf_has_the_words_of_quartos(name, drafts):
    weave(name, "pdf")
    text = re.sub(STAMP, "", pdf_text(WORK / f"out/{name}.pdf"))
    if name in AS_HTML:
        said = _said(name)
        assert all(words in text for words in said)
        assert sum(map(len, said)) == len(text)
        return
    expected = flat((HERE / f"expected/{name}.typst.txt").read_text("utf-8"))
    expected = re.sub(r"(?<!033)\[[\d;]+m", "", expected)  # raw color codes
    for _, theirs, ours in PDF.get(name, ()):
        assert theirs in expected
        expected = expected.replace(theirs, ours)
    for note in FOOTNOTES.get(name, ()):
        assert note in text and note in expected
        text, expected = text.replace(note, "", 1), expected.replace(note, "", 1)
    assert text == expected


def _json(item):
    return json.dumps(item, ensure_ascii=False)


def _said(name):
    """The paragraphs of the expected HTML, as flat text without marks."""
    items = json.loads((HERE / "expected" / f"{name}.json").read_text("utf-8"))
    texts = [
        f"{item['number']}" if item["kind"] == "footnote" else item["text"]
        for item in items
        if item["kind"] in ("title", "para", "heading", "bibentry", "footnote")
        and item.get("id") != "footnotes"
    ]
    return [flat(re.sub(r"\[\^(\d+)\]", r"\1", re.sub(r"[*`]", "", t))) for t in texts]
