"""The ledger: what the tests of the claims found, and how old that is.

`python -m claims prove` runs the tests and writes `_build/ledger.json`; the
chapter's last section reads it. A ledger holds only for the sources that it
was made from: their digest is in it.
"""

import hashlib
import json
import platform
import re
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from .scan import CHAPTER, CODE, claims_of, marks_in

LEDGER = Path("_build/ledger.json")
NOT_RUN, OLD = "not run", "older than the modules"
SHOWN = 9  # words of a claim that its row repeats


@dataclass(frozen=True)
class Found:
    """What one test found: passed, failed or skipped, and its worst error."""

    test: str
    outcome: str
    error: float | None = None


def digest(root):
    """A digest of what decides the results: modules, tests, measurements, versions."""
    files = [
        path
        for path in (root / "src").rglob("*.py")
        if path.relative_to(root / "src").parts[0] not in ("claims", "literate")
    ]
    files += [*(root / "tests").rglob("*.py"), *(root / "bench").glob("*.json")]
    parts = [path.relative_to(root).as_posix() for path in sorted(files)]
    parts += [hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(files)]
    parts += [f"{name} {metadata.version(name)}" for name in ("numpy", "torch")]
    parts += [platform.python_version(), platform.machine()]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def read(path):
    """The ledger as {"digest": ..., "found": {claim: [Found]}}, or None."""
    try:
        kept = json.loads(path.read_text("utf-8"))
        found = {
            claim: [Found(**entry) for entry in entries]
            for claim, entries in kept["found"].items()
        }
        return {"digest": kept["digest"], "found": found}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write(path, digest, found):
    """Write the ledger whole or not at all."""
    kept = {
        "digest": digest,
        "found": {
            claim: [vars(entry) for entry in entries]
            for claim, entries in sorted(found.items())
        },
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(json.dumps(kept, indent=1) + "\n", "utf-8", newline="\n")
    new.replace(path)


def result(entries, old):
    """The result of a claim, in words."""
    if not entries:
        return NOT_RUN
    if old:
        return OLD
    for outcome in ("failed", "skipped"):
        if any(entry.outcome == outcome for entry in entries):
            return outcome
    return "passed"


def table(root="."):
    """The ledger as the Markdown table that ends the chapter."""
    root = Path(root)
    claims = claims_of((root / CHAPTER).read_text("utf-8"))
    marks = marks_in(root / "tests")
    ledger = read(root / LEDGER)
    found = ledger["found"] if ledger else {}
    old = bool(ledger) and ledger["digest"] != digest(root)
    rows = [
        "| Claim | Tests | Result | Worst error |",
        f"|:{'-' * 36}|:{'-' * 36}|:{'-' * 11}|{'-' * 8}:|",
    ]
    for claim in claims:
        tests = [mark.test for mark in marks if mark.claim == claim.id]
        entries = found.get(claim.id, [])
        errors = [e.error for e in entries if e.error is not None and not old]
        cells = (
            _named(claim),
            "; ".join(_as_words(test) for test in dict.fromkeys(tests)),
            result(entries, old),
            _error(max(errors, default=None)),
        )
        rows.append("| " + " | ".join(cells) + " |")
    summary = _summary(claims, found, old)
    caption = f": The claims of this chapter and what their tests found. {summary}"
    return "\n".join([*rows, "", caption + " {#tbl-ledger}"])


def _summary(claims, found, old):
    """How many claims there are and how they fared."""
    results = [result(found.get(claim.id, []), old) for claim in claims]
    counts = {kind: results.count(kind) for kind in dict.fromkeys(results)}
    return (
        f"{len(claims)} claims: "
        + ", ".join(f"{n} {kind}" for kind, n in counts.items())
        + "."
    )


def _named(claim):
    """The claim in its row: a link to it, in a span to link to."""
    row = f"{{#checked-{claim.id}}}"
    if claim.id.startswith("prp-"):
        return f"[{claim.title or claim.id}]{row} (@{claim.id})"
    return f"[[{opening(claim.text)}](#{claim.id})]{row}"


def opening(text):
    """The first words of a claim, the values in it left out."""
    text = CODE.sub("…", text)
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)  # links
    text = re.sub(r" ?\([^()]*@[^()]*\)| ?\[[^]]*@[^]]*\]", "", text)  # citations
    text = re.sub(r"@[\w:-]+", "…", text).replace("*", "").replace("|", "")
    words = re.findall(r"\$[^$]*\$\S*|\S+", text)
    return " ".join(words[:SHOWN]) + (" …" if len(words) > SHOWN else "")


def _error(error):
    """The worst error, to one digit."""
    from figures import scientific  # and matplotlib, which the verbs do without

    return "" if error is None else scientific(error)


def _as_words(test):
    """The name of a test as the sentence that it is."""
    words = test.removeprefix("test_").replace("_", " ")
    return re.sub(r"\bd (k|v|model)\b", r"d_\1", words)
