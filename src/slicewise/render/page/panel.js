// The panel with the items behind a slice: filters, search, ten items at a time.

const ITEMS_AT_ONCE = 10;

const title = el("h2", { id: "panel-title", tabindex: "-1", autofocus: true });
const facts = el("div", { class: "counts" });
const controls = el("div", { class: "filters", role: "search", "aria-label": "Filter the items" });
const status = el("p", { class: "status", role: "status" });
const legend = el("p", { class: "legend" });
const list = el("ol", { class: "items" });
const pages = el("div", { class: "paging" });
const closer = el(
  "button",
  { type: "button", class: "close", "aria-label": "Close", onclick: () => panel.close() },
  "×",
);
const panel = el(
  "dialog",
  { class: "panel", "aria-labelledby": "panel-title" },
  el(
    "div",
    { class: "panel-inner" },
    el("div", { class: "panel-head" }, title, closer),
    facts,
    controls,
    status,
    legend,
    list,
    pages,
  ),
);

let shownSlice = null;

/** Show a view: open the panel if it is closed, set its filters, list its items. `change` asks for another view. */
function showView(asked, change) {
  const evidence = evidenceOf(asked.dataset);
  const slice = evidence && Object.hasOwn(evidence.slices, asked.slice) ? evidence.slices[asked.slice] : null;
  const view = slice ? possible(asked, evidence, slice) : asked;
  const name = `${view.dataset}/${view.slice}`;
  if (name !== shownSlice) {
    describe(view, evidence, slice);
    if (slice) controls.replaceChildren(...filters(evidence, slice));
    legend.replaceChildren(...(["spans", "tokens"].includes(evidence?.task) ? spansLegend() : []));
    panel.scrollTop = 0;
  }
  shownSlice = name;
  controls.oninput = (event) => change(viewOf(view), event.target.name === "q");
  [controls, status, legend, list, pages].forEach((part) => (part.hidden = !slice));
  if (slice) {
    setFilters(view);
    listItems(view, evidence, slice, change);
  }
  if (!panel.open) panel.showModal();
}

function describe(view, evidence, slice) {
  title.textContent = visible(slice ? slice.title : "These items are not in this page");
  if (!slice) {
    const why = "The page holds the items of some slices only, and not of this one";
    facts.replaceChildren(el("p", {}, `${why}: ${visible(decoded(view.slice))}, ${visible(view.dataset)}.`));
    return;
  }
  const units =
    slice.units === null || slice.units === undefined || !["spans", "tokens"].includes(evidence.task)
      ? ""
      : `${counted(slice.units, "unit")} in `;
  const some = slice.shown.length < slice.items;
  const held = `${units}${counted(slice.items, "item")}${some ? `; ${whole(slice.shown.length)} of ${whole(slice.items)} items are shown here` : ""}.`;
  const dataset = page.datasets.length > 1 ? el("p", { class: "quiet" }, visible(view.dataset)) : null;
  const rule = some && evidence.rule ? el("p", { class: "quiet" }, visible(evidence.rule)) : null;
  const note = slice.note ? el("p", {}, visible(slice.note)) : null;
  const about = slice.system ? el("p", {}, "About ", systemName(slice.system)) : null;
  facts.replaceChildren(...[dataset, about, el("p", {}, held), rule, note].filter(Boolean));
}

