// The same kernels on the same inputs, on the emulated device and on the GPU: integers equal, floats within the bounds
// that the cases state. The executor suite, whose results on an H200 are kept, runs on both as well.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openFlatDevice, openWindowDevices } from "../../dist/device/cuda/open-device.js";
import { openNodeDevice } from "../../dist/device/emulated/open-device-node.js";
import { enableWasmFeatures } from "../../dist/engine/emit/v8-flags-node.js";
import { ExecutorSuite, suiteInput } from "../../dist/engine/executor-suite.js";
import { syncNodeStore } from "../../dist/store/disk-store-node.js";
import { GROUPS, INPUTS, OUT_BYTES } from "./differential-cases.mjs";

const extents = ([x, y = 1, z = 1]) => ({ x, y, z });
const shapeOf = (value) => (Array.isArray(value) ? extents(value) : extents([value]));

export async function run({ verbose, prepared }) {
  enableWasmFeatures();
  const library = await prepared.library();
  const groups = await allGroups(prepared);
  const store = syncNodeStore();
  const total = { passed: 0, failed: 0 };
  for (const pointers of [32, 64]) {
    const gpu = pointers === 32 ? openWindowDevices(1, { library, store })[0] : openFlatDevice(0, { library, store });
    const { passed, failed } = compareAll(groups, { gpu, pointers, library, verbose });
    gpu.close();
    total.passed += passed;
    total.failed += failed;
  }
  return total;
}

/** With 64-bit pointers the GPU gets the same IR, read with another data layout. */
function compareAll(groups, { gpu, pointers, library, verbose }) {
  const emulated = openNodeDevice({ library, workers: 4, reuse: false });
  const input = suiteInput().slice(0, INPUTS);
  let [passed, failed, unsupported] = [0, 0, 0];
  const judge = (name, problem) => {
    if (problem === null) passed++;
    else failed++;
    if (problem !== null || verbose) console.log(`  ${name}: ${problem ?? "agrees"}`);
  };

  for (const { name, program, cases: all } of groups) {
    const cases = pointers === 32 ? all : all.filter((test) => !assumesNarrowPointers(program.ir, test.name));
    unsupported += all.length - cases.length;
    const started = performance.now();
    const before = failed;
    let modules;
    try {
      modules = [emulated.loadModule(program), gpu.loadModule(pointers === 32 ? program : withWidePointers(program))];
    } catch (error) {
      if (pointers === 64 && error.code === "unsupported") {
        unsupported += cases.length;
        console.log(`differential, ${name}: not with 64-bit pointers: ${error.message}`);
        continue;
      }
      for (const test of cases)
        judge(test.name, `does not load: ${error.message} ${(error.notes ?? []).slice(0, 2).join(" ")}`);
      continue;
    }
    for (const test of cases) judge(test.name, compareCase(test, [emulated, gpu], modules, input));
    for (const module of modules) module.unload();
    console.log(
      `differential, ${pointers}-bit pointers, ${name}: ${cases.length - (failed - before)} of ${cases.length} ` +
        `cases, ${((performance.now() - started) / 1000).toFixed(1)} s`,
    );
  }
  emulated.close();
  if (unsupported > 0) console.log(`differential: ${unsupported} cases are not for ${pointers}-bit pointers`);
  return { passed, failed };
}

/**
 * A kernel that makes a number of a pointer, or keeps one in memory, was compiled for pointers of 32 bits: it has no
 * room for more.
 */
function assumesNarrowPointers(ir, kernel) {
  const start = ir.search(new RegExp(`^define [^\\n]*@${kernel}\\(`, "m"));
  const body = ir.slice(start, ir.indexOf("\n}", start));
  return /\b(?:ptrtoint|inttoptr)\b|\bstore ptr\b|\bload ptr\b[^\n]*, align 4/.test(body);
}

function withWidePointers(program) {
  const layout = 'target datalayout = "e-i64:64-i128:128-i256:256-v16:16-v32:32"';
  return { ...program, ir: program.ir.replace(/^target datalayout = .*$/m, layout) };
}

