// Items without units: what gold and each system answer, and how each is scored.

/** Return an item's answers, identical ones together, gold first. */
function answersItem(item, evidence, systems) {
  const text = item.text === null || item.text === undefined ? null : plainText(item.text);
  return [text, item.answers ? answersTable(item, evidence, systems) : scoresTable(item, evidence, systems)];
}

function plainText(text) {
  const joined = cellsOf(text).cells.join("");
  return el("p", { class: "text plain", dir: "auto" }, shortened(joined, LONG));
}

function answersTable(item, evidence, systems) {
  const [gold, ...given] = item.answers;
  const groups = new Map();
  for (const system of systems) {
    const at = evidence.systems.indexOf(system);
    const key = JSON.stringify([given[at], item.right?.[at]]);
    if (!groups.has(key)) groups.set(key, { answer: given[at], right: item.right?.[at], by: [] });
    groups.get(key).by.push(systemName(system, scoreOf(item, at)));
  }
  const first = [el("span", { class: "system gold" }, "gold"), goldCell(gold, evidence.task), ""];
  const rows = [...groups.values()].map(({ by, answer, right }) => [
    by,
    answerCell(answer, gold, evidence.task),
    judgement(right),
  ]);
  return answersGrid("answer", [first, ...rows], item);
}

function scoreOf(item, at) {
  return item.scores ? el("span", { class: "bounds" }, written(item.scores[at], "score")) : null;
}

function scoresTable(item, evidence, systems) {
  if (!item.scores && !item.right) return null;
  const rows = systems.map((system) => {
    const at = evidence.systems.indexOf(system);
    return [systemName(system), written(item.scores?.[at], "score"), judgement(item.right?.[at])];
  });
  return answersGrid("score", rows, item);
}

function judgement(right) {
  if (right === null || right === undefined) return "";
  return el("span", { class: right ? "right" : "wrong" }, right ? "✓ right" : "✗ wrong");
}

/** Return rows of who, what and whether it is right; the last only where that is known. */
function answersGrid(title, rows, item) {
  const heads = item.right ? ["by", title, "right or wrong"] : ["by", title];
  const head = heads.map((words) => el("th", { scope: "col" }, words));
  const body = rows.map(([by, answer, right]) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, by),
      el("td", { class: "answer", dir: "auto" }, answer),
      item.right ? el("td", {}, right) : null,
    ),
  );
  const table = el("table", { class: "answers" }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, body));
  return el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `${title}s` }, table);
}

/** Return gold's answer; of several references each stands on a line of its own. */
function goldCell(gold, task) {
  if (gold === null || gold === undefined) return "–";
  if (!Array.isArray(gold)) return shortened(gold, LONG);
  if (task === "multilabel")
    return gold.length ? gold.map((label) => el("span", { class: "chip gold" }, visible(label))) : "none";
  return gold.map((reference) => el("div", { dir: "auto" }, shortened(reference, LONG)));
}

/** Return a system's answer, with what differs from gold marked. */
function answerCell(answer, gold, task) {
  if (answer === null || answer === undefined) return "–";
  if (Array.isArray(answer)) return labelChips(answer, gold ?? []);
  return task === "text" && typeof gold === "string" ? compared(answer, gold) : shortened(answer, LONG);
}

function labelChips(answer, gold) {
  const made = answer.map((label) => (gold.includes(label) ? ["right", label] : ["spurious", label]));
  const missed = gold.filter((label) => !answer.includes(label)).map((label) => ["missed", label]);
  const chips = [...made, ...missed].map(([kind, label]) =>
    el("span", { class: `chip ${kind}` }, `${visible(label)}${MARKS[kind]}`),
  );
  return chips.length ? chips : "none";
}

/** Return an answer in which the words that gold has not in this order are marked. */
function compared(answer, gold) {
  const words = answer.split(/(\s+)/);
  const model = gold.split(/\s+/);
  if (answer.length > LONG || words.length * model.length > 200000) return shortened(answer, LONG);
  const common = inCommon(words, model);
  return words.map((word, i) => (common.has(i) || !word.trim() ? visible(word) : el("mark", {}, visible(word))));
}

/** Return which words are part of a longest common subsequence. */
function inCommon(words, model) {
  const lengths = Array.from({ length: words.length + 1 }, () => new Uint16Array(model.length + 1));
  for (let i = words.length - 1; i >= 0; i -= 1) {
    for (let j = model.length - 1; j >= 0; j -= 1) {
      const longer = Math.max(lengths[i + 1][j], lengths[i][j + 1]);
      lengths[i][j] = words[i] === model[j] ? lengths[i + 1][j + 1] + 1 : longer;
    }
  }
  const found = new Set();
  let [i, j] = [0, 0];
  while (i < words.length && j < model.length) {
    if (words[i] === model[j]) {
      found.add(i);
      [i, j] = [i + 1, j + 1];
    } else if (lengths[i + 1][j] >= lengths[i][j + 1]) i += 1;
    else j += 1;
  }
  return found;
}