function decoded(name) {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Return the controls that narrow a slice's items. */
function filters(evidence, slice) {
  const labels = labelsOf(evidence, slice);
  const judged = slice.shown.some(([number]) => evidence.items[number].units || evidence.items[number].right);
  const choice = (name, words, pairs) =>
    el(
      "label",
      {},
      words,
      el(
        "select",
        { name },
        pairs.map(([value, text]) => el("option", { value }, visible(text))),
      ),
    );
  const search = el(
    "label",
    { class: "search" },
    "Search",
    el("input", { type: "search", name: "q", autocomplete: "off", spellcheck: "false" }),
  );
  return [
    search,
    judged
      ? choice("show", "Show", [
          ["all", "all"],
          ["wrong", "with an error"],
          ["right", "without error"],
        ])
      : null,
    labels.length > 1 ? choice("label", "Label", [["", "any"], ...labels.map((label) => [label, label])]) : null,
    evidence.systems.length > 1 ? systemsChoice(evidence) : null,
  ].filter(Boolean);
}

function systemsChoice(evidence) {
  const boxes = evidence.systems.map((system) =>
    el("label", {}, el("input", { type: "checkbox", name: "system", value: system }), systemName(system)),
  );
  return el(
    "details",
    { class: "systems" },
    el("summary", {}, "Systems"),
    el("fieldset", {}, el("legend", {}, "Only these; none is all"), boxes),
  );
}

function control(name) {
  return controls.querySelector(`[name="${name}"]`);
}

/** Set the controls to a view, without touching what is being typed. */
function setFilters(view) {
  if (control("q").value !== view.q) control("q").value = view.q;
  if (control("show")) control("show").value = view.show;
  if (control("label")) control("label").value = view.label;
  const boxes = [...controls.querySelectorAll('[name="system"]')];
  for (const box of boxes) box.checked = view.systems.includes(box.value);
  const summary = controls.querySelector(".systems > summary");
  if (summary)
    summary.textContent = view.systems.length ? `Systems: ${view.systems.length} of ${boxes.length}` : "Systems: all";
}

/** Return the view that the controls ask for, from its first page. */
function viewOf(view) {
  const systems = [...controls.querySelectorAll('[name="system"]:checked')].map((box) => box.value);
  return {
    ...view,
    q: control("q").value,
    show: control("show")?.value ?? "all",
    label: control("label")?.value ?? "",
    systems,
    page: 1,
  };
}

function listItems(view, evidence, slice, change) {
  const found = matching(view, evidence, slice);
  const last = Math.max(1, Math.ceil(found.length / ITEMS_AT_ONCE));
  const from = (Math.min(Math.max(1, view.page), last) - 1) * ITEMS_AT_ONCE;
  const systems = systemsShown(view, evidence, slice);
  const some = found.slice(from, from + ITEMS_AT_ONCE);
  status.textContent =
    found.length === slice.shown.length
      ? counted(found.length, "item")
      : `${whole(found.length)} of ${counted(slice.shown.length, "item")} match`;
  list.start = from + 1;
  list.replaceChildren(...some.map(([number, units]) => itemCard(number, units, evidence, systems)));
  const go = (to) => {
    change({ ...view, page: to / ITEMS_AT_ONCE + 1 }, false);
    status.scrollIntoView();
  };
  pages.replaceChildren(...paging(found.length, from, ITEMS_AT_ONCE, "item", go));
}

/** Return the systems whose outputs are shown, the one that a slice is about first. */
function systemsShown(view, evidence, slice) {
  const chosen = evidence.systems.filter((one) => !view.systems.length || view.systems.includes(one));
  return chosen.sort((a, b) => (b === slice.system) - (a === slice.system));
}

/** Return an item in context. */
function itemCard(number, units, evidence, systems) {
  const item = evidence.items[number];
  const name =
    item.name === null || item.name === undefined ? null : el("bdi", { class: "quiet" }, ` ${visible(item.name)}`);
  const shown = item.units ? spansItem(item, evidence, systems, new Set(units)) : answersItem(item, evidence, systems);
  const left = `${whole(item.left_out ?? 0)} more ${evidence.places} of this item are not in this page.`;
  return el(
    "li",
    { id: `item-${number}` },
    el("h3", {}, `Item ${number}`, name),
    fieldsOf(item),
    ...shown,
    item.left_out ? el("p", { class: "quiet" }, left) : null,
  );
}

function fieldsOf(item) {
  const pairs = Object.entries(item.fields ?? {});
  if (!pairs.length) return null;
  return el(
    "dl",
    { class: "fields" },
    pairs
      .map(([name, text]) => [el("dt", {}, visible(name)), el("dd", {}, el("bdi", {}, shortened(text, LONG)))])
      .flat(),
  );
}
