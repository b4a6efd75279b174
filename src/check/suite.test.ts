/**
 * Every wrong kernel of the suites is accused, by kind and line, of one thing; no right one is of anything, by any
 * checker. On both compiled tiers.
 */
import { readFileSync, readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dim3, formatDim3 } from "../base/dim3.ts";
import { TEST_MODEL } from "../base/test-model.test-helper.ts";
import { cachedDeviceLibrary } from "../frontend/clang/device-library.ts";
import type { Device, GpuModule } from "../device/device.ts";
import type { TextProgram } from "../program/device-program.ts";
import { openNodeDevice } from "../device/emulated/open-device-node.ts";
import { clangForTests } from "../frontend/clang/clang-resources.test-helper.ts";
import { createCompiler } from "../frontend/clang/compile.ts";
import { type Compiler } from "../frontend/clang/compiler.ts";
import { openNodeStore } from "../frontend/clang/prebuilt-node.ts";
import { sha256 } from "../store/sha256.ts";
import { ModuleText } from "../ir/text/excerpt.ts";
import { parseModule } from "../ir/text/parse.ts";
import { verifyModule } from "../ir/verify.ts";
import { CHECKER_NAMES, createCheckers } from "./checkers.ts";
import { CHECK_NAMES } from "./check-names.ts";
import { Checks } from "./checks.ts";
import type { Finding } from "./finding.ts";
import type { RaceDetails } from "./racecheck/race-report.ts";
import { regionsFor } from "../device/emulated/memory-regions.ts";
import { instrumentModule } from "../instrument/instrument-module.ts";
import { launchOf, readSuite, type Pair } from "./suite.test-helper.ts";

const FOLDER = new URL("./suite/", import.meta.url);
const SUITES = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".cu"))
  .map((name) => {
    const text = readFileSync(new URL(name, FOLDER), "utf8");
    return { name, text, pairs: readSuite(text) };
  });

/**
 * `npm test` runs a suite of each checker, where users run kernels; `npm run test:long` all of them, on the other tier,
 * too.
 */
const SHORT = [
  "memory.cu",
  "race-tiles.cu",
  "race-order-blocks.cu",
  "sync-barriers.cu",
  "init-shared.cu",
  "numbers.cu",
];
const SIZE = process.env["HEDDLE_TESTS"];
const chosen = SIZE === "short" ? SUITES.filter(({ name }) => SHORT.includes(name)) : SUITES;

/** All pairs in both tiers are among the exhaustive tests. */
function tiersFor(name: string): ("warp" | "thread")[] {
  return SIZE === "all" || (SIZE !== "short" && SHORT.includes(name)) ? ["warp", "thread"] : ["warp"];
}

let compiler: Compiler;
let library: string;
beforeAll(async () => {
  const store = openNodeStore();
  compiler = await createCompiler({ resources: clangForTests(), store });
  library = await cachedDeviceLibrary(compiler, store, sha256);
});

/** "LINE: KIND", with the access where memcheck has found it, and the use of what was never set. */
function label({ checker, kind, location, details }: Finding): string {
  const { access, use } = details as { access?: string; use?: string };
  const what = { memcheck: access, initcheck: use }[checker as string];
  return `${location?.line}: ${kind}${what === undefined ? "" : ` ${what}`}`;
}

const { windows, heap } = regionsFor(1, new Checks(createCheckers(CHECKER_NAMES)).shadowPlanes);

/** Whether a race in shared memory is said to be between blocks. */
function isOfTwoBlocks({ checker, details, example }: Finding): boolean {
  if (checker !== "racecheck") return false;
  const { address, other, between } = details as unknown as RaceDetails;
  if (address < windows || address >= heap) return false;
  return (
    between === "grid" || (other?.block != null && formatDim3(other.block) !== formatDim3(example?.block ?? dim3(0)))
  );
}

describe.each(chosen)("$name", ({ name, text, pairs }) => {
  let program: TextProgram;
  beforeAll(async () => {
    program = (await compiler.compileDevice({ path: name, text }, { model: TEST_MODEL.name }, null)).program;
  });

  // One tier runs kernels as they are launched most of the time, the other as if no launch were a likely one.
  describe.each(tiersFor(name))("in the %s tier", (engine) => {
    let device: Device;
    let module: GpuModule;
    let checks: Checks;
    /** Those that have not been run yet. */
    let left = pairs;
    beforeAll(open);
    afterAll(() => device.close());

    function open(): void {
      checks = new Checks(createCheckers(CHECKER_NAMES), { speculate: engine !== "thread" });
      device = openNodeDevice({
        engine: engine === "warp" ? "auto" : engine,
        workers: 1,
        library,
        observer: checks,
        ...(left.some(({ settings }) => settings.includes("clusters")) ? { gpu: "h100" } : {}),
      });
      // A fault ends a device: the next one need not watch the kernels that have run.
      const names = left.flatMap(({ name }) => [`${name}_right`, `${name}_wrong`]);
      module = device.loadModule({ ...program, ir: new ModuleText(program.ir).excerpt(names) });
    }

    /** What the checkers say of one launch. */
    function found(kernel: string, pair: Pair): string[] {
      const before = checks.findings.length;
      const { faulted } = launchOf(device, module, kernel, pair, TEST_MODEL);
      const fresh = checks.findings.slice(before);
      const places = fresh.map((finding) => `${label(finding)} ${JSON.stringify(finding.location)}`);
      expect(places, "one place is told once").toEqual([...new Set(places)]);
      if (!pair.settings.includes("clusters"))
        expect(fresh.filter(isOfTwoBlocks), "a block's own memory is no other block's").toEqual([]);
      // What nobody has waited for is also a race.
      const raced = new Set(
        fresh.flatMap(({ checker, location }) => (checker === "racecheck" ? [location?.line] : [])),
      );
      const findings = fresh
        .filter(({ checker, location }) => checker !== "asynccheck" || !raced.has(location?.line))
        .map(label);
      if (faulted) {
        device.close();
        open();
      }
      return [...new Set(findings)];
    }

    it.each(pairs.map((pair) => [pair.name, pair] as const))("%s", (kernel, pair) => {
      left = pairs.slice(pairs.indexOf(pair));
      expect(found(`${kernel}_right`, pair).map((label) => label.replace(/^\d+/, ""))).toEqual(
        engine === "thread" && pair.settings.includes("vectors") ? [`: ${pair.expected}`] : [],
      );
      expect(found(`${kernel}_wrong`, pair)).toEqual([`${pair.line}: ${pair.expected}`]);
    });
  });

  it("the code that is added is valid, and tests only where something can be wrong", () => {
    const module = parseModule(program.ir, name);
    const count = (): number => [...module.functions.values()].reduce((sum, fn) => sum + fn.blocks.length, 0);
    const before = count();
    const { sites } = instrumentModule(
      module,
      [...module.functions.values()],
      createCheckers(["memcheck"]),
      CHECK_NAMES,
      "test",
    );
    expect(verifyModule(module)).toEqual([]);
    expect(count()).toBeGreaterThan(before);
    expect(new Set(sites.map(({ index }) => index)).size).toBe(sites.length);
  });
});

