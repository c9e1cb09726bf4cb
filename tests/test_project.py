"""The ground everything stands on: pins, verbs, the README's map."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PINS = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
# In code, in a message, or alone on a line with its comment.
NAMED = re.compile(
    r"(?:`|run |then |&& )make((?: [a-z-]{3,})+)|^make ([a-z-]+) +#", re.M
)


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_pin_is_exact_and_from_the_index():
    pin = re.compile(r"[a-z0-9.-]+==[0-9][0-9a-z.]*( ; .+)?")
    assert [line for line in PINS if not pin.fullmatch(line)] == []


def test_no_pin_brings_cuda():
    assert [pin for pin in PINS if re.match("nvidia|cuda|triton", pin)] == []


def test_every_direct_dependency_is_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    direct = {normal(re.match(r"[\w.-]+", d)[0]) for d in project["dependencies"]}
    assert direct - {normal(pin.split("==")[0]) for pin in PINS} == set()


def test_a_package_pinned_twice_is_pinned_for_different_pythons():
    by_name = {}
    for pin in PINS:
        by_name.setdefault(pin.split("==")[0], []).append(pin)
    twice = {name: pins for name, pins in by_name.items() if len(pins) > 1}
    assert all(" ; " in pin for pins in twice.values() for pin in pins), twice


def verbs():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    return set(re.search(r"^\.PHONY:(.*)$", makefile, re.M)[1].split())


def test_help_lists_every_verb():
    shown = subprocess.run(
        ["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert set(re.findall(r"^  make ([a-z-]+) ", shown, re.M)) == verbs()


def test_every_verb_that_a_text_or_a_message_names_exists():
    files = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "chapter.qmd")]
    files += (ROOT / "src").rglob("*.py")
    named = {
        (file.name, verb)
        for file in files
        for found in NAMED.findall(file.read_text("utf-8"))
        for verb in "".join(found).split()
    }
    assert len(named) > 20, named
    assert {name for name in named if name[1] not in verbs()} == set()


def test_the_map_of_the_readme_is_that_of_the_tree():
    readme = (ROOT / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| (`.*?) \|", readme, re.M)
    shown = {path for row in rows for path in re.findall(r"`([\w./]+)`", row)}
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True
    )
    if listing.returncode:
        pytest.skip(f"Git must say what belongs to the tree: {listing.stderr}")
    names = listing.stdout.split("\0")
    files = {name for name in names if name[:1] not in ("", ".")}
    parts = {re.match(r"(src/)?[^/]+/?", name)[0] for name in files}
    assert parts - {"README.md", "CONTRIBUTING.md"} == shown
