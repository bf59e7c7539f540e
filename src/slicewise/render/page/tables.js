// Tables of a figure's rows: sorted by their headings, fifty rows at a time.

const ROWS_AT_ONCE = 50;

/** Return the values of a figure under a key. */
function column(figure, key) {
  return figure.columns[figure.keys.indexOf(key)] ?? [];
}

/** Return the order of rows by a field; what is undefined comes last either way. */
function sortedBy(figure, field, falling) {
  const values = column(figure, field.key);
  const order = Array.from({ length: rowCount(figure) }, (_, i) => i);
  const absent = (i) => values[i] === null || values[i] === undefined;
  const sign = falling ? -1 : 1;
  return order.sort((a, b) => {
    if (absent(a) || absent(b)) return absent(a) - absent(b) || a - b;
    return sign * compare(values[a], values[b]) || a - b;
  });
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

function rowCount(figure) {
  return figure.columns[0]?.length ?? 0;
}

/** Fill a place with a figure's table. */
function drawTable(place, figure) {
  const state = { by: null, falling: false, from: 0, order: Array.from({ length: rowCount(figure) }, (_, i) => i) };
  const body = el("tbody");
  const foot = el("div", { class: "paging" });
  const heads = figure.fields.map((field) => heading(field, () => sort(field)));
  const opens = column(figure, page.slice).some((one) => one) && page.datasets.length > 0;
  const last = opens ? el("th", { scope: "col", class: "open" }, "items") : null;
  const table = el(
    "table",
    {},
    el("caption", {}, visible(figure.title)),
    el("thead", {}, el("tr", {}, heads, last)),
    body,
  );
  place.replaceChildren(
    el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": visible(figure.title) }, table),
    foot,
  );

  function sort(field) {
    state.falling = state.by === field ? !state.falling : field.kind !== "text";
    state.by = field;
    state.from = 0;
    state.order = sortedBy(figure, field, state.falling);
    show();
  }

  function show() {
    figure.fields.forEach((field, i) => {
      const how = field === state.by ? (state.falling ? "descending" : "ascending") : null;
      if (how) heads[i].setAttribute("aria-sort", how);
      else heads[i].removeAttribute("aria-sort");
    });
    const shown = state.order.slice(state.from, state.from + ROWS_AT_ONCE);
    body.replaceChildren(...shown.map((i) => tableRow(figure, i, opens)));
    foot.replaceChildren(
      ...paging(state.order.length, state.from, ROWS_AT_ONCE, "row", (from) => ((state.from = from), show())),
    );
  }
  show();
}

function heading(field, onclick) {
  const side = field.kind === "text" ? null : "figure-cell";
  return el("th", { scope: "col", class: side }, el("button", { type: "button", onclick }, visible(field.title)));
}

function tableRow(figure, i, opens) {
  const named = figure.fields.find((field) => field.kind === "text");
  const cells = figure.fields.map((field) => cell(figure, field, i, field === named));
  return el("tr", {}, cells, opens ? openCell(figure, i) : null);
}

function cell(figure, field, i, first) {
  const text = written(column(figure, field.key)[i], field.kind);
  const ends = field.bounds ? interval(...field.bounds.map((key) => column(figure, key)[i]), field.kind) : "";
  const beside = ends ? el("span", { class: "bounds" }, ` ${ends}`) : null;
  if (field.kind !== "text") return el("td", { class: "figure-cell" }, text, beside);
  const kind = text.length > 20 ? "long" : null;
  return el(first ? "th" : "td", { scope: first ? "row" : null, class: kind }, el("bdi", {}, text), beside);
}

function openCell(figure, i) {
  const slice = column(figure, page.slice)[i];
  if (!slice) return el("td", { class: "open" });
  const dataset = column(figure, "dataset")[i] ?? figure.dataset;
  const about = figure.fields
    .filter((field) => field.kind === "text")
    .slice(0, 2)
    .map((field) => written(column(figure, field.key)[i], "text"));
  return el(
    "td",
    { class: "open" },
    el("a", { href: addressOf(dataset, slice), "aria-label": `show the items of ${about.join(", ")}` }, "show"),
  );
}

/** Return buttons to go through many things, and which of them are shown; the focus stays on the buttons. */
function paging(total, from, size, noun, go) {
  if (total <= size) return [];
  const upTo = Math.min(total, from + size);
  const step = (words, to, possible) => {
    const onclick = ({ currentTarget: { parentElement: home } }) => {
      go(to);
      const able = [...home.querySelectorAll("button:enabled")];
      (able.find((button) => button.textContent === words) ?? able[0])?.focus({ preventScroll: true });
    };
    return el("button", { type: "button", disabled: !possible, onclick }, words);
  };
  return [
    step("Previous", Math.max(0, from - size), from > 0),
    el("span", {}, `${noun}s ${whole(from + 1)}–${whole(upTo)} of ${whole(total)}`),
    step("Next", from + size, upTo < total),
  ];
}
