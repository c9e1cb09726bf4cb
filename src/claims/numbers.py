"""Numbers that somebody typed where a computed one belongs.

In prose a number is either an inline value or *given*: the text sets it (a
size, a count of tokens) or quotes it from a cited work. Given numbers stand in
a reviewed list of phrases, one a line; 0, 1 and 2, years of citations, names
(float64, Table 1) and exercises' minutes need no entry. In the code of figures
and tables the same holds for the words of captions and alternative texts.
"""

import re
from pathlib import Path

from literate.problems import Problem

from .scan import CHAPTER, CODE, prose_of, sentences_of

GIVEN = Path("tests/given-numbers.txt")
FIX = f"compute it inline, or enter its phrase in {GIVEN.as_posix()}"
NUMBER = re.compile(r"(?<![\w.@#])(?:\d[\d,]*\d|\d)(?:\.\d+)?(?!\w)%?")
NAMES = r"\b(?:Tables?|Parts?|Llama|NumPy|position|layer) \d+(?:\.\d+)*"
UNCHECKED = re.compile(
    rf"\]\([^)]*\)|\{{[^}}\n]*\}}|@[\w:-]+|<[^>\n]*>|{NAMES}|\b\d+ minutes\b"
)
FREE = {"0", "1", "2"}
DISPLAY = re.compile(r"\$\$.+?\$\$", re.DOTALL)
MATH = re.compile(r"\$[^$\n]+\$")
FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


def problems(text, given):
    """The numbers of a chapter that are typed, and phrases of the list not used."""
    phrases = [line for line in given.splitlines() if line and not line.startswith("#")]
    used, found = set(), []
    for line, words in [*_prose(text), *_captions(text)]:
        for phrase in phrases:
            whole = re.compile(rf"(?<![\d,.]){re.escape(phrase)}")
            if whole.search(words):
                used.add(phrase)
                words = whole.sub(_blank, words)
        for number in NUMBER.findall(words):
            if number not in FREE:
                what = f"the number {number} is typed"
                found.append(Problem(CHAPTER, line, what, FIX))
    for phrase in phrases:
        if phrase not in used:
            line = given.splitlines().index(phrase) + 1
            what = f"the chapter does not say {phrase!r}"
            found.append(Problem(GIVEN.as_posix(), line, what, "take the line out"))
    return found


def _prose(text):
    """Lines of prose with what is no typed result blanked: (line, words).

    Of mathematics only decimal fractions stay: its whole numbers are settings.
    """
    prose = FRONT.sub(lambda front: "\n" * front[0].count("\n"), prose_of(text))
    prose = CODE.sub(_blank, prose)
    for mathematics in (DISPLAY, MATH):
        prose = mathematics.sub(_fractions, prose)
    quoted = re.compile(r"(?:title|fig-alt|fig-cap)=\"([^\"]*)\"")
    for at, line in enumerate(prose.split("\n"), 1):
        yield at, UNCHECKED.sub(" ", line)
        for words in quoted.findall(line):
            yield at, words


def _blank(found):
    """The lines of what was found, without its characters."""
    return re.sub(r"[^\n]", " ", found[0])


def _fractions(formula):
    """The decimal fractions of a formula, on its lines."""
    return "\n".join(
        " ".join(re.findall(r"\d+\.\d+", line)) for line in formula[0].split("\n")
    )


def _captions(text):
    """The words of captions and alternative texts: (line, words)."""
    for line, words in sentences_of(text):
        yield line, UNCHECKED.sub(" ", MATH.sub(_fractions, CODE.sub(_blank, words)))
