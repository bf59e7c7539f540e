// Numbers as people read them here, the same as in tables in a terminal.

/** Return a number with so many decimals; a tie goes to the even digit. */
function fixed(value, digits) {
  const size = Math.abs(value);
  const exact = size.toFixed(digits + 30);
  const cut = exact.slice(0, digits ? -30 : -31);
  const tie = /^50*$/.test(exact.slice(-30)) && Number(cut.at(-1)) % 2 === 0;
  const minus = value < 0 || Object.is(value, -0) ? "-" : "";
  return minus + (tie ? cut : size.toFixed(digits));
}

/** Return digits with commas between thousands. */
function grouped(text) {
  const [whole, rest] = text.split(".");
  const spaced = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return rest === undefined ? spaced : `${spaced}.${rest}`;
}

/** Return a count; halves keep their half. */
function whole(n) {
  return grouped(Number.isInteger(n) ? String(n) : fixed(n, 1));
}

/** Return a difference with its sign. */
function signed(value, digits = 4) {
  const text = fixed(value, digits);
  return text.startsWith("-") ? text.replace("-", "−") : `+${text}`;
}

/** Return a p-value: small ones as a bound. */
function probability(p) {
  return p < 0.001 ? "<0.001" : fixed(p, 3);
}

/** Return a number of any size: whole ones as they are, others with four decimals or four digits that count. */
function anyNumber(value) {
  if (Number.isInteger(value)) return whole(value).replace("-", "−");
  const size = Math.abs(value);
  return (size < 10 && size >= 0.001 ? fixed(value, 4) : value.toPrecision(4)).replace("-", "−");
}

const percent = (share) => `${fixed(share * 100, 1)}%`;

const WRITERS = { count: whole, score: (x) => fixed(x, 4), signed, share: percent, p: probability, number: anyNumber };

/** Return a value as a field of this kind writes it. */
function written(value, kind) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "number" && kind !== "text" ? WRITERS[kind](value) : visible(value);
}

/** Return an interval, or nothing where it is not known. */
function interval(low, high, kind) {
  if (low === null || low === undefined || high === null || high === undefined) return "";
  const end = kind === "share" ? percent : kind === "count" ? whole : (x) => fixed(x, 3);
  return `[${end(low)}, ${end(high)}]`.replaceAll("-", "−");
}
