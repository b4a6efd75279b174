/**
 * Passes on threads, and passes that begin before their source is there. Needs dist/ for the threads (npm test builds
 * it first).
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nodeSourceReader } from "./clang-loader-node.ts";
import { clangForTests } from "./clang-resources.test-helper.ts";
import type { ClangResources } from "./clang.ts";
import { nodeStore } from "../../store/disk-store-node.ts";
import type { BlobStore } from "../../store/store.ts";
import { memoryStore } from "../../store/store.ts";
import { createCompiler } from "./compile.ts";
import type { Compiler, CompiledObject } from "./compiler.ts";
import { storeOver } from "./prebuilt.ts";
import { openNodeStore, prebuiltDirectory } from "./prebuilt-node.ts";
import { ToolRun } from "./tool-thread.ts";
import type { ToolMessage, ToolPort } from "./tool-thread.ts";

/** A compiler that keeps nothing of what it compiles, on the headers that came prebuilt. */
function forgetful(): BlobStore {
  const prebuilt = openNodeStore();
  return { get: (key) => prebuilt.get(key), put: async () => {} };
}

const resources = clangForTests();
const sent: ToolMessage[] = [];
/** Threads whose orders are seen. */
const watched: ClangResources = {
  ...resources,
  startToolThread: (): ToolPort => {
    const port = resources.startToolThread?.() as ToolPort;
    return {
      ...port,
      post: (message) => {
        sent.push(message);
        port.post(message);
      },
    };
  },
};
const { startToolThread: _none, ...withoutThreads } = resources;

let directory = "";
let alone: Compiler;
let beside: Compiler;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "heddle-passes-"));
  alone = await createCompiler({ resources: withoutThreads, store: forgetful() });
  beside = await createCompiler({ resources: watched, store: forgetful() });
});
afterAll(() => rmSync(directory, { recursive: true }));

const options = (): { includePaths: string[] } => ({ includePaths: [directory] });
const source = (text: string): { path: string; text: string } => ({ path: join(directory, "a.cu"), text });
const program = (value: number): string =>
  `#include <vector>\n#include "a.h"\n__global__ void k(int *p) { *p = FACTOR * ${value}; }\n` +
  `int main() { std::vector<int> v(${value}); k<<<1, 1>>>(v.data()); return __LINE__ + VALUE; }\n`;
const header = (text: string): void => writeFileSync(join(directory, "a.h"), text);
/** Orders that went to threads since the last call. */
const orders = (): number => sent.splice(0).filter(({ kind }) => kind === "run").length;

async function sameAsAlone(text: string): Promise<CompiledObject> {
  const object = await beside.compileObject(source(text), options(), nodeSourceReader);
  expect(object).toEqual(await alone.compileObject(source(text), options(), nodeSourceReader));
  return object;
}

async function message(compiler: Compiler, text: string): Promise<readonly string[]> {
  const error = await compiler.compileObject(source(text), options(), nodeSourceReader).then(
    () => null,
    (reason: unknown) => reason,
  );
  return (error as { notes: readonly string[] }).notes;
}

test("both passes at the same time make what they make one after the other", async () => {
  header("#define FACTOR 3\n#define VALUE 5\n");
  await sameAsAlone(program(1));
  expect(orders()).toBe(1);
});

test("passes that wait for their source make the same of it, and see headers as they are by then", async () => {
  await beside.getReady(source(program(1)), options(), nodeSourceReader);
  expect(orders()).toBe(2);
  header("#define FACTOR 4\n#define VALUE 6\n");
  const object = await sameAsAlone(program(2));
  expect(object.device?.ir).toContain("store i32 8");
  expect(orders()).toBe(0);
});

test("errors and warnings are about the source as it is, not as it was padded", async () => {
  for (const text of [`${program(3)}int missing() {`, `${program(3)}#warning "look here"\n`]) {
    await beside.getReady(source(program(2)), options(), nodeSourceReader);
    if (text.includes("#warning"))
      expect(
        (await beside.compileObject(source(text), { ...options(), warnings: ["-Wall"] }, nodeSourceReader)).warnings,
      ).toContain('a.cu:5:2: warning: "look here"');
    else expect(await message(beside, text)).toEqual(await message(alone, text));
  }
  orders();
});

test("reports about a source that came later are those of the source as it is", async () => {
  header("#define FACTOR 3\n#define VALUE 5\n");
  const warned = { ...options(), warnings: ["-Wall"] };
  const compiled = (compiler: Compiler, text: string): Promise<unknown> =>
    compiler.compileObject(source(text), warned, nodeSourceReader).catch((error: unknown) => error);
  for (const end of [`#warning "look here"\n`, "int wrong = nowhere;\n", "#if 1\n"]) {
    await beside.getReady(source(program(2)), warned, nodeSourceReader);
    const found = await compiled(beside, `${program(3)}${end}`);
    expect(found).toEqual(await compiled(alone, `${program(3)}${end}`));
    expect(JSON.stringify(found)).toContain("a.cu:5:");
  }
  orders();
});

test("a source with other headers, or one that has grown too much, does not wait for the ready passes", async () => {
  await beside.getReady(source(program(4)), options(), nodeSourceReader);
  await sameAsAlone(`#include <cstdio>\n#include <iostream>\n${program(4)}`);
  await beside.getReady(source(program(4)), options(), nodeSourceReader);
  await sameAsAlone(`${program(5)}// ${"long ".repeat(2000)}\n`);
  orders();
});

