/** What a call passes: its tensors, and a text that is equal for calls that one trace is right for. */
import type { Storage } from "../storage.ts";
import { elementBytes } from "../dtypes.ts";
import { Module } from "../nn/module.ts";
import { Tensor } from "../tensor.ts";

export interface Signature {
  readonly tensors: readonly Tensor[];
  /** Where each storage's part begins, in bytes: the first tensor that uses it decides. */
  readonly bases: ReadonlyMap<Storage, number>;
  /** A line for each fact. */
  readonly facts: readonly string[];
}

const identities = new WeakMap<object, number>();
let count = 0;
export function identityOf(value: object): number {
  let known = identities.get(value);
  if (known === undefined) identities.set(value, (known = ++count));
  return known;
}

const isPlainObject = (value: object): value is Record<string, unknown> => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

export function signatureOf(args: readonly unknown[]): Signature {
  const tensors: Tensor[] = [];
  const facts: string[] = [];
  const bases = new Map<Storage, number>();
  const storages: Storage[] = [];
  const visit = (path: string, value: unknown): void => {
    if (value instanceof Tensor) {
      const { storage } = value;
      const begin = value.offset * elementBytes(value.dtype);
      if (!bases.has(storage)) {
        bases.set(storage, begin);
        storages.push(storage);
      }
      tensors.push(value);
      facts.push(`${path} ${tensorFact(value, storages.indexOf(storage), begin - (bases.get(storage) as number))}`);
    } else if (typeof value === "object" && value !== null) {
      if (Array.isArray(value)) {
        facts.push(`${path} is an array of ${value.length}`);
        for (const [i, own] of value.entries()) visit(`${path}[${i}]`, own);
      } else if (isPlainObject(value)) {
        facts.push(`${path} has the fields ${Object.keys(value).join(", ")}`);
        for (const [name, own] of Object.entries(value)) visit(`${path}.${name}`, own);
      } else if (value instanceof Module) for (const fact of moduleFacts(path, value)) facts.push(fact);
      else facts.push(`${path} is object ${identityOf(value)}`);
    } else facts.push(`${path} is ${describePlain(value)}`);
  };
  for (const [i, arg] of args.entries()) visit(`argument ${i}`, arg);
  return { tensors, bases, facts };
}

function describePlain(value: unknown): string {
  if (typeof value === "function") return `function ${identityOf(value)}`;
  if (typeof value === "string") return JSON.stringify(value);
  return Object.is(value, -0) ? "-0" : `${String(value)}${typeof value === "bigint" ? "n" : ""}`;
}

function tensorFact(tensor: Tensor, storage: number, offset: number): string {
  const { dtype, shape, strides, storage: memory } = tensor;
  const isAligned = memory.place === null || (alignmentOf(memory) + tensor.offset * elementBytes(dtype)) % 16 === 0;
  const origin = tensor.node === null ? "" : ", has a gradient";
  const needs = tensor.isLeafWithGradient ? ", requires a gradient" : origin;
  const where = offset === 0 ? "" : ` from byte ${offset}`;
  const alignment = isAligned ? "" : ", not aligned";
  const grad =
    tensor.grad === null ? "" : `, with a gradient of ${tensor.grad.dtype} [${tensor.grad.strides.join(", ")}]`;
  return (
    `is ${dtype} [${shape.join(", ")}] with strides [${strides.join(", ")}]${needs}${grad}, in memory ${storage}` +
    `${where}${alignment}, on ${memory.place === null ? "the host" : `device ${identityOf(memory.place)}`}`
  );
}

const alignments = new WeakMap<Storage, number>();
/** The address modulo 16. */
function alignmentOf(storage: Storage): number {
  let known = alignments.get(storage);
  if (known === undefined) alignments.set(storage, (known = storage.pointer % 16));
  return known;
}

/** What a trace with a module depends on: its modules' numbers and switches, and which tensors they have. */
export function* moduleFacts(path: string, module: Module): Generator<string> {
  for (const [name, own] of module.namedModules(path)) {
    yield `${name} is ${own.constructor.name} ${identityOf(own)}, ${own.training ? "training" : "evaluating"}`;
    for (const [field, value] of own.members()) {
      if (value instanceof Tensor) {
        const needs = value.isLeafWithGradient ? ", requires a gradient" : "";
        yield `${name}.${field} is tensor ${identityOf(value)}${needs}`;
      } else if (typeof value !== "object" && typeof value !== "function" && field !== "training")
        yield `${name}.${field} is ${describePlain(value)}`;
    }
  }
}

/** The value with other tensors in the place of its own, in the order of `signatureOf`. */
export function replaced(value: unknown, next: (tensor: Tensor) => Tensor): unknown {
  if (value instanceof Tensor) return next(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((own) => replaced(own, next));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, own]) => [name, replaced(own, next)]));
}

/** The tensors in a value, in the order of `replaced`. */
export function tensorsIn(value: unknown): Tensor[] {
  const found: Tensor[] = [];
  replaced(value, (tensor) => {
    found.push(tensor);
    return tensor;
  });
  return found;
}
