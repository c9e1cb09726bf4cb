"""The checker: what it says, and what it refuses to guess."""

import ast
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exercise import check
from exercise.answers import answer_all
from exercise.check import check_file
from exercise.exercises import EXERCISES
from exercise.judge import judge
from exercise.mistakes import MISTAKES
from exercise.recognize import fingerprints
from readers import HEAD, RIGHT, defined, verdict_on, written

ROOT = Path(__file__).parent.parent
CHAPTER = (ROOT / "chapter.qmd").read_text(encoding="utf-8")


def command(*arguments, cwd=ROOT):
    """The exit status and what `python -m exercise` printed."""
    result = subprocess.run(
        [sys.executable, "-m", "exercise", *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return result.returncode, result.stdout + result.stderr


# The exercises and their solutions.


def test_the_solutions_are_right():
    report, right = check_file(ROOT / "exercises/solutions.py")
    assert right, report
    assert re.findall(r"^(\w+): (\w+)", report, re.M) == [
        (n, "right") for n in EXERCISES
    ]
    assert "roundoffs" in report


def test_the_solutions_import_nothing_of_the_chapter():
    tree = ast.parse((ROOT / "exercises/solutions.py").read_text(encoding="utf-8"))
    imports = [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)]
    assert {a.name for n in imports for a in n.names} == {"math", "numpy", "torch"}


def test_a_stub_is_not_judged(tmp_path):
    assert command("--new", tmp_path / "mine.py")[0] == 0
    status, report = command(tmp_path / "mine.py")
    assert (status, report) == (
        1,
        "Nothing is written yet; begin with self_attention.\n",
    )


def test_the_new_file_has_no_marks_and_is_never_overwritten(tmp_path):
    mine = tmp_path / "mine.py"
    assert command("--new", mine)[0] == 0
    text = mine.read_text(encoding="utf-8")
    assert "# %%" not in text and "tangled" not in text.lower()
    tree = ast.parse(text)
    assert {node.name for node in tree.body if hasattr(node, "name")} == set(EXERCISES)
    mine.write_text("mine", encoding="utf-8")
    status, report = command("--new", mine)
    assert status == 1 and report.startswith(f"{mine}:1: ") and report.count("\n") == 1
    assert mine.read_text(encoding="utf-8") == "mine"


def test_a_missing_file_and_an_unknown_exercise_are_one_line(tmp_path):
    for arguments in ((tmp_path / "none.py",), ("exercises/stub.py", "nothing")):
        status, report = command(*arguments)
        assert status == 1 and report.count("\n") == 1, report
        assert report.startswith(f"{arguments[0]}:1: ")


def test_each_exercise_has_minutes_a_command_hints_and_a_solution():
    sections = re.split(r"^::: \{#(exr-[\w-]+)\}\n", CHAPTER, flags=re.M)[1:]
    texts = dict(zip(sections[0::2], sections[1::2]))
    assert len(texts) >= 10
    checked = set()
    for label, text in texts.items():
        assert re.match(r"## [^\n]+, \d+ minutes\n", text), label
        ids = re.findall(r"Solution:\s+@(sec-solution-[\w-]+)\.", text)
        assert f"{{#{ids[0]}}}" in CHAPTER, label
        only = re.search(r'`make\s+check-exercise ONLY="?([\w ]+)', text)
        checked |= set(only[1].split())
        assert '{.callout-tip collapse="true" title="' in text, label
        assert "#| filename: exercises/stub.py" in text, label
    assert checked == set(EXERCISES)
    assert {e.label for e in EXERCISES.values()} == set(texts)


def test_every_link_of_the_checker_leads_into_the_chapter():
    assert {m.section for m in MISTAKES} <= set(
        re.findall(r"\{#(sec-[\w-]+)\}", CHAPTER)
    )


# What it says.


@pytest.mark.parametrize(
    "line, wrong, said",
    [
        (
            "return weights @ V",
            "return (weights @ V).T",
            "has shape (2, 6) = (d_v, n), where (6, 2) = (n, d_v) is asked for. "
            "The axes are in another order",
        ),
        ("return weights @ V", "return (weights @ V)[None]", "An axis of length one"),
        ("return weights @ V", "return (weights @ V).sum()", "over all axes"),
        ("return weights @ V", "weights @ V", "None: a return is missing"),
        ("return weights @ V", "return str(weights)", "is str, where an array"),
        ("return weights @ V", "return weights @ V + 0j", "is an array of complex128"),
        ("return weights @ V", "return weights, V", "2 results came back, where 1"),
        (
            "return weights @ V",
            "return weigths @ V",
            "NameError: name 'weigths' is not defined, in line 12 of the cell",
        ),
        (
            "weights = softmax(scores)",
            "weights = softmax(scores); weights[0, 0] = np.inf - np.inf",
            "holds NaN. The input had n = 6, d_model = 5, d_k = 3, d_v = 2. "
            "The NaN is in the weights already.",
        ),
        (
            "Q, K, V = X @ W_q, X @ W_k, X @ W_v",
            "Q, K, V = X @ W_q, X @ np.ones_like(W_k), X @ W_v",
            "does not depend on W_k",
        ),
        (
            "weights = softmax(scores)",
            "import torch; weights = torch.softmax(torch.tensor(scores), -1).numpy()",
            "calls torch's tensor, and the exercise asks for NumPy alone",
        ),
        (
            "return weights @ V",
            "from torch import as_tensor; return as_tensor(weights @ V)",
            "the exercise asks for NumPy alone",
        ),
    ],
)
def test_what_the_catalogue_does_not_know_is_described(line, wrong, said):
    assert line in RIGHT
    verdict = verdict_on("self_attention", HEAD + RIGHT.replace(line, wrong))
    assert verdict.state == "wrong" and verdict.mistakes == ()
    assert said in verdict.text


def test_a_right_function_that_changes_its_input_is_wrong():
    source = RIGHT.replace("    Q, K, V", "    X *= 1.5\n    X /= 1.5\n    Q, K, V")
    verdict = verdict_on("self_attention", HEAD + source)
    assert verdict.state == "wrong" and "changes X in place" in verdict.text


@pytest.mark.parametrize(
    "line, wrong, step",
    [
        ("K.shape[-1])", "K.shape[-1]) + 0.1 * np.eye(len(X))", "scores"),
        ("softmax(scores)", "softmax(scores) * 0.9", "weights"),
        ("weights @ V", "weights @ V + 0.1", "result"),
    ],
)
def test_the_first_step_that_differs_is_shown_with_both_matrices(line, wrong, step):
    verdict = verdict_on("self_attention", HEAD + RIGHT.replace(line, wrong))
    assert f"The first step that differs is the {step}." in verdict.text
    assert verdict.matrices.count("[[") == 2
    assert "yours:" in verdict.matrices and "right:" in verdict.matrices


def test_scores_scaled_elsewhere_are_not_blamed():
    source = RIGHT.replace(" / math.sqrt(K.shape[-1])", "").replace(
        "softmax(scores)", "softmax(scores / math.sqrt(K.shape[-1])) * 0.9"
    )
    verdict = verdict_on("self_attention", HEAD + source)
    assert "differs is the weights" in verdict.text


def test_two_mistakes_are_both_named():
    source = RIGHT.replace(" / math.sqrt(K.shape[-1])", "").replace(
        "return weights @ V", "return weights.T @ V"
    )
    verdict = verdict_on("self_attention", HEAD + source)
    assert verdict.mistakes == ("unscaled", "weights_transposed")
    assert verdict.text.startswith("Two mistakes at once.")


def test_float64_out_of_float32_is_remarked_on_and_right():
    source = RIGHT.replace("math.sqrt", "np.sqrt")
    verdict = verdict_on("self_attention", HEAD + source)
    assert verdict.state == "right"
    assert "float64 comes out of float32" in verdict.remarks[0]


def test_a_mistake_as_reported(tmp_path):
    source = HEAD + RIGHT.replace(" / math.sqrt(K.shape[-1])", "")
    file = tmp_path / "my_attention.py"
    file.write_text(source, encoding="utf-8", errors="surrogateescape")
    status, report = command(file, "self_attention")
    assert status == 1
    assert report.startswith("self_attention: wrong (unscaled)\n")
    assert report.rstrip().endswith("Read _build/chapter.html#sec-why")


def test_a_function_of_a_notebook_is_checked(capsys):
    names = {"__name__": "__main__"}
    exec(compile(HEAD + RIGHT, "cell 1", "exec"), names)
    check(names["self_attention"])
    assert capsys.readouterr().out.startswith("self_attention: right\n")


def test_a_function_that_no_exercise_asks_for_is_refused():
    with pytest.raises(ValueError, match="no exercise verdict_on; there are"):
        check(verdict_on)


# No false accusation.

STYLES = {
    "loops": """
def self_attention(X, W_q, W_k, W_v):
    n, d_v = len(X), W_v.shape[1]
    out = np.zeros((n, d_v), X.dtype)
    for i in range(n):
        q = X[i] @ W_q
        row = [sum(a * b for a, b in zip(q, X[j] @ W_k)) for j in range(n)]
        row = [s / math.sqrt(len(q)) for s in row]
        top = max(row)
        row = [math.exp(s - top) for s in row]
        for j in range(n):
            out[i] += row[j] / sum(row) * (X[j] @ W_v)
    return out
""",
    "einsum": """
def self_attention(X, W_q, W_k, W_v):
    Q, K, V = (np.einsum("nd,dk->nk", X, W) for W in (W_q, W_k, W_v))
    s = np.einsum("ik,jk->ij", Q, K) * Q.shape[1] ** -0.5
    p = np.exp(s - np.max(s, axis=1)[:, np.newaxis])
    return np.einsum("ij,jv,i->iv", p, V, 1 / p.sum(axis=1))
""",
    "batched, queries scaled": """
def self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q / np.float32(math.sqrt(W_q.shape[-1])), X @ W_k, X @ W_v
    s = Q @ np.swapaxes(K, -1, -2)
    lse = np.logaddexp.reduce(s, axis=-1, keepdims=True)
    return np.exp(s - lse) @ V
""",
    "transposed throughout": """
def self_attention(X, W_q, W_k, W_v):
    Q, K, V = W_q.T @ X.T, W_k.T @ X.T, W_v.T @ X.T
    s = (K.T @ Q) / math.sqrt(len(Q))
    p = np.exp(s - s.max(axis=0))
    return (V @ (p / p.sum(axis=0))).T
""",
    "torch refused": """
def self_attention(X, *W):
    if not isinstance(X, np.ndarray):
        raise TypeError("NumPy arrays only")
    Q, K, V = (X @ w for w in W)
    s = Q @ K.T / math.sqrt(K.shape[1])
    p = np.exp(s - s.max(1, keepdims=True))
    return p / p.sum(1, keepdims=True) @ V
""",
}


@pytest.mark.parametrize("style", STYLES)
def test_a_right_self_attention_is_right_in_any_style(style):
    verdict = verdict_on("self_attention", HEAD + STYLES[style])
    assert verdict.state == "right", verdict


def perturbed(exercise, wrong, step, perturb):
    """The function that takes the exercise's steps, and then errs after one."""

    def function(*arguments):
        s = SimpleNamespace(**dict(zip(exercise.arguments, arguments)))
        for name, take in (exercise.steps | wrong).items():
            take(s)
            if name == step:
                perturb(s)
        # The checker's watch sees what a learner's function holds under such names.
        scores = getattr(s, "scores", None)  # noqa: F841
        return s.output

    return function


# The power makes NaN of a negative weight, as there are where a softmax is missing.
ERRORS = {
    "scale": lambda s, size, rng: s.scores * (1 + size),
    "softmax": lambda s, size, rng: s.weights ** (1 + size),
    "similarity": lambda s, size, rng: (
        s.scores + size * rng.normal(size=s.scores.shape)
    ),
    "blend": lambda s, size, rng: s.output + size * rng.normal(size=s.output.shape),
}
CHANGED = {"scale": "scores", "softmax": "weights", "similarity": "scores"}
ATTENTIONS = ("self_attention", "causal_self_attention", "multi_head_attention")


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(ATTENTIONS),
    st.sampled_from(sorted(ERRORS)),
    st.floats(1e-3, 0.9),
    st.integers(0, 1000),
    st.data(),
)
def test_an_unknown_mistake_is_never_given_the_name_of_another(
    name, step, size, seed, data
):
    exercise = EXERCISES[name]
    known = [None, *fingerprints(name)]
    other = data.draw(st.sampled_from(known))
    wrong = fingerprints(name)[other][0].steps if other else {}

    def perturb(s):
        changed = CHANGED.get(step, "output")
        setattr(s, changed, ERRORS[step](s, size, np.random.default_rng(seed)))

    function = perturbed(exercise, wrong, step, perturb)
    with np.errstate(all="ignore"):
        right = perturbed(exercise, wrong, None, None)
        if unchanged(exercise, function, right):
            return  # the error does not show behind the other mistake
    verdict = judge(exercise, answer_all(exercise, function))
    assert verdict.mistakes == (), (other, step, verdict)


