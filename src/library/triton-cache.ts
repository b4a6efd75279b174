/**
 * Compiled Triton kernels of earlier runs, by content: the statements that the kernel can depend on, its arguments'
 * types and constants, options, and the version of the compiler. What else the file says changes no key. It may move
 * the kernel to other lines, and then the places in its IR are moved.
 */
import type { SourceLocation } from "../base/diagnostics.ts";
import { reachedSource, type ReachedStatement } from "../frontend/triton/evaluate/reached-source.ts";
import type { PythonModule } from "../frontend/triton/evaluate/module.ts";
import type { ArgumentSpecialisation } from "../frontend/triton/compile-kernel.ts";
import { typeWord } from "../frontend/triton/language/dtypes.ts";
import type { FunctionValue, Value } from "../frontend/triton/language/values.ts";
import type { LoweredKernel } from "../frontend/triton/lower/lower-kernel.ts";
import type { IrModule } from "../ir/model/ir.ts";
import { parseModule } from "../ir/text/parse.ts";
import { printModule } from "../ir/text/print.ts";
import type { ProgramContent } from "../program/device-program.ts";
import { contentKey, type ContentCache } from "../store/store.ts";
import type { SpecialisedArgument } from "./triton-arguments.ts";

export interface CompiledIr {
  readonly lowered: LoweredKernel;
  /** null: nothing is known that would hold in another process. */
  readonly content: ProgramContent | null;
}

type Place = readonly [file: string, line: number, endLine: number];

interface EntryHeader {
  readonly name: string;
  readonly sharedBytes: number;
  readonly threads: number;
  readonly places: readonly Place[];
}

/** What a kernel's code depends on, as a key; null: an argument has no meaning outside of this process. */
export function kernelContent(
  cache: ContentCache,
  module: PythonModule,
  fn: FunctionValue,
  specialised: ReadonlyMap<string, SpecialisedArgument>,
  options: readonly unknown[],
): { readonly key: string; readonly places: readonly Place[] } | null {
  const roots = [fn];
  const args: string[] = [];
  for (const [name, { specialisation }] of specialised) {
    const text = specialisationText(specialisation, roots);
    if (text === null) return null;
    args.push(`${name} ${text}`);
  }
  const reached = reachedSource(module.files, roots);
  if (reached === null) return null;
  const text = ({ file, text: of }: ReachedStatement): readonly string[] => [file, of];
  const key = contentKey(cache, [
    "triton",
    module.source.file,
    roots.map((root) => [root.name, root.source.file]),
    reached.map(text),
    module.options,
    args,
    options,
  ]);
  return { key, places: reached.map(({ file, line, endLine }): Place => [file, line, endLine]) };
}

/** What the compiler is told of an argument, in words that any process has; functions go to `roots`. */
function specialisationText(of: ArgumentSpecialisation, roots: FunctionValue[]): string | null {
  switch (of.kind) {
    case "value":
      return `${typeWord(of.dtype)}:${of.divisibility}`;
    case "descriptor":
      return `descriptor ${typeWord(of.element)} ${of.blockShape.join("x")} ${of.isAligned} ${of.alignedSizes.join()}`;
    case "constant":
      return valueText(of.value, roots);
    case "tuple": {
      const items = of.items.map((item) => specialisationText(item, roots));
      return items.includes(null) ? null : `(${items.join(", ")})`;
    }
  }
}

/** null: the value has no such words. */
export function valueText(value: Value, roots: FunctionValue[]): string | null {
  switch (value.kind) {
    case "none":
      return "None";
    case "int":
    case "bool":
      return `${value.kind} ${value.value}`;
    case "float":
      return `float ${Object.is(value.value, -0) ? "-0" : value.value}`;
    case "string":
      return `string ${JSON.stringify(value.value)}`;
    case "dtype":
      return typeWord(value.dtype);
    case "builtin":
      return `builtin ${value.name}`;
    case "tuple":
    case "list": {
      const items = value.items.map((item) => valueText(item, roots));
      return items.includes(null) ? null : `${value.kind}(${items.join(",")})`;
    }
    case "function":
      roots.push(value);
      return `function ${value.name} of ${value.source.file}`;
    default:
      return null;
  }
}

/** From the cache, or made by `compile` and put there. */
export function cachedKernel(
  cache: ContentCache,
  { key, places }: { readonly key: string; readonly places: readonly Place[] },
  compile: () => LoweredKernel,
): CompiledIr {
  const entry = cache.store.get(key);
  if (entry === null) {
    const lowered = compile();
    const { name, sharedBytes, threads } = lowered;
    const header: EntryHeader = { name, sharedBytes, threads, places };
    cache.store.put(key, new TextEncoder().encode(`${JSON.stringify(header)}\n${printModule(lowered.module)}`));
    return { lowered, content: { key, move: null } };
  }
  const text = new TextDecoder().decode(entry);
  const end = text.indexOf("\n");
  const { name, sharedBytes, threads, places: before } = JSON.parse(text.slice(0, end)) as EntryHeader;
  const module = parseModule(text.slice(end + 1), name);
  const move = mover(before, places);
  if (move !== null) moveModule(module, move);
  return { lowered: { module, name, sharedBytes, threads }, content: { key, move } };
}

/** null: everything lies where it lay. */
function mover(
  before: readonly Place[],
  after: readonly Place[],
): ((location: SourceLocation) => SourceLocation) | null {
  if (before.every(([, line], i) => line === after[i]?.[1])) return null;
  const moved = (location: SourceLocation): SourceLocation => {
    const { file, line, inlinedAt } = location;
    const i = before.findIndex(([of, first, last]) => of === file && first <= line && line <= last);
    const shift = i < 0 ? 0 : (after[i]?.[1] ?? 0) - (before[i]?.[1] ?? 0);
    const outer = inlinedAt === undefined ? {} : { inlinedAt: moved(inlinedAt) };
    return { ...location, line: line + shift, ...outer };
  };
  return moved;
}

function moveModule(module: IrModule, move: (location: SourceLocation) => SourceLocation): void {
  for (const fn of module.functions.values()) {
    if (fn.location !== null) fn.location = move(fn.location);
    for (const block of fn.blocks)
      for (const instruction of block.instructions)
        if (instruction.location !== null) instruction.location = move(instruction.location);
  }
}
