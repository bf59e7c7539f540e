// Spans in text: the text is cut where a unit begins or ends; each piece carries a bar per unit over it, in lanes.

const LONG = 1500;
const AROUND = 240;
const BAR = 3;
const LANE = 6;
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\u3000-\u303f\uff00-\uffef]$/u;

/** Return an item's text as cells, and where places of units fall among them. */
function cellsOf(text) {
  if (!Array.isArray(text)) return { cells: Array.from(text ?? ""), from: (start) => start, to: (end) => end };
  const cells = text.flatMap((token, i) => (i ? [between(text[i - 1], token), token] : [token]));
  return { cells, from: (start) => 2 * start, to: (end) => 2 * end - 1 };
}

/** Return what stands between two tokens: a space, but not inside scripts that write none. */
function between(left, right) {
  const last = Array.from(left).at(-1) ?? "";
  const first = Array.from(right)[0] ?? "";
  return UNSPACED.test(last) && UNSPACED.test(first) ? "" : " ";
}

/** Return an item's units with their places among the cells and who has them. */
function unitsOf(item, evidence, layout) {
  const plain = evidence.task === "tokens";
  return item.units.map(([start, end, label, who], index) => {
    const from = layout.from(start);
    const to = Math.max(from, layout.to(end));
    return { index, from, to, plain, place: `${start}–${end}`, label: evidence.labels[label] ?? "", who: new Set(who) };
  });
}

/** Return how a unit stands in a row: gold, right, spurious, missed, or null where it is not drawn. */
function standing(unit, who) {
  if (who === 0) return unit.who.has(0) ? "gold" : null;
  if (unit.who.has(who)) return unit.who.has(0) ? "right" : "spurious";
  return unit.who.has(0) ? "missed" : null;
}

const MARKS = { gold: "", right: " ✓", spurious: " ✗", missed: " missed" };

/** Return what the signs of units mean. */
function spansLegend() {
  const kinds = { gold: "in gold", right: "right", spurious: "not in gold", missed: "missed" };
  const signs = Object.entries(kinds).map(([standing, words]) => {
    const bar = el("span", { class: "segment" }, words);
    underline(bar, [{ standing, lane: 0 }], 1);
    return [bar, "\u2003"];
  });
  return [...signs.flat(), el("span", { class: "segment chosen" }, "in the slice")];
}

/** Return rows for gold and each distinct output, with the systems that gave it. */
function outputs(units, evidence, systems) {
  const rows = new Map();
  for (const system of systems) {
    const who = evidence.systems.indexOf(system) + 1;
    const key = units
      .filter((unit) => unit.who.has(who))
      .map((unit) => unit.index)
      .join(" ");
    if (!rows.has(key)) rows.set(key, { who, systems: [] });
    rows.get(key).systems.push(system);
  }
  const gold = units
    .filter((unit) => unit.who.has(0))
    .map((unit) => unit.index)
    .join(" ");
  const same = rows.get(gold)?.systems ?? [];
  rows.delete(gold);
  return [{ who: 0, systems: same }, ...rows.values()];
}

/** Give each unit a lane: inner ones nearest to the text, none on top of another. */
function withLanes(units) {
  const placed = [];
  for (const unit of [...units].sort((a, b) => a.to - a.from - (b.to - b.from) || a.from - b.from)) {
    const taken = new Set(
      placed.filter((other) => other.from < unit.to && unit.from < other.to).map((other) => other.lane),
    );
    let lane = 0;
    while (taken.has(lane)) lane += 1;
    placed.push({ ...unit, lane });
  }
  return placed;
}

/** Return the parts of a long text that are shown: around the units that matter, or its beginning. */
function windows(cells, units) {
  const lengths = cells.reduce((sum, cell) => sum + cell.length, 0);
  if (lengths <= LONG) return [[0, cells.length]];
  const reach = Math.ceil((AROUND * cells.length) / lengths);
  const wanted = units.length ? units.slice(0, 12).map((unit) => [unit.from, unit.to]) : [[0, 2 * reach]];
  const within = (place) => Math.min(cells.length, Math.max(0, place));
  const ranges = wanted.map(([from, to]) => [within(from - reach), within(to + reach)]);
  ranges.sort((a, b) => a[0] - b[0]);
  return ranges.reduce((done, range) => {
    const last = done.at(-1);
    if (last && range[0] <= last[1]) last[1] = Math.max(last[1], range[1]);
    else done.push([...range]);
    return done;
  }, []);
}

/** Return whether a unit is seen in a range of cells: what lies beyond the text is seen at its end. */
function touches(unit, from, to, end) {
  return unit.to >= from && (unit.from <= to || to === end);
}

