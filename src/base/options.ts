/** Options objects of the public API: a name that does not exist is refused, with the name that was meant. */
import { HeddleError } from "./diagnostics.ts";
import { didYouMean } from "./suggestions.ts";

/** Every option of `T`: the compiler notices one that is missing here. */
export type OptionNames<T> = Readonly<Record<keyof T, true>>;

/**
 * @param what takes the options, for the message: "launch", "openDevice".
 * @param meant names of other libraries or of CUDA, and the option that they stand for.
 * @throws HeddleError "bad-arguments"
 */
export function checkOptions<T extends object>(
  what: string,
  options: unknown,
  names: OptionNames<T>,
  {
    example = null,
    meant = {},
  }: { readonly example?: string | null; readonly meant?: Readonly<Record<string, string>> } = {},
): void {
  const known = Object.keys(names);
  const notes = [`options of ${what}: ${known.join(", ")}`, ...(example === null ? [] : [`for example ${example}`])];
  if (!isOptionsObject(options))
    throw new HeddleError("bad-arguments", `${what} takes its options as an object, not ${describeValue(options)}`, {
      notes,
    });
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(names, name)) continue;
    const other = Object.hasOwn(meant, name) ? meant[name] : undefined;
    const suggestion = other === undefined ? didYouMean(name, known) : `; did you mean "${other}"?`;
    throw new HeddleError("bad-arguments", `${what} has no option "${name}"${suggestion}`, { notes });
  }
}

function isOptionsObject(options: unknown): options is object {
  return typeof options === "object" && options !== null && !Array.isArray(options) && !ArrayBuffer.isView(options);
}

/** A value as a message names it: `the string "cuda"`, `an array of numbers`, `nothing`. */
export function describeValue(value: unknown): string {
  if (value === undefined) return "undefined";
  if (value === null) return "null";
  if (typeof value === "string")
    return `the string ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`;
  if (typeof value === "function") return value.name === "" ? "a function" : `the function ${value.name}`;
  if (Array.isArray(value)) return "a JavaScript array";
  if (typeof value === "object") {
    const name = (value as { readonly constructor?: { readonly name?: string } }).constructor?.name;
    return name === undefined || name === "" || name === "Object"
      ? "an object"
      : `${/^[AEIOU]/.test(name) ? "an" : "a"} ${name}`;
  }
  return `the ${typeof value} ${String(value)}`;
}
