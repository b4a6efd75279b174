/** Which data model a command's program has, and the C and C++ library of 64-bit programs. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DataModel } from "../base/data-model.ts";
import { enableWasmFeatures } from "../engine/emit/v8-flags-node.ts";
import { nodeClangResources, type NodeClangResources } from "../frontend/clang/clang-loader-node.ts";
import { builtLibrary, libraryFolder, modelOfEnvironment } from "../frontend/clang/lp64/library-place-node.ts";
import { openCodeStore } from "../frontend/clang/prebuilt-node.ts";
import { importsWideMemory } from "../wasm/import-types.ts";
import { progressBar } from "./progress-bar.ts";

type ModelName = DataModel["name"];

const DAY_MS = 24 * 60 * 60 * 1000;

/** "\0asm" */
const WASM_MAGIC = 0x0061736d;

export interface WideLibrary {
  readonly path: string;
  /** 0: it was there. */
  readonly seconds: number;
}

/** @param again build it though it is there @param onStart called before anything is fetched or built */
export async function wideLibrary(again = false, onStart: () => void = () => undefined): Promise<WideLibrary> {
  enableWasmFeatures();
  const resources: NodeClangResources = nodeClangResources(openCodeStore({ readOnly: true }));
  const place = await resources.libraryPlace();
  const found = builtLibrary(place);
  if (found !== null && !again) return { path: found, seconds: 0 };
  onStart();
  const bar = progressBar();
  const started = performance.now();
  const { setUpLibrary } = await import("../frontend/clang/lp64/library-setup-node.ts");
  try {
    const path = await setUpLibrary({ resources, place, onProgress: (part, what) => bar.show(part, what) });
    bar.show(1, "compiling first programs");
    await fillCache();
    return { path, seconds: Math.round((performance.now() - started) / 1000) };
  } finally {
    bar.clear();
  }
}

/** With what all 64-bit programs need. */
async function fillCache(): Promise<void> {
  const { openCompiler } = await import("../session/compiler-node.ts");
  const { compileFirstPrograms } = await import("../frontend/clang/first-programs.ts");
  await compileFirstPrograms((await openCompiler()).compiler, "first.cu", "lp64");
}

/**
 * The model of a program: what is asked for, else that of its object files, else 64 bits if their library is built,
 * else 32 bits, and a line says so. If 64 bits are asked for, the library is built now, unless it is there.
 *
 * @param asked by --model @param objects files that are linked with the program
 */
export async function chooseModel(asked: ModelName | undefined, objects: readonly string[] = []): Promise<ModelName> {
  const model = asked ?? modelOfObjects(objects) ?? modelOfEnvironment();
  if (model === "lp64")
    await wideLibrary(false, () => say("the C and C++ library of 64-bit programs is built, once; this takes minutes"));
  if (model !== null) return model;
  if (builtLibrary(await nodeClangResources().libraryPlace()) !== null) return "lp64";
  sayToday('long, size_t and pointers have 32 bits, until "npx heddle setup" has built a library (or: --model ilp32)');
  return "ilp32";
}

/** null: there are none. */
function modelOfObjects(paths: readonly string[]): ModelName | null {
  for (const path of paths.filter((name) => !name.endsWith(".a") && existsSync(name))) {
    const bytes = readFileSync(path);
    const isWide = bytes.length > 8 && bytes.readUInt32BE() === WASM_MAGIC ? importsWideMemory(bytes) : null;
    if (isWide !== null) return isWide ? "lp64" : "ilp32";
  }
  return null;
}

/** Once a day: who has read it need not read it with every run. */
function sayToday(line: string): void {
  const told = join(libraryFolder(), "told");
  const before = statSync(told, { throwIfNoEntry: false });
  if (before !== undefined && Date.now() - before.mtimeMs < DAY_MS) return;
  say(line);
  try {
    mkdirSync(libraryFolder(), { recursive: true });
    writeFileSync(told, "");
  } catch (error) {
    // A cache that cannot be written to: the next run says it again.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  }
}

const say = (line: string): void => void process.stderr.write(`heddle: ${line}\n`);
