// <attention-explorer> around a static figure: the phrase computed by hand, to
// change. tests/browser/ compares its numbers with src/attention.py, and its
// first state with the chapter's own Q, K and V.

export const tokens = ["soup", "taste", "it"];
export const topics = ["thing", "action", "pronoun", "food"];
export const handedOver = ["food", "heat"];
export const V = [[1, 3], [1, 0], [0, 0]];

const Q = [[0, 2, 0, 0], [2, 0, 0, 2], [2, 1, -2, 0]];
const K = [[2, 0, 0, 1], [0, 2, 0, 1], [0, 0, 1, 0]];
const basis = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]];
const times = (matrix, factor) => matrix.map((row) => row.map((x) => x * factor));

export const presets = {
  phrase: { name: "the phrase", Q, K },
  lookup: { name: "one-hot lookup", Q: times([basis[2], basis[0], basis[1]], 60), K: basis },
  average: { name: "uniform average", Q: times(Q, 0), K },
  saturated: { name: "saturated", Q: times(Q, 8), K },
};

// scores, weights and output of attention, with its classic mistakes to switch on.
export function attend(Q, K, V, { scale = true, causal = false, axis = "rows" } = {}) {
  const divisor = scale ? Math.sqrt(K[0].length) : 1;
  const scores = Q.map((q, i) =>
    K.map((k, j) => (causal && j > i ? -Infinity : dot(q, k) / divisor)),
  );
  const weights =
    axis === "rows" ? scores.map(softmax) : transpose(transpose(scores).map(softmax));
  const output = weights.map((row) => transpose(V).map((column) => dot(row, column)));
  return { scores, weights, output };
}

function softmax(row) {
  const largest = Math.max(...row);
  const e = row.map((x) => Math.exp(x - largest));
  const sum = total(e);
  return e.map((x) => x / sum);
}

const total = (row) => row.reduce((sum, x) => sum + x, 0);
const dot = (a, b) => total(a.map((x, i) => x * b[i]));
const transpose = (matrix) => matrix[0].map((_, j) => matrix.map((row) => row[j]));

const STYLE = `
attention-explorer { display: block; }
attention-explorer [hidden] { display: none; }
attention-explorer .live { font: 0.75rem/1.5 system-ui, sans-serif; }
attention-explorer .controls, attention-explorer .presets {
  display: flex; flex-wrap: wrap; gap: 0.25rem 0.9rem; margin: 0 0 0.75rem; padding: 0; border: 0;
}
attention-explorer legend { float: left; margin-right: 0.9rem; padding: 0; }
attention-explorer label { display: flex; align-items: center; gap: 0.4rem; min-height: 1.5rem; }
attention-explorer .matrices { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(15.5rem, 100%), 1fr)); gap: 0.75rem 1rem; }
attention-explorer table { justify-self: start; width: auto; margin: 0 0 0.25rem; border: 0; font-size: 0.75rem; }
attention-explorer caption { font-weight: 600; padding: 0; margin: 0; caption-side: top; }
attention-explorer thead, attention-explorer tbody tr + tr { border: 0; }
attention-explorer th { font-weight: 400; padding: 0.1rem 0.4rem 0.1rem 0; vertical-align: middle; color: var(--muted, gray); }
attention-explorer thead :is(th, th:last-child) { padding: 0.1rem 0.3rem; text-align: right; }
attention-explorer td, attention-explorer td:last-child {
  min-width: 2.8rem; height: 1.7rem; padding: 0 0.3rem; vertical-align: middle; border: 1px solid var(--line, silver); text-align: right;
  background: color-mix(in srgb, var(--tint) calc(var(--share, 0) * 42%), transparent);
}
attention-explorer thead td { border: 0; }
attention-explorer td.sum { border-color: transparent; color: var(--muted, gray); }
attention-explorer td.off { color: inherit; font-weight: 700; }
attention-explorer td:has(input) { padding: 0; min-width: 0; }
attention-explorer input[type="text"] {
  width: 2.8rem; height: 1.7rem; padding: 0 0.3rem; border: 0; background: none; color: inherit; font: inherit; text-align: right;
}
attention-explorer input { accent-color: var(--ink, currentColor); }
attention-explorer .said { min-height: 3em; margin: 0.5rem 0; }
@media print {
  attention-explorer .live { display: none; }
  attention-explorer [hidden] { display: revert; }
}
`;

const CONTROLS = `
<fieldset class="presets"><legend>Start from</legend></fieldset>
<div class="controls">
  <label><input type="checkbox" name="scale" checked><span>divide by √<i>d<sub>k</sub></i></span></label>
  <label><input type="checkbox" name="causal">causal mask</label>
  <label><input type="radio" name="axis" value="rows" checked>softmax over rows</label>
  <label><input type="radio" name="axis" value="columns">over columns (a mistake)</label>
</div>
<div class="matrices"></div>
<p class="said" role="status"></p>`;

