"""The experiments: what the chapter says of them, and when they run again."""

import importlib
import sys

import joblib
import numpy as np
import pytest
import torch

from attention import attention_weights, self_attention
from experiments import gradients, memory, modalities, operations, race


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """As the experiments run; on a busy machine also much faster."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def norms():
    """Gradient norms over distance, from a few seeds."""
    return gradients.gradient_norms((1, 16, 64, 256), n_seeds=3, d=16)


def medians(norms, name):
    return np.median(norms[name], axis=0)


@pytest.mark.claim("clm-linear-rnn")
def test_an_orthogonal_linear_recurrence_passes_everything_on(norms, close):
    close(norms["linear RNN"], np.ones((3, 4)))


@pytest.mark.claim("clm-tanh-fades")
def test_under_tanh_less_than_a_millionth_arrives_from_64_tokens(norms):
    assert (norms["tanh RNN"][:, 2] < 1e-6).all()


@pytest.mark.claim("clm-share")
def test_the_share_that_attention_passes_on_is_about_one_over_n(norms):
    share = medians(norms, "attention")[1:] * np.array([17, 65, 257])
    assert (share > 0.3).all()
    assert (share < 3).all()
    assert medians(norms, "attention")[-1] < medians(norms, "dilated CNN")[-1]


@pytest.mark.claim("clm-moved")
def test_at_one_length_the_distance_changes_nothing_in_attention(close):
    norms = gradients.moved_nearer("attention", (1, 4, 16, 64), n_seeds=3, d=16)
    close(norms, np.broadcast_to(norms[:, -1:], norms.shape))
    recurrent = gradients.moved_nearer("LSTM", (1, 16, 64), n_seeds=3, d=16)
    assert (np.diff(np.log(recurrent)) < -1).all()


def test_only_three_fall_faster_than_a_power_of_the_distance(norms):
    slopes = {
        name: np.log(medians(norms, name)[3] / medians(norms, name)[2]) / np.log(4)
        for name in norms
    }
    fast = {name for name, slope in slopes.items() if slope < -3}
    assert fast == {"tanh RNN", "LSTM", "CNN"}
    assert min(slopes["attention"], slopes["dilated CNN"]) > -1.5


def test_the_norm_is_that_of_the_jacobian_that_torch_computes(close):
    torch.manual_seed(0)
    X = torch.randn(5, 4, dtype=torch.float64)
    for name in ("LSTM", "dilated CNN", "attention"):
        layer = gradients.LAYERS[name](5, 4)
        jacobian = torch.autograd.functional.jacobian(lambda x: layer(x[None])[0], X)  # noqa: B023
        expected = jacobian[:, 0].norm() / 2
        close(gradients.jacobian_norm(layer, X), expected)


@pytest.mark.claim("prp-undiminished")
def test_the_derivative_of_an_output_by_a_value_is_its_weight(close):
    torch.manual_seed(0)
    Q, K, V = torch.randn(3, 6, 4, dtype=torch.float64)
    attend = torch.nn.functional.scaled_dot_product_attention
    jacobian = torch.autograd.functional.jacobian(lambda V: attend(Q, K, V), V)
    weights = attention_weights(Q.numpy(), K.numpy())
    expected = weights[:, None, :, None] * np.eye(4)[:, None]  # (i, a, j, b)
    close(jacobian, expected)
    close(weights.mean(axis=-1), np.full(6, 1 / 6))


@pytest.mark.claim("clm-through-the-score")
def test_the_derivative_of_an_output_by_a_score_holds_the_weight_too(close):
    torch.manual_seed(0)
    scores, V = torch.randn(2, 6, 6, dtype=torch.float64)
    jacobian = torch.autograd.functional.jacobian(
        lambda scores: torch.softmax(scores, dim=-1) @ V, scores
    )
    weights = torch.softmax(scores, dim=-1)
    for i in range(6):
        for j in range(6):
            expected = weights[i, j] * (V[j] - weights[i] @ V)
            close(jacobian[i, :, i, j], expected)


@pytest.mark.claim("clm-race")
def test_at_32_tokens_only_attention_recalls_the_first():
    found = race.recall(("RNN", "LSTM", "attention"), (32,), 1)
    assert found["attention"][0][0] > 0.95
    assert found["RNN"][0][0] < 0.2
    assert found["LSTM"][0][0] < 0.2


@pytest.mark.claim("clm-no-first")
def test_without_positions_attention_recalls_no_more_than_a_bag_would():
    accuracy = race.recall(("attention, no positions",), (16,), 1)
    assert accuracy["attention, no positions"][0][0] < 0.35
    racer = race.Racer("attention, no positions", 8, 5).double()
    tokens = torch.tensor([[1, 2, 3, 4, 0], [3, 2, 4, 1, 0]])  # the last one asks
    first, shuffled = racer(tokens)
    torch.testing.assert_close(first, shuffled, rtol=1e-12, atol=1e-12)


def test_racers_are_of_nearly_equal_size_and_every_run_is_the_same(monkeypatch):
    monkeypatch.setattr(race, "STEPS", 10)
    sizes = [race.parameters(name, race.width(name)) for name in race.RACERS]
    assert 0.9 * race.PARAMETERS < min(sizes) <= max(sizes) <= race.PARAMETERS
    runs = [race.recall(tuple(race.RACERS), (8,), 1) for _ in range(2)]
    assert runs[0] == runs[1]


@pytest.mark.claim("clm-projections")
@pytest.mark.parametrize(("n", "d", "k", "r"), [(64, 32, 3, 8), (20, 16, 5, 4)])
def test_multiply_adds_that_torch_counts_are_those_of_the_formulas(n, d, k, r):
    assert operations.multiply_adds(n, d, k, r) == {
        "attention": 2 * n**2 * d,
        "projections": 4 * n * d**2,
        "restricted": 2 * r * n * d,
        "recurrent": 2 * n * d**2,
        "convolution": k * n * d**2,
    }
    equal = operations.multiply_adds(2 * d, d, k, r)
    assert equal["attention"] == equal["projections"]


# The four kinds of input


def weights_of(X, sharpness=3):
    return modalities.read_weights(self_attention, X, sharpness)


def within(weights, kinds):
    """Share of each row's weight that stays on tokens of its own kind."""
    kinds = np.asarray(kinds)
    return (weights * (kinds[:, None] == kinds)).sum(axis=1)


