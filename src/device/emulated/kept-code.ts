/**
 * Compiled kernels of earlier runs. A key holds everything that the code depends on: the compiler, what the host's
 * WebAssembly can do, the IR with the library it is linked with, the addresses of its variables, the shape of blocks.
 */
import type { Dim3 } from "../../base/dim3.ts";
import type { SourceLocation } from "../../base/diagnostics.ts";
import type { CompiledKernel } from "../../engine/backend.ts";
import { hostFeatures } from "../../engine/emit/features.ts";
import type { LoadedKernel, LoadedProgram } from "../../engine/executor.ts";
import type { DeviceProgram, ProgramContent } from "../../program/device-program.ts";
import { contentKey, type ContentCache } from "../../store/store.ts";
import { packCode, unpackCode } from "./launch-record.ts";

export class KeptCode {
  readonly #cache: ContentCache;
  readonly #device: readonly unknown[];
  readonly #library: string | null;
  #surroundings: string | null = null;

  /**
   * @param device what kernels of this device are compiled with, beside the library.
   * @param library the text of the device library.
   */
  constructor(cache: ContentCache, device: readonly unknown[], library: string | null) {
    this.#cache = cache;
    this.#device = device;
    this.#library = library;
  }

  /** null: the programs' content is not known. */
  contentOf(
    programs: readonly DeviceProgram[],
    { globalAddresses, functionAddresses }: LoadedProgram,
  ): ProgramContent | null {
    const contents: string[] = [];
    for (const { ir, content } of programs) {
      if (content !== undefined) contents.push(content.key);
      else if (typeof ir === "string") contents.push(this.#cache.hash(new TextEncoder().encode(ir)));
      else return null;
    }
    const [only] = programs;
    const addresses = [...globalAddresses, ...functionAddresses];
    return {
      key: contentKey(this.#cache, [contents, programs.map(({ options }) => options), addresses]),
      move: programs.length === 1 ? (only?.content?.move ?? null) : null,
    };
  }

  /** @param compile null: no engine can run the kernel. */
  compiled(
    { content }: LoadedProgram,
    kernel: LoadedKernel,
    block: Dim3,
    compile: () => CompiledKernel | null,
  ): CompiledKernel | null {
    if (content === undefined) return compile();
    const { hash } = this.#cache;
    const library = (): string => (this.#library === null ? "" : hash(new TextEncoder().encode(this.#library)));
    this.#surroundings ??= contentKey(this.#cache, [...this.#device, hostFeatures(), library()]);
    const shape = [block.x, block.y, block.z];
    const key = contentKey(this.#cache, ["code", this.#surroundings, content.key, kernel.name, shape]);
    const found = this.#cache.store.get(key);
    if (found !== null) {
      const { backend, code } = unframe(found);
      const kept = unpackCode(backend, code);
      return content.move === null ? kept : { ...kept, metadata: moved(kept.metadata, content.move) };
    }
    const compiled = compile();
    // Its places are not those of the IR with this key.
    if (compiled !== null && content.move === null) this.#cache.store.put(key, frame(compiled));
    return compiled;
  }
}

/** The length of the backend's name, the name, the code. */
function frame(compiled: CompiledKernel): Uint8Array {
  const name = new TextEncoder().encode(compiled.backend);
  const code = packCode(compiled);
  const bytes = new Uint8Array(1 + name.length + code.length);
  bytes[0] = name.length;
  bytes.set(name, 1);
  bytes.set(code, 1 + name.length);
  return bytes;
}

function unframe(bytes: Uint8Array): { readonly backend: string; readonly code: Uint8Array } {
  const end = 1 + (bytes[0] as number);
  return { backend: new TextDecoder().decode(bytes.subarray(1, end)), code: bytes.subarray(end) };
}

/** With every place in it moved. */
function moved(part: unknown, move: (location: SourceLocation) => SourceLocation): unknown {
  if (Array.isArray(part)) return part.map((item) => moved(item, move));
  if (part === null || typeof part !== "object") return part;
  const own = part as Record<string, unknown>;
  const isPlace = typeof own["file"] === "string" && typeof own["line"] === "number";
  const inner = Object.fromEntries(Object.entries(own).map(([key, value]) => [key, moved(value, move)]));
  return isPlace ? move(inner as unknown as SourceLocation) : inner;
}
