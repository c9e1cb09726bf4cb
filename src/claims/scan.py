"""The claims of a chapter, the marks of the tests, and what does not fit.

A claim is a proposition, `::: {#prp-name}`, or a span of the running text,
`[...]{#clm-name .claim}`. A test checks it when it carries
`@pytest.mark.claim("prp-name")`.
"""

import ast
import re
from dataclasses import dataclass

from literate.cells import Prose, scan
from literate.problems import Problem

CHAPTER = "chapter.qmd"  # in the folder where the commands run
FENCED = re.compile(r"^(`{3,}|~{3,}).*?^\1[ \t]*$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
PROPOSITION = re.compile(
    r"^::: \{#(prp-[\w-]+)[^}]*\}\n(?:## ([^\n]*)\n)?(.*?)^:::",
    re.DOTALL | re.MULTILINE,
)
SPAN = re.compile(r"\[((?:[^][]|\[[^][]*\])*)\]\{#(clm-[\w-]+) \.claim\}", re.DOTALL)
ID = re.compile(r"\{[^}\n]*#((?:prp|clm)-[\w-]+)[^}\n]*\}|\{[^}\n]*\.claim[^}\n]*\}")


@dataclass(frozen=True)
class Claim:
    """One statement; `line` counts from 1 in the chapter."""

    id: str
    line: int
    text: str
    title: str = ""


@dataclass(frozen=True)
class Mark:
    """One test that says it checks a claim."""

    claim: str
    file: str
    line: int
    test: str


def prose_of(text):
    """The chapter without its cells and code blocks: blank lines in their place."""
    pieces = [
        piece.source if isinstance(piece, Prose) else "\n" * piece.source.count("\n")
        for piece in scan(text).pieces
    ]
    return FENCED.sub(lambda block: "\n" * block[0].count("\n"), "".join(pieces))


def sentences_of(text):
    """The strings of three words or more in cells that only show: (line, string).

    They are captions, alternative texts and tables; values in them become "…".
    """
    for cell in scan(text).cells:
        if not cell.filename:
            above = "\n" * (cell.code_line - 1)
            for line, words in _strings(ast.parse(above + cell.code, CHAPTER)):
                if len(re.findall("[A-Za-z]{2,}", words)) > 2:
                    yield line, words


def _strings(node):
    """The strings in a tree, each f-string as a whole, no docstrings."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.lineno, node.value
    elif isinstance(node, ast.JoinedStr):
        parts = (getattr(part, "value", None) for part in node.values)
        yield node.lineno, "".join(p if isinstance(p, str) else "…" for p in parts)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _strings(child)


def claims_of(text):
    """The chapter's claims in order, each id once."""
    prose = prose_of(text)
    found = [
        (match.start(), match[1], match[3], match[2] or "")
        for match in PROPOSITION.finditer(prose)
    ]
    found += [
        (match.start(2), match[2], match[1], "") for match in SPAN.finditer(prose)
    ]
    return [
        Claim(id, prose.count("\n", 0, at) + 1, " ".join(words.split()), title)
        for at, id, words, title in sorted(found)
    ]


def marks_of(source, file):
    """The marks of one test module."""
    marks = []
    for node in ast.walk(ast.parse(source, file)):
        for decorator in getattr(node, "decorator_list", []):
            if isinstance(decorator, ast.Call) and _is_claim(decorator.func):
                marks += [
                    Mark(argument.value, file, decorator.lineno, node.name)
                    for argument in decorator.args
                    if isinstance(argument, ast.Constant)
                ]
    return sorted(marks, key=lambda mark: mark.line)


def _is_claim(function):
    return ast.unparse(function) == "pytest.mark.claim"


def marks_in(folder):
    """The marks of all the test modules below a folder."""
    return [
        mark
        for path in sorted(folder.rglob("test_*.py"))
        for mark in marks_of(
            path.read_text("utf-8"), path.relative_to(folder.parent).as_posix()
        )
    ]


def problems(text, marks):
    """Claims without a test, tests for none, and ids that are not what they seem."""
    claims, prose, found = claims_of(text), prose_of(text), []
    tested = {mark.claim for mark in marks}
    places = {}
    for claim in claims:
        if claim.id in places:
            what = f"{claim.id} is in line {places[claim.id]} too"
            found.append(Problem(CHAPTER, claim.line, what, "rename one of the two"))
        elif claim.id not in tested:
            what = f"the claim {claim.id} has no test"
            fix = f'mark one with @pytest.mark.claim("{claim.id}")'
            found.append(Problem(CHAPTER, claim.line, what, fix))
        places.setdefault(claim.id, claim.line)
    for mark in marks:
        if mark.claim not in places:
            what = f"{mark.test} checks {mark.claim}, which the chapter does not state"
            fix = "correct the id, or state the claim"
            found.append(Problem(mark.file, mark.line, what, fix))
    for match in ID.finditer(prose):
        if match[1] not in places:
            line = prose.count("\n", 0, match.start()) + 1
            what = f"{match[0]} marks no claim"
            fix = "write ::: {#prp-name} or [...]{#clm-name .claim}"
            found.append(Problem(CHAPTER, line, what, fix))
    return found
