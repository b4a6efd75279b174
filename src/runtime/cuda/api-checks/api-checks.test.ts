import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { createCheckers } from "../../../check/checkers.ts";
import { Checks } from "../../../check/checks.ts";
import type { Finding } from "../../../check/finding.ts";
import { cachedDeviceLibrary } from "../../../frontend/clang/device-library.ts";
import { openNodeDevice } from "../../../device/emulated/open-device-node.ts";
import { clangForTests } from "../../../frontend/clang/clang-resources.test-helper.ts";
import { createCompiler } from "../../../frontend/clang/compile.ts";
import { type Compiler } from "../../../frontend/clang/compiler.ts";
import { openNodeStore } from "../../../frontend/clang/prebuilt-node.ts";
import { sha256 } from "../../../store/sha256.ts";
import type { CompiledProgram } from "../../../program/compiled-program.ts";
import { bindApi } from "../api-functions/api-table.ts";
import type { CudaContext } from "../context.ts";
import { MemoryFiles, MemoryStreams } from "../../host/host-files-memory.ts";
import { runProgram } from "../../host-program.ts";
import { enableWasmFeatures } from "../../../engine/emit/v8-flags-node.ts";
import { demangle } from "../../../base/demangle.ts";
import { TEST_MODEL } from "../../../base/test-model.test-helper.ts";
import { ApiChecks } from "./api-checks.ts";

const textOf = (file: string): string => readFileSync(new URL(`suite/${file}`, import.meta.url), "utf8");
const namesIn = (text: string): string[] =>
  Array.from(text.matchAll(/^PAIR\((\w+)_wrong\)/gm), (match) => match[1] as string);
const text = textOf("api.cu");
const streams = textOf("streams.cu");
const host = textOf("host.cu");

/** "LINE: KIND" of a pair: the mark inside of its wrong one, or the one elsewhere that names it. */
function expectedOf(text: string, name: string): string {
  const lines = text.split("\n");
  const named = lines.findIndex((line) => line.endsWith(` in ${name}_wrong`));
  const start = lines.findIndex((line) => line.startsWith(`PAIR(${name}_wrong)`));
  const end = lines.findIndex((line) => line.startsWith(`PAIR(${name}_right)`));
  const at =
    named >= 0 ? named : lines.findIndex((line, index) => index > start && index < end && / \/\/ ! /.test(line));
  return `${at + 1}: ${/\/\/ ! ([\w-]+)/.exec(lines[at] as string)?.[1]}`;
}

let compiler: Compiler;
let library: string;
let program: CompiledProgram;
let streamProgram: CompiledProgram;
let hostProgram: CompiledProgram;

beforeAll(async () => {
  enableWasmFeatures();
  const store = openNodeStore();
  compiler = await createCompiler({ resources: clangForTests(), store });
  library = await cachedDeviceLibrary(compiler, store, sha256);
  const options = { observed: true, model: TEST_MODEL.name };
  program = await compiler.compileProgram([{ path: "api.cu", text }], options, null);
  hostProgram = await compiler.compileProgram([{ path: "host.cu", text: host }], { observed: true }, null);
  streamProgram = await compiler.compileProgram([{ path: "streams.cu", text: streams }], options, null);
});

interface Outcome {
  readonly checks: Checks;
  readonly found: string[];
  readonly stderr: string;
  readonly exitCode: number;
}

function run(
  compiled: CompiledProgram,
  argument: string | readonly string[],
  { observe = true, follows = false, silent = false } = {},
): Outcome {
  const checks: Checks = new Checks(
    createCheckers(follows ? ["memcheck", "initcheck", "racecheck"] : ["memcheck"], { streams: follows }),
    { readable: demangle, here: (launched) => api.here(launched === null ? null : demangle(launched)) },
  );
  const api = new ApiChecks(checks, { silent });
  const device = openNodeDevice({ workers: 1, library, observer: checks });
  const streams = new MemoryStreams();
  const { exitCode } = runProgram({
    program: compiled,
    devices: [device],
    argv: ["api", ...[argument].flat()],
    env: {},
    files: new MemoryFiles(),
    observer: observe ? api : null,
    streams,
  });
  const found = [
    ...checks.findings.map((finding) => label(finding)),
    ...checks.leaked.map(({ location }) => `${location?.line}: leak`),
  ];
  device.close();
  return { checks, found, stderr: streams.stderr, exitCode };
}

function label({ kind, location }: Finding): string {
  return `${location?.line}: ${kind}`;
}

type RunOptions = Parameters<typeof run>[2];

function expectRight(compiled: CompiledProgram, names: readonly string[], options?: RunOptions): void {
  const { found, exitCode, stderr } = run(
    compiled,
    names.map((name) => `${name}_right`),
    options,
  );
  expect({ found, exitCode }, stderr).toEqual({ found: [], exitCode: 0 });
}

