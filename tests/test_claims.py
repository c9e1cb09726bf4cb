"""Each claim has a test, each number a source, each citation an entry."""

import re
from pathlib import Path

import pypandoc
import pytest
import yaml

from claims import __main__ as command
from claims import citations, ledger, numbers, scan
from literate.weave import Weaver

ROOT = Path(__file__).parent.parent
CHAPTER = (ROOT / "chapter.qmd").read_text("utf-8")


def lines(problems):
    return "\n".join(map(str, problems))


# The chapter as it stands.


def test_every_claim_has_a_test_and_every_mark_a_claim():
    found = scan.problems(CHAPTER, scan.marks_in(ROOT / "tests"))
    assert not found, lines(found)


def test_there_are_enough_claims():
    claims = scan.claims_of(CHAPTER)
    assert len(claims) >= 25
    assert sum(claim.id.startswith("prp-") for claim in claims) >= 9


def test_no_result_in_the_chapter_is_typed():
    found = numbers.problems(CHAPTER, (ROOT / numbers.GIVEN).read_text("utf-8"))
    assert not found, lines(found)


def test_every_citation_is_in_the_bibliography_and_complete():
    found = citations.problems(CHAPTER, (ROOT / "references.bib").read_text("utf-8"))
    assert not found, lines(found)


def test_the_ledger_is_never_taken_from_the_cache():
    cell = next(c for c in scan.scan(CHAPTER).cells if c.label == "ledger")
    assert cell.options["cache"] is False


# Claims and marks.

STATED = """# Title

::: {#prp-one}
## The name
First, with a
condition.
:::

So [this holds, see [the page](https://a.b) and `{python} f"{x:.2f}"`]{#clm-two .claim}.

```{python}
"[no claim]{#clm-code .claim}"
```
"""


def test_propositions_and_spans_are_claims_and_code_is_none():
    assert scan.claims_of(STATED) == [
        scan.Claim("prp-one", 3, "First, with a condition.", "The name"),
        scan.Claim(
            "clm-two",
            9,
            'this holds, see [the page](https://a.b) and `{python} f"{x:.2f}"`',
        ),
    ]


def test_marks_are_found_with_their_line_and_test():
    source = 'import pytest\n\n@pytest.mark.claim("a")\n@pytest.mark.claim("b", "c")\n'
    source += "def test_it():\n    pass\n"
    assert scan.marks_of(source, "t.py") == [
        scan.Mark("a", "t.py", 3, "test_it"),
        scan.Mark("b", "t.py", 4, "test_it"),
        scan.Mark("c", "t.py", 4, "test_it"),
    ]


def test_what_does_not_fit_is_named_with_its_line():
    marks = [
        scan.Mark("prp-one", "t.py", 1, "test_one"),
        scan.Mark("clm-gone", "t.py", 5, "test_gone"),
    ]
    text = STATED + "\n[x]{#clm-forgotten}\n\n[again]{#prp-one .claim}\n"
    found = [str(problem) for problem in scan.problems(text, marks)]
    assert [line.split("; ")[0] for line in found] == [
        "chapter.qmd:9: the claim clm-two has no test",
        "t.py:5: test_gone checks clm-gone, which the chapter does not state",
        "chapter.qmd:15: {#clm-forgotten} marks no claim",
    ]


def test_a_claim_stated_twice_is_refused():
    marks = [scan.Mark(f"{id}", "t.py", 1, "t") for id in ("prp-one", "clm-two")]
    found = scan.problems(STATED + "[again]{#clm-two .claim}\n", marks)
    assert [str(p) for p in found] == [
        "chapter.qmd:14: clm-two is in line 9 too; rename one of the two"
    ]


# The ledger.


@pytest.fixture
def project(tmp_path):
    """A chapter with three claims, a module and a test module."""
    (tmp_path / "src").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "chapter.qmd").write_text(STATED + "\n[Third]{#clm-3 .claim}\n")
    (tmp_path / "src/module.py").write_text("one = 1\n")
    (tmp_path / "pyproject.toml").write_text(
        '[tool.pytest.ini_options]\naddopts = "-p claims.plugin"\n'
        'markers = ["claim(id): checks it", "slow: slow"]\n'
    )
    (tmp_path / "tests/test_module.py").write_text(
        "import pytest\n\n"
        '@pytest.mark.claim("prp-one")\n'
        "@pytest.mark.parametrize('error', [1e-16, 3e-16, 2e-16])\n"
        "def test_d_k_is_near(error, record_property):\n"
        "    open('runs', 'a').write('x')\n"
        "    record_property('worst_error', error)\n\n"
        '@pytest.mark.claim("prp-one", "clm-two")\n'
        "def test_it_holds():\n    pass\n\n"
        '@pytest.mark.claim("clm-two")\n'
        "def test_it_fails():\n    assert False\n\n"
        '@pytest.mark.claim("clm-3")\n'
        "def test_it_is_skipped():\n    pytest.skip('why')\n"
    )
    return tmp_path