async function allGroups(prepared) {
  const groups = [];
  for (const { name, source, cases } of GROUPS)
    groups.push({ name, cases, program: await prepared.device(`differential-${name.replaceAll(" ", "-")}`, source) });
  const folder = join(import.meta.dirname, "../../src/engine/suite");
  const [source, ir, expected] = ["suite.cu", "suite.ll", "suite.expected.json"].map((file) =>
    readFileSync(join(folder, file), "utf8"),
  );
  const suite = new ExecutorSuite({ source, ir, expected });
  groups.push({
    name: "executor suite",
    program: { name: "suite.cu", ir, options: { fmad: false } },
    cases: suite.cases.map((test) => ({
      name: test.name,
      grid: [...test.grid],
      block: [...test.block],
      sharedBytes: test.sharedBytes,
      cooperative: test.cooperative,
      type: "bytes",
      ulps: 0,
      expected: test.expected,
    })),
  });
  return groups;
}

/** null, or what is different. */
function compareCase(test, devices, modules, input) {
  try {
    const [ours, theirs] = devices.map((device, i) => runCase(test, device, modules[i], input));
    for (const [who, result] of [
      ["the emulated device", ours],
      ["the GPU", theirs],
    ])
      if (result.fault !== null) return `${who}: ${result.fault.kind} ${result.fault.message}`;
    if (test.prints === true)
      return ours.output === theirs.output
        ? null
        : `printed ${JSON.stringify(theirs.output)}, not ${JSON.stringify(ours.output)}`;
    if (test.expected !== undefined) {
      const wrong = firstDifference(
        new Int32Array(theirs.bytes.buffer),
        Int32Array.from({ length: OUT_BYTES / 4 }, (_, i) => test.expected[i] ?? 0),
        0,
      );
      if (wrong !== null) return `differs from what an H200 left: ${wrong}`;
    }
    const view = { float: Float32Array, double: Float64Array }[test.type] ?? Uint8Array;
    return firstDifference(new view(theirs.bytes.buffer), new view(ours.bytes.buffer), test.ulps);
  } catch (error) {
    return `${error.message} ${(error.notes ?? []).join(" ")}`;
  }
}

function runCase(test, device, module, input) {
  const kernel = module.kernel(test.name);
  const out = device.allocate(OUT_BYTES);
  const source = device.allocate(input.byteLength + 64);
  try {
    device.fill(out, 0, 1, OUT_BYTES);
    device.write(source, new Uint8Array(input.buffer, 0, input.byteLength));
    const config = {
      grid: shapeOf(test.grid),
      block: shapeOf(test.block),
      sharedBytes: test.sharedBytes,
      cooperative: test.cooperative,
    };
    const params = new Uint8Array(Math.max(kernel.paramBytes, 8));
    const view = new DataView(params.buffer);
    kernel.params.slice(0, 2).forEach(({ offset, size }, i) => {
      const pointer = i === 0 ? out : source;
      if (size === 8) view.setBigUint64(offset, BigInt(pointer), true);
      else view.setUint32(offset, pointer, true);
    });
    const { fault, output } = device.launchBlocking(kernel, config, params);
    const bytes = new Uint8Array(OUT_BYTES);
    if (fault === null) device.read(out, bytes);
    return { fault, bytes, output: output.split("\n").sort().join("\n") };
  } finally {
    if (device.fault === null) {
      device.free(out);
      device.free(source);
    }
  }
}

/** null when no element is further apart than `ulps`. */
function firstDifference(got, wanted, ulps) {
  let [count, first, worst] = [0, -1, 0n];
  for (let i = 0; i < wanted.length; i++) {
    if (Object.is(got[i], wanted[i]) || (got[i] !== got[i] && wanted[i] !== wanted[i])) continue;
    const distance =
      ulps === 0 || got instanceof Uint8Array || got instanceof Int32Array ? 1n << 62n : ulpsApart(got, wanted, i);
    if (distance <= BigInt(ulps)) continue;
    count++;
    if (first < 0) first = i;
    if (distance > worst) worst = distance;
  }
  return count === 0
    ? null
    : `${count} of ${wanted.length} elements, the first at ${first}: ${got[first]}, not ` +
        `${wanted[first]}${worst < 1n << 62n ? `; up to ${worst} ulps, ${ulps} are allowed` : ""}`;
}

function ulpsApart(a, b, i) {
  const ordered = (array) => {
    const bits =
      array instanceof Float32Array ? BigInt(new Int32Array(array.buffer)[i]) : new BigInt64Array(array.buffer)[i];
    const sign = array instanceof Float32Array ? 31n : 63n;
    return bits < 0n ? -(bits & ((1n << sign) - 1n)) : bits;
  };
  const distance = ordered(a) - ordered(b);
  return distance < 0n ? -distance : distance;
}
