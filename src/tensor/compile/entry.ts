/** One trace of a function, ready to be called again: what it is given, what it returns, and what it changes. */
import { bug } from "../../base/diagnostics.ts";
import type { Generators } from "../operations/random.ts";
import type { Storage } from "../storage.ts";
import { scoped, Tensor, type Shape } from "../tensor.ts";
import { elementBytes as bytesOf, type TensorDtype } from "../dtypes.ts";
import type { Differentiation } from "./differentiate.ts";
import type { Program } from "./program.ts";
import type { Signature } from "./signature.ts";
import { replaced } from "./signature.ts";

/** Where a given buffer's memory comes from at a call. */
export type Origin =
  /** The first argument's memory that uses it. */
  | { readonly kind: "argument"; readonly index: number }
  | { readonly kind: "captured"; readonly storage: Storage }
  /** The gradient of a tensor, before the call. */
  | { readonly kind: "gradient"; readonly of: TensorRef };

/** A tensor that the function was called with, or one from around it. */
export type TensorRef =
  | { readonly kind: "argument"; readonly index: number }
  | { readonly kind: "captured"; readonly tensor: Tensor };

/** A tensor over a buffer. */
export interface Made {
  readonly buffer: number;
  readonly dtype: TensorDtype;
  readonly shape: Shape;
  readonly strides: Shape;
  readonly offset: number;
  /** A leaf that asks for its gradient. */
  readonly isLeaf?: boolean;
}

/** What the function returned in the place of a tensor. */
export type Result = { readonly made: Made } | { readonly same: TensorRef };

export interface GradientEffect {
  readonly of: TensorRef;
  /** Null: there is no gradient any more. */
  readonly made: Made | null;
  /** What it was before has to be like this. */
  readonly before: string;
}

export interface EntryParts {
  readonly program: Program;
  readonly origins: ReadonlyMap<number, Origin>;
  /** What the function returned; its tensors are replaced by `results`, in order. */
  readonly shape: unknown;
  readonly results: readonly Result[];
  readonly gradients: readonly GradientEffect[];
  readonly effects: readonly (() => void)[];
  readonly counters: number;
  readonly generators: Generators;
  /** How gradients flow back from the results; null: nobody asks. */
  readonly differentiation: Differentiation | null;
  /** Switches of modules and tensors that the function has seen, with what they have to be. */
  readonly states: readonly { readonly read: () => boolean; readonly value: boolean }[];
  /** Arguments and captured tensors whose memory the program changes. */
  readonly changed: readonly Origin[];
}

export const describeGradient = (grad: Tensor | null): string =>
  grad === null ? "no gradient" : `${grad.dtype} [${grad.shape.join()}] [${grad.strides.join()}] ${grad.offset}`;

export class Entry {
  readonly parts: EntryParts;

  constructor(parts: EntryParts) {
    this.parts = parts;
  }

  /** Whether gradients that it reads or sets are as they were when it was traced. */
  fits(signature: Signature): boolean {
    const { states, gradients } = this.parts;
    if (!states.every(({ read, value }) => read() === value)) return false;
    return gradients.every(({ of, before }) => describeGradient(tensorOf(of, signature).grad) === before);
  }

  /** @param repeat runs the function as it is */
  call(signature: Signature, repeat: () => unknown): unknown {
    const { program, origins, shape, results, gradients, effects, counters, generators, changed } = this.parts;
    const given = new Map<number, { storage: Storage; base: number }>();
    for (const [buffer, origin] of origins) given.set(buffer, memoryOf(origin, signature));
    const { seed, counter } = generators.state;
    const random = { seed, counter };
    const kept = program.run(given, random);
    if (counters > 0) generators.advance(counters);
    for (const origin of changed) memoryOf(origin, signature).storage.version++;
    const tensorFor = (made: Made): Tensor => {
      const tensor = viewFor(made);
      if (made.isLeaf === true) tensor.isLeafWithGradient = true;
      return tensor;
    };
    const viewFor = (made: Made): Tensor => {
      const id = program.final.get(made.buffer) ?? made.buffer;
      const own = kept.get(id);
      if (own !== undefined) return new Tensor(own, made.dtype, made.shape, made.strides, made.offset);
      const memory = given.get(made.buffer);
      if (memory === undefined) bug(`no memory of buffer ${made.buffer}`);
      const offset = made.offset + memory.base / bytesOf(made.dtype);
      return new Tensor(memory.storage, made.dtype, made.shape, made.strides, offset);
    };
    const returned = results.map((result) =>
      "made" in result ? tensorFor(result.made) : tensorOf(result.same, signature),
    );
    if (this.parts.differentiation !== null) {
      const isPure = changed.length === 0 && gradients.length === 0 && effects.length === 0;
      const storages = [...given.values()].map(({ storage }) => storage);
      this.parts.differentiation.record({
        signature,
        returned,
        given,
        kept,
        random,
        repeat: { call: isPure ? repeat : null, generators, random, storages },
      });
    }
    scoped(() => {
      for (const { of, made } of gradients) tensorOf(of, signature).setGradient(made === null ? null : tensorFor(made));
    });
    for (const effect of effects) effect();
    let next = 0;
    return replaced(shape, () => returned[next++] as Tensor);
  }
}

export function tensorOf(ref: TensorRef, { tensors }: Signature): Tensor {
  return ref.kind === "captured" ? ref.tensor : (tensors[ref.index] as Tensor);
}

export function memoryOf(origin: Origin, signature: Signature): { storage: Storage; base: number } {
  if (origin.kind === "captured") return { storage: origin.storage, base: 0 };
  if (origin.kind === "argument") {
    const { storage } = signature.tensors[origin.index] as Tensor;
    return { storage, base: signature.bases.get(storage) ?? 0 };
  }
  const { grad } = tensorOf(origin.of, signature);
  if (grad === null) bug("a gradient is gone");
  return { storage: grad.storage, base: 0 };
}