def rows(root):
    """Result and error of each claim in the ledger's table."""
    found = re.findall(r"^\| .*\{#checked-(\S+)\}.*", ledger.table(root), re.M)
    cells = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in ledger.table(root).splitlines()[2 : 2 + len(found)]
    ]
    return {id: (result, error) for id, (_, _, result, error) in zip(found, cells)}


def test_a_ledger_tells_what_the_tests_found(project):
    assert command.prove(project) == 1
    assert rows(project) == {
        "prp-one": ("passed", "3·10⁻¹⁶"),
        "clm-two": ("failed", ""),
        "clm-3": ("skipped", ""),
    }
    table = ledger.table(project)
    assert "[The name]{#checked-prp-one} (@prp-one) | d_k is near; it holds |" in table
    assert "[[this holds, see the page and …](#clm-two)]{#checked-clm-two}" in table
    assert "3 claims: 1 passed, 1 failed, 1 skipped. {#tbl-ledger}" in table


def test_without_a_run_nothing_has_passed(project):
    for content in (None, "", "[]", '{"digest": "x"}'):
        if content is not None:
            (project / "_build").mkdir(exist_ok=True)
            (project / ledger.LEDGER).write_text(content)
        assert {result for result, _ in rows(project).values()} == {"not run"}


@pytest.mark.parametrize("changed", ["src/module.py", "tests/test_module.py"])
def test_a_ledger_older_than_modules_or_tests_says_so(project, changed):
    command.prove(project)
    with (project / changed).open("a") as file:
        file.write("# changed\n")
    assert set(rows(project).values()) == {("older than the modules", "")}


def test_the_claims_are_proved_again_only_after_a_change(project):
    def runs():
        command.prove(project)
        return len((project / "runs").read_text())

    assert (runs(), runs()) == (3, 3)
    (project / "chapter.qmd").write_text(STATED + "\n[Third]{#clm-3 .claim} More.\n")
    assert runs() == 3
    (project / "src/module.py").write_text("one = 2\n")
    assert (runs(), runs()) == (6, 6)


def test_a_run_that_is_broken_off_writes_no_ledger(project):
    (project / "tests/test_module.py").write_text("raise KeyboardInterrupt\n")
    assert command.prove(project) != 0
    assert not (project / ledger.LEDGER).exists()


@pytest.mark.parametrize(
    "text, words",
    [
        ("one two three", "one two three"),
        ("a b c d e f g h i j", "a b c d e f g h i …"),
        ("at `{python} n` tokens $d_k = 1$ is *one*", "at … tokens $d_k = 1$ is one"),
        ("as @vaswani2017 says (@fig-x), *and* [@b; @c].", "as … says, and."),
    ],
)
def test_a_row_begins_as_its_claim_does(text, words):
    assert ledger.opening(text) == words


def test_each_claim_is_marked_with_a_link_to_its_row(tmp_path):
    (tmp_path / "page.qmd").write_text(
        STATED.split("```")[0].replace(' and `{python} f"{x:.2f}"`', "")
        + "\n[Unchecked]{#clm-3 .claim}\n\n"
        + "[]{#checked-prp-one}One\n\n[]{#checked-clm-two}Two\n"
    )
    weaver = Weaver(tmp_path / "page.qmd", tmp_path / "out", report=lambda line: None)
    weaver.weave(["html"])
    page = (tmp_path / "out/page.html").read_text("utf-8")
    marks = re.findall(r'<a[^>]*href="#(checked-[\w-]+)"[^>]*class="claim-mark"', page)
    assert marks == ["checked-prp-one", "checked-clm-two"]


def test_quarto_marks_the_claims_by_the_same_file():
    marks = yaml.safe_load((ROOT / "_quarto.yml").read_text("utf-8"))["filters"]
    page = pypandoc.convert_text(
        STATED.split("```")[0] + "\n[]{#checked-prp-one}One\n",
        "html",
        format="markdown",
        filters=[str(ROOT / path) for path in marks],
    )
    found = re.findall(r'<a[^>]*href="#(checked-[\w-]+)"[^>]*class="claim-mark"', page)
    assert found == ["checked-prp-one"]


