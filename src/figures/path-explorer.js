// <path-explorer n="27" k="3"> around a static figure: the same graphs, to play
// with. The graphs are those of src/paths.py, edge by edge; tests/browser/
// compares every number with path_length and sequential_steps.

export const architectures = {
  RNN: {
    name: "recurrent",
    layers: () => 1,
    edges(n) {
      const edges = [];
      for (let i = 0; i < n; i++) edges.push([[0, i], [1, i]]);
      for (let i = 0; i + 1 < n; i++) edges.push([[1, i], [1, i + 1]]);
      return edges;
    },
  },
  CNN: {
    name: "convolution",
    layers: (n, k) => Math.max(1, Math.ceil((n - 1) / (k - 1))),
    edges: (n, k) => convolutions(n, k, architectures.CNN.layers(n, k), () => 1),
  },
  dilated: {
    name: "dilated convolution",
    layers(n, k) {
      let layers = 1;
      while (k ** layers < n) layers++;
      return layers;
    },
    edges: (n, k) =>
      convolutions(n, k, architectures.dilated.layers(n, k), (layer) => k ** layer),
  },
  attention: {
    name: "attention",
    layers: () => 1,
    edges(n) {
      const edges = [];
      for (let j = 0; j < n; j++) {
        for (let i = 0; i <= j; i++) edges.push([[0, i], [1, j]]);
      }
      return edges;
    },
  },
};

function convolutions(n, k, layers, gap) {
  const edges = [];
  for (let layer = 0; layer < layers; layer++) {
    for (let i = 0; i < n; i++) {
      for (let tap = 0; tap < k && i + tap * gap(layer) < n; tap++) {
        edges.push([[layer, i], [layer + 1, i + tap * gap(layer)]]);
      }
    }
  }
  return edges;
}

// Nodes from (0, source) to the nearest (layer >= 1, target), or null.
export function shortestPath(edges, source, target) {
  const heads = new Map();
  for (const [tail, head] of edges) {
    if (!heads.has(String(tail))) heads.set(String(tail), []);
    heads.get(String(tail)).push(head);
  }
  const start = [0, source];
  const before = new Map([[String(start), null]]);
  const queue = [start];
  for (const node of queue) {
    if (node[0] >= 1 && node[1] === target) {
      const path = [];
      for (let at = node; at; at = before.get(String(at))) path.unshift(at);
      return path;
    }
    for (const head of heads.get(String(node)) ?? []) {
      if (before.has(String(head))) continue;
      before.set(String(head), node);
      queue.push(head);
    }
  }
  return null;
}

// What the explorer says of one graph: hops is null where there is no path.
export function measure(architecture, n, k, source, target) {
  const { edges, layers } = architectures[architecture];
  const all = edges(n, k);
  const path = shortestPath(all, source, target);
  return {
    path,
    hops: path && path.length - 1,
    layers: layers(n, k),
    steps: architecture === "RNN" ? n : layers(n, k),
    edges: all.length,
  };
}

const STYLE = `
path-explorer { display: block; }
path-explorer [hidden] { display: none; }
path-explorer .controls {
  display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; margin-bottom: 0.75rem;
  font: 0.8rem/1.5 system-ui, sans-serif;
}
path-explorer fieldset {
  display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; flex-basis: 100%;
  margin: 0; padding: 0; border: 0;
}
path-explorer legend { float: left; margin-right: 1rem; padding: 0; }
path-explorer label { display: flex; align-items: center; gap: 0.4rem; min-height: 1.5rem; }
path-explorer input { accent-color: currentColor; }
path-explorer input[type="range"] { width: 8rem; height: 1.5rem; }
path-explorer output { min-width: 1.2rem; font-variant-numeric: lining-nums tabular-nums; }
path-explorer svg { display: block; width: 100%; touch-action: manipulation; cursor: pointer; }
path-explorer .edges { fill: none; stroke: var(--muted, gray); stroke-width: 0.6; opacity: 0.7; }
path-explorer .node { fill: var(--muted, gray); }
path-explorer .hop { stroke: var(--weights, #c22); stroke-width: 3; stroke-linecap: round; }
path-explorer .stop { fill: var(--weights, #c22); }
path-explorer text { fill: currentColor; font: 12px system-ui, sans-serif; text-anchor: middle; }
path-explorer .said { min-height: 3em; margin: 0.5rem 0; }
path-explorer tr[data-chosen] { font-weight: 600; }
path-explorer td, path-explorer th:not(:first-child) { text-align: right; }
@media (prefers-reduced-motion: no-preference) {
  path-explorer .hop { animation: path-explorer-hop 240ms ease-out backwards; }
  @keyframes path-explorer-hop { from { opacity: 0; stroke-dasharray: 0 999; } }
}
`;

const CONTROLS = `
<div class="controls">
  <fieldset><legend>Architecture</legend></fieldset>
  <label>tokens n <input type="range" name="n" min="2" max="32"><output></output></label>
  <label>kernel width k <input type="range" name="k" min="2" max="7"><output></output></label>
  <label>from token <input type="range" name="source" min="1"><output></output></label>
  <label>to token <input type="range" name="target" min="1"><output></output></label>
</div>
<svg role="img" aria-label="The graph, with the shortest path drawn over it"></svg>
<p class="said" role="status"></p>
<table>
  <thead><tr><th scope="col">architecture</th><th scope="col">hops</th><th scope="col">layers</th>
    <th scope="col">sequential steps</th><th scope="col">edges</th></tr></thead>
  <tbody></tbody>
</table>`;

