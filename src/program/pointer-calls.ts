/**
 * Which functions of a translation unit may be called through pointers, and which types of functions it calls so. Reads
 * the IR's text by line, as link-groups.ts does.
 */

/** The types of calls through pointers: the result's and the parameters', as `float (ptr,i64)`. */
export function typesCalledThroughPointers(ir: string): Set<string> {
  const called = new Set<string>();
  // `%struct.pair %3(…)`: the callee is the name before the parenthesis.
  for (const { 1: before, index, 0: text } of ir.matchAll(/ call ([^@\n"]*?)%[\w.]+\(/g)) {
    const result = lastType((before as string).trim());
    if (result !== "") called.add(signature(result, argumentsAt(ir, index + text.length)));
  }
  return called;
}

/** Those of `types` that a function has whose address is taken. */
export function typesOfTakenFunctions(ir: string, types: ReadonlySet<string>): Set<string> {
  const taken = new Set<string>();
  for (const match of ir.matchAll(/^define ([^@\n]*)@("[^"]*"|[\w.$-]+)\(/gm)) {
    const [text, before, name] = match as unknown as [string, string, string];
    const type = signature(lastType(before.trim()), argumentsAt(ir, match.index + text.length));
    if (types.has(type) && !taken.has(type) && isAddressTaken(ir, name)) taken.add(type);
  }
  return taken;
}

/** Whether the name stands anywhere but before its arguments. */
function isAddressTaken(ir: string, name: string): boolean {
  const mention = `@${name}`;
  for (let at = ir.indexOf(mention); at >= 0; at = ir.indexOf(mention, at + mention.length))
    if (!/[\w.$(-]/.test(ir[at + mention.length] ?? "")) return true;
  return false;
}

function signature(result: string, parameters: readonly string[]): string {
  return `${result} (${parameters.map(firstType).join(",")})`;
}

/** The texts between the commas of a list that begins at `from`, up to its closing parenthesis. */
function argumentsAt(ir: string, from: number): string[] {
  const found: string[] = [];
  let depth = 0;
  let start = from;
  for (let at = from; at < ir.length; at++) {
    const character = ir[at] as string;
    if (depth === 0 && (character === "," || character === ")")) {
      const text = ir.slice(start, at).trim();
      if (text !== "") found.push(text);
      if (character === ")") break;
      start = at + 1;
    } else if ("([{<".includes(character)) depth++;
    else if (")]}>".includes(character)) depth--;
  }
  return found;
}

/** The type with which a parameter begins. */
function firstType(text: string): string {
  if (!/^[[{<]/.test(text)) return /^[^\s,]+/.exec(text)?.[0] ?? "";
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if ("[{<".includes(text[at] as string)) depth++;
    else if ("]}>".includes(text[at] as string) && --depth === 0) return text.slice(0, at + 1);
  }
  return text;
}

/** The type with which linkage, attributes and result of a function end. */
function lastType(text: string): string {
  if (!/[\]}>]$/.test(text)) return /\S+$/.exec(text)?.[0] ?? "";
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at--) {
    if ("]}>".includes(text[at] as string)) depth++;
    else if ("[{<".includes(text[at] as string) && --depth === 0) return text.slice(at);
  }
  return text;
}
