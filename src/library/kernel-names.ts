/** Kernels by the names that people write, and what is said of a name that no kernel has. */
import { HeddleError } from "../base/diagnostics.ts";
import { demangle } from "../base/demangle.ts";
import { parameterTypes } from "../base/kernel-signature.ts";
import { nearestName } from "../base/suggestions.ts";

/** A kernel's name without spaces, by which names are compared. */
export function plainName(name: string): string {
  return name.replace(/\s+/g, "");
}

/** `scale(float*, int)`: tells overloads apart. */
export function nameWithTypes(mangled: string): string {
  const types = parameterTypes(mangled);
  return types === null ? demangle(mangled) : `${demangle(mangled)}(${types.join(", ")})`;
}

/** A kernel template of the source. */
export interface KernelTemplate {
  readonly name: string;
  /** `typename T, int N` */
  readonly parameters: string;
  /** `reduce<float, 1>` */
  readonly example: string;
}

/** The kernel templates that a source declares. Those of included files are not looked for. */
export function kernelTemplates(source: string): KernelTemplate[] {
  const text = source.replace(/\/\*[^]*?\*\/|\/\/[^\n]*/g, " ");
  const found = new Map<string, KernelTemplate>();
  let end = 0;
  for (const { index } of text.matchAll(/\btemplate\s*</g)) {
    const open = text.indexOf("<", index);
    const close = closingBracket(text, open);
    // A template parameter that is a template itself is part of the list that was read already.
    if (close === null || index < end) continue;
    end = close;
    const name = declaredKernel(text.slice(close + 1));
    const parameters = text
      .slice(open + 1, close)
      .replace(/\s+/g, " ")
      .trim();
    // `template <>` is a specialization.
    if (name === null || parameters === "") continue;
    const example = `${name}<${splitParameters(parameters).map(exampleArgument).join(", ")}>`;
    found.set(name, { name, parameters, example });
  }
  return [...found.values()];
}

/** The kernel that a declaration begins; null: it declares something else. */
function declaredKernel(text: string): string | null {
  const start = /^[^;{}]*?\b__global__\b/.exec(text)?.[0].length;
  if (start === undefined) return null;
  const words = /\b(\w+)\s*\(|[;{}]/g;
  words.lastIndex = start;
  for (let found = words.exec(text); found !== null; found = words.exec(text)) {
    const name = found[1];
    if (name === undefined) return null;
    // __launch_bounds__(THREADS, 1), __cluster_dims__(2, 1, 1), __attribute__((...)).
    if (!/^__\w+__$/.test(name) && name !== "alignas") return name;
    const end = closingParenthesis(text, words.lastIndex - 1);
    if (end === null) return null;
    words.lastIndex = end + 1;
  }
  return null;
}

function closingParenthesis(text: string, open: number): number | null {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === "(") depth++;
    else if (text[at] === ")" && --depth === 0) return at;
  }
  return null;
}

/** The `>` that ends what `<` at `open` begins; null: there is none. */
function closingBracket(text: string, open: number): number | null {
  let depth = 0;
  let parentheses = 0;
  for (let at = open; at < text.length; at++) {
    const char = text[at];
    if (char === "(") parentheses++;
    else if (char === ")") parentheses--;
    else if (char === ";" || char === "{") return null;
    else if (parentheses === 0 && char === "<") depth++;
    else if (parentheses === 0 && char === ">" && --depth === 0) return at;
  }
  return null;
}

function splitParameters(parameters: string): string[] {
  const parts: string[] = [""];
  let depth = 0;
  let parentheses = 0;
  for (const char of parameters) {
    if (char === "(") parentheses++;
    if (char === ")") parentheses--;
    if (parentheses === 0 && char === "<") depth++;
    if (parentheses === 0 && char === ">") depth--;
    if (char === "," && depth === 0 && parentheses === 0) parts.push("");
    else parts[parts.length - 1] += char;
  }
  return parts.map((part) => part.trim());
}

function exampleArgument(parameter: string): string {
  const byDefault = /=\s*(.+)$/.exec(parameter)?.[1];
  if (byDefault !== undefined) return byDefault;
  if (/^(typename|class)\b/.test(parameter)) return "float";
  if (/^bool\b/.test(parameter)) return "true";
  if (/^template\b/.test(parameter)) return /\w+$/.exec(parameter)?.[0] ?? "T";
  return "256";
}

/** The error for a name that no kernel has. */
export function unknownName(
  name: string,
  compiled: readonly string[],
  source: string,
  cause?: HeddleError,
): HeddleError {
  const templates = kernelTemplates(source);
  const own = templates.find((template) => template.name === baseName(name));
  const known = [...compiled, ...templates.map((template) => template.name)];
  const notes = [
    compiled.length === 0 ? "the program has no compiled kernels" : `kernels there are: ${compiled.join(", ")}`,
    ...templates.map(
      ({ name: of, parameters, example }) =>
        `template <${parameters}> ${of}: name it with its arguments, such as ${example}`,
    ),
    ...(cause?.notes ?? []),
  ];
  const options = { notes, ...(cause === undefined ? {} : { cause }) };
  if (own !== undefined && !name.includes("<"))
    return new HeddleError(
      "unknown-kernel",
      `${own.name} is a template: name an instance, such as ${own.example}`,
      options,
    );
  const nearest = own === undefined ? nearestName(baseName(name), known.map(baseName)) : null;
  const meant = known.find((candidate) => baseName(candidate) === nearest);
  const suggestion = meant === undefined ? "" : `; did you mean "${meant}"?`;
  return new HeddleError("unknown-kernel", `there is no kernel ${name}${suggestion}`, options);
}

/** `math::reduce<float>` is `reduce`. */
function baseName(name: string): string {
  return (plainName(name).split(/[<(]/)[0] as string).split("::").at(-1) as string;
}