/** Return a text with the units of a row drawn in it. */
function drawnText(cells, units, who, chosen, ranges) {
  const shown = units.map((unit) => ({ ...unit, standing: standing(unit, who) })).filter((unit) => unit.standing);
  const inside = shown.filter((unit) => ranges.some(([from, to]) => touches(unit, from, to, cells.length)));
  const placed = withLanes(inside);
  const lanes = placed.reduce((most, unit) => Math.max(most, unit.lane + 1), 0);
  const text = el("p", { class: "text", dir: "auto" });
  text.style.setProperty("--lanes", lanes);
  for (const [from, to] of ranges) {
    if (from > 0) text.append("… ");
    text.append(...segments(cells, placed, from, to, chosen, lanes));
    if (to < cells.length) text.append(" …");
  }
  return text;
}

/** Return the pieces of a range of cells; units that began before are named first, those beyond the text last. */
function segments(cells, units, from, to, chosen, lanes) {
  const here = units.map((unit) => (unit.from < from && unit.to > from ? { ...unit, from } : unit));
  const cuts = new Set([from, to]);
  for (const unit of here) for (const at of [unit.from, unit.to]) if (at > from && at < to) cuts.add(at);
  const places = [...cuts].sort((a, b) => a - b);
  const made = places.slice(0, -1).map((start, i) => segment(cells, here, start, places[i + 1], chosen, lanes));
  const beyond = here.filter((unit) => unit.from >= cells.length && to === cells.length);
  return [...made, ...beyond.map((unit) => chip({ ...unit, label: `${unit.label} ${unit.place}` }, chosen))];
}

function segment(cells, units, start, end, chosen, lanes) {
  const text = visible(cells.slice(start, end).join(""));
  const over = units.filter((unit) => unit.from <= start && unit.to >= end);
  const begun = units.filter((unit) => unit.from === start).sort((a, b) => b.lane - a.lane);
  if (!over.length && !begun.length) return document.createTextNode(text);
  const emphasised = over.some((unit) => chosen.has(unit.index));
  const made = el(
    "span",
    { class: emphasised ? "segment chosen" : "segment" },
    begun.filter((unit) => isNamed(unit, chosen)).map((unit) => chip(unit, chosen)),
    text,
  );
  underline(made, over, lanes);
  return made;
}

/** Return whether a unit's label is written: where every token has one, those that are right go without. */
function isNamed(unit, chosen) {
  return !unit.plain || unit.standing !== "right" || chosen.has(unit.index);
}

/** Return a unit's label with its sign, as it stands at the unit's beginning. */
function chip(unit, chosen) {
  const kind = `chip ${unit.standing}${chosen.has(unit.index) ? " of-slice" : ""}`;
  return el("span", { class: kind, title: unit.standing }, `${visible(unit.label)}${MARKS[unit.standing]}`);
}

/** Draw a bar per unit under a piece of text. */
function underline(element, units, lanes) {
  const stripes = units.map((unit) => `var(--bar-${unit.standing})`);
  const heights = units.map((unit) => `0 calc(100% - ${(lanes - 1 - unit.lane) * LANE}px)`);
  element.style.backgroundImage = stripes.join(",");
  element.style.backgroundPosition = heights.join(",");
  element.style.backgroundSize = units.map(() => `100% ${BAR}px`).join(",");
}

/** Return an item with units: gold, then each distinct output, each in the text. */
function spansItem(item, evidence, systems, chosen) {
  const layout = cellsOf(item.text);
  const units = unitsOf(item, evidence, layout);
  const wanted = units.filter((unit) => chosen.has(unit.index));
  const box = el("div", { class: "outputs" });
  const fill = (ranges) => {
    const rows = outputs(units, evidence, systems).map((row) =>
      outputRow(row, drawnText(layout.cells, units, row.who, chosen, ranges)),
    );
    box.replaceChildren(...rows);
  };
  const ranges = windows(layout.cells, wanted.length ? wanted : units);
  fill(ranges);
  if (ranges.length === 1 && ranges[0][0] === 0 && ranges[0][1] === layout.cells.length) return [box];
  const more = el(
    "button",
    { type: "button", class: "more", onclick: () => (fill([[0, layout.cells.length]]), more.remove()) },
    "show all of the text",
  );
  return [box, more];
}

function outputRow(row, text) {
  const gold = row.who === 0 ? el("span", { class: "system gold" }, "gold") : null;
  const equal = row.who === 0 && row.systems.length ? el("span", { class: "equal" }, "the same from") : null;
  return el(
    "div",
    { class: "output" },
    el(
      "p",
      { class: "by" },
      gold,
      equal,
      row.systems.map((system) => systemName(system)),
    ),
    text,
  );
}
