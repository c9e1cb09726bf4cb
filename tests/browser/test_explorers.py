"""The two figures to play with: their numbers, their keys, their words."""

import re
from pathlib import Path

import numpy as np
import pytest

import paths
from attention import attention, attention_weights, softmax
from literate.cells import scan

ROOT = Path(__file__).parents[2]
FIGURES = ROOT / "src/figures"
GRAPHS = {
    "RNN": lambda n, k: paths.rnn_edges(n),
    "CNN": paths.cnn_edges,
    "dilated CNN": paths.dilated_cnn_edges,
    "attention": lambda n, k: paths.attention_edges(n),
}


@pytest.fixture
def module(browser):
    """module(name, script, argument): run `script` on what the file exports."""
    page = browser.new_page()

    def run(name, script, argument=None):
        source = (FIGURES / name).read_text("utf-8")
        return page.evaluate(
            f"""async ([source, argument]) => {{
              const data = "data:text/javascript," + encodeURIComponent(source);
              return ({script})(await import(data), argument);
            }}""",
            [source, argument],
        )

    yield run
    page.close()


@pytest.fixture(scope="module")
def phrase():
    """What the chapter's cells make of the phrase: tokens, features, Q, K, V."""
    document = scan((ROOT / "chapter.qmd").read_text("utf-8"))
    made = {"np": np}
    for cell in document.cells:
        if cell.label in ("phrase", "phrase-weights"):
            exec(cell.code, made)
    return made


def test_both_together_are_small():
    assert sum(len(f.read_bytes()) for f in FIGURES.glob("*-explorer.js")) <= 25_000


def test_every_graph_has_the_numbers_of_the_python_code(module):
    measured = module(
        "path-explorer.js",
        """({ measure, architectures }) => {
          const all = [];
          for (let n = 2; n <= 32; n++) for (let k = 2; k <= 7; k++) {
            const pairs = [[0, n - 1], [n - 1, 0], [0, 0], [1, n >> 1]];
            for (const name in architectures) for (const [source, target] of pairs) {
              const found = measure(name, n, k, source, target);
              const { hops, layers, steps, edges } = found;
              all.push([name, n, k, source, target, hops, layers, steps, edges]);
            }
          }
          return all;
        }""",
    )
    assert len(measured) == 31 * 6 * 4 * 4
    graphs = {}
    for name, n, k, source, target, *numbers in measured:
        if (name, n, k) not in graphs:
            edges = GRAPHS[name](n, k)
            layers = max(head[0] for _, head in edges)
            graphs[name, n, k] = (
                edges,
                [
                    layers,
                    paths.sequential_steps(edges),
                    len(edges),
                ],
            )
        edges, expected = graphs[name, n, k]
        hops = paths.path_length(edges, source, target)
        assert numbers == [hops, *expected], (name, n, k, source, target)


def test_every_pair_of_tokens_has_the_hops_of_the_python_code(module):
    n, k = 9, 3
    for name, graph in GRAPHS.items():
        edges = graph(n, k)
        hops = module(
            "path-explorer.js",
            """({ measure }, [name, n, k]) => Array.from({ length: n * n }, (_, at) =>
              measure(name, n, k, Math.floor(at / n), at % n).hops)""",
            [name, n, k],
        )
        pairs = [(i, j) for i in range(n) for j in range(n)]
        assert hops == [paths.path_length(edges, *pair) for pair in pairs]


def test_200_random_settings_give_what_the_python_code_gives(module, close):
    rng = np.random.default_rng(0)
    for _ in range(200):
        m, n, d_k, d_v = rng.integers(1, 6, 4)
        causal, scale, columns = rng.random(3) < 0.5
        n = m if causal else n
        Q, K, V = (rng.normal(0, 3, size) for size in [(m, d_k), (n, d_k), (n, d_v)])
        axis = "columns" if columns else "rows"
        theirs = module(
            "attention-explorer.js",
            "({ attend }, [Q, K, V, options]) => attend(Q, K, V, options)",
            [Q.tolist(), K.tolist(), V.tolist()]
            + [{"scale": bool(scale), "causal": bool(causal), "axis": axis}],
        )
        factor = None if scale else 1.0
        mask = np.tri(m, n, dtype=bool) if causal else None
        if columns:
            scores = Q @ K.T * (d_k**-0.5 if scale else 1.0)
            weights = softmax(np.where(mask, scores, -np.inf) if causal else scores, 0)
            output = weights @ V
        else:
            weights = attention_weights(Q, K, mask, factor)
            output = attention(Q, K, V, mask, factor)
        close(theirs["weights"], weights, rtol=1e-9, atol=1e-9)
        close(theirs["output"], output, rtol=1e-9, atol=1e-9)


def test_the_phrase_is_the_chapters(module, phrase):
    theirs = module(
        "attention-explorer.js",
        "({ tokens, topics, handedOver, V, presets }) => "
        "({ tokens, features: [topics, handedOver], V, ...presets.phrase })",
    )
    topics, handed_over = theirs["features"]
    assert theirs["tokens"] == phrase["tokens"]
    assert topics == phrase["features"][: phrase["Q"].shape[1]]
    assert handed_over == phrase["features"][-phrase["V"].shape[1] :]
    for name in "QKV":
        assert np.array_equal(theirs[name], phrase[name])


def numbers(page, name):
    """The numbers that a table of the attention explorer shows, without the sums."""
    cells = page.locator(f"[data-name={name}] tbody td:not(.sum)").all_inner_texts()
    shown = [float(cell.replace("−", "-").replace("-∞", "-inf")) for cell in cells]
    return np.reshape(shown, (3, -1))


