// Which folder may import which: src/* in layers, downwards only, siblings on a layer apart. Fails on zero files.
// The picture is in docs/architecture.md; the table here is what holds.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** Longest prefix wins. Units of one layer do not import one another, but for what `allows` names with its reason. */
const LAYERS = [
  ["base"],
  ["ir", "wasm"],
  ["machine"],
  ["engine", "check", "profile", "frontend/clang", "frontend/triton", "device/device.ts"],
  // launch limits and the contract suite speak of the Device interface alone
  ["device/launch-limits.ts", "device/device.contract.ts"],
  // what devices of all kinds are made with
  ["device/common"],
  ["device/emulated", "device/cuda", "runtime"],
  ["tensor", "library"],
  ["bench"],
  ["cli", "browser", "studio", "course", "index.ts", "check.ts", "ladder.ts"],
];
/** from → what it may import beside the layers below. */
const ALLOWS = {
  "frontend/clang": ["device/device.ts"], // a front end delivers a DeviceProgram
};
/** Only these may use node:*; everything else runs in a browser. Files named *-node.ts are adapters. */
const NODE_UNITS = ["cli", "bench", "device/cuda"];

const src = resolve(import.meta.dirname, "../src");
const units = LAYERS.flatMap((names, layer) => names.map((name) => ({ name, layer }))).sort(
  (a, b) => b.name.length - a.name.length,
);
const unitOf = (path) => units.find(({ name }) => path === name || path.startsWith(`${name}/`));

let files = 0;
const problems = [];
for (const entry of readdirSync(src, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !entry.name.endsWith(".ts")) continue;
  const path = join(entry.parentPath, entry.name);
  const file = relative(src, path);
  if (/\.(test|bench|test-[a-z-]+)\.ts$/.test(file)) continue;
  files++;
  const unit = unitOf(file);
  if (unit === undefined) {
    problems.push(`${file}: belongs to no layer`);
    continue;
  }
  const text = readFileSync(path, "utf8");
  for (const [, specifier] of text.matchAll(/^\s*(?:import|export)\b[^;]*?from\s+"([^"]+)"|import\("([^"]+)"\)/gm)) {
    if (specifier === undefined) continue;
    if (specifier.startsWith("node:")) {
      if (!NODE_UNITS.includes(unit.name) && !/-node\.ts$/.test(file))
        problems.push(`${file}: imports ${specifier}, but must run in a browser`);
      continue;
    }
    if (!specifier.startsWith(".")) continue;
    const target = relative(src, resolve(dirname(path), specifier));
    const to = unitOf(target);
    if (to === undefined) problems.push(`${file}: imports ${target}, which belongs to no layer`);
    else if (to.name !== unit.name && to.layer >= unit.layer && !(ALLOWS[unit.name] ?? []).includes(to.name))
      problems.push(`${file} (${unit.name}) may not import ${target} (${to.name})`);
  }
}
if (files === 0) problems.push("no files found: the check looks in the wrong place");
for (const problem of problems) console.error(problem);
console.log(`${files} files, ${problems.length} violations`);
process.exit(problems.length > 0 ? 1 : 0);
