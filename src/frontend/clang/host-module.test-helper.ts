/** What tests ask of a program's host module without a runtime. */
import { importedMemory } from "../../wasm/import-types.ts";

/** The little of WASI that a program needs to print and exit. */
export function runHost(wasm: Uint8Array, args: readonly string[]): { output: string; exitCode: number | null } {
  const module = new WebAssembly.Module(wasm as BufferSource);
  let output = "";
  let exitCode: number | null = null;
  let memory: WebAssembly.Memory;
  const view = (): DataView => new DataView(memory.buffer);
  const calls: Record<string, (...values: number[]) => number> = {
    fd_write: (_fd = 0, iovs = 0, count = 0, result = 0) => {
      let total = 0;
      for (let i = 0; i < count; i++) {
        const length = view().getUint32(iovs + 8 * i + 4, true);
        output += new TextDecoder().decode(
          new Uint8Array(memory.buffer, view().getUint32(iovs + 8 * i, true), length).slice(),
        );
        total += length;
      }
      view().setUint32(result, total, true);
      return 0;
    },
    proc_exit: (code = 0) => {
      exitCode = code;
      throw new Error("exit");
    },
    fd_prestat_get: () => 8,
    args_sizes_get: (count = 0, size = 0) => {
      view().setUint32(count, args.length, true);
      view().setUint32(
        size,
        args.reduce((sum, argument) => sum + argument.length + 1, 0),
        true,
      );
      return 0;
    },
    args_get: (pointers = 0, buffer = 0) => {
      for (const [i, argument] of args.entries()) {
        view().setUint32(pointers + 4 * i, buffer, true);
        new Uint8Array(memory.buffer).set(new TextEncoder().encode(`${argument}\0`), buffer);
        buffer += argument.length + 1;
      }
      return 0;
    },
    environ_sizes_get: (count = 0, size = 0) => {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return 0;
    },
    clock_time_get: () => 0,
  };
  // A program with threads imports a memory that they could share.
  const imported = importedMemory(wasm);
  const shared =
    imported === null
      ? null
      : new WebAssembly.Memory({ initial: imported.initial, maximum: imported.maximum ?? 65536, shared: true });
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {
    env: {},
    wasi_snapshot_preview1: {},
  };
  for (const { module: from, name } of WebAssembly.Module.imports(module))
    (imports[from] ??= {})[name] = name === "memory" && shared !== null ? shared : (calls[name] ?? (() => 0));
  const instance = new WebAssembly.Instance(module, imports);
  memory = shared ?? (instance.exports["memory"] as WebAssembly.Memory);
  try {
    (instance.exports["_start"] as () => void)();
  } catch (error) {
    if (exitCode === null && !(error instanceof WebAssembly.RuntimeError)) throw error;
  }
  return { output, exitCode };
}

/** The names that a module imports from "env". */
export function undefinedFunctions(wasm: Uint8Array): string[] {
  return WebAssembly.Module.imports(new WebAssembly.Module(wasm as BufferSource))
    .filter(({ module, kind }) => module === "env" && kind === "function")
    .map(({ name }) => name);
}
