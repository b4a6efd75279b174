// What heddle check finds, misses and accuses over the pairs that compute-sanitizer is run on (sanitizer.mjs), in the
// same form.
//
//   node scripts/gpu-tests/sanitizer-ours.mjs [--out RESULTS.json] [--only TEXT]
//
// All default checkers are on at once. Node.js 24; dist/ must be built.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { CHECKER_NAMES, createCheckers } from "../../dist/check/checkers.js";
import { Checks } from "../../dist/check/checks.js";
import { cachedDeviceLibrary } from "../../dist/frontend/clang/device-library.js";
import { openNodeDevice } from "../../dist/device/emulated/open-device-node.js";
import { nodeClangResources } from "../../dist/frontend/clang/clang-loader-node.js";
import { createCompiler } from "../../dist/frontend/clang/compile.js";
import { openNodeStore } from "../../dist/frontend/clang/prebuilt-node.js";
import { sha256 } from "../../dist/store/sha256.js";
import { launchOf } from "../../src/check/suite.test-helper.ts";
import { readSuites, verdictOf } from "./sanitizer.mjs";

const { values } = parseArgs({
  options: { out: { type: "string", default: "sanitizer-ours.json" }, only: { type: "string", default: "" } },
});
const store = openNodeStore();
const compiler = await createCompiler({ resources: nodeClangResources(), store });
const library = await cachedDeviceLibrary(compiler, store, sha256);
const kernels = [];
const began = performance.now();
for (const suite of (await readSuites()).filter(({ name }) => name.includes(values.only))) {
  const { program } = await compiler.compileDevice({ path: suite.name, text: suite.text }, {}, null);
  const open = () => {
    const checks = new Checks(createCheckers(CHECKER_NAMES));
    const device = openNodeDevice({ workers: 1, library, observer: checks });
    return { checks, device, module: device.loadModule(program) };
  };
  let opened = open();
  for (const pair of suite.pairs) {
    for (const side of ["wrong", "right"]) {
      const before = opened.checks.findings.length;
      const started = performance.now();
      const { faulted } = launchOf(opened.device, opened.module, `${pair.name}_${side}`, pair);
      const seconds = (performance.now() - started) / 1000;
      const found = opened.checks.findings.slice(before);
      if (faulted) {
        opened.device.close();
        opened = open();
      }
      const status = verdictOf(side, found.length > 0);
      kernels.push({
        file: suite.name,
        kernel: `${pair.name}_${side}`,
        side,
        tool: suite.tool,
        expected: pair.expected,
        line: pair.line,
        status,
        errors: found.length,
        rightLine: found.some(({ location }) => location?.line === pair.line),
        told: found.map(({ checker, kind }) => `${checker} ${kind}`),
        seconds: Number(seconds.toFixed(4)),
      });
    }
  }
  opened.device.close();
}
const results = { seconds: Number(((performance.now() - began) / 1000).toFixed(1)), kernels };
writeFileSync(values.out, `${JSON.stringify(results, null, 1)}\n`);
const { tableOf } = await import("./sanitizer-table.mjs");
console.log(tableOf(null, results));