# Typed numbers.


@pytest.mark.parametrize(
    "text, typed",
    [
        ("The error is 0.37.", ["0.37"]),
        ("It takes 1,024 tokens and 95% of them.", ["1,024", "95%"]),
        ("So $w = 0.25$ of $n = 64$.", ["0.25"]),
        ("$$\nw = 0.5\n$$ {#eq-x}", ["0.5"]),
        ('![x](y.svg){fig-alt="falls to 17 percent"}', ["17"]),
        ('```{python}\nf(caption=f"only {n} of 50 tokens are left")\n```', ["50"]),
        ('```{python}\nf(f"{x:.2f} of {n} tokens fall to 7 here")\n```', ["7"]),
        ("One, 2 or 0 in float64 and Table 1 [@ho2020], 20 minutes.", []),
        ("`{python} 37` and `x = 37` and [link](https://a.b/37).", []),
        ("```{python}\nx = 37\n```\n\n```\n37\n```", []),
        ("About 7 tokens in all.", []),
        ("Of 16,384 tokens.", ["16,384"]),
    ],
)
def test_a_typed_number_is_found(text, typed):
    found = numbers.problems(text, "About 7 tokens\n4 tokens\n")
    words = [p.what for p in found if p.file == "chapter.qmd"]
    assert words == [f"the number {number} is typed" for number in typed]


def test_a_phrase_that_the_chapter_no_longer_says_is_named():
    found = numbers.problems("Nothing.", "# given\nat 64 tokens\n")
    assert str(found[0]).startswith(
        "tests/given-numbers.txt:2: the chapter does not say 'at 64 tokens'; "
    )


# Citations.

BOOK = (
    "@book{knuth1984,\n  author = {Knuth, Donald E.},\n  title = {Title},\n"
    "  publisher = {Press},\n  year = {1984},\n  isbn = {0-201-13448-9}\n}\n"
)


@pytest.mark.parametrize(
    "old, new, said",
    [
        ("", "", None),
        ("knuth1984", "knuth1985", "is of 1984; let the key end in the year"),
        ("  publisher = {Press},\n", "", "has no publisher"),
        ("author", "note", "has no author or editor"),
        ("isbn = {0-201-13448-9}", "doi = {11.1/x}", "has the doi 11.1/x, which does"),
        ("isbn = {0-201-13448-9}", "note = {x}", "has no identifier"),
        ("@book", "@thing", "is of the unknown type thing"),
    ],
)
def test_an_entry_has_what_its_type_needs(old, new, said):
    entry = BOOK.replace(old, new, 1)
    text = "As @knuth1984 and @knuth1985 say." if "1985" in entry else "[@knuth1984]"
    found = [p for p in citations.problems(text, entry) if p.file == "references.bib"]
    assert [said in str(p) for p in found] == ([True] if said else []), lines(found)


def test_a_key_without_an_entry_and_an_entry_without_a_key_are_named():
    found = citations.problems("\nAs @dao2022 says.", BOOK)
    assert [str(p).split("; ")[0] for p in found] == [
        "chapter.qmd:2: the citation key dao2022 is not in the bibliography",
        "references.bib:1: knuth1984 is not cited",
    ]


@pytest.mark.parametrize(
    "file, text, said",
    [
        ("references.bib", BOOK, "references.bib:1: knuth1984 is not cited; cite it"),
        ("references.bib", None, "references.bib:1: there is no such file; run this"),
        ("references.bib", b"\n\xff", "references.bib:2: byte 0xff is not UTF-8; save"),
        (
            "chapter.qmd",
            "\n```{python}\n1 +\n```\n",
            "chapter.qmd:3: this is not Python",
        ),
        (
            "tests/test_module.py",
            "x = (\n",
            "tests/test_module.py:1: this is not Python",
        ),
    ],
)
def test_the_command_refuses_in_one_line(
    project, monkeypatch, capsys, file, text, said
):
    monkeypatch.chdir(project)
    Path("references.bib").write_text("")
    numbers.GIVEN.write_text("")
    assert command.main(["check"]) == 0
    if text is None:
        Path(file).unlink()
    else:
        Path(file).write_bytes(text if isinstance(text, bytes) else text.encode())
    assert command.main(["check"]) == 1
    error = capsys.readouterr().err
    assert error.startswith(said) and "; " in error and error.count("\n") == 1
