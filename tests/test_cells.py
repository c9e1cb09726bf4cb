"""What Quarto takes for a cell, and that the scanner loses no byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from literate.cells import scan

LINES = st.sampled_from(
    ["```{python}", "````{python}", "  ```{python}", "\t```{python}", "```", "````"]
    + ["  ```", "\t```", "#| label: a", "# | echo: false", "#|x: 1", "x = 1", "", "  "]
    + ["\x0c", "\u2028", "text", "~~~{python}", "> ```{python}", "```{{python}}"]
)
ENDS = st.sampled_from(["\n", "\r\n"])


@given(st.lists(st.tuples(LINES, ENDS)), st.sampled_from(["", "\ufeff"]), LINES)
def test_the_pieces_joined_are_the_document(lines, mark, last):
    text = mark + "".join(line + end for line, end in lines) + last
    document = scan(text)
    assert "".join(piece.source for piece in document.pieces) == text
    before = ""
    for piece in document.pieces:
        assert piece.line == before.count("\n") + 1
        before += piece.source


@given(st.lists(LINES))
def test_line_ends_make_no_difference_to_cells(lines):
    one = scan("\n".join(lines)).cells
    other = scan("\r\n".join(lines)).cells
    assert [(c.code, c.options, c.line) for c in one] == [
        (c.code, c.options, c.line) for c in other
    ]


@pytest.mark.parametrize(
    "opener",
    [
        "```{python}",
        "`````{python}",
        "```  {python}",
        "```{python}  ",
        "```{python echo=FALSE}",
        "```{python, echo=false}",
        "```{python ,x}",
        "   ```{python}",
        "\t```{python}",
        "        ```{python}",
    ],
)
def test_openers(opener):
    fence = opener[: opener.rindex("`") + 1]
    [cell] = scan(f"{opener}\nx = 1\n{fence}\n").cells
    assert (cell.code, cell.closed) == ("x = 1", True)


@pytest.mark.parametrize(
    "line",
    [
        "``{python}",
        "~~~{python}",
        "> ```{python}",
        "- ```{python}",
        "```{{python}}",
        "```{.python}",
        "```{pythonic}",
        "```{python}x",
        "```{ python}",
        "```python",
        "```{r}",
    ],
)
def test_no_openers(line):
    assert scan(f"{line}\nx = 1\n```\n").cells == ()


@pytest.mark.parametrize("line", ["````", " ```", "``` x", "~~~", "``"])
def test_a_closer_has_the_same_indent_and_the_same_ticks(line):
    [cell] = scan(f"```{{python}}\n{line}\n```  \nafter").cells
    assert (cell.code, cell.end, cell.closed) == (line, 3, True)


def test_a_cell_runs_inside_other_blocks_as_in_quarto():
    for around in ("````\n{}````\n", "<!--\n{}-->\n", "---\nx: |\n{}---\n"):
        assert len(scan(around.format("```{python}\nx\n```\n")).cells) == 1


def test_options_are_the_lines_at_the_top_alone():
    source = "#| label: a\n#|echo: false\n# | eval: true\n\n#| no: option\nx = 1\n"
    [cell] = scan(f"Text\n```{{python}}\n{source}```\n").cells
    assert cell.options == {"label": "a", "echo": False, "eval": True}
    assert cell.option_lines == {"label": 3, "echo": 4, "eval": 5}
    assert cell.code == "\n#| no: option\nx = 1"
    assert (cell.code_line, cell.body_line) == (6, 7)
    assert cell.body == ("#| no: option", "x = 1")


def test_an_option_may_be_a_list_over_several_lines():
    [cell] = scan("```{python}\n#| a:\n#|   - b\n#|   - c\nx\n```\n").cells
    assert (cell.options, cell.code) == ({"a": ["b", "c"]}, "x")


def test_a_body_line_with_less_indent_keeps_what_it_has():
    [cell] = scan("   ```{python}\n   a\n  b\n\n     c\n   ```\n").cells
    assert cell.code == "a\nb\n\n  c"
