// What the tables of operations are made with.
import { functional } from "../../../dist/tensor.js";

/** `torch` of the device at hand. */
export const session = { torch: null };
export const F = { ...functional };

/** By the names in PyTorch's table of operations (OpInfo): the names of arguments in Python, the call, random cases. */
export const table = {};

/**
 * @param parameters names, `*rest` for all that follow
 * @param random "unary", "binary", "reduction", "dim", "permute"
 */
export function add(name, parameters, call, random = null) {
  table[name] = { name, parameters: parameters.split(" "), call, random };
}

/** An argument that is not there: the case is not compared. */
export class Unasked extends Error {}

/** A number that PyTorch takes where a method of tensors stands here. */
export function number(value) {
  if (typeof value !== "number" && typeof value !== "boolean") return value;
  const whole = Number.isInteger(value) ? "int64" : "float32";
  return session.torch.tensor(value, { dtype: typeof value === "boolean" ? "bool" : whole });
}

export const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
export const long = { dtype: "int64" };
export const pair = ({ values, indices }) => [values, indices];
export const given = (options) =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
export const keep = (keepdim) => given({ keepdim });
export const list = (value) => (Array.isArray(value) ? value : [value]);
export const dims = (dim) => dim ?? undefined;
