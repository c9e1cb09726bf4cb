"""The weave runs what it must, says where it failed, and gives the same bytes."""

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import nbformat
import pytest

from literate.__main__ import main
from literate.problems import Refused
from literate.weave import Weaver

FRONT = "---\ntitle: A try\nnumber-sections: true\n---\n\n"


class Woven:
    """A document in a folder of its own, woven on demand."""

    def __init__(self, folder):
        self.path, self.output = folder / "try.qmd", folder / "out"
        self.reports = []

    def weave(self, text, *formats, **options):
        """Weave `text` after a front matter of five lines."""
        self.reports.clear()
        self.path.write_text(FRONT + text, "utf-8")
        weaver = Weaver(self.path, self.output, report=self.reports.append, **options)
        return weaver.weave(formats or ("html",))

    def refusal(self, text, *formats, **options):
        """The lines that say why `text` is refused."""
        with pytest.raises(Refused) as refused:
            self.weave(text, *formats, **options)
        return str(refused.value)

    @property
    def page(self):
        return (self.output / "try.html").read_text("utf-8")


@pytest.fixture
def doc(tmp_path):
    return Woven(tmp_path)


def cell(code, *options):
    return "\n".join(["```{python}", *(f"#| {o}" for o in options), code, "```", ""])


FIGURE = """from figures import draw
draw("fig-a", lambda c: c.add_subplot().plot([1, 2]), (3, 2), "Cap of $x$", "Rises")"""


def test_an_edit_of_prose_runs_no_cell_and_an_edit_of_a_module_does(doc):
    module = doc.path.parent / "src/figures.py"
    module.parent.mkdir()
    module.write_text("one = 1\n")
    code = cell("import sys; sys.path.insert(0, 'src')\nimport figures\nfigures.one")
    doc.weave(f"Before.\n\n{code}")
    assert len(doc.reports) == 1
    doc.weave(f"After, with more words.\n\n{code}\nAnd below.")
    assert doc.reports == []
    assert "with more words" in doc.page
    module.write_text("one = 11\n")
    doc.weave(f"After.\n\n{code}")
    assert len(doc.reports) == 1
    assert "<code>11</code>" in doc.page


def test_a_cell_that_stands_alone_runs_at_each_weave(doc):
    ledger = doc.path.parent / "ledger.json"
    text = cell("slow = 1", "label: slow") + cell(
        "import json; json.load(open('ledger.json'))", "label: ledger", "cache: false"
    )
    for number in (41, 42):
        ledger.write_text(json.dumps(number))
        doc.weave(text)
        assert f"<code>{number}</code>" in doc.page
    assert [report.split()[1] for report in doc.reports] == ["ledger"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        # the statement, not the cell; the label; the exception and its message
        (
            cell("x = 1\n\ny = x / 0", "label: quotient"),
            "try.qmd:10: cell quotient: ZeroDivisionError: division by zero; ",
        ),
        # raised in a function of another cell: both places
        (
            cell("def f(n):\n    return n[0]") + "\n" + cell("ok = 1\nf(())"),
            "try.qmd:13: cell line 11: IndexError: tuple index out of range "
            "(raised at line 8); ",
        ),
        (cell("def f(:"), "try.qmd:7: cell line 6: SyntaxError: invalid syntax; "),
        ("One.\n\nTwo `{python} nope`.", "try.qmd:8: inline `nope`: NameError: "),
        (
            cell("x", "label: [a"),
            "try.qmd:7: these options are not YAML (column 11: did not find",
        ),
        ("![A](a.png){#fig-a fig-alt='A'}", "try.qmd:6: there is no picture a.png; "),
        ("$\\frac{1$", "try.qmd:6: Pandoc cannot read the formula \\frac{1; "),
        ("See @fig-nope.", "try.qmd:6: @fig-nope leads nowhere; "),
        ("See [@nope2000].", "try.qmd:6: the key nope2000 is not in the bibl"),
        ("[a](#nowhere)", "try.qmd:6: the link to #nowhere leads nowhere; "),
        ("{{< include x.qmd >}}", "try.qmd:6: the shortcode 'include' is not woven"),
        (
            cell("1", "layout-valign: top"),
            "try.qmd:7: cell option 'layout-valign' is not woven without Quarto; ",
        ),
        ("$a = `{python} f'{1:.2f}'`$", "try.qmd:6: Quarto escapes the string f'{1:"),
        (cell("1", "label: [a]"), "try.qmd:7: cell option 'label' cannot be ['a']; "),
        (cell("1", "label: ../../a"), "try.qmd:7: label '../../a' is not of letters"),
        (cell("1", "fig-cap: 3"), "try.qmd:7: cell option 'fig-cap' cannot be 3; "),
        (cell("print('x' * 2_000_000)"), "try.qmd:6: cell line 6 puts out 2,000,"),
        ("One.\n\nTwo.\rThree.", "try.qmd:8: a line ends in a carriage return alone"),
    ],
)
def test_a_refusal_names_the_line_of_the_chapter(doc, text, line):
    assert doc.refusal(text).startswith(line)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("One.\n\nTwo words `#nope`{=typst}.", "try.qmd:8: Typst, about here: unknown"),
        ("One.\n\n![P](bad.svg){fig-alt='P'}", "try.qmd:8: Typst, about here: failed"),
    ],
)
def test_what_typst_cannot_set_is_at_its_line(doc, text, line):
    (doc.path.parent / "bad.svg").write_text("<svg")
    assert doc.refusal(text, "pdf").startswith(line)


