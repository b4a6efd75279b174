// A program of a checkout made smaller in a copy, so that the checkout stays as it is.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Copies files and folders of a checkout to a temporary folder and replaces texts there, each wherever it occurs.
 * @param trees what is copied, as paths in the checkout; `edits` [file below `dir`, text, replacement]
 * @returns { root, folder }: the copy, which is the caller's to remove, and `dir` in it
 * @throws Error with `name` where a text does not occur: the program is not the one that the edit was made for.
 */
export function editedCopy({ name, checkout, trees, dir, edits }) {
  const root = mkdtempSync(join(tmpdir(), "heddle-program-"));
  const folder = join(root, dir);
  try {
    for (const tree of trees) cpSync(join(checkout, tree), join(root, tree), { recursive: true, dereference: true });
    for (const [file, from, to] of edits) {
      const path = join(folder, file);
      const text = readFileSync(path, "utf8");
      if (!text.includes(from)) throw new Error(`${name}: ${file} does not contain "${from}"`);
      writeFileSync(path, text.replaceAll(from, to));
    }
  } catch (error) {
    rmSync(root, { recursive: true });
    throw error;
  }
  return { root, folder };
}