def test_the_paths_answer_to_the_keyboard(visit):
    page = visit(reduced_motion="reduce")
    explorer = page.locator("path-explorer")
    said = explorer.get_by_role("status")
    before = said.inner_text()
    explorer.get_by_label("tokens n").focus()
    for key in ["ArrowRight"] * 4 + ["Tab", "ArrowRight", "ArrowRight"]:
        page.keyboard.press(key)
    assert said.inner_text() != before and "of 20" in said.inner_text()
    for name, graph in GRAPHS.items():
        edges = graph(20, 5)
        row = explorer.locator("tbody tr").filter(
            has=page.get_by_text(name, exact=True)
        )
        hops, layers, steps, count = map(int, row.locator("td").all_inner_texts())
        assert hops == paths.path_length(edges, 0, 19)
        assert layers == max(head[0] for _, head in edges)
        assert (steps, count) == (paths.sequential_steps(edges), len(edges))
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    page.keyboard.press("Tab")
    page.keyboard.press("Home")
    assert "No path leads from token 20 to token 1" in said.inner_text()
    assert explorer.locator(".hop").count() == 0


def test_all_graphs_are_drawn_to_one_scale(visit):
    page = visit(reduced_motion="reduce")
    boxes = page.locator("path-explorer svg").evaluate_all(
        "all => all.map((svg) => svg.querySelector('.nodes').getBBox().height)"
    )
    rnn, cnn, dilated, attention = boxes
    assert rnn == attention < dilated
    assert abs(cnn / dilated - 8 / 3) < 0.05


def test_a_click_on_a_drawing_chooses_the_ends(visit):
    page = visit(reduced_motion="reduce", has_touch=True)
    drawing = page.locator("path-explorer svg").nth(1)
    box = drawing.bounding_box()
    middle = {"x": box["width"] * (10 + 300 * 4 / 15) / 320, "y": box["height"] - 30}
    drawing.click(position=middle)
    drawing.tap(position=middle | {"x": box["width"] * 310 / 320, "y": 12})
    said = page.locator("path-explorer").get_by_role("status").inner_text()
    assert "from token 5 to token 16 of 16" in said


def test_the_attention_answers_to_the_keyboard(visit, phrase):
    page = visit()
    explorer = page.locator("attention-explorer")
    Q, K, V = (phrase[name].astype(float) for name in "QKV")
    assert np.allclose(numbers(page, "output"), attention(Q, K, V), atol=6e-4)
    field = explorer.get_by_label("Q, soup, thing", exact=True)
    field.focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("1.5")
    Q[0, 0] = 1.5
    assert np.allclose(numbers(page, "weights"), attention_weights(Q, K), atol=6e-4)
    for name, options in [
        ("causal mask", {"mask": np.tri(3, dtype=bool)}),
        ("divide by √dk", {"mask": np.tri(3, dtype=bool), "scale": 1.0}),
    ]:
        explorer.get_by_label(name).focus()
        page.keyboard.press("Space")
        expected = attention(Q, K, V, **options)
        assert np.allclose(numbers(page, "output"), expected, atol=6e-4)
    explorer.get_by_role("button", name="the phrase").focus()
    page.keyboard.press("Enter")
    start = attention(*(phrase[name] for name in "QKV"))
    assert np.allclose(numbers(page, "output"), start, atol=6e-4)


def test_a_preset_is_pressed_until_something_changes(visit):
    explorer = visit().locator("attention-explorer")
    pressed = explorer.locator("button[aria-pressed=true]")
    assert pressed.all_inner_texts() == ["the phrase"]
    explorer.get_by_role("button", name="saturated").click()
    assert pressed.all_inner_texts() == ["saturated"]
    explorer.get_by_label("causal mask").check()
    assert pressed.count() == 0


def test_every_minus_is_a_true_one_and_counts(visit, phrase):
    page = visit()
    explorer = page.locator("attention-explorer")
    values = "inputs => inputs.map((input) => input.value).join()"
    shown = explorer.inner_text() + explorer.locator("[type=text]").evaluate_all(values)
    assert "−2" in shown and not re.search(r"-\d", shown)
    Q, K = (phrase[name].astype(float) for name in "QK")
    field = explorer.get_by_label("Q, soup, thing", exact=True)
    field.fill("-1,5")
    Q[0, 0] = -1.5
    assert field.input_value() == "−1,5"
    assert np.allclose(numbers(page, "weights"), attention_weights(Q, K), atol=6e-4)
    field.press("ArrowDown")
    Q[0, 0] = -2.5
    assert field.input_value() == "−2.5"
    assert np.allclose(numbers(page, "weights"), attention_weights(Q, K), atol=6e-4)


def test_the_wrong_axis_is_visible_and_said(visit):
    page = visit()
    explorer = page.locator("attention-explorer")
    assert explorer.locator("td.off").count() == 0
    explorer.get_by_label("over columns").check()
    assert explorer.locator("td.off").count() == 3
    assert re.search(r"rows of the weights sum to", explorer.inner_text())


def test_the_presets_do_what_they_are_called(visit):
    page = visit()
    explorer = page.locator("attention-explorer")
    for name, test in {
        "one-hot lookup": lambda w: np.allclose(w.max(axis=1), 1, atol=1e-3),
        "uniform average": lambda w: np.allclose(w, 1 / 3, atol=1e-3),
        "saturated": lambda w: w.max() > 0.999,
    }.items():
        explorer.get_by_role("button", name=name).click()
        assert test(numbers(page, "weights")), name
