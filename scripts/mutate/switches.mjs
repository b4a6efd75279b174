/** Sources with every edit in them, each behind a switch. */

/**
 * All edits in one text, each behind a switch: `__edited(n)` says whether edit n is made. @param {Edit[]} edits of the
 * source, with numbers.
 */
export function withSwitches(source, edits) {
  // From the innermost expression outwards; what stands in an edited expression stands there without switches.
  const order = edits
    .map((edit) => ({ ...edit, size: edit.within.end - edit.within.start }))
    .sort((a, b) => a.size - b.size);
  /** Stretches of the source and what stands for them, none in another. */
  let stretches = [];
  for (const { start, end, text, number, within } of order) {
    const edited = source.slice(within.start, start) + text + source.slice(end, within.end);
    const inside = stretches.filter((one) => one.start >= within.start && one.end <= within.end);
    const original = joined(source, within.start, within.end, inside);
    const isNothing = edited.trim() === ";" || edited.trim() === "";
    const plain = within.isKey && original.startsWith("[") ? original.slice(1, -1) : original;
    const expression = `(__edited(${number}) ? (${isNothing ? "undefined" : edited}) : (${plain}))`;
    stretches = stretches.filter((one) => !inside.includes(one));
    stretches.push({ start: within.start, end: within.end, text: within.isKey ? `[${expression}]` : expression });
  }
  return `${SWITCH}${joined(source, 0, source.length, stretches)}`;
}

function joined(source, start, end, stretches) {
  let [text, at] = ["", start];
  for (const one of [...stretches].sort((a, b) => a.start - b.start)) {
    text += source.slice(at, one.start) + one.text;
    at = one.end;
  }
  return text + source.slice(at, end);
}

/**
 * On the first line, so that lines keep their numbers. The edit that is made is a number in the environment of the
 * process (HEDDLE_MUTANT), or what a batch sets while it runs (batch.mjs). Where HEDDLE_MUTANT_HITS names a folder,
 * which edits each test comes to is written there: the test is a text that mark.mjs sets (tree.mjs), in the environment
 * for threads and programs.
 */
const SWITCH =
  "const __edited = (globalThis.__heddleEdited ??= (() => { const env = globalThis.process?.env ?? {}; " +
  "globalThis.__heddleActive = Number(env.HEDDLE_MUTANT ?? -1); const hits = env.HEDDLE_MUTANT_HITS; " +
  "if (!hits) return (n) => n === globalThis.__heddleActive; " +
  'const fs = process.getBuiltinModule("fs"); const started = env.HEDDLE_MUTANT_TEST; ' +
  "let last = null; let seen = new Set(); " +
  "return (n) => { const test = globalThis.__heddleTest ?? started; " +
  "if (test !== last) { last = test; seen = new Set(); } " +
  "if (!seen.has(n)) { seen.add(n); fs.appendFileSync(`${hits}/${process.pid}`, `${test}\\t${n}\\n`); } " +
  "return false; }; })()); ";