INPUTS = ["sentence", "photograph", "melody", "ubiquitin"]


@pytest.mark.parametrize("kind", INPUTS)
def test_the_weights_are_read_off_the_output_of_self_attention(kind, close):
    X = getattr(modalities, kind)()[-1]
    Q = np.sqrt(3) * X
    close(weights_of(X), attention_weights(Q, Q), rtol=1e-10)


@pytest.mark.parametrize("kind", INPUTS)
def test_shuffled_tokens_give_the_same_weights_shuffled(kind, close):
    X = getattr(modalities, kind)()[-1]
    order = np.random.default_rng(0).permutation(len(X))
    close(weights_of(X[order]), weights_of(X)[np.ix_(order, order)], rtol=1e-10)


@pytest.mark.claim("clm-words")
def test_equal_words_share_one_weight(close):
    words, X = modalities.sentence()
    weights = weights_of(X)
    the = [i for i, word in enumerate(words) if word == "the"]
    shares = weights[np.ix_(the, the)]
    close(shares, np.full_like(shares, shares[0, 0]))
    assert shares[0, 0] > 1 / len(words)


@pytest.mark.claim("clm-patches")
def test_a_patch_of_background_finds_the_background():
    _, X = modalities.photograph()
    row = weights_of(X)[15].reshape(8, 8)
    assert row[:5, 6:].sum() > 0.6
    assert row[6:].sum() < 0.05


@pytest.mark.claim("clm-notes")
def test_frames_find_their_own_note():
    notes, _, X = modalities.melody()
    assert within(weights_of(X), np.repeat(notes, len(X) // len(notes))).min() > 0.7


@pytest.mark.claim("clm-residues")
def test_each_class_of_residues_keeps_more_weight_than_its_share():
    classes, X = modalities.ubiquitin()
    kept = within(weights_of(X), classes)
    for name in modalities.CLASSES:
        assert kept[classes == name].mean() > 1.5 * (classes == name).mean()


def test_ubiquitin_has_76_residues_and_blosum62_is_symmetric():
    assert len(modalities.UBIQUITIN) == 76
    assert sorted("".join(modalities.CLASSES.values())) == sorted(modalities.RESIDUES)
    rows = [line.split() for line in modalities.BLOSUM62.strip().split("\n")]
    matrix = np.array(rows, int)
    np.testing.assert_array_equal(matrix, matrix.T)
    assert np.trace(matrix) == 116


# What is remembered


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project of two modules, its results remembered in a folder of its own."""
    (tmp_path / "used_here.py").write_text("STEP = 1\n\ndef step():\n    return STEP\n")
    (tmp_path / "slow_here.py").write_text(
        "from used_here import step\n\nruns = []\n\n"
        "def run(x):\n    runs.append(x)\n    return x + step()\n"
    )
    (tmp_path / "other_here.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(memory, "ROOT", tmp_path.resolve())
    cache = joblib.Memory(tmp_path / "cache", verbose=0)
    monkeypatch.setattr(memory, "_call", cache.cache(memory._call.func))
    yield tmp_path
    for name in ("used_here", "slow_here", "other_here"):
        sys.modules.pop(name, None)


def fresh_call(x):
    """How often run(x) ran, and its value, as a new process would find it."""
    for name in ("used_here", "slow_here"):
        sys.modules.pop(name, None)
    importlib.invalidate_caches()
    slow = importlib.import_module("slow_here")
    value = memory.remembered(slow.run, x)
    return len(slow.runs), value


def test_an_experiment_runs_again_only_when_something_it_uses_changed(project):
    assert fresh_call(1) == (1, 2)
    assert fresh_call(1) == (0, 2)
    (project / "other_here.py").write_text("changed = True\n")
    assert fresh_call(1) == (0, 2)
    assert fresh_call(2) == (1, 3)
    (project / "used_here.py").write_text(
        "STEP = 10\n\n\ndef step():\n    return STEP\n"
    )
    assert fresh_call(1) == (1, 11)


def test_the_key_of_the_race_is_its_source_and_gradients_use_paths():
    names = {
        module: [p.name for p in memory.sources(module)] for module in (race, gradients)
    }
    assert names == {race: ["race.py"], gradients: ["gradients.py", "paths.py"]}
