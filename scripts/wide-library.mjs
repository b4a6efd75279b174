// Puts the C and C++ library of 64-bit programs into dist/lp64, for a release: `npm pack` and `npm publish` run it.
// Takes what `heddle setup` has built on this machine, or builds it, which needs npm and a few minutes.
import { copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { wideLibrary } from "../dist/cli/data-model.js";
import { packageRoot } from "../dist/frontend/clang/clang-loader-node.js";

const { path } = await wideLibrary();
const folder = join(packageRoot(), "dist", "lp64");
mkdirSync(folder, { recursive: true });
const target = join(folder, basename(path));
if (target !== path) {
  for (const other of readdirSync(folder)) rmSync(join(folder, other));
  copyFileSync(path, target);
}
console.log(`the library of 64-bit programs: ${target}`);
