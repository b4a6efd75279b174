/**
 * Plain data as JSON in which equal parts are written once. The places of a kernel's code name the functions that they
 * were inlined into, the same ones again and again, with names of kilobytes: as plain JSON they take 30 MB.
 *
 * The text is an array of parts, each once: a number, a string and the like as they are, an array or an object with the
 * numbers of earlier parts in place of its elements. The last one is the whole (hash-consing: J.-C. Filliâtre and
 * S. Conchon, "Type-safe modular hash-consing", ML 2006).
 */
import { bug } from "./diagnostics.ts";

type Part = null | boolean | number | string | readonly number[] | { readonly [key: string]: number };

/** What JSON.stringify takes. Equal parts are one object when they are read again: nobody may change them. */
export function stringifyShared(value: unknown): string {
  const parts: string[] = [];
  const byText = new Map<string, number>();
  const byIdentity = new Map<object, number>();
  const add = (text: string): number => {
    let number = byText.get(text);
    if (number === undefined) {
      number = parts.push(text) - 1;
      byText.set(text, number);
    }
    return number;
  };
  const visit = (v: unknown): number => {
    if (typeof v !== "object" || v === null) return add(JSON.stringify(v) ?? "null");
    const known = byIdentity.get(v);
    if (known !== undefined) return known;
    const number = Array.isArray(v)
      ? add(`[${v.map(visit).join(",")}]`)
      : add(
          `{${Object.entries(v)
            .filter(([, element]) => element !== undefined)
            .map(([key, element]) => `${JSON.stringify(key)}:${visit(element)}`)
            .join(",")}}`,
        );
    byIdentity.set(v, number);
    return number;
  };
  // The whole comes last, also where it is equal to a part of it.
  const whole = visit(value);
  if (whole !== parts.length - 1) parts.push(parts[whole]!);
  return `[${parts.join(",")}]`;
}

export function parseShared(text: string): unknown {
  const made: unknown[] = [];
  for (const part of JSON.parse(text) as Part[]) {
    if (typeof part !== "object" || part === null) made.push(part);
    else if (Array.isArray(part)) made.push((part as readonly number[]).map((number) => made[number]));
    else made.push(Object.fromEntries(Object.entries(part).map(([key, number]) => [key, made[number]])));
  }
  return made.length === 0 ? bug("shared JSON without a part") : made.at(-1);
}