def test_what_pandoc_cannot_read_is_at_its_line(doc):
    folder = doc.path.parent
    (folder / "_quarto.yml").write_text("bibliography: works.bib\n")
    (folder / "works.bib").write_text("@book{a,\n title = {A}}\n\n@book{b, title = {\n")
    assert doc.refusal("As [@a].").startswith("works.bib:5: Pandoc: ")


@pytest.mark.parametrize(
    ("settings", "refusal"),
    [
        (b"- a", "_quarto.yml:1: these are not settings; "),
        (b"title: T\nlang: fr\xe9", "_quarto.yml:2: byte 0xe9 is not UTF-8; "),
        (b"execute: true", "_quarto.yml:1: 'execute' has no settings; "),
        (b"bibliography: [a, b]", "_quarto.yml:1: several bibliographies are not"),
        (b"title: T\ndate: soon", "_quarto.yml:2: this is no date; "),
        (b"title: T\ndate: 2026-13-01", "_quarto.yml:1: this is not YAML (month must"),
        (b'title: "\x07"', "_quarto.yml:1: this is not YAML ("),
        (b"title: T\nlang: a: b", "_quarto.yml:2: this is not YAML (column 8: "),
        (b"author:\n  - affiliation: A", "try.qmd:1: an author has no name; "),
    ],
)
def test_settings_that_cannot_be_are_refused(doc, settings, refusal):
    (doc.path.parent / "_quarto.yml").write_bytes(settings)
    assert doc.refusal("Words.").startswith(refusal)