NAN = {
    "power": ("softmax", lambda s: setattr(s, "weights", (s.scores - 2.0) ** 1.5)),
    "root": ("softmax", lambda s: setattr(s, "weights", np.sqrt(s.scores))),
    "zero by zero": ("softmax", lambda s: setattr(s, "weights", s.weights * 0 / 0)),
    "all scores": ("mask", lambda s: setattr(s, "scores", s.scores * np.nan)),
}


@pytest.mark.parametrize("way", NAN)
def test_a_result_of_nothing_but_nan_is_not_given_a_name(way):
    exercise = EXERCISES["causal_self_attention"]
    step, spoil = NAN[way]
    with np.errstate(all="ignore"):
        answers = answer_all(exercise, perturbed(exercise, {}, step, spoil))
    assert all(np.isnan(answers[case].value[0]).any() for case in exercise.cases)
    verdict = judge(exercise, answers)
    assert verdict.mistakes == () and "NaN" in verdict.text, verdict


def test_what_made_the_nan_is_named_where_it_shows_on_the_way():
    exercise = EXERCISES["causal_self_attention"]
    named = judge(exercise, answer_all(exercise, in_one_line("scores")))
    assert named.mistakes == ("zero_times_infinity",)
    unseen = judge(exercise, answer_all(exercise, in_one_line(None)))
    assert unseen.mistakes == () and "0 * inf" in unseen.text


