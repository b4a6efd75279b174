/**
 * `__shared__ cuda::barrier<…> bar;`: an object in shared memory whose class has a constructor or a destructor that
 * does something. nvcc runs neither, and warns; Clang refuses the variable. Such declarations are written again, after
 * Clang has named them, as a union with the object in it (include/heddle/shared_object.h).
 *
 * Only a declaration of one variable, in a function, is written again. No line moves.
 */

const REFUSED = "initialization is not supported for __shared__ variables";

/** Where Clang refuses variables of this file: lines and columns, from 1. */
function refusedPlaces(report: string, path: string): { line: number; column: number }[] {
  // eslint-disable-next-line no-control-regex
  const plain = report.replaceAll(/\x1b\[[0-9;]*m/g, "");
  return plain.split("\n").flatMap((text) => {
    const found = /^(.+):(\d+):(\d+): error: (.*)$/.exec(text);
    return found?.[1] === path && found[4] === REFUSED ? [{ line: Number(found[2]), column: Number(found[3]) }] : [];
  });
}

/** A declaration from the word __shared__ to its semicolon: specifiers, the type; the name, the sizes of an array. */
const BEFORE = /__shared__(\s+(?:(?:static|(?:alignas|__align__)\s*\((?:[^()]|\([^()]*\))*\))\s+)*)([^;{}]*?)$/;
const BEHIND = /^(\w+)\s*(\[[^;]*\])?\s*;/;

/** The line with the variable at this column held in a union; null if its declaration is not a plain one. */
function inUnion(line: string, column: number): string | null {
  // Clang counts bytes.
  const bytes = new TextEncoder().encode(line);
  const [before, behind] = [bytes.subarray(0, column - 1), bytes.subarray(column - 1)].map((part) =>
    new TextDecoder().decode(part),
  ) as [string, string];
  const [, specifiers, type] = BEFORE.exec(before) ?? [];
  const [declarator, name, sizes = ""] = BEHIND.exec(behind) ?? [];
  if (specifiers === undefined || type === undefined || declarator === undefined || name === undefined) return null;
  const held = `__heddle_shared<${type.trim()}${sizes}> ${name}__storage; auto &${name} = ${name}__storage.object;`;
  return before.slice(0, before.length - type.length) + held + behind.slice(declarator.length);
}

/** The source with the variables that the report refuses in unions; null if there are none, or other declarations. */
export function holdSharedObjects(path: string, text: string, report: string): string | null {
  const lines = text.split("\n");
  // From the right, so that columns of a line stay what they are.
  const places = refusedPlaces(report, path).sort((a, b) => b.line - a.line || b.column - a.column);
  let changed = false;
  let last = "";
  for (const { line, column } of places) {
    // A template is reported once for each of its instances.
    const place = `${line}:${column}`;
    if (place === last) continue;
    last = place;
    const held = inUnion(lines[line - 1] ?? "", column);
    if (held === null) return null;
    lines[line - 1] = held;
    changed = true;
  }
  return changed ? lines.join("\n") : null;
}
