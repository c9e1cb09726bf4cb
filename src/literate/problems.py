"""What went wrong, where, and what to do: one line each, all of them at once."""

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Problem:
    """One reason to refuse, printed as `file:line: what; fix`."""

    file: str
    line: int
    what: str
    fix: str

    def __str__(self):
        return f"{self.file}:{self.line}: {self.what}; {self.fix}"


class Refused(Exception):
    """Nothing was written, for the reasons in `problems`, sorted by place."""

    def __init__(self, problems):
        self.problems = sorted(set(problems))
        super().__init__("\n".join(map(str, self.problems)))
