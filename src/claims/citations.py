"""Citations: each key is in the bibliography, each entry is cited and complete."""

import re
from dataclasses import dataclass

from literate.problems import Problem

from .scan import CHAPTER, CODE, prose_of, sentences_of

BIB = "references.bib"
CITED = re.compile(r"(?<![\w.])@([a-z]+\d{4}[a-z]?)\b")
ENTRY = re.compile(r"^@(\w+)\{([\w:-]+),\n(.*?)^\}", re.DOTALL | re.MULTILINE)
FIELD = re.compile(r"^\s*(\w+)\s*=\s*[{\"](.*?)[}\"],?\s*$", re.MULTILINE)
NEEDED = {  # by type: where it appeared
    "article": {"journal"},
    "inproceedings": {"booktitle"},
    "book": {"publisher"},
    "incollection": {"booktitle", "publisher"},
    "misc": {"eprint|url|howpublished"},
    "techreport": {"institution"},
    "phdthesis": {"school"},
    "online": {"url"},
}
LOOKS = {
    "year": r"(1[89]|20)\d\d",
    "doi": r"10\.\d{4,9}/\S+",
    "eprint": r"\d{4}\.\d{4,5}(v\d+)?|[a-z.-]+/\d{7}",
    "url": r"https://\S+",
    "isbn": r"[\d-]{9,16}[\dX]",
    "pages": r"[\w.]+(--[\w.]+)?",
}
IDENTIFIERS = {"doi", "eprint", "url", "isbn"}


@dataclass(frozen=True)
class Entry:
    """One work of the bibliography."""

    type: str
    key: str
    line: int
    fields: dict


def entries_of(bibliography):
    """The entries of a BibTeX file, each field on a line of its own."""
    return [
        Entry(
            match[1].lower(),
            match[2],
            bibliography.count("\n", 0, match.start()) + 1,
            {name.lower(): value for name, value in FIELD.findall(match[3])},
        )
        for match in ENTRY.finditer(bibliography)
    ]


def problems(text, bibliography):
    """Keys without an entry, entries without a key, and what entries lack."""
    lines = [*enumerate(prose_of(text).split("\n"), 1), *sentences_of(text)]
    cited = {
        key: line for line, words in lines for key in CITED.findall(CODE.sub("", words))
    }
    entries, found = entries_of(bibliography), []
    for key in sorted(cited.keys() - {entry.key for entry in entries}):
        line = cited[key]
        what = f"the citation key {key} is not in the bibliography"
        found.append(Problem(CHAPTER, line, what, f"add it to {BIB}, or correct it"))
    keys = [entry.key for entry in entries]
    for entry in entries:
        for what, fix in _complaints(entry, cited, keys):
            found.append(Problem(BIB, entry.line, f"{entry.key} {what}", fix))
    if len(entries) != len(re.findall(r"^@\w+\{", bibliography, re.MULTILINE)):
        what = "an entry cannot be read"
        found.append(Problem(BIB, 1, what, "write a field a line and a lone }"))
    return found


def _complaints(entry, cited, keys):
    """What is wrong with an entry, and what to do."""
    if entry.key not in cited:
        yield "is not cited", "cite it, or take it out"
    if keys.count(entry.key) > 1:
        yield "is there twice", "take one out"
    needed = {"author|editor", "title", "year"} | NEEDED.get(entry.type, set())
    for names in sorted(needed):
        if not any(entry.fields.get(name) for name in names.split("|")):
            yield f"has no {names.replace('|', ' or ')}", "add it"
    if entry.type not in NEEDED:
        yield f"is of the unknown type {entry.type}", f"use one of {', '.join(NEEDED)}"
    if not IDENTIFIERS & entry.fields.keys():
        yield "has no identifier", "add a doi, an eprint, an isbn or a url"
    for name, looks in LOOKS.items():
        value = entry.fields.get(name)
        if value and not re.fullmatch(looks, value):
            yield f"has the {name} {value}, which does not look right", "correct it"
    year = entry.fields.get("year", "")
    if not entry.key.rstrip("abc").endswith(year):
        yield f"is of {year}", "let the key end in the year"
