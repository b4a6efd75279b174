/**
 * Checkpoints: objects and arrays with tensors in them, as a safetensors file. Tensors are named by their place
 * ("model.0.weight"), and everything else is JSON in the file's metadata.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import { describeValue } from "../../base/options.ts";
import type { Gpu } from "../../library/gpu.ts";
import { Tensor } from "../tensor.ts";
import { decodeSafetensors, encodeSafetensors } from "./safetensors.ts";

const KEY = "heddle.checkpoint";
/** In the JSON, for a tensor: its name. */
const TENSOR = "$tensor";

/** @throws HeddleError "bad-arguments" for what is neither a tensor nor JSON */
export function encodeCheckpoint(value: unknown): Uint8Array<ArrayBuffer> {
  const tensors: Record<string, Tensor> = {};
  const visit = (part: unknown, path: string): unknown => {
    if (part instanceof Tensor) {
      tensors[path] = part;
      return { [TENSOR]: path };
    }
    if (part === null || typeof part === "string" || typeof part === "boolean") return part;
    if (typeof part === "number") return Number.isFinite(part) ? part : { $number: String(part) };
    if (Array.isArray(part)) return part.map((one, i) => visit(one, join(path, String(i))));
    if (typeof part === "object" && Object.getPrototypeOf(part) === Object.prototype)
      return Object.fromEntries(Object.entries(part).flatMap(([key, one]) => member(key, one, path)));
    throw new HeddleError("bad-arguments", `a checkpoint cannot hold ${describeValue(part)}`, {
      notes: [`it is at ${path === "" ? "the top" : path}: tensors, numbers, strings, arrays and objects can be saved`],
    });
  };
  const member = (key: string, one: unknown, path: string): [string, unknown][] =>
    one === undefined ? [] : [[key, visit(one, join(path, key))]];
  const tree = visit(value, "");
  return encodeSafetensors(tensors, { [KEY]: JSON.stringify(tree) });
}

const join = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`);

/** What `encodeCheckpoint` was given; of another safetensors file its tensors by name. */
export function decodeCheckpoint(bytes: Uint8Array, device?: Gpu | null): unknown {
  const { tensors, metadata } = decodeSafetensors(bytes, device);
  const text = metadata[KEY];
  if (text === undefined) return tensors;
  return JSON.parse(text, (_, part: unknown) => {
    if (typeof part !== "object" || part === null) return part;
    const { [TENSOR]: name, $number: number } = part as Record<string, unknown>;
    if (typeof number === "string") return Number(number);
    return typeof name === "string" ? tensors[name] : part;
  });
}
