/** Launches like an earlier one skip what an earlier one worked out: which code runs, and what it is passed. */
import type { KernelParameter } from "../frontend/triton/compile-kernel.ts";
import type { FunctionValue } from "../frontend/triton/language/values.ts";
import { DeviceArray } from "./device-array.ts";
import type { KernelArgument } from "./kernel-arguments.ts";
import type { TritonArgument, TritonKeywords } from "./triton-arguments.ts";
import type { Compiled } from "./triton-compiled.ts";
import type { TritonLaunchOptions } from "./triton-grid.ts";

/** More kinds of launches of one kernel are not kept. */
const MAX_ENTRIES = 64;
const MAX_INT32 = 2 ** 31;

interface Entry {
  readonly compiled: Compiled;
  /** Positions of the arguments that the kernel is passed. */
  readonly passed: readonly number[];
}

export class LaunchMemo {
  readonly #entries = new Map<string, Entry>();

  /** What a launch with these arguments runs, and is passed; null: it is not known. */
  find(
    signature: string | null,
    args: readonly (TritonArgument | TritonKeywords)[],
  ): { readonly compiled: Compiled; readonly values: readonly KernelArgument[] } | null {
    const entry = signature === null ? undefined : this.#entries.get(signature);
    if (entry === undefined) return null;
    return { compiled: entry.compiled, values: entry.passed.map((i) => args[i] as KernelArgument) };
  }

  /** @param values what the launch has passed: each must be one of the arguments as it is */
  keep(
    signature: string | null,
    args: readonly (TritonArgument | TritonKeywords)[],
    values: readonly KernelArgument[],
    compiled: Compiled,
  ): void {
    if (signature === null || this.#entries.size >= MAX_ENTRIES) return;
    const passed: number[] = [];
    // In their order, as parameters are: the first argument that it can be.
    for (const value of values) {
      const at = args.findIndex((arg, i) => i > (passed.at(-1) ?? -1) && arg === value && isPassed(arg));
      if (at < 0) return;
      passed.push(at);
    }
    const all = args.flatMap((arg, i) => (isPassed(arg) ? [i] : []));
    if (all.length === passed.length) this.#entries.set(signature, { compiled, passed });
  }

  clear(): void {
    this.#entries.clear();
  }
}

function isPassed(arg: unknown): boolean {
  return arg instanceof DeviceArray || (typeof arg === "number" && arg !== 1);
}

/**
 * Equal for launches that run the same code and pass their arguments alike; null for a launch that is worked out each
 * time: of arguments other than arrays on the device and small whole numbers, with constants as keywords.
 */
export function launchSignature(
  { decorators }: FunctionValue,
  params: readonly KernelParameter[],
  { grid, numWarps, numStages, ...others }: TritonLaunchOptions,
  args: readonly (TritonArgument | TritonKeywords)[],
): string | null {
  if (decorators.some(({ name }) => name !== "jit") || params.some(({ dtype }) => dtype !== null)) return null;
  if (grid === undefined || typeof grid === "function" || Object.keys(others).length > 0) return null;
  let text = `${numWarps} ${numStages}`;
  for (const [i, arg] of args.entries()) {
    const word = wordOf(arg, i === args.length - 1);
    if (word === null) return null;
    text += `,${word}`;
  }
  return text;
}

function wordOf(arg: TritonArgument | TritonKeywords, isLast: boolean): string | null {
  if (arg instanceof DeviceArray) return `${arg.dtype}${arg.pointer % 16 === 0 ? "*" : ""}`;
  if (typeof arg === "number") {
    if (!Number.isInteger(arg) || Math.abs(arg) >= MAX_INT32) return null;
    return arg === 1 ? "1" : `n${arg % 16 === 0 ? "*" : ""}`;
  }
  const isKeywords = isLast && typeof arg === "object" && arg !== null;
  return isKeywords && Object.getPrototypeOf(arg) === Object.prototype ? constants(arg as TritonKeywords) : null;
}

function constants(keywords: TritonKeywords): string | null {
  let text = "";
  for (const [name, value] of Object.entries(keywords)) {
    if (typeof value !== "number" && typeof value !== "boolean" && typeof value !== "string") return null;
    text += `;${name}=${typeof value}:${value}`;
  }
  return text;
}
