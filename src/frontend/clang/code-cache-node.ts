/**
 * V8's machine code for the compiler, cached from one process to the next (Node.js only; browsers do the same by
 * themselves).
 *
 * Clang is 75 MB of WebAssembly. V8 compiles a function at its first call, without optimization, and again when it is
 * called often. So the first compilation in a process takes several times as long as the tenth. V8 can serialize its
 * optimized code. Node.js has no function for that, but V8's own tests have (src/runtime/runtime-test-wasm.cc, behind a
 * flag). V8 refuses code of another version, other flags or another processor. It does not detect damage: the store
 * does.
 *
 * Flags must be the same when code is written and when it is read: enableWasmFeatures() comes first, and no tool runs
 * while code is written. Sizes of memory are flags, too. Code does not depend on them, so they are put back to their
 * defaults for a moment: else V8 refuses the code in a process with NODE_OPTIONS=--max-old-space-size=4096.
 */
import { setFlagsFromString } from "node:v8";
import type { BlobStore } from "../../store/store.ts";

/**
 * Versions of Node.js in which this has been tried. V8's functions for tests may change, and end the process where
 * arguments are not what they expect.
 */
const TRIED = [20, 22, 24];

/** Calls one of V8's functions for tests; null where it has none of this name. */
function native(call: string, ...values: readonly unknown[]): unknown {
  setFlagsFromString("--allow-natives-syntax");
  try {
    // The text is ours, and is compiled when it is called: only here does V8 take `%` for what it is.
    // eslint-disable-next-line no-new-func
    return (new Function("a", "b", `return ${call}`) as (...values: readonly unknown[]) => unknown)(...values);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  } finally {
    setFlagsFromString("--no-allow-natives-syntax");
  }
}

/** V8's flags for sizes of memory. By default, each is 0. V8 reads them when a thread begins. */
const SIZE_FLAGS = /--((?:max|min|initial)[-_](?:(?:semi|old)[-_]space|heap)[-_]size)=(\d+)/g;

/** Those of this process that are not the defaults, as V8 takes them. The last one of a name counts. */
export function sizeFlags(options: readonly string[], environment: string): ReadonlyMap<string, string> {
  const given = [environment, ...options].join(" ").matchAll(SIZE_FLAGS);
  return new Map([...given].map(([, name = "", value = "0"]) => [name.replaceAll("_", "-"), value]));
}

/** What `use` returns while V8's flags are as in a process that was given no sizes of memory. */
function withoutSizeFlags<Result>(use: () => Result): Result {
  const flags = sizeFlags(process.execArgv, process.env["NODE_OPTIONS"] ?? "");
  for (const name of flags.keys()) setFlagsFromString(`--${name}=0`);
  try {
    return use();
  } finally {
    for (const [name, value] of flags) setFlagsFromString(`--${name}=${value}`);
  }
}

/**
 * V8 ends the process when it serializes a module without optimized code (because of a flag or a debugger). So one
 * function is optimized first.
 */
function hasOptimizedCode(module: WebAssembly.Module): boolean {
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    if (kind !== "function") return false;
    (imports[from] ??= {})[name] = () => 0;
  }
  const some = Object.values(new WebAssembly.Instance(module, imports).exports).find(
    (value) => typeof value === "function",
  );
  if (some === undefined) return false;
  native("%WasmTierUpFunction(a)", some);
  return native("%IsTurboFanFunction(a)", some) === true;
}

/** u32: how many runs of tools the code has learned from. */
const HEADER_BYTES = 4;

export class CodeCache {
  readonly #store: BlobStore;
  readonly #key: string;
  readonly #usable: boolean = TRIED.includes(Number(process.versions.node.split(".")[0]));
  /** Runs that the code in the store has learned from. */
  #learned = 0;
  #module: WebAssembly.Module | null = null;

  /** @param key stands for the module and for V8. */
  constructor(store: BlobStore, key: string) {
    this.#store = store;
    this.#key = key;
  }

  /** The module of these bytes, with the code that there is for it. */
  async compile(bytes: Uint8Array<ArrayBuffer>): Promise<WebAssembly.Module> {
    return (this.#module = (await this.#load(bytes)) ?? (await WebAssembly.compile(bytes)));
  }

  async #load(bytes: Uint8Array): Promise<WebAssembly.Module | null> {
    const entry = this.#usable ? await this.#store.get(this.#key) : null;
    if (entry === null) return null;
    const code = entry.buffer.slice(entry.byteOffset + HEADER_BYTES, entry.byteOffset + entry.length);
    const module = withoutSizeFlags(() => native("%DeserializeWasmModule(a, b)", code, bytes));
    if (!(module instanceof WebAssembly.Module)) return null;
    this.#learned = new DataView(entry.buffer, entry.byteOffset).getUint32(0, true);
    return module;
  }

  /**
   * @param runs how many tools have run in this process. Code is written if it has seen twice as many runs as the
   * cached code.
   */
  async keep(runs: number): Promise<void> {
    if (!this.#usable || this.#module === null || runs === 0 || runs < this.#learned || !hasOptimizedCode(this.#module))
      return;
    const compiled = this.#module;
    const code = withoutSizeFlags(() => native("%SerializeWasmModule(a)", compiled));
    if (!(code instanceof ArrayBuffer)) return;
    this.#learned += runs;
    const entry = new Uint8Array(HEADER_BYTES + code.byteLength);
    new DataView(entry.buffer).setUint32(0, this.#learned, true);
    entry.set(new Uint8Array(code), HEADER_BYTES);
    await this.#store.put(this.#key, entry);
  }
}
