// The text about hints on the ladders in docs/profiling-accuracy.md, from docs/lab/ladder-hints.json. Part of
// `npm run docs`.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { wrap } from "../docs-pages.mjs";

const PAGE = new URL("../../docs/profiling-accuracy.md", import.meta.url);
const RESULT = new URL("../../docs/lab/ladder-hints.json", import.meta.url);
const MARKS = ["<!-- ladder-hints.mjs --save: from here -->", "<!-- to here: ladders -->"];
/** A hint of weight. */
const WEIGHT = 1.2;
const NEAR = 1.5;

const times = (gain) => `${gain >= 10 ? gain.toFixed(0) : gain.toFixed(2)} ×`;

export function textOf({ ladder, version, verdict, hints, measured, model, microseconds }) {
  const first = hints[0] === undefined ? "" : `${hints[0].kind} ${times(hints[0].gain)}`;
  const beside = microseconds === null ? "" : `model ${model} µs, measured ${microseconds} µs`;
  return `${`${ladder} ${version}`.padEnd(40)} ${verdict.padEnd(8)} ${first.padEnd(24)} ${measured ?? "-"}  ${beside}`;
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const percent = (part, all) => `${Math.round((100 * part) / all)} %`;

export function writeTable(rows) {
  const page = readFileSync(PAGE, "utf8");
  const [begin, end] = MARKS.map((mark) => page.indexOf(mark));
  if (begin < 0 || end < begin) throw new Error(`${PAGE.pathname} lacks its marks`);
  writeFileSync(PAGE, `${page.slice(0, begin + MARKS[0].length)}\n${tableOf(rows)}\n${page.slice(end)}`);
}

export function tableOf(rows) {
  const steps = rows.filter(({ verdict }) => ["first", "later", "missed"].includes(verdict));
  const right = steps.filter(({ verdict }) => verdict === "first");
  const gains = right.filter(({ measured }) => measured !== null);
  const isNear = ({ hints, measured }) => Math.max(hints[0].gain / measured, measured / hints[0].gain) <= NEAR;
  const near = gains.filter(isNear);
  const alone = gains.filter(({ more, less }) => more === undefined && less === undefined);
  const nearAlone = alone.filter(isNear);
  const winners = rows.filter(({ isFastest }) => isFastest);
  const silent = winners.filter(({ hints }) => (hints[0]?.gain ?? 1) < WEIGHT);
  const timed = rows.filter(({ microseconds }) => microseconds !== null);
  const factor = median(timed.map(({ model, microseconds }) => Math.max(model / microseconds, microseconds / model)));
  const count = (verdict) => rows.filter((row) => row.verdict === verdict).length;
  const all = rows.filter(({ next }) => next !== null).length;
  const share = (part, all) => `${part.length} (${percent(part.length, all.length)})`;
  const texts = [
    `**Steps**: of ${all}, ${count("no gain")} gain less than a tenth on an H200, and ${count("no kind")} bring what ` +
      `no kind of hint stands for (the last column says what). Of the other ${steps.length}, the first hint names ` +
      `the cure in ${share(right, steps)}, and another hint does in ${count("later")}.`,
    `**Gains**: of the ${alone.length} steps that bring this cure and nothing else, the gain of the hint is within a ` +
      `factor of 1.5 of the measured one in ${share(nearAlone, alone)}. Of all ${gains.length}, those that bring ` +
      `more or less among them, it is in ${share(near, gains)}.`,
    `**Winners**: of the ${winners.length} fastest versions ${silent.length} get no hint of weight (a gain of 1.2 or ` +
      "more).",
    `**Times**: what the hints' model gives a version is off by a factor of ${factor.toFixed(2)} in the median, of ` +
      `${timed.length} that were timed.`,
  ];
  return [
    ...texts.map((text) => wrap(text, "  ", "- ")),
    "",
    "| version | first hint | its gain | measured | cure of the next version |",
    "| --- | --- | --- | --- | --- |",
    ...rows.map(rowOf),
  ].join("\n");
}

function rowOf({ ladder, version, next, verdict, hints, measured, cures, reason, isFastest, more, less }) {
  const first = hints[0];
  const weight = first === undefined ? "" : times(first.gain);
  const gain = measured === null ? "" : times(measured);
  const named = cures === undefined ? "" : cures.join(", ");
  const but = less === undefined ? "" : `, but ${less}`;
  const besides = more === undefined ? but : `; brings more: ${more}`;
  const what = {
    first: `named${besides}`,
    later: `not the first: ${named}`,
    missed: `missed: ${named}`,
    "no kind": reason,
  };
  const last = isFastest ? "the fastest" : (what[verdict] ?? (next === null ? "" : "gains nothing"));
  return `| ${ladder} ${version} | ${first?.kind ?? "none"} | ${weight} | ${gain} | ${last} |`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeTable(JSON.parse(readFileSync(RESULT, "utf8")));
