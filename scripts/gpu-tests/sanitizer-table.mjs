// Puts what compute-sanitizer and heddle check have found over the suite into a page of docs/lab, between the marks
// there.
//
//   node scripts/gpu-tests/sanitizer-table.mjs COMPUTE-SANITIZER.json OURS.json docs/lab/DATE-compute-sanitizer.md
import { readFileSync, writeFileSync } from "node:fs";

const TOOLS = ["memcheck", "racecheck", "synccheck", "initcheck"];
const MARKS = ["<!-- compute-sanitizer: begin -->", "<!-- compute-sanitizer: end -->"];

function cells(results, tool) {
  if (results === null) return ["", "", "", ""];
  const rows = results.kernels.filter((row) => row.tool === tool);
  const count = (side, status) => rows.filter((row) => row.side === side && row.status === status).length;
  const found = rows.filter((row) => row.side === "wrong" && row.status === "found");
  const unjudged = rows.filter(({ status }) => ["fails", "not run", "does not compile"].includes(status)).length;
  const seconds = rows.reduce((sum, row) => sum + row.seconds, 0);
  return [
    `${found.length}${found.length === 0 ? "" : ` (${found.filter(({ rightLine }) => rightLine).length} by line)`}`,
    String(count("wrong", "missed")),
    `${count("right", "false")}${unjudged > 0 ? `; ${unjudged} not judged` : ""}`,
    seconds < 10 ? seconds.toFixed(1) : seconds.toFixed(0),
  ];
}

/** Either may be null. @returns a table: a row for each tool */
export function tableOf(theirs, ours) {
  const pairs = (tool) =>
    new Set(
      (theirs ?? ours).kernels
        .filter((row) => row.tool === tool && row.side === "wrong")
        .map(({ file, kernel }) => `${file} ${kernel}`),
    ).size;
  const rows = TOOLS.map(
    (tool) => `| ${[tool, pairs(tool), ...cells(theirs, tool), ...cells(ours, tool)].join(" | ")} |`,
  );
  return [
    "| tool | pairs | compute-sanitizer: found | missed | false | s | heddle check: found | missed | false | s |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ...rows,
  ].join("\n");
}

/** Wrong kernels that one of the two finds and the other does not: by name. */
export function differences(theirs, ours) {
  const byName = new Map(ours.kernels.map((row) => [`${row.file} ${row.kernel}`, row]));
  const lines = [];
  for (const row of theirs.kernels) {
    const own = byName.get(`${row.file} ${row.kernel}`);
    if (
      own === undefined ||
      row.side !== "wrong" ||
      own.status === row.status ||
      !["found", "missed"].includes(row.status)
    )
      continue;
    const tools = ["compute-sanitizer", "heddle check"];
    const [finds, doesNot] = row.status === "found" ? tools : tools.toReversed();
    lines.push(
      `- \`${row.kernel}\` (${row.file}:${row.line}, ${row.expected}): ${finds} finds it, ${doesNot} does not`,
    );
  }
  return lines.join("\n");
}

/** @returns the text with the table between its marks */
export function withTable(text, theirs, ours) {
  const [begin, end] = MARKS.map((mark) => text.indexOf(mark));
  if (begin < 0 || end < begin) throw new Error(`the text has no ${MARKS.join(" … ")}`);
  const told = differences(theirs, ours);
  return (
    `${text.slice(0, begin)}${MARKS[0]}\n${tableOf(theirs, ours)}\n` +
    `${told === "" ? "" : `\n${told}\n`}${text.slice(end)}`
  );
}

if (process.argv[1] === import.meta.filename) {
  const target = process.argv[4];
  if (target === undefined) {
    console.error("sanitizer-table.mjs COMPUTE-SANITIZER.json OURS.json PAGE.md");
    process.exit(64);
  }
  const [theirs, ours] = process.argv.slice(2, 4).map((path) => JSON.parse(readFileSync(path, "utf8")));
  writeFileSync(target, withTable(readFileSync(target, "utf8"), theirs, ours));
  console.log(tableOf(theirs, ours));
}