function expectWrong(compiled: CompiledProgram, source: string, name: string, options?: RunOptions): void {
  const { found, exitCode, stderr } = run(compiled, `${name}_wrong`, options);
  // The allocator of 64-bit programs notices that its own data is overwritten, as glibc's does.
  const aborts = TEST_MODEL.pointerBytes === 8 && /^beyond_(malloc|realloc)$/.test(name);
  expect({ found, exitCode }, stderr).toEqual({ found: [expectedOf(source, name)], exitCode: aborts ? 134 : 0 });
}

/** No call succeeds after it. */
const LAST = "kernel_dies";

/** Right ones: one after the other in one program in `npm test`, each in a program of its own in the long tests. */
const rightOnes = (names: readonly string[]): [string, readonly string[]][] =>
  process.env["HEDDLE_TESTS"] === "short"
    ? [["all", [...names.filter((name) => name !== LAST), ...names.filter((name) => name === LAST)]]]
    : names.map((name) => [name, [name]]);

describe("pairs", () => {
  it("are at least forty", () => {
    expect(namesIn(text).length).toBeGreaterThanOrEqual(40);
  });

  it.each(rightOnes(namesIn(text)))("right: %s", (_, names) => expectRight(program, names));
  it.each(namesIn(text))("%s", (name) => expectWrong(program, text, name));
});

describe("pairs of host code", () => {
  it.each(rightOnes(namesIn(host)))("right: %s", (_, names) => expectRight(hostProgram, names));
  it.each(namesIn(host))("%s", (name) => {
    const wrong = run(hostProgram, `${name}_wrong`);
    const expected = expectedOf(host, name);
    // What a fault leaves behind is not the point here: memory is not freed.
    expect(wrong.found.filter((found) => !found.endsWith(": leak"))).toEqual([expected]);
    // WebAssembly lets a program read at address 0.
    expect(wrong.exitCode).toBe(expected.endsWith("lost-bits") || name === "null_read" ? 0 : 134);
  });

  it("a report names the values, and the failed allocation behind a null pointer", () => {
    const [sum] = run(hostProgram, "sum_wrong").checks.findings;
    expect(sum?.message).toBe("2147450880 + 65536 is 2147516416, but long has 32 bits here: -2147450880 is left");
    const [write] = run(hostProgram, "null_write_wrong").checks.findings;
    expect(write?.notes).toMatchObject([
      { text: "an allocation of 4000000000 bytes failed here", location: { file: "./host.cu" } },
    ]);
    const [read] = run(hostProgram, "device_read_wrong").checks.findings;
    expect(read?.notes).toMatchObject([{ text: "the allocation was made here", location: { file: "./host.cu" } }]);
  });
});

describe("pairs of work on streams, for racecheck", () => {
  const follows = { follows: true };
  it.each(rightOnes(namesIn(streams)))("right: %s", (_, names) => expectRight(streamProgram, names, follows));
  it.each(namesIn(streams))("%s", (name) => expectWrong(streamProgram, streams, name, follows));

  it("without the checks of calls, too, and with the launch that the race is with", () => {
    const { checks } = run(streamProgram, "producer_wrong", { follows: true, silent: true });
    const launched = streams.split("\n").findIndex((line) => line.includes("set<<<")) + 1;
    expect(checks.findings).toMatchObject([
      {
        checker: "racecheck",
        kind: "read-after-write",
        launch: { kernel: expect.stringContaining("scale") },
        notes: [
          { text: "races with the write by the kernel set, on another stream:", location: { line: launched } },
          {},
        ],
      },
    ]);
  });

  it("nothing is followed where the program has no streams of its own", () => {
    expect(run(streamProgram, "producer_wrong").found).toEqual([]);
  });
});

it("a program that is not observed has nothing of it, and calls go straight to their functions", async () => {
  const names = (compiled: CompiledProgram): string[] => {
    const module = new WebAssembly.Module(compiled.host?.wasm as BufferSource);
    return [...WebAssembly.Module.imports(module), ...WebAssembly.Module.exports(module)]
      .map(({ name }) => name)
      .filter((name) => /__heddle_(host_accessed|long|observe|watch)|sanitizer|ubsan/.test(name))
      .sort();
  };
  expect(names(await compiler.compileProgram([{ path: "api.cu", text }], { model: TEST_MODEL.name }, null))).toEqual(
    [],
  );
  expect(names(program)).toEqual([
    "__heddle_host_accessed",
    "__heddle_observe",
    "__heddle_watch_device",
    "__heddle_watch_host",
  ]);
  const calls = { cudaFree: () => 0 };
  const own = { observer: null, options: {} } as unknown as CudaContext;
  const plain = bindApi(own, [{ name: "one", plain: { cudaGetLastError: calls.cudaFree } }]).get("cudaGetLastError");
  expect(String(plain)).not.toContain("observer");
});
