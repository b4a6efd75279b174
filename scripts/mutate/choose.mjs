/**
 * Which of the possible edits are made: so many in each folder, by the hash of a seed and of what the edit is. An edit
 * is known by its file, its line's text and its change, so that the choice hardly moves when other lines change.
 */
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { editsOf } from "./operators.mjs";

/** Edits in each folder. */
export const SHARES = { "src/engine": 120, "src/ir": 80, "src/ptx": 60, "src/check": 50, "src/runtime": 50 };

/** Code that only tests run. */
const OF_TESTS =
  /\.test[.-]|\.test-helper|^src\/engine\/(?:fuzz\/|ir-passes\.|harness\.ts|executor-suite\.ts|suite-files)/;

export function filesUnder(root, folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)))
    .filter((file) => !OF_TESTS.test(file))
    .sort();
}

const hashOf = (text) => createHash("sha256").update(text).digest("hex");

/** All edits of a folder, with an id each. */
export function mutantsOf(root, folder) {
  return filesUnder(root, folder).flatMap((file) => {
    const source = readFileSync(join(root, file), "utf8");
    const seen = new Map();
    return editsOf(source, file).map((edit) => {
      const line = source.slice(0, edit.start).split("\n").length;
      const lineText = source.split("\n")[line - 1].trim();
      const original = source.slice(edit.start, edit.end);
      const key = `${file}\n${lineText}\n${edit.operator}\n${original}\n${edit.text}`;
      const nth = seen.get(key) ?? 0;
      seen.set(key, nth + 1);
      return { id: hashOf(`${key}\n${nth}`).slice(0, 12), file, line, lineText, original, ...edit };
    });
  });
}

/** @param {string} seed @param {Record<string, number>} shares edits in each folder */
export function choose(root, seed, shares = SHARES) {
  return Object.entries(shares).flatMap(([folder, count]) =>
    mutantsOf(root, folder)
      .map((mutant) => ({ mutant, order: hashOf(`${seed}\n${mutant.id}`) }))
      .sort((a, b) => (a.order < b.order ? -1 : 1))
      .slice(0, count)
      .map(({ mutant }) => mutant),
  );
}