it(
  "memcheck has no test for a variable at a constant index inside of it, or for what a " +
    "thread reads of its own struct",
  () => {
    const text = `@v = internal addrspace(1) global [4 x i32] zeroinitializer
define ptx_kernel void @k(ptr byval({ i32, i32 }) %s, i32 %i) {
  %p = getelementptr { i32, i32 }, ptr %s, i32 0, i32 1
  %a = load i32, ptr %p
  store i32 %a, ptr addrspace(1) getelementptr ([4 x i32], ptr addrspace(1) @v, i32 0, i32 3)
  %q = getelementptr [4 x i32], ptr addrspace(1) @v, i32 0, i32 %i
  store i32 %a, ptr addrspace(1) %q
  ret void
}`;
    const small = parseModule(text, "small.ll");
    expect(
      instrumentModule(small, [...small.functions.values()], createCheckers(["memcheck"]), CHECK_NAMES, "test").sites,
    ).toMatchObject([{ kind: "write", object: { kind: "variable", name: "v", bytes: 16 } }]);
    expect(verifyModule(small)).toEqual([]);
  },
);

it("memcheck tells memory that was freed", async () => {
  const { text, pairs } = SUITES.find(({ name }) => name === "memory.cu") as (typeof SUITES)[number];
  const checks = new Checks(createCheckers(["memcheck"]));
  const device = openNodeDevice({ workers: 1, library, observer: checks });
  const module = device.loadModule((await compiler.compileDevice({ path: "memory.cu", text }, {}, null)).program);
  const { block } = pairs.find(({ name }) => name === "stencil") as Pair;
  const [out, in_] = [device.allocate(256), device.allocate(256)];
  device.free(in_);
  // Not where the freed one was.
  device.allocate(256);
  device.launchBlocking(
    module.kernel("stencil_right"),
    { grid: dim3(1), block, sharedBytes: 0 },
    new Uint8Array(Int32Array.of(out, in_, 64).buffer),
  );
  expect(checks.findings[0]).toMatchObject({
    kind: "use-after-free",
    details: { access: "read", owner: { start: in_, bytes: 256 } },
  });
  device.close();
});

it("the suites are read as they are meant", () => {
  const pairs = SUITES.flatMap((suite) => suite.pairs);
  expect(pairs.length).toBeGreaterThanOrEqual(30);
  expect(pairs.find(({ name }) => name === "dynamic_shared")).toMatchObject({
    grid: dim3(1),
    block: dim3(64),
    sharedBytes: 128,
    n: 64,
    expected: "out-of-bounds write",
  });
  expect(pairs.find(({ name }) => name === "tile")).toMatchObject({ block: dim3([8, 8]) });
});

it("what a kernel that comes with Heddle finds is told where the program calls it", async () => {
  const text =
    'extern "C" __global__ void clear(int* out, const int* in, int n) { for (int i = 0; i <= n; i++) out[i] = 0; }';
  const call = { file: "main.cu", line: 7, column: 3 };
  const checks = new Checks(createCheckers(["memcheck"]), { here: () => () => call });
  const device = openNodeDevice({ workers: 1, library, observer: checks });
  const module = device.loadModule(
    (await compiler.compileDevice({ path: "/heddle/kernels/clear.cu", text }, {}, null)).program,
  );
  const out = device.allocate(256);
  device.launchBlocking(
    module.kernel("clear"),
    { grid: dim3(1), block: dim3(1), sharedBytes: 0 },
    new Uint8Array(Int32Array.of(out, 0, 64).buffer),
  );
  expect(checks.findings).toMatchObject([{ kind: "out-of-bounds", location: call, launch: { location: call } }]);
  expect(checks.findings[0]?.notes[0]).toMatchObject({
    text: "in a kernel of the library that is called here:",
    location: { file: "/heddle/kernels/clear.cu", line: 1 },
  });
  device.close();
});