class PathExplorer extends HTMLElement {
  connectedCallback() {
    const figure = this.querySelector("figure");
    if (!figure || this.live) return;
    adopt(STYLE);
    this.live = document.createElement("div");
    this.live.innerHTML = CONTROLS;
    figure.querySelector("figcaption").before(this.live);
    for (const part of figure.children) {
      part.hidden = part !== this.live && part.localName !== "figcaption";
    }
    const n = Number(this.getAttribute("n") ?? 8);
    this.state = { architecture: "CNN", n, k: Number(this.getAttribute("k") ?? 3), source: 1, target: n };
    this.choices();
    this.live.addEventListener("input", ({ target }) => {
      const { name, value } = target;
      this.change({ [name]: name === "architecture" ? value : Number(value) });
    });
    this.svg = this.live.querySelector("svg");
    this.svg.addEventListener("click", (event) => this.click(event));
    this.change({});
  }

  choices() {
    const fieldset = this.live.querySelector("fieldset");
    for (const [value, { name }] of Object.entries(architectures)) {
      const label = document.createElement("label");
      const input = Object.assign(document.createElement("input"), {
        type: "radio", name: "architecture", value, checked: value === this.state.architecture,
      });
      label.append(input, name);
      fieldset.append(label);
    }
  }

  // The lower half of the drawing chooses the source, the upper the target.
  click(event) {
    const { left, width, top, height } = this.svg.getBoundingClientRect();
    const [, , across] = this.svg.getAttribute("viewBox").split(" ").map(Number);
    const x = ((event.clientX - left) / width) * across;
    const token = Math.round((x - 20) / ((across - 40) / (this.state.n - 1))) + 1;
    const end = event.clientY > top + height / 2 ? "source" : "target";
    this.change({ [end]: token });
  }

  change(changes) {
    const state = Object.assign(this.state, changes);
    if ("n" in changes) state.target = state.n; // the longest way is the telling one
    for (const end of ["source", "target"]) {
      state[end] = Math.min(Math.max(state[end], 1), state.n);
    }
    for (const name of ["n", "k", "source", "target"]) {
      const input = this.live.querySelector(`[name=${name}]`);
      if (name === "source" || name === "target") input.max = state.n;
      input.value = state[name];
      input.nextElementSibling.value = state[name];
    }
    const { architecture, n, k, source, target } = state;
    const measured = Object.fromEntries(
      Object.keys(architectures).map((name) => [name, measure(name, n, k, source - 1, target - 1)]),
    );
    this.draw(measured[architecture]);
    this.tabulate(measured);
    this.live.querySelector(".said").textContent = this.sentence(measured[architecture]);
  }

  sentence({ hops, path }) {
    const { architecture, n, k, source, target } = this.state;
    const wide = architecture === "CNN" || architecture === "dilated" ? ` of width ${k}` : "";
    const who = architectures[architecture].name[0].toUpperCase() + architectures[architecture].name.slice(1);
    const head = `${who}${wide}, ${n} tokens:`;
    if (hops === null) {
      return `${head} no path from token ${source} to token ${target}, since all four look backward only.`;
    }
    const between = [...new Set(path.slice(1, -1).map((node) => node[1] + 1))]
      .filter((token) => token !== source && token !== target);
    const by = between.length === 0 ? "" : between.length > 6
      ? `, by way of ${between.length} tokens`
      : `, by way of ${between.join(", ")}`;
    return `${head} ${hops} ${hops === 1 ? "hop" : "hops"} from token ${source} to token ${target}${by}.`;
  }

  draw({ path, layers }) {
    const { architecture, n, k } = this.state;
    const [width, height] = [680, Math.min(120 + 24 * (layers - 1), 360)];
    const x = (position) => 20 + (position * (width - 40)) / (n - 1);
    const y = (layer) => height - 30 - (layer * (height - 60)) / layers;
    const place = ([layer, position]) => `${x(position).toFixed(1)} ${y(layer).toFixed(1)}`;
    const edges = architectures[architecture].edges(n, k);
    const lines = edges.map(([tail, head]) => `M${place(tail)}L${place(head)}`).join("");
    const nodes = Array.from({ length: (layers + 1) * n }, (_, at) => [Math.floor(at / n), at % n]);
    const radius = Math.min(4, 120 / n, (height - 60) / layers / 4);
    const circle = (node, kind, r) => {
      const [cx, cy] = place(node).split(" ");
      return `<circle class="${kind}" cx="${cx}" cy="${cy}" r="${r}"/>`;
    };
    const pause = Math.min(200, 1200 / (path?.length ?? 1));
    const hops = (path ?? []).slice(1).map((node, at) => {
      const [x1, y1] = place(path[at]).split(" ");
      const [x2, y2] = place(node).split(" ");
      return `<line class="hop" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`;
    });
    const ends = [0, n - 1].map((at) => `<text x="${x(at)}" y="${height - 8}">${at + 1}</text>`);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.innerHTML =
      `<path class="edges" d="${lines}"/>` +
      nodes.map((node) => circle(node, "node", radius)).join("") +
      hops.join("") +
      (path ?? []).map((node) => circle(node, "stop", radius + 2)).join("") +
      ends.join("");
    this.svg.querySelectorAll(".hop").forEach((hop, at) => {
      hop.style.animationDelay = `${at * pause}ms`;
    });
  }

  tabulate(measured) {
    this.live.querySelector("tbody").innerHTML = Object.entries(measured)
      .map(([key, { hops, layers, steps, edges }]) => {
        const chosen = key === this.state.architecture ? " data-chosen" : "";
        const cells = [hops ?? "no path", layers, steps, edges];
        return `<tr${chosen}><th scope="row">${architectures[key].name}</th>${cells
          .map((cell) => `<td>${cell}</td>`)
          .join("")}</tr>`;
      })
      .join("");
  }
}

function adopt(style) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  document.adoptedStyleSheets.push(sheet);
}

customElements.define("path-explorer", PathExplorer);
