// Calls every documented function that Heddle has with nothing (zeros and null pointers).
//
//   npm run build && node scripts/library-functions/statuses.mjs [LIBRARY …]
//
// It writes docs/lab/library-functions.json: what is missing, and the statuses. A long test compares them.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { inTemporaryFolder } from "../preprocessed.mjs";
import { declared, LIBRARIES } from "./names.mjs";
import { programOf } from "./program.mjs";

const root = resolve(import.meta.dirname, "../..");
export const RESULTS = join(root, "docs/lab/library-functions.json");

/** @returns {{ missing: string[], statuses: Record<string, number | null> }} null: a function without a result */
export function callAll(library) {
  const { groups, missing } = declared(library);
  const statuses = {};
  for (const { headers, names, types } of groups) {
    if (names.length === 0) continue;
    const { stdout, stderr } = inTemporaryFolder((folder) => {
      const source = join(folder, `${library.name}.cu`);
      writeFileSync(source, programOf(headers, names, types));
      const args = [join(root, "dist/bin/main.js"), "run", source, ...library.flags.split(" ")];
      return spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 1 << 28 });
    });
    const lines = stdout.trimEnd().split("\n");
    if (lines.pop() !== "END")
      throw new Error(`${library.name} (${headers.join(", ")}) ended after ${lines.at(-1)}: ${stderr.slice(0, 3000)}`);
    for (const line of lines) {
      // cublasXerbla's own words
      if (line.startsWith(" ")) continue;
      const [name, status] = line.split(" ");
      statuses[name] = status === undefined ? null : Number(status);
    }
  }
  return { missing, statuses };
}

/** The status that most functions have, and the others by name. */
export function summary({ missing, statuses }) {
  const counts = new Map();
  for (const status of Object.values(statuses)) counts.set(status, (counts.get(status) ?? 0) + 1);
  const usual = [...counts].toSorted((a, b) => b[1] - a[1])[0][0];
  const others = Object.fromEntries(Object.entries(statuses).filter(([, status]) => status !== usual));
  return { count: Object.keys(statuses).length, usual, others, missing };
}

if (import.meta.filename === process.argv[1]) {
  const chosen = process.argv.slice(2);
  const results = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, "utf8")) : {};
  for (const library of LIBRARIES) {
    if (chosen.length > 0 && !chosen.includes(library.name)) continue;
    results[library.name] = summary(callAll(library));
    const { count, missing } = results[library.name];
    console.log(`${library.name}: ${count} there, ${missing.length} missing`);
  }
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 1)}\n`);
}