test("the next source is parsed while code of the one before is generated, and the program is the same", async () => {
  header("#define VALUE 5\n");
  const sources = [
    {
      path: join(directory, "main.cpp"),
      text: "int first(); int second(); int main() { return first() + second(); }\n",
    },
    { path: join(directory, "first.cpp"), text: '#include "a.h"\nint first() { return VALUE; }\n' },
    source("__global__ void k(int *p) { *p = 1; }\nint second() { k<<<1, 1>>>(nullptr); return 2; }\n"),
  ];
  const compiled = await beside.compileProgram(sources, options(), nodeSourceReader);
  // The C++ source and the host pass of the CUDA source; perhaps the linker.
  expect(orders()).toBeGreaterThanOrEqual(2);
  expect(compiled).toEqual(await alone.compileProgram(sources, options(), nodeSourceReader));

  const store = storeOver(nodeStore(prebuiltDirectory()), memoryStore());
  const kept = await createCompiler({ resources: watched, store });
  await kept.compileProgram(sources, options(), nodeSourceReader);
  orders();
  const edited = sources.map((one, i) => (i === 0 ? { ...one, text: `${one.text}\n` } : one));
  await kept.compileProgram(edited, options(), nodeSourceReader);
  expect(orders()).toBe(0);
});

test("an error in a source that was parsed ahead is reported as ever", async () => {
  const sources = [
    { path: join(directory, "main.cpp"), text: "int main() {}\n" },
    { path: join(directory, "wrong.cpp"), text: "int wrong = nowhere;\n" },
    { path: join(directory, "other.cpp"), text: "int other = 1;\n" },
  ];
  const failure = (compiler: Compiler): Promise<unknown> =>
    compiler.compileProgram(sources, options(), nodeSourceReader).catch((error: unknown) => error);
  expect(await failure(beside)).toMatchObject({ code: "compile-error" });
  expect(await failure(beside)).toEqual(await failure(alone));
  orders();
});

test("what a thread found in the file system is not believed where the caller's reader says otherwise", async () => {
  header("#define FACTOR 7\n#define VALUE 7\n");
  // A reader with a header of its own: an editor's unsaved text.
  const unsaved = {
    ...nodeSourceReader,
    readFile: (path: string) =>
      path.endsWith("a.h")
        ? new TextEncoder().encode("#define FACTOR 9\n#define VALUE 9\n")
        : nodeSourceReader.readFile(path),
  };
  await beside.getReady(source(program(4)), options(), unsaved);
  const object = await beside.compileObject(source(program(6)), options(), unsaved);
  expect(object.device?.ir).toContain("store i32 54");
  expect(object).toEqual(await alone.compileObject(source(program(6)), options(), unsaved));
  orders();
});

test("a thread that dies is done without", async () => {
  const dying: ClangResources = {
    ...resources,
    startToolThread: () => ({
      post: () => {},
      hold: () => {},
      listen: (_answer, end) => void setTimeout(() => end(new Error("gone")), 50),
    }),
  };
  const compiler = await createCompiler({ resources: dying, store: forgetful() });
  const text = "__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n";
  const object = await compiler.compileObject({ path: "b.cu", text }, {}, null);
  expect(object).toEqual(await alone.compileObject({ path: "b.cu", text }, {}, null));
});

test("an abandoned run rejects no promise that somebody would have to handle", async () => {
  const run = new ToolRun(new Map([["a", new SharedArrayBuffer(8)]]), Promise.reject(new Error("gone")), () => {});
  run.abandon();
  await expect(run.result).rejects.toThrow("gone");
  expect(run.abandoned).toBe(true);
});

test("without prebuilt headers, getting ready makes those that the source begins with", async () => {
  const compiler = await createCompiler({ resources: watched, store: memoryStore() });
  const text = "#include <utility>\n__global__ void k(int *p) { *p = 1; }\n";
  await compiler.getReady({ path: "c.cu", text }, {}, null);
  // cuda_runtime.h, <utility> and the waiting pass, for device and host.
  expect(orders()).toBe(6);
  expect((await compiler.compileObject({ path: "c.cu", text }, {}, null)).device?.ir).toContain("store i32 1");
  expect(orders()).toBe(0);
});

test("a link that began before its object was there makes the same program, or a later link does", async () => {
  const imports = (wasm: Uint8Array): string[] =>
    WebAssembly.Module.imports(new WebAssembly.Module(wasm as BufferSource))
      .map(({ name }) => name)
      .sort();
  // The second defines what a library that was there before defines, too.
  const texts = [
    program(8),
    `${program(9)}extern "C" size_t strlen(const char *text) { size_t n = 0; while (text[n]) n++; return n; }\n`,
  ];
  header("#define FACTOR 1\n#define VALUE 1\n");
  for (const text of texts) {
    await beside.getReady(source(text), options(), nodeSourceReader);
    sent.length = 0;
    const linked = await beside.compileProgram([source(text)], options(), nodeSourceReader);
    expect(sent.map((message) => (message.kind === "run" ? message.order.args[0] : ""))).toEqual(["wasm-ld"]);
    const expected = await alone.compileProgram([source(text)], options(), nodeSourceReader);
    expect(imports(linked.host?.wasm as Uint8Array)).toEqual(imports(expected.host?.wasm as Uint8Array));
    expect(linked.device).toEqual(expected.device);
    const [began, defined] = [linked, expected].map((each) => Buffer.from(each.host?.wasm as Uint8Array));
    // Began: the object comes last. Otherwise the very same program.
    expect(began?.equals(defined as Buffer), text).toBe(text.includes("strlen"));
  }
});