def in_one_line(name):
    """A learner's masked attention with 0 * inf, in one expression or with a name."""
    mask = "(Q @ K.T / d_k ** 0.5 + (1 - np.tri(len(X))) * -np.inf)"
    soft = "np.exp(S) / np.exp(S).sum(1, keepdims=True)"
    kept = f"    {name} = {mask}\n" if name else ""
    source = f"""import numpy as np
def causal_self_attention(X, W_q, W_k, W_v):
    Q, K, d_k = X @ W_q, X @ W_k, W_q.shape[1]
{kept}    return {soft.replace("S", name or mask)} @ (X @ W_v)
"""
    return defined("causal_self_attention", source)


def unchanged(exercise, f, g):
    """Whether the two give the same in every case."""
    for case in exercise.cases.values():
        try:
            a = f(*case)
        except Exception:
            continue
        if not np.allclose(a, g(*case), equal_nan=True):
            return False
    return True


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(sorted(EXERCISES)), st.floats(1e-3, 10), st.data())
def test_one_wrong_element_is_never_given_a_name(name, size, data):
    exercise = EXERCISES[name]
    case = data.draw(st.sampled_from(sorted(exercise.cases)))
    answers = answer_all(exercise, defined(name, written(name, {})))
    value = [np.array(part) for part in answers[case].value]
    part = data.draw(st.integers(0, len(value) - 1))
    if value[part].dtype.kind == "b" or not np.isfinite(value[part]).any():
        return
    at = data.draw(st.integers(0, value[part].size - 1))
    value[part] = value[part].astype(float)
    value[part].flat[at] = np.nan_to_num(value[part].flat[at]) + size + 0.5
    answers[case] = SimpleNamespace(**vars(answers[case]) | {"value": tuple(value)})
    verdict = judge(exercise, answers)
    assert verdict.state == "wrong" and verdict.mistakes == (), (case, verdict)
