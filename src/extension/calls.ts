/** How TypeScript calls an extension's functions: arguments by position, then by name in an object. */
import { describeValue } from "../base/options.ts";
import { Tensor } from "../tensor/tensor.ts";

/** A function of an extension. */
export interface Callable {
  readonly name: string;
  readonly doc: string;
  readonly overloads: readonly {
    /** As pybind11 writes it: `(arg0: torch.Tensor, arg1: int) -> torch.Tensor`. */
    readonly signature: string;
    readonly parameters: readonly string[];
  }[];
}

/** Whether the last argument of a call names parameters: `f(x, { scale: 2 })`. */
export function isKeywords(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value) || ArrayBuffer.isView(value)) return false;
  const prototype = Object.getPrototypeOf(value) as unknown;
  return (prototype === Object.prototype || prototype === null) && Object.keys(value).length > 0;
}

/** Arguments as a message shows them: `Tensor(float32, [2, 3], cuda), 3`. */
export function describeArguments(given: readonly unknown[]): string {
  return given.map(describe).join(", ");
}

function describe(value: unknown): string {
  if (value instanceof Tensor)
    return `Tensor(${value.dtype}, [${value.shape.join(", ")}], ${value.place === null ? "cpu" : "cuda"})`;
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `[${value.map(describe).join(", ")}]`;
  if (isKeywords(value))
    return Object.entries(value)
      .map(([name, one]) => `${name}=${describe(one)}`)
      .join(", ");
  return describeValue(value);
}