class AttentionExplorer extends HTMLElement {
  connectedCallback() {
    const figure = this.querySelector("figure");
    if (!figure || this.live) return;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    document.adoptedStyleSheets.push(sheet);
    this.live = document.createElement("div");
    this.live.className = "live";
    this.live.innerHTML = CONTROLS;
    figure.querySelector("figcaption").before(this.live);
    for (const part of figure.children) {
      part.hidden = part !== this.live && part.localName !== "figcaption";
    }
    for (const [key, { name }] of Object.entries(presets)) {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: name });
      button.addEventListener("click", () => this.load(key));
      button.dataset.key = key;
      this.live.querySelector(".presets").append(button);
    }
    this.matrices = this.live.querySelector(".matrices");
    this.live.addEventListener("input", ({ target }) => {
      if (target.value.includes("-")) target.value = minus(target.value);
      this.press(null);
      this.update();
    });
    this.live.addEventListener("keydown", (event) => this.step(event));
    this.load("phrase");
  }

  // Marks the button of the preset that is shown as it is.
  press(preset) {
    for (const button of this.live.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", button.dataset.key === preset);
    }
  }

  // The arrow keys count a field up and down.
  step(event) {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!by || event.target.type !== "text") return;
    event.preventDefault();
    event.target.value = minus(entry(event.target) + by);
    this.press(null);
    this.update();
  }

  load(preset) {
    const { Q, K } = presets[preset];
    this.live.querySelector("[name=scale]").checked = true;
    this.live.querySelector("[name=causal]").checked = false;
    this.live.querySelector("[value=rows]").checked = true;
    const input = (letter) => (value, i, j) =>
      `<input type="text" value="${minus(value)}" aria-label="${letter}, ${tokens[i]}, ${topics[j]}">`;
    this.matrices.innerHTML =
      table("Q: looks for", "query", topics, Q, input("Q")) +
      table("K: found by", "key", topics, K, input("K")) +
      table("V: hands over", "value", handedOver, V, String) +
      ["scores", "weights", "output"].map((name) => `<div data-name="${name}"></div>`).join("");
    this.press(preset);
    this.update();
  }

  // The entries of Q or K, tinted afresh; an empty field counts as 0.
  entries(letter, role) {
    const inputs = [...this.live.querySelectorAll(`input[aria-label^="${letter},"]`)];
    const values = inputs.map(entry);
    const largest = reach([values]);
    inputs.forEach((input, at) => {
      input.parentElement.style = tint(values[at], largest, role);
    });
    return tokens.map((_, i) => values.slice(i * topics.length, (i + 1) * topics.length));
  }

  update() {
    const scale = this.live.querySelector("[name=scale]").checked;
    const causal = this.live.querySelector("[name=causal]").checked;
    const axis = this.live.querySelector("[name=axis]:checked").value;
    const [Q, K] = [this.entries("Q", "query"), this.entries("K", "key")];
    const result = attend(Q, K, V, { scale, causal, axis });
    const show = (name, html) => {
      this.live.querySelector(`[data-name=${name}]`).innerHTML = html;
    };
    show("scores", table("scores", "scores", tokens, result.scores, (x) => number(x, 2)));
    show("weights", table("weights", "weights", tokens, result.weights, (x) => number(x, 3), true));
    show("output", table("output", "output", handedOver, result.output, (x) => number(x, 3)));
    this.live.querySelector(".said").textContent = this.sentence(result, causal);
  }

  sentence({ weights }, causal) {
    const sums = weights.map(total);
    if (sums.some((sum) => !isOne(sum))) {
      return `Over columns, the rows of the weights sum to ${sums.map((sum) => number(sum, 2)).join(", ")}: no row is a token's shares, and nothing in the shapes says so.`;
    }
    const most = weights.map((row) => Math.max(...row));
    const peak = most.indexOf(Math.max(...most));
    const at = weights[peak].indexOf(most[peak]);
    const future = causal ? " No token reads what comes after it." : "";
    if (most.every((weight) => Math.abs(weight - 1 / tokens.length) < 1e-9)) {
      return "Every row sums to one. All scores are equal, so every output is the plain mean of V.";
    }
    return `Every row sums to one. The largest weight is ${number(most[peak], 3)}, of ${tokens[peak]} on ${tokens[at]}.${future}`;
  }
}

const reach = (rows) => Math.max(1e-9, ...rows.flat().filter(Number.isFinite).map(Math.abs));
const tint = (x, largest, role) =>
  `--tint:${x < 0 ? "var(--muted, gray)" : `var(--${role}, gray)`};` +
  `--share:${Number.isFinite(x) ? (Math.abs(x) / largest).toFixed(3) : 0}`;
const isOne = (sum) => Math.abs(sum - 1) < 1e-9;
const minus = (x) => String(x).replace("-", "−");
const entry = ({ value }) => Number(value.replace("−", "-").replace(",", ".")) || 0;
const number = (x, digits) => (x === -Infinity ? "−∞" : minus(x.toFixed(digits)));

// A matrix as a table; cells are tinted by size, and rows of weights are summed.
function table(title, role, columns, rows, cell, sums = false) {
  const largest = role === "weights" ? 1 : reach(rows);
  const head = [...columns, ...(sums ? ["sum"] : [])].map((name) => `<th scope="col">${name}</th>`);
  const body = rows.map((row, i) => {
    const cells = row.map((x, j) => {
      return `<td style="${tint(x, largest, role)}">${cell(x, i, j)}</td>`;
    });
    const sum = total(row);
    const off = isOne(sum) ? "" : " off";
    if (sums) cells.push(`<td class="sum${off}">${number(sum, 3)}${off && " ≠ 1"}</td>`);
    return `<tr><th scope="row">${tokens[i]}</th>${cells.join("")}</tr>`;
  });
  return `<table><caption style="color:var(--${role})">${title}</caption><thead><tr><td></td>${head.join("")}</tr></thead><tbody>${body.join("")}</tbody></table>`;
}

customElements.define("attention-explorer", AttentionExplorer);
