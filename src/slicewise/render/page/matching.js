// Which items of a slice pass the filters of a view.

/** Return which of the shown items pass the filters of a view. */
function matching(view, evidence, slice) {
  const judged = view.systems.length ? view.systems : slice.system ? [slice.system] : evidence.systems;
  const query = view.q.trim().toLowerCase();
  return slice.shown.filter(([number, units]) => {
    const item = evidence.items[number];
    return (
      hasLabel(item, units, view.label, evidence) &&
      (view.show === "all" || isWrong(item, units, judged, view.label, evidence) === (view.show === "wrong")) &&
      (!query || words(item, evidence).includes(query))
    );
  });
}

/** Return the units of an item that a slice speaks of: those in it, or all where it is about items. */
function concerned(item, units, label, evidence) {
  const indexes = units.length ? units : (item.units ?? []).map((_, i) => i);
  return indexes.map((i) => item.units[i]).filter((unit) => !label || evidence.labels[unit[2]] === label);
}

function hasLabel(item, units, label, evidence) {
  if (!label) return true;
  if (item.units) return concerned(item, units, label, evidence).length > 0;
  return (item.answers ?? []).flat().includes(label);
}

/** Return whether some of the systems is wrong about some of the units, or about the item. */
function isWrong(item, units, systems, label, evidence) {
  const places = systems.map((system) => evidence.systems.indexOf(system));
  if (!item.units) return places.some((at) => item.right?.[at] === false);
  return concerned(item, units, label, evidence).some(([, , , who]) =>
    places.some((at) => who.includes(0) !== who.includes(at + 1)),
  );
}

/** Return all words of an item that a search looks through. */
function words(item, evidence) {
  const text = cellsOf(item.text).cells.join("");
  const labels = (item.units ?? []).map((unit) => evidence.labels[unit[2]]);
  const fields = Object.values(item.fields ?? {});
  return [text, item.name ?? "", ...labels, ...(item.answers ?? []).flat(), ...fields].join("\n").toLowerCase();
}

/** Return the labels that a slice's items can be narrowed to. */
function labelsOf(evidence, slice) {
  const found = new Set();
  for (const [number, units] of slice.shown) {
    const item = evidence.items[number];
    if (item.units) concerned(item, units, "", evidence).forEach((unit) => found.add(evidence.labels[unit[2]]));
    else if (evidence.task !== "text") (item.answers ?? []).flat().forEach((one) => one !== null && found.add(one));
  }
  return [...found].sort(compare);
}

/** Return a view without what its slice does not know: an address may be old or mistyped. */
function possible(view, evidence, slice) {
  const label = labelsOf(evidence, slice).includes(view.label) ? view.label : "";
  return { ...view, label, systems: view.systems.filter((system) => evidence.systems.includes(system)) };
}