@pytest.mark.parametrize(
    ("option", "environment", "said"),
    [
        ("--timeout=0", {}, "--timeout 0: give a second at least\n"),
        ("--timeout=-1", {}, "--timeout -1: give a second at least\n"),
        (
            "--to=html",
            {"SOURCE_DATE_EPOCH": "x"},
            "try.qmd:1: SOURCE_DATE_EPOCH is 'x', not seconds since 1970; "
            "correct it, or unset it\n",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_line(
    doc, option, environment, said, monkeypatch, capsys
):
    doc.weave("Old words.")
    doc.path.write_text(f"{FRONT}New words.")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    arguments = ["weave", str(doc.path), "--output", str(doc.output), option]
    assert main(arguments) == 1
    assert capsys.readouterr().err == said
    assert "Old words" in doc.page


@pytest.mark.slow
def test_no_folder_but_the_chapters_need_be_writable(doc):
    doc.path.write_text(FRONT + f"# One\n\n@fig-a.\n\n{cell(FIGURE)}")
    nowhere = "/proc/none"  # where not even root can write
    homes = ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR")
    environment = {"PATH": os.environ["PATH"], **dict.fromkeys(homes, nowhere)}
    command = [sys.executable, "-m", "literate", "weave", doc.path, "--output"]
    subprocess.run([*command, doc.output], check=True, env=environment, cwd="/")
    assert 'alt="Rises"' in doc.page
    assert 'class="cell-output cell-output-stderr' not in doc.page
    assert {path.name for path in doc.path.parent.iterdir()} == (
        {"_build", "out", "try.qmd"}
    )


def test_the_folder_woven_to_may_be_the_chapters(doc):
    module = doc.path.parent / "m.py"
    module.write_text("one = 1\n")
    doc.output = doc.path.parent
    doc.weave(cell("1", "label: a", "filename: m.py"))
    assert 'href="m.py"' in doc.page
    assert module.read_text() == "one = 1\n"


def test_a_damaged_cache_or_ledger_is_as_none(doc):
    doc.weave(cell("print(6 * 7)"))
    build = doc.path.parent / "_build"
    for damaged in (build / "cache/try.json", build / "ledger.json"):
        damaged.write_text("[", "utf-8")
    doc.weave(cell("print(6 * 7)"))
    assert doc.reports
    assert "<code>42</code>" in doc.page


def test_a_file_name_that_leads_out_of_the_folder_copies_nothing(doc):
    (doc.path.parent / "out").mkdir()
    outside, victim = doc.path.parent.parent / "a.py", doc.path.parent / "a.py"
    outside.write_text("other = 1\n", "utf-8")
    victim.write_text("mine = 1\n", "utf-8")
    doc.weave(cell("1", "label: a", "filename: ../a.py"))
    assert victim.read_text("utf-8") == "mine = 1\n"


def test_an_exception_inside_a_tangled_module_is_placed_in_the_chapter(doc):
    code = cell("def third(x):\n    return x[3]", "label: third", "filename: src/m.py")
    use = cell("import sys; sys.path.insert(0, 'src')\nfrom m import third\nthird('')")
    doc.path.write_text(FRONT + code + use, "utf-8")
    tangle = [sys.executable, "-m", "literate", "tangle", doc.path.name]
    subprocess.run(tangle, check=True, cwd=doc.path.parent)
    assert "try.qmd:15: " in doc.refusal(code + use)
    assert "(raised at line 10)" in doc.refusal(code + use)


@pytest.mark.slow
def test_a_cell_that_hangs_is_named_after_its_time(doc):
    text = cell("import time; time.sleep(60)", "label: slow")
    assert doc.refusal(text, timeout=1) == (
        "try.qmd:6: cell slow runs for more than 1 s; "
        "make it faster, or give the weave a longer --timeout"
    )


def test_a_refused_weave_leaves_the_old_output(doc):
    doc.weave("Old words.")
    doc.refusal("New words, see @fig-nope.")
    assert "Old words" in doc.page


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_weave_leaves_the_old_output_and_no_kernel(doc, ending):
    doc.weave("Old words.")
    hang = "open('begun', 'w').close()\nimport time; time.sleep(60)"
    doc.path.write_text(FRONT + cell(hang), "utf-8")
    command = [sys.executable, "-m", "literate", "weave", doc.path, "--output"]
    process = subprocess.Popen(
        [*command, doc.output],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A shell's background job begins with Ctrl-C ignored; a user's does not.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    while not (doc.path.parent / "begun").exists():
        time.sleep(0.1)
    os.killpg(process.pid, ending)  # as Ctrl-C and `kill` do
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert said == "literate weave: interrupted\n"
    assert "Old words" in doc.page
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


def test_two_weaves_are_the_same_byte_for_byte(doc):
    text = f"# One\n\n@fig-a, $x^2$.\n\n{cell(FIGURE)}\n{cell('print(id)')}"
    made = []
    for _ in range(2):
        doc.weave(text, "html", "pdf", "ipynb")
        made.append([path.read_bytes() for path in sorted(doc.output.glob("try.*"))])
        doc.path.parent.joinpath("_build/cache/try.json").unlink()
    assert len(made[0]) == 3
    assert made[0] == made[1]


def test_a_figure_is_a_picture_in_the_page_and_lies_in_the_notebook(doc):
    doc.weave(f"# One\n\nAs @fig-a shows.\n\n{cell(FIGURE)}", "html", "ipynb")
    assert '<img src="data:image/svg+xml,' in doc.page
    assert 'alt="Rises"' in doc.page
    notebook = nbformat.read(doc.output / "try.ipynb", 4)
    nbformat.validate(notebook)
    assert "As Figure\xa01 shows." in "".join(c.source for c in notebook.cells)
    [shown] = notebook.cells[-1].outputs
    picture, caption = shown.data["text/markdown"].split("\n\n")
    assert picture.startswith("![Rises](data:image/svg+xml;base64,")
    assert caption == "*Figure\xa01: Cap of $x$*"


def test_a_mark_is_no_code_in_a_listing_either(doc):
    doc.weave('```{.python #lst-a lst-cap="C"}\nx = 1  # <1>\n```\n\n1. A note.')
    assert "&lt;1&gt;" not in doc.page
    assert "A note." in doc.page


@pytest.mark.slow
def test_any_folder_and_line_ends_will_do(tmp_path, monkeypatch):
    folder = tmp_path / "Größe und Maß"
    folder.mkdir()
    text = (FRONT + "# One\n\nMaß `{python} 6 * 7`.\n\n" + cell("print('ä')")).encode()
    (folder / "try.qmd").write_bytes(text.replace(b"\n", b"\r\n"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    Weaver(folder / "try.qmd", Path("out"), report=print).weave()
    assert "Maß 42." in Path("out/try.html").read_text("utf-8")
    assert Path("out/try.pdf").read_bytes().startswith(b"%PDF")
