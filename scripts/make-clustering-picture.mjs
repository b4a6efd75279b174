// Writes docs/images/clustering.svg: what examples/clustering.ts draws on an emulated device. Part of `npm run docs`.
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "@swc/wasm-typescript";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
// Inside of the package, which it imports by its name. Node.js 20 needs the types taken out.
const file = join(ROOT, `.clustering-${process.pid}.mjs`);
const source = readFileSync(join(ROOT, "examples/clustering.ts"), "utf8").replace('"clustering.ts"', '".mjs"');
try {
  writeFileSync(file, transformSync(source, { mode: "strip-only" }).code);
  const picture = join(ROOT, "docs/images/clustering.svg");
  execFileSync(process.execPath, [file, picture], {
    stdio: "inherit",
    env: { ...process.env, HEDDLE_DEVICE: "emulated" },
  });
} finally {
  rmSync(file, { force: true });
}
