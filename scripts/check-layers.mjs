// Which folder may import which. `npm run layers` checks it; docs/architecture.md has the picture, this table is what
// counts.
//
// 1. A unit imports only from layers below its own. Units of one layer do not import one another, except where ALLOWS
//    names the pair with its reason. Every file belongs to a unit.
// 2. What a browser loads never reaches `node:`, over any number of imports. Files outside of NODE_UNITS use `node:`
//    only in files named *-node.ts.
// 3. Value-level import cycles are oxlint's business (import/no-cycle); circles of types of more than three files are
//    ours.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/**
 * From the ground up. The longest prefix wins, so a folder's part may lie on another layer than the folder. `measure`
 * is below the library, so that what compiles a kernel can time it, too.
 */
const LAYERS = [
  ["base"],
  // Manifests are data about libraries: the compiler links by them and the GPU device searches by them, so they lie
  // below both.
  ["libraries", "report"],
  ["ir/intrinsics"],
  ["ir/model", "wasm"],
  ["ir/graph"],
  ["ir/text"],
  ["ir/passes", "ir/link.ts", "ir/verify.ts", "ir/inline-ptx"],
  ["machine"],
  ["analysis", "store"],
  ["program"],
  ["device/library-call.ts"],
  ["device/device.ts"],
  ["engine", "ptx", "instrument", "frontend/clang", "frontend/triton", "frontend/ptx", "device/contract-bench.ts"],
  ["check", "profile", "recording", "device/launch-limits.ts", "device/contract-cases.ts", "device/common"],
  ["device/device.contract.ts", "device/emulated", "device/cuda"],
  ["runtime"],
  ["measure"],
  ["library"],
  ["kernel-library"],
  ["tensor", "bench"],
  ["extension"],
  ["gpu-libraries"],
  ["session"],
  ["python"],
  ["cli", "browser", "index.ts", "check.ts", "profile.ts", "triton.ts", "ladder.ts", "tensor.ts"],
  ["studio"],
];
/** From → what it may import beside the layers below. */
const ALLOWS = {
  // `heddle example mnist` is a program over "heddle/tensor", as a user would write it.
  cli: ["tensor.ts"],
};
/** Only these may use `node:` anywhere; elsewhere files named *-node.ts are the adapters. */
const NODE_UNITS = ["cli", "device/cuda"];
/** What pages and their workers load. */
const isBrowserEntry = (file) => /^(?:browser|studio)\/|-browser\.ts$/.test(file);

const src = resolve(import.meta.dirname, "../src");
const units = LAYERS.flatMap((names, layer) => names.map((name) => ({ name, layer }))).sort(
  (a, b) => b.name.length - a.name.length,
);
const unitOf = (path) => units.find(({ name }) => path === name || path.startsWith(`${name}/`));
const isTest = (file) => /\.(test|bench|generator|test-[a-z-]+)\.ts$/.test(file);
const IMPORT = /^\s*(?:import|export)\s+(type\b)?[^;]*?from\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm;

/** File → its imports, in the file's own words. */
const imports = new Map();
for (const entry of readdirSync(src, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  const file = relative(src, path);
  if (!entry.isFile() || !/\.tsx?$/.test(file) || isTest(file)) continue;
  const found = [...readFileSync(path, "utf8").matchAll(IMPORT)].map(([, type, specifier, dynamic]) => ({
    specifier: specifier ?? dynamic,
    isType: type !== undefined,
  }));
  imports.set(
    file,
    found.map(({ specifier, isType }) => ({
      specifier,
      isType,
      target: specifier.startsWith(".") ? relative(src, resolve(dirname(path), specifier)) : null,
    })),
  );
}

const problems = [];
for (const [file, found] of imports) {
  const unit = unitOf(file);
  if (unit === undefined) {
    problems.push(`${file}: belongs to no layer`);
    continue;
  }
  for (const { specifier, target } of found) {
    if (specifier.startsWith("node:") && !NODE_UNITS.includes(unit.name) && !/-node\.ts$/.test(file))
      problems.push(`${file}: imports ${specifier}, but must run in a browser`);
    if (target === null) continue;
    const to = unitOf(target);
    if (to === undefined) problems.push(`${file}: imports ${target}, which belongs to no layer`);
    else if (to !== unit && to.layer >= unit.layer && !(ALLOWS[unit.name] ?? []).includes(to.name))
      problems.push(`${file} (${unit.name}) may not import ${target} (${to.name})`);
  }
}

for (const entry of imports.keys()) {
  if (!isBrowserEntry(entry)) continue;
  const path = pathToNode(entry);
  if (path !== null) problems.push(`a browser would load ${path.join(" → ")}`);
}

/** The shortest way of value imports from a file to `node:`, or null. */
function pathToNode(entry) {
  const seen = new Set([entry]);
  const queue = [[entry]];
  for (let path = queue.shift(); path !== undefined; path = queue.shift())
    for (const { specifier, isType, target } of imports.get(path.at(-1)) ?? []) {
      if (isType) continue;
      if (specifier.startsWith("node:")) return [...path, specifier];
      if (target === null || seen.has(target)) continue;
      seen.add(target);
      queue.push([...path, target]);
    }
  return null;
}

for (const circle of circles()) {
  if (circle.length > 3) problems.push(`${circle.length} files import one another in a circle: ${circle.join(", ")}`);
}

/**
 * Groups of files that import one another, types included (Tarjan, "Depth-First Search and Linear Graph Algorithms",
 * 1972).
 */
function circles() {
  const order = new Map();
  const low = new Map();
  const stack = [];
  const found = [];
  const visit = (file) => {
    order.set(file, order.size);
    low.set(file, order.get(file));
    stack.push(file);
    for (const { target } of imports.get(file) ?? []) {
      if (target === null || !imports.has(target)) continue;
      if (!order.has(target)) visit(target);
      if (stack.includes(target)) low.set(file, Math.min(low.get(file), low.get(target)));
    }
    if (low.get(file) !== order.get(file)) return;
    found.push(stack.splice(stack.indexOf(file)).sort());
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return found;
}

if (imports.size === 0) problems.push("no files found: the check looks in the wrong place");
for (const problem of problems) console.error(problem);
console.log(`${imports.size} files, ${problems.length} violations`);
process.exit(problems.length > 0 ? 1 : 0);
